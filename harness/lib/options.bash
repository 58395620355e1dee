# One table of options drives parsing, checks, defaults and --help.
# Sourced, never run; needs common.bash.
#
# A table is an array of rows "name|ARGUMENT|kind|default|help". An empty
# ARGUMENT makes a flag. Kinds: flag, text, fraction, count (>= 1), count0
# (>= 0), ratio, time, int, cpus, place, cores, metric, engine, cell (JSON), list (may be given again: the values
# are collected, a line each).

# option_check KIND NAME VALUE: sets REPLY to the value in the form that
# programs read; ends with a usage error when VALUE is not of KIND.
option_check() {
    local kind=$1 name=$2 value=$3
    REPLY=$value
    case $kind in
        fraction) fraction "$value" || usage_error "--$name $value: give a fraction between 0 and 1, such as 0.05 or 5%" ;;
        count) [[ $value =~ ^[1-9][0-9]{0,8}$ ]] || usage_error "--$name $value: give a whole number of at least 1" ;;
        count0) [[ $value =~ ^(0|[1-9][0-9]{0,8})$ ]] || usage_error "--$name $value: give a whole number of at least 0" ;;
        int) [[ $value =~ ^-?[0-9]{1,9}$ ]] || usage_error "--$name $value: give a whole number" ;;
        time) { time_to_seconds "$value" && [[ $REPLY != 0.000000 ]]; } ||
            usage_error "--$name $value: give a time above 0, such as 90, 500ms, 10s, 2m or 1h" ;;
        cpus) [[ $value =~ ^[0-9]+(-[0-9]+)?(,[0-9]+(-[0-9]+)?)*$ ]] || usage_error "--$name $value: give CPUs as a list, such as 0-3,8" ;;
        ratio) [[ $value =~ ^[0-9]+(\.[0-9]+)?$ && $value =~ [1-9] ]] || usage_error "--$name $value: give a ratio above 0, such as 1.10" ;;
        metric) option_metrics "$name" "$value" ;;
        cell) jq -e 'type == "object" and (.name | type) == "string"' >/dev/null 2>&1 <<<"$value" ||
            usage_error "--$name: give a JSON object with at least a name" ;;
        place) [[ " core smt l3 node other-node machine " == *" $value "* ]] ||
            usage_error "--$name $value: unknown$(nearest "$value" core smt l3 node other-node machine): give core, smt, l3, node, other-node or machine" ;;
        cores) [[ $value =~ ^[1-9][0-9]{0,3}(:[1-9][0-9]{0,3})?$ ]] || usage_error "--$name $value: give a number of cores from 1 on, such as 2, or 1:4 for target and loads" ;;
        engine) [[ $value == meter || $value == hyperfine ]] || usage_error "--$name $value: give meter or hyperfine" ;;
    esac
}

# option_metrics NAME VALUE: sets REPLY to a comma list of known metrics.
option_metrics() {
    local -a known=(wall_s user_s system_s max_rss_bytes)
    local metric
    if [[ $2 == all ]]; then
        REPLY=$(
            IFS=,
            printf '%s' "${known[*]}"
        )
        return
    fi
    for metric in ${2//,/ }; do
        [[ " ${known[*]} " == *" $metric "* ]] ||
            usage_error "--$1 $metric: unknown metric$(nearest "$metric" "${known[@]}"): give ${known[*]} or all"
    done
}

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

# options_parse TABLE VALUES REST ARG...: reads ARGs up to `--` or the first
# that is no option into VALUES (by name), the rest into the array REST.
options_parse() {
    local -n parse_table=$1 parse_values=$2 parse_rest=$3
    local -A argument kinds
    local -a known=()
    local row name arg kind value
    shift 3
    for row in "${parse_table[@]}"; do
        IFS='|' read -r name arg kind _ _ <<<"$row"
        argument[$name]=$arg kinds[$name]=$kind known+=("--$name")
    done
    while [[ $# -gt 0 ]]; do
        case $1 in
            --)
                shift
                break
                ;;
            -h) name=help value='' ;;
            --*=*) name=${1%%=*} name=${name#--} value=${1#*=} ;;
            --*) name=${1#--} value='' ;;
            -?*) usage_error "unknown option $1: see --help" ;;
            *) break ;;
        esac
        [[ -v "argument[$name]" ]] ||
            usage_error "unknown option --$name$(nearest "--$name" "${known[@]}"): see --help"
        if [[ -z ${argument[$name]} ]]; then
            [[ $1 != *=* ]] || usage_error "--$name takes no value: write --$name"
            value=1
        elif [[ $1 != *=* ]]; then
            [[ $# -gt 1 ]] || usage_error "--$name needs a value: --$name ${argument[$name]}"
            value=$2
            shift
        fi
        shift
        option_check "${kinds[$name]}" "$name" "$value"
        if [[ ${kinds[$name]} == list ]]; then
            parse_values[${name//-/_}]+=$REPLY$'\n'
        else
            parse_values[${name//-/_}]=$REPLY
        fi
    done
    # shellcheck disable=SC2034 # the caller's array
    parse_rest=("$@")
}

# options_help TABLE: prints a line an option, with its default.
options_help() {
    local -n help_table=$1
    local row name arg default help
    for row in "${help_table[@]}"; do
        IFS='|' read -r name arg _ default help <<<"$row"
        [[ -z $default ]] || help+=" (default: $default)"
        printf '  %-24s %s\n' "--$name${arg:+ $arg}" "$help"
    done
}
