#!/usr/bin/env bats
# loadgen net: what is sent and received, at which rate, and who may tell it what.
# Ratios and invariants: how fast this machine is does not matter.
# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154 # jq programs; each test has a subshell; helpers' variables

load helpers
load loadgen
load loadgen-net

setup_file() {
    net_build
}

setup() {
    net_setup
}

teardown() {
    net_teardown
}

# summed_up EXPRESSION OPTION...: 0 when the summary of a load makes it true; it stays in SUMMARY. What a busy
# machine spoils: a thread that gets no CPU at the end of a load leaves something unsent, or not received.
summed_up() {
    SUMMARY=$(net "${@:2}") && holds "$1" <<<"$SUMMARY"
}

@test "TCP to itself: what was sent was received, and both halves' CPU time is reported" {
    in_tries 4 summed_up '.achieved > 1e6 and (.sent / .received | . > 0.99 and . < 1.01)' --duration 0.5
    holds '.offered == null and .unit == "B/s" and .received == .achieved
        and .sender_cpu_s > 0 and .receiver_cpu_s > 0
        and .sender_cpu_s + .receiver_cpu_s <= .cpu_s * 1.01' <<<"$SUMMARY"
}

# met RATE PIECE: the summary on stdin has offered just RATE, and achieved it, but for
# what was dropped or not yet written when the machine was busy; never more.
met() {
    holds --argjson wanted "$1" --argjson piece "$2" '
        (.offered / $wanted | . > 0.999 and . < 1.001)
        and (.achieved / $wanted < 1.01)
        and ((.achieved + .dropped * $piece / .elapsed_s) / $wanted > (if .late > 0 then 0.85 else 0.95 end))'
}

# meets RATE PIECE OPTION...: 0 when a load has met that limit. In several tries, as kept() has it: what is due
# when a worker gets no CPU at its very end is in no figure.
meets() {
    net "${@:3}" >"$BATS_TEST_TMPDIR/summary" && met "$1" "$2" <"$BATS_TEST_TMPDIR/summary"
}

# bats test_tags=slow
@test "a limit is met: TCP at 1, 10 and 100 Mbit/s, with pieces and with 1 KiB blocks" {
    local rate
    for rate in 1 10 100; do
        in_tries 4 meets $((rate * 125000)) 512 --duration 1 --limit "${rate}Mbit"
    done
    in_tries 4 meets 1250000 1024 --duration 1 --limit 10Mbit/s --block-size 1K
    in_tries 4 meets 1250000 1000 --duration 1 --limit 10Mbps --block-size 1000 --streams 3
}

# unharmed RATE PIECE OPTION...: 0 when all datagrams arrived in order, at that rate.
unharmed() {
    meets "$1" "$2" --udp "${@:3}" &&
        holds '.lost == 0 and .out_of_order == 0 and .loss_percent == 0' <"$BATS_TEST_TMPDIR/summary"
}

# bats test_tags=slow
@test "what a stopped receiver does not take at a limit is dropped, and does not wait to come at once" {
    cd "$BATS_TEST_TMPDIR"
    net_listen
    "$BIN/loadgen" net --connect "$LISTEN_AT" --limit 4MB/s --duration 4s --json >sent 3>&- &
    LOAD_PID=$!
    eventually 30 grep -q '"event":"steady"' sent
    sleep 0.5
    kill -STOP "$LISTEN_PID"
    sleep 2
    kill -CONT "$LISTEN_PID"
    wait "$LOAD_PID"
    # Of the 8 MB of these 2 s: the kernels' buffers and a tenth of a second are made up for.
    tail -n 1 sent | holds '.dropped * 512 > 4e6 and .achieved < 0.8 * .offered'
    net_listened >/dev/null
    LISTEN_PID=''
}

# bats test_tags=slow
@test "UDP at a limit: numbered, nothing lost, nothing out of order" {
    # The kernel loses datagrams when the receiver gets no CPU for a tenth of a second.
    in_tries 4 unharmed 2500000 1400 --duration 1.5 --limit 20Mbit
    in_tries 4 unharmed 1000000 512 --duration 1 --limit 1MB/s --streams 3 --block-size 512
    holds '.fairness > 0.9' <"$BATS_TEST_TMPDIR/summary"
}

@test "UDP without a limit: received and lost are what was sent" {
    in_tries 4 summed_up '.received > 0 and (.received * .elapsed_s / 1000 + .lost) / (.sent * .elapsed_s / 1000) > 0.999' \
        --udp --duration 0.5 --block-size 1000
    holds '.sent >= .received' <<<"$SUMMARY"
}

@test "datagrams too short for a number: what is not received is lost, and their order is unknown" {
    local streams
    net_listen
    for streams in 1 4; do
        in_tries 4 summed_up '.received > 0 and .out_of_order == null
                and ((.received * .elapsed_s + .lost) / (.sent * .elapsed_s) | . > 0.9999 and . < 1.0001)' \
            --udp --connect "$LISTEN_AT" --block-size 1 --streams "$streams" --duration 0.1
    done
    in_tries 4 summed_up '.operations > 10 and .lost == 0' --udp --ping --connect "$LISTEN_AT" --block-size 1 --streams 2 --duration 0.1
    net_listened | holds '.rejected == 0 and .achieved > 0'
}

