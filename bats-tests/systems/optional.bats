#!/usr/bin/env bats
# A build without the optional libraries: what is lost is said, everything else works as it does with them.

load ../helpers

setup_file() {
    export WITHOUT_BUILD=$BATS_FILE_TMPDIR/build
    cp -a "$BUILD" "$WITHOUT_BUILD"
    make -C "$ROOT" -j2 BUILD="$WITHOUT_BUILD" WITHOUT='liburing jemalloc hwloc' >"$BATS_FILE_TMPDIR/log" 2>&1
}

setup() {
    LESS=$WITHOUT_BUILD/bin
    cd "$BATS_TEST_TMPDIR" || return
}

# both PROGRAM ARG...: what the program prints in both builds, which has to be the same.
both() {
    diff <("$BIN/$1" "${@:2}" 2>&1) <("$LESS/$1" "${@:2}" 2>&1)
}

# make_cpu CPU CORE PACKAGE: the kernel's description of a hardware thread of a machine with 8 of
# them, below sys. Of core c they are c and c + 4; a package, which is a node too, has two cores.
make_cpu() {
    local folder=sys/devices/system/cpu/cpu$1 index kind
    local core_list="$2,$(($2 + 4))" package_list="$((2 * $3))-$((2 * $3 + 1)),$((2 * $3 + 4))-$((2 * $3 + 5))"
    local core_map package_map
    printf -v core_map %02x $((17 << $2))
    printf -v package_map %02x $((51 << (2 * $3)))
    mkdir -p "$folder/topology"
    printf '%s\n' "$3" >"$folder/topology/physical_package_id"
    printf '%s\n' "$2" >"$folder/topology/core_id"
    printf '%s\n' "$core_list" | tee "$folder/topology/thread_siblings_list" >"$folder/topology/core_cpus_list"
    printf '%s\n' "$core_map" | tee "$folder/topology/thread_siblings" >"$folder/topology/core_cpus"
    printf '%s\n' "$package_list" | tee "$folder/topology/core_siblings_list" >"$folder/topology/package_cpus_list"
    printf '%s\n' "$package_map" | tee "$folder/topology/core_siblings" >"$folder/topology/package_cpus"
    index=0
    for kind in 1:Data:48K 1:Instruction:32K 2:Unified:1024K 3:Unified:16384K; do
        mkdir -p "$folder/cache/index$index"
        IFS=: read -r level type size <<<"$kind"
        printf '%s\n' "$level" >"$folder/cache/index$index/level"
        printf '%s\n' "$type" >"$folder/cache/index$index/type"
        printf '%s\n' "$size" >"$folder/cache/index$index/size"
        printf '%s\n' "$([[ $level == 3 ]] && printf '%s' "$package_map" || printf '%s' "$core_map")" >"$folder/cache/index$index/shared_cpu_map"
        printf '%s\n' "$([[ $level == 3 ]] && printf '%s' "$package_list" || printf '%s' "$core_list")" >"$folder/cache/index$index/shared_cpu_list"
        index=$((index + 1))
    done
}

# make_machine: the kernel's description of 8 hardware threads on 4 cores in 2 packages, below the current folder.
make_machine() {
    local cpu node
    for cpu in {0..7}; do make_cpu "$cpu" $((cpu % 4)) $((cpu % 4 / 2)); done
    for name in online possible present; do printf '0-7\n' >"sys/devices/system/cpu/$name"; done
    for node in 0 1; do
        mkdir -p "sys/devices/system/node/node$node"
        printf '%d-%d,%d-%d\n' $((2 * node)) $((2 * node + 1)) $((2 * node + 4)) $((2 * node + 5)) >"sys/devices/system/node/node$node/cpulist"
        printf '%02x\n' $((51 << (2 * node))) >"sys/devices/system/node/node$node/cpumap"
        printf 'Node %d MemTotal: 1048576 kB\n' "$node" >"sys/devices/system/node/node$node/meminfo"
        printf '10 20\n' >"sys/devices/system/node/node$node/distance"
    done
    printf '0-1\n' >sys/devices/system/node/online
    mkdir proc
    printf 'MemTotal: 2097152 kB\n' >proc/meminfo
    : >proc/cpuinfo
}

@test "make install installs what was built, and a dry run changes nothing of it" {
    make -C "$ROOT" BUILD="$WITHOUT_BUILD" PREFIX="$PWD/prefix" install >log 2>&1
    run -1 grep -c ' -c -o ' log
    prefix/bin/loadgen --version | grep -q '^without: jemalloc (.*hwloc (.*liburing ('
    cp "$WITHOUT_BUILD/kept.mk" kept
    make -C "$ROOT" -n BUILD="$WITHOUT_BUILD" WITHOUT= all >/dev/null
    cmp kept "$WITHOUT_BUILD/kept.mk"
}

