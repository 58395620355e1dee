#!/usr/bin/env bats
# loadgen mem: kernels, footprints, pages, limits, calibration, and what it refuses.
# Nothing here depends on how fast the machine is.
# shellcheck disable=SC2016 # jq programs

load helpers
load loadgen

setup() {
    export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
    KEPT=$XDG_CACHE_HOME/jostle/calibration
    L3=$(awk '{ sub("K", ""); print $1 * 1024 }' /sys/devices/system/cpu/cpu0/cache/index3/size 2>/dev/null) || L3=''
}

teardown() {
    [[ -z ${LOAD_PID:-} ]] || kill -KILL "$LOAD_PID" 2>/dev/null || true
    [[ -z ${GROUP:-} || ! -e $GROUP ]] || eventually 30 rmdir "$GROUP" 2>/dev/null || true
}

# small_l3: this machine has a small L3, so that a footprint beyond it is soon filled.
small_l3() {
    L3=$((16 << 20))
    made_up_l3 "$L3"
}

# edge_known: where the caches of this machine end, which is measured once for all tests, is known.
edge_known() {
    local machine=$BATS_FILE_TMPDIR/jostle/machine
    [[ -e $machine ]] || XDG_CACHE_HOME=$BATS_FILE_TMPDIR "$BIN/loadgen" mem --threads 1 --duration 50ms 2>/dev/null
    mkdir -p "$XDG_CACHE_HOME/jostle"
    cp -r "$machine" "$XDG_CACHE_HOME/jostle/"
}

# mem OPTION...: the events of a short load.
mem() {
    local -a duration=(--duration 0.2)
    [[ " $* " != *' --duration '* ]] || duration=()
    "$BIN/loadgen" mem --json "${duration[@]}" "$@"
}

