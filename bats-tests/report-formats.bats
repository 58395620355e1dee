#!/usr/bin/env bats
# The formats of jostle report, but for HTML (report-html.bats): golden files,
# what other programs read from them, and ugly names.
#
# bats-tests/fixtures/report/golden has a file a format, made from
# fixtures/report/campaign. After a change that is meant, look at what differs
# and write them anew: JOSTLE_GOLDEN=write bats bats-tests/report-formats.bats

load helpers
load report

setup() {
    FIXTURES=$ROOT/bats-tests/fixtures/report
    cd "$BATS_TEST_TMPDIR" || return
}

# golden NAME ARG...: the report of the fixture is the golden file.
golden() {
    local file=$FIXTURES/golden/$1
    shift
    report --quiet "$FIXTURES/campaign" "$@" >made
    if [[ ${JOSTLE_GOLDEN:-} == write ]]; then cp made "$file"; fi
    # From 1.7 on jq prints a number as it was written.
    if [[ $file == */hyperfine.json ]]; then
        diff <(jq 'walk(if type == "number" then . + 0 else . end)' "$file") <(jq 'walk(if type == "number" then . + 0 else . end)' made)
    else
        diff "$file" made
    fi
}

@test "terminal: as the golden file" { golden terminal.txt; }
@test "Markdown: as the golden file" { golden report.md --format md; }
@test "LaTeX: as the golden file" { golden report.tex --format latex; }
@test "CSV: as the golden file" { golden figures.csv --format csv; }
@test "CSV of the runs: as the golden file" { golden runs.csv --format csv --runs; }
@test "JSON: as the golden file" { golden model.json --format json; }
@test "hyperfine: as the golden file" { golden hyperfine.json --format hyperfine; }

@test "golden figures are those of the records" {
    # By another way than the report's: from the lines of runs.jsonl.
    local cell='delannoy.n=5@disk.100%' mean
    mean=$(jq -s '[.[] | select(.condition != "baseline") | .wall_s] | add / length' "$FIXTURES/campaign/cells/$cell/runs.jsonl")
    jq --argjson mean "$mean" --arg cell "$cell" -e '.cells[] | select(.name == $cell) | .loaded.wall_s.mean - $mean | fabs < 1e-9' "$FIXTURES/golden/model.json"
    [[ $(<"$FIXTURES/golden/report.md") == *"| delannoy n=5 | disk 100% | 3 | $(LC_ALL=C printf '%.4f' "$mean") |"* ]]
}

@test "terminal: every number has a unit, what is noise is called so" {
    report "$FIXTURES/campaign" >out 2>/dev/null
    run -0 cat out
    [[ $output == *'delannoy n=5  disk 25%   3 + 3  '*' ± '*' ms  '*'1.053 [1.043, 1.063]'*' ms  '*' MiB  '*'1.24 of 1.25 GB/s'* ]]
    [[ $output == *' (no effect) '* ]]
    [[ $output == *'not done'*'delannoy.n=5@cpu.100%: failed: the target failed with exit code 3: no such file: fix it'* ]]
}

@test "terminal: narrow ones get fewer columns, no line of a table is wider" {
    local columns
    for columns in 60 80 100 140; do
        COLUMNS=$columns report --quiet "$FIXTURES/campaign" >narrow
        grep -E '^(program|delannoy n|nbody n)' narrow >table
        grep -q 'slowdown' table
        LC_ALL=C LC_ALL=C awk -v columns="$columns" '{ gsub(/[\200-\277]/, ""); if (length($0) > columns) { print; bad = 1 } } END { exit bad }' table
    done
    [[ $(wc -l <table) -gt 5 ]]
}