@test "without the libraries it builds without a warning, and links none of them" {
    ! grep -E 'warning:|error:' "$BATS_FILE_TMPDIR/log" || false
    local program
    for program in "$LESS"/*; do
        ! ldd "$program" 2>/dev/null | grep -E 'hwloc|uring|jemalloc' || false
    done
}

@test "without the libraries: loadgen and doctor say what is lost" {
    run -0 "$LESS/loadgen" --version
    [[ ${lines[2]} == "without: jemalloc (alloc has only glibc's allocator), hwloc (the topology is what /sys shows), liburing (io --depth runs threads)" ]]
    "$LESS/doctor" --quick | grep -q '^ok       libraries        built without jemalloc (.*: install them'
}

@test "without liburing and jemalloc: threads and glibc do it, and jemalloc by name is refused" {
    run -0 --separate-stderr "$LESS/loadgen" io --file-size 8M --depth 4 --duration 100ms
    [[ ${stderr:-} == 'jostle: io_uring cannot be used here (built without liburing): 4 threads instead of a depth of 4' ]]
    "$LESS/loadgen" alloc --duration 100ms --json | holds -s '.[0].allocator == "glibc" and .[-1].achieved > 0'
    run -2 "$LESS/loadgen" alloc --allocator jemalloc
    [[ $output == 'jostle: --allocator jemalloc: not in this build: give glibc, or '* ]]
}

@test "without hwloc: made-up machines, and this one, are placed on as with it" {
    local machine place
    both placement --json
    for machine in 'node:2 l3:2 core:4 pu:2' 'l3:1 core:2 pu:8' 'package:2 numa:4 l3:1 core:16 pu:2' 'l3:2 node:2 core:2 pu:1' \
        'node:2 package:2 l2:2 core:2 pu:2' 'core:3 pu:1' 'package:1 l3:2 l2:2 core:2 pu:1'; do
        both placement --json --synthetic "$machine"
        for place in core smt l3 node other-node; do
            both placement --json --synthetic "$machine" --place "$place"
            both placement --json --synthetic "$machine" --place "$place" --place-cpus 2:3
        done
    done
    both placement --synthetic 'node:2 nonsense:4'
    both placement --synthetic 'node:2 core:4'
}

@test "without hwloc: what /sys shows of a machine with two nodes is read as hwloc reads it" {
    local place
    make_machine
    seen() { # PLACE
        HWLOC_FSROOT=$PWD HWLOC_COMPONENTS=-x86 "$BIN/placement" --json --place "$1" 2>&1
        JOSTLE_KERNEL_ROOT=$PWD "$LESS/placement" --json --place "$1" 2>&1
    }
    for place in core smt l3 other-node machine; do
        seen "$place" >answers
        [[ $(jq -c '[.target_cpus, .load_cpus, .offers, .machine_cpus, .this_system]' answers | uniq -c | grep -c '^ *2 ') == 1 ]] || {
            cat answers
            return 1
        }
    done
    JOSTLE_KERNEL_ROOT=$PWD "$LESS/placement" --json --place smt | holds '.target_cpus == "0" and .load_cpus == "4"'
    JOSTLE_KERNEL_ROOT=$PWD "$LESS/placement" --json --place other-node | holds '.target_cpus == "0" and .load_cpus == "2"'
}

@test "without the libraries: the tests of places, packs and loads pass as they do with them" {
    JOSTLE_BUILD=$WITHOUT_BUILD bats --filter-tags '!measures' "$BATS_TEST_DIRNAME"/../{placement,pack,jostle-place,loadgen-alloc,loadgen-mem,loadgen-io}.bats
}

@test "nothing is imported that glibc has only since 2.29, but what it has renamed and what may be missing" {
    command -v objdump >/dev/null || skip 'binutils is not installed'
    # Functions of mathematics, threads and dlopen were only given new versions; the last two are
    # used where they are there (weak).
    local program known='exp|log|pow|hypot|__libc_start_main|pthread_[a-z_]+|dl[a-z]+|f?l?stat|mallinfo2|_Fork|sem_[a-z]+|__isoc23_[a-z]+'
    for program in "$BIN"/* "$WORKLOADS"/*; do
        objdump -T "$program" 2>/dev/null | awk '/\*UND\*/ && match($0, /GLIBC_2\.(29|[3-9][0-9])/) { print $NF }'
    done | sort -u | grep -vxE "$known" >newer || true
    diff /dev/null newer
}
