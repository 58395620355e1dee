#compdef jostle loadgen
# zsh completion for jostle and loadgen, from --help alone. Put the folder of
# this file into fpath before compinit.

# Sets reply to "word:what it is for" for each command of a program.
_jostle_commands() {
    reply=(${(f)"$($1 --help 2>/dev/null | sed -nE 's/^  ([a-z][a-z0-9-]*)  +(.*)/\1:\2/p')"})
}

# A load: its name, or behind that, in quotes, an option of its own: 'half=cpu --per'.
_jostle_load() {
    local typed=${PREFIX#[\'\"]}
    if [[ $typed != *' '* ]]; then
        _jostle_commands loadgen
        _describe -t loads load reply
        return
    fi
    local name=${${typed%% *}#*=}
    compset -P '* '
    reply=(${(f)"$(loadgen $name --help-all 2>/dev/null | sed -nE 's/^ {1,8}(--[a-z][a-z0-9-]*).*/\1/p')"})
    compadd -- $reply
}

_jostle() {
    local program=$words[1] line option kind
    local -a reply described
    if (( CURRENT == 2 )); then
        _jostle_commands $program
        _describe -t commands command reply
        return
    fi
    if (( ${words[(I)--]} > 1 && ${words[(I)--]} < CURRENT )); then
        _command_names -e || _files
        return
    fi
    if [[ $words[2] == help ]]; then
        _jostle_commands $program
        _describe -t commands command reply
        return
    fi
    for line in ${(f)"$($program $words[2] --help-all 2>/dev/null |
        sed -nE 's/^ {1,8}(-[A-Za-z], +)?(--[a-z][a-z0-9-]*)[ =]?([^ ]*) *(.*)/\2 \3 \4/p')"}; do
        option=${line%% *} line=${line#* } kind=${line%% *}
        if [[ $words[CURRENT-1] == $option && -n $kind ]]; then
            case $kind in
                *\|*) compadd -- ${(s:|:)kind} ;;
                FILE*|DIR*|PATH*|CAMPAIGN*) _files ;;
                NAME=SPEC) _jostle_load ;;
                *) _message $kind ;;
            esac
            return
        fi
        described+=("$option:${${line#* }//:/\\:}")
    done
    if [[ $words[CURRENT] == -* ]]; then
        _describe -t options option described
    else
        # Words that its usage offers as operands, such as "[cpu|memory]...".
        reply=(${(s:|:)"$($program $words[2] --help-all 2>/dev/null | sed -nE '1s/.*[ []([a-z]+(\|[a-z]+)+)\].*/\1/p')"})
        (( $#reply )) && compadd -- $reply || _files
    fi
}

_jostle "$@"
