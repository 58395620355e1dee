#!/usr/bin/env bats
# What bash does in an experiment, with a made-up meter and load, and with conduct or a made-up one: who is told what,
# and in which order. Nothing here measures anything.

load helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    mkdir -p root/jobs harness/report bin out
    ln -s "$BIN/arguments" "$BIN/conduct" bin/
    export LOG=$PWD/log
    # No scheduler, and a table of one line.
    cat >root/jobs/scheduler.bash <<'END'
scheduler_use_job() { scheduler_job=1; }
scheduler_pin() { :; }
scheduler_environment() { :; }
node_start_words() { :; }
scheduler_own_lines() { cat; }
scheduler_steps() { [[ $1 != mpirun ]] || printf 'step\t1\n'; }
END
    echo 'report_table() { echo "the table of ${1##*/}"; }' >harness/report/layout.bash
    make_experiment
    describe
    make_meter
    make_load
    plan folder "$PWD/out" program x command_text './target x' meter --serve meter -- meter ./target meter x condition baseline
}

# plan WORD...: what experiment prints.
plan() {
    printf '%s\0' "$@" >plan
}

# one_load: a plan with a load in the condition low.
one_load() {
    plan folder "$PWD/out" program x command_text './target x' meter --serve meter -- meter ./target \
        load low load_condition low load_node '' load_word "$PWD/bin/load" load_word low condition baseline condition low
}

make_experiment() {
    cat >bin/experiment <<END
#!/bin/bash
if [[ \$1 == --counters ]]; then echo '{"time":1}'; exit; fi
if [[ -s refusal ]]; then cat refusal >&2; exit 2; fi
cat '$PWD/plan'
END
    chmod +x bin/experiment
}

# describe [CHANGES]: out/experiment.json of one run of each condition; CHANGES is a jq filter over it.
describe() {
    jq -n '{ schema: "jostle.experiment/1", command: ["x"], loads: [{ name: "baseline", spec: null }, { name: "low", spec: "cpu" }],
        settings: { error: 0.01, confidence: 0.95, min_runs: 1, max_runs: 1, metric: ["wall_s"], seed: 3, warmup: 0, engine: "meter" },
        environment: { host: "vm", cpus_online: 2, job: {} }, before: { neighbours: null } } | '"${1:-.}" >out/experiment.json
}

# make_conductor: one that gives the orders in the file `decisions`, a line each: the first is what it answers to `begin`,
# the others follow `go`. It logs all that it is told.
make_conductor() {
    rm bin/conduct
    cat >bin/conduct <<'END'
#!/bin/bash
decide() { while IFS= read -r line <&5 && printf '%b\n' "$line" && [[ $line != hook* ]]; do :; done; }
exec 5<decisions
while IFS=$'\t' read -r -a words; do
    case ${words[0]} in
        meter | load) exec {fd}<>"${words[-2]}" {fd}<>"${words[-1]}"; echo ok ;;
        await) echo ok ;;
        begin) echo begin >>"$LOG"; IFS= read -r line <&5; printf '%b\n' "$line" ;;
        go | ok) echo "${words[*]}" >>"$LOG"; decide ;;
        finish) echo finish >>"$LOG"; echo '{}' >out/result.json; echo x >out/runs.jsonl; printf 'done\t%s\n' "$(cat verdict 2>/dev/null)" ;;
        *) echo "${words[*]}" >>"$LOG" ;;
    esac
done
echo 'conduct: end' >>"$LOG"
END
    chmod +x bin/conduct
}

make_meter() {
    cat >bin/meter <<'END'
#!/bin/bash
while [[ $1 != -- ]]; do
    if [[ $1 == --output ]]; then exec 4>"$2"; fi
    shift
done
echo '{"event":"ready"}' >&4
while read -r line; do
    echo "meter: $line ${*:2}" >>"$LOG"
    [[ ! -e meter-fails ]] || { echo 'jostle: meter: a message' >&2; exit 1; }
    jq -nc --argjson code "$(cat meter-says 2>/dev/null || echo 0)" '{ schema: "jostle.meter/1", start: "2023-11-14T22:13:21Z", wall_s: 0.01, user_s: 0.009, system_s: 0,
        max_rss_bytes: 1000, tree_peak_bytes: null, exit_code: $code, signal: null, timed_out: false, start_error: null, steal_s: 0, cpus: "0",
        machine: { busy_s: 0.009, busy_exact: true, swap_in_pages: 0, throttle_count: null, cpus: 2 } }' >&4