# bats test_tags=slow
@test "terminal: as wide as it is; colours at a terminal only, and not with NO_COLOR or a dumb one" {
    local command at_terminal=$BATS_TEST_DIRNAME/at-terminal.py
    printf -v command '%q report --quiet %q' "$JOSTLE" "$FIXTURES/campaign"
    # As wide as the terminal, whatever stdin and stderr are.
    env -u COLUMNS NO_COLOR=1 TERM=xterm python3 "$at_terminal" "stty cols 64; $command </dev/null 2>/dev/null" </dev/null >narrow
    grep -q '^delannoy n=5 .*1.053 \[1.043, 1.063\]' narrow
    run ! grep -E '^(program|delannoy n=5 ).{60}' narrow
    report --quiet "$FIXTURES/campaign" >plain
    [[ $(<plain) != *$'\e'* ]]
    env -u NO_COLOR TERM=xterm COLUMNS=300 python3 "$at_terminal" "$command" </dev/null >coloured
    [[ $(<coloured) == *$'\e['* ]]
    # Without its codes it is the same text.
    sed -e 's/\x1b\[[0-9;]*m//g' -e 's/\r$//' coloured | diff plain -
    NO_COLOR=1 TERM=xterm COLUMNS=300 python3 "$at_terminal" "$command" </dev/null >plainer
    [[ $(<plainer) != *$'\e'* ]]
    env -u NO_COLOR TERM=dumb COLUMNS=300 python3 "$at_terminal" "$command" </dev/null >dumb
    [[ $(<dumb) != *$'\e'* ]]
}

# bats test_tags=slow
@test "terminal: an ugly name cannot speak to the terminal" {
    nasty campaign "$(nasty_name)"$'\xe2\x80\xae\xe2\x80\x8b'
    report campaign >out
    [[ $(<out) == *'<script>alert(1)</script> & \input{x} | "a,b"\n\t=1+1 \e[31mred é 漢 `x` $HOME %d #_~^ [z]\u{202e}\u{200b}'* ]]
    LC_ALL=C run ! grep -qP '[\x00-\x08\x0b-\x1f\x7f]' out
    # Errors that name it are as safe.
    mv campaign/cells/*10% "campaign/cells/$(printf 'x\e[2Jy')"
    : >campaign/cells/x*/result.json
    report campaign >out 2>err
    LC_ALL=C run ! grep -qP '[\x00-\x08\x0b-\x1f\x7f]' out err
    grep -q 'result.json is empty' err
}

# bats test_tags=slow
@test "Markdown: an ugly name stays in its cell and is no mark-up" {
    nasty campaign
    report campaign --format md >out.md
    grep -F '&lt;script&gt;alert(1)&lt;/script&gt; &amp; \\input\{x\} \| "a,b"\\n\\t=1+1 \\e\[31mred é 漢 \`x\` \$HOME %d \#\_\~^ \[z\] n=5' out.md
    run ! grep -F '<script>' out.md
    # All rows of a table have the columns of its head.
    awk -F '|' '/^\|/ { line = $0; gsub(/\\\|/, "", line); n = split(line, cells, "|"); if (columns && n != columns) { print; bad = 1 }; columns = n; next } { columns = 0 } END { exit bad }' out.md
}

# bats test_tags=slow
@test "CSV: figures are those of the model, and names come back as they were, but for control characters" {
    nasty campaign
    report campaign --format json >model.json
    report campaign --format csv --output out.csv
    report campaign --format csv --runs >runs.csv
    python3 - <<'PYTHON'
import csv, json
model = json.load(open("model.json"))
text = open("out.csv", newline="").read() + open("runs.csv", newline="").read()
assert not any((ord(c) < 32 and c not in "\n\t") or 127 <= ord(c) < 160 for c in text)
rows = list(csv.DictReader(open("out.csv", newline="")))
assert len(rows) == 2 * 2 * 4, len(rows)
for cell in model["cells"]:
    mine = [r for r in rows if r["cell"] == cell["name"]]
    assert all(r["target"] == cell["target"].replace("\x1b", "\\e") and json.loads(r["command"]) == cell["command"] for r in mine)
    for row in mine:
        figure = cell[row["role"]][row["metric"]]
        for field in ("mean", "variance", "stddev", "median", "min", "max"):
            assert float(row[field]) == figure[field], (row, field)
    loaded = [r for r in mine if r["role"] == "loaded" and r["metric"] == "wall_s"][0]
    assert float(loaded["slowdown"]) == cell["slowdown"]["ratio"] and float(loaded["achieved"]) == cell["achieved"]["achieved"]
runs = list(csv.DictReader(open("runs.csv", newline="")))
assert len(runs) == 12 and all(None not in r and r["used"] == "1" for r in runs)
first = json.loads(open("campaign/cells/" + runs[0]["experiment"] + "/runs.jsonl").readline())
assert float(runs[0]["wall_s"]) == first["wall_s"] and runs[0]["condition"] == first["condition"] and runs[0]["start"] == first["start"]
PYTHON
}

