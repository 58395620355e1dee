# LaTeX. Sourced, never run.

# report_latex MODEL RUNS: longtables, in a document of their own or by \input.
report_latex() {
    local work=${1%/*}
    jq -nr -L "$JOSTLE_LIB" -L "$JOSTLE_HARNESS" --slurpfile heads "$work/head.json" -f "$JOSTLE_HARNESS/report/format/latex.jq" "$work/cells.jsonl"
}
