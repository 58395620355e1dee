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

@test "each variant runs alone and under each load, in the same blocks" {
    "$JOSTLE" slowdown --quiet --min-runs 2 --max-runs 2 --output out --load 'low=cpu --percent 5' \
        --variant a="sh -c 'echo a >>ran'" --variant b="sh -c 'echo b >>ran'"
    holds '[.conditions[] | [.name, .variant, .load]] == [["a", "a", null], ["b", "b", null], ["a@low", "a", "low"], ["b@low", "b", "low"]]
        and .command == .variants[0].command' <out/experiment.json
    # What ran is what the record says ran.
    diff ran <(jq -r .variant out/runs.jsonl)
    jq -s . out/runs.jsonl | holds 'length == 8 and all((.condition | endswith("@low")) == ((.load | length) == 1))'
    jq -s . out/runs.jsonl | holds '[group_by(.block)[] | map(.condition) | sort] == [["a", "a@low", "b", "b@low"], ["a", "a@low", "b", "b@low"]]'
    jsonschema -i out/experiment.json "$ROOT/results/schema/jostle.experiment.schema.json"
    head -n 1 out/runs.jsonl >run.json
    jsonschema -i run.json "$ROOT/results/schema/jostle.run.schema.json"
}

@test "a variant without a name is named by its program, or by its words where that is not enough" {
    [[ $(names --variant './old in.dat' --variant '/tmp/new in.dat') == 'old new' ]]
    [[ $(names --variant 'sort -n' --variant 'sort -g') == 'sort_-n sort_-g' ]]
    [[ $(names --variant 'sort' --variant 'sort') == 'sort sort.2' ]]
    [[ $(names --variant 'x=sort -n' --variant 'sort') == 'x sort' ]]
}

@test "what variants cannot be is refused in one line" {
    local -a wrong
    while IFS='|' read -r -a wrong; do
        run -2 "$EXPERIMENT" run --output out "${wrong[@]:1}"
        [[ ${#lines[@]} -eq 1 && $output == *"${wrong[0]}"* ]]
        [[ ! -e out ]]
    done <<'WRONG'
one is nothing to compare|--variant|a=true
the name a is taken|--variant|a=true|--variant|a=false
leave out what follows|--variant|a=true|--variant|b=true|--|true
a quote is not closed|--variant|a=true|--variant|b='
no command|--variant|a=true|--variant|b=
WRONG
}

@test "an experiment with other variants is not continued" {
    "$JOSTLE" run --quiet --min-runs 1 --max-runs 1 --output out --variant a=true --variant b=true
    run -2 "$JOSTLE" run --resume --min-runs 1 --max-runs 2 --output out --variant a=true --variant b='true x'
    [[ $output == *'variant b: recorded true, now true x'* ]]
    "$JOSTLE" run --quiet --resume --min-runs 2 --max-runs 2 --output out --variant a=true --variant b=true
    [[ $(wc -l <out/runs.jsonl) -eq 4 ]]
}