# refused PATTERN OPTION...: exit 2, and stderr matches.
refused() {
    local pattern=$1
    shift
    run -2 timeout 100 "$BIN/loadgen" mem --duration 5 "$@"
    [[ $output =~ ^jostle:\ .*$pattern && ${#lines[@]} -eq 1 ]] || {
        printf 'refused, but not by %s: %s\n' "$pattern" "$output" >&2
        return 1
    }
}

# make_entry [JQ]: keeps a calibration of triad with one thread in L2, of 4 GB/s,
# changed by JQ. What it is of, and where it is kept, is loadgen's own.
make_entry() {
    if [[ ! -e $BATS_TEST_TMPDIR/entry ]]; then
        "$BIN/loadgen" mem --threads 1 --footprint l2 --calib 0.5 2>/dev/null
        ENTRY=$(find "$KEPT" -name '*.json')
        cp "$ENTRY" "$BATS_TEST_TMPDIR/entry"
    fi
    jq -c --arg now "$(date -u +%Y-%m-%dT%H:%M:%SZ)" '.created = $now | .rate = 4e9 | '"${1:-.}" <"$BATS_TEST_TMPDIR/entry" >"$ENTRY"
}

# bats test_tags=slow
@test "every kernel computes what it is defined to, with every kind of vectors that the CPU has" {
    local source=$ROOT/loadgen
    "${CC:-cc}" -std=gnu17 -D_GNU_SOURCE -I"$ROOT" -I"$source" -O2 -g -fsanitize=address,undefined -fno-sanitize-recover=all \
        -o "$BATS_TEST_TMPDIR/kernels" "$BATS_TEST_DIRNAME/fixtures/mem-kernels.c" \
        "$source"/mem/{widths,kernels,sweep,valid}.c "$ROOT"/common/processor.c -lm
    run -0 "$BATS_TEST_TMPDIR/kernels" simd
    [[ $output == *portable* ]]
    if grep -qw avx2 /proc/cpuinfo; then [[ $output == *avx2* ]]; fi
    if grep -qw avx512f /proc/cpuinfo; then [[ $output == *avx512* ]]; fi
    run -0 "$BATS_TEST_TMPDIR/kernels" chase
    run -0 "$BATS_TEST_TMPDIR/kernels" valid
}

@test "blocks are moved in both patterns, what the arrays hold is checked, and the summary has the figures" {
    local pattern way
    for pattern in sequential random; do
        for way in read write; do
            mem "--$pattern" "--$way" --block-size 8KiB --threads 1 --footprint 1MiB --duration 50ms | holds '
                (.[0] | .kernel == $way and .pattern == $pattern and .block_bytes == 8192) and
                (.[-1] | .valid == true and .relative_error == 0 and .bandwidth_bytes_s > 0 and .latency_ns == null
                 and .footprint_bytes == 1048576 and .pages != null)' -s --arg pattern "$pattern" --arg way "$way"
        done
    done
    mem --kernel stream --threads 1 --footprint 768KiB --duration 50ms | tail -n 1 | holds '.valid and .bandwidth_bytes_s > 0'
    # Nobody waits for a check when a harness ends the load.
    mem --threads 1 --footprint 1MiB --control </dev/null | tail -n 1 | holds '.event == "summary" and .valid == null'
}

@test "words of 8 bytes are latencies, also of copies, which are in the summary as such" {
    local pattern kernel
    for pattern in sequential random; do
        for kernel in read write copy; do
            mem "--$pattern" --kernel "$kernel" --block-size 8 --threads 1 --footprint 32KiB --duration 50ms | holds '
                (.[0] | .block_bytes == 8 and .pattern == $pattern and .latency_of != null and .unit == "ops/s") and
                (.[-1] | .latency_ns > 0 and .bandwidth_bytes_s == null and .block_ns == null and .passes == 0 and .pass_min_ns == null)' \
                -s --arg pattern "$pattern"
        done
    done
}

@test "the times of passes and of blocks agree with the bandwidth" {
    # A pass of one worker moves the footprint, half of which is read and half is written; a block of each array 32 KiB.
    mem --kernel copy --block-size 16KiB --threads 1 --footprint 8MiB --duration 300ms | tail -n 1 | holds '
        .passes > 1 and .pass_min_ns <= .pass_mean_ns and .pass_mean_ns <= .pass_max_ns
        and .block_ns / (32768 / (.achieved * .elapsed_s / .busy_s) * 1e9) > 0.99 and .block_ns / (32768 / (.achieved * .elapsed_s / .busy_s) * 1e9) < 1.01
        and .passes * .pass_mean_ns <= .elapsed_s * 1e9 * 1.001 and (.passes + 2) * 8388608 >= .achieved * .elapsed_s'
    # Of random blocks there is no pass.
    mem --kernel copy --random --block-size 16KiB --threads 1 --footprint 8MiB --duration 50ms | tail -n 1 | holds '.passes == 0 and .block_ns > 0'
}

# bats test_tags=measures
@test "blocks of one byte are latencies, and a store into memory takes longer than one into L1" {
    local pattern way inside outside
    for pattern in sequential random; do
        for way in read write; do
            mem "--$pattern" "--$way" --block-size 1 --threads 1 --footprint 16KiB --duration 50ms | holds '
                (.[0] | .block_bytes == 1 and .pattern == $pattern and .latency_of != null and .unit == "ops/s") and
                (.[-1] | .latency_ns > 0 and .bandwidth_bytes_s == null and .valid == null)' -s --arg pattern "$pattern"
        done
    done
    inside=$(mem --write --random --block-size 1 --threads 1 --footprint 16KiB | tail -n 1 | jq .latency_ns)
    outside=$(mem --write --random --block-size 1 --threads 1 --footprint 256MiB | tail -n 1 | jq .latency_ns)
    jq -en "$outside > 2 * $inside"
    mem --read --random --block-size 1 --threads 1 --footprint 64KiB --duration 50ms | head -n 1 | holds '.kernel == "chase"'
}

@test "a footprint that a cache may hold is a problem, four times the caches for each array are none" {
    small_l3
    mem --threads 1 --footprint l2 --duration 50ms | tail -n 1 | holds '.problems == ["cache-sized"] and .class == "l2"'
    mem --threads 1 --footprint 399% --kernel write --duration 50ms | tail -n 1 | holds '.problems == []'
    mem --threads 1 --footprint 399% --kernel copy --duration 50ms | tail -n 1 | holds '.problems == ["cache-sized"]'
}

# bats test_tags=slow
@test "every kernel moves bytes, chase counts loads, and what is counted fits the operations" {
    local kernel
    for kernel in copy scale add triad read write chase; do
        mem --kernel "$kernel" --threads 1 --footprint 1MiB --duration 0.2 | holds '
            .[0] as $ready | .[-1] | $ready.kernel == $kernel and .achieved > 0
            and .unit == (if $kernel == "chase" then "ops/s" else "B/s" end)
            and ($ready.chunk_bytes // $ready.chunk_loads) as $chunk
            | (.achieved * .elapsed_s / (.operations * $chunk)) as $chunks
            | ($chunks - (if $kernel == "chase" then 1 else 4 end) | fabs) < 0.05' \
            -s --arg kernel "$kernel"
    done
}

@test "each kind of vectors can be forced, and one that the CPU lacks is refused" {
    local simd flag
    while read -r simd flag; do
        if [[ -z $flag ]] || grep -qw "$flag" /proc/cpuinfo; then
            mem --simd "$simd" --footprint l1 --threads 1 --duration 0.2 | holds '.[0].simd == $simd and .[-1].achieved > 0' -s --arg simd "$simd"
        else
            refused 'lacks it' --simd "$simd"
        fi
    done <<'END'
avx512 avx512f
avx2 avx2
sse2 sse2
portable
END
    refused 'no such stores' --simd portable --non-temporal
}

# bats test_tags=slow
@test "by default the footprint is several L3s, and the vectors are the widest, in memory avx2" {
    local best
    edge_known
    best=$(for flag in avx512f avx2 sse2; do grep -owm 1 "$flag" /proc/cpuinfo; done | head -n 1) || true
    mem --duration 0.05 --footprint l1 | head -n 1 | holds '.kernel == "triad" and .simd == $best' --arg best "${best/%512f/512}"
    mem --duration 0.05 | head -n 1 | holds '.simd == $best and .class == "memory" and .footprint_bytes >= 1.9 * $l3' \
        --arg best "${best/%avx512f/avx2}" --argjson l3 "${L3:-1}"
}

# bats test_tags=slow
@test "a footprint is a size, a part of L3, or a cache, and of all workers together" {
    [[ -n $L3 ]] || skip 'no L3 is known here'
    local one two
    mem --threads 2 --cpus "$(cpus)" --footprint 8MiB | head -n 1 | holds '.footprint_bytes <= 8388608 and .footprint_bytes > 8380000'
    mem --threads 1 --footprint 150% | head -n 1 | holds '(.footprint_bytes / $l3 - 1.5 | fabs) < 0.01 and .class == "memory"' --argjson l3 "$L3"
    mem --threads 1 --footprint l3 | head -n 1 | holds '(.footprint_bytes / $l3 - 0.5 | fabs) < 0.01 and .class == "l3"' --argjson l3 "$L3"
    one=$(mem --threads 1 --footprint l2 | head -n 1)
    two=$(mem --threads 2 --footprint l2 | head -n 1)
    holds '.class == "l2"' <<<"$one"
    holds '(.footprint_bytes / $one - 2 | fabs) < 0.01' --argjson one "$(jq .footprint_bytes <<<"$one")" <<<"$two"
    mem --threads 1 --footprint l1 | head -n 1 | holds '.class == "l1"'
}

# cpus: the CPUs that may be used, as a list.
cpus() {
    awk '/^Cpus_allowed_list/ { print $2 }' /proc/self/status
}

# limit_is_kept PERCENT OPTION...: in a run whose events are then in the caller's `events`. What a worker owes
# that is held up right before the end is in no figure.
limit_is_kept() {
    events=$(mem "${@:2}") &&
        tail -n 1 <<<"$events" | kept "$(head -n 1 <<<"$events" | jq '.chunk_bytes // .chunk_loads')" "$1"
}

# bats test_tags=slow
@test "a limit is kept: all over, second by second, and split between workers" {
    local events
    in_tries 3 limit_is_kept 2 --threads 1 --footprint 64MiB --limit 200M --interval 1s --duration 2.2s
    # Each second, too, unless the machine was too busy to run it in time.
    holds '(.[-1] | .dropped > 0 or .latency.response.max_ns > 2e7) as $busy
        | map(select(.event == "interval"))[0:2] | length == 2 and all(.[]; $busy or (.achieved / .offered - 1 | fabs) < 0.05)' -s <<<"$events"
    holds '.[-1] | .cpu_s < 0.5 * .elapsed_s and .busy_s < .elapsed_s and (.offered / 2e8 - 1 | fabs) < 0.02' -s <<<"$events"
    in_tries 3 limit_is_kept 5 --threads 3 --footprint 16MiB --limit 100MB/s --duration 1s
    in_tries 3 limit_is_kept 10 --threads 1 --kernel chase --footprint 64KiB --limit 1M --duration 1s
}

# bats test_tags=measures
@test "a chase through memory takes longer for each load than one inside L1" {
    local inside outside
    inside=$(mem --kernel chase --threads 1 --footprint 16KiB --duration 0.3 | tail -n 1)
    outside=$(mem --kernel chase --threads 1 --footprint 128MiB --duration 0.3 | tail -n 1)
    holds '.ns_per_load > 0 and .ns_per_load <= 1.1 * .ns_per_load_mean' <<<"$inside"
    holds '.ns_per_load > 4 * $inside' --argjson inside "$(jq .ns_per_load <<<"$inside")" <<<"$outside"
    run -0 "$BIN/loadgen" mem --kernel chase --threads 1 --footprint 1MiB --duration 0.3
    [[ $output =~ [0-9]\ ns\ for\ each\ load && $output == *"pages "* ]]
}

@test "its pages are reported, and huge ones if --huge is given" {
    mem --threads 1 --footprint 32MiB | head -n 1 | holds '(.pages == "base") == (.huge_bytes == 0) and .page_bytes >= 4096 and (.nodes | test("^[0-9]"))'
    if grep -q '\[never\]' /sys/kernel/mm/transparent_hugepage/enabled && ! grep -q '^HugePages_Free: *[1-9]' /proc/meminfo; then
        refused 'huge pages are off' --huge
    else
        mem --threads 1 --footprint 64MiB --huge | head -n 1 | holds '.huge_bytes > 0 and .pages != "base"'
    fi
}

@test "memory comes from the node of --node, and a missing one is refused" {
    local node
    node=$(sed 's/[-,].*//' /sys/devices/system/node/has_memory 2>/dev/null) || skip 'this kernel knows no NUMA nodes'
    mem --threads 1 --footprint 4MiB --node "$node" | head -n 1 | holds '.nodes == $node' --arg node "$node"
    refused 'no such NUMA node here: choose from [0-9]' --node 999
}

@test "a footprint beyond memory is refused before anybody is killed" {
    refused 'footprint of [0-9.]+ .iB: (this machine|the cgroup) has .* left' --footprint 1000TiB
    refused 'has .* left: give a smaller --footprint' --footprint "$(awk '/^MemTotal/ { print $2 }' /proc/meminfo)K" --kernel chase
}

@test "a cgroup's limit counts, too" {
    local folder
    if folder=/sys/fs/cgroup/memory && [[ -w $folder/tasks ]]; then
        GROUP=$folder/jostle-test-$$
        mkdir "$GROUP" 2>/dev/null || skip 'no cgroup can be made here'
        printf '256M' >"$GROUP/memory.limit_in_bytes"
    elif folder=/sys/fs/cgroup && grep -qw memory "$folder/cgroup.subtree_control" 2>/dev/null; then
        GROUP=$folder/jostle-test-$$
        mkdir "$GROUP" 2>/dev/null || skip 'no cgroup can be made here'
        printf '256M' >"$GROUP/memory.max"
    else
        skip 'no memory cgroup can be made here'
    fi
    # shellcheck disable=SC2317 # called through run
    inside() {
        bash -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$GROUP" "$BIN/loadgen" mem --threads 1 --duration 0.2 "$@"
    }
    run -2 inside --footprint 1GiB
    [[ $output == *"the cgroup has 2"*"MiB left"* ]]
    run -0 inside --footprint 64MiB
}

# bats test_tags=slow
@test "what is no kernel, footprint, rate or option is refused" {
    refused 'give one of copy, scale, add, triad, read, write, chase' --kernel traid
    refused 'not a footprint' --footprint l4
    refused 'not a footprint' --footprint 0
    refused 'not a footprint' --footprint 0%
    refused 'too little for 3 arrays' --footprint 100
    refused 'counts in B/s' --limit 1000iops --footprint 1M
    refused 'counts in ops/s' --kernel chase --limit 1MB/s --footprint 1M
    refused 'out of range: give more than 0' --limit 0 --footprint 1M
    refused 'for stores' --kernel read --non-temporal
    refused 'one pointer at a time' --kernel chase --simd sse2
    refused 'only --calib takes SECONDS' 5
    refused 'without a limit' --calib --limit 1G
    refused 'did you mean --footprint' --fotprint 1M
    refused 'neither 1 nor 8, nor a multiple of 512' --read --block-size 100
    refused 'larger than the .* give a --footprint of 16.0 MiB or more' --read --block-size 8M --footprint 8M --threads 2
    refused 'give their --block-size' --random --read
    refused 'exclude each other' --random --sequential --block-size 1K
    refused 'exclude each other' --read --write
    refused 'is a --kernel' --read --kernel triad
    refused 'give --read, --write or --kernel copy' --block-size 1
    refused 'has no blocks' --kernel chase --block-size 1K
}

# bats test_tags=slow
@test "a percentage is of the calibration with the same kernel, threads, cache and stores" {
    make_entry
    mem --threads 1 --footprint l2 --limit 50% 2>/dev/null | grep -m 1 ready | holds '.rate == 2e9 and .calibration == $entry and .calibration_age_s < 300' --arg entry "$ENTRY"
    run -0 "$BIN/loadgen" mem --threads 1 --footprint l2 --limit 25% --duration 0.1
    [[ $output =~ '100% is 4.00 GB/s, calibrated '[0-9]+' s ago' ]]
    refused "make one: jostle calib mem --with '--footprint [0-9.]+[KM]iB --simd [a-z0-9]+ --threads 2'" --threads 2 --footprint l2 --limit 50%
    refused '--kernel copy' --threads 1 --footprint l2 --kernel copy --limit 50%
    refused '--non-temporal' --threads 1 --footprint l2 --non-temporal --limit 50%
    refused 'make one' --threads 1 --footprint 1GiB --limit 50%
    refused 'too much to be meant' --threads 1 --footprint l2 --limit 5000%
    local change
    for change in '.host = "elsewhere"' '.rate = null' '.rate = 0' '.schema = "x"' '.created = "then"' '.options |= sub("avx2|avx512|sse2|portable"; "mmx")' '.subject = "elsewhere"' '[]'; do
        make_entry "$change"
        refused 'make one' --threads 1 --footprint l2 --limit 50%
    done
}

# second_cpu: another CPU than the first allowed one; fails where there is one only.
second_cpu() {
    local list
    list=$(for_each_cpu | sed -n 2p)
    [[ -n $list ]] && printf '%s\n' "$list"
}

# for_each_cpu: the allowed CPUs, a line each.
for_each_cpu() {
    cpus | tr ',' '\n' | while IFS=- read -r first last; do seq "$first" "${last:-$first}"; done
}

# bats test_tags=slow
@test "a percentage is of the calibration of the same CPUs, of this machine and its pages" {
    local second change
    make_entry
    holds '.machine | test(", [0-9]+ CPUs$")' <"$ENTRY"
    holds '.subject == $cpus' --arg cpus "CPU $(for_each_cpu | head -n 1)$(
        sed -n 's/.*\[\(.*\)\].*/, THP \1/p' /sys/kernel/mm/transparent_hugepage/enabled 2>/dev/null
    )" <"$ENTRY"
    for change in '.machine = "another, 2 CPUs"' 'del(.machine)' '.subject |= sub("THP.*"; "THP other")' '.subject = ""'; do
        [[ $change != *THP* || $(jq -r .subject <"$BATS_TEST_TMPDIR/entry") == *THP* ]] || continue
        make_entry "$change"
        refused 'make one' --threads 1 --footprint l2 --limit 50%
    done
    make_entry
    second=$(second_cpu) || skip 'one CPU only'
    refused "make one: jostle calib mem --with '.*--threads 1 --cpus $second'" --threads 1 --footprint l2 --limit 50% --cpus "$second"
    # By whatever way it is that CPU.
    run -2 taskset -c "$second" "$BIN/loadgen" mem --threads 1 --footprint l2 --limit 50% --duration 0.1
    [[ $output == *"--cpus $second'"* ]]
}

# mem_all_l3: the bytes of the L3s that a load on all CPUs reaches: what 150% is of.
mem_all_l3() {
    mem --threads 1 --footprint 100% | head -n 1 | jq .footprint_bytes
}

# make_edge BYTES [JQ]: what is kept of this machine's caches.
make_edge() {
    if [[ -z ${EDGE:-} ]]; then
        edge_known
        EDGE=$(find "$XDG_CACHE_HOME/jostle/machine" -name '*.cache-edge.json')
        cp "$EDGE" "$BATS_TEST_TMPDIR/edge.json"
    fi
    jq -c --argjson edge "$1" '.cache_edge_bytes = $edge | '"${2:-.}" <"$BATS_TEST_TMPDIR/edge.json" >"$EDGE.new"
    mv "$EDGE.new" "$EDGE"
}

# bats test_tags=slow
@test "where the caches end is measured once, by whoever needs it" {
    small_l3
    local kept=$XDG_CACHE_HOME/jostle/machine
    mem --footprint l2 --threads 1 | head -n 1 | holds '.cache_edge_bytes == null'
    "$BIN/loadgen" mem --dry-run
    [[ ! -e $kept ]]
    # Two that come together: one measures, the other one waits for it.
    "$BIN/loadgen" mem --threads 1 --duration 0.05 2>"$BATS_TEST_TMPDIR/one" &
    "$BIN/loadgen" mem --threads 1 --duration 0.05 2>"$BATS_TEST_TMPDIR/two"
    wait $!
    [[ $(cat "$BATS_TEST_TMPDIR"/{one,two} | grep -c '^measuring where the caches end') -eq 1 ]]
    local edge
    edge=$(jq .cache_edge_bytes "$kept"/*.json)
    # As soon as it is kept, all use it, and nobody measures it again.
    run --separate-stderr "$BIN/loadgen" mem --threads 1 --duration 0.05
    [[ ${stderr:-} != *measuring* ]]
    mem --threads 1 | head -n 1 | holds '.cache_edge_bytes == $edge and .footprint_bytes >= ([$edge // 0, 1073741824] | min) * 0.99 and .footprint_bytes >= 1.9 * $l3' \
        --argjson edge "$edge" --argjson l3 "${L3:-1}"
    mem --threads 1 --footprint l2 | head -n 1 | holds '.cache_edge_bytes == $edge' --argjson edge "$edge"
    command -v jsonschema >/dev/null || skip 'python3-jsonschema is not installed'
    is_valid cache-edge "$(echo "$kept"/*.json)"
}

# bats test_tags=slow
@test "what a campaign calibrates is what its load then does, where the caches are not known yet" {
    small_l3
    "$BIN/loadgen" mem --threads 1 --limit 50% --calib --if-missing 0.5
    "$BIN/loadgen" mem --threads 1 --limit 50% --duration 0.05
}

# bats test_tags=slow
@test "by default the footprint is beyond the caches, as far as a load may take unasked and memory allows" {
    local l3 edge half
    half=$(awk '/^MemAvailable/ { print int($2 * 1024 * 0.4) }' /proc/meminfo)
    make_edge 402653184
    while read -r l3 edge; do
        made_up_l3 "$l3"
        make_edge "$edge" ".machine |= sub(\"L3 [0-9]+\"; \"L3 $l3\")"
        # Once it was measured, nobody measures it again, also where it was not found.
        run -0 --separate-stderr "$BIN/loadgen" mem --json --threads 1 --duration 50ms
        [[ $stderr != *measuring* ]]
        head -n 1 <<<"$output" | holds '([1073741824, 2 * $l3] | max) as $most | ([12 * $l3, $edge // 0] | max) as $wanted
            | .cache_edge_bytes == $edge and .class == "memory" and .footprint_bytes <= ([$most, $wanted] | min)
            and .footprint_bytes >= ([$most, $wanted, $half] | min) * 0.99' --argjson l3 "$l3" --argjson edge "$edge" --argjson half "$half"
    done <<<$'503316480 4611686018427387904\n4194304 null\n4194304 402653184'
    # One that is given stays, and people are told.
    run -0 "$BIN/loadgen" mem --threads 1 --duration 0.05 --footprint 300MiB
    [[ $output == *'footprint 300 MiB (memory)'*'latency rises up to 384 MiB here'* ]]
    unset HWLOC_SYNTHETIC HWLOC_THISSYSTEM
    make_edge 402653184 '.machine = "another"'
    mem --threads 1 --footprint l2 | head -n 1 | holds '.cache_edge_bytes == null'
}

# bats test_tags=slow
@test "a calibration is kept under its own name, follows its schema, and is used" {
    run -0 --separate-stderr "$BIN/loadgen" mem --calib 0.5 --threads 1 --footprint l2
    [[ $output == *GB/s*"kept as $KEPT/"*.mem.kernel_triad_*.json* ]]
    "$BIN/loadgen" mem --calib 0.5 --threads 1 --footprint l2 --kernel chase --json 2>/dev/null | holds '
        .load == "mem" and .ready.kernel == "chase" and .unit == "ops/s" and .rate > 0 and .summary.ns_per_load > 0'
    [[ $(find "$KEPT" -type f | wc -l) -eq 2 && $(find "$KEPT" -name '*.mem.*.json' | wc -l) -eq 2 ]]
    mem --threads 1 --footprint l2 --limit 50% 2>/dev/null | grep -m 1 ready | holds '(.rate / $rate - 0.5 | fabs) < 1e-6' \
        --argjson rate "$(jq .rate "$KEPT"/*_triad_*.json)"
    command -v jsonschema >/dev/null || skip 'python3-jsonschema is not installed'
    is_valid calibration "$KEPT"/*.json
}

@test "a calibration goes to the file of --calibration, and one that cannot be written is an error" {
    run -0 "$BIN/loadgen" mem --calib 0.5 --threads 1 --footprint l1 --calibration "$BATS_TEST_TMPDIR/mine"
    [[ ! -e $KEPT ]]
    mem --threads 1 --footprint l1 --limit 10% --calibration "$BATS_TEST_TMPDIR/mine" 2>/dev/null | grep -m 1 ready | holds '.rate > 0'
    refused 'is not for mem --kernel triad .*--threads 2' --threads 2 --footprint l1 --limit 10% --calibration "$BATS_TEST_TMPDIR/mine"
    run -1 "$BIN/loadgen" mem --calib 0.5 --threads 1 --footprint l1 --calibration /nowhere/mine
    [[ $output == *"/nowhere/mine cannot be written (No such file"* ]]
}

# bats test_tags=slow
@test "it obeys pause, resume, rate and mark, and ends with its input" {
    load_start mem --threads 1 --footprint 4MiB --limit 100M
    load_expect ready
    load_holds '.load == "mem" and .unit == "B/s" and .rate == 1e8 and .pages != null'
    local chunk
    chunk=$(jq .chunk_bytes <<<"$LOAD_REPLY")
    load_resume
    load_keeps 1 "$chunk" 15
    load_holds '.latency.service.p50_ns > 0 and (.offered / 1e8 - 1 | fabs) < 0.05'
    load_say rate 20M
    load_keeps 1 "$chunk" 25
    load_holds '(.offered / 2e7 - 1 | fabs) < 0.1'
    load_mark one
    load_holds '.mark == "one"'
    load_say pause
    load_expect paused
    load_sleeps 0.5
    [[ $(</proc/"$LOAD_PID"/oom_score_adj) -eq 1000 ]]
    load_end
    gone "$LOAD_PID"
}

@test "a signal ends it, also while it fills its memory" {
    local pid
    "$BIN/loadgen" mem --threads 1 --kernel chase --footprint 2GiB --duration 30 >/dev/null 2>&1 3>&- &
    pid=$!
    sleep 0.2
    kill "$pid"
    eventually 30 gone "$pid"
    wait "$pid" || true
    "$BIN/loadgen" mem --threads 1 --footprint 1MiB --json >"$BATS_TEST_TMPDIR/out" 3>&- &
    pid=$!
    eventually 30 grep -q steady "$BATS_TEST_TMPDIR/out"
    kill -TERM "$pid"
    wait "$pid"
    tail -n 1 "$BATS_TEST_TMPDIR/out" | holds '.event == "summary"'
}
