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

# machine_hash: what a profile of this machine names it by.
machine_hash() {
    bench_plan --table linpack --expand machine
    jq -rj '.machine | [(.host, .architecture, .cpu // "?"), .cpus_online // 0, .smt // "?", .numa_nodes // 0, ((.memory_bytes // 0) / 1073741824 | round), ""] | map(tostring) | join("\n")' \
        machine/bench-plan.json | sha256sum | cut -d ' ' -f 1
}

# by_hand A BESIDE...: slowdown and interval of A beside these by the formulas, from the profiles alone.
by_hand() {
    python3 - "$@" <<'PYTHON'
import json, math, sys
names = ["gap", "l2", "memory", "faults"]
a, *others = [json.load(open(name + ".profile.json")) for name in sys.argv[1:]]
slow = {(s["kind"], p["level"]): p["slowdown"] for s in a["sensitivity"] for p in s["points"]}
rows = [([b["log_ratios"][n] for n in names], math.log(slow[b["kind"], b["level"]])) for b in a["pressure"]["beside_loads"]]
x = [sum(r["log_ratio"] for o in others for r in o["pressure"]["reporters"] if r["name"] == n) for n in names]
def dot(u, v): return sum(p * q for p, q in zip(u, v))
def fit(rows):
    m = [[sum(r[0][i] * r[0][j] for r in rows) + (0.3 if i == j else 0) for j in range(4)] + [sum(r[0][i] * r[1] for r in rows)] for i in range(4)]
    for i in range(4):
        m[i] = [v / m[i][i] for v in m[i]]
        for k in range(4):
            if k != i: m[k] = [v - m[k][i] * w for v, w in zip(m[k], m[i])]
    return [m[i][4] for i in range(4)]
center = dot(fit(rows), x)
low, high = [], []
for i, (xi, yi) in enumerate(rows):
    beta = fit(rows[:i] + rows[i + 1:])
    off = abs(yi - dot(beta, xi))
    low.append(dot(beta, x) - off); high.append(dot(beta, x) + off)
print(json.dumps([math.exp(v) for v in (center, min(low + [center]), max(high + [center]))]))
PYTHON
}

# bats test_tags=slow
@test "predict: a prediction is the regression of the profile's slowdowns on its reporters, and its interval" {
    profile a
    profile b '.pressure.reporters[0].log_ratio = 0.3 | .sensitivity[].points[].slowdown *= 1.03'
    profile c '.pressure.reporters[2].log_ratio = 0.6'
    predict {a,b,c}.profile.json >r
    local pair
    for pair in 'a b' 'b c' 'c a'; do
        # shellcheck disable=SC2086 # two names
        by_hand $pair >hand
        holds '.predictions[] | select(.a + " " + .b == $pair) | [.slowdown, .ci[]] as $said | [$said, $hand] | transpose | all(.[0] / .[1] - 1 | fabs < 1e-9)' --arg pair "$pair" --argjson hand "$(<hand)" <r
    done
    holds '.predictions[] | select(.a == "a" and .b == "b") | .carrier == "CPU time" and .slowdown > 1.2 and .slowdown < 1.6 and .ci[0] < .slowdown and .slowdown < .ci[1]' <r
    # What several do to the reporters adds up.
    predict --together {a,b,c}.profile.json >r
    by_hand a b c >hand
    holds '.predictions[0] | .beside == ["b", "c"] and (.slowdown / $hand[0] - 1 | fabs) < 1e-9' --argjson hand "$(<hand)" <r
}

