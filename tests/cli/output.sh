# What the program prints, and its exit codes. Run by run_test.sh.
# shellcheck shell=bash

test_help_pages() {
  local page
  for page in "" info compare calibrate advise completion; do
    # shellcheck disable=SC2086
    capture "$PINHOLE" $page --help
    expect_code 0
    expect out "pinhole $page"
    [[ "$out" != *'`'* && "$out" != *$'\e'* ]] || fail "Markdown or escapes in: $out"
    awk 'length > 100 { exit 1 }' "$scratch/out" || fail "a line of the page passes 100 columns"
  done
}

test_version() {
  capture "$PINHOLE" --version
  expect_code 0
  [[ "$out" =~ ^pinhole\ [0-9]+\.[0-9]+\.[0-9]+\ \(commit\ [0-9a-f]{40}|unknown ]] || fail "$out"
}

test_list() {
  capture "$PINHOLE" compare --list
  expect_code 0
  local name
  for name in $("$PINHOLE" completion scenarios); do
    expect out "  $name  "
  done
}

# Help and lists start no device: with a driver that hangs they must still answer.
test_help_starts_no_device() {
  command -v strace >/dev/null || waive "strace is not installed"
  local arguments
  for arguments in --help --version "compare --list" "completion bash"; do
    # shellcheck disable=SC2086
    strace -f -o "$scratch/trace" "$PINHOLE" $arguments >/dev/null 2>&1 || waive "strace may not trace here"
    ! grep -E '^[0-9]+ +clone3?\(|libcuda|/dev/nvidia' "$scratch/trace" || fail "$arguments touches the device"
  done
}

test_info() {
  capture "$PINHOLE" info
  expect_code 0
  local text
  for text in "map host memory" "native host atomics" "RLIMIT_MEMLOCK" "pin budget" "pinned in use" \
    "  VRAM in CPU address space: yes, through ordinary memory"; do
    expect out "$text"
  done
  awk 'length > 100 { exit 1 }' "$scratch/out" || fail "a line passes 100 columns: $out"
}

# Every no has a reason.
test_info_explains_every_no() {
  capture "$PINHOLE" info
  local line
  while IFS= read -r line; do
    [[ "$line" =~ \ no\ +[^\ ] ]] || fail "no reason: $line"
  done < <(grep -E '  no( |$)' "$scratch/out")
}

test_info_json() {
  capture "$PINHOLE" info --json
  expect_code 0
  python3 - "$scratch/out" <<'CHECK'
import json, sys
report = json.load(open(sys.argv[1]))
assert report["devices"], report
for device in report["devices"]:
    for name, one in device["capabilities"].items():
        assert one["yes"] or one.get("reason"), name
    vram = device["capabilities"]["VRAM in CPU address space"]
    assert vram["roads"] and vram["yes"] == any(road["yes"] for road in vram["roads"]), vram
    assert all(road["yes"] or road["reason"] for road in vram["roads"]), vram
assert report["limits"]["pin_budget_bytes"] > 0
assert report["limits"]["pinned_bytes"] == 0
assert any(d["kind"] == "cuda" for d in report["devices"]) != bool(report["why_no_gpu"])
CHECK
}

test_cpu_device_says_so_first() {
  capture "$FAKE" compare quick --device cpu
  expect_code 0
  [[ "$(head -n1 "$scratch/out")" == "CPU device: its times say nothing about a PCIe link" ]] ||
    fail "$out"
}

test_table() {
  capture "$FAKE" compare quick --device cpu --repeat 3
  expect_code 0
  expect out "3 runs an arm"
  expect out "quick: 64 MiB, every element (6 samples an arm)"
  expect out "vs copy  vs expert copy"
  expect out "us/turn"
  expect out "GB/s"
  grep -qE '^  no wait .* pitfall$' "$scratch/out" || fail "the pitfall is not named: $out"
  expect out "mapped: stale reads 12 of 1000, changed 1.5 KiB"
  expect out "note: shrunk from 1 GiB"
  expect out "from 28 KiB on a copy is faster"
  awk 'length > 100 { exit 1 }' "$scratch/out" || fail "a line passes 100 columns: $out"
  [[ "$out$err" != *$'\e'* ]] || fail "colours or a progress bar without a terminal"
}

test_the_last_of_two_values_counts() {
  capture "$FAKE" compare quick --device cpu --repeat 2 --repeat 3
  expect_code 0
  expect out "3 runs an arm"
}

test_json_carries_everything() {
  capture "$FAKE" compare quick --device cpu --repeat 3 --json out.json
  expect_code 0
  python3 - out.json <<'CHECK'
import json, re, sys
report = json.load(open(sys.argv[1]))
assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", report["date"]), report["date"]
assert report["command"][1:3] == ["compare", "quick"] and "/" not in report["command"][0]
assert report["commit"] and "logical_cpus" in report["machine"] and report["device"]["id"] == "cpu"
first, second = report["trials"]
copy, expert, mapped, pitfall = first["arms"]
assert first["naive_opponent"] == "copy" and first["expert_opponent"] == "expert copy"
assert copy["samples_us"] == [12345.678, 18518.517] * 3
assert copy["bytes_to_device"] == 1 << 20 and copy["bytes_to_host"] == 4
assert abs(mapped["vs_naive"] - copy["median_us"] / mapped["median_us"]) < 1e-12
assert pitfall["role"] == "pitfall" and pitfall["vs_naive"] is None
assert mapped["metrics"][0] == {"name": "stale reads", "unit": "of 1000", "value": 12}
assert report["conclusions"]["quick"] == ["from 28 KiB on a copy is faster"]
CHECK
  [[ "$(ls -A)" == out.json ]] || fail "more was left behind: $(ls -A)"
}

test_json_to_standard_output_is_alone_there() {
  capture "$FAKE" compare quick --json -
  expect_code 0
  python3 -m json.tool "$scratch/out" >/dev/null || fail "$out"
  [[ -z "$err" ]] || fail "$err"
}

test_wrong_result() {
  capture "$FAKE" compare wrong --json out.json
  expect_code 1
  [[ "$err" == "pinhole compare: wrong result: wrong/small/mapped: element 3: expected 7, got 8" ]] ||
    fail "$err"
  expect_nothing_left
}

test_lost_device() {
  capture "$FAKE" compare lost --json out.json
  expect_code 3
  expect err "cudaErrorIllegalAddress; the device is lost for this process, host memory can still be read"
  expect_nothing_left
}

interrupted_by() {
  "$FAKE" compare endless --repeat 1000 --json out.json >"$scratch/out" 2>"$scratch/err" &
  until [[ -s "$scratch/out" ]]; do
    sleep 0.1 # the table's head is printed when the work begins
  done
  kill "-$1" $!
  code=0
  # shellcheck disable=SC2034 # expect_code reads it
  wait $! || code=$?
  out="" err="$(<"$scratch/err")"
  expect_code "$2"
  [[ "$err" == "pinhole compare: interrupted; no report was written" ]] || fail "$err"
  expect_nothing_left
}

test_interrupt() { set -m && interrupted_by INT 130; }
test_terminate() { interrupted_by TERM 143; }

# script gives the program a terminal.
on_terminal() {
  command -v script >/dev/null || waive "script is not installed, which would make a terminal"
  capture env TERM=xterm "$@"
  expect_code 0
}

test_terminal_has_colours_and_progress() {
  on_terminal script -qec "'$FAKE' compare quick" /dev/null
  expect out $'\e[1mquick: 64 MiB'
  expect out $'\r\e[K['
}

test_no_color_is_respected() {
  on_terminal NO_COLOR=1 script -qec "'$FAKE' compare quick" /dev/null
  [[ "$out" != *$'\e['[0-9]* ]] || fail "colours in spite of NO_COLOR"
  capture env TERM=dumb script -qec "'$FAKE' compare quick" /dev/null
  [[ "$out" != *$'\e['[0-9]* ]] || fail "colours on a dumb terminal"
}

test_every_scenario_is_verified() {
  capture "$PINHOLE" compare --repeat 2 --json out.json
  expect_code 0
  "$PINHOLE" completion scenarios >scenarios
  python3 - out.json scenarios <<'CHECK'
import json, sys
trials = json.load(open(sys.argv[1]))["trials"]
assert {t["scenario"] for t in trials} == set(open(sys.argv[2]).read().split())
assert all(a["samples_us"] for t in trials for a in t["arms"])
CHECK
  awk 'length > 100 { print; exit 1 }' "$scratch/out" || fail "a line passes 100 columns"
}

test_everything_ends_within_a_minute() {
  [[ -z "${SANITIZED:-}" ]] || waive "a sanitizer makes every program slow"
  local start=$SECONDS
  capture "$PINHOLE" compare
  expect_code 0
  # A busy machine must not make a test fail; three times as long is more than business.
  ((SECONDS - start <= 180)) || fail "it took $((SECONDS - start)) s"
  ((SECONDS - start <= 60)) || waive "it took $((SECONDS - start)) s; at most 60 hold on two idle cores"
}
