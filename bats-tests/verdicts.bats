#!/usr/bin/env bats
# Variants compared with the first: verdicts, the gate, and whether a load changes the comparison.
# Made-up runs, no measurement.

load helpers
bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
}

# runs SEED BLOCKS NEW NEW-LOADED [NOISE]: those of old, new, old@mem and new@mem. Old takes 1 s alone and
# 1.5 s under load, new so many times as long; each block has a level of its own, up to twice as high (or $spread times more).
runs() {
    awk -v seed="$1" -v blocks="$2" -v new="$3" -v loaded="$4" -v noise="${5:-0.01}" -v spread="${spread:-1}" "$RANDOM_AWK"'
        function normal() { return sqrt(-2 * log(1 - random())) * cos(6.283185307 * random()) }
        BEGIN {
            random_from(seed)
            split("old new old@mem new@mem", name, " ")
            mean[1] = 1; mean[2] = new; mean[3] = 1.5; mean[4] = 1.5 * loaded
            for (b = 1; b <= blocks; b++) {
                level = 1 + spread * random()
                for (c = 1; c <= 4; c++)
                    printf "{\"condition\":\"%s\",\"block\":%d,\"wall_s\":%.9f,\"user_s\":%.9f}\n", name[c], b,
                        level * mean[c] * (1 + noise * normal()), level * mean[c] * (1 + noise * normal())
            }
        }'
}

# variants [OPTION...]: the summary of such runs
variants() {
    "$BIN/decide" --conditions old,new,old@mem,new@mem --variants 2 --first-stop --summary-only --summary - "$@"
}

@test "variants are compared with the first, alone and under each load, and the load may change it" {
    runs 1 15 0.96 1.04 | variants --min-runs 15 --max-runs 15 >result
    holds '[.comparisons[] | [.variant, .reference_variant, .load, .condition, .reference, .verdict, .gate]]
        == [["new", "old", null, "new", "old", "faster", null], ["new", "old", "mem", "new@mem", "old@mem", "slower", null]]' <result
    holds '.comparisons[0].text | test("^new is 4(\\.[0-9])? % \\[[0-9.]+, [0-9.]+\\] faster alone$")' <result
    holds '.comparisons[1].text | test("^new is 4(\\.[0-9])? % \\[[0-9.]+, [0-9.]+\\] slower beside mem$")' <result
    # 1.04 / 0.96, from the same blocks: what moves a whole block does not matter.
    holds '.interactions | length == 1 and (.[0] | .load == "mem" and .distinguishable and .p < 1e-3
        and .ci[0] < 1.0833 and .ci[1] > 1.0833 and .error < 0.02 and (.text | startswith("mem changes how new compares with old: 1.0")))' <result
    holds '[.slowdowns[] | [.condition, .reference]] == [["old@mem", "old"], ["new@mem", "new"]] and .gate == null' <result
    # The same, as the medians have it, and the trimmed means; other runs, without such a change.
    local statistic spread=0.02
    for statistic in median trimmed; do
        runs 1 15 0.96 1.04 | variants --min-runs 15 --max-runs 15 --statistic "$statistic" |
            holds '.interactions[0] | .distinguishable and .simultaneous == false and .ci[0] < 1.0833 and .ci[1] > 1.0833'
        runs 2 15 0.96 0.96 | variants --min-runs 15 --max-runs 15 --statistic "$statistic" |
            holds '(.interactions[0] | (.distinguishable | not) and .p > 0.05) and ([.comparisons[].verdict] == ["faster", "faster"])'
    done
}

@test "what is the same is said to be, as soon as every comparison is decided" {
    runs 1 30 1 1 | variants --same-within 2% >result
    holds '[.comparisons[].verdict] == ["same", "same"] and all(.conditions[]; .stop_reason == "decided" and .runs < 30)
        and .gate == { at_most: null, same_within: 0.02, verdict: "decided", why: [] }' <result
    holds 'all(.comparisons[]; .ci[0] >= 1 / 1.02 and .ci[1] <= 1.02 and (.text | startswith("new is the same as old within 2 %: it is ")))' <result
    # Without it nothing is called the same, however alike.
    runs 3 30 1 1 | variants | holds '[.comparisons[].verdict] == ["undecided", "undecided"]'
    # One of two is wider than that: it goes on until the last run.
    runs 3 30 1 1 0.05 | variants --same-within 2% | holds '.gate.verdict == "undecided" and .conditions[0].stop_reason == "max-runs"'
}

