#!/usr/bin/env bats
# jostle capacity: the highest rate at which a service keeps an objective.

load helpers
bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    queue=$BATS_TEST_DIRNAME/fixtures/queue
    p99='p99_ms=stdout:/p99: ([0-9.]+)/,unit=ms'
}

# capacity ARG...: a search into the folder out, with a seed and without output.
capacity() {
    "$JOSTLE" capacity --quiet --seed 5 --output out "$@"
}

# bats test_tags=slow
@test "the capacity is found alone and under a load, in blocks, with the ratio of the two" {
    # A client that is slower while the load is there: no other process has its command line.
    local noise="sleep 1000.$BASHPID"
    # shellcheck disable=SC2016 # the client's own
    printf '#!/bin/sh\npgrep -x -f %q >/dev/null && mu=700 || mu=1000\nexec %q "$1" $mu 0.02\n' "$noise" "$queue" >client
    chmod +x client
    capacity --metric "$p99" --slo 'p99_ms<2' --vary 'rate=50..5000,unit=/s' --settle 1ms --load "noise=exec: $noise" -- ./client '{rate}'
    holds '.capacity.by_condition | .[0].condition == "baseline" and .[1].condition == "noise" and
        .[1].reference == "baseline" and .[1].of_reference > 0.63 and .[1].of_reference < 0.77 and
        .[1].of_reference_ci[0] < .[1].of_reference and .[1].distinguishable' <out/result.json
    holds '.slowdowns == []' <out/result.json
    holds -s 'group_by(.block) | all(length == 2 and (map(.condition) | unique | length == 2))' <out/runs.jsonl
    [[ $(jq -r .capacity.text out/result.json) == *' alone, '*' beside noise ('*' of alone)' ]]
}

@test "the capacity is near the known one, by as few runs as its error needs, and the sentence has it" {
    run -0 "$JOSTLE" capacity --seed 5 --output out --metric "$p99" --slo 'p99_ms<2' \
        --vary 'rate=10..100000,unit=/s' -- "$queue" '{rate}' 1000 0.05
    [[ $output == *'highest rate that keeps p99_ms<2: '*'/s ['*'] alone'* ]]
    holds '.capacity.by_condition[0] | .value > 450 and .value < 550 and .error <= 0.05 and .bound == null and
        .ci[0] < .value and .value < .ci[1] and .kept > 0 and .kept < .runs' <out/result.json
    holds -s 'length >= 10 and length < 40' <out/runs.jsonl
    is_valid result out/result.json
    is_valid experiment out/experiment.json
    head -1 out/runs.jsonl >run.json
    is_valid run run.json
}

@test "of integers the capacity is the last that keeps the objective" {
    capacity --metric 'ms=stdout:/([0-9]+)/' --slo 'ms<=5' --vary 'n=1..16' -- sh -c 'echo $(({n} > 7 ? 9 : 1))'
    holds '.capacity | .whole and .by_condition[0].value == 7 and .by_condition[0].ci == [7, 7]' <out/result.json
}

# bats test_tags=slow
@test "an objective that is kept at both ends, or at neither, gives a bound and no value" {
    capacity --slo 'wall_s<10' --vary 'n=1..5' -- sh -c ': {n}'
    holds '.capacity.by_condition[0] | .bound == "at-least" and .sure and .value == null' <out/result.json
    holds 'any(.warnings[]; .flag == "range" and (.message | contains("kept even at n 5")))' <out/result.json
    [[ $(jq -r .capacity.text out/result.json) == *'at least 5 alone' ]]
    # Its runs are at different rates.
    run -2 "$JOSTLE" compare out out
    [[ $output == *'is of jostle capacity, whose runs cannot be compared'* ]]
    rm -r out
    capacity --slo 'wall_s>10' --vary 'n=1..5' -- sh -c ': {n}'
    holds '.capacity.by_condition[0] | .bound == "below" and .kept == 0' <out/result.json
}

@test "a client that makes less than it is told, while the objective is kept, is the limit itself" {
    local -a words=(--slo 'wall_s<10' --max-runs 4 --min-runs 4 -- sh -c 'echo done $(({n} > 50 ? 50 : {n}))')
    capacity --metric 'wall_s' --metric 'done=stdout:/done ([0-9]+)/,role=achieved' --vary 'n=10..100,unit=/s' "${words[@]}"
    holds 'any(.warnings[]; .flag == "rate-missed")' <out/result.json
    # A rate that was not sent is not kept.
    holds '.capacity.by_condition[0] | .bound == null or .bound == "inside" or .kept < .runs' <out/result.json
    holds -s 'any(.[]; .vary.n > 53)' <out/runs.jsonl
    rm -r out
    capacity --metric 'wall_s' --metric 'done=stdout:/done ([0-9]+)/,role=achieved' --vary 'n=10..100' "${words[@]}"
    holds 'all(.warnings[]; .flag != "rate-missed")' <out/result.json
}

@test "several objectives must all be kept, and one on 0 is none of a ratio" {
    capacity --metric 'ms=stdout:/ms ([0-9]+)/' --metric 'bad=stdout:/bad ([0-9]+)/' --slo 'ms<100,bad<=0' \
        --vary 'n=1..20' -- sh -c 'echo ms {n} bad $(({n} > 11))'
    holds '.capacity.by_condition[0].value == 11' <out/result.json
}

