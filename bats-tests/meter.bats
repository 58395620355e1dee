#!/usr/bin/env bats
# meter: one run, one record.
# shellcheck disable=SC2016 # jq and inner shells expand these, not this one
# shellcheck disable=SC2154 # bats sets stderr

load helpers
load meter

setup_file() {
    bats_require_minimum_version 1.5.0
    export FIXTURES=$BATS_FILE_TMPDIR
    compile "$FIXTURES" touch bigcaller family
}

setup() {
    METER=$BIN/meter
    RECORD=$BATS_TEST_TMPDIR/record
    cd "$BATS_TEST_TMPDIR" || return
}

# median: the middle one of the numbers on stdin.
median() {
    sort -g | awk '{ a[NR] = $1 } END { print a[int((NR + 1) / 2)] }'
}

# groups: the control groups of meters.
groups_of_meters() {
    find /sys/fs/cgroup -maxdepth 6 -type d -name "jostle-meter.${1:-*}" 2>/dev/null
}

# no_group_is_orphaned: the meter of each group lives.
no_group_is_orphaned() {
    local group
    while read -r group; do
        kill -0 "${group##*.}" || return
    done < <(groups_of_meters)
}

# matches_schema: every line on stdin has the members that the schema requires, in its
# order, and no unknown one, each of its type and within its bounds.
matches_schema() {
    command jq -es --slurpfile schema "$ROOT/results/schema/jostle.meter.schema.json" '
        def kind: if type == "number" and . == floor then "integer" else type end;
        def fits($s): . as $value
            | ($s.type == null or ([$s.type] | flatten | any(. == ($value | kind) or . == ($value | type))))
            and (($s | has("const") | not) or $value == $s.const)
            and ($s.enum == null or any($s.enum[]; . == $value))
            and ($s.pattern == null or ($value | test($s.pattern)))
            and ($value == null or $s.minimum == null or $value >= $s.minimum)
            and ($value == null or $s.maximum == null or $value <= $s.maximum)
            and ($s.required == null or $value == null
                 or (($value | keys_unsorted | map(select(IN($s.required[])))) == $s.required
                     and all($value | keys_unsorted[]; . as $k | $s.properties | has($k))
                     and all($value | keys_unsorted[]; . as $k | $value[$k] | fits($s.properties[$k]))));
        length > 0 and all(.[]; fits($schema[0]))' >/dev/null
}

# agree: a few runs more by each; 0 when the shortest of all are within 5 %.
agree() {
    for _ in 1 2 3; do
        "$METER" --output - -- sleep 0.2 | jq .wall_s >>ours
        hyperfine -N --style none --runs 1 --export-json h.json 'sleep 0.2' >/dev/null 2>&1
        jq '.results[0].times[0]' h.json >>theirs
    done
    holds '(.[0] / .[1] - 1) | fabs < 0.05' <<<"[$(sort -g ours | head -n 1), $(sort -g theirs | head -n 1)]"
}

# bats test_tags=slow
@test "wall time agrees with hyperfine on the same command in one run" {
    command -v hyperfine >/dev/null || skip "hyperfine is not installed"
    in_tries 10 agree
    holds 'all(.[]; . >= 0.2)' <<<"[$(paste -sd, ours)]"
}

# bats test_tags=slow
@test "CPU time of grandchildren that nobody waited for is counted, by every accounting" {
    local kind shape
    for kind in $(accountings); do
        for shape in orphan daemon; do
            "$METER" --accounting "$kind" --output "$RECORD" -- "$FIXTURES/family" "$shape" 0.15
            holds '.user_s + .system_s | . > 0.145 and . < 0.35' <"$RECORD"
            holds '.accounting == $kind and .exit_code == 0' --arg kind "$kind" <"$RECORD"
        done
    done
}

# bats test_tags=slow
@test "a control group sees also the children that the kernel reaped by itself" {
    accountings | grep -q cgroup || skip "no control group can be made here"
    "$METER" --accounting cgroup --output "$RECORD" -- "$FIXTURES/family" autoreap 0.3
    holds '.user_s + .system_s | . > 0.295 and . < 0.5' <"$RECORD"
    "$METER" --accounting rusage --output "$RECORD" -- "$FIXTURES/family" autoreap 0.3
    holds '.user_s + .system_s < 0.1 and .accounting == "rusage"' <"$RECORD"
}

