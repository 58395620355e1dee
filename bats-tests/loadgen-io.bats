#!/usr/bin/env bats
# loadgen io: rates, records, the work file, the data path.
# shellcheck disable=SC2010,SC2016,SC2030,SC2031 # jq programs; bats runs each test in a subshell
load helpers
load loadgen
load loadgen-io
bats_require_minimum_version 1.5.0

setup() {
    disk_setup
}

teardown() {
    stop_load
    disk_teardown
}

# start_load OPTION...: a load under control; LOAD_PID, IN and OUT are its own.
# It starts paused, so what follows can look at it before it runs.
start_load() {
    coproc LOAD { exec "$BIN/loadgen" io --control "$@" 2>"$BATS_TEST_TMPDIR/stderr"; }
    PID=$!
    # Duplicates: bash closes its own as soon as the load has ended, with what nobody has read yet.
    local in out
    # shellcheck disable=SC2153 # set by coproc
    in=${LOAD[1]} out=${LOAD[0]}
    exec {IN}>&"$in" {OUT}<&"$out"
    exec {in}>&- {out}<&-
    expect ready
}

# say LINE [EVENT]: a control line, and the reply to it.
say() {
    printf '%s\n' "$1" >&"$IN"
    [[ -z ${2:-} ]] || expect "$2"
}

# expect EVENT: sets REPLY to the next line with EVENT.
expect() {
    local line
    while IFS= read -r -t 60 -u "$OUT" line; do
        if [[ $line == '{"event":"'"$1"'"'* ]]; then
            REPLY=$line
            return 0
        fi
    done
    printf 'no %s came\n' "$1" >&2
    return 1
}

stop_load() {
    [[ -n ${PID:-} ]] || return 0
    kill -KILL "$PID" 2>/dev/null || true
    wait "$PID" 2>/dev/null || true
    PID=''
    exec {IN}>&- {OUT}<&-
}

# summary OPTION...: the summary of a short load.
summary() {
    local -a duration=(--duration 1)
    [[ " $* " != *' --duration '* ]] || duration=()
    "$BIN/loadgen" io --json "${duration[@]}" "$@" 2>/dev/null | tail -n 1
}

# all_differ: 0 when no two pieces of 64 KiB on stdin are alike.
all_differ() {
    perl -e '$/ = \65536; while (<STDIN>) { exit 1 if $seen{$_}++ }'
}

# of_process FIELD: a field of /proc/PID/io.
of_process() {
    awk -v field="$1:" '$1 == field { print $2 }' "/proc/$PID/io"
}

@test "a sequential load takes as much of the disk as its rate and length need, and says so" {
    unset WORKFILE_SIZE
    run -0 "$BIN/loadgen" io --sequential --limit 10MB/s --duration 50ms
    [[ ${lines[0]} == "io: takes 64.0 MiB of $DISK, written before it begins" ]]
    # Under control, where it has no end, it needs what it writes in a minute.
    start_load --sequential --limit 2MB/s --dir "$DISK"
    holds '.file_bytes > 119e6 and .file_bytes <= 120e6' <<<"$REPLY"
}

# delivers CHUNK OPTION...: 0 when a load of these options has delivered its rate, as kept() has it, in chunks of so many
# units; its summary is then in `line`. One operation that is held up at the end is in no figure.
delivers() {
    summary "${@:2}" >"$BATS_TEST_TMPDIR/line" && kept "$1" <"$BATS_TEST_TMPDIR/line"
}

@test "a sequential rate is delivered as given" {
    # What a stall of the disk kept from it is counted.
    in_tries 3 delivers 65536 --sync direct --limit 10M --block-size 64KiB
    holds '.unit == "B/s" and .offered == 10e6' <"$BATS_TEST_TMPDIR/line"
}

# bats test_tags=slow
@test "a rate of ten large blocks a second is delivered as given" {
    in_tries 3 delivers 1048576 --limit 10M --duration 2
    holds '.offered == 10e6 and .block_bytes == 1048576' <"$BATS_TEST_TMPDIR/line"
}

