#!/usr/bin/env bats
# jostle submit, status and resume on a real Grid Engine of one host.
# (How it comes up: gridengine.bash.)

load ../helpers
load gridengine

setup_file() {
    local missing
    missing=$(gridengine_missing)
    [[ -z $missing ]] || skip_file "no Grid Engine here: $missing" || return 0
    gridengine_start
}

teardown_file() {
    gridengine_stop
}

setup() {
    skip_as_file
    cd "$BATS_TEST_TMPDIR" || return
    scratch_settings
}

teardown() {
    gridengine_cancel_all
}

# campaign TARGET VALUES RUNS: writes c.conf: TARGET with each of VALUES for {n}.
campaign() {
    printf '[campaign]\n name = test\n min-runs = %s\n max-runs = %s\n[target "t"]\n command = %s\n n = %s\n[load "cpu"]\n spec = cpu --percent 2\n' \
        "$3" "$3" "$1" "$2" >c.conf
}

# submit OPTION...: submits; sets cells and report to the ids of the two jobs.
submit() {
    local -a ids
    mapfile -t ids < <("$JOSTLE" submit --scheduler gridengine --quiet "$@")
    [[ ${#ids[@]} -eq 2 ]]
    cells=${ids[0]} report=${ids[1]}
}

# recorded NUMBER: 0 when at least NUMBER runs are recorded.
recorded() {
    (($(cat out/cells/*/runs.jsonl 2>/dev/null | wc -l) >= $1))
}

# fate ID: prints how the job ended, as the adapter has it.
fate() {
    # shellcheck disable=SC2016 # for the other shell
    JOSTLE_ROOT=$ROOT bash -euo pipefail -c 'source "$JOSTLE_ROOT/harness/lib/messages.bash"; source "$JOSTLE_ROOT/jobs/scheduler.bash"
        scheduler_use gridengine; scheduler_fate "$1"' fate "$1"
}

@test "an array of cells, one after another, then the report" {
    campaign 'true {n}' '1 2 3 4' 2
    submit c.conf --output out --cells-per-task 1
    [[ $("$JOSTLE" status out) == *"job $cells (cells):"*"job $report (report): 1 pending"* ]]
    run -1 "$JOSTLE" submit --resume out
    [[ $output == *'still wait or run'*"qdel $cells $report" ]]
    eventually 120 gridengine_no_jobs
    [[ $("$JOSTLE" status out) == 'test: 4 cells: 4 done, 0 running, 0 failed, 0 interrupted, 0 stale, 0 waiting' ]]
    [[ -s out/report.html && -s out/report.md && -s out/report.csv ]]
    holds '.cells | length == 4 and all(.state == "done")' <out/report.json
    holds '.environment.job | .scheduler == "gridengine" and .exclusive == true and .cpus == "1" and .partition == "all.q" and .restarts == 0
        and (.array_task_id | type) == "number" and .queue_id == "\(.job_id)_\(.array_task_id)"' <"$(find out/cells -name experiment.json | head -n 1)"
    jsonschema -i "$(find out/cells -name experiment.json | head -n 1)" "$ROOT/results/schema/jostle.experiment.schema.json"
    [[ -z $(ls scratch) ]]
    eventually 20 test "$(fate "${cells}_4")" == completed
    run -0 "$JOSTLE" submit --resume out
    [[ $output == *'nothing is left to do'* ]]
}

@test "cancelled in the middle, --resume measures the rest" {
    campaign 'sleep 0.{n}' '3 4' 4
    submit c.conf --output out --cells-per-task 1
    eventually 60 recorded 2
    qdel "$cells" "$report"
    eventually 60 gridengine_no_jobs
    [[ -z $(ls scratch) ]]
    run -0 "$JOSTLE" status out
    [[ $output == *'1 interrupted'* ]]
    # It was submitted to Grid Engine, and so continues there.
    "$JOSTLE" submit --resume out
    eventually 90 gridengine_no_jobs
    [[ $("$JOSTLE" status out) == *' 2 done,'* ]]
    holds 'length > 0 and all(.exit_code == 0 and .signal == null)' -s < <(cat out/cells/*/runs.jsonl)
}

@test "when its time is up, a task goes back into the queue and continues" {
    # The second time the target is quick.
    # shellcheck disable=SC2016 # for the target
    campaign "sh -c 'test \$RESTARTED = 1 || sleep {n}'" 3 4
    submit c.conf --output out -- -l s_rt=0:0:8
    eventually 60 grep -qs 'put back into the queue' "out/jobs/${cells}_1.log"
    eventually 120 gridengine_no_jobs
    [[ $("$JOSTLE" status out) == *' 1 done,'* ]]
    holds 'map(select(.exit_code != 0)) == []' -s < <(cat out/cells/*/runs.jsonl)
    jq -s 'map(select(.resumed)) | length' out/cells/*/experiment.json | grep -qx 1
    [[ -z $(ls scratch) ]]
}

@test "a job that is alone has no neighbour; one that shares the host has, and is flagged" {
    local other
    campaign 'true {n}' 1 2
    printf 'sleep 60\n' >sleeper
    other=$(qsub -terse -j y -o /dev/null sleeper)
    submit c.conf --output out --share
    eventually 60 test -e out/report.json
    holds '.environment.job.exclusive == false and .before.neighbours == { jobs: ["'"$other"'"], cpus_allocated: 2, cpus_ours: 1 }' < <(cat out/cells/*/experiment.json)
    holds 'all(.flags | index("shared-node"))' -s <out/cells/*/runs.jsonl
    # With --exclusive it waits until the other one has ended.
    submit c.conf --output alone
    sleep 3
    [[ ! -e alone/jobs/${cells}_1.log ]]
    qdel "$other"
    eventually 60 test -e alone/report.json
    holds '.environment.job.exclusive == true and .before.neighbours.jobs == []' < <(cat alone/cells/*/experiment.json)
}

@test "what is submitted is shown, and what Grid Engine has not is refused" {
    campaign 'true {n}' '1 2 3' 1
    printf 'partition=all.q\nqsub_options=(-P none -l h_rt=60)\n' >>settings
    run -0 "$JOSTLE" submit --scheduler gridengine --dry-run c.conf --output out --cells-per-task 1 --array-limit 2 -- -p -5
    [[ $output == *'qsub -terse -N jostle.out '*' -t 1-3 -tc 2 -l alone=true -r y -notify -q all.q -P none -l h_rt=60 -p -5 '* ]]
    [[ $output == *'-hold_jid ARRAY1 -q all.q -P none '* ]]
    run -2 "$JOSTLE" submit --scheduler gridengine c.conf --output out --exclusive=user
    [[ $output == *'Grid Engine has no such thing'* ]]
    printf ' node = 2\n' >>c.conf
    run -2 "$JOSTLE" submit --scheduler gridengine c.conf --output two
    [[ $output == *'need 2 nodes'* ]]
    run -1 "$JOSTLE" submit --scheduler gridengine --quiet --output three quick -- -q nowhere.q
    # Slurm comes first where both are installed; only what is set up has a version.
    [[ $("$JOSTLE" doctor --quick) == *'scheduler '*'Grid Engine 8.'* ]]
    gridengine_no_jobs
}