done
END
    chmod +x bin/meter
}

# A load that answers, unless a file says otherwise: EVENT.silent, EVENT.dies.
make_load() {
    cat >bin/load <<'END'
#!/bin/bash
answer() {
    [[ ! -e $1.dies ]] || { echo 'jostle: a last word' >&2; exit 3; }
    [[ -e $1.silent ]] || printf '{"event":"%s"}\n' "$1"
}
answer ready
while read -r line; do
    echo "load $1: $line" >>"$LOG"
    case $line in
        resume) answer steady ;;
        pause) answer paused ;;
        mark*) answer mark ;;
    esac
done
END
    chmod +x bin/load
}

# loop [COMMAND...]: `jostle run` with all of these; COMMANDs are run before it.
loop() {
    JOSTLE_ROOT=$PWD/root JOSTLE_HARNESS=$PWD/harness JOSTLE_LIB=$ROOT/harness/lib JOSTLE_BIN=$PWD/bin \
        timeout 300 bash -c 'set -euo pipefail
        source "$JOSTLE_LIB/measure.bash"
        eval "$1"
        measure run' bash "${1:-}" 3>&-
}

# logged: the log is exactly the lines on stdin.
logged() {
    diff - log
}

@test "a run: prepare, resume, mark, run, mark, pause, conclude, in this order" {
    one_load
    printf '%s\0' command_prepare 'echo prepare >>log' command_conclude 'echo conclude >>log' >>plan
    run -0 loop
    [[ $output == $'the table of out\n\nRecords: '"$PWD/out"$'\nPage: jostle report --open '"$PWD/out" ]]
    logged <<'END'
prepare
load low: resume
load low: mark start
meter: run 0 ./target
load low: mark end
load low: pause
conclude
prepare
meter: run 0 ./target
conclude
END
    holds 'length == 2 and .[0].condition == "low" and (.[0].load | length) == 1' < <(jq -s . out/runs.jsonl)
    [[ -s out/result.json ]]
}

# ordered KEY VALUE...: the hooks that bash is asked for in an experiment with these in its plan.
ordered() {
    rm -rf log answers out
    mkdir out
    describe '.loads |= .[:1]'
    plan folder "$PWD/out" program x command_text x meter -- meter x condition baseline
    printf '%s\0' "$@" >>plan
    run -0 loop 'eval "was_$(declare -f conduct_answer)"; conduct_answer() { was_conduct_answer; echo "${ANSWER[@]:0:2}" >>answers; }
        cold_empty_cache() { :; }; settings_sweep() { :; }'
    [[ $(grep -c '^meter: run' log) -eq 1 ]]
    grep '^hook' answers | tr '\n' ' '
}

# bats test_tags=slow
@test "where nothing is to be done around a run bash is not asked for anything; where something is, for that" {
    [[ -z $(ordered) ]]
    [[ $(ordered cold 1) == 'hook prepare ' ]]
    [[ $(ordered verbose 1) == 'hook resumed ' ]]
    [[ $(ordered command_prepare :) == 'hook prepare hook recorded ' ]]
    [[ $(ordered command_conclude :) == 'hook recorded ' ]]
    [[ $(ordered condition_sweep 1) == 'hook settled ' ]]
}

# bats test_tags=slow
@test "the forecast is in words: how long the rest takes, or when --max-time or the time of a panorama ends it" {
    forecast() {
        # shellcheck disable=SC2016 # of the other shell
        JOSTLE_ROOT=$PWD/root JOSTLE_HARNESS=$PWD/harness JOSTLE_LIB=$ROOT/harness/lib JOSTLE_BIN=$PWD/bin bash -c 'set -euo pipefail
            source "$JOSTLE_LIB/measure.bash"
            ! $1 || plan[panorama]=1
            forecast_say "${@:2}"' bash "$@" 2>&1
    }
    [[ $(forecast false 300 - 2 2000) == 'jostle: about 5 min left: 2000 more runs are expected, after 2' ]]
    [[ $(forecast false 90 cut 2 1999) == 'jostle: about 90 s left until --max-time ends the measurement: 1999 more runs would be needed, after 2' ]]
    [[ $(forecast false 90 cut 2 -1) == 'jostle: about 90 s left until --max-time ends the measurement: many more runs would be needed, after 2' ]]
    [[ $(forecast true 90 cut 2 1999) == 'jostle: about 90 s left, after 2 runs' ]]
}

