#!/usr/bin/env bats
# What a loaded run leaves behind for the next: the test for it, and --washout. Most of
# these measure nothing: the runs are made up, as stats asks for them.

load helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    # Times in microseconds, effects in percent of an unloaded run's.
    unloaded=100000 slowdown=125 effect=0 decay=0 drift=0 noise=10 state=12345
}

# random N: REPLY is a number from -N to N, always the same row of them.
random() {
    ((state = (state * 1103515245 + 12345) % 2147483648)) || true
    REPLY=$(((state >> 8) % (2 * $1 + 1) - $1))
}

# run_of CONDITION: REPLY is the time of the next run, in microseconds. A loaded run makes
# the next unloaded one longer by `effect`, of which each leaves `decay` to the next; the
# machine gets slower by `drift` hundredths of a percent a run; `noise` is in permille.
run_of() {
    local us=$unloaded
    made=$((made + 1))
    if [[ $1 == base* ]]; then
        ((us += us * left / 100, left = left * decay / 100)) || true
    else
        ((us = us * slowdown / 100, left = effect)) || true
    fi
    random "$((us * noise / 1000))"
    REPLY=$(((us + REPLY) * (10000 + drift * made) / 10000))
}

# experiment OPTION...: lets stats decide an experiment of made-up runs; the summary is
# then in summary, what was asked for in asked, a line each.
experiment() {
    made_up_runs "$@"
}

made_up_runs() {
    local pid own_in
    local -a words
    left=0 made=0
    coproc STATS { exec "$BIN/decide" --summary summary "$@" 3>&-; }
    pid=$STATS_PID
    exec {in}>&"${STATS[1]}" {out}<&"${STATS[0]}"
    own_in=${STATS[1]}
    exec {own_in}>&- # or its end of file never comes
    : >asked
    while IFS=$'\t' read -r -a words <&"$out"; do
        printf '%s\n' "${words[*]:0:4}" >>asked
        case ${words[0]} in
            run)
                run_of "${words[1]}"
                printf '{"condition":"%s","block":%s,"order":%s,"wall_s":%s.%06d}\n' "${words[@]:1:3}" \
                    $((REPLY / 1000000)) $((REPLY % 1000000)) >&"$in"
                ;;
            washout)
                run_of "${words[1]}"
                printf '{"condition":"%s","block":0,"order":0,"washout":true,"wall_s":0.%06d}\n' "${words[1]}" "$REPLY" >&"$in"
                ;;
            pause) echo rested >&"$in" ;;
            stop) break ;;
        esac
    done
    exec {in}>&- {out}<&-
    wait "$pid"
}

# bats test_tags=slow
@test "each block has an order of its own by lot, which the baseline opens or closes" {
    local names seed
    for names in base,a base,a,b base,a,b,c,d; do
        for seed in 1 2 3 4; do
            noise=200
            experiment --conditions "$names" --seed "$seed" --min-runs 20 --max-runs 20
            grep -q '^stop' asked
            awk '$1 == "run" { order[$3] = order[$3] " " $2 } END { for (b = 1; b <= 20; b++) print order[b] }' asked >"orders.$seed"
            # Each condition once, and the baseline at one end.
            awk -v names="$names" 'BEGIN { all = split(names, name, ",") }
                { delete seen; for (i = 1; i <= NF; i++) seen[$i]++ }
                NF != all || ($1 != "base" && $NF != "base") { exit 1 }
                { for (i = 1; i <= all; i++) if (seen[name[i]] != 1) exit 1 }' "orders.$seed"
            # The baseline follows itself often enough to be compared.
            awk '$1 == "run"' asked | awk '$2 == "base" && last == "base" { n++ } { last = $2 } END { exit n < 1 || n > 12 }'
        done
        # By chance: neither always first, nor the same for all seeds.
        [[ $(sort -u orders.? | grep -c '^ *base') -ge 1 && $(sort -u orders.? | grep -c 'base$') -ge 1 ]]
        run -1 diff orders.1 orders.2
        # Neither is the second of two the first backwards, nor do blocks alternate: some are, others are not.
        cat orders.? | awk '{ first = $1 == "base"; if (NR % 20 != 1) { n[first == last]++ } last = first } END { exit !(n[0] > 20 && n[1] > 20) }'
        cat orders.? | paste -d ' ' - - | awk '{ n[$1 == $NF]++ } END { exit !(n[0] > 5 && n[1] > 5) }'
    done
}

