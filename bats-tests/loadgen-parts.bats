#!/usr/bin/env bats
# The parts of loadgen that compute without a clock, compiled with a small
# driver that checks them against known values.

load helpers

setup_file() {
    local source=$BATS_TEST_DIRNAME/../loadgen
    "${CC:-cc}" -std=gnu17 -D_GNU_SOURCE -I"$source" -I"$source/.." -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all \
        -o "$BATS_FILE_TMPDIR/parts" "$BATS_TEST_DIRNAME/fixtures/loadgen-parts.c" \
        "$source"/{commands,histogram,demand,cpu/profile,core/pages,mem/edge}.c "$BIN/../libcommon.a" -luv -lhwloc -ljansson -lm
}

check() {
    "$BATS_FILE_TMPDIR/parts" "$1"
}

@test "the histogram's quantiles are within 1 % over nine decades, merged or as a difference" {
    check histogram
}

@test "the pacer neither drifts nor divides a small rate to zero, and drops only past its debt" {
    check pacer
}

@test "a rate that changes all the time asks for its integral, and each operation has its time" {
    check changing
}

@test "a schedule asks for the area below its line, again and again, and its inverse agrees" {
    check stages
}

@test "profiles are read in each of their forms, and a broken one is refused" {
    check profiles
}

@test "a profile's demand and its inverse agree over several rounds" {
    check track
}

@test "the caches end where latency stops rising" {
    check plateau
}

@test "pages are hugetlb only where all are, and their share is of all memory" {
    check pages
}

@test "a control line that is too long is left out whole, however its bytes come" {
    check lines
}

@test "a control line is a command with nothing before or behind it, and has no NUL" {
    check commands
}
