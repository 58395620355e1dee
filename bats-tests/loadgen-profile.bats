#!/usr/bin/env bats
# Profiles: recorded from this machine, replayed on its CPUs by one clock.

load helpers
load loadgen

setup() {
    bats_require_minimum_version 1.5.0
    cd "$BATS_TEST_TMPDIR" || return
    PROFILE=$BATS_TEST_TMPDIR/profile
}

teardown() {
    [[ -z ${LOAD_PID:-} ]] || kill -KILL "$LOAD_PID" 2>/dev/null || true
    [[ -z ${RIVAL:-} ]] || kill -KILL "$RIVAL" 2>/dev/null || true
}

# replay ARGUMENTS...: the events of a replay on one CPU.
replay() {
    run --separate-stderr -0 "$BIN/loadgen" cpu --profile "$PROFILE" --json "$@"
}

# first_cpu: the first CPU that is allowed.
first_cpu() {
    taskset -cp $$ | sed 's/.*: \([0-9]*\).*/\1/'
}

# shellcheck disable=SC2016 # jq: the CPU time that is due after so many seconds of [SECONDS, LEVEL], which repeat
due='def due($spans): . as $t | ($spans | map(.[0]) | add) as $length | ($t / $length | floor) as $laps
    | reduce $spans[] as $span ({at: ($laps * $length), sum: ($laps * ($spans | map(.[0] * .[1]) | add))};
        .sum += ([[$t - .at, $span[0]] | min, 0] | max) * $span[1] | .at += $span[0]) | .sum;'

# delivered OPTION...: 0 when a replay gave what it was asked for, or has dropped it.
delivered() {
    replay "$@" &&
        # What a busy machine withholds is dropped, and counted; of the most it was asked for it may owe
        # 100 ms, also from before.
        holds '(if any(.[]; (.late // 0) > 0) then 0.035 else 0 end) as $owed | all(.[] | select(.event == "interval" or .event == "summary");
            (.achieved * .elapsed_s + .dropped_s - .offered * .elapsed_s | fabs) < 0.02 * .elapsed_s + $owed)' -s <<<"$output"
}

# bats test_tags=slow
@test "a replay follows its profile second by second" {
    printf 'cores: 1\nlength: 4\ntime: 1000 ms\nload: 0.1\ntime: 2000 ms\nload: 0.35\ntime: 3000 ms\nload: 0\ntime: 4000 ms\nload: 0.2\n' >"$PROFILE"
    in_tries 4 delivered --cpus "$(first_cpu)" --interval 1s
    # Whenever an interval ended: what was due in it.
    holds "$due"' [[1, 0.1], [1, 0.35], [1, 0], [1, 0.2]] as $spans | [.[] | select(.event == "interval")] | length >= 3 and
        (reduce .[] as $one ({at: 0, off: []}; .at as $from | ($from + $one.elapsed_s) as $to
            | .off += [$one.offered * $one.elapsed_s - ($to | due($spans)) + ($from | due($spans)) | fabs] | .at = $to) | .off | max < 0.002)' -s <<<"$output"
    # Once, not twice.
    holds '.[-1] | .elapsed_s > 3.9 and .elapsed_s < 7.9' -s <<<"$output"
}

@test "loads of the text format are fractions of a core, and percentages are refused with a hint" {
    printf 'cores: 2\nlength: 2\ntime: 200 ms / load: 0.1373 0.0627\ntime: 400 ms / load: 0.1373 0.0627\n' >"$PROFILE"
    replay --cpus "$(first_cpu)"
    holds '.[-1].offered | . > 0.099 and . < 0.101' -s <<<"$output"
    printf 'cores: 1\ntime: 100 ms\nload: 1.04\n' >"$PROFILE"
    run -0 "$BIN/loadgen" cpu --profile "$PROFILE" --dry-run
    printf 'cores: 1\ntime: 100 ms\nload: 1.06\n' >"$PROFILE"
    run -2 "$BIN/loadgen" cpu --profile "$PROFILE" --dry-run
    [[ $output == 'jostle: --profile '*': line 3: a load outside of 0 to 1: in this format loads are fractions of a core: divide percentages by 100'* ]]
}

