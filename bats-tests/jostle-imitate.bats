#!/usr/bin/env bats
# jostle imitate: a recording becomes specs of loads that exist, and the rules say what stands for what.

load helpers
load loadgen

setup() {
    bats_require_minimum_version 1.5.0
    cd "$BATS_TEST_TMPDIR" || return
    export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
}

teardown() {
    [[ -z ${RIVAL:-} ]] || kill -KILL "$RIVAL" 2>/dev/null || true
}

# made COLUMNS: FILE is a recording of two spans of these columns ("cpu":0.5,...).
made() {
    printf '%s\n' '{"schema":"jostle.profile/2","cores":2,"unit":"percent","unseen":[{"what":"network","why":"it is shared"}]}' \
        "{\"time_ms\":1000,\"load\":[0,0],$1}" "{\"time_ms\":2000,\"load\":[0,0],$1}" >recording
}

# best COLUMNS [OPTION...]: prints the first spec of such a recording.
best() {
    made "$1"
    "$JOSTLE" imitate "${@:2}" --specs recording | head -n 1
}

@test "the number of runnable threads decides, however much CPU time they got" {
    [[ $(best '"cpu":1.01,"cpu_wait":0.97,"runnable":1.98') == 'cpu --threads 2' ]]
    [[ $(best '"cpu":1,"cpu_wait":0,"runnable":1') == 'cpu --threads 1' ]]
    # Of a control group the kernel also counts the waits that no look has met.
    [[ $(best '"cpu":0.4,"cpu_wait":0,"runnable":0.4,"cpu_pressure":0.58') == 'cpu --threads 1' ]]
}

@test "who does not want a CPU all the time is open loop, with the recorded share" {
    [[ $(best '"cpu":0.3,"cpu_wait":0.01,"runnable":0.31') == 'cpu --threads 1 --percent 31' ]]
    [[ $(best '"cpu":1.5,"cpu_wait":0,"runnable":1.5') == 'cpu --threads 2 --percent 75' ]]
    run -0 "$JOSTLE" imitate recording
    [[ $output == *'open loop'*'unknown: cache footprint'*'not recorded: network (it is shared)'* ]]
    # A little more than one is one: a second thread would have as large a share of a shared CPU as the first.
    [[ $(best '"cpu":0.9,"cpu_wait":0.3,"runnable":1.2') == 'cpu --threads 1' ]]
}

@test "a disk that holds a thread up is closed loop, with blocks of the recorded size" {
    [[ $(best '"cpu":0.2,"runnable":0.2,"blocked":0.8,"write_bytes_per_s":3276800,"writes_per_s":100,"syncs_per_s":100') == 'io --threads 1 --sequential --sync data --block-size 32KiB' ]]
    [[ $(best '"cpu":0.2,"runnable":0.2,"blocked":2.1,"disk_read_bytes_per_s":8192000,"disk_reads_per_s":2000,"disk_write_bytes_per_s":0') == 'io --threads 2 --read --random --block-size 4KiB' ]]
    run -0 "$JOSTLE" imitate recording
    [[ $output == *'unknown: whether its disk accesses were random or sequential'* ]]
}

@test "who waits for nothing but a disk and a crowded CPU is closed loop, too" {
    [[ $(best '"cpu":0.04,"cpu_wait":0.7,"runnable":0.74,"blocked":0.25,"write_bytes_per_s":1638400,"syncs_per_s":200,"forks_per_s":1') == 'io --threads 1 --sequential --sync data --block-size 8KiB' ]]
}

@test "requests and answers are a ping-pong, in which one thread runs at a time" {
    [[ $(best '"cpu":0.98,"runnable":0.98,"voluntary_switches_per_s":30000,"reads_per_s":15000,"writes_per_s":15000') == 'net --ping' ]]
    [[ $(best '"cpu":0.3,"runnable":0.3,"voluntary_switches_per_s":4000,"sent_packets_per_s":2000,"received_packets_per_s":2000') == 'net --ping --limit 2000' ]]
}

@test "faults and processes are done in turn with computing, in as many threads, and memory is held" {
    made '"cpu":0.5,"cpu_wait":0.5,"runnable":1,"minor_faults_per_s":13000,"forks_per_s":16,"private_bytes":1073741824,"resident_bytes":1073741824'
    run -0 "$JOSTLE" imitate --specs recording
    [[ ${lines[0]} == 'mixed --threads 1 --faults 26000 --forks 32.0 + hog --threads 1 --size 1020MiB' ]]
    [[ ${lines[1]} == 'cpu --threads 1 + hog'* && ${lines[2]} == 'mem --threads 1 --footprint 512MiB' ]]
    # What they cannot do in turn is a part of its own.
    made '"cpu":0.3,"runnable":0.3,"minor_faults_per_s":3000,"write_bytes_per_s":2e6'
    run -0 "$JOSTLE" imitate --specs recording
    [[ ${lines[0]} == 'mixed --threads 1 --limit 600 --faults 10000' && ${lines[2]} == "${lines[0]} + io --write"* ]]
}

