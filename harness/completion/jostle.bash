# bash completion for jostle and loadgen; source it, or install it where bash
# completions live. What it offers comes from --help alone, so that it cannot
# know less, or more, than the programs do.

# _jostle_commands PROGRAM: the words that may stand first, one a line.
_jostle_commands() {
    "$1" --help 2>/dev/null | sed -nE 's/^  ([a-z][a-z0-9-]*)  .*/\1/p'
}

# _jostle_options COMMAND...: the options of a command, each with the word for
# its value: "--format terminal|html".
_jostle_options() {
    "$@" --help-all 2>/dev/null | sed -nE 's/^ {1,8}(-[A-Za-z], +)?(--[a-z][a-z0-9-]*)[ =]?([^ ]*).*/\2 \3/p'
}

# _jostle_operands COMMAND...: the words that its usage offers as operands, such as
# "[cpu|memory]...".
_jostle_operands() {
    "$@" --help-all 2>/dev/null | sed -nE '1s/.*[ []([a-z]+(\|[a-z]+)+)\].*/\1/p' | tr '|' ' '
}

# _jostle_load CURRENT: COMPREPLY for a load: its name, or behind that, in quotes, an
# option of its own: "half=cpu --per".
_jostle_load() {
    local typed=${1#[\'\"]} before name
    if [[ $typed != *' '* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_jostle_commands loadgen) exec:" -- "$typed")
        return
    fi
    before=${typed% *}
    name=${before%% *}
    mapfile -t COMPREPLY < <(compgen -P "$before " -W "$(_jostle_options loadgen "${name#*=}" | cut -d ' ' -f 1)" -- "${typed##* }")
}

# _jostle_value KIND CURRENT: COMPREPLY for the value of an option, by the word
# that its help has for it.
_jostle_value() {
    case $1 in
        *'|'*) mapfile -t COMPREPLY < <(compgen -W "${1//|/ }" -- "$2") ;;
        FILE* | DIR* | PATH* | CAMPAIGN*) mapfile -t COMPREPLY < <(compgen -f -- "$2") ;;
        NAME=SPEC) _jostle_load "$2" ;;
        *) COMPREPLY=() ;;
    esac
}

# _jostle: the completion function of both programs.
_jostle() {
    local program=$1 current=$2 previous=$3 word option kind
    local -a options
    COMPREPLY=()
    # Bash takes = for a word of its own: --load half=cpu, --load=cpu.
    if [[ $previous == = && $COMP_CWORD -gt 3 ]]; then
        previous=${COMP_WORDS[COMP_CWORD - 2]}
        [[ $previous == -* ]] || previous=${COMP_WORDS[COMP_CWORD - 3]}
    fi
    if ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W "$(_jostle_commands "$program") --help --version" -- "$current")
        return
    fi
    for word in "${COMP_WORDS[@]:2:COMP_CWORD-2}"; do
        # What follows -- is the target's own command line.
        [[ $word != -- ]] || {
            mapfile -t COMPREPLY < <(compgen -c -f -- "$current" | sort -u)
            return
        }
    done
    if [[ ${COMP_WORDS[1]} == help ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_jostle_commands "$program")" -- "$current")
        return
    fi
    mapfile -t options < <(_jostle_options "$program" "${COMP_WORDS[1]}")
    for word in "${options[@]}"; do
        read -r option kind <<<"$word"
        if [[ $previous == "$option" && -n $kind ]]; then
            _jostle_value "$kind" "$current"
            return
        fi
    done
    if [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "${options[*]%% *}" -- "$current")
    else
        mapfile -t COMPREPLY < <(compgen -W "$(_jostle_operands "$program" "${COMP_WORDS[1]}")" -- "$current")
        [[ ${#COMPREPLY[@]} -gt 0 ]] || mapfile -t COMPREPLY < <(compgen -f -- "$current")
    fi
}

complete -o filenames -F _jostle jostle loadgen
