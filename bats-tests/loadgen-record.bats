#!/usr/bin/env bats
# loadgen record of a neighbour: what it counts agrees with the kernel's own count, and what it cannot see is said.

load helpers
load loadgen

setup() {
    bats_require_minimum_version 1.5.0
    cd "$BATS_TEST_TMPDIR" || return
    RECORD=$BATS_TEST_TMPDIR/record.jsonl
}

teardown() {
    [[ -z ${RIVAL:-} ]] || kill -KILL "$RIVAL" 2>/dev/null || true
    [[ -z ${RECORDER:-} ]] || kill -KILL "$RECORDER" 2>/dev/null || true
    [[ -z ${GROUP:-} ]] || eventually 10 rmdir "$GROUP"
}

# first_cpu: the first CPU that is allowed.
first_cpu() {
    taskset -cp $$ | sed 's/.*: \([0-9]*\).*/\1/'
}

# spinning SECONDS [TASKSET-OPTION...]: RIVAL is a process that spins until it is killed.
spinning() {
    taskset "$@" bash -c 'while :; do :; done' 3>&- &
    RIVAL=$!
}

# recorded COMMAND...: a process that waits until it is recorded, then does COMMAND, in the foreground; `true_s` is its CPU
# time as getrusage() says, RECORD the recording. OPTIONS are the recorder's.
recorded() {
    local -a options=("${OPTIONS[@]:-}")
    rm -f "$RECORD" go && mkfifo go
    python3 -c 'import os, sys
pid = os.fork()
if pid == 0:
    open("go").read()
    os.execvp(sys.argv[1], sys.argv[1:])
print(pid, file=open("pid.new", "w"), flush=True)
os.rename("pid.new", "pid")
used = os.wait4(pid, 0)[2]
print(used.ru_utime + used.ru_stime, file=open("true", "w"))' "$@" 3>&- &
    local waiter=$!
    eventually 30 test -s pid
    "$BIN/loadgen" record --pid "$(<pid)" ${options[@]:+"${options[@]}"} "$RECORD" >said 2>&1 3>&- &
    RECORDER=$!
    eventually 30 test -s "$RECORD"
    : >go
    wait "$waiter"
    wait "$RECORDER"
    true_s=$(<true)
    rm -f pid true
}

# agrees PERCENT: the recorded CPU time is that of getrusage(), to within so much and what the end of a process hides.
agrees() {
    holds '.cpu_s as $cpu | ($cpu - $true | fabs) <= $percent / 100 * $true + 0.03 and .ended == "neighbour"' \
        --argjson true "$true_s" --argjson percent "$1" < <(tail -1 "$RECORD")
}

@test "every line of a recorded neighbour is as the schema says" {
    spinning -c "$(first_cpu)"
    run -0 "$BIN/loadgen" record --pid "$RIVAL" --interval 100ms --duration 500ms "$RECORD"
    [[ $output == *'threads that ran or waited for one'*'not seen: '* ]]
    split -l 1 "$RECORD" line.
    is_valid profile line.*
    holds '.[0].schema == "jostle.profile/2" and .[0].of.pid == $pid and (.[0].unseen | length) > 0 and .[-1].ended == "duration" and
        (length == 7 or length == 6) and all(.[1:-1][]; .cpu >= 0 and (.load | length) == $cpus)' -s \
        --argjson pid "$RIVAL" --argjson cpus "$(getconf _NPROCESSORS_ONLN)" <"$RECORD"
}

spin_agrees() {
    recorded timeout 1 bash -c 'while :; do :; done' && agrees 2
}

# bats test_tags=slow
@test "the CPU time of a busy thread is what getrusage says" {
    OPTIONS=(--interval 200ms)
    in_tries 3 spin_agrees
    # It and the recorder's own time are in the summary; a look is followed by a rest.
    holds '.own_cpu_s < 0.05 * .length_s + 0.05' < <(tail -1 "$RECORD")
}

@test "two threads on one CPU are two that could run, however much they get" {
    local cpu
    cpu=$(first_cpu)
    # shellcheck disable=SC2016 # for the inner shell
    taskset -c "$cpu" bash -c 'while :; do :; done & echo $! >child; while :; do :; done' 3>&- &
    RIVAL=$!
    two_run() {
        "$BIN/loadgen" record --pid "$RIVAL" --interval 500ms --duration 2s "$RECORD" &&
            holds '.mean | .runnable > 1.7 and .runnable < 2.2 and .cpu < 1.1 and .cpu_wait > 0.7' < <(tail -1 "$RECORD")
    }
    in_tries 3 two_run
    kill -KILL "$(<child)"
}

