#!/usr/bin/env bats
# The run loop, with a made-up stats, meter, load and clock: who is told what, and in
# which order. Nothing here measures anything.

load helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    mkdir -p root/jobs harness/report bin out
    ln -s "$BIN/arguments" bin/arguments
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
    make_stats
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
        load low load_condition low load_node "${1:-}" load_word "$PWD/bin/load" load_word low condition baseline condition low
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

# A stats that asks for the runs in the file decisions, a line each, and logs all that
# it is told, and all events that it has seen.
make_stats() {
    cat >bin/stats <<'END'
#!/bin/bash
declare -A file=()
await() {
    local event=$1 source line code patience=60
    [[ ! -e $1.silent ]] || patience=2
    for source in "${@:2}"; do
        while true; do
            code=0
            IFS= read -r -t "$patience" line <&"${file[$source]}" || code=$?
            ((code <= 128)) || { echo silent; return; } # held by now
            ((code == 0)) || { printf 'failed\t%s\t\n' "$source"; return; }
            case $line in
                *'"event":"error"'*) printf 'failed\t%s\ta text of its own\n' "$source"; return ;;
                *"\"event\":\"$event\""*) break ;;
            esac
        done
        echo "$event $source" >>"$LOG"
    done
    echo ok
}
decide() { IFS= read -r line <&5 && printf '%b\n' "$line"; }
# series FIFO VARIANT...: of one run, of the first condition that has one.
series() {
    local said variant=${*:2}
    echo "series ${*:2}" >>"$LOG"
    variant=${variant//- /}
    echo "run ${variant%% *}" >"$1"
    said=$(await record meter)
    [[ $said == ok ]] || { echo "$said"; return; }
    printf 'made\t1\tbaseline\n'
    decide
}
exec 5<decisions
while IFS=$'\t' read -r -a words; do
    case ${words[0]} in
        meter) exec {fd}<"${words[1]}"; file[meter]=$fd ;;
        load) echo "load ${words[*]:1:3}" >>"$LOG"; exec {fd}<"${words[-1]}"; file[${words[1]}]=$fd ;;
        await) await "${words[@]:1}" ;;
        begin) echo "begin ${words[2]}" >>"$LOG"; decide ;; # not the time of day
        series) series "${words[@]:1}" ;;
        record | stop) echo "${words[*]}" >>"$LOG"; decide ;;
        finish) echo finish >>"$LOG"; echo '{}' >out/result.json; echo x >out/runs.jsonl; printf 'done\t%s\n' "$(cat verdict 2>/dev/null)" ;;
        *) echo "${words[*]}" >>"$LOG" ;;
    esac
done
echo 'stats: end' >>"$LOG"
END
    chmod +x bin/stats
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
    echo '{"schema":"jostle.meter/1","event":"record"}' >&4
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

# loop [COMMAND...]: `jostle run` with all of these; COMMANDs are run before it. The
# clock: a second passes each time that somebody looks.
loop() {
    JOSTLE_ROOT=$PWD/root JOSTLE_HARNESS=$PWD/harness JOSTLE_LIB=$ROOT/harness/lib JOSTLE_BIN=$PWD/bin \
        timeout 300 bash -c 'set -euo pipefail
        source "$JOSTLE_LIB/loop.bash"
        clock=0
        now_us() { clock=$((clock + 1000000)); REPLY=$clock; }
        eval "$1"
        measure run' bash "${1:-}" 3>&-
}

# logged: the log is exactly the lines on stdin.
logged() {
    diff - log
}

@test "a run: prepare, resume, steady, mark, run, mark, pause, record, conclude, in this order" {
    one_load
    printf '%s\0' command_prepare 'echo prepare >>log' command_conclude 'echo conclude >>log' >>plan
    printf '%s\n' 'run\tbaseline\t1\t1\tp\t-' 'run\tlow\t1\t2\tp\t-' 'stop\terror\t' >decisions
    run -0 loop
    [[ $output == $'the table of out\n\nRecords: '"$PWD/out"$'\nPage: jostle report --open '"$PWD/out" ]]
    logged <<'END'
begin 1000000
load 0 low low
ready 0
ready meter
prepare
meter: run 0 ./target
record meter
record -
conclude
prepare
load low: resume
steady 0
load low: mark start
mark 0
meter: run 0 ./target
record meter
load low: mark end
mark 0
load low: pause
paused 0
record -
conclude
after {"time":1}
finish
stats: end
END
}

