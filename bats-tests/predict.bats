#!/usr/bin/env bats
# jostle predict: from profiles to slowdowns. Pure: all profiles are made up.

load helpers

# shellcheck disable=SC2154 # bats sets stderr and stderr_lines

setup() {
    cd "$BATS_TEST_TMPDIR" || return
}

# profile NAME [FILTER]: NAME.profile.json, see fixtures/make-profile.
profile() {
    "$BATS_TEST_DIRNAME/fixtures/make-profile" "$@" >"$1.profile.json"
}

# predict ARG...: the record.
predict() {
    "$BIN/predict" --json - "$@"
}

# refused TEXT ARG...: exit 2, one line that has TEXT, nothing on stdout.
# shellcheck disable=SC2154
refused() {
    local text=$1
    shift
    run --separate-stderr "$BIN/predict" "$@"
    [ "$status" -eq 2 ]
    [ -z "$output" ]
    [ "${#stderr_lines[@]}" -eq 1 ]
    [[ $stderr == 'jostle: '*"$text"* ]]
}

@test "predict: the fair share of a core is 1 + a b for two, n for n that compute, 1 where none is shared" {
    local quiet='.pressure.levels[].level = 0 | .pressure.levels[].ci = [0, 0] | .pressure.levels[].seen = false'
    profile busy "$quiet"
    profile third "$quiet | .alone.cpus_used = 0.3"
    profile half "$quiet | .alone.cpus_used = 0.5"
    predict {busy,third,half}.profile.json >r
    holds 'def of($a; $b): .predictions[] | select(.a == $a and .b == $b).slowdown;
        def near($x): (. - $x | fabs) < 1e-9;
        (of("busy"; "third") | near(1.3)) and (of("third"; "busy") | near(1.3)) and
        (of("busy"; "half") | near(1.5)) and (of("half"; "third") | near(1.15))' <r
    # Bursts that are short beside a time slice are served at once, at the cost of who computes.
    profile brief "$quiet | .alone.cpus_used = 0.4 | .alone.burst_s = 0.0005"
    profile between "$quiet | .alone.cpus_used = 0.4 | .alone.burst_s = 0.002"
    predict {busy,brief,between}.profile.json >r
    holds 'def of($a; $b): .predictions[] | select(.a == $a and .b == $b).slowdown;
        def near($x): (. - $x | fabs) < 1e-9;
        (of("brief"; "busy") | near(1)) and (of("busy"; "brief") | near(1 / 0.6)) and
        (of("between"; "busy") | near(1.2))' <r
    predict --with-itself busy.profile.json | holds '.predictions[0] | (.slowdown - 2 | fabs) < 1e-9 and .carrier == "CPU time"'
    predict --together busy.profile.json busy.profile.json busy.profile.json | holds '[.predictions[].slowdown] | length == 3 and all(. - 3 | fabs < 1e-9)'
    # Three programs that compute on two CPUs; two fit.
    jq '.place = "machine" | .cpus.target = "0-1" | .sensitivity |= map(select(.kind == "io"))' busy.profile.json >wide.profile.json
    predict --together wide.profile.json wide.profile.json wide.profile.json | holds 'all(.predictions[]; .slowdown - 1.5 | fabs < 1e-9)'
    predict --with-itself wide.profile.json | holds '.predictions[0] | .fair_share == 1 and .carrier == null'
    # A CPU each: memory in full, as nothing of it is the CPU's.
    jq '.place = "node" | .sensitivity[0].points[] |= (.slowdown = 1 + .level) | .pressure.levels[0].level = 0.5' busy.profile.json >apart.profile.json
    predict --with-itself apart.profile.json | holds '.predictions[0] | .fair_share == 1 and .carrier == "mem" and .slowdown > 1.3 and .slowdown < 1.5'
}

