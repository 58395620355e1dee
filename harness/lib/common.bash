# Shared by jostle and its commands: errors, words, numbers, JSON text.
# Sourced, never run. Reads JOSTLE_LIB, JOSTLE_BIN and JOSTLE_ROOT.

# shellcheck source-path=SCRIPTDIR source=messages.bash
source "$JOSTLE_LIB/messages.bash"

# distance A B: prints the Levenshtein distance of two words.
distance() {
    local a=$1 b=$2 i j cost left up diagonal best
    local -a previous current
    for ((j = 0; j <= ${#b}; j++)); do previous[j]=$j; done
    for ((i = 1; i <= ${#a}; i++)); do
        current[0]=$i
        for ((j = 1; j <= ${#b}; j++)); do
            cost=1
            [[ ${a:i-1:1} != "${b:j-1:1}" ]] || cost=0
            left=$((current[j - 1] + 1))
            up=$((previous[j] + 1))
            diagonal=$((previous[j - 1] + cost))
            best=$((left < up ? left : up))
            current[j]=$((best < diagonal ? best : diagonal))
        done
        previous=("${current[@]}")
    done
    printf '%d\n' "${previous[${#b}]}"
}

# nearest WORD CANDIDATE...: prints " (did you mean X?)" for the candidate that
# is nearest to WORD, or nothing when none is near.
nearest() {
    local word=$1 candidate best='' d best_distance=4
    shift
    for candidate in "$@"; do
        d=$(distance "$word" "$candidate")
        if ((d < best_distance && d < ${#word})); then
            best=$candidate best_distance=$d
        fi
    done
    [[ -z $best ]] || printf ' (did you mean %s?)' "$best"
}

# json_string TEXT: sets REPLY to TEXT as a JSON string, without a fork.
# Bytes that are no valid UTF-8 are left to the reader of the record.
json_string() {
    local text=$1 code char escaped
    text=${text//\\/\\\\}
    text=${text//\"/\\\"}
    if [[ $text == *[$'\x01'-$'\x1f']* ]]; then
        for ((code = 1; code < 32; code++)); do
            printf -v char '%b' "\\x$(printf '%02x' "$code")"
            printf -v escaped '\\u%04x' "$code"
            text=${text//"$char"/"$escaped"}
        done
    fi
    REPLY=\"$text\"
}

# split_words TEXT ARRAY: splits TEXT as a shell would (quotes and backslashes,
# nothing expanded, nothing run) into ARRAY; 1 when a quote is not closed.
split_words() {
    local -n split_words_result=$2
    local split_words_lines
    split_words_lines=$(xargs printf '%s\n' <<<"${1//$'\n'/ }" 2>/dev/null) || return 1
    split_words_result=()
    # shellcheck disable=SC2034 # the caller's array
    [[ -z $split_words_lines ]] || mapfile -t split_words_result <<<"$split_words_lines"
}

# shell_quote WORD...: sets REPLY to the words, quoted so that any shell or
# shell-like splitter reads the same words back.
shell_quote() {
    local word quoted=''
    for word in "$@"; do
        if [[ $word =~ ^[A-Za-z0-9_./:=,@%+-]+$ ]]; then
            quoted+=" $word"
        else
            quoted+=" '${word//\'/\'\\\'\'}'"
        fi
    done
    REPLY=${quoted# }
}

# Where a number is formatted, LC_ALL=C goes before printf: in other languages its
# point would be a comma, and be wanted as one.

# time_to_seconds TEXT: sets REPLY to seconds (decimal) for 10, 10s, 500ms, 2m,
# 1h; 1 when TEXT is no time.
time_to_seconds() {
    local number unit micro
    [[ $1 =~ ^([0-9]+(\.[0-9]+)?)(us|ms|s|m|h|)$ ]] || return 1
    number=${BASH_REMATCH[1]} unit=${BASH_REMATCH[3]}
    LC_ALL=C printf -v number '%.6f' "$number"
    micro=$((10#${number/./}))
    case $unit in
        us) micro=$((micro / 1000000)) ;;
        ms) micro=$((micro / 1000)) ;;
        m) micro=$((micro * 60)) ;;
        h) micro=$((micro * 3600)) ;;
    esac
    printf -v REPLY '%d.%06d' $((micro / 1000000)) $((micro % 1000000))
}

# fraction TEXT: sets REPLY to a number between 0 and 1 for 0.05 or 5%; 1 when
# TEXT is neither, or not between 0 and 1 (both excluded).
fraction() {
    local number micro
    [[ $1 =~ ^([0-9]*\.?[0-9]+)(%?)$ ]] || return 1
    LC_ALL=C printf -v number '%.8f' "${BASH_REMATCH[1]}"
    micro=$((10#${number/./}))
    [[ -z ${BASH_REMATCH[2]} ]] || micro=$((micro / 100))
    ((micro > 0 && micro < 100000000)) || return 1
    printf -v REPLY '0.%08d' "$micro"
    while [[ $REPLY == *0 ]]; do REPLY=${REPLY%0}; done
}
