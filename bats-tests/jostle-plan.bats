#!/usr/bin/env bats
# jostle plan, watch and init: what a campaign will be, how far it is, how one begins.

load helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    cat >c.conf <<'END'
[campaign]
    name = test
    min-runs = 3
    max-runs = 6
[target "a"]
    command = sleep {t}
    t = 0.1 0.2
[target "b"]
    command = true
[load "l"]
    spec = cpu --percent {level}
    level = 1 2
END
}

# status CELL STATE [FIELD=VALUE...]: writes the status of a cell as jostle does.
status() {
    local cell=$1 state=$2
    shift 2
    mkdir -p "out/cells/$cell"
    jq -nc --slurpfile plan out/campaign.json --arg cell "$cell" --arg state "$state" '$plan[0].cells[] | select(.name == $cell)
        | { schema: "jostle.status/1", cell: .name, key, limits: { "min-runs": "3", "max-runs": "6" }, state: $state, reason: null,
            host: "node7", pid: 1, started: "2026-01-01T00:00:00Z", updated: "2026-01-01T00:00:10Z", runs: 4, max_runs: 12,
            error: 0.07, asked_error: 0.05, expected_runs: 10, spent_s: 10, job: null }' |
        jq -c "$(printf '.%s |' "$@" 'cell = .cell') ." >"out/cells/$cell/status.json"
}

# campaign: the folder of a campaign that has not begun.
campaign() {
    "$JOSTLE" campaign c.conf --output out --quiet --only b@l.1 --set min-runs=1 --set max-runs=1
    rm -r out/cells/b@l.1
    # As if the limits had been those of the file.
    jq -c '.cells[].settings = { "min-runs": "3", "max-runs": "6" }' out/campaign.json >plan.json
    mv plan.json out/campaign.json
}

# bats test_tags=slow
@test "plan lists the cells, and estimates from what was measured" {
    campaign
    run -0 "$JOSTLE" plan c.conf --output out
    [[ $output == *'a.t=0.2@l.2'*'6 cells, 6 to be measured: nothing is known of their time'* ]]
    status a.t=0.1@l.1 'done' 'spent_s = 30'
    status a.t=0.2@l.1 interrupted
    "$JOSTLE" plan c.conf --output out --json >plan.json
    is_valid plan plan.json
    holds '[.cells[].estimate_s.from] == ["done", "label", "cell", "target", null, null]' <plan.json
    # 4 of 10 runs took 10 s.
    holds '[.cells[:4][].estimate_s.low] == [0, 30, 15, 30] and .total.unknown == 2 and .total.todo == 5' <plan.json
    run -0 "$JOSTLE" plan c.conf --output out
    [[ $output =~ a\.t=0\.1@l\.1\ +1\ +done\ +took\ 30\ s ]]
    [[ $output == *'6 cells, 5 to be measured: about 75 s, and 2 of which nothing is known'* ]]
}

# bats test_tags=slow
@test "plan estimates what other limits add to cells that are done" {
    campaign
    status a.t=0.1@l.1 'done' 'spent_s = 8' 'runs = 8' 'expected_runs = 8'
    # A second a run: 12 more at least, 32 at most.
    "$JOSTLE" plan c.conf --output out --only a.t=0.1@l.1 --set min-runs=10 --set max-runs=20 --json >plan.json
    holds '.cells[0] | .state == "limits" and .estimate_s == {low: 12, high: 32, from: "cell"}' <plan.json
    run -0 "$JOSTLE" plan c.conf --output out --only a.t=0.1@l.1 --set min-runs=1 --set max-runs=4
    [[ $output == *'1 cells, 1 to be measured: about 0 s' ]]
}

@test "plan --probe runs each target once, and bounds the time by the number of runs" {
    SECONDS=0
    "$JOSTLE" plan c.conf --probe --json >plan.json
    local most_s=$((SECONDS + 1))
    holds '.cells | all(.estimate_s.from == "probe")' <plan.json
    # 3 pairs of 2 runs + 0.2 s and 1 s at least, 6 pairs of 3 runs + 0.2 s and 1 s at most, of a run of 0.2 s
    # that took longer on a busy machine.
    holds '.cells[2].estimate_s | ((.low - 1.6) / 6) as $run_s
        | $run_s >= 0.2 and $run_s < $most_s and (.high - 2.2 - 18 * $run_s | fabs) < 0.001' --argjson most_s "$most_s" <plan.json
    [[ ! -e jostle-results ]]
}

@test "plan --probe says which target fails, and with what" {
    printf '#!/bin/sh\necho first >&2\necho no input >&2\nexit 3\n' >fails && chmod +x fails
    printf '[target "c"]\n command = ./fails\n[target "d"]\n command = false\n ignore-failure = true\n' >>c.conf
    run -1 --separate-stderr "$JOSTLE" plan c.conf --probe
    # shellcheck disable=SC2154 # set by bats
    [[ $stderr == 'jostle: c: the target failed with exit code 3: no input: fix it in the campaign file'* ]]
    [[ $output == *'of which nothing is known' && $output != *--probe* && $output =~ d@l.1\ +9\ +[0-9] ]]
}

