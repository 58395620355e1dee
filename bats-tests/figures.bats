#!/usr/bin/env bats
# What a figure is of: which metric, which statistic, at which level; in result.json
# and in every format.

load helpers
load report

setup() {
    cd "$BATS_TEST_TMPDIR" || return
}

# experiment FOLDER SETTINGS [BLOCKS]: an experiment of a baseline and the load
# `half`, with known figures: wall time times 1.5, user time times 1.2, memory
# as it was. SETTINGS is a jq object over the usual ones.
experiment() {
    mkdir -p "$1"
    jq -n '{ schema: "jostle.experiment/1", command: ["./solver"],
        loads: [{ name: "baseline", spec: null }, { name: "half", spec: "cpu --percent 50" }],
        settings: ({ error: 0.05, confidence: 0.95, min_runs: 12, max_runs: 12, metric: ["wall_s"], seed: 1, engine: "meter" } + ('"$2"')),
        environment: { host: "one", kernel: "Linux 6", cpus_online: 2 } }' >"$1/experiment.json"
    jq -nc --argjson blocks "${3:-12}" 'range(1; 1 + $blocks) as $b | ["baseline", 1, 1], ["half", 1.5, 1.2]
        | { schema: "jostle.run/1", condition: .[0], block: $b, order: (2 * $b - (if .[1] == 1 then 1 else 0 end)),
            wall_s: (.[1] * (1 + 0.01 * ([-1, 0.3, 1, -0.4, 0.7][$b % 5] + (if .[1] == 1 then 0.2 else 0 end) * ($b % 3)))),
            user_s: (.[2] * 0.5 * (1 + 0.01 * ([0.6, -1, 0.1, 0.9][$b % 4] + (if .[1] == 1 then 0.3 else 0 end) * ($b % 2)))),
            system_s: (0.1 * (1 + 0.01 * ($b % 3))), max_rss_bytes: (4194304 + 4096 * ($b % 2)), exit_code: 0, signal: null,
            timed_out: false, load: [], flags: [] }' >"$1/runs.jsonl"
    "$BIN/stats" --derive "$1"
}

# valid FOLDER: its result is as the schema says.
valid() {
    is_valid result "$1/result.json"
}

# bats test_tags=slow
@test "the slowdown of the wall time is always computed; only what --metric names decides" {
    experiment user '{ metric: ["user_s"] }'
    holds '[.slowdowns[] | [.metric, .requested]] == [["wall_s", false], ["user_s", true]]
        and ([.slowdowns[] | (.ratio * 10 | round) / 10] == [1.5, 1.2]) and all(.slowdowns[]; .ci[0] < .ratio and .ratio < .ci[1])' <user/result.json
    valid user
    # A wall time that varies too much does not delay the end, nor fail a gate.
    experiment gate '{ metric: ["user_s"], at_most: 1.35 }'
    holds '.verdict == "below" and ([.slowdowns[] | select(has("verdict")) | .metric] == ["user_s"])' <gate/result.json
    run -0 "$JOSTLE" report gate
    [[ $output == *'at most 1.35 for user time: below'* ]]
    # What is too small is not judged, and the answer does not claim it.
    sed -i 's/"system_s":[0-9.]*/"system_s":0.0001/' gate/runs.jsonl
    jq '.settings.metric = ["user_s", "system_s"]' gate/experiment.json >both && mv both gate/experiment.json
    "$BIN/stats" --derive gate
    holds '[.slowdowns[] | select(has("verdict")) | .metric] == ["user_s"]' <gate/result.json
    run -0 "$JOSTLE" report gate
    [[ $output == *'at most 1.35 for user time (too small to be judged: system time): below'* ]]
    experiment usual '{}'
    holds '[.slowdowns[] | [.metric, .requested]] == [["wall_s", true]]' <usual/result.json
}

