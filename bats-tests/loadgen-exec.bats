#!/usr/bin/env bats
# loadgen exec: any command is a load, and all of it ends with the load.

load helpers
load loadgen

setup() {
    bats_require_minimum_version 1.5.0
    MINE=$BATS_TEST_TMPDIR/pids
}

teardown() {
    local pid
    [[ -z ${PARENT:-} ]] || kill -KILL "$PARENT" 2>/dev/null || true
    [[ -z ${LOAD_PID:-} ]] || kill -KILL "$LOAD_PID" 2>/dev/null || true
    [[ ! -e $MINE ]] || while read -r pid; do kill -KILL "$pid" 2>/dev/null || true; done <"$MINE"
}

# A command with a child, a child in another session that left its parent, and
# one that will not listen to SIGTERM; all write their ids to $MINE.
family() {
    cat <<'SCRIPT'
echo $$ >>"$0"
(echo $BASHPID >>"$0"; exec sleep 1000) &
setsid bash -c 'echo $$ >>"$0"; exec sleep 1000' "$0" </dev/null &
(setsid bash -c 'echo $$ >>"$0"; exec sleep 1000' "$0" &) &
bash -c 'trap "" TERM; echo $$ >>"$0"; while :; do sleep 0.1; done' "$0" &
wait
SCRIPT
}

all_gone() {
    local pid
    while read -r pid; do gone "$pid" || return 1; done <"$MINE"
}

started() {
    [ "$(wc -l <"$MINE" 2>/dev/null)" -ge "$1" ]
}

# bats test_tags=slow
@test "resume starts the command, pause ends its whole tree, and it can be resumed" {
    load_start exec --settle 300ms -- bash -c "$(family)" "$MINE"
    load_expect ready
    load_holds '.load == "exec" and .unit == ""'
    [ ! -e "$MINE" ]
    load_resume
    eventually 30 started 5
    load_say pause
    load_expect paused
    all_gone
    rm "$MINE"
    load_resume
    eventually 30 started 5
    load_end
    all_gone
}

@test "steady comes after --settle" {
    load_start exec --settle 700ms -- sleep 100
    load_expect ready
    local before after
    before=$(date +%s%N)
    load_resume
    after=$(date +%s%N)
    [ $((after - before)) -ge 690000000 ]
    load_end
}

@test "--settle counts from when the command is there, however late that is" {
    local before after
    printf '#define _GNU_SOURCE\n#include <sys/syscall.h>\n#include <unistd.h>\nint setpgid(pid_t pid, pid_t group) { usleep(900000); return (int)syscall(SYS_setpgid, pid, group); }\n' >"$MINE.c"
    cc -shared -fPIC -o "$MINE.so" "$MINE.c"
    asan_option verify_asan_link_order=0
    LD_PRELOAD=$MINE.so load_start exec --settle 300ms -- sleep 100 # between fork and exec
    load_expect ready
    before=$(date +%s%N)
    load_resume
    after=$(date +%s%N)
    [ $((after - before)) -ge 1190000000 ]
    load_end
}

@test "its record has the CPU time of the tree, and neither offered nor achieved" {
    load_start exec --settle 100ms -- bash -c 'echo $$ >>"$0"; (while :; do :; done)' "$MINE"
    load_expect ready
    load_resume
    load_mark a
    sleep 1
    load_mark b
    load_holds '.offered == null and .achieved == null and .cpu_s / .elapsed_s > 0.02 and .cpu_s / .elapsed_s < 1.2'
    load_say pause
    load_expect paused
    load_end
    load_holds '.cpu_s > 0.02'
}

# A command that ignores SIGCHLD, so that the kernel reaps its children: nobody waits for
# them, and their CPU time goes to nobody. Each burns CPU time for 40 ms, and
# appends what it has used to $0, unless it is ended before. One at a time: where the machine is
# too busy for more, they would become ever more.
# shellcheck disable=SC2016 # for perl
AUTO_REAPED='
    $SIG{CHLD} = "IGNORE";
    my $file = shift;
    for (;;) {
        my $child = fork;
        if (!$child) {
            my $used;
            do { my ($user, $system) = times; $used = $user + $system } while $used < 0.04;
            open my $out, ">>", $file;
            syswrite $out, "$used\n";
            exit;
        }
        do { select undef, undef, undef, 0.05 } while kill 0, $child;
    }'

# add_cpu: adds the cpu_s of the last reply to $all, which never falls.
add_cpu() {
    load_holds '.cpu_s >= 0'
    all=$(jq --argjson all "$all" '.cpu_s + $all' <<<"$LOAD_REPLY")
}