# told_apart ACCOUNTING: 0 when most of a program's time that computes is the user's, and of one that reads the system's.
told_apart() {
    "$METER" --accounting "$1" --output "$RECORD" -- "$FIXTURES/family" orphan 0.3 &&
        holds '.user_s > 0.8 * (.user_s + .system_s)' <"$RECORD" &&
        "$METER" --accounting "$1" --output "$RECORD" -- "$FIXTURES/family" system 0.3 &&
        holds '.system_s > 0.6 * (.user_s + .system_s)' <"$RECORD"
}

# bats test_tags=slow
@test "user and system time are told apart" {
    local kind
    for kind in $(accountings); do
        # By clock ticks, of which 0.3 s has 30, and fewer where a host has the CPU then.
        in_tries 5 told_apart "$kind"
    done
}

# from_exec ACCOUNTING: 0 when of 12 runs of one thread none has more CPU time than wall time, and most have what
# the scheduler says of it.
from_exec() {
    local i
    for i in {1..12}; do
        "$METER" --accounting "$1" --output - -- "$FIXTURES/touch" 0 || return
    done >records
    # The kernel wakes the parent a little before a process has used its last.
    holds 'all(.[]; .user_s + .system_s <= .wall_s + 0.00005 and .user_s + .system_s > 0)' < <(jq -s . records) &&
        # v1 charges a part of the move into the group to it, or not.
        jq '.user_s + .system_s - .stalls.run_s' records | median |
        holds 'fabs < if $kind == "cgroup1" then 0.0001 else 0.00002 end' --arg kind "$1"
}

# bats test_tags=slow
@test "CPU time is from the target's exec on, as the wall time is: one thread never has more" {
    local kind
    for kind in $(accountings); do
        # An interrupt, or a host that takes the CPU, in a process's very last moment is in its CPU time.
        in_tries 5 from_exec "$kind"
    done
}

@test "CPU time is finer than the kernel's clock ticks" {
    local i
    for i in 1 2 3 4 5; do
        "$METER" --output - -- "$FIXTURES/touch" "$i"
    done >records
    holds 'all(.[]; .user_s + .system_s > 0) and any(.[]; (.user_s + .system_s) * 1000 % 1 != 0 or (.user_s + .system_s) < 0.004)' < <(jq -s . records)
}

# right_to_1_mib MIB: the record's peak; the kernel counts pages in batches of 32 for each CPU.
right_to_1_mib() {
    holds '.max_rss_bytes - $mib * 1048576 | . >= 0 and . < 1048576 + $cpus * 131072' --argjson mib "$1" --argjson cpus "$(nproc --all)" <"$RECORD"
}

@test "peak memory of a static program that touches 0, 8 and 64 MiB is right to within 1 MiB" {
    local mib
    ! sanitized || skip "the sanitizers' memory is in what the target starts from"
    for mib in 0 8 64; do
        "$METER" --output "$RECORD" -- "$FIXTURES/touch" "$mib"
        right_to_1_mib "$mib"
    done
}

# bats test_tags=slow
@test "peak memory does not depend on the size of the caller, whether it forks or becomes meter" {
    local mib way
    ! sanitized || skip "the sanitizers' memory is in what the target starts from"
    for way in fork exec; do
        for mib in 0 8 64; do
            "$FIXTURES/bigcaller" "$way" 150 "$METER" --output "$RECORD" -- "$FIXTURES/touch" "$mib"
            right_to_1_mib "$mib"
        done
    done
}

@test "peak memory is that of the largest process, also of a small target's child" {
    "$METER" --output "$RECORD" -- sh -c "'$FIXTURES/touch' 64; '$FIXTURES/touch' 8; exit 0"
    holds '.max_rss_bytes / 1048576 | . >= 64 and . < 72' <"$RECORD"
}

@test "exit codes of the target are in the record, meter's own is 0" {
    local code
    for code in 0 1 3 126 127 255; do
        "$METER" --output "$RECORD" -- sh -c "exit $code"
        holds '.exit_code == $code and .signal == null and .start_error == null' --argjson code "$code" <"$RECORD"
    done
}

@test "a signal that ends the target is in the record" {
    "$METER" --output "$RECORD" -- sh -c 'kill -9 $$'
    holds '.exit_code == null and .signal == 9 and .core_dumped == false' <"$RECORD"
}

