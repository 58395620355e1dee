#!/usr/bin/env bats
# --gauge: the CPU's clock and caches right before and after each run, and what becomes of them.

load helpers
bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || return
}

# records JQ [AFTER]: 12 blocks of baseline and load, whose wall time is that jq expression of
# $gauge, the logarithm of the run's gauge (another one in each run), of $slow (1.25 under load, else
# 1) and $block. AFTER is added to the logarithm of the gauge after a loaded run.
records() {
    jq -nc --argjson after "${2:-0}" 'range(1; 13) as $block | ("baseline", "load") as $condition
        | (if $condition == "load" then 1 else 0 end) as $loaded
        | ((($block * 37 + $loaded * 11) % 17 / 8 - 1) * 0.1) as $gauge | (1 + $loaded * 0.25) as $slow
        | { adds_ns: ($gauge | exp), l1_ns: ($gauge | exp), l2_ns: ($gauge | exp) } as $before
        | ($before | map_values(. * ($loaded * $after | exp))) as $last
        | { condition: $condition, block: $block, wall_s: ('"$1"'), gauge: { before: $before, after: $last } }'
}

# summary OPTION...: of the records on stdin.
summary() {
    "$BIN/stats" --conditions baseline,load --max-runs 12 --min-runs 12 --statistic mean "$@" --summary-only --summary -
}

# served LINE... [OPTION...]: what meter --serve answers to these lines; the command is `target`.
served() {
    local -a lines=()
    while [[ ${1:-} == [a-z]* ]]; do lines+=("$1") && shift; done
    { printf '%s\n' "${lines[@]}" && eventually 30 grep -q jostle.meter/1 answers; } |
        "$BIN/meter" --serve --counters none "$@" --output answers --stdout /dev/null -- "${target[@]}"
    cat answers
    rm answers
}

@test "what the gauge explains is taken out of the ratio, at the price of one degree of freedom" {
    # All of it: nothing is left but rounding. Without --gauge the same runs say little.
    records '$slow * (1 + 0.8 * $gauge)' >exact
    summary --gauge <exact >out
    jq -e '.slowdowns[0] | (.ratio - 1.25 | fabs) < 1e-9 and .ci[1] - .ci[0] < 1e-6 and .gauge_adjustment.used
        and .gauge_adjustment.adjusted.ratio == .ratio and .gauge_adjustment.variance_removed > 0.999999
        and .gauge_adjustment.plain.error > 0.02 and (.gauge_adjustment.plain.ratio - 1.25 | fabs) > 1e-4' out
    summary <exact | jq -e --slurpfile with out '.slowdowns[0] | has("gauge_adjustment") == false
        and .ratio == $with[0].slowdowns[0].gauge_adjustment.plain.ratio and .ci == $with[0].slowdowns[0].gauge_adjustment.plain.ci'
    # A rate falls where the gauge rises, and its ratio is the other way round.
    records '$slow * (1 + 0.8 * $gauge)' | jq -c '.metrics.rate.value = 1 / .wall_s' |
        summary --gauge --metric 'rate=stdout:/r ([0-9]+)/,better=higher' |
        jq -e '.slowdowns[] | select(.metric == "rate") | (.ratio - 1.25 | fabs) < 0.01 and .gauge_adjustment.used and .gauge_adjustment.variance_removed > 0.95'
}

@test "the adjusted interval is that of an independent regression" {
    # y - r x on the difference of the gauges, by the textbook's formula for an intercept: it is 0 at
    # both ends of the interval, t(10) = 2.228 standard errors away. Symmetric in skewness, so not widened.
    records '$slow * (1 + 0.5 * $gauge + 0.05 * (if $block % 2 == 0 then 1 else -1 end) * (if $slow > 1 then 1 else 0 end))' >in
    summary --gauge <in >out
    jq -r '[.condition, .block, .wall_s, (.gauge.before.adds_ns | log)] | @tsv' in |
        awk -v low="$(jq '.slowdowns[0].ci[0]' out)" -v high="$(jq '.slowdowns[0].ci[1]' out)" '
            $1 == "load" { y[$2] = $3; c[$2] += $4; n++ }
            $1 == "baseline" { x[$2] = $3; c[$2] -= $4 }
            function t(r, i, d, mc, md, cc, cd, dd, slope, s) {
                for (i in x) { mc += c[i] / n; md += (y[i] - r * x[i]) / n }
                for (i in x) { d = y[i] - r * x[i]; cc += (c[i] - mc) ^ 2; cd += (c[i] - mc) * (d - md); dd += (d - md) ^ 2 }
                slope = cd / cc; s = sqrt((dd - slope * cd) / (n - 2))
                return (md - slope * mc) / (s * sqrt(1 / n + mc * mc / cc))
            }
            END { a = t(low); b = -t(high); print a, b; exit !(n == 12 && a > 2.228 * 0.999 && a < 2.228 * 1.25 && (a - b) ^ 2 < 0.02 * a) }'
}

