#!/usr/bin/env bats
# A build without the optional libraries: what is lost is said, everything else works as it does with them.

load ../helpers

setup_file() {
    export WITHOUT_BUILD=$BATS_FILE_TMPDIR/build
    cp -a "$BUILD" "$WITHOUT_BUILD"
    make -C "$ROOT" -j2 BUILD="$WITHOUT_BUILD" WITHOUT='liburing jemalloc' >"$BATS_FILE_TMPDIR/log" 2>&1
}

setup() {
    LESS=$WITHOUT_BUILD/bin
    cd "$BATS_TEST_TMPDIR" || return
}

@test "make install installs what was built, and a dry run changes nothing of it" {
    make -C "$ROOT" BUILD="$WITHOUT_BUILD" PREFIX="$PWD/prefix" install >log 2>&1
    run -1 grep -c ' -c -o ' log
    prefix/bin/loadgen --version | grep -q '^without: jemalloc (.*liburing ('
    cp "$WITHOUT_BUILD/kept.mk" kept
    make -C "$ROOT" -n BUILD="$WITHOUT_BUILD" WITHOUT= all >/dev/null
    cmp kept "$WITHOUT_BUILD/kept.mk"
}

@test "without the libraries it builds without a warning, and links none of them" {
    ! grep -E 'warning:|error:' "$BATS_FILE_TMPDIR/log" || false
    local program
    for program in "$LESS"/*; do
        ! ldd "$program" 2>/dev/null | grep -E 'uring|jemalloc' || false
    done
}

@test "without the libraries: loadgen and doctor say what is lost" {
    run -0 "$LESS/loadgen" --version
    [[ ${lines[2]} == "without: jemalloc (alloc has only glibc's allocator), liburing (io --depth runs threads)" ]]
    "$LESS/doctor" --quick | grep -q '^ok       libraries        built without jemalloc (.*: install them'
}

@test "without liburing and jemalloc: threads and glibc do it, and jemalloc by name is refused" {
    run -0 --separate-stderr "$LESS/loadgen" io --file-size 8M --depth 4 --duration 100ms
    [[ ${stderr:-} == 'jostle: io_uring cannot be used here (built without liburing): 4 threads instead of a depth of 4' ]]
    "$LESS/loadgen" alloc --duration 100ms --json | holds -s '.[0].allocator == "glibc" and .[-1].achieved > 0'
    run -2 "$LESS/loadgen" alloc --allocator jemalloc
    [[ $output == 'jostle: --allocator jemalloc: not in this build: give glibc, or '* ]]
}

@test "without the libraries: the tests of loads pass as they do with them" {
    JOSTLE_BUILD=$WITHOUT_BUILD bats --filter-tags '!measures' "$BATS_TEST_DIRNAME"/../{loadgen-alloc,loadgen-io}.bats
}

@test "nothing is imported that glibc has only since 2.29, but what it has renamed and what may be missing" {
    command -v objdump >/dev/null || skip 'binutils is not installed'
    # Functions of mathematics, threads and dlopen were only given new versions; the last two are
    # used where they are there (weak).
    local program known='exp|log|pow|hypot|__libc_start_main|pthread_[a-z_]+|dl[a-z]+|f?l?stat(at)?|mallinfo2|_Fork|sem_[a-z]+|__isoc23_[a-z]+'
    for program in "$BIN"/* "$WORKLOADS"/*; do
        objdump -T "$program" 2>/dev/null | awk '/\*UND\*/ && match($0, /GLIBC_2\.(29|[3-9][0-9])/) { print $NF }'
    done | sort -u | grep -vxE "$known" >newer || true
    diff /dev/null newer
}
