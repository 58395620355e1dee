#!/usr/bin/env bats
# The targets: right results, wrong arguments, and checks that can fail.

bats_require_minimum_version 1.5.0
load helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return
}

# refuses PROGRAM ARGUMENTS...: exit 2 and one line on stderr that names the program and a remedy.
refuses() {
    local status=0 said
    said=$("$WORKLOADS/$1" "${@:2}" 2>&1 >/dev/null) || status=$?
    if [[ $status -ne 2 || $said != "$1: "*": "* || $said == *$'\n'* ]]; then
        printf '%s: exit %d, said: %s\n' "$*" "$status" "$said" >&2
        return 1
    fi
}

# fails_saying TEXT PROGRAM ARGUMENTS...: exit 1 and TEXT in the one line on stderr.
fails_saying() {
    local status=0 said
    said=$("$WORKLOADS/$2" "${@:3}" 2>&1 >/dev/null) || status=$?
    if [[ $status -ne 1 || $said != "$2: "*"$1"* || $said == *$'\n'* ]]; then
        printf '%s: exit %d, said: %s\n' "${*:2}" "$status" "$said" >&2
        return 1
    fi
}

# exhaustive FILE: the least cost over all assignments, found without any bound.
exhaustive() {
    awk '
        function place(i, cost,    p, j, more) {
            if (i == n) {
                if (best == "" || cost < best) best = cost
                return
            }
            for (p = 0; p < n; p++) {
                if (used[p]) continue
                more = flow[i, i] * distance[p, p]
                for (j = 0; j < i; j++)
                    more += flow[i, j] * distance[p, at[j]] + flow[j, i] * distance[at[j], p]
                used[p] = 1
                at[i] = p
                place(i + 1, cost + more)
                used[p] = 0
            }
        }
        { for (f = 1; f <= NF; f++) number[count++] = $f }
        END {
            n = number[0]
            for (i = 0; i < n; i++)
                for (j = 0; j < n; j++) {
                    flow[i, j] = number[1 + i * n + j]
                    distance[i, j] = number[1 + n * n + i * n + j]
                }
            place(0, 0)
            print best
        }' "$1"
}

# random_instance N SEED: asymmetric, with diagonals and negative values; no optimum.
random_instance() {
    awk -v n="$1" -v seed="$2" 'BEGIN {
        srand(seed)
        print n
        for (i = 0; i < 2 * n; i++) {
            for (j = 0; j < n; j++) printf "%d ", int(rand() * 40) - 10
            print ""
        }
    }'
}

# stated FILE: the optimum in an instance's last line.
stated() {
    awk 'NF { last = $2 } END { print last }' "$1"
}

@test "every program explains itself with --help and exits 0" {
    local program
    for program in delannoy mmul nbody qap qapgen filegen filesearch malloctest linpack gemm; do
        run "$WORKLOADS/$program" --help
        [ "$status" -eq 0 ]
        [[ $output == "Usage: $program "* ]]
        [[ $output == *"Exit status: 0"* ]]
    done
}

@test "every program refuses an option that it does not have" {
    local program
    for program in delannoy mmul nbody qap qapgen filegen filesearch malloctest linpack gemm; do
        refuses "$program" --nonsense
        refuses "$program" -z
    done
}

@test "every program fails when its result cannot be written" {
    local -a command
    "$WORKLOADS/qapgen" 4 1 >small.dat
    while read -r -a command; do
        run bash -c '"$@" >/dev/full' - "$WORKLOADS/${command[0]}" "${command[@]:1}"
        [ "$status" -eq 1 ]
        [[ $output == *"cannot write to stdout"* ]]
    done <<<$'delannoy 3\nmmul 5\nnbody 5 5\nqap small.dat\nqapgen 4 1\nfilegen 1 1 1 1\nfilesearch\nmalloctest 1 1 1 1 1'
}

