# From the records to result.json and to the table. Sourced, never run; needs
# common. Nothing here measures anything.

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
# runs.jsonl alone, by a temporary file that is renamed.
result_derive() {
    local folder=$1 stopped
    local -a estimate
    mapfile -t estimate < <(jq -r -f "$JOSTLE_LIB/estimate-options.jq" "$folder/experiment.json")
    stopped=$(jq -r '.stopped // empty' "$folder/experiment.json")
    {
        cat "$folder/runs.jsonl"
        [[ -z $stopped ]] || printf 'stop %s\n' "$stopped"
    } | "$JOSTLE_BIN/stats" "${estimate[@]}" --summary "$folder/summary.json" >/dev/null ||
        die "cannot derive the result of $folder: estimate failed"
    jq -s -L "$JOSTLE_LIB" -L "$JOSTLE_HARNESS" --rawfile runs "$folder/runs.jsonl" -f "$JOSTLE_LIB/result.jq" "$folder/experiment.json" "$folder/summary.json" \
        >"$folder/result.json.part" || die "cannot write to $folder: is the disk full?"
    mv "$folder/result.json.part" "$folder/result.json"
    rm -f "$folder/summary.json"
}

# result_table FOLDER: prints the result for people.
result_table() {
    jq -r -L "$JOSTLE_LIB" -L "$JOSTLE_HARNESS" -f "$JOSTLE_LIB/table.jq" "$1/result.json"
    printf '\nRecords: %s\n' "$1"
}
