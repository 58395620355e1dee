#!/usr/bin/env bats
# bats file_tags=measures
# loadgen io --calib, jostle calib, and percentages of what they measured.
# shellcheck disable=SC2016 # jq programs

load helpers
bats_require_minimum_version 1.5.0

setup() {
    export WORKFILE_SIZE=64M XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
    KEPT=$XDG_CACHE_HOME/jostle/calibration
    DISK=$(mktemp -d "$BATS_TEST_TMPDIR/disk.XXXXXX")
    if [[ $("$BIN/loadgen" io --show-device --dir "$DISK" | jq .memory) == true ]]; then
        rmdir "$DISK"
        DISK=$(mktemp -d /var/tmp/jostle-test.XXXXXX)
    fi
    export TMPDIR=$DISK
}

teardown() {
    rm -rf -- "$DISK"
}

# make_entry [JQ]: keeps a calibration with round figures, changed by JQ.
make_entry() {
    mkdir -p "$KEPT"
    "$BIN/loadgen" io --show-device | jq -c --arg host "$(uname -n)" --arg now "$(date -u +%Y-%m-%dT%H:%M:%SZ)" '{
        schema: "jostle.calibration/1", load: "io", created: $now, host: $host, device, disks, file_system,
        sync: "dsync", file_bytes: 67108864, threads: 1, depth: 1,
        sequential_write: {block_bytes: 1048576, unit: "B/s", rate: 40000000},
        random_write: {block_bytes: 512, unit: "ops/s", rate: 400},
        sequential_read: {block_bytes: 1048576, unit: "B/s", rate: 80000000},
        random_read: {block_bytes: 512, unit: "ops/s", rate: 800}} | '"${1:-.}" >"$KEPT/${2:-entry}.io.json"
}

# ready OPTION...: the first event of a short load with warnings left out.
ready() {
    "$BIN/loadgen" io --json --duration 0.2 "$@" 2>&1 | grep '"event":"ready"'
}

