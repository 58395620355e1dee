#!/usr/bin/env bats
# Whatever ends a measurement: no load and no target is left, what was
# measured stays, and the message says what happened.

load helpers

harness='' # the id of the harness that start() started

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    # A command line of this test's own, by which its processes are known.
    tag=$((100000 + RANDOM)).$$
}

# A test that fails leaves nothing running either.
teardown() {
    [[ -z $harness ]] || kill -TERM "$harness" 2>/dev/null || true
}

# start: starts jostle in a session of its own (where Ctrl-C is not ignored, as
# bash has it for background commands), with a
# first run that is over quickly and then a target that stays. With this seed
# the first run is the baseline's, so the one that stays has the load.
start() {
    cat >target <<END
#!/bin/bash
[[ -e first ]] || { touch first; exit 0; }
exec sleep $tag
END
    chmod +x target
    env --default-signal=INT setsid "$JOSTLE" slowdown --output out --seed 7 --load "low=cpu --percent 3.${tag/./}" -- ./target >/dev/null 2>errors </dev/null 3>&- &
    harness=$!
    eventually 60 pgrep -f "sleep $tag" >/dev/null
}

# ended_with STATUS: 0 when jostle has ended with that exit status.
ended_with() {
    local status=0
    wait "$harness" || status=$?
    harness='' # the number may be another process' now
    [[ $status -eq $1 ]] || {
        printf 'jostle ended with %s: %s\n' "$status" "$(<errors)" >&2
        return 1
    }
}

# left: 0 when nothing of this measurement runs any more.
left() {
    [[ -z $(pgrep -f -- "sleep $tag|--percent 3.${tag/./}" | while read -r pid; do gone "$pid" || echo "$pid"; done) ]]
}

# bats test_tags=slow
@test "SIGTERM ends target and load, and keeps the records" {
    start
    kill -TERM "$harness"
    ended_with 143
    eventually 30 left
    [[ $(wc -l <out/runs.jsonl) -eq 1 ]]
    grep -q 'interrupted by SIGTERM after 1 run:' errors
}

@test "Ctrl-C before the end of the first run leaves no folder, and names none" {
    touch first
    start
    kill -INT -- "-$harness"
    ended_with 130
    [[ ! -e out ]]
    grep -q 'interrupted by SIGINT before the first run had ended$' errors
}

@test "Ctrl-C also ends a shell loop of measurements" {
    local shell
    # shellcheck disable=SC2016 # for the shell
    "$BIN/start" --session --default-signals -- bash -c 'echo $$ >shell
        for n in 1 2 3; do echo "$n" >>begun; "$0" run --quiet --output "out$n" -- sh -c "echo >>ran; sleep 60"; done; echo >after' "$JOSTLE" 2>errors
    eventually 30 test -s ran
    shell=$(<shell)
    kill -INT -- "-$shell"
    eventually 30 gone "$shell"
    [[ $(<begun) == 1 && ! -e after ]]
}

@test "Ctrl-C ends target and load, and keeps the records" {
    start
    kill -INT -- "-$harness"
    ended_with 130
    eventually 30 left
    [[ $(wc -l <out/runs.jsonl) -eq 1 ]]
    grep -q 'interrupted by SIGINT' errors
}

# bats test_tags=slow
@test "where SIGINT is ignored at the start, Ctrl-C ends neither the measurement nor a load" {
    # bash starts a background job of a script so.
    setsid "$JOSTLE" slowdown --output out --seed 1 --min-runs 2 --max-runs 2 \
        --load "low=cpu --percent 3.${tag/./}" --load "disk=io --file-size 1M --limit 10iops --random" \
        --load "memory=mem --footprint 1M --limit 1M" -- sleep 0.3 >/dev/null 2>errors </dev/null 3>&- &
    harness=$!
    eventually 60 test -s out/runs.jsonl
    kill -INT -- "-$harness"
    ended_with 0
    run ! grep -E 'ended|interrupted' errors
    [[ $(wc -l <out/runs.jsonl) -eq 8 ]]
    eventually 30 left
}

