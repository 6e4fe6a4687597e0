# pinhole calibrate and pinhole advise from outside. Run by run_test.sh.
# shellcheck shell=bash

# A sound profile, in which no figure is measured: a machine of round numbers.
profile="$SOURCE/tests/cli/advice/sample.json"

advise() { "$PINHOLE" advise --profile "$profile" "$@"; }

test_advice_names_the_winner_and_the_code() {
  capture advise --bytes 1G --touched 64 --unit 128 --order random --rate 1000 --calls 1000000
  expect_code 0
  expect out "Sample GPU, PCIe 5 x16, driver 1.0"
  expect out "8 KiB of 1 GiB: 64 units of 128 B, random"
  expect out "near-tie"
  expect out "data.to_device(work);"
  expect out "of the time until the next"
  awk 'length > 110 { exit 1 }' "$scratch/out" || fail "a line is too long: $out"
}

test_advice_says_when_copying_is_right() {
  capture advise --bytes 256M --reads 16 --writer none --calls 100 --explain
  expect_code 0
  expect out "us of a call"
  capture advise --bytes 16G --reads 16 --calls 1 --json
  expect_code 0
  expect out '"placement": "vram"'
}

test_advice_as_json() {
  capture advise --bytes 4M --touched 5% --unit 64 --order clustered --writer both --reader both --json
  expect_code 0
  expect out '"touched_units": 3277'
  expect out '"terms_us": {'
  expect out '"commit": '
  python3 -m json.tool "$scratch/out" >/dev/null || fail "no JSON: $out"
}

test_the_article_is_judged() {
  capture advise --article
  expect_code 0
  local row
  for row in "small and frequent" alternating streaming "one large transfer" "compute-bound"; do
    expect out "$row"
  done
  expect out "agrees"
  capture advise --article --json
  expect out '"the_article_says": "five stars"'
}

# Planning for another machine starts no device.
test_a_named_profile_touches_no_device() {
  command -v strace >/dev/null || waive "strace is not installed"
  strace -f -o "$scratch/trace" "$PINHOLE" advise --profile "$profile" --bytes 4K >/dev/null 2>&1 ||
    waive "strace may not trace here"
  ! grep -E '^[0-9]+ +clone3?\(|libcuda|/dev/nvidia' "$scratch/trace" || fail "it touches the device"
}

test_patterns_that_contradict_themselves() {
  refused "--bytes is missing" -- advise
  refused "--touched '9': allowed are whole numbers from 1 to 8" -- \
    advise --bytes 1K --unit 128 --touched 9
  refused "--touched '0': allowed" -- advise --bytes 1K --touched 0
  refused "--touched" "0 to 100 %" -- advise --bytes 1K --touched 101%
  refused "--unit is 0" "allowed are 1 to 1024" -- advise --bytes 1K --unit 0
  refused "--unit is 2048" "allowed are 1 to 1024" -- advise --bytes 1K --unit 2K
  refused "--bytes is 0" "1 and more" -- advise --bytes 0
  refused "neither writes nor reads" -- advise --bytes 1K --reader host
  refused "--memory is camera" -- advise --bytes 1K --memory camera --writer device
}

test_numbers_that_are_none() {
  local number
  for number in -1 0 nan inf 1e400 abc "1 " 1,5; do
    refused "--rate" "allowed are numbers" -- advise --bytes 1K "--rate=$number"
  done
  for number in 0.5 -1 nan x; do
    refused "--reads" "allowed are numbers" -- advise --bytes 1K "--reads=$number"
  done
  for number in 0 -1 1.5 x; do
    refused "--calls" "allowed are whole numbers" -- advise --bytes 1K "--calls=$number"
  done
  for number in x -1 12Q nan; do
    refused "--bytes" "allowed are" -- advise "--bytes=$number"
    refused "--unit" "allowed are" -- advise --bytes 1K "--unit=$number"
  done
}

test_words_that_are_none() {
  refused "--order: 'rndom' is not allowed" "did you mean 'random'?" -- advise --bytes 1K --order rndom
  refused "--writer: 'cpu' is not allowed; allowed: none, host, device, both" -- \
    advise --bytes 1K --writer cpu
  refused "--bytes needs a size" -- advise --bytes --json
}

test_sizes_of_every_spelling() {
  local size
  for size in 1048576 1024K 1024kB 1M 1MiB "1 MB" 1mib; do
    capture advise --bytes "$size"
    expect_code 0
    expect out "1 MiB of 1 MiB"
  done
}

test_what_fits_nowhere() {
  refused "no placement of this machine has room" "may be pinned" -- advise --bytes 100T
}

