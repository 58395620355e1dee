#!/usr/bin/env bats
# jostle bench memory: what the firmware says of DIMMs, pairs of NUMA nodes, and one row that is measured.
# shellcheck disable=SC2016 # jq programs

load helpers

# cells TOPOLOGY OPTION...: the cells of the part on a machine that hwloc makes up, a line each.
cells() {
    HWLOC_SYNTHETIC=$1 bench_plan --expand "$BATS_TEST_TMPDIR/plan" "${@:2}" memory
    jq -c '.parts[] | select(.part == "memory") | .cells[]' "$BATS_TEST_TMPDIR/plan/bench-plan.json"
    rm -r "$BATS_TEST_TMPDIR/plan"
}

# bats test_tags=slow
@test "the peak of the DIMMs comes from DMI where it says all of it, whatever the table holds" {
    "${CC:-cc}" -std=gnu17 -D_GNU_SOURCE -I"$ROOT" -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all \
        -o "$BATS_TEST_TMPDIR/dmi" "$BATS_TEST_DIRNAME/fixtures/bench-dmi.c" "$ROOT"/harness/bench/dmi.c "$BUILD"/libcommon.a -lhwloc -lm
    "$BATS_TEST_TMPDIR/dmi"
}

@test "latency under load is measured for each pair of nodes: CPUs of one, memory of the other, the others on other cores" {
    cells 'numa:2 l3:1 core:2 pu:2' | jq -s 'map(select(.cell | test("loaded-latency"))) | map({key: .cell, value: .}) | from_entries' |
        holds 'length == 4 * 7
            and ([to_entries[] | .key | capture("n(?<a>.)-m(?<m>.)") | .a + .m] | unique == ["00", "01", "10", "11"])
            and (.["memory.loaded-latency.n1-m0.50%"] | (.command | test("--kernel chase --cpus 4 --threads 1 --node 0 "))
                 and (.load.spec | test("--cpus 6-7 --threads 2 --node 0 .*--limit 50%$")))
            and (.["memory.loaded-latency.n0-m1.100%"].load.spec | test("limit") | not)
            and .["memory.loaded-latency.n0-m1.0%"].load == null'
    # With a single core nobody is left to draw bandwidth.
    cells 'numa:1 core:1 pu:2' | jq -s 'map(select(.cell | test("loaded-latency")))' |
        holds 'map(select(.skip != null)) | length == 6 and all(.[]; .skip | test("node 0 has one core"))'
}

@test "footprints follow the caches, in memory, and with --quick as far as five minutes allow" {
    local l3 quick all
    all=$(awk '/^MemTotal/ { print $2 * 1024 / 4 }' /proc/meminfo)
    for l3 in 4194304 503316480; do
        made_up_l3 "$l3"
        for quick in '' --quick; do
            cells "$HWLOC_SYNTHETIC" $quick | holds '
                def bytes: .command | capture("--footprint (?<bytes>[0-9]+)").bytes | tonumber;
                map(select(.skip == null and .of == null and (.labels | map(.[1]) | index("the same block") | not)) | {test: .cell, bytes: bytes, run: .run_s})
                | all(.[]; .bytes >= ([2 * $l3, $all] | min) * 0.99 and .bytes <= $all + 1
                    and if $quick then .bytes <= ([1073741824, 2 * $l3] | max) and .run < 4 else true end)
                    and (map(select(.test | test("stream.triad"))) | all(.[]; $quick or .bytes >= ([12 * $l3, $all] | min) * 0.99))' \
                -s --argjson l3 "$l3" --argjson all "$all" --argjson quick "$([[ -n $quick ]] && echo true || echo false)"
        done
    done
}

@test "a row of memory is measured, said to be of memory, and has no peak that nobody knows" {
    quick_machine
    "$JOSTLE" bench memory --quick --only 'memory.write.random.8KiB.t1' --min-runs 2 --max-runs 2 --max-time 1m --duration 50ms --quiet \
        --output "$BATS_TEST_TMPDIR/bench"
    jq '.parts[0].rows[] | select(.cell == "memory.write.random.8KiB.t1")' "$BATS_TEST_TMPDIR/bench/bench.json" |
        holds '.state == "done" and .n == 2 and .unit == "B/s" and .value > 0 and .labels.block == "8KiB" and .labels["data in"] == "memory"
            and (.peak != null or (.peak_reason | startswith("not known here: ")))'
}
