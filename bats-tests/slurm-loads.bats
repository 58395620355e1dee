#!/usr/bin/env bats
# bats file_tags=slow
# Measuring inside a job of a real Slurm: where the loads are, which CPUs are ours,
# who else is there. (How the cluster comes up: slurm.bash.)

load helpers
load slurm

setup_file() {
    slurm_require || return 0
    slurm_start 3
}

teardown_file() {
    slurm_stop
}

setup() {
    skip_as_file
    cd "$BATS_TEST_TMPDIR" || return
    # Where the jobs of a test run, and a settings file for the job scripts.
    printf 'measure_options=(--min-runs 2 --max-runs 2)\n' >settings
    export JOSTLE_SETTINGS=$PWD/settings
    short=("$JOSTLE" slowdown --min-runs 2 --max-runs 2 --quiet)
}

teardown() {
    slurm_cancel_all
}

# job OPTION... : submits the batch script on stdin; prints its id.
job() {
    { printf '#!/bin/bash\n' && cat; } >job.$$
    sbatch --parsable --output=log "$@" job.$$
}

# in_job "OPTION..." COMMAND...: runs COMMAND as a batch job to its end.
in_job() {
    local -a given
    read -r -a given <<<"$1"
    shift
    printf '%q ' "$@" | job "${given[@]}" >/dev/null
    eventually 300 slurm_no_jobs
}

@test "loads on other nodes run there, and are marked for each run" {
    in_job '-N3 --exclusive' "${short[@]}" --output out --load 'one@2=cpu --percent 5' \
        --load 'rest@all-others=cpu --percent 4' --load 'mix=cpu --percent 6 + @3 cpu --percent 3 --threads 1' -- true
    cat log
    [[ $(wc -l <out/runs.jsonl) -eq 8 ]]
    jq -s 'map({ key: .condition, value: (.host + ":" + ([.load[] | "\(.name)=\(.node)"] | join(" "))) }) | from_entries' out/runs.jsonl >where
    holds '. == { baseline: "n1:", one: "n1:one@n2=n2", rest: "n1:rest@n2=n2 rest@n3=n3", mix: "n1:mix.cpu=null mix.cpu@n3=n3" }' <where
    # Two nodes' clocks are not compared: what is not known is in the record.
    holds '[.[].load[] | select(.node)] | all(.mark_delay_s > 0 and .mark_delay_s < 5 and .elapsed_s > 0)' -s <out/runs.jsonl
    holds '[.loads[].spec] == [null, "@2 cpu --percent 5", "@all-others cpu --percent 4", "cpu --percent 6 + @3 cpu --percent 3 --threads 1"]' <out/experiment.json
    tail -n 1 out/runs.jsonl >run.json
    is_valid run run.json
}

@test "a network load between two nodes while the target runs on a third" {
    local port
    free_ports TEN
    port=$REPLY
    "$BIN/loadgen" net --help >/dev/null 2>&1 || skip 'this build has no net load'
    in_job '-N3 --exclusive' "${short[@]}" --output out \
        --load "talk=@2 net --listen 127.0.0.1:$port + @3 net --connect {node2}:$port --limit 5M" -- "$WORKLOADS/delannoy" 11
    cat log
    holds 'map(select(.condition == "talk")) | length == 2 and all([.load[].node] == ["n2", "n3"] and .host == "n1" and .load[1].achieved > 0)' -s <out/runs.jsonl
}

@test "in a job of two nodes a bench measures the network to the second one" {
    local port
    free_ports TEN
    port=$REPLY
    in_job '-N2 --exclusive' "$JOSTLE" bench network --quick --only 'network.tcp.32KiB.s1' --min-runs 2 --max-runs 2 --duration 50ms \
        --dir "$PWD" --output out --port "$port"
    cat log
    grep -q 'measured to n2, the second node of this job' log
    # Its receiving half was a step of the job on that node.
    holds '.settings.peer == "n2" and ([.parts[].rows[] | select(.cell == "network.tcp.32KiB.s1")] | .[0] | .state == "done" and .value > 0
        and .peak_reason == "not known here: loopback has no link speed")' <out/bench.json
    grep -q "^ *service = .*jobs/ssh/far --hold n2 .*bench/receive " out/bench.conf
    eventually 100 none_runs "net --listen 127.0.0.1:$port"
}

