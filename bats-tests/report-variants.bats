#!/usr/bin/env bats
# Any metric, variants, services and capacities in every format, and what a continuous
# integration reads: JUnit XML and GitHub's summary.
#
# fixtures/report/service, variants and capacity are experiments that never ran. The results of
# the first two are those that `stats --derive` made of their runs.

load helpers
load report
bats_require_minimum_version 1.5.0

setup() {
    FIXTURES=$ROOT/bats-tests/fixtures/report
    cd "$BATS_TEST_TMPDIR" || return
}

# fixture NAME: a copy of it in the current folder, to be changed.
fixture() {
    cp -r "$FIXTURES/$1" "$1"
}

# no_wider COLUMNS FILE: no line of a table in it is wider.
no_wider() {
    grep -E '^(variant|condition|old|new|baseline|mem-50|cpu-50) ' "$2" | grep -v ' = \| is ' |
        LC_ALL=C awk -v columns="$1" '{ gsub(/[\200-\277]/, ""); if (length($0) > columns) { print; bad = 1 } } END { exit bad || NR == 0 }'
}

# ugly DIR: variants, a load, a metric and its unit with what each format treats specially.
ugly() {
    local file
    cp -r "$FIXTURES/variants" "$1"
    for file in "$1"/*.json*; do
        jq -c --arg metric 'm_%&<i>' --arg unit '<b>&|$_%",=`x' --arg new 'n<e>&|$_%w' '
            walk(if type == "string" then (if . == "rps" then $metric elif . == "1/s" then $unit
                else sub("^new(?<rest>@.*)?$"; $new + (.rest // "")) | sub("^(?<v>.*@)?mem-50$"; (.v // "") + "l<&_|50") end)
              elif type == "object" then with_entries(if .key == "rps" then .key = $metric else . end) else . end)' "$file" >made
        mv made "$file"
    done
}

@test "the records that these tests are about are as the schemas say" {
    local name file
    for name in service variants capacity; do
        for file in experiment result; do
            is_valid "$file" "$FIXTURES/$name/$file.json"
        done
    done
}

@test "metrics: the one that decides is in the column, each other has a line with its unit and ratio" {
    report "$FIXTURES/service" >out
    # Without the wall time in --metric.
    grep -Eq '^condition +runs +p99_ms \(mean ± 98\.75 %\) .* ratio \[98\.75 %\]' out
    grep -Eq '^mem-50 +6 +1\.816 \[1\.782, 1\.844\] ms .* 1\.504 \[1\.489, 1\.519\] †' out
    # Where higher is better a ratio above 1 is worse all the same, and the quotient is said.
    grep -Eq '^mem-50 +rps +40\.89 \[40\.09, 41\.31\] k/s +30\.22 ± 0\.32 k/s +1\.353 \[1\.344, 1\.368\] † +0\.739 \[0\.731, 0\.744\]' out
    grep -Eq '^mem-50 +instructions +1\.241 ± 0\.012 G .* -$' out
    grep -qx 'Beside mem-50 (mem --percent 50) p99_ms is 1\.50 times as high (1\.49 to 1\.52, 95 % sure) on average\.' out
    report "$FIXTURES/service" --verbose >verbose
    grep -qF "mem-50: rps 0.739 [0.731, 0.744] of alone" verbose
    grep -q 'a ratio above 1 is worse, also where higher is better' verbose
    grep -q '^at most 1.2 for p99_ms, rps: above$' out
    COLUMNS=100 report "$FIXTURES/service" >narrow
    no_wider 100 narrow
    # What jostle measures of each run leaves the column to the wall time.
    fixture service
    edited service/experiment.json '.settings |= (.metric = ["user_s", "rps"] | .decide = ["user_s", "rps"])'
    report service | grep -Eq '^condition +runs +rps'
    edited service/experiment.json '.settings |= (.metric = ["user_s"] | .decide = ["user_s"] | .metrics = [])'
    report service | grep -Eq '^condition +runs +wall time'
}

# bats test_tags=slow
@test "metrics: every format has their figures, in their unit" {
    local format
    for format in md latex html github junit; do
        report "$FIXTURES/service" --format "$format" | sed -e 's/\$\\pm\$/±/g; s/{[,-]}/,/g; s/\\_/_/g; s/&nbsp;\|\xc2\xa0/ /g; s/{\\ttfamily\\char95}\\allowbreak{}/_/g; s/\\allowbreak{}//g; s/\\u00[bB]1/±/g' >out
        grep -q '30\.22 ± 0\.32 k/s' out
        grep -q '1\.353' out
        grep -q 'p99_ms' out
    done
    report "$FIXTURES/service" --format csv >out.csv
    report "$FIXTURES/service" --format csv --runs >runs.csv
    python3 - "$FIXTURES/service" <<'PYTHON'
import csv, json, statistics, sys
runs = [json.loads(line) for line in open(sys.argv[1] + "/runs.jsonl")]
def values(condition): return [r["metrics"]["rps"]["value"] for r in runs if r["condition"] == condition]
rows = [r for r in csv.DictReader(open("out.csv", newline="")) if r["metric"] == "rps" and r["condition"] in ("baseline", "mem-50")]
loaded = [r for r in rows if r["role"] == "loaded"][0]
assert loaded["unit"] == "1/s" and loaded["better"] == "higher", loaded
assert abs(float(loaded["mean"]) - statistics.mean(values("mem-50"))) < 1e-6
assert abs(float(loaded["slowdown"]) * float(loaded["of_alone"]) - 1) < 1e-12 and 0.73 < float(loaded["of_alone"]) < 0.75
single = [float(r["rps"]) for r in csv.DictReader(open("runs.csv", newline="")) if r["condition"] == "mem-50"]
assert single == values("mem-50"), single
PYTHON
    report "$FIXTURES/service" --format json >model.json
    is_valid report model.json
    holds '.cells[0] | .main == "p99_ms" and .slowdown.metric == "p99_ms" and .loaded.metrics.rps.unit == "1/s"' <model.json
}

# bats test_tags=slow
@test "metrics: the page has a table, a curve and the points of each" {
    report "$FIXTURES/service" --format html >page
    page_drawn page >out
    grep -q 'Ratio of p99_ms of each target' out
    grep -q 'Ratio of rps of each target' out
    grep -q '<b>rps</b>\|>Spread of rps of ' out
    [[ $(grep -o 'over the number of the run' out | wc -l) -eq 6 ]]
    grep -q 'rps over the number of the run. Alone: .* k/s to .* k/s, median .* k/s' out -i
}

@test "variants: a row for each and load, ratio and verdict, whether a load changes it, and a sentence" {
    report "$FIXTURES/variants" >out
    grep -q '^old against new$' out
    grep -Eq '^variant +load +runs +wall time \(mean ± 99\.17 %\) +ratio to old \[99\.17 %\] +verdict +slowdown \[99\.17 %\]' out
    grep -Eq '^old +- +6 +252\.8 ± 6\.8 ms +1 +reference ' out
    grep -Eq '^new +- +6 +243\.3 \[239\.0, 247\.2\] ms +0\.962 \[0\.951, 0\.974\] † +faster ' out
    grep -Eq '^new +mem-50 +6 +367\.4 ± 6\.4 ms +1\.038 \[1\.025, 1\.051\] † +slower +1\.510 \[1\.500, 1\.529\] †' out
    grep -Eq '^new +mem-50 +wall time +0\.962 .* 1\.078 \[1\.061, 1\.096\] † +yes, worse$' out
    grep -Eq '^new +mem-50 +rps .* (no|unclear)$' out
    grep -qF 'new is 3.8 % [2.6, 4.9] faster alone; 3.8 % [2.5, 5.1] slower under mem-50: the load changes that; 4.0 % [2.5, 5.5] faster under cpu-50: no change by the load is shown' out
    grep -qF 'rps of new is 1.6 % [0.6, 2.6] higher alone;' out
    grep -q '^new = ./new in.dat$' out
    COLUMNS=112 report "$FIXTURES/variants" >narrow
    no_wider 112 narrow
    grep -Eq '^new +mem-50 .* 1\.038 \[1\.025, 1\.051\] † +slower' narrow
    # What is the same, and what is not known, is said so.
    fixture variants
    edited variants/result.json '.comparisons[0] |= (.ratio = 1.001 | .ci = [0.99, 1.012] | .verdict = "same" | .distinguishable = false)
        | .comparisons[2] |= (.ratio = 1.01 | .ci = [0.95, 1.07] | .verdict = "undecided" | .distinguishable = false)'
    report variants | grep -qF 'new is the same as old alone (0.1 % [-1.0, 1.2] slower); not clearly different from old under mem-50 (1 % [-5, 7] slower)'
    # No loads: nothing about them.
    edited variants/experiment.json '.loads |= .[:1] | .conditions |= .[:2]'
    edited variants/result.json '.conditions |= .[:2] | .comparisons |= map(select(.load == null)) | .interactions = [] | .slowdowns = []'
    report variants >out
    [[ $(<out) != *'does the load change it'* && $(<out) != *'load achieved'* && $(<out) == *'faster'* || $(<out) == *' same'* ]]
}

# bats test_tags=slow
@test "variants: every format has the verdicts, and csv and json the numbers of the record" {
    local format
    for format in md latex html github; do
        report "$FIXTURES/variants" --format "$format" >out
        grep -q 'faster' out
        grep -q 'slower' out
        grep -q '1\.078' out
    done
    report "$FIXTURES/variants" --format json >model.json
    is_valid report model.json
    # A cell for each variant under each load, against itself alone.
    holds '[.cells[] | [.variant, .reference, .condition]] | sort == [["new", "new", "new@cpu-50"], ["new", "new", "new@mem-50"], ["old", "old", "old@cpu-50"], ["old", "old", "old@mem-50"]]' <model.json
    report "$FIXTURES/variants" --format csv >out.csv
    python3 - "$FIXTURES/variants" <<'PYTHON'
import csv, json, sys
result = json.load(open(sys.argv[1] + "/result.json"))
rows = list(csv.DictReader(open("out.csv", newline="")))
for one in result["comparisons"]:
    mine = [r for r in rows if r["condition"] == one["condition"] and r["metric"] == one["metric"]]
    assert mine, one
    for row in mine:
        assert float(row["ratio_to_reference"]) == one["ratio"] and row["verdict"] == one["verdict"] and row["gate"] == one["gate"], row
        assert row["variant"] == one["variant"] and row["reference_variant"] == "old"
for one in result["interactions"]:
    mine = [r for r in rows if r["condition"] == one["variant"] + "@" + one["load"] and r["metric"] == one["metric"]]
    assert [float(r["interaction"]) for r in mine] == [one["ratio"]], mine
PYTHON
    # Each condition is in hyperfine's list once.
    report "$FIXTURES/variants" --format hyperfine | holds '[.results[].command] | length == 6 and (unique | length) == 6'
    # All ratios are one family: 4 + 6 + 4 of two metrics.
    holds '.family.slowdowns == 2 * (4 + 3 + 2)' <model.json
}

# bats test_tags=slow
@test "variants: all of a campaign's sessions make one comparison, with the interval over them" {
    mkdir -p campaign/cells
    local number folder
    for number in 1 2 3; do
        folder=campaign/cells/c.session$number
        [[ $number != 1 ]] || folder=campaign/cells/c
        cp -r "$FIXTURES/variants" "$folder"
        edited "$folder/experiment.json" --argjson n $number '.cell = { name: (if $n == 1 then "c" else "c.session\($n)" end), of: "c", session: $n, target: "solver", label: "solver n=1", load: "both", key: "k" }'
        edited "$folder/result.json" --argjson n $number '.comparisons |= map(.ratio *= (1 + 0.01 * ($n - 2)))'
    done
    report campaign --format json >model.json
    holds '[.cells[] | select(.sessions == 3 and .variant == "new")][0].comparisons[] | select(.metric == "wall_s" and .load == null)
        | .pairs == 3 and .method == "sessions-fieller" and (.ratio - 0.9625 | fabs < 0.001) and .ci[0] < 0.95 and .ci[1] > 0.97' <model.json
    # Throughput: the ratio over sessions is worse above 1, as in each of them.
    holds '[.cells[] | select(.sessions == 3 and .condition == "old@mem-50")][0].all_slowdowns[] | select(.metric == "rps") | .ratio > 1.4 and .better == "higher"' <model.json
    report campaign | grep -qF 'new is not clearly different from old alone (4 % [-2, 10] faster)'
    # Its word is found as in a single session: 0.79 is not within 25 % of 1, as 1 / 1.25 = 0.8; times of any unit are faster.
    for number in 1 2 3; do
        folder=campaign/cells/c.session$number
        [[ $number != 1 ]] || folder=campaign/cells/c
        edited "$folder/experiment.json" '.settings.same_within = 0.25'
        edited "$folder/result.json" --argjson n $number '.comparisons |= map(.ratio = 0.8 * (1 + 0.005 * ($n - 2)) | if .metric == "rps" then .unit = "ms" | .better = "lower" else . end)'
    done
    report campaign --format json >model.json
    holds '[.cells[] | select(.sessions == 3 and .variant == "new")][0].comparisons | all(.verdict == "faster")' <model.json
}

# bats test_tags=slow
@test "services and capacities have their lines and rows" {
    report "$FIXTURES/service" >out
    grep -q '^service: redis-server --port 6379, ready by port:6379, a new one for each block$' out
    grep -q '^service, mem-50: CPU time 220 ms a run (0.67 CPUs, 3.03 % of the time waiting for one), memory 12.0 MiB, started 6 times$' out
    report "$FIXTURES/capacity" >out
    # The answer comes first.
    awk '/^highest rate that keeps/{answer = NR} /^condition /{table = NR} END {exit !(answer && answer < table)}' out
    run ! grep -Pzo '\n\n\n' out
    grep -q '^highest rate that keeps p99_ms<2: 41 k/s \[39.5, 42.6\] alone, ' out
    grep -Eq '^mem-50 +29\.0 \[27\.0, 31\.0\] k/s +0\.707 \[0\.650, 0\.770\]' out
    # Where no rate keeps the objective there is a bound.
    fixture capacity
    edited capacity/result.json '.capacity.by_condition[1] |= (.value = null | .ci = null | .bound = "below" | .of_reference = null | .of_reference_ci = null)'
    report capacity | grep -Eq '^mem-50 +below 1000 /s +9 of 20'
    # A small bound is not shown as nothing.
    edited capacity/result.json '.capacity.low = 0.002'
    report capacity | grep -Eq '^mem-50 +below 0\.0020 /s'
    edited capacity/result.json '.capacity.low = 1000'
    # Runs at different rates have no mean and no ratio, whatever their record has.
    local format
    for format in md latex html github; do
        report capacity --format "$format" >out
        [[ $format != html ]] || { page_drawn out >drawn && mv drawn out; }
        grep -q 'below.*1000' out
        run ! grep -E '1\.19[0-9]+ ±|0\.2512|1\.790' out
    done
    report "$FIXTURES/capacity" --format csv | python3 -c 'import csv, sys; rows = list(csv.DictReader(sys.stdin)); assert [[r["condition"], r["metric"], r["center"], r["ci_low"], r["of_alone"], r["mean"]] for r in rows] == [["baseline", "capacity", "41000", "39500", "", ""], ["mem-50", "capacity", "29000", "27000", "0.707", ""]], rows'
    # Of several programs: a row for each, in place of the table of variants.
    edited capacity/experiment.json '.variants = [{ name: "a", command: ["x"], shell: null, program: null, revision: null, parameters: {} }] | .conditions |= [.[] | .variant = "a"]'
    report capacity >out
    [[ $(<out) == *'below 1000 /s'* && $(<out) != *'verdict'* ]]
}

# bats test_tags=slow
@test "names and units are text in every format" {
    ugly ugly
    local format
    for format in terminal md github html; do
        report ugly --format "$format" >"out.$format"
    done
    grep -qF 'n<e>&|$_%w' out.terminal
    grep -qF '<b>&|$_%",=`x' out.terminal
    for format in md github html; do
        run ! grep -E '<(b|i)>(&|$|<)|n<e>' "out.$format"
        grep -qF 'n&lt;e&gt;&amp;' "out.$format"
    done
    # No cell of a Markdown table ends at a bar of a name.
    for format in md github; do
        awk '/^\|/ { line = $0; gsub(/\\\|/, "", line); n = split(line, cells, "|"); if (columns && n != columns) { print; bad = 1 }; columns = n; next } { columns = 0 } END { exit bad }' "out.$format"
    done
    report ugly --format csv | python3 -c 'import csv, sys; rows = list(csv.DictReader(sys.stdin)); assert any(r["metric"] == "m_%&<i>" and r["unit"] == "<b>&|$_%\",=`x" and r["variant"] == "n<e>&|$_%w" for r in rows)'
    report ugly --format junit | python3 -c 'import sys, xml.dom.minidom as d; t = d.parse(sys.stdin); assert any("n<e>&|$_%w against old under l<&_|50: m_%&<i>" == c.getAttribute("name") for c in t.getElementsByTagName("testcase"))'
    command -v pdflatex >/dev/null || skip 'pdflatex is not installed'
    report ugly --output ugly.tex
    pdflatex -interaction=nonstopmode -halt-on-error ugly.tex >out.tex 2>&1
}

# junit ARG...: the report as JUnit XML, checked as the format's common schema has it, as lines:
# suite, case, failure, skipped, error, each with its attributes.
junit() {
    report "$@" --format junit >out.xml
    python3 - <<'PYTHON'
import xml.etree.ElementTree as tree
top = tree.parse("out.xml").getroot()
assert top.tag == "testsuites"
def number(element, name): return int(element.get(name))
# What Jenkins' schema (xunit-plugin, junit-10.xsd) lets an element have.
known = {"testsuites": ({"name", "time", "tests", "failures", "errors"}, {"testsuite"}),
         "testsuite": ({"name", "tests", "failures", "errors", "skipped", "time", "timestamp", "hostname"}, {"properties", "testcase", "system-out", "system-err"}),
         "properties": (set(), {"property"}), "property": ({"name", "value"}, set()),
         "testcase": ({"name", "time", "classname"}, {"skipped", "error", "failure", "system-out"}),
         "failure": ({"type", "message"}, set()), "error": ({"type", "message"}, set()), "skipped": ({"message"}, set()),
         "system-out": (set(), set()), "system-err": (set(), set())}
for element in top.iter():
    assert set(element.keys()) <= known[element.tag][0] and {child.tag for child in element} <= known[element.tag][1], element.tag
for suite in top:
    assert suite.tag == "testsuite" and suite.get("name") and float(suite.get("time")) >= 0
    order = [child.tag for child in suite]
    assert order == sorted(order, key=["properties", "testcase", "system-out", "system-err"].index), order
    cases = suite.findall("testcase")
    assert len(cases) == number(suite, "tests")
    for tag, name in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
        assert sum(case.find(tag) is not None for case in cases) == number(suite, name), (tag, suite.attrib)
    print("suite", suite.get("name"))
    for case in cases:
        assert case.get("name") and case.get("classname") and float(case.get("time")) >= 0
        outcome = [child for child in case if child.tag in ("failure", "error", "skipped")]
        assert len(outcome) < 2
        print("case", case.get("name"), *(f"{one.tag}: {one.get('message')}" for one in outcome), sep=" | ")
for name in ("tests", "failures", "errors"):
    assert number(top, name) == sum(number(suite, name) for suite in top), name
PYTHON
}

# bats test_tags=slow
@test "junit: what is surely above --at-most fails, what is undecided is skipped, the rest passes" {
    run -0 junit "$FIXTURES/service"
    [[ $output == *'case | under mem-50: p99_ms | failure: under mem-50, p99_ms: ratio 1.504 [1.489, 1.519] is above 1.2'* ]]
    [[ $output == *$'case | under cpu-50: rps\n'* ]]
    run -0 junit "$FIXTURES/variants"
    [[ $output != *' failure'* && $output == *'case | new against old under mem-50: wall time'* ]]
    fixture variants
    edited variants/result.json '.comparisons[2] |= (.ratio = 1.09 | .ci = [1.06, 1.12] | .gate = "above") | .comparisons[0] |= (.ci = [0.9, 1.1] | .gate = "undecided")'
    run -0 junit variants
    [[ $output == *'new against old under mem-50: wall time | failure: '*'ratio 1.090 [1.060, 1.120] is above 1.05'* ]]
    [[ $output == *'new against old alone: wall time | skipped: undecided: '* ]]
    # A record without an answer for each: by the interval.
    edited variants/result.json 'del(.comparisons[].gate)'
    run -0 junit variants
    [[ $(grep -c ' failure: ' <<<"$output") -eq 1 && $(grep -c ' skipped: ' <<<"$output") -eq 1 ]]
    # What stats has not judged, such as a CPU time that is too short, is not judged here.
    edited variants/result.json '.comparisons[].gate = null'
    run -0 junit variants
    [[ $output != *' failure'* && $output != *' skipped'* ]]
    # Without a gate nothing fails, however slow.
    edited variants/experiment.json '.settings.at_most = null'
    run -0 junit variants
    [[ $output != *' failure'* && $output != *' skipped'* ]]
}

# bats test_tags=slow
@test "junit: of several metrics only that which is above --at-most fails" {
    fixture service
    edited service/result.json '.slowdowns[] |= (if .verdict == null then . elif .metric == "rps" then .verdict = "above" | .gate = "below" | .ratio = 1.01 | .ci = [1, 1.02] else .gate = .verdict end)'
    run -0 junit service
    [[ $(grep -c ' failure: ' <<<"$output") -eq 1 && $output == *'under mem-50: p99_ms | failure: '* ]]
}

# bats test_tags=slow
@test "LaTeX compiles with a metric's name in a title" {
    command -v pdflatex >/dev/null || skip 'pdflatex is not installed'
    report "$FIXTURES/service" --output service.tex
    pdflatex -interaction=nonstopmode -halt-on-error service.tex >out.tex 2>&1
}

# bats test_tags=slow
@test "junit: an experiment that failed is an error, one that has not run is skipped" {
    run -0 junit --quiet "$FIXTURES/campaign"
    [[ $output == *'error: failed: the target failed with exit code 3: no such file: fix it'* ]]
    [[ $output == *'skipped: waiting: not started'* ]]
    [[ $(grep -c '^suite ' <<<"$output") -eq 9 ]]
    run -0 junit "$FIXTURES/capacity"
    [[ $output == *'case | capacity under mem-50: p99_ms<2'* ]]
    # A measurement that compares nothing passes.
    mkdir campaign
    synthetic 1 3 campaign
    edited campaign/cells/*/result.json '.conditions |= .[:1] | .slowdowns = []'
    run -0 junit campaign
    [[ $output == *'case | alone: wall time'* ]]
}

