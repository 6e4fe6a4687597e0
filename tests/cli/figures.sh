# scripts/figures, scripts/measure and pinhole_measure. Run by run_test.sh.
# shellcheck shell=bash

figures="$SOURCE/scripts/figures"

# A folder of results with one goal that is met.
make_results() {
  mkdir -p results/h200
  cp "$SOURCE/results/goals.json" results/
  "$WRITE_RESULTS" results/h200/compare.json
  # What these tests are run from may be dirty; that is a test of its own.
  sed -i 's/"dirty": true/"dirty": false/' results/h200/compare.json
}

run_figures() { capture "$figures" --results results "$@"; }

test_a_goal_is_met() {
  make_results
  run_figures
  expect_code 0
  grep -qE '^compare +flag_mapped_vs_copy +1\.893 +ratio +>= 1\.8 +met$' "$scratch/out" || fail "$out"
  grep -qE '^compare +view_cost +ratio +>= 0\.98 +1 +absent$' "$scratch/out" || fail "$out"
  expect out "1 of "
}

test_absent_counts_as_missed_only_when_strict() {
  make_results
  run_figures --strict
  expect_code 1
  [[ -z "$err" ]] || fail "$err"
}

test_a_difference_is_recomputed() {
  make_results
  run_figures
  grep -qE '^compare +a_turn_saves_us +9\.375 +us +no goal$' "$scratch/out" || fail "$out"
  sed -i 's/"value": 9.375/"value": 9.5/' results/h200/compare.json
  run_figures
  expect_code 1
  expect err "a_turn_saves_us: the stored value 9.5 is not what its samples give, 9.375"
}

test_a_goal_is_missed() {
  make_results
  sed -i 's/"bound": 1.8,/"bound": 100,/' results/goals.json
  run_figures
  expect_code 0
  grep -qE 'flag_mapped_vs_copy .* missed$' "$scratch/out" || fail "$out"
}

test_a_tampered_value_is_refused() {
  make_results
  sed -i 's/"value": 1.8[0-9]*/"value": 2.5/' results/h200/compare.json
  run_figures
  expect_code 1
  expect err "flag_mapped_vs_copy: the stored value 2.5 is not what its samples give, 1.89"
}

test_a_tampered_sample_is_refused() {
  make_results
  sed -i 's/19.25/39.25/' results/h200/compare.json
  run_figures
  expect_code 1
  expect err "is not what its samples give"
}

test_missing_samples_are_refused() {
  make_results
  sed -i 's/"flag.100 turns.mapped": /"other": /' results/h200/compare.json
  run_figures
  expect_code 1
  expect err "there are no samples 'flag/100 turns/mapped'"
}

test_another_opponent_is_refused() {
  make_results
  sed -i "s/with two cudaMemcpy a turn/with ten cudaMemcpy a turn/" results/h200/compare.json
  run_figures
  expect_code 1
  expect err "its opponent is"
}

test_an_unknown_operation_is_refused() {
  make_results
  sed -i 's/ratio_of_medians/best_case/' results/h200/compare.json
  run_figures
  expect_code 1
  expect err "'best_case' is not an operation on samples"
}

test_a_dirty_build_is_named() {
  make_results
  sed -i 's/"dirty": false/"dirty": true/' results/h200/compare.json
  run_figures
  expect_code 0
  expect out "met (dirty build)"
  expect out "0 of "
}

test_what_is_no_file_of_results_is_refused() {
  make_results
  local text
  for text in '' '{' '[]' '{}' '{"figures": [{}]}' '{"topic": "x", "dirty": false, "figures": [1]}'; do
    printf '%s' "$text" >results/h200/broken.json
    run_figures
    expect_code 1
    expect err "results/h200/broken.json: not a file of results"
  done
}

test_bad_arguments() {
  make_results
  run_figures nothing
  expect_code 2
  expect err "'nothing' has no results; allowed: h200"
  capture "$figures" --results none
  expect_code 2
  expect err "cannot read the goals"
}

test_the_committed_results_are_true() {
  capture "$figures"
  expect_code 0
}

# The arms and trials that the figures are made of are really there; only what needs a GPU is missing.
test_topic_compare_on_the_cpu_device() {
  mkdir -p results/cpu
  cp "$SOURCE/results/goals.json" results/
  capture "$WRITE_RESULTS" results/cpu/compare.json compare
  expect_code 0
  [[ "$out" != *flag_* && "$out" != *text_* && "$out" != *view_cost* ]] || fail "$out"
  run_figures cpu
  expect_code 0
}

test_topic_advice_on_the_cpu_device() {
  mkdir -p results/cpu
  cp "$SOURCE/results/goals.json" results/
  capture "$WRITE_RESULTS" results/cpu/advice.json advice
  expect_code 0
  [[ -z "$out" || "$out" == "advise_process_ms: the program pinhole is not beside"* ]] || fail "$out"
  local figure
  for figure in regret_geomean regret_worst best_choice_share regret_vs_best_of_three_rules \
    prediction_median_error prediction_within_30_percent advise_call_us calibrate_quick_s; do
    grep -q "\"$figure\"" results/cpu/advice.json || fail "there is no $figure"
  done
  run_figures cpu
  expect_code 0
}

test_measure_names_its_topics() {
  capture "$MEASURE" --list
  expect_code 0
  [[ $'\n'"$out"$'\n' == *$'\ncompare\n'* ]] || fail "$out"
}

test_measure_refuses_bad_input() {
  refused "TOPIC: 'compar' is not a topic; allowed: advice, compare" "did you mean 'compare'?" -- \
    "$MEASURE" compar
  if [[ "$("$PINHOLE" --version)" == *"with changes"* ]]; then
    refused "built from files that differ from their commit" -- "$MEASURE" compare
  fi
  expect_nothing_left
}

test_measure_needs_a_gpu() {
  [[ "$("$PINHOLE" info)" == *"no GPU: "* ]] || waive "there is a GPU here, and measuring takes minutes"
  refused "figures are measured on a GPU, and there is none: " -- "$MEASURE" compare --allow-dirty
  refused "figures are measured on a GPU" -- "$MEASURE" compare --allow-dirty --out here
  expect_nothing_left
}

test_script_measure_refuses_bad_input() {
  capture "$SOURCE/scripts/measure" --aut x
  expect_code 2
  expect err "'--aut' is not an option; allowed: --out FOLDER, --allow-dirty"
  capture "$SOURCE/scripts/measure" --out
  expect_code 2
  expect err "--out needs a folder"
}

# As in a bundle: the program lies beside the script.
test_script_measure_runs_every_topic() {
  cp "$SOURCE/scripts/measure" .
  # shellcheck disable=SC2016
  printf '#!/bin/sh\n[ "$1" = --list ] && printf "one\\ntwo\\n" || echo "ran $* in $(basename "$PWD")"\n' \
    >pinhole_measure
  chmod +x pinhole_measure
  capture ./measure --allow-dirty
  expect_code 0
  expect out "ran one --allow-dirty in here"
  expect out "ran two --allow-dirty in here"
  capture ./measure --out elsewhere two
  expect out "ran two --out $PWD/elsewhere in here"
  [[ "$out" != *"ran one"* ]] || fail "$out"
}
