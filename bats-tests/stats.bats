#!/usr/bin/env bats
# stats: what to run next, and what the runs show. Pure, so fed by hand, by the program decide of the tests.

load helpers
bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || return
}

# wall TIME...: records of one condition.
wall() {
    printf '{"wall_s":%s}\n' "$@"
}

# pairs SEED BLOCKS RATIO CV [EXTRA]: records of baseline and load, with noise
# that awk makes; EXTRA is one more condition, like the baseline.
pairs() {
    awk -v seed="$1" -v blocks="$2" -v ratio="$3" -v cv="$4" -v extra="${5:-}" "$RANDOM_AWK"'
        function normal() { return sqrt(-2 * log(1 - random())) * cos(6.283185307 * random()) }
        function line(name, scale) {
            printf "{\"condition\":\"%s\",\"block\":%d,\"order\":%d,\"wall_s\":%.9f,\"user_s\":%.9f,\"system_s\":0,\"max_rss_bytes\":4096}\n",
                name, b, ++order, scale * (1 + cv * normal()), scale * (0.9 + cv * normal())
        }
        BEGIN {
            random_from(seed)
            for (b = 1; b <= blocks; b++) {
                line("baseline", 1)
                line("load", ratio)
                if (extra != "") line(extra, 1)
            }
        }'
}

# experiment_json [SETTINGS]: an experiment.json of one condition; SETTINGS is a jq
# object over the usual ones.
experiment_json() {
    jq -n '{ schema: "jostle.experiment/1", command: ["x"], loads: [{ name: "baseline", spec: null }],
        settings: ({ error: 0.05, confidence: 0.95, min_runs: 2, max_runs: 30, metric: ["wall_s"], seed: 1 } + ('"${1:-{\}}"')),
        environment: { host: "vm", cpus_online: 2 } }'
}

# summary OPTIONS...: the summary of the records on stdin.
summary() {
    "$BIN/decide" --summary-only --summary - --statistic mean "$@"
}

@test "help lists every option and the protocol" {
    local option
    run -0 "$BIN/stats" --help
    [[ $output == *'--derive'* && $output == *'Exit status'* ]]
    run -0 "$BIN/conduct" --help
    for option in pid written ready steady quiet; do
        [[ $output == *"--$option"[=,\ $'\n']* ]]
    done
    [[ $output == *'Exit status'* && $output == *'begin US'* ]]
    run -0 "$BIN/decide" --help
    for option in conditions error confidence min-runs max-runs metric statistic seed ignore-failure discard-warmup at-most aa \
        summary summary-only first-stop; do
        [[ $output == *"--$option"[=,\ $'\n']* ]]
    done
    [[ $output == *'Exit status'* && $output == *'next'* ]]
}

@test "stats derives the results of folders, conduct makes the runs of one; anything else is wrong use" {
    local -a words
    local case
    for case in stats 'stats --derive' 'stats operand' 'stats --nonsense' conduct 'conduct here there' 'conduct --pid 0 here' 'conduct --nonsense here'; do
        read -ra words <<<"$case"
        run -2 --separate-stderr "$BIN/${words[0]}" "${words[@]:1}" </dev/null
        [[ -z $output && -n $stderr && ! -e here ]]
    done
}

@test "wrong use is refused with exit code 2 and one line that says what to do" {
    local -a words
    local case
    for case in '--error 0' '--error x' '--error 0.1x' '--confidence 1' '--min-runs 0' '--max-runs -3' '--max-runs 3e2' \
        '--metric wall' '--conditions a,a' '--conditions a/b' '--conditions a,' '--seed -1' '--min-runs 9 --max-runs 3' \
        '--at-most 0' '--aa' 'operand' '--nonsense'; do
        read -ra words <<<"$case"
        run -2 --separate-stderr "$BIN/decide" "${words[@]}"
        [[ -z $output && -n $stderr ]] || {
            echo "$case: $output"
            return 1
        }
    done
}

@test "mean, variance, quartiles and Student's t interval of a fixed number of runs are exact" {
    # R: t.test(c(1.0, 1.2, 1.1, 1.4, 1.3)) gives 1.2 [1.003676, 1.396324].
    wall 1.0 1.2 1.1 1.4 1.3 | summary --min-runs 5 --max-runs 5 | holds '.conditions[0] | .runs == 5 and (.wall_s
        | (.mean - 1.2 | fabs) < 1e-9 and (.variance - 0.025 | fabs) < 1e-9 and (.stddev - 0.158113883 | fabs) < 1e-8
        and .median == 1.2 and .min == 1 and .max == 1.4 and .statistic == "mean"
        and (.ci[0] - 1.003675684 | fabs) < 1e-8 and (.ci[1] - 1.396324316 | fabs) < 1e-8
        and (.error - 0.163603597 | fabs) < 1e-8)'
}

@test "a ratio from pairs has Fieller's interval" {
    # x 1 1.1 0.9 1.05, y 1.3 1.45 1.15 1.4: the bounds solve
    # mean(y - r x)^2 = t^2 var(y - r x) / 4 with t = 3.182446.
    local x=(1 1.1 0.9 1.05) y=(1.3 1.45 1.15 1.4) i
    for i in 0 1 2 3; do
        printf '{"condition":"a","wall_s":%s}\n{"condition":"b","wall_s":%s}\n' "${x[i]}" "${y[i]}"
    done | summary --conditions a,b --min-runs 4 --max-runs 4 >result
    holds '.slowdowns[0] | .pairs == 4 and (.ratio - 5.3 / 4.05 | fabs) < 1e-9 and .ci[0] < .ratio and .ratio < .ci[1]' <result
    local bound
    for bound in 0 1; do
        jq -e --argjson i $bound '.slowdowns[0].ci[$i] as $r
            | [[1, 1.3], [1.1, 1.45], [0.9, 1.15], [1.05, 1.4]] | map(.[1] - $r * .[0]) | (add / 4) as $m
            | (map((. - $m) | . * .) | add / 3) as $v
            | (($m | fabs) / ($v / 4 | sqrt) - 3.182446305) | fabs < 1e-5' result
    done
}

