# Bad input: one line that names the argument and what is allowed, exit code 2, nothing half-written.
# Run by run_test.sh.
# shellcheck shell=bash

test_unknown_subcommand() {
  refused "pinhole: 'compar' is not a subcommand" "info, compare, calibrate, advise, report, completion" "did you mean 'compare'?" \
    -- "$PINHOLE" compar
  refused "a subcommand is missing; allowed: info, compare, calibrate, advise, report, completion" -- "$PINHOLE"
}

test_unknown_option() {
  refused "pinhole compare: '--sise' is not an option" "did you mean '--size'?" -- \
    "$PINHOLE" compare --sise 4
  refused "pinhole: '--verison' is not an option" "did you mean '--version'?" -- "$PINHOLE" --verison
  refused "pinhole info: 'more' was not expected" -- "$PINHOLE" info more
}

test_unknown_scenario() {
  refused "SCENARIO: 'trasnfer' is not a scenario; allowed: transfer, flag, text" \
    "did you mean 'transfer'?" -- "$PINHOLE" compare trasnfer
  refused "SCENARIO: '' is not a scenario" -- "$PINHOLE" compare ""
  refused "for the placement: --placement mapped" -- "$PINHOLE" compare --placement staged mapped
}

test_values_that_no_scenario_takes() {
  refused "cannot use --pixels 0: allowed are 1 to 2073600" -- "$PINHOLE" compare pixels --pixels 0
  refused "cannot use --nonzeros 99999999999: allowed" -- \
    "$PINHOLE" compare matrix --nonzeros 99999999999
  refused "cannot use --fps 0: allowed are 1 to 1000" -- "$PINHOLE" compare video --fps 0
  refused "cannot use --fps 1000000000: allowed" -- "$PINHOLE" compare video --fps 1000000000
  refused "cannot use --passes 0: allowed are 1 to 1000" -- "$PINHOLE" compare compute --passes 0
  refused "--share '101': allowed are shares" -- "$PINHOLE" compare alternate --share 101
  refused "cannot use --rate 0: allowed are" -- "$PINHOLE" compare lookup --rate 0
  refused "cannot use --size 64 for table: allowed are" -- "$PINHOLE" compare table --size 64
}

test_unknown_placement() {
  refused "--placement: 'maped' is not a placement; allowed: staged, mapped, registered" \
    "did you mean 'mapped'?" -- "$PINHOLE" compare --placement staged,maped
}

test_unknown_device() {
  refused "--device: 'cpuu' is not a device of this machine; allowed: cpu" "did you mean 'cpu'?" -- \
    "$PINHOLE" compare --device cpuu
  refused "--device: 'cuda:99' is not a device of this machine; allowed: cpu" -- \
    "$PINHOLE" compare --device cuda:99
}

test_missing_values() {
  refused "--size needs a size" -- "$PINHOLE" compare --size
  refused "--size needs a size" -- "$PINHOLE" compare --size --full
  refused "--size needs a size" -- "$PINHOLE" compare --size=
  refused "--json needs a file name, or - for" -- "$FAKE" compare quick --json --full
  expect_nothing_left
  refused "--placement needs one or more of staged, mapped, registered" -- \
    "$PINHOLE" compare --placement
  refused "--repeat needs a number of runs" -- "$PINHOLE" compare --repeat
  refused "WHAT needs bash, devices" -- "$PINHOLE" completion
}

test_sizes_that_are_none() {
  local size
  for size in abc 12Q -5 1.5.5 " " "1 KiB x" nan inf 0x10; do
    refused "--size" "allowed are" -- "$PINHOLE" compare "--size=$size"
    refused "--pin-limit" "allowed are" -- "$PINHOLE" compare "--pin-limit=$size"
  done
}

test_sizes_that_overflow() {
  local size
  for size in 18446744073709551616 99999999999999999999999 17179869184G 1e30 16777216T; do
    refused "--size" -- "$PINHOLE" compare --size "$size"
    refused "--pin-limit" -- "$PINHOLE" compare --pin-limit "$size"
  done
}

test_sizes_that_exceed_memory() {
  refused "--size '1000T': allowed are 1 B to " " the memory of this machine" -- \
    "$PINHOLE" compare --size 1000T
  refused "--size '0': allowed are 1 B to" -- "$PINHOLE" compare --size 0
  refused "--pin-limit '1000T': allowed are 1 B to" -- "$PINHOLE" compare --pin-limit 1000T
  refused "--pin-limit '101%': allowed are shares from 0% to 100%" -- \
    "$PINHOLE" compare --pin-limit 101%
}

