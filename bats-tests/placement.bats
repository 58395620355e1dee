#!/usr/bin/env bats
# Where target and load sit: the program placement on made-up machines, and on
# this one with what taskset and cgroups leave of it.

load helpers

PLACEMENT=$BIN/placement

teardown() {
    [[ -z ${GROUP:-} ]] || rmdir "$GROUP"
}

# seats DESCRIPTION OPTION...: prints target and load CPUs on a made-up machine.
seats() {
    "$PLACEMENT" --json --synthetic "$@" | jq -r '.target_cpus + " " + .load_cpus'
}

@test "every place on a machine with two nodes, two L3 caches each, and siblings" {
    local machine='node:2 l3:2 core:4 pu:2'
    # By hand: a core has CPUs 2c and 2c+1, an L3 has 8 CPUs, a node 16.
    [[ $(seats "$machine" --place core) == '0 0' ]]
    [[ $(seats "$machine" --place smt) == '0 1' ]]
    [[ $(seats "$machine" --place l3) == '0 2' ]]
    [[ $(seats "$machine" --place node) == '0 8' ]]
    [[ $(seats "$machine" --place other-node) == '0 16' ]]
    [[ $(seats "$machine" --place machine) == '0-31 0-31' ]]
    "$PLACEMENT" --json --synthetic "$machine" | holds '.offers == ["core", "smt", "l3", "node", "other-node", "machine"]
        and .place == null and .machine_cpus == "0-31" and .this_system == false'
}

@test "several cores each: the target stays under one L3, the load in one node" {
    local machine='node:2 l3:2 core:4 pu:2'
    [[ $(seats "$machine" --place core --place-cpus 3) == '0,2,4 0,2,4' ]]
    [[ $(seats "$machine" --place smt --place-cpus 3) == '0,2,4 1,3,5' ]]
    [[ $(seats "$machine" --place l3 --place-cpus 1:3) == '0 2,4,6' ]]
    [[ $(seats "$machine" --place node --place-cpus 2:4) == '0,2 8,10,12,14' ]]
    [[ $(seats "$machine" --place other-node --place-cpus 2:8) == '0,2 16,18,20,22,24,26,28,30' ]]
    run -2 "$PLACEMENT" --synthetic "$machine" --place l3 --place-cpus 3
    [[ $output == 'jostle: --place l3: no room for 3 cores of the target and 3 of the load there'* ]]
    run -2 "$PLACEMENT" --synthetic "$machine" --place other-node --place-cpus 1:9
}

@test "eight threads a core: siblings are taken from each core in turn" {
    [[ $(seats 'l3:1 core:2 pu:8' --place smt --place-cpus 2:5) == '0,8 1-3,9-10' ]]
    [[ $(seats 'l3:1 core:2 pu:8' --place smt --place-cpus 1:7) == '0 1-7' ]]
    run -2 "$PLACEMENT" --synthetic 'l3:1 core:2 pu:8' --place smt --place-cpus 1:8
}

@test "what the machine lacks is refused with what it has" {
    run -2 --separate-stderr "$PLACEMENT" --synthetic 'node:1 l3:1 core:2 pu:1' --place smt
    [[ -z $output && ${stderr:-} == 'jostle: --place smt: this machine has no sibling threads: it has core, l3, machine' ]]
    run -2 "$PLACEMENT" --synthetic 'node:1 l3:1 core:2 pu:1' --place other-node
    [[ $output == *'no second NUMA node with CPUs: it has core, l3, machine' ]]
    run -2 "$PLACEMENT" --synthetic 'node:2 l3:1 core:1 pu:2' --place l3
    [[ $output == *'no two cores under one L3 cache, with an L2 of their own: it has core, smt, other-node, machine' ]]
    run -2 "$PLACEMENT" --synthetic 'node:2 core:1 pu:1' --place node
    [[ $output == *'it has core, other-node, machine' ]]
}

@test "without any L3, cores of a node share none" {
    [[ $(seats 'node:1 core:4 pu:1' --place node --place-cpus 2) == '0-1 2-3' ]]
    run -2 "$PLACEMENT" --synthetic 'node:1 core:4 pu:1' --place l3
}