@test "every block has each condition once, in an order that the seed fixes" {
    # Interactively: ten blocks of what it asks for.
    asked() {
        coproc STATS { "$BIN/decide" --conditions a,b,c --error 0.0001 --max-runs 10 --seed "$1"; }
        local kind condition block order
        while IFS=$'\t' read -r kind condition block order _ <&"${STATS[0]}" && [[ $kind == run ]]; do
            printf '%s %s\n' "$block" "$condition"
            printf '{"condition":"%s","block":%s,"order":%s,"wall_s":1.%s}\n' "$condition" "$block" "$order" "$RANDOM" \
                >&"${STATS[1]}"
        done
    }
    asked 1 >one
    asked 1 >again
    asked 2 >two
    cmp one again
    run ! cmp -s one two
    [[ $(wc -l <one) -eq 30 && $(sort -u one | wc -l) -eq 30 ]]
    # All six orders of three are likely in ten blocks; two at least must occur.
    [[ $(awk '{ o[$1] = o[$1] $2 } END { for (b in o) print o[b] }' one | sort -u | wc -l) -ge 2 ]]
}

@test "it stops at the error of --error, not before the minimum, and at the cap with max-runs" {
    pairs 1 30 1.3 0.01 | "$BIN/decide" --conditions baseline,load --min-runs 6 >answers
    [[ $(grep -n -m 1 ^stop answers | cut -d: -f1) -eq 13 ]]
    [[ $(grep -m 1 ^stop answers) == $'stop\terror\t-\t-\t'*$'\t0' ]]
    pairs 1 8 1.3 0.2 | "$BIN/decide" --conditions baseline,load --max-runs 8 >answers
    [[ $(tail -n 1 answers) == $'stop\tmax-runs\t'* ]]
    [[ $(grep -c ^stop answers) -eq 1 ]]
}

@test "it never stops inside a block" {
    pairs 3 30 1.3 0.04 | "$BIN/decide" --conditions baseline,load --error 0.03 >answers
    (($(grep -n -m 1 ^stop answers | cut -d: -f1) % 2 == 1))
}

@test "the forecast is of the right size and ends at zero" {
    pairs 7 60 1.3 0.05 | "$BIN/decide" --conditions baseline,load --error 0.025 --max-runs 100 >answers
    local stop asked
    stop=$(grep -n -m 1 ^stop answers | cut -d: -f1)
    # After ten blocks the spread is known to about a quarter, the number of runs to about a half.
    asked=$(sed -n 21p answers | cut -f 6)
    ((asked > (stop - 21) / 3 && asked < (stop - 21) * 3))
    [[ $(sed -n "$((stop - 1))p" answers | cut -f 6) -ge 1 ]]
}

@test "with a gate the forecast is about its verdict, not about the cap" {
    pairs 7 40 1.3 0.03 >runs
    "$BIN/decide" --conditions baseline,load --at-most 1.1 --max-runs 1000 <runs >answers
    # Far above the limit: decided at the least number of runs.
    (($(sed -n 11p answers | cut -f 6) <= 30 - 10))
    # Right at the limit it would take for ever.
    pairs 7 40 1.1 0.03 | "$BIN/decide" --conditions baseline,load --at-most 1.1 --max-runs 1000 >answers
    (($(sed -n 31p answers | cut -f 6) > 100))
}

@test "the summary has the first forecast and what came of it" {
    pairs 7 60 1.3 0.05 | summary --conditions baseline,load --error 0.025 --max-runs 100 --first-stop >result
    holds '.forecast | .after_runs == 6 and .expected_runs >= 24 and .expected_runs <= 200 and .made_runs >= 24 and .made_runs <= 120' <result
    pairs 7 2 1.3 0.05 | summary --conditions baseline,load | holds '.forecast == null'
}

@test "the records' times show how many seconds were expected and taken, without a pause" {
    jq -nc '[0, 2, 4, 1000, 1002] | to_entries[] | { block: (.key + 1), start: (1e9 + .value | todate | sub("Z"; ".250000000Z")), wall_s: 1.5 }' >runs.jsonl
    experiment_json '{ min_runs: 12 }' >experiment.json
    "$BIN/stats" --derive .
    # The first forecast is made after three runs: 4 s and the third run.
    holds '.forecast | .after_runs == 3 and .after_s == 2 + 2 + 1.5 and .expected_s == 5.5 * .expected_runs / 3 and .took_s == 2 + 2 + 1.5 + 2 + 1.5' <result.json
}

@test "runs that resemble their neighbours show less, and the runs of all conditions reveal it" {
    # The same values in two orders: smooth, and shuffled by 7 i modulo 24.
    awk 'BEGIN { for (i = 0; i < 24; i++) print 1 + 0.02 * sin(i * 0.5) }' >smooth
    awk '{ v[NR - 1] = $1 } END { for (i = 0; i < 24; i++) print v[7 * i % 24] }' smooth >mixed
    local order
    for order in smooth mixed; do
        mapfile -t values <$order
        wall "${values[@]}" | summary --error 0.5 --max-runs 24 --min-runs 23 >$order.json
        awk '{ print "{\"condition\":\"" (NR % 2 ? "a" : "b") "\",\"wall_s\":" $1 * (NR % 2 ? 1 : 3) "}" }' $order |
            summary --conditions a,b --min-runs 12 --max-runs 13 >$order.both.json
    done
    jq -s 'map(.conditions[0].wall_s.error)' smooth.json mixed.json | holds '.[0] > 2 * .[1]'
    jq -s 'map(.warnings | map(.flag) | index("autocorrelation") != null)' smooth.json mixed.json | holds '. == [true, false]'
    jq -s 'map(.conditions[0].wall_s.error)' smooth.both.json mixed.both.json | holds '.[0] > 1.5 * .[1]'
    jq -s 'map([.warnings[] | select(.flag == "autocorrelation") | .condition])' smooth.both.json mixed.both.json | holds '. == [["a", "b"], []]'
}

@test "feeding the records again in one go gives the same summary as one after the other" {
    pairs 2 14 1.1 0.05 >runs
    summary --conditions baseline,load <runs >whole
    {
        head -n 9 runs
        tail -n +10 runs
    } | summary --conditions baseline,load >parts
    cmp whole parts
}

