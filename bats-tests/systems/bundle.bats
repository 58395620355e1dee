#!/usr/bin/env bats
# make bundle: one tar for systems that have bash, coreutils, jq and git, and no more.

load ../helpers

setup_file() {
    export BATS_NO_PARALLELIZE_WITHIN_FILE=true
    export FOLDER=$BATS_FILE_TMPDIR SYSTEMS=$BATS_TEST_DIRNAME
    "$ROOT/packaging/bundle" "$BUILD" "$("$JOSTLE" --version | cut -d' ' -f2)" >"$FOLDER/said"
    TAR=$(sed -nE 's/^jostle: (.*\.tar\.xz): .*/\1/p' "$FOLDER/said")
    export TAR
    ((EUID != 0)) || "$SYSTEMS/minimal-root" "$FOLDER/root"
}

setup() {
    cd "$BATS_TEST_TMPDIR" || return
}

# unpack FOLDER: puts what is in the tar there, without its top folder.
unpack() {
    mkdir -p "$1"
    tar -xf "$TAR" -C "$1" --strip-components=1
}

@test "the bundle is below 10 MB, its programs are static, and no path of where it was built is needed" {
    local file size
    size=$(stat -c %s "$TAR")
    ((size < 10000000))
    unpack here
    for file in here/lib/jostle/build/{bin,workloads}/*; do
        [[ $(file -bL "$file") == *'statically linked'* ]]
    done
    [[ -s here/share/doc/jostle/licences/libgsl && -s here/share/man/man1/jostle.1 && -s here/share/jostle/schema/jostle.run.schema.json ]]
    [[ $(here/bin/loadgen --version) != *without* ]]
    # As a release has it, for the action.
    (cd "${TAR%/*}" && sha256sum --quiet -c "jostle-linux-$(uname -m).tar.xz.sha256")
    cmp "$TAR" "${TAR%/*}/jostle-linux-$(uname -m).tar.xz"
}

@test "the bundle is the same when it is built again" {
    cp "$TAR" first
    "$ROOT/packaging/bundle" "$BUILD" "$("$JOSTLE" --version | cut -d' ' -f2)"
    cmp first "$TAR"
}

@test "with bash, coreutils, jq and git alone every command works, from a folder with spaces" {
    ((EUID == 0)) || skip 'only root can make a root'
    unpack "$FOLDER/root/my tools/jostle"
    cp "$SYSTEMS/every-command" "$FOLDER/root/"
    run "$SYSTEMS/minimal-root" --enter "$FOLDER/root" bash -c 'cd /data && /every-command "/my tools/jostle/bin/jostle" 0.3'
    printf '%s\n' "$output"
    [[ $status -eq 0 ]]
}

@test "the bundle can be moved, and its folder be read-only; names come from /etc/hosts" {
    ((EUID == 0)) || skip 'only root can make a root'
    rm -rf "$FOLDER/root/moved"
    unpack "$FOLDER/root/moved"
    run "$SYSTEMS/minimal-root" --enter "$FOLDER/root" bash -c 'cd /data
        /moved/bin/jostle slowdown --quiet --max-runs 2 --output ro --load "half=cpu --percent 50" -- /moved/lib/jostle/build/workloads/delannoy 8 &&
            /moved/bin/jostle report ro --format csv >/dev/null && [[ ! -w /moved/bin/absent ]] &&
            /moved/bin/loadgen net --listen localhost:0 --duration 100ms'
    printf '%s\n' "$output"
    [[ $status -eq 0 ]]
}

@test "the bundle runs on Debian 11, whose C library is older" {
    ((EUID == 0)) || skip 'only root can make a root'
    command -v mmdebstrap >/dev/null || skip 'mmdebstrap is missing'
    nice mmdebstrap --quiet --variant=essential --include=jq,git bullseye "$FOLDER/bullseye" 2>&1 || skip 'Debian 11 cannot be downloaded'
    unpack "$FOLDER/bullseye/opt/jostle"
    cp "$SYSTEMS/every-command" "$FOLDER/bullseye/"
    run "$SYSTEMS/minimal-root" --enter "$FOLDER/bullseye" bash -c 'mkdir /data && cd /data && /every-command /opt/jostle/bin/jostle 0.3'
    printf '%s\n' "$output"
    [[ $status -eq 0 ]]
}
