# Grid Engine (Son of Grid Engine and its relatives), behind the interface that scheduler.bash
# describes. Sourced, never run.
#
# Measured with Debian's 8.1.9. What is read is qstat's XML, which has an element a line, and what
# qconf and qacct print, a field a line.
#
# A job is told that it has to end by SIGUSR1 or SIGUSR2 (-notify, s_rt), and asks to be put back
# into the queue by its exit status.

readonly GRIDENGINE_AGAIN=99
# max_aj_tasks where the master does not answer: Grid Engine's own default.
readonly GRIDENGINE_ARRAY_SIZE=75000
# shellcheck disable=SC2034 # for everybody
[[ -z ${SGE_JOB_SPOOL_DIR:-} ]] || {
    [[ -n ${JOB_ID:-} ]] || usage_error 'SGE_JOB_SPOOL_DIR is set and JOB_ID is not, so this is no job of Grid Engine: unset it'
    SGE_TASK_ID=${SGE_TASK_ID:-undefined}
    scheduler_numbers JOB_ID RESTARTED
    [[ $SGE_TASK_ID == undefined ]] || scheduler_numbers SGE_TASK_ID
    scheduler_job=$JOB_ID scheduler_name=${JOB_NAME:-}
    [[ $SGE_TASK_ID == undefined ]] || scheduler_task=$SGE_TASK_ID scheduler_job=${JOB_ID}_$SGE_TASK_ID
    scheduler_signals=(USR1 USR2)
}
# shellcheck disable=SC2034 # for everybody
scheduler_cancel=(qdel)

# Left out, as Grid Engine does not say it: scheduler_pin (the affinity is its own, -binding; which CPUs a
# slot is), scheduler_time_left (the limits are the queue's and the job's, and nothing that a job can read
# has both). A job is given one node: see scheduler_submit_words.

scheduler_version() {
    scheduler_named 'Grid Engine' qstat -help
}

scheduler_facts() {
    local exclusive
    [[ -n $scheduler_job ]] || return 0
    gridengine_exclusive
    exclusive=$([[ -z $REPLY || $(qstat -j "$JOB_ID" 2>/dev/null) != *resource_list:*[\ ,]"$REPLY"=?(true|TRUE|1)* ]] || printf true)
    scheduler_fact_names "$JOB_ID" "$HOSTNAME"
    scheduler_fact partition "${QUEUE:-}"
    scheduler_fact cpus "${NSLOTS:-}"
    scheduler_fact node_count "${NHOSTS:-1}"
    scheduler_fact cluster "${SGE_CLUSTER_NAME:-${SGE_CELL:-}}"
    scheduler_fact array_task_id "$scheduler_task"
    scheduler_fact restarts "$(gridengine_restarts)"
    scheduler_fact exclusive "${exclusive:-false}"
    scheduler_fact pinned ''
    scheduler_fact time_left_s ''
}

# gridengine_restarts: prints how often our task was put back into the queue. Grid Engine tells a
# job only whether it was, its accounts how often.
gridengine_restarts() {
    local line count=0
    while IFS= read -r line; do
        [[ ! $line =~ ^exit_status\ +$GRIDENGINE_AGAIN\ *$ ]] || count=$((count + 1))
    done < <(gridengine_accounts "$scheduler_job")
    ((count > 0)) || count=${RESTARTED:-0}
    printf '%d\n' "$count"
}