@test "a core dump is told" {
    ulimit -c unlimited 2>/dev/null || skip "the limit of core files cannot be raised"
    [[ $(</proc/sys/kernel/core_pattern) != '|'* ]] || skip "core files go to a program of the system's"
    # ASan, where it is built in, would else forbid core files to all below it.
    asan_option disable_coredump=0
    "$METER" --output "$RECORD" -- sh -c 'kill -ABRT $$'
    holds '.signal == 6 and .core_dumped == true' <"$RECORD"
    (ulimit -c 0 && "$METER" --output "$RECORD" -- sh -c 'kill -ABRT $$')
    holds '.signal == 6 and .core_dumped == false' <"$RECORD"
}

@test "of a program that is there, what it lacks is named: CRLF, interpreter, loader" {
    printf '#!/bin/sh\r\necho hi\r\n' >crlf
    printf '#! /no/such/interpreter -x\n' >script
    printf '#!%s\n' "$PWD/plain" >denied
    touch plain
    sed 's,/lib\([^/]*\)/ld-,/lix\1/ld-,' "$(type -P true)" >other
    chmod +x crlf script denied other
    why() { # COMMAND EXPRESSION
        "$METER" --output "$RECORD" -- "$1"
        holds "(.exit_code | . == 126 or . == 127) and (.start_error | $2)" <"$RECORD"
        is_valid meter "$RECORD"
    }
    why ./crlf 'contains("CR LF") and contains("\"/bin/sh\\r\"")'
    PATH=$PWD:$PATH why crlf 'contains("CR LF")'
    why ./script '. == "its interpreter /no/such/interpreter is not there"'
    why ./denied 'startswith("its interpreter ") and endswith("/plain is not executable")'
    cmp -s other "$(type -P true)" || why ./other 'startswith("it is there, but not the loader")'
}

@test "not found and not executable are told apart, also from a target's own 127" {
    "$METER" --output "$RECORD" -- no-such-command-anywhere
    holds '.exit_code == 127 and .start_error == "not found"' <"$RECORD"
    touch plain
    "$METER" --output "$RECORD" -- ./plain
    holds '.exit_code == 126 and .start_error == "not executable"' <"$RECORD"
    "$METER" --output "$RECORD" -- sh -c 'no-such-command-anywhere' 2>/dev/null
    holds '.exit_code == 127 and .start_error == null' <"$RECORD"
}

# bats test_tags=slow
@test "a time-out ends the whole tree, also a daemon that ignores every signal" {
    local kind
    for kind in $(accountings); do
        rm -f pid
        "$METER" --accounting "$kind" --timeout 0.3 --output "$RECORD" -- "$FIXTURES/family" stubborn 1 pid
        gone "$(<pid)"
        holds '.timed_out and .signal == 15 and .wall_s >= 0.3 and .wall_s < 60' <"$RECORD"
    done
}

@test "a time-out kills after two seconds what does not heed SIGTERM" {
    # It ignores SIGTERM from its very start.
    (trap '' TERM && exec "$METER" --timeout 0.2 --output "$RECORD" -- sleep 60)
    holds '.timed_out and .signal == 9 and .wall_s >= 2.2 and .wall_s < 60' <"$RECORD"
    # What it took to die is no part of what it would have taken at least.
    holds '.timed_out_s >= 0.2 and .wall_s - .timed_out_s >= 2' <"$RECORD"
}

@test "a run within its time-out is left alone" {
    "$METER" --timeout 20 --output "$RECORD" -- sleep 0.1
    holds '.timed_out == false and .exit_code == 0 and .wall_s < 19' <"$RECORD"
}

# soon_over: 0 when a target that leaves a daemon took less than the time that the daemon is given.
soon_over() {
    rm -f pid
    "$METER" --output "$RECORD" -- "$FIXTURES/family" stubborn 0 pid &&
        holds '.wall_s < 0.5' <"$RECORD"
}

@test "descendants that outlive the target are ended, counted, and not in the wall time" {
    in_tries 5 soon_over
    gone "$(<pid)"
    holds '.survivors == 1 and .exit_code == 0' <"$RECORD"
    "$METER" --output "$RECORD" -- sh -c 'setsid sleep 60 & sleep 60 & exit 0'
    holds '.survivors == 2' <"$RECORD"
}

# lingers: 0 when a descendant that ends 20 ms after the target has not been waited for in vain.
lingers() {
    "$METER" --output "$RECORD" -- bash -c 'echo late > >(cat > late; sleep 0.02)' && holds '.survivors == 0' <"$RECORD"
}

@test "a descendant that ends right after the target is no survivor" {
    # It is given 50 ms.
    in_tries 10 lingers
    [[ $(<late) == late ]]
}

