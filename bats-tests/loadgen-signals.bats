#!/usr/bin/env bats
# loadgen as a process: whatever ends it, at whatever time, nothing of it is left.

load helpers
load loadgen
load loadgen-chaos

setup() {
    bats_require_minimum_version 1.5.0
}

teardown() {
    local pid
    for pid in $(marked); do kill -KILL "$pid" 2>/dev/null || true; done
}

# child_of PID NAME
child_of() {
    local child name
    for child in $(</proc/"$1"/task/"$1"/children); do
        read -r name <"/proc/$child/comm"
        [[ $name != "$2" ]] || printf '%s\n' "$child"
    done
}

# bats test_tags=slow
@test "SIGKILL of an exec load, of its process group, or of its guard leaves nothing of the command" {
    local accounting who load pids
    for accounting in processes auto; do
        for who in load group guard stopped; do
            pids=$BATS_TEST_TMPDIR/$accounting.$who
            # timeout makes a process group of its own, and SIGALRM has it time out at once.
            env --default-signal=INT,HUP,QUIT JOSTLE_LOAD_MARK="$BATS_TEST_TMPDIR" timeout -s KILL 1000 \
                "$BIN/loadgen" exec --accounting "$accounting" -- sh -c "$DAEMONS" "$pids" 3>&- >/dev/null 2>"$pids.errors" &
            load=$!
            eventually 30 started "$pids" 3
            case $who in
                load) kill -KILL "$(child_of "$load" loadgen)" ;;
                group) kill -ALRM "$load" ;;
                stopped) # the guard, and then the load
                    kill -STOP "$(child_of "$(child_of "$load" loadgen)" jostle-guard)"
                    kill -KILL "$(child_of "$load" loadgen)"
                    ;;
                guard) kill -KILL "$(child_of "$(child_of "$load" loadgen)" jostle-guard)" ;;
            esac
            eventually 30 none_marked
            eventually 30 no_groups_left
            if [[ $who == guard ]]; then
                ends_with 1 "$load"
                [[ $(<"$pids.errors") == *'the process that guards sh was killed: the command has been ended, too' ]]
            fi
        done
    done
}

@test "a guard that somebody has stopped does not keep its load from ending" {
    local load control
    mkfifo "$BATS_TEST_TMPDIR/control"
    "$BIN/loadgen" exec --control --json -- sleep 100 <"$BATS_TEST_TMPDIR/control" >"$BATS_TEST_TMPDIR/out" 3>&- &
    load=$!
    exec {control}>"$BATS_TEST_TMPDIR/control"
    eventually 30 grep -q '"ready"' "$BATS_TEST_TMPDIR/out"
    kill -STOP "$(child_of "$load" jostle-guard)"
    echo quit >&"$control"
    exec {control}>&-
    timeout 100 tail --pid="$load" -f /dev/null || { kill -KILL "$load" && false; }
    wait "$load"
}

# A process group whose number was that of the command once: in a namespace of process numbers the next
# one can be chosen. Prints "spared", or "killed".
stranger_of_same_number() {
    local load control stranger number
    cd "$1" && mkfifo control
    "$2" exec --accounting processes --control --json -- sh -c 'setsid sleep 100 & echo $$ >number' <control >out 2>errors &
    load=$!
    exec {control}>control
    echo resume >&"$control"
    until [[ -s number && ! -e /proc/$(<number) ]]; do sleep 0.02; done
    number=$(<number)
    until [[ ${stranger:-} == "$number" ]]; do
        [[ -z ${stranger:-} ]] || kill -KILL "$stranger"
        echo $((number - 1)) >/proc/sys/kernel/ns_last_pid
        setsid sleep 100 >/dev/null 3>&- &
        stranger=$!
    done
    echo pause >&"$control"
    until grep -q '"paused"' out; do sleep 0.02; done
    sleep 0.1
    kill -KILL "$stranger" 2>/dev/null
    wait "$stranger"
    case $? in
        137) echo spared ;;
        *) echo killed ;;
    esac
    exec {control}>&-
    wait "$load"
}

@test "a paused exec load ends what it started, and no strangers that have its command's number by then" {
    unshare --pid --fork --mount-proc true 2>/dev/null || skip 'no namespace of process numbers can be made here'
    run -0 --separate-stderr timeout 120 unshare --pid --fork --mount-proc --kill-child bash -c "$(declare -f stranger_of_same_number)"'; stranger_of_same_number "$@"' \
        _ "$BATS_TEST_TMPDIR" "$BIN/loadgen" 3>&-
    [ "$output" = spared ]
}

# bats test_tags=slow
@test "at a random time, by a random signal, a load leaves no process, file or control group" {
    chaos_rounds 16 1
}
