#!/usr/bin/env bats
# The probe of the machine before each block: when it comes, that it is recorded, and what is
# made of it. Figures of made-up records are known; nothing asserts a time.

load helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    unset JOSTLE_NO_PROBE
}

# made FOLDER BLOCKS LEVEL: an experiment of known figures. The cost of `memory` wanders by 4 %
# about LEVEL (a logarithm), the target follows it by 0.8 of that, give or take 0.3 %; `adds` has
# nothing to do with it, and `wake` becomes 50 % worse from the first block to the last.
made() {
    mkdir "$1"
    jq -n '{ schema: "jostle.experiment/1", command: ["./solver"], loads: [{ name: "baseline", spec: null }],
        settings: { error: 0.05, confidence: 0.95, min_runs: 2, max_runs: 2, metric: ["wall_s"], seed: 1, probe: true },
        environment: { host: "one", cpus_online: 2 } }' >"$1/experiment.json"
    jq -nc --argjson n "$2" --argjson level "$3" '
        def random($i; $which): ($i * 12.9898 + $which * 78.233 | sin * 43758.5453 | . - floor) * 2 - 1;
        def reporter($name; $unit; $worse; $cost): { name: $name, unit: $unit, worse: $worse, value: ((if $worse == "lower" then -$cost else $cost end) | exp), n: 5, spread: 0.02 };
        range(1; $n + 1) as $block | (0.04 * random($block; 1)) as $wander
        | { schema: "jostle.run/1", condition: "baseline", block: $block, order: $block,
            probe: { budget_s: 0.1, took_s: 0.1, reporters: [
                reporter("memory"; "ns"; "higher"; 4.6 + $level + $wander), reporter("adds"; "ns"; "higher"; -1 + 0.02 * random($block; 2)),
                reporter("wake"; "ns"; "higher"; 10 + 0.4 * $block / $n + 0.01 * random($block; 3)), reporter("read"; "GB/s"; "lower"; -2 - $wander) ] },
            wall_s: ((0.8 * ($level + $wander) + 0.003 * random($block; 4)) | exp), user_s: 1, system_s: 0.1, max_rss_bytes: 1000000,
            exit_code: 0, signal: null, timed_out: false, pressure: {}, steal_s: 0, accounting: "rusage", load: [], flags: [] }' >"$1/runs.jsonl"
}

@test "what the machine's factor explains of the baseline is found, and its sign, interval and drift" {
    made many 40 0
    "$BIN/stats" --derive many
    holds '.machine_factor | .probes == 40 and .corrected == false and (.reporters | map({ (.name): . }) | add
        | (.memory.explains | .told and .r2 > 0.9 and .ci[0] > 0.8 and .slope_ci[0] < 0.8 and .slope_ci[1] > 0.8)
        and (.read.explains | .told and .slope < 0)
        and (.adds.explains | (.told | not) and .ci[0] == 0 and .adjusted < .r2)
        and (.wake.drift | .ci[0] > 0.3 and .ci[1] < 0.5))' <many/result.json
    holds '[.warnings[] | select(.flag == "machine-changed")] | length == 1 and (.[0] | .severity == "note" and (.message | startswith("the machine itself changed: by the probe before each block, wake was 4")))' <many/result.json
    jsonschema -i many/result.json "$ROOT/results/schema/jostle.result.schema.json"
    # A reporter that a probe has twice counts once.
    made twice 12 0
    jq -c '.probe.reporters |= [.[], .[], .[]]' twice/runs.jsonl >new && mv new twice/runs.jsonl
    "$BIN/stats" --derive twice
    holds '.machine_factor | .probes == 12 and all(.reporters[]; .n == 12)' <twice/result.json
    # Too few blocks say nothing, and records without a probe have no factor; neither is 0.
    made few 5 0
    "$BIN/stats" --derive few
    holds '.machine_factor.reporters | all(.explains == null and (.reason | contains("5 blocks with a probe")))' <few/result.json
    sed -i 's/"probe":{[^]]*\]},//' many/runs.jsonl
    "$BIN/stats" --derive many
    holds '.machine_factor == null' <many/result.json
}