@test "what a remote receiver has received is known at the end, not a tenth of a second before" {
    net_listen
    # In so short a time no report comes by itself.
    net --connect "$LISTEN_AT" --block-size 64 --duration 50ms | holds '.received > 0 and .received <= .sent'
    net_listened | holds '.achieved > 0'
}

# bats test_tags=slow
@test "a network that drops and delays: loss and order as they were" {
    net_listen
    net_rogue_peer lossy "$LISTEN_PORT"
    # The kernel loses more where the network gets no CPU for a tenth of a second.
    in_tries 4 summed_up '(.sent * .elapsed_s / 1000) as $sent | .loss_percent > 9 and .loss_percent < 11
            and (.lost / $sent | . > 0.09 and . < 0.11) and (.out_of_order / $sent | . > 0.09 and . < 0.11)' \
        --udp --connect "127.0.0.2:$LISTEN_PORT" --limit 1000kB/s --block-size 1000 --duration 2
    net_listened | holds '.lost > 0 and .out_of_order > 0'
}

# bats test_tags=slow
@test "round trips: their count fits their time, for TCP and UDP" {
    local kind
    for kind in --tcp --udp; do
        in_tries 4 summed_up '.operations > 20' "$kind" --ping --duration 0.5
        # Half of them take the median or more, so it is at most twice the mean.
        holds '.unit == "ops/s"
            and (.latency.service | .p50_ns <= .p90_ns and .p90_ns <= .p99_ns and .p99_ns <= .p999_ns
                and .p999_ns <= .max_ns and .p50_ns > 500)
            and .achieved * .latency.service.p50_ns / 1e9 < 2.1' <<<"$SUMMARY"
    done
    in_tries 4 summed_up '.achieved + .dropped > 170 and .achieved < 205' --ping --limit 200iops --duration 1 --block-size 4K
    in_tries 4 summed_up '.operations > 20 and .fairness > 0.1' --ping --streams 3 --duration 0.5
}

# all_counted: 0 when a new listener has counted what four senders have sent.
all_counted() {
    local kind bad=0
    net_listen || return
    for kind in --tcp --udp; do
        meets 4000000 1400 "$kind" --connect "$LISTEN_AT" --limit 4MB/s --duration 1 --streams 2 || bad=1
        mv "$BATS_TEST_TMPDIR/summary" "$BATS_TEST_TMPDIR/sent$kind"
    done
    summed_up '.operations > 10 and .lost == 0' --ping --udp --connect "$LISTEN_AT" --duration 0.3 || bad=1
    summed_up '.operations > 10' --ping --connect "$LISTEN_AT" --duration 0.3 || bad=1
    net_listened >"$BATS_TEST_TMPDIR/heard" && holds --argjson sent "$(jq -s 'map(.sent * .elapsed_s) | add' "$BATS_TEST_TMPDIR"/sent--*)" '
        .achieved * .elapsed_s > 0.99 * $sent and .lost == 0' <"$BATS_TEST_TMPDIR/heard" && ((bad == 0))
}

# bats test_tags=slow
@test "a listener counts what arrives, for every kind of sender" {
    # Of datagrams the kernel loses some when a listener gets no CPU for a tenth of a second.
    in_tries 4 all_counted
    holds '.rejected == 0 and .receiver_cpu_s > 0' <"$BATS_TEST_TMPDIR/heard"
}

@test "IPv6" {
    grep -q "^0*1 " /proc/net/if_inet6 2>/dev/null || skip "no IPv6 here"
    LISTEN='[::1]:0' net_listen
    [[ $LISTEN_AT == '[::1]:'* ]]
    in_tries 4 summed_up '.achieved > 5e5' --connect "$LISTEN_AT" --limit 1MB/s --duration 0.5
    in_tries 4 summed_up '.received > 4e5 and .lost == 0' --udp --connect "$LISTEN_AT" --limit 1MB/s --duration 0.5
    in_tries 4 summed_up '.operations > 10' --udp --ping --connect "$LISTEN_AT" --duration 0.3
}

@test "a listener is bound to 127.0.0.1 unless an address is given" {
    LISTEN=0 net_listen
    [[ $LISTEN_AT == 127.0.0.1:* ]]
}

# flows SECONDS RATE: 0 when in so long the running load sends at about that rate, but for what it drops.
flows() {
    load_mark && sleep "$1" && load_mark window &&
        load_holds '.mark == "window" and .achieved > 0 and ((.achieved + .dropped * 512 / .elapsed_s) / $rate | . > 0.6 and . < 1.4)' --argjson rate "$2"
}