# bats test_tags=slow
@test "the column slowdown is that of the wall time; each other metric has a line of its own" {
    experiment one '{ metric: ["user_s"] }'
    run -0 "$JOSTLE" report one
    # condition, runs, ..., and the wall time's slowdown; then one line a metric
    grep -Eq '^half +12 .* 1\.497 \[1\.49[0-9], 1\.[45][0-9]+\]' <<<"$output"
    grep -Eq '^half +user time .*ms .*ms +1\.198 \[1\.19[0-9], 1\.[12][0-9]+\]' <<<"$output"
    # In each format the ratio in the column is the wall time's, and the other one is labelled.
    local format
    for format in md latex html text; do
        [[ $format != text ]] || format=terminal
        report --format "$format" --quiet one >out
        grep -q 'user time' out
        grep -q '1\.497' out
        grep -q '1\.198' out
    done
    report --format json one | holds '.cells[0] | .slowdown.metric == "wall_s" and ([.all_slowdowns[].metric] == ["wall_s", "user_s"])'
    # A result made before the wall time was always there: no other metric takes its place.
    edited one/result.json 'del(.slowdowns[0])'
    report --format json one | holds '.cells[0] | .slowdown == null and (.all_slowdowns | length) == 1'
    run -0 "$JOSTLE" report one
    grep -Eq '^half +12 .* -( |$)' <<<"$output"
}

# bats test_tags=slow
@test "with several metrics the legend says which level each interval has" {
    experiment one '{ metric: ["wall_s", "user_s", "system_s", "max_rss_bytes"] }'
    run -0 "$JOSTLE" report --verbose one
    [[ $output == *'wall time (mean ± 98.75 %)'*'slowdown [98.75 %]'*'98.75 % confidence intervals (95 % for the 4 metrics together)'* ]]
    local format
    for format in md latex html; do
        report --format "$format" --quiet one | sed 's/\\%/%/g' >out
        grep -q '98.75 %' out
    done
    experiment alone '{ metric: ["user_s"] }'
    run -0 "$JOSTLE" report alone
    [[ $output == *'slowdown [95 %]'* && $output != *'97.5 %'* && $output != *'98.75 %'* ]]
}

# figures_of STATISTIC [SETTINGS]: an experiment of 40 blocks with some very slow runs.
figures_of() {
    experiment "$1" "{ statistic: \"$1\", min_runs: 40, max_runs: 40 } + (${2:-{\}})" 40
    jq -c 'if .order % 13 == 0 then .wall_s *= 1.4 else . end' "$1/runs.jsonl" >slow
    mv slow "$1/runs.jsonl"
    "$BIN/stats" --derive "$1"
}

# bats test_tags=slow
@test "a row's quotient is the slowdown printed with it, for every statistic" {
    local statistic
    for statistic in mean median trimmed p90; do
        figures_of "$statistic"
        holds '.slowdowns[0] as $s | [.conditions[].wall_s] | all(.[]; .statistic == $s.statistic and .ci[0] <= .center and .center <= .ci[1])
            and $s.statistic == $statistic and (.[1].center / .[0].center / $s.ratio - 1 | fabs) < 1e-9
            and $s.ci[0] <= $s.ratio and $s.ratio <= $s.ci[1]' --arg statistic "$statistic" <"$statistic/result.json"
    done
    valid p90
    # The mean is of all runs: those that are far from the others are counted, not left out.
    jq -s 'map(select(.condition == "half") | .wall_s) | add / length' mean/runs.jsonl >all
    holds '.conditions[1].wall_s | (.center / $all - 1 | fabs) < 1e-9 and .outliers > 0 and .set_aside == 0' --argjson all "$(<all)" <mean/result.json
    # They move the mean, and hardly the median.
    jq -es '(.[0].conditions[1].wall_s.center - .[1].conditions[1].wall_s.center) > 0.02' mean/result.json median/result.json
    jq -es '.[0].conditions[1].wall_s.error > 2 * .[1].conditions[1].wall_s.error' mean/result.json median/result.json
}

