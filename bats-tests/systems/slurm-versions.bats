#!/usr/bin/env bats
# The Slurm tests with other versions of Slurm: each in a root of its own, in which jostle is built.
# JOSTLE_ROOTS is a folder in which the roots are kept for the next time.

load ../helpers

setup_file() {
    [[ $(id -u) -eq 0 ]] || skip_file 'it takes root to be several nodes' || return 0
    command -v mmdebstrap >/dev/null || skip_file 'mmdebstrap is not installed (packaging/install-deps systems)' || return 0
    unshare -m -p -f true 2>/dev/null || skip_file 'this machine allows no namespaces (unshare -m -p)' || return 0
}

setup() {
    skip_as_file
}

teardown() {
    [[ -n ${JOSTLE_ROOTS:-} || -z ${root:-} ]] || rm -rf --one-file-system -- "$root"
}

# root_make SUITE: sets root to a folder with that version of Debian, Slurm, and jostle built; skips
# the test where it cannot be had.
root_make() {
    local packages=gcc,libc6-dev,make,git,libuv1-dev,libjemalloc-dev,libgsl-dev,libjansson-dev,libgcrypt20-dev,libhwloc-dev,hwloc-nox
    packages+=,liburing-dev,jq,procps,iproute2,python3-jsonschema,bsdextrautils,openmpi-bin,slurm-client,slurmctld,slurmd,slurmdbd,munge,mariadb-server
    root=${JOSTLE_ROOTS:-/var/tmp/jostle-roots.$$}/$1
    mkdir -p "${root%/*}"
    # No package starts a service.
    # shellcheck disable=SC2016 # expanded by mmdebstrap
    [[ -d $root/usr ]] || mmdebstrap --quiet --variant=minbase --include="$packages" --aptopt='APT::Install-Recommends "false"' \
        --aptopt='Acquire::Check-Valid-Until "false"' --dpkgopt=force-unsafe-io \
        --setup-hook='mkdir -p "$1/usr/sbin"; printf "#!/bin/sh\nexit 101\n" >"$1/usr/sbin/policy-rc.d"; chmod 755 "$1/usr/sbin/policy-rc.d"' \
        "$1" "$root" http://deb.debian.org/debian >"$BATS_TEST_TMPDIR/log" 2>&1 || {
        tail -n 5 "$BATS_TEST_TMPDIR/log"
        skip "Debian $1 cannot be had here: $(tail -n 1 "$BATS_TEST_TMPDIR/log")"
    }
    mkdir -p "$root/jostle"
    # The sources, and this machine's bats, which is only text.
    tar c -C "$ROOT" --exclude=./build --exclude=./.git . | tar x -C "$root/jostle"
    dpkg -L bats | grep -E '^/usr/(bin|lib|libexec)/.*' | while read -r file; do [[ ! -f $file ]] || printf '%s\n' "${file#/}"; done |
        tar c -C / -T - | tar x -C "$root"
    root_run make -j2 all >"$BATS_TEST_TMPDIR/log" 2>&1 || {
        grep -B 5 error "$BATS_TEST_TMPDIR/log"
        return 1
    }
}

# root_run COMMAND...: runs it in the root, in namespaces of its own: nothing of it stays.
root_run() {
    # shellcheck disable=SC2016 # expanded by the other shells
    unshare -m -p -f --kill-child bash -c 'root=$0
        mount --make-rprivate / && mount --bind "$root" "$root" && mount --rbind /sys "$root/sys" && mount --rbind /dev "$root/dev" && mount -t proc p "$root/proc"
        printf "127.0.0.1 localhost %s\n" "$(hostname)" >"$root/etc/hosts"
        exec chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 bash -c "cd /jostle && \"\$@\"" run "$@"' "$root" "$@" 3>&-
}

# tests_with SUITE VERSION: makes the root and runs the tests in it.
tests_with() {
    root_make "$1"
    root_run slurmctld -V | grep -q "^slurm.* $2"
    root_run bats bats-tests/slurm-campaign.bats bats-tests/slurm-loads.bats bats-tests/systems/slurm-sharing.bats
}

@test "Slurm 24.11 (Debian 13)" {
    tests_with trixie 24.11
}

@test "the Slurm of Debian's next version" {
    tests_with sid 2
}
