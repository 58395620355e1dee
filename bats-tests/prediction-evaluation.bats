#!/usr/bin/env bats
# How far off predictions are, and what is learned from measured pairs: on studies of a machine made
# of equations, whose truth is known.

load helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return
}

# study NAME ARG...: profiles and pairs in the folder NAME.
study() {
    mkdir "$1"
    "$BIN/simulate" --study "$@" --seed 3
}

@test "evaluate: the truth taken from the profiles is a leak, and so are runs that both have" {
    study taken --study-of leak --study-noise 3%
    # One run of a profile is one of a pair, too.
    mkdir taken/profiles/p00.profile
    echo '{"schema":"jostle.run/1","start":"2026-01-01T00:00:00.000000001Z"}' >taken/profiles/p00.profile/runs.jsonl
    jq '.experiments = ["p00.profile"]' taken/profiles/p00.profile.json >new && mv new taken/profiles/p00.profile.json
    jq -c 'if .a == "p03" and .b == "p04" then .starts = ["2026-01-01T00:00:00.000000001Z"] else . end' taken/pairs.jsonl >new && mv new taken/pairs.jsonl
    "$BIN/predict" --evaluate taken --json record
    holds '[.places[0].findings[] | select(.severity == "problem").flag] | contains(["below-noise", "leak", "shared-runs"])' <record
    holds '.places[0].findings[] | select(.flag == "shared-runs").text | contains("1 runs of 1 pairs") and contains("p03 beside p04")' <record
}

@test "evaluate: pairs that are noise have no skill, no leak, and do not reproduce" {
    study noise --study-of noise --study-noise 5%
    "$BIN/predict" --evaluate noise --json record
    jsonschema -i record "$ROOT/results/schema/jostle.prediction-evaluation.schema.json"
    holds 'all(.places[0].schemes[].all.skill; .value <= 3 * .sd + 0.01)' <record
    holds '[.places[0].findings[].flag] | contains(["not-told", "no-skill"]) and (contains(["leak"]) or contains(["below-noise"]) | not)' <record
}

@test "evaluate: skill on unseen programs, no leak; the programs set aside have no part until they are opened" {
    study honest --study-noise 1%
    "$BIN/predict" --evaluate honest --json record
    holds '.places[0].schemes[] | select(.published) | .left_out == "program" and .all.skill.value > 0.2 and .all.intervals.coverage > 0.8' <record
    holds '[.places[0].findings[].flag] | (contains(["leak"]) or contains(["below-noise"]) or contains(["no-skill"]) | not)' <record
    printf '%s\n' p01 p07 >honest/holdout
    "$BIN/predict" --evaluate honest --json record
    holds '.places[0] | .pairs == 90 and .pairs_set_aside == 42 and .set_aside == ["p01", "p07"] and .holdout == null' <record
    holds '.holdout_opened == []' <record
    # A name that sets nothing aside is no silent one.
    echo p99 >>honest/holdout
    run -0 "$JOSTLE" predict --evaluate honest --open-holdout
    [[ $output == 'jostle: honest/holdout: p99 is in no pair: check the name'* ]]
    [[ $output == *'opened '* && $output == *'The programs set aside were opened: 20'* ]]
    # What was opened stays known.
    "$BIN/predict" --evaluate honest --json record
    holds '(.holdout_opened | length == 1) and .places[0].holdout == null' <record
    # Neither another machine's profile has a number, nor what was measured elsewhere.
    jq '.machine.hash |= "f" + .[1:]' honest/profiles/p02.profile.json >new && mv new honest/profiles/p02.profile.json
    jq -c '(if .a == "p03" and .b == "p04" then (.host = "node7"), (.host = "node8") else . end)' honest/pairs.jsonl >new && mv new honest/pairs.jsonl
    rm honest/holdout
    "$BIN/predict" --evaluate honest --json record
    holds '.places[0] | .pairs == 109 and (.no_number | length == 24) and ([.no_number[] | select(.why | startswith("the profiles of p02 and "))] | length == 11)
        and any(.no_number[]; .a == "p03" and .why == "it was measured on node8, and its profiles on equations")' <record
}

@test "learn: a model that predict uses, with intervals; a study that is none is refused" {
    study honest --study-noise 1%
    # A pair at a place without profiles is no reason to learn nothing.
    jq -c 'select(.a == "p00" and .b == "p01") | .place = "core"' honest/pairs.jsonl >other
    cat other >>honest/pairs.jsonl
    "$BIN/predict" --learn honest --output model.json 2>messages
    [[ $(<messages) == 'jostle: core: there are pairs, but no profiles: it is left out' ]]
    holds '.models[0] | .place == "l3" and .programs == 12 and .pairs == 132 and .covered >= 0.9 and .quantile_low < 0 and .quantile_high > 0' <model.json
    "$BIN/predict" --model model.json --json record honest/profiles/p0[01].profile.json
    holds '.predictions | length == 2 and all(.[]; .interval == "pairs" and .ci[0] < .slowdown and .slowdown < .ci[1])' <record
    run -1 "$BIN/predict" --learn "$BATS_TEST_TMPDIR"
    [[ $output == 'jostle: '*'pairs.jsonl: No such file'* ]]
    cp honest/profiles/p01.profile.json honest/profiles/other.profile.json
    mkdir honest/profiles/again && cp honest/profiles/p01.profile.json honest/profiles/again/
    run -1 "$BIN/predict" --evaluate honest
    [[ $output == *'is the same program at the same place: remove one'* ]]
    rm -r honest/profiles/again honest/profiles/other.profile.json
    grep -E '"a":"p0[01]","b":"p0[01]"' honest/pairs.jsonl >few && mv few honest/pairs.jsonl
    run -1 "$BIN/predict" --learn honest
    [[ $output == 'jostle: l3: 2 programs with profiles and pairs are too few to learn from: measure at least ten' ]]
    "$BIN/predict" --evaluate honest --json record
    holds '[.places[0].findings[].flag] | contains(["few-programs"]) and (contains(["no-skill"]) | not)' <record
    echo '{"schema":"jostle.result/1"}' >honest/pairs.jsonl
    run -1 "$BIN/predict" --evaluate honest
    [[ $output == *'pairs.jsonl: line 1 is no jostle.pair/1: remove it' ]]
}

@test "simulate: predictions have skill on a machine made of equations, and intervals hold for programs not seen" {
    run -0 "$BIN/simulate" --quick --tables machine,conformal
    [[ $output == *'l3      1.0 |'* ]]
    run -1 "$BIN/simulate" --quick --tables machine --narrow 0.4
    [[ $output == *'broken: l3: 90 % intervals of predictions hold '* ]]
}

@test "evaluate: every finding is in the documentation" {
    local flag count=0
    while read -r flag; do
        grep -qF "\`$flag\`" "$ROOT/docs/prediction-error.md"
        count=$((count + 1))
    done < <(sed -nE 's/.*\{"([a-z-]+)", "(problem|note)".*/\1/p' "$ROOT/harness/predict/findings.c")
    ((count == 11))
}