# bats test_tags=slow
@test "the CPU time of children that nobody waits for is counted, and falls at no mark" {
    local all=0 _
    load_start exec --settle 100ms -- perl -e "$AUTO_REAPED" "$MINE.used"
    load_expect ready
    load_holds '.accounting == "cgroup2" or .accounting == "cgroup1"' || skip 'no cgroup can be made here'
    load_resume
    for _ in 1 2 3 4 5 6; do
        load_mark
        add_cpu
        sleep 0.25
    done
    load_say pause
    load_expect paused
    load_end
    load_holds '.cpu_s > $used * 0.95 and .cpu_s < .elapsed_s * $cpus * 1.1 and .cpu_s >= $all * 0.999' \
        --argjson cpus "$(nproc)" --argjson all "$all" --argjson used "$(awk '{ sum += $1 } END { print sum }' "$MINE.used")"
}

# bats test_tags=slow
@test "without a cgroup the CPU time is a lower bound: it falls at no mark" {
    local all=0 _
    load_start exec --accounting processes --settle 100ms -- perl -e "$AUTO_REAPED" "$MINE.used"
    load_expect ready
    load_holds '.accounting == "processes"'
    load_resume
    for _ in 1 2 3 4 5 6; do
        load_mark
        load_holds '.accounting == "processes"'
        add_cpu
        sleep 0.25
    done
    load_end
    load_holds '.cpu_s > 0 and .cpu_s >= $all * 0.999' --argjson all "$all"
}

groups() {
    find /sys/fs/cgroup -maxdepth 3 -type d -name "jostle-load.$1"
}

no_group() {
    [ -z "$(groups "$1")" ]
}

# bats test_tags=slow
@test "its cgroup and its processes are gone after the end, and after SIGKILL" {
    local end
    for end in eof KILL; do
        rm -f "$MINE"
        load_start exec --settle 100ms -- bash -c "$(family)" "$MINE"
        load_expect ready
        load_holds '.accounting != "processes"' || skip 'no cgroup can be made here'
        load_resume
        eventually 30 started 5
        [ -n "$(groups "$LOAD_PID")" ]
        if [[ $end == eof ]]; then
            load_end
            no_group "$LOAD_PID"
        else
            kill -KILL "$LOAD_PID"
            eventually 30 no_group "$LOAD_PID"
        fi
        eventually 30 all_gone
    done
}

@test "a command that exits by itself is an error" {
    load_start exec --settle 100ms -- bash -c 'until [ -e "$0" ]; do sleep 0.05; done; exit 3' "$MINE.go"
    load_expect ready
    load_resume
    touch "$MINE.go"
    load_expect error
    load_holds '.message | contains("status 3")'
    load_expect summary
    ends_with 1 "$LOAD_PID"
}

@test "a command that becomes a daemon remains the load" {
    # shellcheck disable=SC2016 # for the inner shells
    load_start exec --settle 300ms -- bash -c '(setsid bash -c '\''echo $$ >>"$0"; exec sleep 1000'\'' "$0" &) ; exit 0' "$MINE"
    load_expect ready
    load_resume
    eventually 30 started 1
    load_end
    all_gone
}

@test "a command that is missing or not executable is an error that names the reason" {
    local command
    for command in /nowhere/to/be/found /etc/passwd; do
        load_start exec -- "$command"
        load_expect ready
        load_say resume
        load_expect error
        load_holds ".message | contains(\"cannot start $command\")"
        load_expect summary
        ends_with 1 "$LOAD_PID"
        exec {LOAD_IN}>&- {LOAD_OUT}<&-
    done
}

@test "a long command path, and one that is no text, are in valid records, and the message is whole" {
    local path name
    printf -v path '/%04000d' 0
    for name in "$path" $'/x\377\033[31m\n\001y'; do
        load_start exec --settle 0 -- "$name"
        load_expect ready
        load_holds '.command | length >= 10'
        load_say resume
        load_expect error
        load_holds '.message | startswith("cannot start /") and endswith(": check the command")'
        load_expect summary
        ends_with 1 "$LOAD_PID"
        exec {LOAD_IN}>&- {LOAD_OUT}<&-
    done
}

@test "the command's output goes to stderr, and it does not read the control plane's stdin" {
    load_start exec --settle 200ms -- bash -c 'echo out; echo error >&2; cat; exec sleep 100'
    load_expect ready
    load_resume
    load_mark a
    eventually 30 grep -q error "$BATS_TEST_TMPDIR"/load.*/errors
    load_end
    run cat "$BATS_TEST_TMPDIR"/load.*/errors
    [[ $output == *out*error* ]]
}

@test "the options of the command are its own" {
    run -0 "$BIN/loadgen" exec --duration 300ms -- bash -c 'exec sleep 100' --no-such-option
    run -0 "$BIN/loadgen" exec --duration 300ms bash -c 'exec sleep 100' --no-such-option
}

@test "SIGTERM and end of file end the tree" {
    load_start exec --settle 100ms -- bash -c "$(family)" "$MINE"
    load_expect ready
    load_resume
    eventually 30 started 5
    kill -TERM "$LOAD_PID"
    load_expect summary
    wait "$LOAD_PID"
    all_gone
}

