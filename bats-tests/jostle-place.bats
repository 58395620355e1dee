#!/usr/bin/env bats
# jostle run and slowdown --place, jostle topology, and the CPUs in the records.

load helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    [[ $(nproc) -ge 2 ]] || skip 'needs two CPUs'
    # Whatever this machine is, hwloc sees two cores under one L3 cache.
    export HWLOC_SYNTHETIC='l3:1 core:2 pu:1' HWLOC_THISSYSTEM=1
}

teardown() {
    # A process that has just ended may be in it for a moment.
    [[ -z ${GROUP:-} ]] || eventually 30 rmdir "$GROUP" 2>/dev/null
}

# short PLACE ARG...: a slowdown of three runs into the folder out.
short() {
    local place=$1
    shift
    "$JOSTLE" slowdown --quiet --output out --max-runs 3 --place "$place" --load 'half=cpu --percent 50' "$@" -- sleep 0.05
}

@test "target and load sit on different cores in every run, as the kernel reports" {
    short l3
    holds -s 'length == 6 and all(.[]; .cpus == "0")' <out/runs.jsonl
    holds -s '[.[] | select(.condition == "half")] | length == 3 and all(.[]; .load[0].cpus == "1")' <out/runs.jsonl
    holds '.placement == {place: "l3", target_cpus: "0", load_cpus: "1", quota_cpus: null, service_cpus: null} and .settings.place == "l3"
        and .settings.target_cpus == null' <out/experiment.json
}

@test "the table says where both were" {
    run -0 "$JOSTLE" slowdown --output out --max-runs 2 --place l3 --load 'half=cpu --percent 50' -- true
    [[ $output == *$'\nplaced l3: target on CPU 0, loads on CPU 1\n'* ]]
    run -0 "$JOSTLE" run --output plain --max-runs 2 -- true
    [[ $output != *placed* ]]
}

# felt: 0 when a target that shares its CPU with a full load took longer by that; twice, where nobody
# else is on that CPU, less where others are.
felt() {
    rm -rf out && "$JOSTLE" slowdown --quiet --output out --max-runs 6 --place core --load 'full=cpu --percent 100' -- "$WORKLOADS/delannoy" 11 &&
        holds '.slowdowns[] | select(.metric == "wall_s") | .ratio > 1.2' <out/result.json
}

# bats test_tags=measures
@test "core: target and load share one CPU, and the target feels it" {
    in_tries 4 felt
    holds -s 'all(.[]; .cpus == "0") and all(.[] | select(.condition == "full"); .load[0].cpus == "0")' <out/runs.jsonl
}

@test "siblings, where hwloc knows of some" {
    HWLOC_SYNTHETIC='core:1 pu:2' short smt
    holds -s 'all(.[]; .cpus == "0") and all(.[] | select(.condition == "half"); .load[0].cpus == "1")' <out/runs.jsonl
}

# bats test_tags=slow
@test "machine and no --place pin nothing, and say what was in force" {
    short machine
    holds -s 'all(.[]; .cpus == .load[0].cpus or .load == [])' <out/runs.jsonl
    holds '.placement.place == "machine" and .placement.target_cpus == .placement.load_cpus' <out/experiment.json
    "$JOSTLE" run --quiet --output plain --max-runs 2 -- true
    holds '.placement.place == null and .settings.place == null' <plain/experiment.json
}

@test "a place that the machine lacks is refused before anything starts" {
    run -2 short smt
    [[ $output == 'jostle: --place smt: this machine has no sibling threads: it has core, l3, machine' ]]
    [[ ! -e out ]]
    run -2 taskset -c 0 "$JOSTLE" slowdown --output out --place l3 --load cpu -- true
    [[ $output == 'jostle: --place l3: the CPUs allowed here (0) have no two cores under one L3 cache, with an L2 of their own: they have core, machine' ]]
    run -2 short 'l4'
    [[ $output == *'did you mean l3?'* ]]
    run -2 short l3 --target-cpus 0
    [[ $output == *'leave out --target-cpus'* ]]
    run -2 short l3 --place-cpus 0
    [[ ! -e out ]]
}

@test "another machine's topology is not measured on" {
    HWLOC_THISSYSTEM=0 run -2 short l3
    [[ $output == *'hwloc shows another machine than this one'* ]]
}

@test "a taskset from outside is obeyed by target and load" {
    taskset -c 1 "$JOSTLE" slowdown --quiet --output out --max-runs 2 --place core --load 'half=cpu --percent 50' -- sleep 0.05
    holds -s 'all(.[]; .cpus == "1") and all(.[] | select(.condition == "half"); .load[0].cpus == "1" and .load[0].offered == 0.5)' <out/runs.jsonl
    run -2 taskset -c 1 "$JOSTLE" run --output out2 --target-cpus 0 -- true
    [[ $output == *'CPU 0 is not allowed here: choose from 1' ]]
}

# bats test_tags=slow
@test "what another program changes is what the record says" {
    # The target moves the load's threads while it is measured.
    cat >target <<'END'
#!/bin/bash
for pid in $(below "$HARNESS" loadgen); do taskset -acp 0 "$pid"; done >/dev/null
END
    chmod +x target
    cat >measure <<END
#!/bin/bash
export HARNESS=\$\$
exec "$JOSTLE" slowdown --quiet --output out --max-runs 2 --load-cpus 1 --load 'half=cpu --percent 50' -- ./target
END
    chmod +x measure
    export -f below
    ./measure
    holds -s '[.[] | select(.condition == "half")] | length == 2 and all(.[]; .load[0].cpus == "0")' <out/runs.jsonl
    holds '.placement.load_cpus == "1" and .settings.load_cpus == "1"' <out/experiment.json
}

