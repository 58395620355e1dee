#!/usr/bin/env bats
# Programs that run for a fixed time: their time is no answer, what they get done is.

load helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return
}

# made COMMAND ALONE LOADED: six pairs of runs; COMMAND is a jq array, ALONE and LOADED are jq objects over a run that
# computes for a second, $i its number from 0.
made() {
    mkdir -p made
    jq -n '{ schema: "jostle.experiment/1", command: '"$1"', loads: [{ name: "baseline", spec: null }, { name: "half", spec: "cpu" }],
        settings: { error: 0.02, confidence: 0.95, min_runs: 6, max_runs: 6, metric: ["wall_s"], seed: 1, at_most: 1.5 }, environment: { cpus_online: 2 } }' >made/experiment.json
    jq -nc '{ wall_s: 1, user_s: 1, system_s: 0, steal_s: 0, voluntary_switches: 1, involuntary_switches: 5, major_faults: 0, cpus: "0-1",
          stalls: { source: "schedstat", cpu_s: 0, memory_s: null, io_s: null, run_delay_s: 0, run_s: 1, throttled_s: null },
          exit_code: 0, signal: null, timed_out: false, load: [] } as $plain
        | range(6) as $i | ($plain * ('"$2"') + { condition: "baseline" }, $plain * ('"$3"') + { condition: "half" }) + { block: ($i + 1) }' >made/runs.jsonl
    "$BIN/stats" --derive made
    is_valid result made/result.json
}

# by_options JSON COMMAND...: fixed_time of the baseline of a program that does not vary is JSON in why and adapter.
by_options() {
    made "$(jq -nc '$ARGS.positional' --args -- "${@:2}")" '{}' '{ wall_s: (1.001 + $i / 1000) }'
    holds '[.conditions[0], .slowdowns[0]] | all(.fixed_time | if . then [.why, .adapter] else . end == $wanted)' --argjson wanted "$1" <made/result.json || {
        printf 'of: %s\n' "${*:2}" >&2
        return 1
    }
}

@test "a program that gets less done in the same time is told from one that takes longer" {
    made '["x"]' '{ wall_s: (1 + $i / 1000) }' '{ wall_s: (1.001 + $i / 1000), user_s: (0.4 + $i / 100) }'
    holds '.slowdowns[0].fixed_time | .why == "cpu-time" and .adapter == null and (.cpu_ratio - 0.425 | fabs) < 0.01 and (.text | startswith("it runs for a fixed time"))' <made/result.json
    holds '.gate.verdict == "undecided" and .gate.why == ["fixed-time"] and ([.warnings[] | select(.flag == "fixed-time")] | length == 1)' <made/result.json
    run -0 "$JOSTLE" report made
    [[ $output == *'runs for a fixed time (beside a load it took as long, with less CPU time), so what changes is what it gets done'* ]]
}

@test "one sentence says that the times of such a program are no answer, and none on its times or CPU time beside a load" {
    made '["sysbench", "cpu", "run"]' '{ wall_s: (1 + $i / 1000) }' '{ wall_s: (1.001 + $i / 1000), user_s: (0.4 + $i / 100) }'
    run -0 "$JOSTLE" report made
    [[ $(grep -c 'for a fixed time, so what changes is what it gets done: measure that with --metric @sysbench-cpu\.' <<<"$output") == 1 ]]
    run ! grep -E 'Beside half|unclear so far|no effect is seen|closer:.*wall_s' <<<"$output"
}

@test "the command that looks closer at such a program takes the metric of what it gets done" {
    made '["sysbench", "cpu", "run"]' '{}' '{ user_s: 0.4 }'
    jq -c --arg host "$(hostname)" '.environment.host = $host | .loads += [{ name: "b", spec: "mem" }]
        | .asked = { command: "slowdown", options: [["--metric", "wall_s,cpu_s"], ["--decide", "wall_s"], ["--nice", "3"]], dashes: true, target: ["sysbench", "cpu", "run"] }' made/experiment.json >asked
    mv asked made/experiment.json
    jq -c '., (select(.condition == "half") | .condition = "b")' made/runs.jsonl >both
    mv both made/runs.jsonl
    "$BIN/stats" --derive made
    run -0 "$JOSTLE" report made
    [[ $output == *'closer: jostle slowdown '*' --nice 3 --metric @sysbench-cpu --load '*' -- sysbench cpu run'* && $output != *'--decide'* ]]
}

