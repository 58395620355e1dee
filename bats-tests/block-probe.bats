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

@test "the readings of the probes are summed up, with their drift" {
    made many 40 0
    "$BIN/stats" --derive many
    holds '.machine | .probes == 40 and (.reporters | map({ (.name): . }) | add
        | (.wake.drift | .ci[0] > 0.3 and .ci[1] < 0.5) and all(.[]; .n == 40 and .spread > 0)
        and (.memory | .median > 90 and .median < 110 and .worse == "higher"))' <many/result.json
    holds '[.warnings[] | select(.flag == "machine-changed")] | length == 1 and (.[0] | .severity == "note" and (.message | startswith("the machine itself changed: by the probe before each block, wake was 4")))' <many/result.json
    is_valid result many/result.json
    # A reporter that a probe has twice counts once.
    made twice 12 0
    jq -c '.probe.reporters |= [.[], .[], .[]]' twice/runs.jsonl >new && mv new twice/runs.jsonl
    "$BIN/stats" --derive twice
    holds '.machine | .probes == 12 and all(.reporters[]; .n == 12)' <twice/result.json
    jq -c 'del(.probe)' many/runs.jsonl >new && mv new many/runs.jsonl
    "$BIN/stats" --derive many
    holds '.machine == null' <many/result.json
}

# kernel: what this kernel is called in the records.
kernel() {
    "$JOSTLE" run --quiet --no-probe --max-runs 1 --output kernel -- true
    jq -r .environment.kernel kernel/experiment.json
}

# usually COUNT L2 KERNEL: lines of so many earlier experiments of this host, with that median of l2,
# give or take 1 %, in the file that jostle keeps. In nanoseconds: no CPU takes a hundredth of one, or a million.
usually() {
    export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
    KEPT=$XDG_CACHE_HOME/jostle/machine/$(hostname).jsonl
    mkdir -p "${KEPT%/*}"
    jq -nc --argjson n "$1" --argjson l2 "$2" --arg kernel "$3" 'range($n)
        | { schema: "jostle.machine/1", time: "2026-11-\(10 + .)T08:00:00Z", kernel: $kernel, cpus: "", medians: { gap: null, l2: ($l2 * (1 + 0.01 * (. % 3 - 1))), memory: null } }' >>"$KEPT"
}

# unusual: what an experiment of now says of the machine.
unusual() {
    rm -rf out
    "$JOSTLE" run --quiet --max-runs 4 --output out -- sleep 0.12
    jq -c '[.warnings[] | select(.flag == "machine-unusual") | .message]' out/result.json >said
}

# bats test_tags=slow
@test "a machine that is slower than it usually is, is said to be, with its range and since when" {
    local lines
    usually 12 0.01 "$(kernel)"
    lines=$(wc -l <"$KEPT")
    unusual
    holds 'length == 1 and (.[0] | test("^the CPU of this machine is [0-9.]+ times slower than its usual \\([0-9.]+ to [0-9.]+; usual: the probes of 12 earlier experiments\\)$"))' <said
    holds '.unusual[0] | .ratio > 1.5 and .range[0] < .ratio and .ratio < .range[1] and .since == null and .experiments == 12' <out/experiment.json
    [[ $(wc -l <"$KEPT") == $((lines + 1)) ]]
    tail -n 1 "$KEPT" >line
    is_valid machine line
    is_valid experiment out/experiment.json
    is_valid result out/result.json
    # Once more: since the one before.
    unusual
    holds 'length == 1 and (.[0] | contains("than its usual since 20"))' <said
}

# bats test_tags=slow
@test "a machine as it usually is, too few experiments, another kernel and a broken file say nothing" {
    local kernel
    kernel=$(kernel)
    usually 4 0.01 "$kernel"
    unusual
    holds '. == []' <said
    rm "$KEPT"
    usually 12 0.01 'Linux 2.4.20'
    unusual
    holds '. == []' <said
    rm "$KEPT"
    usually 12 1e6 "$kernel"
    unusual
    holds '. == []' <said
    printf 'no json\n{"schema":"jostle.machine/1"}\n[]\n\n' >"$KEPT"
    unusual
    holds '. == []' <said
    rm "$KEPT" && mkdir "$KEPT"
    unusual
    holds '. == []' <said
}

# bats test_tags=slow
@test "a probe comes before each block but the first, also when resumed; not with --no-probe" {
    "$JOSTLE" slowdown --quiet --seed 1 --max-runs 2 --load 'low=cpu --percent 5' --output out -- sleep 0.06
    "$JOSTLE" slowdown --quiet --seed 1 --max-runs 3 --load 'low=cpu --percent 5' --output out --resume -- sleep 0.06
    jq -s . out/runs.jsonl >runs.json
    holds 'group_by(.block) | length == 3 and (map(sort_by(.order) | map(has("probe"))) == [[false, false], [true, false], [true, false]])' <runs.json
    holds '[.[] | select(.probe)] | length == 2 and all(.[].probe; .budget_s >= 0.01 and .budget_s <= 0.1 and (.reporters | length) >= 1)' <runs.json
    sed -n 3p out/runs.jsonl >run.json
    is_valid run run.json
    holds '.settings.probe and .machine.probes == 2' <out/result.json
    "$JOSTLE" run --quiet --no-probe --max-runs 2 --output without -- true
    JOSTLE_NO_PROBE=1 "$JOSTLE" run --quiet --max-runs 2 --output also -- true
    run -1 grep -h '"probe":{' without/runs.jsonl also/runs.jsonl
    holds '.settings.probe == false and .machine == null' <without/result.json
}

@test "blocks too short for a probe share one" {
    "$JOSTLE" run --quiet --runs 25 --output out -- sleep 0.01
    # One for each 0.1 s of runs; none where all of them take less.
    jq -s '{ probes: map(select(.probe)) | length, most: ((map(.wall_s) | add) * 10) }' out/runs.jsonl >count
    holds '.probes >= 1 and .probes <= .most' <count
}

# replaced PROGRAM TEXT: a build in ./build whose PROGRAM is that script.
replaced() {
    mkdir -p build/bin
    ln -s "$BIN"/* build/bin/
    rm "build/bin/$1"
    printf '#!/bin/sh\n%s\n' "$2" >"build/bin/$1"
    chmod +x "build/bin/$1"
}

@test "a probe that is ready before conduct reads is heard all the same" {
    # It was ended by SIGPIPE, one time in 25.
    replaced stats "while IFS= read -r line; do case \$line in probe*) sleep 0.2 ;; esac; printf '%s\\n' \"\$line\"; done | $BIN/stats \"\$@\""
    JOSTLE_BUILD=$PWD/build "$JOSTLE" run --quiet --max-runs 2 --output out -- sleep 0.11
    holds '.machine.probes == 1' <out/result.json
}

# bats test_tags=slow
@test "a probe that dies ends nothing: the experiment says so and continues" {
    replaced probe 'read line; exit 1'
    JOSTLE_BUILD=$PWD/build "$JOSTLE" run --quiet --max-runs 2 --output out -- sleep 0.11
    holds '.machine == null and .conditions[0].runs == 2 and any(.warnings[]; .flag == "harness-warning" and (.message | contains("probe before each block ended")))' <out/result.json
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
