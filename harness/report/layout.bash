# From records to what people see: the program `report` reads, a format lays out.
# Sourced, never run; needs lib/messages.bash.

# shellcheck source-path=SCRIPTDIR source=page.bash
source "$JOSTLE_HARNESS/report/page.bash"

# report_program ARG...: the program `report`.
report_program() {
    "$JOSTLE_BIN/report" --formats="$JOSTLE_HARNESS/report/format" "$@"
}

# report_layout PLAN ARG...: prints the report that ARGs ask for. PLAN names an
# associative array: format, what it reads, verbose (true or false). Returns
# 0 also when its reader has had enough (… | head -1).
report_layout() {
    local -n layout_plan=$1
    local -a layout status=(0 0)
    shift
    if [[ ${layout_plan[reads]} == figures ]]; then # needs no layout
        report_program "$@" || status=("$?" 0)
        [[ ${status[0]} -eq 0 || ${status[0]} -eq 141 ]] || return "${status[0]}"
        return 0
    fi
    layout_options layout "${layout_plan[reads]}"
    layout+=(--argjson verbose "${layout_plan[verbose]}" -f "$JOSTLE_HARNESS/report/format/${layout_plan[format]}.jq")
    if [[ ${layout_plan[format]} == terminal ]] && can_fold 1; then
        report_program "$@" | jq "${layout[@]}" | "$JOSTLE_BIN/arguments" fold || status=("${PIPESTATUS[@]:0:2}")
    else
        report_program "$@" | jq "${layout[@]}" || status=("${PIPESTATUS[@]}")
    fi
    layout_ended "${status[@]}"
}

# shellcheck disable=SC2034 # table is read through a nameref
# report_table FOLDER [--verbose]: the table that ends a measurement, of the
# records in FOLDER; the same that jostle report prints of it.
report_table() {
    local -A table=([format]=terminal [reads]=rows [verbose]=false)
    [[ ${2:-} != --verbose ]] || table[verbose]=true
    report_layout table --quiet "$1"
}