@test "delannoy computes the central Delannoy numbers" {
    run "$WORKLOADS/delannoy" 0
    [ "$output" = "D(0) = 1, verified" ]
    run "$WORKLOADS/delannoy" 10
    [ "$status" -eq 0 ]
    [ "$output" = "D(10) = 8097453, verified" ]
}

# bats test_tags=slow
@test "delannoy's numbers are those of OEIS, also where the program checks them by a recurrence alone" {
    # https://oeis.org/A001850
    local -a d=(1 3 13 63 321 1683 8989 48639 265729 1462563 8097453 45046719)
    local n number
    for n in "${!d[@]}"; do
        [[ $("$WORKLOADS/delannoy" "$n") == "D($n) = ${d[n]}, verified" ]]
    done
    # The largest of them: what the program compares with comes from its own source.
    sed -n '/^static uint64_t known/,/^}/p' "$ROOT/workloads/delannoy.c" >known.c
    printf '#include <stdint.h>\n#include <stdio.h>\n%s\nint main(void)\n{\n    printf("%%lu\\n", (unsigned long)known(22));\n}\n' "$(cat known.c)" |
        "${CC:-cc}" -x c -o known -
    number=$(./known)
    [[ $number == 8443414161166173 ]]
}

# grown: 0 when the CPU time of two more is a multiple.
grown() {
    local small large TIMEFORMAT
    TIMEFORMAT=%U
    small=$({ time "$WORKLOADS/delannoy" 10 >/dev/null; } 2>&1)
    large=$({ time "$WORKLOADS/delannoy" 12 >/dev/null; } 2>&1)
    awk -v small="$small" -v large="$large" 'BEGIN { exit !(large > 8 * small) }'
}

# bats test_tags=slow
@test "delannoy's work grows almost sixfold with N: nothing is remembered" {
    # CPU time of a pair, so that other load on the machine matters little; a host that takes the CPU away
    # from a virtual machine counts as use, too.
    in_tries 5 grown
}

@test "delannoy refuses wrong arguments" {
    refuses delannoy
    refuses delannoy 1 2
    local n
    for n in 23 -1 +1 1x '' ' 1' 1.5 99999999999999999999; do
        refuses delannoy "$n"
    done
}

@test "mmul verifies its product, and its default is 1000" {
    run "$WORKLOADS/mmul" 1
    [ "$output" = "product of size 1, verified" ]
    run "$WORKLOADS/mmul" 77
    [ "$status" -eq 0 ]
    [[ $("$WORKLOADS/mmul" --help) == *"by default 1000"* ]]
}

@test "mmul refuses wrong arguments" {
    refuses mmul 1 2
    local size
    for size in 0 20001 -5 x 10x '' 99999999999999999999; do
        refuses mmul "$size"
    done
}

@test "nbody conserves impulse, with one body, two, and its default number" {
    run "$WORKLOADS/nbody" 1 10
    [ "$status" -eq 0 ]
    run "$WORKLOADS/nbody" 2 10000
    [ "$status" -eq 0 ]
    run "$WORKLOADS/nbody" 1000 2
    [ "$status" -eq 0 ]
    [[ $output == "1000 bodies, 2 steps, impulse off by "*", verified" ]]
}

@test "nbody refuses wrong arguments" {
    refuses nbody 10 10 10
    refuses nbody 0
    refuses nbody 10 0
    refuses nbody ten
    refuses nbody 10 1e3
}

@test "a wrong result is found by every program that can be told to spoil it" {
    fails_saying "came out as 8990, not 8989" delannoy --spoil 6
    local size
    for size in 1 2 50 100; do
        fails_saying "is wrong" mmul --spoil "$size"
    done
    fails_saying "total impulse is off" nbody --spoil 100 10
    fails_saying "total impulse is off" nbody --spoil 1 1
    fails_saying "lost its content" malloctest --spoil 1 1 1 1 1
    fails_saying "lost its content" malloctest --spoil 2 3 100 1 500
    fails_saying "file000001' does not have the content" filegen --spoil 1 2 0 0
    fails_saying "file000002' does not have the content" filegen --spoil 2 3 100 200000
    fails_saying "is not as it was found" filesearch --spoil
}