@test "every candidate is a load that loadgen can make" {
    local columns spec part rest
    for columns in '"cpu":0.9,"cpu_wait":1,"runnable":1.9,"minor_faults_per_s":9000,"forks_per_s":3,"resident_bytes":9e7,"private_bytes":3e8' \
        '"cpu":0.2,"blocked":0.9,"write_bytes_per_s":2e6,"writes_per_s":100,"syncs_per_s":50,"read_bytes_per_s":3e6' \
        '"cpu":0.5,"voluntary_switches_per_s":9000,"reads_per_s":9000' '"cpu":1,"cache_misses_per_s":5e7,"resident_bytes":1e8' \
        '"cpu":0.5,"voluntary_switches_per_s":9000,"read_bytes_per_s":9e6'; do
        made "$columns"
        while IFS= read -r spec; do
            rest="$spec + "
            while [[ -n $rest ]]; do
                part=${rest%% + *} rest=${rest#* + }
                # shellcheck disable=SC2086 # words
                WORKFILE_SIZE=16M run -0 "$BIN/loadgen" $part --duration 50ms
            done
        done < <("$JOSTLE" imitate --specs recording)
    done
}

@test "--times scales rates and shares" {
    [[ $(best '"cpu":1,"runnable":1' --times 0.5) == 'cpu --threads 1 --percent 50' ]]
    [[ $(best '"cpu":1,"runnable":1' --times 2) == 'cpu --threads 2' ]]
    best '"cpu":1,"runnable":1,"forks_per_s":16' --times 0.5
    # Half of the CPU time, in each second of which there is as much.
    [[ $("$JOSTLE" imitate --times 0.5 --specs recording | head -n 1) == 'mixed --threads 1 --limit 1000 --forks 16.0' ]]
}

@test "a recorded busy loop with two threads becomes a load with two" {
    # shellcheck disable=SC2016 # for the inner shell
    bash -c 'trap "kill $!" EXIT; while :; do :; done & echo $! >child; while :; do :; done' 3>&- &
    RIVAL=$!
    eventually 10 test -s child
    imitates_it() { [[ $("$JOSTLE" imitate --pid "$RIVAL" --duration 2s --specs --output kept | head -n 1) == *'cpu --threads 2' ]]; }
    in_tries 3 imitates_it
    kill -KILL "$(<child)"
    [[ $("$JOSTLE" imitate --specs kept | head -n 1) == 'cpu --threads 2' ]]
}

@test "an experiment takes a recording in place of a load, and records both" {
    made '"cpu":0.2,"runnable":0.2,"write_bytes_per_s":2e6'
    run -0 "$JOSTLE" slowdown --quiet --runs 2 --output out --load 'n=imitate recording --times 0.5' --load 'm=imitate recording --candidate 2' -- sleep 0.05
    holds '[.loads[1:][] | [.spec, .parts[].words[0:3]]] == [["imitate recording --times 0.5", ["cpu", "--threads", "1"]],
        ["imitate recording --candidate 2", ["cpu", "--threads", "1"], ["io", "--write", "--sequential"]]] and
        (.loads[1].parts[0].words | index("10")) != null and .loads[2].parts[1].name == "m.io" and
        (.loads[1].stands_for | startswith("cpu --threads 1 --percent 10"))' <out/experiment.json
    is_valid experiment out/experiment.json
    # It is not continued beside another load, of the same name.
    made '"cpu":0.5,"runnable":0.5,"write_bytes_per_s":2e6'
    run "$JOSTLE" slowdown --quiet --resume --runs 3 --output out --load 'n=imitate recording --times 0.5' --load 'm=imitate recording --candidate 2' -- sleep 0.05
    [[ $status -ne 0 && $output == *'what load n stands for'* ]]
    run -2 "$JOSTLE" slowdown --load 'n=imitate nothing' -- true
    [[ $output == *'nothing cannot be read: give a recording'* ]]
    run -2 "$JOSTLE" slowdown --load 'n=imitate' -- true
    [[ $output == *'imitate takes one recording'* ]]
}

@test "a recording of a machine is known to have CPU time alone" {
    printf '%s\n' '{"schema":"jostle.profile/1","cores":2,"unit":"fraction"}' '{"time_ms":1000,"load":[0.5,0.25]}' >recording
    run -0 "$JOSTLE" imitate recording
    [[ $output == *'cpu --threads 1 --percent 75'*'unknown: all but CPU time'* ]]
}

@test "what is no recording, is empty, or has nothing in it is refused with the reason" {
    local pid
    refused() {
        run -1 "$JOSTLE" imitate "$1"
        [[ $output == "jostle: "*"$2"* ]]
    }
    : >empty
    refused empty 'empty is empty: give a recording'
    refused . 'cannot be read'
    printf 'length: 5\n' >text
    refused text 'is not a recording: make one with loadgen record'
    made '"cpu":0'
    refused recording 'the neighbour did nothing in 2 s'
    head -n 1 recording >cut-off
    refused cut-off 'has no span of time'
    made '"cpu":0.5'
    # The last line of one that was cut off.
    printf '{"time_ms":3000,"lo' >>recording
    run -0 "$JOSTLE" imitate --specs recording
    true &
    pid=$!
    wait "$pid"
    run -1 "$JOSTLE" imitate --pid "$pid"
    [[ $output == *"process $pid does not run"* ]]
    run -2 "$JOSTLE" imitate recording --pid 1
    run -2 "$JOSTLE" imitate recording --times 0
}

# bats test_tags=slow
@test "--check measures each candidate beside the neighbour, and lets it run on" {
    bash -c 'while :; do :; done' 3>&- &
    RIVAL=$!
    run -2 "$JOSTLE" imitate --pid "$RIVAL" --check
    [[ $output == *'would stop and continue process'*'give --pause'* ]]
    run -2 "$JOSTLE" imitate --check --pause recording
    [[ $output == *'--check needs the neighbour itself'* ]]
    checks_it() {
        run -0 --separate-stderr "$JOSTLE" imitate --pid "$RIVAL" --duration 1s --check --pause --check-time 15s
        [[ $output == *'1  cpu --threads 1'*'gap'*'log ratio'*"Nearest: --load 'n="*"cpu --threads 1'"*'Expected error'* ]]
    }
    in_tries 3 checks_it
    [[ $(awk '/^State/ { print $2 }' "/proc/$RIVAL/status") != T ]]
}
