#!/usr/bin/env bats
# loadgen io --calib, jostle calib, and percentages of what they measured.
# shellcheck disable=SC2016 # jq programs

load helpers
load loadgen
load loadgen-io
bats_require_minimum_version 1.5.0

setup() {
    disk_setup
    KEPT=$XDG_CACHE_HOME/jostle/calibration
}

teardown() {
    [[ -z ${LOAD_PID:-} ]] || kill -KILL "$LOAD_PID" 2>/dev/null || true
    disk_teardown
}

# measure FOLDER OPTION...: a calibration, kept below the folder. A disk that others hold up for long has none.
measure() {
    XDG_CACHE_HOME=$1 "$BIN/loadgen" io "${@:2}" --calib 0.5 2>/dev/null | grep -q '^kept as '
}

# make_entry RATE [JQ [OPTION...]]: keeps a calibration of loadgen io with OPTIONs,
# changed by JQ. What it is of, and where it is kept, is loadgen's own. Measured once for all tests.
make_entry() {
    local rate=$1 change=${2:-.} measured
    shift $(($# < 2 ? $# : 2))
    measured=$BATS_FILE_TMPDIR/measured$*
    [[ -d $measured ]] || in_tries 3 measure "$measured" "$@"
    measured=$(echo "$measured"/jostle/calibration/*)
    ENTRY=$KEPT/${measured##*/}
    mkdir -p "$KEPT"
    jq -c --argjson rate "$rate" --arg now "$(date -u +%Y-%m-%dT%H:%M:%SZ)" '.created = $now | .rate = $rate | '"$change" <"$measured" >"$BATS_TEST_TMPDIR/changed"
    cp "$BATS_TEST_TMPDIR/changed" "$ENTRY"
}

# ready OPTION...: the first event of a short load with warnings left out.
ready() {
    "$BIN/loadgen" io --json --duration 0.2 "$@" 2>&1 | grep '"event":"ready"'
}

# is_one_calibration OPTIONS: a disk that others hold up for a second has no rate.
is_one_calibration() {
    local options=$1
    # shellcheck disable=SC2086 # words
    run --separate-stderr "$BIN/loadgen" io $options --calib 0.5 --json
    [[ $status -eq 0 && ${#lines[@]} -eq 1 ]] &&
        holds '.schema == "jostle.calibration/1" and .host != "" and .ready.device != "" and .ready.file_system != ""
            and .ready.sync == "dsync" and .seconds == 0.5 and (.created | fromdate) > 1.5e9 and (.options | startswith($options))
            and .rate > 0 and .ready.block_bytes >= 512 and .minimum <= .rate * 1.01 and .maximum >= .rate * 0.99
            and .summary.device_ratio > 0.95 and (.steady | type) == "boolean" and (.slope_percent_per_s | type) == "number"
            and .spread_percent >= 0 and .threads == 1' --arg options "$options" <<<"${lines[0]}"
}

# bats test_tags=measures
@test "a calibration is one line of JSON with its rate, checked against the device" {
    local options
    for options in '--sequential --write' '--random --write' '--sequential --read' '--random --read'; do
        in_tries 3 is_one_calibration "$options"
    done
    [[ -z $(ls -A "$DISK") ]]
}

@test "a calibration follows its schema" {
    command -v jsonschema >/dev/null || skip 'python3-jsonschema is not installed'
    "$BIN/loadgen" io --calib 0.5 --json 2>/dev/null >"$BATS_TEST_TMPDIR/record"
    is_valid calibration "$BATS_TEST_TMPDIR/record"
}

@test "for people, a calibration is a line, and where it is kept" {
    run -0 --separate-stderr "$BIN/loadgen" io --calib 0.5
    [[ ${lines[0]} == 'io: takes 64.0 MiB of '* && ${lines[1]} == 'io --sequential --write --block-size 1MiB '*' on '*spread*slope* ]]
    [[ $output == *"kept as $KEPT/"* ]]
}

# bats test_tags=slow
@test "jostle calib keeps what it measured, and --limit 50% is half of that" {
    run -0 --separate-stderr "$JOSTLE" calib disk --seconds 0.5
    [[ $output == *'--sequential --write --block-size 1MiB '*'--random --write'*'--sequential --read'*'--random --read'* ]]
    local -a kept=("$KEPT"/*.io.*.json)
    [[ ${#kept[@]} -eq 4 && -z $(ls -A "$DISK") ]]
    local file rate
    file=$(ls "$KEPT"/"$(uname -n | tr -c 'A-Za-z0-9_\n-' _)".io.sequential_write_block-size_1MiB_*.json)
    rate=$(jq .rate "$file")
    ready --limit 50% | holds '(.rate / $rate - 0.5 | fabs) < 1e-6 and .calibration == $file' \
        --argjson rate "$rate" --arg file "$file"
    run -0 "$JOSTLE" calib --list
    [[ $output == *"$(uname -n)"*disk*dsync* ]]
}

# bats test_tags=slow
@test "a work file that was kept before jostle calib is still there after it" {
    "$BIN/loadgen" io --keep --duration 0.1 2>/dev/null
    run -0 "$JOSTLE" calib disk --seconds 0.5
    [[ -e $DISK/jostle-workfile.$EUID ]]
}

# bats test_tags=slow
@test "each pattern and direction has its own hundred percent" {
    make_entry 40e6 .
    make_entry 400 . --random
    make_entry 80e6 . --read
    make_entry 800 . --random --read
    ready --limit 50% | holds '.rate == 20e6 and .calibration_age_s < 900'
    ready --random --limit 50% | holds '.rate == 200'
    ready --read --limit 25% | holds '.rate == 20e6'
    ready --random --read --limit 100% | holds '.rate == 800'
}

@test "a load at a percentage reports its calibration and how old that is" {
    make_entry 40e6
    run -0 "$BIN/loadgen" io --limit 50% --duration 0.2
    [[ $output =~ '100% is 40.0 MB/s, calibrated '[0-9]+' s ago ('$ENTRY ]]
}

@test "without a calibration, a percentage is refused with the command that makes one" {
    run -2 "$BIN/loadgen" io --limit 50% --duration 1
    [[ $output == *"make one: jostle calib disk --with '--sequential --write "*"--threads 1'" ]]
    run -2 "$BIN/loadgen" io --random --block-size 4k --limit 50% --duration 1
    [[ $output == *"jostle calib disk --with '--random --write --block-size 4KiB "* ]]
}

@test "--if-missing measures once, and then uses what is kept" {
    run -0 --separate-stderr "$BIN/loadgen" io --limit 50% --control --calib --if-missing 0.5
    # shellcheck disable=SC2154 # bats sets stderr
    [[ -z $output && $stderr == *'calibrating for 0.5 s what its percentage is of: io --sequential '* ]]
    ready --limit 50% | holds '.rate > 0'
    run -0 --separate-stderr "$BIN/loadgen" io --limit 25% --calib --if-missing 0.5
    # The load itself says what its percentage is of.
    [[ -z $output && -z $stderr ]]
    [[ $(find "$KEPT" -type f | wc -l) -eq 1 ]]
    run -0 --separate-stderr "$BIN/loadgen" io --limit 1M --random --calib --if-missing 0.5
    [[ -z $output ]]
    run -0 "$BIN/loadgen" cpu --percent 50 --calib --if-missing
    [[ $(find "$KEPT" -type f | wc -l) -eq 1 ]]
    run -2 "$BIN/loadgen" cpu --calib
    [[ $output == *'no rate that needs it'* ]]
}

# bats test_tags=slow
@test "a calibration of another host, disk, sync, block size or kind of pages is not used" {
    make_entry 40e6
    local change
    for change in '.host = "elsewhere"' '.subject = "other (ext4)"' '.subject |= sub(", buffers in .*"; "")' '.options |= sub("dsync"; "direct")' \
        '.options |= sub("1MiB"; "4KiB")' '.schema = "jostle.run/1"' 'del(.rate)' '.load = "mem"' \
        '.created = "long ago"' '"nonsense"'; do
        jq -c "$change" <"$BATS_TEST_TMPDIR/changed" >"$ENTRY"
        run -2 "$BIN/loadgen" io --limit 50% --duration 0.2
        [[ $output == *"make one: jostle calib disk "* ]]
    done
    cp "$BATS_TEST_TMPDIR/changed" "$ENTRY"
    for change in '--sync direct' '--block-size 4k' --random '--depth 2' --huge; do
        # shellcheck disable=SC2086 # words
        run -2 "$BIN/loadgen" io $change --limit 50% --duration 0.2
    done
    ready --limit 50% | holds '.rate == 20e6'
}

@test "an old calibration is warned of, and a new one takes its place" {
    make_entry 10e6 '.created = "2020-01-01T00:00:00Z"'
    run -0 "$BIN/loadgen" io --limit 50% --duration 0.2
    [[ $output == *"days old"*"make a new one: jostle calib disk "* ]]
    make_entry 40e6
    ready --limit 50% | holds '.rate == 20e6'
    [[ $(find "$KEPT" -type f | wc -l) -eq 1 ]]
}

@test "a named calibration is used, and refused when it does not fit" {
    make_entry 30e6
    mv "$ENTRY" "$BATS_TEST_TMPDIR/mine.json"
    ready --limit 50% --calibration "$BATS_TEST_TMPDIR/mine.json" | holds '.rate == 15e6'
    run -2 "$BIN/loadgen" io --limit 50% --sync data --calibration "$BATS_TEST_TMPDIR/mine.json" --duration 1
    [[ $output == *"is not for io --sequential --write"*"--sync data"* ]]
    run -2 "$BIN/loadgen" io --limit 50% --calibration "$BATS_TEST_TMPDIR/none.json" --duration 1
    [[ $output == *"No such file"* ]]
}

@test "a percentage is refused where nothing was calibrated, and when it is absurd" {
    make_entry 40e6
    run -2 "$BIN/loadgen" io --mix 50 --limit 50% --duration 1
    [[ $output == *"--mix"* ]]
    run -2 "$BIN/loadgen" io --read --cached --limit 50% --duration 1
    run -2 "$BIN/loadgen" io --limit 0% --duration 1
    run -2 "$BIN/loadgen" io --limit 1e9% --duration 1
    [[ $output == *'too much to be meant'* ]]
}

@test "a rate line takes a percentage too" {
    make_entry 40e6
    load_start io --limit 1M
    load_expect ready
    load_resume
    load_say 'rate 50%'
    load_keeps 1 1048576 10
    load_holds '(.offered / 20e6 - 1 | fabs) < 0.05'
    load_end
}

# bats test_tags=slow
@test "jostle calib has a help, and refuses what it does not know" {
    run -0 "$JOSTLE" calib --help
    [[ $output == *--seconds* && $output == *"--limit 50%"* ]]
    run -2 "$JOSTLE" calib --secnds 5
    [[ $output == *"did you mean --seconds"* ]]
    run -2 "$JOSTLE" calib extra
    run -2 "$JOSTLE" calib --seconds 0
    run -2 "$JOSTLE" calib --dir "$DISK/none"
    [[ -z $(find "$XDG_CACHE_HOME" -type f 2>/dev/null) ]]
}

@test "the steady state is judged by the slope, as fio does" {
    cat >"$BATS_TEST_TMPDIR/slope.c" <<'END'
#include "measure.c"
int main(void)
{
    static struct measured s;
    const double rising[] = {100, 101, 102, 103, 104, 105, 106, 107, 108, 109};
    const double steep[] = {100, 102, 104, 106, 108, 110, 112, 114, 116, 118};
    const double noisy[] = {90, 110, 110, 90, 90, 110, 110, 90};
    const double falling[] = {4, 2, 0};
    const struct { const double *values; size_t count; } all[] = {
        {rising, 10}, {steep, 10}, {noisy, 8}, {falling, 3}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        memset(&s, 0, sizeof s);
        memcpy(s.rates, all[i].values, all[i].count * sizeof(double));
        judge(&s, all[i].count, 1);
        printf("%.4f %.4f %.4f %d\n", s.mean, s.sd, s.slope, s.steady);
    }
    return 0;
}
END
    # Without what runs a load, which needs all of the frame.
    cc -std=gnu17 -D_GNU_SOURCE -I"$ROOT/loadgen" -I"$ROOT" -ffunction-sections -Wl,--gc-sections \
        -o "$BATS_TEST_TMPDIR/slope" "$BATS_TEST_TMPDIR/slope.c" -lm
    run -0 "$BATS_TEST_TMPDIR/slope"
    # by hand: sd of 1..10 is 3.0277; a slope of 1 on a mean of 104.5 is 0.9569 %
    [[ ${lines[0]} == '104.5000 3.0277 0.9569 1' ]]
    [[ ${lines[1]} == '109.0000 6.0553 1.8349 0' ]]
    [[ ${lines[2]} == '100.0000 10.6904 0.0000 1' ]]
    [[ ${lines[3]} == '2.0000 2.0000 -100.0000 0' ]]
}
