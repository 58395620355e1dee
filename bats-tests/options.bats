#!/usr/bin/env bats
# Every option of every program, with values that are none: out of range, empty, of another unit,
# given twice, missing. fixtures/walk-options.c takes the options from the programs' own tables,
# so that a new one is covered by itself.

load helpers

setup_file() {
    cc -std=gnu17 -D_GNU_SOURCE -O1 -o "$BATS_FILE_TMPDIR/walk" "$BATS_TEST_DIRNAME/fixtures/walk-options.c"
}

setup() {
    cd "$BATS_TEST_TMPDIR" || return
}

# walk PROGRAM WORD...: all of its options; in an empty folder, in which nothing may be made.
walk() {
    mkdir -p walked
    (cd walked && "$BATS_FILE_TMPDIR/walk" "$@")
}

# bats test_tags=slow
@test "every load of loadgen refuses what is no value of an option, in one line" {
    walk "$BIN/loadgen"
}

# bats test_tags=slow
@test "every other program in C refuses what is no value of an option, in one line" {
    local program failed=0
    for program in "$BIN"/*; do
        [[ ${program##*/} == loadgen ]] || walk "$program" || failed=1
    done
    [[ $failed -eq 0 ]]
}

# rows_of COMMAND: `program`, and the table of a command in bash, from its --list-options, as the
# program arguments is given it; a line each.
rows_of() {
    "$JOSTLE" "$1" --list-options |
        awk -F '\t' '$1 == "program" { print $1 } $1 == "option" { print $2 "|" ($5 == "-" ? "" : $5) "|" ($4 == "choice" ? $10 : $4) "||" }'
}

# bats test_tags=slow
@test "every command in bash refuses what is no value of an option, in one line" {
    local file failed=0
    local -a table
    for file in "$ROOT"/{harness,jobs}/commands/*; do
        grep -qE 'options_command' "$file" || continue
        mapfile -t table < <(rows_of "${file##*/}")
        [[ ${table[0]:-} == program ]]
        walk "$BIN/arguments" mixed "${file##*/}" "${table[@]:1}" -- || failed=1
    done
    [[ $failed -eq 0 ]]
}

