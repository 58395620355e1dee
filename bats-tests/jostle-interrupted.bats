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
    env --default-signal=INT setsid "$JOSTLE" slowdown --output out --seed 1 --load "low=cpu --percent 3.${tag/./}" -- ./target >/dev/null 2>errors </dev/null 3>&- &
    harness=$!
    eventually 20 pgrep -f "sleep $tag" >/dev/null
}

# ended_with STATUS: 0 when jostle has ended with that exit status.
ended_with() {
    local status=0
    wait "$harness" || status=$?
    [[ $status -eq $1 ]] || {
        printf 'jostle ended with %s: %s\n' "$status" "$(<errors)" >&2
        return 1
    }
}

# left: 0 when nothing of this measurement runs any more.
left() {
    [[ -z $(pgrep -f -- "sleep $tag|--percent 3.${tag/./}" | while read -r pid; do gone "$pid" || echo "$pid"; done) ]]
}

@test "SIGTERM ends target and load, and keeps the records" {
    start
    kill -TERM "$harness"
    ended_with 143
    eventually 10 left
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

@test "Ctrl-C ends target and load, and keeps the records" {
    start
    kill -INT -- "-$harness"
    ended_with 130
    eventually 10 left
    [[ $(wc -l <out/runs.jsonl) -eq 1 ]]
    grep -q 'interrupted by SIGINT' errors
}

@test "where SIGINT is ignored at the start, Ctrl-C ends neither the measurement nor a load" {
    # bash starts a background job of a script so.
    setsid "$JOSTLE" slowdown --output out --seed 1 --min-runs 2 --max-runs 2 \
        --load "low=cpu --percent 3.${tag/./}" --load "disk=io --file-size 1M --limit 10iops --random" \
        --load "memory=mem --footprint 1M --limit 1M" -- sleep 0.3 >/dev/null 2>errors </dev/null 3>&- &
    harness=$!
    eventually 20 test -s out/runs.jsonl
    kill -INT -- "-$harness"
    ended_with 0
    run ! grep -E 'ended|interrupted' errors
    [[ $(wc -l <out/runs.jsonl) -eq 8 ]]
    eventually 10 left
}

@test "no target and no load outlives a harness that is killed with SIGKILL" {
    start
    kill -KILL "$harness"
    eventually 10 left
    [[ $(wc -l <out/runs.jsonl) -eq 1 ]]
}

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
    eventually 20 pgrep -f "^sleep $tag" >/dev/null
    SECONDS=0
    kill -TERM "$harness"
    ended_with 143
    [[ $SECONDS -lt 20 ]]
    run -1 pgrep -f "sleep $tag"
}

@test "a load that dies ends the measurement, and is named" {
    start
    local load
    load=$(pgrep -f -- "^$BIN/loadgen cpu .*--percent 3.${tag/./}")
    kill -KILL "$load"
    # The run in progress is not cut short by it; the next exchange finds out.
    kill -TERM "$(pgrep -f "^sleep $tag")"
    ended_with 1
    [[ $(<errors) == 'jostle: load low ended: it ended with status 137: try it alone with loadgen' ]]
    eventually 10 left
}

@test "a full disk ends the measurement with a clear message and whole records" {
    [[ $(id -u) -eq 0 ]] || skip "mounting a small tmpfs needs root"
    mkdir small
    mount -t tmpfs -o size=128k none small || skip "mounting is not allowed here"
    run "$JOSTLE" run --quiet --output small/out --min-runs 2000 --max-runs 2000 -- true
    local rc=$status text=$output lines
    lines=$(head -c -1 small/out/runs.jsonl | jq -s 'length' 2>/dev/null || true)
    umount small
    [[ $rc -eq 1 ]]
    [[ $text == *'is the disk full?'* ]]
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
    eventually 20 test -s pid
    kill -s TERM "$pid"
    wait "$pid" || code=$?
    [[ $code -eq 143 && $(<log) == cleaned && ! -e out ]]
    gone "$(<pid)"
}
