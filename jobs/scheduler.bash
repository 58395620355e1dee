# The scheduler interface: all that jostle wants from whatever starts jobs.
# Sourced, never run; needs messages.bash.
#
# An adapter is a folder of its own, jobs/NAME, with an adapter.bash that defines
# the functions below, and a row in scheduler_known. Nothing outside of jobs/
# knows which one is in use. It leaves out those marked with * where what stands
# in adapter.bash is right: that of a scheduler which gives a job one node, starts
# nothing for it and tells it nothing.
#
# In a job (outside of one they print nothing and change nothing):
#
#   scheduler_job            variable: our job's id as scheduler_queue prints it; empty outside of a job
#   scheduler_task           variable: the number of our task in its array, from 1; empty where there is none
#   scheduler_name           variable: the job's name
#   scheduler_signals        array variable: signals besides SIGTERM and SIGINT by which it tells a job to end; they
#                            reach all processes of the job, who are not to end by them
#   scheduler_pin *          keeps this shell, and all it starts, on the CPUs that the job was given
#   scheduler_facts          prints lines NAME<TAB>VALUE: scheduler, job_id, queue_id, node, node_count, cpus,
#                            restarts, exclusive (true or false), sharing (who else may come), pinned,
#                            time_left_s, and what else it knows;
#                            an empty value is not known
#   scheduler_neighbours     prints who else is on our node: a line job<TAB>ID for each other job, then
#                            cpus_allocated<TAB>N (all jobs, ours too) and cpus_ours<TAB>N; nothing where not known
#   scheduler_hosts *        prints the names of the job's nodes, a line each, the one that we are on first
#   scheduler_start_words NODE ARRAY *
#                            puts in front of the command in ARRAY what starts it on NODE with our stdin, stdout
#                            and stderr; an empty NODE is this one, and leaves ARRAY as it is
#   scheduler_own_lines *    copies stdin to stdout without the lines that its launcher wrote
#   scheduler_time_left *    prints the whole seconds until the job's time limit; nothing where there is none
#   scheduler_steps PROGRAM *
#                            when PROGRAM starts processes through the scheduler: prints what its accounts say, a line
#                            step<TAB>ID<TAB>NAME<TAB>TASKS<TAB>ELAPSED_S<TAB>CPU_S<TAB>MAX_RSS_BYTES<TAB>STATE
#                            for each step (empty: not known), or one line reason<TAB>TEXT
#   scheduler_copies *       prints the options that submit a job of {copies} tasks a node with {cpus} CPUs each, these
#                            two words as they are; nothing where it has no such options
#   scheduler_scratch        prints folders on the node's own disk, a line each, the best first
#   scheduler_can_requeue    0 when the job may be put back into the queue: it was not cancelled
#   scheduler_requeue        puts the job back into the queue, which ends it; returns only when that failed
#
# Of the queue, from anywhere:
#
#   scheduler_version        prints its name for people and its version: Slurm 22.05.8; where it gives
#                            none its name<TAB>the command that should
#   scheduler_check [dry-run]
#                            ends with an error when nothing can be submitted from here; with dry-run, only what
#                            keeps it from being shown
#   scheduler_settings *     puts the options of the settings (settings.bash) in front of scheduler_options
#   scheduler_array_limit    sets REPLY to the most tasks of an array, 0 when it takes no arrays, and
#                            REMARK to what had to be assumed, or to nothing
#   scheduler_nodes WORD...  sets REPLY to the number of nodes that a job with these options may run on
#   scheduler_submit_words JOB ARRAY
#                            sets ARRAY to the command that submits a job and prints its id. JOB is the name of an
#                            associative array: name, script (its path), words (its arguments, without spaces),
#                            log (%j is the job's id, %i the task's number), tasks (empty: no array), at_once
#                            (empty: all), after (ids, with spaces between: begin when they have ended), nodes,
#                            exclusive (who has the nodes for himself: job, user, mcs, or default: the job where
#                            the options do not say it; empty: they are shared), and light (1: needs few resources, but may run where the others do);
#                            scheduler_options, an array variable, has the user's own options
#   scheduler_cancel         array variable: the command that ends the jobs whose ids follow it
#   scheduler_queue FOLDER   prints a line ID<TAB>JOB<TAB>STATE for each task or job of FOLDER's owner that waits or
#                            runs; ID is the task's (12_3), JOB what the submit command printed; 1 without an answer
#   scheduler_fate ID        prints how a task or job ended, a lower-case word; gone where nobody knows

# Name, the variable that is set in its jobs, a command that no other one has.
readonly -a scheduler_known=(
    'slurm SLURM_JOB_ID sbatch'
    'gridengine SGE_JOB_SPOOL_DIR qconf'
    'local JOSTLE_LOCAL_JOB bash'
)

# shellcheck source=adapter.bash
source "$JOSTLE_ROOT/jobs/adapter.bash"

scheduler='' # the name of the adapter in use
# shellcheck disable=SC2034 # set by the adapter, read by everybody
scheduler_job='' scheduler_task='' scheduler_name=''
scheduler_known_job='' # not empty when scheduler_environment has been here
# shellcheck disable=SC2034 # for the adapter
declare -a scheduler_options=() scheduler_signals=() scheduler_cancel=()

