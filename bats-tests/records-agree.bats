#!/usr/bin/env bats
# What a failed, ended, short or unused run is, all programs say alike of the same records.

load helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return
}

# experiment FOLDER [JQ]: an experiment of 12 pairs, of which all runs are good; JQ changes experiment.json.
experiment() {
    mkdir "$1"
    command jq -n '{ schema: "jostle.experiment/1", command: ["./solver"], started: "2026-01-01T00:00:00Z",
        loads: [{ name: "baseline", spec: null }, { name: "half", spec: "cpu --percent 50" }],
        settings: { error: 0.05, confidence: 0.95, min_runs: 10, max_runs: 12, metric: ["wall_s"], seed: 1, engine: "meter", ignore_failure: false, ignore_codes: null, discard_warmup: 0 },
        environment: { host: "one", cpus_online: 2 } } | '"${2:-.}" >"$1/experiment.json"
    command jq -nc 'range(1; 13) as $block | ["baseline", 1], ["half", 2]
        | { schema: "jostle.run/1", condition: .[0], block: $block, order: (2 * $block + .[1] - 2), start: "2026-01-01T00:00:0\($block % 10)Z",
            wall_s: (.[1] * (1 + 0.01 * ([-1, 0, 1][$block % 3]))), user_s: 1, system_s: 0.1, steal_s: 0, max_rss_bytes: 1000000, host: "one",
            exit_code: 0, signal: null, timed_out: false, start_error: null, metric_failure: null, service: null,
            memory_kills: { target: 0, cgroup: 0, machine: 0 }, machine: { busy_s: 1, busy_exact: true, cpus: 2, swap_in_pages: 0, throttle_count: 0 },
            load: [], flags: [] }' >"$1/runs.jsonl"
}

# last FOLDER JQ: changes the last run.
last() {
    jq -c --slurp '(.[-1] |= ('"$2"')) | .[]' "$1/runs.jsonl" >changed
    mv changed "$1/runs.jsonl"
}

# used FOLDER: which of its runs the report uses, as 1 and 0 in their order.
used() {
    "$JOSTLE" report --format csv --runs "$1" | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "used") at = i; next } { printf "%s", $at }'
}

# Each kind of failure: the run, and what it did in words.
declare -gA run_of=(
    [exit]='.exit_code = 3'
    [signal]='.exit_code = null | .signal = 9'
    [timed_out]='.exit_code = null | .signal = 9 | .timed_out = true | .timed_out_s = 1.5'
    [not_started]='.exit_code = 127 | .start_error = "not found"'
    [metric]='.metric_failure = { metric: "p99", reason: "not found in stdout" }'
    [memory]='.exit_code = 137 | .memory_kills = { target: 1, cgroup: 1, machine: 1 }'
    [service]='.exit_code = 1 | .service = { died: "was ended by signal 6", cpu_s: 0 }'
)
declare -gA words_of=(
    [exit]='the target failed with exit code 3'
    [signal]='the target was ended by signal 9'
    [timed_out]='the target ran into the time-out after 1.5 s'
    [not_started]='the target could not be started (not found)'
    [metric]='the target made no figure p99: not found in stdout'
    [memory]='the target was killed by the kernel for want of memory'
    [service]='the service was ended by signal 6'
)

@test "a run that failed is of one kind, is used nowhere, and is named in the same words" {
    local kind
    for kind in "${!run_of[@]}"; do
        rm -rf out whole && experiment out '.stopped = "failure"' && experiment whole
        last out "${run_of[$kind]}"
        [[ $(used out) == 11111111111111111111111"0" ]]
        "$JOSTLE" report --format json out >model
        holds '[.waiting[].reason] == [$words]' --arg words "${words_of[$kind]}" <model
        "$JOSTLE" report out >text
        grep -qF "${words_of[$kind]}" text
        "$JOSTLE" report --format junit out >cases
        grep -qF "${words_of[$kind]/&/&amp;}" cases
        "$BIN/stats" --derive out
        holds '.conditions[1] | .runs == 11 and .failed == 1 and (.failures | to_entries | map(select(.value > 0))) == [{ key: $kind, value: 1 }]' \
            --arg kind "$kind" <out/result.json
        "$JOSTLE" compare --json - whole out | holds '.comparisons[] | select(.condition == "half").b | .runs == 11 and .failed == 1 and .failures[$kind] == 1' --arg kind "$kind"
    done
}

@test "a failure that is ignored is used everywhere, but for a run that was never started" {
    local kind n
    for kind in "${!run_of[@]}"; do
        rm -rf out && experiment out '.settings.ignore_failure = true'
        last out "${run_of[$kind]}"
        n=12
        [[ $kind != not_started && $kind != service ]] || n=11
        [[ $(used out) == 11111111111111111111111"$((n - 11))" ]]
        "$BIN/stats" --derive out
        holds '.conditions[1] | .runs == $n and .failed == 1 and .censored == (if $kind == "timed_out" then 1 else 0 end)' --argjson n $n --arg kind "$kind" <out/result.json
    done
    # With a list of exit codes those alone.
    rm -rf out && experiment out '.settings.ignore_failure = true | .settings.ignore_codes = [3, 137]'
    for kind in exit memory signal metric; do
        cp out/runs.jsonl saved
        last out "${run_of[$kind]}"
        n=12
        [[ $kind == exit || $kind == memory || $kind == signal ]] || n=11
        [[ $(used out) == 11111111111111111111111"$((n - 11))" ]]
        "$BIN/stats" --derive out
        holds '.conditions[1].runs == $n' --argjson n $n <out/result.json
        mv saved out/runs.jsonl
    done
}

@test "a run of block 0 is kept and used nowhere" {
    local kind
    for kind in '.flags = ["warmup"]' '.set_aside = { block: 12, order: 24 } | .flags = ["set-aside"]'; do
        rm -rf out && experiment out
        last out '.block = 0 | .order = 0 | '"$kind"
        [[ $(used out) == 11111111111111111111111"0" ]]
        "$BIN/stats" --derive out
        holds '.conditions[1] | .runs == 11 and .failed == 0' <out/result.json
    done
}

@test "in a search for a capacity a run that takes too long is an answer, and no failure" {
    experiment out '.settings.capacity = { slo: "p99_ms<2", vary: "rate=100..1000" } | .loads |= .[:1]
        | .settings.metrics = [{ name: "p99_ms", source: "stdout:/(.*)/", take: "last", unit: "ms", better: "lower" }] | .settings.metric = ["p99_ms"]'
    jq -c 'select(.condition == "baseline") | .order = .block | .vary = { rate: (500 + .block) } | .metrics = { p99_ms: { value: 1 } }' out/runs.jsonl >changed
    mv changed out/runs.jsonl
    last out "${run_of[timed_out]}"
    [[ $(used out) == 111111111111 ]]
    "$BIN/stats" --derive out
    holds '.conditions[0] | .runs == 12 and .failed == 0' <out/result.json
    "$JOSTLE" report --format json out >model
    holds '.waiting == []' <model
}

@test "a time-out counts the time until it, and not what it took to die" {
    experiment out '.settings.ignore_failure = true'
    last out "${run_of[timed_out]}"
    "$BIN/stats" --derive out
    holds '.conditions[1].wall_s.min == 1.5' <out/result.json
    "$JOSTLE" report --format html out >page
    grep -q 'under load: 1.50 s to 2.02 s' page
}
