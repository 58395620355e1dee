#!/usr/bin/env bats
# A load that runs already: it is paused and continued, and whatever ends jostle, it runs on.

load helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    read -r first _ < <(taskset -cp $$ | sed 's/.*: //; s/[-,]/ /g')
    others=()
}

teardown() {
    local pid
    for pid in "${others[@]}"; do
        kill -CONT "$pid" 2>/dev/null || true
        kill -KILL "$pid" 2>/dev/null || true
    done
    [[ -z ${GROUP:-} || ! -d $GROUP ]] || eventually 10 rmdir "$GROUP"
}

# neighbour COMMAND...: sets PID to that of a process that the test ends.
neighbour() {
    "$@" >/dev/null 2>&1 3>&- &
    PID=$!
    others+=("$PID")
}

state_of() {
    local text
    read -r text <"/proc/$1/stat" && text=${text##*) } && printf '%s\n' "${text%% *}"
}

is_running() {
    local state
    state=$(state_of "$1")
    [[ $state != T && $state != t ]]
}

is_stopped() {
    ! is_running "$1"
}

# gained: beside a busy neighbour on its CPU the target takes about twice as long as without it.
gained() {
    rm -rf out
    run -0 "$JOSTLE" slowdown --pause --output out --min-runs 8 --max-runs 12 --target-cpus "$first" --load "n=pid:$PID" -- \
        sh -c 'i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done' || return
    holds '.slowdowns[] | select(.metric == "wall_s") | .ratio > 1.6 and .ratio < 2.5 and .ci[0] > 1.2' <out/result.json
}

# bats test_tags=measures
@test "what a program gains without a neighbour on its CPU is measured, and the neighbour runs on" {
    neighbour taskset -c "$first" sh -c 'while :; do :; done'
    in_tries 3 gained
    [[ $output == *"Beside n (pid:$PID) it takes "* && $output =~ n:\ without\ it\ the\ target\ takes\ 0\.[0-9]+\ \[0\.[0-9]+,\ 0\.[0-9]+\]\ times\ as\ long ]]
    is_running "$PID"
    # What measures it again says so, too.
    "$JOSTLE" report --format html out >page.html
    grep -q -- "--load n=pid:$PID .*--pause" page.html
    is_valid result out/result.json
    is_valid experiment out/experiment.json
}

# bats test_tags=slow
@test "paused, nothing of its tree runs, whatever it forks; resumed, all of it does" {
    neighbour setsid sh -c 'while :; do (:); (sh -c "exit 0"); done'
    coproc LOAD { "$BIN/loadgen" neighbour --pid "$PID" --pause --control --json; }
    others+=("$LOAD_PID")
    read -r line <&"${LOAD[0]}"
    holds '.event == "ready" and (.neighbour | startswith("pid "))' <<<"$line"
    local before after
    for _ in 1 2 3; do
        before=$(awk '{ print $14 + $15 + $16 + $17 }' "/proc/$PID/stat")
        sleep 0.2
        after=$(awk '{ print $14 + $15 + $16 + $17 }' "/proc/$PID/stat")
        [[ $before == "$after" ]]
        echo resume >&"${LOAD[1]}"
        read -r line <&"${LOAD[0]}"
        holds '.event == "steady"' <<<"$line"
        is_running "$PID"
        echo pause >&"${LOAD[1]}"
        read -r line <&"${LOAD[0]}"
        holds '.event == "paused"' <<<"$line"
    done
    echo quit >&"${LOAD[1]}"
    eventually 5 is_running "$PID"
}

# marked NAME: the processes that have MARK=NAME in their environment, however far they are from us.
marked() {
    grep -lzx "MARK=$1" /proc/[0-9]*/environ 2>/dev/null | sed 's|/proc/||; s|/environ||' | grep -vx "$PID" || true
}

@test "whatever is killed of jostle, in whatever order, the neighbour runs on at once, 8 times" {
    neighbour nice -n 19 sh -c 'while :; do :; done'
    local trial pid jostle
    local -a pids
    for trial in {1..8}; do
        MARK=kill$trial TMPDIR=$PWD "$JOSTLE" slowdown --pause --quiet --output "out$trial" --min-runs 100 --max-runs 100 --load "n=pid:$PID" -- sleep 0.1 >/dev/null 2>&1 3>&- &
        jostle=$!
        # From its start on, and then at a random moment.
        ((trial % 4 == 0)) || eventually 20 is_stopped "$PID"
        sleep "0.$((RANDOM % 3))"
        mapfile -t pids < <(marked "kill$trial" | shuf)
        for pid in "${pids[@]}"; do kill -KILL "$pid" 2>/dev/null || true; done
        eventually 5 is_running "$PID"
        wait "$jostle" || true
        # What was born while they were killed ends by itself, and stops nobody.
        eventually 10 none_is_left "kill$trial"
        # One that ends has no environment any more, and for a moment still its files.
        eventually 5 is_running "$PID"
    done
}

none_is_left() {
    [[ -z $(marked "$1") ]]
}

@test "only with --pause, and never what jostle, the session or the machine lives by" {
    neighbour sleep 100
    run -2 "$JOSTLE" slowdown --load "n=pid:$PID" -- true
    [[ $output == "jostle: load 'pid:$PID': it would be stopped and continued, again and again: give --pause if that is what you want" ]]
    run -2 "$JOSTLE" slowdown --pause --load 'half=cpu --percent 50' -- true
    [[ $output == *'--pause: no load runs already: '* ]]
    refused() { # WORDS ARG...
        run -2 timeout 10 "$BIN/loadgen" neighbour --pause "${@:2}"
        [[ $output == *"$1"* ]]
    }
    refused 'give --pause if' --pid "$PID" --pause=no 2>/dev/null || true
    refused 'jostle itself was started from there' --pid $$
    refused 'who is it?'
    refused 'who is it?' --pid "$PID" --job 1
    refused 'another process than the one' --pid "$PID" --started 1
    sh -c 'exit 0' &
    local zombie=$!
    eventually 5 test ! -e "/proc/$zombie" || true
    refused 'there is no such process' --pid 4194303
    refused 'there is no such folder' --cgroup /sys/fs/cgroup/no-such-group
    refused "no control group on this node is that job's" --job 987654321
    kill -STOP "$PID"
    eventually 5 is_stopped "$PID"
    refused 'is stopped already: continue it first' --pid "$PID"
    is_stopped "$PID"
    kill -CONT "$PID"
    if [[ $(id -u) -eq 0 ]]; then
        refused 'process 1 is never paused' --pid 1 || refused 'jostle itself was started from there' --pid 1
        [[ ! -e /proc/2 ]] || refused 'a thread of the kernel' --pid 2
        run -2 setpriv --reuid 65534 --clear-groups "$BIN/loadgen" neighbour --pause --pid "$PID"
        [[ $output == *"another user's"* || $output == *'no such process'* ]]
    fi
}

@test "a neighbour that ends meanwhile ends the experiment, which keeps its runs" {
    neighbour sleep 2
    run -1 "$JOSTLE" slowdown --pause --output out --max-runs 200 --load "n=pid:$PID" -- sleep 0.05
    [[ $output == *"pid $PID (sleep) has ended: runs from here on have no neighbour"* ]]
    [[ $(wc -l <out/runs.jsonl) -ge 1 ]]
}

# bats test_tags=slow
@test "a control group is a neighbour, and so is a job by its group" {
    local root=/sys/fs/cgroup
    [[ ! -d /sys/fs/cgroup/freezer ]] || root=/sys/fs/cgroup/freezer
    GROUP=$root/job_$$
    mkdir "$GROUP" 2>/dev/null || skip 'no control group can be made here'
    neighbour sleep 100
    local one=$PID
    neighbour sleep 101
    printf '%s\n' "$one" >"$GROUP/cgroup.procs"
    printf '%s\n' "$PID" >"$GROUP/cgroup.procs"
    local kind
    for kind in "cgroup:$GROUP" "job:$$"; do
        "$JOSTLE" slowdown --pause --quiet --output "${kind%%:*}" --min-runs 12 --max-runs 12 --load "n=$kind" -- sleep 0.05 >/dev/null 3>&- &
        eventually 20 is_stopped "$one"
        eventually 20 is_stopped "$PID"
        wait $! || true
        is_running "$one"
        is_running "$PID"
        holds '.conditions | length == 2 and .[1].runs > 0' <"${kind%%:*}/result.json"
    done
}