@test "an experiment that was cut off continues where it was" {
    pairs 2 3 1.1 0.05 | head -n 5 >runs
    printf '{"condition":"load","blo' >>runs
    run -0 --separate-stderr "$BIN/decide" --conditions baseline,load <runs
    [[ ${lines[-1]} == $'run\tload\t3\t6\t'* ]]
    [[ $stderr == *'line 6 of the records is set aside'* && $(wc -l <<<"$stderr") -eq 1 ]]
}

@test "broken, foreign, doubled and absurd records are set aside, and the good ones count" {
    {
        wall 1 1.1 0.9
        printf '%s\n' '[]' 'nonsense' '{"wall_s":"1"}' '{"wall_s":-1}' '{"wall_s":1,"wall_s":2}' '{"condition":"other","wall_s":1}' \
            '{"wall_s":1,"block":2}' '{"wall_s":1,"block":99999999}' '' '{"wall_s":1e999}' '{}'
    } >runs
    run -0 --separate-stderr "$BIN/decide" --summary-only --summary - <runs
    holds '.conditions[0].runs == 3' <<<"$output"
    [[ $(wc -l <<<"$stderr") -eq 10 ]]
}

@test "warm-up runs, block 0, are not used" {
    {
        printf '{"block":0,"order":0,"wall_s":99}\n'
        wall 1 1.1 0.9
    } | summary --max-runs 3 | holds '.conditions[0] | .runs == 3 and .wall_s.max == 1.1'
}

@test "a failed run stops the experiment, unless failures are ignored" {
    local failure
    for failure in '"exit_code":3' '"exit_code":null,"signal":9' '"exit_code":0,"timed_out":true'; do
        {
            wall 1 1.1
            printf '{"wall_s":5,%s}\n' "$failure"
        } >runs
        run -0 "$BIN/decide" --summary file <runs
        [[ ${lines[-1]} == $'stop\tfailure\t-\t-\t'* ]]
        holds '.conditions[0] | .runs == 2 and .stop_reason == "failure" and (.converged | not)' <file
        holds '.warnings[0] | .flag == "failed-runs" and .runs == [3]' <file
        run -0 "$BIN/decide" --ignore-failure --summary file <runs
        [[ ${lines[-1]} == run* ]]
        holds '.conditions[0].runs == 3' <file
    done
}

@test "a target that was not started stops the experiment, whatever is ignored" {
    {
        wall 1 1.1
        printf '{"wall_s":0.0001,"exit_code":127,"start_error":"not found"}\n'
    } >runs
    run -0 "$BIN/decide" --ignore-failure --summary file <runs
    [[ ${lines[-1]} == $'stop\tfailure\t-\t-\t'* ]]
    holds '.conditions[0] | .runs == 2 and .failures.not_started == 1 and .wall_s.min == 1' <file
}

@test "one run that timed out makes its condition a lower bound, and its slowdown unknown" {
    pairs 1 20 1.3 0.01 other | jq -c 'if .condition == "load" and .block == 7 then .timed_out = true | .signal = 9 else . end' >runs
    summary --conditions baseline,load,other --ignore-failure <runs >result
    holds '.conditions[1] | .censored == 1 and .failed == 1 and .wall_s.ci == null and .wall_s.mean > 1 and (.converged | not)' <result
    holds '.slowdowns[0] | .condition == "load" and .ratio == null and .ci == null and .censored == 1' <result
    holds '.slowdowns[1] | .condition == "other" and .ratio > 0.9 and .censored == 0 and (.ci | length) == 2' <result
    holds '.warnings | all(.flag != "noise" and .flag != "not-converged" or .condition != "load")' <result
    # Of the baseline: then no slowdown is known.
    jq -c 'if .condition == "baseline" and .block == 3 then .timed_out = true else . end' <runs |
        summary --conditions baseline,load,other --ignore-failure | holds '.slowdowns | all(.ratio == null and .p == null and .carry_over == null)'
}

@test "loaded runs that timed out are never below a limit, but may be above it" {
    local bound='if .condition == "load" and .block % 5 == 0 then .timed_out = true else . end'
    pairs 1 60 1.02 0.01 | jq -c "$bound" >low
    pairs 1 60 1.3 0.01 | jq -c "$bound" >high
    summary --conditions baseline,load --at-most 1.10 --max-runs 60 --ignore-failure <low | holds '.verdict == "undecided"'
    summary --conditions baseline,load --at-most 1.10 --max-runs 60 --ignore-failure <high | holds '.verdict == "above"'
    # The baseline's too: the ratio is then a bound of nothing.
    jq -c 'if .block % 7 == 0 then .timed_out = true else . end' <high |
        summary --conditions baseline,load --at-most 1.10 --max-runs 60 --ignore-failure | holds '.verdict == "undecided"'
}

@test "of a run that timed out counts the time until then, not what it took to die" {
    local slow='if .condition == "load" then .timed_out = true | .timed_out_s = 1.2 | .wall_s = 4 else . end'
    pairs 1 20 1 0.01 | jq -c "$slow" | summary --conditions baseline,load --at-most 2 --max-runs 20 --ignore-failure |
        holds '.verdict == "undecided" and .conditions[1].wall_s.mean == 1.2'
    pairs 1 20 1 0.01 | jq -c "$slow" | summary --conditions baseline,load --at-most 1.1 --max-runs 20 --ignore-failure | holds '.verdict == "above"'
}

@test "a stop from outside ends it with its reason" {
    local reason
    for reason in max-time interrupted; do
        {
            wall 1 1.1
            printf 'stop %s\n' $reason
            wall 7
        } | "$BIN/decide" --summary file >answers
        [[ $(tail -n 1 answers) == $'stop\t'$reason$'\t-\t-\t'* ]]
        holds ".conditions[0] | .runs == 2 and .stop_reason == \"$reason\"" <file
    done
}

@test "an error that is not known is a problem, too, and says so" {
    printf '{"condition":"baseline","wall_s":1}\n{"condition":"load","wall_s":2}\n' | summary --conditions baseline,load >out
    jq -e '[.warnings[] | select(.flag == "not-converged" and .severity == "problem")]
        | length == 1 and .[0].condition == "load" and .[0].message == "not known after 1 run: the mean needs at least 2 runs for an interval"' out
    printf '{"wall_s":1}\n' | summary >out
    jq -e '[.warnings[] | select(.flag == "not-converged")] | length == 1' out
}

