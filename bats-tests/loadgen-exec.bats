#!/usr/bin/env bats
# loadgen exec: any command is a load, and all of it ends with the load.

load helpers
load loadgen

setup() {
    bats_require_minimum_version 1.5.0
    MINE=$BATS_TEST_TMPDIR/pids
}

teardown() {
    local pid
    [[ -z ${LOAD_PID:-} ]] || kill -KILL "$LOAD_PID" 2>/dev/null || true
    [[ ! -e $MINE ]] || while read -r pid; do kill -KILL "$pid" 2>/dev/null || true; done <"$MINE"
}

# A command with a child, a child in another session that left its parent, and
# one that will not listen to SIGTERM; all write their ids to $MINE.
family() {
    cat <<'SCRIPT'
echo $$ >>"$0"
(echo $BASHPID >>"$0"; exec sleep 1000) &
setsid bash -c 'echo $$ >>"$0"; exec sleep 1000' "$0" </dev/null &
(setsid bash -c 'echo $$ >>"$0"; exec sleep 1000' "$0" &) &
bash -c 'trap "" TERM; echo $$ >>"$0"; while :; do sleep 0.1; done' "$0" &
wait
SCRIPT
}

all_gone() {
    local pid
    while read -r pid; do gone "$pid" || return 1; done <"$MINE"
}

started() {
    [ "$(wc -l <"$MINE" 2>/dev/null)" -ge "$1" ]
}

@test "resume starts the command, pause ends its whole tree, and it can be resumed" {
    load_start exec --settle 300ms -- bash -c "$(family)" "$MINE"
    load_expect ready
    load_holds '.load == "exec" and .unit == ""'
    [ ! -e "$MINE" ]
    load_resume
    eventually 10 started 5
    load_say pause
    load_expect paused
    all_gone
    rm "$MINE"
    load_resume
    eventually 10 started 5
    load_end
    all_gone
}

@test "steady comes after --settle" {
    load_start exec --settle 700ms -- sleep 100
    load_expect ready
    local before after
    before=$(date +%s%N)
    load_resume
    after=$(date +%s%N)
    [ $((after - before)) -ge 690000000 ]
    load_end
}

@test "its record has the CPU time of the tree, and neither offered nor achieved" {
    load_start exec --settle 100ms -- bash -c 'echo $$ >>"$0"; (while :; do :; done)' "$MINE"
    load_expect ready
    load_resume
    load_mark a
    sleep 1
    load_mark b
    load_holds '.offered == null and .achieved == null and .cpu_s / .elapsed_s > 0.2 and .cpu_s / .elapsed_s < 1.2'
    load_say pause
    load_expect paused
    load_end
    load_holds '.cpu_s > 0.2'
}

@test "a command that exits by itself is an error" {
    load_start exec --settle 100ms -- bash -c 'sleep 0.3; exit 3'
    load_expect ready
    load_resume
    load_expect error
    load_holds '.message | contains("status 3")'
    load_expect summary
    run -1 wait "$LOAD_PID"
}

@test "a command that becomes a daemon remains the load" {
    # shellcheck disable=SC2016 # for the inner shells
    load_start exec --settle 300ms -- bash -c '(setsid bash -c '\''echo $$ >>"$0"; exec sleep 1000'\'' "$0" &) ; exit 0' "$MINE"
    load_expect ready
    load_resume
    eventually 10 started 1
    load_end
    all_gone
}

@test "a command that is missing or not executable is an error that names the reason" {
    local command
    for command in /nowhere/to/be/found /etc/passwd; do
        load_start exec -- "$command"
        load_expect ready
        load_say resume
        load_expect error
        load_holds ".message | contains(\"cannot start $command\")"
        load_expect summary
        run -1 wait "$LOAD_PID"
        exec {LOAD_IN}>&- {LOAD_OUT}<&-
    done
}

@test "the command's output goes to stderr, and it does not read the control plane's stdin" {
    load_start exec --settle 200ms -- bash -c 'echo out; echo error >&2; cat; exec sleep 100'
    load_expect ready
    load_resume
    load_mark a
    load_end
    run cat "$BATS_TEST_TMPDIR"/load.*/errors
    [[ $output == *out*error* ]]
}

@test "the options of the command are its own" {
    run -0 "$BIN/loadgen" exec --duration 300ms -- bash -c 'exec sleep 100' --no-such-option
    run -0 "$BIN/loadgen" exec --duration 300ms bash -c 'exec sleep 100' --no-such-option
}

@test "SIGTERM and end of file end the tree" {
    load_start exec --settle 100ms -- bash -c "$(family)" "$MINE"
    load_expect ready
    load_resume
    eventually 10 started 5
    kill -TERM "$LOAD_PID"
    load_expect summary
    wait "$LOAD_PID"
    all_gone
}

@test "--cpus holds for the command" {
    local cpu
    cpu=$(taskset -cp $$ | sed 's/.*[ ,-]//')
    # shellcheck disable=SC2016 # for the inner shell
    load_start exec --settle 200ms --cpus "$cpu" -- bash -c 'awk "/^Cpus_allowed_list/ { print \$2 }" /proc/self/status >"$0"; exec sleep 100' "$MINE.cpus"
    load_expect ready
    load_resume
    [ "$(cat "$MINE.cpus")" = "$cpu" ]
    load_end
}
