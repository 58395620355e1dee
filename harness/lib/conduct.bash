# The conversation with conduct, which makes the runs and keeps their records. A line is a command and its
# arguments, with tabs between. Sourced, never run; needs messages, signals, processes, loads.
# shellcheck disable=SC2034,SC2154 # shared with measure.bash and the others

conduct_in='' conduct_out='' conduct_pid=''
declare -a ANSWER=() # the fields of its last line

# conduct_start FOLDER: starts it on the experiment in FOLDER.
conduct_start() {
    local out in
    local -a words=("$JOSTLE_BIN/conduct" --pid "$$" --ready "$LOAD_READY_S" --steady "$LOAD_STEADY_S")
    [[ -z ${plan[written]:-} ]] || words+=(--written "${plan[written]}")
    [[ -z ${plan[quiet]:-} ]] || words+=(--quiet)
    words+=(-- "$1")
    # A signal to the whole group must not end it before it has noted how we end.
    coproc CONDUCT {
        signals_ignore
        spawn "${words[@]}"
    }
    conduct_pid=$!
    # Duplicates: bash closes its own as soon as the program has ended.
    out=${CONDUCT[0]} in=${CONDUCT[1]}
    exec {conduct_out}<&"$out" {conduct_in}>&"$in"
    private_fds+=("$conduct_out" "$conduct_in")
    exec {out}<&- {in}>&-
}

# conduct_say FIELD...: sends a command that has no answer. A text may have lines, a command is
# one.
conduct_say() {
    local IFS=$'\t'
    local line="$*"
    send "$conduct_in" "${line//$'\n'/ }"
}

# conduct_ask FIELD...: sends a command, and reads the answer into ANSWER. That it has failed ends the experiment.
conduct_ask() {
    conduct_say "$@"
    conduct_answer
    [[ ${ANSWER[0]} != failed ]] || conduct_failed
}

# source_open NAME FIELD...: tells conduct of a program by these fields and the FIFOs NAME and NAME.in, of which it
# then has its ends, and sets PIPE_IN, which is private: there the program reads what conduct writes, and the end of that.
source_open() {
    conduct_ask "${@:2}" "$fifo_folder/$1" "$fifo_folder/$1.in"
    { exec {PIPE_IN}<"$fifo_folder/$1.in"; } 2>/dev/null || fifo_lost "$1.in"
    private_fds+=("$PIPE_IN")
}

# conduct_gone: it has ended too early.
conduct_gone() {
    local code=0
    wait "$conduct_pid" 2>/dev/null || code=$?
    ((code > 128)) || die 'conduct ended before the experiment did: see above'
    die "conduct was killed (signal $((code - 128))): continue with --resume"
}

# conduct_answer: reads a line into ANSWER. Only the last field may be empty.
conduct_answer() {
    local code part line=''
    local IFS='' # of the function: were it the command's, a trap that `read` runs could have no other
    while true; do
        code=0
        read -r -u "$conduct_out" part || code=$?
        line+=$part
        ((code != 0)) || break
        ((code > 128)) || conduct_gone # else a signal
    done
    conduct_fields "$line"
}

# conduct_fields LINE: sets ANSWER to what the tabs separate. Not by a here-string: before bash
# 5.1 each of them is a file, made and removed.
conduct_fields() {
    local - IFS=$'\t'
    set -f
    # shellcheck disable=SC2206 # split at tabs, and no file names are looked for
    ANSWER=($1)
}

# conduct_end: has it end the runs, whatever is being made, and adds what was made. A signal may have come
# in the middle of a line: what comes up to the answer is passed over, for two seconds.
conduct_end() {
    local line
    conduct_say end
    while read_within 2 "$conduct_out" line; do
        conduct_fields "$line"
        [[ ${ANSWER[0]:-} != *made ]] || {
            runs_made=${ANSWER[1]:-0}
            return
        }
    done
}

# conduct_failed: ends the experiment because of what the last answer says.
conduct_failed() {
    local source=${ANSWER[1]:-} text=${ANSWER[2]:-}
    [[ ${ANSWER[0]:-} == failed && ($source != [0-9]* || -n ${load_pid[$source]:-}) ]] ||
        die "conduct gave an answer that nobody asked for (${ANSWER[*]}): report this, and continue with --resume"
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

# conduct_close: has it end, by the end of its stdin. Safe to call twice.
conduct_close() {
    [[ -z $conduct_in ]] || fd_close "$conduct_in"
    conduct_in=''
}

# conduct_stop: ends it. Safe to call twice.
conduct_stop() {
    [[ -n $conduct_pid ]] || return 0
    conduct_close
    pid_end "$conduct_pid" 5
    fd_close "$conduct_out"
    conduct_pid=''
}