# bats test_tags=slow
@test "plan --only, --cells and --set are those of campaign" {
    run -0 "$JOSTLE" plan c.conf --only '*@l.1' --set max-runs=9
    [[ $output == *'3 cells, 3 to be measured'* ]]
    run -0 "$JOSTLE" plan c.conf --cells 2-3
    [[ $output == *'2 cells, 2 to be measured'* ]]
    run -2 "$JOSTLE" plan
}

# bats test_tags=slow
@test "watch shows from the folder alone what is done, what runs, and what was left" {
    campaign
    status a.t=0.1@l.1 'done'
    status a.t=0.1@l.2 failed 'reason = "the target failed"'
    status a.t=0.2@l.1 running "updated = \"$(date -u +%FT%TZ)\""
    status a.t=0.2@l.2 running
    # The one that is locked is alive.
    sleep 60 3>&- 9>out/cells/a.t=0.2@l.1/runs.jsonl &
    local holder=$!
    exec 9>out/cells/a.t=0.2@l.1/runs.jsonl
    flock 9
    run -0 "$JOSTLE" watch out --once
    exec 9>&-
    kill "$holder"
    [[ ${lines[0]} == '[######..............] 2/6 cells: 1 done, 1 failed, 1 running, 2 waiting, 1 stale; about '*' left' ]]
    [[ $output == *'a.t=0.2@l.1 on node7: 4 runs of about 10, error 7.00 % of 5 %'* ]]
    [[ $output == *'a.t=0.2@l.2: stale: node7 has not been heard of since 2026-01-01T00:00:10Z'* ]]
    [[ $output == *'a.t=0.1@l.2: failed: the target failed'* ]]
}

# bats test_tags=slow
@test "watch follows a campaign to its end" {
    sed -i 's/max-runs = 6/max-runs = 3/; s/level = 1 2/level = 1/' c.conf
    campaign
    "$JOSTLE" campaign c.conf --quiet --output out </dev/null 3>&- &
    run -0 "$JOSTLE" watch out --interval 500ms
    wait
    [[ $output == *'running'*'3/3 cells: 3 done, 0 running, 0 waiting' ]]
    run -2 "$JOSTLE" watch .
    run -2 "$JOSTLE" watch
}

# bats test_tags=slow
@test "a terminal has a bar with the current cell and the time left" {
    command -v script >/dev/null || skip "script is not here"
    # Wide enough for the error and the time left.
    TERM=xterm script -qec "stty cols 200; $JOSTLE campaign c.conf --output out --set min-runs=8 --set max-runs=8 --only a*" log </dev/null >/dev/null 3>&-
    tr '\r' '\n' <log >lines
    grep -qE '\[\.+\] 0/4 a.t=0.1@l.1' lines
    grep -qE '\[#####\.+\] 1/4 a.t=0.1@l.2: [0-9]+ runs.*about [0-9.]+ (s|min) left' lines
    grep -q '4/4 a.t=0.2@l.2: slowdown' lines
}

# bats test_tags=slow
@test "a dumb terminal gets no escape sequences" {
    command -v script >/dev/null || skip "script is not here"
    TERM=dumb script -qec "$JOSTLE campaign c.conf --output out --set min-runs=1 --set max-runs=1 --only b@l.1 && $JOSTLE watch --once out" log </dev/null >/dev/null 3>&-
    grep -q '1/1 b@l.1: slowdown' log
    run ! grep -q $'\033' log
}

@test "init writes a campaign that plan accepts, with the command as it was" {
    mkdir work && cd work
    printf '#!/bin/sh\n' >prog && chmod +x prog
    run -0 "$JOSTLE" init -- ./prog 'a b' '{n}; #' "it's" '"quoted" \n'
    [[ $output == *'wrote prog.conf'* ]]
    "$JOSTLE" plan prog.conf --json >plan.json
    holds --arg p "$PWD/prog" '.cells | length == 5 and all(.[]; .command == [$p, "a b", "{n}; #", "it'\''s", "\"quoted\" \\n"])' <plan.json
    # Cells run in folders of their own: what is a file here is named in full, what is none stays.
    mkdir in && touch a.dat in/b.dat prog2
    "$JOSTLE" init --output - -- ./prog a.dat --in=in/b.dat ./in out.dat -v=1 /dev/null true >said
    grep -qxF "    command = $PWD/prog $PWD/a.dat --in=$PWD/in/b.dat $PWD/in out.dat -v=1 /dev/null true" said
    [[ $("$JOSTLE" init --output - -- prog2 | grep '^    command') == '    command = prog2' ]]
    run -2 "$JOSTLE" init -- ./prog
    [[ $output == *'already exists'* ]]
    run -0 "$JOSTLE" init --output - true
    [[ $output == *'[target "true"]'* ]]
    run -2 "$JOSTLE" init
}
