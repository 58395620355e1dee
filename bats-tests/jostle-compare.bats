#!/usr/bin/env bats
# jostle compare: two experiments side by side.

load helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return
}

# made FOLDER FACTOR [JQ]: an experiment of known figures: the baseline takes
# FACTOR times 1 s, give or take 1 %, the load half twice that; JQ changes
# experiment.json.
made() {
    mkdir "$1"
    jq -n '{ schema: "jostle.experiment/1", command: ["./solver", "input file"],
        loads: [{ name: "baseline", spec: null }, { name: "half", spec: "cpu --percent 50" }],
        settings: { error: 0.05, confidence: 0.95, min_runs: 10, max_runs: 10, metric: ["wall_s"], seed: 1, engine: "meter" },
        environment: { host: "one", kernel: "Linux 6", cpus_online: 2, load_average: [0.1, 0.2, 0.3], versions: { jostle: "0.1.0" } } }
        | '"${3:-.}" >"$1/experiment.json"
    jq -nc --argjson factor "$2" 'range(1; 11) as $block | ["baseline", 1], ["half", 2]
        | { schema: "jostle.run/1", condition: .[0], block: $block, order: $block,
            wall_s: ($factor * .[1] * (1 + 0.01 * ([-1, 0, 1][$block % 3]))), user_s: 1, system_s: 0.1,
            max_rss_bytes: (1000000 * $factor), exit_code: 0, signal: null, timed_out: false, load: [], flags: [] }' >"$1/runs.jsonl"
}

@test "the ratio is B / A, for each condition, with its interval" {
    made A 1
    made B 1.25
    "$JOSTLE" compare --json - A B >comparison.json
    holds '[.comparisons[].condition] == ["baseline", "half"] and all(.comparisons[]; .metric == "wall_s" and (.ratio - 1.25 | fabs) < 0.001
        and .ci[0] > 1.23 and .ci[0] < 1.25 and .ci[1] > 1.25 and .ci[1] < 1.27 and .distinguishable)' <comparison.json
    jsonschema -i comparison.json "$ROOT/results/schema/jostle.comparison.schema.json"
    run -0 "$JOSTLE" compare A B
    [[ $output =~ baseline\ +wall_s\ +1.00\ s\ .*1.25\ s\ .*1.250\ \[1.2[0-9]+,\ 1.2[0-9]+\]\ +B\ takes\ 25.0\ %\ longer ]]
    [[ $output == *'Command, loads, settings and environment are the same.'* ]]
}

@test "the other way round the ratio is the inverse" {
    made A 1
    made B 1.25
    "$JOSTLE" compare --json - B A | holds 'all(.comparisons[]; (.ratio - 0.8 | fabs) < 0.001 and .ci[1] < 1)'
}

@test "two equal experiments cannot be distinguished" {
    made A 1
    made B 1.001
    run -0 "$JOSTLE" compare A B
    [[ $(grep -c 'not distinguishable from noise' <<<"$output") -eq 2 ]]
}

@test "another command is refused without --anyway" {
    made A 1
    made B 1.25 '.command[0] = "./solver2"'
    run -1 "$JOSTLE" compare A B
    [[ $output == *"command: A ./solver 'input file', B ./solver2 'input file'"*'--anyway'* ]]
    run -0 "$JOSTLE" compare A B --anyway
    [[ $output == *"command differs: A ./solver 'input file', B ./solver2 'input file'"* ]]
}

@test "another load by the same name is refused without --anyway" {
    made A 1
    made B 1.25 '.loads[1].spec = "cpu --percent 60"'
    run -1 "$JOSTLE" compare A B
    [[ $output == *'load half: A cpu --percent 50, B cpu --percent 60'* ]]
    run -0 "$JOSTLE" compare --anyway A B
}

@test "what differs in settings and environment is named, and nothing else" {
    made A 1
    made B 1.25 '.environment.host = "two" | .environment.versions.jostle = "0.2.0" | .environment.load_average = [9, 9, 9] | .settings.nice = "5" | .settings.seed = 8'
    "$JOSTLE" compare A B --json comparison.json >table
    grep -q '^environment differs: host: A one, B two$' table
    grep -q '^environment differs: versions.jostle: A 0.1.0, B 0.2.0$' table
    grep -q '^setting differs: nice: A -, B 5$' table
    holds '.differences | (.environment | length) == 2 and (.settings | length) == 1' <comparison.json
}

@test "a condition that only one has is named, and one can be chosen" {
    made A 1
    made B 1.25 '.loads += [{ name: "disk", spec: "io" }]'
    run -0 "$JOSTLE" compare A B
    [[ $output == *'only in B: disk'* ]]
    "$JOSTLE" compare --condition half --json - A B | holds '[.comparisons[].condition] == ["half"]'
    run -2 "$JOSTLE" compare --condition haf A B
    [[ $output == *'did you mean half?'* ]]
}

@test "every metric can be compared" {
    made A 1
    made B 1.25
    "$JOSTLE" compare --metric all --json - A B | holds '[.comparisons[] | select(.condition == "half" and .metric == "max_rss_bytes") | .ratio] == [1.25]'
}

@test "wrong use is refused, with what to give" {
    made A 1
    run -2 "$JOSTLE" compare A
    [[ $output == *'takes two folders, 1 given'* ]]
    run -2 "$JOSTLE" compare A absent
    [[ $output == *'absent is no folder'* ]]
    mkdir empty
    run -2 "$JOSTLE" compare A empty
    [[ $output == *'empty holds no experiment'* ]]
    run -0 "$JOSTLE" compare --help
}

@test "real experiments can be compared, with the noise floor of their A/A runs" {
    local folder
    for folder in A B; do
        "$JOSTLE" slowdown --quiet --aa --output "$folder" --min-runs 5 --max-runs 5 --load 'low=cpu --percent 10' -- sleep 0.05
    done
    "$JOSTLE" compare --json - A B | holds '[.comparisons[].condition] == ["baseline", "low"]
        and (.comparisons[0] | .a.noise_floor_from == "aa" and .a.noise_floor > 0 and .b.noise_floor_from == "aa" and .ratio > 0.5 and .ratio < 2)
        and .differences.command_or_load == []'
}