# Hundreds of processes that no look meets.
many_agree() {
    # shellcheck disable=SC2016 # for the inner shell
    recorded bash -c 'for ((i = 0; i < 300; i++)); do bash -c "for ((k = 0; k < 2000; k++)); do :; done"; done' && agrees 2
}

# bats test_tags=slow
@test "no CPU time of short children is lost: it agrees with getrusage within 2 percent" {
    OPTIONS=(--interval 500ms)
    in_tries 3 many_agree
    holds '.mean.minor_faults_per_s > 0' < <(tail -1 "$RECORD")
}

# bats test_tags=slow
@test "a build by make -j2 has the CPU time of all its compilers" {
    command -v make >/dev/null && command -v gcc >/dev/null || skip 'needs make and gcc'
    local i
    for ((i = 0; i < 16; i++)); do
        printf '#include <stdio.h>\n#include <stdlib.h>\nint f%d(int x) { char b[64]; snprintf(b, 64, "%%d", x); return atoi(b); }\n' "$i" >"f$i.c"
    done
    printf 'all: %s\n%%.o: %%.c\n\tgcc -O2 -c -o $@ $<\n' "$(printf 'f%d.o ' {0..15})" >Makefile
    OPTIONS=(--interval 500ms)
    build_agrees() {
        rm -f ./*.o
        recorded make -s -j2 && agrees 2
    }
    in_tries 3 build_agrees
}

@test "a writer's bytes are those it wrote" {
    # It is waited for while the recording goes on.
    recorded bash -c 'dd if=/dev/zero of=file bs=64k count=100 oflag=dsync status=none; sleep 0.5'
    holds 'last as $all | ($all.mean.write_bytes_per_s // empty) * $all.length_s / 6553600 | . > 0.95 and . < 1.1' -s <"$RECORD" ||
        skip 'this file system counts no bytes'
}

@test "a process that ends, ends its recording in good order" {
    sleep 0.7 3>&- &
    RIVAL=$!
    run -0 "$BIN/loadgen" record --pid "$RIVAL" --interval 200ms "$RECORD"
    holds '.[-1].event == "summary" and .[-1].ended == "neighbour" and .[-1].length_s < 30' -s <"$RECORD"
}

# bats test_tags=slow
@test "Ctrl-C ends it in good order, and after SIGKILL its lines are whole" {
    spinning -c "$(first_cpu)"
    local number
    for number in INT KILL; do
        rm -f "$RECORD"
        env --default-signal=INT "$BIN/loadgen" record --pid "$RIVAL" --interval 50ms "$RECORD" 3>&- &
        RECORDER=$!
        eventually 30 grep -q time_ms "$RECORD"
        kill -s "$number" "$RECORDER"
        wait "$RECORDER" || [[ $number == KILL ]]
        rm -f line.*
        split -l 1 "$RECORD" line.
        is_valid profile line.*
        [[ $number == KILL ]] || holds '.[-1].ended == "signal"' -s <"$RECORD"
        run -0 "$BIN/loadgen" cpu --profile "$RECORD" --dry-run
    done
}

@test "a control group's CPU time is the kernel's, also of what has ended" {
    local top
    top=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
    GROUP=$top/jostle-test-$$
    [[ -n $top ]] && mkdir "$GROUP" 2>/dev/null || {
        GROUP=
        skip 'no control group of v2 can be made here'
    }
    # shellcheck disable=SC2016 # for the inner shell
    bash -c 'echo $$ >"$1"/cgroup.procs && while :; do for ((i = 0; i < 9; i++)); do /bin/true; done; done' bash "$GROUP" 3>&- &
    RIVAL=$!
    eventually 30 grep -qw "$RIVAL" "$GROUP/cgroup.procs"
    group_agrees() {
        local before after
        before=$(awk '/usage_usec/ { print $2 }' "$GROUP/cpu.stat")
        "$BIN/loadgen" record --cgroup "/${GROUP##*/}" --interval 250ms --duration 2s "$RECORD"
        after=$(awk '/usage_usec/ { print $2 }' "$GROUP/cpu.stat")
        holds '.[0].of.cgroup == $group and (.[-1].cpu_s / ($used / 1e6) | . > 0.9 and . < 1.01)' -s \
            --argjson used $((after - before)) --arg group "$GROUP" <"$RECORD"
    }
    in_tries 3 group_agrees
    kill -KILL "$RIVAL"
    wait "$RIVAL" 2>/dev/null || true
}