@test "no target and no load outlives a harness that is killed with SIGKILL" {
    start
    kill -KILL "$harness"
    eventually 30 left
    [[ $(wc -l <out/runs.jsonl) -eq 1 ]]
}

@test "a harness that is killed before its first record takes away its own files, and no others" {
    mkdir out
    "$JOSTLE" run --output out --setup "echo mine >out/solver.stderr; : >out/mine.stderr; exec sleep $tag" -- true >/dev/null 2>&1 </dev/null 3>&- &
    harness=$!
    eventually 60 pgrep -f "^sleep $tag" >/dev/null
    [[ -e out/runs.jsonl ]]
    # shellcheck disable=SC2046 # words
    kill -KILL $(below "$harness" bash)
    ended_with 137
    [[ $(echo out/*) == 'out/mine.stderr out/solver.stderr' ]]
}

# bats test_tags=slow
@test "no control group outlives a harness that is killed, however long it takes to end what is in it" {
    local pid
    local -a pids
    printf '#!/bin/bash\ntrap "" TERM\nwhile :; do sleep 0.1; done\n' >load
    printf '#!/bin/bash\ntrap "sleep 20" TERM\necho up\nwhile :; do sleep 0.1; done\n' >service
    chmod +x load service
    "$JOSTLE" slowdown --output out --load 'l=exec: ./load' --service ./service --ready match:/up/ -- sleep 0.1 >/dev/null 2>&1 </dev/null 3>&- &
    harness=$!
    eventually 60 test -s out/runs.jsonl
    mapfile -t pids < <(below "$harness")
    # shellcheck disable=SC2046 # words
    kill -KILL $(below "$harness" bash)
    ended_with 137
    for pid in "${pids[@]}"; do [[ -z $(find /sys/fs/cgroup -name "jostle-*.$pid") ]]; done
    for pid in "${pids[@]}"; do gone "$pid"; done
}

# bats test_tags=slow
@test "after Ctrl-C the commands that resume and that report are there to be pasted" {
    start
    kill -INT -- "-$harness"
    ended_with 130
    sed -n 's/^  resume: //p' errors >resume
    sed -n 's/^  report: //p' errors >report
    rm target && printf '#!/bin/bash\n' >target && chmod +x target
    bash report >text
    grep -q '1 runs are recorded' text
    bash resume >text 2>errors
    grep -q '^low' text
    [[ $(grep -c . out/runs.jsonl) -ge 24 ]]
}

@test "a signal does not wait for --prepare, and ends it with all that it started" {
    env --default-signal=INT setsid "$JOSTLE" run --output out --prepare "touch began; sleep $tag; true" -- true >/dev/null 2>errors </dev/null 3>&- &
    harness=$!
    eventually 60 pgrep -f "^sleep $tag" >/dev/null
    SECONDS=0
    kill -TERM "$harness"
    ended_with 143
    [[ $SECONDS -lt 20 ]]
    run -1 pgrep -f "sleep $tag"
}

# bats test_tags=slow
@test "a load that dies ends the measurement, and is named" {
    start
    local load
    load=$(pgrep -f -- "^$BIN/loadgen cpu .*--percent 3.${tag/./}")
    kill -KILL "$load"
    # The run in progress is not cut short by it; the next exchange finds out.
    kill -TERM "$(pgrep -f "^sleep $tag")"
    ended_with 1
    [[ $(<errors) == 'jostle: load low ended: it was killed (SIGKILL)'* ]]
    eventually 30 left
}

@test "a full disk ends the measurement with a clear message and whole records" {
    [[ $(id -u) -eq 0 ]] || skip "mounting a small tmpfs needs root"
    mkdir small
    mount -t tmpfs -o size=128k none small || skip "mounting is not allowed here"
    run "$JOSTLE" run --quiet --output small/out --min-runs 2000 --max-runs 2000 -- true
    local rc=$status text=$output lines
    lines=$(head -c -1 small/out/runs.jsonl | jq -s 'length' 2>/dev/null || true)
    # Who looks at all mounts, as other tests do, holds each for a moment.
    eventually 30 umount small
    [[ $rc -eq 1 ]]
    [[ $text == *'runs.jsonl'*'(No space left on device): the disk is full (df, df -i): make room on it' ]]
    [[ $lines -gt 0 && $lines -lt 2000 ]]
}

@test "a folder that vanishes during the measurement ends it with a message" {
    printf '#!/bin/bash\n[[ ! -e out/runs.jsonl ]] || rm -rf out\n' >target && chmod +x target
    run -1 "$JOSTLE" run --output out -- ./target
    [[ $output == *'out/runs.jsonl'* ]]
}

@test "Ctrl-C during --setup ends it with all that it has started; --cleanup is run" {
    "$JOSTLE" run --output out --setup 'sleep 300 & echo $! >pid; wait' --cleanup 'echo cleaned >log' -- true 2>err &
    local pid=$! code=0
    eventually 60 test -s pid
    kill -s TERM "$pid"
    wait "$pid" || code=$?
    [[ $code -eq 143 && $(<log) == cleaned && ! -e out ]]
    gone "$(<pid)"
}

# bats test_tags=slow
@test "--cleanup and --conclude run to their end, whatever signal comes meanwhile" {
    local kind status
    for kind in 'TERM jostle' 'HUP jostle' 'INT group' 'TERM group' 'QUIT group' 'KILL jostle' 'KILL keeper'; do
        for hook in cleanup conclude; do
            # What the run before it leaves to its keeper may still be on its way.
            mkdir "$BATS_TEST_TMPDIR/$kind $hook" && cd "$BATS_TEST_TMPDIR/$kind $hook"
            env --default-signal=INT,QUIT setsid "$JOSTLE" run --quiet --output out --runs 2 --prepare 'echo up >state' \
                "--$hook" 'echo >going; until [ -e sent ]; do sleep 0.1; done; sleep 0.3; echo down >state' -- true 2>errors </dev/null 3>&- &
            harness=$!
            eventually 60 test -e going
            case ${kind#* } in
                jostle) kill -s "${kind% *}" "$harness" ;;
                group) kill -s "${kind% *}" -- "-$harness" ;;
                keeper) kill -s "${kind% *}" "$(below "$harness" jostle-keeper)" ;;
            esac
            touch sent
            status=0
            wait "$harness" || status=$?
            ((status > 128))
            eventually 60 grep -qx down state
        done
    done
}

@test "what --prepare has begun is concluded, also where the run is interrupted; a --cleanup that fails then is named and recorded" {
    "$JOSTLE" run --output out --runs 2 --prepare 'echo up >>log' --conclude 'echo down >>log' --cleanup 'echo cleaned >>log; exit 7' \
        -- bash -c '[[ ! -e first ]] && touch first || { touch second; sleep 60; }' >/dev/null 2>errors </dev/null 3>&- &
    harness=$!
    eventually 60 test -e second
    kill -TERM "$harness"
    ended_with 143
    [[ $(tr '\n' ' ' <log) == 'up down up down cleaned ' ]]
    grep -q -- '^jostle: --cleanup failed with status 7: echo cleaned >>log; exit 7' errors
    holds 'any(.warnings[]; .text | startswith("--cleanup failed with status 7"))' <out/experiment.json
}

@test "a run that is being concluded when the signal comes is counted, and can be continued" {
    "$JOSTLE" run --output out --conclude 'touch concluding; sleep 0.5' -- true >/dev/null 2>errors </dev/null 3>&- &
    harness=$!
    eventually 60 test -e concluding
    kill -TERM "$harness"
    ended_with 143
    grep -q '^jostle: interrupted by SIGTERM after 1 run: the records are in ' errors
    grep -q '^  resume: ' errors
}

# bats test_tags=slow
@test "why a cell of a campaign is not done is never what it waited for at its end" {
    printf '[campaign]\nname = c\n[target "a"]\ncommand = sleep 30\ncleanup = sleep 1.5\n' >c.conf
    "$JOSTLE" campaign c.conf --output out >/dev/null 2>errors </dev/null 3>&- &
    harness=$!
    eventually 60 test -e out/cells/a/runs.jsonl
    kill -TERM "$harness"
    ended_with 143
    grep -q 'interrupted: by SIGTERM' errors
    run ! grep 'waits for' errors
}

# bats test_tags=slow
@test "a --cleanup that hangs after a signal is ended after JOSTLE_UNDO_S, which is said" {
    JOSTLE_UNDO_S=3 "$JOSTLE" run --output out --runs 2 --cleanup "exec sleep $tag" -- sleep 60 >/dev/null 2>errors </dev/null 3>&- &
    harness=$!
    eventually 60 test -e out/runs.jsonl
    eventually 60 pgrep -f '^sleep 60$' >/dev/null
    kill -TERM "$harness"
    ended_with 143
    left
    grep -Eq "waits for --cleanup \(exec sleep $tag\), for another [0-3] s at most" errors
    grep -q -- '--cleanup failed with status 124' errors
    run -2 env JOSTLE_UNDO_S=0 "$JOSTLE" run -- true
    [[ $output == 'jostle: JOSTLE_UNDO_S=0: '* ]]
}

# bats test_tags=slow
@test "SIGKILL of the command itself, of its process group, or of what is above it: nothing runs, no folder stays" {
    local victim command keeper status daemon=''
    # What runs then is a hook; a daemon that it has started is its own to end, unless all are killed.
    mkdir temporary
    for victim in keeper command group; do
        printf '#!/bin/bash\n%s\ntouch began\nsleep %s\ntrue\n' "${daemon:-}" "$tag" >hook
        chmod +x hook
        [[ $victim != command ]] || daemon="(setsid env -i sleep $tag &)"
        TMPDIR=$PWD/temporary setsid "$JOSTLE" run --output out --prepare ./hook -- true 2>errors </dev/null 3>&- &
        harness=$!
        eventually 60 test -e began
        keeper=$(below "$harness" jostle-keeper)
        command=$(below "$keeper" bash | head -n 1)
        case $victim in
            command) kill -KILL "$command" ;;
            group) kill -KILL -- "-$harness" ;;
            keeper) kill -KILL "$keeper" ;;
        esac
        status=0
        wait "$harness" || status=$?
        ((status == 137))
        eventually 30 left
        eventually 30 gone "$command"
        eventually 30 gone "$keeper"
        # In good order, where the command itself lived on.
        [[ $victim == command || $victim == group ]] || grep -q 'interrupted by SIGTERM' errors
        [[ -z $(ls temporary) ]]
        rm -rf began out
    done
}

# bats test_tags=slow
@test "SIGKILL of conduct: the records stay, and it is said; closing the terminal is SIGHUP" {
    start
    kill -KILL "$(below "$harness" conduct)"
    ended_with 1
    [[ $(<errors) == 'jostle: conduct was killed (signal 9): continue with --resume' ]]
    eventually 30 left
    [[ $(wc -l <out/runs.jsonl) -eq 1 ]]
    rm -r out first
    cat >measure <<END
exec "$JOSTLE" slowdown --output out --seed 7 --load "low=cpu --percent 3.${tag/./}" -- ./target 2>errors
END
    setsid script -qfc 'bash measure' /dev/null >/dev/null 2>&1 </dev/null 3>&- &
    harness=$!
    eventually 60 pgrep -f "sleep $tag" >/dev/null
    kill -KILL "$harness"
    wait "$harness" || true
    eventually 30 left
    eventually 30 grep -q 'interrupted by SIGHUP after 1 run:' errors
    [[ $(wc -l <out/runs.jsonl) -eq 1 ]]
}

@test "a meter that ends at its very start ends the experiment with its last words; so does that of a service" {
    local kind
    mkdir -p build/bin
    ln -s "$BIN"/* build/bin/
    ln -s "$WORKLOADS" build/workloads
    rm build/bin/meter
    for kind in serve service; do
        printf '#!/bin/sh\ncase "$*" in *--%s*) echo "jostle: none today" >&2; exit 2 ;; esac\nexec "%s/meter" "$@"\n' "$kind" "$BIN" >build/bin/meter
        chmod +x build/bin/meter
        JOSTLE_BUILD=$PWD/build run -1 timeout 100 "$JOSTLE" run --output out --service 'sh -c "echo ready; exec sleep 100"' --ready 'match:/ready/' -- true
        [[ $output == 'jostle: the '*': none today' && ! -e out ]]
    done
}

# at_start LIBRARY NUMBER COMMAND: a shell of LIBRARY runs COMMAND, and gets SIGTERM right before it notes NUMBER, that of the
# process that it has just started. Its status; 0 where that process was left.
at_start() {
    local code=0
    cat >starter <<END
set -euo pipefail
JOSTLE_ROOT=$ROOT JOSTLE_HARNESS=$ROOT/harness JOSTLE_LIB=$ROOT/harness/lib JOSTLE_BIN=$BIN
source "$ROOT/$1"
set -T
trap '[[ \$BASH_COMMAND != "$2=\\\$!" ]] || kill -s TERM "\$\$"' DEBUG
$3
END
    timeout 20 bash starter </dev/null >said 2>&1 3>&- || code=$?
    eventually 2 none_sleeps || {
        pkill -f "^sleep $tag"
        code=0
    }
    return "$code"
}

# none_sleeps: 0 when no sleep of this test's own is left.
none_sleeps() {
    [[ -z $(pgrep -f -- "^sleep $tag" | while read -r pid; do gone "$pid" || echo "$pid"; done) ]]
}

@test "a signal that comes while a process is being started ends that, too" {
    run -143 at_start harness/lib/common.bash child "ended() { child_end; exit \"\$2\"; }
signals_trap ended
child_run sleep $tag"
    run -143 at_start harness/lib/measure.bash foreground_pid "ended() { foreground_end; exit \"\$2\"; }
signals_trap ended
foreground sleep $tag"
    run -143 at_start harness/lib/common.bash child "source $ROOT/harness/campaign/campaign.bash
source $ROOT/harness/campaign/run.bash
signals_trap campaign_interrupted
child_run sleep $tag"
    run -143 at_start jobs/common.bash job_child "trap 'job_signal TERM' TERM
job_run sleep $tag"
}

@test "a cell is not begun when the signal came right before" {
    cat >starter <<END
set -euo pipefail
JOSTLE_ROOT=$ROOT JOSTLE_HARNESS=$ROOT/harness JOSTLE_LIB=$ROOT/harness/lib JOSTLE_BIN=$BIN
source "\$JOSTLE_LIB/common.bash"
source "\$JOSTLE_HARNESS/campaign/campaign.bash"
source "\$JOSTLE_HARNESS/campaign/run.bash"
declare -A options=([verbose]='')
plan=([session]='' [folder]=$PWD)
campaign_tmp=$PWD
temporary_note() { kill -s TERM "\$\$"; }
driver_ask() { printf '%s\n' "\$1"; }
signals_trap campaign_interrupted
run_step touch begun
END
    chmod +x starter
    run -0 timeout 20 bash starter
    [[ $output == 'ended 143' && ! -e begun && $(<stderr) == 'jostle: interrupted by SIGTERM' ]]
}
