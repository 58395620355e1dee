#!/usr/bin/env bats
# What a shell user expects of any program: completion, manual pages, --verbose.

load helpers

setup() {
    PATH=$ROOT/harness:$BIN:$WORKLOADS:$PATH
}

# completes WORD...: what bash would offer for the last word, on one line.
completes() {
    run bash -c '
        source "$0"
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _jostle "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        printf "%s\n" "${COMPREPLY[*]}"' "$ROOT/harness/completion/jostle.bash" "$@"
    [[ $status -eq 0 ]]
}

# completes_all PROGRAM COMMAND: each option that its help lists is offered.
completes_all() {
    local option
    local -a options
    mapfile -t options < <("$@" --help-all | sed -nE 's/^ {1,8}(-[A-Za-z], +)?(--[a-z][a-z0-9-]*).*/\2/p')
    [[ " ${options[*]} " == *' --help '* || $2 == completion ]]
    completes "$@" --
    for option in "${options[@]}"; do
        [[ " $output " == *" $option "* ]] || {
            printf '%s: %s is not completed: %s\n' "$*" "$option" "$output" >&2
            return 1
        }
    done
}

# bats test_tags=slow
@test "bash completes commands, options, loads and the target's own command" {
    completes jostle slo
    [[ $output == slowdown ]]
    completes jostle slowdown --max-r
    [[ $output == --max-runs ]]
    completes jostle slowdown --load c
    [[ " $output " == *" cpu "* ]]
    completes jostle run -- delann
    [[ $output == delannoy ]]
    completes jostle slowdown --load half = pagec
    [[ $output == pagecache ]]
    completes jostle slowdown --load "'half=cpu --perc"
    [[ $output == 'half=cpu --percent' ]]
    completes loadgen io --sequ
    [[ $output == --sequential ]]
    completes jostle bench me
    [[ $output == memory ]]
    completes jostle slowdown --place oth
    [[ $output == other-node ]]
    completes jostle report --format hyp
    [[ " $output " == *' hyperfine '* ]]
    completes jostle help slo
    [[ $output == slowdown ]]
}

# bats test_tags=slow
@test "bash completes every command and every option that --help has" {
    local command
    completes jostle ''
    for command in "$ROOT"/{harness,jobs}/commands/*; do
        [[ ${command##*/} != probe ]] || continue # gone: it only says what to use
        [[ " $output " == *" ${command##*/} "* ]]
    done
    for command in "$ROOT"/{harness,jobs}/commands/*; do
        completes_all jostle "${command##*/}"
    done
    for command in cpu io mem cache icache tlb ports alloc net exec lock pagecache switch syscall; do
        completes_all loadgen "$command"
    done
}

# bats test_tags=slow
@test "zsh completes commands and options" {
    command -v zsh >/dev/null || skip "zsh is not installed"
    jostle completion zsh >"$BATS_TEST_TMPDIR/_jostle"
    run -0 timeout 200 zsh -f "$BATS_TEST_DIRNAME/fixtures/complete.zsh" "$BATS_TEST_TMPDIR" 'jostle slo' slowdown 3>&-
    run -0 timeout 200 zsh -f "$BATS_TEST_DIRNAME/fixtures/complete.zsh" "$BATS_TEST_TMPDIR" 'jostle slowdown --max-r' -runs 3>&-
    run -0 timeout 200 zsh -f "$BATS_TEST_DIRNAME/fixtures/complete.zsh" "$BATS_TEST_TMPDIR" "jostle slowdown --load 'half=cpu --perc" ent 3>&-
}

# bats test_tags=slow
@test "fish completes commands, options, their values, and the target's own command" {
    command -v fish >/dev/null || skip "fish is not installed"
    fish --no-config -c 'source $argv[1]
        for line in $argv[2..-1]; complete -C $line | string replace -r "\t.*" ""; end' "$ROOT/harness/completion/jostle.fish" \
        'jostle slo' 'jostle slowdown --max-r' 'jostle slowdown --load c' "jostle slowdown --load 'half=cpu --perc" 'jostle run -- delann' 'jostle bench me' \
        'loadgen io --sequ' >"$BATS_TEST_TMPDIR/offered"
    diff "$BATS_TEST_TMPDIR/offered" <(printf '%s\n' slowdown --max-runs cache cpu "half=cpu --percent" delannoy memory --sequential)
}

@test "jostle completion prints what the shells need, and refuses others" {
    run jostle completion bash
    [[ $status -eq 0 && $output == *'complete '* ]]
    run jostle completion zsh
    [[ $status -eq 0 && $output == '#compdef jostle'* ]]
    run -0 jostle completion fish
    [[ $output == *'complete -c jostle '* ]]
    run jostle completion tcsh
    [[ $status -eq 2 && $output == 'jostle: '*bash* ]]
}

