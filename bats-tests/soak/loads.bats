#!/usr/bin/env bats
# Every kind of load ended at random times, by random signals, for longer than in loadgen-signals.bats;
# and by the OOM killer.
# Another seed than by chance: JOSTLE_CHAOS_SEED=N make soak SOAK=bats-tests/soak/loads.bats

load ../helpers
load ../loadgen-chaos

teardown() {
    local pid
    for pid in $(marked); do kill -KILL "$pid" 2>/dev/null || true; done
}

@test "four hundred loads ended at random leave no process, file or control group" {
    printf 'seed %s\n' "${JOSTLE_CHAOS_SEED:=$SRANDOM}"
    chaos_rounds 400 "$JOSTLE_CHAOS_SEED"
}

@test "an exec load that the OOM killer ends leaves nothing of its command" {
    local group=/sys/fs/cgroup/memory/jostle-test.$BASHPID pids=$BATS_TEST_TMPDIR/pids load
    mkdir "$group" 2>/dev/null && [[ -e $group/memory.limit_in_bytes ]] || skip 'no memory group of cgroup v1 can be made here'
    echo $((60 << 20)) >"$group/memory.limit_in_bytes"
    (echo "$BASHPID" >"$group/cgroup.procs" && marked_load exec --force --accounting processes -- sh -c "$DAEMONS" "$pids") 3>&- >/dev/null 2>&1 &
    load=$!
    eventually 10 started "$pids" 3
    echo 1000 >"/proc/$load/oom_score_adj" # its turn first
    (echo "$BASHPID" >"$group/cgroup.procs" && head -c 200000000 /dev/zero | tail) 3>&- >/dev/null 2>&1 || true
    ends_with 137 "$load"
    eventually 10 none_marked
    eventually 10 rmdir "$group"
}