@test "a job's control group is found by its number, empty or not" {
    local top
    top=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
    GROUP=$top/job_$$7
    [[ -n $top ]] && mkdir "$GROUP" 2>/dev/null || {
        GROUP=
        skip 'no control group of v2 can be made here'
    }
    run -0 "$BIN/loadgen" record --job "$$7" --interval 50ms --duration 200ms "$RECORD"
    holds '.[0].of == {job: $job, cgroup: $group} and .[-1].cpu_s == 0' -s --arg job "$$7" --arg group "$GROUP" <"$RECORD"
    split -l 1 "$RECORD" line.
    is_valid profile line.*
}

@test "a process that does not run, another user's, two neighbours and no such group are refused" {
    sleep 0 &
    local gone=$!
    wait "$gone"
    run -1 "$BIN/loadgen" record --pid "$gone" "$RECORD"
    [[ $output == "jostle: process $gone does not run: give the number of one that does" && ! -e $RECORD ]]
    run -1 "$BIN/loadgen" record --cgroup /nowhere/at/all "$RECORD"
    [[ $output == 'jostle: there is no control group /nowhere/at/all: '* && ! -e $RECORD ]]
    run -2 "$BIN/loadgen" record --pid $$ --cgroup / "$RECORD"
    [[ $output == *'one neighbour at a time: give one of them' ]]
    run -2 "$BIN/loadgen" record --job 'a b' "$RECORD"
    [[ $output == *'not the number of a job'* ]]
    run -2 "$BIN/loadgen" record --pid $$ --wakeup-every 10ms "$RECORD"
    [[ $output == *'--wakeup-every is of the machine'* ]]
    run -1 "$BIN/loadgen" record --pid $$ --interval 20ms --duration 100ms /proc/nowhere/file
    [[ $output == 'jostle: cannot record to /proc/nowhere/file'* ]]
    [[ $(id -u) -eq 0 ]] && setpriv --version >/dev/null 2>&1 || skip 'needs root and setpriv'
    chmod 755 "$BATS_TEST_TMPDIR"
    run -1 setpriv --reuid 65534 --regid 65534 --clear-groups "$BIN/loadgen" record --pid $$ -
    [[ $output == "jostle: process $$ belongs to another user"*'record it as that user or as root' ]]
}

@test "a recorded neighbour is played again, whole and column by column" {
    cat >"$RECORD" <<'END'
{"schema":"jostle.profile/2","cores":2,"unit":"percent","of":{"pid":1,"program":"load"},"unseen":[]}
{"time_ms":200,"load":[40,0],"cpu":0.4,"write_bytes_per_s":1000000,"writes_per_s":1000,"busiest":[{"pid":1,"thread":1,"program":"event","cpu":0.4,"cpu_wait":0}]}
{"time_ms":400,"load":[100,20],"cpu":1.2,"write_bytes_per_s":0,"writes_per_s":0}
END
    split -l 1 "$RECORD" line.
    is_valid profile line.*
    local threads
    for threads in 2 4; do
        "$BIN/loadgen" cpu --threads "$threads" --stages "$RECORD:cpu" --json | tail -1 |
            holds '.elapsed_s > 0.6 or (.offered * .elapsed_s - 0.32 - (.elapsed_s - 0.4) * 0.4 | fabs) < 1e-4'
    done
    "$BIN/loadgen" syscall --threads 1 --stages "$RECORD:writes_per_s" --json | tail -1 | holds '.offered * .elapsed_s - 200 | fabs < 1.01'
    run -0 "$BIN/loadgen" pagecache --threads 1 --stages "$RECORD:write_bytes_per_s" --dry-run
    run -0 "$BIN/loadgen" cpu --profile "$RECORD" --dry-run
    run -2 "$BIN/loadgen" cpu --threads 1 --stages "$RECORD:cpu"
    [[ $output == *'up to 1.20 CPUs, more than the 1 worker: give --threads 2' ]]
    run -2 "$BIN/loadgen" syscall --stages "$RECORD:cpu"
    [[ $output == *'this column is of CPU time'* ]]
    run -2 "$BIN/loadgen" cpu --stages "$RECORD:nothing"
    [[ $output == *'line 2 has no rate nothing'* ]]
}