@test "a random rate is in operations, of 512 bytes or the logical block" {
    in_tries 3 delivers 1 --random --sync direct --limit 200iops
    holds '.unit == "ops/s" and .offered == 200 and .block_bytes >= 512 and .claimed_bytes == .operations * .block_bytes' <"$BATS_TEST_TMPDIR/line"
}

@test "threads share one rate" {
    in_tries 3 delivers 1 --random --sync direct --limit 300 --threads 3
    holds '.offered == 300 and .threads == 3' <"$BATS_TEST_TMPDIR/line"
}

# bats test_tags=slow
@test "a rate below one operation a second is neither zero nor a flood" {
    # At 1 s and at 3 s; one that is late by 100 ms is dropped.
    summary --random --limit 0.5 --threads 2 --duration 4 | holds '.operations > 0 and .operations + .dropped == 2'
}

@test "what is claimed was written by this process, and has reached the device" {
    summary --limit 20M --block-size 256KiB |
        holds '.device != "" and .self_bytes >= .claimed_bytes and .self_bytes < 1.02 * .claimed_bytes
            and .device_bytes >= 0.98 * .claimed_bytes and .device_rate > 0'
}

@test "reads come from the device, not from the page cache" {
    summary --read --limit 20M --block-size 256KiB |
        holds '.access == "read" and .self_bytes == .claimed_bytes and .device_bytes >= 0.98 * .claimed_bytes'
}

# cached_reads: 0 when they are counted as a load of their own, of which next to nothing is the device's.
cached_reads() {
    summary --read --cached --limit 20M |
        holds '.load == "io-cached" and .cached and .self_bytes < 0.05 * .claimed_bytes and .warning == null'
}

@test "cached reads are a load of their own, and do not reach the device" {
    # Once more where the kernel has reclaimed pages of the file meanwhile, as it may at any time.
    cached_reads || cached_reads
}

# bats test_tags=measures
@test "writes that stay in the page cache are found out" {
    summary --sync none --limit 50M |
        holds '.sync == "none" and .self_bytes >= 0 and (.warning | test("page cache"))'
}

# written BYTES: 0 when the load has written more than that.
written() {
    [[ $(of_process write_bytes) -gt $1 ]]
}

@test "small blocks through the page cache cost whole pages, and the record shows it" {
    start_load --random --sync data --limit 300
    say resume steady
    # 600 pages: much more than what a journal may add to any load.
    eventually 120 written $(($(of_process write_bytes) + 600 * 4096))
    say quit summary
    holds '.self_bytes >= 4 * .claimed_bytes and (.warning | test("block-size"))' <<<"$REPLY"
}

# largest_mapping FIELD: a field of that mapping of PID that takes most memory, as /proc/PID/smaps has it behind Rss.
largest_mapping() {
    awk -v field="$1:" '
        $1 == "Rss:" { larger = $2 > most; if (larger) most = $2 }
        larger && $1 == field { sub(/^[^:]*: */, ""); found = $0 }
        END { print found }' "/proc/$PID/smaps"
}

@test "buffers lie in ordinary pages, also where the system makes all memory huge" {
    start_load --read --block-size 8M
    holds '.pages == "base"' <<<"$REPLY"
    [[ $(largest_mapping AnonHugePages) == '0 kB' && $(largest_mapping Private_Hugetlb) == '0 kB' ]]
    [[ $(largest_mapping Rss) == '8192 kB' ]] # these are the buffers
    # What the kernel was told, whatever it does of its own.
    [[ ! -d /sys/kernel/mm/transparent_hugepage || $(largest_mapping VmFlags) == *nh* ]]
    say quit
}

@test "--huge has buffers in huge pages, and is refused where there are none" {
    if grep -q '\[never\]' /sys/kernel/mm/transparent_hugepage/enabled && ! grep -q '^HugePages_Free: *[1-9]' /proc/meminfo; then
        run -2 "$BIN/loadgen" io --huge
        [[ $output == *'huge pages are off'* ]]
        return
    fi
    start_load --read --block-size 8M --huge
    holds '.pages != "base"' <<<"$REPLY"
    [[ $(awk '$1 ~ /^(AnonHugePages|Private_Hugetlb):/ { kib += $2 } END { print kib }' "/proc/$PID/smaps") -ge 2048 ]]
    say quit
    run -2 "$BIN/loadgen" io --phases --huge
    [[ $output == *'--phases and --huge: give one of them'* ]]
}

