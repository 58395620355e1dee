#!/usr/bin/env bats
# What stats says of a service and its client, on made-up records.

load helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return
}

# derive METRICS RUN: an experiment of baseline and load with these settings.metrics, and ten
# blocks whose records are that filter of {condition, block, order}; prints its result.
derive() {
    mkdir -p x
    jq -n --argjson metrics "$1" '{ schema: "jostle.experiment/1", command: ["client"],
        loads: [{ name: "baseline", spec: null }, { name: "load", spec: "cpu --percent 50" }],
        environment: { cpus: 2 }, settings: { error: 0.05, confidence: 0.95, min_runs: 10, max_runs: 10,
            metric: ["wall_s"], metrics: $metrics, decide: ["wall_s"], seed: 1, engine: "meter",
            service: "server --port 1", ready: "port:1", keep_service: false } }' >x/experiment.json
    jq -nc 'range(1; 11) as $block | ("baseline", "load") as $condition
        | { schema: "jostle.run/1", condition: $condition, block: $block,
            order: (2 * $block - (if $condition == "load" then 0 else 1 end)), host: "h",
            wall_s: (1 + 0.001 * ($block % 3)), user_s: 0.1, system_s: 0.1, exit_code: 0, signal: null,
            timed_out: false, start_error: null, load: [], flags: [] }
        | .service = { elapsed_s: 2, cpu_s: 1, user_s: 0.5, system_s: 0.5, memory_bytes: (1000 * $block), processes: 1,
            stalls: { source: "cgroup", cpu_s: 0.5, memory_s: 0, io_s: 0 }, age_s: 1, starts: $block, died: null,
            accounting: "cgroup2", cpus: "0-1" }
        | '"$2" >x/runs.jsonl
    "$BIN/stats" --derive x
    cat x/result.json
}

# helper NAME ROLE: such a metric; figure NAME REST: one that is a result.
helper() { jq -nc '{ name: $ARGS.positional[0], role: $ARGS.positional[1], source: "stdout:/(x)/", adapter: null, quantile: null, loop: null }' --args "$1" "$2"; }
figure() { jq -nc '{ name: $name, role: "result", source: "stdout:/(x)/", adapter: null, quantile: null, loop: null } + $rest' --arg name "$1" --argjson rest "${2:-{\}}"; }

@test "what the service took is in each condition, and no wall time of its client is attributed" {
    derive '[]' 'if $condition == "load" then .wall_s *= 1.5 | .user_s = 0.2 else . end' >result
    holds '.conditions | all(.service == { runs: 10, cpu_s: 1, cpus: 0.5, memory_bytes: 10000, cpu_stall_share: 0.25, starts: 10, died: 0 })' <result
    is_valid result x/result.json
    holds '.slowdowns[0] | .distinguishable and .attribution == null' <result
}

@test "the death of the service is the run's failure, however the client ended" {
    derive '[]' 'if $block == 3 and $condition == "load" then .service.died = "exited with status 1" | .signal = 15 | .exit_code = null else . end' >result
    holds '.conditions[1] | .failures.service == 1 and .failures.signal == 0 and .runs == 9 and .service.died == 1' <result
    holds '[.warnings[] | select(.flag == "failed-runs")] | length == 1 and (.[0].message | contains("load: 1 by the end of the service"))' <result
}

