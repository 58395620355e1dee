# Slurm, behind the interface that scheduler.bash describes. Sourced, never run.
#
# Measured with Slurm 22.05; what each command prints is read in its machine form
# (-h -o FORMAT, -o for a line a record) and nowhere else in jostle.

# An array's last task has the number of the whole array as its own job id, so
# Slurm's commands are always given ARRAY_TASK.
scheduler_job=${SLURM_JOB_ID:-}
[[ -z ${SLURM_ARRAY_TASK_ID:-} ]] || scheduler_job=${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID
# shellcheck disable=SC2034 # for everybody
scheduler_task=${SLURM_ARRAY_TASK_ID:-} scheduler_name=${SLURM_JOB_NAME:-}
slurm_pinned='' # the CPUs that we pinned ourselves to
# MaxArraySize where the controller does not answer: Slurm's own default.
readonly SLURM_ARRAY_SIZE=1001
# A job gets SIGTERM so long before its time limit.
readonly SLURM_WARNING_S=60

# slurm_field NAME [ID]: prints the field NAME of our job, or of job ID; nothing
# where Slurm does not answer.
slurm_field() {
    scontrol -o show job "${2:-$scheduler_job}" 2>/dev/null | sed -n "1s/.* $1=\([^ ]*\).*/\1/p"
}

scheduler_pin() {
    local allowed given=${SLURM_CPUS_ON_NODE:-}
    # Only where Slurm itself has not (TaskPlugin=task/none): else a target would
    # see the whole machine.
    [[ -n $scheduler_job && $given =~ ^[1-9][0-9]*$ ]] || return 0
    allowed=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)
    cpus_in "$allowed"
    ((REPLY > given)) || return 0
    slurm_choose_cpus "$allowed" "$given"
    taskset -cp "$REPLY" "$BASHPID" >/dev/null 2>&1 || return 0
    slurm_pinned=$REPLY
}