# best_of_both BLOCK: DD and OURS are the best rates of six reads of the work file by dd, and by a load, in turn.
best_of_both() {
    local block=$1 rate
    DD=0 OURS=0
    for _ in {1..6}; do
        rate=$(LC_ALL=C dd if="$DISK/jostle-workfile.$(id -u)" of=/dev/null bs="$block" iflag=direct 2>&1 |
            awk '/copied/ { for (i = 2; i <= NF; i++) if ($i ~ /^s,?$/) printf "%.0f", $1 / $(i - 1) }')
        ((rate <= DD)) || DD=$rate
        rate=$("$BIN/loadgen" io --read --block-size "$block" --keep --duration 0.3 --json 2>/dev/null |
            jq 'select(.event == "summary").bytes_per_s | floor')
        ((rate <= OURS)) || OURS=$rate
    done
    echo "$block: dd $DD B/s, the load $OURS B/s"
}

# bats test_tags=measures, slow
@test "without a limit it reads as fast as dd with the same blocks" {
    export WORKFILE_SIZE=256M
    "$BIN/loadgen" io --keep --duration 0.1 2>/dev/null
    local block
    for block in 1M 64k; do
        best_of_both "$block"
        ((OURS * 10 >= DD * 6 && OURS * 6 <= DD * 10))
    done
}

# bats test_tags=slow
@test "what others write is not taken for the cost of small blocks" {
    # So few that what they cost is less than what a journal may add.
    "$BIN/loadgen" io --random --sync data --limit 100 --duration 1 --json >"$BATS_TEST_TMPDIR/record" 2>/dev/null &
    local load=$!
    eventually 100 grep -q '"ready"' "$BATS_TEST_TMPDIR/record"
    while kill -0 "$load" 2>/dev/null; do
        dd if=/dev/urandom of="$DISK/others" bs=1M count=16 oflag=direct 2>/dev/null
    done
    wait "$load"
    grep '"summary"' "$BATS_TEST_TMPDIR/record" |
        holds '.self_bytes < 1e6 and .device_bytes > 2 * .self_bytes and (.warning | test("other programs use it") and (test("block-size") | not))'
}

# bats test_tags=slow
@test "percentiles are in order, and response is no shorter than service" {
    summary --random --limit 500 | holds '.latency | (.service, .response) as $l |
        $l.p50_ns > 0 and $l.p50_ns <= $l.p90_ns and $l.p90_ns <= $l.p99_ns and
        $l.p99_ns <= $l.p999_ns and $l.p999_ns <= $l.max_ns'
    summary --random --limit 500 | holds '.latency.response.p50_ns >= .latency.service.p50_ns'
}

# bats test_tags=measures
@test "a rate that no disk reaches is dropped and counted, not queued" {
    summary --limit 500G --duration 1 |
        holds '.achieved < 0.95 * .offered and .dropped > 0 and .late > 0
            and .latency.response.max_ns < 2 * .latency.service.max_ns + 3e8'
}

@test "a mix reads and writes in the share given" {
    local read written read_before written_before block
    start_load --random --mix 70 --depth 4 --limit 2000
    block=$(jq .block_bytes <<<"$REPLY")
    read_before=$(of_process read_bytes) written_before=$(of_process write_bytes)
    say resume steady
    # At 300 writes, that is 1000 operations, the standard deviation of the share is 1.4 points.
    eventually 120 written $((written_before + 300 * block))
    say pause paused
    read=$(($(of_process read_bytes) - read_before)) written=$(($(of_process write_bytes) - written_before))
    ((100 * read >= 62 * (read + written) && 100 * read <= 78 * (read + written)))
}

# in_flight COUNT: 0 when a load of depth 16 has had more than that at a time.
in_flight() {
    summary --random --read --depth 16 |
        holds '.operations > 0 and .self_bytes == .claimed_bytes
            and (.latency.service.p50_ns * .achieved / 1e9) > $count' --argjson count "$1"
}