@test "a calibration is one line of JSON with four rates, each checked against the device" {
    run -0 --separate-stderr "$BIN/loadgen" io --calib 1 --json
    [[ ${#lines[@]} -eq 1 ]]
    holds '.schema == "jostle.calibration/1" and .host != "" and .device != "" and .file_system != ""
        and .sync == "dsync" and .seconds == 1 and (.created | fromdate) > 1.5e9
        and all(.sequential_write, .random_write, .sequential_read, .random_read;
            .rate > 0 and .block_bytes >= 512 and .minimum <= .rate * 1.01 and .maximum >= .rate * 0.99
            and .device_ratio > 0.95 and (.steady | type) == "boolean" and (.slope_percent_per_s | type) == "number"
            and .spread_percent >= 0)' <<<"${lines[0]}"
    [[ -z $(ls -A "$DISK") ]]
}

@test "a calibration follows its schema" {
    command -v python3 >/dev/null && python3 -c 'import jsonschema' 2>/dev/null || skip 'python3-jsonschema is not installed'
    "$BIN/loadgen" io --calib 0.5 --json 2>/dev/null >"$BATS_TEST_TMPDIR/record"
    python3 - "$ROOT/results/schema/jostle.calibration.schema.json" "$BATS_TEST_TMPDIR/record" <<'PYTHON'
import json, jsonschema, sys
schema, record = (json.load(open(name)) for name in sys.argv[1:])
jsonschema.Draft7Validator(schema).validate(record)
PYTHON
}

@test "for people, a calibration is a table" {
    run -0 --separate-stderr "$BIN/loadgen" io --calib 0.5
    local row
    for row in 'sequential write' 'random write' 'sequential read' 'random read'; do
        [[ $output == *"$row"* ]]
    done
    [[ $output == *spread*slope* ]]
}

@test "jostle calib keeps what it measured, and --limit 50% is half of that" {
    run -0 --separate-stderr "$JOSTLE" calib disk --seconds 1
    local -a kept=("$KEPT"/*.io.json)
    [[ ${#kept[@]} -eq 1 && ${kept[0]} == */"$(uname -n | tr -c 'A-Za-z0-9_\n-' _)".*.dsync.1048576.*.io.json ]]
    [[ $output == *"kept as ${kept[0]}"* ]]
    [[ -z $(find "$KEPT" -name '.calib*') ]]
    local rate
    rate=$(jq .sequential_write.rate "${kept[0]}")
    ready --limit 50% | holds '(.rate / $rate - 0.5 | fabs) < 1e-6 and .calibration == $file' \
        --argjson rate "$rate" --arg file "${kept[0]}"
    run -0 "$JOSTLE" calib --list
    [[ $output == *"$(uname -n)"*dsync* ]]
}

@test "each pattern and direction has its own hundred percent" {
    make_entry
    ready --limit 50% | holds '.rate == 20e6 and .calibration_age_s < 120'
    ready --random --limit 50% | holds '.rate == 200'
    ready --read --limit 25% | holds '.rate == 20e6'
    ready --random --read --limit 100% | holds '.rate == 800'
}

@test "a load at a percentage reports its calibration and how old that is" {
    make_entry
    run -0 "$BIN/loadgen" io --limit 50% --duration 0.2
    [[ $output =~ '100% is 40.0 MB/s, calibrated '[0-9]+' s ago ('.*entry.io.json ]]
}

@test "without a calibration, a percentage is refused with the command that makes one" {
    run -2 "$BIN/loadgen" io --limit 50% --duration 1
    [[ $output == *"jostle calib --dir $DISK --sync dsync"* ]]
    run -2 "$BIN/loadgen" io --random --block-size 4k --limit 50% --duration 1
    [[ $output == *"--random --block-size 4096"* ]]
}

@test "a calibration of another host, file system, sync or block size is not used" {
    local change
    for change in '.host = "elsewhere"' '.file_system = "other"' '.device = "other"' '.sync = "direct"' \
        '.sequential_write.block_bytes = 4096' '.schema = "jostle.run/1"' 'del(.sequential_write)' \
        '.created = "long ago"' '"nonsense"'; do
        rm -rf "$KEPT"
        make_entry "$change"
        run -2 "$BIN/loadgen" io --limit 50% --duration 0.2
        [[ $output == *"jostle calib"* ]]
    done
}

@test "of several calibrations the newest is used, and an old one is warned of" {
    make_entry '.created = "2020-01-01T00:00:00Z" | .sequential_write.rate = 10e6' old
    run -0 "$BIN/loadgen" io --limit 50% --duration 0.2
    [[ $output == *"days old"*"jostle calib"* ]]
    make_entry . new
    ready --limit 50% | holds '.rate == 20e6'
}

@test "a named calibration is used, and refused when it does not fit" {
    make_entry '.sequential_write.rate = 30e6'
    mv "$KEPT/entry.io.json" "$BATS_TEST_TMPDIR/mine.json"
    ready --limit 50% --calibration "$BATS_TEST_TMPDIR/mine.json" | holds '.rate == 15e6'
    run -2 "$BIN/loadgen" io --limit 50% --sync data --calibration "$BATS_TEST_TMPDIR/mine.json" --duration 1
    [[ $output == *"is not for sequential_write"* ]]
    run -2 "$BIN/loadgen" io --limit 50% --calibration "$BATS_TEST_TMPDIR/none.json" --duration 1
    [[ $output == *"No such file"* ]]
}

@test "a percentage is refused where nothing was calibrated, and when it is absurd" {
    make_entry
    run -2 "$BIN/loadgen" io --mix 50 --limit 50% --duration 1
    [[ $output == *"--mix"* ]]
    run -2 "$BIN/loadgen" io --limit 0% --duration 1
    run -2 "$BIN/loadgen" io --limit 1e9% --duration 1
}

@test "a rate line takes a percentage too" {
    make_entry
    {
        sleep 0.2
        printf 'resume\nrate 50%%\n'
        sleep 1.2
        printf 'mark half\n'
        sleep 0.2
    } | "$BIN/loadgen" io --control --limit 1M 2>/dev/null | grep '"mark":"half"' |
        holds '.achieved > 15e6 and .achieved < 21e6'
}

@test "jostle calib has a help, and refuses what it does not know" {
    run -0 "$JOSTLE" calib --help
    [[ $output == *--seconds* && $output == *"--limit 50%"* ]]
    run -2 "$JOSTLE" calib --secnds 5
    [[ $output == *"did you mean --seconds"* ]]
    run -2 "$JOSTLE" calib extra
    run -2 "$JOSTLE" calib --seconds 0
    run -2 "$JOSTLE" calib --dir "$DISK/none"
    [[ -z $(find "$XDG_CACHE_HOME" -name '.calib*' 2>/dev/null) ]]
}

@test "the steady state is judged by the slope, as fio does" {
    cat >"$BATS_TEST_TMPDIR/slope.c" <<'END'
#include "steady.h"
#include <stdio.h>
int main(void)
{
    const double rising[] = {100, 101, 102, 103, 104, 105, 106, 107, 108, 109};
    const double steep[] = {100, 102, 104, 106, 108, 110, 112, 114, 116, 118};
    const double noisy[] = {90, 110, 110, 90, 90, 110, 110, 90};
    const double falling[] = {4, 2, 0};
    const struct { const double *values; size_t count; } all[] = {
        {rising, 10}, {steep, 10}, {noisy, 8}, {falling, 3}, {rising, 2}, {rising, 0}};
    for (size_t i = 0; i < 6; i++) {
        struct steady s = steady_of(all[i].values, all[i].count);
        printf("%.4f %.4f %.4f %d\n", s.mean, s.sd, s.slope, s.steady);
    }
    return 0;
}
END
    cc -std=gnu17 -I"$ROOT/loadgen" -o "$BATS_TEST_TMPDIR/slope" "$BATS_TEST_TMPDIR/slope.c" "$ROOT/loadgen/steady.c" -lm
    run -0 "$BATS_TEST_TMPDIR/slope"
    # by hand: sd of 1..10 is 3.0277; a slope of 1 on a mean of 104.5 is 0.9569 %
    [[ ${lines[0]} == '104.5000 3.0277 0.9569 1' ]]
    [[ ${lines[1]} == '109.0000 6.0553 1.8349 0' ]]
    [[ ${lines[2]} == '100.0000 10.6904 0.0000 1' ]]
    [[ ${lines[3]} == '2.0000 2.0000 -100.0000 0' ]]
    [[ ${lines[4]} == *' 0' ]]
    [[ ${lines[5]} == '0.0000 0.0000 0.0000 0' ]]
}
