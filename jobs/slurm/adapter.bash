# Slurm, behind the interface that scheduler.bash describes. Sourced, never run.
#
# Measured with Slurm 22.05; what each command prints is read in its machine form
# (-h -o FORMAT, -o for a line a record) and nowhere else in jostle.

scheduler_numbers SLURM_JOB_ID SLURM_ARRAY_JOB_ID SLURM_ARRAY_TASK_ID SLURM_HET_SIZE SLURM_RESTART_COUNT

# An array's last task has the number of the whole array as its own job id, so
# Slurm's commands are always given ARRAY_TASK.
scheduler_job=${SLURM_JOB_ID:-}
[[ -z ${SLURM_ARRAY_TASK_ID:-} || -z ${SLURM_ARRAY_JOB_ID:-} ]] || scheduler_job=${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID
# A heterogeneous job cannot be an array: it counts as an array of one task.
# shellcheck disable=SC2034 # for everybody
scheduler_task=${SLURM_ARRAY_TASK_ID:-${SLURM_HET_SIZE:+1}} scheduler_name=${SLURM_JOB_NAME:-}
slurm_pinned='' # the CPUs that we pinned ourselves to
# We are sourced by a function, hence -g.
declare -ga slurm_hosts=() # names of the job's nodes, in the order of its components
declare -gA slurm_group=() # node -> number of its component; empty for a job of one
# MaxArraySize where the controller does not answer: Slurm's own default.
readonly SLURM_ARRAY_SIZE=1001
# A job gets SIGTERM so long before its time limit.
readonly SLURM_WARNING_S=60
# shellcheck disable=SC2034 # for everybody
scheduler_cancel=(scancel)

scheduler_version() {
    scheduler_named Slurm sbatch --version
}

# slurm_read [ID]: sets SLURM_RECORD to what scontrol knows of our job, or of job ID, in one line: of
# a heterogeneous one, its first component. Empty where Slurm does not answer.
slurm_read() {
    SLURM_RECORD=$(scontrol -o show job "${1:-$scheduler_job}" 2>/dev/null) || SLURM_RECORD=''
    SLURM_RECORD=${SLURM_RECORD%%$'\n'*}
}

# slurm_field NAME: sets REPLY to the field NAME of SLURM_RECORD; empty where it has none.
slurm_field() {
    REPLY=''
    [[ ! " $SLURM_RECORD " =~ \ $1=([^ ]*)\  ]] || REPLY=${BASH_REMATCH[1]}
    [[ $REPLY != '(null)' && $REPLY != N/A ]] || REPLY=''
}

scheduler_pin() {
    local allowed given=${SLURM_CPUS_ON_NODE:-}
    # Only where Slurm itself has not (TaskPlugin=task/none): else a target would
    # see the whole machine.
    [[ -n $scheduler_job && $given =~ ^[1-9][0-9]*$ ]] || return 0
    [[ $(</proc/self/status) =~ Cpus_allowed_list:[[:blank:]]*([0-9,-]+) ]] || return 0
    allowed=${BASH_REMATCH[1]}
    cpus_in "$allowed"
    ((REPLY > given)) || return 0
    slurm_choose_cpus "$allowed" "$given"
    "${JOSTLE_BUILD:-$JOSTLE_ROOT/build}/bin/arguments" pin "$BASHPID" "$REPLY" || return 0
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

# slurm_nodes: fills slurm_hosts and slurm_group.
slurm_nodes() {
    local i host list
    [[ ${#slurm_hosts[@]} -eq 0 ]] || return 0
    for ((i = 0; i < ${SLURM_HET_SIZE:-1}; i++)); do
        list=SLURM_JOB_NODELIST${SLURM_HET_SIZE:+_HET_GROUP_$i}
        for host in $(scontrol show hostnames "${!list:-${SLURMD_NODENAME:-}}" 2>/dev/null); do
            # Two components may be on the same node.
            [[ " ${slurm_hosts[*]} " != *" $host "* ]] || continue
            slurm_hosts+=("$host")
            [[ -z ${SLURM_HET_SIZE:-} ]] || slurm_group[$host]=$i
        done
    done
}

scheduler_facts() {
    local nodes=${SLURM_JOB_NUM_NODES:-}
    [[ -n $scheduler_job ]] || return 0
    slurm_read
    slurm_nodes
    scheduler_fact_names "$SLURM_JOB_ID" "${SLURMD_NODENAME:-}"
    scheduler_fact nodes "${SLURM_JOB_NODELIST:-}"
    scheduler_fact partition "${SLURM_JOB_PARTITION:-}"
    scheduler_fact cpus "${SLURM_CPUS_ON_NODE:-}"
    # Where scontrol is not there, none of them is known.
    ((${#slurm_hosts[@]} == 0)) || nodes=${#slurm_hosts[@]}
    scheduler_fact node_count "$nodes"
    scheduler_fact cluster "${SLURM_CLUSTER_NAME:-}"
    scheduler_fact array_job_id "${SLURM_ARRAY_JOB_ID:-}"
    scheduler_fact array_task_id "${SLURM_ARRAY_TASK_ID:-}"
    scheduler_fact restarts "${SLURM_RESTART_COUNT:-0}"
    scheduler_fact pinned "$slurm_pinned"
    scheduler_fact time_left_s "$(scheduler_time_left)"
    slurm_terms
}

# slurm_terms: the facts of what was asked for, from SLURM_RECORD. sharing: NO is --exclusive, USER and
# MCS are --exclusive=user and =mcs, OK that others may come, YES that they share CPUs.
slurm_terms() {
    local name gres='' exclusive='' sharing
    slurm_field OverSubscribe
    sharing=${REPLY,,}
    # Newer ones (26.05) have a field of its own: NO, NODE, USER, MCS.
    slurm_field Exclusive
    case $REPLY in
        NODE) sharing=no ;;
        NO) sharing=${sharing/#no/ok} ;;
        ?*) sharing=${REPLY,,} ;;
    esac
    case $sharing in
        no) exclusive=true ;;
        ?*) exclusive=false ;;
    esac
    scheduler_fact exclusive "$exclusive"
    scheduler_fact sharing "$sharing"
    for name in Account QOS Reservation Features; do
        slurm_field "$name"
        scheduler_fact "${name,,}" "$REPLY"
    done
    for name in TresPerJob TresPerNode TresPerSocket TresPerTask; do
        slurm_field "$name"
        gres+=${REPLY:+${gres:+,}$REPLY}
    done
    scheduler_fact gres "$gres"
    scheduler_fact components "${SLURM_HET_SIZE:-}"
}

scheduler_neighbours() {
    local i job jobs ours=" ${SLURM_JOB_ID:-} " node=${SLURMD_NODENAME:-}
    [[ -n ${SLURM_JOB_ID:-} && -n $node ]] || return 0
    # %A is a job's own id: each array task has one, and each component of a heterogeneous job.
    for ((i = 0; i < ${SLURM_HET_SIZE:-0}; i++)); do
        job=SLURM_JOB_ID_HET_GROUP_$i
        ours+="${!job:-} "
    done
    jobs=$(squeue -h -t R,S,CG -o %A -w "$node" 2>/dev/null) || return 0
    for job in $jobs; do
        [[ $ours == *" $job "* ]] || scheduler_fact job "$job"
    done
    SLURM_RECORD=$(scontrol -o show node "$node" 2>/dev/null) || true
    slurm_field CPUAlloc
    scheduler_fact cpus_allocated "$REPLY"
    scheduler_fact cpus_ours "${SLURM_CPUS_ON_NODE:-}"
}

scheduler_hosts() {
    local host
    [[ -n $scheduler_job && -n ${SLURMD_NODENAME:-} ]] || return 0
    printf '%s\n' "$SLURMD_NODENAME"
    slurm_nodes
    for host in "${slurm_hosts[@]}"; do
        [[ $host == "$SLURMD_NODENAME" ]] || printf '%s\n' "$host"
    done
}

# The command works in our folder where NODE has it, else in NODE's scratch folder.
scheduler_start_words() {
    local -n scheduler_start_result=$2
    [[ -n $1 ]] || return 0
    slurm_nodes
    # A step is of the first component where it is not said which.
    # shellcheck disable=SC2016 # expanded on the other node
    scheduler_start_result=(srun --overlap ${slurm_group[$1]:+--het-group="${slurm_group[$1]}"} --nodes=1 --ntasks=1 --nodelist="$1" --job-name=jostle-load --mpi=none --cpu-bind=none --quiet
        --chdir=/ bash -c 'for folder in "$0" "$SLURM_TMPDIR" "$TMPDIR" /tmp; do
            [[ -d $folder && -w $folder ]] || continue
            [[ -d $TMPDIR ]] || export TMPDIR="${SLURM_TMPDIR:-/tmp}"
            cd "$folder" && exec "$@"
        done' "$PWD" "${scheduler_start_result[@]}")
}

scheduler_own_lines() {
    local line
    while IFS= read -r line || [[ -n $line ]]; do
        [[ $line == 'srun: '* || $line == 'slurmstepd: '* ]] || printf '%s\n' "$line"
    done
}

scheduler_time_left() {
    local left
    [[ -n $scheduler_job ]] || return 0
    # A time, or a word such as UNLIMITED.
    left=$(squeue -h -j "$scheduler_job" -o %L 2>/dev/null) || return 0
    slurm_seconds "$left"
    [[ -z $REPLY ]] || printf '%s\n' "${REPLY%.*}"
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
    slurm_steps <<<"$text"
}

# slurm_steps: from sacct -P's lines (JobID|JobName|NTasks|ElapsedRaw|TotalCPU|MaxRSS|State) on stdin to
# the lines of scheduler_steps, without the batch script's own steps and those of loads.
slurm_steps() {
    local id name tasks elapsed cpu memory state more found=''
    # A separator that is no blank: empty fields count.
    while IFS='|' read -r id name tasks elapsed cpu memory state more; do
        [[ $id =~ \.[0-9]+$ && $name != jostle-load && -z $more ]] || continue
        found=1
        slurm_seconds "$cpu"
        cpu=$REPLY
        slurm_bytes "$memory"
        printf 'step\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$id" "$name" "$tasks" "$elapsed" "$cpu" "$REPLY" "$state"
    done
    [[ -n $found ]] || printf 'reason\tsacct knows no step of the target\n'
}

# slurm_seconds TEXT: sets REPLY to [DD-][HH:]MM:SS[.mmm] in seconds; to nothing for anything else.
slurm_seconds() {
    local whole milli
    REPLY=''
    [[ $1 =~ ^(([0-9]+)-)?(([0-9]+):)?([0-9]+):([0-9]+)(\.([0-9]*))?$ ]] || return 0
    whole=$((((10#${BASH_REMATCH[2]:-0} * 24 + 10#${BASH_REMATCH[4]:-0}) * 60 + 10#${BASH_REMATCH[5]}) * 60 + 10#${BASH_REMATCH[6]}))
    milli=${BASH_REMATCH[8]}000
    REPLY=$whole.${milli:0:3}
}

# slurm_bytes TEXT: sets REPLY to 1.5M in bytes; to nothing for anything else.
slurm_bytes() {
    local unit=1 part
    REPLY=''
    [[ $1 =~ ^([0-9]{1,12})(\.([0-9]{1,3})[0-9]*)?([KMGT]?)$ ]] || return 0
    case ${BASH_REMATCH[4]} in
        K) unit=$((1 << 10)) ;;
        M) unit=$((1 << 20)) ;;
        G) unit=$((1 << 30)) ;;
        T) unit=$((1 << 40)) ;;
    esac
    part=${BASH_REMATCH[3]}000
    REPLY=$((10#${BASH_REMATCH[1]} * unit + (10#${part:0:3} * unit + 500) / 1000))
}

scheduler_copies() {
    printf '%s\n' '--ntasks-per-node={copies} --cpus-per-task={cpus}'
}

scheduler_scratch() {
    printf '%s\n' "${SLURM_TMPDIR:-}" "${TMPDIR:-}" /tmp
}

scheduler_can_requeue() {
    [[ -n $scheduler_job ]] || return
    slurm_read
    slurm_field JobState
    # One that was cancelled is no longer RUNNING.
    [[ $REPLY == RUNNING ]]
}

scheduler_requeue() {
    # This kills us.
    scontrol requeue "$scheduler_job" && sleep 60
}

scheduler_check() {
    scheduler_needs "${1:-}" 'on a Slurm cluster' sbatch sbatch squeue scontrol
}

# What sbatch reads from the environment is put in front as options: a dry run shows it, the report
# goes where the cells go, and it counts less than what is said elsewhere, as with sbatch.
# shellcheck disable=SC2154 # partition and sbatch_options are of settings.bash
scheduler_settings() {
    local name variable
    local -a environment=()
    for name in account clusters constraint gpus gpus-per-node gres mem-per-cpu partition qos reservation; do
        variable=${name^^}
        variable=SBATCH_${variable//-/_}
        [[ -z ${!variable:-} ]] || environment+=("--$name=${!variable}")
    done
    [[ -z ${SBATCH_TIMELIMIT:-} ]] || environment+=(--time="$SBATCH_TIMELIMIT")
    [[ -z ${SBATCH_MEM_PER_NODE:-} ]] || environment+=(--mem="$SBATCH_MEM_PER_NODE")
    case ${SBATCH_EXCLUSIVE-no} in
        no) ;;
        '' | yes | exclusive) environment+=(--exclusive) ;;
        *) environment+=(--exclusive="$SBATCH_EXCLUSIVE") ;;
    esac
    scheduler_options=("${environment[@]}" ${partition:+--partition="$partition"} "${sbatch_options[@]}" "${scheduler_options[@]}")
}

# slurm_first WORD...: sets the array SLURM_FIRST to the options of the first component: those in
# front of a word that is a colon; 1 when there is no such word, and so one component.
slurm_first() {
    SLURM_FIRST=()
    while [[ $# -gt 0 && $1 != : ]]; do
        SLURM_FIRST+=("$1")
        shift
    done
    [[ $# -gt 0 ]]
}

scheduler_array_limit() {
    local size=''
    # sbatch refuses arrays of heterogeneous jobs: then each task is a job.
    # shellcheck disable=SC2034 # for who called
    REPLY=1 REMARK=''
    ! slurm_first "${scheduler_options[@]}" || return 0
    # Without a controller scontrol tries for a minute.
    [[ ! $(timeout 5 scontrol show config 2>/dev/null) =~ MaxArraySize\ *=\ *([0-9]+) ]] || size=${BASH_REMATCH[1]}
    scheduler_limit "$size" "$SLURM_ARRAY_SIZE" 'the Slurm controller' MaxArraySize
    # Indices go from 1 to one below it; 0 forbids arrays.
    REPLY=$((REPLY > 1 ? REPLY - 1 : 0))
}

# The partition may be said by the settings or by the user's options; the last counts.
scheduler_nodes() {
    local word partition='' next=''
    slurm_first "$@" || true
    for word in "${SLURM_FIRST[@]}"; do
        [[ -z $next ]] || partition=$word
        next=''
        case $word in
            --partition=*) partition=${word#*=} ;;
            -p | --partition) next=1 ;;
            -p?*) partition=${word#-p} ;;
        esac
    done
    REPLY=0
    while read -r word; do
        [[ ! $word =~ ^[0-9]{1,9}$ ]] || REPLY=$((REPLY + 10#$word))
    done < <(sinfo -h -o %D ${partition:+-p "$partition"} 2>/dev/null)
    ((REPLY > 0)) || REPLY=1
}

scheduler_submit_words() {
    # shellcheck disable=SC2178 # the caller's
    local -n scheduler_submit_job=$1 scheduler_submit_result=$2
    local after=${scheduler_submit_job[after]} log=${scheduler_submit_job[log]}
    scheduler_submit_result=(sbatch --parsable --job-name="${scheduler_submit_job[name]}" --open-mode=append)
    if slurm_first "${scheduler_options[@]}"; then
        # A task is a job of its own, and the sizes of its components are the user's to say.
        log=${log//%i/1}
    else
        scheduler_submit_result+=(--nodes="${scheduler_submit_job[nodes]}")
        [[ -z ${scheduler_submit_job[tasks]} ]] || {
            scheduler_submit_result+=(--array="1-${scheduler_submit_job[tasks]}${scheduler_submit_job[at_once]:+%${scheduler_submit_job[at_once]}}")
            log=${log//%j/%A} log=${log//%i/%a}
        }
    fi
    [[ -z $after ]] || scheduler_submit_result+=(--dependency="afterany:${after// /:}")
    scheduler_submit_result+=(--output="$log")
    if [[ -n ${scheduler_submit_job[light]} ]]; then
        # Where the others may run, by whom and for what account, so may this one.
        slurm_where "${SLURM_FIRST[@]}"
        scheduler_submit_result+=(--ntasks=1 "${SCHEDULER_PICKED[@]}")
    else
        slurm_components "${scheduler_submit_job[exclusive]}" "${scheduler_options[@]}"
        scheduler_submit_result+=("${SLURM_COMPONENTS[@]}")
    fi
    scheduler_script_words "$1" "$2"
}

# slurm_components EXCLUSIVE WORD...: sets the array SLURM_COMPONENTS to the options of each component,
# with colons between: ours, then the user's own, which come last so that they count.
slurm_components() {
    local exclusive=$1
    local -a ours
    shift
    SLURM_COMPONENTS=()
    while true; do
        ours=(--requeue --signal="B:TERM@$SLURM_WARNING_S")
        slurm_first "$@" || true
        shift "${#SLURM_FIRST[@]}"
        case $exclusive in
            '') ;;
            default) slurm_shares "${SLURM_FIRST[@]}" || ours+=(--exclusive) ;;
            job) ours+=(--exclusive) ;;
            *) ours+=(--exclusive="$exclusive") ;;
        esac
        SLURM_COMPONENTS+=("${ours[@]}" "${SLURM_FIRST[@]}")
        [[ $# -gt 0 ]] || return 0
        SLURM_COMPONENTS+=(:)
        shift
    done
}

# slurm_shares WORD...: 0 when sbatch's options say who else may be on the nodes.
slurm_shares() {
    [[ " $* " =~ \ (--exclusive(=[^ ]*)?|--oversubscribe|--share|-s)\  ]]
}

# slurm_where WORD...: sets the array SCHEDULER_PICKED to those of sbatch's options that
# say where, by whom and for what account a job runs.
slurm_where() {
    local names='@(partition|account|qos|reservation|clusters)'
    scheduler_pick "@(--$names|-[pAqM])" "@(--$names=*|-[pAqM]?*)" "$@"
}

scheduler_queue() {
    local text owner id task state
    owner=$(stat -c %u "$1") || return 1
    # -r: a line for each task that waits, too; %F is the array's id, %K the task's.
    text=$(squeue -h -r -u "$owner" -o '%F %K %T' 2>/dev/null) || return 1
    while read -r id task state; do
        [[ -n $id ]] || continue
        [[ $task != N/A ]] && task=_$task || task=''
        printf '%s\t%s\t%s\n' "$id$task" "$id" "${state,,}"
    done <<<"$text"
}

scheduler_fate() {
    local fate
    read -r -d '' fate _ < <(sacct -n -X -j "$1" -o State%20 2>/dev/null) || true
    [[ -n $fate ]] || {
        slurm_read "$1"
        slurm_field JobState
        fate=$REPLY
    }
    fate=${fate,,}
    printf '%s\n' "${fate:-gone}"
}
