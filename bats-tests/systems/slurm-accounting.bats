#!/usr/bin/env bats
# What jostle reads from Slurm's accounts, with a real slurmdbd and a MariaDB of its own.

load ../helpers
load ../slurm

setup_file() {
    local missing
    slurm_require || return 0
    missing=$(slurm_accounts_missing)
    [[ -z $missing ]] || skip_file "no accounts here: $missing" || return 0
    export SLURM_TEST_ACCOUNTS=1
    # A job is forgotten by the controller soon after its end: then only the accounts know it.
    slurm_start 2 MinJobAge=2
}

teardown_file() {
    slurm_stop
}

setup() {
    skip_as_file
    cd "$BATS_TEST_TMPDIR" || return
    scratch_settings
}

teardown() {
    slurm_cancel_all
}

# job OPTION... : submits the batch script on stdin; prints its id.
job() {
    { printf '#!/bin/bash\n' && cat; } >job.$$
    sbatch --parsable --output=log "$@" job.$$
}

# forgotten ID: 0 when the controller no longer knows the job.
forgotten() {
    ! scontrol show job "$1" >/dev/null 2>&1
}

# fate ID: prints how the job ended, as the adapter has it.
fate() {
    # shellcheck disable=SC2016 # for the other shell
    JOSTLE_ROOT=$ROOT bash -euo pipefail -c 'source "$JOSTLE_ROOT/harness/lib/messages.bash"; source "$JOSTLE_ROOT/jobs/scheduler.bash"
        scheduler_use slurm; scheduler_fate "$1"' fate "$1"
}

@test "the steps of a target of two tasks: time, CPU time and memory from the accounts" {
    local options=(--min-runs 2 --max-runs 2 --quiet --output out --load 'far@2=cpu --percent 5')
    # 100 MB, and half a second of CPU time, in each of its tasks.
    # shellcheck disable=SC2016 # for the target
    printf '%q ' exec "$JOSTLE" slowdown "${options[@]}" -- srun --overlap -N2 -n2 --job-name=solver bash -c \
        'x=$(head -c 50000000 /dev/zero | tr "\0" x); until [[ $(ps -o cputimes= $$) -ge 1 ]]; do for ((i = 0; i < 50000; i++)); do :; done; done; sleep 2' |
        job -N2 --exclusive >/dev/null
    eventually 120 slurm_no_jobs
    cat log
    jq .step_accounting out/experiment.json
    # Four runs, each a step; those of the load and the batch script are none of the target's.
    holds '.step_accounting | .reason == null and (.steps | length == 4) and all(.steps[]; .name == "solver" and .tasks == 2 and .state == "COMPLETED"
        and .elapsed_s >= 2 and .cpu_s >= 2 and .max_rss_bytes >= 5e7 and .max_rss_bytes < 1e9)' <out/experiment.json
    jsonschema -i out/experiment.json "$ROOT/results/schema/jostle.experiment.schema.json"
}

@test "how jobs ended is known when the controller has forgotten them" {
    local good failed cancelled killed never
    good=$(job <<<'exit 0')
    failed=$(job <<<'exit 3')
    killed=$(job -N1 -w n2 <<<'kill -KILL $$')
    cancelled=$(job --array=1-2 <<<'sleep 100')
    eventually 30 slurm_job_is "${cancelled}_2" RUNNING
    never=$(job --dependency="afterok:$cancelled" <<<'exit 0')
    scancel "$never" "${cancelled}_2"
    scancel "$cancelled"
    eventually 30 slurm_no_jobs
    for id in "$good" "$failed" "$killed" "$cancelled" "$never"; do eventually 90 forgotten "$id"; done
    [[ $(fate "$good") == completed ]]
    [[ $(fate "$failed") == failed ]]
    [[ $(fate "$killed") == failed ]]
    [[ $(fate "${cancelled}_1") == cancelled && $(fate "${cancelled}_2") == cancelled ]]
    [[ $(fate "$never") == cancelled ]]
    [[ $(fate 9999) == gone ]]
}

@test "a node that failed, and a job that was put back into the queue" {
    local id
    id=$(job -N1 -w n2 --no-requeue <<<'sleep 100')
    eventually 20 slurm_job_is "$id" RUNNING
    slurm_node_kill n2
    eventually 30 slurm_no_jobs
    slurm_node_up n2
    eventually 60 slurm_idle 2
    eventually 90 forgotten "$id"
    [[ $(fate "$id") == node_fail ]]
    # Each start is a record of its own: the last one counts.
    # shellcheck disable=SC2016 # for the job
    id=$(job -N1 --requeue <<<'((SLURM_RESTART_COUNT > 0)) || { scontrol requeue "$SLURM_JOB_ID"; sleep 60; }')
    eventually 90 slurm_no_jobs
    eventually 90 forgotten "$id"
    [[ $(fate "$id") == completed ]]
}

@test "status and the report's log name what became of a task whose cell is stale" {
    local -a ids
    printf '[campaign]\n name = test\n min-runs = 3\n max-runs = 3\n[target "t"]\n command = sleep {n}\n n = 3\n[load "cpu"]\n spec = cpu --percent 2\n' >c.conf
    mapfile -t ids < <("$JOSTLE" submit --quiet c.conf --output out)
    eventually 40 compgen -G 'out/cells/*/runs.jsonl' >/dev/null
    kill_outright "$PWD/out"
    eventually 60 slurm_no_jobs
    grep -q "stale .*job ${ids[0]}_1 is " "out/jobs/${ids[1]}.log"
    eventually 90 forgotten "${ids[0]}"
    run -0 "$JOSTLE" status out
    printf '%s\n' "$output"
    [[ $output == *'1 stale'*"job ${ids[0]}_1 is "@(failed|cancelled)* ]]
}