# bats test_tags=slow
@test "a quantile of too few requests is no figure: as its name says, or the definition" {
    local metrics
    metrics="[$(figure p99_ms), $(figure lat '{ "quantile": 0.5 }'), $(figure p2p), $(helper requests requests)]"
    derive "$metrics" '.metrics = { requests: { value: (if $condition == "load" and $block > 8 then 9999 else 10000 end) } }' >result
    holds '[.warnings[] | select(.flag == "few-requests")] | length == 1 and (.[0] | .metric == "p99_ms" and .condition == "load"
        and .severity == "problem" and .runs == [18, 20] and (.message | contains("99 %") and contains("10000") and contains("9999")))' <result
    derive "$metrics" '.metrics = { requests: { value: 199 } }' >result
    holds '[.warnings[] | select(.flag == "few-requests").metric] | sort == ["lat", "lat", "p99_ms", "p99_ms"]' <result
    # The largest value is no quantile that requests could be too few for.
    derive "[$(figure p100_ms), $(helper requests requests)]" '.metrics = { requests: { value: 1 } }' >result
    holds '[.warnings[] | select(.flag == "few-requests")] == []' <result
    # Of another adapter, or not known: nothing is said.
    derive "[$(figure p99_ms '{ "adapter": "a" }'), $(helper requests requests)]" '.metrics = { requests: { value: 1 } }' >result
    holds '[.warnings[] | select(.flag == "few-requests")] == []' <result
    derive "$metrics" '.' >result
    holds '[.warnings[] | select(.flag == "few-requests")] == []' <result
}

# bats test_tags=slow
@test "a closed loop, errors and a rate that was missed are said" {
    derive "[$(figure p99_ms '{ "loop": "closed" }'), $(figure p50_ms '{ "loop": "closed" }'), $(helper errors errors), $(helper offered offered), $(helper achieved achieved)]" \
        '.metrics = { errors: { value: (if $block == 2 and $condition == "load" then 3 else 0 end) }, offered: { value: 1000 },
            achieved: { value: (if $condition == "load" then 940 else 960 end) } }' >result
    holds '[.warnings[] | select(.flag == "closed-loop")] | length == 1 and .[0].severity == "note" and (.[0].message | contains("p99_ms, p50_ms leave"))' <result
    holds '[.warnings[] | select(.flag == "client-errors")] | length == 1 and .[0].condition == "load" and .[0].runs == [4] and (.[0].message | contains("3 errors in 1 of 10 runs"))' <result
    holds '[.warnings[] | select(.flag == "rate-missed")] | length == 1 and .[0].condition == "load" and (.[0].message | contains("94 %"))' <result
    derive "[$(figure p99_ms '{ "loop": "open" }')]" '.' >result
    holds '[.warnings[] | select(.flag == "closed-loop")] == []' <result
}

# bats test_tags=slow
@test "halves of a run that are surely apart are said; those that may differ by chance are not" {
    derive "[$(helper half halves)]" '.metrics = { half: { value: (if $condition == "load" then 0.9 else 1 end + (0.02 * ($block % 3 - 1))) } }' >result
    holds '[.warnings[] | select(.flag == "halves-differ")] | length == 1 and .[0].condition == "load" and .[0].severity == "problem" and (.[0].message | contains("-10 %") or contains("-9.8 %") or contains("-10.2 %"))' <result
    derive "[$(helper half halves)]" '.metrics = { half: { value: (1.07 + 0.4 * (($block * 7) % 10 / 5 - 0.9)) } }' >result
    holds '[.warnings[] | select(.flag == "halves-differ")] == []' <result
}

# starts FILTER: derives x again, with the load first in every second block, a run after each start of the service in
# front, and of each run `.p` as that filter of {age: which run it is since the start, from 0, loaded}.
starts() {
    jq -sc --argjson metrics "[$(figure p50_ms)]" 'group_by(.block)[] | (if .[0].block % 2 == 0 then [.[1], .[0]] else . end) as $runs
        | ($runs[0] | .condition = "baseline" | .service_start = true | .block = 0), $runs[] | . as $run
        | .order = (if .block == 0 then 0 elif .condition == $runs[0].condition then 2 * .block - 1 else 2 * .block end)
        | .wall_s = 1 | .metrics.p50_ms.value = (0.002 * ((7 * $run.service.starts) % 5)
            + ({ age: (if .block == 0 then 0 else 2 - .order % 2 end), loaded: (.condition == "load") } | '"$1"'))' x/runs.jsonl >runs
    cp runs x/runs.jsonl
    jq '.settings += { metric: ["p50_ms"], decide: ["p50_ms"], metrics: $metrics, washout: "auto", service_warmup: 1 }' --argjson metrics "[$(figure p50_ms)]" x/experiment.json >e
    mv e x/experiment.json
    "$BIN/stats" --derive x
    cat x/result.json
}