# bats test_tags=slow
@test "where nothing is to be done between two runs, stats makes them; where something is, we do" {
    printf '%s\n' 'run\tbaseline\t1\t1\tp\t-' 'run\tbaseline\t2\t2\tp\t-' 'stop\terror\t' >decisions
    run -0 loop
    logged <<'END'
begin 1000000
ready meter
series 0
meter: run 0 ./target x
record meter
series 0
meter: run 0 ./target x
record meter
after {"time":1}
finish
stats: end
END
    local what
    for what in 'cold 1' 'verbose 1' 'command_prepare :' 'command_conclude :' 'condition_sweep 1'; do
        rm log
        plan folder "$PWD/out" program x command_text x meter -- meter x condition baseline
        # shellcheck disable=SC2086 # a key and a value
        printf '%s\0' $what >>plan
        run -0 loop 'cold_empty_cache() { :; }; settings_sweep() { :; }'
        [[ $(grep -c '^series' log) -eq 0 && $(grep -c '^meter: run' log) -eq 2 ]]
    done
    # Between the runs of a condition with a load, but not between those without.
    rm log
    one_load
    printf '%s\n' 'run\tbaseline\t1\t1\tp\t-' 'run\tlow\t1\t2\tp\t-' 'stop\terror\t' >decisions
    run -0 loop
    [[ $(grep -E '^(series|record -|meter: run)' log) == $'series 0 -\nmeter: run 0 ./target\nmeter: run 0 ./target\nrecord -' ]]
}

# bats test_tags=slow
@test "where there is no terminal, the forecast is said once, unless it is short" {
    printf '%s\0' command_prepare : >>plan
    printf '%s\n' 'run\tbaseline\t1\t1\tp\t-' 'run\tbaseline\t2\t2\tp\t-' 'run\tbaseline\t3\t3\tp\t2000' \
        'run\tbaseline\t4\t4\tp\t1999' 'stop\terror\t' >decisions
    run -0 --separate-stderr loop
    # The clock goes on by a second whenever it is read.

    [[ $stderr =~ ^'jostle: about '[0-9]+' min left: 2000 more runs are expected, after 2'$ ]]
    # Not more than --max-time leaves.
    plan folder "$PWD/out" program x command_text x meter -- meter x command_prepare : condition baseline max_time_us 130000000
    run -0 --separate-stderr loop
    [[ $stderr =~ ^'jostle: about '[0-9]+' '(s|min)' left until --max-time ends the measurement: 2000 more runs would be needed, after 2'$ ]]
    [[ $stderr == *' 2 min '* || $stderr == *' 1'[0-9][0-9]' s '* ]]
    plan folder "$PWD/out" program x command_text x meter -- meter x command_prepare : condition baseline
    sed -i 's/2000/2/; s/1999/1/' decisions
    run -0 --separate-stderr loop
    [[ -z $stderr ]]
}

@test "several loads are resumed together, then marked together" {
    plan folder "$PWD/out" program x command_text x meter -- meter x \
        load a load_condition both load_node '' load_word "$PWD/bin/load" load_word a \
        load b load_condition both load_node '' load_word "$PWD/bin/load" load_word b condition both
    printf '%s\n' 'run\tboth\t1\t1\tp\t-' 'stop\terror\t' >decisions
    run -0 loop
    # The two answer at the same time, so only the events are in order.
    diff <(grep -vE '^load [ab]:|^begin|^load [01] ' log) - <<'END'
ready 0
ready 1
ready meter
steady 0
steady 1
mark 0
mark 1
meter: run 0 x
record meter
mark 0
mark 1
paused 0
paused 1
record -
after {"time":1}
finish
stats: end
END
}