@test "compare says by how much the machine differs and what follows from it, and corrects nothing" {
    made A 40 0
    made B 40 0.06
    run -0 "$JOSTLE" compare --json comparison.json A B
    [[ $output =~ 'by the probe before each block B'\''s is 6.'[0-9]+' % [4.'.*'] slower in memory: figures are not corrected' ]]
    [[ $output == *'wall_s follows memory ('* && $output == *'would follow from the machine'* ]]
    jsonschema -i comparison.json "$ROOT/results/schema/jostle.comparison.schema.json"
    holds '.machine_factor | .corrected == false and (.reporters | map({ (.name): . }) | add | .memory.distinguishable and (.adds.distinguishable | not)
        and (.memory.expected | .ci[0] < (0.048 | exp) and .ci[1] > (0.048 | exp)) and .adds.expected == null and .adds.reason != null)' <comparison.json
    # The figures are those without a probe, to the last digit.
    jq -S '.comparisons' comparison.json >with
    sed -i 's/"probe":{[^]]*\]},//' B/runs.jsonl
    run -0 "$JOSTLE" compare --json comparison.json A B
    [[ $output == *'machine: B was measured without a probe before each block'* ]]
    sed -i 's/"probe":{[^]]*\]},//' A/runs.jsonl
    "$JOSTLE" compare --json - A B | jq -S '.comparisons' | diff with -
}

@test "a probe comes before the first run of each block, also when resumed; not with --no-probe" {
    "$JOSTLE" slowdown --quiet --seed 1 --max-runs 2 --load 'low=cpu --percent 5' --output out -- sleep 0.06
    "$JOSTLE" slowdown --quiet --seed 1 --max-runs 3 --load 'low=cpu --percent 5' --output out --resume -- sleep 0.06
    jq -s . out/runs.jsonl >runs.json
    holds 'group_by(.block) | length == 3 and all(.[]; sort_by(.order) | map(has("probe")) == [true, false])' <runs.json
    holds '[.[] | select(.probe)] | length == 3 and all(.[].probe; .budget_s >= 0.01 and .budget_s <= 0.1 and (.reporters | length) >= 1)' <runs.json
    head -n 1 out/runs.jsonl >run.json
    jsonschema -i run.json "$ROOT/results/schema/jostle.run.schema.json"
    holds '.settings.probe and .machine_factor.probes == 3' <out/result.json
    "$JOSTLE" run --quiet --no-probe --max-runs 2 --output without -- true
    JOSTLE_NO_PROBE=1 "$JOSTLE" run --quiet --max-runs 2 --output also -- true
    run -1 grep -h '"probe":{' without/runs.jsonl also/runs.jsonl
    holds '.settings.probe == false and .machine_factor == null' <without/result.json
}

@test "blocks too short for a probe share one" {
    "$JOSTLE" run --quiet --runs 25 --output out -- true
    # One for each 0.1 s of runs, and one at the beginning.
    jq -s '{ probes: map(select(.probe)) | length, most: (1 + (map(.wall_s) | add) * 10) }' out/runs.jsonl >count
    holds '.probes >= 1 and .probes <= .most and .probes < 25' <count
}

# replaced PROGRAM TEXT: a build in ./build whose PROGRAM is that script.
replaced() {
    mkdir -p build/bin
    ln -s "$BIN"/* build/bin/
    rm "build/bin/$1"
    printf '#!/bin/sh\n%s\n' "$2" >"build/bin/$1"
    chmod +x "build/bin/$1"
}

@test "a probe that is ready before stats reads is heard all the same" {
    # It was ended by SIGPIPE, one time in 25.
    replaced stats "while IFS= read -r line; do case \$line in probe*) sleep 0.2 ;; esac; printf '%s\\n' \"\$line\"; done | $BIN/stats \"\$@\""
    JOSTLE_BUILD=$PWD/build "$JOSTLE" run --quiet --max-runs 1 --output out -- true
    holds '.machine_factor.probes == 1' <out/result.json
}

@test "a probe that dies ends nothing: the experiment says so and continues" {
    replaced probe 'read line; exit 1'
    JOSTLE_BUILD=$PWD/build "$JOSTLE" run --quiet --max-runs 2 --output out -- true
    holds '.machine_factor == null and .conditions[0].runs == 2 and any(.warnings[]; .flag == "harness-warning" and (.message | contains("probe before each block ended")))' <out/result.json
}

@test "a probe ends with its stdin, and answers what is no command with an error" {
    run -0 "$BIN/probe" serve < <(echo sample 0.01)
    holds '.event == "ready"' <<<"${lines[0]}"
    holds '.event == "sample" and .took_s > 0 and all(.reporters[]; .value > 0)' <<<"${lines[1]}"
    run -1 "$BIN/probe" serve < <(echo sample soon)
    [[ $output == *'no such command: give sample SECONDS'* ]]
}

@test "a probe holds less than 80 MiB, however large the L3 is" {
    local l3 cpu index
    export JOSTLE_KERNEL_ROOT=$BATS_TEST_TMPDIR/root
    mkdir -p "$JOSTLE_KERNEL_ROOT"
    ln -s /proc "$JOSTLE_KERNEL_ROOT/proc"
    for l3 in 4096K 491520K; do
        for cpu in $(seq 0 $(($(nproc --all) - 1))); do
            index=$JOSTLE_KERNEL_ROOT/sys/devices/system/cpu/cpu$cpu/cache/index3
            mkdir -p "$index"
            echo "$l3" >"$index/size"
            echo 3 >"$index/level"
            echo Unified >"$index/type"
        done
        "$BIN/meter" --output "$BATS_TEST_TMPDIR/meter" -- sh -c 'echo sample 0.1 | "$1" serve >"$2"' sh "$BIN/probe" "$BATS_TEST_TMPDIR/answer"
        holds 'any(.reporters[]; .name == "memory" and .value > 0)' <<<"$(tail -n 1 "$BATS_TEST_TMPDIR/answer")"
        holds '.max_rss_bytes < 80 * 1048576' <"$BATS_TEST_TMPDIR/meter"
    done
}

# with_factor FOLDER MEMORY WALL: a result whose probes have that mean cost of memory, and
# whose baseline takes WALL.
with_factor() {
    edited "$1/result.json" --argjson memory "$2" --argjson wall "$3" --slurpfile made made/result.json '
        .machine_factor = ($made[0].machine_factor | (.reporters[] | select(.name == "memory") | .cost.mean) = $memory)
        | .conditions[0].wall_s |= (.mean = $wall | .center = $wall)'
}

@test "report says in what the machines of nodes and of sessions differ, and what that explains" {
    load report
    made made 12 0
    "$BIN/stats" --derive made
    holds '.machine_factor.probes == 12' <made/result.json
    synthetic 1 3 campaign
    local base folder number=0 level
    base=$(cd campaign/cells && echo *)
    for level in 0 0.1 0.02 0.06 0.08; do
        ((number += 1))
        folder=campaign/cells/$base
        if ((number > 1)); then
            folder+=.session$number
            cp -r "campaign/cells/$base" "$folder"
            edited "$folder/experiment.json" --argjson n $number --arg base "$base" '.cell += { name: ($base + ".session\($n)"), of: $base, session: $n } | .environment.host = "node\($n)"'
        fi
        with_factor "$folder" "$level" "1.$((100 + number))"
    done
    run -0 "$JOSTLE" report campaign
    [[ $output == *'machine: by the probe before each block the sessions differ most in memory 1.00, 1.11, 1.02, 1.06, 1.08 times the first'\''s (more is worse); it explains '*' of the variance of the figures between sessions; figures are not corrected'* ]]
    [[ $output == *'the nodes differ most in memory'*'of the variance of the figures between nodes'* ]]
    report campaign --format json >report.json
    jsonschema -i report.json "$ROOT/results/schema/jostle.report.schema.json"
    holds '.between_hosts[0].machine | .corrected == false and (.reporters[] | select(.name == "memory") | .differ and (.ratios | length) == 5 and .explains.ci[0] == 0)' <report.json
    # One session without a probe: nothing is guessed.
    edited "campaign/cells/$base.session2/result.json" 'del(.machine_factor)'
    run -0 "$JOSTLE" report campaign
    [[ $output == *'machine: 1 of 5 sessions have no probe before each block'* && $output != *'differ most in'* ]]
}
