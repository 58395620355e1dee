# hyperfine's JSON export. Sourced, never run.

# report_hyperfine MODEL RUNS: each condition as if hyperfine had measured it.
report_hyperfine() {
    local work=${1%/*}
    tail -n +2 "$2" | LC_ALL=C sort -s -S 32M -t $'\t' -k 1,1 -k 2,2 |
        awk -f "$JOSTLE_HARNESS/report/format/hyperfine-runs.awk" >"$work/groups"
    jq -nr -L "$JOSTLE_LIB" -L "$JOSTLE_HARNESS" --slurpfile groups "$work/groups" -f "$JOSTLE_HARNESS/report/format/hyperfine.jq" "$work/cells.jsonl"
}