@test "a profile that was cut off is refused, after its first span, too" {
    cd "$BATS_TEST_TMPDIR"
    local kept
    printf 'cores: 1\nlength: 5\n' >whole
    printf 'time: 1000 ms\nload: 0.5\n%.0s' 1 2 3 4 5 >>whole
    run -0 "$BIN/loadgen" cpu --profile whole --dry-run
    for kept in 1 2 3 4; do
        head -n $((2 + 2 * kept)) whole >"$PROFILE"
        run -2 "$BIN/loadgen" cpu --profile "$PROFILE" --dry-run
        [[ $output == *'length: differs from what follows, so the file is not whole'* ]]
    done
    # A length in ms of one span, and of stamps of beginnings and of ends.
    for kept in 'length: 1000 ms\ntime: 1000 ms\nload: 0.5\n' 'length: 3000 ms\ntime: 1000\nload: 0\ntime: 2000\nload: 0\ntime: 3000\nload: 0\n' \
        'length: 2000 ms\ntime: 0\nload: 0\ntime: 1000\nload: 0\ntime: 2000\nload: 0\n'; do
        printf 'cores: 1\n%b' "$kept" >"$PROFILE"
        run -0 "$BIN/loadgen" cpu --profile "$PROFILE" --dry-run
    done
}

@test "a stamp alone is no length, and a profile of years is refused" {
    printf 'cores: 2\nlength: 1\ntime: 1353492000000 ms / load: 0 0.01\n' >"$PROFILE"
    run -0 "$BIN/loadgen" cpu --profile "$PROFILE" --duration 50ms
    [[ $output == *'a profile of 2 cores, 1.0 s,'* ]]
    printf 'cores: 1\ntime: 1353492000000 ms / load: 0.1\ntime: 1353492000000 ms / load: 0.2\n' >"$PROFILE"
    run -2 "$BIN/loadgen" cpu --profile "$PROFILE" --dry-run
    [[ $output == 'jostle: --profile '*': line 3: longer than a year in all: its times are neither lengths nor stamps that rise'* ]]
}

@test "a recording states that its loads are percent, an old one need not, another unit is refused" {
    local unit
    for unit in '"unit":"percent",' ''; do
        printf '{"schema":"jostle.profile/1","cores":1,%s"interval_ms":200}\n{"time_ms":200,"load":[13.73]}\n' "$unit" >"$PROFILE"
        replay --cpus "$(first_cpu)"
        holds '.[-1].offered | . > 0.136 and . < 0.139' -s <<<"$output"
    done
    printf '{"schema":"jostle.profile/1","cores":1,"unit":"ticks"}\n{"time_ms":200,"load":[13.73]}\n' >"$PROFILE"
    run -2 "$BIN/loadgen" cpu --profile "$PROFILE" --dry-run
    [[ $output == *'line 1: a unit that is neither "percent" nor "fraction"'* ]]
}

@test "speed shortens a replay and leaves its level" {
    printf 'cores: 1\ntime: 1000 ms\nload: 0.1\ntime: 2000 ms\nload: 0.3\n' >"$PROFILE"
    replay --cpus "$(first_cpu)" --speed 4
    # It ends a moment later, in which it repeats.
    holds "$due"' .[-1] | .elapsed_s > 0.49 and .elapsed_s < 1.9
        and (.offered * .elapsed_s - (.elapsed_s | due([[0.25, 0.1], [0.25, 0.3]])) | fabs) < 0.002' -s <<<"$output"
}

@test "several instances multiply the demand" {
    printf 'cores: 1\ntime: 1000 ms\nload: 0.08\n' >"$PROFILE"
    instances_delivered() {
        replay --cpus "$(first_cpu)" --instances 3 && holds '.[-1] | (.achieved + .dropped_s / .elapsed_s) / .offered > 0.85' -s <<<"$output"
    }
    in_tries 4 instances_delivered
    holds '.[0].threads == 3 and .[0].instances == 3' -s <<<"$output"
    holds '.[-1] | .offered > 0.239 and .offered < 0.241' -s <<<"$output"
}

@test "what a CPU cannot give is dropped, and the clock is kept" {
    printf 'cores: 1\ntime: 1000 ms\nload: 0.9\n' >"$PROFILE"
    replay --cpus "$(first_cpu)" --instances 3
    holds '.[-1] | .offered > 2.6 and .achieved < 1.05 and .dropped > 0 and .elapsed_s < 2.6' -s <<<"$output"
}

