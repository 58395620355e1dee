#!/usr/bin/env bats
# jostle import: recordings by other tools, and published traces, become profiles that can be played.

load helpers

setup() {
    bats_require_minimum_version 1.5.0
    cd "$BATS_TEST_TMPDIR" || return
    SAMPLES=$ROOT/bats-tests/fixtures/import
}

# imported SAMPLE FORMAT EXPRESSION: it is known by its beginning, every line is as the schema says, it can be played,
# and its lines make the jq expression true.
imported() {
    rm -f line.* profile
    "$JOSTLE" import "$SAMPLES/$1" --output profile
    split -l 1 profile line.
    is_valid profile line.*
    holds '.[0].of == {file: $file, format: $format}' -s --arg file "$1" --arg format "$2" <profile
    holds "$3" -s <profile
    "$BIN/loadgen" cpu --profile profile --speed 60 --dry-run >/dev/null
}

# bats test_tags=slow
@test "sadf -j has each CPU, the disks and the network" {
    imported sadf.json sadf '.[0].cores == 2 and .[2].load == [100, 100] and .[2].disk_writes_per_s == 4
        and .[2].disk_write_bytes_per_s == 1104 * 512 and .[2].received_bytes_per_s == 0 and (.[3].time_ms - .[2].time_ms) == 1000'
}

# bats test_tags=slow
@test "mpstat -o JSON has each CPU" {
    imported mpstat.json mpstat '.[0].cores == 2 and length == 5 and .[1].load == [100, 100]'
}

@test "pidstat -h is the sum of its processes" {
    imported pidstat.txt pidstat '.[1].cpu == 0.019 and .[1].load == [1.9] and .[2].write_bytes_per_s == 106496 and length == 5'
}

@test "collectl -P is the machine's load, and a cut line is said" {
    imported collectl.txt collectl '[.[1:-1][].load[0]] == [25, 75] and .[2].disk_read_bytes_per_s == 16384 and .[0].unseen[0].why == "they are cut (1)"'
    run -0 "$BIN/loadgen" pagecache --threads 1 --stages profile:disk_write_bytes_per_s --dry-run
}

@test "PlanetLab's levels are 300 s each" {
    imported planetlab.txt planetlab '[.[1:-1][].load[0]] == [10, 12, 55, 90, 7] and .[-1].length_s == 1500'
}

# bats test_tags=slow
@test "Google's tasks of one machine are added, and the others are said" {
    imported google.csv google '[.[1:-1][].load[0]] | (.[0] - 25.1562 | fabs) < 1e-6 and (.[1] - 10.15 | fabs) < 1e-6'
    holds '[.[0].unseen[].what] | index("other machines") != null' -s <profile
    run -0 "$JOSTLE" import "$SAMPLES/google.csv" --of 329150663 --output other
    [[ $(grep -c time_ms other) -eq 1 ]]
}

# bats test_tags=slow
@test "Alibaba's machines and containers: holes, invalid levels and cut lines are said" {
    imported alibaba-machine.csv alibaba-machine '[.[1:-1][].load[0]] == [41, 47, 33, 30] and .[3].time_ms == 60000
        and ([.[0].unseen[].what] | index("some levels") != null and index("some times") != null)'
    imported alibaba-container.csv alibaba-container '[.[1:-1][].load[0]] == [30, 34, 12]'
}

@test "Azure's readings are of one VM" {
    imported azure.csv azure '[.[1:-1][].load[0]] == [3.5, 50.25, 2] and .[-1].length_s == 900'
}

@test "snapshots of io.stat are rates of disks" {
    imported io-stat.txt io-stat '[.[1:-1][].disk_write_bytes_per_s] == [1048576, 0] and .[1].disk_writes_per_s == 16'
}

# bats test_tags=slow
@test "what is not understood, empty, cut, unsorted or alone is refused, with what to do" {
    printf 'hello\nworld\n' >strange
    run -1 "$JOSTLE" import strange
    [[ $output == 'jostle: strange does not begin as any known format does: give --format with one of alibaba-container, '*'sadf'* ]]
    : >empty
    run -1 "$JOSTLE" import empty
    [[ $output == 'jostle: empty is empty: give a recording' ]]
    head -c 900 "$SAMPLES/mpstat.json" >part
    run -1 "$JOSTLE" import part
    [[ $output == 'jostle: part cannot be read as mpstat ('*'give the whole file, or another --format' ]]
    sort -r -t, -k2,2 "$SAMPLES/alibaba-machine.csv" | sed '/,101,/d' >unsorted
    run -1 "$JOSTLE" import unsorted
    [[ $output == *'its times step back'* ]]
    run -2 "$JOSTLE" import "$SAMPLES/azure.csv" --format nothing
    [[ $output == *'there is no such format: give one of '* ]]
    run -1 "$JOSTLE" import nowhere
    [[ $output == 'jostle: nowhere cannot be read: give a file' ]]
    run -2 "$JOSTLE" import
    [[ $output == *'import takes one file'* ]]
}

# bats test_tags=slow
@test "more CPUs than this machine has are said" {
    # shellcheck disable=SC2016 # awk's
    awk 'BEGIN { print "#      Time        UID       PID    %CPU  Command"; for (t = 1; t < 4; t++) for (i = 0; i < 9000; i++) print t, 0, i, "90.00", "x" }' >many
    run -0 "$JOSTLE" import many --output profile
    [[ $output == *'it has up to 8100 CPUs, this machine has '*'what does not fit is dropped when it is played'* ]]
    holds '.[0].cores == 8100 and (.[-1].cpu_s | . > 24299 and . < 24301)' -s <profile
}
