#!/usr/bin/env bats
# What a power cut, a full disk or a hand leaves in a file: each reader uses what is whole and says so, or
# refuses with one line that names the file.

load helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    cp -r "$BATS_TEST_DIRNAME/fixtures/report/campaign/cells/delannoy.n=5@disk.10%" whole
    runs=$(wc -l <whole/runs.jsonl)
    middle=$((runs / 2))
}

# damaged KIND FILE: the file after that.
damaged() {
    case $1 in
        torn) head -c $(($(stat -c %s "$2") - 200)) "$2" ;;
        zeros-behind) cat "$2" && head -c 700 /dev/zero ;;
        zeros-between) head -n "$middle" "$2" && head -c 512 /dev/zero && echo && tail -n +$((middle + 1)) "$2" ;;
        garbage-between) head -n "$middle" "$2" && printf '%%$\xff\xfe "{\n' && tail -n +$((middle + 1)) "$2" ;;
        list-between) head -n "$middle" "$2" && echo '[1, "a"]' && tail -n +$((middle + 1)) "$2" ;;
        nul-within) head -n "$middle" "$2" && tail -n 1 "$2" | tr -d '\n' && printf '\0x\n' && tail -n +$((middle + 1)) "$2" ;;
        twice) cat "$2" && tail -n 1 "$2" ;;
        empty) : ;;
        zeros) head -c "$(stat -c %s "$2")" /dev/zero ;;
        other) echo '[1, "a"]' ;;
    esac
}

# figures FOLDER: how many runs its result uses of each condition, and what they come to.
figures() {
    jq -c '[.conditions[] | [.name, .runs, .metrics.wall_s.mean]]' "$1/result.json"
}

# bats test_tags=slow
@test "runs.jsonl: a line that is no record is left out with its number, and the others count" {
    local kind status
    "$BIN/stats" --derive whole
    for kind in torn zeros-behind zeros-between garbage-between list-between nul-within twice empty; do
        rm -rf out && cp -r whole out
        damaged "$kind" whole/runs.jsonl >out/runs.jsonl
        status=0
        "$BIN/stats" --derive out 2>err || status=$?
        [[ $status -eq 0 ]]
        case $kind in
            empty) [[ ! -s err ]] ;;
            twice) [[ $(<err) == "jostle: out/runs.jsonl: line $((runs + 1)) "* ]] ;;
            torn) [[ $(<err) == "jostle: out/runs.jsonl: line $runs is no record: "* ]] ;;
            zeros-behind) [[ $(<err) == "jostle: out/runs.jsonl: line $((runs + 1)) is no record: "* ]] ;;
            *) [[ $(<err) == "jostle: out/runs.jsonl: line $((middle + 1)) is no record: "* ]] ;;
        esac
        [[ $(wc -l <err) -le 1 ]]
        [[ $kind == torn || $kind == empty ]] || [[ $(figures out) == "$(figures whole)" ]]
        "$JOSTLE" report out >/dev/null 2>err
        [[ $kind == twice || $kind == empty ]] || [[ $(<err) == 'jostle: out/runs.jsonl: 1 line is broken or half-written and left out' ]]
    done
}

# bats test_tags=slow
@test "the report takes no number with a 0 in front or a blank within, no escape that is none and no name twice, as no other reader does" {
    local kind file
    for kind in 's/"wall_s": *0/&0/' 's/"wall_s": *0/& /' 's/"schema":/"x":"\\q",&/' 's/"schema":/"schema":"jostle.run\/1",&/'; do
        rm -rf out && cp -r whole out
        sed "2$kind" whole/runs.jsonl >out/runs.jsonl
        ! cmp -s whole/runs.jsonl out/runs.jsonl
        "$BIN/stats" --derive out 2>err
        [[ $(<err) == 'jostle: out/runs.jsonl: line 2 is no record: '* ]]
        "$JOSTLE" report out >/dev/null 2>err
        [[ $(<err) == 'jostle: out/runs.jsonl: 1 line is broken or half-written and left out' ]]
    done
    for file in experiment.json result.json; do
        for kind in 's/"confidence": *0/&0/' 's/"confidence": *0/& /' 's/"schema":/"x":"\\q",&/' 's/"schema":/"schema":"x",&/'; do
            rm -rf out && cp -r whole out
            sed "$kind" "whole/$file" >"out/$file"
            ! cmp -s "whole/$file" "out/$file"
            "$JOSTLE" report out >/dev/null 2>err || true
            grep -qFx "jostle: out/$file is broken or half-written" err
        done
    done
}

# bats test_tags=slow
@test "a report of members that are of another type than they should be ends by no signal" {
    local kind file format status
    for kind in 'experiment.settings = ["a"]' 'experiment.environment = [1]' 'result.warnings = "a"' 'result.conditions[].metrics = [{ mean: 1 }]'; do
        rm -rf out && cp -r whole out
        file=${kind%%.*}.json
        jq -c ".${kind#*.}" "whole/$file" >"out/$file"
        for format in csv html json terminal; do
            status=0
            "$BIN/report" --formats="$ROOT/harness/report/format" --quiet --format "$format" out >/dev/null || status=$?
            [[ $status -le 1 ]]
        done
    done
}