# bats test_tags=slow
@test "variants have capacities, each compared with the first one alone or with itself alone" {
    capacity --metric "$p99" --slo 'p99_ms<2' --vary 'rate=50..5000' --max-runs 12 --min-runs 12 \
        --variant old="$queue {rate} 1000 0.03" --variant new="$queue {rate} 1400 0.03" --load 'c=cpu --percent 1'
    holds '.capacity.by_condition | map([.condition, .variant, .reference]) ==
        [["old", "old", null], ["new", "new", "old"], ["old@c", "old", "old"], ["new@c", "new", "new"]]' <out/result.json
    holds '.capacity.by_condition[1].of_reference | . > 1.3 and . < 1.5' <out/result.json
}

# bats test_tags=slow
@test "with --timeout a run that it ends does not keep the objective, also when the search is continued" {
    local -a words=(--slo 'wall_s<5' --timeout 1s --vary 'n=1..40' --min-runs 4 -- sh -c 'test {n} -lt 10 || exec sleep 60')
    capacity --max-runs 4 "${words[@]}"
    holds '.capacity.by_condition[0].timed_out > 0' <out/result.json
    holds 'any(.warnings[]; .flag == "time-out-missed")' <out/result.json
    capacity --max-runs 6 --resume "${words[@]}"
    holds '.capacity.by_condition[0] | .runs == 6 and .timed_out > 0' <out/result.json
}

@test "an objective whose figure is missing is named" {
    run -2 capacity --slo 'context_switches<5' --vary 'n=1..5' -- sh -c ': {n}'
    [[ $output == *'--slo context_switches: that is counted on request only: add --metric context_switches' ]]
    run -5 capacity --metric 'ms=stdout:/ms ([0-9]+)/' --metric 'bad=stdout:/bad ([0-9]+)/,role=errors' --slo 'ms<100,bad<=0' \
        --vary 'n=1..20' -- sh -c 'echo ms {n}'
    [[ $output == *'the target made no figure bad: has no value, and --slo is about it: '* ]]
}

@test "a target that fails ends the search; with --ignore-failure it does not keep the objective" {
    local -a words=(--slo 'wall_s<60' --vary 'n=1..40' -- sh -c 'test {n} -le 9')
    run -5 capacity "${words[@]}"
    rm -r out
    capacity --ignore-failure "${words[@]}"
    holds '.capacity.by_condition[0].value == 9' <out/result.json
}

# bats test_tags=slow
@test "a search that is continued makes the runs that it would have made" {
    local -a words=(--metric "$p99" --slo 'p99_ms<2' --vary 'rate=10..100000' -- "$queue" '{rate}' 1000 0.05)
    capacity --min-runs 8 --max-runs 8 "${words[@]}"
    jq .vary.rate out/runs.jsonl >whole
    rm -r out
    capacity --min-runs 3 --max-runs 3 "${words[@]}"
    capacity --min-runs 8 --max-runs 8 --resume "${words[@]}"
    cmp whole <(jq .vary.rate out/runs.jsonl)
    "$BIN/stats" --derive out
    holds '.capacity.by_condition[0].runs == 8' <out/result.json
}

@test "what capacity cannot do is refused, with what to give" {
    run -2 capacity -- true
    [[ $output == *"capacity needs --slo"*"p99_ms<2"* ]]
    run -2 capacity --slo 'p99_ms=2' -- true
    [[ $output == *"--slo p99_ms=2: not METRIC<VALUE"* ]]
    run -2 capacity --slo "$(printf 'x%.0s' {1..64})<2" --vary 'n=1..5' -- sh -c ': {n}' # the longest name that a metric may have
    [[ $output == *"xx: no metric is named so: "* ]]
    run -2 capacity --slo 'wall_s<2' --vary 'rate=5..1' -- true
    [[ $output == *"--vary rate=5..1: not NAME=LOW..HIGH"* ]]
    run -2 capacity --slo 'wall_s<2' --vary 'rate=1..5' -- true
    [[ $output == *"{rate} is not in the target's words"* ]]
    run -2 capacity --slo 'p99_ms<2' --vary 'rate=1..5' -- true '{rate}'
    [[ $output == *"--slo p99_ms: no metric is named so: define it"* ]]
    run -2 capacity --slo 'wall_s<2' --vary 'rate=1..5' --engine hyperfine -- true '{rate}'
    [[ $output == *"hyperfine has no values to vary"* ]]
    [[ ! -e out ]]
}

# recorded: 0 when meter has written that it is ready, and two records.
recorded() {
    [[ -e records && $(wc -l <records) -eq 3 ]]
}

@test "meter puts the value of a run in the place of {NAME}, in each word" {
    # The end of its input ends a run, too.
    { printf 'run 0 12.5\nrun 0 7\n' && eventually 30 recorded; } | "$BIN/meter" --serve --vary x --output records --stdout out -- sh -c 'echo "$@" >>all' '{x}' 'a{x}b{x}' '{y}{'
    [[ $(<all) == $'a12.5b12.5 {y}{\na7b7 {y}{' ]]
    run -2 "$BIN/meter" --serve --vary x --output /dev/null -- true <<<'run 0'
}