@test "equal values converge, and the clock is blamed" {
    wall 0.5 0.5 0.5 0.5 | summary --min-runs 4 | holds '(.conditions[0] | .converged and .wall_s.variance == 0
        and (.wall_s | .constant and .ci == null and .error == null and .ci_robust == null))
        and (.warnings | map(.flag) == ["coarse-clock"])'
}

@test "a metric without variation has no interval, nor has its ratio, and it holds nobody up" {
    for i in {1..15}; do
        printf '{"condition":"baseline","wall_s":1.0%02d,"max_rss_bytes":2000}\n' $((i * 7 % 23))
        printf '{"condition":"load","wall_s":1.1%02d,"max_rss_bytes":3000}\n' $((i * 5 % 23))
    done | summary --conditions baseline,load --metric wall_s,max_rss_bytes | holds '
        (.conditions | all(.converged and .stop_reason == "error" and (.wall_s.constant | not)
            and (.max_rss_bytes | .constant and .ci == null and .error == null and .ci_robust == null)))
        and (.slowdowns | map(.constant) == [false, true])
        and (.slowdowns[1] | .ratio == 1.5 and .ci == null and .error == null and .distinguishable)
        and all(.warnings[]; .metric != "max_rss_bytes")'
}

@test "an interval depends on the runs and the design, never on the requested error" {
    local error
    for error in 5% 2% 1% 0.1%; do
        for i in {1..15}; do
            printf '{"wall_s":1.0%02d}\n' $((i * 7 % 23))
        done | summary --error $error >"by.$error"
        jq -c ".conditions[0].wall_s" "by.$error"
    done | sort -u >figures
    [[ $(wc -l <figures) == 1 ]]
    # Converged means that the interval shown is that narrow, in all places alike.
    holds '.conditions[0] | .converged and .stop_reason == "error"' <by.1%
    holds '(.conditions[0] | (.converged | not) and .wall_s.error > 0.001) and any(.warnings[]; .flag == "not-converged")' <by.0.1%
    # That which holds under dependence, too, is the wider one.
    holds '.conditions[0].wall_s | .ci_robust[0] < .ci[0] and .ci[1] < .ci_robust[1] and .ci_robust[1] < 1.1' <by.5%
}

# skewed TAIL: 20 pairs, the baseline quiet, the loaded runs with a long tail up (1) or down (-1).
skewed() {
    awk -v tail="$1" 'BEGIN { srand(5); for (b = 1; b <= 20; b++) {
        printf "{\"condition\":\"baseline\",\"block\":%d,\"wall_s\":%.9f}\n", b, 1 + 0.01 * rand()
        printf "{\"condition\":\"load\",\"block\":%d,\"wall_s\":%.9f}\n", b, 1.5 + tail * 0.1 * -log(1 - rand()) } }'
}

@test "a slowdown's interval is longer on the side of the loaded runs' long tail" {
    skewed 1 | summary --conditions baseline,load --max-runs 20 |
        holds '.slowdowns[0] | .ci[1] - .ratio > 1.3 * (.ratio - .ci[0])'
    skewed -1 | summary --conditions baseline,load --max-runs 20 |
        holds '.slowdowns[0] | .ratio - .ci[0] > 1.3 * (.ci[1] - .ratio)'
}

@test "the earlier an experiment may stop, the wider its intervals" {
    pairs 3 8 1.3 0.05 >runs
    local least
    for least in 2 3 5 12; do
        summary --conditions baseline,load --min-runs $least --max-runs 30 <runs |
            jq '.slowdowns[0].error, .conditions[0].wall_s.error' | paste -s
    done >errors
    # By 20 % for a minimum of 3, by 9 % for one of 5.
    awk '{ ratio[NR] = $1; mean[NR] = $2 } END {
        exit !(ratio[1] > 1.05 * ratio[2] && ratio[2] > 1.05 * ratio[3] && ratio[3] > 1.05 * ratio[4] && mean[1] > 1.05 * mean[4]) }' errors
}

@test "no time and no ratio of times has a bound below 0" {
    printf '{"condition":"%s","wall_s":%s}\n' baseline 1 load 1 baseline 1.1 load 9 baseline 0.9 load 0.5 |
        summary --conditions baseline,load --min-runs 3 --max-runs 3 |
        holds '.slowdowns[0].ci[0] == 0 and .slowdowns[0].ci[1] > 8 and (.conditions[1].wall_s | .ci[0] == 0 and .ci_robust[0] == 0)'
}

@test "what so many runs may not have shown is said" {
    wall 1 2 3 4 5 | summary | holds '.conditions[0].unseen | . > 0.45 and . < 0.46'
    pairs 4 15 1.3 0.05 | summary --conditions baseline,load | holds 'all(.conditions[].unseen; . > 0.18 and . < 0.19)'
    summary --conditions a,b </dev/null | holds 'all(.conditions[]; .unseen == null)'
}

@test "no runs at all give a summary without figures" {
    summary --conditions a,b </dev/null | holds '.slowdowns == [] and (.conditions | map(.runs == 0 and .wall_s == null) | all)'
}

@test "CPU times too small to measure hold nobody up" {
    local -a wobble=(3 8 1 7 4 5 2 9 6 1 8 3)
    local i
    for i in "${wobble[@]}"; do
        printf '{"wall_s":1.00%d,"user_s":0.90%d,"system_s":0.00%d,"max_rss_bytes":%d}\n' "$i" "$i" "$i" $((4096 * (100 + i % 2)))
    done | summary --metric all >result
    holds '.conditions[0] | .converged and .system_s.error > 0.05' <result
    # A page more or less is no second mode.
    holds 'all(.warnings[]; .metric != "max_rss_bytes")' <result
}

@test "a metric that no run reports is null and holds nobody up" {
    wall 1 1.01 0.99 1 1.01 0.99 1.02 1 1 1.01 0.99 1.003 | summary --metric wall_s,max_rss_bytes |
        holds '.conditions[0] | .converged and .max_rss_bytes == null and .wall_s.runs == null'
}

@test "the first runs are left out on demand, and counted as discarded" {
    {
        wall 3 2
        wall 1 1.1 0.9 1
    } | summary --discard-warmup 2 --min-runs 4 --max-runs 4 |
        holds '.conditions[0] | .runs == 4 and .discarded == 2 and .wall_s.max == 1.1 and .stop_reason == "max-runs"'
}