@test "predict: a neighbour that is slowed presses less, several add up to at most all there is" {
    profile a '.place = "node" | .sensitivity[0].points[] |= (.slowdown = (.level | exp))'
    cp a.profile.json b.profile.json
    # log s = level / s: s = exp(0.5 / s), whose solution is 1.4215.
    predict a.profile.json b.profile.json | holds '.predictions | length == 2 and all(.slowdown - 1.4215 | fabs < 0.001) and all(.kinds[0].level - 0.3517 | fabs < 0.001)'
    # The same without any relief, as a neighbour that nothing slows.
    profile rock '.place = "node" | .sensitivity[].points[].slowdown = 1'
    predict a.profile.json rock.profile.json | holds '.predictions[0] | .slowdown - (0.5 | exp) | fabs < 0.001'
    cp rock.profile.json rock2.profile.json && cp rock.profile.json rock3.profile.json
    predict --together a.profile.json rock.profile.json rock2.profile.json rock3.profile.json |
        holds '.predictions[0] | .beside == ["rock", "rock2", "rock3"] and (.slowdown - (1 | exp) | fabs < 0.001) and .kinds[0].saturated'
}

@test "predict: outside of what was calibrated there is no number, but the reason, and status 4" {
    profile a
    profile beyond '.pressure.levels[0] |= (.level = 1 | .beyond = true)'
    profile unlevelled '.pressure.levels = []'
    profile narrow '.sensitivity |= map(select(.kind == "io"))'
    profile short '.sensitivity[0].points |= .[:1]'
    profile strong '.pressure.levels[0].level = 0.9 | .sensitivity[].points[].slowdown = 1'
    profile idle '.alone.cpus_used = null'
    predict {a,beyond,unlevelled,narrow,short,strong,idle}.profile.json >r
    holds 'def why($a; $b): .predictions[] | select(.a == $a and .b == $b) | select(.slowdown == null and .ci == null and .carrier == null).reason;
        (why("a"; "beyond") | contains("beyond presses with more than mem at 100 %")) and
        (why("a"; "unlevelled") | contains("no levels")) and
        (why("narrow"; "a") | contains("mem, whose cost for narrow was not measured")) and
        (why("short"; "strong") | contains("mem costs short was not measured up to the level")) and
        (why("a"; "idle") | contains("CPU time"))' <r
    holds '.predictions[] | select(.a == "a" and .b == "short") | .slowdown > 2' <r
    cp unlevelled.profile.json unlevelled2.profile.json
    run -4 "$JOSTLE" predict unlevelled.profile.json unlevelled2.profile.json
    [[ $output == 'No number:'*'unlevelled2 beside unlevelled (core): the pressure of unlevelled has no levels'* ]]
    jq '.sensitivity = []' a.profile.json >bare.profile.json
    predict bare.profile.json a.profile.json | holds '.predictions[0].reason | contains("no sensitivity")'
}

@test "predict: the gate asks for a quieter machine, unless the effect is large" {
    local small='.noise.sd = 0.15 | .alone.cpus_used = 0.02 | .sensitivity[].points[] |= (.slowdown = 1.01 | .load_cpus = 0)'
    profile small "$small"
    profile large '.noise.sd = 0.15'
    profile few '.noise.n = 3'
    profile other
    predict {small,large,few,other}.profile.json >r
    holds 'def of($a): .predictions[] | select(.a == $a and .b == "other");
        (of("small") | .slowdown == null and .gate.runs_needed == 433 and (.reason | startswith("cannot be told on this machine: alone-sd 15 %, it would take 430 runs a side"))) and
        (of("large") | .slowdown > 2 and .gate.passed and .gate.wanted > 0.25) and
        (of("few") | .slowdown == null and (.reason | contains("noise is not known: 3 runs")))' <r
    run -4 --separate-stderr "$JOSTLE" predict small.profile.json few.profile.json
    [[ $output == *'small beside few (core): cannot be told on this machine: alone-sd 15 %'* ]]
    run -0 --separate-stderr "$JOSTLE" predict --force small.profile.json few.profile.json
    [[ $output == *'1.0'*' ?'*'shown by --force'*'alone-sd 15 %'* ]]
}