@test "where the load moves the gauge, runs are few or a figure is no time, the ratio is the plain one" {
    records '$slow * (1 + 0.8 * $gauge)' 0.3 | summary --gauge >out
    jq -e '.slowdowns[0] | .gauge_adjustment.used == false and .gauge_adjustment.reason == "what is compared moves the gauge"
        and .ratio == .gauge_adjustment.plain.ratio and .gauge_adjustment.moved.ratio > 1.2 and .gauge_adjustment.moved.p < 0.05' out
    jq -e '.warnings[] | select(.flag == "gauge-not-used") | .severity == "note" and (.message | test("the gauge itself is \\+[0-9.]+ % off"))' out
    records '$slow * (1 + 0.8 * $gauge)' | head -n 14 |
        "$BIN/stats" --conditions baseline,load --max-runs 7 --min-runs 7 --statistic mean --gauge --summary-only --summary - |
        jq -e '.slowdowns[0].gauge_adjustment | .used == false and .reason == "too few pairs" and .pairs == 7'
    # Half of the runs have none: those pairs count, and are not adjusted.
    records '$slow * (1 + 0.8 * $gauge)' | jq -c 'if .block > 10 then .gauge = null else . end' | summary --gauge |
        jq -e '.slowdowns[0].gauge_adjustment | .used and .pairs == 10 and .variance_removed > 0.5'
    records '$slow * (1 + 0.8 * $gauge)' | jq -c '.max_rss_bytes = 1e6 * .wall_s' | summary --gauge --metric max_rss_bytes |
        jq -e '.slowdowns[] | select(.metric == "max_rss_bytes").gauge_adjustment == null'
}

@test "jostle slowdown --gauge: in the record, from meter, and nothing of it in the target" {
    "$ROOT/harness/jostle" slowdown --quiet --gauge --no-probe --runs 2 --target-cpus 0 --load 'low=cpu --percent 10' --output out -- true
    jq -se 'length == 4 and all(.gauge | (.before, .after) | .adds_ns > 0.05 and .adds_ns < .l1_ns and .l1_ns < .l2_ns and .l2_ns < 1000)' out/runs.jsonl
    jq -e '.settings.gauge == "on"' out/experiment.json
    # The memory of the chases is no part of the peak of a small target, and meter's own affinity is as before.
    local -a target=("$BIN/meter" --version)
    served run >plain
    served gauge run --gauge --cpus 0 >gauged
    # The sanitizers' memory is in what the target starts from.
    sanitized ||
        jq -se 'map(.max_rss_bytes // empty) | length == 2 and .[1] < .[0] + 100000' plain gauged
    [[ $(grep -c '"event":"gauge"' gauged) == 1 ]]
    # shellcheck disable=SC2016 # the target's
    target=(bash -c 'taskset -cp $PPID | sed "s/.*: //" >affinity')
    served gauge run --gauge --cpus 0
    [[ $(<affinity) == "$(taskset -cp $$ | sed 's/.*: //')" ]]
}

@test "--gauge is declared beforehand, of ratios of means; auto leaves short runs alone" {
    local -a load=(--no-probe --load 'low=cpu --percent 10')
    run -2 "$ROOT/harness/jostle" slowdown --gauge --statistic median "${load[@]}" -- true
    [[ $output == 'jostle: --gauge: only ratios of means are adjusted:'* ]]
    run -2 "$BIN/meter" --gauge -- true
    [[ $output == *'--gauge: it needs --serve'* ]]
    # A first run that a busy machine holds up for 0.2 s is none of the short ones.
    left_alone() {
        rm -rf out
        "$ROOT/harness/jostle" slowdown --quiet --gauge=auto --runs 1 "${load[@]}" --output out -- true &&
            jq -se 'length == 2 and all(.gauge == null)' out/runs.jsonl
    }
    in_tries 5 left_alone
    # What was seen does not decide whether it is used.
    run -2 "$ROOT/harness/jostle" slowdown --quiet --gauge --resume --runs 2 "${load[@]}" --output out -- true
    [[ $output == *gauge* ]]
    "$ROOT/harness/jostle" slowdown --quiet --gauge=auto --runs 1 "${load[@]}" --output long -- sleep 0.2
    jq -se '[.[].gauge != null] == [false, true]' long/runs.jsonl
}

@test "the simulation notices an adjusted interval that is too narrow" {
    "$BIN/simulate" --quick --experiments 400 --tables gauge >table
    run ! "$BIN/simulate" --quick --experiments 400 --tables gauge --narrow 0.6
    [[ $output == *'broken: gauge strong, default: the adjusted interval misses the truth in '* ]]
}
