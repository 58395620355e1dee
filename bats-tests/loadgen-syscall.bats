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

# bats test_tags=measures
@test "system calls: the kernel counts what is claimed, at any rate, most of it is time in the kernel" {
    local rate before after
    load_start syscall --call read --threads 1 --limit 1000
    load_expect ready
    for rate in 3000 100000; do
        load_say "rate $rate"
        before=$(reads_counted)
        load_resume
        sleep 0.2
        load_say pause
        load_expect paused
        after=$(reads_counted)
        load_mark
        kept 1 10 <<<"$LOAD_REPLY"
        # The main thread's own come on top.
        load_holds '(.achieved * .elapsed_s) as $claimed | $counted >= $claimed - 1 and
            $counted <= $claimed * 1.02 + 40 and .kernel_ratio > 0.98 and .kernel_ratio < 1.02' --argjson counted $((after - before))
    done
    load_end
    "$BIN/loadgen" syscall --threads 1 --duration 0.3 --json | tail -n 1 | holds '.kernel_calls == null and .system_share > 0.2 and .system_share <= 1'
}

@test "a call that is none of the list is refused, and the list is shown" {
    run -2 "$BIN/loadgen" syscall --call fork --duration 0.1
    [[ $output == *getppid*write* ]]
}
