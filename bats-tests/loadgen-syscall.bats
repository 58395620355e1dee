#!/usr/bin/env bats
# loadgen syscall: system calls at a rate.

load helpers
load loadgen
bats_require_minimum_version 1.5.0

teardown() {
    [[ -z ${LOAD_PID:-} ]] || kill -KILL "$LOAD_PID" 2>/dev/null || true
}

# reads_counted: calls of read by all threads of the load so far, as the kernel counts them.
reads_counted() {
    awk '$1 == "syscr:" { sum += $2 } END { print sum }' "/proc/$LOAD_PID"/task/*/io
}

# counted_as_claimed RATE: 0 when between a resume and a pause the kernel counts what the load claims at that rate.
counted_as_claimed() {
    local before after
    load_say "rate $1"
    before=$(reads_counted) && load_resume || return
    sleep 0.2
    load_say pause
    load_expect paused && after=$(reads_counted) && load_mark || return
    # The main thread's own come on top.
    kept 1 10 <<<"$LOAD_REPLY" &&
        load_holds '(.achieved * .elapsed_s) as $claimed | $counted >= $claimed - 1 and
            $counted <= $claimed * 1.02 + 40 and .kernel_ratio > 0.98 and .kernel_ratio < 1.02' --argjson counted $((after - before))
}

spends_time_in_kernel() {
    "$BIN/loadgen" syscall --threads 1 --duration 1 --json | tail -n 1 | holds '.kernel_calls == null and .system_share > 0.2 and .system_share <= 1'
}

@test "system calls: the kernel counts what is claimed, at any rate, most of it is time in the kernel" {
    local rate
    load_start syscall --call read --threads 1 --limit 1000
    load_expect ready
    for rate in 3000 100000; do
        # One of three: what a worker that was held up right before the pause owes is in no figure.
        in_tries 3 counted_as_claimed "$rate"
    done
    load_end
    in_tries 3 spends_time_in_kernel
}

@test "a call that is none of the list is refused, and the list is shown" {
    run -2 "$BIN/loadgen" syscall --call fork --duration 0.1
    [[ $output == *getppid*write* ]]
}