@test "predict: --at-most: 3 above, 4 undecided, 0 below" {
    profile a
    profile b
    run -3 "$BIN/predict" --at-most 2 {a,b}.profile.json
    run -4 "$BIN/predict" --at-most 2.2 {a,b}.profile.json
    run -0 "$BIN/predict" --at-most 2.6 {a,b}.profile.json
    holds '.at_most == 2.6 and all(.predictions[]; .verdict == "below")' <<<"$output"
}

@test "predict: what cannot be told widens the interval, and has no upper bound where nothing bounds it" {
    profile a
    profile sure
    profile unsure '.pressure.levels[0].ci = [0, 1] | .pressure.levels[0].open = true'
    profile unknown '.pressure.levels |= .[1:]'
    profile short '.sensitivity[0].points |= .[:1]'
    profile strong '.pressure.levels[0] |= (.level = 0.9 | .ci = [0.8, 1] | .open = true)'
    profile half '.confidence = 0.5'
    predict {a,sure,unsure,unknown,short,strong,half}.profile.json >r
    holds 'def of($a; $b): .predictions[] | select(.a == $a and .b == $b).ci;
        (of("a"; "sure") | .[1] - .[0]) as $sure
        | (of("a"; "unsure") | .[0] >= 2 and .[1] > 2.5 and .[1] - .[0] > 4 * $sure) and
          (of("a"; "unknown") | .[1] > 2.5) and (of("short"; "unsure") | .[1] == null) and
          (of("a"; "strong") | .[0] > 2.2 and .[1] == null) and (of("half"; "sure") | .[1] - .[0] < 0.9 * $sure)' <r
    run -0 "$JOSTLE" predict {short,unsure}.profile.json
    [[ $output == *'at least 2.'* ]]
}

@test "predict: a model that was learned gives weights and intervals, on its machine and at its place only" {
    profile a
    profile b
    jq '{schema: "jostle.prediction-model/1", made: .made, jostle, machine: {host: .machine.host, hash: .machine.hash},
        models: [{place: "core", variant: "sum", learned: true, weights: [2], quantile_low: -0.05, quantile_high: 0.1, scale_floor: 0.02,
        confidence: 0.9, covered: 0.9, error: 0.01, programs: 12, pairs: 132}]}' a.profile.json >model
    jsonschema -i model "$ROOT/results/schema/jostle.prediction-model.schema.json"
    predict {a,b}.profile.json >plain
    predict --model model {a,b}.profile.json >learned
    # Twice the effect; the interval is that of the residuals.
    jq -se '.[0].predictions[0] as $plain | .[1].predictions[0] | .slowdown as $s | (0.02 + $s - 1) as $scale | def near($x): (. - $x | fabs) < 1e-9;
        ($s | near(2 * (1 + 2 * ($plain.slowdown / 2 - 1)))) and .interval == "pairs" and .confidence == 0.9 and
        (.ci[0] | near($s - 0.05 * $scale)) and (.ci[1] | near($s + 0.1 * $scale))' plain learned
    # Of several neighbours nobody has learned how far off it is.
    profile c
    predict --model model --together {a,b}.profile.json | holds 'all(.predictions[]; .interval == "pairs")'
    predict --model model --together {a,b,c}.profile.json | holds 'all(.predictions[]; .interval == "profiles")'
    export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
    mkdir -p cache/jostle/predict
    cp model cache/jostle/predict/made-up.json
    predict {a,b}.profile.json | holds '.models[0] | .learned and .variant == "sum"'
    jq '.machine.hash |= "f" + .[1:]' model >cache/jostle/predict/made-up.json
    predict {a,b}.profile.json | holds '.models[0].learned | not'
    refused 'another machine' --model cache/jostle/predict/made-up.json {a,b}.profile.json
    jq '.jostle = "0.0.9"' model >old
    refused '--model old: was learned by another version of jostle' --model old {a,b}.profile.json
    jq '.place = "l3"' a.profile.json >c
    jq '.place = "l3"' b.profile.json >d
    refused '--model model: ' --model model c d
}