@test "whatever ends the job ends the loads on the other nodes" {
    local id tag=7.$RANDOM
    id=$(job -N2 --exclusive <<<"exec ${short[*]} --output out --load 'far@2=cpu --percent $tag' --seed 1 -- sleep 300")
    eventually 100 pgrep -f -- "loadgen cpu --control --percent $tag" >/dev/null
    scancel "$id"
    eventually 100 slurm_no_jobs
    eventually 100 none_runs "percent $tag"
}

# none_runs TEXT: 0 when no process has TEXT in its command line.
none_runs() {
    local pid
    for pid in $(pgrep -f -- "$1"); do gone "$pid" || return 1; done
}

@test "a load on another node that ends is named, and nothing stays" {
    local id tag=8.$RANDOM
    id=$(job -N2 --exclusive <<<"exec ${short[*]} --output out --load 'far@2=cpu --percent $tag' -- sleep 2")
    eventually 100 pgrep -f -- "loadgen cpu --control --percent $tag" >/dev/null
    # Its launcher is seen before Slurm knows the step.
    eventually 100 scancel "$id.0"
    eventually 100 slurm_no_jobs
    grep -q 'jostle: load far@n2 ended' log
    eventually 100 none_runs "percent $tag"
}

@test "places that the allocation does not have are refused" {
    run -2 "${short[@]}" --load 'far@2=cpu --percent 5' -- true
    [[ $output == *'other nodes are those of a job'* ]]
    in_job '-N2 --exclusive' "${short[@]}" --output out --load 'far@3=cpu --percent 5' -- true
    grep -q '@3, but the job has 2 nodes: submit it with more' log
    in_job '-N1 --exclusive' "${short[@]}" --output out --load 'far@-x=cpu --percent 5' -- true
    grep -q '@-x names no node' log
    in_job '-N1 --exclusive' "${short[@]}" --output out --load 'far=net --connect {node2}:1' -- true
    grep -q '{node2}, but the job has 1 node' log
    [[ ! -e out ]]
}

@test "a record says which job and node it is from, and that nobody else was there" {
    in_job '-N1 --exclusive -w n2' "${short[@]}" --output out --load 'low=cpu --percent 5' -- true
    holds '.environment.host == "n2" and (.environment.job | .node == "n2" and .partition == "main" and .exclusive == true
        and .cpus == "2" and .node_count == 1 and .cluster == "lab" and (.job_id | test("^[0-9]+$")))' <out/experiment.json
    holds '[.before, .after] | all(.neighbours == { jobs: [], cpus_allocated: 2, cpus_ours: 2 })' <out/experiment.json
    holds 'all(.flags | index("shared-node") | not)' -s <out/runs.jsonl
    is_valid experiment out/experiment.json
}

@test "a job with one CPU of a shared node stays on it, and its runs are flagged" {
    local other
    other=$(job -N1 -n1 -w n1 <<<'sleep 1000')
    eventually 100 slurm_job_is "$other" RUNNING
    printf '%q ' "${short[@]}" --output out --load 'low=cpu --percent 5' -- true | job -N1 -n1 -w n1 >/dev/null
    eventually 100 test -e out/result.json
    holds '.environment.job | .exclusive == false and .cpus == "1" and (.pinned | test("^[0-9]+$"))' <out/experiment.json
    holds 'all(.flags | index("shared-node"))' -s <out/runs.jsonl
    holds '.before.neighbours.jobs == ["'"$other"'"] and .before.neighbours.cpus_allocated == 2' <out/experiment.json
    # Target and load: both on the one CPU.
    jq -r '.environment.job.pinned' out/experiment.json >pinned
    jq -r '.cpus, .load[].cpus' out/runs.jsonl | sort -u | diff - pinned
    holds '[.warnings[] | select(.flag == "shared-node") | .condition] == ["baseline", "low"]' <out/result.json
}