@test "baselines that take longer right after a load are a problem, with what to do" {
    effect=300
    experiment --conditions base,load --min-runs 30
    holds '.slowdowns[0] | .carry_over.ratio > 3.8 and .carry_over.ratio < 4.2 and .carry_over.ci[0] > 3.5 and .carry_over.p < 0.001
        and .carry_over.after + .carry_over.others >= 29' <summary
    holds '[.warnings[] | select(.flag == "carry-over")] | length == 1 and .[0].severity == "problem" and .[0].condition == "load"
        and (.[0].message | test("take [34](\\.[0-9]+)? times as long .* \\([0-9]+ and [0-9]+ runs\\)")) and (.[0].advice | test("--washout 1"))' <summary
    holds '.washout == { auto: false, runs: 0, made_runs: 0, pause_s: null, from_block: 1, excluded_runs: 0 }' <summary
    # Of several loads each has its own figure.
    experiment --conditions base,load,more --min-runs 20 --max-runs 20
    holds '.slowdowns | map(.carry_over.ratio > 3.7 and .carry_over.ratio < 4.3) | all and length == 2' <summary
}

# bats test_tags=slow
@test "without one there is none, and neither drift nor a slow first run looks like one" {
    local seed
    for seed in 1 2 3 4 5; do
        for drift in 0 100 -30; do # up to doubling over the experiment
            experiment --conditions base,load --seed "$seed" --max-runs 40
            holds '(.warnings | map(.flag) | index("carry-over") | not) and (.slowdowns[0].carry_over | .ratio > 0.96 and .ratio < 1.04 and .ci[0] < 1 and .ci[1] > 1)' <summary
        done
        drift=0
    done
    # Too few runs to say anything: not 1, but null.
    experiment --conditions base,load --max-runs 3
    holds '.slowdowns[0].carry_over == null' <summary
    experiment --conditions base
    holds 'has("washout") | not' <summary
}

@test "--washout RUNS: so many runs without load after a loaded one, before anything else" {
    effect=300
    experiment --conditions base,load,more --washout 2 --min-runs 12
    # load and more are each followed by two washout runs, unless by themselves; base by none.
    awk '$1 == "stop" { exit }
        $1 == "washout" { if ($2 != "base" || $3 != 0 || $4 != 0) exit 1; n++; next }
        { if (n != (last != "" && last != "base" && $2 != last ? 2 : 0)) exit 1; n = 0; last = $2 }' asked
    holds '(.warnings | map(.flag) | index("carry-over") | not) and (.slowdowns | map(.ratio > 1.23 and .ratio < 1.27) | all)' <summary
    holds --argjson made "$(grep -c ^washout asked)" '.washout.runs == 2 and .washout.made_runs == $made and .conditions[0].discarded == 0' <summary
    # aa is the baseline again: nothing comes after it.
    experiment --conditions base,aa --aa --washout 2 --min-runs 4 --max-runs 4
    run -1 grep -q washout asked
}

@test "--washout TIME: a pause in the same places, and no run" {
    experiment --conditions base,load --washout 250ms --min-runs 6 --max-runs 6
    awk '$1 == "stop" { exit } $1 == "pause" { if ($2 != "0.250000") exit 1; n++; next }
        { if (n != (last == "load" && $2 == "base" ? 1 : 0)) exit 1; n = 0; last = $2 }' asked
    grep -q ^pause asked
    run -1 grep -q washout asked
    holds '.washout.pause_s == 0.25 and .washout.made_runs == 0' <summary
    # One that is too short is named.
    effect=300
    experiment --conditions base,load --washout 250ms
    holds '[.warnings[] | select(.flag == "carry-over")][0] | (.message | test("in spite of a pause of 0.25 s")) and (.advice | test("longer --washout"))' <summary
}

