#!/usr/bin/env bats
# stats with metrics from the target's output, on made-up records.

load helpers

rate='rate=stdout:/rate ([0-9.]+)/,unit=1/s,better=higher'

setup() {
    cd "$BATS_TEST_TMPDIR" || return
}

# records JQ: 12 blocks of baseline and load, that filter of {condition, block} each, which
# may use noise (-1 to 1, another one in each record).
records() {
    jq -nc 'range(1; 13) as $block | ("baseline", "load") as $condition
        | (($block * 37 + (if $condition == "load" then 11 else 0 end)) % 17 / 8 - 1) as $noise
        | { condition: $condition, block: $block } + ('"$1"')'
}

# summary OPTION...: of the records on stdin.
summary() {
    "$BIN/decide" --conditions baseline,load --max-runs 12 --min-runs 12 "$@" --summary-only --summary -
}

slowed='(if $condition == "load" then 1.25 else 1 end) * (1 + 0.02 * $noise) | { wall_s: ., metrics: { rate: { value: (1000 / .), unit: "1/s", better: "higher" } } }'

@test "a ratio above 1 is worse, whichever direction is better, and the words have the natural one" {
    records "$slowed" | summary --metric wall_s --metric "$rate" >out
    jq -e '[.slowdowns[] | { metric, better, unit }] == [{ metric: "wall_s", better: "lower", unit: "s" }, { metric: "rate", better: "higher", unit: "1/s" }]' out
    jq -e '.slowdowns | all(.ratio > 1.2 and .ratio < 1.3 and .ci[0] > 1.2 and .ci[1] < 1.3 and .distinguishable)' out
    jq -e '.slowdowns[1] | .of_reference * .ratio > 0.999999 and .of_reference * .ratio < 1.000001
        and .of_reference_ci[0] * .ci[1] > 0.999999 and .of_reference_ci[1] * .ci[0] < 1.000001' out
    jq -r '.slowdowns[].text' out >texts
    grep -qE '^wall_s 1\.2[0-9]+ \[1\.2[0-9]+, 1\.2[0-9]+\] times alone$' texts
    grep -qE '^rate 0\.[78][0-9]+ \[0\.[78][0-9]+, 0\.8[0-9]+\] of alone$' texts
    jq -e '.conditions[1].metrics.rate | .unit == "1/s" and .better == "higher" and .mean > 750 and .mean < 850 and .ci[0] < .mean' out
}

@test "--at-most judges a throughput by how much worse it is" {
    records "$slowed" | summary --metric "$rate" --at-most 1.1 | jq -e '.verdict == "above"'
    records "$slowed" | summary --metric "$rate" --at-most 1.5 | jq -e '.verdict == "below"'
    # The condition is above where one of its metrics is; each has its own answer, too.
    records "$slowed | .metrics.rate.value = 100 + \$noise" | summary --metric wall_s --metric "$rate" --at-most 1.1 |
        jq -e '[.slowdowns[] | [.metric, .verdict, .gate]] == [["wall_s", "above", "above"], ["rate", "above", "below"]]'
}

@test "what does not decide delays nothing and shares no error rate, and is reported" {
    local both='{ wall_s: (1 + 0.001 * $noise), metrics: { rate: { value: (100 * (1 + 0.9 * $noise) + 1) } } }'
    records "$both" >in
    "$BIN/decide" --conditions baseline,load --min-runs 5 --max-runs 12 --error 0.02 --metric wall_s --metric "$rate" <in | tail -n 1 | grep -q '^stop.max-runs'
    "$BIN/decide" --conditions baseline,load --min-runs 5 --max-runs 12 --error 0.02 --metric wall_s --metric "$rate" --decide wall_s <in | grep -m 1 -q '^stop.error'
    summary --metric wall_s --metric "$rate" --decide wall_s <in >out
    jq -e '.intervals.family == 1 and ([.slowdowns[] | [.metric, .requested, .decides]] == [["wall_s", true, true], ["rate", true, false]])
        and ([.warnings[] | select(.flag == "not-converged")] == [])' out
    summary --metric wall_s --metric "$rate" <in | jq -e '.intervals.family == 2 and ([.warnings[] | select(.flag == "not-converged").metric] == ["rate"])'
}

