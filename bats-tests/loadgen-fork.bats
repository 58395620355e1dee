#!/usr/bin/env bats
# loadgen fork: processes made at a rate.
# shellcheck disable=SC2016 # jq programs

load helpers
load loadgen
bats_require_minimum_version 1.5.0

setup() {
    export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
}

fork() {
    "$BIN/loadgen" fork --json "$@"
}

@test "processes are made at the rate of --limit, and the kernel counts as many" {
    local before after
    before=$(awk '/^processes/ { print $2 }' /proc/stat)
    kept_for_a_second() {
        run -0 --separate-stderr fork --threads 1 --limit 100 --duration 1s && kept 1 10 <<<"${lines[-1]}"
    }
    in_tries 3 kept_for_a_second
    after=$(awk '/^processes/ { print $2 }' /proc/stat)
    # Others make processes, too: at least ours are there.
    holds '.operations > 0 and .operations <= $made' --argjson made $((after - before)) <<<"${lines[-1]}"
    holds '.offered == 100 and .unit == "ops/s" and .operations == (.achieved * .elapsed_s | round)' <<<"${lines[-1]}"
}

@test "their CPU time counts, and so do the pages that they write to" {
    local small large
    small=$(fork --threads 1 --limit 50 --duration 1s --touch 0 | tail -n 1)
    large=$(fork --threads 1 --limit 50 --duration 1s --touch 16M | tail -n 1)
    # A busy machine has fewer of the large ones; a sanitizer makes the small ones dear.
    holds -s 'map(.cpu_s / .operations) | .[0] > 0 and .[1] > 3 * .[0]' <<<"$small $large"
}

# bats test_tags=slow
@test "a percentage is of what --calib measured with the same --touch" {
    run -2 "$BIN/loadgen" fork --threads 1 --limit 50% --duration 0.2
    [[ $output == *"make one: jostle calib fork --with '--threads 1'" ]]
    "$BIN/loadgen" fork --threads 1 --calib 0.5
    fork --threads 1 --limit 10% --duration 0.2 2>/dev/null | grep -m 1 ready | holds '.rate > 0 and (.calibration | endswith(".json"))'
    run -2 "$BIN/loadgen" fork --threads 1 --touch 1M --limit 50% --duration 0.2
}

@test "nothing is left of it, and wrong values are refused" {
    local pid
    "$BIN/loadgen" fork --threads 1 --json >"$BATS_TEST_TMPDIR/out" 3>&- &
    pid=$!
    eventually 30 grep -q steady "$BATS_TEST_TMPDIR/out"
    [[ $(<"/proc/$pid/oom_score_adj") -eq 1000 ]]
    kill -TERM "$pid"
    wait "$pid"
    run ! pgrep -P "$pid"
    run -2 "$BIN/loadgen" fork --touch 2G
    [[ $output == *'out of range: give'* ]]
    run -2 "$BIN/loadgen" fork --limit 10MB/s --duration 1
    [[ $output == *'counts in ops/s'* ]]
}