# bats test_tags=slow
@test "an experiment resumes over what is broken in the middle of its records" {
    "$JOSTLE" run --quiet --output first --min-runs 4 --max-runs 4 --seed 1 -- true
    runs=4 middle=2
    local kind
    for kind in zeros-between garbage-between nul-within zeros-behind; do
        rm -rf out && cp -r first out
        damaged "$kind" first/runs.jsonl >out/runs.jsonl
        "$JOSTLE" run --quiet --resume --output out --min-runs 5 --max-runs 5 --seed 1 -- true 2>err
        grep -qE 'runs.jsonl: line 3 is no record|last line of .* was not written in full' err
        [[ $(wc -l <err) -eq 1 ]]
        # The four that there were, and one more.
        holds '.conditions[0].runs == 5' <out/result.json
        [[ $(grep -ac '"schema":"jostle.run/1".*}$' out/runs.jsonl) -eq 5 ]]
    done
    # A result that is damaged is derived again, without a run.
    damaged torn first/result.json >out/result.json
    rm -rf out && cp -r first out
    damaged torn first/result.json >out/result.json
    "$JOSTLE" run --quiet --resume --output out --min-runs 4 --max-runs 4 --seed 1 -- true
    cmp first/runs.jsonl out/runs.jsonl
    [[ $(figures out) == "$(figures first)" ]]
}

# bats test_tags=slow
@test "a file that is one record, and is not whole, is refused with its name" {
    local kind file
    mkdir pack bench p.profile
    refused() { # FILE COMMAND...
        run --separate-stderr timeout 100 "${@:2}"
        [[ $status -eq 1 || $status -eq 2 ]]
        # shellcheck disable=SC2154 # run sets it
        [[ $(grep -c . <<<"$stderr") -eq 1 && $stderr == 'jostle: '*"$1"* ]]
    }
    cp -r whole other
    for kind in torn empty zeros other; do
        damaged "$kind" whole/experiment.json >other/experiment.json
        refused other/experiment.json "$BIN/stats" --derive other
        refused other/experiment.json "$BIN/compare" whole other
        for file in pack bench; do
            damaged "$kind" "whole/result.json" >"$file/$file-plan.json"
            refused "$file/$file-plan.json" "$BIN/$file" --show "$file"
        done
        damaged "$kind" "whole/result.json" >p.profile/profile-plan.json
        refused p.profile/profile-plan.json "$BIN/profile" --resume --output p.profile.json -- true
        damaged "$kind" whole/result.json >solver.profile.json
        refused solver.profile.json "$BIN/predict" solver.profile.json solver.profile.json
    done
}

# bats test_tags=slow
@test "a pipe in the place of a record is refused by its name, not waited for, and nothing else is lost" {
    local name
    "$BIN/stats" --derive whole
    for name in experiment.json runs.jsonl result.json; do
        rm -rf out && cp -r whole out
        rm "out/$name" && mkfifo "out/$name"
        run -1 timeout 100 "$BIN/stats" --derive out
        [[ $output == "jostle: "*"out/$name"* && ${#lines[@]} -eq 1 ]]
        run timeout 100 "$JOSTLE" run --quiet --resume --output out -- true
        [[ ($status -eq 1 || $status -eq 2) && ${#lines[@]} -eq 1 ]]
        rm "out/$name" && cp "whole/$name" out
        diff -r whole out
    done
    # A folder of nothing else: whether it has records of a probe is asked of each file.
    mkdir pipes && mkfifo pipes/runs.jsonl
    run -0 timeout 100 "$JOSTLE" report pipes
    [[ $output == 'jostle: pipes/runs.jsonl cannot be read (not a regular file)'* ]]
}

# bats test_tags=slow
@test "a cell that had ended, and whose status did not get to the disk, is done by the same command" {
    local cell='out/cells/t@low'
    printf '[campaign]\nname = x\nmin-runs = 2\nmax-runs = 2\nerror = 0.000001\nwashout = 0\n[target "t"]\ncommand = true\n[load "low"]\nspec = cpu --percent 5 --threads 1\n' >c.conf
    "$JOSTLE" campaign c.conf --quiet --output out
    cp "$cell/runs.jsonl" before
    jq -c '.state = "running" | .reason = null' "$cell/status.json" >damaged
    cp damaged "$cell/status.json"
    "$JOSTLE" campaign c.conf --quiet --output out
    holds '.state == "done" and .reason == "max-runs" and .runs == 4' <"$cell/status.json"
    cmp before "$cell/runs.jsonl"
    # Without its result it is not done before that is written again.
    cp damaged "$cell/status.json"
    rm "$cell/result.json"
    "$JOSTLE" campaign c.conf --quiet --output out
    holds '.state == "done"' <"$cell/status.json"
    [[ -s $cell/result.json ]]
    cmp before "$cell/runs.jsonl"
}
