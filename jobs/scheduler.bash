# The scheduler interface: all that jostle wants from whatever starts jobs.
# Sourced, never run; needs messages.bash.
#
# An adapter is a folder of its own, jobs/NAME, with an adapter.bash that defines
# every function below, and a row in scheduler_known. Nothing outside of jobs/
# knows which one is in use.
#
# In a job (outside of one they print nothing and change nothing):
#
#   scheduler_job            variable: our job's id as scheduler_queue prints it; empty outside of a job
#   scheduler_task           variable: the number of our task in its array, from 1; empty where there is none
#   scheduler_name           variable: the job's name
#   scheduler_pin            keeps this shell, and all it starts, on the CPUs that the job was given
#   scheduler_facts          prints lines NAME<TAB>VALUE: scheduler, job_id, queue_id, node, node_count, cpus,
#                            restarts, exclusive (true or false), pinned, time_left_s, and what else it knows;
#                            an empty value is not known
#   scheduler_neighbours     prints who else is on our node: a line job<TAB>ID for each other job, then
#                            cpus_allocated<TAB>N (all jobs, ours too) and cpus_ours<TAB>N; nothing where not known
#   scheduler_hosts          prints the names of the job's nodes, a line each, the one that we are on first
#   scheduler_start_words NODE ARRAY
#                            puts in front of the command in ARRAY what starts it on NODE with our stdin, stdout
#                            and stderr; an empty NODE is this one, and leaves ARRAY as it is
#   scheduler_own_lines      copies stdin to stdout without the lines that its launcher wrote
#   scheduler_time_left      prints the whole seconds until the job's time limit; nothing where there is none
#   scheduler_steps PROGRAM  when PROGRAM starts processes through the scheduler: prints what its accounts say, a line
#                            step<TAB>ID<TAB>NAME<TAB>TASKS<TAB>ELAPSED_S<TAB>CPU_S<TAB>MAX_RSS_BYTES<TAB>STATE
#                            for each step (empty: not known), or one line reason<TAB>TEXT
#   scheduler_copies         prints the options that submit a job of {copies} tasks a node with {cpus} CPUs each, these
#                            two words as they are; nothing where it has no such options
#   scheduler_scratch        prints folders on the node's own disk, a line each, the best first
#   scheduler_can_requeue    0 when the job may be put back into the queue: it was not cancelled
#   scheduler_requeue        puts the job back into the queue, which ends it; returns only when that failed
#
# Of the queue, from anywhere:
#
#   scheduler_check [dry-run]
#                            ends with an error when nothing can be submitted from here; with dry-run, only what
#                            keeps it from being shown
#   scheduler_settings       puts the options of the settings (settings.bash) in front of scheduler_options
#   scheduler_array_limit    sets REPLY to the most tasks of an array, 0 when it takes no arrays, and
#                            REMARK to what had to be assumed, or to nothing
#   scheduler_nodes WORD...  sets REPLY to the number of nodes that a job with these options may run on
#   scheduler_submit_words JOB ARRAY
#                            sets ARRAY to the command that submits a job and prints its id. JOB is the name of an
#                            associative array: name, script (its path), words (its arguments, without spaces),
#                            log (%j is the job's id, %i the task's number), tasks (empty: no array), at_once
#                            (empty: all), after (ids, with spaces between: begin when they have ended), nodes,
#                            exclusive (1), and light (1: needs few resources, but may run where the others do);
#                            scheduler_options, an array variable, has the user's own options
#   scheduler_cancel_words ARRAY ID...
#                            sets ARRAY to the command that ends these jobs
#   scheduler_queue FOLDER   prints a line ID<TAB>JOB<TAB>STATE for each task or job of FOLDER's owner that waits or
#                            runs; ID is the task's (12_3), JOB what the submit command printed; 1 without an answer
#   scheduler_fate ID        prints how a task or job ended, a lower-case word; gone where nobody knows

# Name, the variable that is set in its jobs, the command that submits.
readonly -a scheduler_known=(
    'slurm SLURM_JOB_ID sbatch'
    'local JOSTLE_LOCAL_JOB bash'
)