# bats test_tags=slow
@test "a depth above 1 keeps several operations in flight" {
    # Again where the disk has stopped for most of the time, of which the median knows nothing.
    in_tries 3 in_flight 4
}

# moves OPTION...: 0 when a short load with them has moved something. (A worker that got no CPU in all
# its time has not.)
moves() {
    summary --random --duration 0.3 "$@" | holds '.operations > 0 and ($sync == "" or .sync == $sync)' --arg sync "${sync:-}"
}

# bats test_tags=slow
@test "each sync mode works with one and with many in flight" {
    local sync depth
    for sync in direct dsync data none; do
        for depth in 1 4; do
            in_tries 3 moves --sync "$sync" --depth "$depth"
        done
    done
}

# bats test_tags=slow
@test "where io_uring is forbidden, threads do it" {
    cat >"$BATS_TEST_TMPDIR/no.c" <<'END'
int io_uring_queue_init(unsigned entries, void *ring, unsigned flags);
int io_uring_queue_init(unsigned entries, void *ring, unsigned flags)
{
    (void)entries, (void)ring, (void)flags;
    return -1; /* EPERM, as under seccomp */
}
END
    cc -shared -fPIC -o "$BATS_TEST_TMPDIR/no.so" "$BATS_TEST_TMPDIR/no.c"
    asan_option verify_asan_link_order=0
    LD_PRELOAD=$BATS_TEST_TMPDIR/no.so "$BIN/loadgen" io --random --read --depth 8 --duration 0.5 --json \
        >"$BATS_TEST_TMPDIR/out"
    grep '"event":"warning"' "$BATS_TEST_TMPDIR/out" | holds -s 'any(.[]; .message | test("8 threads"))'
    grep '"event":"ready"' "$BATS_TEST_TMPDIR/out" | holds '.path == "threads" and .threads == 8'
    tail -n 1 "$BATS_TEST_TMPDIR/out" | holds '.operations > 0'
}

# rates_are_taken: 0 when a load changes its rate at once, twice.
rates_are_taken() {
    stop_load
    start_load --random --read --cached --limit 1 && # what depends on no disk
        say resume steady && say 'rate 1000' && sleep 0.4 && say 'mark a' mark &&
        # the next one was due after half a second; 300 of 400 ms must be at the new rate
        holds '.operations > 1 and .operations + .dropped >= 250' <<<"$REPLY" &&
        say 'rate 2000' && say 'mark b' mark && sleep 1 && say 'mark c' mark &&
        holds '.offered > 1700 and .offered < 2100 and .achieved > 0 and .achieved + .dropped / .elapsed_s > 0.8 * .offered and .achieved < 1.2 * .offered' <<<"$REPLY"
}

# bats test_tags=measures
@test "a new rate takes effect within 100 ms" {
    in_tries 3 rates_are_taken
    say quit summary
    holds '.operations + .dropped > 1500' <<<"$REPLY"
}

# marked_second: a mark that covers a second, as kept() has it.
marked_second() {
    say 'mark start' mark && sleep 1 && say 'mark end' mark && kept 65536 10 <<<"$REPLY"
}

@test "a mark begins with its two fields, and covers the time since the last one" {
    start_load --sync direct --limit 20M --block-size 64KiB
    say resume steady
    # One of three: what the disk holds up at the end of one is in no figure yet.
    in_tries 3 marked_second
    [[ $REPLY == '{"event":"mark","mark":"end","load":"io",'* ]]
    holds '.elapsed_s > 0.9 and .elapsed_s < 10 and .device_rate > 0' <<<"$REPLY"
}

@test "a paused load does nothing" {
    start_load --random --depth 8
    say resume steady
    eventually 60 written "$(of_process write_bytes)"
    say pause paused
    local before
    before=$(of_process write_bytes)
    sleep 0.5
    [[ $(of_process write_bytes) == "$before" ]]
    say resume steady
    eventually 60 written "$before"
}

@test "the work file has no name, and is gone after the end of file" {
    start_load --random --limit 100
    say resume steady
    [[ -z $(ls -A "$DISK") ]]
    ls -l "/proc/$PID/fd" | grep -q "$DISK.*deleted"
    exec {IN}>&-
    wait "$PID"
    PID=''
    [[ -z $(ls -A "$DISK") ]]
}

