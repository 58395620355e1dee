#!/usr/bin/env bats
# jostle status without a scheduler: what a campaign's folder alone says. (With one:
# slurm-campaign.bats.)

load helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    mkdir -p c/cells
    printf '{"schema":"jostle.campaign/1","name":"made-up","cells":[%s]}\n' \
        "$(for i in 1 2 3 4 5 6; do printf '{"number":%d,"name":"cell%d","key":"k%d"},' $i $i $i; done | sed 's/,$//')" >c/campaign.json
}

# cell NUMBER STATE [HOST [KEY]]: the status of a cell.
cell() {
    mkdir -p "c/cells/cell$1"
    jq -nc --arg name "cell$1" --arg state "$2" --arg host "${3:-$(uname -n)}" --arg key "${4:-k$1}" '{ schema: "jostle.status/1", cell: $name, key: $key,
        state: $state, reason: (if $state == "failed" then "it broke" else null end), host: $host, pid: 1, started: "2026-01-01T00:00:00Z",
        updated: "2026-01-01T00:00:01Z", runs: 3, max_runs: 8, error: 0.125, asked_error: 0.05, expected_runs: 6, job: null }' \
        >"c/cells/cell$1/status.json"
    : >"c/cells/cell$1/runs.jsonl"
}

# bats test_tags=slow
@test "cells are counted, and those that need a look are named" {
    cell 1 'done'
    cell 2 failed
    cell 3 interrupted
    run -0 "$JOSTLE" status c
    [[ ${lines[0]} == 'made-up: 6 cells: 1 done, 0 running, 1 failed, 1 interrupted, 0 stale, 3 waiting' ]]
    [[ $output == *'failed      cell2  3 of 6 runs, error 12.5 %, wanted 5 %'*'it broke'* ]]
    [[ $output == *'interrupted cell3'* && $output != *cell1* && $output != *cell4* ]]
    run -0 "$JOSTLE" status --all c
    [[ $output == *'done        cell1'* && $output == *'waiting     cell6'* ]]
    "$JOSTLE" status --json c >answer
    is_valid campaign-status answer
    holds '.cells | map(.attention) == [false, true, false, false, false, false] and all(.[:3][]; .age_s > 1e6) and .[5].age_s == null' <answer
    # An added field is not required of older records.
    jq 'del(.cells[] | .age_s, .changed, .attention)' answer >older
    is_valid campaign-status older
}

@test "a reason that is too long is cut off behind a whole character, and its cell is there" {
    cell 1 failed
    jq -c '.reason = "x" * 254 + "üü"' c/cells/cell1/status.json >new
    mv new c/cells/cell1/status.json
    "$JOSTLE" status --json c | holds '(.cells | length) == 6 and .cells[0].reason == "x" * 254'
}

# both TEXT: status and watch both show TEXT.
both() {
    [[ $("$JOSTLE" status c) == *$1* && $("$JOSTLE" watch --once c) == *$1* ]]
}

# heard NUMBER SECONDS: the last sign of life of a cell is so old.
heard() {
    jq -c --arg now "$(date -u -d "$2 seconds ago" +%FT%TZ)" '.updated = $now' "c/cells/cell$1/status.json" >new
    mv new "c/cells/cell$1/status.json"
}

# bats test_tags=slow
@test "status and watch agree on who is measured" {
    cell 1 running
    cell 2 running elsewhere
    cell 3 running elsewhere
    heard 2 30
    # Here a process has to hold the records; of another node the locks need not be seen.
    run -0 "$JOSTLE" status c
    [[ $output == *'stale       cell1'*'no process measures it'* && $output == *'running     cell2'*elsewhere* ]]
    [[ $output == *'stale       cell3'*'elsewhere has not been heard of since 2026-01-01T00:00:01Z'* ]]
    both '1 running'
    both '2 stale'
    run -0 "$JOSTLE" watch --once c
    [[ $output == *'cell1: stale: no process measures it'* && $output == *'cell2 on elsewhere: 3 runs'* && $output == *'cell3: stale: elsewhere has not been heard of'* ]]
    exec {held}>>c/cells/cell1/runs.jsonl {other}>>c/cells/cell3/runs.jsonl
    flock "$held"
    flock "$other"
    both '3 running'
    run -0 "$JOSTLE" status c
    exec {held}>&- {other}>&-
    [[ $output == *'running     cell1'* && $output == *'0 stale'* ]]
}

# bats test_tags=slow
@test "a node whose runs are long may be silent for longer" {
    cell 1 running elsewhere
    heard 1 3600
    both '1 stale'
    # 3 runs took 600 s: 20 of them take more than an hour.
    jq -c '.spent_s = 600' c/cells/cell1/status.json >new
    mv new c/cells/cell1/status.json
    both '1 running'
}

@test "a cell whose definition was changed waits again" {
    cell 1 'done' here other-key
    run -0 "$JOSTLE" status c
    [[ ${lines[0]} == *' 0 done,'*' 6 waiting' && ${lines[1]} == 'waiting     cell1'*'its definition was changed' ]]
}

@test "what is no campaign is refused" {
    mkdir empty
    run -2 "$JOSTLE" status empty
    run -2 "$JOSTLE" status
    run -2 "$JOSTLE" status c c
    printf 'broken' >c/campaign.json
    run -1 "$JOSTLE" status c
    [[ $output == *'is it damaged?'* ]]
}
