# Markdown. Sourced, never run.

# report_md MODEL RUNS: the tables of the terminal, with mean and variance of
# each metric, and slowdown by level.
report_md() {
    local work=${1%/*}
    jq -nr -L "$JOSTLE_LIB" --slurpfile heads "$work/head.json" -f "$JOSTLE_LIB/report/format/md.jq" "$work/cells.jsonl"
}