@test "more cores than CPUs are averaged or added up, and the mapping is reported" {
    printf 'cores: 4\ntime: 500 ms\nload: 0.1 0.2 0 0.4\n' >"$PROFILE"
    replay --cpus "$(first_cpu)"
    holds '.[0].mapping == [{cpu: .[0].mapping[0].cpu, cores: "0-3"}] and .[0].threads == 1' -s <<<"$output"
    holds '.[-1].offered | . > 0.174 and . < 0.176' -s <<<"$output"
    replay --cpus "$(first_cpu)" --map demand
    holds '.[0].threads == 4 and (.[0].mapping | map(.cores)) == ["0-0", "1-1", "2-2", "3-3"]' -s <<<"$output"
    holds '.[-1].offered | . > 0.699 and . < 0.701' -s <<<"$output"
    run -0 "$BIN/loadgen" cpu --profile "$PROFILE" --cpus "$(first_cpu)"
    [[ $output == *"does what the mean of cores 0 to 3 did"* ]]
}

@test "fewer cores than CPUs are repeated, or leave CPUs idle" {
    [ "$(nproc)" -ge 2 ] || skip "needs two CPUs"
    printf 'cores: 1\ntime: 300 ms\nload: 0.2\n' >"$PROFILE"
    replay
    holds '.[0].threads == ([.[0].mapping[].cpu] | length) and .[0].threads >= 2' -s <<<"$output"
    replay --map demand
    holds '.[0].threads == 1' -s <<<"$output"
}

# bats test_tags=slow
@test "under control a replay restarts with each resume, and repeats" {
    printf 'cores: 1\ntime: 400 ms\nload: 0.4\ntime: 800 ms\nload: 0\n' >"$PROFILE"
    load_start cpu --profile "$PROFILE" --cpus "$(first_cpu)"
    load_expect ready
    for _ in 1 2; do
        load_resume
        sleep 0.3
        load_mark a
        # Whenever the mark came: what is due after so long, of 0.8 s that repeat.
        load_holds '(.elapsed_s / 0.8 | floor) as $laps | (.offered * .elapsed_s
            - 0.4 * (0.4 * $laps + ([.elapsed_s - 0.8 * $laps, 0.4] | min)) | fabs) < 0.01'
        load_say pause
        load_expect paused
    done
    load_resume
    sleep 2
    load_mark b
    load_holds '.offered > 0.15 and .offered < 0.26'
    load_end
}

@test "a recording has a line for each interval, with all CPUs and their loads" {
    run --separate-stderr -0 "$BIN/loadgen" record --interval 100ms --duration 1s "$PROFILE"
    holds '.[0].schema == "jostle.profile/1" and .[0].cores == $cpus and .[0].unit == "percent"' -s \
        --argjson cpus "$(grep -c '^cpu[0-9]' /proc/stat)" <"$PROFILE"
    holds '.[0].cores as $cores | length == 12 and .[-1].event == "summary" and
        all(.[1:-1][]; (.load | length) == $cores and all(.load[]; 0 <= . and . <= 100))' -s <"$PROFILE"
    # None before its time; on a busy machine later.
    holds '[.[1:-1][].time_ms] | . == sort and all(to_entries[]; .value >= 100 * (.key + 1)) and .[-1] < 10000' -s <"$PROFILE"
}

# works PID: 0 once it has had 50 ms of CPU time.
works() {
    (($(used_ns "$1") > 50000000))
}

# bats test_tags=measures
@test "what is recorded from a busy CPU replays as busy" {
    local cpu
    cpu=$(first_cpu)
    # shellcheck disable=SC2016 # for the inner shell
    taskset -c "$cpu" bash -c 'while :; do :; done' 3>&- &
    RIVAL=$!
    eventually 30 works "$RIVAL"
    "$BIN/loadgen" record --interval 200ms --duration 1s "$PROFILE"
    kill "$RIVAL"
    wait "$RIVAL" 2>/dev/null || true
    # What the host took from it is no load, and was not idle either.
    holds '[.[1:-1][] | .load[$cpu] + (.steal[$cpu] // 0)] | add / length > 80' -s --argjson cpu "$cpu" <"$PROFILE"
    local load
    load=$(jq -s --argjson cpu "$cpu" '[.[1:-1][].load[$cpu]] | add / length / 100' "$PROFILE")
    replay
    holds '[.[] | select(.event == "summary")][0] | .offered >= 0.95 * $load' -s --argjson load "$load" <<<"$output"
}

