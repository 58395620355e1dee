#!/usr/bin/env bats
# The image of packaging/Containerfile, built and run by Podman, in what a container may be: with a quota, a
# read-only root, no /sys/fs/cgroup, little memory, no rights. Its base is what debian:bookworm-slim is made from, where
# that itself cannot be had. Needs root (or namespaces), and packages from Debian.

load ../helpers

# All storage of podman is in a folder of our own.
setup_file() {
    export BATS_NO_PARALLELIZE_WITHIN_FILE=true
    export SYSTEMS=$BATS_TEST_DIRNAME IMAGE=localhost/jostle:test FOLDER=${JOSTLE_CONTAINERS:-$BATS_FILE_TMPDIR}
    ((EUID == 0)) || skip_file 'needs root' || return 0
    command -v podman >/dev/null || skip_file 'podman is missing' || return 0
    printf '[storage]\ndriver = "vfs"\ngraphroot = "%s/graph"\nrunroot = "%s/run"\n' "$FOLDER" "$FOLDER" >"$FOLDER/storage.conf"
    export CONTAINERS_STORAGE_CONF=$FOLDER/storage.conf
    engine image exists docker.io/library/debian:bookworm-slim || base_make || skip_file 'Debian slim cannot be had' || return 0
    engine image exists "$IMAGE" ||
        engine build --layers=false --network host --isolation chroot --file "$ROOT/packaging/Containerfile" --build-arg VERSION=test --tag "$IMAGE" "$ROOT" >"$FOLDER/build.log" 2>&1 ||
        {
            tail -n 20 "$FOLDER/build.log" >&2
            return 1
        }
}

setup() {
    skip_as_file
    mkdir -m 777 "$BATS_TEST_TMPDIR/work"
    cd "$BATS_TEST_TMPDIR/work" || return
}

teardown_file() {
    [[ -n ${JOSTLE_CONTAINERS:-} || -z ${CONTAINERS_STORAGE_CONF:-} ]] || engine rmi --all --force >/dev/null 2>&1 || true
}

# engine WORD...: podman. crun takes no machine with cgroups of both versions, so one of them is hidden from it.
engine() {
    # shellcheck disable=SC2016 # expanded there
    unshare --mount bash -c '! mountpoint -q /sys/fs/cgroup/unified || umount /sys/fs/cgroup/unified
        exec podman --cgroup-manager=cgroupfs "$@"' bash "$@"
}

# base_make: makes debian:bookworm-slim as it is made: its packages, and without manuals and translations.
base_make() {
    command -v mmdebstrap >/dev/null &&
        mmdebstrap --quiet --variant=minbase --include=usr-is-merged --hook-dir=/usr/share/mmdebstrap/hooks/merged-usr \
            --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/doc/*' \
            --dpkgopt='path-include=/usr/share/doc/*/copyright' --dpkgopt='path-exclude=/usr/share/locale/*' \
            --dpkgopt='path-exclude=/usr/share/info/*' --dpkgopt='path-exclude=/usr/share/lintian/*' \
            bookworm "$FOLDER/slim.tar" http://deb.debian.org/debian >&2 &&
        engine import "$FOLDER/slim.tar" docker.io/library/debian:bookworm-slim && rm "$FOLDER/slim.tar"
}

# inside OPTION... -- COMMAND...: runs a command of jostle in a container that ends with it.
inside() {
    local -a options=()
    while [[ $1 != -- ]]; do
        options+=("$1")
        shift
    done
    # Not all may raise their limits here.
    engine run --rm --network none --ulimit nofile=1024:1024 --ulimit nproc=1000:1000 "${options[@]}" "$IMAGE" "${@:2}"
}

# every OPTION...: each command works in such a container, or says in one line what is missing.
every() {
    run inside -v "$SYSTEMS/every-command:/every-command:ro" "$@" --entrypoint bash -- -c '/every-command "$(command -v jostle)" 0.3'
    printf '%s\n' "$output"
    [[ $status -eq 0 ]]
}

@test "the image has at most 120 MB, says what it is, and is not root's" {
    local size
    size=$(engine image inspect --format '{{.Size}}' "$IMAGE")
    printf '%s bytes\n' "$size"
    ((size <= 120000000))
    [[ $(engine image inspect --format '{{.Labels}}' "$IMAGE") == *org.opencontainers.image.licenses:MIT* ]]
    [[ $(engine image inspect --format '{{.User}}' "$IMAGE") == jostle ]]
    [[ $(inside -- --version) == 'jostle '* ]]
    [[ $(inside --entrypoint loadgen -- --version) != *without* ]]
}

@test "in a container every command works" {
    every
}

@test "with a CPU quota" {
    every --cpus 0.5
    grep -q 'cgroup leaves 0.50 CPUs' <<<"$output"
}

@test "with a read-only root, and one folder that can be written" {
    every --read-only --read-only-tmpfs=false -v "$PWD:/data" -e TMPDIR=/data -e XDG_CACHE_HOME=/data/cache
}

@test "with a read-only root and nowhere to write what is missing is said in one line" {
    run inside --read-only --read-only-tmpfs=false -- slowdown --load cpu -- true
    [[ $status -eq 1 && ${#lines[@]} -eq 1 && $output == 'jostle: '*': '* ]]
    run inside --read-only --read-only-tmpfs=false --entrypoint loadgen -- io --duration 1
    [[ $status -eq 2 && ${#lines[@]} -eq 1 && $output == 'jostle: '*": name a folder "* ]]
}

@test "without /sys/fs/cgroup" {
    every --mount type=tmpfs,destination=/sys/fs/cgroup
    run inside --mount type=tmpfs,destination=/sys/fs/cgroup -- doctor --quick
    grep -q '^unknown  cgroup-quota ' <<<"$output"
}

@test "with little memory" {
    every --memory 400m
}

@test "as any user, without any capability" {
    every --user 12345:12345 --cap-drop all -v "$PWD:/data"
}

@test "doctor knows the container, its limits, and what seccomp refuses" {
    run inside --cpus 0.5 --memory 256m -- doctor --quick
    printf '%s\n' "$output"
    grep -q '^ok       container .*Podman (/run/.containerenv)' <<<"$output"
    grep -q '^warn     cgroup-quota .*0.50 CPUs' <<<"$output"
    grep -q '^warn     memory-limit .*256 MiB' <<<"$output"
    grep -q '^warn     system-calls .*io_uring .*perf_event_open' <<<"$output"
    run inside --security-opt seccomp=unconfined -- doctor --quick
    grep -q '^ok       system-calls ' <<<"$output"
}