# states LETTER: each process of the family is in that state (/proc/PID/status).
states() {
    local pid state
    while read -r pid; do
        state=$(awk '/^State:/ { print $2 }' "/proc/$pid/status") || return 1
        [[ $state == "$1" ]] || return 1
    done <"$MINE"
}

load_is_stopped() {
    [ "$(awk '/^State:/ { print $2 }' "/proc/$LOAD_PID/status")" = T ]
}

@test "Ctrl-Z stops the command with all that it has started, fg continues it, and it is ended as ever" {
    local group
    # Job control gives it a group of its own, as at a terminal.
    env --default-signal=TSTP bash -c 'set -m; "$@" & echo $! >"$0"; exec sleep 1000' "$BATS_TEST_TMPDIR/group" \
        "$BIN/loadgen" exec --duration 1000s -- bash -c "$(family)" "$MINE" 3>&- >"$BATS_TEST_TMPDIR/out" 2>&1 &
    PARENT=$!
    disown # its end is no news
    eventually 30 started 5
    eventually 30 test -s "$BATS_TEST_TMPDIR/group"
    group=$(<"$BATS_TEST_TMPDIR/group")
    LOAD_PID=$group
    kill -TSTP -- "-$group"
    eventually 30 states T
    eventually 30 load_is_stopped # by itself, and maybe later than those that it has stopped
    kill -CONT -- "-$group"
    eventually 30 states S
    kill -TSTP -- "-$group" # and a second time
    eventually 30 states T
    kill -KILL "$group"
    eventually 30 all_gone
}

@test "the command is in loadgen's session, and has no terminal that could stop it" {
    command -v script >/dev/null || skip 'no script'
    cd "$BATS_TEST_TMPDIR"
    cat >typed <<END
stty tostop # who writes from the background is stopped
ps -o sid= \$\$ >loadgen.session
exec "$BIN/loadgen" exec --duration 100s -- bash noisy
END
    # shellcheck disable=SC2016 # for the shell
    printf '%s\n' 'echo said >&2' ': </dev/tty || ps -o sid= $$ >command.session' 'exec sleep 100' >noisy
    script -qfc 'bash typed' /dev/null >/dev/null 2>&1 </dev/null 3>&- &
    LOAD_PID=$!
    eventually 30 test -s command.session
    diff loadgen.session command.session
}

@test "--cpus holds for the command" {
    local cpu
    cpu=$(taskset -cp $$ | sed 's/.*[ ,-]//')
    # shellcheck disable=SC2016 # for the inner shell
    load_start exec --settle 200ms --cpus "$cpu" -- bash -c 'awk "/^Cpus_allowed_list/ { print \$2 }" /proc/self/status >"$0"; exec sleep 100' "$MINE.cpus"
    load_expect ready
    load_resume
    eventually 30 test -s "$MINE.cpus"
    [ "$(cat "$MINE.cpus")" = "$cpu" ]
    load_end
}

# lapped COUNT: so many laps have begun.
lapped() {
    [ "$(wc -l <"$MINE.laps")" -ge "$1" ]
}

@test "--loop starts the command again when it has ended, and counts laps" {
    load_start exec --loop --settle 50ms -- sh -c 'echo lap; echo lap >>"$0"; sleep 0.02; echo >>"$0.whole"' "$MINE.laps"
    load_expect ready
    load_resume
    # Steady comes after a whole lap: so the phase at that time can be random.
    [[ -s $MINE.laps.whole ]]
    load_mark
    eventually 30 lapped 4
    load_say pause
    load_expect paused
    load_resume
    load_end
    load_holds '.laps >= 2'
}

# bats test_tags=slow
@test "--loop of a command that takes minutes is steady within its first seconds, at each resume, and says so" {
    load_start exec --loop --settle 50ms -- sleep 300
    load_expect ready
    local before=$EPOCHSECONDS
    load_say resume
    load_expect warning
    [[ $LOAD_REPLY == *'a lap of sleep takes more than 20 s'*'leave out --loop'* ]]
    load_expect steady
    load_say pause
    load_expect paused
    load_resume
    # 20 s at first, and at most 20 s each time.
    ((EPOCHSECONDS - before < 55))
    exec {LOAD_IN}>&-
    wait "$LOAD_PID"
}

@test "--loop reports a lap that fails" {
    run -1 --separate-stderr "$BIN/loadgen" exec --loop --duration 10s -- sh -c 'mkdir "$0"' "$MINE.folder"
    # shellcheck disable=SC2154 # bats sets it
    [[ $stderr == *'sh exited with status 1 while it should be running: try it twice in a row, in one folder'* ]]
}

# bats test_tags=slow
@test "what a command does after it was told to end is no part of the load" {
    # It takes the 2 s until SIGKILL.
    "$BIN/loadgen" exec --json --settle 0 --duration 500ms -- sh -c 'trap "" TERM; while :; do :; done' | tail -n 1 >"$MINE"
    holds '.cpu_s <= 1.2 * .elapsed_s and .elapsed_s < 1.5' <"$MINE"
}
