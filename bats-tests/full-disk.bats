#!/usr/bin/env bats
# Nothing that was measured is lost: a disk that is full at each write, or out of files, a folder that is
# removed or changed while it is measured into, a disk that dies.

load helpers
load small-disk

setup() {
    cd "$BATS_TEST_TMPDIR" || return
}

teardown() {
    small_disk_end
}

# measure [OPTION]...: the experiment of these tests, five runs.
measure() {
    "$JOSTLE" run --quiet --output disk/out --json disk/result.json --seed 1 --min-runs 5 --max-runs 5 "$@" -- true
}

# full_at KIB: with so much room the experiment either ends well, or with one line; nothing is left but whole
# records, and with room it continues.
full_at() {
    local status=0
    small_disk_room
    rm -rf disk/*
    small_disk_leave "$1"
    measure 2>err || status=$?
    cp disk/out/runs.jsonl before 2>/dev/null || : >before
    whole_lines before
    small_disk_clean
    [[ $status -ne 0 ]] || return 0
    one_line err
    [[ $status -eq 1 && $(<err) == *'disk/'*'(No space left on device)'*'make room'* ]]
    small_disk_room
    measure --resume
    cmp before <(head -c "$(stat -c %s before)" disk/out/runs.jsonl)
    cmp <(command jq -S . disk/result.json) <(command jq -S . disk/out/result.json)
    [[ $(wc -l <disk/out/runs.jsonl) -eq 5 ]]
}

# bats test_tags=slow
@test "a disk that is full at whichever write: one line, whole records, and it continues with room" {
    local kib
    small_disk disk
    for kib in 0 6 13 20; do
        full_at "$kib"
    done
}

@test "a disk on which no further file can be made ends a measurement, and leaves no folder" {
    local i
    small_disk disk
    [[ $(stat -f -c %T disk) == ext2/ext3 ]] || skip 'no loop device: the number of files has no limit'
    for ((i = 0; i < 600; i++)); do : >"disk/filler.$i"; done 2>/dev/null || true
    run -1 timeout 100 "$JOSTLE" run --output disk/out/deep -- true
    [[ $output == 'jostle: cannot make the folder disk/out/deep (No space left on device): '*'no inodes left'* ]]
    # For the folder, runs.jsonl and experiment.json, and for no other.
    rm disk/filler.{1,2,3}
    run -1 timeout 100 "$JOSTLE" run --output disk/out -- true
    [[ $output == 'jostle: '*'/disk/out/meter.stderr cannot be made (No space left on device): '*'no inodes left'* ]]
    [[ ! -e disk/out ]]
}

# bats test_tags=slow
@test "a read-only file system is refused by one line before anything is measured" {
    small_disk disk
    measure
    mount -o remount,ro disk
    refused() { # COMMAND...
        run ! --separate-stderr timeout 100 "$@"
        # shellcheck disable=SC2154 # run sets it
        [[ $(grep -c . <<<"$stderr") -eq 1 && $stderr == 'jostle: '*'(Read-only file system): '* ]]
    }
    refused "$JOSTLE" run --output disk/new -- touch measured
    refused "$JOSTLE" run --resume --output disk/out --min-runs 9 --max-runs 9 -- touch measured
    refused "$JOSTLE" report disk/out --output disk/page.html
    refused "$JOSTLE" pack --output disk/pack -- touch measured
    [[ ! -e measured ]]
    run -0 "$JOSTLE" report disk/out
}

@test "records that somebody changes while they are measured end the experiment" {
    printf '#!/bin/sh\n[ ! -s out/runs.jsonl ] || : >out/runs.jsonl\n' >target
    chmod +x target
    run -1 "$JOSTLE" run --output out -- ./target
    [[ $output == 'jostle: '*'/out/runs.jsonl was changed by somebody else: '* ]]
}

# bats test_tags=slow
@test "a disk that dies during a measurement: what was flushed is there, and it continues" {
    local kept
    type -P python3 >/dev/null || skip 'python3 is missing: make deps-test'
    small_disk disk
    printf '#!/bin/sh\nsleep 0.3\n[ "$(wc -l <disk/out/runs.jsonl)" -lt 5 ] || python3 "%s" disk\n' "$BATS_TEST_DIRNAME/power-cut.py" >target
    chmod +x target
    python3 "$BATS_TEST_DIRNAME/power-cut.py" --can disk || skip 'this file system cannot be cut off'
    "$JOSTLE" run --quiet --output disk/out --min-runs 9 --max-runs 9 --seed 1 -- ./target 2>err && return 1
    one_line err
    umount disk
    cp disk.image after.image # the dead file system may live on in a mount namespace of another test
    mount -o loop after.image disk
    whole_lines disk/out/runs.jsonl
    # Five runs were recorded, which takes 1.5 s: those of the last second may be lost.
    kept=$(wc -l <disk/out/runs.jsonl)
    [[ $kept -ge 1 && $kept -le 5 ]]
    "$JOSTLE" run --quiet --resume --output disk/out --min-runs 9 --max-runs 9 --seed 1 -- true 2>err && return 1 # another command
    printf '#!/bin/sh\n' >target
    "$JOSTLE" run --quiet --resume --output disk/out --min-runs 9 --max-runs 9 --seed 1 -- ./target
    [[ $(wc -l <disk/out/runs.jsonl) -eq 9 ]]
}

# bats test_tags=slow
@test "an experiment that has ended survives a power cut right behind it" {
    type -P python3 >/dev/null || skip 'python3 is missing: make deps-test'
    small_disk disk
    python3 "$BATS_TEST_DIRNAME/power-cut.py" --can disk || skip 'this file system cannot be cut off'
    "$JOSTLE" run --quiet --output disk/a/new/folder --json disk/result.json --min-runs 3 --max-runs 3 -- true
    "$JOSTLE" report disk/a/new/folder --output disk/page.html
    cp -r disk copy
    python3 "$BATS_TEST_DIRNAME/power-cut.py" disk
    umount disk
    cp disk.image after.image
    mount -o loop after.image disk
    diff -r copy disk
    [[ -s disk/page.html && -s disk/a/new/folder/result.json ]]
}

@test "where the target's stderr found no room, the run is not measured, and the disk is named" {
    small_disk disk
    small_disk_leave 64
    # shellcheck disable=SC2016 # of the target
    for option in --metric='x=stderr:/v=([0-9]+)/' --seed=1; do
        TMPDIR=$PWD/disk run -1 "$JOSTLE" run --quiet --output out --min-runs 2 --max-runs 2 "$option" -- \
            sh -c 'head -c 300000 /dev/zero | tr "\0" x >&2; echo v=7 >&2; exit 0'
        [[ $output == *'what the command wrote is lost or cut off: No space left on device: set TMPDIR'* && ! -e out ]]
    done
    TMPDIR=$PWD/disk run -0 "$JOSTLE" run --quiet --output out --min-runs 2 --max-runs 2 -- sh -c 'echo few >&2'
}