# bats test_tags=slow
@test "what a start of the service does is named by the metric, and is no after-effect of a load" {
    local flags='[.warnings[].flag] | index("cold-start") != null, index("start-differs") != null, index("carry-over") != null'
    derive '[]' . >/dev/null
    # Cold in the first run alone, which is in no figure.
    starts 'if .age == 0 then 4 else 1 end' >result
    is_valid result x/result.json
    holds '.slowdowns[] | select(.metric == "p50_ms") | .ratio > 0.99 and .ratio < 1.01' <result
    holds '[.warnings[] | select(.flag == "cold-start")] | length == 1 and (.[0] | .metric == "p50_ms" and .severity == "note"
        and (.message | contains("shows 3.98 times the p50_ms") or contains("shows 3.99 times") or contains("shows 4 times")))' <result
    [[ $(jq -c "[$flags]" result) == '[true,false,false]' ]]
    # For longer; a leak.
    for filter in '[4, 2, 1][.age]' '[1, 1.2, 1.4][.age]'; do
        derive '[]' . >/dev/null
        starts "$filter" >result
        [[ $(jq -c "[$flags]" result) == '[true,true,false]' ]]
        holds '.slowdowns[] | select(.metric == "p50_ms") | .carry_over.p > 0.05' <result
    done
    holds '.warnings[] | select(.flag == "start-differs") | .bias == null or .bias == "none"' <result
    holds '.warnings[] | select(.flag == "start-differs").message | contains("0.857 times") or contains("0.858 times")' <result
    # What only the baseline shows, after the load, is the load's.
    derive '[]' . >/dev/null
    starts 'if .age == 2 and (.loaded | not) then 1.5 else 1 end' >result
    holds '([.warnings[].flag] | index("carry-over") != null) and (.slowdowns[] | select(.metric == "p50_ms") | .carry_over.ratio > 1.4 and .carry_over.p < 0.01)' <result
    # Nothing.
    derive '[]' . >/dev/null
    starts 1 >result
    [[ $(jq -c "[$flags]" result) == '[false,false,false]' ]]
}

@test "a server outside of the service is named, and not taken for foreign load" {
    local idle='.service.cpu_s = 0 | .flags = ["foreign-load"]'
    derive "[$(helper requests requests)]" "$idle"' | .metrics = { requests: { value: 1000 } }' >result
    holds '[.warnings[].flag] | index("service-elsewhere") != null and index("foreign-load") == null' <result
    holds '.warnings[] | select(.flag == "service-elsewhere") | .severity == "problem" and (.advice | contains("--account"))' <result
    is_valid result x/result.json
    # One that answers, or whose group is counted.
    derive "[$(helper requests requests)]" '.flags = ["foreign-load"] | .metrics = { requests: { value: 1000 } }' >result
    holds '[.warnings[].flag] | index("service-elsewhere") == null and index("foreign-load") != null' <result
    derive '[]' "$idle" >result
    holds '[.warnings[].flag] | index("service-elsewhere") != null' <result
    jq '.settings.account = "unit:x"' x/experiment.json >e
    mv e x/experiment.json
    "$BIN/stats" --derive x
    holds '[.warnings[].flag] | index("service-elsewhere") == null' <x/result.json
}

# flagged FLAG: the conditions that have this problem, in order.
flagged() {
    jq -r --arg flag "$1" '[.warnings[] | select(.flag == $flag and .severity == "problem").condition] | join(" ")' result
}

