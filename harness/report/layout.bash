# From records to what people see: a program reads them, and a filter of jq lays them out. Sourced, never run;
# needs lib/common.bash.

# layout_options ARRAY FORMAT [page]: sets ARRAY to the options of jq: where its filters are, $format, $width and
# $colour of stdout, and $style and $script, what a page carries with it, which are empty elsewhere.
layout_options() {
    local -n layout_options_result=$1
    local width=0 colour=false style='' script='' part name
    if [[ -t 1 ]]; then
        { width=$(stty size <&3 2>/dev/null) || width='0 80'; } 3<&1
        width=${width#* }
    fi
    ! is_terminal 1 || [[ -n ${NO_COLOR:-} ]] || colour=true
    [[ ! ${COLUMNS:-} =~ ^[1-9][0-9]{0,3}$ ]] || width=$COLUMNS
    if [[ -n ${3:-} ]]; then
        # There is no NUL in them, so each is read to its end, which `read` calls a failure. (jq 1.5 has no --rawfile.)
        IFS= read -r -d '' style <"$JOSTLE_HARNESS/report/page.css" || true
        for name in charts report-charts report page; do
            IFS= read -r -d '' part <"$JOSTLE_HARNESS/report/$name.js" || true
            script+=$part
        done
    fi
    # shellcheck disable=SC2034 # the caller's
    layout_options_result=(-r -L "$JOSTLE_HARNESS" --arg format "$2" --argjson width "$width" --argjson colour "$colour" --arg style "$style" --arg script "$script")
}

# layout_ended STATUS...: the status of a layout whose program, jq and `draw` ended so: 0 also when the reader has had
# enough (… | head -1).
layout_ended() {
    local status ended=0
    [[ $1 != [12] ]] || return "$1" # it said why
    for status; do
        [[ $status -eq 0 || $status -eq 141 ]] || ended=1
    done
    return "$ended"
}

# layout_draw FORMAT: stdin with its charts drawn: of a page the page, for svg the charts alone; of all else as it is.
layout_draw() {
    case $1 in
        html) "$JOSTLE_BIN/draw" ;;
        svg) "$JOSTLE_BIN/draw" --picture "$JOSTLE_HARNESS/report/page.css" ;;
        *) cat ;;
    esac
}

# report_program ARG...: the program `report`.
report_program() {
    "$JOSTLE_BIN/report" --formats="$JOSTLE_HARNESS/report/format" "$@"
}

# report_layout PLAN ARG...: prints the report that ARGs ask for. PLAN names an associative array: format, what it
# reads, and the filter that lays it out, where that is not the format's own.
report_layout() {
    local -n layout_plan=$1
    local page='' filter format=${layout_plan[format]}
    local -a layout codes=(0 0)
    shift
    filter=$JOSTLE_HARNESS/report/${layout_plan[layout]:-format/${format/%svg/html}}.jq
    if [[ ! -e $filter ]]; then # the program lays it out itself
        JOSTLE_OUTPUT_KEPT=$OUTPUT_KEPT report_program "$@" || codes=("$?" 0)
        [[ ${codes[0]} -eq 0 || ${codes[0]} -eq 141 ]] || return "${codes[0]}"
        return 0
    fi
    [[ ${layout_plan[reads]} != page ]] || page=page
    layout_options layout "${layout_plan[format]}" "$page"
    if [[ -n $page ]]; then
        report_program "$@" | jq "${layout[@]}" -R -f "$filter" | layout_draw "$format" || codes=("${PIPESTATUS[@]}")
    else
        report_program "$@" | jq "${layout[@]}" -f "$filter" || codes=("${PIPESTATUS[@]}")
    fi
    layout_ended "${codes[@]}"
}

# report_table FOLDER [--verbose]: the table that ends a measurement, of the records in FOLDER; the same that jostle
# report prints of it.
report_table() {
    # shellcheck disable=SC2034 # read through a nameref
    local -A table=([format]=terminal [reads]=terminal)
    report_layout table --quiet "${@:2}" "$1"
}

# The parts of jostle that have a record of their own (a bench, a pack): PART/document.jq lays it out.

# part_formats PART: sets FORMATS to those that it has, and DRAWN to those of them that are pictures of its page's charts.
part_formats() {
    local line
    FORMATS=() DRAWN=()
    while read -r line; do
        case $line in
            '# formats: '*) read -r -a FORMATS <<<"${line#*: }" ;;
            '# drawn: '*) read -r -a DRAWN <<<"${line#*: }" ;;
        esac
    done <"$JOSTLE_HARNESS/$1/document.jq"
    FORMATS+=("${DRAWN[@]}")
}

# part_check_format PART FORMAT: refuses one that it does not have.
part_check_format() {
    part_formats "$1"
    [[ " ${FORMATS[*]} " == *" $2 "* ]] ||
        usage_error "--format $2: not for a $1$(nearest "$2" "${FORMATS[@]}"): give one of ${FORMATS[*]}"
}

# with_figures FORMAT: records from stdin to stdout, each figure with the text that people see, unless the record itself is
# what is asked for.
with_figures() {
    if [[ $1 == json ]]; then cat; else "$JOSTLE_BIN/report" --figures; fi
}

# part_layout PART FORMAT [DIR [ARG...]]: prints the record in DIR, with further options of the program that shows
# it; without DIR that on stdin. The status is that of layout_ended.
part_layout() {
    local show=show page='' format=$2 picture=''
    local -a layout codes=(0 0)
    part_formats "$1"
    [[ " ${DRAWN[*]} " != *" $2 "* ]] || format=html picture=$2
    [[ $format != html ]] || show=page page=page picture=${picture:-html}
    layout_options layout "$format" "$page"
    layout+=(-f "$JOSTLE_HARNESS/$1/document.jq")
    if [[ -z ${3:-} ]]; then
        with_figures "$2" | jq "${layout[@]}" | layout_draw "$picture" || codes=(0 "${PIPESTATUS[@]}")
    else
        "$JOSTLE_BIN/$1" "--$show" "$3" "${@:4}" | with_figures "$2" | jq "${layout[@]}" | layout_draw "$picture" || codes=("${PIPESTATUS[@]}")
    fi
    layout_ended "${codes[@]}"
}
