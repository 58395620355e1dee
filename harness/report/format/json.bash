# The model itself. Sourced, never run.

# report_json MODEL RUNS: a cell a line, so that it can be compared by diff and
# read in parts.
report_json() {
    cat "$1"
}
