#!/usr/bin/env bats
# Several programs against each other: which there are, what they are called, and that
# each run is of the one that it should be.

load helpers

EXPERIMENT=$BIN/experiment

setup() {
    cd "$BATS_TEST_TMPDIR" || return
}

# names ARG...: the names of the variants that experiment makes of the options, with blanks
# between.
names() {
    rm -rf out
    "$EXPERIMENT" run --output out "$@" >/dev/null && jq -r '[.variants[].name] | join(" ")' out/experiment.json
}

# bats test_tags=slow
@test "each variant runs alone and under each load, in the same blocks" {
    "$JOSTLE" slowdown --quiet --min-runs 2 --max-runs 2 --output out --load 'low=cpu --percent 5' \
        --variant a="sh -c 'echo a >>ran'" --variant b="sh -c 'echo b >>ran'"
    holds '[.conditions[] | [.name, .variant, .load]] == [["a", "a", null], ["b", "b", null], ["a@low", "a", "low"], ["b@low", "b", "low"]]
        and .command == .variants[0].command' <out/experiment.json
    # What ran is what the record says ran.
    diff ran <(jq -r .variant out/runs.jsonl)
    jq -s . out/runs.jsonl | holds 'length == 8 and all((.condition | endswith("@low")) == ((.load | length) == 1))'
    jq -s . out/runs.jsonl | holds '[group_by(.block)[] | map(.condition) | sort] == [["a", "a@low", "b", "b@low"], ["a", "a@low", "b", "b@low"]]'
    is_valid experiment out/experiment.json
    head -n 1 out/runs.jsonl >run.json
    is_valid run run.json
}

# bats test_tags=slow
@test "a variant without a name is named by its program, or by its words where that is not enough" {
    [[ $(names --variant 'true in.dat' --variant '/bin/false in.dat') == 'true false' ]]
    [[ $(names --variant 'sort -n' --variant 'sort -g') == 'sort_-n sort_-g' ]]
    [[ $(names --variant '/bin/echo a' --variant '/bin/echo b') == 'echo_a echo_b' ]]
    [[ $(names --variant '/bin/echo a' --variant '/usr/bin/echo a') == '_bin_echo_a _usr_bin_echo_a' ]]
    [[ $(names --variant 'sort' --variant 'sort') == 'sort sort.2' ]]
    [[ $(names --variant 'x=sort -n' --variant 'sort') == 'x sort' ]]
}

# bats test_tags=slow
@test "parameters make a variant of each combination, the first changes fastest" {
    [[ $(names -L n 1,2 --parameter-list b=x,y 'echo {n}{b}') == 'n=1,b=x n=2,b=x n=1,b=y n=2,b=y' ]]
    holds '[.variants[] | [.command[1], .parameters.n]] == [["1x", "1"], ["2x", "2"], ["1y", "1"], ["2y", "2"]]' <out/experiment.json
    [[ $(names -L n 1,2 --variant 'a=echo {n}' --variant 'b=echo {n} {x}') == 'a,n=1 b,n=1 a,n=2 b,n=2' ]]
    holds '.variants[1].command == ["echo", "1", "{x}"]' <out/experiment.json
    [[ $(names -L 'n=a\,b,c' 'echo {n}') == 'n=a,b n=c' ]]
}

# bats test_tags=slow
@test "the steps of a scan are exact, with the decimals of the step" {
    [[ $(names -P n 1 4 'echo {n}') == 'n=1 n=2 n=3 n=4' ]]
    [[ $(names -P n 0.3 0.7 -D 0.2 'echo {n}') == 'n=0.3 n=0.5 n=0.7' ]]
    [[ $(names --parameter-scan n=-1..0.95..0.5 'echo {n}') == 'n=-1 n=-0.5 n=0.0 n=0.5' ]]
    [[ $(names -P n 0 0.30 -D 0.1 'echo {n}') == 'n=0 n=0.1 n=0.2 n=0.3' ]]
}

