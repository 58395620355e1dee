#!/usr/bin/env bats
# Long use, for moments: make soak has hours of it.

load helpers
load loadgen
load long-use

# bats test_tags=slow
@test "resumed and paused again and again, a load keeps its memory, descriptors, threads and processes" {
    long_keeps_sizes 5
}

@test "many marks on one load: each as fast as the first, all valid, in the memory of the first" {
    long_answers_marks 300
}

@test "planning takes time by the cell, not by the square of their number" {
    local few
    long_campaign 100 "$BATS_TEST_TMPDIR/few"
    long_campaign 800 "$BATS_TEST_TMPDIR/many"
    by_the_cell() {
        cpu_ms "$JOSTLE" plan "$BATS_TEST_TMPDIR/few" && few=$REPLY && cpu_ms "$JOSTLE" plan "$BATS_TEST_TMPDIR/many" &&
            ((REPLY < 16 * few)) # by the square 64 times
    }
    in_tries 3 by_the_cell
}