@test "cores that share an L2 are nearer than l3 and node" {
    # Two cores to an L2, as in clusters of small cores.
    local machine='node:1 l3:1 l2:3 core:2 pu:1'
    [[ $(seats "$machine" --place l3) == '0 2' ]]
    [[ $(seats "$machine" --place l3 --place-cpus 1:3) == '0 2-4' ]]
    [[ $(seats "$machine" --place l3 --place-cpus 2:2) == '0-1 2-3' ]]
    # The second core of the target shares an L2, too.
    [[ $(seats "$machine" --allowed 0,2-5 --place l3 --place-cpus 2:2) == '0,2 4-5' ]]
    [[ $(seats "$machine" --allowed 0,2-3 --place l3 --place-cpus 2:1) == '2-3 0' ]]
    [[ $(seats 'node:1 l2:2 core:2 pu:1' --place node) == '0 2' ]]
    [[ $(seats 'node:1 l3:2 l2:1 core:2 pu:1' --place node) == '0 2' ]]
    run -2 "$PLACEMENT" --synthetic 'node:1 l3:2 l2:1 core:2 pu:1' --place l3
    [[ $output == *'no two cores under one L3 cache, with an L2 of their own: it has core, node, machine' ]]
    run -2 "$PLACEMENT" --synthetic 'node:1 l2:1 core:4 pu:1' --place node
    [[ $output == *'it has core, machine' ]]
}

@test "only what is allowed is used, and the refusal says so" {
    local machine='node:2 l3:2 core:4 pu:2'
    [[ $(seats "$machine" --allowed 3,5-6,17 --place l3) == '3 5' ]]
    [[ $(seats "$machine" --allowed 3,6-7,17 --place smt) == '6 7' ]]
    [[ $(seats "$machine" --allowed 3,17,30 --place other-node) == '3 17' ]]
    [[ $(seats "$machine" --allowed 3,17,30 --place node) == '17 30' ]]
    run -2 "$PLACEMENT" --synthetic "$machine" --allowed 2,4 --place smt
    [[ $output == 'jostle: --place smt: the CPUs allowed here (2,4) have no sibling threads: they have core, l3, machine' ]]
}

@test "an asymmetric machine: the target moves to where there is room" {
    # Allowed is one core of node 0, three of node 1.
    [[ $(seats 'node:2 l3:1 core:4 pu:1' --allowed 1,4-6 --place l3 --place-cpus 1:2) == '4 5-6' ]]
    [[ $(seats 'node:2 l3:1 core:4 pu:1' --allowed 1,4-6 --place other-node --place-cpus 1:3) == '1 4-6' ]]
}

# bats test_tags=slow
@test "a machine of 2048 threads is searched at once" {
    local machine='pack:4 node:4 l3:4 core:16 pu:2'
    # A core has CPUs 2c and 2c+1, a node 64 cores; what fits nowhere is refused.
    [[ $(seats "$machine" --place other-node --place-cpus 64 | wc -c) -gt 400 ]]
    run -2 timeout 100 "$PLACEMENT" --synthetic "$machine" --place other-node --place-cpus 64:65
    run -2 timeout 100 "$PLACEMENT" --synthetic "$machine" --place node --place-cpus 16:49
    [[ $(seats "$machine" --place node --place-cpus 16:48 | wc -c) -gt 200 ]]
}

@test "lstopo draws the machine, and the lines below say where both sit" {
    command -v lstopo-no-graphics >/dev/null || skip 'lstopo is not installed'
    run -0 "$PLACEMENT" --synthetic 'node:1 l3:2 core:8 pu:2' --place l3 --allowed 0-19
    [[ $(grep -c 'Core L#' <<<"$output") -eq 16 && $output == *'L3 L#0'* ]]
    [[ $output == *$'\ntarget           CPU 0\nload             CPU 2\nallowed          CPU 0-19\n'* ]]
    [[ $output == *$'\n  affinity       CPU 0-31\n  cgroup cpuset  CPU 0-31\n  cgroup quota   none\nplaces to choose core, smt, l3, node, machine' ]]
    run -0 "$PLACEMENT" --synthetic 'node:1 core:2 pu:2' --place smt
    [[ $output == *$'\ntarget           CPU 0\nload             CPU 1\n'* ]]
}

