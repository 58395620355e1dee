# shellcheck shell=bash
# A file system that is small enough to be full, of its own: real ENOSPC, at each write.

# small_disk FOLDER [MOUNT OPTION]: mounts one of 8 MiB there; skips the test where that is not
# possible. A file of a byte takes 1 KiB of ext4, in a loop device, and 4 KiB where that is not to be
# had and it is a tmpfs.
small_disk() {
    [[ $(id -u) -eq 0 ]] || skip 'mounting a small file system needs root'
    small_disk_image=$BATS_TEST_TMPDIR/disk.image
    mkdir -p "$1"
    small_disk_at=$(cd "$1" && pwd -P)
    if truncate -s 8M "$small_disk_image" && mkfs.ext4 -q -F -b 1024 -m 0 -N 500 "$small_disk_image" 2>/dev/null &&
        mount -o "loop${2:+,$2}" "$small_disk_image" "$1" 2>/dev/null; then
        rmdir "$1/lost+found"
    else
        mount -t tmpfs -o "size=8m${2:+,$2}" none "$1" 2>/dev/null || skip 'mounting is not allowed here'
    fi
}

# small_disk_leave KIB: fills it until so much is left.
small_disk_leave() {
    local blocks size bytes
    rm -f "$small_disk_at/filler"
    sync -f "$small_disk_at"
    read -r blocks size < <(stat -f -c '%a %S' "$small_disk_at")
    bytes=$((blocks * size - $1 * 1024))
    ((bytes <= 0)) || fallocate -l "$bytes" "$small_disk_at/filler"
}

# small_disk_room: makes room again.
small_disk_room() {
    rm -f "$small_disk_at/filler"
}

# small_disk_end: for teardown.
small_disk_end() {
    [[ -z ${small_disk_at:-} ]] || ! mountpoint -q "$small_disk_at" || umount "$small_disk_at" || umount -l "$small_disk_at"
}

# small_disk_clean: 0 where no temporary file is left on it.
small_disk_clean() {
    local left
    left=$(find "$small_disk_at" -name '.jostle-*' -o -name '*.part' -o -name '*.part.*' -o -name .space)
    [[ -z $left ]] || {
        printf 'left: %s\n' "$left" >&2
        return 1
    }
}

# one_line FILE: 0 where stderr has one line, which is a message of jostle's.
one_line() {
    [[ $(grep -c . "$1") -eq 1 && $(<"$1") == 'jostle: '* ]] || {
        printf 'not one line:\n%s\n' "$(<"$1")" >&2
        return 1
    }
}

# whole_lines FILE...: 0 where each line is JSON, and the last one is ended.
whole_lines() {
    local file
    for file; do
        [[ ! -s $file ]] || { [[ -z $(tail -c 1 "$file") ]] && jq -e . "$file" >/dev/null; } || {
            printf '%s has a line that is not whole\n' "$file" >&2
            return 1
        }
    done
}