@test "what is said of variants has the limit as it was given, and no digits that the range leaves open" {
    runs 1 30 1 1 | variants --same-within 2.0001% | holds '.comparisons[0].text | startswith("new is the same as old within 2.0001 %: ")'
    runs 1 15 97800 97800 0.1 | variants --min-runs 15 --max-runs 15 |
        holds '.comparisons[0].text | test("^new takes [0-9]+00 \\[[0-9]+00, [0-9]+00\\] times as long as old alone$")'
}

@test "variants under less load than intended are neither below a limit nor above it, nor known to be the same" {
    local short='if .condition == "new@mem" then .load = [{ name: "mem", unit: "B/s", offered: 800, achieved: 100, elapsed_s: 1 }] else . end'
    runs 4 30 1.02 1.02 | jq -c "$short" | variants --at-most 1.05 |
        holds '.verdict == "undecided" and .gate.why == ["load-short"] and [.comparisons[].gate] == ["below", "undecided"]'
    runs 4 30 1.02 1.2 | jq -c "$short" | variants --at-most 1.05 | holds '.verdict == "undecided" and [.comparisons[].gate] == ["below", "undecided"]'
    runs 2 30 1 1 | jq -c "$short" | variants --same-within 2% |
        holds '.gate == { at_most: null, same_within: 0.02, verdict: "undecided", why: ["load-short"] } and [.comparisons[].gate] == [null, "undecided"]'
}

@test "--at-most fails where one comparison is surely above, and is not judged by what the loads do" {
    runs 4 30 1.02 1.02 | variants --at-most 1.05 | holds '.verdict == "below" and [.comparisons[].gate] == ["below", "below"] and .conditions[0].runs <= 20'
    runs 4 30 1.02 1.10 | variants --at-most 1.05 | holds '.verdict == "above" and [.comparisons[].gate] == ["below", "above"]'
    runs 4 30 1.05 1.05 | variants --at-most 1.05 | holds '.verdict == "undecided" and .conditions[0].stop_reason == "max-runs"'
    # Four comparisons share the error: two variants of two metrics.
    runs 4 30 1.02 1.02 | variants --at-most 1.05 --metric wall_s,user_s | holds '.intervals.family == 4 and .verdict == "below"'
    # What old has none of alone is compared where it has some.
    runs 4 30 1.02 1.02 | jq -c '.major_faults = if .condition | endswith("@mem") then .wall_s * (if .condition == "new@mem" then 2000 else 1000 end) else 0 end' |
        variants --at-most 1.5 --metric major_faults | holds '.verdict == "above" and [.comparisons[] | select(.metric == "major_faults").gate] == [null, "above"]'
    # Both: below the limit, and the same.
    runs 4 30 1.001 1.001 | variants --at-most 1.05 --same-within 3% | holds '.verdict == "below" and [.comparisons[].verdict] == ["same", "same"]'
}

@test "a look before or after the planned ones has an interval, too, but a wider one" {
    # width RUNS PLANNED...: of the first comparison, looked at after so many blocks
    width() {
        runs 7 "$1" 1 1 | "$BIN/decide" --conditions old,new,old@mem,new@mem --variants 2 --statistic mean --summary-only --summary - --same-within 0.01% "${@:2}" |
            jq '.comparisons[0].ci | (.[1] - .[0]) / 2'
    }
    early=$(width 14 --min-runs 15 --max-runs 30) planned=$(width 15 --min-runs 15 --max-runs 30)
    late=$(width 31 --min-runs 15 --max-runs 30) last=$(width 30 --min-runs 15 --max-runs 30) alone=$(width 15 --min-runs 15 --max-runs 15)
    jq -en "$early > 1.5 * $planned and $late > $last and $planned > 1.1 * $alone and $alone > 0"
}