test_numbers_that_are_none() {
  local number
  for number in 0 -1 abc 1.5 1000001 99999999999999999999 "1 "; do
    refused "--repeat '$number': allowed are whole numbers from 1 to 1000000" -- \
      "$PINHOLE" compare "--repeat=$number"
  done
  refused "--seed 'x': allowed are whole numbers from 0 to 18446744073709551615" -- \
    "$PINHOLE" compare --seed x
}

# The range that makes sense is the scenario's to know.
test_options_of_scenarios() {
  local option
  for option in --rate --pixels --nonzeros --passes --fps --frames; do
    refused "$option 'many': allowed are whole numbers" -- "$FAKE" compare quick "$option" many
    refused "$option '-1': allowed are whole numbers" -- "$FAKE" compare quick "$option=-1"
  done
  refused "--share '101': allowed are shares from 0 to 100 %" -- "$FAKE" compare quick --share 101
  refused "--png: cannot write 'none/x.png'" -- "$FAKE" compare quick --png none/x.png
}

test_options_of_scenarios_that_do_not_run() {
  refused "--png is for pixels, and what runs is flag, text" -- \
    "$PINHOLE" compare flag text --png picture.png
  refused "--rate is for roundtrip and lookup, and what runs is flag" -- \
    "$PINHOLE" compare flag --rate 5
  refused "--patterns is for --regret, and what runs is quick" -- "$FAKE" compare quick --patterns 5
  refused "--profile is for --regret, and what runs is quick" -- "$FAKE" compare quick --profile x
  local option
  for option in --full "--repeat 5" "--placement mapped" "--rate 5" "--pin-limit 1G"; do
    # shellcheck disable=SC2086
    refused "--regret: ${option%% *} is for scenarios; allowed beside it are --patterns" -- \
      "$PINHOLE" compare --regret $option
  done
  expect_nothing_left
}

test_text_file() {
  : >empty
  printf 'ELF\0\1\2' >binary
  printf 'caf\xe9 au lait\n' >latin1
  mkdir folder
  local file
  for file in missing empty binary latin1 folder; do
    refused "$file" "--text" -- "$PINHOLE" compare text --text "$file"
  done
  refused "--text: the file name is empty" -- "$PINHOLE" compare text --text ""
}

test_words_file() {
  : >empty
  printf 'ELF\0\1\2' >binary
  printf 'caf\xe9\n' >latin1
  mkdir folder
  local file
  for file in missing empty binary latin1 folder; do
    refused "$file" "--words" -- "$PINHOLE" compare text --words "$file"
  done
  refused "--words: the file name is empty" -- "$PINHOLE" compare text --words ""
}

test_json_path_in_no_folder() {
  refused "--json: cannot write 'none/out.json'" "ENOENT" -- \
    "$FAKE" compare quick --json none/out.json
  refused "--json: the file name is empty" -- "$FAKE" compare quick --json ""
  expect_nothing_left
}

test_json_path_is_a_folder() {
  mkdir folder
  refused "--json: cannot write 'folder'" "EISDIR" -- "$FAKE" compare quick --json folder
  refused "--json: cannot write 'folder/'" -- "$FAKE" compare quick --json folder/
  rmdir folder
  expect_nothing_left
}

test_json_path_unwritable() {
  # Root may write anywhere; a file that is a folder's parent stops root too.
  : >file
  refused "--json: cannot write 'file/out.json'" "ENOTDIR" -- \
    "$FAKE" compare quick --json file/out.json
  if ((EUID != 0)); then
    mkdir locked && chmod 555 locked
    refused "--json: cannot write 'locked/out.json'" "EACCES" -- \
      "$FAKE" compare quick --json locked/out.json
  fi
}

test_json_disk_full() {
  capture "$FAKE" compare quick --json /dev/full
  expect_code 2
  expect err "pinhole compare: cannot write '/dev/full': write failed with ENOSPC"
  [[ -c /dev/full ]] || fail "/dev/full was replaced"
}

# A limit on the size of files stands in for a disk that fills up in the middle.
test_json_is_written_whole_or_not_at_all() {
  echo "the old report" >out.json
  capture bash -c "trap '' XFSZ; ulimit -f 1; exec '$FAKE' compare quick --json out.json >/dev/null"
  expect_code 2
  expect err "pinhole compare: cannot write 'out.json'"
  [[ "$(<out.json)" == "the old report" ]] || fail "the old report is lost: $(<out.json)"
  rm out.json
  expect_nothing_left
}

