#!/usr/bin/env bats
# How many slowdowns look distinguishable by chance, and which hold all the same: p in
# results, q and marks in reports.

load helpers
load report
bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || return
}

# pairs CONDITION TIME...: a block for each TIME of a load, whose baseline takes 1 s.
pairs() {
    local i=0 time
    for time in "${@:2}"; do
        ((i += 1))
        printf '{"condition":"baseline","block":%d,"wall_s":1}\n{"condition":"%s","block":%d,"wall_s":%s}\n' "$i" "$1" "$i" "$time"
    done
}

# summary OPTIONS...: the summary of the records on stdin.
summary() {
    "$BIN/decide" --summary-only --summary - --conditions baseline,load "$@"
}

# family P...: a campaign with a slowdown for each P, which is distinguishable where P is
# below 5 %; null is one without.
family() {
    local cell i=0
    rm -rf campaign
    synthetic $# 3 campaign
    for cell in campaign/cells/*; do
        ((i += 1))
        edited "$cell/result.json" --argjson p "${!i/#./0.}" '.slowdowns[0] |= (if $p == null then del(.p) else .p = $p | .distinguishable = ($p < 0.05)
            | .judgement = { effect: (if $p < 0.05 then "yes" else "unknown" end) } end)'
    done
}

@test "an experiment whose records cannot be used has no part in the family" {
    mkdir folder
    cp -r "$ROOT/results/reference/neighbours/machine/"{nbody,xz} folder
    report --quiet --format json folder/nbody | jq .family >alone
    # Only the last of its conditions is broken.
    edited folder/xz/result.json 'del(.conditions[-1].runs)'
    report --quiet --format json folder >out.json
    holds '.totals.cells == 12 and .totals.not_done == 1' <out.json
    diff alone <(jq .family out.json)
}

@test "p is that of the paired t test: of three pairs, by hand" {
    # With two degrees of freedom p = 1 - t / sqrt(t^2 + 2).
    pairs load 1.01 1.02 1.03 | summary --statistic mean --min-runs 3 --max-runs 3 |
        holds '.slowdowns[0].p as $p | (0.02 / (0.01 / (3 | sqrt))) as $t | 1 - $t / ($t * $t + 2 | sqrt) - $p | fabs < 1e-9'
    pairs load 0.98 1 1.02 | summary --statistic mean --min-runs 3 --max-runs 3 | holds '.slowdowns[0].p == 1'
}

# bats test_tags=slow
@test "p and interval never contradict each other: looked at repeatedly, of several metrics, with a limit" {
    local seed option
    for option in '' '--metric all' '--at-most 1.1' '--min-runs 20'; do
        for seed in 1 2 3 4 5 6 7 8; do
            awk -v seed=$seed 'BEGIN { srand(seed); for (b = 1; b <= 20; b++) for (l = 0; l < 2; l++) {
                x = (1 + l * seed * 0.003) * (1 + 0.02 * (rand() + rand() + rand() - 1.5))
                printf "{\"condition\":\"%s\",\"block\":%d,\"wall_s\":%.9f,\"user_s\":%.9f,\"system_s\":0.01,\"max_rss_bytes\":%d}\n", l ? "load" : "baseline", b, x, x * (1 + 0.01 * rand()), 4096 * (100 + 3 * rand()) } }' >runs
            # shellcheck disable=SC2086 # words
            summary --statistic mean --max-runs 20 $option <runs >"out.$seed"
        done
        jq -se '(.[0].intervals | (1 - .confidence) / .family) as $level | [.[].slowdowns[] | select(.p != null)]
            | length > 7 and any(.[]; .p < $level) and any(.[]; .p > $level) and all(.[]; (.p < $level) == (.ci[0] > 1 or .ci[1] < 1))' out.*
    done
}

@test "p is null where there is no interval, or one without a width" {
    pairs load 1.5 | summary | holds '.slowdowns[0] | has("p") and .p == null'
    pairs load 1.5 1.5 1.5 | summary --min-runs 3 --max-runs 3 | holds '.slowdowns[0].p == null'
}

# bats test_tags=slow
@test "q is that of Benjamini and Hochberg: the p values of their paper" {
    # J. R. Statist. Soc. B 57 (1995), section 3.2: at 5 % the four smallest of fifteen.
    family .0001 .0004 .0019 .0095 .0201 .0278 .0298 .0344 .0459 .3240 .4262 .5719 .6528 .7590 1
    report campaign --format json >model.json
    jq -e '[.cells[].slowdown] | sort_by(.p) | [.[].q]
        | [., [.0015, .003, .0095, .035625, .0603, .063857142857, .063857142857, .0645, .0765, .486, .581181818182, .714875, .753230769231, .813214285714, 1]]
        | transpose | length == 15 and all(.[]; .[0] - .[1] | fabs < 1e-9)' model.json
    jq -e '[.cells[].slowdown | select(.survives) | .p] | sort == [.0001, .0004, .0019, .0095]' model.json
    jq -e '.family == { slowdowns: 15, expected_by_chance: 0.75, distinguishable: 9, method: "benjamini-hochberg", false_discovery_rate: 0.05, with_p: 15, survive: 4 }' model.json
    jq -e '.cells[0].all_slowdowns[0].q == .cells[0].slowdown.q' model.json
}

# bats test_tags=slow
@test "each format says how many are expected by chance, and marks those that hold" {
    family .0001 .0004 .0019 .0095 .0201 .0278 .0298 .0344 .0459 .3240 .4262 .5719 .6528 .7590 1
    local format text='15 slowdowns with two-sided intervals at 95 %: by chance up to 0.75 would look distinguishable from noise (0.38 slower, 0.38 faster), 9 do; † marks the 4 that hold at a false discovery rate of 5 %'
    for format in terminal md html; do
        report campaign --format "$format" | sed 's|\\u2020|†|g' >out
        grep -qF "$text" out
        [[ $(grep -cE '\] †| †</a>' out) -ge 4 ]]
        # What it does not cover.
        grep -qF 'for repetitions in the same session: another day, node or build may differ by more' out
    done
    [[ $(report campaign | grep -c '\] †') -eq 4 && $(report campaign | grep -cE '\(unclear\)') -eq 6 ]]
    # Only in the family of what is shown: alone they would be nine, or more.
    [[ $(report campaign --only 'delannoy*' | grep -F ' slowdowns with') == '8 slowdowns with '*' up to 0.40 would '* ]]
    report campaign --format latex >out
    [[ $(grep -c '{\]} *\$\\dagger\$\|\] *\$\\dagger\$' out) -ge 4 ]]
    grep -qF 'false discovery rate of 5 \%' out
    report campaign --format csv --output out.csv
    python3 - <<'PYTHON'
import csv
rows = [r for r in csv.DictReader(open("out.csv", newline="")) if r["slowdown"]]
marked = [r for r in rows if r["survives"] == "true"]
assert len(rows) >= 15 and len(marked) == 4 and max(float(r["p"]) for r in marked) == 0.0095, marked
assert all(abs(float(r["q"]) - 0.035625) < 1e-9 for r in marked if r["p"] == "0.0095")
PYTHON
}

# bats test_tags=slow
@test "one slowdown is no family: no mark, and nothing is expected of it" {
    family .0001
    run -0 report campaign
    [[ $output != *'†'* && $output != *'by chance'* ]]
}

# bats test_tags=slow
@test "slowdowns that were recorded without p have no q, and the report says so" {
    family .0001 null .9 null
    report campaign --format json | jq -e '.family.with_p == 2 and ([.cells[].slowdown.q] | sort) == [null, null, 0.0002, 0.9]'
    report campaign | grep -F '† marks the 1 that holds at a false discovery rate of 5 % (some were recorded without a p value)'
    family .06 .9 .5
    run -0 report campaign
    [[ $output == *', 0 do; none holds at a false discovery rate of 5 %'* && $output != *'†'* ]]
    family .01 .9 .5
    report campaign | grep -F ', 1 does; † marks the 1 that holds'
    family null null null
    report campaign | grep -F 'which of them are beyond chance is not known: they were recorded without p values'
}
