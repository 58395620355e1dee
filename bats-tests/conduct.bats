#!/usr/bin/env bats
# conduct: with a made-up meter, load and service, and times that no clock has shown.

load helpers

hub_pid='' number=0 answer=''

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    mkdir folder
    mkfifo meter meter.in load load.in
}

teardown() {
    [[ -z $hub_pid ]] || leave || true
}

# leave: closes the conductor's stdin, and waits for its end.
leave() {
    exec {hub}>&-
    wait "$hub_pid"
    hub_pid=''
}

# describe [CHANGES]: folder/experiment.json; CHANGES is a jq filter over it.
describe() {
    jq -n '{ schema: "jostle.experiment/1", command: ["x"], loads: [{ name: "baseline", spec: null }, { name: "half", spec: "cpu" }],
        settings: { error: 0.01, confidence: 0.95, min_runs: 3, max_runs: 3, metric: ["wall_s"], seed: 3, warmup: 0, engine: "meter" },
        environment: { host: "vm", cpus_online: 2, device: "/dev/here", file_system: "ext4", job: { queue_id: "12_3" } },
        before: { neighbours: null }, cell: { name: "a@b", key: "k", settings: { "max-runs": "3", nice: "1" }, limits: { "max-runs": "3" } } } | '"${1:-.}" >folder/experiment.json
}

# start [COMMAND...]: starts conduct (by COMMAND, where there is one), with a meter and the load of condition half.
start() {
    mkfifo in
    : >out
    "$@" "$BIN/conduct" --pid 4321 folder <in >out 2>errors &
    hub_pid=$!
    exec {hub}>in {answers}<out {meter}<>meter {load}<>load
    send "meter\t$PWD/meter\t$PWD/meter.in" "load\t0\thalf\thalf\t\t$PWD/load\t$PWD/load.in"
    hear ok
    hear ok
}

# go US [UPTIME]: begins, and has each run of two conditions (or of so many as `conditions` says) told.
go() {
    local IFS=$'\t' i
    send "begin\t$*"
    hear ready
    for ((i = 0; i < ${conditions:-2}; i++)); do send "condition\t$i\t0${hooks:+\t$hooks}"; done
    send "go\t${most_us:-0}\t${least:-0}\tall"
}

send() {
    printf '%b\n' "$@" >&"$hub"
}

# hear EXPECTED: the next answer is as the pattern EXPECTED.
hear() {
    local i part
    answer=''
    for ((i = 0; i < 3000; i++)); do # half a minute: a disk may take seconds to flush
        part=''
        if IFS= read -r part <&"$answers"; then
            answer+=$part
            # shellcheck disable=SC2053 # a pattern
            [[ $answer == $1 ]] && return 0
            printf 'expected %s, got %s; %s\n' "$1" "$answer" "$(<errors)" >&2
            return 1
        fi
        answer+=$part
        sleep 0.01
    done
    printf 'expected %s, got nothing; %s\n' "$1" "$(<errors)" >&2
    return 1
}

# run_once [METER [MARK]]: answers the `run` that was heard last, as meter and load would; METER and MARK
# are jq filters over their lines.
run_once() {
    local -a lines
    number=$((number + 1))
    mapfile -t lines < <(jq -nc --argjson n $number '({ schema: "jostle.meter/1", start: "2023-11-14T22:13:\(20 + $n)Z", wall_s: (1 + ($n * 37 % 11) / 100), user_s: 0.9, system_s: 0.05,
        max_rss_bytes: 1000, tree_peak_bytes: null, exit_code: 0, signal: null, timed_out: false, start_error: null, steal_s: 0, cpus: "0",
        machine: { busy_s: 0.96, busy_exact: true, swap_in_pages: 0, throttle_count: null, cpus: 2 } } | '"${1:-.}"'),
        ({ event: "mark", mark: "end", load: "cpu", unit: "CPUs", offered: 0.5, achieved: 0.5, late: 0, dropped: 0, cpu_s: 0, elapsed_s: 1, cpus: "1" } | '"${2:-.}"')')
    [[ $answer != $'run\thalf\t'* ]] || printf '%s\n' '{"event":"steady"}' '{"event":"mark"}' "${lines[1]}" '{"event":"paused"}' >&"$load"
    printf '%s\n' "${lines[0]}" >&"$meter"
}

# finish: ends conduct, and waits for it.
finish() {
    send finish
    hear 'done*'
    leave
}

records() {
    command jq -s "$1" folder/runs.jsonl
}

