#!/usr/bin/env bats
# What a figure is of: which metric, which statistic, at which level; in result.json
# and in every format.

load helpers
load report

setup() {
    cd "$BATS_TEST_TMPDIR" || return
}

# experiment FOLDER SETTINGS [BLOCKS]: an experiment of a baseline and the load
# `half`, with known figures: wall time times 1.5, user time times 1.2, memory
# as it was. SETTINGS is a jq object over the usual ones.
experiment() {
    mkdir -p "$1"
    jq -n '{ schema: "jostle.experiment/1", command: ["./solver"],
        loads: [{ name: "baseline", spec: null }, { name: "half", spec: "cpu --percent 50" }],
        settings: ({ error: 0.05, confidence: 0.95, min_runs: 12, max_runs: 12, metric: ["wall_s"], seed: 1, engine: "meter" } + ('"$2"')),
        environment: { host: "one", kernel: "Linux 6", cpus_online: 2 } }' >"$1/experiment.json"
    jq -nc --argjson blocks "${3:-12}" 'range(1; 1 + $blocks) as $b | ["baseline", 1, 1], ["half", 1.5, 1.2]
        | { schema: "jostle.run/1", condition: .[0], block: $b, order: (2 * $b - (if .[1] == 1 then 1 else 0 end)),
            wall_s: (.[1] * (1 + 0.01 * ([-1, 0.3, 1, -0.4, 0.7][$b % 5] + (if .[1] == 1 then 0.2 else 0 end) * ($b % 3)))),
            user_s: (.[2] * 0.5 * (1 + 0.01 * ([0.6, -1, 0.1, 0.9][$b % 4] + (if .[1] == 1 then 0.3 else 0 end) * ($b % 2)))),
            system_s: (0.1 * (1 + 0.01 * ($b % 3))), max_rss_bytes: (4194304 + 4096 * ($b % 2)), exit_code: 0, signal: null,
            timed_out: false, load: [], flags: [] }' >"$1/runs.jsonl"
    "$BIN/stats" --derive "$1"
}

# valid FOLDER: its result is as the schema says.
valid() {
    jsonschema -i "$1/result.json" "$ROOT/results/schema/jostle.result.schema.json"
}

@test "the slowdown of the wall time is always computed; only what --metric names decides" {
    experiment user '{ metric: ["user_s"] }'
    holds '[.slowdowns[] | [.metric, .requested]] == [["wall_s", false], ["user_s", true]]
        and ([.slowdowns[] | (.ratio * 10 | round) / 10] == [1.5, 1.2]) and all(.slowdowns[]; .ci[0] < .ratio and .ratio < .ci[1])' <user/result.json
    valid user
    # A wall time that varies too much does not delay the end, nor fail a gate.
    experiment gate '{ metric: ["user_s"], at_most: 1.35 }'
    holds '.verdict == "below" and ([.slowdowns[] | select(has("verdict")) | .metric] == ["user_s"])' <gate/result.json
    run -0 "$JOSTLE" report gate
    [[ $output == *'at most 1.35 for user time: below'* ]]
    experiment usual '{}'
    holds '[.slowdowns[] | [.metric, .requested]] == [["wall_s", true]]' <usual/result.json
}

@test "the column slowdown is that of the wall time; each other metric has a line of its own" {
    experiment one '{ metric: ["user_s"] }'
    run -0 "$JOSTLE" report one
    # condition, runs, ..., and the wall time's slowdown; then one line a metric
    grep -Eq '^half +12 .* 1\.497 \[1\.49[0-9], 1\.[45][0-9]+\]' <<<"$output"
    grep -Eq '^half +user time .*ms .*ms +1\.198 \[1\.19[0-9], 1\.[12][0-9]+\]' <<<"$output"
    # In each format the ratio in the column is the wall time's, and the other one is labelled.
    local format
    for format in md latex html text; do
        [[ $format != text ]] || format=terminal
        report --format "$format" --quiet one >out
        grep -q 'user time' out
        grep -q '1\.497' out
        grep -q '1\.198' out
    done
    report --format json one | holds '.cells[0] | .slowdown.metric == "wall_s" and ([.all_slowdowns[].metric] == ["wall_s", "user_s"])'
    # A result made before the wall time was always there: no other metric takes its place.
    edited one/result.json 'del(.slowdowns[0])'
    report --format json one | holds '.cells[0] | .slowdown == null and (.all_slowdowns | length) == 1'
    run -0 "$JOSTLE" report one
    grep -Eq '^half +12 .* -( |$)' <<<"$output"
}

@test "with several metrics the legend says which level each interval has" {
    experiment one '{ metric: ["wall_s", "user_s", "system_s", "max_rss_bytes"] }'
    run -0 "$JOSTLE" report one
    [[ $output == *'wall time (mean ± 98.75 %)'*'slowdown [98.75 %]'*'98.75 % confidence intervals (95 % for the 4 metrics together)'* ]]
    local format
    for format in md latex html; do
        report --format "$format" --quiet one | sed 's/\\%/%/g' >out
        grep -q '98.75 %' out
    done
    experiment alone '{ metric: ["user_s"] }'
    run -0 "$JOSTLE" report alone
    [[ $output == *'slowdown [95 %]'* && $output != *'97.5 %'* && $output != *'98.75 %'* ]]
}