@test "each oddity has its flag, names its runs, and says what to do" {
    flags() {
        summary --min-runs 20 --max-runs 20 | tee result | jq -r '[.warnings[].flag] | join(" ")'
    }
    noise() { # a fixed, structureless jitter of about 1 %
        awk -v f="$1" 'BEGIN { srand(11); for (i = 1; i <= 20; i++) { e = 0.01 * (rand() + rand() + rand() - 1.5) * 2; printf "{\"wall_s\":%.9f}\n", (1 + e) * '"$1"' } }'
    }
    [[ -z $(noise 1 | flags) ]]
    [[ $(noise '(i == 7 || i == 13 ? 1.5 : 1)' | flags) == *outliers* ]]
    holds '.warnings[0].runs == [7, 13] and (.warnings[0].message | test("runs 7, 13") and test("pull the mean"))' <result
    [[ $(noise '((i * i * 7) % 11 < 5 ? 1.3 : 1)' | flags) == *two-modes* ]]
    [[ $(noise '(i == 1 ? 1.3 : i == 2 ? 1.1 : 1)' | flags) == *warm-up* ]]
    [[ $(noise '(i > 12 ? 1.06 : 1)' | flags) == *step* ]]
    holds 'any(.warnings[]; .flag == "step" and .runs[0] == 13)' <result
    [[ $(noise '(1 + i / 200)' | flags) == *trend* ]]
    [[ $(noise '(1 + 0.1 * sin(i / 2))' | flags) == *autocorrelation* ]]
    noise 1 | jq -c '.wall_s |= ((. * 100 | round) / 100)' | flags | grep -q coarse-clock
    holds 'all(.warnings[]; (.message | length) > 40 and (.runs | length) > 0)' <result
}

@test "a load that makes the times vary is named" {
    pairs 4 12 1.3 0.01 >quiet
    pairs 5 12 1.3 0.2 | sed 's/baseline/other/' | grep load >wild
    {
        grep baseline quiet
        cat wild
    } | summary --conditions baseline,load --max-runs 12 |
        holds 'any(.warnings[]; .flag == "load-variance" and .condition == "load")'
}

# changing ORDER RATIO: 16 blocks of a baseline and a load whose slowdown is RATIO (awk, of the block's
# number i) with a noise of 1 %; ORDER is "as-is" or "mixed": the same blocks one after the other otherwise.
changing() {
    awk -v order="$1" 'BEGIN {
            srand(7)
            for (k = 1; k <= 16; k++) {
                i = order == "mixed" ? (k * 7) % 17 : k
                n = sin(i * 91.7)
                printf "{\"condition\":\"baseline\",\"wall_s\":%.9f}\n{\"condition\":\"load\",\"wall_s\":%.9f}\n",
                    1 + 0.01 * cos(i * 37.3), ('"$2"') * (1 + 0.01 * n)
            }
        }' | summary --conditions baseline,load --min-runs 15 --max-runs 16 >"changing.$1"
}

@test "a load whose effect grows or wanders within the experiment is a problem, and the interval says so" {
    local effect
    for effect in '1.1 + 0.4 * i / 16' '1.25 * (1 + 0.05 * sin(i / 3))'; do
        changing as-is "$effect"
        changing mixed "$effect"
        holds '(.warnings[] | select(.flag == "unsteady") | .severity == "problem" and .condition == "load" and (.message | test("over the first third")))
            and all(.warnings[] | select(.condition == "load"); .message | test("pairs hold") | not)' <changing.as-is
        holds 'all(.warnings[]; .flag != "unsteady")' <changing.mixed
        jq -s 'map(.slowdowns[0])' changing.as-is changing.mixed | holds '.[0].error > 2 * .[1].error and .[0].p > .[1].p'
    done
    # It was above 1.05 in each pair, and not above 1.3.
    for effect in 1.05:above 1.3:undecided; do
        awk 'BEGIN { for (i = 1; i <= 16; i++) printf "{\"condition\":\"baseline\",\"wall_s\":%.9f}\n{\"condition\":\"load\",\"wall_s\":%.9f}\n", 1 + 0.001 * cos(i * 37.3), 1.1 + 0.4 * i / 16 }' |
            summary --conditions baseline,load --max-runs 16 --at-most "${effect%:*}" | holds '.verdict == $verdict and any(.warnings[]; .flag == "unsteady")' --arg verdict "${effect#*:}"
    done
    # What both of a pair share cancels.
    awk 'BEGIN { for (i = 1; i <= 16; i++) { d = 1 + 0.5 * i / 16; printf "{\"condition\":\"baseline\",\"wall_s\":%.9f}\n{\"condition\":\"load\",\"wall_s\":%.9f}\n", d * (1 + 0.01 * cos(i * 37.3)), d * 1.2 * (1 + 0.01 * sin(i * 91.7)) } }' |
        summary --conditions baseline,load --max-runs 16 | holds 'all(.warnings[]; .flag != "unsteady") and any(.warnings[]; .message | test("slowdowns from pairs hold"))'
}

# severity FLAG: of that flag's warning in the summary on stdin; nothing: there is none.
severity() {
    jq -r --arg flag "$1" '[.warnings[] | select(.flag == $flag) | .severity] | unique | join(" ")'
}

@test "an error larger than asked is a problem where the answer is open, and a note where it is decided" {
    [[ $(pairs 4 8 2 0.2 | summary --conditions baseline,load --max-runs 8 | severity not-converged) == note ]]
    [[ $(pairs 4 8 1.02 0.2 | summary --conditions baseline,load --max-runs 8 | severity not-converged) == problem ]]
    # Of a lone program the figure is the answer.
    [[ $(wall 1 1.4 0.8 1.2 | summary --max-runs 4 | severity not-converged) == problem ]]
}

@test "more runs are advised where some thousands would do, and no more than that" {
    pairs 4 8 1.02 0.2 >few
    summary --conditions baseline,load --max-runs 8 <few |
        holds '.warnings[] | select(.flag == "not-converged") | .advice | test("^about [0-9]+ runs would do: allow more with --max-runs")'
    summary --conditions baseline,load --max-runs 8 --error 0.001 <few |
        holds '.warnings[] | select(.flag == "not-converged") | .advice | test("longer input") and (test("allow more|about") | not)'
}

