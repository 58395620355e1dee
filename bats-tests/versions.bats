#!/usr/bin/env bats
# Versions: of the build, in the recipes, in the records; what reads the records of older ones.

load helpers

setup_file() {
    # The records of version 0.1.0.
    export OLD=$ROOT/bats-tests/fixtures/campaign-0.1.0
}

setup() {
    cd "$BATS_TEST_TMPDIR" || return
}

# old_experiment: copies one of version 0.1.0 to `old`.
old_experiment() {
    cp -r "$OLD/cells/mmul.size=400@cpu.50" old
    holds '.environment.versions.jostle == "0.1.0"' <old/experiment.json
}

@test "records of 0.1.0 are derived again, with the same slowdown" {
    old_experiment
    mv old/result.json before.json
    "$BIN/stats" --derive old
    jq -s . before.json old/result.json | holds '
        (.[0].slowdowns[0].ratio / .[1].slowdowns[0].ratio - 1 | fabs) < 1e-9
        and .[1].environment.versions.jostle == "0.1.0"'
    is_valid result old/result.json
}

# bats test_tags=slow
@test "records of 0.1.0 are reported in each format, and compared with ones of now" {
    local format
    old_experiment
    for format in terminal md csv latex json html; do
        "$JOSTLE" report --format "$format" old >"report.$format"
        [[ -s report.$format ]]
    done
    "$JOSTLE" slowdown --quiet --output now --min-runs 2 --max-runs 2 --load 'cpu-50=cpu --percent 5 --threads 1' -- true
    holds '.environment.versions | .jostle != "0.1.0" and (.revision | test("^[0-9a-f]+\\+?$"))' <now/experiment.json
    "$JOSTLE" compare --anyway old now >compared
    grep -q 'environment differs: .*versions\.jostle: A 0\.1\.0, B' compared
}

# bats test_tags=slow
@test "records with gauges, probes of reporters that are gone and the machine's factor are reported and derived as without" {
    old_experiment
    "$BIN/stats" --derive old
    cp -r old with
    jq -c '.gauge = { before: { adds_ns: 0.3, l1_ns: 1, l2_ns: 4 }, after: { adds_ns: 0.3, l1_ns: 1, l2_ns: 5 } }
        | .probe = { budget_s: 0.1, took_s: 0.1, reporters: [{ name: "wake", unit: "ns", worse: "higher", value: 60000, n: 5, spread: 0.02 },
            { name: "read", unit: "GB/s", worse: "lower", value: 20, n: 5, spread: null }, { name: "l3", unit: "ns", worse: "higher", value: null, n: 0, spread: null, reason: "none" }] }' \
        old/runs.jsonl >with/runs.jsonl
    jq '.settings.gauge = "auto"' old/experiment.json >with/experiment.json
    jq '.settings.gauge = "auto" | .machine_factor = { probes: 9, condition: "baseline", metric: "wall_s", corrected: false, reporters: [] }
        | .slowdowns[].gauge_adjustment = { used: false, reason: "not declared", pairs: 9, moved: { ratio: 1, p: 1 }, plain: null, adjusted: null, variance_removed: 0.1, pays: false }' old/result.json >with/result.json
    "$JOSTLE" report old | grep -E '^(baseline|cpu-50) ' >rows
    [[ $(wc -l <rows) -ge 2 ]]
    "$JOSTLE" report with | grep -E '^(baseline|cpu-50) ' | diff rows -
    "$JOSTLE" report --format html --output page.html with
    "$JOSTLE" compare with old | grep -q '^cpu-50 '
    "$BIN/stats" --derive with
    jq -s . old/result.json with/result.json | holds '.[0].slowdowns[0].ratio == .[1].slowdowns[0].ratio and (.[1].slowdowns[0].ratio > 1)'
}

# bats test_tags=slow
@test "a campaign and a bench of 0.1.0 are read" {
    "$JOSTLE" report "$OLD" >campaign
    [[ $(wc -l <campaign) -gt 20 ]]
    "$JOSTLE" report --format csv "$ROOT/bats-tests/fixtures/bench-0.1.0" >bench
    [[ $(wc -l <bench) -gt 5 ]]
}

@test "a record of a schema that this version does not know is refused by its name" {
    local file
    old_experiment
    jq '.schema = "jostle.result/2"' old/result.json >new && mv new old/result.json
    "$JOSTLE" report old 2>&1 | grep 'old/result.json has the schema "jostle.result/2", which is not known here'
    cp -r old other
    jq -c 'if .order == 3 then .schema = "jostle.run/2" else . end' old/runs.jsonl >new && mv new old/runs.jsonl
    jq '.schema = "jostle.experiment/2"' other/experiment.json >new && mv new other/experiment.json
    for file in old:jostle.run/2 other:jostle.experiment/2; do
        run -1 --separate-stderr "$BIN/stats" --derive "${file%%:*}"
        # shellcheck disable=SC2154 # bats sets them
        [[ ${#stderr_lines[@]} -eq 1 && $stderr == *"the schema ${file#*:}, and this version reads "* ]]
    done
    "$JOSTLE" run --quiet --output mine --min-runs 2 --max-runs 2 -- true
    jq -c '.schema = "jostle.run/2"' mine/runs.jsonl >new && cp new mine/runs.jsonl
    run -1 --separate-stderr "$JOSTLE" run --resume --quiet --output mine --min-runs 3 --max-runs 3 -- true
    [[ $stderr == *'mine/runs.jsonl: line 1 has the schema jostle.run/2, and this version reads jostle.run/1'* ]]
    cmp new mine/runs.jsonl
}

# git_sources FOLDER: makes a checkout of one commit there, of what packaging/revision needs.
git_sources() {
    mkdir -p "$1/packaging"
    cp "$ROOT/packaging/revision" "$1/packaging/"
    cp "$ROOT/.gitattributes" "$1/"
    git -C "$1" init -q
    git -C "$1" add .
    git -C "$1" -c user.name=a -c user.email=a@b commit -q -m one
}

@test "the revision is that of the checkout or the archive, also for root in another user's folder" {
    local revision
    git_sources sources
    revision=$(git -C sources rev-parse HEAD)
    revision=${revision::10}
    [[ $(sources/packaging/revision) == "$revision" ]]
    mkdir sources/unpacked
    git -C sources archive HEAD | tar -x -C sources/unpacked
    [[ $(sources/unpacked/packaging/revision) == "$revision" ]]
    # In somebody else's checkout, and of no archive.
    cp "$ROOT/packaging/revision" sources/unpacked/packaging/
    [[ -z $(sources/unpacked/packaging/revision) ]]
    echo >>sources/.gitattributes
    [[ $(sources/packaging/revision) == "$revision+" ]]
    [[ $(id -u) -eq 0 ]] || skip 'needs root'
    chown -R nobody sources
    [[ $(env -u SUDO_UID sources/packaging/revision) == "$revision+" ]]
}

@test "an experiment that --gauge adjusted is not continued, one that only recorded it is" {
    load report
    local -a again=("$JOSTLE" slowdown --quiet --no-probe --seed 1 --load 'low=cpu --percent 5' --output out)
    "${again[@]}" --max-runs 2 -- true
    edited out/experiment.json '.settings.gauge = "on"'
    run -2 "${again[@]}" --max-runs 3 --resume -- true
    [[ $output == 'jostle: cannot continue '*': its ratios are adjusted by --gauge, which is gone: choose another folder'* ]]
    edited out/experiment.json '.settings.gauge = "auto"'
    run -0 "${again[@]}" --max-runs 3 --resume -- true
}
