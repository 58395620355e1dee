#!/usr/bin/env bats
# jostle report: the model from records of all kinds; see report-formats.bats
# for the formats.

load helpers
load report

setup() {
    cd "$BATS_TEST_TMPDIR" || return
}

# model ARG...: the model of a report.
model() {
    report --format json "$@"
}

# bats test_tags=slow
@test "the model of a campaign is a jostle.report/1 with an entry for each cell" {
    synthetic 10 4 campaign 2
    model campaign >model.json
    is_valid report model.json
    holds '(.cells | length) == 10 and .totals == { cells: 10, experiments: 10, runs: 80, not_done: 0 } and .campaign.cells == 10
        and .name == "synthetic" and .campaign.file == "synthetic.conf" and .waiting == [] and .warnings == []
        and all(.cells[]; .state == "done" and .baseline.runs == 4 and .loaded.runs == 4 and .reference == "baseline" and (.slowdown.ratio | type) == "number")' <model.json
}

# bats test_tags=slow
@test "a synthetic campaign's records are valid" {
    synthetic 1 3 campaign
    local cell
    cell=$(echo campaign/cells/*)
    is_valid experiment "$cell/experiment.json"
    is_valid result "$cell/result.json"
    tail -n 1 "$cell/runs.jsonl" >run.json
    is_valid run run.json
}

@test "real records: an entry for each load, with its level from name and spec" {
    model "$ROOT/results/reference/disk" >model.json
    is_valid report model.json
    holds '(.cells | length) >= 3 and all(.cells[]; . as $c | .load == "disk" and (.spec | contains("--limit " + $c.level)))' <model.json
}

# bats test_tags=slow
@test "figures are those of the result, to the last digit" {
    synthetic 3 5 campaign
    local cell
    for cell in campaign/cells/*; do
        model campaign | jq -c --arg name "${cell##*/}" '.cells[] | select(.name == $name) | [.baseline.wall_s, .loaded.max_rss_bytes, .slowdown.ratio, .slowdown.ci]' >a
        jq -c '[.conditions[0].wall_s, .conditions[1].max_rss_bytes, .slowdowns[0].ratio, .slowdowns[0].ci]' "$cell/result.json" >b
        cmp a b
    done
}

# bats test_tags=slow
@test "one experiment, one without a load, and several folders" {
    "$JOSTLE" run --quiet --max-runs 3 --output alone -- sleep 0.01
    model alone | holds '(.cells | length) == 1 and (.cells[0] | .name == "alone" and .loaded == null and .slowdown == null and .load == null and .target == "sleep" and .label == "sleep 0.01")'
    "$JOSTLE" slowdown --quiet --max-runs 3 --aa --load 'low=cpu --percent 10' --load 'half=cpu --percent 50' --output loads -- sleep 0.01
    model loads >model.json
    is_valid report model.json
    holds '[.cells[].name] == ["loads@half", "loads@low"] and all(.cells[]; .experiment == "loads")' <model.json
    edited loads/result.json '.noise_floor = [{ metric: "user_s", floor: 0.5 }, { metric: "wall_s", floor: 0.02 }]'
    model loads | holds 'all(.cells[]; .slowdown.noise_floor == 0.02)'
    model alone loads | holds '(.cells | length) == 3 and .name == "alone, loads" and .totals.experiments == 2'
    # The folder above the two is as good.
    model . | holds '(.cells | length) == 3'
    # Of two by one name both are there.
    mkdir other && cp -r alone other/
    model alone other/alone | holds '[.cells[].experiment] == ["alone", "alone#2"]'
}

