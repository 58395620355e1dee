#!/usr/bin/env bats
# jostle bench network: both ends, here and elsewhere. What it measures is loadgen's and the
# peers' matter (loadgen-net.bats): here, who starts what where, and what is left of it.
# shellcheck disable=SC2016,SC2030,SC2031,SC2154 # jq programs; each test has a subshell; bats sets stderr

load helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    free_ports TEN
    PORT=$REPLY
    NEAR='' FAR=''
    bench=("$JOSTLE" bench network --dir "$PWD" --port "$PORT" --quiet --quick)
    few=(--output out --min-runs 2 --max-runs 2 --max-time 10m --duration 50ms)
}

teardown() {
    local name
    for name in $NEAR $FAR; do ip netns del "$name"; done
}

# two_namespaces: NEAR and FAR, which a veth pair joins; 198.18.78.1 and .2.
two_namespaces() {
    [[ $(id -u) -eq 0 ]] || skip 'needs root'
    ip netns add "jostle-near-$$" 2>/dev/null || skip 'no network namespaces here'
    NEAR=jostle-near-$$
    ip netns add "jostle-far-$$"
    FAR=jostle-far-$$
    ip -n "$NEAR" link add cable0 type veth peer name cable1 netns "$FAR" || skip 'no veth here'
    ip -n "$NEAR" addr add 198.18.78.1/30 dev cable0
    ip -n "$FAR" addr add 198.18.78.2/30 dev cable1
    ip -n "$NEAR" link set cable0 up
    ip -n "$FAR" link set cable1 up
    bench=(ip netns exec "$NEAR" "${bench[@]}" --peer "$FAR" --rsh 'ip netns exec' --peer-address 198.18.78.2)
}

# row CELL EXPRESSION: the row of CELL in out/bench.json makes it true.
row() {
    holds --arg cell "$1" "[.parts[].rows[] | select(.cell == \$cell)] | .[0] | ($2)" <out/bench.json
}

# empty NAMESPACE: 0 when no process is in it.
empty() {
    [[ -z $(ip netns pids "$1") ]]
}

@test "between two machines: the traffic takes the cable, more than its speed is a problem, and nothing is left there" {
    two_namespaces
    # What the driver of the cable says, were it one: 1 Mbit/s.
    mkdir -p root/sys/class/net/cable0/device
    echo 1 >root/sys/class/net/cable0/speed
    JOSTLE_KERNEL_ROOT=$PWD/root "${bench[@]}" --output out --duration 50ms --only network.tcp.32KiB.s1 --min-runs 5 --max-runs 5 --max-time 10m
    row network.tcp.32KiB.s1 '.state == "done" and .unit == "bit/s" and .n == 5 and .value > 1e6 and .peak.value == 1e6
        and (.peak.source | test("cable0/speed")) and any(.problems[]; .flag == "above-peak")'
    [[ $(ip netns exec "$FAR" cat /sys/class/net/cable1/statistics/rx_bytes) -gt 100000 ]]
    eventually 30 empty "$FAR"
}

@test "a virtual cable has no speed; round trips have two percentiles, datagrams a loss" {
    two_namespaces
    "${bench[@]}" "${few[@]}" --only 'network.*dp.1B*'
    row network.ping.udp.1B '.unit == "s" and .value > 1e-7 and .value < 1 and (.more[0] | .name == "p99" and .value > 0)'
    row network.udp.1B.s1 '.value > 0 and (.more[0] | .name == "loss" and .unit == "%" and .value >= 0)
        and .peak == null and (.peak_reason | test("cable0 is a virtual interface"))'
}

@test "whoever is killed, no server is left at the other end" {
    local pid
    two_namespaces
    "${bench[@]}" --output out --min-runs 2 --max-runs 2 --only network.tcp.32KiB.s1 --duration 20s 3>&- &
    eventually 120 found
    # The one that holds the other end's pipe.
    kill -KILL "$(pgrep -o -f -- "^bash .*jobs/ssh/far --hold --rsh ip netns exec $FAR")"
    eventually 30 empty "$FAR"
    pid=$!
    kill -TERM "$pid" 2>/dev/null || true # it may have given up already
    wait "$pid" || true
}

# found: 0 when the receiving half is at work.
found() {
    pgrep -f -- "net --listen 198.18.78.2:$PORT" >/dev/null
}

# bats test_tags=slow
@test "another end that is down: its rows say so, the others are measured" {
    run -0 --separate-stderr "$JOSTLE" bench network cpu --dir "$PWD" --output out --quick --min-runs 2 --max-runs 2 --max-time 10m --duration 50ms \
        --only 'cpu.int8.simd.t1' --peer nobody --rsh 'sh -c "echo no route to nobody >&2; exit 255"'
    [[ $stderr == *'jostle: network: nobody cannot be reached (sh ended with status 255): '* ]]
    row network.tcp.32KiB.s1 '.state == "skipped" and (.reason | test("nobody cannot be reached"))'
    holds '[.parts[] | select(.part == "cpu").rows[] | select(.state == "done")] | length == 1' <out/bench.json
}