@test "setup and cleanup once for each variant, prepare and conclude for each run, with its name and parameters" {
    "$JOSTLE" run --quiet --runs 2 --seed 1 --output out -L n 1,2 --setup 'echo setup {n} >>log' --prepare 'echo prepare {n} >>log' \
        --conclude 'echo conclude {variant} >>log' --cleanup 'echo cleanup {n} >>log' 'true {n}'
    diff log <(
        printf 'setup %s\n' 1 2
        jq -r '.variant | "prepare \(.[2:])\nconclude \(.)"' out/runs.jsonl
        printf 'cleanup %s\n' 1 2
    )
}

@test "cleanup comes as well where a target fails, or setup does" {
    run -5 "$JOSTLE" run --quiet --output out --cleanup 'echo cleaned >>log' --variant a=true --variant b=false
    [[ $(cat log) == $'cleaned\ncleaned' ]]
    run -1 "$JOSTLE" run --quiet --output out2 --setup '[[ {variant} != b ]]' --cleanup 'echo {variant} >>log2' --variant a=true --variant b=true --variant c=true
    [[ $output == *'--setup failed with status 1: [[ b != b ]]'* && $(cat log2) == $'a\nb' ]]
}

# bats test_tags=slow
@test "the target's output goes where --stdout and --stderr say" {
    "$JOSTLE" run --quiet --runs 2 --output out --stdout inherit -- echo hello >shown
    [[ $(<shown) == $'hello\nhello' ]]
    run -5 "$JOSTLE" run --quiet --runs 2 --output out2 --stdout o --stderr e -- sh -c 'echo 1; echo last words >&2; exit 3'
    [[ $output == *'exit 3'*': last words:'* && $(<o) == 1 && $(<e) == 'last words' && ! -e out2/target.stderr ]]
    "$JOSTLE" run --quiet --runs 2 --output out3 --stdout o --metric 'v=stdout:/v=([0-9]+)/' -- sh -c 'echo v=4'
    [[ $(<o) == v=4 ]]
    holds '.conditions[0].metrics.v.mean == 4' <out3/result.json
}

# what_stdout_is OPTION...: runs a target that says what its stdout is.
what_stdout_is() {
    rm -rf out
    "$JOSTLE" run --quiet --runs 1 --output out "$@" 'stat -L -c %t:%T /dev/fd/3 3>&1 >said' &&
        cat said
}

# bats test_tags=slow
@test "a program whose stdout is discarded does its work all the same" {
    # GNU grep, tar and others do less at /dev/null, which is device 1:3.
    [[ $(what_stdout_is) == 1:5 && $(what_stdout_is --stdout /dev/null) == 1:3 ]]
    local size=$((1 << 22)) command
    head -c "$size" /dev/zero | tr '\0' '\n' >text
    mkdir folder && cp text folder
    # Each of these reads all of it, as the kernel counts.
    for command in "grep '^' text" "cat text | grep '^'" 'tar -cf - folder' 'tar c folder' 'tar -cf /dev/stdout folder' 'timeout 60 tar cO folder'; do
        rm -rf out
        "$JOSTLE" run --quiet --runs 1 --output out -- bash -c "$command; cat /proc/\$\$/io >io"
        (($(awk '/^rchar/ { print $2 }' io) >= size))
    done
}

@test "what a hook and a load with --loop print is discarded so, too" {
    "$JOSTLE" run --quiet --runs 1 --output out --prepare 'stat -L -c %t:%T /dev/fd/3 3>&1 >prepare' -- true
    [[ $(<prepare) == 1:5 ]]
    "$BIN/loadgen" exec --loop --duration 0.3s -- sh -c 'stat -L -c %t:%T /dev/fd/3 3>&1 >load; sleep 0.1'
    [[ $(<load) == 1:5 ]]
}

@test "words with a = behind the program are its arguments, also the last" {
    "$EXPERIMENT" run --output out --variant 'a=dd if=/dev/zero of=/dev/null count=1' --variant 'b=X=1 env Y=2' >/dev/null
    holds '[.variants[].command[-1]] == ["count=1", "Y=2"] and (.variants[0].program.path | endswith("/dd"))' <out/experiment.json
}

