#!/usr/bin/env bats
# loadgen switch: threads that wake each other, at a rate that the kernel confirms.

load helpers
load loadgen
bats_require_minimum_version 1.5.0

teardown() {
    [[ -z ${LOAD_PID:-} ]] || kill -KILL "$LOAD_PID" 2>/dev/null || true
}

# switched: the switches of all threads of the load so far, as the kernel counts them.
switched() {
    awk '/ctxt_switches/ { sum += $2 } END { print sum }' "/proc/$LOAD_PID"/task/*/status
}

# switches_as_claimed RATE: the running load, which is paused before and after, switches as often as it says, and
# not while it is paused. Neighbours may take the CPU from it, which is a switch, too, and right before its
# pause, when what it owes is in no figure.
switches_as_claimed() {
    local before after
    load_say "rate $1"
    before=$(switched)
    load_resume && sleep 0.3 && load_say pause && load_expect paused || return
    after=$(switched)
    # The main thread's own come on top.
    load_mark && kept 1 10 <<<"$LOAD_REPLY" &&
        load_holds '(.achieved * .elapsed_s) as $claimed |
            $counted >= $claimed * 0.98 - 5 and $counted <= $claimed * 1.02 + 40 and
            .voluntary_switches + .involuntary_switches >= $claimed * 0.98 - 5 and
            .wakeup_p50_ns > 0 and .wakeup_p50_ns <= .wakeup_p99_ns' --argjson counted $((after - before)) &&
        sleep 0.05 && (($(switched) - after < 30))
}

@test "switches: the kernel counts what is claimed, at any rate, and none while it is paused" {
    local rate
    load_start switch --threads 1 --method pipe --limit 2000iops
    load_expect ready
    for rate in 3000 12000; do
        in_tries 3 switches_as_claimed "$rate"
    done
    load_end
}

@test "switches across two CPUs say which, and need two" {
    local first second
    read -r first second _ < <("$BIN/loadgen" cpu --percent 1 --dry-run --json | jq -r .cpus | awk -F'[,-]' '{ print $1, $2 }')
    [[ -n $second ]] || skip "one CPU is allowed here"
    "$BIN/loadgen" switch --across --cpus "$first,$second" --dry-run --json | holds '.threads == 1 and (.cpus | test("[,-]"))'
    "$BIN/loadgen" switch --threads 1 --cpus "$first,$second" --dry-run --json | holds '.cpus == $cpu' --arg cpu "$first"
    run -2 "$BIN/loadgen" switch --across --cpus "$first" --duration 0.1
    [[ $output == *'one CPU is allowed here: give two with --cpus, or leave it out' ]]
}