# bats test_tags=slow
@test "qap proves the stated optimum of the smallest instances shipped" {
    local file
    local -i count=0 largest=13 # make soak has those that take seconds
    for file in "$ROOT"/workloads/instances/*.dat; do
        [[ $(head -n 1 "$file") -le $largest ]] || continue
        run "$WORKLOADS/qap" "$file"
        [ "$status" -eq 0 ]
        [[ $output == "optimum $(stated "$file"), verified"* ]]
        count+=1
    done
    [ "$count" -ge 4 ]
}

# bats test_tags=slow
@test "the instances shipped are what qapgen makes, its proof included" {
    local -a made
    while read -r -a made; do
        "$WORKLOADS/qapgen" "${made[1]}" "${made[2]}" >again.dat
        cmp again.dat "$ROOT/workloads/instances/${made[0]}"
    done < <(sed -n 's/^| \(tree[0-9a-z]*\.dat\) | qapgen \([0-9]*\) \([0-9]*\) |.*/\1 \2 \3/p' \
        "$ROOT/workloads/instances/README.md")
    [ -e again.dat ]
    [ "$(find "$ROOT/workloads/instances" -name '*.dat' | wc -l)" -eq 7 ]
    [ "$(grep -c '^| tree' "$ROOT/workloads/instances/README.md")" -eq 7 ]
}

# bats test_tags=slow
@test "qap, qapgen's proof and exhaustive search agree on trees of 2 to 8" {
    local n seed
    for n in 2 3 4 5 6 7 8; do
        "$WORKLOADS/qapgen" "$n" "$n" >tree.dat
        [ "$(exhaustive tree.dat)" = "$(stated tree.dat)" ]
        "$WORKLOADS/qap" tree.dat
    done
}

# bats test_tags=slow
@test "qap and exhaustive search agree on asymmetric instances with diagonals" {
    local n seed best
    for n in 1 2 3 5 6; do
        for seed in 1 2 3 4; do
            random_instance "$n" "$seed" >random.dat
            best=$(exhaustive random.dat)
            "$WORKLOADS/qap" --optimum "$best" random.dat
            fails_saying "the optimum is $best, not" qap --optimum "$((best - 1))" random.dat
        done
    done
}

@test "qap fails when a file states a wrong optimum, above or below" {
    local instance=$ROOT/workloads/instances/tree10a.dat
    local optimum wrong
    optimum=$(stated "$instance")
    for wrong in $((optimum - 2)) $((optimum + 2)); do
        sed "s/^10 $optimum\$/10 $wrong/" "$instance" >wrong.dat
        fails_saying "the optimum is $optimum, not $wrong" qap wrong.dat
        sed "s/^10 $optimum\$/$wrong/" "$instance" >wrong.dat
        fails_saying "the optimum is $optimum, not $wrong" qap wrong.dat
    done
}

@test "qap takes an optimum from the .sln file, and verifies an assignment that is given" {
    local optimum assignment
    "$WORKLOADS/qapgen" 6 1 >whole.dat
    optimum=$(stated whole.dat)
    assignment=$("$WORKLOADS/qap" whole.dat | sed 's/.*assignment //')
    head -n -1 whole.dat >part.dat
    refuses qap part.dat
    printf '6 %d\n%s\n' "$optimum" "$assignment" >part.sln
    "$WORKLOADS/qap" part.dat
    printf '6 %d\n%s\n' "$((optimum - 1))" "$assignment" >part.sln
    fails_saying "does not have the cost stated" qap part.dat
    printf '6 %d\n1 2 3 4 5\n' "$optimum" >part.sln
    refuses qap part.dat
    printf '6 %d\n1 1 3 4 5 6\n' "$optimum" >part.sln
    fails_saying "does not have the cost stated" qap part.dat
}

