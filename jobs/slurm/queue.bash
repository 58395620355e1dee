# How a campaign's cells and its jobs stand. Sourced, never run; needs common, scheduler.

# records_held FILE: 0 while a process holds the lock of the records, as the one
# that measures does.
records_held() {
    local status=0
    flock -n -E 9 "$1" true 2>/dev/null || status=$?
    ((status == 9))
}

# standing FOLDER TEMPORARY: writes TEMPORARY/standing.json, how FOLDER stands.
# All cells are read by few processes, side by side since a shared file system
# answers late rather than little (each file is one line and one write, so they
# do not mix); only those that say that they run are looked at one by one.
standing() {
    local folder=$1 temporary=$2 queue=null
    : >"$temporary/queue"
    # shellcheck disable=SC2154 # scheduler is of scheduler.bash
    ! scheduler_queue "$folder" >"$temporary/queue" || queue="\"$scheduler\""
    : >"$temporary/cells"
    [[ ! -d $folder/cells ]] ||
        find "$folder/cells" -mindepth 2 -maxdepth 2 -name status.json -print0 |
        xargs -0 -r -P 8 -n 1000 cat -- >>"$temporary/cells" || die "$folder/cells cannot be read: see above"
    : >"$temporary/jobs"
    [[ ! -r $folder/jobs/jobs.tsv ]] || cp "$folder/jobs/jobs.tsv" "$temporary/jobs"
    standing_stale "$folder" "$temporary" "$queue"
    jq -n --arg folder "$folder" --argjson queue "$queue" --slurpfile campaign "$folder/campaign.json" \
        --slurpfile cells "$temporary/cells" --rawfile jobs "$temporary/jobs" \
        --rawfile stale "$temporary/stale" --rawfile waiting "$temporary/queue" \
        -f "$JOSTLE_ROOT/jobs/slurm/standing.jq" >"$temporary/standing.json" || die "$folder cannot be read: is a file in it damaged?"
}

# standing_stale FOLDER TEMPORARY QUEUE: writes to TEMPORARY/stale a line for each
# cell that says that it runs but does not, with how that is known.
standing_stale() {
    local cell job host
    jq -r 'select(.state == "running") | [.cell, .slurm_job // "-", .host] | @tsv' "$2/cells" |
        while IFS=$'\t' read -r cell job host; do
            if [[ $job != - && $3 != null ]]; then
                ! cut -f 1 "$2/queue" | grep -qxF -- "$job" || continue
                printf '%s\tjob %s is %s\n' "$cell" "$job" "$(scheduler_fate "$job")"
            elif [[ $host == "$(uname -n)" ]]; then
                records_held "$1/cells/$cell/runs.jsonl" || printf '%s\tno process measures it\n' "$cell"
            fi
        done >"$2/stale"
}