@test "several loads are resumed together, then marked together" {
    describe '.loads |= [{ name: "both", spec: "cpu" }]'
    plan folder "$PWD/out" program x command_text x meter -- meter x \
        load a load_condition both load_node '' load_word "$PWD/bin/load" load_word a \
        load b load_condition both load_node '' load_word "$PWD/bin/load" load_word b condition both
    run -0 loop
    # The two answer at the same time.
    sed 's/^load [ab]/load/' log | uniq -c | sed 's/^ *//' | diff - <(printf '%s\n' '2 load: resume' '2 load: mark start' '1 meter: run 0 x' '2 load: mark end' '2 load: pause')
}

@test "a load that others connect to is there first, and runs until they are ready" {
    describe '.loads |= [{ name: "net", spec: "cpu" }]'
    plan folder "$PWD/out" program x command_text x meter -- meter x \
        load a load_condition net load_node '' load_word "$PWD/bin/load" load_word a \
        load b load_condition net load_node '' load_listens 1 load_word "$PWD/bin/load" load_word b condition net
    sed -i 's/^answer ready$/echo "load $1 begins" >>"$LOG"\n&/' bin/load
    run -0 loop
    head -n 4 log | diff - <(printf '%s\n' 'load b begins' 'load b: resume' 'load a begins' 'load b: pause')
}

@test "a load that dies is named with its last words, and ends the experiment" {
    one_load
    touch steady.dies
    run -1 loop
    [[ $output == 'jostle: load low ended: a last word' ]]
    [[ $(grep -c meter: log) -eq 0 ]]
}

# bats test_tags=slow
@test "a load that ends with 2 was wrong use, and an error in its own words is told" {
    one_load
    printf '#!/bin/bash\necho "jostle: loadgen: --percent 500: give less" >&2\nexit 2\n' >bin/load
    run -2 loop
    [[ $output == 'jostle: load low: loadgen: --percent 500: give less' ]]
    [[ ! -e out/runs.jsonl ]]
    printf '#!/bin/bash\necho "{\\"event\\":\\"error\\",\\"message\\":\\"a text of its own\\"}"\nread -r\n' >bin/load
    mkdir -p out
    describe
    run -1 loop
    [[ $output == 'jostle: load low ended: a text of its own' ]]
}

# bats test_tags=slow
@test "the exit status of a load that is refused is certain" {
    # bash's wait for a process substitution would say 255 a few times.
    # shellcheck disable=SC2016 # expanded there
    JOSTLE_BIN=$BIN JOSTLE_LIB=$ROOT/harness/lib run -0 timeout 600 bash -c 'set -euo pipefail
        for part in common processes loads; do source "$JOSTLE_LIB/$part.bash"; done
        node_start_words() { :; }
        source_open() { exec {PIPE_IN}</dev/null; private_fds+=("$PIPE_IN"); }
        load_name=(low) load_condition=(low) load_node=("") load_words=(sh -c "exit 2") load_first=(0) load_count=(3)
        processes_open load.0
        exec {lines}<>"$fifo_folder/load.0"
        for ((i = 0; i < 1000; i++)); do
            load_start 0 .
            code=0
            wait "${load_pid[0]}" || code=$?
            ((code == 2)) || echo "$code"
        done
        temporary_close' 3>&-
    [[ -z $output ]]
}

@test "a load that is silent for too long ends the experiment, and is named" {
    one_load
    touch mark.silent
    JOSTLE_LOAD_STEADY_S=1 run -1 loop
    [[ $output == 'jostle: load low has not answered within 1 s: try it alone with loadgen, or allow it more with JOSTLE_LOAD_STEADY_S' ]]
    run ! pgrep -f "$PWD/bin/load"
}

@test "a meter that makes no record ends the experiment with its message" {
    describe '.loads |= .[:1]'
    touch meter-fails
    run -1 loop
    [[ $output == 'jostle: the run could not be measured: meter: a message' ]]
}

@test "a target that failed: exit 5, how, and its last line" {
    describe '.loads |= .[:1] | .cell = { name: "a@b", key: "k", settings: {}, limits: {} }'
    echo 7 >meter-says
    echo 'no input file' >out/target.stderr
    run -5 loop
    [[ $output == "jostle: the target failed with exit code 7: ./target x: no input file: "*" (records: $PWD/out)" ]]
    holds '.state == "failed" and (.reason | startswith("the target failed with exit code 7: ./target x: no input file: "))' <out/status.json
    [[ ! -e out/result.json ]]
}

