# CSV for R, pandas, DuckDB (RFC 4180; lines end with a newline). Sourced, never run.

# report_csv MODEL RUNS: a line a figure, or with --runs a line a run.
report_csv() {
    local work=${1%/*}
    if [[ -z ${options[runs]:-} ]]; then
        jq -nr -f "$JOSTLE_HARNESS/report/format/csv.jq" "$work/cells.jsonl"
    else
        jq -r '([.experiment] | @tsv) + "\t" + ([.target | gsub("[\t\n\r]"; " ")] | @csv) + "\t" + ([.label | gsub("[\t\n\r]"; " ")] | @csv)' \
            "$work/cells.jsonl" | awk -f "$JOSTLE_HARNESS/report/format/csv-runs.awk" - "$2"
    fi
}