@test "nothing is left after SIGKILL, while it runs" {
    start_load --keep --random
    say resume steady
    kill -KILL "$PID"
    wait "$PID" || true
    [[ $(ls -A "$DISK") == "jostle-workfile.$(id -u)" ]] # that was asked for, and is whole
    [[ $(stat -c %s "$DISK/jostle-workfile.$(id -u)") -eq $((64 << 20)) ]]
}

# bats test_tags=measures
@test "nothing is left after SIGKILL in the middle of the file's creation" {
    local free_before
    free_before=$(df --output=avail -k "$DISK" | tail -n 1)
    ((free_before > 5 << 20)) || skip "less than 5 GiB free"
    for _ in 1 2 3; do
        "$BIN/loadgen" io --keep --file-size 4G --duration 1 >/dev/null 2>&1 &
        PID=$!
        sleep 0.15
        kill -KILL "$PID"
        wait "$PID" || true
    done
    PID=''
    [[ -z $(ls -A "$DISK") ]]
    space_is_back() { (($(df --output=avail -k "$DISK" | tail -n 1) > free_before - (2 << 20))); }
    eventually 60 space_is_back
}

@test "SIGTERM in the middle of the file's creation ends the load in order" {
    "$BIN/loadgen" io --keep --file-size 4G --duration 30 --json >"$BATS_TEST_TMPDIR/out" 2>&1 &
    PID=$!
    eventually 60 written 1000000
    kill -TERM "$PID"
    wait "$PID"
    PID=''
    tail -n 1 "$BATS_TEST_TMPDIR/out" | holds '.event == "summary"'
    [[ -z $(ls -A "$DISK") ]]
}

# bats test_tags=slow
@test "the kept file is fully allocated and cannot be compressed" {
    local file
    file=$DISK/jostle-workfile.$(id -u)
    summary --keep --read --duration 0.2 >/dev/null
    [[ $(($(stat -c %b "$file") * 512)) -ge $((64 << 20)) ]]
    [[ $(stat -c %a "$file") == 600 ]]
    [[ $(head -c 8M "$file" | gzip -1 | wc -c) -gt $((8 << 20)) ]]
    # no two pieces of it are alike
    all_differ <"$file"
}