@test "what the client computed and waited for a CPU is in each condition, unless another program's is counted in its place" {
    derive '[]' '.stalls = { source: "cgroup", cpu_s: (0.25 * .wall_s), memory_s: 0, io_s: 0, run_delay_s: 0, run_s: 0.2 }' >result
    holds '.conditions | all(.client | .runs == 10 and .cpu_s > 0.1999 and .cpu_s < 0.2001 and .cpus > 0.199 and .cpus < 0.201 and .most_cpus == 1 and
        .cpu_stall_share > 0.2499 and .cpu_stall_share < 0.2501)' <result
    is_valid result x/result.json
    "$JOSTLE" report x >said
    grep -q '^client, load: CPU time 200 ms a run (0.20 CPUs, 25.0 % of the time waiting for one)$' said
    grep -q '^service, load: ' said
    # Another program's, or nobody's.
    jq '.settings.account = "job"' x/experiment.json >x/new
    mv x/new x/experiment.json
    "$BIN/stats" --derive x
    holds '.conditions | all(has("client") | not)' <x/result.json
    jq '.settings |= (.account = null | .service = null)' x/experiment.json >x/new
    mv x/new x/experiment.json
    "$BIN/stats" --derive x
    holds '.conditions | all(has("client") | not)' <x/result.json
}

@test "a client that computes all the time of its threads is the limit, not the service, unless that computes more" {
    local busy='.user_s = (if $condition == "load" then 0.83 else 0.75 end)' threads
    threads="[$(helper threads threads)]"
    busy+=' | .service.cpu_s = 0.5'
    derive '[]' "$busy" >result
    [[ $(flagged client-full) == load ]]
    holds '[.warnings[] | select(.flag == "client-full")][0] | (.runs | length) == 10 and (.message | contains("0.93 CPUs") and contains("of 1 CPU that"))' <result
    derive '[]' "$busy"' | .service.cpu_s = 1.1' >result
    [[ -z $(flagged client-full) ]]
    # In single runs.
    derive '[]' "$busy"' | if $block > 2 then .user_s = 0.1 else . end' >result
    [[ -z $(flagged client-full) ]]
    # By what the client says of its threads, and at most as many CPUs as it may use.
    derive "$threads" "$busy"' | .metrics.threads.value = 2' >result
    [[ -z $(flagged client-full) ]]
    derive "$threads" '.user_s = 1.8 | .metrics.threads.value = (if $condition == "load" then 8 else 2 end) | .cpus = "0-1"' >result
    [[ $(flagged client-full) == 'baseline load' ]]
    holds '.conditions | all(.client.most_cpus == 2)' <result
    # Several threads, nobody says how many: all CPUs that it may use.
    derive '[]' '.user_s = 1.4 | .cpus = "0-1" | .service.cpu_s = 0.1' >result
    [[ -z $(flagged client-full) ]]
}

@test "a load that makes the client wait more than the service has hit the client" {
    # waits CLIENT SERVICE: what they wait in a loaded run; 0.02 and 0.01 of the time alone.
    waits() {
        derive '[]' '($condition == "load") as $loaded | (0.004 * ($block % 3)) as $more | .wall_s = 1 |
            .stalls = { source: "cgroup", cpu_s: ((if $loaded then '"$1"' else 0.02 end) + $more), memory_s: 0, io_s: 0 } |
            .service.stalls.cpu_s = 2 * ((if $loaded then '"$2"' else 0.01 end) + $more)' >result
    }
    waits 0.17 0.01
    [[ $(flagged client-hit) == load ]]
    holds '[.warnings[] | select(.flag == "client-hit")][0].message | contains("client waited for a CPU in 17.4 %, up from 2.4 %") and contains("service in 1.4 %, from 1.4 %")' <result
    waits 0.17 0.17
    [[ -z $(flagged client-hit) ]]
    waits 0.17 0.3
    [[ -z $(flagged client-hit) ]]
    waits 0.05 0.01
    [[ -z $(flagged client-hit) ]]
}
