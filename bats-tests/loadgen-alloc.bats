#!/usr/bin/env bats
# loadgen alloc: allocation churn. A build with a sanitizer has no jemalloc: there
# the tests use glibc's allocator, and see jemalloc refused.
# shellcheck disable=SC2016 # jq programs

load helpers
load loadgen

setup_file() {
    local allocator
    allocator=$("$BIN/loadgen" alloc --json --duration 0.05 | head -n 1 | jq -r .allocator)
    export DEFAULT=$allocator
}

setup() {
    export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
}

teardown() {
    [[ -z ${LOAD_PID:-} ]] || kill -KILL "$LOAD_PID" 2>/dev/null || true
}

alloc() {
    local -a duration=(--duration 0.4)
    [[ " $* " != *' --duration '* ]] || duration=()
    "$BIN/loadgen" alloc --json "${duration[@]}" "$@"
}

# each_allocator: those that this build has.
each_allocator() {
    printf 'glibc\n'
    [[ $DEFAULT != jemalloc ]] || printf 'jemalloc\n'
}

# refused PATTERN OPTION...: exit 2, and stderr matches.
refused() {
    local pattern=$1
    shift
    run -2 timeout 100 "$BIN/loadgen" alloc --duration 5 "$@"
    [[ $output =~ ^jostle:\ .*$pattern && ${#lines[@]} -eq 1 ]] || {
        printf 'refused, but not by %s: %s\n' "$pattern" "$output" >&2
        return 1
    }
}

@test "jemalloc is the default where this build has it, and refused by name where not" {
    if [[ $DEFAULT == jemalloc ]]; then
        alloc --allocator jemalloc | holds '.[0].allocator == "jemalloc" and .[-1].achieved > 0' -s
    else
        refused 'not in this build: give glibc' --allocator jemalloc
    fi
}

# bats test_tags=slow
@test "the live memory is as given, as the allocator reports it" {
    local allocator
    for allocator in $(each_allocator); do
        alloc --allocator "$allocator" --live 64MiB --threads 2 | holds '
            .[0] as $ready | .[-1] | $ready.live_bytes == 67108864 and .unit == "ops/s" and .achieved > 0
            and (.allocated_bytes / 67108864 | . > 0.85 and . < 1.5) and .active_bytes >= .allocated_bytes
            and (if $allocator == "jemalloc" then .resident_bytes >= .active_bytes and .retained_bytes >= 0
                else .resident_bytes == null end)' -s --arg allocator "$allocator"
    done
}

# bats test_tags=slow
@test "sizes are as given, small or large, or all the same" {
    alloc --size 1-16 --live 1MiB --threads 1 | holds '.[0] | .minimum_bytes == 1 and .maximum_bytes == 16 and (.slots / 1048576 * 5.41 - 1 | fabs) < 0.01' -s
    alloc --size 4096 --live 4MiB --threads 1 | holds '.[0] | .minimum_bytes == 4096 and .maximum_bytes == 4096 and .slots == 1024' -s
    alloc --size 1MiB-4MiB --live 64MiB --threads 1 | holds '.[-1].achieved > 0 and .[0].chunk_operations == 1' -s
}

# bats test_tags=slow
@test "purging gives pages back: each operation faults more of them in" {
    local allocator usual purging
    for allocator in $(each_allocator); do
        usual=$(alloc --allocator "$allocator" --size 4KiB-64KiB --duration 0.5 | tail -n 1 | jq '.page_faults_per_s / .achieved')
        purging=$(alloc --allocator "$allocator" --size 4KiB-64KiB --duration 0.5 --purge | tail -n 1 | jq '.page_faults_per_s / .achieved')
        holds '.[1] > 1 and .[1] > 3 * .[0]' -s <<<"$usual $purging"
    done
}

# bats test_tags=slow
@test "a limit is kept, at few operations a second as at many" {
    local rate lines
    for rate in 50 2000 50000; do
        lines=$(alloc --threads 2 --live 4MiB --limit "$rate" --duration 1s)
        tail -n 1 <<<"$lines" | kept "$(head -n 1 <<<"$lines" | jq .chunk_operations)"
        tail -n 1 <<<"$lines" | holds '(.offered / $rate - 1 | fabs) < 0.05' --argjson rate "$rate"
    done
    alloc --threads 1 --limit 50 | head -n 1 | holds '.chunk_operations == 1'
}

# bats test_tags=slow
@test "a percentage is of the calibration with the same sizes, allocator and threads" {
    run -2 "$BIN/loadgen" alloc --threads 1 --limit 50% --duration 0.2
    [[ $output == *"make one: jostle calib alloc --with '"*"--threads 1'" ]]
    run -0 --separate-stderr "$BIN/loadgen" alloc --calib 0.5 --threads 1
    [[ $output == *ops/s*"kept as $XDG_CACHE_HOME/jostle/calibration/"*.alloc.*.json* ]]
    local kept=("$XDG_CACHE_HOME"/jostle/calibration/*.alloc.*.json)
    alloc --threads 1 --limit 50% 2>/dev/null | grep -m 1 ready | holds '(.rate / $rate - 0.5 | fabs) < 1e-6' --argjson rate "$(jq .rate "${kept[0]}")"
    refused '--purge' --threads 1 --purge --limit 50%
    refused '--size 64-128KiB' --threads 1 --size 64-128KiB --limit 50%
    refused '--live 32MiB' --threads 1 --live 32M --limit 50%
    local cpus
    cpus=$(awk '/^Cpus_allowed_list/ { sub(/.*[-,]/, "", $2); print $2 }' /proc/self/status)
    [[ $cpus == 0 ]] || refused "--cpus $cpus" --threads 1 --cpus "$cpus" --limit 50%
    command -v jsonschema >/dev/null || skip 'python3-jsonschema is not installed'
    is_valid calibration "${kept[0]}"
}

# bats test_tags=slow
@test "it obeys pause, rate and mark, and ends with its input" {
    load_start alloc --threads 2 --live 8MiB --limit 5000
    load_expect ready
    load_holds '.load == "alloc" and .unit == "ops/s" and .rate == 5000'
    local chunk
    chunk=$(jq .chunk_operations <<<"$LOAD_REPLY")
    load_resume
    load_keeps 0.7 "$chunk" 20
    load_holds '.page_faults_per_s >= 0'
    load_say rate 1000
    load_keeps 0.7 "$chunk" 20
    load_holds '(.offered / 1000 - 1 | fabs) < 0.1'
    load_say pause
    load_expect paused
    load_mark
    sleep 0.3
    load_mark
    load_holds '.achieved == null or .achieved == 0'
    load_end
    gone "$LOAD_PID"
}

# peak: the most memory that the load has had so far.
peak() {
    awk '/^VmHWM/ { print $2 * 1024 }' "/proc/$LOAD_PID/status"
}

# peak_is_above BYTES
peak_is_above() {
    (($(peak) > $1))
}

# bats test_tags=slow
@test "the room that it checks for is what it takes, whatever the sizes" {
    local allocator options
    for allocator in $(each_allocator); do
        for options in '--live 48M' '--live 48M --size 4KiB-64KiB' '--live 48M --size 64KiB-1MiB' '--live 48M --size 4100' \
            '--live 48M --size 4100 --purge' '--size 40 --live 16MiB'; do
            # shellcheck disable=SC2086 # words
            load_start alloc --allocator "$allocator" --threads 1 $options
            load_expect ready
            local ready=$LOAD_REPLY
            load_resume
            eventually 30 peak_is_above $(($(jq .room_bytes <<<"$ready") / 2))
            sleep 0.1 # it goes on, and takes no more
            holds '.room_bytes >= $peak' --argjson peak "$(peak)" <<<"$ready"
            load_end
        done
    done
}

@test "more than there is memory for is refused before anybody is killed" {
    refused 'allocated at a time, .* left: give less' --live 1000TiB
    refused 'allocated at a time, .* left: give less' --size 1TiB --live 2TiB --threads 1
}

@test "what is no size, allocator or option is refused" {
    refused 'not sizes' --size big
    refused 'not sizes' --size 64-
    refused 'not sizes' --size -64
    refused 'out of range' --size 0-64
    refused 'out of range' --size 128-64
    refused 'less than one allocation' --size 1MiB --live 1MiB --threads 2
    refused 'give one of auto, jemalloc, glibc' --allocator tcmalloc
    refused 'counts in ops/s' --limit 1MB/s
    refused 'without a limit' --calib --limit 5
    refused 'only --calib takes SECONDS' 5
}

@test "a signal ends it, with a summary" {
    local pid
    "$BIN/loadgen" alloc --json --threads 1 >"$BATS_TEST_TMPDIR/out" 3>&- &
    pid=$!
    eventually 30 grep -q steady "$BATS_TEST_TMPDIR/out"
    kill -INT "$pid" 2>/dev/null
    kill -TERM "$pid" 2>/dev/null || true
    wait "$pid"
    tail -n 1 "$BATS_TEST_TMPDIR/out" | holds '.event == "summary" and .operations > 0'
}
