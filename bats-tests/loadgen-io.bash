# shellcheck shell=bash
# Helpers for the tests that use a disk.

# disk_setup: a small work file, a cache of its own, and DISK, a fresh folder that is on
# a disk, not in memory; TMPDIR is it. Skips the test where there is no disk.
disk_setup() {
    local base
    export WORKFILE_SIZE=64M XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
    for base in "$BATS_TEST_TMPDIR" /var/tmp "$HOME" "$ROOT"; do
        DISK=$(mktemp -d "$base/jostle-test.XXXXXX" 2>/dev/null) || continue
        if [[ $("$BIN/loadgen" io --show-device --dir "$DISK" | jq .memory) != true ]]; then
            export TMPDIR=$DISK
            return 0
        fi
        rmdir "$DISK"
    done
    DISK=
    skip "no folder on a disk here"
}

# disk_teardown: removes what disk_setup made.
disk_teardown() {
    [[ -z ${DISK:-} ]] || rm -rf -- "$DISK"
}