# ticks: busy and all ticks of each CPU so far, a line each, as the kernel says.
ticks() {
    awk '/^cpu[0-9]/ { print $2 + $3 + $4 + $7 + $8, $2 + $3 + $4 + $5 + $6 + $7 + $8 + $9 }' /proc/stat
}

# agrees: 0 when the two were within ten percent points on each CPU.
agrees() {
    rm -f "$PROFILE"
    ticks >"$BATS_TEST_TMPDIR/before"
    "$BIN/loadgen" record --interval 200ms --duration 2s "$PROFILE" || return
    ticks >"$BATS_TEST_TMPDIR/after"
    paste "$BATS_TEST_TMPDIR/before" "$BATS_TEST_TMPDIR/after" |
        awk '{ print 100 * ($3 - $1) / ($4 - $2) }' >"$BATS_TEST_TMPDIR/kernel"
    jq -s '[.[1:-1][].load] | transpose | map(add / length) | .[]' "$PROFILE" |
        paste - "$BATS_TEST_TMPDIR/kernel" >"$BATS_TEST_TMPDIR/both"
    awk '{ print; off = $1 - $2; if (off * off > 100) exit 1 }' "$BATS_TEST_TMPDIR/both"
}

# bats test_tags=measures
@test "each CPU's recorded load agrees with the kernel's own count over the same time" {
    # The time of its start and end is in one of them only: others may come or go in it.
    in_tries 4 agrees
}

@test "a recording has the wake-up latency of each CPU, bounded, and may leave it out" {
    run -0 "$BIN/loadgen" record --interval 100ms --duration 300ms --wakeup-every 2ms "$PROFILE"
    [[ $output == *'wake-up latency of '*', p50 '* ]]
    # A thread on each CPU, no more often than every 2 ms; a busy machine has fewer.
    holds '.[-1].wakeup as $all | (.[-1].length_s / 0.002) as $due |
        $all.count > 0 and $all.count == ([$all.histogram[].count] | add) and $all.count == ([$all.by_cpu[].count] | add) and
        all($all.by_cpu[]; .count <= $due + 10) and $all.p50_ns > 0 and $all.p50_ns <= $all.p90_ns and $all.p90_ns <= $all.max_ns and
        any(.[1:-1][]; .switches_per_s > 0) and all(.[1:-1][]; (.wakeup | length) == ($all.by_cpu | length)) and
        ([.[1:-1][].wakeup[].count] | add) <= $all.count' -s <"$PROFILE"
    split -l 1 "$PROFILE" "$BATS_TEST_TMPDIR/line."
    is_valid profile "$BATS_TEST_TMPDIR"/line.*
    "$BIN/loadgen" record --interval 50ms --duration 50ms --wakeup-every 0 - | holds '.[0].wakeup_every_ms == 0 and all(.[]; has("wakeup") | not)' -s
}

# has_spans NUMBER: the recording has so many spans by now.
has_spans() {
    (($(grep -c time_ms "$PROFILE") >= $1))
}

@test "steal that steps back, as it does when a guest has moved, is none" {
    local root=$BATS_TEST_TMPDIR/kernel ticks spans
    mkdir -p "$root/proc"
    printf 'cpu0 0 0 0 0 0 0 0 100\n' >"$root/proc/stat"
    env --default-signal=INT JOSTLE_KERNEL_ROOT="$root" "$BIN/loadgen" record --interval 50ms --wakeup-every 0 "$PROFILE" 3>&- &
    LOAD_PID=$!
    for ticks in 99 101; do
        spans=$(grep -c time_ms "$PROFILE" || true)
        printf 'cpu0 0 0 0 0 0 0 0 %d\n' "$ticks" >"$root/proc/new"
        mv "$root/proc/new" "$root/proc/stat"
        eventually 30 has_spans $((spans + 2))
    done
    kill -INT "$LOAD_PID"
    wait "$LOAD_PID"
    holds '[.[] | select(has("time_ms")).steal[0]] | min == 0 and max > 0' -s <"$PROFILE"
}