# bats test_tags=slow
@test "every command of jostle refuses an unknown option in one line, before it begins anything" {
    local file name
    mkdir empty
    cd empty
    for file in "$ROOT"/{harness,jobs}/commands/*; do
        name=${file##*/}
        [[ $name != probe ]] || continue # it is gone, and refuses everything
        run --separate-stderr "$JOSTLE" "$name" --no-such-option
        # shellcheck disable=SC2154 # run sets it
        [[ $status -eq 2 && -z $output && ${#stderr_lines[@]} -eq 1 && $stderr == 'jostle: --no-such-option: no such option of jostle '* ]] || {
            printf '%s: status %s\n%s\n%s\n' "$name" "$status" "$output" "$stderr"
            return 1
        }
    done
    [[ -z $(ls -A) ]]
}

# refused TEXT COMMAND...: exit status 2, nothing on stdout, and one line that has TEXT.
refused() {
    run --separate-stderr "${@:2}"
    [[ $status -eq 2 && -z $output && ${#stderr_lines[@]} -eq 1 && $stderr == 'jostle: '*"$1"*': '* ]] || {
        printf 'wanted %s: status %s\n%s\n%s\n' "$1" "$status" "$output" "$stderr"
        return 1
    }
}

@test "every bench has --help, and refuses what it does not know before it measures anything" {
    local file
    mkdir empty
    cd empty
    for file in "$ROOT"/bench/* "$ROOT"/bats-tests/evidence/*; do
        [[ -x $file && -f $file ]] || continue
        grep -q tools/words.bash "$file" || {
            printf '%s does not source tools/words.bash\n' "$file"
            return 1
        }
    done
    for file in scale slurm purity-core verdicts; do
        refused --no-such-option "$ROOT/bats-tests/evidence/$file" --no-such-option
        run -0 "$ROOT/bats-tests/evidence/$file" --help
    done
    RUNS='a[$(touch evaluated)]' refused RUNS= "$ROOT/bats-tests/evidence/scale"
    [[ -z $(ls -A) ]]
}

@test "a variable of the environment that is no value is refused in one line, and not evaluated" {
    local value
    mkdir empty
    cd empty
    for value in soon -1 1.5 1e9 'a[$(touch evaluated)]' $'1\n2'; do
        JOSTLE_LOAD_STEADY_S=$value refused JOSTLE_LOAD_STEADY_S "$JOSTLE" run -- touch ran
    done
    JOSTLE_LOAD_READY_S=x refused JOSTLE_LOAD_READY_S "$JOSTLE" run -- touch ran
    JOSTLE_BENCH_QUICK_S=x refused JOSTLE_BENCH_QUICK_S "$JOSTLE" bench --quick
    JOSTLE_NO_PROBE=perhaps refused JOSTLE_NO_PROBE "$BIN/experiment" run -- touch ran
    WORKFILE_SIZE=large refused WORKFILE_SIZE "$BIN/loadgen" io --dry-run
    JOSTLE_BLAME_TRIES='a[$(touch evaluated)]' refused JOSTLE_BLAME_TRIES "$ROOT/jobs/examples/blame-ci"
    [[ -z $(ls -A) ]]
}

@test "every variable of the environment that is read is in docs/measuring.md" {
    local name
    cd "$ROOT"
    # shellcheck disable=SC2013 # they are words
    for name in $(grep -rhoE 'getenv\("[A-Z_]+"\)|\$\{?(JOSTLE|XDG|WORKFILE)[A-Z_]*' common harness loadgen jobs | grep -oE '[A-Z][A-Z_]+' | sort -u); do
        grep -q "\`$name\`" docs/measuring.md || {
            printf '%s is not there\n' "$name"
            return 1
        }
    done
}

# bats test_tags=slow
@test "options that say nothing without another one are refused" {
    local name
    mkdir empty
    cd empty
    for name in ready=port:1 ready-timeout=3s stop-signal=INT keep-service service-cpus=0; do
        refused "--${name%%=*}" "$BIN/experiment" run "--$name" -- touch ran
        printf '[target "x"]\n  command = true\n%s\n' "${name/=/ = }" >../c.conf
        refused "${name%%=*} is about a service" "$JOSTLE" plan ../c.conf
    done
    refused --cold-path "$BIN/experiment" run --cold-path . -- touch ran
    refused --stop-signal "$BIN/meter" --stop-signal INT -- touch ran
    refused --vary "$BIN/meter" --vary n -- touch ran
    refused --share "$BIN/loadgen" pagecache --share 0 --dry-run
    refused 'mark before' "$BIN/meter" --service --ready port:1 --output /dev/null -- touch ran <<<mark
    refused 'no command' "$BIN/meter" --service --ready port:1 --output /dev/null -- touch ran <<<bogus
    [[ -z $(ls -A) ]]
}

@test "what is ambiguous, shortened, behind --, or long is said as it is" {
    refused '--m: no such option of jostle run' "$BIN/experiment" run --m 3 -- true
    [[ $stderr == *'write --min-runs or --metric, or another'* ]]
    refused '--perc' "$BIN/loadgen" cpu --perc 300
    refused 'an argument too many' "$BIN/loadgen" cpu -- --percent 5
    refused '--percent xxx' "$BIN/loadgen" cpu --percent "$(printf 'x%.0s' {1..60000})"
    [[ ${#stderr} -lt 300 ]]
    refused '--format' "$BIN/predict" --format $'a\nb\e[31mc' x.json
    [[ $stderr == *'a?b?[31mc'* ]]
}

# bats test_tags=slow
@test "a wrong value in a campaign file is refused with file, line and key, whichever setting it is" {
    local name type marks wrong known=0
    while IFS=$'\t' read -r _ name _ type _ _ _ marks _ wrong; do
        [[ $wrong != - && $type != choice ]] || wrong=perhaps
        [[ $type != @(text|list) || $wrong != perhaps ]] || wrong='' # any other text is one
        rm -f plan
        printf '# a campaign\n\n[target "a"]\n    command = true\n[campaign]\n    %s = %s\n' "$name" "$wrong" >"$name.conf"
        # As `git config --list -z --show-origin` prints it.
        printf 'file:%s\0%s\n%s\0' "$name.conf" target.a.command true "$name.conf" "campaign.$name" "$wrong" >entries
        run --separate-stderr "$BIN/campaign" expand --file "$name.conf" --instances . --workloads "$WORKLOADS" --plan plan --conf conf <entries
        [[ $marks != *bare* || $type != text || -n $wrong ]] || continue # empty: the flag
        [[ $status -eq 2 && ${#stderr_lines[@]} -eq 1 && $stderr == "jostle: $name.conf:6: campaign.$name: "* && ! -e plan ]] || {
            printf '%s = %s: status %s: %s\n' "$name" "$wrong" "$status" "$stderr"
            return 1
        }
        [[ $stderr == *'unknown setting'* ]] || known=$((known + 1))
    done < <("$BIN/experiment" slowdown --list-options | grep -P '^option\t')
    [[ $known -ge 40 ]]
}

@test "a line on a load's stdin that is no command gets one error each, and the load continues" {
    local -a wrong=('' ' ' rate 'rate ' mark 'mark ' bogus RESUME 'pause now' 'resume 1' 'quit now' $'rate\t5' 'rate x' 'rate nan' 'rate 1e999'
        'rate -5' 'rate 0' 'rate 50M 3' 'rate 9e18G' 'rate 5 s' 'rate 5ops' 'rate 1_0' 'rate 1,5' 'rate 0x10' $'rate 5\e[31m' "rate $(printf '9%.0s' {1..3000})"
        "$(printf 'x%.0s' {1..9000})" "mark $(printf 'm%.0s' {1..9000})")
    {
        printf '%s\n' "${wrong[@]}"
        printf 'mark a\0b\nresume\nrate 10MB/s\nmark kept\nquit\n'
    } | "$BIN/loadgen" mem --footprint 1MiB --threads 1 --control >out
    # Each is valid JSON, and a message of one line with what to give.
    holds --argjson wrong $((${#wrong[@]} + 1)) -s '(map(select(.event == "error")) | length == $wrong and all(.message | test("^[^\n]*: give [^\n]*$") and length < 300))
        and (map(select(.event == "mark").mark) == ["kept"]) and .[-1].event == "summary"' <out
}

@test "a load in an experiment that is none, or that says what jostle says itself, is refused before anything starts" {
    local spec
    mkdir empty
    cd empty
    for spec in 'cpu --control' 'x=cpu --duration 3s' 'x=cpu --help' 'x=mem --dry-run --limit 5M' x=--version x= '=cpu' '@2=cpu' '../x=cpu' 'x=cpu + + cpu' "x=cpu '" \
        "$(printf 'n%.0s' {1..101})=cpu"; do
        refused '' "$BIN/experiment" slowdown --load "$spec" -- touch ran
        [[ $stderr != *$'\n'* && ${#stderr} -lt 300 ]]
    done
    refused '--limit 0%' "$JOSTLE" slowdown --load 'x=mem --limit 0%' --output ../out -- touch ran
    [[ -z $(ls -A) && ! -e ../out ]]
}

@test "options of a site's settings give way to those of a job" {
    run -0 bash -c '
        eval "$(sed -n "/^job_defaults()/,/^}/p" "$1/jobs/common.bash")"
        measure_options=(--error 2% --quiet --max-runs=50 --load "cpu --percent 5")
        job_defaults --max-runs 20 --error=1% -- ./solver --quiet
        printf "%s|" "${defaults[@]}"' - "$ROOT"
    [[ $output == '--quiet|--load|cpu --percent 5|' ]]
}

@test "a seed that one command takes is one that all take, and leads to no experiment that refuses it" {
    local command
    cd "$BATS_TEST_TMPDIR" || return
    for command in slowdown profile pack; do
        run -2 "$JOSTLE" "$command" --seed 2000000000 -- true
        [[ $output == *'--seed 2000000000: out of range'* ]]
    done
    run -0 "$JOSTLE" pack --quiet --seed 1000000007 --dry-run -- true
    run -0 "$JOSTLE" profile --quiet --seed 1000000007 --dry-run -- sleep 0.05
}
