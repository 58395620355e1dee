#!/usr/bin/env bats
# Sessions of one cell: one row, whose interval is over the sessions.

load helpers
load report
bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || return
}

# sessions RATIO...: a campaign with a cell whose sessions have these ratios, on baselines
# of 1 s; `base` is the name of the cell.
sessions() {
    local number=0 ratio folder
    rm -rf campaign
    synthetic 1 3 campaign
    base=$(cd campaign/cells && echo *)
    for ratio in "$@"; do
        ((number += 1))
        folder=campaign/cells/$base
        if ((number > 1)); then
            folder=campaign/cells/$base.session$number
            cp -r "campaign/cells/$base" "$folder"
            edited "$folder/experiment.json" --argjson n $number --arg base "$base" '.cell += { name: ($base + ".session\($n)"), of: $base, session: $n }'
        fi
        edited "$folder/result.json" --argjson ratio "$ratio" '.conditions[0].wall_s |= (.mean = 1 | .center = 1)
            | .slowdowns[0] |= (.ratio = $ratio | .ci = [$ratio - 0.001, $ratio + 0.001] | .error = 0.001 / $ratio | .pairs = 15 | .p = 1e-6 | .distinguishable = true)'
    done
}

# straggling LOADED...: a campaign with a cell of as many sessions, each of 15 pairs whose baseline takes
# 1 s, give or take 1 %, and whose run under load takes LOADED times as long, an awk expression of i,
# the number of the pair, such as 'i % 5 ? 1.25 : 25'. Their results are those that jostle makes.
straggling() {
    local number=0 loaded folder
    rm -rf campaign
    synthetic 1 15 campaign
    base=$(cd campaign/cells && echo *)
    mv "campaign/cells/$base" template
    for loaded in "$@"; do
        ((number += 1))
        folder=campaign/cells/$base
        ((number == 1)) || folder+=.session$number
        cp -r template "$folder"
        edited "$folder/experiment.json" --argjson n $number --arg base "$base" '.settings.statistic = "typical"
            | if $n == 1 then . else .cell += { name: ($base + ".session\($n)"), of: $base, session: $n } end'
        awk -v seed=$number 'BEGIN { srand(seed); for (i = 1; i <= 15; i++) { x = 1 + 0.02 * rand(); times = '"$loaded"'; printf "[%.9g,%.9g]\n", x, x * times * (1 + 0.002 * rand()) } }' |
            jq -c . >pairs
        jq -c --slurpfile pairs pairs '.wall_s = $pairs[.block - 1][if .condition == "baseline" then 0 else 1 end]' template/runs.jsonl >"$folder/runs.jsonl"
        "$BIN/stats" --derive "$folder"
    done
    rm -r template
}

# over JQ: the cell over all sessions holds.
over() {
    report campaign --format json | holds "[.cells[] | select(.sessions > 1)][0] | $1"
}

# bats test_tags=slow
@test "the ratio over sessions has the interval of their ratios, whatever each session says of itself" {
    sessions 1.01 1.02 1.03
    # Baselines are alike, so it is Student's: two degrees of freedom.
    over '.slowdown.ratio - 1.02 | fabs < 1e-9'
    over '(4.302652729749 * 0.01 / (3 | sqrt)) as $half | [.slowdown.ci[0] - (1.02 - $half), .slowdown.ci[1] - (1.02 + $half)] | map(fabs < 1e-9) | all'
    over '.slowdown | .p - 0.0741799002274 | fabs < 1e-9'
    over '.slowdown | .distinguishable == false and .pairs == 3 and .method == "sessions-fieller" and .sessions.ratios == [1.01, 1.02, 1.03] and .sessions.numbers == [1, 2, 3]'
    # Between: what their own errors, 0.001 / t of 14 degrees of freedom, do not explain.
    over '.slowdown.sessions | (0.001 / 2.144786687917) as $own | .between * 1.02 - (0.0001 - $own * $own | sqrt) | fabs < 1e-9'
    over '.slowdown.sessions | .within * 1.02 - (0.001 / 2.144786687917) * (15 | sqrt) | fabs < 1e-9'
    # Alone each of them would be beyond doubt.
    report campaign --format json | holds '[.cells[] | select(.sessions == 1) | .slowdown.distinguishable] == [true, true, true]'
}

