#!/usr/bin/env bats
# loadgen cpu takes the share that was given, by the kernel's accounting.

load helpers
load loadgen

setup() {
    bats_require_minimum_version 1.5.0
}

teardown() {
    local pid
    for pid in ${LOAD_PID:-} ${RIVAL:-}; do
        kill -KILL "$pid" 2>/dev/null || true
    done
    [[ -z ${GROUP:-} ]] || rmdir "$GROUP" 2>/dev/null || true
}

# share PID SECONDS: percent of one CPU that it used meanwhile.
share() {
    local before after start end
    before=$(used_ns "$1") start=$(date +%s%N)
    sleep "$2"
    after=$(used_ns "$1") end=$(date +%s%N)
    awk -v used=$((after - before)) -v passed=$((end - start)) 'BEGIN { printf "%.3f\n", 100 * used / passed }'
}

# claimed SHARE: the mark in LOAD_REPLY claims no less than the kernel has counted from mark to mark,
# WITHIN (ns), and no more than with what came until these were answered, AROUND (ns); and with what
# it dropped it is all of SHARE, but for what it owes: 100 ms at most, before they are dropped, also
# from before.
claimed() {
    load_holds '(.achieved * .elapsed_s) as $claimed | (if .late > 0 then 0.1 * $share else 0 end) as $owed
        | $within < 1.05 * $claimed + 0.001 and $claimed < 1.05 * $around + 0.001
        and ($claimed + .dropped_s - $share * .elapsed_s | fabs) < 0.05 * $share * .elapsed_s + $owed + 0.002' \
        --argjson share "$1" --argjson within "${WITHIN}e-9" --argjson around "${AROUND}e-9"
}

# between LOW VALUE HIGH
between() {
    awk -v low="$1" -v value="$2" -v high="$3" 'BEGIN { exit !(low <= value && value <= high) }' ||
        { printf '%s is not between %s and %s\n' "$2" "$1" "$3" >&2 && return 1; }
}

# times_factor VALUE FACTOR
times_factor() {
    awk -v value="$1" -v factor="$2" 'BEGIN { print value * factor }'
}

# one_cpu: the last CPU that is allowed.
one_cpu() {
    taskset -cp $$ | sed 's/.*[ ,-]//'
}

# rival CPU: a busy loop there, as RIVAL.
rival() {
    # shellcheck disable=SC2016 # for the inner shell
    taskset -c "$1" bash -c 'while :; do :; done' 3>&- &
    RIVAL=$!
}

# claims_in_window SHARE: a second of the running load are as claimed() has it.
claims_in_window() {
    local before
    before=$(used_ns "$LOAD_PID") && load_mark || return
    WITHIN=$(used_ns "$LOAD_PID")
    sleep 1
    WITHIN=$(($(used_ns "$LOAD_PID") - WITHIN))
    load_mark || return
    AROUND=$(($(used_ns "$LOAD_PID") - before))
    claimed "$1"
}

# bats test_tags=slow
@test "a share is delivered, as the kernel counts it" {
    local percent
    for percent in 2 10 30; do
        load_start cpu --percent "$percent" --cpus "$(one_cpu)"
        load_expect ready
        load_resume
        # One of three: what a worker that was held up at the end of a window owes is in no figure yet.
        in_tries 3 claims_in_window "${percent}e-2"
        load_end
    done
}

costs_a_thousandth() {
    between 0.02 "$(share "$LOAD_PID" 2)" 0.2
}

@test "a share of a thousandth costs no more than that" {
    load_start cpu --percent 0.1 --threads 1
    load_expect ready
    load_resume
    in_tries 3 costs_a_thousandth
    load_end
}

costs_nothing() {
    between 0 "$(share "$LOAD_PID" 1)" 0.05
}

@test "a share of nothing uses nothing" {
    load_start cpu --percent 0 --threads 1
    load_expect ready
    load_resume
    in_tries 3 costs_nothing
    load_end
}

# shares_with_rival PERCENT: 0 when a load of so much of the rival's CPU got as much, or where others
# leave less to each, what the rival got.
shares_with_rival() {
    local mine rivals
    load_start cpu --percent "$1" --cpus "$cpu" && load_expect ready && load_resume || return
    rivals=$(used_ns "$RIVAL")
    mine=$(share "$LOAD_PID" 1)
    rivals=$(awk -v used=$(($(used_ns "$RIVAL") - rivals)) 'BEGIN { print used / 1e7 }')
    load_end
    awk -v mine="$mine" -v rivals="$rivals" -v wanted="$1" 'BEGIN {
        fair = rivals < wanted ? rivals : wanted
        print mine, rivals
        exit !(mine > 0.8 * fair && mine < 1.2 * wanted) }'
}