# bats test_tags=slow
@test "github: the verdict first, then the ratios, what is broken on top; the rest is folded" {
    run -0 report "$FIXTURES/service" --format github
    [[ ${lines[0]} == '### ❌ 2 of 4 ratios above the limit: service' ]]
    [[ $(grep -m 1 '^| ❌' <<<"$output") == *'under mem-50 | p99\_ms | 1.207 ± 0.016 ms | 1.816 [1.782, 1.844] ms | 1.504 [1.489, 1.519] † |'* ]]
    [[ $(grep -n '^| ❌' <<<"$output" | tail -1 | cut -d: -f1) -lt $(grep -n '^| ✅' <<<"$output" | head -1 | cut -d: -f1) ]]
    [[ $output == *'<details><summary>Details</summary>'*'confidence intervals'*'</details>'* ]]
    fixture variants
    edited variants/result.json '.comparisons[].gate = "below"'
    run -0 report variants --format github
    [[ ${lines[0]} == '### ✅ all 6 ratios are below the limit: variants' ]]
    [[ ${lines[1]} == '- new is 3.8 % [2.6, 4.9] faster alone; '* ]]
    edited variants/result.json '.comparisons[0].gate = "undecided"'
    run -0 report variants --format github
    [[ ${lines[0]} == '### ❔ 1 of 6 ratios undecided: variants' ]]
    edited variants/experiment.json '.settings.at_most = null'
    edited variants/result.json 'del(.comparisons[].gate)'
    run -0 report variants --format github
    [[ ${lines[0]} == '### 1 slower, 2 faster, 3 better: variants' ]]
    run -0 report --quiet "$FIXTURES/campaign" --format github
    [[ ${lines[0]} == '### ❌ 1 experiment not done: synthetic' ]]
}