@test "no fixed time is seen of a sleeper, of the same work, or where time and CPU time change together" {
    local loaded
    # The load keeps the clock of the CPU high, or not.
    made '["x"]' '{ user_s: (0.02 + $i / 10000), stalls: { run_s: 0.02 } }' '{ user_s: (0.01 + $i / 10000), stalls: { run_s: 0.01 } }'
    holds '.slowdowns[0] | has("fixed_time") and .fixed_time == null' <made/result.json
    for loaded in '{ wall_s: (1.001 + $i / 1000), user_s: (1 - $i / 1000) }' '{ wall_s: (0.7 + $i / 1000), user_s: (0.7 + $i / 1000) }' \
        '{ wall_s: (2 + $i / 1000), user_s: (0.8 + $i / 1000) }' '{ wall_s: (1 + $i / 1000), user_s: (0.6 + 0.5 * ($i % 2)) }'; do
        made '["x"]' '{ wall_s: (1 + $i / 1000) }' "$loaded"
        holds '.slowdowns[0] | has("fixed_time") and .fixed_time == null' <made/result.json
    done
    holds '[.warnings[] | select(.flag == "fixed-time")] == []' <made/result.json
}

# bats test_tags=slow
@test "programs whose options fix their time are known by name, with the metric to take" {
    by_options '["options", "@sysbench-cpu"]' sysbench cpu run
    by_options '["options", "@sysbench-cpu"]' nice -n 5 taskset -c 0,1 /usr/bin/sysbench --threads=2 cpu --time=5 run
    by_options '["options", "@pgbench"]' PGPORT=1 pgbench -T5 -c 4
    by_options '["options", "@wrk2"]' wrk -R2000 -d 10s http://127.0.0.1/
    by_options '["options", "@iperf3"]' sh -c 'iperf3 --json -c 127.0.0.1 >out'
    by_options '["options", null]' stress-ng --cpu 1 --timeout 2s
    by_options '["options", "@vegeta"]' sh -c 'echo GET http://127.0.0.1/ | vegeta attack -duration=5s | vegeta report'
}

# bats test_tags=slow
@test "programs of these names whose work is given have no fixed time" {
    by_options null sysbench cpu --time=0 --events=1000 run
    by_options null sysbench cpu --events=1000 run
    by_options null sysbench fileio prepare
    by_options null sysbench memory --memory-total-size=10G run
    by_options null pgbench -t 100 -c 4
    by_options null fio --name=x --runtime=5
    by_options null iperf3 -c 127.0.0.1 -n 1G
    by_options null hey -n 10000 http://127.0.0.1/
    by_options null grep wrk file
    by_options null sh -c 'sysbench cpu run; ./more'
    by_options null sh
}

# bats test_tags=slow
@test "each adapter whose own command gives a time is known" {
    local adapter line
    for adapter in "$ROOT"/harness/adapters/*; do
        line=$(sed -n 's/^command: //p' "$adapter")
        [[ $line == *-time* || $line == *duration* || $line == *runtime* ]] || continue
        if [[ $line == "sh -c '"* ]]; then
            line=${line#"sh -c '"}
            by_options "$(jq -nc '["options", $ARGS.positional[0]]' --args "@${adapter##*/}")" sh -c "${line%\'}"
        else
            # shellcheck disable=SC2086 # words
            by_options "$(jq -nc '["options", $ARGS.positional[0]]' --args "@${adapter##*/}")" $line
        fi
    done
    "$JOSTLE" adapters | awk '{ print "@" $1 }' >known
    sed -n 's/.*"\(@[a-z0-9-]*\)".*/\1/p' "$ROOT/harness/stats/fixed_time.c" | sort -u >named
    run -0 grep -vxFf known named || [[ $status -eq 1 && -z $output ]]
}

# bats test_tags=slow
@test "a metric of what it gets done is judged, and its time is no problem then" {
    command -v sysbench >/dev/null || skip "sysbench is not installed"
    "$JOSTLE" slowdown --quiet --output out --min-runs 2 --max-runs 2 --metric @sysbench-cpu --load 'idle=exec: sleep 60' -- sysbench cpu --time=1 run
    holds '([.warnings[] | select(.flag == "fixed-time")] == []) and ([.slowdowns[] | select(.metric == "wall_s")] | all(.fixed_time.adapter == "@sysbench-cpu"))
        and ([.slowdowns[] | select(.metric == "events_per_s")] | all(.fixed_time == null))' <out/result.json
}
