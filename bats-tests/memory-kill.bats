#!/usr/bin/env bats
# What the kernel kills for want of memory is counted around each run, and no such run is measured like another.

load helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return
}

teardown() {
    [[ -z ${GROUP:-} ]] || rmdir "$GROUP" || true
}

# small_group: makes a cgroup with 24 MiB of memory and sets GROUP; skips where it cannot.
small_group() {
    local name=jostle-test-$$-$RANDOM
    if [[ -w /sys/fs/cgroup/memory/memory.limit_in_bytes ]]; then
        GROUP=/sys/fs/cgroup/memory/$name
        mkdir "$GROUP" && echo 24M >"$GROUP/memory.limit_in_bytes"
        [[ $(<"$GROUP/memory.oom_control") == *oom_kill\ * ]]
    elif [[ -w /sys/fs/cgroup/cgroup.procs ]] && grep -qw memory /sys/fs/cgroup/cgroup.subtree_control; then
        GROUP=/sys/fs/cgroup/$name
        mkdir "$GROUP" && echo 24M >"$GROUP/memory.max" && echo 0 >"$GROUP/memory.swap.max"
    else
        skip 'no memory cgroup can be made here'
    fi
}

# greedy: a program that takes more than the group has.
greedy() {
    printf '#!/bin/sh\necho $$ >%s/cgroup.procs && head -c 100M /dev/zero | tail >/dev/null\n' "$GROUP" >greedy
    printf '#!/bin/sh\n./greedy\nexit 0\n' >target
    chmod +x greedy target
}

@test "a target that is killed for want of memory is said to be" {
    small_group
    greedy
    printf '#!/bin/sh\necho $$ >%s/cgroup.procs\nexec python3 -c "x = bytearray(100 << 20); x[::4096] = b\\"1\\" * len(x[::4096])"\n' "$GROUP" >target
    run -5 "$JOSTLE" run --output out --min-runs 3 --max-runs 3 -- ./target
    [[ $output == *'for want of memory'* && $output == *'memory limit'* ]]
    holds '.signal == 9 and .memory_kills.machine >= 1' <out/runs.jsonl
    is_valid run out/runs.jsonl
    "$BIN/stats" --derive out
    holds '.conditions[0].failures | .memory == 1 and .signal == 0' <out/result.json
    is_valid result out/result.json
}

# bats test_tags=slow
@test "a child that is killed behind the target's back marks the run" {
    small_group
    greedy
    "$JOSTLE" run --output out --quiet --min-runs 3 --max-runs 3 -- ./target
    jq -s . out/runs.jsonl | holds 'length == 3 and all(.[]; .exit_code == 0 and .memory_kills.machine >= 1 and (.flags | index("memory-kill")))'
    holds '.warnings | any(.flag == "memory-kill" and .severity == "problem" and .runs == [1, 2, 3])' <out/result.json
    is_valid result out/result.json
}

@test "the counts are those of the run alone, and of files that the kernel has" {
    local root=$BATS_TEST_TMPDIR/root
    made_up_group $((1 << 30))
    rm "$root/proc/vmstat"
    printf 'oom_kill 5\n' >"$root/proc/vmstat"
    printf 'low 0\noom 3\noom_kill 2\n' >"$root/sys/fs/cgroup/job/memory.events"
    "$BIN/meter" --output record -- sh -c 'printf "oom_kill 8\n" >"$0/proc/vmstat"; printf "oom 9\noom_kill 3\n" >"$0/sys/fs/cgroup/job/memory.events"' "$root"
    holds '.memory_kills | .cgroup == 1 and .machine == 3' <record
    # Above a group that does not count there is one that does.
    mkdir "$root/sys/fs/cgroup/job/step"
    echo '0::/job/step' >"$root/proc/self/cgroup"
    printf 'pgfault 1\n' >"$root/proc/vmstat"
    "$BIN/meter" --output record -- true
    holds '.memory_kills | .cgroup == 0 and .machine == null' <record
}

@test "--ignore-failure knows a signal by the code that a shell gives it" {
    local target
    for target in 'kill -TERM $$' 'sh -c "kill -TERM \$\$"; exit $?'; do
        rm -rf out
        "$JOSTLE" run --quiet --output out --ignore-failure=143 --min-runs 2 --max-runs 2 -- sh -c "$target"
        holds '.conditions[0].runs == 2' <out/result.json
        rm -rf out
        run -5 "$JOSTLE" run --quiet --output out --ignore-failure=1,15 --min-runs 2 --max-runs 2 -- sh -c "$target"
    done
}

# bats test_tags=slow
@test "a load that is killed for want of memory is said to be, and one that is killed otherwise is not" {
    small_group
    greedy
    # shellcheck disable=SC2016 # for the target
    printf '#!/bin/bash\n[[ ! -e wanted ]] || ./greedy\nmapfile -t children <<<"$(pgrep -f "^[^ ]*/loadgen .*--percent 7.%s")"\n[[ -z ${children[0]} ]] || kill -KILL "${children[@]}"\n' "$$" >target
    run -1 "$JOSTLE" slowdown --quiet --output other --max-runs 3 --load "a=cpu --percent 7.$$" -- ./target
    [[ $output == *'load a ended: it was killed (SIGKILL): find out by whom' ]]
    touch wanted
    run -1 "$JOSTLE" slowdown --quiet --output memory --max-runs 3 --load "a=cpu --percent 7.$$" -- ./target
    [[ $output == *'load a ended: it was killed (SIGKILL), and the kernel killed processes of this machine for want of memory meanwhile: '* ]]
    # A command of one's own, also where a shell waits for it.
    printf '#!/bin/sh\n./greedy || exit\nsleep 100\n' >hungry
    chmod +x hungry
    sed -i 's/ && head.*/ \&\& sleep 0.3 \&\& exec tail \/dev\/zero/' greedy
    for load in ./greedy ./hungry; do
        rm -rf exec
        run -1 "$JOSTLE" slowdown --quiet --output exec --max-runs 3 --load "a=exec: $load" -- sleep 3
        [[ $output == *"$load was killed while it should be running, "*'for want of memory meanwhile: '* ]]
    done
    run -1 "$JOSTLE" run --quiet --output service --max-runs 3 --service ./greedy --ready match:/up/ -- true
    [[ $output == *'was killed, '*'for want of memory meanwhile'* ]]
}