# bats test_tags=slow
@test "records are put together, judged, appended, and decide what is next" {
    describe
    start
    go 1700000000000000
    hear $'run\thalf\t1\t1\terror - (1.0 % wanted)\t-1\t-1\t-'
    run_once
    hear $'run\tbaseline\t1\t2\t*'
    run_once '.machine.busy_s = 3 | .steal_s = 0.5 | .machine.swap_in_pages = 7 | .machine.throttle_count = 1'
    hear $'run\tbaseline\t2\t3\t*'
    run_once
    hear $'run\thalf\t2\t4\t*'
    run_once . '.achieved = 0.4'
    for order in 5 6; do
        hear $'run\t*\t3\t'$order$'\terror *\t*'
        run_once
    done
    hear $'stop\tmax-runs\t6\t'
    send 'after\t{"time":"2023-11-14T23:00:00Z","neighbours":null}' 'steps\tstep\t12.0\tx\t2\t1.5\t\t100\tDONE' 'warn\tit was dark'
    finish
    records 'map(.order)' | holds '. == [1, 2, 3, 4, 5, 6]'
    records '.[0]' | holds 'keys_unsorted[:5] == ["schema", "condition", "block", "order", "host"] and .schema == "jostle.run/1" and .condition == "half"
        and .wall_s == 1.04 and .flags == [] and (.load | length == 1) and .load[0].name == "half" and (.load[0] | has("event") or has("mark") | not)'
    records '.[1]' | holds '.condition == "baseline" and .load == [] and .flags == ["steal", "foreign-load", "swap-in", "throttled"]'
    records '.[3]' | holds '.flags == ["load-short"]'
    holds '.after.time == "2023-11-14T23:00:00Z" and .step_accounting.steps[0] == { step: "12.0", name: "x", tasks: 2, elapsed_s: 1.5, cpu_s: null, max_rss_bytes: 100, state: "DONE" }
        and .warnings == [{ load: null, condition: null, text: "it was dark" }]' <folder/experiment.json
    holds '.conditions | map(.runs) == [3, 3]' <folder/result.json
    holds '[.warnings[] | select(.flag == "harness-warning")] | length == 1 and .[0].message == "it was dark" and .[0].severity == "note"' <folder/result.json
    holds '.state == "done" and .reason == "max-runs" and .pid == 4321 and .job == "12_3" and .cell == "a@b" and .limits == { "max-runs": "3" }
        and .started == "2023-11-14T22:13:20Z" and .updated == "2023-11-14T22:13:27Z" and .runs == 6 and .max_runs == 6' <folder/status.json
    is_valid status folder/status.json
    is_valid result folder/result.json
}

# bats test_tags=slow
@test "a run: the load is resumed, marked, marked and paused around it, and each condition has its own command" {
    describe '.settings.max_runs = 3'
    local line=''
    start
    go 1700000000000000
    hear $'run\thalf\t1\t1\t*'
    eventually 30 read -r -t 0.1 line <load.in
    [[ $line == resume ]]
    cat meter.in >ordered {hub}>&- 3>&- &
    cat load.in >told {hub}>&- 3>&- &
    while [[ $answer == run* ]]; do
        run_once
        hear '*'
    done
    [[ $answer == $'stop\tmax-runs\t6\t' ]]
    send finish
    hear 'done*'
    leave
    wait
    diff <(records '.[].condition' | jq -r 'if . == "half" then "run 1" else "run 0" end') ordered
    diff <(printf 'mark start\nmark end\npause\n' && for block in 2 3; do printf 'resume\nmark start\nmark end\npause\n'; done) told
}

# bats test_tags=slow
@test "what is to be done around a run is ordered at its place, and the run goes on when it has been done" {
    describe '.loads |= .[:1] | .settings += { max_runs: 1, min_runs: 1 }'
    start
    conditions=1 hooks='prepare\tresumed\tran\tsettled\trecorded' go 0
    hear $'run\t*'
    run_once # meter's answer is there before it is asked for
    for which in prepare resumed ran settled; do
        hear $'hook\t'$which$'\tbaseline'
        records length | holds '. == 0'
        send ok
    done
    hear $'hook\trecorded\tbaseline'
    records length | holds '. == 1'
    send ok
    hear $'stop\tmax-runs\t1\t'
}

@test "a run that failed is kept, unless what ends jostle has ended its target" {
    describe '.loads |= .[:1] | .settings += { max_runs: 100, error: 1e-9 }'
    start
    conditions=1 go 0
    hear $'run\t*\t1\t1\t*'
    run_once
    hear $'run\t*\t2\t2\t*'
    run_once '.exit_code = 130'
    send end "ended\tinterrupted"
    hear $'made\t1'
    leave
    records length | holds '. == 1'
}

@test "the runs end at once when they are ended, and what is said later is still heard" {
    describe '.loads |= .[:1] | .settings += { max_runs: 100000, error: 1e-9, warmup: 2 }'
    start
    conditions=1 go 1700000000000000
    for block in 0 0 1 2; do
        hear $'run\tbaseline\t'$block$'\t*'
        run_once
    done
    hear $'run\tbaseline\t3\t*'
    send end 'ended\tfailed\ta reason'
    hear $'made\t2' # those that count
    leave
    records length | holds '. == 4'
    holds '.state == "failed" and .reason == "a reason"' <folder/status.json
}