@test "qap refuses wrong arguments and files that are no instances" {
    refuses qap
    refuses qap a b
    refuses qap --optimum
    refuses qap --optimum x a
    fails_saying "cannot read 'missing.dat'" qap missing.dat
    fails_saying "cannot read '.'" qap .
    local content
    for content in '' x 0 33 2.5 '2 0 1 1 0 0 1 1' '2 0 1 1 0 0 1 x 0' '1 0 99999999 1 0' '1 5 5 2 25' '1 5 5 x'; do
        printf '%s' "$content" >bad.dat
        refuses qap bad.dat
    done
    for content in '1\n5\n5\n1 25' '1\n5\n5\n25'; do
        # shellcheck disable=SC2059 # with its newlines
        printf "$content" >good.dat
        "$WORKLOADS/qap" good.dat
    done
}

@test "qap solves no other instance than the file has: where numbers are left over, or too few, it says where" {
    local flows=$'0 3 1\n3 0 2\n1 2 0' distances=$'0 1 2\n1 0 4\n2 4 0' header
    printf '3\n\n%s\n\n%s\n' "$flows" "$distances" >right.dat
    best=$(exhaustive right.dat)
    "$WORKLOADS/qap" --optimum "$best" right.dat
    # N twice, as some collections write it, and N with the optimum and the best known cost.
    for header in '3 3' $'3\n3' "3 $best $best" '3 0'; do
        printf '%s\n\n%s\n\n%s\n' "$header" "$flows" "$distances" >more.dat
        refuses qap --optimum "$best" more.dat
        refuses qap more.dat
    done
    printf '3 3\n%s\n%s\n' "$flows" "$distances" >more.dat
    run ! "$WORKLOADS/qap" more.dat
    [[ $output == *'more than N on its first line'* ]]
    # A number more, or less, in a matrix, with and without a solution behind it.
    for header in "${flows/3 1/3 1 7}|$distances" "${flows/3 1/3}|$distances" "$flows|${distances/1 2/1 2 7}" "$flows|${distances/1 2/1}"; do
        printf '3\n%s\n%s\n' "${header%|*}" "${header#*|}" >more.dat
        refuses qap --optimum "$best" more.dat
        printf '3 %d\n' "$best" >>more.dat
        refuses qap --optimum "$best" more.dat
        refuses qap more.dat
    done
    # What --optimum replaces is a solution all the same, or something is wrong with the file.
    for header in 'x' '3 1 1 2' '4 1 1 2 3 4' '3 1 1 2 3 4'; do
        cp right.dat more.dat
        echo "$header" >>more.dat
        refuses qap --optimum "$best" more.dat
    done
    cp right.dat more.dat
    echo "3 $((best + 1)) 1 2 3" >>more.dat
    "$WORKLOADS/qap" --optimum "$best" more.dat
}

@test "qap takes a solution with commas, and with a remark behind the optimum" {
    "$WORKLOADS/qapgen" 6 1 >whole.dat
    optimum=$(stated whole.dat)
    assignment=$("$WORKLOADS/qap" whole.dat | sed 's/.*assignment //')
    head -n -1 whole.dat >part.dat
    for text in "6 $optimum"$'\n'"${assignment// /,}" "6 $optimum (OPT)"$'\n'"$assignment" "6, $optimum (Ro-TS)"$'\n'"${assignment// /, }"; do
        printf '%s\n' "$text" >part.sln
        "$WORKLOADS/qap" part.dat
    done
}

@test "qapgen repeats itself, differs by seed, and refuses wrong arguments" {
    cmp <("$WORKLOADS/qapgen" 7 3) <("$WORKLOADS/qapgen" 7 3)
    run ! cmp -s <("$WORKLOADS/qapgen" 7 3) <("$WORKLOADS/qapgen" 7 4)
    refuses qapgen 7
    refuses qapgen 1 1
    refuses qapgen 17 1
    refuses qapgen 7 -1
    refuses qapgen --largest 0 7 1
    refuses qapgen --largest
}

