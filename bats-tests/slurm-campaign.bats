#!/usr/bin/env bats
# bats file_tags=slow
# jostle submit, status and resume on a real Slurm of three nodes.
# (How the cluster comes up: slurm.bash.)

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
    scratch_settings
}

teardown() {
    slurm_cancel_all
}

# campaign FILE TARGET VALUES RUNS: a campaign file: TARGET with each of VALUES
# for {n}, under two loads.
campaign() {
    printf '[campaign]\n name = test\n min-runs = %s\n max-runs = %s\n[target "t"]\n command = %s\n n = %s\n[load "cpu"]\n spec = cpu --percent {level}\n level = 2 4\n' \
        "$4" "$4" "$2" "$3" >"$1"
}

# submit OPTION...: submits; sets cells and report to the ids of the two jobs.
submit() {
    local -a ids
    mapfile -t ids < <("$JOSTLE" submit --quiet "$@")
    [[ ${#ids[@]} -eq 2 ]]
    cells=${ids[0]} report=${ids[1]}
}

# records DIR: prints the number of lines of all records.
records() {
    cat "$1"/cells/*/runs.jsonl 2>/dev/null | wc -l
}

# recorded DIR NUMBER: 0 when at least NUMBER runs are recorded.
recorded() {
    (($(records "$1") >= $2))
}

# left: prints what of a job is left on the nodes: processes, scratch.
left() {
    local pid
    ls scratch
    for pid in $(pgrep -f -- "$BATS_TEST_TMPDIR"); do gone "$pid" || ps -o args= -p "$pid"; done
}

nothing_left() {
    [[ -z $(left) ]]
}

# ended PATTERN: 0 when no process has it on its command line.
ended() {
    local pid
    for pid in $(pgrep -f "$1"); do gone "$pid" || return; done
}

# says TEXT: 0 when the status of out has the text.
says() {
    run "$JOSTLE" status out
    [[ $output == *"$1"* ]]
}

@test "20 cells over three nodes in one array, then the report" {
    campaign c.conf 'true {n}' '1 2 3 4 5 6 7 8 9 10' 2
    submit c.conf --output out --cells-per-task 1
    slurm_job_is "$report" PENDING
    [[ $("$JOSTLE" status out) == *"job $cells (cells):"* ]]
    eventually 300 slurm_no_jobs
    slurm_job_is "$report" COMPLETED
    [[ $("$JOSTLE" status out) == 'test: 20 cells: 20 done, 0 running, 0 failed, 0 interrupted, 0 stale, 0 waiting' ]]
    # Every node had a part in it; each cell's baseline is of its own node.
    jq -r '.host' out/cells/*/runs.jsonl | sort -u | diff - <(printf 'n1\nn2\nn3\n')
    for cell in out/cells/*; do [[ $(jq -r .host "$cell/runs.jsonl" | sort -u | wc -l) -eq 1 ]]; done
    holds '.cells | length == 20 and all(.state == "done")' <out/report.json
    [[ -s out/report.html && -s out/report.md && -s out/report.csv ]]
    holds '.environment.job | .exclusive == true and (.array_task_id | type) == "number"' <"$(find out/cells -name experiment.json | head -n 1)"
    eventually 60 nothing_left
    run -0 "$JOSTLE" submit --resume out
    [[ $output == *'nothing is left to do'* ]]
    run -2 "$JOSTLE" submit c.conf --output out
    [[ $output == *'already holds a campaign'* ]]
}

@test "cancelled in the middle, the rest is measured after --resume, and only the rest" {
    local before
    # Once 8 runs are recorded the others wait for the file go: the middle lasts until we are there.
    printf '#!/bin/sh\nsleep "0.$1"\nuntil [ -e go ] || [ "$(cat out/cells/*/runs.jsonl | wc -l)" -lt 8 ]; do sleep 0.05; done\n' >target
    chmod +x target
    campaign c.conf "$PWD/target {n}" '2 3 4' 3
    # A shell between the service's supervisor and the server.
    sed -i "s|^ n = |service = \"sh -c 'echo up; sleep 100.$$; true'\"\n ready = match:/up/\n&|" c.conf
    submit c.conf --output out --cells-per-task 1
    eventually 300 recorded out 4
    run -1 "$JOSTLE" submit --resume out
    [[ $output == *"still wait or run"*"scancel"* ]]
    scancel "$cells" "$report"
    eventually 300 slurm_no_jobs
    eventually 60 nothing_left
    eventually 60 ended "sleep 100.$$"
    before=$(records out)
    ((before < 36))
    cp -r out before
    "$JOSTLE" status out
    touch go
    submit --resume out
    eventually 300 slurm_no_jobs
    [[ $("$JOSTLE" status out) == *' 6 done,'* ]]
    # Whole blocks stay as they are; half a one, if its node is another now, is made
    # again. In the end there are the requested 6 runs. A target that scancel ended
    # before jostle is set aside. Block 0 has what is not measured.
    for cell in before/cells/*; do
        jq -sc 'map(select(.signal == null and .block > 0)) | group_by(.block)[] | select(length == 2)[]' "$cell/runs.jsonl" >whole
        jq -c 'select((.set_aside | not) and .block > 0)' "out/cells/${cell##*/}/runs.jsonl" >used
        head -n "$(wc -l <whole)" used | jq -sc 'sort_by(.block)[]' | diff - whole
        [[ $(wc -l <used) -eq 6 ]]
        cat used >>all
    done
    holds 'all(.exit_code == 0 and .signal == null)' -s <all
}

@test "when its time is nearly up, a task goes back into the queue and continues" {
    campaign c.conf 'sleep 0.{n}' 4 5
    submit c.conf --output out --cells-per-task 2
    eventually 300 recorded out 3
    # What --signal=B:TERM@60 does a minute before the limit.
    scancel --signal=TERM --batch "${cells}_1"
    eventually 300 grep -qs 'put back into the queue' "out/jobs/${cells}_1.log"
    eventually 300 slurm_no_jobs
    [[ $("$JOSTLE" status out) == *' 2 done,'* ]]
    [[ $(records out) -eq 20 ]]
    jq -s 'map(select(.resumed)) | length' out/cells/*/experiment.json | grep -qx 1
    holds 'map(select(.exit_code != 0)) == []' -s < <(cat out/cells/*/runs.jsonl)
    slurm_job_is "$report" COMPLETED
    eventually 60 nothing_left
}

