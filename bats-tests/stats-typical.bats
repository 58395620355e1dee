#!/usr/bin/env bats
# What typically happens, and what seldom does: the typical ratio, whether there is an effect at all, and
# stragglers, from known pairs.

load helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return
}

# pairs X Y...: records of baseline and load, a pair of arguments each.
pairs() {
    local block=0
    while (($# > 0)); do
        printf '{"condition":"%s","block":%d,"wall_s":%s}\n' baseline $((++block)) "$1" load "$block" "$2"
        shift 2
    done
}

# summary OPTION...: what stats makes of the records on stdin, with a fixed number of runs.
summary() {
    "$BIN/decide" --conditions baseline,load --min-runs "$RUNS" --max-runs "$RUNS" --summary-only --summary - "$@"
}

# made COUNT AWK: pairs of which AWK sets x and y, `i` being their number from 1.
made() {
    RUNS=$1
    awk -v n="$1" 'BEGIN { srand(7); for (i = 1; i <= n; i++) { '"$2"'; printf "{\"condition\":\"baseline\",\"block\":%d,\"wall_s\":%.9g}\n{\"condition\":\"load\",\"block\":%d,\"wall_s\":%.9g}\n", i, x, i, y } }'
}

@test "eight pairs in each of which the load makes it slower show that, one of them 30 times" {
    RUNS=8
    pairs 1 1.4 1.01 1.45 0.99 1.42 1 30 1.02 1.5 1 1.44 0.98 1.43 1.01 1.41 | summary >out
    holds '.slowdowns[0] | .statistic == "typical" and .method == "signed-ranks" and .distinguishable
        and (.p - 2 / 256 | fabs) < 1e-9 and 1.4 < .ratio and .ratio < 1.5 and .ci[0] > 1.35 and .ci[1] < 8
        and .mean.ci[0] >= 1 and .mean.ci[1] == null and .mean.ratio > 4
        and .stragglers.own.runs == 1 and .stragglers.own.of == 8 and .stragglers.reference.runs == 0' <out
    holds '.slowdowns[0] | .ratio == .typical.ratio and .ci == .typical.ci
        and (.seldom | test("^Besides, 1 run in 8 \\(1 in [0-9]+ to 1 in [0-9.]+\\) takes 21 times as long, none alone: on average 5\\.[0-9]+ times \\(at least 1\\.[0-9]+\\); about 80 runs would settle it\\.$"))' <out
}

# bats test_tags=slow
@test "the typical ratio, its interval and p are those of their definitions, with ties and zeros, too" {
    local number exact=0
    for number in 1 2 3 4 5 6; do
        python3 - "$number" >known <<'PYTHON'
import itertools, json, math, random, sys
random.seed(int(sys.argv[1]))
n = 6 + int(sys.argv[1]) * 2 - 2
coarse = int(sys.argv[1]) % 2
x = [round(random.lognormvariate(0, 0.3), 1 if coarse else 6) for _ in range(n)]
y = [round(v * random.lognormvariate(0.1, 0.2), 1 if coarse else 6) for v in x]
x, y = [max(v, 0.1) for v in x], [max(v, 0.1) for v in y]
d = [math.log(b / a) for a, b in zip(x, y)]
def median(values):
    values = sorted(values)
    return (values[(len(values) - 1) // 2] + values[len(values) // 2]) / 2
mid = median(d)
reach = 3 * 1.4826 * median([abs(v - mid) for v in d]) or math.inf
above, below = [sum(s * (v - mid) > reach for v in d) for s in (1, -1)]
many = [a - 3 * sum(s * (v - mid) < -2 * reach for v in d) for s, a in ((1, above), (-1, below))]
# So many on one side are a group, and no stragglers.
if any(m > 1 and m > n / 10 for m in many):
    reach = math.inf
near = [max(min(v, mid + reach), mid - reach) for v in d]
walsh = sorted((near[i] + near[j]) / 2 for i in range(n) for j in range(i, n))
m = len(walsh)
# How often the sum of ranks is so small, of all signs.
counts = [1]
for rank in range(1, n + 1):
    longer = [0] * (len(counts) + rank)
    for s, c in enumerate(counts):
        longer[s] += c
        longer[s + rank] += c
    counts = longer
rank = 0
while sum(counts[:rank + 1]) <= 0.025 * 2 ** n:
    rank += 1
used = [v for v in d if v != 0]
size = sorted(abs(v) for v in used)
ranks = [math.copysign((2 * size.index(abs(v)) + size.count(abs(v)) + 1) / 2, v) for v in used]
near_size = [math.copysign(min(abs(v), size[(len(size) - 1) // 4]), v) for v in used]
def far(signs):
    return max(abs(sum(s * v for s, v in zip(signs, near_size))) / math.sqrt(sum(v * v for v in near_size)),
               abs(sum(s * v for s, v in zip(signs, used))) / math.sqrt(sum(v * v for v in used)),
               abs(sum(s * v for s, v in zip(signs, ranks))) / math.sqrt(sum(v * v for v in ranks)))
seen = far([1] * len(used))
all_signs = list(itertools.product((1, -1), repeat=len(used)))
p = sum(far(signs) >= seen - 1e-9 for signs in all_signs) / len(all_signs)
for block in range(n):
    print(json.dumps({"condition": "baseline", "block": block + 1, "wall_s": x[block]}))
    print(json.dumps({"condition": "load", "block": block + 1, "wall_s": y[block]}))
json.dump({"n": n, "ratio": math.exp((walsh[(m - 1) // 2] + walsh[m // 2]) / 2),
           "ci": [math.exp(walsh[rank - 1]), math.exp(walsh[m - rank])], "p": p}, open("truth.json", "w"))
PYTHON
        RUNS=$(jq .n truth.json)
        summary <known >out
        holds '.slowdowns[0] | (.ratio / $t[0].ratio - 1 | fabs) < 1e-9 and (.p - $t[0].p | fabs) < 1e-9' --slurpfile t truth.json <out
        # Pairs that resemble their neighbours have a wider one.
        holds '.slowdowns[0] | [(.ci[0] / .ratio | log) / ($t[0].ci[0] / .ratio | log), (.ci[1] / .ratio | log) / ($t[0].ci[1] / .ratio | log)]
            | all(. > 1 - 1e-6 and . < 2.6) and (.[0] / .[1] - 1 | fabs) < 1e-6' --slurpfile t truth.json <out
        ! holds '.slowdowns[0] | (.ci[0] / $t[0].ci[0] - 1 | fabs) < 1e-9' --slurpfile t truth.json <out 2>/dev/null || exact=$((exact + 1))
    done
    ((exact >= 3))
}

@test "more than 17 pairs are tested by signs that are drawn, the same ones each time" {
    made 40 'x = 1 + 0.1 * rand(); y = 1.004 * (1 + 0.1 * rand())' >known
    RUNS=40
    summary --seed 5 <known >one
    summary --seed 5 <known | cmp - one
    summary --seed 6 <known >other
    holds '.slowdowns[0].p as $p | $o[0].slowdowns[0].p as $q | $p > 0 and $p < 1 and $p != $q and ($p - $q | fabs) < 0.05' --slurpfile o other <one
    # Whether a far effect is seen does not depend on them.
    made 40 'x = 1 + 0.1 * rand(); y = 1.5 * (1 + 0.1 * rand())' | summary | holds '.slowdowns[0] | .p < 0.001 and .distinguishable'
}

@test "fewer than six pairs give no verdict" {
    RUNS=5
    pairs 1 2 1.01 2.1 0.99 2.05 1.02 2.2 1 2.01 | summary |
        holds '.slowdowns[0] | .ci == null and .p == null and .distinguishable == null and (.ratio - 2.05 | fabs) < 0.05'
    RUNS=6
    pairs 1 2 1.01 2.1 0.99 2.05 1.02 2.2 1 2.01 1.01 2.02 | summary | holds '.slowdowns[0] | .ci[0] > 1.9 and .distinguishable and .p == 2 / 64'
}

@test "where more is better the typical ratio is the inverse of the quotient" {
    local -a rate=(--metric 'rate=stdout:/(.)/,better=higher')
    RUNS=8
    jq -nc 'range(1; 9) as $b | ["baseline", 100], ["load", 50] | { condition: .[0], block: $b, wall_s: 1, metrics: { rate: { value: (.[1] + $b % 3) } } }' |
        summary "${rate[@]}" | holds '.slowdowns[] | select(.metric == "rate") | (.ratio - 2 | fabs) < 0.1 and .ci[0] > 1.9 and (.of_reference - 0.5 | fabs) < 0.02'
}

@test "values of 0 are compared by their differences" {
    RUNS=8
    pairs 1 2 1 2 0 1 1 2 1 3 1 2 1 2 2 3 | summary | holds '.slowdowns[0] | (.ratio - 2 | fabs) < 1e-9 and .distinguishable and .ci[0] > 1'
}

@test "values that do not vary have a ratio without an interval" {
    RUNS=8
    made 8 'x = 1; y = 2' | summary | holds '.slowdowns[0] | .ratio == 2 and .constant and .ci == null and .error == null'
}

@test "stragglers are told apart from the rest, on either side, and what they add is bounded below only" {
    # One run in ten takes ten times as long.
    made 60 'x = 1 + 0.02 * rand(); y = (i % 10 ? 1.5 : 15) * (1 + 0.02 * rand())' >own
    summary <own | holds '.slowdowns[0] | (.ratio - 1.5 | fabs) < 0.02 and .ci[1] < 1.6 and .stragglers.own.runs == 6 and .stragglers.own.times > 9
        and .stragglers.p < 0.05 and (.stragglers.own.share[0] > 0.03 and .stragglers.own.share[1] < 0.25)
        and .groups == null and .mean.ratio > 2.5 and .mean.ci[1] == null and .mean.ci[0] > 1.4 and (.seldom | contains("none alone (more beside load)"))'
    # The baseline's instead: the mean ratio is at most so much.
    made 60 'y = 1 + 0.02 * rand(); x = (i % 10 ? 1 : 10) * (1 + 0.02 * rand())' | summary |
        holds '.slowdowns[0] | (.ratio - 1 | fabs) < 0.02 and .stragglers.reference.runs == 6 and .mean.ratio < 0.7 and .mean.ci[0] == null
            and (.seldom | startswith("Besides, alone 1 run in 10"))'
    # Where there are none, the typical ratio and that of the means say the same, and one is said.
    made 30 'x = 1 + 0.02 * rand(); y = 1.5 * (1 + 0.02 * rand())' | summary |
        holds '.slowdowns[0] | .stragglers.own.runs == 0 and .seldom == null and (.mean.ci | all(. != null))'
}

@test "a load that slows some of the runs more has two groups, and an interval that reaches from one to the other" {
    local gap RUNS=30
    # The slow ones are as far as that, and not as far as the others vary.
    for gap in 1.2 2; do
        made 30 'x = 1 + 0.02 * rand(); y = 1.25 * (i % 5 < 2 ? '"$gap"' : 1) * (1 + 0.02 * rand())' | summary >out
        holds '.slowdowns[0] | (.groups | map(.runs) == [18, 12]) and (.groups[0].ratio / 1.25 - 1 | fabs) < 0.02
            and (.groups[1].ratio / 1.25 / $gap - 1 | fabs) < 0.02 and .ci[0] < 1.3 and .ci[1] > 1.25 * ($gap | sqrt) * 0.98' \
            --argjson gap "$gap" <out
    done
    # Closer than the error that was asked, and of one kind.
    made 30 'x = 1 + 0.002 * rand(); y = (i % 5 < 2 ? 1.03 : 1) * (1 + 0.002 * rand())' | summary --error 5% | holds '.slowdowns[0].groups == null'
    made 30 'x = 1 + 0.2 * rand(); y = 1.25 * (1 + 0.2 * rand())' | summary | holds '.slowdowns[0].groups == null'
    # Where more is better, the lower figure is the worse group.
    jq -nc 'range(1; 31) as $b | ["baseline", 100], ["load", (if $b % 5 < 2 then 40 else 80 end)] | { condition: .[0], block: $b, wall_s: 1, metrics: { rate: { value: (.[1] + $b % 3 / 9) } } }' |
        summary --metric 'rate=stdout:/(.)/,better=higher' | holds '.slowdowns[] | select(.metric == "rate") | (.groups | map(.runs) == [18, 12] and (.[0].ratio - 1.25 | fabs) < 0.01 and (.[1].ratio - 2.5 | fabs) < 0.02)'
}

@test "stragglers on both sides do not hide what all other pairs show" {
    # The signed ranks and the mean alone have p of 0.1 or more.
    local RUNS=24
    made 24 'x = 1 + 0.01 * rand() + (i % 4 == 1 ? 3 : 0); y = 1.19 * (1 + 0.01 * rand()) + (i % 4 == 3 ? 3 : 0)' | summary |
        holds '.slowdowns[0] | .p < 0.05 and .stragglers.own.runs > 2 and .stragglers.reference.runs > 2'
}

@test "what stragglers take and add is said in figures that people read, however large" {
    made 30 'x = 1 + 0.02 * rand(); y = (i % 5 ? 1.5 : 24000) * (1 + 0.0002 * rand())' >runs
    summary <runs | holds '.slowdowns[0].seldom | contains(" takes 16000 times as long, ") and contains(": on average 4750 times (at least 1.")'
}

@test "an experiment with stragglers ends as soon as one without" {
    # shellcheck disable=SC2054 # one option
    local -a options=(--conditions baseline,load --min-runs 15 --max-runs 200 --summary-only --summary -)
    made 200 'x = 1 + 0.02 * rand(); y = (i % 10 ? 1.5 : 15) * (1 + 0.02 * rand())' | head -n 60 >runs
    "$BIN/decide" "${options[@]}" <runs | holds '.conditions[1] | .stop_reason == "error" and .converged'
    "$BIN/decide" "${options[@]}" --statistic mean <runs | holds '.conditions[1].converged | not'
}

# bats test_tags=slow
@test "records of before there was a typical ratio keep the mean, and have both answers" {
    mkdir old
    jq -n '{ schema: "jostle.experiment/1", command: ["x"], loads: [{ name: "baseline", spec: null }, { name: "load", spec: "cpu --percent 50" }],
        settings: { error: 0.05, confidence: 0.95, min_runs: 15, max_runs: 15, metric: ["wall_s"], seed: 1 },
        environment: { host: "vm", cpus_online: 2 } }' >old/experiment.json
    made 15 'x = 1 + 0.02 * rand(); y = (i % 10 ? 1.5 : 6) * (1 + 0.02 * rand())' |
        jq -c '. + { schema: "jostle.run/1", order: (2 * .block - (if .condition == "baseline" then 1 else 0 end)), user_s: 0.1, system_s: 0.1,
            max_rss_bytes: 4096, exit_code: 0, signal: null, timed_out: false, load: [], flags: [] }' >old/runs.jsonl
    "$BIN/stats" --derive old
    is_valid result old/result.json
    holds '.slowdowns[0] | .statistic == "mean" and .ratio == .mean.ratio and (.typical.ratio - 1.5 | fabs) < 0.02 and .typical.ci[1] < 1.6' <old/result.json
    # What seldom happens has a line below the table, and columns in CSV.
    run -0 "$JOSTLE" report old
    [[ $output == *'load: Besides, 1 run in 15 '* ]]
    local format
    for format in md latex html junit github; do
        "$JOSTLE" report --format "$format" old >"old.$format"
        grep -q Besides "old.$format"
    done
    "$JOSTLE" report --format csv old | python3 -c '
import csv, sys
loaded = [row for row in csv.DictReader(sys.stdin) if row["role"] == "loaded" and row["metric"] == "wall_s"][0]
assert float(loaded["typical_ci_high"]) < 1.6 and loaded["stragglers"] == "1" and loaded["stragglers_of_reference"] == "0", loaded
assert float(loaded["mean_ratio"]) > 1.7 and loaded["mean_ratio_ci_high"] == "", loaded'
}