# bats test_tags=slow
@test "where baselines differ from session to session, the ratio is by Fieller over both" {
    sessions 1.2 1.3 1.25
    edited "campaign/cells/$base.session2/result.json" '.conditions[0].wall_s.center = 2'
    # Pairs (1, 1.2), (2, 2.6), (1, 1.25): the roots of a r^2 - 2 b r + c.
    over '4 as $x | 5.05 as $y | (4.302652729749 * 4.302652729749) as $tt
        | ([1, 2, 1] | map(. - $x / 3 | . * .) | add) as $xx | ([1.2, 2.6, 1.25] | map(. - $y / 3 | . * .) | add) as $yy
        | ([[1, 1.2], [2, 2.6], [1, 1.25]] | map((.[0] - $x / 3) * (.[1] - $y / 3)) | add) as $xy
        | ($x * $x / 9 - $tt * $xx / 6) as $a | ($x * $y / 9 - $tt * $xy / 6) as $b | ($y * $y / 9 - $tt * $yy / 6) as $c
        | if $a > 0 then .slowdown.ci[0] - (($b - ($b * $b - $a * $c | sqrt)) / $a) | fabs < 1e-6 else .slowdown.ci == null end'
    over '.slowdown.ratio - 5.05 / 4 | fabs < 1e-9'
}

# bats test_tags=slow
@test "no time and no ratio over sessions has a bound below 0" {
    sessions 0.5 3
    over '.slowdown | .ci[0] == 0 and .ci[1] > 3 and .ratio == 1.75'
    edited "campaign/cells/$base.session2/result.json" '.conditions[0].wall_s.center = 4'
    over '.baseline.wall_s | .ci[0] == 0 and .ci[1] > 4 and .center == 2.5'
}

# bats test_tags=slow
@test "one row for people, a line with what it is made of, and the legend says it; the family has one slowdown" {
    sessions 1.25 1.26 1.24
    report campaign >out
    [[ $(grep -cF ' [1.2' out) -eq 1 ]]
    grep -qF '1.250 [1.225, 1.275]' out
    grep -qF ' 9 + 9 / 3 ' out
    grep -qF '3 sessions: 1.250, 1.260, 1.240; standard deviation ' out
    grep -qF 'between sessions, ' out
    grep -qF 'so few make a wide interval: 5 narrow it' out
    grep -qF '95 % confidence intervals for repetitions of sessions, of which there were 3: another node or build than theirs may differ by more; ' out
    run ! grep -F 'same session' out
    [[ $(<out) == *': 1 cell with figures, 18 runs'* ]]
    report campaign --format json | holds '.family.slowdowns == 1 and .family.with_p == 1'
    sessions 1.25 1.26 1.24 1.25 1.26
    run ! grep -F 'so few' <(report campaign)
    local format
    for format in md latex html; do report campaign --format $format | grep -qF '5 sessions: 1.250'; done
}