@test "a time limit that is shorter than the cells: every run is kept, and the campaign ends" {
    # A cell takes 4 minutes, the limit is 2. Slurm looks at time limits every 30 s, and
    # warns a minute before, or up to 30 s earlier: 30 to 60 s after the start, when many
    # runs are recorded and no cell is done, however little jostle adds to them.
    campaign c.conf 'sleep {n}' 1 120
    submit c.conf --output out -- --time=2
    eventually 300 grep -qs 'put back into the queue' "out/jobs/${cells}_1.log"
    recorded out 10
    [[ $("$JOSTLE" status out) == *': 0 done,'* ]]
    scancel "$cells" "$report"
    eventually 300 slurm_no_jobs
    holds 'map(select(.exit_code != 0)) == []' -s < <(cat out/cells/*/runs.jsonl)
    eventually 60 nothing_left
}

@test "a node that dies loses the run in progress: its task is measured again elsewhere" {
    local node pid
    campaign c.conf 'sleep 0.{n}' 5 4
    submit c.conf --output out --cells-per-task 2
    eventually 300 recorded out 2
    node=$(squeue -h -j "$cells" -o %N)
    slurm_node_kill "$node"
    eventually 300 slurm_no_jobs
    slurm_node_up "$node"
    [[ $("$JOSTLE" status out) == *' 2 done,'* ]]
    holds 'map(select(.exit_code != 0)) == []' -s < <(cat out/cells/*/runs.jsonl)
    jq -r .host out/cells/*/runs.jsonl | sort -u >hosts
    [[ $(wc -l <hosts) -eq 2 ]]
    # No block of a baseline and a loaded run is of two nodes.
    for cell in out/cells/*; do
        jq -rs 'group_by(.block)[] | map(.host) | unique | length' "$cell/runs.jsonl" | sort -u | grep -qx 1
    done
    eventually 300 slurm_idle 3
}

@test "two campaigns of two users at once do not meet" {
    local id
    campaign c.conf 'true {n}' '1 2 3 4' 2
    id=$(id -u nobody 2>/dev/null) || skip 'there is no user nobody'
    setpriv --reuid "$id" --clear-groups test -x "$JOSTLE" -a -x "$BIN/meter" || skip "nobody may not read $ROOT"
    other=$(mktemp -d "$SLURM_TEST/other.XXXXXX")
    cp c.conf "$other"
    mkdir "$other/scratch"
    printf 'scratch=%q\n' "$other/scratch" >"$other/settings"
    chown -R "$id" "$other"
    submit c.conf --output out --cells-per-task 1
    (cd "$other" && JOSTLE_SETTINGS=$other/settings HOME=$other setpriv --reuid "$id" --clear-groups "$JOSTLE" submit --quiet c.conf --output out --cells-per-task 1) >theirs
    eventually 300 slurm_no_jobs
    [[ $("$JOSTLE" status out) == *'8 cells: 8 done,'* ]]
    [[ $("$JOSTLE" status "$other/out") == *'8 cells: 8 done,'* ]]
    [[ $(stat -c %u "$other/out/report.json" "$other"/out/cells/*/result.json | sort -u) == "$id" ]]
    # What the first user sees of it is the same; what the jobs were is not theirs.
    [[ $(head -n 1 theirs) != "$cells" ]]
    eventually 60 nothing_left
    [[ -z $(ls "$other/scratch") ]]
}

