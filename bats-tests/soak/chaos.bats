#!/usr/bin/env bats
# Two hundred experiments ended at random moments, by random signals to random processes.
# Another seed than by chance: CHAOS_SEED=N make soak SOAK=bats-tests/soak/chaos.bats

load ../helpers

@test "two hundred experiments ended at random leave no process, file, control group or broken record" {
    run "$ROOT/bats-tests/chaos" ${CHAOS_SEED:+--seed "$CHAOS_SEED"} --kinds all 200
    printf '%s\n' "$output"
    [[ $status -eq 0 ]]
}

# stopped MARK: all processes of that mark are stopped but the keepers and meter, which see to the others.
stopped() {
    local file state name
    while IFS= read -r file; do
        name=$(cat "${file%/environ}/comm" 2>/dev/null) || continue
        state=$(awk '/^State:/ { print $2 }' "${file%/environ}/status" 2>/dev/null) || continue
        [[ $state == [TZ] || $name == sleep || $name == meter || $name == *-keeper || $name == jostle-guard ]] || return 1
    done < <(grep -lsz -- "^JOSTLE_MARK=$1\$" /proc/[0-9]*/environ)
}

@test "Ctrl-Z stops a measurement with all its loads, fg continues it, and the run is marked" {
    cd "$BATS_TEST_TMPDIR"
    local parent group
    printf 'echo $$ >>pids; while :; do :; done\n' >busy
    # Job control gives it a group of its own, as at a terminal.
    JOSTLE_MARK=$BATS_TEST_TMPDIR env --default-signal=TSTP bash -c 'set -m; "$@" & echo $! >group; exec sleep 1000' bash \
        "$JOSTLE" slowdown --quiet --output out --min-runs 3 --max-runs 3 --load 'own=exec: sh busy' --load 'cpu=cpu --percent 50' --settle 100ms -- sleep 1 3>&- >said 2>&1 &
    parent=$!
    eventually 20 test -s pids
    group=$(<group)
    sleep 0.5
    kill -TSTP -- "-$group"
    eventually 5 stopped "$BATS_TEST_TMPDIR"
    sleep 1
    stopped "$BATS_TEST_TMPDIR"
    kill -CONT -- "-$group"
    eventually 60 gone "$group"
    kill -KILL "$parent"
    holds '[.conditions[].runs] | all(. >= 3)' <out/result.json
    holds -s 'map(select(.flags | index("stopped"))) | length == 1' <out/runs.jsonl
}
