# Completion for pinhole in bash. Printed by `pinhole completion bash`.

_pinhole() {
  local program="${COMP_WORDS[0]}" word="${COMP_WORDS[COMP_CWORD]}"
  local before="${COMP_WORDS[COMP_CWORD - 1]}" subcommand="" words="" i
  # bash takes the = of --option=value for a word of its own.
  if [[ "$word" == = ]]; then
    word=""
  elif [[ "$before" == = ]]; then
    before="${COMP_WORDS[COMP_CWORD - 2]}"
  fi
  for ((i = 1; i < COMP_CWORD; ++i)); do
    if [[ "${COMP_WORDS[i]}" != -* ]]; then
      subcommand="${COMP_WORDS[i]}"
      break
    fi
  done

  COMPREPLY=()
  case "$subcommand:$before" in
    compare:--html | compare:--json | compare:--png | compare:--text | compare:--words | \
      calibrate:-o | calibrate:--output | advise:--profile | compare:--profile | report:-o | \
      report:--output | report:--from)
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "$word")
      return
      ;;
    compare:--placement) words="$("$program" completion placements 2>/dev/null)" ;;
    advise:--order) words="sequential clustered random" ;;
    advise:--writer | advise:--reader) words="none host device both" ;;
    advise:--goal) words="latency throughput" ;;
    advise:--link) words="idle busy" ;;
    advise:--memory) words="fresh pageable file camera" ;;
    compare:--device | calibrate:--device | advise:--device | report:--device)
      # Numbers alone: bash would split "cuda:0" at the colon.
      words="$("$program" completion devices 2>/dev/null)"
      words="${words//cuda:/}"
      ;;
    compare:--full | compare:--list | compare:--regret) words="$(_pinhole_words "$program" "$subcommand" "$word")" ;;
    calibrate:--* | advise:--json | advise:--explain | advise:--article)
      words="$(_pinhole_words "$program" "$subcommand" "$word")"
      ;;
    compare:--* | advise:--*) return ;; # a number or a size
    *) words="$(_pinhole_words "$program" "$subcommand" "$word")" ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}

# The words that may stand where no option waits for its value.
_pinhole_words() {
  local program="$1"
  case "$2:$3" in
    :-*) echo "--help --version" ;;
    :*) echo "info compare calibrate advise report completion" ;;
    info:-*) echo "--json --help" ;;
    compare:-*)
      echo "--device --fps --frames --full --help --html --json --list --nonzeros --passes --patterns"
      echo "--pin-limit --pixels --placement --png --profile --rate --regret --repeat --seed --share"
      echo "--size --text --words"
      ;;
    compare:*) "$program" completion scenarios 2>/dev/null ;;
    calibrate:*) echo "--device --full --help --output --quick" ;;
    advise:*)
      echo "--article --bytes --calls --device --explain --goal --help --json --link --memory --order"
      echo "--pin-limit --profile --rate --reader --reads --touched --unit --writer"
      ;;
    report:-*) echo "--device --from --help --output" ;;
    completion:-*) echo "--help" ;;
    completion:*) echo "bash devices placements scenarios" ;;
  esac
}

complete -F _pinhole pinhole