@test "CSV: a database reads it" {
    command -v sqlite3 >/dev/null || skip 'sqlite3 is not installed'
    report --quiet "$FIXTURES/campaign" --format csv >out.csv
    run -0 sqlite3 :memory: '.mode csv' '.import out.csv figures' \
        "SELECT cell FROM figures WHERE metric = 'wall_s' AND role = 'loaded' ORDER BY CAST(slowdown AS REAL) DESC LIMIT 1"
    [[ $output == 'delannoy.n=5@disk.100%' ]]
}

# bats test_tags=slow
@test "LaTeX: compiles as it is, with the figures, without and with load, and levels as columns" {
    report --quiet "$FIXTURES/campaign" --output report.tex
    compiles report.tex
    local text
    text=$(<report.tex.txt)
    [[ $text == *'wall'*'user'*'system'*'memory'* ]]
    # A row of means and variances as Markdown has it.
    grep -E 'delannoy n=5 +disk 100% +3 +0\.2822 ' report.tex.txt
    grep -E 'delannoy n=5 +0\.998 \[0\.988, 1\.008\] +1\.053 \[1\.043, 1\.063\] +1\.054 \[1\.044, 1\.064\] +1\.132 \[1\.122, 1\.142\]' report.tex.txt
    [[ $text == *'Slowdown by level of disk'* ]]
    grep -F 'the target failed with exit code 3' report.tex.txt
}

# bats test_tags=slow
@test "LaTeX: compiles by input in a document of one's own" {
    report --quiet "$FIXTURES/campaign" --output report.tex
    printf '%s\n' '\documentclass{article}' '\usepackage{longtable}' '\begin{document}' 'Before.' '\input{report.tex}' 'Afterwards.' '\end{document}' >mine.tex
    compiles mine.tex
    [[ $(<mine.tex.txt) == *'Before.'*'Slowdown by level of disk'*'Afterwards.'* ]]
}

# bats test_tags=slow
@test "LaTeX: an ugly name compiles and is read back" {
    nasty campaign
    printf 'INCLUDED' >x.tex
    report campaign --output report.tex
    run ! grep -F '\input{x}' report.tex
    compiles report.tex
    run ! grep INCLUDED report.tex.txt
    tr -s ' \n' ' ' <report.tex.txt >text
    grep -F '<script>alert(1)</script> & \input{x} | "a,b"\n\t=1+1 \e[31mred' text
    grep -F 'U+6F22' text
    grep -F '$HOME %d #_~^ [z]' text
}

# bats test_tags=slow
@test "hyperfine: its plotting scripts find what they read" {
    nasty campaign
    report campaign --format hyperfine >ugly.json
    report --quiet "$FIXTURES/campaign" --format hyperfine >all.json
    report --quiet "$FIXTURES/campaign" --only 'delannoy*disk*' --format hyperfine >levels.json
    report --quiet "$FIXTURES/campaign" --only 'delannoy.n=5@disk.25%' --format hyperfine >two.json
    nasty_name >name
    python3 - <<'PYTHON'
import json, statistics
def results(file): return json.load(open(file))["results"]
for result in results("all.json"):
    times = result["times"]
    # plot_histogram.py, plot_whisker.py, plot_progression.py, advanced_statistics.py
    assert isinstance(result["command"], str) and len(times) == 3 and all(isinstance(t, float) for t in times)
    assert len(result["exit_codes"]) == len(result["memory_usage_byte"]) == 3
    for field, value in (("mean", statistics.mean(times)), ("stddev", statistics.stdev(times)), ("median", statistics.median(times)), ("min", min(times)), ("max", max(times))):
        assert abs(result[field] - value) < 1e-9, field
    assert result["user"] > 0 and result["system"] > 0
assert len(results("all.json")) == 12
# plot_parametrized.py: one parameter, the same for all, a number
names = {tuple(result["parameters"]) for result in results("levels.json")}
assert names == {("level",)}, names
assert sorted({float(result["parameters"]["level"]) for result in results("levels.json")}) == [0, 10, 25, 50, 100]
# welch_ttest.py: exactly two
assert [r["command"] for r in results("two.json")] == ["delannoy 5 (alone)", "delannoy 5 (disk 25%)"]
assert results("ugly.json")[0]["command"] == "'%s' 5 (alone)" % open("name", newline="").read()
PYTHON
}

