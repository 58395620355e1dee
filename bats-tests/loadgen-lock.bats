#!/usr/bin/env bats
# loadgen lock: locked instructions, none of them unless it is named.

load helpers
load loadgen
bats_require_minimum_version 1.5.0

# contended_keeps: its rate; what it is held up by right at its end, it owes. Sets summary.
contended_keeps() {
    summary=$("$BIN/loadgen" lock --contended --threads 2 --limit 400k --duration 0.3 --json | tail -n 1) && kept 200 10 <<<"$summary"
}

# split_keeps: the same.
split_keeps() {
    "$BIN/loadgen" lock --split --limit 5000 --duration 0.2 --json 2>/dev/null | tail -n 1 | kept 2 10
}

@test "contended additions: the counter has come to what is claimed, at the rate that was asked" {
    [[ $(nproc) -ge 2 ]] || skip "one CPU is allowed here"
    in_tries 4 contended_keeps
    holds '.claimed_additions > 0 and .counted_additions == .claimed_additions' <<<"$summary"
}

@test "split additions: the same, or the reason why the kernel lets none through" {
    run --separate-stderr "$BIN/loadgen" lock --split --limit 5000 --duration 0.2 --json
    if [[ $status -eq 2 ]]; then
        # shellcheck disable=SC2154 # set by run
        [[ $stderr == *'--split: '*' --contended'* ]]
        skip "$stderr"
    fi
    holds '.claimed_additions > 0 and .counted_additions == .claimed_additions' <<<"${lines[-1]}"
    # shellcheck disable=SC2154 # set by run
    [[ $stderr == *split_lock_mitigate* ]] || kept 2 10 <<<"${lines[-1]}" || in_tries 3 split_keeps
}

@test "a lock has to be named, and contention needs two" {
    run -2 "$BIN/loadgen" lock --duration 0.1
    [[ $output == *'lock: neither kind is named: give --contended '*' or --split '* ]]
    run -2 "$BIN/loadgen" lock --contended --split --duration 0.1
    run -2 "$BIN/loadgen" lock --contended --threads 1 --duration 0.1
    [[ $output == *'one worker contends with nobody'* || $output == *'one CPU is allowed here'* ]]
    run ! grep -q '^lock' <("$BIN/loadgen" --calibrations)
}
