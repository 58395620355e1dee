#!/usr/bin/env bats
# The program arguments, and the table of options that commands in bash have.

load helpers

ARGUMENTS=$BIN/arguments

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    cat >./command <<END
#!/usr/bin/env bash
set -euo pipefail
JOSTLE_LIB=$ROOT/harness/lib JOSTLE_BIN=\${BIN_FOR_TEST:-$BIN}
source "\$JOSTLE_LIB/common.bash"
source "\$JOSTLE_LIB/options.bash"
declare -A options=()
declare -a rest=()
declare -a table=('quiet||flag||say nothing' 'array-limit|N|count|3|a number' 'interval|TIME|time|2|how often' 'set|NAME=VALUE|list||a | b'
    'output|DIR|text||where' 'help||flag||this')
options_defaults table options
options_parse table options rest "\$@"
[[ -z \${options[help]} ]] || options_help table
declare -p options rest
END
    chmod +x command
}

# given ARG...: runs the command, whose variables are then ours.
given() {
    local text
    text=$(./command "$@")
    eval "${text//declare -/declare -g -}"
}

@test "options of every kind are read, with defaults, up to the first operand" {
    given --quiet --array-limit=7 --interval 500ms --set a=1 --set 'b=2 3' --output $'x\ny' DIR --quiet ''
    # shellcheck disable=SC2154 # options and rest come from the command
    [[ ${options[quiet]} == 1 && ${options[array_limit]} == 7 && ${options[interval]} == 0.500000 && ${options[output]} == $'x\ny' ]]
    [[ ${options[set]} == $'a=1\nb=2 3\n' ]]
    # shellcheck disable=SC2154
    [[ ${#rest[@]} -eq 3 && ${rest[0]} == DIR && ${rest[1]} == --quiet && ${rest[2]} == '' ]]
    given -- --quiet
    [[ ${options[quiet]} == '' && ${options[array_limit]} == 3 && ${options[interval]} == 2 && ${rest[0]} == --quiet ]]
}

@test "--help is the command's own, wherever among the options; behind an operand it is not ours" {
    run -0 ./command --output --help --help
    [[ $output == *'--array-limit N'*'a number (default: 3)'*'--set NAME=VALUE'*'a | b'* ]]
    given --output --help
    [[ ${options[output]} == --help && -z ${options[help]} ]]
    given program --help
    [[ -z ${options[help]} && ${rest[1]} == --help ]]
    run -0 ./command --version
    [[ $output =~ ^jostle\ command\ [0-9.]+(\ \([0-9a-f]+[+]?\))?$ ]]
}

@test "wrong options are refused in one line, and end the command" {
    local words
    for words in --quite --quiet=yes --output '--array-limit 0' '--array-limit x' '--interval 0' '--interval soon'; do
        # shellcheck disable=SC2086 # an option and its value
        run -2 ./command $words
        [[ ${#lines[@]} -eq 1 && $output == 'jostle: --'*': '* ]]
    done
    run -2 ./command --quite
    [[ $output == 'jostle: --quite: no such option of jostle command: did you mean --quiet?' ]]
    mkdir empty
    BIN_FOR_TEST=$PWD/empty run -1 ./command
    [[ $output == *'arguments is missing: run make' ]]
}

# bats test_tags=slow
@test "random texts are split into the words that bash reads" {
    local text i k seed=1
    local -a pieces=(a + ' ' $'\t' "'" '"' \\ $'\\\n' '\"' "\\'" 'b c' "'x y'" '"x y"') ours theirs
    for ((i = 0; i < 150; i++)); do
        text=''
        for ((k = 0; k < 1 + i % 12; k++)); do
            seed=$(((seed * 1103515245 + 12345) % 2147483648))
            text+=${pieces[seed / 65536 % ${#pieces[@]}]}
        done
        [[ ! $text =~ (^|[^\\])(\\\\)*\\$ ]] || text+=a # bash keeps a backslash at the end
        ours=() theirs=()
        mapfile -d '' -t ours < <("$ARGUMENTS" split "$text" && printf 'end\0')
        if (eval "words=($text)") 2>/dev/null; then
            eval "theirs=($text)"
            theirs+=(end)
        fi
        [[ ${#ours[@]} -eq ${#theirs[@]} && "${ours[*]@Q}" == "${theirs[*]@Q}" ]] || {
            printf 'split differs: %q\n  %s\n  %s\n' "$text" "${ours[*]@Q}" "${theirs[*]@Q}"
            return 1
        }
    done
}

@test "words are split and quoted as a shell does, and the nearest name is found" {
    local -a words
    mapfile -d '' -t words < <("$ARGUMENTS" split $'a "b  c"\t\'$d\' e\\ f ""')
    # shellcheck disable=SC2016 # nothing is expanded
    [[ ${#words[@]} -eq 5 && ${words[1]} == 'b  c' && ${words[2]} == '$d' && ${words[3]} == 'e f' && ${words[4]} == '' ]]
    run -2 "$ARGUMENTS" split 'a "b'
    run -0 "$ARGUMENTS" quote "it's" 'a b' plain ''
    eval "words=($output)"
    [[ ${#words[@]} -eq 4 && ${words[0]} == "it's" && ${words[1]} == 'a b' && ${words[3]} == '' ]]
    run -0 "$ARGUMENTS" nearest slowdwon run slowdown report
    [[ $output == ' (did you mean slowdown?)' ]]
    run -0 "$ARGUMENTS" nearest entirely-else run slowdown report
    [[ $output == '' ]]
    # The dashes are no letters that two options have in common.
    run -0 "$ARGUMENTS" nearest --only --help --json
    [[ $output == '' ]]
    # Nor is a very long word near to any.
    run -0 "$ARGUMENTS" nearest "$(printf 'x%.0s' {1..200})" run slowdown report
    [[ $output == '' ]]
    run -2 "$ARGUMENTS"
}

# bats test_tags=slow
@test "an answer's exit status is right every time" {
    local -a answer
    # bash's own `wait` for a process substitution says 255 in one of 500. By a shell of its own: of each
    # command in ours bats takes note.
    cat >often <<END
source "$ROOT/harness/lib/messages.bash"
END
    cat >>often <<'END'
two() { printf 'a\0\0' && return 2; }
for ((i = 0; i < 1000; i++)); do
    status=0
    answer_read answer two || status=$?
    [[ $status -eq 2 && ${#answer[@]} -eq 2 && ${answer[0]} == a && ${answer[1]} == '' ]] || exit 1
done
END
    bash often
    # shellcheck source=/dev/null
    source "$ROOT/harness/lib/messages.bash"
    answer_read answer printf 'one text\n'
    [[ ${#answer[@]} -eq 1 && ${answer[0]} == $'one text\n' ]]
    answer_read answer true
    [[ ${#answer[@]} -eq 0 ]]
}

@test "a command that undoes something runs again where a signal to all processes has ended it, too; its status is ours" {
    : >tried
    # shellcheck disable=SC2016 # of the command
    run -0 "$ARGUMENTS" undo 'a test' 60 start bash -c '[[ $(wc -l <tried) -eq 2 ]] || { echo >>tried; kill -TERM $$; sleep 60; }; echo end'
    [[ $output == end && $(wc -l <tried) -eq 2 ]]
    run -7 "$ARGUMENTS" undo 'a test' 60 signal bash -c 'exit 7'
    run -137 "$ARGUMENTS" undo 'a test' 60 start bash -c 'echo >>killed; kill -KILL $$'
    [[ $(wc -l <killed) -eq 1 ]]
    run -124 "$ARGUMENTS" undo 'a test' 1 start sleep 60
    [[ $output == 'jostle: has waited 1 s for a test, and killed what has not ended' ]]
    run -127 "$ARGUMENTS" undo 'a test' 60 start ./nobody
    run -2 "$ARGUMENTS" undo 'a test' x start true
}
