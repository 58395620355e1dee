# The conversation with stats, which reads every record and decides what runs next.
# Sourced, never run; needs messages, signals, processes, loads. A line is a command and its
# arguments, with tabs between.
# shellcheck disable=SC2034,SC2154 # shared with loop.bash and the others

stats_in='' stats_out='' stats_pid=''
declare -a STATS_ANSWER=() # the fields of stats' last answer
declare -a NEXT=()         # its last decision: run CONDITION BLOCK ORDER PROGRESS RUNS_LEFT VALUE of --vary (or -) [BLOCK that the service is to be started for], pause SECONDS, probe SECONDS, or stop REASON TEXT (of a failure: how, and then ADVICE, and whose it is; else the verdict of a gate)

# stats_start FOLDER: starts it on the experiment in FOLDER.
stats_start() {
    local out in
    local -a words=("$JOSTLE_BIN/stats" --experiment "$1" --pid "$$")
    [[ -z ${plan[written]:-} ]] || words+=(--written "${plan[written]}")
    [[ -z ${plan[quiet]:-} ]] || words+=(--quiet)
    # A signal to the whole group must not end it before it has noted how we end.
    coproc STATS {
        signals_ignore
        spawn "${words[@]}"
    }
    stats_pid=$!
    # Duplicates: bash closes its own as soon as the program has ended.
    out=${STATS[0]} in=${STATS[1]}
    exec {stats_out}<&"$out" {stats_in}>&"$in"
    private_fds+=("$stats_out" "$stats_in")
    exec {out}<&- {in}>&-
}

# stats_say FIELD...: sends a command that has no answer. A text may have lines, a command is
# one.
stats_say() {
    local IFS=$'\t'
    local line="$*"
    send "$stats_in" "${line//$'\n'/ }"
}

# stats_ask FIELD...: sends a command, and reads the answer into STATS_ANSWER.
stats_ask() {
    stats_say "$@"
    stats_answer
}

# stats_decide FIELD...: sends what stats answers with a decision, which is then in NEXT.
stats_decide() {
    stats_say "$@"
    stats_next
}

# stats_next: reads a decision into NEXT.
stats_next() {
    stats_answer
    NEXT=("${STATS_ANSWER[@]}")
    [[ ${NEXT[0]} != failed ]] || stats_failed
}

# stats_gone: it has ended too early.
stats_gone() {
    local code=0
    wait "$stats_pid" 2>/dev/null || code=$?
    ((code > 128)) || die 'stats ended before the experiment did: see above'
    die "stats was killed (signal $((code - 128))): continue with --resume"
}

# stats_answer [SECONDS]: reads an answer; 1 when none has begun to come after SECONDS: one that has is
# read to its end. Only the last field may be empty.
stats_answer() {
    local code part line='' began_us=0
    local IFS='' # of the function: were it the command's, a trap that `read` runs could have no other
    if [[ -n ${1:-} ]]; then
        now_us
        began_us=$REPLY
    fi
    while true; do
        code=0
        if [[ -n ${1:-} ]]; then
            read_within "$1" "$stats_out" part || code=$?
        else
            read -r -u "$stats_out" part || code=$?
        fi
        line+=$part
        ((code != 0)) || break
        ((code > 128)) || stats_gone
        # bash takes one character at a time, so the time may be over in the middle of a line.
        [[ -n ${1:-} && -z $line ]] || continue # a signal
        # bash waits by the time of day: one that is set forward ends the wait.
        now_us
        ((REPLY - began_us < ${1%%.*} * 1000000)) || return 1
    done
    stats_fields "$line"
}

# stats_fields LINE: sets STATS_ANSWER to what the tabs separate. Not by a here-string: before bash
# 5.1 each of them is a file, made and removed, and this is done between runs.
stats_fields() {
    local - IFS=$'\t'
    set -f
    # shellcheck disable=SC2206 # split at tabs, and no file names are looked for
    STATS_ANSWER=($1)
}

# stats_answer_held SECONDS: reads an answer; one that has not come after SECONDS (0: however long) is asked for. stats may
# give it at that very moment, and a second one would be taken for what the next command is answered.
stats_answer_held() {
    if [[ $1 == 0 ]]; then
        stats_answer
    elif ! stats_answer "$1"; then
        stats_say hold
        stats_answer
    fi
}

# stats_await SECONDS EVENT SOURCE...: until each source (a load's index, or meter) has
# sent EVENT; 1 when one is silent for SECONDS (0: however long), or when the service has
# died while a record is awaited. A source that failed ends the experiment.
stats_await() {
    stats_say await "${@:2}"
    stats_answer_held "$1"
    case ${STATS_ANSWER[0]} in
        ok) ;;
        silent | died) return 1 ;;
        *) stats_failed ;;
    esac
}

# stats_failed: ends the experiment because of what the last answer says.
stats_failed() {
    local source=${STATS_ANSWER[1]:-} text=${STATS_ANSWER[2]:-}
    [[ ${STATS_ANSWER[0]:-} == failed && ($source != [0-9]* || -n ${load_pid[$source]:-}) ]] ||
        die "stats gave an answer that nobody asked for (${STATS_ANSWER[*]}): report this, and continue with --resume"
    case $source in
        meter) measure_failed "$text" ;;
        service) service_failed "$text" ;;
        [0-9]*) load_failed "$source" "$text" ;;
        *)
            [[ -n $text ]] || exit "$EXIT_FAILURE" # it has said why
            die "$text"
            ;;
    esac
}

# stats_close: has it end, by the end of its stdin. Safe to call twice.
stats_close() {
    [[ -z $stats_in ]] || fd_close "$stats_in"
    stats_in=''
}

# stats_stop: ends it. Safe to call twice.
stats_stop() {
    [[ -n $stats_pid ]] || return 0
    stats_close
    pid_end "$stats_pid" 5
    fd_close "$stats_out"
    stats_pid=''
}