@test "who comes to the node later is found at the end" {
    # The first run lasts until the other one is there.
    printf '%s' "${short[*]} --output out --load 'low=cpu --percent 5' -- sh -c 'until [ -e came ]; do sleep 0.05; done'" | job -N1 -n1 -w n1 >/dev/null
    eventually 100 test -s out/experiment.json
    job -N1 -n1 -w n1 <<<'touch came; sleep 1000' >/dev/null
    eventually 100 test -e out/result.json
    holds '[.warnings[] | select(.flag == "shared-node")] | length == 1 and (.[0].message | test("came to the node"))' <out/result.json
    is_valid result out/result.json
}

@test "an MPI target is measured by its launcher, and the reason for no step accounting is kept" {
    command -v mpirun >/dev/null || skip 'mpirun is not installed'
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    in_job '-N2 --exclusive' "${short[@]}" --output out --load 'low=cpu --percent 5' -- mpirun -n 2 hostname
    cat log
    holds 'length == 4 and all(.exit_code == 0 and .wall_s > 0)' -s <out/runs.jsonl
    holds '.step_accounting | .steps == null and (.reason | test("^sacct: "))' <out/experiment.json
}

@test "where sacct has them, the steps of an srun target are recorded" {
    # This cluster keeps no accounts: sacct's lines are made up, in its form.
    mkdir bin
    cat >bin/sacct <<'END'
#!/bin/bash
[[ "$*" == *"-j $SLURM_JOB_ID "* ]] || exit 1
printf '%s\n' "$SLURM_JOB_ID|job||5||" "$SLURM_JOB_ID.batch|batch|1|5|00:00.100|900K|RUNNING" \
    "$SLURM_JOB_ID.0|jostle-load|1|5|00:04.000|900K|RUNNING" "$SLURM_JOB_ID.1|hostname|2|1|01:00.250|1.5M|COMPLETED"
END
    chmod +x bin/sacct
    PATH=$PWD/bin:$PATH in_job '-N2 --exclusive' "${short[@]}" --output out --load 'low=cpu --percent 5' -- srun --overlap -N2 -n2 hostname
    cat log
    holds '.step_accounting == { reason: null, steps: [{ step: (.environment.job.job_id + ".1"), name: "hostname", tasks: 2, elapsed_s: 1,
        cpu_s: 60.25, max_rss_bytes: 1572864, state: "COMPLETED" }] }' <out/experiment.json
}

@test "an example runs by plain sbatch, in scratch, and leaves only its records" {
    local id
    mkdir submit scratch
    printf 'scratch=%q\n' "$PWD/scratch" >>settings
    cd submit
    id=$(JOSTLE_ROOT=$ROOT sbatch --parsable "$ROOT/jobs/examples/delannoy.sbatch")
    eventually 300 slurm_no_jobs
    cat "delannoy.$id.log"
    grep -q 'workstation' "delannoy.$id.log"
    holds '.environment.folder | startswith("'"$BATS_TEST_TMPDIR/scratch/jostle.$EUID.$id."'")' <"jostle-results/delannoy.$id/experiment.json"
    holds '[.conditions[].runs] == [2, 2]' <"jostle-results/delannoy.$id/result.json"
    [[ -z $(ls ../scratch) ]]
}

@test "a home is never taken as scratch by accident" {
    local id
    mkdir -p home/tmp
    printf 'source "%s/jobs/common.bash"; job_begin; pwd; echo "scratch: $job_scratch"' "$ROOT" >script
    HOME=$PWD/home SLURM_TMPDIR=$PWD/home TMPDIR=$PWD/home/tmp SLURM_JOB_ID=4711 bash script >said
    grep -q "^scratch: /tmp/jostle.$EUID.4711." said
    [[ -z $(ls home/tmp) && ! -e $(sed -n 's/^scratch: //p' said) ]]
    printf 'scratch=%q\n' "$PWD/home/tmp" >>settings
    HOME=$PWD/home SLURM_JOB_ID=4711 bash script | grep -q "^scratch: $PWD/home/tmp/jostle.$EUID.4711."
}
