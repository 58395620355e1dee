# What adapters of schedulers share, and what they may leave out. Sourced by scheduler.bash, which says
# what each function of the interface does; needs messages.bash.

# scheduler_numbers NAME...: refuses variables of the environment that are there and no whole number: some are
# part of file names, and in arithmetic a text would be run.
scheduler_numbers() {
    local name
    for name; do
        [[ ${!name:-} =~ ^[0-9]{0,18}$ ]] || usage_error "$name=${!name}: not a whole number, as the scheduler sets it: unset it"
    done
}

# scheduler_fact NAME VALUE: prints one line of scheduler_facts.
scheduler_fact() {
    local value=${2//[$'\t\n']/ }
    printf '%s\t%s\n' "$1" "$value"
}

# scheduler_fact_names JOB_ID NODE: prints the facts that every job has.
scheduler_fact_names() {
    # shellcheck disable=SC2154 # of scheduler.bash
    scheduler_fact scheduler "$scheduler"
    scheduler_fact job_id "$1"
    scheduler_fact queue_id "$scheduler_job"
    scheduler_fact node "$2"
}

# scheduler_named NAME COMMAND...: what scheduler_version does for one whose COMMAND has the version at the
# end of its first line; some ask a server first, or read what is not there.
scheduler_named() {
    local line=''
    read -r line < <(timeout 2 "${@:2}" 2>/dev/null) || true
    if [[ ${line##* } == [0-9]* ]]; then
        printf '%s %s\n' "$1" "${line##* }"
    else
        printf '%s\t%s\n' "$1" "${*:2}"
    fi
}

# scheduler_needs DRY_RUN WHERE WHO PROGRAM...: what scheduler_check does for a scheduler that has these
# commands, submits WHERE, and whose command (WHO) takes words without spaces.
scheduler_needs() {
    local program
    for program in "${@:4}"; do
        [[ $1 == dry-run ]] || command -v "$program" >/dev/null ||
            die "$program is not here: submit $2, or give --scheduler local to measure on this machine in the background"
    done
    [[ $JOSTLE_ROOT != *[$' \t\n']* ]] || die "$JOSTLE_ROOT has a space in it, which $3 cannot take: move jostle"
}

# scheduler_one_node NODES WHY [ADVICE]: refuses loads that need another number of nodes than one.
scheduler_one_node() {
    [[ $1 == 1 ]] || usage_error "the loads need $1 nodes, and $2: ${3:+$3, or }remove node from the loads"
}

# scheduler_limit NUMBER PRESET WHO NAME: sets REPLY and REMARK as scheduler_array_limit does: NUMBER, or
# PRESET where that is none, because WHO, whose setting NAME it is, does not answer.
scheduler_limit() {
    REPLY=$1 REMARK=''
    [[ ! $REPLY =~ ^[0-9]+$ ]] || return 0
    REPLY=$2
    # shellcheck disable=SC2034 # for who called
    REMARK="$3 does not answer: $4 is taken to be $2"
}

# scheduler_pick VALUED WHOLE WORD...: sets the array SCHEDULER_PICKED to the options among the words that
# match the pattern WHOLE, and those that match VALUED, each with its value, the next word.
scheduler_pick() {
    local word value=''
    SCHEDULER_PICKED=()
    # shellcheck disable=SC2053 # patterns
    for word in "${@:3}"; do
        if [[ -n $value ]]; then
            SCHEDULER_PICKED+=("$word") value=''
        elif [[ $word == $1 ]]; then
            SCHEDULER_PICKED+=("$word") value=1
        elif [[ $word == $2 ]]; then
            SCHEDULER_PICKED+=("$word")
        fi
    done
}

# scheduler_script_words JOB ARRAY: puts the job's script and its arguments at the end of ARRAY; both as
# in scheduler_submit_words.
scheduler_script_words() {
    # shellcheck disable=SC2178 # the caller's
    local -n scheduler_script_job=$1 scheduler_script_result=$2
    local -a scheduler_script_given
    read -r -a scheduler_script_given <<<"${scheduler_script_job[words]}"
    scheduler_script_result+=("${scheduler_script_job[script]}" "${scheduler_script_given[@]}")
}

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

# What an adapter may leave out.

scheduler_pin() { :; }

scheduler_hosts() {
    [[ -z $scheduler_job ]] || printf '%s\n' "$HOSTNAME"
}

# There is one node only: the command is run as it is.
scheduler_start_words() { :; }

scheduler_own_lines() {
    cat
}

scheduler_time_left() { :; }

scheduler_steps() { :; }

scheduler_copies() { :; }

scheduler_settings() { :; }
