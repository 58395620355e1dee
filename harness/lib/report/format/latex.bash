# LaTeX. Sourced, never run.

# report_latex MODEL RUNS: longtables, in a document of their own or by \input.
report_latex() {
    local work=${1%/*}
    jq -nr -L "$JOSTLE_LIB" --slurpfile heads "$work/head.json" -f "$JOSTLE_LIB/report/format/latex.jq" "$work/cells.jsonl"
}
