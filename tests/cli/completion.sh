# Completion in bash, asked as bash asks. Run by run_test.sh.
# shellcheck shell=bash

# completed WORD...: what Tab offers after these words, the last one being typed, on one line.
completed() {
  source <("$PINHOLE" completion bash)
  COMP_WORDS=("$PINHOLE" "$@")
  COMP_CWORD=$#
  COMPREPLY=()
  _pinhole
  echo "${COMPREPLY[*]}"
}

offers() {
  local expected="$1" got
  shift
  got="$(completed "$@")"
  [[ "$got" == "$expected" ]] || fail "after '$*': '$got' instead of '$expected'"
}

test_subcommands() {
  offers "info compare calibrate advise report completion" ""
  offers "compare completion" com
  offers "--help --version" -
}

test_scenarios() {
  offers "$("$PINHOLE" completion scenarios | xargs)" compare ""
  offers "flag" compare transfer fl
  offers "transfer" compare --full trans
}

test_placements() {
  offers "mapped" compare --placement map
  offers "$("$PINHOLE" completion placements | xargs)" compare --placement = ""
  offers "$("$PINHOLE" completion placements | xargs)" compare --placement =
}

test_devices() { offers "cpu" compare --device c; }

test_words_of_completion() { offers "bash" completion b; }

test_options() {
  offers "--json --help" info -
  offers "--pin-limit" compare --pin
  offers "" compare --repeat ""
}

test_files() {
  : >report.json
  offers "report.json" compare --json re
}

# What the script offers and the help page explains is what the program knows.
test_options_are_complete() {
  local known command
  for command in compare calibrate advise report; do
    known="$("$PINHOLE" "$command" --help | grep -oE -- '--[a-z-]+' | sort -u | xargs)"
    [[ "$(completed "$command" -- | tr ' ' '\n' | sort | xargs)" == "$known" ]] ||
      fail "the page says: $known; completion says: $(completed "$command" --)"
  done
}

test_words_of_advise() {
  offers "clustered" advise --order cl
  offers "host" advise --bytes 4K --writer h
  offers "--explain" advise --json --exp
}
