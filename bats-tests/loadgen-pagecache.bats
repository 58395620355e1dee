#!/usr/bin/env bats
# loadgen pagecache: evicts by reading, within limits.

load helpers
load loadgen
load loadgen-io
bats_require_minimum_version 1.5.0

setup() {
    disk_setup
}

teardown() {
    [[ -z ${LOAD_PID:-} ]] || kill -KILL "$LOAD_PID" 2>/dev/null || true
    [[ -z ${GROUP:-} ]] || rmdir "$GROUP" || true
    disk_teardown
}

# resident FILE: bytes of it in the page cache, by another program.
resident() {
    fincore -b -n -o RES "$1" | tr -d ' '
}

# bats test_tags=measures
@test "pages: no more than the file, read at the rate, given back at a pause; the file is gone at the end" {
    local file
    load_start pagecache --file-size 32M --limit 150MB/s --keep
    load_expect ready
    load_holds '.file_bytes == 33554432 and .memory_bytes > .file_bytes'
    file=$DISK/jostle-workfile.$(id -u)
    [[ $(resident "$file") -eq 0 ]]
    load_resume
    load_keeps 0.3 131072 10
    load_holds '(.kernel_bytes - .claimed_bytes | fabs) <= 262144 and
        .resident_bytes > 4e6 and .resident_bytes <= 33554432'
    [[ $(resident "$file") -gt 4000000 && $(resident "$file") -le 33554432 ]]
    load_say pause
    load_expect paused
    [[ $(resident "$file") -eq 0 ]]
    load_end
    "$BIN/loadgen" pagecache --file-size 32M --duration 0.1 --json | tail -n 1 | holds '.claimed_bytes > 0'
    [[ -z $(ls -A "$DISK") ]]
}

# a_group BYTES: sets GROUP to a cgroup with that memory limit, or skips.
a_group() {
    local folder
    for folder in /sys/fs/cgroup/memory /sys/fs/cgroup; do
        GROUP=$folder/jostle-test.$$
        mkdir "$GROUP" 2>/dev/null || continue
        { printf '%s\n' "$1" >"$GROUP/memory.limit_in_bytes" || printf '%s\n' "$1" >"$GROUP/memory.max"; } 2>/dev/null && return
        rmdir "$GROUP"
    done
    GROUP=
    skip "no cgroup with a memory limit can be made here"
}

# in_group COMMAND...: runs it in GROUP.
in_group() {
    bash -c 'echo $$ >"$0/cgroup.procs"; exec "$@"' "$GROUP" "$@"
}

# evicted SECONDS: 0 when a load of so long takes pages of another file of its group.
evicted() {
    dd if="$DISK/victim" iflag=nocache count=0 status=none
    in_group cat "$DISK/victim" >/dev/null
    [[ $(resident "$DISK/victim") -eq $((24 << 20)) ]] || return
    run -0 --separate-stderr in_group "$BIN/loadgen" pagecache --file-size 54M --share 90 --duration "$1" --json
    holds '.reclaimed_bytes > 1e6 and .others_cached_change_bytes < -1e6' <<<"${lines[-1]}" &&
        [[ $(resident "$DISK/victim") -lt $((20 << 20)) ]]
}

# bats test_tags=measures
@test "in a cgroup: pages of another file there are evicted, and the load says that no others are" {
    a_group $((64 << 20))
    head -c 24M /dev/urandom >"$DISK/victim"
    sync "$DISK/victim"
    # As long as a disk needs that is slow.
    evicted 0.7 || evicted 3
    holds '.memory_of == "cgroup" and .memory_bytes == 67108864 and .needed_bytes > 0 and .evictable_bytes > 2e7' <<<"$(grep '"ready"' <<<"$output")"
    [[ $output == *'only pages of that group can be evicted'* ]]
}

@test "a file that is too large for memory, for the disk, or in memory, is refused" {
    run -2 "$BIN/loadgen" pagecache --file-size 100T --duration 0.1
    [[ $output == *'more than 50 % of '*': give '*' or less, or a larger --share' ]]
    run -2 "$BIN/loadgen" pagecache --dir /dev/shm --file-size 1M --duration 0.1
    [[ $output == *' is in memory '*'--dir' ]]
}