@test "--washout auto grows until no carry-over shows, and leaves out what was before" {
    effect=300
    experiment --conditions base,load --washout auto --seed 3
    holds '.washout | .auto and .runs == 1 and .from_block > 4 and .excluded_runs == 2 * (.from_block - 1) and .made_runs > 3' <summary
    holds '.slowdowns[0] | .ratio > 1.23 and .ratio < 1.27 and .pairs >= 15 and .carry_over.ratio < 1.05' <summary
    holds --argjson runs "$(grep -c ^run asked)" '.conditions | map(.runs + .discarded) | add == $runs' <summary
    holds '[.warnings[] | select(.flag == "washout")] | length == 1 and .[0].severity == "note" and (.[0].advice | test("--washout 1 "))' <summary
    # No washout before it grew, and all at once from there on.
    [[ $(grep -n ^washout asked | head -n 1 | cut -d : -f 1) -gt $(jq .washout.excluded_runs summary) ]]
    # Without a carry-over nothing is added.
    effect=0
    experiment --conditions base,load --washout auto
    run -1 grep -q washout asked
    holds '.washout.runs == 0 and .washout.from_block == 1 and .slowdowns[0].pairs <= 16' <summary
    # What fades slowly is not gone after a few runs: a problem, and measure apart.
    effect=300 decay=70
    experiment --conditions base,load --washout auto
    holds '[.warnings[] | select(.flag == "carry-over" and .severity == "problem")] | length > 0 and (map(.advice | test("apart")) | any)' <summary
}

# timed_asked: each run that was asked for, and its time in microseconds, a line each.
timed_asked() {
    local kind condition block order
    while read -r kind condition block order && [[ $kind != stop ]]; do
        run_of "$condition"
        printf '%s\n' "$kind $condition $block $order $REPLY"
    done <asked
}

# bats test_tags=slow
@test "the same records lead to the same washout: a result can be derived again" {
    effect=300 state=99
    experiment --conditions base,load --washout auto --seed 7
    jq -n '{ schema: "jostle.experiment/1", command: ["x"], loads: [{ name: "base", spec: null }, { name: "load", spec: "cpu" }],
        settings: { error: 0.05, confidence: 0.95, min_runs: 12, max_runs: 30, statistic: "typical", metric: ["wall_s"], seed: 7, washout: "auto" }, environment: { host: "vm", cpus_online: 2 } }' >experiment.json
    # The records as conduct writes them: with what was in force.
    left=0 made=0 state=99
    jq --argjson from "$(jq .washout.from_block summary)" -Rc 'split(" ") | { kind: .[0], condition: .[1], block: (.[2] | tonumber), order: (.[3] | tonumber), us: (.[4] | tonumber) }
        | (if .block >= $from or .kind == "washout" then 1 else 0 end) as $washed
        | { schema: "jostle.run/1", condition, block, order } + (if .kind == "washout" then { washout: true } else {} end)
            + (if $washed > 0 then { washout_runs: $washed } else {} end) + { wall_s: (.us / 1000000) }
            + { load: [{ name: .condition, unit: "CPUs", offered: 1, achieved: (if $washed > 0 then 1 else 0.5 end) }], flags: (if $washed > 0 then [] else ["steal"] end) }' \
        < <(timed_asked) >runs.jsonl
    "$BIN/stats" --derive .
    diff <(command jq -S '[.washout, .slowdowns[0].ratio, .slowdowns[0].carry_over]' summary) <(command jq -S '[.washout, .slowdowns[0].ratio, .slowdowns[0].carry_over]' result.json)
    # What disturbed runs that do not count, and what loads delivered then, is no matter.
    holds '[.warnings[] | select(.flag == "steal")] == [] and ([.conditions[] | .load[].achieved] | length > 0 and all(. == 1))' <result.json
    # A report draws the runs that count, and no others.
    "$JOSTLE" report --format csv --runs . | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "used") column = i; next } { used += $column } END { print used }' >used
    [[ $(<used) -eq $(jq '[.conditions[].runs] | add' result.json) ]]
    # Records of before there was a washout have none: the test alone is new.
    jq 'del(.settings.washout)' experiment.json >older && mv older experiment.json
    jq -c 'select(.block > 0 and .block <= 12) | del(.washout_runs)' runs.jsonl >older && mv older runs.jsonl
    "$BIN/stats" --derive .
    holds '.washout.runs == 0 and .washout.excluded_runs == 0 and (.slowdowns[0] | has("carry_over"))' <result.json
}

