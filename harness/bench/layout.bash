# From the record of a bench to what people see: the program `bench` reads, a format lays
# out. Sourced, never run; needs lib/messages.bash.

# bench_formats: sets the array FORMATS to the names of the formats.
bench_formats() {
    local file
    FORMATS=()
    for file in "$JOSTLE_HARNESS"/bench/format/*.jq; do
        ! grep -q '^# files: ' "$file" || FORMATS+=("$(basename "$file" .jq)")
    done
}

# bench_check_format FORMAT: refuses one that there is not for a bench.
bench_check_format() {
    local -a FORMATS
    bench_formats
    [[ " ${FORMATS[*]} " == *" $1 "* ]] ||
        usage_error "--format $1: not for a bench$(nearest "$1" "${FORMATS[@]}"): give one of ${FORMATS[*]}"
}

# bench_layout FORMAT DIR [ARG...]: prints the bench in DIR, with further options of the
# program. Returns 0 also when its reader has had enough (… | head -1).
bench_layout() {
    local colour=false width=0 what=--show file=$JOSTLE_HARNESS/bench/format/$1.jq
    local -a page=() status=(0 0)
    ! is_terminal 1 || [[ -n ${NO_COLOR:-} ]] || colour=true
    if [[ -t 1 ]]; then
        { width=$(stty size <&3 2>/dev/null) || width='0 80'; } 3<&1
        width=${width#* }
    fi
    [[ ! ${COLUMNS:-} =~ ^[1-9][0-9]{0,3}$ ]] || width=$COLUMNS
    if grep -q '^# reads: page' "$file"; then
        what=--page
        page=(--rawfile style "$JOSTLE_HARNESS/report/page.css" --rawfile script "$JOSTLE_HARNESS/report/page.js")
    fi
    "$JOSTLE_BIN/bench" "$what" "$2" "${@:3}" |
        jq -r -L "$JOSTLE_HARNESS" --argjson colour "$colour" --argjson width "$width" "${page[@]}" -f "$file" ||
        status=("${PIPESTATUS[@]}")
    case ${status[*]} in
        '0 0' | '0 141' | '141 141') ;;
        '1 0' | '2 0') return "${status[0]}" ;; # it said why
        *) die 'the bench could not be shown: is the disk full?' ;;
    esac
}