# half_with_rival: 0 when a running load of 95 % of the rival's CPU gets half of that, and counts what it misses.
half_with_rival() {
    local rivals
    load_mark || return
    rivals=$(used_ns "$RIVAL")
    sleep 1
    load_mark a || return
    rivals=$(($(used_ns "$RIVAL") - rivals))
    load_holds '.offered == 0.95 and .achieved * .elapsed_s / $rivals > 0.5 and .achieved < 0.8' --argjson rivals "${rivals}e-9" &&
        load_holds '.dropped > 0 and .late >= .dropped and .dropped_s > 0' &&
        load_holds '(.offered - .achieved) * .elapsed_s - .dropped_s | . > -0.05 and . < 0.15'
}

# bats test_tags=measures
@test "next to a busy loop on its CPU it still gets 10 and 30 %, and as much as that of 95" {
    local cpu percent
    cpu=$(one_cpu)
    rival "$cpu"
    for percent in 10 30; do
        in_tries 4 shares_with_rival "$percent"
    done
    load_start cpu --percent 95 --cpus "$cpu"
    load_expect ready
    load_resume
    in_tries 4 half_with_rival
    load_end
    kill "$RIVAL"
    wait "$RIVAL" 2>/dev/null || true
}

# rested: how often all threads of the load gave up their CPU by themselves so far.
rested() {
    awk '/^voluntary/ { sum += $2 } END { print sum }' /proc/"$LOAD_PID"/task/*/status
}

# One switch for each period of 5 ms, less those that fall together, and those in which it was late
# and did not rest.
rests_in_each_period() {
    local before after
    load_mark && before=$(rested) || return
    sleep 1
    after=$(rested) && load_mark || return
    load_holds '(.elapsed_s / 0.005 - .late) as $in_time | $switches > 0.6 * $in_time - 10 and $switches < 2.3 * .elapsed_s / 0.005' \
        --argjson switches $((after - before))
}

@test "bursts are short: it rests in every period" {
    load_start cpu --percent 40 --cpus "$(one_cpu)"
    load_expect ready
    load_resume
    in_tries 3 rests_in_each_period
    load_end
}

# computes KERNEL: 0 when a load with it delivers its share.
computes() {
    output=$("$BIN/loadgen" cpu --percent 20 --threads 1 --kernel "$1" --duration 300ms --json) &&
        holds '.[-1] | .achieved > 0 and (.achieved + .dropped_s / .elapsed_s | . > 0.1 and . < 0.3)' -s <<<"$output"
}

# bats test_tags=slow
@test "each kernel computes, in the unit that it is named for" {
    local kernel
    for kernel in int float double mixed; do
        in_tries 3 computes "$kernel"
    done
    [[ $(uname -m) == x86_64 ]] || skip "the instructions are known for x86_64 only"
    ! sanitized || skip "a sanitizer adds instructions of its own"
    local code
    code=$(objdump -d --no-show-raw-insn "$BIN/loadgen" | awk '/<kernel_run>:|<run_(int|float|double)[^>]*>:/ { on = 1 } /^$/ { on = 0 } on')
    [[ $code == *imul* && $code == *mulss* && $code == *mulsd* ]]
}

@test "there is a worker for each CPU of the affinity mask" {
    local cpu
    cpu=$(one_cpu)
    run -0 taskset -c "$cpu" "$BIN/loadgen" cpu --percent 5 --duration 100ms --json
    holds '.[0] | .threads == 1 and .cpus == $cpu' -s --arg cpu "$cpu" <<<"$output"
    run -0 "$BIN/loadgen" cpu --percent 5 --cpus "$cpu" --threads 3 --duration 100ms --json
    holds '.[0].threads == 3 and .[-1].offered > 0.1499 and .[-1].offered < 0.1501' -s <<<"$output"
}

@test "workers stay on the CPUs that they were given" {
    local cpu status
    cpu=$(one_cpu)
    load_start cpu --percent 5 --cpus "$cpu" --threads 2
    load_expect ready
    load_resume
    for status in /proc/"$LOAD_PID"/task/*/status; do
        [[ ${status%/status} == */"$LOAD_PID" ]] || [ "$(awk '/^Cpus_allowed_list/ { print $2 }' "$status")" = "$cpu" ]
    done
    load_end
}

@test "a cgroup's quota counts: one worker for half a CPU, and a warning when more is requested" {
    quota_group || skip "no cgroup with a CPU quota can be made here"
    # shellcheck disable=SC2016 # for the inner shell
    run --separate-stderr -0 bash -c 'echo $$ >"$1/cgroup.procs" && shift && exec "$@"' _ "$GROUP" \
        "$BIN/loadgen" cpu --percent 90 --duration 1500ms --json
    holds '.[] | select(.event == "ready") | .threads == 1 and .quota_cpus == 0.5' -s <<<"$output"
    holds 'any(.[]; .event == "warning" and (.message | contains("0.50 CPUs")))' -s <<<"$output"
    holds '.[-1] | .achieved < 0.62 and .dropped > 0' -s <<<"$output"
}

@test "--nice applies to every worker" {
    local stat
    load_start cpu --percent 5 --nice 7
    load_expect ready
    for stat in /proc/"$LOAD_PID"/task/*/stat; do
        [ "$(awk '{ print $19 }' "$stat")" -eq 7 ]
    done
    load_end
}
