# Helpers for the tests of loadgen under --control.

# load_start LOAD ARGUMENTS...: starts loadgen; LOAD_PID, LOAD_IN and LOAD_OUT are
# its process and its pipes. Closing LOAD_IN ends it.
load_start() {
    local folder
    folder=$(mktemp -d "$BATS_TEST_TMPDIR/load.XXXXXX")
    mkfifo "$folder/in" "$folder/out"
    env --default-signal=INT,HUP,QUIT "$BIN/loadgen" "$1" --control "${@:2}" <"$folder/in" >"$folder/out" 2>"$folder/errors" 3>&- &
    LOAD_PID=$!
    exec {LOAD_IN}>"$folder/in" {LOAD_OUT}<"$folder/out"
}

load_say() {
    printf '%s\n' "$*" >&"$LOAD_IN"
}

# load_expect EVENT: reads replies until that event; the line is in LOAD_REPLY.
load_expect() {
    while IFS= read -r -t 120 -u "$LOAD_OUT" LOAD_REPLY; do
        [[ $LOAD_REPLY != '{"event":"'"$1"'"'* ]] || return 0
    done
    printf 'no %s came\n' "$1" >&2
    return 1
}

# load_resume: returns once it is steady.
load_resume() {
    load_say resume
    load_expect steady
}

# load_mark: LOAD_REPLY is what was delivered since the mark before.
load_mark() {
    load_say mark "${1:-m}"
    load_expect mark
}

# kept CHUNK [PERCENT]: the mark, interval or summary on stdin delivered, with what the
# load itself reports as dropped, what it was offered within PERCENT (5); CHUNK is
# what one operation delivers. Where the machine was too busy to run it in time, an
# operation in progress per worker (4 at most) and what is owed but not yet dropped (100 ms) may be
# missing too: no more than that, or operations are lost that nobody counts.
kept() {
    holds '(.offered * .elapsed_s) as $due
        | (.achieved * .elapsed_s + .dropped * $chunk - $due) as $off
        | ($due * $percent / 100) as $some
        | (if .dropped > 0 or .latency.response.max_ns > 2e7
           then .offered * ([0.1, .latency.response.max_ns / 1e9] | max) + 4 * $chunk
           else 0 end) as $owed
        | $off <= $some and $off >= -($some + $owed)' \
        --argjson chunk "$1" --argjson percent "${2:-5}"
}

window_is_kept() {
    load_mark start && sleep "$1" && load_mark end && kept "$2" "${3:-5}" <<<"$LOAD_REPLY"
}

# load_keeps SECONDS CHUNK [PERCENT]: in a window of so long the running load delivers what it is offered,
# as kept() has it; LOAD_REPLY is its mark. One of three windows: an operation that the machine holds
# up at the end of one is in no figure before it is done.
load_keeps() {
    in_tries 3 window_is_kept "$@"
}

operated() {
    load_mark start && jq -e '.operations > 0' <<<"$LOAD_REPLY" >/dev/null
}

# load_operates: returns once an operation of the running load has ended.
load_operates() {
    eventually 30 operated
}

# switched_in PID: how often all its threads were switched so far.
switched_in() {
    awk '/ctxt_switches/ { sum += $2 } END { print sum }' /proc/"$1"/task/*/status
}

# used_ns PID: CPU time of all its threads so far. (mawk's %d ends at 2^31, which is two seconds.)
used_ns() {
    awk '{ sum += $1 } END { printf "%.0f\n", sum }' /proc/"$1"/task/*/schedstat
}

# asleep PID SECONDS: 0 when meanwhile no thread of it woke up even once. What is told to pause has
# threads that may still be on their way to sleep: load_sleeps waits for them.
asleep() {
    local before
    before="$(switched_in "$1") $(used_ns "$1")"
    sleep "$2"
    [[ $before == "$(switched_in "$1") $(used_ns "$1")" ]]
}

# load_sleeps SECONDS: the load goes to sleep, and no thread of it wakes up for so long. A thread that is on its way,
# and gets no CPU, looks as if it slept: until there is such a time.
load_sleeps() {
    eventually 30 asleep "$LOAD_PID" "$1"
}

load_end() {
    exec {LOAD_IN}>&-
    load_expect summary || return
    exec {LOAD_OUT}<&-
    wait "$LOAD_PID"
}

# load_holds EXPRESSION [JQ-OPTION...]: the last reply makes the jq expression true.
load_holds() {
    holds "$@" <<<"$LOAD_REPLY"
}