# bats test_tags=slow
@test "every program has a manual page, made from its --help" {
    command -v help2man >/dev/null || skip "help2man is not installed"
    local file
    cp -r "$BUILD" "$BATS_TEST_TMPDIR/build"
    "$ROOT/packaging/man" "$BATS_TEST_TMPDIR/build"
    cd "$BATS_TEST_TMPDIR/build/man/man1"
    for file in "$ROOT"/{harness,jobs}/commands/*; do
        [[ -s jostle-${file##*/}.1 ]]
    done
    grep -q '^\.SH THE FILE' ../man5/jostle-campaign.5 && grep -q '^\.B campaign, name' ../man5/jostle-campaign.5
    [[ -s jostle.1 && -s loadgen-cpu.1 && -s jostle-meter.1 && -s jostle-stats.1 && -s jostle-conduct.1 ]]
    grep -q -e '-max\\-runs' jostle-slowdown.1
    command -v man >/dev/null || skip "man is not installed"
    man -l jostle.1 | grep -qA2 '^ENVIRONMENT' && man -l jostle.1 | grep -q '^ *JOSTLE_NO_PROBE' && man -l jostle.1 | grep -q '^ *jostle-results/'
    # What is a line of --help is one of the page, and no usage is cut.
    MANWIDTH=100 man -l jostle-slowdown.1 >page
    grep -qE '^ *jostle slowdown \[OPTION...\] --variant \[NAME=\]CMD --variant' page
    [[ $(grep -cE '^ *[0-9]+(, [0-9]+)*  [a-z-]' <(sed -n '/^EXIT STATUS/,/^EXAMPLES/p' page)) -eq 5 ]]
    [[ $(sed -n '/^EXAMPLES/,/^SEE/p' page | grep -c '^ *jostle slowdown ') -eq 4 ]]
    grep -q 'campaign .*--output' <(man -l jostle-campaign.1 | sed -n '/^SYNOPSIS/,/^DESCRIPTION/p')
}

@test "--verbose shows each command as it is run, and the target can be run from it" {
    cd "$BATS_TEST_TMPDIR"
    jostle run --quiet --verbose --max-runs 3 --output out -- delannoy 3 2>shown
    [[ $(grep -c '^+ delannoy 3$' shown) -eq 3 ]]
    grep -q '^+ .*meter .* -- delannoy 3$' shown
    grep -q '^+ .*conduct ' shown
}

# bats test_tags=slow
@test "no command prints colours where NO_COLOR is set or the output is no terminal" {
    cd "$BATS_TEST_TMPDIR"
    local command
    for command in "$ROOT"/{harness,jobs}/commands/*; do
        run env NO_COLOR=1 jostle "${command##*/}" --help
        [[ $output != *$'\e['* ]]
    done
    run env NO_COLOR=1 jostle run --max-runs 3 --output out -- delannoy 3
    [[ $output != *$'\e['* ]]
}

@test "commands in bash call no program but bash's own, coreutils, jq and git: the static bundle has no others" {
    local found
    local -a files
    # Not: tar for records that go to another host and come back; adapters of programs that bring their own, examples, completions, which are for interactive shells.
    mapfile -t files < <(cd "$ROOT" && find harness jobs -type f | grep -vE '\.(c|h|jq|css|js|conf|md|sbatch|zsh|fish|json)$|^jobs/examples/|^harness/(completion|campaign/ready|adapters)/')
    found=$(cd "$ROOT" && grep -nE '(^ *|[|;&({!] *|\$\(|\b(exec|then|do|else|if|while|until|foreground|child_run|timeout [0-9]+) )(sed|awk|grep|find|xargs|flock|setsid|setpriv|taskset|cmp|diff|getent|ps|pgrep|hostname|getconf|lscpu|column|hexdump|tar|gzip|perl|python3?)( |$)' \
        "${files[@]}" | grep -vE '^(harness/lib/elsewhere\.bash|jobs/ssh/.*):.*\btar |^[^:]*:[0-9]+: *#|^[^:]*:[0-9]+:.* # ' || true)
    printf '%s\n' "$found"
    [[ -z $found ]]
}

# at_width COLUMNS COMMAND: what a command of bash prints on a terminal of that width.
at_width() {
    python3 "$BATS_TEST_DIRNAME/at-terminal.py" "stty cols $1; $2" | tr -d '\r'
}

# narrow COLUMNS FILE: 0 where no line but a row of a table, or a single word, has more columns.
narrow() {
    sed 's/\x1b\[[0-9;]*m//g' "$2" | grep -vE '[^ ]  +[^ ].*[^ ]  +[^ ]|^ *[^ ]+$' >prose
    run ! grep -E "^.{$(($1 + 1))}" prose
}

# bats test_tags=slow
@test "on a terminal lines are broken between words, however wide it is" {
    local columns command
    cd "$BATS_TEST_TMPDIR"
    export LC_ALL=C.UTF-8
    local report="report '$BATS_TEST_DIRNAME/fixtures/report/campaign/cells/delannoy.n=5@disk.10%'"
    for columns in 60 80; do
        for command in help 'run --max-runs 0 -- true' 'frobnicate --with many --more words' "$report"; do
            at_width "$columns" "jostle $command" >printed
            narrow "$columns" printed
            [[ -s printed ]]
        done
    done
    at_width 60 'experiment slowdown --help; jostle help slowdown' >printed
    narrow 60 printed
    at_width 200 "jostle $report" >printed
    grep -qE '^.{120,200}$' printed
    jostle help >all
    at_width 60 'jostle help' >printed
    diff <(tr -s ' \n' '\n' <all) <(tr -s ' \n' '\n' <printed)
}
