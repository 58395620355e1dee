#!/usr/bin/env bats
# loadgen cache: a footprint that grows from nothing to the whole cache.
# shellcheck disable=SC2016 # jq programs

load helpers
load loadgen

setup() {
    export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
    L3=$(awk '{ sub("K", ""); print $1 * 1024 }' /sys/devices/system/cpu/cpu0/cache/index3/size 2>/dev/null) || L3=''
    [[ -n $L3 ]] || skip 'no L3 is known here'
}

teardown() {
    [[ -z ${LOAD_PID:-} ]] || kill -KILL "$LOAD_PID" 2>/dev/null || true
}

cache() {
    local -a duration=(--duration 0.2)
    [[ " $* " != *' --duration '* ]] || duration=()
    "$BIN/loadgen" cache --json "${duration[@]}" "$@"
}

# bats test_tags=slow
@test "the footprint is that part of L3, of one worker" {
    local percent l3
    for l3 in real 4194304 503316480; do
        if [[ $l3 == real ]]; then l3=$L3; else made_up_l3 "$l3"; fi
        for percent in 10 100; do
            cache --size "$percent" | holds '
                (.[0] | .load == "cache" and .threads == 1 and .kernel == "triad" and .size_percent == $percent
                    and (.footprint_bytes / $l3 * 100 / $percent - 1 | fabs) < 0.01)
                and (.[-1] | .achieved > 0 and .unit == "B/s")' -s --argjson percent "$percent" --argjson l3 "$l3"
        done
    done
}

# size_of LEVEL: bytes of that cache of the first CPU that is for data.
size_of() {
    local index
    for index in /sys/devices/system/cpu/cpu0/cache/index*; do
        [[ $(<"$index/level") == "$1" && $(<"$index/type") != Instruction ]] || continue
        awk '{ sub("K", ""); print $1 * 1024 }' "$index/size"
    done
}

nearer_is_faster() {
    holds -s 'map(select(.event == "summary").busy_bytes_per_s) | .[0] > 1.5 * .[1]' < <(cache --level l1d --duration 0.1 && cache --level l3 --duration 0.1)
}

# bats test_tags=measures
@test "of l1d and l2 it is each worker's own, and the nearer one is faster" {
    local number
    for number in 1 2; do
        cache --level "l$number$([[ $number == 2 ]] || printf d)" --threads 2 --duration 0.05 | holds '
            .[0] | (0.5 - .footprint_bytes / $all | . >= 0 and . < 0.05) and .class == "l\($number)"' -s \
            --argjson all $((2 * $(size_of $number))) --argjson number $number
    done
    in_tries 5 nearer_is_faster
}

@test "of nothing, nothing is touched, at any rate" {
    cache --size 0 --duration 0.5 | holds '
        .[0].footprint_bytes == 0 and (.[-1] | .achieved == 0 and .operations == 0 and .busy_s == 0 and .cpu_s < 0.2)' -s
    cache --size 0 --limit 1G | tail -n 1 | holds '.achieved == 0 and .offered == 0'
    load_start cache --size 0
    load_expect ready
    load_holds '.footprint_bytes == 0'
    [[ $(awk '/^VmRSS/ { print $2 }' "/proc/$LOAD_PID/status") -lt $((L3 / 1024 / 4 + 65536)) ]]
    load_resume
    load_say rate 1G
    load_mark
    sleep 0.3
    load_mark
    load_holds '.achieved == 0'
    load_end
}

@test "it has the memory that it reports, and frees it at the end" {
    load_start cache --size 100
    load_expect ready
    [[ $(awk '/^VmRSS/ { print $2 }' "/proc/$LOAD_PID/status") -ge $((L3 / 1024)) ]]
    load_resume
    load_operates
    load_holds '.achieved > 0'
    load_say pause
    load_expect paused
    load_end
    gone "$LOAD_PID"
}

@test "a limit is kept" {
    load_start cache --size 25 --limit 100M
    load_expect ready
    local chunk
    chunk=$(jq .chunk_bytes <<<"$LOAD_REPLY")
    load_resume
    load_keeps 1 "$chunk"
    load_end
}

@test "a percentage is of its own calibration, by size" {
    run -2 "$BIN/loadgen" cache --size 20 --limit 50% --duration 0.2
    [[ $output == *"make one: jostle calib cache --with '--size 20 "*"--threads 1'" ]]
    run -0 "$BIN/loadgen" cache --calib 0.5 --size 20
    [[ $output == *"kept as $XDG_CACHE_HOME/jostle/calibration/"*.cache.*.json* ]]
    cache --size 20 --limit 50% 2>/dev/null | grep -m 1 ready | holds '(.rate / $rate - 0.5 | fabs) < 1e-6' \
        --argjson rate "$(jq .rate "$XDG_CACHE_HOME"/jostle/calibration/*.cache.*.json)"
    run -2 "$BIN/loadgen" cache --size 30 --limit 50% --duration 0.2
    run -2 "$BIN/loadgen" mem --threads 1 --footprint 20% --limit 50% --duration 0.2
}

@test "what cannot be is refused" {
    local words
    while read -r words; do
        # shellcheck disable=SC2086 # words
        run -2 "$BIN/loadgen" cache --duration 1 $words
        [[ $output == jostle:\ * && ${#lines[@]} -eq 1 ]]
    done <<'END'
--size 101
--level l4
--level l1
--size -1
--size much
--kernel copy
--calib --size 0
--calib --control
--node 999
5
END
}