@test "a load that others connect to is there first, and runs until they are ready" {
    plan folder "$PWD/out" program x command_text x meter -- meter x \
        load a load_condition net load_node '' load_word "$PWD/bin/load" load_word a \
        load b load_condition net load_node '' load_listens 1 load_word "$PWD/bin/load" load_word b condition net
    printf '%s\n' 'stop\terror\t' >decisions
    printf '%s\n' 'run\tnet\t1\t1\tp\t-' 'stop\terror\t' >decisions
    run -0 loop
    head -n 10 log | logged_start
}

# logged_start: how the test above begins.
logged_start() {
    diff <(cat) - <<'END'
begin 1000000
load 1 b net
ready 1
load b: resume
steady 1
load 0 a net
ready 0
load b: pause
paused 1
ready meter
END
}

@test "--max-time is looked at between two runs, by the clock, from the first run that counts" {
    plan folder "$PWD/out" program x command_text x meter -- meter x condition baseline max_time_us 2500000
    printf '%s\0' command_prepare : >>plan # else stats makes the runs, and a time is looked at more often
    # The clock is looked at once a run: 2 s (warm-up), 3, 4, 5, 6 s.
    printf '%s\n' 'run\tbaseline\t0\t0\tp\t-' 'run\tbaseline\t1\t1\tp\t-' 'run\tbaseline\t2\t2\tp\t-' \
        'run\tbaseline\t3\t3\tp\t-' 'run\tbaseline\t4\t4\tp\t-' 'stop\tmax-time\t' >decisions
    run -0 loop
    [[ $(grep -c '^meter: run' log) -eq 4 ]]
    grep -q '^stop max-time$' log
}

@test "a pause comes between two runs, starts no program, and is reported" {
    ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 502)) || skip 'bash before 5.2 starts a sleep'
    plan folder "$PWD/out" program x command_text x meter -- meter x condition baseline
    printf '%s\n' 'run\tbaseline\t1\t1\tp\t-' 'pause\t0.200000' 'run\tbaseline\t2\t2\tp\t-' 'stop\terror\t' >decisions
    sed -i 's/record | stop)/record | stop | rested)/' bin/stats
    # Between two runs nothing may be started: what looks for a program finds none.
    run -0 loop 'stats_next() { stats_answer; NEXT=("${STATS_ANSWER[@]}"); if [[ ${NEXT[0]} == pause ]]; then before=$EPOCHREALTIME kept=$PATH PATH=; fi
        if [[ -n ${before:-} && ${NEXT[0]} != pause ]]; then PATH=$kept; printf "%s\n" "$((10#${EPOCHREALTIME/./} - 10#${before/./}))" >waited; fi; }'
    [[ $(grep -E '^(meter: run|rested|record -)' log) == $'meter: run 0 x\nrested\nmeter: run 0 x' ]]
    [[ $(<waited) -ge 200000 ]]
}

@test "how long a mark to another node was under way goes with the record, the longer of the two" {
    one_load node7
    printf '%s\n' 'run\tlow\t1\t1\tp\t-' 'stop\terror\t' >decisions
    run -0 loop
    grep -qE '^record 20[01]0000$' log # two looks at the clock: for how long it waits, too
    # The second mark takes longer.
    rm log
    run -0 loop 'eval "marked_$(declare -f loads_mark)"; loads_mark() { [[ $2 == start ]] || slow=2000000; marked_loads_mark "$@"; slow=; }
        now_us() { clock=$((clock + 1000000 + ${slow:-0})); REPLY=$clock; }'
    grep -qE '^record 60[01]0000$' log
}

@test "a load that dies is named with its last words, and ends the experiment" {
    one_load
    printf '%s\n' 'run\tlow\t1\t1\tp\t-' 'stop\terror\t' >decisions
    touch steady.dies
    run -1 loop
    [[ $output == 'jostle: load low ended: a last word' ]]
    [[ $(tail -n 2 log) == $'ended interrupted load low ended: a last word\nstats: end' ]]
    [[ $(grep -c meter: log) -eq 0 ]]
}

