# One table of options drives parsing, checks, defaults and --help of a command in
# bash; the program arguments reads it. Sourced, never run; needs common.bash.
#
# A table is an array of rows "name|ARGUMENT|kind|default|help". An empty ARGUMENT
# makes a flag. Kinds: flag, text, count (from 1), time (given in seconds), size (kept as it
# is typed), one of A,B,... (kept; with an ARGUMENT such as [=WHO], A where no value is given), list (may be given again: the values are collected, a line
# each). No other option may be given twice.

# options_defaults TABLE VALUES: fills the associative array with defaults.
options_defaults() {
    local -n defaults_table=$1 defaults_values=$2
    local row name default
    for row in "${defaults_table[@]}"; do
        IFS='|' read -r name _ _ default _ <<<"$row"
        # shellcheck disable=SC2034 # the caller's array
        defaults_values[${name//-/_}]=$default
    done
}

# options_parse TABLE VALUES REST ARG...: reads ARGs up to `--` or the first that is no
# option into VALUES (by name, with _ for -), the rest into the array REST. Ends with
# wrong use as the program arguments says it.
options_parse() {
    options_take options "$@"
}

# options_take options|mixed TABLE VALUES REST ARG...: the same; mixed: options may be before and after operands, up to `--`.
options_take() {
    local -n parse_table=$2 parse_values=$3 parse_rest=$4
    local i name
    local -a parse_words
    [[ -x $JOSTLE_BIN/arguments ]] || die "$JOSTLE_BIN/arguments is missing: run make"
    answer_read parse_words "$JOSTLE_BIN/arguments" "$1" "${0##*/}" "${parse_table[@]}" -- "${@:5}" || exit
    if [[ ${#parse_words[@]} -eq 1 && -n ${parse_words[0]} ]]; then
        print '%s' "${parse_words[0]}" # --version, --list-options
        exit 0
    fi
    for ((i = 0; i < ${#parse_words[@]}; i += 2)); do
        name=${parse_words[i]}
        [[ -n $name ]] || break
        case $name in
            +*)
                name=${name#+}
                parse_values[${name//-/_}]+=${parse_words[i + 1]}
                ;;
            *) parse_values[${name//-/_}]=${parse_words[i + 1]} ;;
        esac
    done
    # shellcheck disable=SC2034 # the caller's array
    parse_rest=("${parse_words[@]:i+1}")
}

# options_help TABLE: prints a line for each option, with its default.
options_help() {
    local -n help_table=$1
    local row name arg default help
    for row in "${help_table[@]}"; do
        IFS='|' read -r name arg _ default help <<<"$row"
        [[ -z $default ]] || help+=" (default: $default)"
        [[ -z $arg || $arg == '['* ]] || arg=" $arg"
        printf '  %-24s %s\n' "--$name$arg" "$help"
    done
}

declare -A options=() # of the command
# shellcheck disable=SC2034 # read by the command
declare -a operands=() # its other arguments

# options_command options|mixed TABLE ARG...: reads ARGs into the arrays options and operands; --help, which the function usage
# of the command prints, ends us.
options_command() {
    options_defaults "$2" options
    options_take "$1" "$2" options operands "${@:3}"
    [[ -n ${options[help]} ]] || return 0
    print_help
    exit 0
}
