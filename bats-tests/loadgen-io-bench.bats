#!/usr/bin/env bats
# bats file_tags=measures
# loadgen io as a benchmark: what its summary says for tables, Bonnie's phases, small blocks.
# shellcheck disable=SC2016 # jq programs

load helpers
load loadgen-io
bats_require_minimum_version 1.5.0

setup() {
    disk_setup
    export WORKFILE_SIZE=8M
}

teardown() {
    disk_teardown
}

# summary OPTION...: the last line of a short load.
summary() {
    "$BIN/loadgen" io --json --duration 50ms "$@" | tail -n 1
}

# phases OPTION...: all its lines.
phases() {
    "$BIN/loadgen" io --phases --json --file-size 2M --char-size 2k --seeks 300 "$@"
}

@test "the summary has what a table of disks shows, in base units" {
    summary --random --read --block-size 4k --threads 2 |
        holds '(.bytes_per_s / .iops - 4096 | fabs) < 1 and (.iops / .achieved - 1 | fabs) < 1e-6 and .threads == 2
            and (.cpu_percent / (100 * .cpu_s / .elapsed_s) - 1 | fabs) < 0.01
            and .reached_ratio > 0.9 and .allocated_ratio == 1'
}

@test "blocks below the logical block go through the page cache, or are refused" {
    summary --read --cached --block-size 1000 | holds '.block_bytes == 1000 and .bytes_per_s > 0 and .reached_ratio < 0.1'
    summary --sync none --block-size 100 | holds '.bytes_per_s > 0'
    run -2 "$BIN/loadgen" io --read --block-size 1000 --duration 50ms
    [[ $output == *'multiple of the logical block'*'--cached'* ]]
}

@test "random workers share a file of few blocks, sequential ones need a block each" {
    summary --random --read --block-size 4M --threads 3 | holds '.bytes_per_s > 0'
    run -2 "$BIN/loadgen" io --read --block-size 4M --threads 3 --duration 50ms
    [[ $output == *'for each of 3 workers'* ]]
}

@test "a sparse file is found out" {
    summary --random --read --sparse |
        holds '.reached_ratio < 0.1 and .allocated_ratio < 0.1 and (.warning | test("sparse"))'
    run -2 "$BIN/loadgen" io --sparse --keep --duration 50ms
}

@test "the phases of Bonnie, in its order; reads come from the disk" {
    phases >"$BATS_TEST_TMPDIR/out"
    [[ $(jq -r 'select(.event == "phase") | "\(.phase) \(.operations)"' "$BATS_TEST_TMPDIR/out" | paste -sd,) == 'char write 2048,block write 256,rewrite 256,char read 2048,block read 256,seeks 300' ]]
    tail -n 1 "$BATS_TEST_TMPDIR/out" |
        holds '[.block_write_reached_ratio, .rewrite_reached_ratio, .block_read_reached_ratio] | min > 0.95'
    tail -n 1 "$BATS_TEST_TMPDIR/out" |
        holds '.block_bytes == 8192 and .threads == 5 and ([.char_write_cpu_percent, .seeks_cpu_percent, .seeks_per_s,
            .char_read_bytes_per_s, .rewrite_bytes_per_s] | min > 0)'
    [[ -z $(ls -A "$DISK") ]]
}

@test "the phases in the page cache are told apart, and direct ones have no characters" {
    phases --cached | tail -n 1 | holds '.cached and .block_read_reached_ratio < 0.5 and .block_write_reached_ratio > 0.95'
    phases --sync direct | tail -n 1 |
        holds '.direct and .char_write_bytes_per_s == null and .block_read_reached_ratio > 0.95 and .seeks_per_s > 0'
}

@test "no more characters are read than the file has" {
    # Two blocks, and a half that no phase writes.
    "$BIN/loadgen" io --phases --json --file-size 20KiB --seeks 5 | tail -n 1 | holds '.char_bytes == 16384 and .file_bytes == 20480'
}

@test "the phases refuse what has no meaning for them" {
    run -2 "$BIN/loadgen" io --phases --read
    [[ $output == *'--phases and --read: give one of them' ]]
    run -2 "$BIN/loadgen" io --phases --sync dsync
    run -2 "$BIN/loadgen" io --phases --cached --sync direct
    run -2 "$BIN/loadgen" io --seeks 5 --duration 1
    run -2 "$BIN/loadgen" io --phases --sync direct --block-size 1000
    [[ $output == *'multiple of the logical block'* ]]
}