@test "200 tiny cells become few tasks; 30 of them are measured" {
    local began=$SECONDS
    campaign c.conf 'true {n}' "$(seq -s ' ' 100)" 1
    # Of their time nothing is known: a minute each, so as many as keep nodes busy.
    "$JOSTLE" submit --dry-run c.conf --output out >said
    grep -q '^200 cells in 20 array tasks, 1 array;' said
    # The first 30 of them, in three tasks: what all take is bench-slurm's.
    campaign c.conf 'true {n}' "$(seq -s ' ' 15)" 1
    submit c.conf --output out --cells-per-task 10
    [[ $(<out/jobs/1.tasks) == $'1-10\n11-20\n21-30' ]]
    eventually 300 slurm_no_jobs
    printf '# 30 cells in %d s\n' $((SECONDS - began)) >&3
    [[ $("$JOSTLE" status out) == *'30 cells: 30 done,'* ]]
}

@test "a task that was killed outright leaves a stale cell, which is named and resumed" {
    campaign c.conf 'sleep {n}' 3 3
    submit c.conf --output out --cells-per-task 2
    eventually 300 recorded out 1
    kill_outright "$PWD/out"
    scancel "$report"
    eventually 300 slurm_no_jobs
    eventually 60 says '1 stale'
    printf '%s\n' "$output"
    [[ $status -eq 0 && $output == *'1 stale'*"stale "*"job ${cells}_1 is "* ]]
    submit --resume out
    eventually 300 slurm_no_jobs
    [[ $("$JOSTLE" status out) == *' 2 done,'* ]]
}

@test "arrays are cut to what the cluster takes, and limited together" {
    local most
    most=$(scontrol show config | sed -n 's/^MaxArraySize *= *//p')
    [[ $most -eq 1001 ]]
    campaign c.conf 'true {n}' "$(seq -s ' ' 1050)" 1
    "$JOSTLE" submit --dry-run c.conf --output out --cells-per-task 1 --array-limit 5 -- --time=5 -p main >said
    grep -q '^2100 cells in 2100 array tasks, 3 arrays' said
    [[ $(grep -c '^sbatch .*--array=1-1000%5 ' said) -eq 2 ]]
    grep -q '^sbatch .*--array=1-100%5 --dependency=afterany:ARRAY2 .* 2000$' said
    grep -q -- '--dependency=afterany:ARRAY1:ARRAY2:ARRAY3' said
    [[ $(grep -c -- '--exclusive .*--time=5 -p main ' said) -eq 3 ]]
    [[ ! -e out ]]
    "$JOSTLE" submit --dry-run c.conf --output out --share | grep '^sbatch' >said
    run ! grep -q -- --exclusive said
}

@test "loads on other nodes make the job ask for them" {
    campaign c.conf 'true {n}' 1 1
    printf ' node = 2\n[load "talk"]\n spec = @2 cpu --percent 1 + @3 cpu --percent 1\n' >>c.conf
    "$JOSTLE" submit --dry-run c.conf --output out | grep -q '^sbatch .*--nodes=3 '
    submit c.conf --output out --cells-per-task 9
    eventually 300 slurm_no_jobs
    [[ $("$JOSTLE" status out) == *'3 cells: 3 done,'* ]]
    jq -rs '[.[].load[].node] | unique | join(" ")' out/cells/*/runs.jsonl | grep -qx 'n2 n3'
}

@test "what sbatch refuses leaves nothing in the queue" {
    campaign c.conf 'true {n}' 1 1
    run -1 "$JOSTLE" submit c.conf --output out -- --partition=nowhere
    [[ $output == *'slurm refused'* ]]
    slurm_no_jobs
    run -2 "$JOSTLE" submit
    run -2 "$JOSTLE" submit c.conf --exclusive --share
    run -2 "$JOSTLE" submit c.conf --output 'a b'
    run -2 "$JOSTLE" submit --resume c.conf
    run -2 "$JOSTLE" submit none.conf --output other
    run -2 "$JOSTLE" status nowhere
}
