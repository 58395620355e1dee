#!/usr/bin/env bats
# The loads on a core's own resources: icache (instruction fetch), tlb (address translation),
# and ports (execution ports). That icache and tlb touch what they say is the kernel's word: it
# notes which pages were accessed.
# shellcheck disable=SC2016 # jq programs

load helpers
load loadgen
bats_require_minimum_version 1.5.0

setup() {
    export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
}

teardown() {
    [[ -z ${LOAD_PID:-} ]] || kill -KILL "$LOAD_PID" 2>/dev/null || true
}

# referenced PATTERN: sets REPLY to the KiB of mappings whose head line in smaps fits the
# pattern that were accessed since they were last cleared, and clears them.
referenced() {
    REPLY=$(awk -v pattern="$1" '
        /^[0-9a-f]+-[0-9a-f]+ / { inside = $0 ~ pattern }
        inside && $1 == "Referenced:" { sum += $2 }
        END { print sum + 0 }' "/proc/$LOAD_PID/smaps")
    echo 1 >"/proc/$LOAD_PID/clear_refs"
}

# touches PATTERN KIB: nothing of such mappings is accessed while the load is
# paused, and so much once it has run.
touches() {
    load_expect ready
    referenced "$1"
    referenced "$1"
    [[ $REPLY -eq 0 ]]
    load_resume
    load_operates
    load_say pause
    load_expect paused
    referenced "$1"
    [[ $REPLY -eq $2 ]]
}

@test "icache executes all of its footprint, and no memory is both writable and executable" {
    load_start icache --footprint 256K
    touches ' r-xp 00000000 00:00 0 *$' 256
    run ! grep -q '^[0-9a-f-]* .wx' "/proc/$LOAD_PID/maps"
    load_end
    load_holds '.achieved > 0 and .unit == "ops/s"'
}

# bats test_tags=measures
@test "tlb says where it has no effect by its own proof, and only there" {
    local try times
    for try in {1..10}; do
        run -0 "$BIN/loadgen" tlb --pages 16 --duration 50ms
        [[ $output =~ operations\),\ ([0-9.]+)\ times\ that\ of\ 16\ pages ]]
        times=${BASH_REMATCH[1]}
        # 1.1 is the limit. The lines of both sets of pages may collide in the caches.
        case $times in
            1.0 | 0.*) [[ $output == *'jostle: 16 pages have no effect here: a read takes '*' times as long as in 16: give --level stlb, or more --pages'* ]] ;;
            1.1) ;;
            *) [[ $output != *'no effect'* ]] ;;
        esac || {
            echo "try $try: $times times"
            return 1
        }
    done
}

@test "tlb reads each of its pages, which are a few in memory" {
    load_start tlb --pages 1000
    touches '/memfd:tlb ' $((1000 * $(getconf PAGESIZE) / 1024))
    awk '/^[0-9a-f]+-[0-9a-f]+ / { inside = /memfd:tlb / } inside && $1 == "Pss:" { sum += $2 } END { exit sum > 1000 }' \
        "/proc/$LOAD_PID/smaps"
    load_end
}

farther_is_slower() {
    holds -s '.[1].ns_per_touch > 1.5 * .[0].ns_per_touch' < <(
        "$BIN/loadgen" icache --footprint l1i --duration 0.1 --json | tail -n 1
        "$BIN/loadgen" icache --footprint l2 --duration 0.1 --json | tail -n 1
    )
}

# slower_than_fitting LOAD: what it does is slower than what fits, and by what it says.
slower_than_fitting() {
    "$BIN/loadgen" "$1" --duration 0.15 --json | tail -n 1 | holds '.times_fitting > 1.2 and .ns_per_touch > 0
        and (.ns_per_touch / .ns_per_touch_fitting / .times_fitting - 1 | fabs) < 0.01'
}

# bats test_tags=measures
@test "a fetch or a read takes longer than one that fits, and more so the farther it is beyond" {
    local words
    for words in 'icache' 'tlb'; do
        in_tries 5 slower_than_fitting "$words"
    done
    in_tries 5 farther_is_slower
}

additions_beat_multiplications() {
    local kind
    holds -s 'length == 2 and all(.instructions_per_cycle > 0.3 and .clock_hz > 1e8 and .unit == "ops/s"
            and (.per_cycle_possible == null or .instructions_per_cycle < 1.2 * .per_cycle_possible))
        and .[0].instructions_per_cycle > 1.5 * .[1].instructions_per_cycle' < <(
        for kind in int int-mul; do "$BIN/loadgen" ports --kind "$kind" --duration 0.1 --json | tail -n 1; done
    )
}