@test "a counter of switches or interrupts that steps back is unknown, neither negative nor huge" {
    cd "$BATS_TEST_TMPDIR"
    local root=$BATS_TEST_TMPDIR/kernel count spans
    mkdir -p "$root/proc"
    printf 'cpu0 0 0 0 0 0 0 0 0\nintr 5000 1 2\nctxt 5000\n' >"$root/proc/stat"
    env --default-signal=INT JOSTLE_KERNEL_ROOT="$root" "$BIN/loadgen" record --interval 50ms --wakeup-every 0 "$PROFILE" >said 3>&- &
    LOAD_PID=$!
    eventually 30 test -s "$PROFILE" # the first sample has been taken
    for count in 6000 4000; do
        spans=$(grep -c time_ms "$PROFILE" || true)
        printf 'cpu0 0 0 0 0 0 0 0 0\nintr %d 1 2\nctxt %d\n' "$count" "$count" >"$root/proc/new"
        mv "$root/proc/new" "$root/proc/stat"
        eventually 30 has_spans $((spans + 2))
    done
    kill -INT "$LOAD_PID"
    wait "$LOAD_PID"
    local member
    for member in switches_per_s interrupts_per_s; do
        holds '[.[] | select(has("time_ms"))[$member]] | map(numbers) as $known
            | (length - ($known | length)) == 1 and ($known | min == 0 and max > 0 and max <= 1000 / 0.02)' -s --arg member "$member" <"$PROFILE"
        holds '.[-1][$member] == null' -s --arg member "$member" <"$PROFILE" # 5000 at first, 4000 at last
    done
    grep -q 'context switches not known: their counter stepped back' said
}

@test "a recording ended by a signal is whole" {
    env --default-signal=INT "$BIN/loadgen" record --interval 100ms "$PROFILE" 3>&- &
    LOAD_PID=$!
    eventually 30 grep -q time_ms "$PROFILE"
    kill -INT "$LOAD_PID"
    wait "$LOAD_PID"
    replay
}

@test "a recording that ends before its first interval is over is an error, and leaves no file" {
    local number
    for number in INT QUIT; do
        env --default-signal=INT,QUIT "$BIN/loadgen" record --interval 30s "$PROFILE" 2>"$BATS_TEST_TMPDIR/errors" 3>&- &
        eventually 30 test -s "$PROFILE"
        kill -s "$number" $!
        local status=0
        wait $! || status=$?
        [[ $status -eq 1 ]]
        [[ $(<"$BATS_TEST_TMPDIR/errors") == 'jostle: record: ended before the first interval of 30.000 s was over'*'--interval' ]]
        [[ ! -e $PROFILE ]]
    done
}

@test "its help says how long a recording lasts, and what an interval is without the option" {
    run -0 "$BIN/loadgen" record --help
    [[ $output == *'forever,'*'until Ctrl-C'* && $output == *'(default: 1s)'* && $output != *'(default: 1h'* ]]
    run -2 "$BIN/loadgen" record --interval 5ms "$PROFILE"
    [[ $output == *'give 20ms or more' && ! -e $PROFILE ]]
}

@test "a recording too short for one interval is refused" {
    run -2 "$BIN/loadgen" record --duration 100ms "$PROFILE"
    [[ $output == *'shorter than one interval'*'--interval' && ! -e $PROFILE ]]
}

@test "a recording to a place that cannot be written is an error" {
    run -1 "$BIN/loadgen" record --interval 20ms --duration 100ms /proc/nowhere/file
    [[ $output == 'jostle: cannot record to /proc/nowhere/file'* ]]
    [[ -e /dev/full ]] || skip "no /dev/full"
    run -1 "$BIN/loadgen" record --interval 20ms --duration 100ms /dev/full
    [[ $output == *'No space left'*': make room on it' ]]
}

@test "the profiles that come with it are found by name and replay" {
    local file name
    for file in "$ROOT"/loadgen/profiles/*.jsonl; do
        name=${file##*/}
        run -0 "$BIN/loadgen" cpu --profile "${name%.jsonl}" --speed 50 --duration 200ms --json
        holds '[.[] | select(.event == "summary")][0].offered > 0' -s <<<"$output"
    done
    run -2 "$BIN/loadgen" cpu --profile nowhere
    [[ $output == *'no such profile'*" $ROOT/loadgen/profiles: "* ]]
    JOSTLE_PROFILES=$BATS_TEST_TMPDIR run -2 "$BIN/loadgen" cpu --profile "${name%.jsonl}"
    printf 'cores: 1\ntime: 100 ms\nload: 0.05\n' >"$BATS_TEST_TMPDIR/mine.txt"
    JOSTLE_PROFILES=$BATS_TEST_TMPDIR run -0 "$BIN/loadgen" cpu --profile mine
}
