#!/usr/bin/env bats
# loadgen ops: arithmetic in registers, whose results are checked, and its theoretical peak.
# shellcheck disable=SC2016 # jq programs

load helpers
load loadgen
bats_require_minimum_version 1.5.0

readonly TYPES='int8 int16 int32 int64 single double'

# summary OPTION...: the last line of a short run.
summary() {
    "$BIN/loadgen" ops --json --duration "${DURATION:-50ms}" "$@" | tail -n 1
}

# machine VENDOR FAMILY MODEL SIBLINGS FLAGS: a kernel that says so, and that CPUs 0 and 1 share a core
# if SIBLINGS is 0-1; from then on.
machine() {
    local cpu
    export JOSTLE_KERNEL_ROOT=$BATS_TEST_TMPDIR/machine
    mkdir -p "$JOSTLE_KERNEL_ROOT/proc"
    printf 'processor\t: 0\nvendor_id\t: %s\ncpu family\t: %d\nmodel\t\t: %d\nmodel name\t: Some CPU\nflags\t\t: fpu %s sse\n' \
        "$1" "$2" "$3" "${5:-}" >"$JOSTLE_KERNEL_ROOT/proc/cpuinfo"
    for cpu in 0 1; do
        mkdir -p "$JOSTLE_KERNEL_ROOT/sys/devices/system/cpu/cpu$cpu/topology"
        printf '%s\n' "${4:-$cpu}" >"$JOSTLE_KERNEL_ROOT/sys/devices/system/cpu/cpu$cpu/topology/thread_siblings_list"
    done
}

# per_cycle OPTION...: the operations of each cycle that the peak is made of; it computes little, so that this
# CPU does not exceed the peak of a made-up one.
per_cycle() {
    DURATION=100ms summary --limit 50M "$@" | jq '.peak_gops * 1e9 / .clock_hz | round'
}

# bats test_tags=slow
@test "every kernel computes what it has to, and its check sees a wrong result" {
    local simd type
    for simd in avx512 avx2 sse2 sve neon portable scalar; do
        for type in $TYPES; do
            run "$BIN/loadgen" ops --json --type "$type" --simd "$simd" --threads 1 --duration 10ms
            if [[ $status -eq 2 ]]; then
                [[ $output == *'this CPU lacks it: give '* && $simd != portable && $simd != scalar ]]
                continue
            fi
            [[ $status -eq 0 && ${lines[-1]} == *'"type":"'"$type"'","simd":"'"$simd"'",'* ]]
            # Ends with its first operation.
            run -1 "$BIN/loadgen" ops --json --type "$type" --simd "$simd" --threads 1 --spoil
            [[ $output == *"a wrong result of $type in $simd"* ]]
        done
    done
}

# counted TYPE SIMD: instructions a cycle of CPU time, as no core starts more than 8; with a sibling or a hypervisor's
# other guests at work, half is what remains.
counted() {
    "$BIN/loadgen" ops --json --duration 100ms --type "$1" --simd "$2" --threads 1 | holds '
        (.[0] | .lanes * if .counted | test("two operations") then 2 else 1 end) as $each
        | .[-1] | (.gops * 1e9 * .elapsed_s / .cpu_s / .clock_hz / $each | . > 0.2 and . < 8)
            and (if .peak_gops == null then .peak_source | startswith("not known here: ") else .peak_share < 1.06 end)' -s
}

# bats test_tags=measures
@test "operations are counted right, and a peak that is stated is not exceeded" {
    local simd type
    for simd in auto scalar; do
        for type in int8 single double; do
            in_tries 4 counted "$type" "$simd"
        done
    done
}

# withdrawn: the peak of a CPU that computes half of what any other with AVX2 does.
withdrawn() {
    DURATION=200ms summary --type double --simd avx2 --threads 1 |
        holds '.peak_gops == null and .peak_share > 1.05 and (.peak_source | test("^not known here: [0-9]+ % of it were done in the CPU time: .*AMD Zen "))'
}

