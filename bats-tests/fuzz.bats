#!/usr/bin/env bats
# Every parser of what comes from outside, on inputs that were found by fuzzing (bats-tests/fuzz) and some
# hundred new ones made of them. Without clang: make fuzz looks for inputs, this gives them.

load helpers

setup_file() {
    make --no-print-directory -s -C "$ROOT" BUILD="$BUILD" fuzzers >&2
}

# Records are written there, and a disk would be waited for each time.
setup() {
    WORK=$(mktemp -d -p "$([[ -w /dev/shm ]] && echo /dev/shm || echo "$BATS_TEST_TMPDIR")")
}

teardown() {
    rm -rf "$WORK"
}

# replay TARGET MUTATIONS: gives a target its corpus, and new inputs made of that.
replay() {
    cd "$BATS_TEST_TMPDIR" || return
    # A sanitizer that finds something has to end by a signal, for the input to be kept.
    asan_option abort_on_error=1
    UBSAN_OPTIONS=${UBSAN_OPTIONS:+$UBSAN_OPTIONS:}abort_on_error=1 TMPDIR=$WORK \
        run -0 "$BUILD/fuzz/$1" --mutations "$2" "$BATS_TEST_DIRNAME/fuzz/corpus/$1"
    [[ $output == *' inputs' ]]
}

# replay_all MARK MUTATIONS: replay of each target whose source has MARK.
replay_all() {
    local target
    for target in "$BATS_TEST_DIRNAME"/fuzz/*.c; do
        grep -q "$1" "$target" || continue
        target=${target##*/}
        replay "${target%.c}" "$2"
    done
}

@test "every fuzzed parser has inputs, and every input a parser" {
    diff <(cd "$BATS_TEST_DIRNAME/fuzz" && printf '%s\n' *.c | sed 's/[.]c$//') <(ls "$BATS_TEST_DIRNAME/fuzz/corpus")
    local size
    size=$(du -sb "$BATS_TEST_DIRNAME/fuzz/corpus" | cut -f 1)
    [[ $size -lt 600000 ]]
}

@test "no parser of a text breaks its promises on any input" {
    replay_all FUZZ_BYTES 1000
}

# bats test_tags=slow
@test "no reader of a record breaks its promises on any input" {
    replay_all FUZZ_JSON_LINES 100
}
