#!/usr/bin/env bats
# jostle calib: every load's calibration, one table.

load helpers
load loadgen-io

setup() {
    disk_setup
    KEPT=$XDG_CACHE_HOME/jostle/calibration
}

teardown() {
    disk_teardown
}

# loads_here: the loads of jostle calib that this build has.
loads_here() {
    "$BIN/loadgen" --calibrations | awk '{ print $1 }' | sed 's/^io$/disk/' | sort -u
}

# bats test_tags=slow
@test "all loads are measured and kept, and make one table" {
    # What loads fill before they are measured is a part of memory and some of the cache: half a minute's worth here.
    made_up_group $((1 << 30))
    made_up_l3 $((16 << 20))
    run -0 --separate-stderr "$JOSTLE" calib --seconds 0.5
    [[ ${lines[0]} == load*what*rate*spread*steady*device ]]
    # One head, and the loads that loadgen has, each at least once.
    [[ $(grep -c '^load ' <<<"$output") -eq 1 ]]
    local known
    known=$(loads_here | paste -sd'|')
    diff <(loads_here) <(awk -v known="^($known) " '$0 ~ known { print $1 }' <<<"$output" | sort -u)
    [[ $known == *cache*disk*mem*net* ]]
    [[ $(grep -c '^disk ' <<<"$output") -eq 4 ]]
    local file
    local -i measured
    measured=$(grep -cE "^($known) " <<<"$output")
    # Each rate has a file of its own, whole and as the table says.
    for file in "$KEPT"/*; do
        holds '.schema == "jostle.calibration/1"' <"$file"
    done
    [[ $(find "$KEPT" -type f | wc -l) -eq $measured ]]
    run -0 "$JOSTLE" calib --list
    [[ $(grep -c "^20" <<<"$output") -ge $(loads_here | wc -l) && $output == *"$(uname -n)"* ]]
}

# bats test_tags=slow
@test "some of them, by name, by --only, and by what only the disk has" {
    run -0 --separate-stderr "$JOSTLE" calib disk --seconds 0.5
    [[ $(grep -cE '^(disk|mem|cache|alloc|net) ' <<<"$output") -eq 4 ]]
    run -0 --separate-stderr "$JOSTLE" calib --sync direct --seconds 0.5
    [[ $(grep -cE '^disk .*--write .*--sync direct' <<<"$output") -eq 2 && $(grep -cE '^disk ' <<<"$output") -eq 4 && $(grep -cE '^(mem|net) ' <<<"$output") -eq 0 ]]
    run -0 --separate-stderr "$JOSTLE" calib --only disk --seconds 0.5 --json
    [[ ${#lines[@]} -eq 4 ]]
    holds -s 'length == 4 and all(.load == "io" and .seconds == 0.5)' <<<"$output"
}

@test "a load may be measured with options of its own, and --limit N% then fits" {
    loads_here | grep -qx mem || skip 'no mem load in this build'
    run -0 --separate-stderr "$JOSTLE" calib mem --with '--kernel add --footprint 32M' --threads 1 --seconds 0.5 --json
    [[ ${#lines[@]} -eq 1 ]]
    holds '.load == "mem" and .ready.kernel == "add" and .threads == 1 and .rate > 1e8' <<<"${lines[0]}"
    local rate
    rate=$(jq .rate <<<"${lines[0]}")
    "$BIN/loadgen" mem --kernel add --footprint 32M --threads 1 --limit 50% --duration 0.2 --json 2>/dev/null |
        grep '"event":"ready"' | holds '(.rate / $rate - 0.5 | fabs) < 1e-6' --argjson rate "$rate"
}

# What these tests give in percent.
readonly PERCENT='mem --kernel read --threads 1 --footprint 8M --limit 50%'

# bats test_tags=slow
@test "a load in percent is calibrated before it is used, once, and a line says so" {
    loads_here | grep -qx mem || skip 'no mem load in this build'
    export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
    cd "$BATS_TEST_TMPDIR"
    run -0 "$JOSTLE" slowdown --output one --max-runs 2 --min-runs 2 --load-cpus 0 --load "m=$PERCENT" -- true
    [[ $(grep -c '^jostle: calibrating for 2 s what its percentage is of: mem --kernel read ' <<<"$output") -eq 1 ]]
    run -0 "$JOSTLE" slowdown --output two --max-runs 2 --min-runs 2 --load-cpus 0 --load "m=$PERCENT" -- true
    [[ $output != *calibrating* ]]
    # What cannot be calibrated says why, in a line of its own.
    run -2 "$JOSTLE" slowdown --output three --quiet --load "d=io --dir $PWD/none --limit 50%" -- true
    [[ $output == 'jostle: load d cannot be calibrated: cannot use '*'/none (No such file or directory): name a folder with --dir' && ! -e three ]]
}

# bats test_tags=slow
@test "a calibration of a busy machine says so whenever it is used" {
    loads_here | grep -qx mem || skip 'no mem load in this build'
    export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
    cd "$BATS_TEST_TMPDIR"
    local file
    # shellcheck disable=SC2086 # words
    "$BIN/loadgen" $PERCENT --calib --if-missing 0.5
    file=$(echo cache/jostle/calibration/*)
    holds '.foreign >= 0 and .foreign <= 1.1' <"$file"
    # shellcheck disable=SC2094 # it is written when it was read
    jq -c '.foreign = 0.21' <"$file" >new && mv new "$file"
    # shellcheck disable=SC2086 # words
    run -0 "$BIN/loadgen" $PERCENT --duration 0.1
    [[ $output == *'calibrated while other programs used 21 % of the CPUs'*'jostle calib mem --with '* ]]
    jq -c '.foreign = 0.01' <"$file" >new && mv new "$file"
    # shellcheck disable=SC2086 # words
    run -0 "$BIN/loadgen" $PERCENT --duration 0.1
    [[ $output != *'other programs'* ]]
}

# bats test_tags=slow
@test "wrong use is refused with what to do, and nothing is kept" {
    run -2 "$JOSTLE" calib disc
    [[ $output == *'did you mean disk?'*'give some of '*disk*mem* ]]
    run -2 "$JOSTLE" calib mem --dir "$DISK"
    [[ $output == *'--dir: it is about the disk'* ]]
    run -2 "$JOSTLE" calib --with '--kernel add'
    run -2 "$JOSTLE" calib disk --with "--dir 'x"
    [[ $output == *'a quote is not closed'* ]]
    run -2 "$JOSTLE" calib disk --with --no-such-option
    run -2 "$JOSTLE" calib --only disk,memory
    run -2 "$JOSTLE" calib --dir "$DISK/none"
    [[ ! -e $KEPT || -z $(ls -A "$KEPT") ]]
    run -0 "$JOSTLE" calib --list
    [[ $output == 'nothing is kept in '* ]]
    run -0 "$JOSTLE" calib --help
    [[ $output == *'--limit 50%'* && $output == *--only* ]]
}

@test "a list of what is kept waits for nothing, and one bad file does not hide the others" {
    "$JOSTLE" calib mem --with '--kernel add --footprint 1M' --seconds 0.5 >/dev/null
    mkfifo "$KEPT/pipe.json"
    ln -s /dev/zero "$KEPT/device.json"
    printf '{"schema": "jostle.cal' >"$KEPT/torn.json"
    run -0 --separate-stderr timeout 20 "$JOSTLE" calib --list
    [[ $(grep -c '^20' <<<"$output") -eq 1 ]]
    # shellcheck disable=SC2154 # set by bats
    [[ $stderr == *"$KEPT/pipe.json is left out: "* && $stderr == *"$KEPT/device.json is left out: "* ]]
}
