# How a cell of a campaign stands: status.json in its folder, for those who look
# on from elsewhere. Sourced, never run; needs common, experiment.
#
# It is written between runs, never during one: a look at the clock and a small
# file once a second are little, but they need not be in anybody's measurement.

# shellcheck disable=SC2154 # options, experiment_folder and so on are experiment.bash's
status_cell=''     # the cell's name, its key and its limits, as JSON fields
status_started=''  # RFC 3339
status_before_ms=0 # milliseconds that earlier sessions took
status_since_us=0  # when this one began
status_written_us=0
readonly STATUS_INTERVAL_US=1000000

# status_begin: the first status, where this is a cell at all.
status_begin() {
    [[ -n ${options[cell]} ]] || return 0
    status_cell=$(jq -r -f "$JOSTLE_LIB/status-cell.jq" <<<"${options[cell]}")
    status_before_ms=$(jq -r '.spent_s // 0 | . * 1000 | round' "$experiment_folder/status.json" 2>/dev/null) || true
    status_before_ms=${status_before_ms:-0}
    TZ=UTC0 printf -v status_started '%(%Y-%m-%dT%H:%M:%SZ)T' -1
    now_us
    status_since_us=$REPLY
    status_write running
}

# status_running: as it stands between two runs, once a second at most.
status_running() {
    [[ -n $status_cell ]] || return 0
    now_us
    ((REPLY - status_written_us >= STATUS_INTERVAL_US)) || return 0
    status_write running
}

# status_end STATUS: how it ended, by jostle's exit status.
status_end() {
    [[ -n $status_cell ]] || return 0
    case $1 in
        0 | "$EXIT_ABOVE" | "$EXIT_UNDECIDED") status_write 'done' "${NEXT_CONDITION:-}" ;;
        # What is not the experiment's own fault may go well another time.
        "$EXIT_TARGET" | "$EXIT_USAGE") status_write failed "$LAST_WARNING" ;;
        *) status_write interrupted "$LAST_WARNING" ;;
    esac
}

# status_write STATE [REASON]: writes status.json by a rename. A folder that
# cannot be written to is found out by the records, hence no error here.
status_write() {
    local file=$experiment_folder/status.json json now spent error=null expected=null slurm=null reason=null
    now_us
    status_written_us=$REPLY
    TZ=UTC0 printf -v now '%(%Y-%m-%dT%H:%M:%SZ)T' -1
    [[ ${NEXT_ERROR:--} == - ]] || error=$NEXT_ERROR
    [[ ${NEXT_RUNS:--} == - ]] || expected=$((runs_total + ${NEXT_RUNS%.*}))
    [[ $1 != 'done' ]] || expected=$runs_total
    [[ -z ${SLURM_JOB_ID:-} ]] || slurm="\"${SLURM_ARRAY_JOB_ID:-$SLURM_JOB_ID}${SLURM_ARRAY_TASK_ID:+_$SLURM_ARRAY_TASK_ID}\""
    if [[ -n ${2:-} ]]; then
        json_string "$2"
        reason=$REPLY
    fi
    json="{\"schema\":\"jostle.status/1\",$status_cell,\"state\":\"$1\",\"reason\":$reason,\"host\":$experiment_host,\"pid\":$$"
    json+=",\"started\":\"$status_started\",\"updated\":\"$now\",\"runs\":$runs_total,\"max_runs\":$((options[max_runs] * ${#conditions[@]}))"
    spent=$((status_before_ms + (status_written_us - status_since_us) / 1000))
    printf -v spent '%d.%03d' $((spent / 1000)) $((spent % 1000))
    json+=",\"error\":$error,\"asked_error\":${options[error]},\"expected_runs\":$expected"
    json+=",\"spent_s\":$spent,\"slurm_job\":$slurm}"
    { printf '%s\n' "$json" >"$file.part" && mv "$file.part" "$file"; } 2>/dev/null || true
}