test_json_keeps_links_and_modes() {
  echo old >target && chmod 640 target && ln -s target link
  capture "$FAKE" compare quick --json link
  expect_code 0
  [[ -L link && "$(stat -c %a target)" == 640 ]] || fail "$(ls -l)"
  grep -q samples_us target || fail "the report is not in the link's target"
}

test_standard_output_full() {
  local arguments
  for arguments in --help --version info "info --json" "compare --list" "compare quick" \
    "compare quick --json -" "completion bash"; do
    # shellcheck disable=SC2086
    code=0 && "$FAKE" $arguments >/dev/full 2>"$scratch/err" || code=$?
    out="" err="$(<"$scratch/err")"
    expect_code 2
    expect err "cannot write to standard output: write failed with ENOSPC"
  done
}

test_standard_output_closed() {
  code=0 && "$FAKE" compare quick --json out.json >&- 2>"$scratch/err" || code=$?
  out="" err="$(<"$scratch/err")"
  expect_code 2
  expect err "cannot write to standard output"
  expect_nothing_left
}

test_standard_output_nobody_reads() {
  code=0 && {
    "$FAKE" compare quick 2>"$scratch/err" || code=$?
    echo "$code" >"$scratch/code"
  } | true
  code="$(<"$scratch/code")" out="" err="$(<"$scratch/err")"
  # true may end before or after the first line is written; without anybody reading it is an error.
  if [[ "$code" != 0 ]]; then
    expect_code 2
    expect err "EPIPE"
  fi
}

test_standard_error_closed() {
  capture "$FAKE" compare nothing 2>&-
  expect_code 2
}

test_a_message_stays_one_line() {
  refused "is not a scenario" -- "$PINHOLE" compare $'two\nlines\e[31m'
  [[ "$err" != *$'\e'* ]] || fail "an escape sequence got through"
}

# A locale that writes 1.5 as 1,5 and 1000 as 1.000. It is made here, so none need be installed.
comma_locale() {
  printf 'LC_NUMERIC\ndecimal_point ","\nthousands_sep "."\ngrouping 3;3\nEND LC_NUMERIC\n' \
    >"$scratch/comma"
  # -c: the categories that are missing are those of the C locale, of which localedef warns.
  localedef -c -i "$scratch/comma" -f ANSI_X3.4-1968 "$scratch/de_DE" 2>/dev/null || true
  export LOCPATH="$scratch"
  [[ "$(env LC_ALL=de_DE printf '%.1f' 1,5 2>/dev/null)" == "1,5" ]] ||
    waive "localedef cannot make a locale with a decimal comma here"
}

# LeakSanitizer takes what glibc keeps of LOCPATH for a leak.
without_leak_check() { export ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0"; }

test_comma_locale_changes_nothing() {
  comma_locale
  without_leak_check
  capture "$FAKE" compare quick --repeat 3 --size 1.5MiB
  expect_code 0
  local in_c="$out"
  capture env LC_ALL=de_DE "$FAKE" compare quick --repeat 3 --size 1.5MiB
  expect_code 0
  [[ "$out" == "$in_c" ]] || fail "$(diff <(echo "$in_c") <(echo "$out"))"
  capture env LC_ALL=de_DE "$FAKE" compare quick --json -
  expect out '"median_us": 15432.0975'
  refused "--size" "allowed are" -- env LC_ALL=de_DE "$FAKE" compare --size 1,5MiB
}

test_without_proc() {
  capture env PINHOLE_TEST_ROOT=/nonexistent "$FAKE" info
  expect_code 0
  expect out "unknown available"
  capture env PINHOLE_TEST_ROOT=/nonexistent "$FAKE" compare quick --json -
  expect_code 0
  expect out '"cpu": null'
}

test_without_proc_for_real() {
  unshare -m true 2>/dev/null || waive "mounts cannot be unshared here, so /proc cannot be hidden"
  [[ "${SANITIZED:-}" != yes ]] || waive "AddressSanitizer finds its options and threads in /proc"
  capture unshare -m bash -c "mount -t tmpfs none /proc && exec '$PINHOLE' info"
  expect_code 0
  expect out "pin budget"
  capture unshare -m bash -c "mount -t tmpfs none /proc && exec '$PINHOLE' compare flag --repeat 2"
  expect_code 0
}

test_without_home() {
  capture env -i "$PINHOLE" info
  expect_code 0
  capture env -i "$PINHOLE" compare flag --repeat 2
  expect_code 0
  expect_nothing_left
}
