#!/usr/bin/env bats
# jostle slowdown --resume: an experiment that was interrupted goes on.

load helpers

harness=''

setup() {
    cd "$BATS_TEST_TMPDIR" || return
}

# start [OPTION...]: measure in the background; its id is then in harness. Without washout,
# whose runs would be calls, too.
start() {
    "$JOSTLE" slowdown --output out --seed 5 --washout 0 --load 'low=cpu --percent 5 --threads 1' --quiet "$@" -- ./target >/dev/null 2>&1 </dev/null 3>&- &
    harness=$!
}

# measure [OPTION...]: the experiment of these tests, in out.
measure() {
    "$JOSTLE" slowdown --output out --seed 5 --washout 0 --load 'low=cpu --percent 5 --threads 1' "$@" -- ./target
}

# target [SECONDS]: a target that counts its calls.
target() {
    printf '#!/bin/sh\necho >>calls\nexec sleep %s\n' "${1:-0.02}" >target
    chmod +x target
}

# hanging N: such a target, of which all calls after N never end as long as there is no file `go`.
hanging() {
    printf '#!/bin/sh\necho >>calls\n[ -e go ] || [ "$(wc -l <calls)" -le %d ] || exec sleep 1000\nexec sleep 0.02\n' "$1" >target
    chmod +x target
}

# runs_used: the records that are used, one JSON line each.
runs_used() {
    jq -c 'select(.block != 0)' out/runs.jsonl
}

# killed_after N: starts the experiment, and kills it in the run after the first N.
killed_after() {
    hanging "$1"
    start --max-runs 6
    eventually 60 has_lines "$1"
    kill -KILL "$harness"
    wait "$harness" || true
    eventually 30 free
    touch go
}

has_lines() {
    [[ -e out/runs.jsonl && $(wc -l <out/runs.jsonl) -ge $1 ]]
}

free() {
    flock -n -s out/runs.jsonl true
}

# bats test_tags=slow
@test "after SIGKILL it goes on where it was, in the order that it would have had" {
    killed_after 3
    local before
    before=$(wc -l <out/runs.jsonl)
    [[ ! -e out/result.json ]]
    measure --resume --quiet --max-runs 6
    [[ $(wc -l <calls) -le 13 ]] # the run that the kill cut short is made again
    holds -s 'length == 12 and map(.order) == [range(1; 13)]' < <(runs_used)
    holds --argjson n "$before" '.resumed | length == 1 and .[0].runs == $n and .[0].set_aside == 0' <out/experiment.json
    # The same seed without an interruption:
    "$JOSTLE" slowdown --quiet --output whole --seed 5 --max-runs 6 --washout 0 --load 'low=cpu --percent 5 --threads 1' -- ./target
    diff <(jq -r '[.condition, .block, .order] | @tsv' out/runs.jsonl) <(jq -r '[.condition, .block, .order] | @tsv' whole/runs.jsonl)
}

# bats test_tags=slow
@test "a last line that was cut off is set aside, with a warning" {
    target
    measure --quiet --max-runs 4
    rm out/result.json
    truncate -s -300 out/runs.jsonl
    run -0 measure --resume --max-runs 4
    [[ $output == *'not written in full'*'runs.jsonl.torn'* ]]
    [[ -s out/runs.jsonl.torn ]]
    holds -s 'length == 8 and map(.order) == [range(1; 9)]' <out/runs.jsonl
    # Zeros are what a power failure leaves on some file systems.
    head -c 500 /dev/zero >>out/runs.jsonl
    run -0 measure --resume --max-runs 4
    holds -s 'length == 8' <out/runs.jsonl
}

@test "a result that is complete is not measured again" {
    target
    measure --quiet --max-runs 3
    sha256sum out/{runs.jsonl,result.json,experiment.json} >sums
    run -0 measure --resume --max-runs 3
    [[ $output == *'is complete'*'nothing to do'* && $output == *'slowdown'* ]]
    sha256sum --quiet -c sums
    [[ $(wc -l <calls) -eq 6 ]]
}

# bats test_tags=slow
@test "a gate that is complete is left alone, too, and has its exit status again" {
    # A figure that nothing else on the machine changes.
    printf '#!/bin/sh\necho 5\n' >target
    chmod +x target
    local -a gate=(--quiet --max-runs 20 --metric 'x=stdout:/([0-9])/' --at-most 9)
    run -0 measure "${gate[@]}"
    # What a scheduler counted then is not known again.
    jq '.step_accounting = { steps: [], reason: null }' out/experiment.json >changed
    mv changed out/experiment.json
    sha256sum out/{runs.jsonl,result.json,experiment.json} >sums
    run -0 measure --resume "${gate[@]}"
    sha256sum --quiet -c sums
}