# gridengine_accounts ID: prints what the accounts say of each start of a task or job.
gridengine_accounts() {
    local task=''
    [[ $1 != *_* ]] || task=${1#*_}
    qacct -j "${1%_*}" ${task:+-t "$task"} 2>/dev/null
}

# gridengine_jobs OPTION...: sets the arrays GRIDENGINE_ID, _STATE, _TASKS and _SLOTS to what
# qstat lists, a job or a running task each; 1 without an answer.
gridengine_jobs() {
    local text line i=-1
    GRIDENGINE_ID=() GRIDENGINE_STATE=() GRIDENGINE_TASKS=() GRIDENGINE_SLOTS=()
    text=$(qstat -xml "$@" 2>/dev/null) || return 1
    while IFS= read -r line; do
        [[ $line =~ \<(JB_job_number|state|tasks|slots)\>([^<]*)\< ]] || continue
        case ${BASH_REMATCH[1]} in
            JB_job_number)
                i=$((i + 1))
                GRIDENGINE_ID[i]=${BASH_REMATCH[2]} GRIDENGINE_STATE[i]='' GRIDENGINE_TASKS[i]='' GRIDENGINE_SLOTS[i]=1
                ;;
            state) GRIDENGINE_STATE[i]=${BASH_REMATCH[2]} ;;
            tasks) GRIDENGINE_TASKS[i]=${BASH_REMATCH[2]} ;;
            slots) GRIDENGINE_SLOTS[i]=${BASH_REMATCH[2]} ;;
        esac
    done <<<"$text"
}

# gridengine_task I: sets REPLY to the id of what is at I in these arrays, which has one task or none.
gridengine_task() {
    REPLY=${GRIDENGINE_ID[$1]}${GRIDENGINE_TASKS[$1]:+_${GRIDENGINE_TASKS[$1]}}
}

scheduler_neighbours() {
    local i slots=0
    [[ -n $scheduler_job ]] || return 0
    # -g t: a line for each of a parallel job's hosts.
    gridengine_jobs -s rs -g t -u '*' -q "*@$HOSTNAME" || return 0
    for i in "${!GRIDENGINE_ID[@]}"; do
        gridengine_task "$i"
        slots=$((slots + GRIDENGINE_SLOTS[i]))
        [[ $REPLY == "$scheduler_job" ]] || scheduler_fact job "$REPLY"
    done
    scheduler_fact cpus_allocated "$slots"
    scheduler_fact cpus_ours "${NSLOTS:-}"
}

scheduler_scratch() {
    printf '%s\n' "${TMPDIR:-}" /tmp
}

# One that is being deleted (state dr) is not run again. One that was put back already is ended for
# good by Grid Engine 8.1.9 when its soft limit comes again, whatever its exit status.
scheduler_can_requeue() {
    local i
    [[ -n $scheduler_job ]] || return
    [[ ${RESTARTED:-0} == 0 ]] || {
        warn 'interrupted again, and Grid Engine puts a job back only once: continue with jostle submit --resume'
        return 1
    }
    gridengine_jobs -s rs || return
    for i in "${!GRIDENGINE_ID[@]}"; do
        gridengine_task "$i"
        [[ $REPLY != "$scheduler_job" || ${GRIDENGINE_STATE[i]} != *d* ]] || return 1
    done
}

scheduler_requeue() {
    exit "$GRIDENGINE_AGAIN"
}

scheduler_check() {
    scheduler_needs "${1:-}" 'where Grid Engine is' qsub qsub qstat qdel qconf
}

# shellcheck disable=SC2154 # partition and qsub_options are of settings.bash
scheduler_settings() {
    scheduler_options=(${partition:+-q "$partition"} "${qsub_options[@]}" "${scheduler_options[@]}")
}

scheduler_array_limit() {
    local name value limit=''
    while read -r name value; do
        [[ $name != max_aj_tasks ]] || limit=$value
    done < <(timeout 5 qconf -sconf 2>/dev/null)
    scheduler_limit "$limit" "$GRIDENGINE_ARRAY_SIZE" "Grid Engine's master" max_aj_tasks
    # 0 is no limit.
    ((REPLY > 0)) || REPLY=$GRIDENGINE_ARRAY_SIZE
}