# bats test_tags=slow
@test "an exec load reports its command's CPUs" {
    "$JOSTLE" slowdown --quiet --output out --max-runs 2 --settle 300ms --place l3 --load 'x=exec: sleep 100' -- sleep 0.05
    holds -s '[.[] | select(.condition == "x")] | length == 2 and all(.[]; .load[0].cpus == "1")' <out/runs.jsonl
}

@test "a cgroup's quota is obeyed by the load, recorded, and warned of" {
    local mount=/sys/fs/cgroup/cpu
    [[ -w $mount/cgroup.procs && -e $mount/cgroup.clone_children ]] || skip 'no cgroup v1 cpu that can be written'
    GROUP=$mount/jostle-test.$BASHPID
    mkdir "$GROUP" || skip 'no groups can be made'
    printf '100000\n' >"$GROUP/cpu.cfs_period_us"
    printf '100000\n' >"$GROUP/cpu.cfs_quota_us"
    run -0 bash -c 'echo $$ >"$1"; shift; exec "$@"' - "$GROUP/cgroup.procs" \
        "$JOSTLE" slowdown --quiet --output out --max-runs 2 --place machine --load 'half=cpu --percent 50' -- sleep 0.05
    holds '.placement.quota_cpus == 1' <out/experiment.json
    # Half of what the quota leaves, not of the machine.
    holds -s 'all(.[] | select(.condition == "half"); .load[0].offered == 0.5)' <out/runs.jsonl
    run -0 bash -c 'echo $$ >"$1"; shift; exec "$@"' - "$GROUP/cgroup.procs" \
        "$JOSTLE" slowdown --quiet --output pinned --max-runs 2 --place l3 --load 'half=cpu --percent 50' -- sleep 0.05
    [[ $output == *'quota of 1.00 CPUs is less than the 2 CPUs that target and load use'* ]]
}

# bats test_tags=slow
@test "placed records are valid against the schemas" {
    command -v jsonschema >/dev/null || skip 'python3-jsonschema is not installed'
    short l3
    is_valid experiment out/experiment.json
    tail -n 1 out/runs.jsonl >run.json
    is_valid run run.json
    jq '.placement.place = "moon"' out/experiment.json >wrong.json
    run ! is_valid experiment wrong.json
}

# bats test_tags=slow
@test "a campaign places its cells, and calibrates loads on the CPUs that they will have" {
    export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
    printf '[campaign]\n max-runs = 2\n place = l3\n calibrate = 500ms\n[target "s"]\n command = sleep 0.05\n[load "mem"]\n spec = mem --footprint 8M --limit 50%%\n' >placed.conf
    run -0 "$JOSTLE" campaign placed.conf --output out
    cat out/cells/*/runs.jsonl | holds -s 'all(.[]; .cpus == "0") and ([.[] | select(.load != []) | .load[0].cpus] == ["1", "1"])'
    # One CPU, hence one thread: 100 % is what that can do.
    cat cache/jostle/calibration/*.json | holds -s 'length == 1 and .[0].threads == 1'
}

# bats test_tags=slow
@test "a campaign compares places: the place is a parameter" {
    printf '[campaign]\n max-runs = 1\n[target "s"]\n command = sleep 0.02\n[load "cpu"]\n spec = cpu --percent 10\n place = {where}\n where = core l3\n' >places.conf
    run -0 "$JOSTLE" campaign places.conf --output out
    cat out/cells/*/experiment.json | holds -s 'map(.placement | [.place, .target_cpus, .load_cpus]) | sort == [["core", "0", "0"], ["l3", "0", "1"]]'
    sed -i 's/{where}/l4/; /where =/d' places.conf
    run -2 "$JOSTLE" plan places.conf
    [[ $output == *'place: l4: not known (did you mean l3?)'* ]]
}

# bats test_tags=slow
@test "jostle topology shows where both sit, and where a load's workers would" {
    run -0 "$JOSTLE" topology --place l3 --load 'x=cpu --percent 50 + exec: sleep 9'
    [[ $output == *$'\ntarget           CPU 0\nload             CPU 1\n'* ]]
    [[ $output == *'cpu: 1 worker, each pinned to one of CPU 1'*'exec: a command on CPU 1'* ]]
    run -0 "$JOSTLE" topology --json --load 'cpu --percent 50 --cpus 1'
    holds '.offers == ["core", "l3", "machine"] and (.loads | map(.cpus) == ["1"])' <<<"$output"
    run -0 env -u HWLOC_THISSYSTEM "$JOSTLE" topology --synthetic 'node:2 l3:2 core:2 pu:2' --place other-node --place-cpus 2
    [[ $output == *$'\ntarget           CPU 0,2\nload             CPU 8,10\n'* ]]
    run -0 "$BIN/loadgen" cpu --percent 50 --cpus 1 --dry-run
    [[ $output == 'cpu: 1 worker, each pinned to one of CPU 1' ]]
    run -2 "$JOSTLE" topology --place smt
    run -2 "$JOSTLE" topology --load 'cpu --percnt 50'
    [[ $output == *'did you mean --percent?'* ]]
    run -2 "$JOSTLE" topology --load 'cpu --cpus 1' --place core
    run -2 "$JOSTLE" topology --load 'cpu' --synthetic 'core:2'
    run -0 "$JOSTLE" topology --help
    [[ $output == *--place*other-node*'another NUMA node'* ]]
}