@test "without lstopo the rest is shown, and how to get it" {
    mkdir "$BATS_TEST_TMPDIR/empty"
    run -0 --separate-stderr env PATH="$BATS_TEST_TMPDIR/empty" "$PLACEMENT" --synthetic 'core:2 pu:1' --place core
    [[ $output == *$'target           CPU 0\nload             CPU 0\n'* ]]
    [[ ${stderr:-} == 'jostle: '*'install hwloc-nox'* ]]
}

@test "on this machine: the affinity of taskset is obeyed and shown" {
    [[ $(nproc) -ge 2 ]] || skip 'needs two CPUs'
    local last
    last=$(($(getconf _NPROCESSORS_ONLN) - 1))
    taskset -c "$last" "$PLACEMENT" --json --place core |
        holds '.target_cpus == $cpu and .load_cpus == $cpu and .allowed_cpus == $cpu and .affinity_cpus == $cpu and .this_system' --arg cpu "$last"
    run -2 taskset -c 0 "$PLACEMENT" --target-cpus "0,$last"
    [[ $output == "jostle: --target-cpus 0,$last: CPU $last is not allowed here: choose from 0" ]]
    run -0 taskset -c 0 "$PLACEMENT"
    [[ $output == *$'\nallowed          CPU 0\n  affinity       CPU 0\n'* ]]
}

# make_group CONTROLLER: a group of cgroup v1 in GROUP; skips where there is none.
make_group() {
    local mount=/sys/fs/cgroup/$1
    [[ -w $mount/cgroup.procs && -e $mount/cgroup.clone_children ]] || skip "no cgroup v1 $1 that can be written"
    GROUP=$mount/jostle-test.$BASHPID
    mkdir "$GROUP" || skip "no groups can be made in $mount"
}

# in_group COMMAND...: runs it in GROUP.
in_group() {
    (
        printf '%d\n' "$BASHPID" >"$GROUP/cgroup.procs"
        exec "$@"
    )
}

@test "a cgroup's quota is shown, and warned of where it is too little" {
    make_group cpu
    printf '100000\n' >"$GROUP/cpu.cfs_period_us"
    printf '50000\n' >"$GROUP/cpu.cfs_quota_us"
    in_group "$PLACEMENT" --json --place core | holds '.quota_cpus == 0.5 and (.warnings | length) == 1 and (.warnings[0] | test("0.50 CPUs is less than the 1 CPUs"))'
    in_group "$PLACEMENT" | grep -q '^  cgroup quota *0.50 CPUs$'
}

@test "a cgroup's cpuset is obeyed and shown" {
    [[ $(nproc) -ge 2 ]] || skip 'needs two CPUs'
    make_group cpuset
    printf '1\n' >"$GROUP/cpuset.cpus"
    cat "${GROUP%/*}/cpuset.mems" >"$GROUP/cpuset.mems"
    in_group "$PLACEMENT" --json --place core | holds '.target_cpus == "1" and .load_cpus == "1" and .allowed_cpus == "1"'
    run -2 in_group "$PLACEMENT" --load-cpus 0
    [[ $output == *'CPU 0 is not allowed here: choose from 1' ]]
}

@test "wrong use is refused with what to do" {
    run -2 "$PLACEMENT" --place l4
    [[ $output == *'give one of core, smt, l3, node, other-node, machine' ]]
    run -2 "$PLACEMENT" --place l3 --load-cpus 1
    [[ $output == *'leave out --load-cpus' ]]
    run -2 "$PLACEMENT" --place core --place-cpus 1:2
    run -2 "$PLACEMENT" --place machine --place-cpus 2
    run -2 "$PLACEMENT" --place-cpus 2
    local wrong
    for wrong in 0 -1 1: :1 1:2:3 x 99999 1e3; do
        run -2 "$PLACEMENT" --place l3 --place-cpus "$wrong"
        [[ $output == jostle:* && ${#lines[@]} -eq 1 ]]
    done
    for wrong in 0- "," 1-0 0,,1 a '' 99999; do
        run -2 "$PLACEMENT" --target-cpus "$wrong"
        [[ $output == jostle:* ]]
    done
    run -2 "$PLACEMENT" --synthetic 'nonsense:2'
    run -2 "$PLACEMENT" --allowed 77 --synthetic 'core:2 pu:1'
    [[ $output == *'no CPU is allowed here'* ]]
    run -2 "$PLACEMENT" extra
    run -0 "$PLACEMENT" --help
    [[ $output == *other-node*'another NUMA node'* ]]
}
