#!/usr/bin/env bats
# bats file_tags=measures
# The control protocol: what each line does, and that nothing outlives its end.

load helpers
load loadgen

setup() {
    bats_require_minimum_version 1.5.0
}

teardown() {
    [[ -z ${LOAD_PID:-} ]] || kill -KILL "$LOAD_PID" 2>/dev/null || true
}

# switches PID: voluntary and other switches of all its threads so far.
switches() {
    awk '/ctxt_switches/ { sum += $2 } END { print sum }' /proc/"$1"/task/*/status
}

@test "ready, steady, paused and summary come in that order, each once" {
    run -0 "$BIN/loadgen" cpu --percent 5 --control < <(printf 'resume\n' && sleep 0.3 && printf 'pause\n')
    holds '[.[].event] == ["ready", "steady", "paused", "summary"]' -s <<<"$output"
    holds '.[0] | .load == "cpu" and .unit == "CPUs"' -s <<<"$output"
}

@test "a load starts paused and uses nothing" {
    load_start cpu --percent 100
    load_expect ready
    sleep 0.5
    load_end
    load_holds '.elapsed_s == 0 and .cpu_s < 0.05'
}

@test "paused, no thread of it wakes up even once" {
    local before
    load_start cpu --percent 20
    load_expect ready
    load_resume
    load_say pause
    load_expect paused
    sleep 0.2
    before=$(switches "$LOAD_PID")
    sleep 2
    [ "$(switches "$LOAD_PID")" -eq "$before" ]
    load_end
}

@test "a mark reports what was delivered since the previous mark, or since resume" {
    load_start cpu --percent 30 --threads 1
    load_expect ready
    load_resume
    sleep 0.3
    load_mark one
    load_holds '.mark == "one" and .elapsed_s > 0.25'
    [[ $LOAD_REPLY == '{"event":"mark","mark":"one","load":"cpu",'* ]]
    sleep 1
    load_mark two
    load_holds '.elapsed_s > 0.95 and .elapsed_s < 3 and .offered > 0.299 and .offered < 0.301'
    load_holds '(.achieved - .cpu_s / .elapsed_s) | fabs < 0.02'
    load_end
}

@test "paused time is not counted" {
    load_start cpu --percent 50 --threads 1
    load_expect ready
    load_resume
    sleep 0.5
    load_say pause
    load_expect paused
    load_mark a
    sleep 1
    load_mark b
    load_holds '.elapsed_s == 0 and .offered == null'
    load_resume
    sleep 0.2
    load_mark c
    load_holds '.elapsed_s > 0.15 and .elapsed_s < 0.9'
    load_end
}

@test "a new rate holds within 100 ms" {
    load_start cpu --percent 10 --threads 1
    load_expect ready
    load_resume
    load_say rate 60
    sleep 0.1
    load_mark a
    sleep 1
    load_mark b
    # What a busy machine withholds is dropped, and counted.
    load_holds '.offered == 0.6 and (.achieved + .dropped_s / .elapsed_s) / .offered > 0.8 and .achieved / .offered < 1.05'
    load_say rate '10%'
    sleep 0.1
    load_mark c
    sleep 1
    load_mark d
    load_holds '.offered == 0.1 and .achieved / .offered > 0.9 and .achieved / .offered < 1.1'
    load_end
}

@test "commands that come at once are obeyed one after the other" {
    run -0 "$BIN/loadgen" cpu --percent 5 --control \
        < <(printf 'resume\npause\nresume\npause\nmark x\nresume\n' && sleep 0.5)
    holds '[.[].event] | map(select(. == "paused")) | length == 2' -s <<<"$output"
    holds '.[-1].event == "summary" and ([.[].event] | index("mark")) > ([.[].event] | index("paused"))' \
        -s <<<"$output"
}

@test "a wrong line is answered with an error, and the load continues" {
    load_start cpu --percent 5
    load_expect ready
    local line
    for line in nonsense 'rate fast' 'rate 101' 'rate' 'mark' 'pause now' ''; do
        load_say "$line"
        load_expect error
    done
    load_resume
    load_end
    load_holds '.elapsed_s > 0'
}

@test "a name with quotes in it stays valid JSON" {
    load_start cpu --percent 5
    load_expect ready
    load_mark 'a"b\c'
    load_holds '.mark == "a\"b\\c"'
    load_end
}

@test "commands from a file are obeyed to its end" {
    printf 'resume\nmark a\nquit\n' >"$BATS_TEST_TMPDIR/commands"
    run -0 "$BIN/loadgen" cpu --percent 5 --control <"$BATS_TEST_TMPDIR/commands"
    holds '.[-1].event == "summary"' -s <<<"$output"
    run -0 "$BIN/loadgen" cpu --percent 5 --control </dev/null
    holds '.[-1].event == "summary"' -s <<<"$output"
}

@test "intervals come as often as --interval says" {
    run -0 "$BIN/loadgen" cpu --percent 10 --interval 200ms --duration 1100ms --json
    holds '[.[] | select(.event == "interval")] | length >= 4 and length <= 5' -s <<<"$output"
    holds 'all(.[] | select(.event == "interval"); .elapsed_s > 0.1 and .elapsed_s < 0.6)' -s <<<"$output"
}

@test "without --json it speaks to people" {
    run -0 "$BIN/loadgen" cpu --percent 10 --duration 300ms --interval 100ms
    [[ $output == *'cpu: offered'* && ${lines[-1]} == 'cpu, in all: offered'* ]]
}

@test "SIGTERM, SIGINT and SIGHUP end it with a summary and exit 0" {
    local signal
    for signal in TERM INT HUP; do
        load_start cpu --percent 5
        load_expect ready
        load_resume
        kill -"$signal" "$LOAD_PID"
        load_expect summary
        wait "$LOAD_PID"
        exec {LOAD_IN}>&- {LOAD_OUT}<&-
    done
}

@test "end of file ends it, also while it is paused" {
    load_start cpu --percent 50
    load_expect ready
    load_resume
    load_end
    gone "$LOAD_PID"
    load_start cpu --percent 50
    load_expect ready
    load_end
    gone "$LOAD_PID"
}

@test "kill -9 of its parent ends it, though somebody else holds its stdin open" {
    local parent child
    mkfifo "$BATS_TEST_TMPDIR/in"
    exec {hold}<>"$BATS_TEST_TMPDIR/in"
    # shellcheck disable=SC2016 # for the inner shell
    bash -c '"$1" cpu --percent 5 --control <"$2" >"$3" & echo $! >"$4"; wait' _ "$BIN/loadgen" \
        "$BATS_TEST_TMPDIR/in" "$BATS_TEST_TMPDIR/out" "$BATS_TEST_TMPDIR/pid" 3>&- &
    parent=$!
    eventually 10 grep -q ready "$BATS_TEST_TMPDIR/out"
    child=$(<"$BATS_TEST_TMPDIR/pid")
    kill -KILL "$parent"
    eventually 10 gone "$child"
    exec {hold}>&-
    grep -q summary "$BATS_TEST_TMPDIR/out"
}

@test "it ends when the reader of its stdout goes away" {
    mkfifo "$BATS_TEST_TMPDIR/in"
    exec {hold}<>"$BATS_TEST_TMPDIR/in"
    "$BIN/loadgen" cpu --percent 5 --interval 50ms --control <"$BATS_TEST_TMPDIR/in" 2>/dev/null 3>&- > >(head -n 3 >/dev/null) &
    LOAD_PID=$!
    echo resume >&"$hold"
    eventually 10 gone "$LOAD_PID"
    exec {hold}>&-
}
