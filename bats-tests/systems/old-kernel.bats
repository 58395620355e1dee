#!/usr/bin/env bats
# A kernel as RHEL 8 has it: Linux 4.18 without io_uring, pidfds and clone3, with PSI off and control groups
# of version 1 only. It is stood in for by a filter of system calls and by mounts.

load ../helpers
load ../odd-machines

setup() {
    ODD=$(mktemp -d /var/tmp/jostle-odd.XXXXXX)
    chmod 755 "$ODD"
    odd_machine no-psi cgroup1 old-kernel
}

teardown() {
    rm -rf -- "$ODD"
}

@test "an old kernel: a whole slowdown and its reports" {
    odd_experiment "$ODD/old"
    tail -n 1 "$ODD/old/records/runs.jsonl" | holds '.pressure == null and .wall_s > 0 and .accounting != "cgroup2"'
}

@test "an old kernel: every load obeys all orders" {
    "$BATS_TEST_DIRNAME/../checks/loads" "${IN[@]}" "$BIN/loadgen"
}

@test "an old kernel: io without io_uring runs threads, and says why" {
    run -0 --separate-stderr "${IN[@]}" "$BIN/loadgen" io --dir "$ODD" --file-size 8M --depth 4 --duration 200ms
    [[ ${stderr:-} == 'jostle: io_uring cannot be used here (Function not implemented): 4 threads instead of a depth of 4' ]]
}

@test "an old kernel: doctor says what it does not show, and blame works" {
    "${IN[@]}" "$JOSTLE" doctor --quick --json |
        holds '[.findings[] | select(.check | test("pressure"))] | length == 3 and all(.[]; .status == "unknown" and .advice == "boot with psi=1")'
    "${IN[@]}" "$JOSTLE" blame --json "$ODD/blame.json" >/dev/null
    holds '.schema == "jostle.blame/1"' <"$ODD/blame.json"
}

@test "an old kernel: a service, copies and a campaign" {
    cd "$ODD"
    "${IN[@]}" "$JOSTLE" run --quiet --runs 2 --service 'sh -c "echo up; sleep 1000"' --ready match:/up/ --output service -- "$WORKLOADS/delannoy" 6
    "${IN[@]}" "$JOSTLE" pack --quiet --max-copies 2 --oversubscribe --min-runs 2 --max-runs 2 --output pack -- "$WORKLOADS/delannoy" 6
    printf '[campaign]\n min-runs = 2\n max-runs = 2\n[target "d"]\n command = %s 6\n[load "half"]\n spec = cpu --percent 50\n' \
        "$WORKLOADS/delannoy" >campaign.conf
    "${IN[@]}" "$JOSTLE" campaign --quiet campaign.conf --output campaign
}