# bats test_tags=slow
@test "a load that ends with 2 was wrong use, and an error in its own words is told" {
    one_load
    printf '%s\n' 'run\tlow\t1\t1\tp\t-' >decisions
    printf '#!/bin/bash\necho "jostle: loadgen: --percent 500: give less" >&2\nexit 2\n' >bin/load
    run -2 loop
    [[ $output == 'jostle: load low: loadgen: --percent 500: give less' ]]
    [[ ! -e out/runs.jsonl ]]
    printf '#!/bin/bash\necho "{\\"event\\":\\"error\\"}"\nread -r\n' >bin/load
    mkdir -p out
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
        stats_say() { :; }
        load_name=(low) load_condition=(low) load_node=("") load_words=(sh -c "exit 2") load_first=(0) load_count=(3)
        processes_open load.0.in
        for ((i = 0; i < 1000; i++)); do
            load_start 0 .
            code=0
            wait "${load_pid[0]}" || code=$?
            fd_close "${load_in[0]}"
            ((code == 2)) || echo "$code"
        done
        temporary_close' 3>&-
    [[ -z $output ]]
}

@test "a load that is silent for too long ends the experiment, and is named" {
    one_load
    printf '%s\n' 'run\tlow\t1\t1\tp\t-' >decisions
    touch mark.silent
    JOSTLE_LOAD_STEADY_S=1 run -1 loop
    [[ $output == 'jostle: load low has not answered within 1 s: try it alone with loadgen, or allow it more with JOSTLE_LOAD_STEADY_S' ]]
    run ! pgrep -f "$PWD/bin/load"
}

@test "an answer that comes as the wait for it ends is not taken for the next one" {
    # shellcheck disable=SC2016 # of the other shell
    run -0 timeout 20 bash -c 'set -euo pipefail
        source "$1/messages.bash"
        source "$1/processes.bash"
        source "$1/stats.bash"
        exec {null_fd}>/dev/null
        # Too late for bash, too early to know that nobody waits.
        coproc HUB {
            read -r line
            sleep 1.5
            echo ok
            while read -r line && [[ $line != probed ]]; do :; done
            printf "run\tbaseline\n"
        }
        out=${HUB[0]} in=${HUB[1]}
        exec {stats_out}<&"$out" {stats_in}>&"$in"
        stats_await 1 sample probe || true
        stats_decide probed
        printf "%s\n" "${NEXT[@]}"' bash "$ROOT/harness/lib"
    [[ $output == $'run\nbaseline' ]]
}

@test "a meter that makes no record ends the experiment with its message" {
    printf '%s\n' 'run\tbaseline\t1\t1\tp\t-' >decisions
    touch meter-fails
    run -1 loop
    [[ $output == 'jostle: the run could not be measured: meter: a message' ]]
}

@test "a target that failed: exit 5, how, and its last line" {
    printf '%s\n' 'run\tbaseline\t1\t1\tp\t-' 'stop\tfailure\tfailed with exit code 7\tfix it' >decisions
    echo 'no input file' >out/target.stderr
    run -5 loop
    [[ $output == "jostle: the target failed with exit code 7: ./target x: no input file: fix it (records: $PWD/out)" ]]
    grep -q '^ended failed the target failed with exit code 7' log
    [[ $(grep -c finish log) -eq 0 ]]
}

@test "a command of several lines is one line in what stats is told" {
    plan folder "$PWD/out" program x command_text $'./target "x\nfinish"' meter --serve meter -- meter ./target meter x condition baseline
    printf '%s\n' 'run\tbaseline\t1\t1\tp\t-' 'stop\tfailure\tfailed with exit code 7\tfix it' >decisions
    run -5 loop
    grep -q '^ended failed the target failed with exit code 7: ./target "x finish": fix it' log
    [[ $(grep -c '^finish' log) -eq 0 ]]
}

