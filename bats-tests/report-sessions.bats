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