@test "children that the caller had before it became meter are not the target's" {
    bash -c 'sleep 60 & echo $! >pid; exec "$@"' bash "$METER" --output "$RECORD" -- sh -c 'exit 5'
    holds '.exit_code == 5 and .survivors == 0 and .wall_s < 50' <"$RECORD"
    run -1 gone "$(<pid)"
    kill "$(<pid)"
}

@test "stdin, stdout and stderr pass through untouched" {
    head -c 300000 /dev/urandom >data
    "$METER" --output "$RECORD" -- sh -c 'cat; echo complaint >&2' <data >out 2>err
    cmp data out
    [[ $(<err) == complaint ]]
    holds '.exit_code == 0' <"$RECORD"
}

@test "stdin, stdout and stderr go to files" {
    printf 'asked\n' >in
    "$METER" --stdin in --stdout out --stderr err --output - -- sh -c 'cat; echo complaint >&2' >"$RECORD" </dev/null
    [[ $(<out) == asked && $(<err) == complaint ]]
    "$METER" --stdout both --stderr both --output "$RECORD" -- sh -c 'echo one; echo two >&2; echo three'
    [[ $(<both) == $'one\ntwo\nthree' ]]
    matches_schema <"$RECORD"
}

@test "the target has no file of meter's open" {
    "$METER" --stdout list --output "$RECORD" -- sh -c 'ls -l /proc/$$/fd'
    run -1 grep -E 'record|jostle-meter' list
}

@test "signals that the caller blocked or ignores reach the target as they were" {
    local wanted
    wanted=$(trap '' HUP CHLD && grep -E '^Sig(Blk|Ign)' /proc/self/status)
    (trap '' HUP CHLD && exec "$METER" --stdout got --output "$RECORD" -- grep -E '^Sig(Blk|Ign)' /proc/self/status)
    [[ $(<got) == "$wanted" ]]
}

@test "a scheduler's signal to all of a job, which the job ignores, ends no run" {
    # Grid Engine says so that the time is nearly up.
    # shellcheck disable=SC2016 # of the target's shell
    (trap '' USR1 USR2 && exec "$METER" --output "$RECORD" -- sh -c 'kill -s USR1 $PPID && kill -s USR2 $PPID && sleep 0.2')
    holds '.exit_code == 0 and .interrupted == null' <"$RECORD"
}

# bats test_tags=slow
@test "SIGTERM and SIGINT end the tree, leave a record, and exit with 128 + signal" {
    local name number meter status
    for name in TERM INT; do
        number=$(kill -l "$name")
        rm -f "$RECORD" pid
        # A background job of this shell ignores SIGINT: env puts that right.
        env --default-signal=INT "$METER" --output "$RECORD" -- sh -c 'setsid sleep 60 & echo $! >pid; wait' 3>&- &
        meter=$!
        eventually 30 test -s pid
        kill "-$name" "$meter"
        status=0
        wait "$meter" || status=$?
        [[ $status == $((128 + number)) ]]
        gone "$(<pid)"
        holds '.interrupted == $n and .wall_s < 50' --argjson n "$number" <"$RECORD"
        matches_schema <"$RECORD"
    done
}

@test "with --with-parent the target ends when the caller is killed" {
    local caller
    bash -c '"$@"; true' bash "$METER" --with-parent --output "$RECORD" -- \
        sh -c 'setsid sleep 60 & echo $$ $! >pids; wait' 3>&- &
    caller=$!
    eventually 30 test -s pids
    kill -9 "$caller"
    wait "$caller" || true
    read -r target sleeper <pids
    eventually 30 gone "$target"
    eventually 30 gone "$sleeper"
}

@test "with --with-parent the target ends when meter itself is killed" {
    local meter
    "$METER" --with-parent --output "$RECORD" -- sh -c 'echo $$ >pid; exec sleep 60' 3>&- &
    meter=$!
    eventually 30 test -s pid
    kill -9 "$meter"
    wait "$meter" || true
    eventually 30 gone "$(<pid)"
}

# bats test_tags=slow
@test "whichever of meter's processes is killed: no process, also no daemon, and no control group is left" {
    local kind victim meter keeper
    for kind in auto rusage; do
        for victim in meter keeper group; do
            # In a group of its own, whose leader cannot leave it: the keeper is one process more.
            setsid "$METER" --accounting "$kind" --output "$RECORD" -- sh -c '(setsid env -i sleep 60 & echo $! >daemon); echo $$ >pid; exec sleep 60' 3>&- &
            eventually 30 test -s pid
            keeper=$(pgrep -P $! -x meter-keeper)
            meter=$(pgrep -P "$keeper" -x meter)
            case $victim in
                meter) kill -9 "$meter" ;;
                keeper) kill -9 "$keeper" ;;
                group) kill -9 -- -$! ;;
            esac
            wait $! || true
            eventually 30 gone "$(<pid)"
            eventually 30 gone "$(<daemon)"
            eventually 30 gone "$keeper"
            # Whoever is left of the two tidies up.
            eventually 30 gone "$meter"
            [[ -z $(groups_of_meters "$meter") ]]
            rm -f pid daemon
        done
    done
}

