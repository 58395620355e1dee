#!/usr/bin/env bats
# meter: what the target waited for, and what meter waited for.
# shellcheck disable=SC2154 # bats sets stderr

load helpers

setup_file() {
    compile "$BATS_FILE_TMPDIR" family until
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

# at_work PID: it has had 20 ms of CPU time, so it is past its start.
at_work() {
    local ran_ns
    read -r ran_ns _ <"/proc/$1/schedstat" && ((ran_ns > 20000000))
}

# keep_busy CPU COUNT: so many processes that want the CPU for themselves, until the test's end.
keep_busy() {
    local i pid
    for ((i = 0; i < $2; i++)); do
        taskset -c "$1" sh -c 'while :; do :; done' 3>&- &
        busy+=($!)
    done
    for pid in "${busy[@]}"; do eventually 60 at_work "$pid"; done
}

# waited SHARE SLACK COMMAND...: 0 when the target waited for a CPU, for at least SHARE of what its time has
# beyond its work, less SLACK in seconds, and for no longer than that. Also a host that takes the CPU
# away from this machine, or somebody who stops the target, has it wait: where the machine counts that, it
# is in the record, but not exactly. So it is for in_tries.
waited() {
    "${@:3}" && holds '.stalls.cpu_s as $waited | (.wall_s - .user_s - .system_s) as $rest
        | $waited > 0.03 and $waited < $rest * 1.02 + 0.002 and $waited > $rest * $share - $slack' \
        --argjson share "$1" --argjson slack "$2" <"$RECORD"
}

# bats test_tags=measures
@test "the target's own wait for a CPU is what its time has beyond its work, by every accounting" {
    local kind
    keep_busy "$first" 1
    for kind in $(accountings); do
        in_tries 5 waited 0.95 0.002 "$METER" --accounting "$kind" --cpus "$first" --output "$RECORD" -- "$FAMILY" spin 0.1
        holds '.stalls.source == if $kind == "cgroup2" then "cgroup" else "schedstat" end' --arg kind "$kind" <"$RECORD"
    done
}

# bats test_tags=measures
@test "a target that moves between CPUs has waited for as long as it did" {
    [[ $first != "$last" ]] || skip "there is one CPU"
    keep_busy "$first" 1
    keep_busy "$last" 1
    in_tries 5 waited 0.9 0.002 "$METER" --cpus "$first,$last" --output "$RECORD" -- "$FAMILY" hop 0.1
}

# sleeps_well CPU_PRESSURE: 0 when one that sleeps has waited for nothing, while the machine had
# that much pressure, where it knows that.
sleeps_well() {
    "$METER" --output "$RECORD" -- sleep 0.5 &&
        holds '.wall_s > 0.5 and .stalls.cpu_s < 0.1 and (.pressure == null or .pressure.cpu_some_s >= $least)
            and (.stalls.source == "schedstat" or (.stalls.memory_s < 0.1 and .stalls.io_s < 0.1))' --argjson least "$1" <"$RECORD"
}

# bats test_tags=slow
@test "a target that sleeps has waited for nothing, however busy the machine is" {
    keep_busy "$first" 1
    in_tries 5 sleeps_well 0 # its start may have to wait for the CPU
}

@test "what the other processes wait for is none of the target's stalls" {
    "$METER" --accounting cgroup2 --output "$RECORD" -- true 2>/dev/null || skip "no cgroup v2 can be made here"
    keep_busy "$first" 3
    # The machine's figure has what the busy ones wait for each other, as a share of all its CPUs that work.
    in_tries 5 sleeps_well 0.11
}

# bats test_tags=measures
@test "a child's wait is the target's in a cgroup, and unknown without" {
    keep_busy "$first" 1
    "$METER" --accounting rusage --cpus "$first" --output "$RECORD" -- "$FAMILY" orphan 0.1
    holds '.stalls | .source == "schedstat" and .memory_s == null and .io_s == null' <"$RECORD"
    "$METER" --accounting cgroup2 --cpus "$first" --output "$RECORD" -- "$FAMILY" orphan 0.1 2>/dev/null ||
        skip "no cgroup v2 can be made here"
    in_tries 5 waited 0.5 0.01 "$METER" --accounting cgroup2 --cpus "$first" --output "$RECORD" -- "$FAMILY" orphan 0.1
}

# waited_for_disk: 0 when much of what a reader's time has beyond its work is a wait for the disk.
waited_for_disk() {
    "$METER" --cpus "$first" --stderr /dev/null --output "$RECORD" -- dd if=data of=/dev/null iflag=direct bs=4k &&
        holds '.stalls.io_s as $waited | (.wall_s - .user_s - .system_s) as $rest
            | $waited > 0.3 * ($rest - .stalls.cpu_s) and $waited < $rest * 1.05 + 0.005' <"$RECORD"
}

# bats test_tags=measures
@test "reading from a disk is the target's wait for it" {
    "$METER" --accounting cgroup2 --output "$RECORD" -- true 2>/dev/null || skip "no cgroup v2 can be made here"
    head -c 32M /dev/zero >data
    dd if=data of=/dev/null iflag=direct bs=64k count=1 2>/dev/null || skip "no direct reading here"
    in_tries 3 waited_for_disk
}

@test "in a run shorter than a tick of the kernel's, stalls that it cannot count are unknown, not 0" {
    "$METER" --output "$RECORD" -- "$FAMILY" spin 0
    holds '.wall_s >= 0.01 or (.stalls | .cpu_s >= 0 and (.io_s == null or .io_s > 0) and (.memory_s == null or .memory_s > 0))' <"$RECORD"
}

# bats test_tags=slow
@test "what the target's process waits for before it is the target is not its wait" {
    local i
    keep_busy "$first" 3
    for i in {1..10}; do
        taskset -c "$first" "$METER" --output - -- "$FAMILY" spin 0
    done >records
    # The time from its exec on has some work of its own.
    holds 'all(.[]; .wall_s - .stalls.cpu_s > 0.0001)' < <(jq -s . records)
}

# beyond_own: how much longer the run took than its target saw itself run, in seconds; the
# target is meter-until, and has left its end in the file `end`, with bytes of 0 behind it, which gojq takes for a part of it.
beyond_own() {
    command jq --rawfile own end '(.start[17:29] | tonumber) as $start | ($own | tonumber) as $stop
        | .wall_s - ($stop - 60 * ($stop / 60 | floor) - $start) | if . > 30 then . - 60 else . end' "$RECORD"
}

# little_beyond CPU: 0 when nine of ten runs there took only as long as their target saw, and what it
# does itself from its last look at the clock to its end. With meter's own wait it is 7 ms, on the same
# CPU, and 14 ms on another.
little_beyond() {
    local i
    for i in {1..30}; do
        taskset -c "$first" "$METER" --cpus "$1" --output "$RECORD" -- "$BATS_FILE_TMPDIR/until" 0.005 end || break
        beyond_own || break
    done | sort -g >beyond
    # What is not there is less than any number.
    holds 'length == 30 and .[0] > 0 and .[26] < 0.003' < <(jq -s . beyond)
}

# bats test_tags=measures
@test "meter's own wait for a CPU is not in the wall time, wherever the target runs" {
    keep_busy "$first" 4
    in_tries 6 little_beyond "$first" # others may hold up the target at its very end
    in_tries 6 little_beyond "$last"
}

@test "where meter was preempted before it slept, its own wait is not taken for the time after the end" {
    local source=$BATS_TEST_DIRNAME/..
    local -a options
    build_options
    cc -std=gnu17 -D_GNU_SOURCE "${options[@]}" -I"$source" -o ending "$BATS_TEST_DIRNAME/fixtures/meter-ending.c" \
        "$JOSTLE_BUILD/lib/meter.a" "$JOSTLE_BUILD/libcommon.a" -lm
    ./ending
}

# bats test_tags=slow
@test "meter's own wait is taken from no time in which the target worked" {
    local i
    keep_busy "$first" 3
    for i in {1..15}; do
        taskset -c "$first" "$METER" --output - -- "$FAMILY" spin 0.003
    done >records
    # The target's process has some CPU time before its start, too: that of a fork.
    holds 'all(.[]; .wall_s > 0.003 - 0.0005 and .wall_s > .stalls.run_s + .stalls.run_delay_s - 0.002)' < <(jq -s . records)
}

# two_stops_recorded: 0 when a target's two stops, of 0.4 s and of 0.2 s, are in the record, and not the
# 0.3 s between them. Each counts from when meter is told, which is not at once on a busy machine.
two_stops_recorded() {
    local meter
    rm -f pid over
    "$METER" --output "$RECORD" -- sh -c 'echo $$ >pid; until [ -e over ]; do sleep 0.02; done' 3>&- &
    meter=$!
    eventually 30 test -s pid && stop_and_continue STOP "$(<pid)" 0.4 && sleep 0.3 && stop_and_continue STOP "$(<pid)" 0.2
    touch over
    wait "$meter" &&
        holds '.stops == 2 and .stopped_s > 0.5 and .stopped_s < .wall_s - 0.25 and .exit_code == 0' <"$RECORD"
}

# stop_and_continue SIGNAL TARGET SECONDS: to a process, or to a group where it is negative.
stop_and_continue() {
    kill "-$1" -- "$2"
    sleep "$3"
    kill -CONT -- "$2"
}

@test "time for which the target is stopped is recorded" {
    "$METER" --output "$RECORD" -- sleep 0.1
    holds '.stopped_s == 0 and .stops == 0' <"$RECORD"
    in_tries 3 two_stops_recorded
}

@test "a target that is stopped when its time is over has been stopped until then" {
    "$METER" --timeout 2 --output "$RECORD" -- sh -c 'kill -STOP $$; exec sleep 60'
    holds '.timed_out and .stops == 1 and .stopped_s > 0.1 and .stopped_s <= .wall_s' <"$RECORD"
}

# group_stop_recorded SIGNAL EXPECTED: 0 when a stop of 0.4 s of the target's whole group is in the record, as
# the jq expression has it.
group_stop_recorded() {
    local session
    rm -f pid over
    # Job control gives each job a group of its own, as at a terminal.
    bash -c 'set -m; "$@" & until wait $!; do sleep 0.05; done' bash "$METER" --output "$RECORD" -- sh -c 'echo $$ >pid; until [ -e over ]; do sleep 0.02; done' 3>&- &
    session=$!
    eventually 30 test -s pid && stop_and_continue "$1" "-$(ps -o pgid= -p "$(<pid)" | tr -d ' ')" 0.4
    touch over
    wait "$session" && holds ".stops == 1 and .exit_code == 0 and ($2)" <"$RECORD"
}

# bats test_tags=slow
@test "Ctrl-Z stops the target and not meter, which sees for how long; after SIGSTOP of both that is unknown" {
    in_tries 3 group_stop_recorded TSTP '.stopped_s > 0.3 and .stopped_s < .wall_s'
    in_tries 3 group_stop_recorded STOP '.stopped_s == null'
}

# stopped PID: it is.
stopped() {
    grep -q '^State:[[:space:]]*T' "/proc/$1/status"
}

@test "a target that ends while meter is stopped was stopped for an unknown time, not for none" {
    local meter
    "$METER" --output "$RECORD" -- sh -c 'echo $$ $PPID >pids; exec sleep 60' 3>&- &
    eventually 30 test -s pids
    read -r target meter <pids
    kill -STOP "$meter"
    eventually 30 stopped "$meter"
    kill -KILL "$target"
    eventually 30 gone "$target"
    kill -CONT "$meter"
    wait $!
    holds '.signal == 9 and .stopped_s == null' <"$RECORD"
}

@test "a run whose end was noted late, as meter was stopped, is flagged" {
    # shellcheck disable=SC2016 # for the target
    printf '#!/bin/bash\n[[ -e done ]] || { echo $PPID >>meter && touch done; exec sleep 1; }\n' >target
    chmod +x target
    "$JOSTLE" run --quiet --output out --runs 3 -- ./target 3>&- &
    eventually 30 test -s meter
    kill -STOP "$(<meter)"
    eventually 30 stopped "$(<meter)"
    sleep 2
    kill -CONT "$(<meter)"
    wait "$!"
    holds -s 'map(.flags | index("stopped") != null) == [true, false, false]' <out/runs.jsonl
    holds '.warnings | any(.flag == "stopped" and .severity == "problem" and .runs == [1])' <out/result.json
}

@test "a target that the terminal stops is ended, and says so" {
    command -v script >/dev/null || skip "there is no script"
    cat >session <<END
set -m
'$METER' --output '$RECORD' -- sh -c 'read line </dev/tty' &
wait \$!
END
    timeout 100 script -qec 'bash session' /dev/null </dev/null >/dev/null
    holds '.start_error == "reads the terminal" and .stops == 1 and .signal == 15 and .wall_s < 5' <"$RECORD"
}
