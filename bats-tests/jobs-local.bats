#!/usr/bin/env bats
# jostle submit with the local scheduler: a campaign measured in the background by
# processes of this machine; and the queue behind it.

load helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    scratch_settings
    export JOSTLE_QUEUE=$PWD/queue
    queue=$ROOT/jobs/local/queue
    # A machine that has Slurm's commands or not: nothing here is to depend on it.
    unset SLURM_CONF
}

teardown() {
    local id
    for id in $("$queue" list | cut -f 2 | sort -u); do "$queue" cancel "$id"; done
}

# campaign TARGET VALUES RUNS: writes c.conf: TARGET with each of VALUES for {n}.
campaign() {
    printf '[campaign]\n name = test\n min-runs = %s\n max-runs = %s\n[target "t"]\n command = %s\n n = %s\n[load "cpu"]\n spec = cpu --percent 2\n' \
        "$3" "$3" "$1" "$2" >c.conf
}

# idle: 0 when no job waits or runs.
idle() {
    [[ -z $("$queue" list) ]]
}

# waiting_target RUNS: makes ./target, of which each run after so many stays until the file go is there.
waiting_target() {
    cat >target <<END
#!/bin/sh
echo "\$1" >>$PWD/calls
[ "\$(wc -l <$PWD/calls)" -le $1 ] || until [ -e $PWD/go ]; do sleep 0.05; done
END
    chmod +x target
}

# none_measures: 0 when nothing of the campaign runs any more: what a killed queue has started ends by itself.
none_measures() {
    [[ -z $(pgrep -f -- "$PWD/out") ]]
}