# bats test_tags=slow
@test "predict: of the recorded pairs it is off by little more than their noise, and its intervals hold" {
    local pairs=$ROOT/results/reference/pairs file
    # Their programs may have been updated here meanwhile.
    mkdir core
    for file in "$pairs"/profiles/core/*.json; do jq '.program.sha256 = null' "$file" >"core/${file##*/}"; done
    predict --force --with-itself --measured "$pairs/pairs.jsonl" core/*.json >r
    jq -R . "$pairs/holdout" | jq -s . >held
    holds '.check | .pairs == 144 and .held >= 137 and .noise < .error and .skill < .skill_most and .skill > 0.8' <r
    jq .check r >check
    # What another measurement is off by is seen in those that were repeated, not in the spread within one.
    holds 'map(select(.repeat) | .slowdown - .repeat.slowdown | fabs) | length == 36 and $check[0].repeats == 36
        and (add / length / (2 | sqrt) - $check[0].noise | fabs) < 1e-9' --slurpfile check check < <(jq -s . "$pairs/pairs.jsonl")
    jq -c '.repeat = null' "$pairs/pairs.jsonl" >once.jsonl
    predict --force --with-itself --measured once.jsonl core/*.json >once
    holds '.check.repeats == 0 and .check.noise > 0.05 and .check.noise < $r[0].check.noise' --slurpfile r r <once
    holds '[.predictions[] | { set_aside: ([.a, .b] | any(IN($held[]))), error: (.slowdown - .measured.slowdown | fabs) }] | group_by(.set_aside)
        | map(map(.error) | add / length) | .[0] < 0.185 and .[1] < 0.145' --argjson held "$(<held)" <r
    # A new profile has the reporters at 50 and 100 % alone.
    mkdir new
    for file in core/*.json; do
        jq '.pressure.beside_loads |= map(select(.level == 0.5 or .level == 1))' "$file" >"new/${file##*/}"
    done
    predict --force --with-itself --measured "$pairs/pairs.jsonl" new/*.json >new.json
    holds '[.predictions[] | { set_aside: ([.a, .b] | any(IN($held[]))), error: (.slowdown - .measured.slowdown | fabs) }] | group_by(.set_aside)
        | map(map(.error) | add / length) | .[0] < 0.195 and .[1] < 0.155' --argjson held "$(<held)" <new.json
    [[ $(du -sk --apparent-size "$pairs" | cut -f1) -lt 500 ]]
    run -0 "$JOSTLE" predict --force --with-itself --measured "$pairs/pairs.jsonl" core/*.json
    [[ $output == *'Measured, too: 144 pairs; mean absolute error 15.'*' points; the noise of what was measured is 14.'*' (by 36 that were measured twice); '*' in the interval of the prediction. Skill 0.8'*' over saying 1 of each; at most 0.8'* ]]
}

# bats test_tags=slow
@test "predict: without reporters there is no number, but the reason, and status 4" {
    profile a
    profile older 'del(.pressure.beside_loads)'
    profile silent '.pressure.reporters |= map(select(.name != "memory"))'
    predict {a,older,silent}.profile.json >r
    holds 'def why($a; $b): .predictions[] | select(.a == $a and .b == $b) | select(.slowdown == null and .ci == null and .carrier == null).reason;
        (why("older"; "a") | startswith("the profile of older has 0 loads with their reporters, 5 are the least: make it again"))
        and (why("a"; "silent") | startswith("what silent does to memory is not known: make its profile again"))' <r
    holds '.predictions[] | select(.a == "a" and .b == "older") | .slowdown > 1' <r
    profile older2 'del(.pressure.beside_loads)'
    run -4 "$JOSTLE" predict older.profile.json older2.profile.json
    [[ $output == 'No number:'*'older beside older2 (core): the profile of older has 0 loads'* ]]
}

@test "predict: --at-most: 3 above, 4 undecided, 0 below" {
    profile a
    profile b
    predict {a,b}.profile.json >r
    local low high
    low=$(jq '.predictions[0].ci[0] * 0.99' r)
    high=$(jq '.predictions[0].ci[1] * 1.01' r)
    run -3 "$BIN/predict" --at-most "$low" {a,b}.profile.json
    run -4 "$BIN/predict" --at-most "$(jq '.predictions[0].slowdown' r)" {a,b}.profile.json
    run -0 "$BIN/predict" --at-most "$high" {a,b}.profile.json
    holds 'all(.predictions[]; .verdict == "below")' <<<"$output"
}

# bats test_tags=slow
@test "predict: the gate asks for a quieter machine, unless the effect is large" {
    local small='.noise.sd = 0.15 | .sensitivity[].points[].slowdown = 1.01'
    profile small "$small"
    profile large '.noise.sd = 0.15 | .sensitivity[].points[].slowdown |= pow(.; 3)'
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

# bats test_tags=slow
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
    jq --arg hash "$(machine_hash)" '.machine.hash = $hash | .program.words = ["./program"] | .program.sha256 = "0" * 64' a.profile.json >changed
    refused 'no profile: give two' --place core
    refused 'one program alone' a.profile.json
    refused 'or this one again' --together a.profile.json
    refused 'given twice' a.profile.json ./a.profile.json
    refused 'missing: cannot be read' missing a.profile.json
    refused 'empty: ' empty a.profile.json
    mkdir folder
    refused 'folder: cannot be read (' folder a.profile.json
    refused 'holds no profile' a.profile.json other
    refused 'of another version of jostle' a.profile.json old
    refused 'a.profile.json is of the machine made-up, elsewhere of node7' a.profile.json elsewhere
    refused 'made by jostle 0.0.9' a.profile.json version
    refused 'of the place core, place of machine' a.profile.json place
    refused './program has changed since it was profiled' a.profile.json changed
    refused 'no profile is of this place' --place l3 a.profile.json b.profile.json
    refused '--place cores: not known (did you mean core?)' --place cores a.profile.json b.profile.json
    refused 'no format has this ending' --output x.pdf a.profile.json b.profile.json
    refused '--records: only with --check' --records x a.profile.json b.profile.json
    refused '--min-runs 31: more than --max-runs 30: give no more' --check --min-runs 31 a.profile.json b.profile.json
}

@test "predict: a program of this name here is of no matter where the profile is of another machine" {
    profile a
    printf '#!/bin/sh\n' >program
    jq '.program.name = "b" | .program.words = ["./program"] | .program.sha256 = "0" * 64' a.profile.json >b.profile.json
    predict a.profile.json b.profile.json | holds '.predictions | length == 2'
}

@test "predict: what is no UTF-8 in the name of a profile is shown as such, and nothing is left out for it" {
    profile a
    cp a.profile.json $'a\xff.json'
    predict a.profile.json $'a\xff.json' >record
    is_valid prediction record
    holds '(.programs | map(.name)) == ["a", "a\\xff"] and (.predictions | length) == 2' <record
}

# bats test_tags=slow
@test "predict: every format shows predicted and measured, and the record is as its schema" {
    profile a
    profile 'b|<c>'
    local host
    host=$(jq -r .machine.host a.profile.json)
    printf '%s\n' "{\"schema\":\"jostle.pair/1\",\"a\":\"a\",\"b\":\"b|<c>\",\"place\":\"core\",\"host\":\"$host\",\"slowdown\":3.05,\"ci\":[2.95,3.15],\"n\":12,\"sd\":0.03,\"starts\":[],\"repeat\":null}" >pairs.jsonl
    local format
    for format in md html svg csv json txt; do
        "$JOSTLE" predict --measured pairs.jsonl --output "out.$format" a.profile.json 'b|<c>.profile.json'
        grep -q '3\.05' "out.$format"
        grep -q "$(predict a.profile.json 'b|<c>.profile.json' | jq -r '.predictions[0].slowdown * 100 | round / 100')" "out.$format"
    done
    grep -q 'mean absolute error .* 0 of 1 in the interval' out.txt
    grep -qF 'by leaving out each load' out.html
    run ! grep -qF '<c>' out.html
    page_model out.html | holds --slurpfile record out.json '([.sections[0].blocks[] | select(.table) | .rows[].cells[] | objects | .heat // empty] | sort)
        == ([$record[0].predictions[].slowdown | numbers] | sort)'
    python3 -c 'import xml.dom.minidom; xml.dom.minidom.parse("out.svg")'
    is_valid prediction out.json
    holds '.check.pairs == 1 and .check.held == 0 and .check.error > 1
        and .predictions[.worst].slowdown == ([.predictions[] | select(.distinguishable).slowdown] | max)
        and all(.predictions[]; .carrier == .carriers[0].name and (.carriers | map(-.slowdown) | . == sort))' <out.json
    profile a '.noise.sd = 0.9'
    run -0 "$JOSTLE" predict --measured pairs.jsonl a.profile.json 'b|<c>.profile.json'
    [[ $output == *'a        b|<c>   core   -'*'3.05× [2.95, 3.15]'*'cannot be told'* ]]
    [ -z "$("$JOSTLE" predict --quiet a.profile.json 'b|<c>.profile.json')" ]
}

# bats test_tags=slow
@test "predict: --check runs each program beside each other one as its profile has it, and is not repeated" {
    profile a '.program.words = ["sh", "-c", "echo \"$0\"", "it'"'"'s"] | .program.input = "/dev/null" | .program.prepare = "true"'
    profile b '.program.words = ["true"] | .program.setup = "make b" | .program.conclude = "rm b"'
    "$BIN/predict" --steps --check --max-runs 7 {a,b}.profile.json | tr '\0' '\n' | sed -n 'N; s/^\(step\|word\)\n//p' >steps
    grep -qxF 'a@b.core' steps
    sed -n '/^b@a.core$/,$ p' steps >steps-b
    [ "$(sed -n '2,8 p' steps-b | tr '\n' ' ')" = 'slowdown --output jostle-results/pairs/cells/b@a.core --resume --quiet --place core ' ]
    [[ $(sed -n '9,10 p' steps-b) == $'--load\na=exec --loop '*' sh -c '\''echo "$0"'\'' '* ]]
    [ "$(tail -n 6 steps-b | tr '\n' ' ')" = '--setup make b --conclude rm b -- true ' ]
    sed -n '/^a@b.core$/,/^b@a.core$/ p' steps | tr '\n' ' ' | grep -qF -- '--setup make b --input /dev/null --prepare true -- sh -c echo "$0" it'
    profile spin '.program.words = ["'"$WORKLOADS"'/delannoy", "8"] | .machine.host = "'"$(uname -n)"'"'
    run -0 --separate-stderr "$JOSTLE" predict --check --with-itself --max-runs 2 --records r spin.profile.json
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

# bats test_tags=slow
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