# digest: a checksum of all paths and contents below ./generated.
digest() {
    (cd generated && find . -type f -print0 | sort -z | xargs -0 sha256sum) | sha256sum
}

@test "filegen writes the files asked for, of the sizes asked for" {
    run "$WORKLOADS/filegen" 3 7 100 5000
    [ "$status" -eq 0 ]
    [ "$(find generated -mindepth 1 -type d | wc -l)" -eq 3 ]
    [ "$(find generated -type f | wc -l)" -eq 21 ]
    [ "$(find generated -type f \( -size -100c -o -size +5000c \) | wc -l)" -eq 0 ]
    [ "$(find generated -type f -printf '%s\n' | sort -u | wc -l)" -gt 10 ]
    [[ $output == "21 files in 3 folders, $(cat generated/*/* | wc -c) bytes, verified" ]]
    # Random content does not compress.
    [ "$(cat generated/*/* | gzip | wc -c)" -gt "$(cat generated/*/* | wc -c)" ]
}

@test "filegen is deterministic by SEED, over what an earlier call left" {
    local first other
    "$WORKLOADS/filegen" 2 5 0 100000 7
    first=$(digest)
    "$WORKLOADS/filegen" 2 5 0 100000 8
    other=$(digest)
    [ "$first" != "$other" ]
    "$WORKLOADS/filegen" 2 5 0 100000 7
    [ "$first" = "$(digest)" ]
    "$WORKLOADS/filegen" 2 5 0 100000 1
    first=$(digest)
    "$WORKLOADS/filegen" 2 5 0 100000
    [ "$first" = "$(digest)" ]
}

@test "filegen refuses wrong arguments" {
    refuses filegen 1 1 1
    refuses filegen 1 1 1 1 1 1
    refuses filegen 0 1 1 1
    refuses filegen 1 0 1 1
    refuses filegen 1 1 2 1
    refuses filegen 1 1 x 1
    refuses filegen 1 1 1 1 seed
    [ ! -e generated ]
}

@test "filegen does not write through links and says where it cannot write" {
    ln -s . generated
    fails_saying "cannot make the folder 'generated'" filegen 1 1 1 1
    rm generated
    mkdir -p generated/dir000000
    ln -s ../../elsewhere generated/dir000000/file000000
    fails_saying "cannot create 'generated/dir000000/file000000'" filegen 1 1 1 1
    [ ! -e elsewhere ]
}

@test "filesearch finds the planted largest file and follows no links" {
    "$WORKLOADS/filegen" 3 5 0 5000
    mkdir -p deep/er outside
    head -c 6000 /dev/zero >"deep/er/the planted one"
    cd deep
    head -c 9000 /dev/zero >../outside/larger
    ln -s ../outside/larger link
    ln -s ../outside folder-link
    run "$WORKLOADS/filesearch"
    [ "$status" -eq 0 ]
    [ "$output" = "./er/the planted one 6000 bytes, largest of 1 files, verified" ]
    cd "$BATS_TEST_TMPDIR"
    run "$WORKLOADS/filesearch"
    [ "$output" = "./outside/larger 9000 bytes, largest of 17 files, verified" ]
    rm outside/larger
    run "$WORKLOADS/filesearch"
    [ "$output" = "./deep/er/the planted one 6000 bytes, largest of 16 files, verified" ]
}

@test "filesearch takes the first path among equals, and empty files count" {
    mkdir a b
    : >b/x
    : >a/y
    run "$WORKLOADS/filesearch"
    [ "$output" = "./a/y 0 bytes, largest of 2 files, verified" ]
}

@test "filesearch fails where there is no file, and refuses arguments" {
    mkdir empty
    cd empty
    fails_saying "no regular file" filesearch
    refuses filesearch x
}

