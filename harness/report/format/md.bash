# Markdown. Sourced, never run.

# report_md MODEL RUNS: the tables of the terminal, with mean and variance of
# each metric, and slowdown by level.
report_md() {
    local work=${1%/*}
    jq -nr -L "$JOSTLE_LIB" -L "$JOSTLE_HARNESS" --slurpfile heads "$work/head.json" -f "$JOSTLE_HARNESS/report/format/md.jq" "$work/cells.jsonl"
}