# bats test_tags=slow
@test "files that neighbouring processes make at one time have nothing in common" {
    local i
    local -a loads=()
    for i in 1 2 3 4 5 6; do
        mkdir "$DISK/$i"
        "$BIN/loadgen" io --keep --dir "$DISK/$i" --file-size 8M --read --duration 0.1 --json >/dev/null 2>&1 &
        loads+=($!)
    done
    wait "${loads[@]}"
    [[ $(cat "$DISK"/*/jostle-workfile.* | wc -c) -eq $((6 << 23)) ]]
    cat "$DISK"/*/jostle-workfile.* | all_differ
}

@test "a kept file is used again when it fits, and removed by a start without --keep" {
    local file inode
    file=$DISK/jostle-workfile.$(id -u)
    "$BIN/loadgen" io --keep --duration 0.1 --json 2>&1 | grep '"ready"' | holds '.file_reused | not'
    inode=$(stat -c %i "$file")
    "$BIN/loadgen" io --keep --duration 0.1 --json 2>&1 | grep '"ready"' | holds '.file_reused'
    [[ $(stat -c %i "$file") == "$inode" ]]
    "$BIN/loadgen" io --keep --duration 0.1 --file-size 32M --json 2>&1 | grep '"ready"' | holds '.file_reused | not'
    [[ $(stat -c %s "$file") -eq $((32 << 20)) ]]
    "$BIN/loadgen" io --duration 0.1 --file-size 32M --json 2>&1 | grep '"ready"' | holds '.file_reused'
    [[ -z $(ls -A "$DISK") ]]
}

@test "a kept file that another load uses is left to it" {
    start_load --keep --limit 1M
    "$BIN/loadgen" io --keep --duration 0.2 --json >"$BATS_TEST_TMPDIR/out"
    grep '"event":"warning"' "$BATS_TEST_TMPDIR/out" | holds -s 'any(.[]; .message | test("in use by another load"))'
    grep '"event":"ready"' "$BATS_TEST_TMPDIR/out" | holds '.file_reused | not'
}

@test "a symbolic link in place of the kept file is never followed" {
    local link
    link=$DISK/jostle-workfile.$(id -u)
    printf 'precious' >"$BATS_TEST_TMPDIR/precious"
    ln -s "$BATS_TEST_TMPDIR/precious" "$link"
    run -2 "$BIN/loadgen" io --keep --duration 0.1
    [[ $output == *"not your work file"*"--dir"* ]]
    in_tries 3 moves
    [[ -L $link && $(<"$BATS_TEST_TMPDIR/precious") == precious ]]
}

@test "another user's file is never taken, nor one with a second name" {
    local file
    file=$DISK/jostle-workfile.$(id -u)
    summary --keep --duration 0.1 >/dev/null
    ln "$file" "$DISK/second"
    run -2 "$BIN/loadgen" io --keep --duration 0.1
    rm "$DISK/second"
    chmod g+w "$file"
    run -2 "$BIN/loadgen" io --keep --duration 0.1
    chmod 600 "$file"
    [[ $(id -u) -eq 0 ]] || skip "the rest needs root"
    chown 65534 "$file"
    run -2 "$BIN/loadgen" io --keep --duration 0.1
    [[ $(stat -c %u "$file") -eq 65534 ]]
}

@test "a load continues when its folder is removed" {
    local folder=$DISK/inner
    mkdir "$folder"
    start_load --dir "$folder" --random --limit 200
    say resume steady
    rmdir "$folder"
    say 'mark gone' mark
    operated() { say 'mark later' mark && holds '.operations > 0' <<<"$REPLY"; }
    eventually 60 operated
    say quit summary
    wait "$PID"
    PID=''
}

# bats test_tags=slow
@test "the default random data go everywhere in the file, evenly and beyond 32 bits" {
    cat >"$BATS_TEST_TMPDIR/even.c" <<'END'
#include "io/io.h"
#include <stdio.h>
enum { BINS = 256, DRAWS = 200000 };
int run_end(struct run *run, int status, const char *format, ...) /* nothing may fail */
{
    return (void)run, (void)status, puts(format), -1;
}
int main(void)
{
    struct io_plan plan = {.file_bytes = 1ull << 45, .block_bytes = 512, .random = true, .depth = 1,
                           .streams = 1, .read_percent = 100};
    struct io_stream stream;
    static double bins[BINS];
    double chi = 0;
    if (io_stream_open(NULL, &stream, &plan, 0) != 0)
        return 2;
    for (int i = 0; i < DRAWS; i++) {
        struct io_request request = io_stream_next(&stream, 0);
        if (request.offset_bytes % 512 != 0 || request.offset_bytes >= plan.file_bytes)
            return 3;
        bins[request.offset_bytes >> 37]++;
    }
    for (int i = 0; i < BINS; i++)
        chi += (bins[i] - (double)DRAWS / BINS) * (bins[i] - (double)DRAWS / BINS) / ((double)DRAWS / BINS);
    printf("%.0f\n", chi);
    io_stream_close(&stream);
    return chi > 400; /* 255 degrees of freedom: mean 255, sd 22.6 */
}
END
    # Without what fills the file, which needs all of the frame.
    cc -std=gnu17 -D_GNU_SOURCE -I"$ROOT" -I"$ROOT/loadgen" -DWITHOUT_liburing -ffunction-sections -Wl,--gc-sections \
        -o "$BATS_TEST_TMPDIR/even" "$BATS_TEST_TMPDIR/even.c" "$ROOT"/loadgen/{core/pages,io/path,io/fill,threads}.c "$BIN/../libcommon.a" -pthread -lm
    "$BATS_TEST_TMPDIR/even"
}

@test "the options, with their defaults, are in --help" {
    run -0 "$BIN/loadgen" io --help
    local option
    for option in sequential random read write mix block-size depth sync dir file-size keep cached \
        sparse huge phases char-size seeks allow-memory calib calibration limit threads duration; do
        [[ $output == *"--$option"* ]]
    done
    [[ $output == *"8 GiB"* && $output == *dsync* ]]
}