scheduler_nodes() {
    local -a hosts
    mapfile -t hosts < <(qconf -sel 2>/dev/null)
    REPLY=$((${#hosts[@]} > 0 ? ${#hosts[@]} : 1))
}

# gridengine_exclusive: sets REPLY to the name of the resource that gives a job its host for itself: a
# complex with the relation EXCL, which sites define or do not; empty where there is none.
gridengine_exclusive() {
    local name relation
    REPLY=''
    while read -r name _ _ relation _; do
        [[ $relation != EXCL ]] || REPLY=$name
    done < <(qconf -sc 2>/dev/null)
}

scheduler_submit_words() {
    # shellcheck disable=SC2178 # the caller's
    local -n scheduler_submit_job=$1 scheduler_submit_result=$2
    local log=${scheduler_submit_job[log]} exclusive=${scheduler_submit_job[exclusive]}
    scheduler_one_node "${scheduler_submit_job[nodes]}" 'jostle asks Grid Engine for one'
    [[ $exclusive != user && $exclusive != mcs ]] || usage_error "--exclusive=$exclusive: Grid Engine has no such thing: give --exclusive or --share"
    # shellcheck disable=SC2016 # expanded by Grid Engine
    log=${log//%j/'$JOB_ID'} log=${log//%i/'$TASK_ID'}
    # : and others are not allowed in a name.
    scheduler_submit_result=(qsub -terse -N "${scheduler_submit_job[name]//[:\/@*?\\]/.}" -cwd -V -S "$BASH" -j y -o "$log")
    [[ -z ${scheduler_submit_job[tasks]} ]] || scheduler_submit_result+=(-t "1-${scheduler_submit_job[tasks]}")
    [[ -z ${scheduler_submit_job[at_once]} ]] || scheduler_submit_result+=(-tc "${scheduler_submit_job[at_once]}")
    [[ -z ${scheduler_submit_job[after]} ]] || scheduler_submit_result+=(-hold_jid "${scheduler_submit_job[after]// /,}")
    if [[ -n ${scheduler_submit_job[light]} ]]; then
        # Where, and for what project and account, the others run.
        scheduler_pick '@(-q|-P|-A|-ar)' '' "${scheduler_options[@]}"
        scheduler_submit_result+=("${SCHEDULER_PICKED[@]}")
    else
        gridengine_exclusive
        [[ -z $exclusive || -z $REPLY ]] || scheduler_submit_result+=(-l "$REPLY=true")
        scheduler_submit_result+=(-r y -notify "${scheduler_options[@]}")
    fi
    scheduler_script_words "$1" "$2"
}

scheduler_queue() {
    local i state part owner task
    local -a parts
    owner=$(stat -c %U "$1") || return 1
    gridengine_jobs -u "$owner" || return 1
    for i in "${!GRIDENGINE_ID[@]}"; do
        gridengine_state "${GRIDENGINE_STATE[i]}"
        state=$REPLY
        # All tasks that wait are one line: 1, or 1,2, or 3-10:1.
        IFS=, read -r -a parts <<<"${GRIDENGINE_TASKS[i]}"
        [[ ${#parts[@]} -gt 0 ]] || printf '%s\t%s\t%s\n' "${GRIDENGINE_ID[i]}" "${GRIDENGINE_ID[i]}" "$state"
        for part in "${parts[@]}"; do
            part=${part%:*}
            for ((task = ${part%-*}; task <= ${part#*-}; task++)); do
                printf '%s\t%s\t%s\n' "${GRIDENGINE_ID[i]}_$task" "${GRIDENGINE_ID[i]}" "$state"
            done
        done
    done
}

# gridengine_state LETTERS: sets REPLY to the word for a state of qstat.
gridengine_state() {
    case $1 in
        *d*) REPLY=ending ;;
        *E*) REPLY=error ;;
        *[rt]*) REPLY=running ;;
        *[sST]*) REPLY=suspended ;;
        *) REPLY=pending ;;
    esac
}

# The last record counts: each start of a task has one.
scheduler_fate() {
    local name value fate='' failed=''
    while read -r name value _; do
        case $name in
            failed) failed=$value ;;
            exit_status)
                fate=failed
                [[ $failed == 0 ]] || fate=killed
                [[ $failed != 0 || $value != 0 ]] || fate=completed
                ;;
        esac
    done < <(gridengine_accounts "$1")
    printf '%s\n' "${fate:-gone}"
}
