#!/usr/bin/env bats
# jostle and its commands: help, options, what is refused.

load helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return
}

# bats test_tags=slow
@test "jostle --help lists every command with what it is for" {
    run -0 "$JOSTLE" --help
    local file
    for file in "$ROOT"/{harness,jobs}/commands/*; do
        [[ ${file##*/} != probe ]] || continue # gone: it only says what to use
        grep -qE "^  ${file##*/} +[a-z]" <<<"$output"
    done
}

# bats test_tags=slow
@test "every command has --help, on stdout, with exit 0 and its options" {
    local file
    for file in "$ROOT"/{harness,jobs}/commands/*; do
        run -0 "$JOSTLE" "${file##*/}" --help
        grep -q "^Usage: jostle ${file##*/}" <<<"$output"
        run -0 "$JOSTLE" "${file##*/}" --help-all
        grep -qi 'exit status' <<<"$output"
    done
}

@test "jostle help COMMAND is the same as jostle COMMAND --help" {
    diff <("$JOSTLE" help slowdown) <("$JOSTLE" slowdown --help)
}

@test "jostle --version prints the version and the revision of the build in one line" {
    run -0 "$JOSTLE" --version
    [[ $output =~ ^jostle\ ([0-9]+\.[0-9]+\.[0-9]+\ \([0-9a-f]+\+?\))$ ]]
    [[ $("$BIN/loadgen" --version) == "loadgen ${BASH_REMATCH[1]}"$'\n''built with: '* ]]
    [[ $("$BIN/stats" --version) == "stats ${BASH_REMATCH[1]}" ]]
    JOSTLE_BUILD=$BATS_TEST_TMPDIR run -1 "$JOSTLE" --version
    [[ ${#lines[@]} -eq 1 && $output == *'/bin/meter is missing: run make' ]]
}

@test "jostle without a command is wrong use" {
    run -2 "$JOSTLE"
}

@test "an unknown command is refused with the nearest one" {
    run -2 "$JOSTLE" slowdwon
    [[ $output == 'jostle: unknown command slowdwon (did you mean slowdown?)'* ]]
}

@test "an unknown option is refused with the nearest one" {
    run -2 "$JOSTLE" run --max-rnus 3 -- true
    [[ $output == 'jostle: --max-rnus: no such option of jostle run: did you mean --max-runs?' ]]
    run -2 "$JOSTLE" slowdown --at-least 3 --load cpu -- true
    [[ $output == 'jostle: --at-least: no such option'* ]]
    run -2 "$JOSTLE" run --at-most 3 -- true
}

# bats test_tags=slow
@test "wrong values are refused before anything runs, each with what to give" {
    local -a wrong=(
        '--error 0' '--error 1' '--error 7' '--error x' '--confidence 1' '--max-runs 0' '--max-runs 1.5'
        '--min-runs -3' '--max-time 0' '--max-time soon' '--timeout 3x' '--metric wall' '--engine time'
        '--target-cpus a' '--nice low' '--nice 20' '--seed -1' '--min-runs 5 --max-runs 4' '--place l4' '--place-cpus 1:'
    )
    local words
    for words in "${wrong[@]}"; do
        # shellcheck disable=SC2086 # an option and its value
        run -2 "$JOSTLE" run $words -- touch ran
        [[ $output == 'jostle: '*': '* ]]
        [[ $(wc -l <<<"$output") -eq 1 ]]
    done
    [[ ! -e ran && ! -e jostle-results ]]
}

@test "an option that needs a value says so, and a flag refuses one" {
    run -2 "$JOSTLE" run --error
    [[ $output == *'--error needs a value'* ]]
    run -2 "$JOSTLE" run --quiet=yes -- true
    [[ $output == *'--quiet takes no value'* ]]
}

@test "a target is needed" {
    run -2 "$JOSTLE" run
    [[ $output == *'no target'* ]]
}

@test "--help of what has many options shows the usual ones, and --help-all all of them" {
    run -0 "$JOSTLE" slowdown --help
    [[ ${#lines[@]} -le 50 && $output == *'--load=NAME=SPEC'*'--help-all'*'Examples:'* && $output != *--washout* ]]
    run -0 "$JOSTLE" slowdown --help-all
    [[ $output == *--washout* && $output == *'Exit status:'* ]]
}

@test "two loads of one name are refused" {
    run -2 "$JOSTLE" slowdown --load cpu --load cpu -- true
    [[ $output == *'the name cpu is taken'* ]]
    run -2 "$JOSTLE" slowdown --load baseline=cpu -- true
    [[ $output == *'the name baseline is taken'* ]]
}

# bats test_tags=slow
@test "a load that loadgen refuses is wrong use, in loadgen's words, and leaves nothing" {
    run -2 "$JOSTLE" slowdown --load 'x=cpu --percent 500' -- touch ran
    [[ $output == *'load x: '*'--percent 500'* ]]
    run -2 "$JOSTLE" slowdown --load 'x=cpuu' -- touch ran
    [[ $output == *'did you mean cpu'* ]]
    [[ ! -e ran && ! -e jostle-results ]]
}

@test "a load with an open quote, or an empty one, is refused" {
    run -2 "$JOSTLE" slowdown --load "x=cpu --percent '50" -- true
    [[ $output == *'a quote is not closed'* ]]
    run -2 "$JOSTLE" slowdown --load 'x=cpu + ' -- true
    [[ $output == *'a load is missing'* ]]
    run -2 "$JOSTLE" slowdown --load 'x=exec:' -- true
    [[ $output == *'no command'* ]]
}

@test "an output folder that cannot be made or written is a failure with a way out" {
    touch file
    run -1 "$JOSTLE" run --output file/folder -- touch ran
    [[ $output == 'jostle: cannot make the folder file/folder (Not a directory): choose another with --output' ]]
    [[ ! -e ran ]]
}

@test "an output folder that holds an experiment is not overwritten" {
    mkdir out
    printf 'precious\n' >out/runs.jsonl
    run -2 "$JOSTLE" run --output out -- true
    [[ $output == *'already holds an experiment'* ]]
    [[ $(<out/runs.jsonl) == precious ]]
}

# bats test_tags=slow
@test "jostle probe is gone, and says in one line what to use" {
    local words said
    while IFS='|' read -r words said; do
        # shellcheck disable=SC2086 # words
        run -2 --separate-stderr "$JOSTLE" probe $words
        # shellcheck disable=SC2154 # run sets it
        [[ -z $output && ${#stderr_lines[@]} -eq 1 && $stderr == "jostle: probe is no command any more: $said"* ]] || { echo "$words: $stderr" >&2 && false; }
    done <<'END'
|use jostle blame
--json -|use jostle blame
--at-most 20%|use jostle blame --at-most 5%
--watch --interval 1s|use jostle blame --watch
--for=a.profile.json|use jostle blame -- PROGRAM, or jostle predict
--reference --quick|leave it out: jostle blame needs no reference
-- sleep --reference|use jostle blame
END
    run -0 "$JOSTLE" probe --help
    [[ $output == *'jostle blame'* ]]
}

# bats test_tags=slow
@test "no command touches a folder with files that it has not made" {
    local command
    mkdir -p d/cells d/alone
    printf 'mine\n' | tee d/{experiment,campaign,result,bench-plan,pack-plan}.json d/{target.stdout,quiet-mine.json,meter.stderr,trial.part,campaign.conf,calibrate.log,.hidden} d/alone/file >/dev/null
    : >d/solver.stderr
    printf '[target "t"]\n    command = true\n' >c.conf
    tar -cf before d
    for command in 'run -- true' 'run --resume -- true' 'slowdown --load cpu -- true' 'capacity --vary rate=1..2 --metric m=stdout:/(.)/ --slo m<1 -- true {rate}' \
        'campaign c.conf' 'submit --scheduler local c.conf' 'pack -- true' 'pack --resume -- true' 'profile --check-noise -- true' \
        'bench cpu --quick' 'merge d'; do
        # shellcheck disable=SC2086 # words
        run "$JOSTLE" ${command/ / --output d }
        [[ $status == [12] && $output == *jostle:*@(another|give\ a\ folder)* ]] || { echo "$command: $output" >&2 && false; }
    done
    tar -df before
    printf 'mine\n' >true.profile.json
    run -2 "$JOSTLE" profile -- true
    [[ $output == *'true.profile.json is there'* && $(<true.profile.json) == mine && ! -e true.profile ]]
}

# bats test_tags=slow
@test "what ends before its first record takes away what it has made, and nothing else" {
    mkdir d
    run -1 "$JOSTLE" run --output d --setup 'printf mine | tee d/solver.stderr d/load.x.stderr; touch d/empty.stderr; mkdir d/target.stderr; false' -- true
    [[ $(echo d/*) == 'd/empty.stderr d/load.x.stderr d/solver.stderr d/target.stderr' ]]
    run -1 "$JOSTLE" run --output new/folder --setup false -- true
    [[ -d new && ! -e new/folder ]]
    mkdir mine
    run -1 "$JOSTLE" run --output mine --setup false -- true
    [[ -d mine && -z $(ls -A mine) ]]
    "$JOSTLE" run --quiet --output mine --min-runs 2 --max-runs 2 --setup 'touch mine/solver.stderr' -- true
    [[ -e mine/solver.stderr && ! -e mine/meter.stderr ]]
}

# bats test_tags=slow
@test "numbers have a point in every language" {
    mkdir locales
    localedef -i de_DE -f UTF-8 locales/de_DE.UTF-8 2>/dev/null || skip "no German locale can be made here"
    export LOCPATH=$PWD/locales LC_ALL=de_DE.UTF-8
    run --separate-stderr -0 "$JOSTLE" slowdown --quiet --output out --error 2.5% --settle 0.1s --max-runs 3 --load 'low=cpu --percent 7.5' -- sleep 0.05
    # shellcheck disable=SC2154 # run sets it
    [[ $stderr != *printf* ]]
    holds '.settings.error == 0.025 and .settings.settle_s == 0.1 and .conditions[0].wall_s.mean > 0.05' <out/result.json
}

@test "an option takes its value with a blank or with =" {
    "$JOSTLE" slowdown --quiet --output=out --max-runs=2 --error=3% --load='low=cpu --percent=5 --threads=1' -- true
    holds '.settings.max_runs == 2 and .settings.error == 0.03 and .loads[1].spec == "cpu --percent=5 --threads=1"' <out/experiment.json
}

@test "the system's reason is passed on wherever something cannot be made or written" {
    local program
    : >file
    export XDG_CACHE_HOME=$PWD/cache
    run -1 env TMPDIR="$PWD/file" "$JOSTLE" plan quick
    [[ $output == 'jostle: cannot make a temporary folder (Not a directory): '* && ${#lines[@]} -eq 1 ]]
    run -1 "$JOSTLE" init --output file/conf -- true
    [[ $output == 'jostle: file/conf cannot be written (Not a directory): '* && ${#lines[@]} -eq 1 ]]
    run -1 env JOSTLE_QUEUE="$PWD/file/queue" "$ROOT/jobs/local/queue" submit name 0 1 log file
    [[ $output == *"cannot write to $PWD/file/queue (Not a directory): "* ]]
    # A program that is not there is named, not what it would have read.
    mkdir programs
    for program in bash env readlink mkfifo mkdir rm cp mktemp sed tr; do ln -s "$(type -P "$program")" programs/; done
    printf '[target "a"]\n\tcommand = true\n' >conf
    PATH=$PWD/programs run -1 "$JOSTLE" plan conf
    [[ $output == 'jostle: git is not installed: '* && ${#lines[@]} -eq 1 ]]
}

@test "an option that another command has is said to be that one's" {
    run -2 "$JOSTLE" run --at-most 1.1 -- true
    [[ $output == 'jostle: --at-most: no such option of jostle run: jostle slowdown has it, '* ]]
    run -2 "$JOSTLE" run --at-mos 1.1 -- true
    [[ $output != *'jostle slowdown has it'* ]]
}
