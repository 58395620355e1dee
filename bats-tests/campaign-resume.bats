#!/usr/bin/env bats
# bats file_tags=slow
# A campaign continues, whatever ended it.

load helpers

campaign='' # the id of the campaign that start() started

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    # What is killed with SIGKILL cannot take its temporary folder away.
    export TMPDIR=$BATS_TEST_TMPDIR
    tag=$((100000 + RANDOM)).$$
    # The second run of the second cell stays until the file `go` is there.
    cat >target <<END
#!/bin/bash
echo "\$1" >>$PWD/calls
[[ \$1 != 2 || -e $PWD/go || \$(grep -c 2 $PWD/calls) -ne 2 ]] || exec sleep $tag
END
    chmod +x target
    cat >c.conf <<END
[campaign]
    name = test
    min-runs = 3
    max-runs = 3
    washout = 0
[target "a"]
    command = ./target {n}
    n = 1 2 3
[load "l"]
    spec = cpu --percent 3.${tag/./}
END
}

# start: starts the campaign in a session of its own, and waits until it is in
# the second cell's second run.
start() {
    env --default-signal=INT setsid "$JOSTLE" campaign c.conf --output out "$@" >log 2>&1 </dev/null 3>&- &
    campaign=$!
    eventually 30 pgrep -f "^sleep $tag" >/dev/null
}

# ended_with STATUS
ended_with() {
    local status=0
    wait "$campaign" || status=$?
    [[ $status -eq $1 ]] || {
        printf 'the campaign ended with %s: %s\n' "$status" "$(<log)" >&2
        return 1
    }
}

# left: 0 when nothing of the campaign runs any more. Of one that was killed the keepers live the longest,
# until all below them has ended and been tidied up, and the folder is free for the next one.
left() {
    [[ -z $(pgrep -f -- "sleep $tag|--percent 3.${tag/./}|keeper --folder $TMPDIR/jostle\." | while read -r pid; do gone "$pid" || echo "$pid"; done) ]]
}

# continues: the same command measures what is missing, and nothing twice.
continues() {
    touch go
    run -0 "$JOSTLE" campaign c.conf --output out
    [[ $output == *'2/3 a.n=2@l: slowdown '*'3/3 a.n=3@l: slowdown '* ]]
    [[ $output != *'a.n=1@l: slowdown'* ]]
    [[ $(grep -c 1 calls) -eq 6 && $(grep -c 2 calls) -eq 7 && $(grep -c 3 calls) -eq 6 ]]
    holds -s 'map(.state) == ["done", "done", "done"]' < <(cat out/cells/*/status.json)
    holds '.resumed | length == 1 and .[0].runs == 1' <out/cells/a.n=2@l/experiment.json
}

@test "SIGKILL: nothing is left running, and the campaign continues without loss" {
    mkdir scratch
    start --scratch scratch
    kill -KILL "$campaign"
    ended_with 137
    eventually 60 left
    touch go
    run -0 "$JOSTLE" campaign c.conf --output out --scratch scratch
    [[ $(grep -c 1 calls) -eq 6 && $(grep -c 2 calls) -eq 7 && $(grep -c 3 calls) -eq 6 ]]
    [[ -z $(ls scratch) ]] # what the killed one left is gone, too
}

@test "SIGKILL of the campaign and of all that it started" {
    start
    kill -KILL -- "-$campaign"
    ended_with 137
    eventually 60 left
    # Nobody could say any more that it ended; whoever looks on sees it.
    run -0 "$JOSTLE" watch out --once
    [[ $output == *'1 stale'*'a.n=2@l: stale: '* ]]
    continues
}

@test "Ctrl-C" {
    start
    kill -INT -- "-$campaign"
    ended_with 130
    eventually 60 left
    holds '.state == "interrupted" and (.reason | contains("SIG"))' <out/cells/a.n=2@l/status.json
    grep -q 'the same command continues' log
    continues
}

@test "SIGTERM to the campaign alone" {
    start
    kill -TERM "$campaign"
    ended_with 143
    eventually 60 left
    continues
}

@test "SIGKILL of the part that keeps the books" {
    start
    kill -KILL "$(below "$campaign" campaign)"
    # The cell is still measured, then nobody knows what is next.
    touch go
    kill -TERM "$(pgrep -f "^sleep $tag")"
    ended_with 1
    eventually 60 left
    grep -q 'jostle: campaign run was killed: the same command continues from here' log
    run -0 "$JOSTLE" campaign c.conf --output out --retry-failed
    holds -s 'map(.state) == ["done", "done", "done"]' < <(cat out/cells/*/status.json)
}

@test "a line that was half written is set aside" {
    start
    kill -KILL -- "-$campaign"
    ended_with 137
    eventually 60 left
    head -c 700 out/cells/a.n=1@l/runs.jsonl >>out/cells/a.n=2@l/runs.jsonl
    continues
    [[ -s out/cells/a.n=2@l/runs.jsonl.torn ]]
}

