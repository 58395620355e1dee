#!/usr/bin/env bats
# The Debian packages: built twice, checked by Debian's own tools, installed into a fresh root, and tested there.

load ../helpers

# Two builds with their tests, and a root: some minutes each.
export BATS_TEST_TIMEOUT=3600

setup_file() {
    DEB=$(mktemp -d /var/tmp/jostle-deb.XXXXXX)
    export DEB
    mkdir -p "$DEB"/{first,second/deeper}
    local tool
    for tool in dpkg-buildpackage dh; do
        command -v "$tool" >/dev/null || return 0
    done
    build out TMPDIR="$DEB/first" >"$DEB/log" 2>&1 || : >"$DEB/failed"
}

# alone NAME=VALUE... COMMAND...: runs it in an environment of these variables alone. What is tested is not to take itself
# for a part of this test, nor the build that this one is of for its own (JOSTLE_BUILD).
alone() {
    env -i HOME="$HOME" PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
}

# build FOLDER NAME=VALUE...: the packages, into that folder of $DEB.
build() {
    alone "${@:2}" "$ROOT/packaging/deb" "$DEB/$1"
}

teardown_file() {
    local place
    for place in proc sys dev; do
        ! mountpoint -q "$DEB/root/$place" || umount --recursive "$DEB/root/$place" || return
    done
    rm --one-file-system -rf -- "$DEB"
}

# needs TOOL...: skips the test where one is not there, fails where there are no packages.
needs() {
    local tool
    for tool in dpkg-buildpackage dh "$@"; do
        command -v "$tool" >/dev/null || skip "$tool is not installed"
    done
    [[ ! -e $DEB/failed ]] || {
        grep -A 12 '^not ok' "$DEB/log" >&2 || true
        tail -n 10 "$DEB/log" >&2
        return 1
    }
}

# unpacked: the package jostle, in $DEB/tree.
unpacked() {
    [[ -d $DEB/tree ]] || dpkg-deb --extract "$DEB"/out/jostle_*.deb "$DEB/tree"
}

# fresh: a root of this machine's release with nothing but apt, in $DEB/root.
fresh() {
    local release
    [[ $EUID -eq 0 ]] || skip 'needs root'
    [[ ! -d $DEB/root ]] || return 0
    release=$(. /etc/os-release && printf '%s' "${VERSION_CODENAME:-}")
    mmdebstrap --quiet --variant=minbase "$release" "$DEB/root" http://deb.debian.org/debian ||
        skip 'the package registry is not reachable'
    # As in any root that is used: autopkgtest's chroot does not mount them.
    mount -t proc proc "$DEB/root/proc"
    mount --rbind --make-rslave /sys "$DEB/root/sys"
    mount --rbind --make-rslave /dev "$DEB/root/dev"
}

@test "the packages: jostle and jostle-doc, with what is needed and what is only suggested" {
    needs
    [[ -s $(echo "$DEB"/out/jostle_*.deb) && -s $(echo "$DEB"/out/jostle-doc_*_all.deb) ]]
    run -0 dpkg-deb --field "$DEB"/out/jostle_*.deb Depends
    [[ $output == *jq* && $output == *git* && $output == *libuv1* && $output == *liburing2* && $output == *libjemalloc2* && $output == *libhwloc15* ]]
    [[ $output != *hyperfine* && $output != *bats* ]]
    run -0 dpkg-deb --field "$DEB"/out/jostle_*.deb Suggests
    [[ $output == *hyperfine* && $output == *slurm-client* ]]
}

@test "lintian --pedantic -EvI finds nothing" {
    needs lintian
    local -a newer=()
    # An old lintian does not know the version of the policy.
    dpkg --compare-versions "$(dpkg-query -W -f '${Version}' lintian)" ge 2.121 || newer=(--suppress-tags newer-standards-version)
    run lintian --allow-root --pedantic -EvI "${newer[@]}" "$DEB"/out/*.changes
    [[ $status -eq 0 ]]
    run ! grep -E '^[EWIPX]: ' <<<"$output"
}

@test "every program is hardened, meter, keeper and start are static and position-independent" {
    needs hardening-check blhc
    unpacked
    local program
    for program in "$DEB"/tree/usr/lib/jostle/build/{bin,workloads}/*; do
        case ${program##*/} in
            meter | keeper | start)
                [[ $(readelf --file-header "$program") == *'DYN ('* && $(readelf --program-headers "$program") != *INTERP* ]]
                ;;
            # Workloads call nothing that could be fortified; Debian 12 does not ask for CET.
            *) hardening-check --quiet --nofortify --nocfprotection "$program" ;;
        esac
    done
    blhc --bindnow "$DEB/log"
}

@test "built again elsewhere, later, by another user's habits, the packages are the same" {
    needs
    (
        umask 077
        build again TMPDIR="$DEB/second/deeper" TZ=Asia/Kathmandu LC_ALL=C.UTF-8 USER=somebody DEB_BUILD_OPTIONS=nocheck >"$DEB/log.again" 2>&1
    ) || tail -n 20 "$DEB/log.again"
    local file
    for file in "$DEB"/out/*.{deb,tar.xz,tar.gz}; do
        cmp "$file" "$DEB/again/${file##*/}"
    done
}

@test "its autopkgtests pass in a fresh root" {
    needs mmdebstrap autopkgtest
    fresh
    # The tests alone: to unpack all sources there it would need dpkg-dev, which they do not.
    mkdir "$DEB/source"
    tar -C "$DEB/source" -xf "$DEB"/out/jostle_*.debian.tar.xz
    run alone autopkgtest --no-built-binaries --setup-commands 'apt-get update' "$DEB"/out/jostle{,-doc}_*.deb "$DEB/source/" -- chroot "$DEB/root"
    [[ $status -eq 0 && $output == *'slowdown '*PASS* && $output == *'loads '*PASS* ]]
}

@test "installed into a fresh root, it works for a user that is not root" {
    needs mmdebstrap
    fresh
    cp "$DEB"/out/jostle{,-doc}_*.deb "$DEB/root/tmp/"
    chroot "$DEB/root" sh -c 'DEBIAN_FRONTEND=noninteractive apt-get install -y -qq /tmp/jostle*.deb && useradd --create-home user' >/dev/null
    # shellcheck disable=SC2016 # expanded in the root
    run -0 chroot "$DEB/root" su - user -c 'set -e
        jostle --version
        jostle slowdown --min-runs 2 --max-runs 2 --output out --load "half=cpu --percent 50" -- /usr/lib/jostle/build/workloads/mmul 200
        jostle report --format html out >out.html
        jostle doctor --quick >/dev/null || test $? -eq 1
        test -s /usr/share/man/man1/jostle-slowdown.1.gz -o ! -d /usr/share/man
        test -s /usr/share/bash-completion/completions/jostle
        test -s /usr/share/zsh/vendor-completions/_jostle
        test -s /usr/share/fish/vendor_completions.d/jostle.fish'
    [[ $output == "jostle $(dpkg-deb --field "$DEB"/out/jostle_*.deb Version | cut -d- -f1)"*'Records: '* ]]
    # Nothing is lost where a library is only optional.
    run -0 chroot "$DEB/root" loadgen --version
    [[ $output == *liburing* && $output != *without* ]]
    # Removed, it leaves nothing.
    chroot "$DEB/root" apt-get purge -y -qq jostle jostle-doc >/dev/null
    [[ ! -e $DEB/root/usr/lib/jostle && ! -e $DEB/root/usr/share/doc/jostle ]]
}