@test "a run without its figure, or with 0 where a ratio needs more, failed; none of it is ever a zero" {
    # One is not found, one is 0, one was ended by the time-out and printed half of it.
    local odd='{ wall_s: 1, metrics: { rate: { value: (100 + $noise) } } }
        | if $block == 2 and $condition == "load" then .metrics.rate.value = null | .metric_failure = { metric: "rate", reason: "not found in stdout" }
        elif $block == 3 and $condition == "load" then .metrics.rate.value = 0 else . end'
    records "$odd" | summary --metric "$rate" >out
    jq -e '.conditions[1] | .failures.metric == 2 and .failed == 2 and .metrics.rate.min > 98' out
    jq -e '[.warnings[] | select(.flag == "failed-runs").message] | length == 1 and (.[0] | contains("2 of") and contains("load: 2 without a figure"))' out
    records "$odd" | summary --metric "$rate" --ignore-failure >out
    jq -e '.conditions[1] | .runs == 12 and .metrics.rate.min > 98' out
    jq -e '[.slowdowns[] | { metric, pairs }] == [{ metric: "wall_s", pairs: 12 }, { metric: "rate", pairs: 10 }]' out
    jq -e '.warnings[] | select(.flag == "failed-runs").message | contains("their other figures count")' out
    # Without any of it nothing has converged.
    records '{ wall_s: 1, metrics: { rate: { value: null } }, metric_failure: { metric: "rate", reason: "not found in stdout" } }' >in
    summary --metric wall_s --metric "$rate" --ignore-failure <in >out
    jq -e '(.conditions | all(.converged | not)) and .conditions[1].metrics.rate == null and [.slowdowns[].metric] == ["wall_s"]' out
    jq -e '[.warnings[] | select(.flag == "not-converged").metric] == ["rate"]' out
    summary --metric "$rate" --ignore-failure --at-most 2 <in | jq -e '.verdict == "undecided"'
    jq -c 'select(.condition == "baseline")' in | "$BIN/decide" --max-runs 12 --metric "$rate" --ignore-failure --summary-only --summary - |
        jq -e '.conditions[0] | (.converged | not) and .metrics.rate == null'
    # Alone no ratio is made: 0 is a figure.
    jq -nc 'range(1; 6) | { wall_s: 1, metrics: { rate: { value: (. - 1) } } }' | "$BIN/decide" --metric "$rate" --summary-only --summary - |
        jq -e '.conditions[0] | .failures.metric == 0 and .metrics.rate.min == 0 and .metrics.rate.mean == 2'
}

@test "what a timed-out run printed is unknown, not a lower bound" {
    records '{ wall_s: 1, metrics: { rate: { value: (100 + $noise) } } } | if $block == 2 and $condition == "load" then .timed_out = true | .metrics.rate.value = 7 else . end' |
        summary --metric "$rate" --ignore-failure >out
    jq -e '.conditions[1] | .censored == 1 and .metrics.rate.min > 98 and .metrics.rate.ci == null' out
    jq -e '.slowdowns | all(.ratio == null)' out
    jq -e '.warnings[] | select(.flag == "timed-out").message | contains("what they printed does not count")' out
    # So it bounds no ratio, either: the runs that ended do not speak for it.
    local late='{ wall_s: (if $condition == "load" then 2 else 1 end), metrics: { lat: { value: ((if $condition == "load" then 200 else 100 end) + $noise) } } }
        | if $block == 2 and $condition == "load" then .timed_out = true else . end'
    records "$late" | summary --metric 'lat=stdout:/lat ([0-9.]+)/' --ignore-failure --at-most 1.2 | jq -e '.verdict == "undecided"'
    records "$late" | summary --metric wall_s --ignore-failure --at-most 1.2 | jq -e '.verdict == "above"'
}

@test "warnings of a throughput speak of no time" {
    local odd='(if $block == 1 then 60 elif $block == 4 then 30 else 100 + $noise end) | { wall_s: 1, metrics: { rate: { value: . } } }'
    records "$odd" | summary --metric "$rate" | jq -r '.warnings[] | select(.metric == "rate") | .flag + ": " + .message' >texts
    grep -q '^outliers: .*the farthest is 0.30. times the median' texts
    grep -q '^warm-up: the first run shows 0.60. times the median, and pulls the mean down by' texts
    grep -q '^noise: the change cannot be distinguished' texts
    run grep -E 'take|slower|slowest|longer|times too' texts
    [ "$status" = 1 ]
}

@test "what jostle measures is a metric, too; what the baseline has none of delays nothing" {
    records '{ wall_s: (1 + 0.001 * $noise), user_s: 0.5, system_s: 0.25, major_faults: (if $condition == "load" then 9 else 0 end), counters: { context_switches: (50 + $noise) } }' >in
    summary --metric wall_s,cpu_s,context_switches,major_faults --error 0.05 <in >out
    jq -e '.conditions[1].metrics | (keys == ["context_switches", "cpu_s", "major_faults"]) and .cpu_s.mean == 0.75 and .cpu_s.unit == "s" and .major_faults.mean == 9' out
    jq -e '(.slowdowns[] | select(.metric == "major_faults") | .ratio == null) and (.conditions | all(.converged))' out
    jq -e '[.warnings[] | select(.flag == "no-ratio") | [.condition, .metric]] == [["load", "major_faults"]]' out
}

@test "a metric that is none is refused, with the nearest name" {
    run "$BIN/decide" --metric wal_s
    [ "$status" = 2 ]
    [[ $output == *"did you mean wall_s"* ]]
    run "$BIN/decide" --metric wall_s --decide user_s
    [ "$status" = 2 ]
    [[ $output == *"none of the metrics of --metric"* ]]
}

@test "a figure alone may be negative, and of both signs" {
    jq -nc 'range(1; 16) | { wall_s: 1, metrics: { rate: { value: (((. * 7 % 15) - 7) - 0.5) } } }' | "$BIN/decide" --max-runs 15 --metric "$rate" --summary-only --summary - >out
    jq -e '.conditions[0].metrics.rate | .mean == -0.5 and .min == -7.5 and .ci[0] < -2 and .ci[1] > 1' out
    jq -e '[.warnings[] | select(.metric == "rate").flag] == ["not-converged"]' out
    jq -nc 'range(1; 16) | { wall_s: 1, metrics: { rate: { value: ((. * 7 % 15) - 7 + 0.5) } } }' | "$BIN/decide" --max-runs 15 --metric "$rate" --summary-only --summary - |
        jq -e '.conditions[0].metrics.rate | .mean == 0.5 and .ci[0] < -1'
}