@test "what is no washout is refused" {
    local washout
    run -2 --separate-stderr "$BIN/decide" --conditions base,load --washout '' </dev/null
    # shellcheck disable=SC2154 # bats sets it
    [[ $stderr == *'--washout: the value is empty: give --washout RUNS|TIME|auto'* ]]
    for washout in -1 often 0ms 1.5 1e9; do
        run -2 --separate-stderr "$BIN/decide" --conditions base,load --washout "$washout" </dev/null
        [[ $stderr == *'--washout'*'give auto, a number of runs such as 1, or a time such as 500ms'* ]]
        run -2 "$JOSTLE" slowdown --washout "$washout" --load x=cpu -- true
    done
    run -2 "$JOSTLE" run --washout 1 -- true
}

# bats test_tags=slow
@test "jostle makes washout runs, records them, and uses them in no figure" {
    # shellcheck disable=SC2016 # for the target's shell
    printf '#!/bin/sh\necho >>calls\nexec sleep 0.01\n' >target
    chmod +x target
    "$JOSTLE" slowdown --quiet --output out --seed 1 --washout 1 --min-runs 3 --max-runs 3 --load 'low=cpu --percent 5 --threads 1' -- ./target
    jq -s . out/runs.jsonl | holds '[.[] | select(.washout)] | length > 0 and all(.[]; .block == 0 and .order == 0 and .condition == "baseline" and .load == [] and .flags[-1] == "washout")'
    jq -s . out/runs.jsonl | holds '[.[] | select(.block > 0)] | length == 6 and map(.order) == [1, 2, 3, 4, 5, 6] and all(.[]; .washout_runs == 1)'
    jq -s . out/runs.jsonl | holds '. as $runs | all(range(1; length); . as $i | $runs[$i - 1].condition != "low" or $runs[$i].condition == "low" or $runs[$i].washout)'
    holds --argjson runs "$(wc -l <out/runs.jsonl)" '.washout.made_runs + 6 == $runs and (.conditions | map(.runs) == [3, 3]) and .settings.washout == "1"' <out/result.json
    [[ $(wc -l <calls) -eq $(wc -l <out/runs.jsonl) ]]
    split -l 1 out/runs.jsonl run.
    is_valid run run.*
    is_valid result out/result.json
    "$JOSTLE" report --format json out | holds '.cells | length > 0'
    # Without being told, a slowdown has the automatic one; a run has none.
    "$JOSTLE" slowdown --quiet --output default --max-runs 2 --load 'low=cpu --percent 5 --threads 1' -- true
    holds '.washout.auto and .settings.washout == "auto"' <default/result.json
    "$JOSTLE" run --quiet --output alone --max-runs 2 -- true
    holds 'has("washout") | not' <alone/result.json
}

