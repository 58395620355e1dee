# Tables for people at a terminal. Sourced, never run.

# report_terminal MODEL RUNS: as wide as the terminal, or COLUMNS; in a file or
# pipe as wide as it needs. Colours at a terminal, unless NO_COLOR says no.
report_terminal() {
    local work=${1%/*} width=0 colour=false
    if [[ -t 1 ]]; then
        { width=$(stty size <&3 2>/dev/null) || width='0 80'; } 3<&1
        width=${width#* }
        [[ -n ${NO_COLOR:-} || ${TERM:-dumb} == dumb ]] || colour=true
    fi
    [[ ! ${COLUMNS:-} =~ ^[1-9][0-9]{0,3}$ ]] || width=$COLUMNS
    jq -nr -L "$JOSTLE_LIB" -L "$JOSTLE_HARNESS" --slurpfile heads "$work/head.json" --argjson width "$width" --argjson colour "$colour" \
        -f "$JOSTLE_HARNESS/report/format/terminal.jq" "$work/cells.jsonl"
}