@test "a client whose service has died is ended, and again while it runs" {
    # shellcheck disable=SC2016 # of the other shell
    run -0 bash -c 'source "$1/harness/lib/service.bash"
        meter_pid=7 asked=0
        stats_await() { echo "await $*"; ((++asked == 3)); }
        kill() { echo "kill $*"; }
        set -e
        service_await_run record' bash "$ROOT"
    [[ $output == $'await 0 record meter\nkill -s RTMIN 7\nawait 1 record meter\nkill -s RTMIN 7\nawait 1 record meter' ]]
}

@test "a stats that cannot go on, or is gone, ends the experiment" {
    printf '%s\n' 'run\tbaseline\t1\t1\tp\t-' 'failed\t-\tcannot append to out/runs.jsonl: is the disk full?' >decisions
    run -1 loop
    [[ $output == 'jostle: cannot append to out/runs.jsonl: is the disk full?' ]]
    mkdir -p out
    : >decisions
    printf '#!/bin/bash\nread -r\nexit 1\n' >bin/stats
    run -1 loop
    [[ $output == 'jostle: stats ended before the experiment did'* ]]
}

@test "an experiment that is complete starts nothing and writes nothing" {
    one_load
    printf '%s\0' complete 1 >>plan
    printf '%s\n' 'stop\terror\t' >decisions
    echo x >out/runs.jsonl
    run -0 loop
    [[ $output == "jostle: $PWD/out is complete (error): nothing to do"$'\nthe table of out\n\n'* ]]
    diff log <(printf '%s\n' 'begin 1000000' 'stats: end')
}

@test "the verdict of a gate is the exit status, also where nothing is left to measure" {
    one_load
    printf '%s\0' complete 1 quiet 1 >>plan
    echo x >out/runs.jsonl
    printf '%s\n' 'stop\tdecided\tbelow' >decisions
    run -0 loop
    printf '%s\n' 'stop\tdecided\tabove' >decisions
    run -3 loop
    printf '%s\n' 'stop\tmax-runs\tundecided' >decisions
    run -4 loop
    run ! grep -q finish log
}

@test "the exit status is the verdict of the record, which knows more than the last block" {
    one_load
    printf '%s\n' 'run\tbaseline\t1\t1\tp\t-' 'stop\tdecided\tbelow' >decisions
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
    plan folder "$PWD/out" command_text x meter --serve meter -- meter mpirun program mpirun condition baseline
    printf '%s\n' 'run\tbaseline\t1\t1\tp\t-' 'stop\terror\t' >decisions
    run -0 loop
    grep -qE '^steps step[[:space:]]1$' log
}

@test "a reader that has gone before the table is no failure of the measurement" {
    printf '%s\n' 'run\tbaseline\t1\t1\tp\t-' 'stop\terror\t' >decisions
    loop 'report_table() { sleep 0.3; yes | head -n 100000; }' | head -n 1 >shown
    [[ ${PIPESTATUS[0]} -eq 0 && $(<shown) == y ]]
    run -1 loop 'report_table() { print x >/dev/full; }'
    [[ $output == *'cannot write to stdout: is the disk full?: the result is in '* ]]
}

@test "the temporary folder of the FIFOs is nobody else's, and is gone at the end" {
    printf '%s\n' 'run\tbaseline\t1\t1\tp\t-' 'stop\terror\t' >decisions
    mkdir tmp
    TMPDIR=$PWD/tmp run -0 loop 'eval "was_$(declare -f series_find)"; series_find() { stat -c %a "$TMPDIR"/* >modes; was_series_find "$@"; }'
    [[ $(<modes) == 700 && -z $(ls tmp) ]]
}

@test "the forecast of what its time ends names no --max-time, which nobody gave" {
    printf '%s\0' command_prepare : panorama 1 max_time_us 130000000 >>plan
    printf '%s\n' 'run\tbaseline\t1\t1\tp\t-' 'run\tbaseline\t2\t2\tp\t-' 'run\tbaseline\t3\t3\tp\t2000' 'stop\ttime\t' >decisions
    run -0 --separate-stderr loop
    [[ $stderr =~ ^'jostle: about '[0-9]+' '(s|min)' left, after 2 runs'$ ]]
}
