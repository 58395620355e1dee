#!/usr/bin/env bats
# The disk of jostle bench: which cells there are, what cannot be measured and why, and one small
# bench of real runs.
# shellcheck disable=SC2016 # jq programs

load helpers
load loadgen-io
bats_require_minimum_version 1.5.0

setup() {
    disk_setup
}

teardown() {
    disk_teardown
}

# plan OPTION...: the cells of the disk, as JSON.
plan() {
    bench_plan --expand "$BATS_TEST_TMPDIR/plan" --dir "$DISK" "$@" disk
    jq '.parts[0].cells' "$BATS_TEST_TMPDIR/plan/bench-plan.json"
}

@test "each cell is direct or cached, in name, column and command" {
    plan --peers >"$BATS_TEST_TMPDIR/cells"
    holds 'map(select((.cell | test("\\.(sequential|random)\\.")) and .of == null)) | length > 50 and all(.[];
            (.labels | map({key: .[0], value: .[1]}) | from_entries) as $is
            | (.cell | test("\\.cached\\.")) == ($is.through == "page cache")
            and (.command | test("--cached|--sync none")) == ($is.through == "page cache")
            and (.peers | all(.[]; .reason != null or ((.command | test("--direct=0")) == ($is.through == "page cache")))))' \
        <"$BATS_TEST_TMPDIR/cells"
    # Blocks of 1 KiB to 100 MiB, 1 to 128 threads.
    holds '[.[].cell] as $all | ["disk.read.random.direct.1KiB.t1", "disk.write.sequential.direct.100MiB.t1",
        "disk.read.random.direct.4KiB.t128", "disk.write.random.dsync.4KiB.t1", "disk.bonnie.seeks.cached"] - $all == []' \
        <"$BATS_TEST_TMPDIR/cells"
}

@test "what does not fit is a row with its reason, and the others stay" {
    plan --file-size 64M --threads 1,100 >"$BATS_TEST_TMPDIR/cells"
    holds 'map({key: .cell, value: .skip}) | from_entries
        | (.["disk.read.random.direct.100MiB.t1"] | test("larger than the work file of 64.0 MiB"))
        and (.["disk.write.sequential.direct.1MiB.t100"] | test("100 blocks of 1 MiB"))
        and .["disk.read.random.direct.10MiB.t1"] == null and .["disk.read.random.direct.4KiB.t100"] == null' \
        <"$BATS_TEST_TMPDIR/cells"
    plan --quick --file-size 1000T | holds 'all(.[]; .of != null or (.skip | test("no space: .* free, and twice the work file")))'
    [[ ! -w /dev/shm ]] || bench_plan --expand "$BATS_TEST_TMPDIR/plan" --quick --dir /dev/shm cpu disk
    [[ ! -w /dev/shm ]] || holds '(.parts[1].cells | all(.[]; .of != null or (.skip | test("in memory")))) and
        (.parts[0].cells | any(.[]; .skip == null))' <"$BATS_TEST_TMPDIR/plan/bench-plan.json"
}

@test "where a logical block has 4096 bytes, blocks of 1 KiB cannot be direct" {
    local block number fake=$BATS_TEST_TMPDIR/root
    number=$(mountpoint -d "$(stat -c %m "$DISK")")
    [[ $number != 0:* ]] || skip 'no folder on a disk here'
    block=$fake/sys/devices/pci0/block/sda
    mkdir -p "$block/queue" "$fake/proc/self" "$fake/sys/dev/block" "$fake/sys/class/block"
    cp /proc/self/mountinfo "$fake/proc/self/"
    echo 4096 >"$block/queue/logical_block_size"
    ln -s ../../devices/pci0/block/sda "$fake/sys/dev/block/$number"
    ln -s ../../devices/pci0/block/sda "$fake/sys/class/block/sda"
    JOSTLE_KERNEL_ROOT=$fake plan | holds 'map({key: .cell, value: .skip}) | from_entries
        | (.["disk.read.random.direct.1KiB.t1"] | test("direct is impossible: the logical block of sda has 4096 bytes"))
        and .["disk.read.random.direct.4KiB.t1"] == null and .["disk.read.random.cached.1KiB.t1"] == null'
}

@test "a folder that is named from here is the same folder for runs, which have others" {
    cd "$DISK"
    bench_plan disk --quick --dir . --expand "$BATS_TEST_TMPDIR/plan"
    grep -qF "scratch = \"$PWD\"" "$BATS_TEST_TMPDIR/plan/bench.conf"
    grep -qF -- "--dir '$PWD/jostle-bench.$EUID'" "$BATS_TEST_TMPDIR/plan/bench.conf"
}

# measured CELL: its rows, of two short runs, by name.
measured() {
    rm -rf "$BATS_TEST_TMPDIR/bench"
    "$JOSTLE" bench disk --quiet --quick --dir "$DISK" --file-size 8M --duration 50ms --min-runs 2 --max-runs 2 --max-time 1m \
        --only "$1" --output "$BATS_TEST_TMPDIR/bench" || return
    jq '.parts[0].rows | map(select(.state == "done") | {key: .cell, value: .}) | from_entries' "$BATS_TEST_TMPDIR/bench/bench.json"
}

# In 50 ms a load that is held up has no figures.
cell_is_measured() {
    measured disk.read.random.direct.4KiB.t1 |
        holds '.["disk.read.random.direct.4KiB.t1"] | .value > 0 and .unit == "B/s" and .n == 2
            and [.more[].name] == ["iops", "p50", "p90", "p99", "p999", "cpu"]
            and [.problems[].flag | select(. == ("above-device", "cached-as-direct", "sparse-file"))] == []'
}

# bats test_tags=measures
@test "a cell of the disk has its figures, what it moved has reached the disk, and nothing is left" {
    in_tries 3 cell_is_measured
    [[ -z $(ls -A "$DISK") ]]
}

# bats test_tags=measures
@test "the phases of Bonnie are a row each, with %CPU, from one run" {
    measured disk.bonnie.block-write.cached |
        holds '(keys == ["block-read", "block-write", "char-read", "char-write", "rewrite", "seeks" | "disk.bonnie.\(.).cached"])
            and all(.[]; .value > 0 and .n == 2 and [.more[].name] == ["cpu", "max"] and .more[0].unit == "%")
            and .["disk.bonnie.seeks.cached"].unit == "1/s"'
    [[ -z $(ls -A "$DISK") ]]
}