scheduler='' # the name of the adapter in use
# shellcheck disable=SC2034 # set by the adapter, read by everybody
scheduler_job='' scheduler_task='' scheduler_name=''
scheduler_known_job='' # not empty when scheduler_environment has been here
# shellcheck disable=SC2034 # for the adapter
declare -a scheduler_options=()

# scheduler_use [NAME]: loads the adapter NAME; without it, that of the job that we
# run in, else the first whose command is here. Ends with wrong use for an unknown NAME.
scheduler_use() {
    local row name variable command wanted=${1:-} names=''
    for row in "${scheduler_known[@]}"; do
        read -r name variable command <<<"$row"
        names+=" $name"
        [[ -n $wanted || -z ${!variable:-} ]] || wanted=$name
    done
    if [[ -z $wanted ]]; then
        for row in "${scheduler_known[@]}"; do
            read -r name variable command <<<"$row"
            ! command -v "$command" >/dev/null || break
        done
        wanted=$name
    fi
    [[ "$names " == *" $wanted "* ]] || usage_error "--scheduler $wanted: unknown scheduler: give one of$names"
    scheduler=$wanted
    # shellcheck source=/dev/null
    source "$JOSTLE_ROOT/jobs/$scheduler/adapter.bash"
}

# scheduler_of FOLDER: sets REPLY to the scheduler that the jobs of the campaign in
# FOLDER were last submitted to, or to nothing. (jobs.tsv: TIME, SCHEDULER, ROLE, ID)
scheduler_of() {
    local name
    REPLY=''
    [[ -r $1/jobs/jobs.tsv ]] || return 0
    while IFS=$'\t' read -r _ name _; do REPLY=$name; done <"$1/jobs/jobs.tsv"
}

# scheduler_environment: exports what the records say of our job, as it is now:
# JOSTLE_JOB_FACTS, JOSTLE_JOB_NEIGHBOURS and JOSTLE_JOB_HOSTS, the lines of the
# functions of these names. Outside of a job they are not set.
scheduler_environment() {
    if [[ -z $scheduler_job ]]; then
        unset JOSTLE_JOB_FACTS JOSTLE_JOB_NEIGHBOURS JOSTLE_JOB_HOSTS
        return
    fi
    # Only the neighbours change: the rest is read once.
    if [[ -z $scheduler_known_job ]]; then
        JOSTLE_JOB_FACTS=$(scheduler_facts)
        JOSTLE_JOB_HOSTS=$(scheduler_hosts)
        scheduler_known_job=1
    fi
    JOSTLE_JOB_NEIGHBOURS=$(scheduler_neighbours)
    export JOSTLE_JOB_FACTS JOSTLE_JOB_NEIGHBOURS JOSTLE_JOB_HOSTS
}

# scheduler_hints: prints a line NAME<TAB>OPTIONS for each scheduler that has options of
# scheduler_copies, also where it is not installed: results are read elsewhere, too.
scheduler_hints() {
    local row name text
    for row in "${scheduler_known[@]}"; do
        name=${row%% *}
        # In a shell of its own: one of them may be in use here.
        # shellcheck disable=SC2016 # expanded there
        text=$("$BASH" -c 'source "$1" && scheduler_copies' bash "$JOSTLE_ROOT/jobs/$name/adapter.bash") || continue
        [[ -z $text ]] || printf '%s\t%s\n' "$name" "$text"
    done
}

# scheduler_fact NAME VALUE: prints one line of scheduler_facts. For adapters.
scheduler_fact() {
    local value=${2//[$'\t\n']/ }
    printf '%s\t%s\n' "$1" "$value"
}

# cpus_in LIST: sets REPLY to the number of CPUs in a list such as 0-3,8. For adapters.
cpus_in() {
    local part
    local -a parts
    IFS=, read -r -a parts <<<"$1"
    REPLY=0
    for part in "${parts[@]}"; do
        REPLY=$((REPLY + ${part#*-} - ${part%-*} + 1))
    done
}
