#!/usr/bin/env bats
# Other versions of bash and jq than the usual ones: bash 4.4 (RHEL 8; a stand-in, see with-tools), and jq
# 1.5 to 1.8. All tests with them: bats-tests/systems/with-tools bash-4.4 jq-1.5 -- bats-tests/run

load ../helpers

# A compiler builds them, the first time.
export BATS_TEST_TIMEOUT=3600

setup() {
    cd "$BATS_TEST_TMPDIR" || return
}

# needs TOOL...: skips the test where one cannot be had.
needs() {
    local said
    said=$("$BATS_TEST_DIRNAME/with-tools" "$@" -- true 2>&1) || skip "${said##*$'\n'}"
}

# with TOOL... -- COMMAND...: runs COMMAND with these tools.
with() {
    "$BATS_TEST_DIRNAME/with-tools" "$@"
}

# shown FOLDER TOOL...: puts into FOLDER what jostle shows of kept records, a file for each format.
shown() {
    local folder=$1 format
    local campaign=$ROOT/bats-tests/fixtures/report/campaign bench=$ROOT/bats-tests/fixtures/bench
    local -a profiles=("$ROOT"/results/reference/pairs/profiles/core/{xz,sort}.profile.json)
    mkdir -p "$folder"
    shift
    for format in terminal html md latex csv hyperfine junit github json; do
        with "$@" -- "$JOSTLE" report --quiet --format "$format" "$campaign" >"$folder/report.$format"
    done
    for format in terminal html md csv json; do
        with "$@" -- "$JOSTLE" report --quiet --format "$format" "$bench" >"$folder/bench.$format"
    done
    for format in terminal html md json; do
        with "$@" -- "$JOSTLE" report --quiet --format "$format" "${profiles[0]}" >"$folder/profile.$format"
    done
    with "$@" -- "$JOSTLE" predict "${profiles[@]}" >"$folder/predict" || [[ $? -eq 4 ]]
    with "$@" -- "$JOSTLE" status --all "$campaign" >"$folder/status"
    with "$@" -- "$JOSTLE" plan quick >"$folder/plan"
}

# values_of FILE: JSON with each number as jq 1.6 writes it: 1.7 has 0.000068096 for 6.8096e-05, 1.8 leaves 178.0 as it came.
values_of() {
    jq -c 'walk(if type == "number" then . + 0 else . end)' "$@"
}

# same_as_usual TOOL...: all that is shown is the same as with what is installed; of JSON, the values. A page's data are
# JSON, each a line of its own.
same_as_usual() {
    local file other
    shown usual
    shown other "$@"
    for file in usual/*; do
        other=other/${file#*/}
        case $file in
            */report.json | */report.html) diff "$file" "$other" ;; # their data are as the program wrote them
            *.json | *.hyperfine) diff <(values_of "$file") <(values_of "$other") ;;
            *.html)
                diff <(grep -v '^{' "$file") <(grep -v '^{' "$other")
                diff <(grep '^{' "$file" | values_of) <(grep '^{' "$other" | values_of)
                ;;
            *) diff "$file" "$other" ;;
        esac
    done
}

@test "jq 1.5 shows the same" {
    needs jq-1.5
    same_as_usual jq-1.5
}

@test "jq 1.6 shows the same" {
    needs jq-1.6
    same_as_usual jq-1.6
}

@test "jq 1.7 shows the same" {
    needs jq-1.7
    same_as_usual jq-1.7
}

@test "jq 1.8 shows the same" {
    needs jq-1.8
    same_as_usual jq-1.8
}

@test "bash 4.4 and jq 1.5: a slowdown, its report, a campaign that resumes, what doctor says" {
    needs bash-4.4 jq-1.5
    with bash-4.4 jq-1.5 -- "$JOSTLE" slowdown --quiet --output out --min-runs 3 --max-runs 3 --load 'half=cpu --percent 50' \
        --washout 50ms -- "$WORKLOADS/delannoy" 8
    holds '.condition and .wall_s > 0' <<<"$(tail -n 1 out/runs.jsonl)"
    with bash-4.4 jq-1.5 -- "$JOSTLE" report --format html out | grep -q '</html>'
    printf '%s\n' '[campaign]' '    min-runs = 1' '    max-runs = 1' '[target "a"]' '    command = true {n}' '    n = 1 2' >c.conf
    with bash-4.4 jq-1.5 -- "$JOSTLE" campaign c.conf --quiet --output campaign
    with bash-4.4 jq-1.5 -- "$JOSTLE" campaign c.conf --quiet --output campaign
    with bash-4.4 jq-1.5 -- "$JOSTLE" doctor --quick >findings
    [[ $(grep -cE '^ok +(bash +bash 4\.4|jq +jq 1\.5)' findings) -eq 2 ]]
}

@test "bash 4.4: a time-out that is over before anybody waits ends the wait" {
    needs bash-4.4
    # Of bash's own, one in some 50 is lost.
    # shellcheck disable=SC2016 # for the other shell
    run -0 timeout 60 "$BATS_TEST_DIRNAME/with-tools" bash-4.4 -- env JOSTLE_LIB="$ROOT/harness/lib" JOSTLE_BIN="$BIN" bash -c '
        set -euo pipefail
        for part in common processes; do source "$JOSTLE_LIB/$part.bash"; done
        processes_open
        for ((i = 0; i < 300; i++)); do rest 0.00002; done
        echo "$BASH_VERSION"'
    [[ $output == 4.4* ]]
}

@test "an older bash is refused in one line" {
    needs bash-4.2
    run -1 --separate-stderr with bash-4.2 -- "$JOSTLE" --version
    # shellcheck disable=SC2154 # set by run
    [[ -z $output && $stderr == 'jostle: bash 4.2 is too old: install bash 4.4 or newer, and put it first in PATH' ]]
}

@test "bash 4.4 and jq 1.5: the tests of the loop, of options, of the local queue and of the reports" {
    needs bash-4.4 jq-1.5
    run with bash-4.4 jq-1.5 -- bats --filter-tags '!measures' "$ROOT"/bats-tests/{loop,options,arguments,start,jobs-local,report-formats,report-html}.bats
    [[ $status -eq 0 ]] || {
        printf '%s\n' "$output" | grep -A 8 '^not ok' >&2
        false
    }
}