# moving WHAT: 16 blocks, each in an order of its own by lot, of a baseline and a load twice as long. WHAT (awk, of the
# run's number r, the block's number b, whether it is loaded, and follows a loaded one) is a factor; noise is 0.1 %.
moving() {
    awk "$RANDOM_AWK"'BEGIN {
            random_from(3)
            for (b = 1; b <= 16; b++) {
                first = random() < 0.5
                for (k = 0; k < 2; k++) {
                    loaded = k == 0 ? first : !first
                    r++
                    value = (loaded ? 2 : 1) * ('"$1"') * (1 + 0.002 * (random() - 0.5))
                    printf "{\"condition\":\"%s\",\"block\":%d,\"order\":%d,\"wall_s\":%.9f}\n", loaded ? "load" : "baseline", b, r, value
                    after = loaded
                }
            }
        }'
}

@test "what changes within an experiment is a problem where it could move the figure by more than asked, else a note" {
    local flag what error
    while read -r flag error what; do
        moving "$what" | summary --conditions baseline,load --max-runs 16 --error "$error" >"$flag.$error"
    done <<'END'
unsteady 0.05 (loaded ? 1 + 0.02 * b / 16 : 1)
unsteady 0.01 (loaded ? 1 + 0.02 * b / 16 : 1)
carry-over 0.05 (after && !loaded ? 1.02 : 1)
carry-over 0.01 (after && !loaded ? 1.02 : 1)
END
    for flag in unsteady carry-over; do
        [[ $(severity $flag <$flag.0.05) == note && $(severity $flag <$flag.0.01) == problem ]]
        # A note is no bias.
        holds --arg flag $flag '.warnings[] | select(.flag == $flag) | .bias == null' <$flag.0.05
        holds --arg flag $flag '.warnings[] | select(.flag == $flag) | .bias != null' <$flag.0.01
    done
    # Beside a gate any bias may decide.
    moving '(after && !loaded ? 1.02 : 1)' | summary --conditions baseline,load --max-runs 16 --at-most 1.99 >gate
    [[ $(severity carry-over <gate) == problem ]]
}

@test "interference that keeps step with the runs is not taken for what a load leaves behind" {
    moving '(r % 4 == 0 ? 1.1 : 1)' | summary --conditions baseline,load --max-runs 16 >every
    [[ $(severity carry-over <every) != problem ]]
    moving '(after && !loaded ? 1.1 : 1)' | summary --conditions baseline,load --max-runs 16 >after
    [[ $(severity carry-over <after) == problem ]]
}

@test "a lone program that drifts or steps by less than asked has a note, and by next to nothing none" {
    local change
    for change in 0.003 0.03 0.3; do
        awk -v change=$change 'BEGIN { for (i = 0; i < 20; i++) printf "{\"wall_s\":%.9f}\n", 1 + change * i / 19 + 0.0001 * cos(i * 37.3) }' | summary --max-runs 20 >trend.$change
        awk -v change=$change 'BEGIN { for (i = 0; i < 20; i++) printf "{\"wall_s\":%.9f}\n", 1 + (i < 10 ? 0 : change) + 0.0001 * cos(i * 37.3) }' | summary --max-runs 20 >step.$change
    done
    for change in step trend; do
        [[ $(severity $change <$change.0.003) == '' && $(severity $change <$change.0.03) == note && $(severity $change <$change.0.3) == problem ]]
    done
}

@test "a slow first run is not blamed on caches that runs before it have warmed" {
    local runs=({1..12})
    printf '{"wall_s":%s}\n' 2 "${runs[@]/#/1.00}" >first
    summary --max-runs 30 <first | holds '.warnings[] | select(.flag == "warm-up") | (.message | test("caches cold")) and (.advice | test("warm-up run"))'
    {
        printf '{"wall_s":1}\n'
        cat first
    } | summary --max-runs 30 --discard-warmup 1 |
        holds '.warnings[] | select(.flag == "warm-up") | (.message | test("1 run that does not count came before it")) and (.advice | test("warm-up run") | not)'
}

@test "what cannot be told from noise asks for a new experiment, not for more of this one" {
    pairs 2 15 1 0.02 | summary --conditions baseline,load --max-runs 15 |
        holds '.warnings[] | select(.flag == "noise") | .advice | test("new experiment with a larger --min-runs") and (test("measure for longer") | not)'
}

@test "the mean is of all runs: outliers are counted and named, and its interval is wider for them" {
    awk 'BEGIN { srand(3); for (i = 1; i <= 30; i++) printf "{\"wall_s\":%.6f}\n", (i == 9 ? 2 : 1) + 0.02 * rand() }' |
        summary --error 0.001 | holds '(.conditions[0].wall_s | .statistic == "mean" and .outliers == 1 and .set_aside == 0
            and .center == .mean and .ci[1] > 1 + 3 / 30) and any(.warnings[]; .flag == "outliers" and .runs == [9])'
}

@test "a drift that both of a pair share does not become a slowdown" {
    awk 'BEGIN { srand(8); for (b = 1; b <= 20; b++) { first = rand() < 0.5
        for (k = 0; k < 2; k++) { o++; printf "{\"condition\":\"%s\",\"block\":%d,\"order\":%d,\"wall_s\":%.9f}\n",
            (k == 0) == first ? "baseline" : "load", b, o, (1 + o / 40) * (1 + 0.002 * (rand() - 0.5)) } } }' |
        summary --conditions baseline,load --min-runs 20 --max-runs 20 |
        holds '.slowdowns[0] | .error < 0.02 and .ci[0] < 1 and .ci[1] > 1 and (.distinguishable | not)'
}

@test "the baseline against itself gives the floor, and what is within it is called noise" {
    pairs 21 12 1.004 0.02 aa | summary --conditions baseline,load,aa --aa --max-runs 12 >result
    holds '.noise_floor[0] | .metric == "wall_s" and .floor > 0 and .floor < 0.1' <result
    holds '.slowdowns[] | select(.condition == "load") | .distinguishable | not' <result
    pairs 21 12 1.5 0.02 aa | summary --conditions baseline,load,aa --aa --max-runs 12 |
        holds '.slowdowns[] | select(.condition == "load") | .distinguishable'
}