@test "a command of several lines is one line in what conduct is told" {
    make_conductor
    plan folder "$PWD/out" program x command_text $'./target "x\nfinish"' meter --serve meter -- meter ./target meter x condition baseline
    printf '%s\n' ready 'stop\tfailure\t1\tfailed with exit code 7\tfix it\ttarget\t0' >decisions
    run -5 loop
    grep -q '^ended failed the target failed with exit code 7: ./target "x finish": fix it' log
    [[ $(grep -c '^finish' log) -eq 0 ]]
}

@test "a conductor that cannot go on, or is gone, ends the experiment" {
    make_conductor
    printf '%s\n' ready 'failed\t-\tcannot append to out/runs.jsonl: is the disk full?' >decisions
    run -1 loop
    [[ $output == 'jostle: cannot append to out/runs.jsonl: is the disk full?' ]]
    mkdir -p out
    : >decisions
    printf '#!/bin/bash\nread -r\nexit 1\n' >bin/conduct
    run -1 loop
    [[ $output == 'jostle: conduct ended before the experiment did'* ]]
}

@test "an experiment that is complete starts nothing and writes nothing" {
    make_conductor
    one_load
    printf '%s\0' complete 1 >>plan
    printf '%s\n' 'stop\terror\t0\t' >decisions
    echo x >out/runs.jsonl
    run -0 loop
    [[ $output == "jostle: $PWD/out is complete (error): nothing to do"$'\nthe table of out\n\n'* ]]
    diff log <(printf '%s\n' begin 'conduct: end')
}

@test "the verdict of a gate is the exit status, also where nothing is left to measure" {
    one_load
    make_conductor
    printf '%s\0' complete 1 quiet 1 >>plan
    echo x >out/runs.jsonl
    printf '%s\n' 'stop\tdecided\t0\tbelow' >decisions
    run -0 loop
    printf '%s\n' 'stop\tdecided\t0\tabove' >decisions
    run -3 loop
    printf '%s\n' 'stop\tmax-runs\t0\tundecided' >decisions
    run -4 loop
    run ! grep -q finish log
}

@test "the exit status is the verdict of the record, which knows more than the last block" {
    one_load
    make_conductor
    printf '%s\n' ready 'stop\tdecided\t1\tbelow' >decisions
    echo undecided >verdict
    run -4 loop
    rm verdict out/*
    run -0 loop
}

@test "what experiment refuses ends jostle as it says, and its help is ours" {
    echo 'jostle: --error 7: give a fraction' >refusal
    run -2 loop
    [[ $output == 'jostle: --error 7: give a fraction' && ! -e log ]]
    rm refusal
    printf 'Usage: jostle run\n\n  and so on\n' >plan
    run -0 loop
    [[ $output == $'Usage: jostle run\n\n  and so on' && ! -e log ]]
}

@test "what ran on other nodes is told for a target that is a launcher" {
    make_conductor
    plan folder "$PWD/out" command_text x meter --serve meter -- meter mpirun program mpirun condition baseline
    printf '%s\n' ready 'stop\terror\t1\t' >decisions
    run -0 loop
    grep -qE '^steps step[[:space:]]1$' log
}

@test "a reader that has gone before the table is no failure of the measurement" {
    make_conductor
    printf '%s\n' ready 'stop\terror\t1\t' >decisions
    loop 'report_table() { sleep 0.3; yes | head -n 100000; }' | head -n 1 >shown
    [[ ${PIPESTATUS[0]} -eq 0 && $(<shown) == y ]]
    run -1 loop 'report_table() { print x >/dev/full; }'
    [[ $output == *'cannot write to stdout: is the disk full?: the result is in '* ]]
}

@test "the temporary folder of the FIFOs is nobody else's, and is gone at the end" {
    describe '.loads |= .[:1]'
    mkdir tmp
    TMPDIR=$PWD/tmp run -0 loop 'eval "was_$(declare -f conditions_describe)"; conditions_describe() { stat -c %a "$TMPDIR"/* >modes; was_conditions_describe "$@"; }'
    [[ $(<modes) == 700 && -z $(ls tmp) ]]
}