# bats test_tags=slow
@test "JSON: an ugly name is what it was" {
    nasty campaign
    report campaign --format json | holds 'all(.cells[]; .target == $name and .command == [$name, "5"])' --arg name "$(nasty_name)"
}

# bats test_tags=slow
@test "a cell without figures makes no format fail" {
    synthetic 2 2 campaign
    truncate -s 99 campaign/cells/*/result.json
    edited campaign/cells/*10%/experiment.json '.environment = {}'
    local format
    for format in terminal md latex csv json hyperfine; do
        report --quiet campaign --format "$format" >out
        [[ $format == csv || $format == hyperfine || $(<out) == *'result.json cannot be used'* ]]
    done
}

# bats test_tags=slow
@test "a cell of an environment without facts makes no format fail" {
    synthetic 2 2 campaign
    edited campaign/cells/*10%/experiment.json '.environment = {}'
    local format
    for format in terminal md latex csv json hyperfine; do
        report campaign --format "$format" >out
        grep -q 'disk' out
    done
}

@test "a format is one file: its name, its ending and its line in --help are in it" {
    cp -r "$ROOT/harness" harness
    mkdir jobs && cp -r "$ROOT/jobs/." jobs
    printf '%s\n' '# Only the names of the cells.' '# files: .names' '# reads: rows' '. as $head | inputs | .texts.program' >harness/report/format/names.jq
    export JOSTLE_BUILD=${JOSTLE_BUILD:-$ROOT/build}
    run -0 harness/jostle report --help
    [[ $output == *'names '*'Only the names of the cells. (.names)'* ]]
    harness/jostle report --quiet "$FIXTURES/campaign" --output out.names
    [[ $(sort -u out.names) == 'delannoy n=5'$'\n''nbody n=5' ]]
    run -2 harness/jostle report --format name "$FIXTURES/campaign"
    [[ $output == *'(did you mean names?)'* ]]
}

# bats test_tags=slow
@test "a column that is added or moved keeps its own title in each format" {
    local format jq
    jq=$(type -P jq)
    mkdir bin
    # Two columns of each table swapped, and a new one before the fourth.
    cat >columns.jq <<'END'
def changed: (map(.key) | index("loaded")) as $at | [.[$at], .[:$at][-1]] as $two
  | .[:$at - 1] + $two + .[$at + 1:] | .[:3] + [{ key: "new", title: "new", left: false, rank: 0 }] + .[3:];
def head: .columns |= (.cells |= changed | .cell_metrics |= changed);
def row: .texts.new = "N" | .metrics[]?.texts.new = "N";
END
    # In what the formats read, and in what the page draws.
    cat >bin/jq <<END
#!/bin/bash
"$jq" -c -L "$PWD" 'include "columns"; if .columns.cells then head elif .checks then row else . end' | exec "$jq" "\$@"
END
    chmod +x bin/jq
    for format in md latex; do
        report "$ROOT/bats-tests/fixtures/report/service" --format "$format" >"plain.$format"
        PATH=$PWD/bin:$PATH report "$ROOT/bats-tests/fixtures/report/service" --format "$format" >"changed.$format"
    done
    report "$ROOT/bats-tests/fixtures/report/service" --format html >plain.html
    sed -n '/id="model">$/,/^<\/script>$/ { //! p }' plain.html >model
    "$jq" -c -L "$PWD" 'include "columns"; .head |= head | .cells[] |= row' model >model.changed
    sed -e '/id="model">$/,/^<\/script>$/ { //! d }' -e '/id="model">$/ r model.changed' plain.html >changed.html
    page_drawn plain.html >plain && mv plain plain.html
    page_drawn changed.html >changed && mv changed changed.html
    python3 - <<'PYTHON'
import re
def rows(text, format):
    """each row of each table as {title: figure}"""
    tables = []
    if format == "md":
        for table in re.findall(r"(?:^\|.*\n)+", text, re.M):
            lines = [line[2:-2].split(" | ") for line in table.splitlines()]
            tables.append([lines[0]] + lines[2:])
    elif format == "latex":
        for table in re.findall(r"\\endfirsthead\n\\hline\n(.*?)\\end{longtable}", text, re.S):
            tables.append([line[:-3].split(" & ") for line in table.splitlines() if line.endswith(r" \\")])
    else:
        for table in re.findall(r"<table.*?</table>", text, re.S):
            tables.append([[re.sub("<[^>]*>", "", cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)] for row in re.findall(r"<tr.*?</tr>", table)])
    return [dict(zip(table[0], row)) for table in tables for row in table[1:] if len(row) == len(table[0])]
for format, wanted in ("md", 6), ("latex", 4), ("html", 4):
    plain, changed = (rows(open(f"{name}.{format}").read(), format) for name in ("plain", "changed"))
    new = [row.pop("new", row.pop("New", None)) for row in changed]
    assert plain and plain == changed, (format, [pair for pair in zip(plain, changed) if pair[0] != pair[1]])
    assert new.count("N") >= wanted and set(new) <= {"N", None}, (format, new)
PYTHON
}

# bats test_tags=slow
@test "formats of services: a name for each result, its median and the ends of its interval" {
    local -a quick=("$ROOT/results/reference/quick")
    local count
    "$JOSTLE" report --format json "${quick[@]}" >model
    count=$(jq '.cells | length' model)
    # BMF: {name: {measure: {value, lower_value, upper_value}}}; latency is in nanoseconds.
    "$JOSTLE" report --format bencher "${quick[@]}" |
        holds --argjson count "$count" 'length == 2 * $count and all(.[]; .latency.lower_value <= .latency.value and .latency.value <= .latency.upper_value and .latency.value > 1e6)
            and ([.[].slowdown // empty] | length == $count and all(.[]; .value > 0.5))'
    # name, unit and value are what extract.ts of github-action-benchmark asks for.
    "$JOSTLE" report --format benchmark-action "${quick[@]}" |
        holds --argjson count "$count" 'length == 2 * $count and (map(.name) | unique | length == 2 * $count) and all(.[]; .unit == "s" and (.value | type == "number") and (.range | type == "string"))'
    "$JOSTLE" report --format prometheus "${quick[@]}" >prom
    [[ $(grep -c '^jostle_slowdown_ratio{.*bound="value"}' prom) -eq $count && $(grep -v '^#' prom | sed 's/ [^ ]*$//' | sort | uniq -d | wc -l) -eq 0 ]]
    run ! grep -vE '^(# (HELP|TYPE) [a-z_]+ .*|[a-z_]+\{([a-z]+="([^"\\]|\\.)*",?)*\} [0-9.e+-]+)$' prom
    type -P promtool >/dev/null || return 0
    promtool check metrics <prom
}

# bats test_tags=slow
@test "what CI reads has each metric that was asked for, with unit and direction, under its command" {
    local format
    local -a judged=(--metric 'rate=stdout:/rate ([0-9.]+)/,better=higher,unit=req/s')
    "$JOSTLE" run --quiet --runs 3 --output r "${judged[@]}" --variant 'old=echo rate 1003' --variant 'new=echo rate 502'
    "$JOSTLE" run --quiet --runs 3 --output other "${judged[@]}" --variant 'old=echo rate 7' --variant 'new=echo rate 8'
    # Bencher's form, without what was not asked for; the series of two commands have names of their own.
    report r --format bencher | holds '. == {
        "old: echo rate 1003": { rate: { value: 1003, unit: "req/s", better: "higher" } },
        "new: echo rate 502": { rate: { value: 502, unit: "req/s", better: "higher" } } }'
    report r other --format bencher | holds 'length == 4 and has("new: echo rate 502") and has("new: echo rate 8")'
    # Bigger is better for all: customBiggerIsBetter.
    report r --format benchmark-action | holds 'map([.name, .unit, .value]) | sort == [["new: echo rate 502: rate", "req/s", 502], ["old: echo rate 1003: rate", "req/s", 1003]]'
    report r --format benchmark-action | holds 'all(.[]; .extra | contains("bigger is better"))'
    report r --format prometheus >prom
    grep -qF 'jostle_metric{name="new: echo rate 502",load="",level="",parameters="",metric="rate",unit="req/s",better="higher",bound="value"} 502' prom
    run ! grep jostle_wall_seconds prom
    report r --format hyperfine | holds '.results[1] | .command == "old: echo rate 1003" and .metrics.rate.mean == 1003 and .metrics.rate.unit == "req/s" and .metrics.rate.better == "higher"'
    [[ $(report r --format hyperfine-csv | head -n 1) == command,mean,stddev,median,user,system,min,max,metric_rate,metric_rate_unit,metric_rate_better ]]
    report r --format hyperfine-csv | grep -qE '^new: echo rate 502,.*,502,req/s,higher$'
    report r --format hyperfine-markdown | grep -qF '| Relative | rate [req/s] |'
}

# bats test_tags=slow
@test "metrics of both directions are in two files for github-action-benchmark, and a latency is in Bencher's unit" {
    "$JOSTLE" run --quiet --runs 3 --output r --metric 'wall_s,max_rss_bytes' --metric 'rate=stdout:/r ([0-9]+)/,better=higher' \
        --metric 'latency=stdout:/l ([0-9]+)/,unit=ms' 'echo r 5 l 7'
    report r --format benchmark-action >smaller
    report r --format benchmark-action-bigger >bigger
    holds 'map(.name) == ["echo r 5 l 7", "echo r 5 l 7: max_rss_bytes", "echo r 5 l 7: latency"] and all(.[]; .extra | contains("rate: see --format benchmark-action-bigger"))' <smaller
    holds 'map([.name, .value, .unit]) == [["echo r 5 l 7: rate", 5, ""]]' <bigger
    report r --format bencher | holds '.["echo r 5 l 7"] | .latency == { value: 7000000, unit: "ns", better: "lower" } and (.wall_s.value | . > 0 and . < 10) and .max_rss_bytes.unit == "B" and .rate.value == 5'
}

@test "capacities are exported as such" {
    report --quiet "$FIXTURES/capacity" --format bencher | holds '[.[].capacity.value] | sort == [29000, 41000]'
    report --quiet "$FIXTURES/capacity" --format prometheus | grep -q 'metric="capacity",unit="/s",better="higher",bound="high"} 42600$'
}

# bats test_tags=slow
@test "JUnit and a comment name the command, wherever its records are" {
    "$JOSTLE" run --quiet --runs 3 --output '1.._x' --variant 'old=sh -c "exit 0"' --variant new=true
    report '1.._x' --format junit >junit.xml
    grep -qF '<testcase classname="sh -c &quot;exit 0&quot;" name="new against old: wall time"' junit.xml
    run ! grep -E '(classname|testsuites? name)="[^"]*1[.][.]_x' junit.xml
    [[ $(report '1.._x' --format github | head -n 1) == *': sh -c "exit 0"' ]]
    # Two with one command are told apart.
    cp -r 1.._x second
    report '1.._x' second --format junit >two.xml
    [[ $(grep -c '<testsuite name="1.._x"' two.xml) -eq 1 && $(grep -c '<testsuite name="second"' two.xml) -eq 1 ]]
    run -5 "$JOSTLE" run --quiet --runs 3 --output failed -- sh -c 'exit 9'
    report failed --format junit | grep -qE '<testcase classname="sh -c &(#39|apos);exit 9&(#39|apos);" name="measurement"'
}

# bats test_tags=slow
@test "a flag of a record is no mark-up, and no control character reaches a reader" {
    local format text=$'x` <img src=q onerror=1> [a](javascript:1) \e[31m\a\xc2\xad\xd8\x9c\xe2\x80\xae'
    synthetic 2 3 campaign
    for format in campaign/cells/*/result.json; do
        edited "$format" --arg text "$text" '.warnings = [{ flag: $text, severity: "problem", condition: null, message: $text }, { flag: ("n" + $text), severity: "note", condition: null, message: $text }]'
    done
    nasty other "$text"
    for format in md github latex csv terminal junit asciidoc orgmode hyperfine-csv hyperfine-markdown prometheus; do
        report --quiet campaign other --format "$format" >"out.$format"
        LC_ALL=C run ! grep -qP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xc2\xad|\xd8\x9c|\xe2\x80\xae' "out.$format"
    done
    for format in md github; do
        # shellcheck disable=SC2016 # marks of Markdown
        grep -qF 'x\` &lt;img src=q onerror=1&gt; \[a\](javascript:1) ' "out.$format"
        run ! grep -F '<img' "out.$format"
        run ! grep -F '`x`' "out.$format"
    done
}

