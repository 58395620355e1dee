#!/usr/bin/env bats
# loadgen's command line: help, and wrong use refused with a way out.

load helpers

loadgen() {
    "$BIN/loadgen" "$@"
}

# shellcheck disable=SC2154 # bats sets stderr and stderr_lines

# refused TEXT ARGUMENTS...: exit 2, one line that has TEXT, nothing on stdout.
refused() {
    local text=$1
    shift
    run --separate-stderr loadgen "$@"
    [ "$status" -eq 2 ]
    [ -z "$output" ]
    [ "${#stderr_lines[@]}" -eq 1 ]
    [[ $stderr == 'jostle: '*"$text"* ]]
}

setup() {
    bats_require_minimum_version 1.5.0
}

@test "help lists every load, and each load's help its options with their defaults" {
    local name all
    all=$(loadgen --help)
    for name in cpu io exec record; do
        [[ $all == *"  $name "* ]]
        run -0 loadgen "$name" --help
        [[ $output == *"Usage: loadgen $name"* ]]
    done
    run -0 loadgen cpu --help
    [[ $output == *--percent* && $output == *--profile* && $output == *"(default:"* ]]
}

@test "the version is told" {
    run -0 loadgen --version
    [[ $output =~ ^loadgen\ [0-9]+\.[0-9]+ ]]
}

@test "an unknown load or option is refused with the nearest one named" {
    refused 'did you mean cpu?' cpuu
    refused 'did you mean record?' rekord
    refused 'loadgen --help' zzzzzzzz
    refused 'did you mean --percent?' cpu --precent 5
    refused 'see loadgen cpu --help' cpu --zzzzzzzzzz
}

@test "a missing load, value, command or file is named" {
    refused 'no load'
    refused '--percent P' cpu --percent
    refused 'no command' exec
    refused 'no file' record
    refused 'one file only' record a b
}

@test "values out of range or that are none are refused with what would do" {
    refused '0 to 100' cpu --percent 101
    refused '0 to 100' cpu --percent -1
    refused 'a percentage' cpu --percent many
    refused 'a percentage' cpu --percent 5x
    refused 'a time' cpu --duration soon
    refused 'out of range' cpu --duration 0
    refused 'out of range' cpu --threads 0
    refused 'a whole number' cpu --threads 1.5
    refused 'out of range' cpu --period 1us
    refused 'int, float, double, mixed' cpu --kernel fpu
    refused 'out of range' cpu --nice 20
}

@test "options that do not go together are refused" {
    printf 'cores: 1\ntime: 100 ms\nload: 0.1\n' >"$BATS_TEST_TMPDIR/profile"
    refused 'give one of them' cpu --percent 5 --profile "$BATS_TEST_TMPDIR/profile"
    refused '--instances' cpu --threads 2 --profile "$BATS_TEST_TMPDIR/profile"
    refused 'give --stages too' cpu --speed 2
    refused 'give --profile too' cpu --instances 2
    refused 'an argument too many' cpu 50
    refused 'no such option' exec --limit 5 -- true
}

@test "a CPU that does not exist or is not allowed is refused with those that are" {
    refused 'not a list' cpu --cpus x
    refused 'is not allowed here' cpu --cpus 1000
    local first
    first=$(taskset -cp $$ | sed 's/.*: \([0-9]*\).*/\1/')
    run --separate-stderr taskset -c "$first" "$BIN/loadgen" cpu --cpus $((first + 1))
    [ "$status" -eq 2 ]
    [[ $stderr == *"choose from $first"* ]]
}

@test "a profile that is missing or broken is refused by name and line" {
    refused 'no such profile' cpu --profile nowhere
    printf 'cores: 2\ntime: 100 ms\nload: 0.1\n' >"$BATS_TEST_TMPDIR/profile"
    refused 'line 3: fewer loads than cores' cpu --profile "$BATS_TEST_TMPDIR/profile"
    refused 'Is a directory' cpu --profile "$BATS_TEST_TMPDIR"
}

# bats test_tags=slow
@test "every load describes its command line, as it is on the CPUs that it has, and starts nothing" {
    local load cpu
    local -A options=([lock]=--contended [exec]='-- touch ran')
    cpu=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
    cd "$BATS_TEST_TMPDIR" || return
    while read -r load; do
        [[ $load != neighbour && $load != record ]] || continue
        # shellcheck disable=SC2086 # several words
        "$BIN/loadgen" "$load" --describe ${options[$load]:-} >said
        holds --arg load "$load" '.load == $load and (.threads | type) == "number" and (.listens | type) == "boolean" and has("disk") and
            has("fills_memory") and has("memory_bytes") and has("percent") and (.cpus | length) > 0' <said
        [[ $load != lock && $load != switch ]] || continue # they need two CPUs, or say so
        # shellcheck disable=SC2086 # the same
        taskset -c "$cpu" "$BIN/loadgen" "$load" --describe ${options[$load]:-} >said
        holds --arg cpu "$cpu" '.cpus == $cpu' <said
    done < <("$BIN/loadgen" --list-options | sed -n 's/^command\t//p')
    [[ ! -e ran ]]
    taskset -c "$cpu" "$BIN/loadgen" cpu --describe | holds '.threads == 1 and .threads_to_give == 1'
    "$BIN/loadgen" cpu --threads 3 --describe | holds '.threads == 3 and .threads_to_give == null'
    "$BIN/loadgen" net --listen 127.0.0.1:1 --describe | holds '.listens and .threads_to_give == null'
    "$BIN/loadgen" exec --describe -- true | holds '.threads == 0 and .disk == null and .memory_bytes == null'
    "$BIN/loadgen" hog --size 8M --describe | holds '.fills_memory and .disk == false and .memory_bytes > 8e6'
    "$BIN/loadgen" meta --dir . --describe | holds '.disk'
    XDG_CACHE_HOME=$PWD "$BIN/loadgen" syscall --limit 30% --describe |
        holds '.percent == 30 and .calibrated == false and (.percent_of | contains("--threads")) and (.percent_on | contains("CPU"))'
    "$BIN/loadgen" syscall --limit 30 --describe | holds '.percent == null'
}

@test "the words of a load mean the same on any machine: whether it listens, its percentage, and options for who starts it by hand" {
    words() { "$BIN/loadgen" "$@" --only-words; }
    words fork --lim 50% | holds '. == {event: "words", load: "fork", by_hand: null, listens: false, percent: 50}'
    words net --liste 192.0.2.1:7 | holds '.listens and .percent == null'
    words mem --st 9s:5%,1s:7% | holds '.percent == 7'
    words cpu --stages 9s:5% | holds '.percent == null'
    words io --dir /no/such/folder --sh | holds '.by_hand == "show-device"'
    words cpu --du 3s | holds '.by_hand == "duration"'
    words mem --cpus 4000 --footprint 1000T | holds '.by_hand == null'
    "$BIN/loadgen" exec --only-words -- sh --duration 3 --limit 5% | holds '.by_hand == null and .percent == null'
    # What is refused here has said its words before.
    run -2 --separate-stderr "$BIN/loadgen" io --dir /no/such/folder --limit 5% --describe
    holds '.event == "words" and .percent == 5' <<<"$output"
    run -2 "$BIN/loadgen" cpu --describe --control
    [[ $output == *'jostle: --control and --describe: give one of them' ]]
}
