#!/usr/bin/env bats
# aarch64: built by Debian's cross compiler against Debian's packages of arm64, looked at in the
# disassembly, and run by QEMU as if this machine ran such programs (aarch64-machine). Rates
# under QEMU mean nothing, so none is looked at.
#
# SYSROOT=FOLDER and QEMU=FILE use what is there already; AARCH64_BUILD=FOLDER keeps the build.
# bats file_tags=slow

load ../helpers

readonly DEBIAN=http://deb.debian.org/debian
readonly PACKAGES=libc6-dev,libuv1-dev,libhwloc-dev,liburing-dev,libjansson-dev,libjemalloc-dev,libgsl-dev,libgcrypt20-dev

setup_file() {
    [[ $(id -u) -eq 0 ]] || skip_file 'root is needed, for namespaces' || return 0
    command -v aarch64-linux-gnu-gcc aarch64-linux-gnu-objdump >/dev/null || skip_file 'no cross compiler: install gcc-aarch64-linux-gnu' || return 0
    command -v mmdebstrap >/dev/null || skip_file 'no mmdebstrap' || return 0
    # Not in the tests' folder, which may be in memory: 160 MB, 90 MB, and 120 MB of a build.
    KEPT=$(mktemp -d /var/tmp/jostle-aarch64.XXXXXX)
    export KEPT
    [[ -n ${SYSROOT:-} ]] || root_of arm64 bookworm sysroot "$PACKAGES" || return 0
    # QEMU 7.2 of Debian 12 does not know prctl(PR_SET_CHILD_SUBREAPER), which meter and keeper need.
    [[ -n ${QEMU:-} ]] || root_of amd64 trixie qemu qemu-user-static || return 0
    export SYSROOT=${SYSROOT:-$KEPT/sysroot} JOSTLE_QEMU=${QEMU:-$KEPT/qemu/usr/bin/qemu-aarch64-static}
    export AARCH64_BUILD=${AARCH64_BUILD:-$KEPT/build}
    make --no-print-directory -s -j"$(nproc)" -C "$ROOT" BUILD="$AARCH64_BUILD" CC=aarch64-linux-gnu-gcc CFLAGS="-O2 -g --sysroot=$SYSROOT" all >&2
}

setup() {
    skip_as_file
}

teardown_file() {
    [[ -z ${KEPT:-} ]] || rm -rf -- "$KEPT"
}

# root_of ARCHITECTURE SUITE FOLDER PACKAGES: unpacked in $KEPT/FOLDER.
root_of() {
    mmdebstrap --quiet --arch="$1" --variant=extract --include="$4" "$2" "$KEPT/$3" "$DEBIAN" >&2 || skip_file "$DEBIAN cannot be reached"
}

# on_arm WORD...: runs it where programs of aarch64 run.
on_arm() {
    JOSTLE_BUILD=$AARCH64_BUILD BIN=$AARCH64_BUILD/bin "$BATS_TEST_DIRNAME/aarch64-machine" "$SYSROOT" "$@"
}

# instructions OBJECT FUNCTION: its instructions, a line each: "ldp q0, q1, [x1]".
instructions() {
    aarch64-linux-gnu-objdump -d --no-show-raw-insn --disassemble="$2" "$AARCH64_BUILD/obj/loadgen/$1" |
        sed -nE 's/^ +[0-9a-f]+:\t//p' | tr '\t' ' '
}

# among TEXT PATTERN: how many of its lines match.
among() {
    grep -cE "$2" <<<"$1" || true
}