@test "a full disk ends it with a message; with room it continues" {
    [[ $(id -u) -eq 0 ]] || skip "mounting a small tmpfs needs root"
    touch go
    mkdir disk
    mount -t tmpfs -o size=400k none disk || skip "mounting is not allowed here"
    head -c 330k /dev/zero >disk/filler || true
    run "$JOSTLE" campaign c.conf --output disk/out --set min-runs=60 --set max-runs=60 --set error=0.01%
    local rc=$status text=$output
    rm disk/filler
    run "$JOSTLE" campaign c.conf --output disk/out
    local again=$status
    mkdir copy && cp -r disk/out/cells copy/
    umount disk
    [[ $rc -eq 1 && $text == *'disk'*'full'* ]]
    [[ $again -eq 0 ]]
    holds -s 'length == 3 and all(.[]; .state == "done")' < <(cat copy/cells/*/status.json)
    # Not one whole record was lost or broken.
    holds -s 'all(.[]; .schema == "jostle.run/1")' < <(cat copy/cells/*/runs.jsonl)
}

@test "two campaigns on one folder exclude each other; tasks with --cells share it" {
    start
    run -1 "$JOSTLE" campaign c.conf --output out
    [[ $output == *'another jostle campaign is using '* ]]
    run -1 "$JOSTLE" campaign c.conf --output out --cells 3
    kill -TERM "$campaign"
    ended_with 143
    rm calls
    "$JOSTLE" campaign c.conf --output out --cells 2 >log 2>&1 </dev/null 3>&- &
    campaign=$!
    eventually 30 pgrep -f "^sleep $tag" >/dev/null
    # Another task at the same time; the cell of the first one is skipped, and is not done.
    run -1 "$JOSTLE" campaign c.conf --output out --cells 2-3
    [[ $output == *'a.n=2@l is being measured by another jostle'*'a.n=3@l: slowdown'*'1 cell is being measured by another jostle'* ]]
    run -1 "$JOSTLE" campaign c.conf --output out
    touch go
    kill -TERM "$(pgrep -f "^sleep $tag")" # the run fails, and so does the cell
    ended_with 5
    run -0 "$JOSTLE" campaign --output out --cells 2 --retry-failed
    holds '.state == "done"' <out/cells/a.n=2@l/status.json
}

@test "a changed file measures again only what changed, and says so" {
    touch go
    "$JOSTLE" campaign c.conf --quiet --output out
    rm calls
    sed -i 's/n = 1 2 3/n = 1 2 4/' c.conf
    run -0 "$JOSTLE" campaign c.conf --output out
    [[ $output == *'1 cell is new: a.n=4@l'*'1 cell is no longer in the file, and is left as it is: a.n=3@l'* ]]
    [[ $(sort -u calls) == 4 && -s out/cells/a.n=3@l/result.json ]]
    rm calls
    printf '    nice = 1\n' >>c.conf # of the load: all cells
    run -0 "$JOSTLE" campaign c.conf --output out
    [[ $output == *'3 cells are measured again, their definition changed: a.n=1@l, a.n=2@l, a.n=4@l'* ]]
    [[ $(wc -l <calls) -eq 18 && $(ls out/replaced) == $'a.n=1@l.1\na.n=2@l.1\na.n=4@l.1' ]]
    [[ -s out/replaced/a.n=1@l.1/result.json ]]
}

@test "other limits add runs to what was measured, in the job that continues" {
    touch go
    JOSTLE_LOCAL_JOB=7 "$JOSTLE" campaign c.conf --quiet --output out --only 'a.n=1*'
    [[ $(wc -l <calls) -eq 6 ]]
    holds '.job == "7"' <out/cells/a.n=1@l/status.json
    run -0 env JOSTLE_LOCAL_JOB=8 "$JOSTLE" campaign c.conf --output out --only 'a.n=1*' --set min-runs=5 --set max-runs=5
    [[ $(wc -l <calls) -eq 10 ]]
    holds '.conditions[0].runs == 5' <out/cells/a.n=1@l/result.json
    holds '.job == "8"' <out/cells/a.n=1@l/status.json
}

@test "without the file the plan in the folder is followed" {
    touch go
    "$JOSTLE" campaign c.conf --quiet --output out --only 'a.n=1*'
    mv c.conf elsewhere.conf
    "$JOSTLE" campaign --quiet --output out
    holds -s 'map(.state) == ["done", "done", "done"]' < <(cat out/cells/*/status.json)
    run -0 "$JOSTLE" campaign out/campaign.conf --output out
    [[ $(wc -l <calls) -eq 18 ]]
    run -2 "$JOSTLE" campaign --output nowhere
}
