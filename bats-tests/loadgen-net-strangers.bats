#!/usr/bin/env bats
# loadgen net --listen and those whom it does not know: what they can hold of it, and what they can
# make it send.
# shellcheck disable=SC2016,SC2034,SC2154 # jq programs; read and set by load and run

load helpers
load loadgen
load loadgen-net

setup_file() {
    net_build
    "${CC:-cc}" -std=gnu17 -D_GNU_SOURCE -O1 -g -I"$ROOT" -I"$ROOT/loadgen" -o "$BATS_FILE_TMPDIR/net-protocol" \
        "$BATS_TEST_DIRNAME/fixtures/net-protocol.c" "$ROOT"/loadgen/net/{address,message,protocol,seats}.c "$ROOT"/common/version.c -DJOSTLE_VERSION='""'
}

setup() {
    net_setup
}

teardown() {
    net_teardown
}

@test "bytes of strangers: too few, too many, too large, of another version, in the wrong place" {
    run -0 "$BATS_FILE_TMPDIR/net-protocol" messages
}

@test "a full listener: no host takes all seats, none pushes out one that has fewer" {
    run -0 "$BATS_FILE_TMPDIR/net-protocol" seats
}

# threads PID: how many it has.
threads() {
    find "/proc/$1/task" -mindepth 1 -maxdepth 1 | wc -l
}

# served: 0 when a session gets a seat and delivers. One that is itself silent for too long loses it.
served() {
    net --connect "$LISTEN_AT" --limit 2MB/s --duration 100ms | holds '.achieved > 0'
}

@test "sessions that stay silent, or never open their streams, do not keep others out" {
    local mode
    for mode in 1 2; do # TCP without a stream, UDP without a datagram
        net_listen --timeout 200ms
        net_rogue_peer hold "$LISTEN_PORT" "$mode" 64
        [[ $ROGUE_PORT -eq 64 ]] # what it prints: how many were let in
        eventually 30 served
        net_listened | holds '.rejected > 0'
        kill "$ROGUE_PID"
    done
    LISTEN_PID='' ROGUE_PID=''
}

# bats test_tags=slow
@test "a session's streams never take all descriptors, and a silent one leaves where they run out" {
    # shellcheck disable=SC2016 # of the other shell
    IN=(bash -c 'ulimit -n 256 && exec "$@"' -)
    net_listen --timeout 200ms
    IN=()
    net_rogue_peer wide "$LISTEN_PORT" 240
    [[ $ROGUE_PORT -eq 0 ]] # it was not let in
    kill "$ROGUE_PID"
    net_rogue_peer wide "$LISTEN_PORT" 128
    [[ $ROGUE_PORT -eq 128 ]]
    eventually 30 served
    kill "$ROGUE_PID"
    net_listened | holds '.rejected >= 2'
    net_listen --timeout 200ms
    net_rogue_peer wide "$LISTEN_PORT" 100
    [[ $ROGUE_PORT -eq 100 ]]
    prlimit --pid "$LISTEN_PID" --nofile=64:64
    eventually 30 served
    kill "$ROGUE_PID" "$LISTEN_PID"
    LISTEN_PID='' ROGUE_PID=''
}

# counted: 0 once the listener has counted a datagram.
counted() {
    grep -q '"received":[1-9]' "$BATS_TEST_TMPDIR/listen"
}

@test "a datagram whose number cannot be is rejected, and no loss is counted of it" {
    net_listen --interval 100ms
    net_rogue_peer numbers "$LISTEN_PORT"
    [[ $ROGUE_PORT -eq 1 ]]
    eventually 30 counted
    net_listened | holds '.rejected == 2 and .lost == 0'
    LISTEN_PID=''
}

@test "a session has as many streams of round trips as it announced, each once" {
    net_listen
    local before
    before=$(threads "$LISTEN_PID")
    net_rogue_peer streams "$LISTEN_PORT" 100
    [[ $ROGUE_PORT -eq 1 ]]
    [[ $(threads "$LISTEN_PID") -eq $((before + 1)) ]]
    net_listened | holds '.rejected == 99'
    LISTEN_PID=''
}

@test "round trips are answered to the session's host alone, whatever token was sent" {
    local bytes
    net_listen
    for bytes in 1 16; do
        run -0 "$BATS_FILE_TMPDIR/net-rogue-peer" stranger "$LISTEN_PORT" "$bytes"
    done
    net_listened >/dev/null
    LISTEN_PID=''
}

@test "blocks of round trips of all sessions have a bound" {
    net_listen
    run -1 "$BIN/loadgen" net --ping --block-size 16M --streams 17 --connect "$LISTEN_AT" --duration 100ms
    [[ $output == *'smaller --block-size'* ]]
    net_listened | holds '.rejected == 1'
    LISTEN_PID=''
}