# bats test_tags=slow
@test "no page says of sessions what is true of a single one, and each says of which statistic its figures are" {
    sessions 1.25 1.26 1.24
    local file format
    for file in campaign/cells/*/experiment.json; do edited "$file" '.settings.statistic = "median"'; done
    for format in terminal md latex html; do
        report campaign --format "$format" >out
        [[ $format != html ]] || page_drawn out >drawn
        grep -qE 'for repetitions of sessions(,|\{,\}) of which there were 3' out
        run ! grep -F 'same session' out
    done
    grep -qF 'class="lede">delannoy n=5 beside disk 10%: 1.25 times as long (1.23 to 1.27).' out
    grep -qF 'as alone (median), with the 95 % confidence interval for repetitions of sessions' drawn
    # Alike to the last digit: nothing is said of an interval that there is not.
    sessions 1.054 1.054 1.054
    report campaign --format html >out
    grep -qF 'No slowdown has an interval' out
    sessions 1.25 1.26 1.24
    # One of them alone, and beside the others.
    report "campaign/cells/$base" --format html >out
    page_drawn out >drawn
    grep -qF 'confidence interval for repetitions in the same session: another day, node or build may differ by more. Each' drawn
    run ! grep -F 'repetitions of' out
    cp -r "campaign/cells/$base" other
    edited other/experiment.json '.cell.name = "another"'
    report campaign other | grep -F 'may differ by more; of rows whose runs end in / N, for repetitions of N sessions;'
}

# bats test_tags=slow
@test "csv and json have each session, and all of them" {
    sessions 1.25 1.26
    report campaign --format csv --output out.csv
    python3 - <<'PYTHON'
import csv
rows = [r for r in csv.DictReader(open("out.csv", newline="")) if r["metric"] == "wall_s" and r["role"] == "loaded"]
assert sorted((r["session"], r["sessions"], r["slowdown"]) for r in rows) == [("", "2", "1.255"), ("1", "1", "1.25"), ("2", "1", "1.26")], rows
assert [bool(r["q"]) for r in sorted(rows, key=lambda r: r["session"])] == [True, False, False]
PYTHON
    report campaign --format json >model
    is_valid report model
    holds '[.cells[] | [.name, .session, .sessions]] | length == 3 and ([.[][1]] | sort) == [null, 1, 2]' <model
    # A program that reads hyperfine's form gets what was measured.
    report campaign --format hyperfine | holds '.results | length == 4'
}

@test "a name means all of its sessions, and one session is a result by itself" {
    sessions 1.25 1.26 1.24
    report campaign --only "$base" | grep -qF '3 sessions: '
    report campaign --only '*.session2' >out
    grep -qF '1.260 [1.259, 1.261]' out
    run ! grep -F ' sessions: ' out
    report "campaign/cells/$base" | grep -qF '1.250 [1.249, 1.251]'
}

# bats test_tags=slow
@test "what is said of a session is said of the row; a session that is not done is listed" {
    sessions 1.25 1.26 1.24
    edited "campaign/cells/$base.session2/result.json" '.warnings += [{ flag: "steal", severity: "problem", condition: null, metric: null, message: "it was stolen", advice: "stop thief", runs: [] }]'
    report campaign | grep -qF 'steal: session 2: it was stolen'
    rm "campaign/cells/$base.session3"/{result,status}.json
    : >"campaign/cells/$base.session3/runs.jsonl"
    report campaign >out 2>/dev/null
    grep -qF '2 sessions: 1.250, 1.260' out
    grep -qE "$base.session3: .*(no result|cannot be used|empty)" out
}

# bats test_tags=slow
@test "the cell over sessions is in the state of the first that is not done, for its reason" {
    sessions 1.01 1.02 1.03
    echo '{"schema":"jostle.status/1","state":"interrupted","reason":"the node went down"}' >"campaign/cells/$base.session2/status.json"
    over '.state == "interrupted" and .reason == "the node went down"'
}

@test "results of the same session, of two nodes, are no sessions of each other" {
    sessions 1.25
    cp -r campaign other
    report campaign other >out
    run ! grep -F ' sessions: ' out
    [[ $(grep -c '1.250 \[1.249, 1.251\]' out) -eq 2 ]]
}

# bats test_tags=slow
@test "sessions in folders of several nodes are sessions of one cell, if it has the same definition" {
    sessions 1.25 1.26
    mkdir -p other/cells
    mv campaign/cells/*.session2 other/cells/
    report campaign other | grep -qF '2 sessions: 1.250, 1.260'
    edited other/cells/*/experiment.json '.cell.key = "another"'
    report campaign other >out
    run ! grep -F ' sessions: ' out
    grep -qF '1.250 [1.249, 1.251]' out
    grep -qF '1.260 [1.259, 1.261]' out
}

@test "baselines of sessions on several nodes are compared as those of cells are" {
    sessions 1.25 1.26
    edited "campaign/cells/$base.session2/experiment.json" '.environment.host = "elsewhere"'
    report campaign | grep -qE 'over 2 nodes, .*elsewhere'
    report campaign --format json | holds '.between_hosts | length == 1 and (.[0].hosts | length) == 2 and all(.[0].hosts[]; .cells == 1)'
}

# bats test_tags=slow
@test "a gate over sessions is judged by their interval, and not beside a problem of one of them" {
    sessions 1.01 1.02 1.03
    edited "campaign/cells/$base/experiment.json" '.settings.at_most = 1.2'
    for folder in "campaign/cells/$base"*; do edited "$folder/result.json" '.slowdowns[0] |= (.gate = "below" | .why = [] | .verdict = "below")'; done
    over '.slowdown | .gate == "below" and .why == []'
    for folder in "campaign/cells/$base".session*; do
        edited "$folder/result.json" '.warnings += [{ flag: "load-short", severity: "problem", condition: .slowdowns[0].condition, metric: null, message: "x", advice: "y", runs: [], bias: "low" }]'
    done
    over '.slowdown | .gate == "undecided" and .why == ["load-short"]'
    # What is above the limit is so all the more.
    edited "campaign/cells/$base/experiment.json" '.settings.at_most = 0.9'
    over '.slowdown | .gate == "above" and .why == []'
}