# bats test_tags=slow
@test "the page's command measures the same again" {
    local command
    command=$(report "$FIXTURES/variants" --format html >page && page_model page | jq -r '.cells[0].again')
    [[ $command == *"--variant 'old=./old in.dat' --variant 'new=./new in.dat' --load 'mem-50=mem --percent 50'"* ]]
    [[ $command == *"--metric wall_s --metric 'rps=stdout:/([0-9.]+) requests/,unit=1/s,better=higher'"* && $command == *'--at-most 1.05 --same-within 2%'* ]]
}

# bats test_tags=slow
@test "the page's command of what ignores exit codes, and of what was measured when --conclude was --cleanup" {
    fixture service
    edited service/experiment.json '.settings |= (.ignore_failure = true | .ignore_codes = [1, 3] | .cleanup = "rm x" | del(.conclude))'
    report service --format html >page
    page_model page | jq -r '.cells[].again' >out
    grep -qe '--ignore-failure=1,3' out
    grep -qe "--conclude 'rm x'" out
    run ! grep -e '--ignore-codes' -e '--cleanup' out
}

# bats test_tags=slow
@test "each format says which problem leaves a gate undecided, and a gate of relations what they are" {
    fixture service
    edited service/result.json '.gate.verdict = "undecided" | .verdict = "undecided" | .gate.why = ["load-short"]
        | .slowdowns[] |= if .condition == "cpu-50" and .metric == "p99_ms" then .gate = "undecided" | .why = ["load-short"] elif .gate or .verdict then .gate = "below" | .why = [] else . end'
    report service >out
    grep -qF 'at most 1.2 for p99_ms, rps: undecided because of load-short' out
    run -0 junit service
    [[ $(grep -c ' skipped: ' <<<"$output") -eq 1 && $output == *'under cpu-50: p99_ms | skipped: undecided because of load-short: '*'ratio 1.'*'(see the problem)'* ]]
    run -0 report service --format github
    [[ ${lines[0]} == '### ❔ 1 of 4 ratios undecided because of load-short: service' ]]
    [[ $(grep '^| ❔' <<<"$output") == *'undecided because of load-short |' ]]
    fixture variants
    edited variants/experiment.json '.settings.at_most = null'
    edited variants/result.json 'del(.verdict) | .gate = { at_most: null, same_within: 0.02, verdict: "decided", why: [] }'
    report variants >out
    grep -qxF 'same within 2 % for wall time, rps: 1 slower, 2 faster, 3 better' out
    edited variants/result.json '.gate |= (.verdict = "undecided" | .why = ["changed"]) | .comparisons |= .[:1]'
    report variants >out
    grep -qxF 'same within 2 % for wall time, rps: undecided because of changed (faster)' out
}

