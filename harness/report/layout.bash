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
    if [[ ${layout_plan[reads]} == figures || ${layout_plan[reads]} == terminal ]]; then # needs no layout
        JOSTLE_OUTPUT_KEPT=$OUTPUT_KEPT report_program "$@" || status=("$?" 0)
        [[ ${status[0]} -eq 0 || ${status[0]} -eq 141 ]] || return "${status[0]}"
        return 0
    fi
    layout_options layout "${layout_plan[reads]}"
    layout+=(--argjson verbose "${layout_plan[verbose]}" -f "$JOSTLE_HARNESS/report/format/${layout_plan[format]}.jq")
    report_program "$@" | jq "${layout[@]}" || status=("${PIPESTATUS[@]}")
    layout_ended "${status[@]}"
}

# report_table FOLDER [--verbose]: the table that ends a measurement, of the
# records in FOLDER; the same that jostle report prints of it.
report_table() {
    # shellcheck disable=SC2034 # read through a nameref
    local -A table=([reads]=terminal)
    report_layout table --quiet "${@:2}" "$1"
}