@test "malloctest counts and verifies every allocation" {
    run "$WORKLOADS/malloctest" 2 10 100 1 5000
    [ "$status" -eq 0 ]
    [ "$output" = "2000 allocations, verified" ]
    run "$WORKLOADS/malloctest" 4 3 7 1 16
    [ "$output" = "84 allocations, verified" ]
}

@test "malloctest finds an allocator that hands out the same block twice" {
    ! sanitized || skip "a sanitizer's allocator cannot be replaced"
    cat >broken.c <<'END'
#include <stddef.h>
/* Every large block is the same one; smaller ones are taken from a pool and never given back. */
static _Alignas(16) char same[1 << 16], pool[1 << 22];
static size_t used;
void *malloc(size_t size)
{
    size = (size + 15) & ~(size_t)15;
    if (size == 3008) return same;
    return used + size > sizeof pool ? NULL : pool + (used += size) - size;
}
void *calloc(size_t n, size_t size) { return malloc(n * size); }
void free(void *block) { (void)block; }
END
    cc -shared -fPIC -fno-builtin -O1 -o broken.so broken.c
    run env LD_PRELOAD="$PWD/broken.so" "$WORKLOADS/malloctest" 1 1 10 100 100
    [ "$status" -eq 0 ]
    run env LD_PRELOAD="$PWD/broken.so" "$WORKLOADS/malloctest" 1 1 10 3000 3000
    [ "$status" -eq 1 ]
    [[ $output == *"lost its content"* ]]
}

@test "malloctest refuses wrong arguments" {
    refuses malloctest 1 1 1 1
    refuses malloctest 1 1 1 1 1 1
    refuses malloctest 0 1 1 1 1
    refuses malloctest 5000 1 1 1 1
    refuses malloctest 1 0 1 1 1
    refuses malloctest 1 1 0 1 1
    refuses malloctest 1 1 1 0 1
    refuses malloctest 1 1 1 2 1
    refuses malloctest 1 1 1 1 1k
}

# needs_blas: skips a test where the library of linpack and gemm is not installed.
needs_blas() {
    "$WORKLOADS/gemm" --version >/dev/null 2>&1 || skip 'no BLAS library: apt install libopenblas0'
}

@test "linpack verifies its solution, which is 1 everywhere, by the residual of LINPACK" {
    needs_blas
    # A system of one equation has no rounding: the residual is exactly 0.
    run -0 "$WORKLOADS/linpack" 1
    [[ $output == 'system of size 1 solved, verified: residual 0 (limit 16), |A x - b| 0, largest error 0'$'\n'* ]]
    run -0 "$WORKLOADS/linpack" --threads 1 200
    [[ ${lines[0]} =~ residual\ ([0-9.e-]+)\ .*largest\ error\ ([0-9.e-]+)$ ]]
    awk -v residual="${BASH_REMATCH[1]}" -v error="${BASH_REMATCH[2]}" \
        'BEGIN { exit !(residual > 0 && residual < 16 && error > 0 && error < 1e-8) }'
    # GFLOPS are the usual count of operations by the time that is shown beside them.
    awk '{ off = $1 * 1e9 * $3 / (2 / 3 * 200 ^ 3 + 2 * 200 ^ 2) - 1; exit !(off < 0.02 && off > -0.02) }' <<<"${lines[1]}"
    # The leading dimension changes where columns are, not what is solved.
    run -0 "$WORKLOADS/linpack" --lda 208 --threads 1 200
    [[ ${lines[0]} =~ residual\ ([0-9.e-]+)\ .*\|A\ x\ -\ b\|\ ([0-9.e-]+), ]]
    awk -v scaled="${BASH_REMATCH[1]}" -v plain="${BASH_REMATCH[2]}" \
        'BEGIN { share = plain / scaled / (2 ^ -53 * 200 * 50); exit !(scaled > 0 && scaled < 16 && share > 0.8 && share < 1.6) }'
    refuses linpack --lda 199 200
    fails_saying 'residual of size 200' linpack --spoil 200
    run -1 bash -c '"$1" --version >/dev/full' - "$WORKLOADS/linpack"
    [[ $output == *'cannot write to stdout'* ]]
}