test_profiles_that_are_none() {
  refused "--profile: 'h9000' is not a profile that ships" "files are named with a slash" -- \
    "$PINHOLE" advise --bytes 1K --profile h9000
  refused "--profile: cannot read the machine profile './none.json'" "ENOENT" -- \
    "$PINHOLE" advise --bytes 1K --profile ./none.json
  mkdir folder
  refused "--profile: cannot read the machine profile './folder'" "EISDIR" -- \
    "$PINHOLE" advise --bytes 1K --profile ./folder
  head -c 700 "$profile" >cut.json
  refused "--profile: cannot read the machine profile 'cut.json': it is cut off" -- \
    "$PINHOLE" advise --bytes 1K --profile cut.json
  sed 's/"version": 1/"version": 2/' "$profile" >newer.json
  refused "version is 2; allowed is 1; the profile was written by a newer pinhole" -- \
    "$PINHOLE" advise --bytes 1K --profile newer.json
  sed 's/"launch_wait_us": {"value": [0-9.]*/"launch_wait_us": {"value": -5/' "$profile" >bad.json
  refused "figures.launch_wait_us.value is -5; allowed are numbers from 0.0 to" -- \
    "$PINHOLE" advise --bytes 1K --profile bad.json
}

test_calibrate_writes_a_profile_that_advise_takes() {
  capture "$PINHOLE" calibrate --device cpu -o here.json
  expect_code 0
  expect out "CPU device"
  expect out "launch_wait_us"
  expect out "written to here.json after"
  capture "$PINHOLE" advise --profile ./here.json --bytes 1M
  expect_code 0
  expect out "its times say nothing about a PCIe link"
}

test_the_profile_is_kept_and_used() {
  export XDG_CACHE_HOME="$scratch/cache"
  capture "$PINHOLE" advise --device cpu --bytes 1M
  expect_code 0
  expect err "has no profile yet; measuring it"
  ls "$XDG_CACHE_HOME"/pinhole/profile-*.json >/dev/null || fail "nothing was kept"
  capture "$PINHOLE" advise --device cpu --bytes 1M
  expect_code 0
  [[ -z "$err" ]] || fail "measured again: $err"
  sed -i 's/"kernel": "Linux/"kernel": "Linux 1/' "$XDG_CACHE_HOME"/pinhole/profile-*.json
  capture "$PINHOLE" advise --device cpu --bytes 1M
  expect_code 0
  expect err "is stale: the kernel was 'Linux 1"
  echo "{" >"$(echo "$XDG_CACHE_HOME"/pinhole/profile-*.json)"
  capture "$PINHOLE" advise --device cpu --bytes 1M
  expect_code 0
  expect err "it is cut off in line"
}

test_without_a_folder_for_the_profile() {
  capture env -u HOME -u XDG_CACHE_HOME "$PINHOLE" advise --device cpu --bytes 1M
  expect_code 0
  expect err "is not kept, as neither XDG_CACHE_HOME nor HOME is set"
  refused "neither XDG_CACHE_HOME nor HOME is set; allowed is -o FILE" -- \
    env -u HOME XDG_CACHE_HOME=relative "$PINHOLE" calibrate --device cpu
  : >file
  refused "cannot write '$PWD/file/pinhole" "ENOTDIR" -- \
    env XDG_CACHE_HOME="$PWD/file" "$PINHOLE" calibrate --device cpu
  capture env XDG_CACHE_HOME="$PWD/file" "$PINHOLE" advise --device cpu --bytes 1M
  expect_code 0
  expect err "the profile is not kept: cannot write"
}

test_bad_options_of_calibrate() {
  refused "--quick and --full" -- "$PINHOLE" calibrate --quick --full
  refused "-o: cannot write 'none/x.json'" "ENOENT" -- "$PINHOLE" calibrate --device cpu -o none/x.json
  refused "--device: 'tpu' is not a device" -- "$PINHOLE" calibrate --device tpu
  expect_nothing_left
}

# Two at once: whoever ends last, the file is whole.
test_two_calibrations_at_once() {
  "$PINHOLE" calibrate --device cpu -o here.json >/dev/null &
  "$PINHOLE" calibrate --device cpu -o here.json >/dev/null
  wait $!
  capture "$PINHOLE" advise --profile ./here.json --bytes 1K
  expect_code 0
  [[ "$(ls)" == here.json ]] || fail "files were left behind: $(ls)"
}

test_regret_is_measured() {
  "$PINHOLE" calibrate --device cpu -o here.json >/dev/null
  capture "$PINHOLE" compare --regret --device cpu --patterns 3 --seed 1 --size 16K \
    --profile ./here.json --json out.json
  expect_code 0
  expect out "3 patterns, --seed 1"
  local choice
  for choice in advice "always copy" "always zero-copy" "copy above 28 KiB"; do
    expect out "$choice"
  done
  [[ "$(grep -c '"advised"' out.json)" == 3 ]] || fail "not three patterns: $(<out.json)"
}

test_bad_options_of_regret() {
  refused "another machine" "calibrate this one" -- \
    "$PINHOLE" compare --regret --device cpu --profile "$profile"
  refused "--patterns '0': allowed are whole numbers from 1" -- "$PINHOLE" compare --regret --patterns 0
  refused "--regret: SCENARIO is for scenarios; allowed beside it are --patterns, --seed" -- \
    "$PINHOLE" compare transfer --regret
  refused "--size '1K': allowed with --regret" -- "$PINHOLE" compare --regret --size 1K
  refused "--json: cannot write 'none/x.json'" -- "$PINHOLE" compare --regret --json none/x.json
}
