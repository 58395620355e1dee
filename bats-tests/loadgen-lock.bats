#!/usr/bin/env bats
# loadgen lock: locked instructions, none of them unless it is named.

load helpers
load loadgen
bats_require_minimum_version 1.5.0

# bats test_tags=measures
@test "contended additions: the counter has come to what is claimed, at the rate that was asked" {
    [[ $(nproc) -ge 2 ]] || skip "one CPU is allowed here"
    run -0 --separate-stderr "$BIN/loadgen" lock --contended --threads 2 --limit 400k --duration 0.3 --json
    kept 200 10 <<<"${lines[-1]}"
    holds '.claimed_additions > 0 and .counted_additions == .claimed_additions' <<<"${lines[-1]}"
}

# bats test_tags=measures
@test "split additions: the same, or the reason why the kernel lets none through" {
    run --separate-stderr "$BIN/loadgen" lock --split --limit 5000 --duration 0.2 --json
    if [[ $status -eq 2 ]]; then
        # shellcheck disable=SC2154 # set by run
        [[ $stderr == *'--split: '*' --contended'* ]]
        skip "$stderr"
    fi
    holds '.claimed_additions > 0 and .counted_additions == .claimed_additions' <<<"${lines[-1]}"
    # shellcheck disable=SC2154 # set by run
    [[ $stderr == *split_lock_mitigate* ]] || kept 2 10 <<<"${lines[-1]}"
}

@test "a lock has to be named, and contention needs two" {
    run -2 "$BIN/loadgen" lock --duration 0.1
    [[ $output == *'which lock?: give --contended '*' or --split '* ]]
    run -2 "$BIN/loadgen" lock --contended --split --duration 0.1
    run -2 "$BIN/loadgen" lock --contended --threads 1 --duration 0.1
    [[ $output == *'one worker contends with nobody'* || $output == *'one CPU is allowed here'* ]]
    run ! grep -q '^lock' <("$BIN/loadgen" --calibrations)
}