@test "two files of meter that are one are refused before anything is written, by whatever name" {
    local pair
    ln -s there link
    for pair in '--output there --stdout there' '--output there --stderr ./there' '--output there --stdout link' \
        '--output there --stdin there' '--stdin there --stdout link' '--output ./new --stdout new' \
        '--output there --stderr-tail link' '--output kept/target.stdout --keep kept'; do
        mkdir -p kept
        printf 'precious\n' >there
        read -r -a words <<<"$pair"
        run -2 "$METER" "${words[@]}" -- echo from the command
        [[ $output == 'jostle: --'*' are one file, '*': one would overwrite the other: give two' ]]
        [[ $(<there) == precious && ! -e new ]]
    done
    run -2 sh -c '"$0" --stdout there -- echo from the command >>there' "$METER"
    [[ $(<there) == precious ]]
    # What may be one, is.
    "$METER" --output "$RECORD" --stdout both --stderr link2both -- sh -c 'echo 1; echo 2 >&2; echo 3'
    ln -s both alias
    "$METER" --output "$RECORD" --stdout both --stderr alias -- sh -c 'echo 1; echo 2 >&2; echo 3'
    [[ $(<both) == $'1\n2\n3' ]]
    "$METER" --output /dev/null --stdout /dev/null -- true
}

@test "groups that the target made in its own are removed with it" {
    [[ $(accountings | head -n 1) == cgroup2 ]] || skip "no cgroup v2 can be made here"
    # meter in meter: the inner one is killed and leaves its group.
    "$METER" --output "$RECORD" -- sh -c 'echo $PPID >outer; "$0" --output - -- sh -c "echo >inner; exec sleep 60" &
        until [ -s inner ]; do sleep 0.05; done; kill -9 $! $(pgrep -P $!); wait' "$METER"
    # The inner target ends with the process between, which may be a moment before or after the outer one looks.
    holds '.exit_code == 0 and .survivors <= 1' <"$RECORD"
    # Others measure meanwhile, some of them meter in meter.
    [[ -z $(groups_of_meters "$(<outer)") ]]
}

# allowed_cpus: the list of this shell's own affinity.
allowed_cpus() {
    sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status
}