@test "a gate says below, above or undecided, and stops once it knows" {
    pairs 1 60 1.02 0.01 | "$BIN/decide" --conditions baseline,load --at-most 1.10 --max-runs 60 --first-stop --summary file >answers
    grep -q $'^stop\tdecided' answers
    holds '.verdict == "below" and .slowdowns[0].pairs <= 20 and .slowdowns[0].method == "signed-ranks-looks"' <file
    pairs 1 60 1.3 0.01 | summary --conditions baseline,load --at-most 1.10 --max-runs 60 --first-stop | holds '.verdict == "above"'
    pairs 1 20 1.10 0.05 | summary --conditions baseline,load --at-most 1.10 --max-runs 20 --first-stop |
        holds '.verdict == "undecided" and .conditions[0].stop_reason == "max-runs"'
}

@test "several metrics share the error rate, and the summary says so" {
    pairs 6 12 1.3 0.03 >runs
    summary --conditions baseline,load --min-runs 12 --max-runs 12 <runs >alone
    summary --conditions baseline,load --min-runs 12 --max-runs 12 --metric all <runs >together
    holds '(.intervals.family == 1) and (.slowdowns | length == 1) and (.slowdowns[0].simultaneous | not)' <alone
    holds '(.intervals.family == 4) and (.slowdowns | map(.simultaneous) | all)' <together
    # Bonferroni with four: the t quantile at 98.75 % with 11 degrees of freedom over that at 95 %.
    jq -es '(.[1].slowdowns[0].error / .[0].slowdowns[0].error - 2.980 / 2.201) | fabs < 0.02' alone together
}

@test "what the loads did is averaged over the runs" {
    printf '{"wall_s":1,"load":[{"name":"half","unit":"CPUs","offered":1,"achieved":0.%s,"late":1,"dropped":2,"cpu_s":3}]}\n' 8 6 |
        summary | holds '.conditions[0].load[0] | .name == "half" and .unit == "CPUs" and .offered == 1
            and (.achieved - 0.7 | fabs) < 1e-9 and .late == 2 and .dropped == 4 and .cpu_s == 3 and .runs == 2'
}

@test "a load's rate is of the runs that are long enough to judge it by, as is whether it is short" {
    printf '{"wall_s":1,"load":[{"name":"half","unit":"CPUs","rate":1,"offered":1,"achieved":%s,"late":0,"dropped":0,"cpu_s":0.5,"elapsed_s":%s}]}\n' 0.8 1 0.6 1 9 0.02 >runs
    summary <runs >shown
    holds '.conditions[0].load[0] | .short and (.achieved - 0.7 | fabs) < 1e-9 and .offered == 1 and .runs == 3' <shown
    holds '.warnings[] | select(.flag == "load-short") | .message | test("ran at only 70 % ")' <shown
    # Where none is, of all.
    tail -n 1 runs | summary | holds '.conditions[0].load[0] | (.short | not) and .achieved == 9'
}

# bats test_tags=slow
@test "a load is short when it delivers less than it offers, but not for what others took of CPUs that it shares" {
    # delivered LOAD [RUNS]: a summary of three runs of a target that used half of CPU 0
    # for a second, or of RUNS, an array of changes to them.
    delivered() {
        jq -nc '{ wall_s: 1, user_s: 0.4, system_s: 0.1, cpus: "0", load: [{ name: "l", unit: "CPUs", offered: 1, achieved: 1, late: 0, dropped: 0, cpu_s: 1, elapsed_s: 1, cpus: "0" } * ('"$1"')] }
            | . * ('"${2:-{\}, {\}, {\}}"')' | summary --min-runs 3 | jq -c '[.conditions[0].load[0].short, ([.warnings[] | select(.flag | startswith("load-")) | .flag, .severity])]'
    }
    [[ $(delivered '{}') == '[false,[]]' ]]
    [[ $(delivered '{ achieved: 0.94 }' '{ cpus: "1" }, { cpus: "1" }') == '[true,["load-short","problem"]]' ]]
    # The target had half of the load's CPU, or of one of its two.
    [[ $(delivered '{ achieved: 0.48 }') == '[false,[]]' ]]
    [[ $(delivered '{ achieved: 0.47 }') == '[true,["load-short","problem"]]' ]]
    [[ $(delivered '{ achieved: 0.72, cpus: "0-1" }') == '[false,[]]' ]]
    [[ $(delivered '{ achieved: 0.48, cpus: "0-1" }') == '[true,["load-short","problem"]]' ]]
    # The host took a fifth of the CPU from both.
    [[ $(delivered '{ achieved: 0.4, cpu_s: 0.4 }' '{ steal_s: 0.2, user_s: 0.3 }, { steal_s: 0.2, user_s: 0.3 }, { steal_s: 0.2, user_s: 0.3 }') == '[false,[]]' ]]
    [[ $(delivered '{ achieved: 0.4, cpu_s: 0.4 }' '{ user_s: 0.3 }, { user_s: 0.3 }, { user_s: 0.3 }') == '[true,["load-short","problem"]]' ]]
    # On another node nothing is shared.
    [[ $(delivered '{ achieved: 0.48, node: "n2" }') == '[true,["load-short","problem"]]' ]]
    # What another load needs for its rate may be the CPU, or something else.
    [[ $(delivered '{ unit: "B/s", offered: 100, achieved: 50, cpu_s: 0.5 }') == '[false,[]]' ]]
    [[ $(delivered '{ unit: "B/s", offered: 900, achieved: 50, cpu_s: 0.5 }') == '[true,["load-short","problem"]]' ]]
    [[ $(delivered '{ unit: "B/s", offered: 100, achieved: 50, cpu_s: 0.1 }') == '[true,["load-short","problem"]]' ]]
    # One that offers nothing at a rate above 0 was no load at all; at a rate of 0 that is meant.
    [[ $(delivered '{ unit: "ops/s", rate: 5, offered: 0, achieved: 0 }') == '[true,["load-short","problem"]]' ]]
    [[ $(delivered '{ unit: "ops/s", rate: 0, offered: 0, achieved: 0 }') == '[false,[]]' ]]
    [[ $(delivered '{ unit: "ops/s", rate: 0.5 }' '{}, {}, { load: [{ name: "l", unit: "ops/s", rate: 0.5, offered: 0, achieved: 0, elapsed_s: 1 }] }') == '[false,["load-uneven","note"]]' ]]
    # Too little time shows nothing; one run of many is worth a note.
    [[ $(delivered '{ achieved: 0.1, elapsed_s: 0.09 }') == '[false,[]]' ]]
    [[ $(delivered '{ cpus: "1" }' '({}, {}, {}, {}, {}, {}, {}, {}, {}), { load: [{ name: "l", unit: "CPUs", offered: 1, achieved: 0.9, elapsed_s: 1, cpus: "1" }] }') == '[false,["load-uneven","note"]]' ]]
    # Without a control group a load may have used more than it says.
    [[ $(delivered '{ accounting: "processes" }') == '[false,["load-time","note"]]' ]]
    [[ $(delivered '{ accounting: "cgroup2" }') == '[false,[]]' ]]
}

