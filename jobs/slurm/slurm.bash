# What Slurm gave us, and who else is there. Sourced, never run; needs common.
# Outside of a job every function here does nothing.

slurm_pinned='' # the CPUs that we pinned ourselves to
# Our job for Slurm's commands: an array's last task has the number of the whole
# array as its own job id.
slurm_job=${SLURM_JOB_ID:-}
[[ -z ${SLURM_ARRAY_TASK_ID:-} ]] || slurm_job=${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID
readonly slurm_job

# cpus_in LIST: sets REPLY to the number of CPUs in a list such as 0-3,8.
cpus_in() {
    local part
    local -a parts
    IFS=, read -r -a parts <<<"$1"
    REPLY=0
    for part in "${parts[@]}"; do
        REPLY=$((REPLY + ${part#*-} - ${part%-*} + 1))
    done
}

# slurm_pin: keeps us, and all that we start, to as many CPUs as the job was
# given, where Slurm itself has not (TaskPlugin=task/none): else a target would
# see the whole machine.
slurm_pin() {
    local allowed given=${SLURM_CPUS_ON_NODE:-}
    [[ -n ${SLURM_JOB_ID:-} && $given =~ ^[1-9][0-9]*$ ]] || return 0
    allowed=$(slurm_allowed)
    cpus_in "$allowed"
    ((REPLY > given)) || return 0
    slurm_choose_cpus "$allowed" "$given"
    taskset -cp "$REPLY" "$BASHPID" >/dev/null 2>&1 || return 0
    slurm_pinned=$REPLY
}

# slurm_allowed: prints the CPUs that we may use, as a list.
slurm_allowed() {
    sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status
}

# slurm_choose_cpus ALLOWED NUMBER: sets REPLY to NUMBER of the CPUs in ALLOWED:
# those that Slurm counts as ours, so that two jobs choose differently; the
# first where it does not tell.
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
    REPLY=$(
        IFS=,
        printf '%s' "${chosen[*]}"
    )
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
    done < <(scontrol show job -d "$slurm_job" 2>/dev/null)
}

# slurm_neighbours: sets REPLY to what else is on our node, as a JSON object
# {jobs, cpus_allocated, cpus_ours}, or to null outside of a job, and where Slurm
# does not answer. cpus_allocated counts all jobs, ours too.
slurm_neighbours() {
    local allocated job list='' me=${SLURM_JOB_ID:-} node=${SLURMD_NODENAME:-} jobs
    REPLY=null
    [[ -n $me && -n $node ]] || return 0
    # %A is a job's own id: each array task has one.
    jobs=$(squeue -h -t R,S,CG -o %A -w "$node" 2>/dev/null) || return 0
    for job in $jobs; do
        [[ $job == "$me" ]] || list+=",\"$job\""
    done
    allocated=$(scontrol -o show node "$node" 2>/dev/null | sed -n 's/.* CPUAlloc=\([0-9]*\).*/\1/p')
    REPLY="{\"jobs\":[${list#,}],\"cpus_allocated\":${allocated:-null},\"cpus_ours\":${SLURM_CPUS_ON_NODE:-null}}"
}

# slurm_json: sets REPLY to the job as a JSON object, or to null outside of one.
slurm_json() {
    local shared exclusive=null
    REPLY=null
    [[ -n ${SLURM_JOB_ID:-} ]] || return 0
    # OverSubscribe=NO is --exclusive; OK that others may come, YES that they share CPUs.
    shared=$(scontrol -o show job "$slurm_job" 2>/dev/null | sed -n 's/.* OverSubscribe=\([A-Z]*\).*/\1/p')
    case $shared in
        NO) exclusive=true ;;
        ?*) exclusive=false ;;
    esac
    REPLY=$(jq -cn --argjson exclusive "$exclusive" --arg pinned "$slurm_pinned" \
        'def own($name): env[$name] // "";
        def number($name): env[$name] // "" | tonumber? // null;
        { job_id: own("SLURM_JOB_ID"), nodes: own("SLURM_JOB_NODELIST"), partition: own("SLURM_JOB_PARTITION"),
          cpus: own("SLURM_CPUS_ON_NODE"), node: own("SLURMD_NODENAME"), node_count: number("SLURM_JOB_NUM_NODES"),
          cluster: own("SLURM_CLUSTER_NAME"), array_job_id: env.SLURM_ARRAY_JOB_ID, array_task_id: number("SLURM_ARRAY_TASK_ID"),
          restarts: (number("SLURM_RESTART_COUNT") // 0), exclusive: $exclusive,
          pinned: (if $pinned == "" then null else $pinned end) }')
}

# slurm_steps FOLDER: sets REPLY to what Slurm's accounting knows of the steps that
# the target made, a JSON object {steps, reason}; to null where the target is no
# launcher (srun, mpirun, mpiexec), and outside of a job. The records of the runs
# are of the launcher's own tree: what ran on other nodes is only seen here.
slurm_steps() {
    local launcher text
    REPLY=null
    [[ -n ${SLURM_JOB_ID:-} ]] || return 0
    launcher=$(jq -r '.command[0] | split("/") | last' "$1/experiment.json")
    [[ $launcher =~ ^(srun|mpirun|mpiexec|prun|orterun)$ ]] || return 0
    if text=$(sacct -n -P -j "$slurm_job" -o JobID,JobName,NTasks,ElapsedRaw,TotalCPU,MaxRSS,State 2>&1); then
        REPLY=$(jq -cRs -f "$JOSTLE_ROOT/jobs/slurm/steps.jq" <<<"$text")
    else
        json_string "sacct: ${text%%$'\n'*}"
        REPLY="{\"steps\":null,\"reason\":$REPLY}"
    fi
}
