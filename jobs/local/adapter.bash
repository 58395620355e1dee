# This machine as a scheduler: jobs are background processes, one job at a time, in
# the order in which they were submitted (see the program queue). Sourced, never
# run; behind the interface that scheduler.bash describes.

# shellcheck disable=SC2034 # for everybody
scheduler_task=${JOSTLE_LOCAL_TASK:-} scheduler_name=${JOSTLE_LOCAL_NAME:-}
scheduler_job=${JOSTLE_LOCAL_JOB:+$JOSTLE_LOCAL_JOB${JOSTLE_LOCAL_TASK:+_$JOSTLE_LOCAL_TASK}}
scheduler_numbers JOSTLE_LOCAL_JOB JOSTLE_LOCAL_TASK
readonly LOCAL_QUEUE=$JOSTLE_ROOT/jobs/local/queue

# shellcheck disable=SC2034 # for everybody
scheduler_cancel=("$LOCAL_QUEUE" cancel)

scheduler_version() {
    printf 'the local queue\n'
}

scheduler_facts() {
    [[ -n $scheduler_job ]] || return 0
    scheduler_fact_names "$JOSTLE_LOCAL_JOB" "$HOSTNAME"
    scheduler_fact node_count 1
    scheduler_fact array_task_id "$scheduler_task"
    scheduler_fact restarts 0
    scheduler_fact exclusive ''
    scheduler_fact pinned ''
    scheduler_fact time_left_s ''
}

# Other tasks of ours that run at the same time (submit --array-limit).
scheduler_neighbours() {
    local id job state
    [[ -n $scheduler_job ]] || return 0
    while IFS=$'\t' read -r id job state; do
        [[ $state != running || $id == "$scheduler_job" ]] || scheduler_fact job "$id"
    done < <("$LOCAL_QUEUE" list)
    scheduler_fact cpus_allocated ''
    scheduler_fact cpus_ours ''
}

scheduler_scratch() {
    printf '%s\n' "${TMPDIR:-}" /var/tmp
}

# There is no time limit: who ends a job means it.
scheduler_can_requeue() {
    return 1
}

scheduler_requeue() { :; }

scheduler_check() {
    # shellcheck disable=SC2154 # of scheduler.bash
    [[ ${#scheduler_options[@]} -eq 0 ]] || usage_error "${scheduler_options[0]}: the local scheduler takes no options of its own: remove what follows --"
}

scheduler_array_limit() {
    REPLY=100000 REMARK=''
}

scheduler_nodes() {
    REPLY=1
}

# Jobs run in the order of their ids, so `after` is kept without a word.
scheduler_submit_words() {
    local -n scheduler_submit_job=$1 scheduler_submit_result=$2
    scheduler_one_node "${scheduler_submit_job[nodes]}" 'the local scheduler has one' 'submit to a cluster'
    # shellcheck disable=SC2034 # the caller's array
    scheduler_submit_result=("$LOCAL_QUEUE" submit "${scheduler_submit_job[name]}" "${scheduler_submit_job[tasks]}" "${scheduler_submit_job[at_once]:-1}"
        "${scheduler_submit_job[log]}")
    scheduler_script_words "$1" "$2"
}

scheduler_queue() {
    "$LOCAL_QUEUE" list
}

scheduler_fate() {
    "$LOCAL_QUEUE" fate "$1"
}
