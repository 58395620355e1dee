#!/usr/bin/env bats
# What jostle protect says of settings whose effect is known: made-up runs, no measurement.

load helpers
load report
bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || return
}

# records FOLDER SEED BLOCKS NOISE DAMAGE SETTING=LEFT,KEPT...: an experiment beside a load full that makes the target take DAMAGE
# times as long; with each SETTING, LEFT times, and the load does the share KEPT of its work. Each block has a level of its own.
# $undone: a program of the load undid that setting in the last block.
# $rate is false: the load has no rate, and the same CPU time as it would else do work. $offered: what was asked of it.
records() {
    mkdir -p "$1"
    python3 - "$@" <<'PYTHON'
import json, os, random, sys
folder, seed, blocks, noise, damage = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]), float(sys.argv[5])
rate, offered = os.environ.get("rate") != "false", float(os.environ.get("offered", "2"))
settings, until = sys.argv[6:], os.environ.get("until")
random.seed(seed)
loads = [{"name": "baseline", "spec": None}, {"name": "full", "spec": "cpu --threads 2"}]
truth = [("baseline", 1, None), ("full", damage, 1)]
for one in settings:
    text, figures = one.rsplit("=", 1)
    left, kept = map(float, figures.split(","))
    own = "=" not in text
    loads.append({"name": "full." + text.replace("=", "-"), "spec": "[%s] cpu --threads 2" % text, "unprotected": "full",
                  "settings": {"load": [] if own else [text], "target": [], "own": [text] if own else [],
                               "on": "echo on" if own else None, "off": "echo off" if own else None}})
    truth.append((loads[-1]["name"], left, kept))
json.dump({"schema": "jostle.experiment/1", "command": ["./solver"], "loads": loads,
           "settings": {"error": 0.05, "confidence": 0.95, "min_runs": blocks, "max_runs": blocks, "metric": ["wall_s"], "seed": 1,
                        "engine": "meter", **({"until": float(until)} if until else {})},
           "environment": {"host": "one", "kernel": "Linux 6", "cpus_online": 2}}, open(folder + "/experiment.json", "w"))
with open(folder + "/runs.jsonl", "w") as runs:
    order = 0
    for block in range(1, blocks + 1):
        level = random.uniform(0.8, 1.2)
        for name, times, kept in random.sample(truth, len(truth)):
            order += 1
            work = None if kept is None else 2 * kept * random.gauss(1, noise)
            load = [] if kept is None else [{"name": "full", "load": "cpu" if rate else "exec", "unit": "CPUs" if rate else "",
                    "offered": offered if rate else None, "achieved": work if rate else None, "late": 0, "dropped": 0,
                    "cpu_s": 3 * work, "elapsed_s": 3}]
            runs.write(json.dumps({"schema": "jostle.run/1", "condition": name, "block": block, "order": order,
                "wall_s": level * times * random.gauss(1, noise), "user_s": 0.5, "system_s": 0.1, "max_rss_bytes": 4194304,
                "exit_code": 0, "signal": None, "timed_out": False, "load": load, "flags": [],
                **({"undone": [{"load": "full", "text": os.environ["undone"] + ": a program that it has started (sh) has undone it"}]}
                   if block == blocks and name == "full." + os.environ.get("undone", "").replace("=", "-") else {})}) + "\n")
PYTHON
    "$BIN/stats" --derive "$1"
}

# bats test_tags=slow
@test "of two settings that do the same none is the best, and both are named; of two that differ the better one is" {
    local seed wrong=0
    for seed in {1..10}; do
        records same "$seed" 20 0.05 2 nice=19=1.2,0.6 sched=idle=1.2,0.6
        holds '.protection | if .best then (.not_told_apart == []) else (.not_told_apart | sort) == ["full.nice-19", "full.sched-idle"] end' \
            <same/result.json
        [[ $(jq .protection.best same/result.json) == null ]] || wrong=$((wrong + 1))
        records apart "$seed" 20 0.05 2 nice=19=1.2,0.6 sched=idle=1.6,0.6
        holds '.protection | .best == "full.nice-19" and .not_told_apart == []' <apart/result.json
    done
    # One in 20 is to be expected.
    ((wrong <= 2))
    is_valid result same/result.json
    records same 1 20 0.05 2 nice=19=1.2,0.6 sched=idle=1.2,0.6
    run -0 "$JOSTLE" report same
    [[ $output == *'No setting is known to be the best; not told apart: '*'nice=19 for the neighbour'*' times as long). More runs would settle it.'* && $output != *Best:* ]]
}

@test "a setting that leaves the neighbour more is better than one that protects as well" {
    records kinder 1 20 0.03 2 nice=19=1.2,0.9 sched=idle=1.2,0.3
    holds '.protection.best == "full.nice-19"' <kinder/result.json
}