# bats test_tags=slow
@test "tables and legends say which statistic a figure is" {
    figures_of median
    run -0 "$JOSTLE" report --verbose median
    [[ $output == *'wall time (median [95 %])'*'times and ratios are of the median'* ]]
    grep -Eq '^baseline +40 +1\.00[0-9]+ \[[01]\.[0-9]+, 1\.[0-9]+\] s ' <<<"$output"
    figures_of trimmed
    run -0 "$JOSTLE" report median trimmed
    [[ $output == *'alone (± 95 %)'* && $output != *'times and ratios are of'* ]]
    local format
    for format in md latex html; do
        report --quiet --format "$format" median | sed 's/\\%/%/g; s/{\[}/[/g; s/{\]}/]/g' >out
        grep -q 'median \[95 %\]\|of the median' out
    done
    report --quiet --format csv median | head -n 2 | tail -n 1 | grep -q '"median"'
}

# bats test_tags=slow
@test "a quantile that cannot have an interval has none, and the result says how many runs it takes" {
    local -a case
    local what
    for what in 'median 5 6' 'p90 28 29' 'p99 298 299'; do
        read -ra case <<<"$what"
        figures() {
            awk -v n="$1" 'BEGIN { srand(3); for (i = 1; i <= n; i++) printf "{\"wall_s\":%.9f}\n", 1 + 0.01 * rand() }' |
                "$BIN/decide" --summary-only --summary - --statistic "${case[0]}" --min-runs "$1" --max-runs "$1"
        }
        figures "${case[1]}" >few
        holds '(.conditions[0].wall_s | .ci == null and .error == null and .center > 1) and (.conditions[0].converged | not)
            and ([.warnings[] | select(.flag == "not-converged") | .message] | length == 1 and (.[0] | endswith("needs at least '"${case[2]}"' runs for an interval")))' <few
        figures "${case[2]}" | holds '.conditions[0].wall_s | .ci[0] < .center and .center < .ci[1]'
    done
    # A gate looks at the data after each block, and quantiles then take more of them.
    for what in 'median 8' 'trimmed 6'; do
        read -ra case <<<"$what"
        figures() {
            awk -v n="$1" 'BEGIN { srand(3); for (i = 1; i <= n; i++) for (c = 0; c < 2; c++)
                printf "{\"condition\":\"%s\",\"block\":%d,\"wall_s\":%.9f}\n", c ? "load" : "base", i, 1 + 0.001 * rand() }' |
                "$BIN/decide" --conditions base,load --at-most 2 --summary-only --summary - --statistic "${case[0]}" --min-runs 2 --max-runs "$1"
        }
        figures $((case[1] - 1)) >few
        holds '.slowdowns[0].ci == null' <few
        grep -q "needs at least ${case[1]} runs for an interval that is looked at" few
        figures "${case[1]}" | holds '.slowdowns[0].ci[0] < 1.1'
    done
    # It is said before anything is measured, not after hours.
    run -0 --separate-stderr "$JOSTLE" run --statistic p90 --min-runs 2 --max-runs 3 --output few-runs -- true
    # shellcheck disable=SC2154 # bats sets stderr
    [[ $stderr == *'an interval of --statistic p90 needs 29 runs'*'at most 3: '* && $output == *'(no interval)'* ]]
    run -4 --separate-stderr "$JOSTLE" slowdown --at-most 2 --statistic median --max-runs 2 --load 'low=cpu --percent 1' --output few-pairs -- true
    [[ $stderr == *'an interval that is looked at after each block of --statistic median needs 6 runs'*'at most 2: '* ]]
}

@test "the interval of a median is that of its order statistics" {
    # Ten values: T. P. Hettmansperger and S. J. Sheather (1986); between the second and the third, and mirrored.
    printf '{"wall_s":1.%02d}\n' {1..10} | "$BIN/decide" --summary-only --summary - --statistic median --min-runs 10 --max-runs 10 >summary
    holds '.conditions[0].wall_s | .center == 1.055 and (.ci[0] - 1.026575 | fabs) < 2e-5 and (.ci[1] - 1.083425 | fabs) < 2e-5' <summary
}