@test "variables in front of a variant's command are its environment, without a shell" {
    "$JOSTLE" run --quiet --runs 1 --output out --variant a="X='1 2' sh -c 'echo a \$X >>ran'" --variant b='sh -c "echo b \$X >>ran"' --shell=none
    [[ $(sort ran) == $'a 1 2\nb' ]]
    holds '.variants[0].program.path == .variants[1].program.path and .variants[0].shell == null' <out/experiment.json
}

@test "--same-within is for variants of any kind" {
    "$EXPERIMENT" slowdown --output out --same-within 2% -L n 1,2 'true {n}' >plan
    holds '.settings.same_within == 0.02 and (.variants | length == 2)' <out/experiment.json
    run -2 "$EXPERIMENT" slowdown --output out2 --same-within 2% --load 'half=cpu --percent 50' -- true
    [[ ${#lines[@]} -eq 1 && $output == *'--same-within compares variants, and there are none'* ]]
}

# bats test_tags=slow
@test "what variants cannot be is refused in one line" {
    local -a wrong
    while IFS='|' read -r -a wrong; do
        run -2 "$EXPERIMENT" run --output out "${wrong[@]:1}"
        [[ ${#lines[@]} -eq 1 && $output == *"${wrong[0]}"* && ! -e out ]]
    done <<'WRONG'
one is nothing to compare|--variant|a=true
the name a is taken|--variant|a=true|--variant|a=false
leave out what follows|--variant|a=true|--variant|b=true|--|true
a quote is not closed|--variant|a=true|--variant|b='
no command|--variant|a=true|--variant|b=
a metric is read from the output|--stdout|/dev/null|--metric|v=stdout:/v=([0-9]+)/|true
100000 variants: give at most 64|-P|n|1|1000|-P|m|1|100|echo {n}{m}
65 variants|-P|n|1|65|echo {n}
use jostle slowdown|--load|cpu --percent 5|--variant|a=true|--variant|b=true
give one for all, or one for each|--prepare|a|--prepare|b|true
--output is given twice|--output|null|true
behind the variables|--variant|a=true|--variant|b=X=1
variant's name|--variant|X=1 true|--variant|b=true
there is no {n}|-L|n|1,2|true
words are missing|--parameter-scan|n|1
not VAR MIN MAX|--parameter-scan|n|1|x|true
it has no values|-P|n|5|1|echo {n}
need a size|-P|n|0.1|1|echo {n}
--parameter-step-size: of what|-D|2|true
give one of them|-r|3|-m|2|true
at most one for each|-n|a|-n|b|true
TARGET is 2 words|--shell|ls|-l
WRONG
}

# bats test_tags=slow
@test "an experiment with other variants is not continued" {
    "$JOSTLE" run --quiet --min-runs 1 --max-runs 1 --output out --variant a=true --variant b=true
    run -2 "$JOSTLE" run --resume --min-runs 1 --max-runs 2 --output out --variant a=true --variant b='true x'
    [[ $output == *'variant b: recorded true, now true x'* ]]
    "$JOSTLE" run --quiet --resume --min-runs 2 --max-runs 2 --output out --variant a=true --variant b=true
    [[ $(wc -l <out/runs.jsonl) -eq 4 ]]
}

# bats test_tags=slow
@test "another program of any variant is warned of on resume, and in the result; what it was stays recorded" {
    local -a words=(--output out --variant a=./a --variant b=./b)
    printf '#!/bin/sh\n' | tee a >b
    chmod +x a b
    "$JOSTLE" run --quiet --min-runs 2 --max-runs 2 "${words[@]}"
    run -0 "$JOSTLE" run --quiet --resume --min-runs 3 --max-runs 3 "${words[@]}"
    [[ $output != *changed* ]]
    echo '# a new build' >>b
    run -0 "$JOSTLE" run --quiet --resume --min-runs 4 --max-runs 4 "${words[@]}"
    [[ $output == *'changed since the runs that are there: program of variant b (recorded sha256 '* ]]
    holds '[.warnings[] | select(.flag == "changed")] | length == 1 and (.[0].message | contains("program of variant b (from sha256 "))' <out/result.json
    holds '.variants[1].program.sha256 == .resumed[0].variants[1].program.sha256 and .variants[1].program.sha256 != .resumed[1].variants[1].program.sha256' <out/experiment.json
    is_valid experiment out/experiment.json
}