# bats test_tags=slow
@test "what is printed is the record's interval: bounds where its sides differ, and digits that show what it leaves out" {
    fixture service
    # No time is negative, and 1 is seen to be left out.
    edited service/result.json '.conditions[1].metrics.p99_ms |= (.center = 27 | .mean = 27 | .ci = [0, 94.3])
        | (.slowdowns[] | select(.condition == "mem-50" and .metric == "p99_ms")) |= (.ratio = 1.0004 | .ci = [1.0002, 1.0006])
        | (.slowdowns[] | select(.condition == "cpu-50" and .metric == "p99_ms")) |= (.ratio = 1.0107 | .ci = [1.0001, 1.0213])
        | (.slowdowns[] | select(.condition == "mem-50" and .metric == "rps")) |= (.ratio = 2.988 | .ci = [2.462, 4.012])'
    for format in terminal md latex html github json; do
        report service --format "$format" >out
        case $format in
            json) holds '[.cells[].slowdown.ci] | contains([[1.0002, 1.0006], [1.0001, 1.0213]])' <out && continue ;;
            html) grep -qF '1.0004' out && grep -qF '[1.0002, 1.0006]' out && continue ;; # it has no intervals of times
            *) grep -qF '1.0004 [1.0002, 1.0006]' out && grep -qF '1.0107 [1.0001, 1.0213]' out && grep -qF '2.99 [2.46, 4.01]' out ;;
        esac
        sed 's/{\[}/[/g; s/{\]}/]/g; s/{,}/,/g' out | grep -qF '27 [0, 94] ms'
        run ! grep -E '27 ± 47|1\.000 \[1\.000' out
    done
}

# bats test_tags=slow
@test "a range that is hundreds wide is printed without the digits that it leaves open, but no bound as 0" {
    local format
    fixture service
    edited service/result.json '(.slowdowns[] | select(.condition == "mem-50" and .metric == "p99_ms")) |= (.ratio = 97800.8 | .ci = [95689.7, 100239.8])
        | (.slowdowns[] | select(.condition == "cpu-50" and .metric == "p99_ms")) |= (.ratio = 61.34 | .ci = [3.27, 291.18])'
    report service >out
    grep -qF ' 97800 times as high (95700 to 100200, 95 % sure)' out
    for format in terminal md latex github; do
        report service --format "$format" | sed 's/{\[}/[/g; s/{\]}/]/g; s/{,}/,/g' >out
        grep -qF '97800 [95700, 100200]' out
        # The lower bound is above 1, and not 0.
        grep -qF '61 [3, 291]' out
        run ! grep -E '97800\.8|95689' out
    done
}

@test "a limit is printed as it was given, so that it is told from the ratio beside it" {
    fixture service
    edited service/experiment.json '.settings.at_most = 1.2502 | .settings.same_within = 0.020001'
    report service >out
    grep -qE '^at most 1\.2502, same within 2\.0001 % for ' out
}