# bats test_tags=slow
@test "intervals of a median and of a ratio of medians cover the truth as often as they say" {
    # 400 experiments of 12 pairs of skewed times, whose medians are 1 and 1.3.
    awk 'function normal() { return sqrt(-2 * log(1 - rand())) * cos(6.283185307 * rand()) }
        BEGIN { srand(5)
            for (e = 0; e < 400; e++) {
                for (b = 1; b <= 12; b++) {
                    printf "{\"condition\":\"baseline\",\"block\":%d,\"wall_s\":%.9f}\n", b, exp(0.2 * normal())
                    printf "{\"condition\":\"load\",\"block\":%d,\"wall_s\":%.9f}\n", b, 1.3 * exp(0.2 * normal())
                }
                print "next"
            } }' |
        "$BIN/decide" --conditions baseline,load --summary-only --summary - --statistic median --min-runs 12 --max-runs 12 |
        jq -c '[(.conditions[0].wall_s.ci | .[0] < 1 and 1 < .[1]), (.slowdowns[0].ci | .[0] < 1.3 and 1.3 < .[1])]' >covered
    # 400 times 95 % is 380, with a standard deviation of 4.4.
    jq -es '[.[] | select(.[0])] | length >= 362 and length <= 396' covered
    jq -es '[.[] | select(.[1])] | length >= 366 and length <= 399' covered
}

@test "the statistic decides when to stop, and a gate" {
    # Every fifth run of each condition is 40 % slower: the mean needs more runs than there are.
    runs() {
        awk 'BEGIN { srand(9); for (b = 1; b <= 40; b++) for (c = 0; c < 2; c++)
            printf "{\"condition\":\"%s\",\"block\":%d,\"wall_s\":%.9f}\n", c ? "load" : "baseline", b, (c ? 1.2 : 1) * (1 + 0.01 * rand()) * ((b + 2 * c) % 5 ? 1 : 1.4) }'
    }
    local -a decide=(--conditions 'baseline,load' --error 0.03 --min-runs 12 --max-runs 40 --first-stop --summary-only --summary -)
    runs | "$BIN/decide" "${decide[@]}" --statistic mean | holds '.conditions[1] | .stop_reason == "max-runs"'
    runs | "$BIN/decide" "${decide[@]}" | holds '.conditions[1] | .stop_reason == "error" and .runs < 20'
    runs | "$BIN/decide" "${decide[@]}" --statistic median | holds '.conditions[1] | .stop_reason == "error" and .runs < 20'
    runs | "$BIN/decide" "${decide[@]}" --statistic median --at-most 1.25 | holds '.verdict == "below" and .slowdowns[0].method == "paired-quantiles-looks"'
    runs | "$BIN/decide" "${decide[@]}" --statistic trimmed --at-most 1.10 | holds '.verdict == "above"'
}

# bats test_tags=slow
@test "--statistic is an option of the experiment, and may change when it is resumed" {
    "$JOSTLE" slowdown --quiet --min-runs 6 --max-runs 6 --load 'half=cpu --percent 50' --output out -- sleep 0.01
    holds '.settings.statistic == "typical" and .conditions[0].wall_s.statistic == "typical"' <out/result.json
    run -0 "$JOSTLE" slowdown --min-runs 6 --max-runs 7 --resume --statistic median --load 'half=cpu --percent 50' --output out -- sleep 0.01
    holds '.settings.statistic == "median" and all(.conditions[]; .wall_s.statistic == "median" and .runs >= 6)' <out/result.json
    is_valid experiment out/experiment.json
    valid out
    run -2 "$JOSTLE" run --statistic average -- true
    [[ $output == *'mean, median, trimmed, p90'* ]]
}

