#!/usr/bin/env bats
# hyperfine's command lines, as they are: those of its own integration tests, but for its --debug-mode, a clock that
# it makes up.
# shellcheck disable=SC2016 # jq programs

load helpers
bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || exit
    echo 'This text is part of a file' >text
}

# hyperfine STATUS WORD...: ends with 0, or with another status.
hyperfine() {
    local status=0
    rm -rf out
    "$JOSTLE" run --output out "${@:2}" >said 2>&1 </dev/null || status=$?
    [[ $1 == 0 && $status -eq 0 || $1 != 0 && $status -ne 0 ]] || {
        printf 'status %s: %s\n' "$status" "${*:2}"
        cat said
        return 1
    }
}

# bats test_tags=slow
@test "what hyperfine's tests run, runs, and what they refuse is refused" {
    local line
    local -a words
    while IFS='|' read -ra words; do
        hyperfine "${words[@]}" || line+="${words[*]}"$'\n'
    done <<'LINES'
0|--runs=2|echo dummy benchmark
0|--runs=1|echo dummy benchmark
0|--runs=1|echo dummy benchmark|echo second benchmark
0|--runs=1|--export-json=-|echo dummy benchmark
2|--runs|0|echo dummy benchmark
2|--min-runs|0|echo dummy benchmark
2|--max-runs|0|echo dummy benchmark
0|--min-runs=1|--max-runs=1|--warmup=0|sleep 0.01
0|--runs=1|--show-output|--shell=none|echo 'hello world' argument2
2|--command-name=a|--command-name=b|echo a
0|--runs=1|--prepare=echo a|--prepare=echo b|echo a|echo b
0|--runs=1|--prepare=echo ref|--prepare=echo a|--prepare=echo b|--reference=echo ref|echo a|echo b
2|--runs=1|--prepare=echo a|--prepare=echo b|echo a|echo b|echo c
2|--runs=1|--prepare=echo a|--prepare=echo b|--reference=echo ref|echo a|echo b
0|--runs=1|--conclude=echo a|--conclude=echo b|echo a|echo b
0|--runs=1|--conclude=echo ref|--conclude=echo a|--conclude=echo b|--reference=echo ref|echo a|echo b
2|--runs=1|--conclude=echo a|--conclude=echo b|echo a|echo b|echo c
2|--parameter-list|x|1,2,3|--parameter-list|x|a,b,c|echo test
2|--runs=1|some-nonexisting-program
2|--shell=none|--runs=1|some-nonexisting-program
2|--shell=none|--runs=1|false
2|--runs=1|--setup=some-nonexisting-program|echo test
2|--runs=1|--cleanup=some-nonexisting-program|echo test
2|--runs=1|--prepare=some-nonexisting-program|echo test
2|--runs=1|--conclude=some-nonexisting-program|echo test
2|--runs=1|false
0|--runs=1|--ignore-failure|false
0|--runs=1|--ignore-failure=1|exit 1
2|--runs=1|--ignore-failure=1|exit 2
0|--runs=1|--ignore-failure=1,2,3|exit 3
2|--runs=1|--ignore-failure=1,2,3|exit 4
0|--runs=1|--ignore-failure=all-non-zero|exit 5
0|--runs=2|--command-name=dummy|--show-output|echo 4fd47015
0|--runs=1|--show-output|--shell|echo 'custom_shell' '--shell-arg'|echo benchmark
0|--runs=1|--input=text|--show-output|cat
2|--runs=1|--input=none|--show-output|cat
0|--runs=1|--time-unit=millisecond|sleep 0.01
0|--runs=1|--style=basic|sleep 0.01|sleep 0.02|sleep 0.03
0|--runs=1|--style=none|sleep 0.01
0|--runs=1|--style=basic|--command-name=A|--command-name=B|sleep 0.01|sleep 0.01|sleep 0.02
0|--runs=1|--style=basic|--reference=sleep 0.02|sleep 0.01|sleep 0.03
0|--runs=1|--sort=command|sleep 0.02|sleep 0.01
0|--runs=1|--parameter-list|n|1,2|echo {n}
0|--runs=1|--parameter-scan|n|1|3|echo {n}|-D|1
0|--runs=1|-N|echo a|echo b|--warmup|1
0|--runs=1|--reference=echo r|--reference-name=R|echo a|-n|A
LINES
    [[ -z ${line:-} ]] || {
        printf '%s' "$line"
        return 1
    }
}

