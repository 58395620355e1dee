#!/usr/bin/env bats
# What the programs write against the JSON Schemas in results/schema, by a
# validator that is not ours.

load helpers

setup_file() {
    cd "$BATS_FILE_TMPDIR" || return
    "$ROOT/harness/jostle" slowdown --quiet --output out --warmup 1 --max-runs 3 \
        --load 'low=cpu --percent 10' --load 'other=exec: sleep 100' --load 'seldom=fork --limit 0.1' --settle 100ms -- sleep 0.05
}

# valid_lines KIND FILE: as is_valid, for every line of FILE.
valid_lines() {
    split -l 1 "$2" "$BATS_TEST_TMPDIR/line."
    is_valid "$1" "$BATS_TEST_TMPDIR"/line.*
}

@test "every line of runs.jsonl is a jostle.run/1" {
    valid_lines run "$BATS_FILE_TMPDIR/out/runs.jsonl"
}

@test "experiment.json is a jostle.experiment/1" {
    is_valid experiment "$BATS_FILE_TMPDIR/out/experiment.json"
}

@test "result.json is a jostle.result/1" {
    is_valid result "$BATS_FILE_TMPDIR/out/result.json"
}

@test "meter's own line is a jostle.meter/1" {
    "$BIN/meter" --output "$BATS_TEST_TMPDIR/meter.json" -- true
    is_valid meter "$BATS_TEST_TMPDIR/meter.json"
}

@test "the schemas refuse a record that lacks a field or has a wrong one" {
    local field
    head -n 1 "$BATS_FILE_TMPDIR/out/runs.jsonl" >"$BATS_TEST_TMPDIR/run.json"
    for field in wall_s condition exit_code pressure load accounting; do
        jq "del(.$field)" "$BATS_TEST_TMPDIR/run.json" >"$BATS_TEST_TMPDIR/broken.json"
        run ! is_valid run "$BATS_TEST_TMPDIR/broken.json"
    done
    jq '.wall_s = "1"' "$BATS_TEST_TMPDIR/run.json" >"$BATS_TEST_TMPDIR/broken.json"
    run ! is_valid run "$BATS_TEST_TMPDIR/broken.json"
    jq 'del(.conditions[0].wall_s.ci)' "$BATS_FILE_TMPDIR/out/result.json" >"$BATS_TEST_TMPDIR/broken.json"
    run ! is_valid result "$BATS_TEST_TMPDIR/broken.json"
}

@test "the name of a record stands in the programs once, and has a schema" {
    local file name
    local names
    names=$(<"$ROOT/common/schemas.h")
    run ! grep -rnE --include='*.[ch]' --exclude=schemas.h '^[^/*]*"jostle\.[a-z-]+/[0-9]+"' "$ROOT/common" "$ROOT/harness" "$ROOT/loadgen"
    for file in "$ROOT"/results/schema/*.json; do
        name=${file##*/}
        [[ $names == *"\"${name%.schema.json}/1\""* ]]
    done
}
