#!/usr/bin/env bats
# loadgen hog: memory that is held, at next to no bandwidth.

load helpers
load loadgen
bats_require_minimum_version 1.5.0

setup() {
    export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
    cd "$BATS_TEST_TMPDIR" || return
    ! sanitized || skip 'a sanitizer holds more memory than the load'
}

# resident PID: prints its resident memory in MiB.
resident() {
    awk '$1 == "VmRSS:" { print int($2 / 1024) }' "/proc/$1/status"
}

@test "what is held is resident by the kernel, all the time, and takes next to no CPU" {
    load_start hog --threads 1 --size 96M
    load_expect ready
    load_resume
    [[ $(resident "$LOAD_PID") -ge 96 && $(resident "$LOAD_PID") -lt 160 ]]
    load_mark
    sleep 1
    load_mark
    load_holds '.held_bytes == 96 * 1048576 and .cpu_s / .elapsed_s < 0.2'
    load_say pause
    load_expect paused
    [[ $(resident "$LOAD_PID") -ge 96 ]]
    load_end
}

@test "a leak grows by its rate, and begins again at its size" {
    local first now before=0 fell=0
    load_start hog --threads 1 --size 64M --leak --limit 64MiB/s
    load_expect ready
    [[ $(resident "$LOAD_PID") -lt 40 ]]
    load_resume
    # It takes a second for that.
    for ((first = 0; first < 100 && !fell; first++)); do
        now=$(resident "$LOAD_PID")
        ((now >= before)) || fell=1
        before=$now
        sleep 0.1
    done
    [[ $fell == 1 ]]
    load_end
}

@test "a size is a part of the memory, or refused where that is not free" {
    "$BIN/loadgen" hog --size 0.1% --threads 1 --duration 0.2 --json | tail -n 1 | holds '.held_bytes > 0'
    run -2 "$BIN/loadgen" hog --size 100% --duration 1
    [[ $output == *'memory to be held of '*'give a smaller --size, or --force'* ]]
    run -2 "$BIN/loadgen" hog --size much --duration 1
    run -2 "$BIN/loadgen" hog --size 120% --duration 1
    run -2 "$BIN/loadgen" hog --leak --reclaim --duration 1
}

@test "pages are given to reclaim where there is swap, and refused where there is none" {
    if [[ $(awk '$1 == "SwapTotal:" { print $2 }' /proc/meminfo) -eq 0 ]]; then
        run -2 "$BIN/loadgen" hog --size 32M --reclaim --duration 1
        [[ $output == *'this machine has no swap'* ]]
    else
        "$BIN/loadgen" hog --size 32M --threads 1 --reclaim --limit 32MiB/s --duration 1 --json | tail -n 1 | holds '.achieved > 0'
    fi
}

@test "a signal ends it while it fills its memory, and it goes first where memory runs out" {
    cd "$BATS_TEST_TMPDIR"
    local pid
    fills() { [[ $(resident "$pid") -gt 32 ]]; }
    "$BIN/loadgen" hog --threads 1 --size 4GiB --force --duration 30 >out 2>&1 3>&- &
    pid=$!
    eventually 30 fills
    [[ $(<"/proc/$pid/oom_score_adj") -eq 1000 ]]
    kill "$pid"
    # Filled to the end it would have ended well, with a summary.
    wait "$pid" && return 1
    [[ $? == 143 && $(<out) != *'in all'* ]]
}

@test "it is a load of slowdown like any other" {
    "$JOSTLE" slowdown --quiet --output out --runs 2 --load 'held=hog --size 32M' --load 'names=meta --limit 200' -- sleep 0.2
    holds -s 'map(select(.condition == "held")) | length == 2 and all(.load[0].achieved > 0)' <out/runs.jsonl
    holds -s 'map(select(.condition == "names")) | length == 2 and all(.load[0].unit == "ops/s")' <out/runs.jsonl
}
