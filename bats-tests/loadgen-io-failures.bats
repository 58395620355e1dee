#!/usr/bin/env bats
# bats file_tags=slow
# loadgen io: bad input and bad disks. Each ends with one clear line, the right
# exit status, and nothing left behind.
# shellcheck disable=SC2016,SC2030,SC2031,SC2154 # jq programs; bats runs each test in a subshell

load helpers
load loadgen-io
bats_require_minimum_version 1.5.0

setup() {
    MOUNTS=() LOOPS=()
    disk_setup
}

teardown() {
    local i
    # One that is mounted goes with its mount: what its image is on could not be unmounted before.
    for i in "${LOOPS[@]}"; do losetup -d "$i"; done
    for ((i = ${#MOUNTS[@]} - 1; i >= 0; i--)); do
        eventually 30 umount "${MOUNTS[i]}" 2>/dev/null || umount -l "${MOUNTS[i]}"
    done
    disk_teardown
}

# refused STATUS WORDS OPTION...: ends with STATUS and one line with WORDS (a
# pattern) on stderr, and leaves nothing.
refused() {
    local status=$1 words=$2
    shift 2
    run -"$status" --separate-stderr "$BIN/loadgen" io --duration 1 "$@"
    # shellcheck disable=SC2154 # set by run
    printf '%s: %s\n' "$*" "$stderr"
    [[ ${#stderr_lines[@]} -eq 1 && ${stderr_lines[0]} == 'jostle: '* ]]
    [[ ${stderr_lines[0]} =~ $words ]]
    [[ -z $(ls -A "$DISK") ]]
}

# operates: 0 once the load of `failing` has done something.
operates() {
    [[ $(tail -n 1 "$BATS_TEST_TMPDIR/out") == '{"event":"interval",'*'"operations":'[1-9]* ]]
}

# failing OPTION...: runs in the background; once it operates calls `break_it`;
# then sets `output` and `status`.
failing() {
    local pid
    "$BIN/loadgen" io --json --interval 200ms "$@" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" 3>&- &
    pid=$!
    eventually 100 operates
    break_it
    status=0
    wait "$pid" || status=$?
    output=$(cat "$BATS_TEST_TMPDIR/out" "$BATS_TEST_TMPDIR/err")
}

need_root() {
    [[ $(id -u) -eq 0 ]] || skip "needs root"
}

# ext4_on IMAGE MEGABYTES: mounts a fresh ext4 on a loop device at $DISK/mount;
# sets DEVICE.
ext4_on() {
    command -v mkfs.ext4 >/dev/null || skip "needs mkfs.ext4"
    truncate -s "${2}M" "$1"
    mkfs.ext4 -q -m 0 "$1"
    DEVICE=$(losetup -f --show "$1") || skip "no loop device can be set up"
    LOOPS+=("$DEVICE")
    mkdir -p "$DISK/mount"
    mount "$DEVICE" "$DISK/mount" || skip "a loop device cannot be mounted"
    MOUNTS+=("$DISK/mount")
}

@test "a limit of nothing, or less, or more than any disk is refused" {
    refused 2 'more than 0' --limit 0
    refused 2 'more than 0' --limit -5M
    refused 2 'nothing does that' --limit 1e30
    refused 2 'nothing does that' --random --limit 1e12
    refused 2 'not a rate' --limit fast
    refused 2 'empty' --limit ''
    refused 2 'counts in ops/s' --random --limit 10MB/s
    refused 2 'counts in B/s' --limit 100iops
    refused 2 'out of range|not a value' --mix 101
}

@test "a block that is no multiple of the logical block is refused" {
    refused 2 'multiple of the logical block' --block-size 1000
    refused 2 'multiple of the logical block' --random --block-size 513
    refused 2 'out of range|not a value' --block-size 0
    refused 2 'larger' --block-size 64M --threads 2
}

@test "options that exclude each other are refused" {
    refused 2 'one of them' --read --write
    refused 2 'one of them' --mix 50 --read
    refused 2 'one of them' --sequential --random
    refused 2 '--read' --cached
    refused 2 'SECONDS' surplus
    refused 2 'SECONDS' --calib 1 2
    refused 2 'not a time' --calib 0
    refused 2 'without a limit' --calib --limit 10M
    refused 2 'give one of' --sync sometimes
    refused 2 'did you mean' --sequental
}

@test "a folder that is not there, or is none, or may not be written is refused" {
    refused 2 'No such file' --dir "$DISK/nowhere"
    refused 2 'not a folder' --dir /etc/passwd
    need_root
    command -v setpriv >/dev/null || skip "needs setpriv"
    mkdir -m 755 "$BATS_TEST_TMPDIR/readonly"
    run -2 setpriv --reuid 65534 --clear-groups "$BIN/loadgen" io --dir "$BATS_TEST_TMPDIR/readonly" --duration 1
    [[ $output == *"may write to"* || $output == *"Permission denied"* ]]
}

@test "a file that does not fit is refused before it is made" {
    refused 2 'does not fit.*--file-size' --file-size 900T
    WORKFILE_SIZE=900T refused 2 'does not fit' --random
    WORKFILE_SIZE=much refused 2 'WORKFILE_SIZE=much'
    refused 2 'out of range|not a value' --file-size 1
}

@test "buffers that memory has no room for are refused before anybody is killed" {
    "$BIN/loadgen" io --depth 2 --dry-run 2>&1 | grep -q 'io_uring cannot be used' && skip 'no io_uring here: its threads are refused by what they write'
    refused 2 'buffers \(1 workers?, 4096 blocks each\) of 4.00 TiB: .* left: .*--depth' --block-size 1G --depth 4096 --file-size 4G
    "$BIN/loadgen" io --block-size 1M --depth 32 --dry-run
}

@test "tmpfs is refused with the way out, unless it is allowed" {
    local folder
    [[ $(stat -f -c %T /dev/shm 2>/dev/null) == tmpfs && -w /dev/shm ]] || skip "no tmpfs at /dev/shm"
    folder=$(mktemp -d /dev/shm/jostle-test.XXXXXX)
    refused 2 'in memory \(tmpfs\).*--dir' --dir "$folder"
    refused 2 'in memory \(tmpfs\).*--dir' --calib 1 --dir "$folder"
    run -0 "$BIN/loadgen" io --dir "$folder" --allow-memory --file-size 8M --duration 0.2
    [[ $output == *"in memory"* ]]
    [[ -z $(ls -A "$folder") ]]
    rmdir "$folder"
}

@test "an overlay whose upper folder is in memory is refused as well" {
    need_root
    mkdir -p "$DISK/memory" "$DISK/mount"
    mount -t tmpfs -o size=80M tmpfs "$DISK/memory" || skip "tmpfs cannot be mounted"
    MOUNTS+=("$DISK/memory")
    mkdir "$DISK/memory/upper" "$DISK/memory/work" "$DISK/memory/lower"
    mount -t overlay overlay "$DISK/mount" \
        -o "lowerdir=$DISK/memory/lower,upperdir=$DISK/memory/upper,workdir=$DISK/memory/work" ||
        skip "overlay cannot be mounted"
    MOUNTS+=("$DISK/mount")
    run -2 "$BIN/loadgen" io --dir "$DISK/mount" --duration 1
    [[ $output == *"overlay on tmpfs"*"--dir"* ]]
}

@test "an overlay on a disk is resolved to that disk" {
    need_root
    mkdir "$DISK/upper" "$DISK/work" "$DISK/lower" "$DISK/mount"
    mount -t overlay overlay "$DISK/mount" \
        -o "lowerdir=$DISK/lower,upperdir=$DISK/upper,workdir=$DISK/work" || skip "overlay cannot be mounted"
    MOUNTS+=("$DISK/mount")
    local below
    below=$("$BIN/loadgen" io --show-device --dir "$DISK" | jq -r .disks)
    "$BIN/loadgen" io --show-device --dir "$DISK/mount" |
        holds '.disks == $below and (.file_system | startswith("overlay on ")) and (.memory | not)' --arg below "$below"
}

@test "a loop device is resolved to the disk below it, and in memory it counts as memory" {
    need_root
    local below
    below=$("$BIN/loadgen" io --show-device --dir "$DISK" | jq -r .disks)
    ext4_on "$DISK/image" 100
    "$BIN/loadgen" io --show-device --dir "$DISK/mount" |
        holds '.disks == $below and .device == $loop and .file_system == "ext4"' \
            --arg below "$below" --arg loop "${DEVICE##*/}"
    umount "$DISK/mount"
    MOUNTS=()
    mkdir "$DISK/memory"
    mount -t tmpfs -o size=120M tmpfs "$DISK/memory"
    MOUNTS+=("$DISK/memory")
    ext4_on "$DISK/memory/image" 100
    run -2 "$BIN/loadgen" io --dir "$DISK/mount" --duration 1
    [[ $output == *"in memory (ext4 on loop"* ]]
}

# counters_agree: 0 when the device counts what a load claims; where the disk is slow, all but what is in progress.
counters_agree() {
    "$BIN/loadgen" io --dir "$DISK/mount" --json --limit 20M --block-size 64KiB --duration 2 | tail -n 1 |
        holds '(.device_bytes - .claimed_bytes | fabs) < ([0.02 * .claimed_bytes, 131072] | max) and .warning == null'
}

@test "on a loop device, the device's own counters agree within 2 %" {
    need_root
    ext4_on "$DISK/image" 140
    in_tries 3 counters_agree
}

@test "a device that comes to fail while it is written to ends the load with the reason" {
    need_root
    ext4_on "$DISK/image" 140
    # Beyond the new end, the block layer answers with EIO.
    break_it() { truncate -s 12M "$DISK/image" && losetup -c "$DEVICE"; }
    failing --dir "$DISK/mount" --random --block-size 4KiB --limit 500 --duration 100
    [[ $status -eq 1 ]]
    [[ $output == *'"event":"error"'*"writing at byte"*"Input/output error"* ]]
    tail -n 1 "$BATS_TEST_TMPDIR/out" | holds '.event == "summary" and .operations > 0 and .elapsed_s < 90'
}

@test "a device that comes to fail while it is read ends the load, at depth too" {
    need_root
    local depth
    for depth in 1 8; do
        # Each has an image of its own: the file system of before may live on in a mount namespace of another test.
        ext4_on "$DISK/image.$depth" 140
        break_it() { truncate -s 12M "$DISK/image.$depth" && losetup -c "$DEVICE"; }
        failing --dir "$DISK/mount" --random --read --block-size 4KiB --limit 500 --depth "$depth" --duration 100
        [[ $status -eq 1 ]]
        [[ $output == *'"event":"error"'*"reading at byte"*"Input/output error"* ]]
        eventually 30 umount "$DISK/mount"
        losetup -d "$DEVICE"
        MOUNTS=() LOOPS=()
    done
}

@test "a device that fails while the file is made: said, and nothing is left" {
    need_root
    ext4_on "$DISK/image" 140
    truncate -s 12M "$DISK/image"
    losetup -c "$DEVICE"
    run -1 --separate-stderr "$BIN/loadgen" io --dir "$DISK/mount" --keep --duration 1
    [[ ${stderr_lines[-1]} == "jostle: cannot "*"--dir"* ]]
    [[ $(ls -A "$DISK/mount") != *jostle* ]]
}

@test "a disk that becomes full while the file is made: said, and nothing is left" {
    need_root
    mkdir "$DISK/memory"
    mount -t tmpfs -o size=40M tmpfs "$DISK/memory" || skip "tmpfs cannot be mounted"
    MOUNTS+=("$DISK/memory")
    ext4_on "$DISK/memory/image" 140 # it has room for a quarter of what it promises
    run -1 --separate-stderr "$BIN/loadgen" io --dir "$DISK/mount" --allow-memory --keep --duration 1
    [[ ${stderr_lines[-1]} == "jostle: "*"No space left"*"--dir"* || ${stderr_lines[-1]} == "jostle: "*"Input/output error"* ]]
    [[ $(ls -A "$DISK/mount") != *jostle* ]]
}

@test "a disk that becomes full while it is written to ends the load with the reason" {
    need_root
    mkdir "$DISK/memory"
    mount -t tmpfs -o size=150M tmpfs "$DISK/memory" || skip "tmpfs cannot be mounted"
    MOUNTS+=("$DISK/memory")
    ext4_on "$DISK/memory/image" 140
    break_it() {
        fallocate -p -o 0 -l 140M "$DISK/memory/image"
        head -c 150M /dev/zero >"$DISK/memory/filler" 2>/dev/null || true
    }
    failing --dir "$DISK/mount" --allow-memory --random --block-size 4KiB --limit 500 --duration 100
    [[ $status -eq 1 ]]
    [[ $output == *'"event":"error"'*"writing at byte"*"No space left"*"free some space"* ||
        $output == *'"event":"error"'*"writing at byte"*"Input/output error"* ]]
}

@test "a file system that becomes read-only ends the load with the reason" {
    need_root
    ext4_on "$DISK/image" 140
    break_it() { mount -o remount,abort "$DISK/mount"; }
    failing --dir "$DISK/mount" --random --block-size 4KiB --limit 500 --duration 100
    [[ $status -eq 1 ]]
    [[ $output == *'"event":"error"'*"writing at byte"* ]]
    [[ $output == *"Read-only file system"* || $output == *"Input/output error"* || $output == *"shut down"* ]]
}
