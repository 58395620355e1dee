#!/usr/bin/env bats
# bats file_tags=slow
# loadgen net: bad input, bad peers, rogue peers. Each ends with one clear line, the
# right exit status, in bounded time, and nothing left behind.
# shellcheck disable=SC2016,SC2030,SC2031,SC2154 # jq programs; bats runs each test in a subshell

load helpers
load loadgen
load loadgen-net

setup_file() {
    net_build
}

setup() {
    NAMESPACES=()
    net_setup
}

teardown() {
    local name
    net_teardown
    for name in "${NAMESPACES[@]}"; do ip netns del "$name"; done
}

# refused STATUS WORDS OPTION...: ends within 20 s with STATUS, and one line with
# WORDS (a pattern) on stderr.
refused() {
    local status=$1 words=$2
    shift 2
    run -"$status" --separate-stderr timeout 100 "$BIN/loadgen" net --duration 1 "$@"
    printf '%s: %s\n' "$*" "$stderr"
    [[ ${#stderr_lines[@]} -eq 1 && ${stderr_lines[0]} == 'jostle: '* ]]
    [[ ${stderr_lines[0]} =~ $words ]]
}

# sending OPTION...: a load to LISTEN_AT in the background that is at its level.
sending() {
    rm -f "$BATS_TEST_TMPDIR/sender"
    "${IN[@]}" "$BIN/loadgen" net --connect "$LISTEN_AT" --json "$@" >"$BATS_TEST_TMPDIR/sender" 3>&- &
    LOAD_PID=$!
    eventually 30 grep -q '"event":"steady"' "$BATS_TEST_TMPDIR/sender"
}

# failed WORDS: it ends within 60 s with exit 1, an error with WORDS, and its summary.
failed() {
    local status=0
    eventually 60 gone "$LOAD_PID"
    wait "$LOAD_PID" || status=$?
    LOAD_PID=''
    cat "$BATS_TEST_TMPDIR/sender"
    [[ $status -eq 1 ]]
    jq -s . "$BATS_TEST_TMPDIR/sender" |
        holds '(map(select(.event == "error")) | length == 1 and (.[0].message | test($words)))
            and .[-1].event == "summary"' --arg words "$1"
}

@test "options that exclude each other, or do not exist, are refused" {
    refused 2 'one of them' --tcp --udp
    refused 2 'one of them' --loopback --listen 0
    refused 2 'one of them' --connect 127.0.0.1:5 --listen 0
    refused 2 'give --udp to --connect' --listen 0 --udp
    refused 2 'give --limit to --connect' --listen 0 --limit 5M
    refused 2 'give --block-size to --connect' --listen 0 --block-size 5
    refused 2 'give it to the listener' --connect 127.0.0.1:5 --discard
    refused 2 'more than --streams' --threads 2
    refused 2 'give --streams alone' --ping --streams 4 --threads 2
    refused 2 'out of range' --streams 0
    refused 2 'out of range' --streams 5000
    refused 2 'did you mean' --strems 2
}

@test "impossible block sizes are refused" {
    refused 2 'out of range' --block-size 0
    refused 2 'out of range' --block-size 1G
    refused 2 'no datagram has that size' --udp --block-size 65508
    refused 2 'no datagram has that size' --udp --block-size 70000
}

@test "wrong rates, and those of another kind, are refused" {
    refused 2 'more than 0' --limit 0
    refused 2 'more than 0' --limit -5M
    refused 2 'not a rate' --limit fast
    refused 2 'nothing does that' --limit 1e30
    refused 2 'counts in B/s' --limit 100iops
    refused 2 'counts in ops/s' --ping --limit 10MB/s
    refused 2 'no calibration.*jostle calib net' --limit 50%
}

@test "wrong addresses, and those that do not resolve or are not of this machine, are refused" {
    local text
    for text in nonsense 127.0.0.1 ::1:5300 '[::1' '[]:5300' :5300 127.0.0.1:0 127.0.0.1:70000 '127.0.0.1:5 5'; do
        refused 2 'not an address' --connect "$text"
    done
    refused 2 'not an address' --listen 127.0.0.1:http
    refused 1 'does not resolve' --connect no-such-host.invalid:5300
    refused 1 'does not resolve' --listen no-such-host.invalid:5300
    refused 1 'cannot listen at 203.0.113.1:5300' --listen 203.0.113.1:5300
}

@test "a port in use is an error, and so is one without a listener" {
    net_listen
    refused 1 'Address already in use.*another port' --listen "$LISTEN_AT"
    kill -TERM "$LISTEN_PID"
    wait "$LISTEN_PID"
    LISTEN_PID=''
    refused 1 'Connection refused.*no listener there' --connect "$LISTEN_AT"
}

@test "a peer that speaks something else, is silent, or hangs up is reported as such" {
    net_rogue_peer greet 'SSH-2.0-OpenSSH_9.2'
    refused 1 'not loadgen net --listen .*SSH-2.0-OpenSSH' --connect "127.0.0.1:$ROGUE_PORT"
    kill "$ROGUE_PID"
    net_rogue_peer silent
    refused 1 'does not answer' --connect "127.0.0.1:$ROGUE_PORT" --timeout 500ms
    kill "$ROGUE_PID"
    net_rogue_peer close
    refused 1 'closed the connection' --connect "127.0.0.1:$ROGUE_PORT"
}

@test "another version of the protocol is reported" {
    # 64 bytes as ours, but of version 9; the answer's kind is 3.
    net_rogue_peer greet "$(printf 'JOSTLnet')"
    refused 1 'does not answer' --connect "127.0.0.1:$ROGUE_PORT" --timeout 300ms
    net_listen
    # A hello of version 9: the listener answers, and lets it go.
    exec {peer}<>"/dev/tcp/127.0.0.1/$LISTEN_PORT"
    printf 'JOSTLnet\0\011\001\001%052d' 0 >&"$peer"
    run timeout 60 head -c 64 <&"$peer"
    [[ $output == JOSTLnet* ]]
    exec {peer}>&-
    net_listened | holds '.rejected == 1'
    LISTEN_PID=''
}

# last_interval EXPRESSION: the listener's last interval makes it true.
last_interval() {
    tail -n 1 "$BATS_TEST_TMPDIR/listen" | grep . | jq -e ".event == \"interval\" and ($1)" >/dev/null 2>&1
}

# delivers EXPRESSION OPTION...: a load makes the expression true; one that fails is noted in `refused`, as that is
# no matter of how busy the machine is.
delivers() {
    net --connect "$LISTEN_AT" "${@:2}" >"$BATS_TEST_TMPDIR/summary" || refused+=" ${*:2}"
    holds "$1" <"$BATS_TEST_TMPDIR/summary"
}

@test "rogue peers in crowds do not keep a listener from its peers" {
    local refused=''
    net_listen --interval 100ms
    net_rogue_peer flood "$LISTEN_PORT"
    eventually 30 last_interval '.rejected > 100'
    [[ $(find "/proc/$LISTEN_PID/fd" -mindepth 1 | wc -l) -lt 120 ]]
    in_tries 5 delivers '.achieved / 2e6 | . > 0.6 and . < 1.05' --limit 2MB/s --duration 1.5 --streams 3
    in_tries 5 delivers '.received / 2e6 | . > 0.5 and . < 1.05' --udp --limit 2MB/s --duration 1
    [[ -z $refused ]]
    [[ $(find "/proc/$LISTEN_PID/fd" -mindepth 1 | wc -l) -lt 120 ]]
    kill -0 "$ROGUE_PID"
    net_listened | holds '.rejected > 100 and .received > 0'
    LISTEN_PID=''
}

@test "a silent rogue peer is disconnected" {
    net_listen
    exec {peer}<>"/dev/tcp/127.0.0.1/$LISTEN_PORT"
    printf 'JOST' >&"$peer"
    run timeout 60 cat <&"$peer"
    [[ $status -eq 0 && -z $output ]]
    exec {peer}>&-
}

@test "datagrams of rogue peers are counted, and not taken for data" {
    net_listen --interval 100ms
    printf 'nonsense that is longer than a head' >"/dev/udp/127.0.0.1/$LISTEN_PORT"
    printf 'x' >"/dev/udp/127.0.0.1/$LISTEN_PORT"
    eventually 30 last_interval '.rejected == 2'
    net_listened | holds '.rejected == 2 and .achieved == 0'
    LISTEN_PID=''
}

@test "a peer that is killed is an error, in each kind of load" {
    local kind
    for kind in --tcp --udp '--tcp --ping' '--udp --ping' '--tcp --limit 1MB/s' '--udp --limit 1MB/s'; do
        net_listen
        # shellcheck disable=SC2086 # words
        sending $kind --duration 100
        kill -KILL "$LISTEN_PID"
        wait "$LISTEN_PID" || true
        failed 'went away'
    done
    LISTEN_PID=''
}

@test "a peer that is stopped is an error after --timeout, in each kind of load" {
    local kind
    net_listen
    for kind in --tcp --udp '--tcp --ping' '--udp --ping' '--tcp --limit 1GB/s'; do
        # shellcheck disable=SC2086 # words
        sending $kind --duration 100 --timeout 3s
        kill -STOP "$LISTEN_PID"
        failed 'for 3.00 s: it is stopped'
        kill -CONT "$LISTEN_PID"
    done
    net_listened | holds '.achieved > 0'
    LISTEN_PID=''
}

@test "a sender that is killed does not end its listener, which warns" {
    net_listen
    sending --limit 5MB/s
    kill -KILL "$LOAD_PID"
    wait "$LOAD_PID" || true
    eventually 30 grep -q 'disconnected in the middle of its load' "$BATS_TEST_TMPDIR/listen"
    sending --ping --duration 0.3
    wait "$LOAD_PID"
    LOAD_PID=''
    net_listened | holds '.achieved > 0'
    LISTEN_PID=''
}

@test "a listener that is killed with senders under --control leaves no one hanging" {
    net_listen
    load_start net --connect "$LISTEN_AT"
    load_resume
    kill -KILL "$LISTEN_PID"
    load_expect error
    load_holds '.message | test("went away")'
    load_expect summary
    wait "$LOAD_PID" && false
    LOAD_PID='' LISTEN_PID=''
}

@test "a load that is killed leaves nothing behind" {
    local duration=$((1000 + RANDOM)).$$
    "$BIN/loadgen" net --udp --streams 2 --threads 2 --duration "$duration" --json >"$BATS_TEST_TMPDIR/out" 3>&- &
    LOAD_PID=$!
    eventually 30 grep -q steady "$BATS_TEST_TMPDIR/out"
    kill -KILL "$LOAD_PID"
    wait "$LOAD_PID" || true
    LOAD_PID=''
    none_of_it() { [[ -z $(pgrep -f "$BIN/loadgen net .*--duration $duration") ]]; }
    eventually 30 none_of_it
}

# two_namespaces: A and B, which a veth pair joins; 198.18.77.1 and .2.
two_namespaces() {
    [[ $(id -u) -eq 0 ]] || skip "needs root"
    ip netns add "jostle-a-$$" 2>/dev/null || skip "no network namespaces here"
    NAMESPACES+=("jostle-a-$$")
    ip netns add "jostle-b-$$"
    NAMESPACES+=("jostle-b-$$")
    ip -n "${NAMESPACES[0]}" link add eth0 type veth peer name eth0 netns "${NAMESPACES[1]}" ||
        skip "no veth here"
    ip -n "${NAMESPACES[0]}" addr add 198.18.77.1/30 dev eth0
    ip -n "${NAMESPACES[1]}" addr add 198.18.77.2/30 dev eth0
    ip -n "${NAMESPACES[0]}" link set eth0 up
    ip -n "${NAMESPACES[1]}" link set eth0 up
}

@test "from one network to another, until the cable is pulled" {
    local refused=''
    two_namespaces
    IN=(ip netns exec "${NAMESPACES[1]}")
    LISTEN=198.18.77.2:5300 net_listen
    IN=(ip netns exec "${NAMESPACES[0]}")
    in_tries 5 delivers '.achieved / 2e6 | . > 0.7 and . < 1.05' --limit 2MB/s --duration 1
    [[ -z $refused ]]
    # So few that what comes while the receiver does not run has room where it waits: none is lost.
    net --udp --connect "$LISTEN_AT" --limit 50kB/s --duration 1 | holds '.lost == 0 and .received > 0'
    "${IN[@]}" "$BIN/loadgen" net --udp --connect "$LISTEN_AT" --duration 10ms 2>&1 >/dev/null | grep 'datagrams without --limit take the whole network'
    sending --duration 100 --timeout 3s
    ip -n "${NAMESPACES[0]}" link set eth0 down
    failed 'network to it is down|went away'
}
