#!/usr/bin/env bats
# meter: what the target waited for, and what meter waited for.
# bats file_tags=measures
# shellcheck disable=SC2154 # bats sets stderr

load helpers

setup_file() {
    cc -std=gnu17 -D_GNU_SOURCE -O2 -static -o "$BATS_FILE_TMPDIR/family" \
        "$BATS_TEST_DIRNAME/fixtures/meter-family.c"
}

setup() {
    METER=$BIN/meter
    RECORD=$BATS_TEST_TMPDIR/record
    FAMILY=$BATS_FILE_TMPDIR/family
    busy=()
    cd "$BATS_TEST_TMPDIR" || return
    # first and last of the CPUs that we may use
    read -r first last < <(taskset -cp $$ | sed 's/.*: //; s/[-,]/ /g' | awk '{ print $1, $NF }')
}

teardown() {
    [[ ${#busy[@]} -eq 0 ]] || kill "${busy[@]}" 2>/dev/null || true
}

# keep_busy CPU COUNT: so many processes that want the CPU for themselves, until the test's end.
keep_busy() {
    local i
    for ((i = 0; i < $2; i++)); do
        taskset -c "$1" sh -c 'while :; do :; done' 3>&- &
        busy+=($!)
    done
}

# accountings: the kinds that can be had here.
accountings() {
    local kind
    for kind in cgroup2 cgroup1 rusage; do
        "$METER" --accounting "$kind" --output /dev/null -- true 2>/dev/null && printf '%s\n' "$kind"
    done
}

@test "the target's own wait for a CPU is what its time has beyond its work, by every accounting" {
    local kind
    keep_busy "$first" 1
    for kind in $(accountings); do
        "$METER" --accounting "$kind" --cpus "$first" --output "$RECORD" -- "$FAMILY" spin 0.1
        holds '.stalls.source == if $kind == "cgroup2" then "cgroup" else "schedstat" end' --arg kind "$kind" <"$RECORD"
        holds '.stalls.cpu_s as $waited | (.wall_s - .user_s - .system_s) as $rest
            | $waited > 0.03 and $waited < $rest * 1.02 + 0.002 and $waited > $rest * 0.95 - 0.002' <"$RECORD"
    done
}

@test "a target that moves between CPUs has waited for as long as it did" {
    [[ $first != "$last" ]] || skip "there is one CPU"
    keep_busy "$first" 1
    keep_busy "$last" 1
    "$METER" --cpus "$first,$last" --output "$RECORD" -- "$FAMILY" hop 0.1
    holds '.stalls.cpu_s as $waited | (.wall_s - .user_s - .system_s) as $rest
        | $waited > 0.03 and $waited < $rest * 1.02 + 0.002 and $waited > $rest * 0.9 - 0.002' <"$RECORD"
}

@test "a target that sleeps has waited for nothing, however busy the machine is" {
    keep_busy "$first" 1
    "$METER" --output "$RECORD" -- sleep 0.5
    holds '.wall_s > 0.5 and .stalls.cpu_s < 0.1' <"$RECORD"
    holds '.stalls.source == "schedstat" or (.stalls.memory_s < 0.1 and .stalls.io_s < 0.1)' <"$RECORD"
}

@test "what the other processes wait for is none of the target's stalls" {
    "$METER" --accounting cgroup2 --output "$RECORD" -- true 2>/dev/null || skip "no cgroup v2 can be made here"
    keep_busy "$first" 3
    "$METER" --output "$RECORD" -- sleep 0.5
    # The machine's figure has what the busy ones wait for each other.
    holds '.pressure == null or .pressure.cpu_some_s > 0.2' <"$RECORD"
    holds '.stalls.cpu_s < 0.1' <"$RECORD"
}

@test "a child's wait is the target's in a cgroup, and unknown without" {
    keep_busy "$first" 1
    "$METER" --accounting rusage --cpus "$first" --output "$RECORD" -- "$FAMILY" orphan 0.1
    holds '.stalls | .source == "schedstat" and .memory_s == null and .io_s == null' <"$RECORD"
    "$METER" --accounting cgroup2 --cpus "$first" --output "$RECORD" -- "$FAMILY" orphan 0.1 2>/dev/null ||
        skip "no cgroup v2 can be made here"
    holds '.stalls.cpu_s as $waited | (.wall_s - .user_s - .system_s) as $rest
        | $waited > 0.03 and $waited < $rest * 1.02 + 0.002 and $waited > $rest * 0.8 - 0.01' <"$RECORD"
}

@test "reading from a disk is the target's wait for it" {
    "$METER" --accounting cgroup2 --output "$RECORD" -- true 2>/dev/null || skip "no cgroup v2 can be made here"
    head -c 32M /dev/zero >data
    dd if=data of=/dev/null iflag=direct bs=64k count=1 2>/dev/null || skip "no direct reading here"
    "$METER" --cpus "$first" --stderr /dev/null --output "$RECORD" -- dd if=data of=/dev/null iflag=direct bs=4k
    holds '.stalls.io_s as $waited | (.wall_s - .user_s - .system_s) as $rest
        | $waited > 0.3 * ($rest - .stalls.cpu_s) and $waited < $rest * 1.05 + 0.005' <"$RECORD"
}

@test "in a run shorter than a tick of the kernel's, stalls that it cannot count are unknown, not 0" {
    "$METER" --output "$RECORD" -- "$FAMILY" spin 0
    holds '.wall_s >= 0.01 or (.stalls | .cpu_s >= 0 and (.io_s == null or .io_s > 0) and (.memory_s == null or .memory_s > 0))' <"$RECORD"
}

@test "what the target's process waits for before it is the target is not its wait" {
    local i
    keep_busy "$first" 3
    for i in {1..10}; do
        taskset -c "$first" "$METER" --output - -- "$FAMILY" spin 0
    done >records
    # The time from its exec on has some work of its own.
    holds 'all(.[]; .wall_s - .stalls.cpu_s > 0.0001)' < <(jq -s . records)
}