# bats test_tags=slow
@test "what seldom happens is summed over the sessions, and said as of a single one, in each format" {
    local format
    straggling 'i % 5 == 2 && i < 8 ? 25 : 1.25' 'i % 5 == 2 && i < 8 ? 26 : 1.25' 'i == 3 ? 20 : 1.25' 'i % 5 == 2 && i < 8 ? 25 : 1.25'
    over '.slowdown | (.ratio - 1.25 | fabs) < 0.01 and .stragglers.own.runs == 7 and .stragglers.own.of == 60
        and .stragglers.reference.runs == 0 and .stragglers.reference.of == 60'
    # The exact interval of 7 of 60, and of 0 of 60; of the sessions' middle ones that in the middle.
    over '.slowdown.stragglers | ([.own.share[0] - 0.0482148, .own.share[1] - 0.2257162, .reference.share[1] - 0.0596291] | map(fabs < 1e-5) | all)
        and .reference.share[0] == 0 and .own.times > 19 and .own.times < 21 and .own.needed == 85'
    # All seven are on one side: two-sided, of the exact test 2 / 2^7.
    over '.slowdown.stragglers.p - 2 / 128 | fabs < 1e-9'
    # What those that were not seen add has no bound before ten were seen.
    over '.slowdown.mean | .ratio > 3 and .ratio < 4.5 and .ci[0] > 1.2 and .ci[0] < 1.3 and .ci[1] == null'
    report campaign --format json >model
    is_valid report model
    for format in terminal md html; do
        report campaign --format $format >out
        [[ $format != html ]] || { page_drawn out >drawn && mv drawn out; }
        grep -qE 'Besides, 1 run in 9 \(1 in 21 to 1 in 4\.4\) takes 20 times as long, none alone \(more beside .*\): on average [34]\.[0-9]+ times \(at least 1\.2[0-9]*\); about 85 runs would settle it\.' out
    done
    report campaign --format csv | python3 -c '
import csv, sys
row = [r for r in csv.DictReader(sys.stdin) if r["metric"] == "wall_s" and r["role"] == "loaded" and r["sessions"] == "4"][0]
assert row["stragglers"] == "7" and row["stragglers_of_reference"] == "0" and abs(float(row["stragglers_p"]) - 1 / 64) < 1e-9, row
assert 3 < float(row["mean_ratio"]) < 4.5 and row["mean_ratio_ci_high"] == "" and 1.2 < float(row["typical"]) < 1.3, row
assert 1.2 < float(row["typical_ci_low"]) < float(row["typical_ci_high"]) < 1.3, row'
}

# bats test_tags=slow
@test "with ten stragglers over the sessions their mean has an interval over the sessions" {
    straggling 'i % 5 ? 1.25 : 2.5' 'i % 5 ? 1.25 : 2.6' 'i % 5 ? 1.25 : 2.4' 'i % 5 ? 1.25 : 2.5'
    # A session alone has too few to bound what they add.
    report campaign --format json | holds '[.cells[] | select(.sessions == 1) | .slowdown | .stragglers.own.runs == 3 and .mean.ci[1] == null] | all'
    over '.slowdown | .stragglers.own.runs == 12 and .stragglers.own.needed == 0 and .mean.ci[0] > 1.4 and .mean.ci[0] < .mean.ratio
        and .mean.ratio < .mean.ci[1] and .mean.ci[1] < 1.6 and (.mean.ratio - 1.5 | fabs) < 0.02
        and (.seldom | test("^Besides, 1 run in 5 .* takes 2(\\.0)? times as long, none alone .*: on average 1\\.[0-9]+ times \\(1\\.4[0-9]* to 1\\.5[0-9]*\\)\\.$"))'
}

# bats test_tags=slow
@test "stragglers of the baseline are summed, too; where no session has one, or knows of them, nothing is said" {
    local file
    # x is the baseline, of which one run in each session takes four times as long.
    straggling '(x *= i == 4 ? 4 : 1) > 2 ? 0.25 : 1' '(x *= i == 4 ? 4 : 1) > 2 ? 0.25 : 1'
    over '.slowdown | .stragglers.own.runs == 0 and .stragglers.reference.runs == 2 and .stragglers.reference.of == 30
        and .mean.ci[0] == null and (.seldom | startswith("Besides, alone 1 run in 15 ") and (contains("at least") | not))'
    straggling 1.25 1.25
    over '.slowdown | .seldom == null and .stragglers.own.runs == 0 and .stragglers.own.of == 30'
    straggling 'i == 7 ? 25 : 1.25' 'i == 7 ? 25 : 1.25' 'i == 7 ? 25 : 1.25'
    # A record of before there were any is left out of the sum.
    edited "campaign/cells/$base.session2/result.json" '.slowdowns[] |= del(.stragglers, .mean, .typical, .seldom, .answer)'
    over '.slowdown | .stragglers.own.runs == 2 and .stragglers.own.of == 30 and .mean.ratio > 2 and (.seldom | startswith("Besides, 1 run in 15 "))'
    for file in campaign/cells/*/result.json; do edited "$file" '.slowdowns[] |= del(.stragglers, .mean, .typical, .seldom, .answer)'; done
    over '.slowdown | has("stragglers") or has("mean") or has("seldom") | not'
    report campaign >out
    run ! grep -F Besides out
}
