#!/usr/bin/env bats
# loadgen mixed: several things in turn, in one thread, by the CPU time that it gets.

load helpers
load loadgen
bats_require_minimum_version 1.5.0

mixed() {
    "$BIN/loadgen" mixed --json --threads 1 "$@"
}

@test "the CPU time is that of --limit, and the kernel counts the faults and processes of it" {
    local before after
    before=$(awk '/^processes/ { print $2 }' /proc/stat)
    kept_for_two_seconds() {
        run -0 --separate-stderr mixed --limit 400 --faults 20000 --forks 50 --duration 2s && kept 1 10 <<<"${lines[-1]}"
    }
    in_tries 3 kept_for_two_seconds
    after=$(awk '/^processes/ { print $2 }' /proc/stat)
    # 0.5 ms of CPU time a round, 20 faults and 0.05 processes in each ms.
    holds '(.operations * 0.0005) as $cpu | (.cpu_s - $cpu | fabs) < 0.1 * $cpu + 0.02 and (.faults - 20000 * $cpu | fabs) < 0.05 * .faults + 50
        and (.processes - 50 * $cpu | fabs) < 3 and .processes <= $made and .kernel_page_faults >= .faults - 50' \
        --argjson made $((after - before)) <<<"${lines[-1]}"
}

@test "without a limit it takes what it gets, and does as much as that CPU time asks for" {
    sanitized && skip 'the sanitizer has faults of its own'
    run -0 --separate-stderr mixed --faults 20000 --stream 200M --footprint 8M --duration 1s
    holds '.cpu_s > 0 and (.faults / .cpu_s) > 17000 and (.faults / .cpu_s) < 23000 and .offered == null' <<<"${lines[-1]}"
}

@test "it runs one thread, also while its processes do" {
    local pid threads
    "$BIN/loadgen" mixed --json --threads 1 --forks 100 >"$BATS_TEST_TMPDIR/out" 3>&- &
    pid=$!
    eventually 30 grep -q steady "$BATS_TEST_TMPDIR/out"
    threads=$(awk '/^Threads/ { print $2 }' "/proc/$pid/status")
    kill -TERM "$pid"
    wait "$pid"
    # Its own, and the frame's.
    [[ $threads -le 2 ]]
    run ! pgrep -P "$pid"
}

@test "wrong values are refused" {
    run -2 "$BIN/loadgen" mixed --faults -1
    run -2 "$BIN/loadgen" mixed --footprint 1
    run -2 "$BIN/loadgen" mixed --limit 10MB/s --duration 1
    [[ $output == *'counts in ops/s'* ]]
}
