# SPDX-License-Identifier: Apache-2.0
# Completion of longarm for bash. Asks the program itself, so that it never lags behind it.
_longarm() {
  local word=${COMP_WORDS[COMP_CWORD]} program=${COMP_WORDS[0]} choices
  if [ "$COMP_CWORD" -eq 1 ]; then
    choices=$("$program" --help 2>/dev/null | sed -n '/^Subcommands:/,$ s/^  \([a-z0-9]\+\) .*/\1/p')
  elif [[ $word == -* ]]; then
    choices=$("$program" "${COMP_WORDS[1]}" --help 2>/dev/null | grep -oE '(^|[ ,])--[a-z][a-z-]*' | tr -d ' ,' | sort -u)
  else
    choices=$("$program" list 2>/dev/null |
      sed -n '/^scenarios/,/^kinds of actors/ s/^  \([^ ]\+\) .*/\1/p')
  fi
  mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$word")
}
complete -o default -F _longarm longarm
