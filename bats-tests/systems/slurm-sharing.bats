#!/usr/bin/env bats
# Who else is on the nodes, generic resources and heterogeneous jobs, on a real Slurm of three
# nodes, whose GPUs are device files of no consequence.

load ../helpers
load ../slurm

setup_file() {
    slurm_require || return 0
    export SLURM_TEST_NODE='Gres=gpu:2 Feature=big,fast'
    export SLURM_TEST_GRES=$'Name=gpu File=/dev/null\nName=gpu File=/dev/zero'
    slurm_start 3 GresTypes=gpu 'PartitionName=users Nodes=ALL MaxTime=INFINITE ExclusiveUser=YES OverSubscribe=NO'
}

teardown_file() {
    slurm_stop
}

setup() {
    skip_as_file
    cd "$BATS_TEST_TMPDIR" || return
    scratch_settings
    printf '[campaign]\n name = test\n min-runs = 2\n max-runs = 2\n[target "t"]\n command = sleep 0.{n}\n n = 1\n[load "cpu"]\n spec = cpu --percent 2\n' >c.conf
}

teardown() {
    slurm_cancel_all
}

# job OPTION... : submits the batch script on stdin; prints its id.
job() {
    { printf '#!/bin/bash\n' && cat; } >job.$$
    sbatch --parsable --output=log "$@" job.$$
}

# recorded: 0 when a run is recorded.
recorded() {
    compgen -G 'out/cells/*/runs.jsonl' >/dev/null
}

# cell: prints the record of the campaign's only cell.
cell() {
    cat out/cells/*/experiment.json
}

@test "--exclusive=user: our own other jobs may come, and are found" {
    local other
    other=$(job -N1 -n1 -w n1 --exclusive=user <<<'sleep 60')
    eventually 20 slurm_job_is "$other" RUNNING
    "$JOSTLE" submit --quiet c.conf --output out --exclusive=user -- --nodelist=n1 --ntasks=1
    eventually 60 test -e out/report.json
    holds '.environment.job | .sharing == "user" and .exclusive == false' < <(cell)
    holds '.before.neighbours.jobs == ["'"$other"'"]' < <(cell)
    holds 'length > 0 and all(.flags | index("shared-node"))' -s <out/cells/*/runs.jsonl
    jsonschema -i <(cell) "$ROOT/results/schema/jostle.experiment.schema.json"
}

@test "--exclusive=user: nobody else's jobs come; without it, and with --exclusive, it is as ever" {
    local id other
    id=$(id -u nobody 2>/dev/null) || skip 'there is no user nobody'
    other=$(job -N1 -n1 -w n1 --exclusive=user <<<'sleep 60')
    eventually 20 slurm_job_is "$other" RUNNING
    # The other user's job has to wait for n1.
    printf '#!/bin/bash\nsleep 60\n' >theirs
    other=$(setpriv --reuid "$id" --clear-groups sbatch --parsable --chdir=/tmp --output=/dev/null -N1 -n1 -w n1 <theirs)
    sleep 2
    slurm_job_is "$other" PENDING
    "$JOSTLE" submit --quiet c.conf --output out -- --nodelist=n2
    eventually 60 test -e out/report.json
    holds '.environment.job | .sharing == "no" and .exclusive == true' < <(cell)
    holds '.before.neighbours.jobs == []' < <(cell)
}