# bats test_tags=slow
@test "a washout run that fails ends the experiment; it is made again once the target works" {
    # shellcheck disable=SC2016 # for the target's shell
    printf '#!/bin/sh\necho >>calls\n[ -e good ] || [ "$(wc -l <calls)" -ne 2 ] || exit 7\n' >target
    chmod +x target
    local seed
    for seed in 1 2 3 4 5 6 7 8; do
        rm -rf out calls
        run "$JOSTLE" slowdown --output out --seed "$seed" --washout 1 --min-runs 4 --max-runs 4 --load 'low=cpu --percent 5 --threads 1' -- ./target
        [[ $(tail -n 1 out/runs.jsonl | jq .washout) != true ]] || break # the load was first
    done
    [[ $status -eq 5 && $output == *'exit code 7'* ]]
    tail -n 1 out/runs.jsonl | holds '.washout and .exit_code == 7'
    touch good
    "$JOSTLE" slowdown --quiet --resume --output out --seed "$seed" --washout 1 --min-runs 4 --max-runs 4 --load 'low=cpu --percent 5 --threads 1' -- ./target
    jq -s . out/runs.jsonl | holds 'map(select(.washout)) | .[0].exit_code == 7 and .[1].exit_code == 0'
    # The one that failed separates nothing.
    jq -s . out/runs.jsonl | holds 'map(select(.exit_code == 0)) as $runs
        | all(range(1; $runs | length); . as $i | $runs[$i - 1].condition != "low" or $runs[$i].condition == "low" or $runs[$i].washout)'
    holds '.conditions[0] | .runs == 4 and .failures.exit == 1' <out/result.json
    run -2 "$JOSTLE" slowdown --resume --output out --seed "$seed" --washout 2 --min-runs 4 --max-runs 8 --load 'low=cpu --percent 5 --threads 1' -- ./target
    [[ $output == *'washout: recorded 1, now 2'* ]]
}

# together: the slowdown by default settings is within a factor of 2 of `truth`, and less
# without a washout, as the baseline has much of the load's effect then.
together() {
    local washed load="evict=exec: $PWD/evict $PWD/big"
    rm -rf auto none
    "$JOSTLE" slowdown --quiet --output auto --settle 100ms --load "$load" -- cat big
    jq -e --argjson truth "$truth" '.washout.runs >= 1 and (.slowdowns[0] | .distinguishable and .ratio / $truth > 0.5 and .ratio / $truth < 2)' auto/result.json || return
    washed=$(jq '.slowdowns[0].ratio' auto/result.json)
    "$JOSTLE" slowdown --quiet --output none --washout 0 --max-runs 15 --settle 100ms --load "$load" -- cat big
    jq -e --argjson washed "$washed" '.slowdowns[0] | .ratio < 0.8 * $washed and .carry_over.ratio > 1.3' none/result.json
}

# bats test_tags=measures,slow
@test "a load that evicts what the target reads: the slowdown is what runs measured apart show" {
    head -c 32M /dev/urandom >big
    # shellcheck disable=SC2016 # for the load's shell
    printf '#!/bin/bash\nwhile :; do dd of="$1" oflag=nocache conv=notrunc,fdatasync count=0 status=none; sleep 0.002; done\n' >evict
    chmod +x evict
    # Read from the disk, as after each eviction: pages that were written are smaller, and take longer to read.
    dd of=big oflag=nocache conv=notrunc,fdatasync count=0 status=none
    cat big >/dev/null
    "$JOSTLE" run --quiet --output alone --warmup 1 --min-runs 6 --max-runs 6 -- cat big
    "$JOSTLE" run --quiet --output loaded --settle 100ms --load "evict=exec: $PWD/evict $PWD/big" --warmup 1 --min-runs 6 --max-runs 6 -- cat big
    local truth
    truth=$(jq -s '.[1].conditions[0].wall_s.median / .[0].conditions[0].wall_s.median' alone/result.json loaded/result.json)
    jq -ne "$truth > 1.8" || skip "nothing is evicted here, or the disk is as fast as the cache: $truth"
    # Again where another program's bursts hide it.
    in_tries 3 together
}