# bats test_tags=slow
@test "cells stand in natural order: n=2 before n=10, 50 % before 100 %" {
    synthetic 8 2 campaign
    local cell
    for cell in campaign/cells/*disk*; do
        cp -r "$cell" "${cell/n=5/n=10}"
        edited "${cell/n=5/n=10}/experiment.json" '.cell.label = "delannoy n=10"'
    done
    model campaign | jq -r '.cells[] | "\(.label) \(.load) \(.level)"' >order
    diff order - <<'EXPECTED'
delannoy n=5 cpu 10%
delannoy n=5 cpu 25%
delannoy n=5 cpu 50%
delannoy n=5 cpu 100%
delannoy n=5 disk 10%
delannoy n=5 disk 25%
delannoy n=5 disk 50%
delannoy n=5 disk 100%
delannoy n=10 disk 10%
delannoy n=10 disk 25%
delannoy n=10 disk 50%
delannoy n=10 disk 100%
EXPECTED
}

# bats test_tags=slow
@test "the same records make the same bytes, wherever they are and whoever asks" {
    synthetic 6 3 campaign
    mkdir elsewhere && cp -r campaign elsewhere/
    local format
    for format in terminal md latex csv json hyperfine; do
        report --format "$format" campaign >one
        (cd elsewhere && TZ=Asia/Tokyo LC_ALL=C "$JOSTLE" report --format "$format" "$PWD/campaign/" >../two)
        cmp one two
        [[ $(<one) != *"$BATS_TEST_TMPDIR"* ]]
    done
}

@test "cells that are not done are listed, with the reason" {
    model --quiet "$ROOT/bats-tests/fixtures/report/campaign" >model.json
    is_valid report model.json
    holds '[.waiting[] | [.name, .state]] | sort == [["delannoy.n=5@cpu.100%", "failed"], ["delannoy.n=5@cpu.25%", "running"], ["delannoy.n=5@cpu.50%", "waiting"]]' <model.json
    holds '[.waiting[] | select(.state == "failed") | .reason] == ["the target failed with exit code 3: no such file: fix it"]' <model.json
    holds '.totals.not_done == 3 and (.cells | length) == 6' <model.json
}

# bats test_tags=slow
@test "an experiment whose target failed has failed, and was not interrupted" {
    synthetic 3 3 campaign
    rm campaign/cells/*/status.json campaign/cells/*{10,25}%/result.json
    for file in campaign/cells/*{10,25}%/runs.jsonl; do head -2 "$file" | jq -c 'if .order == 2 then .exit_code = 3 else . end' >new && mv new "$file"; done
    # What fails and counts all the same ends nothing.
    edited campaign/cells/*25%/experiment.json '.settings.ignore_failure = true'
    model campaign >model.json
    holds '[.waiting[] | [.state, .reason]] == [["failed", "the target failed with exit code 3"], ["interrupted", "no result; 2 runs are recorded"]]' <model.json
    run -0 "$JOSTLE" report campaign --format junit
    [[ $output == *'type="failed"'* ]]
}

# bats test_tags=slow
@test "an experiment that was interrupted has the figures that its runs allow, and says so" {
    synthetic 3 3 campaign
    rm campaign/cells/*/status.json campaign/cells/*{10,25}%/result.json
    edited campaign/cells/*25%/experiment.json '.stopped = "interrupted"'
    # Of the first, one run of each condition is left: too few for figures.
    sed -i '3,$d' campaign/cells/*10%/runs.jsonl
    model campaign >model.json
    is_valid report model.json
    holds '[.waiting[] | [.state, .reason]] == [["interrupted", "no result; 2 runs are recorded"], ["interrupted", "stopped after 6 runs"]]' <model.json
    holds '[.cells[] | [.level, .state, .baseline.runs]] == [["25%", "interrupted", 3], ["50%", "done", 3]] and (.cells[0].flags | index("interrupted")) != null' <model.json
    # The mean is that of the runs; nothing is written to the records.
    jq -s '[.[] | select(.condition == "baseline") | .wall_s] | add / length' campaign/cells/*25%/runs.jsonl >mean
    holds '.cells[0].baseline.wall_s.mean - $mean[0] | fabs < 1e-9' --slurpfile mean mean <model.json
    [[ ! -e $(echo campaign/cells/*25%)/result.json ]]
}

# bats test_tags=slow
@test "a cell that still runs is in the report with what it has, also with half a line" {
    synthetic 2 3 campaign
    local cell
    cell=$(echo campaign/cells/*10%)
    rm "$cell/result.json"
    edited "$cell/status.json" '.state = "running"'
    printf '{"schema":"jostle.run/1","condi' >>"$cell/runs.jsonl"
    model --quiet campaign >model.json
    holds '[.cells[].state] == ["running", "done"] and (.waiting[0].state == "running") and ([.warnings[].message] | any(contains("1 line is broken")))' <model.json
    model --quiet campaign | cmp - model.json
}

# broken EXPECTATION [KIND]: the report is made, names EXPECTATION on stderr and in the model.
broken() {
    report --format json campaign >model.json 2>stderr
    [[ $(<stderr) == *"$1"* ]]
    holds '[.warnings[] | select(.kind == $kind) | .message | contains($text)] | any' --arg text "$1" --arg kind "${2:-broken-record}" <model.json
}

# bats test_tags=slow
@test "a half-written last line of runs is named; the cell keeps its figures" {
    synthetic 3 3 campaign
    truncate -s -100 'campaign/cells/delannoy.n=5@disk.25%/runs.jsonl'
    broken 'delannoy.n=5@disk.25%/runs.jsonl: 1 line is broken'
    holds '(.cells | length) == 3' <model.json
}

# bats test_tags=slow
@test "zeros at the end of runs, as a power cut leaves them, are named" {
    synthetic 3 3 campaign
    head -c 4096 /dev/zero >>'campaign/cells/delannoy.n=5@disk.25%/runs.jsonl'
    report --format json campaign 2>stderr >model.json
    holds '(.cells | length) == 3 and .totals.runs == 18' <model.json
}

# bats test_tags=slow
@test "a broken, an empty, and a wrong document are named; other cells stay" {
    synthetic 4 3 campaign
    truncate -s 500 'campaign/cells/delannoy.n=5@disk.10%/result.json'
    : >'campaign/cells/delannoy.n=5@disk.25%/experiment.json'
    edited 'campaign/cells/delannoy.n=5@disk.50%/result.json' '.conditions = 7'
    broken 'delannoy.n=5@disk.10%/result.json is broken or half-written'
    broken 'delannoy.n=5@disk.25%/experiment.json is empty'
    broken 'delannoy.n=5@disk.50%/result.json or experiment.json lacks what a report needs'
    is_valid report model.json
    holds '[.cells[].name] == ["delannoy.n=5@disk.100%"] and (.waiting | length) == 3 and all(.waiting[]; .state == "interrupted")' <model.json
}

# bats test_tags=slow
@test "records of an unknown schema are refused by name" {
    synthetic 3 3 campaign
    edited 'campaign/cells/delannoy.n=5@disk.10%/result.json' '.schema = "jostle.result/99"'
    sed -i 's,jostle.run/1,jostle.run/2,' 'campaign/cells/delannoy.n=5@disk.25%/runs.jsonl'
    broken 'delannoy.n=5@disk.10%/result.json has the schema "jostle.result/99"' unknown-schema
    broken 'runs.jsonl has records of the schema "jostle.run/2"' unknown-schema
    holds '(.cells | length) == 2' <model.json
    edited campaign/campaign.json '.schema = "jostle.campaign/2"'
    broken 'campaign.json has the schema "jostle.campaign/2"' unknown-schema
}

# bats test_tags=slow
@test "several nodes: variance between them, and a warning for different kinds of node" {
    synthetic 8 4 campaign 2
    model campaign >model.json
    # Cells of even and odd numbers are on node1 and node2.
    holds '[.hosts[].host] == ["node1", "node2"] and .warnings == [] and (.between_hosts | length) == 1
        and (.between_hosts[0] | .label == "delannoy n=5" and ([.hosts[].cells] == [4, 4]) and .variance > 0)' <model.json
    # The mean of each node is the mean of its cells' baselines.
    holds '. as $m | [.cells[] | select(.host == "node2") | .baseline.wall_s.mean] | add / length - $m.between_hosts[0].hosts[1].mean_s | fabs < 1e-12' <model.json
    local cell
    for cell in campaign/cells/*; do
        [[ $(jq -r .environment.host "$cell/experiment.json") == node1 ]] || edited "$cell/experiment.json" '.environment.cpus_online = 64'
    done
    run -0 report campaign
    [[ $output == *'delannoy n=5: its cells come from different kinds of node (node1: '*' 2 CPUs, '*'; node2: '*' 64 CPUs, '*'slowdowns compare, times do not'* ]]
}

@test "runs of one cell from two nodes are named" {
    synthetic 1 3 campaign
    sed -i '3s/"host":"node1"/"host":"node7"/' campaign/cells/*/runs.jsonl
    broken 'its runs come from several nodes (node1, node7)' several-hosts
}