# slurm_choose_cpus ALLOWED NUMBER: sets REPLY to NUMBER of the CPUs in ALLOWED:
# those that Slurm counts as ours, so that two jobs choose differently; the first
# ones where it does not say.
slurm_choose_cpus() {
    local part ids
    local -a parts cpus=() chosen=()
    IFS=, read -r -a parts <<<"$1"
    for part in "${parts[@]}"; do mapfile -t -O "${#cpus[@]}" cpus < <(seq "${part%-*}" "${part#*-}"); done
    ids=$(slurm_cpu_ids)
    cpus_in "${ids:-0}"
    ((REPLY == $2)) || ids=0-$(($2 - 1))
    IFS=, read -r -a parts <<<"$ids"
    for part in "${parts[@]}"; do
        ((${part#*-} < ${#cpus[@]})) || {
            chosen=("${cpus[@]:0:$2}")
            break
        }
        chosen+=("${cpus[@]:${part%-*}:${part#*-}-${part%-*}+1}")
    done
    printf -v REPLY ',%s' "${chosen[@]}"
    REPLY=${REPLY#,}
}

# slurm_cpu_ids: prints which CPUs of this node are the job's, as Slurm counts
# them (CPU_IDs), or nothing.
slurm_cpu_ids() {
    local line host hosts ids
    while read -r line; do
        [[ $line =~ ^Nodes=([^ ]+)\ CPU_IDs=([0-9,-]+) ]] || continue
        hosts=${BASH_REMATCH[1]} ids=${BASH_REMATCH[2]}
        for host in $(scontrol show hostnames "$hosts" 2>/dev/null); do
            [[ $host != "${SLURMD_NODENAME:-}" ]] || printf '%s' "$ids"
        done
    done < <(scontrol show job -d "$scheduler_job" 2>/dev/null)
}

scheduler_facts() {
    local exclusive=''
    [[ -n $scheduler_job ]] || return 0
    # OverSubscribe=NO is --exclusive; OK that others may come, YES that they share CPUs.
    case $(slurm_field OverSubscribe) in
        NO) exclusive=true ;;
        ?*) exclusive=false ;;
    esac
    scheduler_fact scheduler slurm
    scheduler_fact job_id "$SLURM_JOB_ID"
    scheduler_fact queue_id "$scheduler_job"
    scheduler_fact nodes "${SLURM_JOB_NODELIST:-}"
    scheduler_fact partition "${SLURM_JOB_PARTITION:-}"
    scheduler_fact cpus "${SLURM_CPUS_ON_NODE:-}"
    scheduler_fact node "${SLURMD_NODENAME:-}"
    scheduler_fact node_count "${SLURM_JOB_NUM_NODES:-}"
    scheduler_fact cluster "${SLURM_CLUSTER_NAME:-}"
    scheduler_fact array_job_id "${SLURM_ARRAY_JOB_ID:-}"
    scheduler_fact array_task_id "${SLURM_ARRAY_TASK_ID:-}"
    scheduler_fact restarts "${SLURM_RESTART_COUNT:-0}"
    scheduler_fact exclusive "$exclusive"
    scheduler_fact pinned "$slurm_pinned"
    scheduler_fact time_left_s "$(scheduler_time_left)"
}

scheduler_neighbours() {
    local job jobs me=${SLURM_JOB_ID:-} node=${SLURMD_NODENAME:-}
    [[ -n $me && -n $node ]] || return 0
    # %A is a job's own id: each array task has one.
    jobs=$(squeue -h -t R,S,CG -o %A -w "$node" 2>/dev/null) || return 0
    for job in $jobs; do
        [[ $job == "$me" ]] || scheduler_fact job "$job"
    done
    scheduler_fact cpus_allocated "$(scontrol -o show node "$node" 2>/dev/null | sed -n 's/.* CPUAlloc=\([0-9]*\).*/\1/p')"
    scheduler_fact cpus_ours "${SLURM_CPUS_ON_NODE:-}"
}

scheduler_hosts() {
    local host
    [[ -n $scheduler_job && -n ${SLURMD_NODENAME:-} ]] || return 0
    printf '%s\n' "$SLURMD_NODENAME"
    for host in $(scontrol show hostnames "${SLURM_JOB_NODELIST:-$SLURMD_NODENAME}" 2>/dev/null); do
        [[ $host == "$SLURMD_NODENAME" ]] || printf '%s\n' "$host"
    done
}

# The command works in our folder where NODE has it, else in NODE's scratch folder.
scheduler_start_words() {
    local -n scheduler_start_result=$2
    [[ -n $1 ]] || return 0
    # shellcheck disable=SC2016 # expanded on the other node
    scheduler_start_result=(srun --overlap --nodes=1 --ntasks=1 --nodelist="$1" --job-name=jostle-load --mpi=none --cpu-bind=none --quiet
        --chdir=/ bash -c 'for folder in "$0" "$SLURM_TMPDIR" "$TMPDIR" /tmp; do
            [[ -d $folder && -w $folder ]] || continue
            [[ -d $TMPDIR ]] || export TMPDIR="${SLURM_TMPDIR:-/tmp}"
            cd "$folder" && exec "$@"
        done' "$PWD" "${scheduler_start_result[@]}")
}

scheduler_own_lines() {
    grep -v '^srun: \|^slurmstepd: ' || true
}

scheduler_time_left() {
    local left days=0 hours minutes seconds
    [[ -n $scheduler_job ]] || return 0
    # [DD-][HH:]MM:SS, or a word such as UNLIMITED.
    left=$(squeue -h -j "$scheduler_job" -o %L 2>/dev/null) || return 0
    [[ $left =~ ^(([0-9]+)-)?(([0-9]+):)?([0-9]+):([0-9]+)$ ]] || return 0
    days=${BASH_REMATCH[2]:-0} hours=${BASH_REMATCH[4]:-0} minutes=${BASH_REMATCH[5]} seconds=${BASH_REMATCH[6]}
    printf '%d\n' $((((10#$days * 24 + 10#$hours) * 60 + 10#$minutes) * 60 + 10#$seconds))
}

# The records of the runs are of the launcher's own tree: what ran on other nodes is
# only seen in the accounts.
scheduler_steps() {
    local text
    [[ -n $scheduler_job && ${1##*/} =~ ^(srun|mpirun|mpiexec|prun|orterun)$ ]] || return 0
    if ! text=$(sacct -n -P -j "$scheduler_job" -o JobID,JobName,NTasks,ElapsedRaw,TotalCPU,MaxRSS,State 2>&1); then
        text=${text%%$'\n'*}
        printf 'reason\tsacct: %s\n' "${text//$'\t'/ }"
        return
    fi
    LC_ALL=C awk -F'|' -f "$JOSTLE_ROOT/jobs/slurm/steps.awk" <<<"$text"
}

scheduler_copies() {
    printf '%s\n' '--ntasks-per-node={copies} --cpus-per-task={cpus}'
}

scheduler_scratch() {
    printf '%s\n' "${SLURM_TMPDIR:-}" "${TMPDIR:-}" /tmp
}

scheduler_can_requeue() {
    # One that was cancelled is no longer RUNNING.
    [[ -n $scheduler_job && $(slurm_field JobState) == RUNNING ]]
}

scheduler_requeue() {
    # This kills us.
    scontrol requeue "$scheduler_job" && sleep 60
}

scheduler_check() {
    local program
    for program in sbatch squeue scontrol; do
        [[ ${1:-} == dry-run ]] || command -v "$program" >/dev/null ||
            die "$program is not here: submit on a Slurm cluster, or give --scheduler local to measure on this machine in the background"
    done
    [[ $JOSTLE_ROOT != *[$' \t\n']* ]] || die "$JOSTLE_ROOT has a space in it, which sbatch cannot take: move jostle"
}

# shellcheck disable=SC2154 # partition and sbatch_options are of settings.bash
scheduler_settings() {
    scheduler_options=(${partition:+--partition="$partition"} "${sbatch_options[@]}" "${scheduler_options[@]}")
}

scheduler_array_limit() {
    local size
    REMARK=''
    # Without a controller scontrol tries for a minute.
    size=$(timeout 5 scontrol show config 2>/dev/null | sed -n 's/^MaxArraySize *= *//p') || true
    if [[ ! $size =~ ^[0-9]+$ ]]; then
        size=$SLURM_ARRAY_SIZE
        # shellcheck disable=SC2034 # for who called
        REMARK="the Slurm controller does not answer: MaxArraySize is taken to be $size"
    fi
    # Indices go from 1 to one below it; 0 forbids arrays.
    REPLY=$((size > 1 ? size - 1 : 0))
}

# The partition may be said by the settings or by the user's options; the last counts.
scheduler_nodes() {
    local word partition='' next=''
    for word in "$@"; do
        [[ -z $next ]] || partition=$word
        next=''
        case $word in
            --partition=*) partition=${word#*=} ;;
            -p | --partition) next=1 ;;
            -p?*) partition=${word#-p} ;;
        esac
    done
    REPLY=$(sinfo -h -o %D ${partition:+-p "$partition"} 2>/dev/null | awk '{ n += $1 } END { print n + 0 }') || REPLY=1
    ((REPLY > 0)) || REPLY=1
}

scheduler_submit_words() {
    local -n scheduler_submit_job=$1 scheduler_submit_result=$2
    local after=${scheduler_submit_job[after]} log=${scheduler_submit_job[log]}
    local -a scheduler_submit_given
    scheduler_submit_result=(sbatch --parsable --job-name="${scheduler_submit_job[name]}" --nodes="${scheduler_submit_job[nodes]}" --open-mode=append)
    if [[ -n ${scheduler_submit_job[tasks]} ]]; then
        scheduler_submit_result+=(--array="1-${scheduler_submit_job[tasks]}${scheduler_submit_job[at_once]:+%${scheduler_submit_job[at_once]}}")
        log=${log//%j/%A} log=${log//%i/%a}
    fi
    [[ -z $after ]] || scheduler_submit_result+=(--dependency="afterany:${after// /:}")
    [[ -z ${scheduler_submit_job[exclusive]} ]] || scheduler_submit_result+=(--exclusive)
    scheduler_submit_result+=(--output="$log")
    # The user's own options come last, so that they count.
    if [[ -n ${scheduler_submit_job[light]} ]]; then
        # Where the others may run, by whom and for what account, so may this one.
        slurm_where "${scheduler_options[@]}"
        scheduler_submit_result+=(--ntasks=1 "${SLURM_WHERE[@]}")
    else
        scheduler_submit_result+=(--requeue --signal="B:TERM@$SLURM_WARNING_S" "${scheduler_options[@]}")
    fi
    read -r -a scheduler_submit_given <<<"${scheduler_submit_job[words]}"
    scheduler_submit_result+=("${scheduler_submit_job[script]}" "${scheduler_submit_given[@]}")
}

# slurm_where WORD...: sets the array SLURM_WHERE to those of sbatch's options that
# say where, by whom and for what account a job runs.
slurm_where() {
    local word value=''
    SLURM_WHERE=()
    for word in "$@"; do
        case $value$word in
            value*) SLURM_WHERE+=("$word") value='' ;;
            --partition=* | --account=* | --qos=* | --reservation=* | --clusters=* | -[pAqM]?*) SLURM_WHERE+=("$word") ;;
            --partition | --account | --qos | --reservation | --clusters | -[pAqM]) SLURM_WHERE+=("$word") value=value ;;
        esac
    done
}

scheduler_cancel_words() {
    local -n scheduler_cancel_result=$1
    # shellcheck disable=SC2034 # the caller's array
    scheduler_cancel_result=(scancel "${@:2}")
}

scheduler_queue() {
    local text owner
    owner=$(stat -c %u "$1") || return 1
    # -r: a line for each task that waits, too; %F is the array's id, %K the task's.
    text=$(squeue -h -r -u "$owner" -o '%F %K %T' 2>/dev/null) || return 1
    awk 'NF { id = ($2 == "N/A") ? $1 : $1 "_" $2; print id "\t" $1 "\t" tolower($3) }' <<<"$text"
}

scheduler_fate() {
    local fate
    fate=$(sacct -n -X -j "$1" -o State%20 2>/dev/null | awk 'NF { print tolower($1); exit }') || true
    [[ -n $fate ]] || fate=$(slurm_field JobState "$1") || true
    fate=${fate,,}
    printf '%s\n' "${fate:-gone}"
}
