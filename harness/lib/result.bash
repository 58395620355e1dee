# From the records to result.json and to the table. Sourced, never run; needs
# common. Nothing here measures anything.

# shellcheck source-path=SCRIPTDIR/../report source=../report/layout.bash
source "$JOSTLE_HARNESS/report/layout.bash"

# result_ended FOLDER REASON FACTS: notes the facts at the end, and why the
# experiment ended when runs.jsonl alone cannot tell (a clock or a user did it);
# and what Slurm knows of an MPI target's steps.
result_ended() {
    local file=$1/experiment.json
    slurm_steps "$1"
    jq --arg reason "$2" --argjson after "$3" --argjson steps "$REPLY" \
        '.after = $after | .step_accounting = $steps | if $reason == "max-time" or $reason == "interrupted" then .stopped = $reason else . end' \
        "$file" >"$file.part" || die "cannot write to $1: is the disk full?"
    mv "$file.part" "$file"
}

# result_derive FOLDER: writes FOLDER/result.json from experiment.json and
# runs.jsonl alone.
result_derive() {
    "$JOSTLE_BIN/stats" --derive "$1" || die "cannot derive the result of $1: see above"
}

# result_table FOLDER: prints the result for people.
result_table() {
    report_table "$1"
    printf '\nRecords: %s\n' "$1"
}