@test "a setting that is surely worse is not among those that are not told apart from the best" {
    records three 2 20 0.02 3 nice=19=1.1,0.6 sched=idle=1.1,0.6 cpu.weight=10=2.5,0.6
    holds '.protection | .best == null and (.not_told_apart | sort) == ["full.nice-19", "full.sched-idle"]' <three/result.json
}

@test "a neighbour keeps no more than all of its work, and no setting removes more than all of the damage" {
    records more 4 20 0.05 2 nice=19=0.9,1.3
    holds '.protection.rows[0] | .kept == { value: 1, ci: [1, 1] } and .removed.value == 1 and .removed.ci[1] == 1' <more/result.json
    run -0 "$JOSTLE" report more
    [[ $output == *'removes 100 % '*'the neighbour keeps 100'* ]]
}

@test "the CPU time of a load without a rate stands for what it does, and that is said" {
    # Throttled to nothing it would be best and weakest, were what it does not known.
    rate=false until=1.5 records none 5 20 0.03 2 cpu.max=1%=1.2,0.02 nice=19=1.25,0.8
    holds '.protection | .best == "full.nice-19" and .weakest == "full.nice-19" and .verdict == "below"
        and all(.rows[]; .kept_by == "cpu-time") and (.rows[1].kept.value - 0.8 | fabs) < 0.05' <none/result.json
    is_valid result none/result.json
    run -0 "$JOSTLE" report none
    [[ $output == *'Weakest that keeps it below 1.5 times: nice=19 for the neighbour: '*' of its CPU time (it has no rate).'*'% of its CPU time  '* ]]
}

@test "the weakest setting is named only where it is told apart from the others that keep the limit" {
    until=1.5 records weak 6 20 0.03 2 nice=19=1.2,0.6 sched=idle=1.2,0.6 cpu.weight=10=1.2,0.3
    holds '.protection | .verdict == "below" and .weakest == null
        and (.loads[0].weakest_not_told_apart | sort) == ["full.nice-19", "full.sched-idle"]' <weak/result.json
    run -0 "$JOSTLE" report weak
    [[ $output == *'Weakest that keeps it below 1.5 times is one of these, not told apart: '* ]]
}

# bats test_tags=slow
@test "the figures of the sentence follow from each other" {
    local number text from to share
    for number in 1 2 3 4 5 6; do
        records "one$number" "$number" 20 0.0"$number" 1.479 nice=19=1.192,0.6
        text=$("$JOSTLE" report "one$number" | tr '\n' ' ' | sed 's/  */ /g')
        [[ $text =~ \ ([0-9.]+)\ →\ ([0-9.]+)\ times\ as\ long,\ which\ removes\ ([0-9.]+)\ % ]]
        from=${BASH_REMATCH[1]} to=${BASH_REMATCH[2]} share=${BASH_REMATCH[3]}
        # Of rounding to two decimals, and to one percent.
        awk -v u="$from" -v p="$to" -v share="$share" 'BEGIN { exact = 100 * (u - p) / (u - 1)
            exit !(exact - share < 2.1 && share - exact < 2.1) }'
    done
}

@test "a load that did a small part of what was asked of it is said first" {
    offered=50 records short 7 20 0.03 2 nice=19=1.2,0.6
    run -0 "$JOSTLE" report short
    [[ $output == *'Without settings full ran at only 4'*' % of the requested rate'*'Best: nice=19'* ]]
}

# bats test_tags=slow
@test "a setting of one's own is shown by its name" {
    records own 8 20 0.03 2 half=1.2,0.6
    run -0 "$JOSTLE" report own
    [[ $output == *'Best: half: '*$'\nhalf '*' machine '* && $output != *'echo on'* ]]
    "$JOSTLE" report --format md own | grep -q '| half |'
}

@test "a load without any damage that is known has nothing to be protected from" {
    records harmless 9 20 0.05 1 nice=19=1,0.6
    run -0 "$JOSTLE" report harmless
    [[ $output == *'The neighbour is not known to do any damage, so no setting is known to protect from it: more runs would settle it.'* ]]
}

# bats test_tags=slow
@test "a setting that was undone in a run is neither best nor weakest, and keeps no limit" {
    undone=nice=19 until=1.5 records some 7 20 0.03 2 nice=19=1.05,1 sched=idle=1.3,0.5
    holds '.protection | .best == "full.sched-idle" and .weakest == "full.sched-idle" and .verdict == "below" and
        (.rows[0] | .slowdown.value == null and .removed.value == null and .kept.value == null and (.undone | startswith("nice=19: ")))' <some/result.json
    is_valid result some/result.json
    run -0 "$JOSTLE" report some
    [[ $output == *'nice=19 for the neighbour was not measured: the load did not keep nice=19: '* && $output == *'nice=19 '*'undone'* ]]
    undone=nice=19 until=1.5 records all 8 20 0.03 2 nice=19=1.05,1
    holds '.protection | .best == null and .weakest == null and .verdict == "undecided"' <all/result.json
}
