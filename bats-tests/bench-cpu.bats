#!/usr/bin/env bats
# jostle bench cpu: which cells there are, where their peaks are from, and one row that is measured.
# shellcheck disable=SC2016 # jq programs

load helpers

# cells OPTION...: the cells of the part, as an object by name.
cells() {
    bench_plan --expand "$BATS_TEST_TMPDIR/plan" "$@" cpu
    jq '[.parts[] | select(.part == "cpu") | .cells[] | {key: .cell, value: .}] | from_entries' "$BATS_TEST_TMPDIR/plan/bench-plan.json"
}

@test "each type is measured in vectors and without on each number of threads, half where the CPU has it" {
    local half=false
    ! grep -qw avx512_fp16 /proc/cpuinfo || half=true
    cells --threads 1,1000 | holds '
        . as $cells | ["int8", "int16", "int32", "int64", "single", "double"]
        | all(.[]; . as $type | all("simd", "scalar"; . as $code | all("1", "1000";
            $cells["cpu.\($type).\($code).t\(.)"] | .skip == null and (.command | test("ops --type \($type) ")))))
        and ($cells["cpu.half.simd.t1"].skip == null) == $half and $cells["cpu.half.scalar.t1"] == null
        and any($cells["cpu.int8.simd.t1000"].problems[]; .flag == "beyond-cpus") and $cells["cpu.int8.simd.t1"].problems == []' --argjson half "$half"
}

@test "a peak has the source of each factor, and there is none of a CPU that is not known" {
    local model
    [[ $(uname -m) == x86_64 ]] || skip 'made-up x86 CPUs'
    export JOSTLE_KERNEL_ROOT=$BATS_TEST_TMPDIR/machine
    mkdir -p "$JOSTLE_KERNEL_ROOT/proc"
    for model in 17 128; do
        printf 'vendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: %d\n' "$model" >"$JOSTLE_KERNEL_ROOT/proc/cpuinfo"
        cells --threads 1 | jq '."cpu.int64.scalar.t1".peak'
        rm -r "$BATS_TEST_TMPDIR/plan"
    done >"$BATS_TEST_TMPDIR/peaks"
    holds '(.[0] | (.metric | test("clock_hz.*,scale=4e-09$|clock_hz.*,scale=4.0*[0-9]*e-09$")) and (.source | test("clock.* x 4 a cycle .AMD Zen 4; .* x 1 lane .* x 1 operation .* x 1 core ")))
        and .[1].reason == "not known here: no entry for AuthenticAMD family 25 model 128 in common/ports.c" and .[1].metric == null' -s <"$BATS_TEST_TMPDIR/peaks"
}

@test "a row is measured beside OpenBLAS, and both have their share of the peak" {
    "$WORKLOADS/gemm" --version >/dev/null 2>&1 || skip 'no BLAS library: apt install libopenblas0'
    "$JOSTLE" bench cpu --quick --peers --only 'cpu.single.simd.t1' --min-runs 2 --max-runs 2 --max-time 1m --duration 50ms --quiet \
        --output "$BATS_TEST_TMPDIR/bench" || [[ $? -eq 4 ]]
    jq '.parts[0].rows[] | select(.cell == "cpu.single.simd.t1")' "$BATS_TEST_TMPDIR/bench/bench.json" |
        holds '.state == "done" and .n == 2 and .unit == "Gop/s" and .value > 0 and .more[0].name == "clock"
            and (.peers[0] | .name == "gemm" and .value > 0 and .ours_of_peer.ratio > 0)
            and (if .peak == null then .peak_reason | startswith("not known here: ")
                 else .of_peak.ratio > 0 and .of_peak.ratio < 1.05 and .peers[0].of_peak.ratio > 0 end)'
}
