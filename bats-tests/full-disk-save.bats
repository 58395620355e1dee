#!/usr/bin/env bats
# Files that are written whole or not at all (common/save.h), by the program that the commands in bash
# write with.

load helpers
load small-disk

setup() {
    cd "$BATS_TEST_TMPDIR" || return
}

teardown() {
    small_disk_end
}

# save FILE TEXT: writes TEXT to FILE.
save() {
    printf '%s\0' "$2" | "$BIN/arguments" save "$1"
}

@test "a file is replaced by a new one with its mode; a link to it stays a link" {
    printf old >file
    chmod 640 file
    ln -s file link
    exec {before}<file
    save link new
    [[ $(<file) == new && -L link && $(stat -c %a file) == 640 ]]
    # Who has the old one open reads the old one.
    [[ $(cat <&"$before") == old ]]
    (
        umask 027
        save fresh new
    )
    [[ $(stat -c %a fresh) == 640 ]]
    ln -s nothing dangling
    save dangling new
    [[ $(<nothing) == new && -L dangling ]]
}

@test "what its writer did not finish changes nothing, and leaves nothing" {
    printf old >file
    printf new | { run ! "$BIN/arguments" save file; }
    : | { run ! "$BIN/arguments" save file; }
    [[ $(<file) == old && $(ls -A) == file ]]
}

# bats test_tags=slow
@test "a pipe is written to, not replaced" {
    mkfifo pipe
    cat pipe >got &
    save pipe text
    wait $!
    [[ -p pipe && $(<got) == text ]]
    # As jostle does it:
    cp -r "$BATS_TEST_DIRNAME/fixtures/report/campaign" records
    timeout 100 cat pipe >got &
    timeout 100 "$JOSTLE" report records --format md --output pipe
    wait $!
    [[ -p pipe && $(<got) == *delannoy* ]]
}

@test "each way in which a file cannot be written is one line with what to do" {
    local name
    [[ -w /dev/full ]] || skip 'there is no /dev/full'
    mkdir folder
    printf -v name '%0300d' 0
    check() { # PATH WORDS
        save "$1" text 2>err && return 1
        one_line err && [[ $(<err) == "jostle: $1 cannot be written ("*"): "*"$2"* ]]
    }
    check /dev/full 'make room'
    check folder 'name of a file'
    check none/file 'make it'
    check "$name" 'shorter name'
    [[ $(ls -A) == $'err\nfolder' ]]
}

@test "on a full disk the old file stays, and no other is left" {
    local i
    small_disk disk
    printf old >disk/file
    head -c 20000 /dev/urandom | base64 >text
    for i in 0 1 5 12; do
        small_disk_leave "$i"
        run ! save disk/file "$(<text)"
        [[ $output == 'jostle: disk/file cannot be written (No space left on device): the disk is full (df, df -i): make room on it' ]]
        [[ $(<disk/file) == old ]]
        small_disk_clean
    done
    small_disk_room
    save disk/file "$(<text)"
    cmp disk/file text || [[ $(<disk/file) == "$(<text)" ]]
}

@test "a file system that became read-only is named" {
    small_disk disk
    printf old >disk/file
    mount -o remount,ro disk
    run ! save disk/file new
    [[ $output == *'disk/file cannot be written (Read-only file system): '*'mount it for writing' ]]
    [[ $(<disk/file) == old ]]
}

@test "where a file without a name cannot be had, a temporary one is taken away again" {
    ! sanitized || skip 'the sanitizers need /proc'
    small_disk disk
    printf old >disk/file
    # Without /proc nothing can be linked to a name.
    hidden() { # TEXT
        unshare --mount bash -c 'mount -t tmpfs none /proc 2>/dev/null || exit 77; printf "%s\0" "$1" | "$2" save disk/file' bash "$1" "$BIN/arguments"
    }
    small_disk_leave 5
    run hidden "$(printf '%030000d' 0)"
    [[ $status -ne 77 ]] || skip 'mounting is not allowed here'
    [[ $status -eq 1 && $output == 'jostle: disk/file cannot be written (No space left on device): '* ]]
    [[ $(<disk/file) == old ]]
    small_disk_clean
    hidden new
    [[ $(<disk/file) == new ]]
    small_disk_clean
}

@test "a quota that is used up is named" {
    mkdir disk
    chmod 755 .
    mount -t tmpfs -o usrquota,usrquota_block_hardlimit=16k none disk 2>/dev/null || skip 'this kernel has no quota for tmpfs'
    # shellcheck disable=SC2034 # read by small-disk.bash
    small_disk_at=$PWD/disk
    chmod 777 disk
    as_nobody() { # TEXT
        printf '%s\0' "$1" | setpriv --reuid nobody --clear-groups "$BIN/arguments" save disk/file
    }
    as_nobody old
    run -1 as_nobody "$(printf '%030000d' 0)"
    [[ $output == 'jostle: disk/file cannot be written (Disk quota exceeded): '*'quota'* ]]
    [[ $(<disk/file) == old ]]
    small_disk_clean
}

@test "a limit of a file's size that the first record reaches is said in one line" {
    run -1 bash -c 'ulimit -f 1; exec "$@"' bash "$BATS_TEST_DIRNAME/../harness/jostle" run --no-probe --output out -- true
    [[ $output == *experiment.json*'File too large'*'ulimit -f'* ]]
    ((${#lines[@]} == 1))
}
