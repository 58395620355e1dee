#!/usr/bin/env bats
# The reporters, and the reference that is made of them: probe sample, jostle probe --reference.
# shellcheck disable=SC2154 # bats sets stderr

load helpers

# valid SCHEMA: 0 when the JSON document on stdin is valid.
valid() {
    cat >"$BATS_TEST_TMPDIR/document.json"
    jsonschema -i "$BATS_TEST_TMPDIR/document.json" "$ROOT/results/schema/$1.schema.json" 2>/dev/null
}

# made_up: a folder $made with an experiment of three blocks in which everything is known. From
# block to block the machine is slower by 10 %; beside mem the reading of memory and a load from it
# are worse by the factors of $read and $memory at 25, 50, 75, 100 %; beside cpu a sleeper wakes
# sooner. Each value is off by a little, so that there is a variance.
made_up() {
    made=$BATS_TEST_TMPDIR/made
    mkdir -p "$made/experiment"
    jq -n --argjson loads "$(loads)" '{
        schema: "jostle.experiment/1",
        environment: {host: "made-up", kernel: "Linux 1", cpu: "a CPU", cpus_online: 2, memory_bytes: 8e9, versions: {jostle: "0.1.0"}},
        placement: {target_cpus: "0", load_cpus: "0"},
        after: {time: "2026-01-01T00:00:00Z"},
        loads: ([{name: "baseline", spec: null}] + $loads),
        conditions: ([{name: "baseline", load: null}, {name: "aa", load: null}] + [$loads[] | {name, load: .name}])
    }' >"$made/experiment/experiment.json"
    jq -n -c --argjson loads "$(loads)" --argjson flags "${flags:-[]}" '
        def metric($value): {value: $value, unit: "ns", better: "lower"};
        range(1; 4) as $block
        | ([{name: "baseline"}, {name: "aa"}] + $loads)[] as $load
        | pow(1.1; $block) as $drift | (1 + ($block - 2) * (if $load.spec then 0.001 else 0 end)) as $off
        | {condition: $load.name, block: $block, exit_code: 0, signal: null, timed_out: false, start_error: null, flags: $flags,
           load: (if $load.spec then [{offered: 100, achieved: 90}] else [] end),
           metrics: {wake: metric(50000 * $drift * $off * ($load.wake // 1)), memory: metric(100 * $drift * $off * ($load.memory // 1)),
                     read: metric(20 / $drift / $off / ($load.read // 1)),
                     others_cpu: metric(0.1 + ($load.cpus // 0) * $off)}}' >"$made/experiment/runs.jsonl"
    jq -n '{reporters: [{name: "wake", spread: 0.2, correlation: 0.5, n: 40}, {name: "disk_read", reason: "no disk"}],
            sample_s: 0.6, kinds: {io: "no disk"}, disturbed: null}' >"$made/quiet.json"
}

loads() {
    jq -n -c '[[25, 1.1, 1.05, 0.9], [50, 1.3, 1.2, 0.8], [75, 1.25, 1.4, 0.75], [100, 2, 1.6, 0.7]]
        | map({name: "mem-\(.[0])", spec: "mem --limit \(.[0])%", read: .[1], memory: .[2], cpus: (.[0] / 50)}),
          map({name: "cpu-\(.[0])", spec: "cpu --percent \(.[0])%", wake: .[3]}) | .[]' | jq -s -c .
}

derive() {
    "$BIN/probe" reference --derive "$made" --place core --reference-file "$BATS_TEST_TMPDIR/reference.json" "$@"
}

@test "every reporter shows a figure within the time, or a reason; nothing is left in the folder" {
    mkdir "$BATS_TEST_TMPDIR/disk"
    "$BIN/probe" sample --duration 150ms --directory "$BATS_TEST_TMPDIR/disk" >"$BATS_TEST_TMPDIR/sample.json"
    valid jostle.probe-sample <"$BATS_TEST_TMPDIR/sample.json"
    holds '[.reporters[].name] == ["wake", "gap", "adds", "l2", "l3", "memory", "read", "faults", "disk_read", "disk_write", "loopback"]
        and all(.reporters[]; .reason or (.n >= 1 and .value > 0))
        and ([.reporters[] | select(.name | IN("wake", "gap", "adds", "faults", "loopback")) | .reason] | all(. == null))
        and .duration_s >= 0.15' <"$BATS_TEST_TMPDIR/sample.json"
    [[ -z $(ls -A "$BATS_TEST_TMPDIR/disk") ]]
    holds '.activity | map(.name) == ["others_cpu", "others_faults", "others_disk", "others_packets"] and all(.[]; .reason or .value > 0)' \
        <"$BATS_TEST_TMPDIR/sample.json"
}

@test "the packets that the probe sends are its own, not those of others" {
    unshare -rn ip link set lo up 2>/dev/null || skip 'no network namespace, or no ip (iproute2)'
    # Thousands of round trips in a network of its own: nobody else is there.
    unshare -rn bash -c 'ip link set lo up && exec "$1" sample --reporters loopback --duration 100ms' - "$BIN/probe" | holds '
        (.reporters[0].value / 1e9) as $round_s | [.activity[] | select(.name == "others_packets")][0].value < 0.1 / $round_s'
}

latencies_in_order() {
    "$BIN/probe" sample --duration 100ms --reporters adds,l2,memory | holds '
        [.reporters[].value] as [$adds, $l2, $memory]
        | .reporters[1].reason or (1.5 * $adds < $l2 and 2 * $l2 < $memory)'
}

@test "an addition is faster than a load from L2, and that than one from memory" {
    in_tries 5 latencies_in_order
}

@test "a time that is too short for a round is divided among the reporters" {
    "$BIN/probe" sample --duration 4ms --reporters wake,gap,adds,faults | holds '[.reporters[].n] | all(. >= 1)'
}

@test "the quiet value is that of the looks before and after, not that of runs right after a load" {
    local look
    made_up
    for look in 'quiet 90' 'quiet-after 100'; do
        jq --argjson value "${look#* }" '.reporters += [{name: "memory", value: $value, error: 0.01, n: 9, spread: 0.1, correlation: 0}]' \
            "$made/quiet.json" >"$made/next"
        mv "$made/next" "$made/${look% *}.json"
        [[ $look == quiet-after* ]] || continue
        jq '.reporters |= map(select(.value != 90))' "$made/quiet-after.json" >"$made/next"
        mv "$made/next" "$made/quiet-after.json"
    done
    derive >"$BATS_TEST_TMPDIR/record.json"
    valid jostle.probe-reference <"$BATS_TEST_TMPDIR/reference.json"
    # Runs alone are at 121; what the looks differ by is at least what the next one may.
    holds 'def near($a; $b): ($a / $b - 1 | fabs) < 1e-3;
        near(.quiet.memory.value; (90 * 100 | sqrt)) and near(.quiet.memory.alone; 121) and .quiet.memory.looks == 2
        and .quiet.memory.between > 0.07 and .quiet.memory.error > .quiet.memory.between / 2 and .quiet.wake.looks == 0' \
        <"$BATS_TEST_TMPDIR/reference.json"
}

# look VALUE FILE: that look has seen this in memory.
look() {
    jq --argjson value "$1" '.reporters += [{name: "memory", value: $value, error: 0.01, n: 9, spread: 0.1, correlation: 0}]' \
        "$made/quiet.json" >"$BATS_TEST_TMPDIR/look"
    mv "$BATS_TEST_TMPDIR/look" "$made/$2"
}

@test "looks at other times: their mean, and what they differ by, with the degrees of freedom of it" {
    local hour
    made_up
    for hour in 1 2 3; do
        look "$((100 * (1 + hour % 2)))" "quiet-2026010${hour}T000000Z.json"
    done
    printf '{"reporters": [{"na' >"$made/quiet-20260104T000000Z.json"
    look 100 quiet.json
    derive >"$BATS_TEST_TMPDIR/record.json" 2>"$BATS_TEST_TMPDIR/err"
    [[ $(<"$BATS_TEST_TMPDIR/err") == *quiet-20260104T000000Z.json*'left out' ]]
    valid jostle.probe-reference <"$BATS_TEST_TMPDIR/reference.json"
    # 200, 100, 200 and 100 again: in logarithms 0.4 apart, of three degrees of freedom and the four of the runs.
    holds '.quiet.memory | .looks == 4 and .freedom == 7 and (.value / 141.42 - 1 | fabs) < 1e-3 and (.between / 0.4002 - 1 | fabs) < 1e-3' \
        <"$BATS_TEST_TMPDIR/reference.json"
    holds '.quiet.wake.freedom == 5' <"$BATS_TEST_TMPDIR/reference.json"
}

@test "jostle probe --reference --again adds a look to the reference of this machine, and to no other" {
    local -a again=("$ROOT/harness/jostle" probe --reference --again --force --place core --reporters adds --max-time 1s
        --output "$BATS_TEST_TMPDIR/made" --reference-file "$BATS_TEST_TMPDIR/reference.json")
    made_up
    derive >/dev/null
    run -1 --separate-stderr "${again[@]}"
    [[ ${#stderr_lines[@]} -eq 1 && $stderr == *--again*'another machine'* && -z $(compgen -G "$made/quiet-*") ]]
    "$BIN/experiment" slowdown --output "$BATS_TEST_TMPDIR/here" --load 'cpu --percent 1' -- true >/dev/null
    jq --slurpfile here "$BATS_TEST_TMPDIR/here/experiment.json" '.environment = $here[0].environment' "$made/experiment/experiment.json" >"$BATS_TEST_TMPDIR/moved"
    mv "$BATS_TEST_TMPDIR/moved" "$made/experiment/experiment.json"
    derive >/dev/null
    "${again[@]}" --json - | holds '.quiet | .adds == null or .memory.n == 6'
    holds '.reporters | map(.name) == ["adds"]' <"$(compgen -G "$made/quiet-*Z.json")"
    run -2 --separate-stderr "${again[@]}" --resume
    [[ $stderr == *--again*--resume* ]]
    rm "$BATS_TEST_TMPDIR/reference.json"
    run -1 --separate-stderr "${again[@]}"
    [[ ${#stderr_lines[@]} -eq 1 && $stderr == *--again*reference.json* ]]
}

@test "on a file system in memory the disk has a reason, not a figure" {
    [[ $(stat -f -c %T /dev/shm) == tmpfs ]] || skip 'no tmpfs at /dev/shm'
    "$BIN/probe" sample --duration 10ms --reporters gap,disk_read,disk_write --directory /dev/shm | holds '
        .reporters[0].value > 0 and all(.reporters[1:][]; (.reason | test("in memory")) and (has("value") | not))'
}

@test "unknown reporters and CPUs are refused" {
    run -2 --separate-stderr "$BIN/probe" sample --reporters wake,wale
    [[ $stderr == *wale*'did you mean wake'* ]]
    run -2 "$BIN/probe" sample --cpus 100000
    run -2 --separate-stderr "$BIN/probe" sample --reporters ''
    [[ $stderr == *reporter* ]]
}

# shows_share: 0 when a load on a CPU makes a spin there longer, and an addition not.
shows_share() {
    local quiet loaded pid
    quiet=$(taskset -c 0 "$BIN/probe" sample --duration 100ms --reporters gap,adds)
    taskset -c 0 "$BIN/loadgen" cpu --percent 100 --threads 1 --duration 60s --json 3>&- >"$BATS_TEST_TMPDIR/load" &
    pid=$!
    eventually 30 grep -q '"event":"steady"' "$BATS_TEST_TMPDIR/load"
    loaded=$(taskset -c 0 "$BIN/probe" sample --duration 300ms --reporters gap,adds)
    kill "$pid"
    wait "$pid" || true
    jq -s . <<<"$quiet $loaded" | holds '[.[] | [.reporters[].value]] as [$quiet, $loaded]
        | $loaded[0] > 1.4 * $quiet[0] and $loaded[1] < 1.3 * $quiet[1]'
}

# bats test_tags=measures
@test "a spin shows the share of the CPU that a load takes, and an addition does not" {
    # Others may come or go between the two.
    in_tries 5 shows_share
}

@test "a reference of known runs has the known curves, whatever drifted meanwhile" {
    made_up
    derive >"$BATS_TEST_TMPDIR/record.json"
    valid jostle.probe-reference <"$BATS_TEST_TMPDIR/reference.json"
    holds 'def near($a; $b): ($a - $b | fabs) < 1e-3;
        def curve($kind; $reporter; $field): [.curves[] | select(.kind == $kind) | .points[].reporters[$reporter][$field]];
        # Without a look the quiet value is the geometric mean of the runs alone.
        near(.quiet.memory.value / 121; 1) and .quiet.wake.spread == 0.2 and .quiet.memory.between > 0.03
        # A bandwidth that is lower is worse; 25 and 50 % rise, 75 % falls and is pooled with 50 %.
        and near(curve("mem"; "read"; "log_ratio")[3]; 2 | log)
        and near(curve("mem"; "read"; "fitted")[1]; curve("mem"; "read"; "fitted")[2])
        and near(curve("mem"; "read"; "fitted")[1]; ((1.3 | log) + (1.25 | log)) / 2)
        and near(curve("mem"; "memory"; "fitted")[2]; 1.4 | log)
        # A sleeper that wakes sooner: the curve falls.
        and near(curve("cpu"; "wake"; "fitted")[3]; 0.7 | log)
        and near(curve("cpu"; "memory"; "fitted")[3]; 0)
        and ([.curves[] | select(.kind == "mem") | .points[].achieved] | all(. == 0.9))
        # What others do is a difference, in its own unit: the machine gets slower meanwhile, and they do no more.
        and near(.activity.others_cpu.value; 0.1) and .activity.others_disk == {reason: "not measured"}
        and ([.curves[] | select(.kind == "mem") | .points[].activity.others_cpu.fitted * 2 | round] == [1, 2, 3, 4])
        and near([.curves[] | select(.kind == "cpu") | .points[].activity.others_cpu.fitted] | max; 0)
        # Its error is that of one load, which these differ by (0.002), not that of their mean (0.001).
        and ([.curves[] | select(.kind == "mem")][0].points[3].activity.others_cpu.fitted_error > 0.0015)' <"$BATS_TEST_TMPDIR/record.json"
    # What was not measured has a reason, no figure.
    holds '(.quiet.disk_read == {reason: "no disk"}) and (.quiet.gap == {reason: "not measured"})
        and ([.curves[] | select(.kind == "io")][0] | .points == [] and .reason == "no disk")
        and .disturbed == null and .place == "core"' <"$BATS_TEST_TMPDIR/record.json"
    [[ $(jq -S -c . "$BATS_TEST_TMPDIR/record.json") == "$(jq -S -c . "$BATS_TEST_TMPDIR/reference.json")" ]]
}

@test "a reference of too few runs, or of a machine that others used, is not kept" {
    flags='["foreign-load"]' made_up
    run -1 --separate-stderr derive
    [[ $stderr == *'not quiet'*foreign-load*--force* && ! -e $BATS_TEST_TMPDIR/reference.json ]]
    derive --force | holds '.disturbed | test("foreign-load in 6 of 6 runs alone")'
    grep -v '"mem-50","block":[23]' "$made/experiment/runs.jsonl" >"$made/experiment/fewer"
    mv "$made/experiment/fewer" "$made/experiment/runs.jsonl"
    run -1 --separate-stderr derive --force
    [[ $stderr == *mem-50*--resume* ]]
}

@test "a reference of another machine, an old one, of another kernel, taken under load: each is said" {
    flags='["steal"]' made_up
    derive --force >/dev/null
    "$BIN/probe" now --duration 10ms --reporters adds --place core --reference-file "$BATS_TEST_TMPDIR/reference.json" --json - |
        holds '[.reasons[] | select(test("another machine \\(made-up\\)") and test("[0-9]+ days old") and test("another kernel \\(Linux 1\\)")
            and test("under load \\(steal in 6 of 6 runs alone\\)") and test("jostle probe --reference makes a new one"))] | length == 1'
}

# bats test_tags=measures
@test "jostle probe --reference: an experiment that is cut short is not kept, and says how to continue" {
    run -1 --separate-stderr "$ROOT/harness/jostle" probe --reference --force --kinds cpu --reporters gap,adds \
        --max-time 300ms --output "$BATS_TEST_TMPDIR/out" --reference-file "$BATS_TEST_TMPDIR/kept.json"
    [[ $stderr == *minutes*--resume* && ! -e $BATS_TEST_TMPDIR/kept.json ]]
    holds '.reporters | map(.name) == ["gap", "adds"]' <"$BATS_TEST_TMPDIR/out/quiet.json"
    holds '[.loads[].spec] == [null, "cpu --percent 25%", "cpu --percent 50%", "cpu --percent 75%", "cpu --percent 100%", null]
        and .conditions[-1] == {name: "aa", variant: null, load: null}' <"$BATS_TEST_TMPDIR/out/experiment/experiment.json"
    run -2 "$ROOT/harness/jostle" probe --reference --kinds cpu --output "$BATS_TEST_TMPDIR/out"
}

@test "jostle probe --reference refuses what it does not know" {
    run -2 "$ROOT/harness/jostle" probe --reference --kinds disk
    run -2 "$ROOT/harness/jostle" probe --reference --place moon
    run -1 --separate-stderr "$ROOT/harness/jostle" probe --reference --resume --output "$BATS_TEST_TMPDIR/none"
    [[ $stderr == *'nothing to resume'* ]]
    # Before minutes are spent.
    run -1 --separate-stderr "$ROOT/harness/jostle" probe --reference --reference-file /dev/null/kept.json
    [[ ${#stderr_lines[@]} -eq 1 && $stderr == 'jostle: /dev/null/kept.json: '*--reference-file ]]
    run -1 --separate-stderr "$ROOT/harness/jostle" probe --reference --quiet --kinds cpu --output /dev/null/records
    [[ ${#stderr_lines[@]} -eq 1 && $stderr == 'jostle: /dev/null/records cannot be made: '* ]]
}