@test "each block has the variants alone next to each other" {
    local answer condition order='' to from
    coproc hub { exec timeout 100 "$BIN/decide" --conditions old,new,old@mem,new@mem --variants 2 --min-runs 8 --max-runs 8 --seed 3; }
    from=${hub[0]} to=${hub[1]}
    while read -r answer condition _ <&"$from" && [[ $answer == run ]]; do
        order+="$condition "
        printf '{"condition":"%s","wall_s":1.%d}\n' "$condition" "${#order}" >&"$to"
    done
    exec {to}>&-
    [[ $answer == stop ]]
    awk '{ for (b = 0; b < 8; b++) { n = 0; for (i = 1; i <= 2; i++) n += $(4 * b + i) !~ /@/; if (n == 1) exit 1 } }' <<<"$order"
    [[ $order == *'old new '* && $order == *'new old '* ]]
}

@test "a metric of which more is better is worse where there is less, in the words of its own direction" {
    mkdir out
    jq -n '{ command: ["true"], settings: { min_runs: 10, max_runs: 10, error: 0.05, confidence: 0.95, seed: 1, engine: "meter", at_most: 1.02,
            metric: ["rate"], metrics: [{ name: "rate", source: "stdout:/(.*)/", take: "last", unit: "/s", better: "higher", adapter: null }] },
        environment: {}, loads: [{ name: "baseline" }, { name: "mem" }],
        variants: [{ name: "old", command: ["a"] }, { name: "new", command: ["b"] }],
        conditions: [["old", "old", null], ["new", "new", null], ["old@mem", "old", "mem"], ["new@mem", "new", "mem"]] | map({ name: .[0], variant: .[1], load: .[2] }) }' >out/experiment.json
    runs 6 10 0.9 0.95 0.002 | command jq -c '.metrics = { rate: { value: .wall_s, unit: "/s", better: "higher" } } | .exit_code = 0 | .order = input_line_number' >out/runs.jsonl
    "$BIN/stats" --derive out
    holds '.comparisons | map(select(.metric == "rate")) | length == 2 and (.[0] | .ratio > 1.1 and .of_reference < 0.91 and .verdict == "worse" and .gate == "above"
        and (.text | test("^new: rate [0-9.]+ % \\[[0-9., ]+\\] lower alone \\(worse\\)$")))' <out/result.json
    # The load makes new better by that metric, in relation: 0.95 / 0.9 times as much.
    holds '.interactions | map(select(.metric == "rate"))[0] | .ratio < 0.96 and .of_reference > 1.04 and .distinguishable' <out/result.json
    holds '.gate.verdict == "above"' <out/result.json
}

@test "an experiment that is resumed with more runs keeps the plan of its looks, and what it cannot compare is refused" {
    "$JOSTLE" slowdown --quiet --variant old=true --variant new='true again' --confidence 99.9999% --at-most 100 --min-runs 2 --max-runs 2 --output out || true
    holds '.looks == { from: 2, to: 2 } and .settings.same_within == null' <out/experiment.json
    "$JOSTLE" slowdown --quiet --resume --variant old=true --variant new='true again' --confidence 99.9999% --same-within 0.01% --min-runs 2 --max-runs 4 --output out || [[ $? == 4 ]]
    holds '.looks == { from: 2, to: 2 } and .settings.same_within == 0.0001 and .settings.max_runs == 4' <out/experiment.json
    holds '.comparisons[0] | .method == "signed-ranks-looks" and .pairs == 4' <out/result.json
    local record
    for record in experiment result; do
        is_valid "$record" "out/$record.json"
    done
    run -2 "$JOSTLE" slowdown --same-within 2% --load 'half=cpu --percent 50' --output none -- true
    [[ $output == *'--same-within compares variants'* && ! -e none ]]
}

# limits OPTION...: the limits in the plan of such a gate, one a line.
limits() {
    "$BIN/experiment" slowdown --variant old=true --variant new='true again' --output plan "$@" | tr '\0' '\n' |
        awk '/^(max_runs|max_time_us|runs_before_time)$/ { name = $0; getline; print name "=" $0 }' | sort
    rm -rf plan
}