# bats test_tags=slow
@test "outliers are named where the mean includes them; formats have the interval that also holds under dependence" {
    figures_of mean
    run -0 "$JOSTLE" report mean
    [[ $output == *'baseline: outliers in runs 13, 39, 65: the mean includes them, the median is 1.01 s'* ]]
    run -0 "$JOSTLE" report --verbose mean
    [[ $output == *'half: Besides, 1 run in 13 '* && $output != *'half: outliers'* ]]
    cp -r mean one
    jq '.conditions |= map(.runs = 1 | .unseen = 0.95)' mean/result.json >one/result.json
    run -0 "$JOSTLE" report --verbose one
    [[ $output == *'1 run may not show what happens in 19 of 20 (95 %)'* ]]
    run -0 "$JOSTLE" report --verbose mean
    # 1 - 0.05^(1/40) is 1/13.9.
    [[ $output == *'40 runs may not show what happens in 1 of 14 (95 %)'* ]]
    local robust
    robust=$(jq -r '.conditions[1].wall_s.ci_robust | "\(.[0] * 1000 | round / 1000), "' mean/result.json)
    report --quiet --format md mean >out
    grep -q '| outliers | wall if runs depend on each other \[95 %\] (s) |' out
    grep -qF "| 3 | [$robust" out
    report --quiet --format html mean | grep -qF "[$robust"
    report --quiet --format csv mean >figures.csv
    python3 - <<'PYTHON'
import csv, json
result = json.load(open("mean/result.json"))
row = [r for r in csv.DictReader(open("figures.csv")) if r["role"] == "loaded" and r["metric"] == "wall_s"][0]
wall = result["conditions"][1]["wall_s"]
assert [float(row["ci_robust_low"]), float(row["ci_robust_high"])] == wall["ci_robust"], row
assert row["outliers"] == "3" and row["constant"] == "false", row
PYTHON
}

@test "what does not vary is called constant, and has no interval" {
    experiment same '{ metric: ["wall_s", "max_rss_bytes"] }'
    jq -c '.max_rss_bytes = 4194304' same/runs.jsonl >lines
    mv lines same/runs.jsonl
    "$BIN/stats" --derive same
    holds '.conditions[0].max_rss_bytes | .constant and .ci == null and .error == null' <same/result.json
    run -0 "$JOSTLE" report same
    grep -Eq '^half +memory +4\.00 MiB \(constant\) +4\.00 MiB \(constant\) +1\.000 \(constant\)' <<<"$output"
}

@test "a result that is derived again keeps what ended the experiment, not whether it converged" {
    experiment ended '{ error: 0.0001, max_runs: 30 }'
    holds 'all(.conditions[]; .stop_reason == "interrupted" and .converged == false)' <ended/result.json
    edited ended/result.json '.conditions[].stop_reason = "error" | .conditions[].converged = true'
    "$BIN/stats" --derive ended
    holds 'all(.conditions[]; .stop_reason == "error" and .converged == false)' <ended/result.json
    holds '[.warnings[].flag] | index("not-converged") != null' <ended/result.json
    edited ended/experiment.json '.stopped = "max-time"'
    "$BIN/stats" --derive ended
    holds 'all(.conditions[]; .stop_reason == "max-time")' <ended/result.json
}

# bats test_tags=slow
@test "a record has the same figures in every format, and none is 1000 of a unit" {
    local format text mean
    experiment one '{}'
    mean=$(jq -s '[.[] | select(.condition == "baseline") | .wall_s] | add / length' one/runs.jsonl)
    jq -c --argjson mean "$mean" '.wall_s *= 0.0009996 / $mean' one/runs.jsonl >runs && mv runs one/runs.jsonl
    "$BIN/stats" --derive one
    for format in terminal md latex asciidoc orgmode github html; do
        "$JOSTLE" report one --format "$format" | sed 's/\\\(\[\|\]\)/\1/g; s/[$]\\pm[$]/±/g; s/{\([],[]\)}/\1/g' >"text.$format"
        run ! grep -E '[^0-9.]1000([.]0*)? (ns|µs|ms|us|kB|KiB|MiB|[kMG]?B/s)' "text.$format"
    done
    text=$(grep -oE '0[.]9[0-9]+ ± [0-9.]+ ms' text.orgmode | head -n 1)
    [[ -n $text ]]
    for format in terminal md latex asciidoc github html; do grep -qF "$text" "text.$format"; done
    "$JOSTLE" compare one one >compared
    grep -qE '^baseline +wall_s .* 1[.]00 ms ' compared
}