# bats test_tags=slow
@test "pause stops all traffic and all threads; resume, a new rate and marks work" {
    load_start net --limit 2MB/s
    load_expect ready
    load_holds '.role == "loopback" and .protocol == "tcp" and .streams == 1'
    load_resume
    in_tries 4 flows 1 2e6
    load_say rate 40Mbit
    in_tries 4 flows 1 5e6
    load_holds '.offered / 5e6 | . > 0.999 and . < 1.001'
    load_say pause
    load_expect paused
    load_mark
    load_sleeps 0.5
    load_mark still
    load_holds '.elapsed_s == 0 and .achieved == null and .received == null'
    load_resume
    in_tries 4 flows 0.5 5e6
    load_say rate fast
    load_expect error
    load_end
    LOAD_PID=''
}

# last COUNT EXPRESSION: the listener's last so many intervals make it true.
last() {
    tail -n "$1" "$BATS_TEST_TMPDIR/listen" | jq -se "all(.[]; .event == \"interval\" and ($2))" >/dev/null
}

# bats test_tags=slow
@test "a pause stops what is without a limit: UDP, round trips, a remote listener" {
    local kind
    net_listen --interval 100ms
    for kind in --tcp --udp '--tcp --ping' '--udp --ping'; do
        # shellcheck disable=SC2086 # two words
        load_start net $kind --connect "$LISTEN_AT"
        load_resume
        eventually 30 last 1 '.achieved > 0'
        load_say pause
        load_expect paused
        # One alone may be that of a listener that got no CPU.
        eventually 30 last 4 '.achieved == 0'
        load_resume
        eventually 30 last 1 '.achieved > 0'
        load_end
        LOAD_PID=''
    done
    net_listened | holds '.achieved > 0'
}

# achieved: 0 when the running load has done something since the mark before.
achieved() {
    load_mark && jq -e '.achieved > 0' <<<"$LOAD_REPLY" >/dev/null
}

# received FILE: 0 when one of its intervals has something.
received() {
    jq -se 'any(.[]; .event == "interval" and .achieved > 0)' "$1" >/dev/null 2>&1
}

@test "a paused listener takes nothing, and the sender waits for it" {
    local at
    load_start net --listen 127.0.0.1:0
    load_expect ready
    at=$(jq -r .address <<<"$LOAD_REPLY")
    load_resume
    "$BIN/loadgen" net --connect "$at" --duration 600 --json >"$BATS_TEST_TMPDIR/net" 3>&- &
    LISTEN_PID=$!
    eventually 30 grep -q steady "$BATS_TEST_TMPDIR/net"
    load_say pause
    load_expect paused
    sleep 0.3
    load_mark
    load_resume
    eventually 30 achieved
    kill -TERM "$LISTEN_PID"
    wait "$LISTEN_PID"
    load_end
    LOAD_PID='' LISTEN_PID=''
}

@test "end of file, SIGTERM and SIGINT end it with a summary" {
    local signal
    load_start net --udp --limit 1MB/s
    load_resume
    load_end
    for signal in TERM INT; do
        env --default-signal=INT "$BIN/loadgen" net --json --interval 100ms >"$BATS_TEST_TMPDIR/$signal" 3>&- &
        LOAD_PID=$!
        eventually 30 received "$BATS_TEST_TMPDIR/$signal"
        kill -"$signal" "$LOAD_PID"
        wait "$LOAD_PID"
        summary_of "$BATS_TEST_TMPDIR/$signal" | holds '.achieved > 0'
    done
    LOAD_PID=''
}

# bats test_tags=slow
@test "a percentage is of the calibration that fits, and of no other" {
    "$BIN/loadgen" net --udp --ping --calib 0.5
    jq -s '.[0]' "$XDG_CACHE_HOME"/jostle/calibration/*.json |
        holds '.schema == "jostle.calibration/1" and .load == "net" and .ready.protocol == "udp-ping" and .rate > 100'
    rate=$(jq .rate "$XDG_CACHE_HOME"/jostle/calibration/*.json)
    net --udp --ping --limit 5% --duration 1 | holds --argjson rate "$rate" '.offered / $rate | . > 0.045 and . < 0.055'
    run -2 "$BIN/loadgen" net --ping --limit 5% --duration 1
    [[ $output == *'no calibration'*"jostle calib net --with '--tcp "*'--ping '* ]]
}

# bats test_tags=slow
@test "several streams share threads; --discard saves the receiver's copy" {
    in_tries 4 summed_up '.achieved < 8.1e6 and .fairness > 0.9' --streams 4 --threads 2 --limit 8MB/s --duration 1
    in_tries 4 meets 50000000 512 --discard --limit 50MB/s --duration 1
    in_tries 4 meets 2000000 1400 --discard --udp --limit 2MB/s --duration 1
}

@test "nothing is left behind: no descriptor is inherited, no socket stays open" {
    local port
    net_listen
    port=$LISTEN_PORT
    net --connect "$LISTEN_AT" --duration 0.2 >/dev/null
    net_listened >/dev/null
    LISTEN_PID=''
    # Who listens next at this port can.
    LISTEN=127.0.0.1:$port net_listen
    [[ $LISTEN_PORT == "$port" ]]
}
