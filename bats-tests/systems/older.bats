#!/usr/bin/env bats
# Debian 11: glibc 2.31, GCC 9, headers of Linux 5.10, liburing 0.7, hwloc 2.4. It is the oldest that can be had from
# Debian's servers. Needs root, mmdebstrap and about 700 MB.

load ../helpers

setup_file() {
    command -v mmdebstrap >/dev/null || skip_file 'mmdebstrap is not installed' || return 0
    [[ $(id -u) -eq 0 ]] || skip_file 'needs root' || return 0
    export OLD_ROOT=/var/tmp/jostle-older.$$
    mmdebstrap --quiet --variant=minbase --include=gcc-9,libc6-dev,make,pkg-config,git,libuv1-dev,libjemalloc-dev,libgsl-dev,libjansson-dev,libgcrypt20-dev,libhwloc-dev,liburing-dev,jq,procps \
        bullseye "$OLD_ROOT" http://deb.debian.org/debian 2>"$BATS_FILE_TMPDIR/err" ||
        skip_file "no root of Debian 11 can be made: $(tail -n 1 "$BATS_FILE_TMPDIR/err")" || return 0
    mkdir "$OLD_ROOT/src"
    git -C "$ROOT" ls-files -z | tar -C "$ROOT" --null -T - -c | tar -x -C "$OLD_ROOT/src"
    # GCC 9 warns of a row that leaves out what is zero, though it names what it has, and of texts that are cut on purpose.
    older make -j2 CC=gcc-9 CFLAGS='-O2 -g -Wno-missing-field-initializers -Wno-format-truncation' >"$BATS_FILE_TMPDIR/log" 2>&1 || {
        tail -n 20 "$BATS_FILE_TMPDIR/log"
        return 1
    }
}

setup() {
    skip_as_file
}

teardown_file() {
    # Its mounts ended with the commands that they were made for.
    [[ -z ${OLD_ROOT:-} ]] || rm -rf --one-file-system -- "$OLD_ROOT"
}

# older COMMAND...: runs it in the old system's source folder.
older() {
    # shellcheck disable=SC2016 # expanded by the other shell
    unshare --mount --propagation private bash -c 'for folder in proc sys dev; do mount --rbind "/$folder" "$0/$folder"; done
        exec chroot "$0" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 JOSTLE_BUILD=/src/build JOSTLE_NO_PROBE=1 \
            bash -c "cd /src && exec \"\$@\"" bash "$@"' "$OLD_ROOT" "$@"
}

@test "Debian 11: it builds with GCC 9 without a warning, and liburing is left out as too old" {
    ! grep 'warning:' "$BATS_FILE_TMPDIR/log" || false
    grep -q '^jostle: built without liburing: it is not there, or too old' "$BATS_FILE_TMPDIR/log"
    older build/bin/loadgen --version | grep -q '^without: liburing (io --depth runs threads)$'
}

@test "Debian 11: a whole slowdown and its report, and the doctor" {
    older harness/jostle slowdown --quiet --min-runs 2 --max-runs 2 --load 'half=cpu --percent 50' --output /root/records -- build/workloads/delannoy 6
    older harness/jostle report --format json /root/records | holds '.schema == "jostle.report/1"'
    older harness/jostle doctor --quick | grep -q 'built without liburing'
}

@test "Debian 11: every load obeys all orders" {
    older bats-tests/checks/loads build/bin/loadgen
}