# bats test_tags=measures
@test "ports starts several additions a cycle, fewer multiplications, and no more than there are ports" {
    local kind
    in_tries 5 additions_beat_multiplications
    for kind in fp fp-add fp-mul shuffle all; do
        "$BIN/loadgen" ports --kind "$kind" --duration 0.02 --json | holds -s '.[0].kind == $kind and .[-1].achieved > 0' --arg kind "$kind"
    done
}

# limit_is_kept LOAD: in a short run. What a worker owes that is held up right before the end is in no figure.
limit_is_kept() {
    local lines
    lines=$("$BIN/loadgen" "$1" --limit 50M --duration 0.15 --json) &&
        tail -n 1 <<<"$lines" | kept "$(head -n 1 <<<"$lines" | jq '.chunk_touches // .chunk_instructions')" 10
}

# bats test_tags=measures
@test "their limits are kept, also a new one under control" {
    local load
    for load in icache tlb ports; do
        in_tries 3 limit_is_kept "$load"
    done
    load_start tlb --limit 10M
    load_expect ready
    load_holds '.rate == 1e7 and .chunk_touches == 32768'
    load_resume
    load_say rate 30M
    load_keeps 0.3 32768 10
    load_holds '(.offered / 3e7 - 1 | fabs) < 0.1'
    load_end
}

@test "icache names the reason where the kernel refuses executable memory" {
    # PR_SET_MDWE with PR_MDWE_REFUSE_EXEC_GAIN, since Linux 6.3; it outlives exec.
    local number
    case $(uname -m) in
        x86_64) number=157 ;;
        aarch64) number=167 ;;
        *) skip 'the number of prctl is not known here' ;;
    esac
    type -P perl >/dev/null || skip 'perl is not installed'
    perl -e 'exit syscall($ARGV[0], 65, 1, 0, 0, 0) != 0' "$number" || skip 'this kernel has no PR_SET_MDWE'
    run -1 --separate-stderr perl -e 'syscall(shift(@ARGV) + 0, 65, 1, 0, 0, 0); exec @ARGV' "$number" \
        "$BIN/loadgen" icache --duration 0.1
    # shellcheck disable=SC2154 # bats sets it
    [[ $stderr == 'jostle: '*'executable'*'SELinux: execmem'* && ${#stderr_lines[@]} -eq 1 ]]
}

# evicted SAMPLES: 0 when each load made its own probe slower by far, and icache not that of data.
evicted() {
    awk -F'\t' '
        { pair = $1 " on " $2 }
        !(pair in after) || $4 < after[pair] { after[pair] = $4 }
        !($2 in warm) || $3 < warm[$2] { warm[$2] = $3 }
        function times(load, probe) { return after[load " on " probe] / warm[probe] }
        END {
            for (pair in after) print pair, after[pair]
            exit !(times("icache", "L1i") > 1.5 && times("cache l2", "L1d") > 2 && times("tlb stlb", "STLB") > 1.2 &&
                times("icache", "L1d") < times("cache l2", "L1d") / 1.5)
        }' "$1"
}

# bats test_tags=measures
@test "each evicts what it is said to evict, and icache leaves data where they are" {
    type -P cc >/dev/null || skip 'cc is not installed'
    ! sanitized || skip 'a build with sanitizers is too slow'
    "$ROOT/bats-tests/evidence/purity-core" --build "$BATS_TEST_TMPDIR/turns"
    : >"$BATS_TEST_TMPDIR/samples"
    # A guest of the same host may evict as well: the least of several counts.
    local tries=0
    while ((tries++ < 6)) && ! evicted "$BATS_TEST_TMPDIR/samples" >/dev/null; do
        "$BATS_TEST_TMPDIR/turns" 0 'cache l2' icache 'tlb stlb' >>"$BATS_TEST_TMPDIR/samples"
    done
    evicted "$BATS_TEST_TMPDIR/samples"
}

@test "what cannot be is refused" {
    local words
    while read -r words; do
        # shellcheck disable=SC2086 # words
        run -2 "$BIN/loadgen" $words --duration 1
        [[ $output == jostle:\ * && ${#lines[@]} -eq 1 ]]
    done <<'END'
icache --footprint 1
icache --footprint 65M
icache --footprint l4
icache --footprint -5%
icache --limit 5MB/s
tlb --pages 0
tlb --pages 100000
tlb --pages 100 --level dtlb
tlb --level l1
tlb 5
ports --kind vector
ports --limit 5MB/s
END
}