@test "a limit that was given is the only one; a gate without any has 30 runs or a minute, whichever is later" {
    [[ $(limits) == max_runs=30 ]]
    [[ $(limits --min-runs 40) == max_runs=40 ]]
    [[ $(limits --max-time 20s) == $'max_runs=999999999\nmax_time_us=20000000' ]]
    [[ $(limits --max-time 20s --max-runs 9) == $'max_runs=9\nmax_time_us=20000000' ]]
    [[ $(limits --at-most 1.05) == $'max_runs=999999999\nmax_time_us=60000000\nruns_before_time=60' ]]
    [[ $(limits --same-within 2% --max-runs 50) == max_runs=50 ]]
    [[ $(limits --at-most 1.05 --max-time 20s) == $'max_runs=999999999\nmax_time_us=20000000' ]]
    [[ $(limits --at-most 1.05 --runs 9) == max_runs=9 ]]
}

# width FOR_S: that of the ratio of 200 pairs, in an experiment that ends after so long; "null": without an end in time.
width() {
    jq --argjson for "$1" '.looks = { from: 15, to: 1000 } + (if $for then { for_s: $for } else {} end)' <made/experiment.json >timed/experiment.json
    "$BIN/stats" --derive timed
    jq '.comparisons[0].ci | .[1] - .[0]' <timed/result.json
}

@test "a gate that time ends keeps most of what it may be wrong for its end" {
    local plain early late over
    "$JOSTLE" slowdown --quiet --variant old=true --variant new='true again' --at-most 1.05 --max-time 100ms --output made || [[ $? == [34] ]]
    mkdir timed
    # One run a second, for 400 s.
    runs 5 200 1.02 1 0.1 | grep -v '@mem' | command jq -c '.exit_code = 0 | .order = input_line_number | .wall_s *= 0.6 | .start = (1700000000 + input_line_number | todate)' >timed/runs.jsonl
    plain=$(width null) early=$(width 40000) late=$(width 420) over=$(width 200)
    awk -v plain="$plain" -v early="$early" -v late="$late" -v over="$over" 'BEGIN { exit !(late < 0.9 * plain && early > 1.05 * plain && over > 1.05 * late) }'
}

# bats test_tags=slow
@test "an undecided gate names the limit that ended it, and how many runs would decide" {
    # The truth is the limit.
    run -4 "$JOSTLE" slowdown --quiet --at-most 1.00001 --confidence 99.9999% --variant old='sleep 0.01' --variant new='sleep 0.010' --max-time 3s --output time
    holds '.gate | .ended_by == "max-time" and (.text | test("^--max-time ended it after [0-9]+ runs of each; "))' <time/result.json
    holds '.settings.max_runs == null and .looks == {"from": 15, "to": 1000, "for_s": 3}' <time/experiment.json
    is_valid experiment time/experiment.json
    # Where people look, too.
    run -0 "$JOSTLE" report time
    [[ $output == *'at most 1.00001: undecided: --max-time ended it after '*' runs of each; '* ]]
    runs 4 30 1.05 1.05 | variants --at-most 1.05 >result
    holds '.gate | .ended_by == "max-runs" and .runs_needed > 30 and (.text | startswith("--max-runs ended it after 30 runs of each; about "))' <result
    # Without what others take, the difference is clear.
    runs 3 20 1.1 1.1 0.3 | command jq -c '.user_s = (if .condition | startswith("old") then 1 else 1.2 end) * (1 + .block % 3 / 1000)' | variants --at-most 1.05 >result
    holds '.gate.verdict != "undecided" or (.gate.steadier.metric == "user_s" and (.gate.text | contains("--metric user_s about")))' <result
    # Nor does it matter what of the CPU time the kernel calls the system's.
    runs 3 20 1.1 1.1 0.3 | command jq -c '(if .condition | startswith("old") then 1 else 1.2 end) as $all | .user_s = $all * (0.4 + (input_line_number * 7 % 11) / 30) | .system_s = $all * (1 + .block % 3 / 1000) - .user_s' |
        variants --at-most 1.05 >result
    holds '.gate.verdict == "undecided" and .gate.steadier.metric == "cpu_s"' <result
}
