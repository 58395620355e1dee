#!/usr/bin/env bats
# jostle report --tables, --split-parameters and --units: means and variances by parameter, as a course's report has them.
# The records were never measured (synthetic-campaign). After a change that is meant, look at what differs and write the
# golden file anew: JOSTLE_GOLDEN=write bats bats-tests/report-tables.bats

load helpers
load report

setup_file() {
    cd "$BATS_FILE_TMPDIR" || return
    load report
    synthetic 12 3 course
    local cell file
    # Of nbody: files of a certain size.
    for cell in course/cells/nbody*; do
        for file in experiment result; do
            edited "$cell/$file.json" '.cell.target = "filegen" | .cell.label = "filegen dirs=10 files=30 size=1048576" | .cell.parameters = { dirs: "10", files: "30", size: "1048576" }
                | .command = ["filegen", "10", "30", "1048576"]'
        done
    done
}

setup() {
    COURSE=$BATS_FILE_TMPDIR/course
    cd "$BATS_TEST_TMPDIR" || return
}

# fits FILE: pdflatex takes it, and nothing sticks out of its page.
fits() {
    compiles "$1"
    ! grep -i overfull "${1%.tex}.log"
}

# bats test_tags=slow
@test "LaTeX of --tables means,levels: as the golden file" {
    local golden=$ROOT/bats-tests/fixtures/report/golden/course.tex
    report --quiet "$COURSE" --tables means,levels --format latex >made
    if [[ ${JOSTLE_GOLDEN:-} == write ]]; then cp made "$golden"; fi
    diff "$golden" made
}

@test "one row without load: mean and variance of all its runs, whatever the level" {
    report --quiet "$COURSE" --tables means --units ms,B --format md >table.md
    # By another way than the report's: from the lines of runs.jsonl.
    jq -rs '[.[] | select(.condition == "baseline")] | def variance: (add / length) as $mean | map((. - $mean) * (. - $mean)) | add / (length - 1);
        [length, (map(.wall_s * 1e3) | add / length, variance), (map(.max_rss_bytes) | add / length)] | join(" ")' "$COURSE"/cells/delannoy*/runs.jsonl >expected
    awk -F ' *[|] *' '$2 == 5 && $3 == "-" { rows++; print $5, $6, $10, $9 } END { exit rows != 1 }' table.md >found
    paste -d' ' expected found | awk '{ for (i = 1; i <= 4; i++) { off = $i - $(i + 4); if (off < -0.6 || off > 0.6 || (i < 4 && off * off > 1e-6)) { print; exit 1 } } }'
    [[ $(cut -d' ' -f1 found) -eq 24 ]]
    # Each level has a row of its own, in order, with its rate.
    [[ $(<table.md) == *'| 5 | disk 10% | 500 MB/s | 3 |'*'| 5 | disk 25% | 1.25 GB/s | 3 |'*'| 5 | disk 100% | 5.00 GB/s | 3 |'* ]]
}

# bats test_tags=slow
@test "each parameter has a column: of the terminal, of LaTeX, and of whole reports with --split-parameters" {
    run -0 report --quiet "$COURSE" --tables means,levels
    [[ $output == *'dirs  files  size '*'mean wall (s)'*'variance mem (kB²)'*'10    30     1048576  disk 10% '* ]]
    [[ $output == *'program   n  dirs  files  size '*'10% (500 MB/s)'* && $output != *'n=5'* && $output != *'problems'* ]]
    run -0 report --quiet "$COURSE" --format md --split-parameters
    [[ $output == *'| filegen | 10 | 30 | 1048576 | disk 10% |'* && $output != *'dirs=10 files=30 size=1048576 |'* ]]
    run -0 report --quiet "$COURSE" --format md
    [[ $output == *'| filegen dirs=10 files=30 size=1048576 | disk 10% |'* ]]
}

# bats test_tags=slow
@test "tables come in the order in which they are named; units are those that are asked for" {
    run -0 report --quiet "$COURSE" --tables levels,slowdowns --format md
    [[ $output == '## Slowdown by level'*'## delannoy: slowdown beside each load'* && $output != *'ean and variance'* ]]
    run -0 report --quiet "$COURSE" --tables means --units MiB
    [[ $output == *'mean wall (s)'*'mean mem (MiB)'* ]]
    run -0 report --quiet "$COURSE" --format md --units us,KiB
    [[ $output == *'wall mean (us) | variance (us²)'*'memory mean (KiB)'* ]]
}

@test "the runs of all sessions of a cell count, and tables without rows say why" {
    local cell=$COURSE/cells/delannoy.n=5@disk.10% session file
    for session in 1 2; do
        mkdir -p "twice/cells/d$session"
        for file in experiment result; do
            jq -c --argjson session "$session" '.cell += { of: "d1", name: "d\($session)", session: $session }' "$cell/$file.json" >"twice/cells/d$session/$file.json"
        done
        cp "$cell/runs.jsonl" "$cell/status.json" "twice/cells/d$session"
    done
    run -0 report --quiet twice --tables means
    [[ $output =~ 5\ +-\ +-\ +6\  && $output =~ 5\ +disk\ 10%\ +500\ MB/s\ +6\  ]]
    jq -c 'del(.cell)' "$cell/experiment.json" >"twice/cells/d1/experiment.json"
    jq -c 'del(.cell) | .conditions |= .[:1] | .slowdowns = []' "$cell/result.json" >"twice/cells/d1/result.json"
    run -0 report --quiet twice/cells/d1 --tables levels,slowdowns
    [[ $output == 'These tables have no rows: the records have no load, or none with levels.'* ]]
}

# bats test_tags=slow
@test "LaTeX fits a portrait page, also with many, long and ugly parameters and figures" {
    local cell file
    report --quiet "$COURSE" --tables means,slowdowns,levels --output plain.tex
    fits plain.tex
    cp -r "$COURSE" wide
    for cell in wide/cells/*; do
        for file in experiment result; do
            edited "$cell/$file.json" --arg name "$(nasty_name)" '.cell.parameters += { input: ("/data/" + ([range(0; 40)] | map("part_") | add)), "a_rather_long_name": $name, x: "1", y: "12345678901234567890", mode: "--fast=%d" }'
        done
        edited "$cell/result.json" '.conditions |= map(.max_rss_bytes.mean *= 1e6 | .max_rss_bytes.variance *= 1e12 | .wall_s.mean *= 1e6)'
    done
    report --quiet wide --tables means,slowdowns,levels --output wide.tex
    fits wide.tex
    grep -q '\[portrait' wide.tex
}

@test "wrong use of --tables, --units and --split-parameters is refused" {
    run -2 "$JOSTLE" report "$COURSE" --tables mean
    [[ $output == *"--tables mean: 'mean': give each of means, slowdowns, levels at most once"* ]]
    run -2 "$JOSTLE" report "$COURSE" --units s,ms
    run -2 "$JOSTLE" report "$COURSE" --tables means --format csv
    [[ $output == *'--tables is for terminal, md and latex'* ]]
    run -2 "$JOSTLE" report "$COURSE" --split-parameters
    run -2 "$JOSTLE" report "$COURSE" --units s,kB --format html
}