# scheduler_of_job: sets REPLY to the name of the scheduler in whose job we run, or to nothing.
scheduler_of_job() {
    local row variable
    REPLY=''
    for row in "${scheduler_known[@]}"; do
        variable=${row#* }
        variable=${variable% *}
        [[ -n $REPLY || -z ${!variable:-} ]] || REPLY=${row%% *}
    done
}

# scheduler_use [NAME]: loads the adapter NAME; without it, that of the job that we
# run in, else the first whose command is here. Ends with wrong use for an unknown NAME.
scheduler_use() {
    local row wanted=${1:-} names=''
    [[ -n $wanted ]] || {
        scheduler_of_job
        wanted=$REPLY
    }
    for row in "${scheduler_known[@]}"; do
        names+=" ${row%% *}"
        [[ -n $wanted ]] || ! command -v "${row##* }" >/dev/null || wanted=${row%% *}
    done
    [[ "$names " == *" $wanted "* ]] || usage_error "--scheduler $wanted: unknown scheduler: give one of$names"
    scheduler_load "$wanted"
}

# scheduler_use_job: loads the adapter of the job that we run in, and outside of one that of this machine, which
# then prints and changes nothing.
scheduler_use_job() {
    scheduler_of_job
    scheduler_load "${REPLY:-local}"
}

# scheduler_load NAME: sources the adapter.
scheduler_load() {
    scheduler=$1
    # shellcheck source=/dev/null
    source "$JOSTLE_ROOT/jobs/$scheduler/adapter.bash"
}

# scheduler_of FOLDER: sets REPLY to the scheduler that the jobs of the campaign in
# FOLDER were last submitted to, or to nothing. (jobs.tsv: TIME, SCHEDULER, ROLE, ID)
scheduler_of() {
    local name
    REPLY=''
    [[ -f $1/jobs/jobs.tsv && -r $1/jobs/jobs.tsv ]] || return 0
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

# scheduler_ask NAME FUNCTION: calls a function of the adapter NAME in a shell of its own: another one may
# be in use here.
scheduler_ask() {
    # shellcheck disable=SC2016 # expanded there
    JOSTLE_ROOT=$JOSTLE_ROOT "$BASH" -p -c 'source "$JOSTLE_ROOT/jobs/scheduler.bash" && scheduler_use "$1" && "$2"' bash "$@"
}

# scheduler_hints: prints a line NAME<TAB>OPTIONS for each scheduler that has options of
# scheduler_copies, also where it is not installed: results are read elsewhere, too.
scheduler_hints() {
    local row name text
    for row in "${scheduler_known[@]}"; do
        name=${row%% *}
        text=$(scheduler_ask "$name" scheduler_copies) || continue
        [[ -z $text ]] || printf '%s\t%s\n' "$name" "$text"
    done
}

# scheduler_found: prints a line JOB<TAB>VERSION for each scheduler that is here, in the order in which
# scheduler_use chooses: first that of our job, with the job's id, then those whose commands are here.
# VERSION as scheduler_version prints it.
scheduler_found() {
    local row name variable command line others=''
    for row in "${scheduler_known[@]}"; do
        read -r name variable command <<<"$row"
        # This machine itself is none that could be found.
        [[ -n ${!variable:-} ]] || { [[ $name != local ]] && command -v "$command" >/dev/null; } || continue
        line=$(scheduler_ask "$name" scheduler_describe) || continue
        if [[ -n ${!variable:-} ]]; then
            printf '%s\n' "$line"
        else
            others+=$line$'\n'
        fi
    done
    printf '%s' "$others"
}

# scheduler_describe: prints the line of scheduler_found.
scheduler_describe() {
    printf '%s\t%s\n' "$scheduler_job" "$(scheduler_version)"
}

# scheduler_has_host HOST: 0 when it is a node of our job.
scheduler_has_host() {
    local host
    while IFS= read -r host; do
        [[ $host != "$1" ]] || return 0
    done < <(scheduler_hosts)
    return 1
}

# node_start_words NODE ARRAY: puts in front of the command in ARRAY what starts it on NODE with our stdin, stdout and
# stderr: the scheduler where NODE is one of our job, else ssh. An empty NODE is this one.
node_start_words() {
    local -n node_start_result=$2
    [[ -n $1 ]] || return 0
    ! scheduler_has_host "$1" || {
        scheduler_start_words "$1" "$2"
        return
    }
    # What it makes for itself is in our own folder, and goes with it.
    node_start_result=(env JOSTLE_TEMPORARY="${temporary_folder:-${TMPDIR:-/tmp}}/far.$RANDOM$RANDOM"
        "$JOSTLE_ROOT/jobs/ssh/far" "$1" "${node_start_result[@]}")
}

# scheduler_cancel_words ARRAY ID...: sets ARRAY to the command that ends these jobs.
scheduler_cancel_words() {
    local -n scheduler_cancel_result=$1
    # shellcheck disable=SC2034 # the caller's array
    scheduler_cancel_result=("${scheduler_cancel[@]}" "${@:2}")
}