# bats test_tags=slow
@test "--only selects cells by name" {
    synthetic 8 2 campaign
    model --only 'delannoy.*@disk.*0%' campaign | holds '[.cells[].level] == ["10%", "50%", "100%"] and .totals.runs == 12'
    # What looks like a regular expression is none.
    # The same pattern as a campaign's --only.
    model --only 'delannoy.*@disk.[15]0%' campaign | holds '[.cells[].level] == ["10%", "50%"]'
    run -1 report --only 'delannoy.n=5@disk.1.%' campaign
    [[ $output == *'--only delannoy.n=5@disk.1.%: no cell of campaign has such a name'* ]]
}

# warned DIR: a campaign of two cells; the first has a problem and a note, the second a note.
warned() {
    synthetic 2 3 "$1"
    edited "$1"/cells/*@disk.10%/result.json '.warnings = [
        { flag: "load-short", severity: "problem", condition: "disk-10%", metric: null, runs: [2], message: "1 of 3 runs: too little", advice: "offer less" },
        { flag: "two-modes", severity: "note", condition: "baseline", metric: "wall_s", runs: [], message: "two groups" , advice: "measure the two apart" }]'
    edited "$1"/cells/*@disk.25%/result.json '.warnings = [{ flag: "two-modes", severity: "note", condition: "baseline", metric: "wall_s", runs: [], message: "two groups", advice: "measure the two apart" }]'
}

# bats test_tags=slow
@test "two lines of problems are printed, the others counted, and shown by --verbose" {
    synthetic 2 3 campaign
    edited campaign/cells/*@disk.10%/result.json '.warnings = [range(4) | { flag: "problem-\(.)", severity: "problem", condition: "disk-10%", metric: null, runs: [2], message: "m", advice: "a" }]'
    run -0 report campaign
    [[ $(grep -c 'problem-[0-9]: m' <<<"$output") -eq 2 && $output == *'  2 more problems: --verbose shows them'* ]]
    run -0 report --verbose campaign
    [[ $(grep -c 'problem-[0-9]: m' <<<"$output") -eq 4 && $output != *'more problem'* ]]
}

# bats test_tags=slow
@test "a problem marks its cell, with the words of the result; notes are counted, and shown by --verbose" {
    warned campaign
    model campaign >model.json
    is_valid report model.json
    holds '[.cells[] | [.warnings[] | [.flag, .severity, .message]]] == [[["load-short", "problem", "1 of 3 runs: too little: offer less"], ["two-modes", "note", "two groups: measure the two apart"]],
        [["two-modes", "note", "two groups: measure the two apart"]]]' <model.json
    run -0 report campaign
    [[ $output == *'problems'*' 1'$'\n'*'  1 load-short: 1 of 3 runs: too little: offer less'$'\n'* && $output == *$'\n''2 notes: --verbose shows them'$'\n'* ]]
    # One row only is marked.
    [[ $(grep -cE '^delannoy n=5 .* 1$' <<<"$output") -eq 1 && $output != *'two groups'* ]]
    run -0 report --verbose campaign
    [[ $output == *'two-modes (delannoy n=5, disk 10%; also delannoy n=5, disk 25%): two groups: measure the two apart'* && $output != *'--verbose shows'* ]]
    run -0 report --format md campaign
    [[ $output == *'## Notes'*'`two-modes`'*'two groups'* ]]
}

# bats test_tags=slow
@test "(short) is what the result says, whatever the rates are" {
    synthetic 1 3 campaign
    edited campaign/cells/*/result.json '.warnings = [] | .conditions[1].load[0] += { achieved: 1, short: false }'
    run -0 report campaign
    [[ $output != *'(short)'* && $output != *problems* ]]
    edited campaign/cells/*/result.json '.conditions[1].load[0].short = true'
    run -0 report campaign
    [[ $output == *'(short)'* ]]
}

# bats test_tags=slow
@test "of one experiment the report prints the table that jostle slowdown printed" {
    "$JOSTLE" slowdown --max-runs 3 --load 'half=cpu --percent 50' --output out -- sleep 0.01 >printed
    report out >reported
    # But for the line that says where the records are.
    diff <(grep -v -e '^Records: ' -e '^Page: ' -e '^$' printed) <(grep -v '^$' reported)
    grep -q '^half .* of .* CPUs' reported
}

# bats test_tags=slow
@test "who reads only the first line is not told of a failure" {
    synthetic 300 3 campaign
    report --format csv campaign | head -n 1 >first
    [[ ${PIPESTATUS[0]} -eq 0 && $(<first) == '"cell",'* ]]
}

# bats test_tags=slow
@test "the format is that of the file's name, and the file is written whole or not at all" {
    synthetic 2 3 campaign
    local ending format
    for ending in csv:csv md:md tex:latex json:json txt:terminal; do
        format=${ending#*:}
        report campaign --output "out.${ending%:*}"
        report campaign --format "$format" | cmp - "out.${ending%:*}"
    done
    printf 'old\n' >kept.md
    run -2 report nothing-here --output kept.md
    [[ $(<kept.md) == old ]]
    run -1 report campaign --output no/such/folder/x.md
    [[ $output == 'jostle: no/such/folder/x.md cannot be written (No such file or directory): '* ]]
    run -2 report campaign --output x.pdf
    [[ $output == *'x.pdf: its name does not say which format is meant: add --format'* ]]
    # Nothing half-written is left.
    [[ -z $(find . -name 'kept.md.*' -o -name 'x.*') ]]
}

# bats test_tags=slow
@test "without jq a report says so, in one line" {
    local program
    synthetic 1 2 campaign
    mkdir programs
    for program in bash env readlink mkfifo mkdir rm; do
        ln -s "$(type -P "$program")" programs/
    done
    PATH=$PWD/programs run -1 report --format md campaign
    [[ $output == 'jostle: jq is not installed: install '* && ${#lines[@]} -eq 1 ]]
}

# bats test_tags=slow
@test "a disk that is full is a failure, and is told" {
    [[ -c /dev/full ]] || skip 'no /dev/full'
    synthetic 1 2 campaign
    local status=0
    report campaign --format md >/dev/full 2>err || status=$?
    [[ $status -eq 1 ]]
    [[ $(<err) == 'jostle: cannot write to stdout: is the disk full?: the output is incomplete' ]]
}

# bats test_tags=slow
@test "wrong use is told in one line" {
    synthetic 1 2 campaign
    mkdir empty
    run -2 report
    [[ $output == *'report of what? There is no jostle-results here'* ]]
    mkdir -p here/jostle-results/{older,newer}
    touch -d '1 hour ago' here/jostle-results/older
    run -1 --separate-stderr bash -c 'cd here && exec "$1" report' bash "$JOSTLE"
    # shellcheck disable=SC2154 # bats sets it
    [[ $stderr == *'the latest in jostle-results is jostle-results/newer'* ]]
    run -2 report --open --format md campaign
    run -2 report no-such-folder
    [[ $output == 'jostle: no-such-folder is not a folder: '* ]]
    run -1 report empty
    [[ $output == *'empty: no record that can be used'* ]]
    run -2 report --format htm campaign
    [[ $output == *'--format htm: unknown (did you mean html?)'* ]]
    run -2 report --runs campaign
    [[ $output == *'--runs is for --format csv'* ]]
    run -0 report --help
    [[ $output == *'Formats:'*'hyperfine'* ]]
}

# cost FORMAT DIR: CPU time of the report, in microseconds.
cost() {
    "$BIN/meter" --output cost.json -- "$JOSTLE" report --quiet --format "$1" "$2" >/dev/null &&
        jq '(.user_s + .system_s) * 1e6 | floor' cost.json
}

# in_proportion FORMAT: 0 when ten times the cells took less than twenty times the CPU time: less than ten by what
# both have in common; a square is 50.
in_proportion() {
    local few many
    few=$(cost "$1" tenth) && many=$(cost "$1" campaign) || return
    echo "$1: $few us, $many us"
    ((many < 20 * few))
}

# bats test_tags=slow
@test "a report takes time in proportion to its cells, in each format" {
    synthetic 100 4 tenth 2
    synthetic 1000 4 campaign 2
    local format
    for format in terminal md latex csv json hyperfine html; do
        in_tries 3 in_proportion "$format"
    done
}

# bats test_tags=slow
@test "memory does not grow with the number of runs" {
    synthetic 1 20 small
    synthetic 1 8000 large
    local small large
    "$BIN/meter" --output small.json -- "$JOSTLE" report --format json small >/dev/null
    "$BIN/meter" --output large.json -- "$JOSTLE" report --format json large >/dev/null
    small=$(jq .max_rss_bytes small.json)
    large=$(jq .max_rss_bytes large.json)
    ((large < small + 8000000))
}

@test "a sentence names no cause whose share may be nothing" {
    cp -r "$ROOT/results/reference/mmul" mmul
    report mmul | grep -E '^Beside memory .*waiting for a CPU, .* by slower execution\.$'
    edited mmul/result.json '(.slowdowns[] | select(.condition == "memory") | .attribution.intervals.execution) |= [-1, 27]'
    report mmul | grep -E '^Beside memory .* by waiting for a CPU\.$'
    # Nor what is smaller than such a cause, which would be taken for the whole; a range may be that wide above 0.
    edited mmul/result.json '(.slowdowns[] | select(.condition == "memory") | .attribution.intervals) |= (.execution = [6, 20] | .cpu = [1, 300])'
    report mmul | grep -E '^Beside memory .*, 95 % sure\)\.$'
}

@test "no command is offered against an effect that is not known to be one" {
    cp -r "$ROOT/results/reference/mmul" mmul
    edited mmul/experiment.json --arg host "$(hostname)" '.environment.host = $host | .asked = { command: "slowdown", options: [], dashes: true, target: ["mmul", "400"] }'
    report mmul | grep '^protect: '
    edited mmul/result.json '.slowdowns[] |= (.judgement.effect = "unknown" | .distinguishable = false)'
    run ! grep '^protect: ' <(report mmul)
}

@test "variants without a load are compared without a word on it, and of too few runs not as if they were known" {
    cp -r "$ROOT/bats-tests/fixtures/report/variants" variants
    edited variants/result.json '.comparisons |= map(select(.load == null)) | .interactions = []'
    report variants | grep -F 'new is 3.8 % [2.6, 4.9] faster'
    run ! grep -F 'faster alone' <(report variants)
    edited variants/result.json '.comparisons |= map(.ci = null)'
    report variants | grep -E '^new is about [0-9.]+ % faster \(too few runs to say how surely\)'
    # One blank line ends each table.
    run ! grep -Pzo '\n\n\n' <(report variants)
}
