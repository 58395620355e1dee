#!/usr/bin/env bats
# start: how commands in bash start what bash cannot; and the locks of `arguments`.

load helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return
}

@test "start: a command on some CPUs, in a session of its own, with its signals, or that ends with its parent" {
    local parent child
    [[ $("$BIN/start" --cpus 0 -- sh -c 'while read -r name value; do [ "$name" != Cpus_allowed_list: ] || echo "$value"; done </proc/self/status') == 0 ]]
    run -1 "$BIN/start" --cpus 8191 -- true
    [[ $output == 'jostle: CPUs 8191: '*': give some of those that jostle topology shows' ]]
    run -126 "$BIN/start" -- ./absent
    run -2 "$BIN/start" --cpus 0
    # Bit 1 of SigIgn is SIGINT, bit 2 SIGQUIT.
    [[ $(
        trap '' INT QUIT
        "$BIN/start" --default-signals -- sed -n 's/^SigIgn:\t*//p' /proc/self/status
    ) =~ [0189]$ ]]
    "$BIN/start" --session -- sh -c 'read -r a b c d e session rest </proc/self/stat; echo "$$ $session" >session.part; mv session.part session'
    eventually 30 test -e session
    read -r child parent <session
    [[ $child == "$parent" ]]
    "$BASH" -c '"$1" --with-parent KILL -- sleep 87 & echo $! >child; exec sleep 88' bash "$BIN/start" 3>&- &
    parent=$!
    eventually 30 test -s child
    eventually 30 grep -qs sleep "/proc/$(<child)/comm"
    kill -KILL "$parent"
    eventually 30 gone "$(<child)"
}

@test "a lock of arguments is that of flock: held by a descriptor, shared or not, waited for" {
    local lock waiting
    : >file
    exec {lock}<file
    "$BIN/arguments" lock exclusive "$lock"
    run -3 "$BIN/arguments" lock shared file
    "$BIN/arguments" lock wait-shared file {lock}<&- 3>&- &
    waiting=$!
    run -1 "$BIN/arguments" lock shared absent
    [[ $output == 'jostle: lock of absent: No such file or directory: '* ]]
    kill -0 "$waiting"
    exec {lock}<&-
    wait "$waiting"
    "$BIN/arguments" lock exclusive file
}
