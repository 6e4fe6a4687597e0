#!/usr/bin/env bash
# Runs one function test_NAME of a script of tests: run_test.sh SCRIPT NAME. The program under test is
# $PINHOLE; $FAKE is the same with fake scenarios. The test runs in an empty folder of its own.
set -euo pipefail
export LC_ALL=C.UTF-8
unset NO_COLOR HOME

fail() {
  printf 'failed: %s\n' "$*" >&2
  exit 1
}
waive() {
  printf 'waived: %s\n' "$*"
  exit 77
}

# capture COMMAND...: runs it; its exit code, standard output and standard error are in $code, $out
# and $err, and in the files out and err.
capture() {
  code=0
  "$@" >"$scratch/out" 2>"$scratch/err" || code=$?
  out="$(<"$scratch/out")" err="$(<"$scratch/err")"
}

expect_code() { [[ "$code" == "$1" ]] || fail "exit code $code instead of $1: $out $err"; }

# expect WHERE TEXT: the text stands in $out or $err.
expect() { [[ "${!1}" == *"$2"* ]] || fail "no '$2' in $1: ${!1}"; }

# refused TEXT... -- COMMAND...: exit code 2, nothing on standard output, and one line on standard
# error that holds each text.
refused() {
  local texts=()
  while [[ "$1" != -- ]]; do
    texts+=("$1")
    shift
  done
  shift
  capture "$@"
  expect_code 2
  [[ -z "$out" ]] || fail "something on standard output: $out"
  (($(wc -l <"$scratch/err") == 1)) || fail "not one line: $err"
  local text
  for text in "${texts[@]}"; do
    expect err "$text"
  done
}

expect_nothing_left() {
  [[ -z "$(ls -A .)" ]] || fail "files were left behind: $(ls -A .)"
}

scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/here"
source "$1"
cd "$scratch/here"
"test_$2"