@test "gemm verifies its product in both precisions" {
    local precision
    needs_blas
    for precision in '' --single; do
        # shellcheck disable=SC2086 # none or one
        run -0 "$WORKLOADS/gemm" $precision --threads 1 --repeat 3 100
        awk '{ off = $1 * 1e9 * $3 / (3 * 2 * 100 ^ 3) - 1; exit !(off < 0.02 && off > -0.02) }' <<<"${lines[1]}"
        # shellcheck disable=SC2086
        fails_saying 'product of size 77 is wrong' gemm $precision --spoil 77
    done
}

@test "linpack and gemm refuse wrong arguments, and name a library that is not there" {
    local program
    for program in linpack gemm; do
        refuses "$program" 0
        refuses "$program" 1 2
        refuses "$program" --threads 0 10
        refuses "$program" --threads
        fails_saying 'give another --library' "$program" --library libnone.so.0 10
        fails_saying 'give another --library' "$program" --library libm.so.6 10
    done
    refuses linpack --single 10
}

@test "openloop refuses what it cannot send, and says when nobody listens" {
    refuses openloop 6379 0 100
    refuses openloop 6379 10 100 500
    refuses openloop 6379 10 100 5 PING -1
    refuses openloop --threads 0 6379 10 100
    refuses openloop --threads 3 6379 10 100 2
    fails_saying 'no connection to port 1: ' openloop 1 10 100
}

# printed_of NAME: that figure of openloop, as it was printed.
printed_of() {
    sed -n "s/^$1: \([0-9.e+-]*\).*/\1/p" said
}

# asked THREADS PORT SEED: 8 connections, 500 requests a second for half a second, each of which came to the server and was
# answered; three quarters of them after 20 ms, the others after 600 ms.
asked() {
    local before after
    exec 5<>"/dev/tcp/127.0.0.1/$2"
    echo COUNT >&5
    read -r before <&5
    "$WORKLOADS/openloop" --threads "$1" "$2" 500 500 8 PING "$3" >said
    echo COUNT >&5
    read -r after <&5
    exec 5>&-
    [[ $(printed_of threads) == "$1" && $(printed_of errors) == 0 && $((after - before)) -eq $(printed_of requests) ]]
    awk -v requests="$(printed_of requests)" -v offered="$(printed_of offered)" -v achieved="$(printed_of achieved)" \
        -v p50="$(printed_of p50)" -v p99="$(printed_of p99)" -v max="$(printed_of max)" 'BEGIN {
            exit !(offered == requests / 0.5 && achieved <= offered && p50 >= 20 && p50 < 600 && p99 >= 600 && max >= p99) }'
}

# bats test_tags=slow
@test "openloop: threads share the connections, and make the same requests, whose latencies count alike" {
    local count threads cpus
    type -P python3 >/dev/null || skip 'python3 is missing: make deps-test'
    cd "$BATS_TEST_TMPDIR"
    "$BIN/start" --with-parent TERM -- python3 "$BATS_TEST_DIRNAME/fixtures/late-server.py" port 20 600 3>&- &
    eventually 30 [ -e port ]
    for threads in 1 4 8; do
        asked "$threads" "$(<port)" 3
        [[ ${count:=$(printed_of requests)} -eq $(printed_of requests) ]]
    done
    # A thread is made for each 20000 requests a second, where there are as many CPUs.
    cpus=$(nproc)
    "$WORKLOADS/openloop" "$(<port)" 20000 2 >said
    [[ $(printed_of threads) == 1 ]]
    "$WORKLOADS/openloop" "$(<port)" 20001 2 >said
    [[ $(printed_of threads) == $((cpus < 2 ? cpus : 2)) ]]
    kill "$!"
}
