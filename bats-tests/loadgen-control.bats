#!/usr/bin/env bats
# The control protocol: what each line does, and that nothing outlives its end.

load helpers
load loadgen

setup() {
    bats_require_minimum_version 1.5.0
}

teardown() {
    [[ -z ${LOAD_PID:-} ]] || kill -KILL "$LOAD_PID" 2>/dev/null || true
    [[ -z ${GROUP:-} ]] || rmdir "$GROUP" || true
    ((${#held[@]} == 0)) || kill -KILL "${held[@]}" 2>/dev/null || true
}

@test "ready, steady, paused and summary come in that order, each once" {
    local out=$BATS_TEST_TMPDIR/out
    mkfifo "$BATS_TEST_TMPDIR/in"
    "$BIN/loadgen" cpu --percent 5 --control <"$BATS_TEST_TMPDIR/in" >"$out" 3>&- &
    LOAD_PID=$!
    exec {LOAD_IN}>"$BATS_TEST_TMPDIR/in"
    load_say resume
    eventually 30 grep -q steady "$out"
    load_say pause
    eventually 30 grep -q paused "$out"
    exec {LOAD_IN}>&-
    wait "$LOAD_PID"
    holds '[.[].event] == ["ready", "steady", "paused", "summary"]' -s <"$out"
    holds '.[0] | .load == "cpu" and .unit == "CPUs"' -s <"$out"
}

@test "a load starts paused and uses nothing" {
    load_start cpu --percent 100
    load_expect ready
    load_sleeps 0.5
    load_end
    load_holds '.elapsed_s == 0'
}

# A line every 20 or 100 ms: a rate, a pause or a resume, at which nothing that is due gets lost.
changes() {
    local i
    echo resume
    for ((i = 0; i < 20; i++)); do
        echo "rate $1" && sleep 0.02
        echo "rate $2" && sleep 0.1
        ((i % 5 != 0)) || { echo pause && sleep 0.02 && echo resume; }
    done
    echo quit
}

# bats test_tags=slow
@test "a rate that changes all the time, and pauses, lose nothing: what was offered was done or dropped" {
    local load low=3iops high=40iops
    for load in fork 'syscall --threads 2' 'lock --contended --threads 2' "io --dir $BATS_TEST_TMPDIR --allow-memory --file-size 4MiB --block-size 64KiB"; do
        [[ $load != io* ]] || low=200kB/s high=2.5MB/s
        # shellcheck disable=SC2086 # a load and its options
        changes $low $high | "$BIN/loadgen" $load --limit $low --control --json >"$BATS_TEST_TMPDIR/out"
        tail -1 "$BATS_TEST_TMPDIR/out" | holds '(.offered * .elapsed_s / (.achieved * .elapsed_s / .operations)) as $due | $due > 10 and ($due - .operations - .dropped | fabs) < 0.01'
    done
    # Of CPU time, what is still owed at the end is less than 100 ms of it.
    changes 20% 60% | "$BIN/loadgen" cpu --threads 1 --control --json >"$BATS_TEST_TMPDIR/out"
    tail -1 "$BATS_TEST_TMPDIR/out" | holds '(.offered * .elapsed_s - .achieved * .elapsed_s - .dropped_s) as $owed | $owed > -0.02 and $owed < 0.1 and .offered > 0.4'
}

# bats test_tags=slow
@test "paused, no thread of it wakes up even once" {
    load_start cpu --percent 20
    load_expect ready
    load_resume
    load_say pause
    load_expect paused
    load_sleeps 2
    load_end
}

# now: REPLY is the time in µs.
now() {
    REPLY=${EPOCHREALTIME/[.,]/}
}

# lasted LEAST MOST: the reply is of a time between these, in µs, to within the 2 ms that clocks may be set.
lasted() {
    load_holds '.elapsed_s > $least / 1e6 - 0.002 and .elapsed_s < $most / 1e6 + 0.002' --argjson least "$1" --argjson most "$2"
}

@test "a mark reports what was delivered since the previous mark, or since resume" {
    local before after sent
    load_start cpu --percent 30 --threads 1
    load_expect ready
    load_resume
    sleep 0.3
    now && before=$REPLY
    load_mark one
    now && after=$REPLY
    load_holds '.mark == "one" and .elapsed_s > 0.25'
    [[ $LOAD_REPLY == '{"event":"mark","mark":"one","load":"cpu",'* ]]
    sleep 1
    now && sent=$REPLY
    load_mark two
    now
    lasted $((sent - after)) $((REPLY - before))
    load_holds '.offered > 0.299 and .offered < 0.301 and (.achieved - .cpu_s / .elapsed_s | fabs) < 0.05'
    load_end
}

@test "paused time is not counted" {
    local before after sent
    load_start cpu --percent 50 --threads 1
    load_expect ready
    load_resume
    sleep 0.5
    load_say pause
    load_expect paused
    load_mark a
    sleep 1
    load_mark b
    load_holds '.elapsed_s == 0 and .offered == null'
    now && before=$REPLY
    load_resume
    now && after=$REPLY
    sleep 0.2
    now && sent=$REPLY
    load_mark c
    now
    lasted $((sent - after)) $((REPLY - before))
    load_end
}

# rate_holds FROM RATE OFFERED: after a second at the rate FROM, the new one is kept within 100 ms of its order, for a
# second. What a busy machine withholds is dropped, and counted, but where a mark comes in between that is in
# the wrong window. Each try is a change: a rate that came late is there before the next one.
rate_holds() {
    load_say rate "$1" && sleep 1 && load_say rate "$2" && sleep 0.1 && load_mark begin && sleep 1 && load_mark end &&
        load_holds '.offered == $offered and ((.achieved + .dropped_s / .elapsed_s) / .offered | . > 0.85 and . < 1.15)' --argjson offered "$3"
}

# bats test_tags=slow
@test "a new rate holds within 100 ms" {
    load_start cpu --percent 10 --threads 1
    load_expect ready
    load_resume
    in_tries 4 rate_holds 10 60 0.6
    in_tries 4 rate_holds 60 '10%' 0.1
    load_end
}

# units_each: how many units one operation of the running load has at present.
units_each() {
    load_operates && load_operates # in the first some may be of the rate before
    jq '.achieved * .elapsed_s / .operations | round' <<<"$LOAD_REPLY"
}

# is_of_size UNITS
is_of_size() {
    (($(units_each) == $1))
}

# bats test_tags=slow
@test "an operation is as large as the present rate needs, whatever the rate was at first" {
    local load
    for load in syscall 'alloc --live 1MiB' 'mem --footprint 4MiB --kernel read' 'tlb --pages 64'; do
        # shellcheck disable=SC2086 # a load and its options
        load_start $load --threads 1 --limit 1000
        load_expect ready
        load_resume
        small=$(units_each)
        load_say rate 300M && load_mark
        large=$(units_each)
        load_say rate 1000 && load_mark
        ((large >= 8 * small))
        # What is owed of the rate before is done, or dropped, within 100 ms and one operation.
        in_tries 6 is_of_size "$small"
        load_end
    done
}

# bats test_tags=slow
@test "a low rate makes operations smaller, so that the load makes some" {
    cd "$BATS_TEST_TMPDIR"
    local load
    for load in 'mem --footprint 4MiB --limit 100k' 'mem --footprint 4MiB --kernel stream --limit 200k' 'mem --footprint 4MiB --kernel chase --limit 200' \
        'cache --limit 100k' 'tlb --limit 1000' 'icache --limit 2000' 'hog --size 8MiB --limit 200k' 'hog --size 1MiB --leak --limit 4M'; do
        [[ $load != icache* || $(uname -m) =~ ^(x86_64|aarch64)$ ]] || continue
        # shellcheck disable=SC2086 # a load and its options
        "$BIN/loadgen" $load --threads 1 --json --duration 0.5s >"$BATS_TEST_TMPDIR/out"
        tail -n 1 "$BATS_TEST_TMPDIR/out" | holds '.offered > 0 and .operations > 0'
        ! grep -q '"event":"warning"' "$BATS_TEST_TMPDIR/out" || false
    done
}

@test "a rate of less than one operation a second, or in the time of the load, is warned of" {
    local load
    for load in 'ports --limit 1000' 'ops --limit 1000' 'meta --limit 1' 'fork --limit 1' "pagecache --dir $BATS_TEST_TMPDIR --file-size 1MiB --limit 1kB/s" \
        "io --sequential --dir $BATS_TEST_TMPDIR --file-size 4MiB --limit 100kB/s"; do
        # shellcheck disable=SC2086 # a load and its options
        run --separate-stderr "$BIN/loadgen" $load --threads 1 --duration 0.2s
        # shellcheck disable=SC2154 # bats sets it
        [[ $status -eq 2 && $stderr == *'in memory'* || $stderr == *'this rate is one operation ('*') in '*'give a higher rate'* ]]
    done
}

@test "an operation that would be due when the load ends is not offered" {
    "$BIN/loadgen" fork --limit 2 --duration 0.25s --json | tail -n 1 | holds '.offered == 0 and .achieved == 0'
}

@test "commands that come at once are obeyed one after the other" {
    run -0 "$BIN/loadgen" cpu --percent 5 --control \
        < <(printf 'resume\npause\nresume\npause\nmark x\nresume\n' && sleep 0.5)
    holds '[.[].event] | map(select(. == "paused")) | length == 2' -s <<<"$output"
    holds '.[-1].event == "summary" and ([.[].event] | index("mark")) > ([.[].event] | index("paused"))' \
        -s <<<"$output"
}

@test "a wrong line is answered with an error, and the load continues" {
    load_start cpu --percent 5
    load_expect ready
    local line
    for line in nonsense 'rate fast' 'rate 101' 'rate' 'mark' 'pause now' ''; do
        load_say "$line"
        load_expect error
    done
    load_resume
    load_end
    load_holds '.elapsed_s > 0'
}

@test "a name with quotes in it stays valid JSON" {
    load_start cpu --percent 5
    load_expect ready
    load_mark 'a"b\c'
    load_holds '.mark == "a\"b\\c"'
    load_end
}

@test "commands from a file are obeyed to its end" {
    printf 'resume\nmark a\nquit\n' >"$BATS_TEST_TMPDIR/commands"
    run -0 "$BIN/loadgen" cpu --percent 5 --control <"$BATS_TEST_TMPDIR/commands"
    holds '.[-1].event == "summary"' -s <<<"$output"
    run -0 "$BIN/loadgen" cpu --percent 5 --control </dev/null
    holds '.[-1].event == "summary"' -s <<<"$output"
}

# timely: 0 when the intervals came as often as they should.
timely() {
    "$BIN/loadgen" cpu --percent 10 --interval 200ms --duration 1100ms --json >"$BATS_TEST_TMPDIR/timely" &&
        holds -s '[.[] | select(.event == "interval")] | length >= 4 and length <= 5 and all(.[]; .elapsed_s > 0.1 and .elapsed_s < 0.4)' \
            <"$BATS_TEST_TMPDIR/timely"
}

# bats test_tags=measures
@test "intervals come as often as --interval says" {
    in_tries 8 timely
    # Together they are the whole, but for the rest after the last one.
    holds -s '([.[] | select(.event == "interval").elapsed_s] | add) as $all | .[-1].elapsed_s | . >= $all - 1e-3 and . < $all + 0.4' \
        <"$BATS_TEST_TMPDIR/timely"
}

@test "without --json it speaks to people" {
    run -0 "$BIN/loadgen" cpu --percent 10 --duration 300ms --interval 100ms
    [[ $output == *'cpu: offered'* && ${lines[-1]} == 'cpu, in all: offered'* ]]
}

@test "SIGTERM, SIGINT, SIGHUP and SIGQUIT end it with a summary and exit 0" {
    local signal
    for signal in TERM INT HUP QUIT; do
        load_start cpu --percent 5
        load_expect ready
        load_resume
        kill -"$signal" "$LOAD_PID"
        load_expect summary
        wait "$LOAD_PID"
        exec {LOAD_IN}>&- {LOAD_OUT}<&-
    done
}

@test "end of file ends it, also while it is paused" {
    load_start cpu --percent 50
    load_expect ready
    load_resume
    load_end
    gone "$LOAD_PID"
    load_start cpu --percent 50
    load_expect ready
    load_end
    gone "$LOAD_PID"
}

@test "kill -9 of its parent ends it, though somebody else holds its stdin open" {
    local parent child
    mkfifo "$BATS_TEST_TMPDIR/in"
    exec {hold}<>"$BATS_TEST_TMPDIR/in"
    # shellcheck disable=SC2016 # for the inner shell
    bash -c '"$1" cpu --percent 5 --control <"$2" >"$3" & echo $! >"$4"; wait' _ "$BIN/loadgen" \
        "$BATS_TEST_TMPDIR/in" "$BATS_TEST_TMPDIR/out" "$BATS_TEST_TMPDIR/pid" 3>&- &
    parent=$!
    eventually 30 grep -q ready "$BATS_TEST_TMPDIR/out"
    eventually 30 test -s "$BATS_TEST_TMPDIR/pid" # its parent may be slower than it
    child=$(<"$BATS_TEST_TMPDIR/pid")
    kill -KILL "$parent"
    eventually 30 gone "$child"
    exec {hold}>&-
    grep -q summary "$BATS_TEST_TMPDIR/out"
}

@test "it ends when the reader of its stdout goes away" {
    mkfifo "$BATS_TEST_TMPDIR/in"
    exec {hold}<>"$BATS_TEST_TMPDIR/in"
    "$BIN/loadgen" cpu --percent 5 --interval 50ms --control <"$BATS_TEST_TMPDIR/in" 2>/dev/null 3>&- > >(head -n 3 >/dev/null) &
    LOAD_PID=$!
    echo resume >&"$hold"
    eventually 30 gone "$LOAD_PID"
    exec {hold}>&-
}

@test "a signal that was ignored at the start stays so (nohup, a script's &), but for SIGTERM" {
    env --ignore-signal=HUP,INT,QUIT,TERM,CHLD --block-signal=TERM "$BIN/loadgen" cpu --percent 1 --json >"$BATS_TEST_TMPDIR/out" 3>&- &
    LOAD_PID=$!
    eventually 30 grep -q steady "$BATS_TEST_TMPDIR/out"
    kill -HUP "$LOAD_PID"
    kill -INT "$LOAD_PID"
    kill -QUIT "$LOAD_PID"
    sleep 0.1
    run ! gone "$LOAD_PID"
    kill -TERM "$LOAD_PID"
    wait "$LOAD_PID"
    grep -q summary "$BATS_TEST_TMPDIR/out"
}

# bats test_tags=slow
@test "a new rate between resume and steady does not lose steady" {
    local _
    load_start cpu --percent 5 --threads 8
    load_expect ready
    for _ in {1..15}; do
        printf 'resume\nrate 3\nrate 4\n' >&"$LOAD_IN"
        load_expect steady
        load_say pause
        load_expect paused
    done
    load_end
}

# bats test_tags=slow
@test "lines that come while it pauses wait, however many there are" {
    # 20 KB of them, several times what it takes in at once.
    for _ in {1..400}; do printf 'resume\npause\nmark %030d\n' 7; done >"$BATS_TEST_TMPDIR/lines"
    "$BIN/loadgen" cpu --percent 1 --threads 1 --control < <(cat "$BATS_TEST_TMPDIR/lines") >"$BATS_TEST_TMPDIR/pipe"
    "$BIN/loadgen" cpu --percent 1 --threads 1 --control <"$BATS_TEST_TMPDIR/lines" >"$BATS_TEST_TMPDIR/file"
    [ "$(grep -cE '"(mark|paused)"' "$BATS_TEST_TMPDIR/pipe")" -eq 800 ]
    [ "$(grep -cE '"(mark|paused)"' "$BATS_TEST_TMPDIR/file")" -eq 800 ]
}

@test "a mark of any bytes is valid JSON, and a line that is too long is no command at all" {
    local long
    printf -v long '%05000d' 0
    {
        printf 'mark a\rb\001\033[31m\177\303\251\377\300\200\355\240\200"\\\n'
        printf 'mark %s\n' "${long:0:4090}"
        printf 'mark %.2000s\n' "$(printf '\001%.0s' {1..2000})"
        printf 'mark %s quit\nmark nul\0quit\n' "$long"
        head -c 1048576 /dev/zero | tr '\0' q
        printf '\nquit\0\nmark last\n'
    } >"$BATS_TEST_TMPDIR/lines"
    run -0 "$BIN/loadgen" cpu --percent 1 --threads 1 --control < <(cat "$BATS_TEST_TMPDIR/lines")
    holds '[.[] | select(.event == "mark") | .mark | length] == [37, 4090, 2000, 4]' -s <<<"$output"
    holds '[.[] | select(.event == "error") | .message[0:13]] == ["a line is too", "not a command", "a line is too", "not a command"]' -s <<<"$output"
}

# workers COUNT: LOAD_PID has at least so many threads, or just one for 1.
workers() {
    local -a tasks=(/proc/"$LOAD_PID"/task/*)
    ((${#tasks[@]} == $1 || ($1 > 1 && ${#tasks[@]} > $1)))
}

# ticked COUNT: the control plane has woken up so often, once for each interval.
ticked() {
    [[ $(awk '/^voluntary/ { print $2 }' "/proc/$LOAD_PID/status") -ge $1 ]]
}

# narrow FD: the pipe holds 4 KiB, some ten lines.
narrow() {
    perl -e 'open my $pipe, ">&=", shift; fcntl $pipe, 1031, 4096 or die' "$1" # F_SETPIPE_SZ
}

# bats test_tags=slow
@test "whoever does not read its report stalls neither the load nor its end, and gets all of it later" {
    mkfifo "$BATS_TEST_TMPDIR/out"
    exec {hold}<>"$BATS_TEST_TMPDIR/out"
    narrow "$hold"
    "$BIN/loadgen" cpu --percent 5 --json --interval 1ms --duration 3s >"$BATS_TEST_TMPDIR/out" 3>&- {hold}>&- &
    LOAD_PID=$!
    # By itself: its workers end, what it has to say waits.
    eventually 30 workers 2
    eventually 30 workers 1
    run ! gone "$LOAD_PID"
    exec {out}<"$BATS_TEST_TMPDIR/out" {hold}>&-
    cat <&"$out" >"$BATS_TEST_TMPDIR/all"
    wait "$LOAD_PID"
    holds '.[-1].event == "summary" and ([.[] | select(.event == "interval")] | length > 20)' -s <"$BATS_TEST_TMPDIR/all" 2>/dev/null
}

@test "a signal ends it though nobody reads its report, and it says that some is lost" {
    mkfifo "$BATS_TEST_TMPDIR/out"
    exec {hold}<>"$BATS_TEST_TMPDIR/out"
    narrow "$hold"
    "$BIN/loadgen" cpu --percent 5 --json --interval 1ms >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/errors" 3>&- {hold}>&- &
    LOAD_PID=$!
    eventually 30 ticked 100
    kill -TERM "$LOAD_PID"
    eventually 30 gone "$LOAD_PID"
    ends_with 1 "$LOAD_PID"
    exec {hold}>&-
    [[ $(<"$BATS_TEST_TMPDIR/errors") == 'jostle: stdout was not read: the report is incomplete'* ]]
}

# fills PID: it has some of its memory, and more to come.
fills() {
    local pages
    { read -r _ pages _ <"/proc/$1/statm"; } 2>/dev/null || return 1
    [[ $pages -gt 20000 ]]
}

# bats test_tags=measures
@test "what a load has not done because it was held up until its end is dropped, neither less nor more" {
    local i
    held=() # stopped ones: teardown ends what is left of them
    # Of its control plane and its workers either may be the first to go on: four at once.
    for i in {0..3}; do
        "$BIN/loadgen" fork --threads 1 --limit 300 --duration 500ms --json >"$BATS_TEST_TMPDIR/out.$i" 3>&- &
        held+=("$!")
        eventually 30 grep -q steady "$BATS_TEST_TMPDIR/out.$i"
        kill -STOP "$!"
    done
    sleep 0.8
    for i in {0..3}; do
        kill -CONT "${held[i]}"
        wait "${held[i]}"
        # 150 were due; those of the last 100 ms were owed, and not late enough.
        tail -n 1 "$BATS_TEST_TMPDIR/out.$i" | holds '.operations + .dropped | . >= 150 - 30 - 2 and . <= 150'
    done
}

# halted PID: it is stopped.
halted() {
    grep -q '^State:[[:space:]]*T' "/proc/$1/status"
}

# halt_filling: stops LOAD_PID while it prepares; ends it and returns 1 where it was ready before, or is gone.
halt_filling() {
    until fills "$LOAD_PID"; do [[ -e /proc/$LOAD_PID ]] || return 1; done
    kill -STOP "$LOAD_PID"
    if ! eventually 30 halted "$LOAD_PID" || grep -q ready "$BATS_TEST_TMPDIR/out"; then
        kill -KILL "$LOAD_PID"
        return 1
    fi
}

# fill_for_harness: a load whose input we hold is stopped while it prepares.
fill_for_harness() {
    "$BIN/loadgen" mem --footprint 1G --threads 1 --control <"$BATS_TEST_TMPDIR/in" >"$BATS_TEST_TMPDIR/out" 2>&1 3>&- &
    LOAD_PID=$!
    exec {LOAD_IN}>"$BATS_TEST_TMPDIR/in"
    # One that is left open would keep the next load alive.
    halt_filling || { exec {LOAD_IN}>&- && return 1; }
}

@test "the end of its harness while it prepares ends it before it is ready" {
    mkfifo "$BATS_TEST_TMPDIR/in"
    in_tries 10 fill_for_harness
    exec {LOAD_IN}>&-
    kill -CONT "$LOAD_PID"
    eventually 30 gone "$LOAD_PID"
    run ! grep ready "$BATS_TEST_TMPDIR/out"
}

# fill_for_parent: a load that PARENT has started is stopped while it prepares.
fill_for_parent() {
    rm -f "$BATS_TEST_TMPDIR/pid"
    # shellcheck disable=SC2016 # for the inner shell
    bash -c '"$1" mem --footprint 1G --threads 1 --control <"$2" >"$3" 2>&1 & echo $! >"$4"; wait' _ "$BIN/loadgen" \
        "$BATS_TEST_TMPDIR/in" "$BATS_TEST_TMPDIR/out" "$BATS_TEST_TMPDIR/pid" 3>&- &
    PARENT=$!
    eventually 30 test -s "$BATS_TEST_TMPDIR/pid"
    LOAD_PID=$(<"$BATS_TEST_TMPDIR/pid")
    halt_filling
}

@test "kill -9 of its parent while it prepares ends it, though somebody else holds its stdin open" {
    mkfifo "$BATS_TEST_TMPDIR/in"
    exec {hold}<>"$BATS_TEST_TMPDIR/in"
    in_tries 10 fill_for_parent
    kill -KILL "$PARENT"
    kill -CONT "$LOAD_PID" 2>/dev/null || true # its end may have come already
    eventually 30 gone "$LOAD_PID"
    exec {hold}>&-
    run ! grep ready "$BATS_TEST_TMPDIR/out"
}

@test "a kernel with more than 1,024 possible CPUs is taken, and lists have them" {
    cc -shared -fPIC -D_GNU_SOURCE -o "$BATS_TEST_TMPDIR/many.so" "$BATS_TEST_DIRNAME/fixtures/many-cpus.c"
    asan_option verify_asan_link_order=0
    run -0 env LD_PRELOAD="$BATS_TEST_TMPDIR/many.so" "$BIN/loadgen" cpu --dry-run --json
    holds '.cpus | endswith(",1500")' <<<"$output"
    run -0 env LD_PRELOAD="$BATS_TEST_TMPDIR/many.so" "$BIN/loadgen" mem --cpus 1500 --dry-run --json
    holds '.cpus == "1500"' <<<"$output"
}

# cpuset_group: makes a cpuset of both of the first two CPUs and sets GROUP; skips where it cannot.
cpuset_group() {
    local mount=/sys/fs/cgroup/cpuset
    [[ $(nproc) -ge 2 ]] || skip 'needs two CPUs'
    [[ -w $mount/cgroup.procs && -e $mount/cgroup.clone_children ]] || skip 'no cpuset of cgroup v1 that can be written'
    GROUP=$mount/jostle-test.$BASHPID
    mkdir "$GROUP" || skip "no groups can be made in $mount"
    cat "$mount/cpuset.mems" >"$GROUP/cpuset.mems"
    printf '0-1\n' >"$GROUP/cpuset.cpus"
}

# bats test_tags=slow
@test "a load whose CPUs are taken from it says so, once" {
    local load
    cpuset_group
    cd "$BATS_TEST_TMPDIR"
    for load in 'cpu --percent 10 --cpus 1' 'lock --contended --cpus 0-1' 'exec --cpus 1 -- sleep 100' 'cpu --percent 10 --cpus 0'; do
        printf '0-1\n' >"$GROUP/cpuset.cpus"
        {
            printf 'resume\nmark a\n'
            sleep 0.5
            printf 'mark b\n'
            printf '0\n' >"$GROUP/cpuset.cpus"
            sleep 0.1
            printf 'mark c\nmark d\n'
        } | (
            printf '%d\n' "$BASHPID" >"$GROUP/cgroup.procs"
            # shellcheck disable=SC2086 # words
            exec "$BIN/loadgen" ${load%% *} --control ${load#* }
        ) >said
        [[ $load != *'--cpus 0' ]] || break
        jq -s 'map(select(.event == "warning"))' said | holds 'length == 1 and (.[0].message | test("was put on CPU .*runs on CPU 0: "))'
        [[ $(jq -rs "map(.mark // .event) | join(\" \")" said) =~ \ a\ (.*\ )?warning\  ]]
    done
    # What is where it was put has nothing to say.
    ! grep '"warning"' said || false
}