@test "aarch64: the compiler's name is enough to build everything, with all libraries" {
    local program
    for program in "$AARCH64_BUILD"/bin/* "$AARCH64_BUILD"/workloads/*; do
        [[ $(aarch64-linux-gnu-objdump -f "$program") == *'architecture: aarch64'* ]]
    done
    run -0 on_arm "$AARCH64_BUILD/bin/loadgen" --version
    [[ $output == *liburing* && $output == *jemalloc* && $output == *hwloc* && $output != *without* ]]
}

@test "aarch64: memory is moved by pairs of vectors of NEON, non-temporal by STNP, and nothing by single values" {
    local kernel code
    for kernel in copy scale add triad read_all write_all stream_copy stream_scale stream_add stream_triad stream_write; do
        code=$(instructions mem/widths.o "mem_neon_$kernel")
        case $kernel in
            stream_*) [[ $(among "$code" '^stnp q') -eq 2 && $(among "$code" '^stp q') -eq 0 ]] ;;
            read_all) [[ $(among "$code" '^ldp q') -eq 4 ]] ;;
            *) [[ $(among "$code" '^stp q') -eq 2 && $(among "$code" '^stnp') -eq 0 ]] ;;
        esac
        case $kernel in
            *copy | *scale) [[ $(among "$code" '^ldp q') -eq 2 ]] ;;
            *add | *triad) [[ $(among "$code" '^ldp q') -eq 4 ]] ;;
        esac
        [[ $(among "$code" '^(ldu?r|stu?r) [dsxw]') -eq 0 ]]
    done
    [[ $(among "$(instructions mem/widths.o mem_neon_triad)" '^fmla v[0-9]+\.2d') -eq 4 ]]
}

@test "aarch64: memory is moved by vectors of SVE, non-temporal by STNT1D" {
    local kernel code
    for kernel in copy scale add triad write_all stream_copy stream_scale stream_add stream_triad stream_write; do
        code=$(instructions mem/widths.o "mem_sve_$kernel")
        # Four of a turn, and one of what is left of a block.
        case $kernel in
            stream_*) [[ $(among "$code" '^stnt1d \{z') -eq 5 && $(among "$code" '^st1d') -eq 0 ]] ;;
            *) [[ $(among "$code" '^st1d \{z') -eq 5 && $(among "$code" '^stnt1d') -eq 0 ]] ;;
        esac
        case $kernel in
            *copy | *scale) [[ $(among "$code" '^ld1d \{z') -eq 5 ]] ;;
            *add | *triad) [[ $(among "$code" '^ld1d \{z') -eq 10 ]] ;;
        esac
        [[ $(among "$code" '^(ldu?r|stu?r) [dsxwq]') -eq 0 ]]
    done
    [[ $(among "$(instructions mem/widths.o mem_sve_read_all)" '^ld1d \{z') -eq 9 ]]
}

# only OBJECT FUNCTION COUNT PATTERN: its inner loop is so many instructions that match, but for
# counting down and branching.
only() {
    local loop
    # To the first branch back behind one of them, from where its turns are set.
    loop=$(instructions "$1" "$2" | sed -E "/$4/,/^b\\.ne/!b; /^b\\.ne/q" | tac | sed -E '/^mov w[0-9]+, #/q' | tac | tail -n +2)
    [[ $(among "$loop" "$4") -eq $3 && $(grep -cvE "$4|^(subs?|cmp|nop|b\.[a-z]+)( |$)" <<<"$loop") -eq 0 ]] || {
        printf '%s %s:\n%s\n' "$1" "$2" "$(sort <<<"$loop" | uniq -c | sort -rn | head -n 20)" >&2
        return 1
    }
}

@test "aarch64: arithmetic is one vector instruction a step, and there is nothing else in its loop" {
    local type
    # 16 times 20 values of floating point, 12 of whole numbers.
    for type in double.2d single.4s; do
        only ops/widths.o "ops_neon_run_${type%.*}" 320 "^fmla v[0-9]+\.${type#*.}"
    done
    only ops/widths.o ops_neon_half_run_half 320 '^fmla v[0-9]+\.8h'
    for type in double.d single.s half.h; do
        only ops/widths.o "ops_sve_run_${type%.*}" 320 "^fmla z[0-9]+\.${type#*.}, p"
    done
    for type in int8.16b int16.8h int32.4s int64.2d; do
        only ops/widths.o "ops_neon_run_${type%.*}" 192 "^add v[0-9]+\.${type#*.}, v"
    done
    for type in int8.b int16.h int32.s int64.d; do
        only ops/widths.o "ops_sve_run_${type%.*}" 192 "^add z[0-9]+\.${type#*.}, z"
    done
    only ops/widths.o ops_scalar_run_double 320 '^fmadd d'
    only ops/widths.o ops_scalar_run_int64 128 '^add x'
}

@test "aarch64: every kernel computes what plain C does, with vectors of each length" {
    local length
    aarch64-linux-gnu-gcc --sysroot="$SYSROOT" -std=gnu17 -D_GNU_SOURCE -I"$ROOT" -I"$ROOT/loadgen" -O2 -o "$KEPT/kernels" \
        "$BATS_TEST_DIRNAME/../fixtures/mem-kernels.c" "$ROOT"/loadgen/mem/{widths,kernels,sweep,valid}.c \
        "$ROOT"/common/processor.c -lm
    for length in 16 32 64 128 256; do
        QEMU_CPU="max,sve-default-vector-length=$length" run -0 on_arm "$KEPT/kernels" simd
        [[ $output == $'sve\nneon\nportable' ]]
    done
    QEMU_CPU=cortex-a72 run -0 on_arm "$KEPT/kernels" simd
    [[ $output == $'neon\nportable' ]]
    run -0 on_arm "$KEPT/kernels" chase
    run -0 on_arm "$KEPT/kernels" valid
}

# computes SIMD BYTES TYPE...: loadgen ops ends well with each type, in vectors of so many bytes, and
# with status 1 where something else than what is right is expected.
computes() {
    local type
    # shellcheck disable=SC2016 # expanded by the other shell
    on_arm bash -c 'for type in "${@:2}"; do
        "$BIN/loadgen" ops --json --simd "$1" --type "$type" --threads 1 --duration 1ms >out
        right=$?
        "$BIN/loadgen" ops --json --simd "$1" --type "$type" --threads 1 --spoil >/dev/null 2>&1
        printf "%s %d %d %s\n" "$type" "$right" "$?" "$(grep -o "\"lanes\":[0-9]*" out)"
    done' bash "$1" "${@:3}" >"$BATS_TEST_TMPDIR/found"
    for type in "${@:3}"; do
        case $type in
            int8) printf '%s 0 1 "lanes":%d\n' "$type" "$2" ;;
            int16 | half) printf '%s 0 1 "lanes":%d\n' "$type" $(($2 / 2)) ;;
            int32 | single) printf '%s 0 1 "lanes":%d\n' "$type" $(($2 / 4)) ;;
            *) printf '%s 0 1 "lanes":%d\n' "$type" $(($2 / 8)) ;;
        esac
    done | diff - "$BATS_TEST_TMPDIR/found"
}

@test "aarch64: arithmetic is right with vectors of each length, and its check sees a wrong result" {
    local length
    cd "$BATS_TEST_TMPDIR"
    for length in 16 32 64 128 256; do
        QEMU_CPU="max,sve-default-vector-length=$length" computes sve "$length" int8 int16 int32 int64 half single double
    done
    QEMU_CPU=max computes neon 16 int8 int16 int32 int64 half single double
    QEMU_CPU=cortex-a72 computes portable 16 int8 int16 int32 int64 single double
}

@test "aarch64: vectors are the widest that the CPU has: NEON beside SVE of 16 bytes" {
    local pair
    for pair in 16:neon 32:sve 64:sve; do
        QEMU_CPU="max,sve-default-vector-length=${pair%:*}" run -0 on_arm "$AARCH64_BUILD/bin/loadgen" mem --kernel copy --footprint 1MiB --threads 1 --duration 1ms --json
        [[ $output == *'"simd":"'"${pair#*:}"'"'* ]]
        QEMU_CPU="max,sve-default-vector-length=${pair%:*}" run -0 on_arm "$AARCH64_BUILD/bin/loadgen" ops --type half --threads 1 --duration 1ms --json
        [[ $output == *'"simd":"'"${pair#*:}"'"'* ]]
    done
    QEMU_CPU=cortex-a72 run -2 on_arm "$AARCH64_BUILD/bin/loadgen" ops --type half --threads 1 --duration 1ms
    [[ $output == *'does not compute in half precision'* ]]
    QEMU_CPU=cortex-a72 run -2 on_arm "$AARCH64_BUILD/bin/loadgen" mem --simd sve --footprint 1MiB --threads 1
    [[ $output == *'this CPU lacks it: give neon'* ]]
    run -0 on_arm "$AARCH64_BUILD/bin/loadgen" mem --non-temporal --footprint 1MiB --threads 1 --duration 1ms --json
    [[ $output == *'"valid":true'* ]]
}

@test "aarch64: a whole slowdown, its reports, doctor and topology" {
    cd "$BATS_TEST_TMPDIR"
    on_arm "$JOSTLE" slowdown --quiet --min-runs 2 --max-runs 2 --load 'half=cpu --percent 50' --output out -- "$AARCH64_BUILD/workloads/delannoy" 6
    holds '.slowdowns | length == 1 and all(.[]; .ratio > 0)' <out/result.json
    holds '.environment.architecture == "aarch64"' <out/experiment.json
    on_arm "$JOSTLE" report out >table
    # What was measured there is read here.
    "$JOSTLE" report out | diff - table
    on_arm "$JOSTLE" doctor --quick --json | holds '.environment.architecture == "aarch64" and (.findings | length > 20)'
    on_arm "$AARCH64_BUILD/bin/placement" --json --place core | holds '.target_cpus == .load_cpus'
}