@test "doctor names Slurm with its version, and in a job the job" {
    local version
    version=$(sbatch --version)
    version=${version##* }
    [[ $("$JOSTLE" doctor --quick) =~ 'scheduler '\ +'Slurm '$version(,|$'\n') ]]
    [[ $(srun -w n1 -n1 "$JOSTLE" doctor --quick) =~ 'scheduler '\ +'this is job '[0-9]+" of Slurm $version"$'\n' ]]
}

@test "a partition of users: the job need not say it" {
    "$JOSTLE" submit --quiet c.conf --output out --share -- --partition=users --ntasks=1
    eventually 60 test -e out/report.json
    holds '.environment.job | .partition == "users" and .exclusive == false and (.sharing | IN("user", "ok"))' < <(cell)
}

@test "--gres from the settings and --constraint from the environment reach the job, and are in the record" {
    printf 'sbatch_options=(--gres=gpu:1)\n' >>settings
    sed -i "s|command = .*|command = sh -c 'echo \$CUDA_VISIBLE_DEVICES >$PWD/gpus.{n}'|" c.conf
    export SBATCH_CONSTRAINT=big
    "$JOSTLE" submit --dry-run c.conf --output out | grep -q '^sbatch .*--constraint=big --gres=gpu:1 '
    # With --exclusive Slurm gives all GPUs of the node.
    "$JOSTLE" submit --quiet c.conf --output out --share -- --ntasks=1
    eventually 60 test -e out/report.json
    holds '.environment.job | (.gres | test("gpu:1")) and .features == "big"' < <(cell)
    # The target sees the one that it was given.
    [[ $(<gpus.1) == 0 ]]
}

@test "a GPU is the target's step's, while a load's step is on the same node" {
    local options=(--min-runs 2 --max-runs 2 --quiet --output out --load 'step@1=cpu --percent 5')
    printf '%q ' exec "$JOSTLE" slowdown "${options[@]}" -- srun --overlap --gres=gpu:1 sh -c 'echo "$SLURM_STEP_ID:$CUDA_VISIBLE_DEVICES" >>gpus' |
        job -N1 --exclusive --gres=gpu:2 >/dev/null
    eventually 60 slurm_no_jobs
    cat log
    [[ $(wc -l <gpus) -eq 4 ]]
    run ! grep -qv ':0$' gpus
}

@test "a heterogeneous job: the target on its first component, the load on the second" {
    sed -i 's|spec = .*|spec = @2 cpu --percent 2|' c.conf
    "$JOSTLE" submit --quiet c.conf --output out -- --nodelist=n1 : --nodelist=n3 --gres=gpu:1 --constraint=fast
    eventually 90 test -e out/report.json
    cat out/jobs/*.log
    [[ $("$JOSTLE" status out) == *' 1 done,'* ]]
    holds 'map(select(.condition == "cpu")) | length == 2 and all(.host == "n1" and .load[0].node == "n3" and .load[0].achieved > 0)' -s <out/cells/*/runs.jsonl
    holds '.environment.job | .components == 2 and .node_count == 2' < <(cell)
    # The other component of our own job is no neighbour.
    holds '[.before, .after] | all(.neighbours.jobs == [])' < <(cell)
}

@test "a target that spans the components of a heterogeneous job" {
    local options=(--min-runs 2 --max-runs 2 --quiet --output out --load 'low@2=cpu --percent 5')
    printf '%q ' exec "$JOSTLE" slowdown "${options[@]}" -- srun --overlap --het-group=0,1 sh -c 'uname -n >>hosts' |
        job -N1 -w n1 --exclusive : -N1 -w n2 --exclusive >/dev/null
    eventually 60 slurm_no_jobs
    cat log
    sort hosts | uniq -c | awk '{ print $1, $2 }' | diff - <(printf '4 n1\n4 n2\n')
    holds 'length == 4 and all(.exit_code == 0)' -s <out/runs.jsonl
}

@test "cancelled, a campaign of heterogeneous jobs leaves nothing, and continues" {
    local -a ids
    sed -i 's|command = .*|command = sleep {n}|; s|n = 1|n = 1 2|' c.conf
    mapfile -t ids < <("$JOSTLE" submit --quiet c.conf --output out --cells-per-task 1 --array-limit 1 -- -w n1 : -w n2)
    # Two cells, a job each, and the report.
    [[ ${#ids[@]} -eq 3 ]]
    eventually 30 recorded
    slurm_job_is "${ids[1]}" PENDING
    run -1 "$JOSTLE" submit --resume out
    [[ $output == *'still wait or run'* ]]
    scancel "${ids[@]}"
    eventually 30 slurm_no_jobs
    "$JOSTLE" submit --quiet --resume out -- -w n1 : -w n2
    eventually 90 test -e out/report.json
    [[ $("$JOSTLE" status out) == *' 2 done,'* ]]
}

@test "when its time is nearly up, a heterogeneous job goes back into the queue and continues" {
    local -a ids
    sed -i 's|command = .*|command = sleep {n}|; s|max-runs = .*|max-runs = 3|' c.conf
    mapfile -t ids < <("$JOSTLE" submit --quiet c.conf --output out -- -w n1 : -w n2)
    eventually 30 recorded
    scancel --signal=TERM --batch "${ids[0]}"
    eventually 20 grep -qs 'put back into the queue' "out/jobs/${ids[0]}_1.log"
    eventually 90 test -e out/report.json
    [[ $("$JOSTLE" status out) == *' 1 done,'* ]]
}