# recorded NUMBER: 0 when at least NUMBER runs are recorded.
recorded() {
    (($(cat out/cells/*/runs.jsonl 2>/dev/null | wc -l) >= $1))
}

# script LINE...: writes job, a script for the queue.
script() {
    printf '%s\n' "$@" >job
}

# bats test_tags=slow
@test "a campaign is measured in the background, one task at a time, then reported" {
    waiting_target 1
    campaign './target {n}' '1 2 3' 2
    "$JOSTLE" submit --scheduler local c.conf --output out --cells-per-task 1 >said
    grep -q '^3 cells in 3 array tasks: job 1; report: job 2; ' said
    [[ $("$JOSTLE" status out) == *'job 1 (cells):'*'job 2 (report): 1 pending'* ]]
    run -1 "$JOSTLE" submit --resume out
    [[ $output == *'still wait or run'*'queue cancel 1 2' ]]
    touch go
    eventually 200 idle
    [[ $("$JOSTLE" status out) == 'test: 3 cells: 3 done, 0 running, 0 failed, 0 interrupted, 0 stale, 0 waiting' ]]
    [[ -s out/report.html && -s out/report.md && -s out/report.csv ]]
    holds '.cells | length == 3 and all(.state == "done")' <out/report.json
    [[ -z $(ls scratch) ]]
    run -0 "$JOSTLE" submit --resume out
    [[ $output == *'nothing is left to do'* ]]
}

# bats test_tags=slow
@test "cancelled in the middle, --resume measures the rest" {
    waiting_target 2
    campaign './target {n}' '3 4' 3
    "$JOSTLE" submit --scheduler local --quiet c.conf --output out --cells-per-task 1 >ids
    eventually 60 recorded 2
    xargs "$queue" cancel <ids
    idle
    [[ $("$queue" fate 1_1) == cancelled && $("$queue" fate 1_2) == cancelled ]]
    [[ -z $(ls scratch) ]]
    "$JOSTLE" status out
    touch go
    # It was submitted to local, and so continues there.
    "$JOSTLE" submit --resume out
    eventually 200 idle
    [[ $("$JOSTLE" status out) == *' 2 done,'* ]]
    holds 'length == 12 and all(.exit_code == 0 and .signal == null)' -s < <(cat out/cells/*/runs.jsonl)
}

# bats test_tags=slow
@test "a killed queue ends its task, and leaves what --resume continues" {
    local pid
    waiting_target 1
    campaign './target {n}' 2 3
    "$JOSTLE" submit --scheduler local --quiet c.conf --output out >ids
    eventually 60 recorded 1
    pid=$(<queue/1/pid)
    kill -KILL "$pid"
    eventually 200 idle
    [[ $("$queue" fate 1_1) == gone ]]
    eventually 60 none_measures
    touch go
    "$JOSTLE" submit --resume out
    eventually 200 idle
    [[ $("$JOSTLE" status out) == *' 1 done,'* ]]
}

# bats test_tags=slow
@test "jobs run in order, tasks as many at a time as was said, and each ends as it ends" {
    # shellcheck disable=SC2016 # for the script
    script 'echo "begin $JOSTLE_LOCAL_JOB.${JOSTLE_LOCAL_TASK:-} $*" >>log; until [[ -e go ]]; do sleep 0.05; done; echo "end $JOSTLE_LOCAL_JOB.${JOSTLE_LOCAL_TASK:-}" >>log' \
        '[[ ${JOSTLE_LOCAL_TASK:-} != 2 ]]'
    [[ $("$queue" submit first 3 2 "$PWD/%j.%i" job a 'b c') == 1 ]]
    [[ $("$queue" submit second '' 1 "$PWD/%j" job) == 2 ]]
    two_began() { [[ $(grep -c '^begin' log) -eq 2 ]]; }
    eventually 30 two_began
    [[ $("$queue" fate 1_3) == pending && $("$queue" fate 2) == pending ]]
    touch go
    eventually 200 idle
    head -n 2 log | sort | diff - <(printf 'begin 1.1 a b c\nbegin 1.2 a b c\n')
    tail -n 2 log | diff - <(printf 'begin 2. \nend 2.\n')
    [[ $("$queue" fate 1_1) == completed && $("$queue" fate 1_2) == failed && $("$queue" fate 2) == completed ]]
    [[ $("$queue" fate 7) == gone && -e 1.3 && -e 2 ]]
}

# bats test_tags=slow
@test "the report waits for cells that fail, and a cancelled job that waits never begins" {
    printf 'exit 1\n' >fails
    "$queue" submit cells 2 1 "$PWD/%j.%i" fails
    script 'exec sleep 300' # or it would outlive its script, and hold the output of bats
    "$queue" submit next '' 1 "$PWD/%j" job
    "$queue" submit last '' 1 "$PWD/%j" job
    eventually 30 test -e 2
    "$queue" cancel 3
    [[ ! -e 3 && $("$queue" fate 3) == cancelled && $("$queue" fate 2) == running ]]
    "$queue" cancel 2
    [[ $("$queue" fate 2) == cancelled ]]
}

# bats test_tags=slow
@test "a job that waits for several others is cancelled at once" {
    script 'until [[ -e go ]]; do sleep 0.05; done'
    for name in first second third; do "$queue" submit "$name" '' 1 "$PWD/%j" job; done
    waits_for_first() { [[ -s queue/3/pid && -n $(pgrep -f "lock wait-shared $JOSTLE_QUEUE/1/lock" -P "$(<queue/3/pid)") ]]; }
    eventually 30 waits_for_first
    # It returns while the first one still runs, and nothing of the third is left.
    timeout 60 "$queue" cancel 3
    [[ $("$queue" fate 1) == running && $("$queue" fate 2) == pending && $("$queue" fate 3) == cancelled ]]
    touch go
    eventually 60 idle
    [[ $("$queue" fate 2) == completed && ! -e 3 ]]
}

@test "what the local scheduler cannot do is refused" {
    campaign 'true {n}' 1 1
    run -2 "$JOSTLE" submit --scheduler lokal c.conf
    [[ $output == *'unknown scheduler'*'local'* ]]
    run -2 "$JOSTLE" submit --scheduler local c.conf --output out -- --partition=main
    [[ $output == *'takes no options'* ]]
    printf ' node = 2\n' >>c.conf
    run -2 "$JOSTLE" submit --scheduler local c.conf --output out
    [[ $output == *'need 2 nodes'* ]]
    [[ ! -e queue ]]
}

# bats test_tags=slow
@test "a dry run needs no cluster, and says what it assumed" {
    local controller=$PWD/none
    campaign 'true {n}' '1 2 3' 1
    mkdir "$controller"
    run -0 --separate-stderr env SLURM_CONF="$controller/slurm.conf" "$JOSTLE" submit --scheduler slurm --dry-run c.conf --output out --cells-per-task 1
    [[ $output == '3 cells in 3 array tasks, 1 array;'*'sbatch '*'--array=1-3 '* ]]
    # shellcheck disable=SC2154 # set by run
    [[ $stderr == *'MaxArraySize is taken to be 1001'* ]]
    [[ ! -e out ]]
}

@test "a job's facts are lines that programs read, and there are none outside of one" {
    # shellcheck disable=SC2016 # for the script
    script "JOSTLE_ROOT=$ROOT" "source $ROOT/harness/lib/messages.bash; source $ROOT/jobs/scheduler.bash" \
        "scheduler_use ''; scheduler_environment" 'printf "%s\n" "${JOSTLE_JOB_FACTS-none}" "${JOSTLE_JOB_HOSTS-none}"'
    bash job >outside
    diff outside <(printf 'none\nnone\n')
    "$queue" submit facts 1 1 "$PWD/inside" job
    eventually 30 idle
    grep -qx $'scheduler\tlocal' inside
    grep -qx $'queue_id\t1_1' inside
    grep -qx "$(uname -n)" inside
    run ! grep -qv $'^[a-z_]*\t' <(head -n -1 inside)
}

@test "submit that is killed leaves no temporary folder" {
    mkdir bin tmp
    campaign true 1 2
    printf '#!/bin/sh\ntouch "%s/began"\nexec sleep 60\n' "$PWD" >bin/cp
    chmod +x bin/cp
    TMPDIR=$PWD/tmp PATH=$PWD/bin:$PATH "$JOSTLE" submit c.conf --scheduler local --output "$PWD/out" 3>&- &
    eventually 30 test -e began
    # shellcheck disable=SC2046 # words
    kill -KILL "$!" $(below "$!" bash)
    wait "$!" || true
    eventually 30 rmdir tmp 2>/dev/null
}

@test "a job removes of scratch only what its own first try has left" {
    local held folder
    mkdir scratch/jostle.{1,1_1}.old "scratch/jostle.$EUID".{1.left,1.live,12.other,1.foreign}
    ln -s "$PWD/scratch/jostle.1.old" "scratch/jostle.$EUID.1.link"
    for folder in scratch/*; do touch "$folder/data"; done
    exec {held}<"scratch/jostle.$EUID.1.live"
    flock "$held"
    [[ $(id -u) -ne 0 ]] || chown 65534 "scratch/jostle.$EUID.1.foreign"
    script "source $ROOT/jobs/common.bash; job_begin" 'printf "%s\n" "$job_scratch"; flock -n "$job_scratch" true && echo unlocked' 'ls -d "$TMPDIR"'
    JOSTLE_LOCAL_JOB=1 bash job >said
    [[ $(<said) == "$PWD/scratch/jostle.$EUID.1."??????????$'\n'"$PWD/scratch/jostle.$EUID.1."?????????? ]]
    [[ -e scratch/jostle.1.old/data && -e scratch/jostle.1_1.old/data && -e scratch/jostle.$EUID.1.live/data &&
        -e scratch/jostle.$EUID.12.other/data && ! -e scratch/jostle.$EUID.1.left && ! -e $(head -n 1 said) ]]
    [[ -e scratch/jostle.$EUID.1.foreign/data || $(id -u) -ne 0 ]]
}

@test "a task finds its line also in a list that is far longer than a pipe" {
    { echo && seq 100000; } >tasks
    run -1 env JOSTLE_LOCAL_JOB=1 JOSTLE_LOCAL_TASK=1 bash "$ROOT/jobs/cell" "$ROOT" "$PWD" "$PWD/tasks"
    [[ $output == *"$PWD/tasks has no line 1: submit the campaign again with jostle submit --resume" ]]
}

@test "nothing outside of the jobs knows their scheduler" {
    cd "$ROOT"
    # Its daemons are among those that are never paused, by name; loadgen record finds the control group of a job.
    run -1 bash -c 'grep -rniE --exclude=neighbour.c "slurm|srun|sbatch" common loadgen harness workloads | grep -v "^loadgen/record/"'
}

@test "an example job is submitted from any folder where jostle is in PATH, or says in one line that it is not" {
    mkdir bin && ln -s "$JOSTLE" bin/jostle
    # What measures is not needed to see that it is found.
    sed '/^measure /,$d' "$ROOT/jobs/examples/nbody.sbatch" >job
    printf 'printf "%%s\\n" "$JOSTLE_ROOT"\n' >>job
    [[ $(SLURM_SUBMIT_DIR=$PWD PATH=$PWD/bin:$PATH JOSTLE_LOCAL_JOB=1 bash job) == "$ROOT" ]]
    for job in "$ROOT"/jobs/examples/*.sbatch; do
        run -2 --separate-stderr env SLURM_SUBMIT_DIR="$PWD" PATH=/usr/bin:/bin bash "$job"
        # shellcheck disable=SC2154 # set by bats
        [[ $stderr == 'jostle: not found: put it into PATH, '* && $stderr != *$'\n'* && -z $output ]]
    done
}