# bats test_tags=measures
@test "a peak that the CPU itself exceeds in its CPU time is withdrawn, also on a busy CPU" {
    local noise cpu
    grep -qw avx2 /proc/cpuinfo || skip 'no AVX2'
    machine AuthenticAMD 23 1
    cpu=$(taskset -cp $$ | sed 's/.*: //; s/[,-].*//')
    taskset -c "$cpu" "$BIN/loadgen" cpu --threads 1 --duration 60s >/dev/null 3>&- &
    noise=$!
    in_tries 8 withdrawn
    kill "$noise"
}

@test "the peak is the product of the ports of this CPU, lanes, operations and cores" {
    [[ $(uname -m) == x86_64 && $(nproc) -ge 2 ]] || skip 'two x86 CPUs are needed'
    machine GenuineIntel 6 143
    [[ $(per_cycle --type int64 --simd scalar --threads 1) -eq 5 ]]
    machine AuthenticAMD 23 1
    [[ $(per_cycle --type double --simd sse2 --threads 1) -eq $((2 * 2 * 2)) ]]
    machine AuthenticAMD 25 17
    [[ $(per_cycle --type int8 --simd sse2 --threads 1) -eq $((4 * 16)) ]]
    [[ $(per_cycle --type single --simd scalar --threads 2 --cpus 0,1) -eq $((2 * 2 * 2)) ]]
    machine AuthenticAMD 25 17 0-1
    [[ $(per_cycle --type single --simd scalar --threads 2 --cpus 0,1) -eq $((2 * 2)) ]]
}

# of_scalar MODEL FLAG: where the peak of whole numbers of an Intel CPU is from.
of_scalar() {
    machine GenuineIntel 6 "$1" '' "$2"
    summary --type int64 --simd scalar --threads 1 --limit 50M | jq -r .peak_source
}

@test "features decide what a CPU is, where it has what its stated model has not" {
    [[ $(uname -m) == x86_64 ]] || skip 'made-up x86 CPUs'
    [[ $(of_scalar 167 avx512_vbmi2) == *'x 4 a cycle (Intel Ice Lake, '* ]]
    [[ $(of_scalar 167 'avx512_vbmi2 amx_tile') == *'x 5 a cycle (Intel Sapphire, Emerald or Granite Rapids, as it has amx_tile, '*167* ]]
    [[ $(of_scalar 173 amx_tile) == *'x 5 a cycle (Intel Sapphire, Emerald or Granite Rapids; '* ]]
    [[ $(of_scalar 85 avx512_vbmi2) == 'not known here: it has avx512_vbmi2, which no CPU of its stated model 85 '* ]]
}

@test "a CPU that is not in the table has no peak, and the source says so" {
    [[ $(uname -m) == x86_64 ]] || skip 'the clock of a made-up x86 CPU'
    machine GenuineIntel 6 151
    summary --threads 1 | holds '.peak_gops == null and .clock_hz > 1e8 and
        (.peak_source | startswith("not known here: no entry for GenuineIntel family 6 model 151"))'
}

# limit_kept: what it is held up by right at its end, it owes. Sets summary.
limit_kept() {
    summary=$("$BIN/loadgen" ops --json --type int8 --threads 1 --limit 2G --duration 500ms | tail -n 1) && kept 3158016 <<<"$summary"
}

# bats test_tags=measures
@test "the rate of --limit is kept, beyond what others call an operation" {
    local summary
    in_tries 4 limit_kept
    holds '.unit == "ops/s" and (.gops - .achieved / 1e9 | fabs) < 1e-5' <<<"$summary"
}

@test "wrong use is refused" {
    run -2 "$BIN/loadgen" ops --limit 1e18
    [[ $output == *'nothing does that'* ]]
    run -2 "$BIN/loadgen" ops --type quad
    ! grep -q avx512_fp16 /proc/cpuinfo || skip 'this CPU computes in half precision'
    run -2 "$BIN/loadgen" ops --type half
    [[ $output == *'does not compute in half precision'*'does not emulate it'* ]]
}