# bats test_tags=slow
@test "more runs may be asked for afterwards" {
    target
    measure --quiet --max-runs 3
    measure --quiet --resume --min-runs 5 --max-runs 5
    holds '.settings.max_runs == 5 and .conditions[0].runs == 5' <out/result.json
    [[ $(wc -l <calls) -eq 10 ]]
}

# bats test_tags=slow
@test "what was ended by --max-time goes on" {
    target 0.2
    measure --quiet --max-time 500ms --max-runs 4
    holds '.stopped == "max-time"' <out/experiment.json
    measure --quiet --resume --max-runs 4
    holds 'has("stopped") | not' <out/experiment.json
    holds '.conditions[0] | .runs == 4 and .stop_reason != "max-time"' <out/result.json
}

# bats test_tags=slow
@test "another command, load or setting is refused, and nothing is changed" {
    target
    measure --quiet --max-runs 2
    cp target other
    rm out/result.json
    sha256sum out/* >sums
    run -2 "$JOSTLE" slowdown --output out --resume --max-runs 2 --load 'low=cpu --percent 6 --threads 1' -- ./target
    [[ $output == *'load low: recorded cpu --percent 5 --threads 1, now cpu --percent 6'* ]]
    run -2 "$JOSTLE" slowdown --output out --resume --max-runs 2 --washout 0 --load 'low=cpu --percent 5 --threads 1' -- ./other
    [[ $output == *'command: recorded ./target, now ./other'* ]]
    run -2 measure --resume --max-runs 2 --nice 3
    [[ $output == *'nice: recorded none, now 3'* ]]
    run -2 "$JOSTLE" slowdown --output out --resume --seed 6 --washout 0 --load 'low=cpu --percent 5 --threads 1' -- ./target
    [[ $output == *'seed: recorded 5, now 6'* ]]
    sha256sum --quiet -c sums
    run -2 "$JOSTLE" slowdown --resume --load cpu -- true
    [[ $output == *'--output'* ]]
}

# bats test_tags=slow
@test "a block that another host began is made again here, and the result says so" {
    target
    measure --quiet --max-runs 3
    rm out/result.json
    # As if the third block had been interrupted after its first run, elsewhere.
    sed -i -e '6d' -e 's/"host":"[^"]*"/"host":"elsewhere"/' out/runs.jsonl
    run -0 measure --resume --max-runs 4
    [[ $output == *'1 run in '*'set aside'* && $output == *'several nodes (elsewhere, '* ]]
    holds -s 'map(select(.flags | index("set-aside"))) | length == 1 and .[0].block == 0 and .[0].set_aside == {block: 3, order: 5} and .[0].host == "elsewhere"' <out/runs.jsonl
    holds -s 'map(.order) == [range(1; 9)] and (group_by(.block) | all(.[]; map(.host) | unique | length == 1))' < <(runs_used)
    holds '.warnings | any(.flag == "several-hosts" and (.message | contains("elsewhere")))' <out/result.json
    holds '.conditions | all(.runs == 4)' <out/result.json
}

# bats test_tags=slow
@test "a run that failed is made again once the target is mended" {
    printf '#!/bin/sh\necho >>calls\n[ -e good ] || [ $(wc -l <calls) -lt 3 ]\n' >target
    chmod +x target
    run -5 measure --max-runs 3
    touch good
    measure --quiet --resume --max-runs 3
    holds '.conditions | all(.runs == 3)' <out/result.json
    holds -s 'map(select(.exit_code != 0)) | length == 1 and .[0].block == 0' <out/runs.jsonl
}

# bats test_tags=slow
@test "runs that failed and were made again are counted in the result, by condition and kind" {
    # The second call fails, the fourth dies, the sixth hangs.
    printf '#!/bin/sh\necho >>calls\ncase $(wc -l <calls) in 2) exit 3 ;; 4) kill -9 $$ ;; 6) exec sleep 60 ;; esac\n' >target
    chmod +x target
    for _ in 1 2 3; do run -5 measure --max-runs 3 --timeout 2s --resume; done
    run -0 measure --max-runs 3 --timeout 2s --resume
    [[ $output == *'3 of 9 runs failed ('*'the figures are of those that succeeded'* ]]
    holds '[.conditions[].failed] | add == 3' <out/result.json
    holds '[.conditions[].failures] | (map(.exit) | add) == 1 and (map(.signal) | add) == 1 and (map(.timed_out) | add) == 1 and (map(.not_started) | add) == 0' <out/result.json
    holds '.conditions | all(.runs == 3 and .censored == 0)' <out/result.json
    holds '[.warnings[] | select(.flag == "failed-runs")] | length == 1 and .[0].severity == "problem" and .[0].runs == []' <out/result.json
    is_valid result out/result.json
    # The records alone say so too.
    cp out/result.json before.json
    "$BIN/stats" --derive out
    cmp out/result.json before.json
}

# bats test_tags=slow
@test "another program or another variable is warned of on resume, and in the result" {
    target 0.01
    OMP_NUM_THREADS=1 measure --quiet --max-runs 2 --min-runs 2
    OMP_NUM_THREADS=1 run -0 measure --quiet --resume --max-runs 3 --min-runs 3
    [[ $output != *changed* ]]
    holds '.warnings | all(.flag != "changed")' <out/result.json
    echo '# a new build' >>target
    OMP_NUM_THREADS=4 run -0 measure --quiet --resume --max-runs 4 --min-runs 4
    [[ $output == *'out: changed since the runs that are there: program (recorded sha256 '*', now sha256 '*'), OMP_NUM_THREADS (recorded 1, now 4): the figures will mix both'* ]]
    holds '[.warnings[] | select(.flag == "changed")] | length == 1 and .[0].severity == "problem"
        and (.[0].message | contains("after 6 runs") and contains("OMP_NUM_THREADS (from 1, to 4)"))' <out/result.json
    holds '.resumed | length == 2 and all(.program.size_bytes > 0 and (.variables | has("OMP_NUM_THREADS"))) and .[0].program.sha256 != .[1].program.sha256' <out/experiment.json
    for name in experiment result; do is_valid "$name" "out/$name.json"; done
}

@test "a file that the command names is known by its content, and a change of it is said, but where the target writes it" {
    # shellcheck disable=SC2016 # the script expands it
    printf '%s\n' 'echo >>calls' '[ "$(wc -l <calls)" -ne 2 ] || { echo other >input; touch -d "1 hour ago" input; }' 'date +%N >"$2"' >script
    echo one >input
    : >written
    "$JOSTLE" run --quiet --runs 4 --output out --input script -- sh script --from=input written
    holds '[.inputs[] | [.word, has("end")]] == [["'"$PWD"'/script", false], ["script", false], ["input", true], ["written", true]]' <out/experiment.json
    holds '[.warnings[] | select(.flag == "changed") | .message] | length == 1 and (.[0] | contains("not by its last runs, this changed: input input"))' <out/result.json
    echo '# another' >>script
    run -0 "$JOSTLE" run --quiet --runs 5 --output out --resume --input script -- sh script --from=input written
    [[ $output == *'changed since the runs that are there: input '*'/script (recorded sha256 '*', now sha256 '* && $output != *'input written'* ]]
    holds '[.warnings[] | select(.flag == "changed") | .message] | length == 2 and (.[1] | contains("after 4 runs, this changed: input ") and (contains("written") | not))' <out/result.json
    cp out/result.json before.json
    "$BIN/stats" --derive out
    cmp out/result.json before.json
    for name in experiment result; do is_valid "$name" "out/$name.json"; done
}

@test "two measurements into one folder exclude each other" {
    hanging 1
    start --max-runs 8
    eventually 60 has_lines 1
    run -1 measure --resume --quiet --max-runs 8
    [[ $output == *'another jostle is measuring'* ]]
    kill -TERM "$harness"
    wait "$harness" || [[ $? -eq 143 ]]
    [[ -s out/runs.jsonl && -s out/experiment.json ]]
}

# bats test_tags=slow
@test "--cell is recorded, and status.json shows how far the cell is" {
    target
    run -2 measure --cell nonesuch
    echo no json >cell.json
    run -2 measure --cell cell.json
    echo '{"schema":"jostle.cell/1","name":"a@b","number":3,"key":"abc","settings":{"max-runs":"2"}}' >cell.json
    measure --quiet --cell cell.json
    holds '.cell.name == "a@b"' <out/experiment.json
    holds '.cell.number == 3' <out/result.json
    holds '.cell == "a@b" and .key == "abc" and .limits == {"max-runs": "2"} and .state == "done" and .runs == 4 and .max_runs == 4' <out/status.json
    for name in status experiment result; do
        is_valid "$name" "out/$name.json"
    done
    head -n 1 out/runs.jsonl >run.json
    is_valid run run.json
}