@test "several commands are compared, named, and each prepared; what has no effect is said in a line" {
    run -0 --separate-stderr "$JOSTLE" run -r 7 --output out 'sleep 0.01' 'echo b | cat' -n slow --prepare 'echo 1 >>a' --prepare 'echo 2 >>b' --sort command
    holds '[.variants[].name] == ["slow", "echo_b_cat"] and .settings.prepare == ["echo 1 >>a", "echo 2 >>b"]' <out/experiment.json
    [[ $(sort -u a) == 1 && $(sort -u b) == 2 && $(wc -l <a) -eq 7 ]]
    # shellcheck disable=SC2154 # bats sets it
    [[ $stderr == *'--sort has no effect: rows are in the order'* && $output == *'echo_b_cat is '*' faster'* ]]
    # Between the runs of one there are runs of the other.
    holds -s '[.[].condition] | (.[:7] | unique | length) == 2' <out/runs.jsonl
}

@test "one command may follow options and precede them, in quotes; a program's own arguments are left alone" {
    "$JOSTLE" run --quiet --output out 'sleep 0.01' -r 2
    "$JOSTLE" run --quiet -r 1 --output null 'echo a'
    holds '.command == ["echo", "a"]' <jostle-results/*/experiment.json
    holds '.command == ["sleep", "0.01"] and .settings.max_runs == 2' <out/experiment.json
    "$JOSTLE" run --quiet --output own --runs 1 env -i echo a
    holds '.command == ["env", "-i", "echo", "a"]' <own/experiment.json
    "$JOSTLE" run --quiet --output shell --shell bash -r 1 'echo $BASH_VERSION'
    holds '.settings.shell == "bash" and .settings.max_runs == 1' <shell/experiment.json
}

# bats test_tags=slow
@test "names of any script, and names that differ in nothing that a name can have, are kept apart" {
    "$JOSTLE" run --quiet --output out -r 6 -n 甲 -n 乙 -n 'été à' -n 'été_à' -n 'a/b' -n 'a|b' -n $'x\u00a0\u2003\u202e\xffy' \
        'sleep 0.01' 'sleep 0.012' 'sleep 0.014' 'sleep 0.016' 'sleep 0.018' 'sleep 0.02' 'sleep 0.022'
    holds '[.variants[].name] == ["甲", "乙", "été_à", "été_à.2", "a_b", "a_b.2", "x_y"] and .variants[2].title == "été à"' <out/experiment.json
    holds '[.conditions[].name] == ["甲", "乙", "été_à", "été_à.2", "a_b", "a_b.2", "x_y"] and all(.conditions[]; .runs == 6)' <out/result.json
    is_valid experiment out/experiment.json
    jq 'del(.comparisons)' out/result.json >result.json
    is_valid result result.json
    head -n 1 out/runs.jsonl >run.json
    is_valid run run.json
    run -0 "$JOSTLE" report out
    [[ $output == *'甲 = sleep 0.01'* && $output == *'乙 = sleep 0.012'* ]]
    "$JOSTLE" run --quiet --output values -r 2 -L v é,à 'true {v}'
    holds '[.variants[].parameters.v] == ["é", "à"] and [.variants[].name] == ["v=é", "v=à"]' <values/experiment.json
}

# bats test_tags=slow
@test "the result is exported as hyperfine exports it" {
    "$JOSTLE" run --quiet --output out -r 7 'sleep 0.01' 'sleep 0.02' --export-json json --export-csv csv --export-markdown md \
        --export-asciidoc adoc --export-orgmode - >org
    holds '.results | length == 2 and all(.[]; (.times | length) == 7 and .mean > 0.005 and .exit_codes == [0, 0, 0, 0, 0, 0, 0])
        and map(.command) == ["sleep 0.01", "sleep 0.02"]' <json
    # hyperfine's columns, and its tables, with nothing around them.
    [[ $(head -n 1 csv) == command,mean,stddev,median,user,system,min,max && $(wc -l <csv) -eq 3 ]]
    [[ $(sed -n 2p csv) =~ ^'sleep 0.01'(,[0-9.e-]+){7}$ ]]
    [[ $(head -n 2 md) == '| Command | Mean [ms] | Min [ms] | Max [ms] | Relative |'$'\n''|:---|---:|---:|---:|---:|' && $(wc -l <md) -eq 4 ]]
    grep -qE '^\| `sleep 0\.01` \| [0-9.]+ ± [0-9.]+ \| [0-9.]+ \| [0-9.]+ \| [0-9.]+( ± [0-9.]+)? \|$' md
    [[ $(grep -c '1\.00 |$' md) -eq 1 ]]
    [[ $(head -n 1 adoc) == '[cols="<,>,>,>,>"]' && $(grep -c '^|===$' adoc) -eq 2 ]]
    # shellcheck disable=SC2016 # they are marks of the formats
    [[ $(grep -c '^| `sleep' adoc) -eq 2 && $(grep -c '^| =sleep 0.0[12]=  |  ' org) -eq 2 ]]
    grep -qx '|--+--+--+--+--|' org
    "$JOSTLE" run --quiet --output one -r 2 --export-json json 'sleep 0.01'
    holds '.results[0].command == "sleep 0.01"' <json
}

# bats test_tags=slow
@test "a file for the result that cannot be written, or made, is refused before the first run" {
    local kind option
    mkdir folder
    for option in --json --export-json --export-csv --export-markdown --export-asciidoc --export-orgmode; do
        run -1 "$JOSTLE" run --quiet --output refused -r 2 "$option" none/json 'touch began'
        [[ $output == 'jostle: none/json cannot be written (No such file or directory): '* && ${#lines[@]} -eq 1 ]]
        run -1 "$JOSTLE" run --quiet --output refused -r 2 "$option" folder 'touch began'
        [[ $output == 'jostle: folder cannot be written (Is a directory): '* ]]
    done
    for kind in slowdown protect; do
        run -1 "$JOSTLE" "$kind" --load 'cpu --percent 10' --export-csv refused/deep/csv --output refused -- touch began
        [[ $output == 'jostle: refused/deep/csv cannot be written ('* ]]
    done
    run -1 "$JOSTLE" capacity --vary rate=1..2 --slo 'wall_s<1' --json none/json -- touch 'began{rate}'
    [[ $output == 'jostle: none/json cannot be written ('* ]]
    run -1 "$JOSTLE" run --on nowhere --json none/json -- touch began
    [[ $output == 'jostle: none/json cannot be written ('* ]]
    mkdir programs
    for program in bash env readlink mkfifo mkdir rm; do ln -s "$(type -P "$program")" programs/; done
    PATH=$PWD/programs run -1 "$JOSTLE" run --quiet --output refused -r 2 --export-csv csv "$(type -P touch) began"
    [[ $output == 'jostle: jq is not installed: '*'--export-'* && ${#lines[@]} -eq 1 ]]
    [[ -z $(compgen -G "began*") && ! -e refused && ! -e csv && ! -e jostle-results ]]
}

@test "a file for the result may be in the folder of the records, which is not there yet" {
    "$JOSTLE" run --quiet --output made/records -r 2 --json made/json --export-json made/records/json 'sleep 0.01'
    [[ -s made/json && -s made/records/json ]]
    "$JOSTLE" run --quiet -r 2 --json jostle-results/json 'sleep 0.01'
    [[ -s jostle-results/json ]]
}

# bats test_tags=slow
@test "an export has the command that was typed, its parameters, and the name that was given" {
    "$JOSTLE" run --quiet --output scan -r 2 -P n 1 2 'sleep 0.0{n}; true' --export-json json --export-csv csv
    holds '.results | map(.command) == ["sleep 0.01; true", "sleep 0.02; true"] and map(.parameters) == [{n: "1"}, {n: "2"}]' <json
    [[ $(head -n 1 csv) == *,max,parameter_n && $(tail -n 1 csv) == 'sleep 0.02; true,'*,2 ]]
    "$JOSTLE" run --quiet --output named -r 2 -n 'my | name' 'sleep 0.01' 'sleep 0.02' --export-json json --export-markdown md
    holds '.results | map(.command) == ["my | name", "sleep 0.02"]' <json
    # shellcheck disable=SC2016 # marks of Markdown
    grep -qF '| `my \| name` |' md
    "$JOSTLE" run --quiet --output filled -r 2 -n 'x{n}' -L n 1,2 'sleep 0.0{n}' --export-json json
    holds '.results | map(.command) == ["x1", "x2"]' <json
    holds '[.variants[].name] == ["x1", "x2"]' <filled/experiment.json
    # A name that does not say it is told apart by its values.
    "$JOSTLE" run --quiet --output plain -r 2 -n x -L n 1,2 'sleep 0.0{n}' --export-json json
    holds '.results | map([.command, .parameters.n]) == [["x", "1"], ["x", "2"]]' <json
    holds '[.variants[].name] == ["x,n=1", "x,n=2"]' <plain/experiment.json
}