# derive_ms RUNS: sets REPLY to the CPU time that deriving the result of so many runs takes.
derive_ms() {
    local TIMEFORMAT='%U %S' user system
    mkdir -p "$1"
    [[ -e $1/runs.jsonl ]] || pairs 1 $(($1 / 2)) 1.2 0.05 >"$1/runs.jsonl"
    experiment_json '{ max_runs: 100000, error: 0.0001 }' | jq '.loads += [{ name: "load", spec: "cpu" }]' >"$1/experiment.json"
    read -r user system < <({ time "$BIN/stats" --derive "$1" 2>/dev/null; } 2>&1)
    REPLY=$((10#${user//[!0-9]/} + 10#${system//[!0-9]/}))
}

# derived_in_proportion: 0 where 16,000 runs take less than eight times as long as 4,000.
derived_in_proportion() {
    local few
    derive_ms 4000
    few=$REPLY
    derive_ms 16000
    echo "4,000 runs: $few ms, 16,000: $REPLY ms"
    ((REPLY < 8 * few))
}

# bats test_tags=slow
@test "four times as many runs take about four times as long to derive" {
    in_tries 3 derived_in_proportion
}

@test "many experiments one after the other give a summary each, and the first stop counts" {
    {
        pairs 1 20 1.2 0.01
        echo next
        pairs 2 20 1.4 0.01
        echo next
    } | summary --conditions baseline,load --first-stop >results
    [[ $(wc -l <results) -eq 2 ]]
    jq -es 'map(.slowdowns[0]) | (.[0].ratio - 1.2 | fabs) < 0.02 and (.[1].ratio - 1.4 | fabs) < 0.02 and all(.pairs >= 15 and .pairs < 20)' results
}

@test "the summary file appears whole or not at all" {
    wall 1 1.1 | "$BIN/decide" --summary file >/dev/null
    [[ $(jq -r '.conditions[0].runs' file) -eq 2 && $(find . -name 'file*' | wc -l) -eq 1 ]]
    run -1 "$BIN/decide" --summary absent/file < <(wall 1 1.1)
    [[ $output == *'absent/file cannot be written'* ]]
}

@test "a summary file that is a device or a pipe is written to, never replaced" {
    mkfifo pipe
    cat pipe >got &
    local reader=$!
    wall 1 1.1 | "$BIN/decide" --summary pipe >/dev/null
    wait "$reader"
    [[ -p pipe ]]
    holds '.conditions[0].runs == 2' <got
    if mknod node c 1 3 2>/dev/null; then
        wall 1 1.1 | "$BIN/decide" --summary node >/dev/null
        [[ -c node ]]
    fi
}

@test "the summary is as its schema says" {
    command -v jsonschema >/dev/null || skip 'python3-jsonschema is not installed'
    validate() {
        jq '. + { schema: "jostle.result/1", command: ["x"], settings: {}, environment: {} }' result >whole
        is_valid result whole
    }
    pairs 1 20 1.3 0.02 aa | summary --conditions baseline,load,aa --aa --at-most 1.1 --metric all >result
    validate
    wall 1 1 1 9 | summary >result
    validate
    summary --conditions a,b </dev/null >result
    validate
}

# short: what pairs made, whose load delivered an eighth of what it offered.
short() {
    jq -c 'if .condition == "load" then .load = [{ name: "cpu", unit: "B/s", offered: 800, achieved: 100, elapsed_s: 1 }] else . end'
}

@test "a gate never passes beside a problem that biases its ratio, and says which" {
    local -a gate=(--conditions "baseline,load" --max-runs 20)
    local file
    # Less load than intended: a ratio below the limit says nothing, one above it does all the more.
    pairs 1 20 1.02 0.01 | short | summary "${gate[@]}" --at-most 1.5 >below
    holds '.verdict == "undecided" and .gate.verdict == "undecided" and .gate.why == ["load-short"]
        and (.slowdowns[0] | .ci[1] < 1.5 and .gate == "undecided" and .verdict == "undecided" and .why == ["load-short"])' <below
    pairs 1 20 2 0.01 | short | summary "${gate[@]}" --at-most 1.5 >above
    holds '.verdict == "above" and .gate.why == [] and (.warnings | any(.flag == "load-short" and .bias == "low"))' <above
    # It ends with the same runs: more of them would not help.
    pairs 1 20 1.02 0.01 | summary "${gate[@]}" --at-most 1.5 --first-stop >trusted
    pairs 1 20 1.02 0.01 | short | summary "${gate[@]}" --at-most 1.5 --first-stop >doubted
    for file in trusted doubted; do holds '.slowdowns[0].pairs < 20 and .conditions[0].stop_reason == "decided"' <"$file"; done
    [[ $(jq '.slowdowns[0].pairs' trusted) == "$(jq '.slowdowns[0].pairs' doubted)" ]]
    holds '.verdict == "below" and .gate.why == []' <trusted
    # Another load's shortness is its own affair; the experiment is undecided all the same.
    pairs 1 20 1.02 0.01 other | short | summary --conditions baseline,load,other --max-runs 20 --at-most 1.5 |
        holds '[.slowdowns[] | [.condition, .gate]] == [["load", "undecided"], ["other", "below"]] and .verdict == "undecided"'
    # Failed runs that count may have ended early, in the baseline, too: then nothing is known.
    pairs 1 20 2 0.01 | jq -c 'if .block == 3 and .condition == "baseline" then .exit_code = 1 else . end' | summary "${gate[@]}" --at-most 1.5 --ignore-failure |
        holds '.verdict == "undecided" and .gate.why == ["failed-runs"]'
}