@test "the CPUs of the target are those that were asked for, read back" {
    local cpu
    cpu=$(allowed_cpus)
    cpu=${cpu##*[,-]}
    "$METER" --cpus "$cpu" --output "$RECORD" -- "$METER" --output inner -- true
    holds '.cpus == $cpu' --arg cpu "$cpu" <"$RECORD"
    holds '.cpus == $cpu' --arg cpu "$cpu" <inner
    "$METER" --output "$RECORD" -- true
    holds '.cpus == $cpus' --arg cpus "$(allowed_cpus)" <"$RECORD"
    run -1 --separate-stderr "$METER" --cpus 1000 -- touch ran
    [[ $stderr == 'jostle: --cpus: none of these may be used here: Invalid argument: nothing was run' && ! -e ran ]]
}

@test "the priority is the target's" {
    "$METER" --nice 7 --stdout nice --output "$RECORD" -- nice
    [[ $(<./nice) == 7 ]]
}

# bats test_tags=slow
@test "records match the schema, however the run ended" {
    local kind line
    {
        for kind in $(accountings); do
            "$METER" --accounting "$kind" -- true
        done
        "$METER" -- no-such-command-anywhere
        "$METER" -- sh -c 'kill -9 $$'
        "$METER" --timeout 0.05 -- sleep 60
        "$METER" -- sh -c 'sleep 60 & exit 3'
    } >records
    [[ $(wc -l <records) -ge 5 ]]
    matches_schema <records
    line=$(tail -n 1 records)
    # and the check itself can fail
    run -1 matches_schema <<<"${line/wall_s/wall}"
    run -1 matches_schema <<<"${line/\"exit_code\":3/\"exit_code\":-3}"
    run -1 matches_schema <<<""
}

@test "a record can go to an open file descriptor" {
    "$METER" --output /dev/fd/9 -- echo mine 9>"$RECORD" >out
    matches_schema <"$RECORD"
    [[ $(<out) == mine ]]
}

@test "an output that cannot be written is told before the target runs" {
    run -1 --separate-stderr "$METER" --output /nonexistent/record -- touch ran
    [[ $stderr == 'jostle: --output /nonexistent/record: '* && ! -e ran ]]
    run -1 --separate-stderr "$METER" --stdin /nonexistent/in -- touch ran
    [[ $stderr == "jostle: the target's stdin /nonexistent/in: "* && ! -e ran ]]
}

@test "a record that is lost is a failure of its own" {
    [[ -w /dev/full ]] || skip "there is no /dev/full"
    run -125 --separate-stderr "$METER" --output /dev/full -- true
    [[ $stderr == 'jostle: /dev/full cannot be written (No space left on device): '* ]]
}

@test "a service whose first line cannot be written is not started, and leaves no control group" {
    [[ -w /dev/full ]] || skip "there is no /dev/full"
    run -1 --separate-stderr "$METER" --service --output /dev/full --ready port:1 -- touch ran
    [[ $stderr == 'jostle: /dev/full cannot be written (No space left on device): '* && ! -e ran ]]
    eventually 10 no_group_is_orphaned
}

@test "hardware counters that are not there are null and named" {
    "$METER" --output "$RECORD" -- "$FIXTURES/touch" 4
    matches_schema <"$RECORD"
    holds '.counters | (keys_unsorted == ["instructions", "cycles", "cache_references", "cache_misses", "scope", "running", "absent"])
        and .absent == [to_entries[:4][] | select(.value == null) | .key]
        and (if (.absent | length) == 4 then .scope == null else (.scope | IN("all", "user")) end)' <"$RECORD"
    # Where a virtual machine has no counters, nothing is made up.
    compgen -G '/sys/bus/event_source/devices/cpu*' >/dev/null ||
        holds '.counters | .absent | length == 4' <"$RECORD"
    "$METER" --counters none --output "$RECORD" -- true
    holds '.counters == null' <"$RECORD"
}

# bats test_tags=slow
@test "the kernel's counters hold the whole tree from the exec on, with descendants that nobody waited for" {
    local shape
    "$METER" --counters software --output "$RECORD" -- true
    holds '.counters.scope != null' <"$RECORD" || skip "no counters are allowed here"
    for shape in orphan system; do
        "$METER" --counters software --output "$RECORD" -- "$FIXTURES/family" "$shape" 0.3
        holds '(.counters.task_clock_ns / 1e9) as $clock | (.user_s + .system_s) as $cpu
            | $cpu > 0.25 and $clock > 0.8 * $cpu and $clock < 1.2 * $cpu and .counters.absent == []' <"$RECORD"
    done
    "$METER" --counters software --output "$RECORD" -- "$FIXTURES/touch" 16
    # One page fault a page, unless pages are huge; the kernel's own count is the measure.
    holds '.counters.page_faults > 0 and .counters.page_faults <= .minor_faults + .major_faults
        and .counters.page_faults > 0.8 * (.minor_faults + .major_faults) - 50' <"$RECORD"
    "$METER" --counters software --output "$RECORD" -- nonesuch
    holds '.exit_code == 127 and (.counters | .scope == null and .absent == ["task_clock_ns", "page_faults", "context_switches"])' <"$RECORD"
}

@test "where the kernel's part is kept from users, counters are of the user's part, and say so" {
    [[ $EUID == 0 && $(cat /proc/sys/kernel/perf_event_paranoid) == 2 ]] || skip "needs root and perf_event_paranoid 2"
    cp "$METER" meter
    chmod 755 . meter
    setpriv --reuid 65534 --clear-groups ./meter --counters software -- true >"$RECORD" || skip "nobody cannot get here"
    holds '.counters | .scope == "user" and .absent == []' <"$RECORD"
}

# bats test_tags=slow
@test "--serve: a record for each run that is wanted, none before, and 0 at the end" {
    local meter line i
    serve -- sh -c 'echo x >>count; exit 3'
    [[ ! -e count ]]
    for i in 1 2 3; do
        again
        matches_schema <<<"$line"
        holds '.exit_code == 3' <<<"$line"
        [[ $(wc -l <count) -eq $i ]]
    done
    served 0
    [[ -z $(groups_of_meters "$meter") ]]
}

# bats test_tags=slow
@test "--serve: peak memory, CPU time and survivors of one run are not in the next" {
    local kind meter line
    cat >target <<END
#!/bin/sh
if [ -e second ]; then exec "$FIXTURES/touch" 0; fi
touch second
head -c 50000000 /dev/zero >written
"$FIXTURES/family" orphan 0.3
"$FIXTURES/touch" 64
setsid sleep 60 &
exit 0
END
    chmod +x target
    for kind in $(accountings); do
        rm -f second
        serve --accounting "$kind" -- ./target
        again
        holds '.survivors == 1 and .max_rss_bytes > 64 * 1048576 and .user_s + .system_s > 0.295 and .machine.busy_s > 0.25' <<<"$line"
        again
        holds '.survivors == 0 and .max_rss_bytes < 9 * 1048576 and .user_s + .system_s < 0.1 and .accounting == $kind
            and (.tree_peak_bytes == null or .tree_peak_bytes < 9 * 1048576)' --arg kind "$kind" <<<"$line"
        served 0
    done
}

@test "--serve: the target's files are new in each run, and its stdin is none of meter's" {
    local meter line
    printf '#!/bin/sh\n[ -e second ] || echo first >&2\ntouch second\ncat\n' >target && chmod +x target
    serve --stdout out --stderr err -- ./target
    again
    [[ $(<err) == first ]]
    again
    [[ ! -s err && ! -s out ]]
    served 0
    printf 'one\n' >in
    exec 9<in
    serve --stdin /dev/fd/9 --stdout out -- cat
    exec 9<&-
    again
    [[ $(<out) == one ]]
    again # the offset is the caller's, too: there is no more to be read
    [[ ! -s out ]]
    served 0
}

@test "--stderr-tail: the end of a failed run's errors is kept, and nothing is written there meanwhile" {
    local meter line
    mkdir kept tmp
    cat >target <<'END'
#!/bin/sh
ls kept tmp >listed
if [ -e fail ]; then seq 200000 >&2; echo last >&2; exit 3; fi
echo fine >&2
END
    chmod +x target
    TMPDIR=$PWD/tmp serve --stdout /dev/null --stderr-tail kept/err -- ./target
    again
    [[ ! -e kept/err ]]
    touch fail
    again
    holds '.exit_code == 3' <<<"$line"
    [[ $(tail -n 1 kept/err) == last && $(tail -n 2 kept/err | head -n 1) == 200000 && $(wc -c <kept/err) -eq 1048576 ]]
    rm fail kept/err
    again
    [[ ! -e kept/err && $(<listed) == $'kept:\n\ntmp:' ]]
    touch fail
    again
    # Nothing of the runs before is in front of it.
    seq 200000 | cat - <(echo last) | tail -c 1048576 | cmp - kept/err
    served 0
    run -2 --separate-stderr "$METER" --stderr err --stderr-tail err -- true
    [[ $stderr == 'jostle: --stderr and --stderr-tail: '* ]]
    TMPDIR=$PWD/none run -1 --separate-stderr "$METER" --stderr-tail err -- touch ran
    [[ $stderr == 'jostle: no temporary file for what the command writes: '* && ! -e ran ]]
}

@test "--serve: the end of its commands ends a running target's tree, and so does a signal" {
    local meter line
    serve -- sh -c 'setsid sleep 60 & echo $! >pid; wait'
    printf 'run\n' >&7
    eventually 30 test -s pid
    served 129
    gone "$(<pid)"
    rm pid
    serve -- sh -c 'setsid sleep 60 & echo $! >pid; wait'
    printf 'run\n' >&7
    eventually 30 test -s pid
    kill -TERM "$meter"
    read -r -t 120 -u 8 line
    holds '.interrupted == 15' <<<"$line"
    served 143
    gone "$(<pid)"
}

@test "--serve: a time-out and a missing command are that run's own affair" {
    local meter line
    serve --timeout 0.2 -- sh -c '[ -e second ] || exec sleep 60'
    again
    holds '.timed_out and .signal == 15' <<<"$line"
    touch second
    in_time() { again && holds '(.timed_out | not) and .exit_code == 0' <<<"$line"; }
    in_tries 10 in_time
    served 0
    serve -- ./absent
    again
    again
    holds '.start_error == "not found"' <<<"$line"
    served 0
}

@test "--serve: what cannot be done ends it, with a message" {
    local meter line
    run -2 --separate-stderr "$METER" --serve -- true <<<'walk'
    [[ $stderr == 'jostle: --serve: '* ]]
    serve --stderr folder/err -- true 2>message || true
    served 1
    grep -q '^jostle: --stderr folder/err: ' message
}

# little_more: 0 when the shortest time between two of 200 runs was less than twice the shortest run, and all
# took less than three times the CPU time that a shell needs to start as many programs.
little_more() {
    "$METER" --output served -- "$METER" --serve --stdout /dev/null --output lines -- true <commands &&
        "$METER" --output starts -- bash -c 'for _ in {1..200}; do /bin/true; done' &&
        tail -n +2 lines >records && [[ $(wc -l <records) -eq 200 ]] &&
        holds -s 'map(.user_s + .system_s) | .[0] < 3 * .[1]' <<<"$(cat served starts)" &&
        holds -s 'map(.start[17:29] | tonumber) as $s | map(.wall_s) as $w
            | [range(1; length) | $s[.] - $s[. - 1] - $w[. - 1] | select(. > 0)] | min < 2 * ($w | min)' <records
}

# bats test_tags=slow
@test "--serve: a run of true costs little more than the run" {
    ! sanitized || skip "the sanitizers take their time"
    yes run | head -n 200 >commands
    in_tries 5 little_more
}

@test "the machine's own figures: CPU time of all that ran, swapping, throttling" {
    mkdir -p root/proc root/sys/devices/system/cpu/cpu0/thermal_throttle
    printf 'cpu  100 50 25 1000 3 4 5 6 0 0\n' >root/proc/stat
    printf 'nr_free 1\npswpin 7\n' >root/proc/vmstat
    echo 3 >root/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count
    cat >target <<'END'
#!/bin/sh
printf 'cpu  110 51 26 1000 3 4 5 9 0 0\n' >root/proc/stat
printf 'nr_free 1\npswpin 12\n' >root/proc/vmstat
echo 4 >root/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count
END
    chmod +x target
    JOSTLE_KERNEL_ROOT=$PWD/root "$METER" --output "$RECORD" -- ./target
    holds '.machine | .busy_s == 0.12 and (.busy_exact | not) and .swap_in_pages == 5 and .throttle_count == 1 and .cpus >= 1' <"$RECORD"
    holds '.steal_s == 0.03 and .pressure == null' <"$RECORD"
    rm -r root/proc root/sys
    JOSTLE_KERNEL_ROOT=$PWD/root "$METER" --output "$RECORD" -- true
    holds '.machine | .busy_s == null and .swap_in_pages == null and .throttle_count == null' <"$RECORD"
}

# bats test_tags=slow
@test "wrong use is refused with 2 and one line" {
    local -a wrong=(--bogus '-x' '--timeout 0' '--timeout 1x' '--nice 20' '--cpus 3-1' '--cpus x' '--accounting none' '--counters some')
    local words
    for words in "${wrong[@]}"; do
        # shellcheck disable=SC2086
        run -2 --separate-stderr "$METER" $words -- touch ran
        [[ $stderr == 'jostle: '* && $(wc -l <<<"$stderr") == 1 && -z $output ]]
    done
    run -2 --separate-stderr "$METER"
    run -2 --separate-stderr "$METER" --timeout
    [[ $stderr == *'--timeout needs a value'* && ! -e ran ]]
}

@test "--help names every option, and the command's own options are not meter's" {
    run -0 "$METER" --help
    for option in timeout output stdin stdout stderr stderr-tail cpus nice with-parent accounting counters metric keep show-output serve; do
        [[ $output == *"--$option"* ]]
    done
    run -0 --separate-stderr "$METER" --output "$RECORD" sh -c 'echo "$1"' sh --help
    [[ $output == --help ]]
}

# cheap: 0 when a static program that meter starts costs less than ten times the CPU time of that program
# started by the shell (it is three to five times: three processes, and a control group).
cheap() {
    "$METER" --output by-meter -- bash -c 'for _ in {1..50}; do "$0" --output /dev/null -- "$1" 0; done' "$METER" "$FIXTURES/touch" &&
        "$METER" --output by-shell -- bash -c 'for _ in {1..50}; do "$0" 0; done' "$FIXTURES/touch" &&
        holds -s 'map(.user_s + .system_s) | .[0] < 10 * .[1]' <<<"$(cat by-meter by-shell)"
}

# bats test_tags=slow
@test "meter is static, and costs a few starts of a program" {
    ! sanitized || skip "the sanitizers take their time"
    [[ $(readelf -lW "$METER") != *INTERP* ]]
    in_tries 5 cheap
}