# bats test_tags=slow
@test "a ratio without an interval is not bold" {
    synthetic 2 3 campaign
    local file
    for file in campaign/cells/*/result.json; do
        edited "$file" '.slowdowns |= map(.ci = null | .error = null | .p = null | .distinguishable = null)'
    done
    report --quiet campaign --format md >out.md
    report --quiet campaign --format latex >out.tex
    grep -qF '(no interval)' out.md
    run ! grep -F '**' out.md
    run ! grep -F '\textbf' out.tex
}

# bats test_tags=slow
@test "a line that is there twice is named, and counts once" {
    "$JOSTLE" run --quiet --runs 3 --output r -- true
    sed -n 2p r/runs.jsonl >line
    cat line >>r/runs.jsonl
    run -0 --separate-stderr "$JOSTLE" report r --format csv --runs
    [[ $(wc -l <<<"$output") -eq 4 ]]
    # shellcheck disable=SC2154 # bats sets it
    [[ $stderr == 'jostle: r/runs.jsonl: 1 line is of a run that is there already: left out' ]]
    run -0 "$JOSTLE" run --quiet --resume --runs 4 --output r -- true
    [[ $output == *'r/runs.jsonl: line 4 is left out: its block has this condition already'* ]]
    holds '.conditions[0].runs == 4' <r/result.json
}

# bats test_tags=slow
@test "an experiment that is being measured is running, not interrupted" {
    "$JOSTLE" run --quiet --runs 500 --output r -- sleep 0.1 >/dev/null 2>&1 &
    local measured=$!
    until [[ -s r/runs.jsonl && $(wc -l <r/runs.jsonl) -ge 3 ]]; do sleep 0.1; done
    report r --format json >model 2>/dev/null
    report r --format junit >junit.xml
    kill "$measured"
    wait "$measured" || true
    holds '.waiting[0] | .state == "running" and (.reason | startswith("not ended when this report was made; "))' <model
    grep -q '<skipped message="running: ' junit.xml
    report r --format json | holds '.waiting[0].state == "interrupted"'
}

# bats test_tags=slow
@test "CSV has the baseline of several loads once" {
    "$JOSTLE" slowdown --quiet --runs 2 --output r --load 'a=cpu --percent 1' --load 'b=cpu --percent 2' -- true
    report r --format csv >all.csv
    report r --format csv --only '*b' >one.csv
    [[ $(grep -c ',"baseline","wall_s"' all.csv) -eq 1 && $(grep -c ',"loaded","wall_s"' all.csv) -eq 2 && $(grep -c ',"baseline","wall_s"' one.csv) -eq 1 ]]
}