@test "--max-time ends the runs between two of them, from the first that counts on" {
    describe '.loads |= .[:1] | .settings += { max_runs: 100000, error: 1e-9, warmup: 1 }'
    start
    conditions=1 most_us=200000 go 0
    hear $'run\tbaseline\t0\t*'
    sleep 0.3
    run_once
    hear $'run\tbaseline\t1\t*'
    sleep 0.3
    run_once
    hear $'stop\tmax-time\t1\t'
}

@test "a load that is silent for too long ends the experiment, and is named" {
    describe
    # shellcheck disable=SC2016 # of the other shell
    start "$BASH" -c 'exec "$1" --steady 1 "${@:2}"' bash
    go 0
    hear $'run\thalf\t*'
    hear $'failed\t-\tload half has not been steady within 1 s: try it alone with loadgen, or allow it more with JOSTLE_LOAD_STEADY_S'
}

@test "how long a mark to another node was under way goes with the record, the longer of the two" {
    describe '.settings += { min_runs: 1, max_runs: 1 }'
    mkfifo far far.in
    start
    exec {far}<>far
    send "load\t1\tfar\thalf\tnode7\t$PWD/far\t$PWD/far.in"
    hear ok
    go 0
    while hear '*' && [[ $answer == run* ]]; do
        if [[ $answer == $'run\thalf'* ]]; then
            printf '%s\n' '{"event":"steady"}' '{"event":"mark"}' >&"$far"
            run_once
            sleep 0.2
            printf '%s\n' '{"event":"mark"}' '{"event":"paused"}' >&"$far"
        else
            run_once
        fi
    done
    records 'map(select(.condition == "half"))[0].load | map([.node, .mark_delay_s != null])' | holds '. == [[null, false], ["node7", true]]'
    records 'map(select(.condition == "half"))[0].load[1].mark_delay_s' | holds '. > 0.1 and . < 60'
}

@test "how much time was spent does not come from the time of day, which may be set meanwhile" {
    local hour
    describe
    start
    go 1700000000000000 5000000000 # 22:13:20, 5000 s after the machine was started
    hear $'run\t*'
    for hour in 22 23 21; do
        run_once ".start |= sub(\"T22\"; \"T$hour\") | .uptime_s = 5000 + \$n * 2"
        hear $'run\t*'
    done
    holds '.spent_s == 7.01 and (.updated | startswith("2023-11-14T21:13:2"))' <folder/status.json
}