@test "predict: a profile that cannot be used is named, with what to do" {
    profile a
    profile b
    : >empty
    printf '{"schema": "jostle.result/1"}' >other
    jq '.schema = "jostle.program/0"' a.profile.json >old
    jq '.machine.hash = "f" + .machine.hash[1:] | .machine.host = "node7"' a.profile.json >elsewhere
    jq '.jostle = "0.0.9"' a.profile.json >version
    jq '.place = "machine"' a.profile.json >place
    printf '#!/bin/sh\n' >program
    jq '.program.words = ["./program"] | .program.sha256 = "0" * 64' a.profile.json >changed
    refused 'no profile: give two' --place core
    refused 'one program alone' a.profile.json
    refused 'given twice' a.profile.json ./a.profile.json
    refused 'missing: cannot be read' missing a.profile.json
    refused 'empty: ' empty a.profile.json
    refused 'holds no profile' a.profile.json other
    refused 'of another version of jostle' a.profile.json old
    refused 'a.profile.json is of the machine made-up, elsewhere of node7' a.profile.json elsewhere
    refused 'made by jostle 0.0.9' a.profile.json version
    refused 'of the place core, place of machine' a.profile.json place
    refused './program has changed since it was profiled' a.profile.json changed
    refused 'no profile is of this place' --place l3 a.profile.json b.profile.json
    refused '--place cores: not known (did you mean core?)' --place cores a.profile.json b.profile.json
    refused 'no format has this ending' --output x.pdf a.profile.json b.profile.json
    refused '--model absent: cannot be read' --model absent a.profile.json b.profile.json
    refused '--records: only with --check' --records x a.profile.json b.profile.json
}

@test "predict: every format shows predicted and measured, and the record is as its schema" {
    profile a
    profile 'b|<c>'
    local host
    host=$(jq -r .machine.host a.profile.json)
    printf '%s\n' "{\"schema\":\"jostle.pair/1\",\"a\":\"a\",\"b\":\"b|<c>\",\"place\":\"core\",\"host\":\"$host\",\"slowdown\":2.05,\"ci\":[1.95,2.15],\"n\":12,\"sd\":0.03,\"starts\":[],\"repeat\":null}" >pairs.jsonl
    local format
    for format in md html svg csv json txt; do
        "$JOSTLE" predict --measured pairs.jsonl --output "out.$format" a.profile.json 'b|<c>.profile.json'
        grep -q '2\.05' "out.$format"
        grep -q '2\.18' "out.$format"
    done
    grep -q 'mean absolute error 13.3 points, 0 of 1 in the interval' out.txt
    grep -qF 'Not calibrated on pairs' out.html
    run ! grep -qF '<c>' out.html
    python3 -c 'import xml.dom.minidom; xml.dom.minidom.parse("out.svg")'
    jsonschema -i out.json "$ROOT/results/schema/jostle.prediction.schema.json"
    holds '.check.pairs == 1 and .check.held == 0 and (.check.error - 0.133 | fabs) < 0.0005
        and .predictions[.worst].slowdown == ([.predictions[] | select(.distinguishable).slowdown] | max)
        and all(.predictions[]; .carrier == .carriers[0].name and (.carriers | map(-.slowdown) | . == sort))' <out.json
    profile a '.noise.sd = 0.9'
    run -0 "$JOSTLE" predict --measured pairs.jsonl a.profile.json 'b|<c>.profile.json'
    [[ $output == *'a        b|<c>   core   -'*'2.05× [1.95, 2.15]'*'cannot be told'* ]]
    [ -z "$("$JOSTLE" predict --quiet a.profile.json 'b|<c>.profile.json')" ]
}

