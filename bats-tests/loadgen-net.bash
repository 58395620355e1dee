# shellcheck shell=bash disable=SC2034 # the tests read what is set here
# Helpers for the tests of loadgen net. IN: command that all are started by, such as
# `ip netns exec NAME`.

# net_build: compiles what the load may meet; ROGUE is one.
net_build() {
    "${CC:-cc}" -std=gnu17 -D_GNU_SOURCE -O1 -g -I"$ROOT" -I"$ROOT/loadgen" -o "$BATS_FILE_TMPDIR/net-rogue-peer" \
        "$BATS_TEST_DIRNAME/fixtures/net-rogue-peer.c" "$ROOT"/loadgen/net/{address,message}.c "$BIN/../libcommon.a"
}

# net_setup, net_teardown: a cache of its own, and no peer yet; every peer is ended.
net_setup() {
    export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
    ROGUE_PID='' LISTEN_PID='' LOAD_PID=''
    IN=()
}

net_teardown() {
    local pid
    for pid in $ROGUE_PID $LISTEN_PID $LOAD_PID; do
        kill -CONT "$pid" 2>/dev/null || true
        kill -KILL "$pid" 2>/dev/null || true
    done
}

# net_rogue_peer MODE ARGUMENT...: starts one in the background; ROGUE_PID, and
# for those that listen ROGUE_PORT.
net_rogue_peer() {
    local out=$BATS_TEST_TMPDIR/rogue.$RANDOM
    "$BATS_FILE_TMPDIR/net-rogue-peer" "$@" >"$out" 3>&- &
    ROGUE_PID=$!
    [[ $1 != flood ]] || return 0
    eventually 30 test -s "$out"
    ROGUE_PORT=$(cat "$out")
}

# net_listen OPTION...: starts a listener with JSON lines in $BATS_TEST_TMPDIR/listen;
# LISTEN_PID, LISTEN_AT (its address) and LISTEN_PORT.
net_listen() {
    rm -f "$BATS_TEST_TMPDIR/listen"
    "${IN[@]}" "$BIN/loadgen" net --listen "${LISTEN:-127.0.0.1:0}" --json "$@" >"$BATS_TEST_TMPDIR/listen" 3>&- &
    LISTEN_PID=$!
    eventually 30 grep -q '"event":"steady"' "$BATS_TEST_TMPDIR/listen"
    LISTEN_AT=$(jq -rn 'first(inputs | select(.event == "ready")).address' "$BATS_TEST_TMPDIR/listen")
    LISTEN_PORT=${LISTEN_AT##*:}
}

# net_listened: ends it; its summary is printed. Also in a pipe, that is in a
# subshell, of which the listener is no child to wait for.
net_listened() {
    kill -TERM "$LISTEN_PID"
    eventually 30 gone "$LISTEN_PID"
    summary_of "$BATS_TEST_TMPDIR/listen"
}

# summary_of FILE: the last record of JSON lines, or {} if it is none.
summary_of() {
    jq -sc '(map(select(.event == "summary")) | last) // {}' "$1"
}

# net OPTION...: one load with JSON lines; its summary is printed, or {} if it failed.
net() {
    "${IN[@]}" "$BIN/loadgen" net --json "$@" >"$BATS_TEST_TMPDIR/net" || {
        cat "$BATS_TEST_TMPDIR/net" >&2
        printf '{}'
        return 1
    }
    summary_of "$BATS_TEST_TMPDIR/net"
}