# bats test_tags=slow
@test "the limits of a disturbance: what is within them is no flag" {
    local condition run i changes cpu_s flags
    # CONDITION;what meter says;CPU time of the load;flags. The machine has two CPUs unless said, a run takes a second, the target 0.95 s of CPU time.
    local -a cases=(
        'baseline;.steal_s = 0.02;;[]'
        'baseline;.steal_s = 0.03;;["steal"]'
        # A tenth of it was stolen from this target, by its CPU time.
        'baseline;.steal_s = 0.03 | .user_s = 0.05 | .machine.busy_s = 1.04;;["foreign-load"]'
        'half;.steal_s = 0.03;0.9;[]'
        'half;.steal_s = 0.05;0.9;["steal"]'
        # A busy machine's steal is not all the target's; what is not known of it is not assumed.
        'baseline;.steal_s = 0.5 | .machine.cpus = 64 | .machine.busy_s = 60;;["foreign-load"]'
        'baseline;.steal_s = 0.03 | .machine.busy_s = null;;["steal"]'
        # The size of the machine does not hide what is taken from one thread.
        'baseline;.steal_s = 0.02 | .machine.cpus = 8;;[]'
        'baseline;.steal_s = 0.03 | .machine.cpus = 8;;["steal"]'
        'baseline;.steal_s = 0.02 | .machine.cpus = 64;;[]'
        'baseline;.steal_s = 0.5 | .machine.cpus = 64;;["steal"]'
        'baseline;.steal_s = 0.5 | .machine.cpus = 64 | .user_s = 63.9 | .machine.busy_s = 64;;[]'
        'baseline;.steal_s = 2 | .machine.cpus = 64 | .user_s = 63.9 | .machine.busy_s = 64;;["steal"]'
        'baseline;.machine.busy_s = 1.04;;[]'
        'baseline;.machine.busy_s = 1.5;;["foreign-load"]'
        'baseline;.machine.busy_s = 1.3 | .machine.cpus = 8;;[]'
        'baseline;.machine.busy_s = 1.4 | .machine.cpus = 8;;["foreign-load"]'
        'baseline;.machine.busy_s = 1.9 | .machine.cpus = 64;;[]'
        'baseline;.machine.busy_s = 2.1 | .machine.cpus = 64;;["foreign-load"]'
        'baseline;.machine.swap_in_pages = 1 | .machine.throttle_count = 1;;["swap-in","throttled"]'
        'baseline;.stops = 0 | .stopped_s = 0;;[]'
        'baseline;.stops = 1 | .stopped_s = null;;["stopped"]'
        'baseline;.stops = 0 | .stopped_s = null;;["stopped"]'
        'baseline;.memory_kills = { target: 0, cgroup: 0, machine: 0 };;[]'
        'baseline;.memory_kills = { target: null, cgroup: null, machine: 2 };;["memory-kill"]'
        'baseline;.memory_kills = { target: 0, cgroup: 1, machine: null };;["memory-kill"]'
        'half;.machine.busy_s = 1.5;0.5;[]'
        'half;.machine.busy_s = 1.5;0.3;["foreign-load"]'
        # A short run may lose most of its time to others, which ticks do not show.
        'baseline;.wall_s = 0.041 | .user_s = 0.015 | .system_s = 0 | .machine.busy_s = 0.041;;["foreign-load"]'
        'baseline;.wall_s = 0.041 | .user_s = 0.015 | .system_s = 0 | .machine.busy_s = 0.041 | .machine.busy_exact = false;;[]'
        'baseline;.wall_s = 0.041 | .user_s = 0.038 | .system_s = 0 | .machine.busy_s = 0.041;;[]'
        # Ticks may count a load twice, nanoseconds do not.
        'half;.machine.busy_s = 1.5 | .machine.busy_exact = false;0.3;[]'
    )
    describe '.settings.min_runs = 40 | .settings.max_runs = 40'
    start
    go 0
    for ((run = 1; ${#cases[@]} > 0; run++)); do
        hear $'run\t*'
        condition=$(cut -f 2 <<<"$answer")
        changes=. flags='[]' cpu_s=0
        for i in "${!cases[@]}"; do
            [[ ${cases[i]} == "$condition;"* ]] || continue
            IFS=';' read -r _ changes cpu_s flags <<<"${cases[i]}"
            unset "cases[$i]"
            break
        done
        run_once ".wall_s = 1 | $changes" ".cpu_s = ${cpu_s:-0}"
        printf '%s\n' "$flags" >>wanted
    done
    records '.[].flags' | jq -c . | diff - wanted
}

# bats test_tags=slow
@test "the limits of a disturbance: a problem from 2 runs and 10 % of a condition's runs on, else a note" {
    local hit all severity
    describe
    while read -r hit all severity; do
        # Those of the baseline do not count for the load.
        jq -nc --argjson hit "$hit" --argjson all "$all" 'range(1; $all + 1) as $block | ("half", "baseline") | . as $condition
            | { condition: ., block: $block, order: $block, wall_s: 1, exit_code: 0, signal: null, timed_out: false, load: [],
                flags: (if $condition == "half" and $block <= $hit then ["steal", "foreign-load", "swap-in", "throttled"] else [] end) }' >folder/runs.jsonl
        "$BIN/stats" --derive folder
        jq -c '[.warnings[] | select(.flag == ("steal", "foreign-load", "swap-in", "throttled")) | [.condition, .severity]]' folder/result.json >said
        jq -nc --arg severity "$severity" '[range(4) | ["half", $severity]]' | diff - said || {
            printf '%s of %s runs\n' "$hit" "$all"
            return 1
        }
    done <<'END'
1 2 note
1 10 note
2 2 problem
2 20 problem
2 21 note
3 30 problem
END
}

# beside_others RUN [EXPERIMENT]: ten pairs of runs beside other programs that used the CPUs for 1.4 s of each second, with
# a load that came to half of its rate; RUN and EXPERIMENT (jq) change them.
beside_others() {
    describe "${2:-.}"
    jq -nc 'range(1; 11) as $block | ("half", "baseline") | . as $condition
        | { condition: ., block: $block, order: ($block * 2 + (if . == "half" then 1 else 0 end) - 1), wall_s: (1 + $block * (if . == "half" then 61 else 37 end) % 103 / 101),
            user_s: 0.5, system_s: 0, exit_code: 0, signal: null, timed_out: false, flags: ["foreign-load"], machine: { busy_exact: true },
            load: (if . == "half" then [{ name: "half", unit: "CPUs", rate: 1, offered: 1, achieved: 0.499, late: 0, dropped: 0, cpu_s: 0.5, elapsed_s: 1, cpus: "0" }] else [] end) }
        | .machine.busy_s = 1.9 + ([.load[].cpu_s] | add // 0) | '"$1" >folder/runs.jsonl
    "$BIN/stats" --derive folder
}

# of_flag FLAG: severity and bias of these warnings.
of_flag() {
    jq -c --arg flag "$1" '[.warnings[] | select(.flag == $flag) | .severity, .bias]' folder/result.json
}

@test "one warning says what other programs did to all conditions, and why a load was short" {
    beside_others .
    holds '[.warnings[] | select(.flag == "foreign-load")] | length == 1 and (.[0] | .condition == null and .severity == "problem" and (.runs | length) == 20 and (.message | test("during 20 of 20 runs")))' <folder/result.json
    holds '.warnings[] | select(.flag == "load-short") | (.message | test("ran at only 50 % of the requested rate")) and (.advice | test("other programs took the CPUs") and (test("lower the load") | not))' <folder/result.json
}

@test "what follows from a busy machine is a note beside that problem, and biases as before" {
    beside_others .
    [[ $(of_flag foreign-load) == '["problem",null]' && $(of_flag load-short) == '["note","low"]' && $(of_flag not-converged) == '["note",null]' ]]
    holds '.slowdowns[0].judgement.problems == ["foreign-load"]' <folder/result.json
    beside_others . '.warnings = [{ load: "half", condition: "half", text: "100% was calibrated while other programs used 76 % of the CPUs" }, { load: "half", condition: "half", text: "no such device" }]'
    [[ $(of_flag load-warning) == '["note","low","problem","low"]' ]]
}

@test "a step of a busy machine is a note, and a problem where nobody else was there" {
    local flags severity
    for flags in foreign-load none; do
        describe '.loads = [.loads[0]] | .settings.max_runs = 20 | .settings.min_runs = 20'
        jq -nc --arg flags "$flags" 'range(1; 21) | { condition: "baseline", block: ., order: ., wall_s: (if . > 10 then 2 else 1 end + . * 61 % 103 / 10300), user_s: 0.5, system_s: 0,
            exit_code: 0, signal: null, timed_out: false, load: [], flags: (if $flags == "none" then [] else [$flags] end) }' >folder/runs.jsonl
        "$BIN/stats" --derive folder
        severity=$(of_flag step)
        [[ $flags == none && $severity == '["problem",'* || $flags != none && $severity == '["note",'* ]]
    done
}

@test "a load that other programs cannot have slowed that much is a problem besides, as is what a gate names" {
    # They used 0.2 CPUs, where the load lacks half of one.
    beside_others '.machine.busy_s -= 1.2'
    [[ $(of_flag load-short) == '["problem","low"]' ]]
    beside_others . '.settings.at_most = 9'
    [[ $(of_flag load-short) == '["problem","low"]' ]]
    holds '.gate.why == ["load-short"]' <folder/result.json
    # Nobody else was there.
    beside_others '.flags = [] | .machine.busy_s -= 1.4'
    [[ $(of_flag load-short) == '["problem","low"]' && $(of_flag not-converged) == '["problem",null]' ]]
}

@test "a warning about a calibration asks for another one, not for the load alone" {
    describe
    jq '.warnings = [{ load: "half", condition: "half", text: "100% was calibrated while other programs used 76 % of the CPUs" }, { load: "half", condition: "half", text: "no such device" }]' folder/experiment.json >changed
    mv changed folder/experiment.json
    jq -nc 'range(1; 4) as $block | ("half", "baseline") | { condition: ., block: $block, wall_s: 1, exit_code: 0, signal: null, timed_out: false, load: [], flags: [] }' >folder/runs.jsonl
    "$BIN/stats" --derive folder
    holds '[.warnings[] | select(.flag == "load-warning") | .advice] == ["recalibrate on a quiet machine", "try the load alone with loadgen"]' <folder/result.json
}

@test "warm-up runs come first, are recorded, and do not count" {
    describe '.settings.warmup = 2'
    start
    go 0
    for condition in baseline half baseline half; do
        hear $'run\t'$condition$'\t0\t0\t*\t-1\t-'
        run_once
    done
    hear $'run\thalf\t1\t1\t*'
    records 'map([.block, .order, .flags[0]]) | unique' | holds '. == [[0, 0, "warmup"]]'
}

# bats test_tags=slow
@test "a gate's verdict comes with the stop" {
    local limit verdict
    while read -r limit verdict; do
        rm -rf folder in
        mkdir folder
        number=0
        describe ".settings.at_most = $limit | .settings.max_runs = 12"
        start
        go 0
        while hear '*' && [[ $answer == run* ]]; do run_once; done
        printf 'at most %s: %s\n' "$limit" "$answer"
        [[ $answer == $'stop\t'*$'\t'$verdict ]]
        finish
        holds --arg verdict "$verdict" '.verdict == $verdict' <folder/result.json
    done <<'END'
9 below
0.1 above
1.0001 undecided
END
}

@test "a target that fails ends it, with how it failed" {
    describe
    start
    go 0
    hear $'run\t*'
    run_once '.exit_code = 7'
    hear $'stop\tfailure\t*\tfailed with exit code 7\t*ignore-failure = true\ttarget\t*'
}

@test "a run without its figure ends it, with the reason and where its output is" {
    local kept='{ stdout: "failed/1.stdout", stderr: "failed/1.stderr" }'
    local both='.settings.metric = ["p99_ms"] | .settings.metrics = [{ name: "p99_ms", source: "stdout:/p99 ([0-9.]+)/", take: "last", unit: "ms", better: "lower" }]'
    describe "$both"
    start
    go 0
    hear $'run\t*'
    run_once ".metrics.p99_ms = { value: null, unit: \"ms\", better: \"lower\" } | .output = $kept | .metric_failure = { metric: \"p99_ms\", reason: \"not found in stdout\" }"
    hear $'stop\tfailure\t*\tmade no figure p99_ms: not found in stdout\tsee folder/failed/1.stdout: fix the command*ignore-failure = true*'
    leave
    rm -rf folder in out
    mkdir folder
    describe "$both"
    start
    go 0
    hear $'run\t*'
    run_once ".metrics.p99_ms = { value: 0, unit: \"ms\", better: \"lower\" } | .output = $kept | .metric_failure = null"
    hear $'stop\tfailure\t*\tmade no figure p99_ms: is 0, and a ratio needs more than 0\t*'
    records '.[0].metric_failure == { metric: "p99_ms", reason: "is 0, and a ratio needs more than 0" }' | grep -q true
}

# bats test_tags=slow
@test "how a target failed is said in words" {
    local -A failures=(['.exit_code = null | .signal = 9']='was ended by signal 9' ['.timed_out = true | .wall_s = 0.3']='ran into the time-out after 0.3 s'
        ['.exit_code = 127 | .start_error = "not found"']='could not be started (not found)'
        ['.exit_code = null | .signal = 9 | .memory_kills = { target: null, cgroup: 0, machine: 1 }']='was killed (SIGKILL), and the kernel killed processes of this machine for want of memory meanwhile'
        ['.exit_code = 137 | .memory_kills = { target: null, cgroup: 1, machine: 1 }']='was killed (SIGKILL), and the kernel killed processes of this cgroup for want of memory meanwhile'
        ['.exit_code = null | .signal = 9 | .memory_kills = { target: 1, cgroup: 1, machine: 1 }']='was killed by the kernel for want of memory'
        ['.memory_kills = { target: 1, cgroup: 1, machine: 1 }']='lost a process, which the kernel killed for want of memory'
        ['.exit_code = null | .signal = 15 | .memory_kills = { target: 0, cgroup: 0, machine: 1 }']='was ended by signal 15')
    local failure
    for failure in "${!failures[@]}"; do
        rm -rf folder in out
        mkdir folder
        describe
        start
        go 0
        hear $'run\t*'
        run_once "$failure"
        hear $'stop\tfailure\t*\t'"${failures[$failure]}"$'\t*--retry-failed*'
        leave
    done
}

@test "what a load warns of is printed once and kept; its error or its end is an answer" {
    describe
    start
    send 'begin\t0'
    hear ready
    printf '%s\n' '{"event":"warning","message":"a \"quoted\" word"}' '{"event":"warning","message":"a \"quoted\" word"}' '{"event":"ready","load":"cpu"}' >&"$load"
    send 'await\tready\t0'
    hear ok
    [[ $(<errors) == 'jostle: load half: a "quoted" word' ]]
    printf '%s\n' '{"event":"error","message":"no\tspace \"left\""}' >&"$load"
    send 'await\tsteady\t0'
    hear $'failed\t0\tno space "left"'
    leave
    rm in
    exec {meter}>&-
    start
    exec {meter}>&-
    send 'await\tready\tmeter'
    hear $'failed\tmeter\t'
}

@test "what an earlier session warned of is kept once" {
    describe '.warnings = [{ load: null, condition: null, text: "it was dark" }] | .settings.min_runs = 1 | .settings.max_runs = 1'
    start
    go 0
    hear $'run\t*'
    run_once
    hear $'run\t*'
    run_once
    hear $'stop\t*'
    send 'warn\tit was dark' 'warn\tit was cold' 'after\t{}'
    finish
    holds '[.warnings[].text] == ["it was dark", "it was cold"]' <folder/experiment.json
    holds '[.warnings[] | select(.flag == "harness-warning") | .message] == ["it was dark", "it was cold"]' <folder/result.json
}

@test "a disk load on another device than the target's folder is warned of" {
    describe
    start
    send 'begin\t0'
    hear ready
    echo '{"event":"ready","load":"io","device":"/dev/there","file_system":"ext4"}' >&"$load"
    send 'await\tready\t0'
    hear ok
    [[ $(<errors) == 'jostle: load half: it is on /dev/there, the target'\''s folder on /dev/here, so it may disturb nothing: give the load --dir' ]]
    echo '{"event":"ready","load":"io","device":"/dev/here"}' >&"$load"
    send 'await\tready\t0'
    hear ok
    [[ $(wc -l <errors) -eq 1 ]]
}

@test "a time or a variant that is no number is refused, and one of a scheduler that is none is null" {
    describe '.settings += { min_runs: 1, max_runs: 1 }'
    start
    send 'begin\tsoon'
    hear $'failed\t-\tbegin: a time is a number of microseconds'
    send 'begin\t1700000000000000\tnan'
    hear $'failed\t-\tbegin: *'
    send 'condition\tx\t0'
    hear $'failed\t-\tcondition: each needs VARIANT and SERVICE, which are numbers'
    leave
    rm in
    start
    send 'go\tsoon'
    hear $'failed\t-\tgo: *'
    leave
    rm in
    start
    go 1700000000000000
    for order in 1 2; do
        hear $'run\t*\t1\t'$order$'\t*'
        run_once
    done
    hear $'stop\t*'
    send 'steps\tstep\t12.0\tx\tmany\tnan\tinf\t1e3\tDONE' 'after\t{"time"'
    hear $'failed\t-\tafter: the counters are no JSON'
    send 'after\t{"time":"2023-11-14T23:00:00Z"}'
    finish
    holds '.step_accounting.steps == [{ step: "12.0", name: "x", tasks: null, elapsed_s: null, cpu_s: null, max_rss_bytes: null, state: "DONE" }]' <folder/experiment.json
}

@test "a command may be long: the counters of an experiment with many inputs" {
    describe '.settings += { min_runs: 1, max_runs: 1 }'
    start
    go 0
    for order in 1 2; do
        hear $'run\t*\t'$order$'\t*'
        run_once
    done
    hear $'stop\t*'
    jq -nrj '["after", ({ time: "2023-11-14T23:00:00Z", neighbours: null, note: ("x" * 100000) } | tojson)] | join("\t")' >&"$hub"
    send ''
    finish
    holds '.after.note | length == 100000' <folder/experiment.json
}

@test "an answer is one line, whatever a failure says" {
    describe
    start
    go 0
    hear $'run\t*'
    run_once '.exit_code = 127 | .start_error = "not\n\tfound"'
    hear $'stop\tfailure\t*\tcould not be started (not  found)\tcheck the command, *\ttarget\t*'
}

@test "the end of stdin without a result is an interruption; an end that was announced is kept" {
    describe
    start
    go 1700000000000000
    hear $'run\t*'
    run_once
    hear $'run\t*'
    leave
    holds '.state == "interrupted" and .runs == 1' <folder/status.json
    rm -f in out
    start
    go 1700000100000000
    hear $'run\t*'
    send 'ended\tfailed\tthe target failed'
    leave
    holds '.state == "failed" and .reason == "the target failed" and .runs == 1 and .spent_s > 0' <folder/status.json
}

# bats test_tags=slow
@test "what another conductor holds is not touched" {
    describe
    start
    go 0
    hear $'run\t*'
    run -1 "$BIN/conduct" folder </dev/null
    [[ $output == $'failed\t-\tanother jostle is measuring into folder: '* ]]
}

@test "a file that is gone is a failure" {
    describe
    start
    go 0
    hear $'run\t*'
    rm folder/runs.jsonl
    run_once
    hear $'failed\t-\t*runs.jsonl is gone: was its folder deleted? Measure again into another'
}

# bats test_tags=slow
@test "a record that cannot be written whole is a failure, and leaves no torn line" {
    describe
    # As on a full disk: the file may not grow beyond 1 KiB.
    start bash -c 'ulimit -f 1; exec "$@"' bash
    go 0
    while [[ $answer != failed* ]]; do
        hear '[rf][ua]*'
        [[ $answer != run* ]] || run_once
    done
    [[ $answer == $'failed\t-\tcannot append to folder/runs.jsonl after '[1-9]*' (File too large): the file would be longer than ulimit -f '* ]]
    records 'length' | holds '. >= 1'
    [[ $(tail -c 1 folder/runs.jsonl | wc -l) -eq 1 ]]
}

# bats test_tags=slow
@test "hyperfine's figures take the place of meter's" {
    describe '.settings.engine = "hyperfine"'
    start
    go 0
    hear $'run\t*'
    jq -n '{ results: [{ times: [0.25], user: 0.2, system: 0.01, memory_usage_byte: [4096], exit_codes: [0] }] }' >folder/hyperfine.json
    run_once
    hear $'run\t*'
    records '.[0]' | holds '.wall_s == 0.25 and .user_s == 0.2 and .max_rss_bytes == 4096 and .accounting == "hyperfine" and .tree_peak_bytes == null'
    [[ ! -e folder/hyperfine.json ]]
    echo 'no such program' >folder/target.stderr
    run_once
    hear $'failed\t-\thyperfine could not run the target: no such program'
}

# bats test_tags=slow
@test "the same records and seed give the same result, byte for byte" {
    describe '.settings.max_runs = 8 | .settings.error = 0.00001'
    start
    go 0
    hear $'run\t*'
    while [[ $answer == run* ]]; do
        run_once
        hear '*'
    done
    finish
    cp folder/result.json first
    local copy
    for copy in one two; do
        cp -r folder $copy
        rm $copy/result.json
    done
    "$BIN/stats" --derive one two
    cmp first one/result.json
    cmp first two/result.json
    # As a dialogue, too: the same decisions in the same order.
    local -a options=(--conditions 'baseline,half' --error 0.00001 --min-runs 3 --max-runs 8 --seed 3)
    "$BIN/decide" "${options[@]}" <folder/runs.jsonl >answers
    "$BIN/decide" "${options[@]}" <folder/runs.jsonl | cmp answers
    diff <(head -n -1 answers | cut -f 2-4) <(jq -r '[.condition, .block, .order] | @tsv' folder/runs.jsonl)
}

@test "derive continues after a folder that it cannot read, and names it" {
    describe
    echo '{"condition":"baseline","block":1,"order":1,"wall_s":1}' >folder/runs.jsonl
    mkdir empty links
    ln -s ../folder/experiment.json ../folder/runs.jsonl links/
    printf '{"torn' >>folder/runs.jsonl
    run -1 "$BIN/stats" --derive empty links
    [[ $output == *'empty/experiment.json'*'links/runs.jsonl: line 2 is no record: '* && $(wc -l <<<"$output") -eq 2 ]]
    [[ -s links/result.json && ! -e folder/result.json && $(tail -c 6 folder/runs.jsonl) == '{"torn' ]]
}

# bats test_tags=slow
@test "derive: what was forecast of an experiment that was ended is still there" {
    describe '.settings.min_runs = 10 | .settings.max_runs = 30'
    start
    most_us=1 least=7 go 0
    for order in 1 2 3 4 5 6 7; do
        hear $'run\t*'
        run_once
    done
    hear $'stop\tmax-time\t*'
    finish
    cp folder/result.json live.json
    holds '.forecast.after_runs == 6' <live.json
    "$BIN/stats" --derive folder
    cmp folder/result.json live.json
}

@test "derive: conditions that are not named after their variant have their own name as that of the load" {
    describe '.variants = [{ name: "a-long-name" }, { name: "b" }] | .conditions = [{ name: "a-long-name", variant: "a-long-name" }, { name: "b", variant: "b" }, { name: "x" }, { name: "b@mem", variant: "b", load: "mem" }]'
    printf '{"condition":"%s","block":1,"order":%d,"wall_s":1}\n' a-long-name 1 b 2 x 3 b@mem 4 >folder/runs.jsonl
    run -0 "$BIN/stats" --derive folder
    holds '.conditions | map(.load_name) == [null, null, "x", "mem"]' <folder/result.json
}

# recorded FILTER: holds of the records so far.
recorded() {
    [[ $(records "$1") == true ]]
}

# bats test_tags=slow
@test "the service's CPU time is not that of other programs, and its end is heard while a run is made" {
    local cpu_s flags line server
    mkfifo service service.in
    describe '.settings.min_runs = 4 | .settings.max_runs = 4 | .settings.service = "s"'
    start
    exec {service}<>service {service_in}<>service.in
    send "service\t$PWD/service\t$PWD/service.in"
    hear ok
    echo 0 >cpu_s
    while read -r line; do
        case $line in
            start | restart) echo '{"event":"up"}' ;;
            mark) jq -nc --argjson cpu_s "$(<cpu_s)" '{ event: "mark", cpu_s: $cpu_s, cpus: "0-1", died: (if $cpu_s == 9 then "exited" else null end), starts: 1 }' ;;
        esac >&"$service"
        echo "$line" >>told
    done <&"$service_in" {hub}>&- 3>&- &
    server=$!
    go 0
    # Without it the machine's 1.96 s are more than the target's 0.95 s.
    for cpu_s in 1 0.2; do
        flags='[]'
        [[ $cpu_s == 1 ]] || flags='["foreign-load"]'
        echo "$cpu_s" >cpu_s
        hear $'run\t*'
        run_once '.wall_s = 1 | .machine.busy_s = 1.96'
        eventually 30 recorded "length > 0 and .[-1].service.cpu_s == $cpu_s and .[-1].flags == $flags"
    done
    # It dies during the third run; the client is ended until there is a record of it.
    hear $'run\t*'
    eventually 30 grep -qz 'mark.*mark.*mark.*mark.*mark' told
    echo '{"event":"died","message":"exited"}' >&"$service"
    hear $'kill\tmeter'
    hear $'kill\tmeter'
    echo 9 >cpu_s
    run_once
    hear $'stop\tfailure\t3\texited\t*service\t*'
    kill "$server"
}