@test "predict: --check runs each program beside each other one as its profile has it, and is not repeated" {
    profile a '.program.words = ["sh", "-c", "echo \"$0\"", "it'"'"'s"] | .program.input = "/dev/null" | .program.prepare = "true"'
    profile b '.program.words = ["true"] | .program.setup = "make b" | .program.conclude = "rm b"'
    "$BIN/predict" --steps --check --max-runs 7 {a,b}.profile.json | tr '\0' '\n' >steps
    grep -qxF 'a@b.core' steps
    sed -n '/^b@a.core$/,$ p' steps >steps-b
    [ "$(sed -n '3,5 p' steps-b | tr '\n' ' ')" = '--place core --load ' ]
    [[ $(sed -n '6 p' steps-b) == 'a=exec --loop '*' sh -c '\''echo "$0"'\'' '* ]]
    [ "$(tail -n 6 steps-b | tr '\n' ' ')" = '--setup make b --conclude rm b -- true ' ]
    sed -n '/^a@b.core$/,/^b@a.core$/ p' steps | tr '\n' ' ' | grep -qF -- '--setup make b --input /dev/null --prepare true -- sh -c echo "$0" it'
    profile spin '.program.words = ["'"$WORKLOADS"'/delannoy", "8"] | .machine.host = "'"$(uname -n)"'"'
    run -0 --separate-stderr "$JOSTLE" predict --check --with-itself --min-runs 2 --max-runs 2 --records r spin.profile.json
    [[ $stderr == *'1/1 spin@spin.core'* && $output == *'Measured, too: 1 pair;'* ]]
    jq -se 'length == 1 and .[0].n == 2 and .[0].b == "spin" and .[0].place == "core" and .[0].slowdown > 0' r/pairs.jsonl
    run -0 --separate-stderr "$JOSTLE" predict --check --with-itself --records r spin.profile.json
    [[ $stderr != *spin@spin* && $output == *'Measured, too: 1 pair;'* ]]
    "$JOSTLE" predict --che --quiet --with-itself --records r --json - spin.profile.json 2>said | holds '.predictions[0].measured.n == 2'
    [[ ! -s said ]]
    run -2 --separate-stderr "$JOSTLE" predict --check --records none spin.profile.json
    [[ $stderr == 'jostle: spin.profile.json: one program alone: '* && ${#stderr_lines[@]} -eq 1 && ! -e none ]]
    run -2 --separate-stderr "$JOSTLE" predict --check --records none missing.json spin.profile.json
    [[ ${#stderr_lines[@]} -eq 1 && ! -e none ]]
    # Of another program of that name it says nothing.
    profile spin '.program.words = ["'"$WORKLOADS"'/delannoy", "9"] | .machine.host = "'"$(uname -n)"'"'
    run -1 --separate-stderr "$JOSTLE" predict --check --with-itself --records r spin.profile.json
    [[ $stderr == *'jostle: r/cells/spin@spin.core is of other programs of these names: give another --records, or remove it' ]]
}

# running: 0 once the program, or its copy, is.
running() {
    compgen -G 'pid.*' >/dev/null
}

@test "predict: a signal ends a --check with all that it has started, and says how to continue" {
    local pid code=0 file
    profile sleeper '.program.words = ["sh", "-c", "echo >pid.$$; exec sleep 60"] | .machine.host = "'"$(uname -n)"'"'
    "$JOSTLE" predict --check --with-itself --records r sleeper.profile.json 2>said &
    pid=$!
    eventually 120 running
    kill -TERM "$pid"
    wait "$pid" || code=$?
    ((code == 143))
    for file in pid.*; do eventually 30 gone "${file#pid.}"; done
    [[ $(<said) == *'interrupted: the same command continues'* ]]
}
