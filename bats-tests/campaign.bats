#!/usr/bin/env bats
# The program campaign by itself: nothing is measured here.
# shellcheck disable=SC2154 # bats sets stderr

load helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return
}

# expand FILE [OPTION...]: the plan of FILE, in plan.json.
expand() {
    git config -f "$1" --includes --list -z --show-origin >entries
    "$BIN/campaign" expand --file "$1" --instances "$ROOT/workloads/instances" --workloads "$WORKLOADS" --plan plan.json --conf conf "${@:2}" <entries
}

@test "cells and keys are those of the recorded campaigns: old records are continued" {
    expand "$ROOT/harness/campaign/ready/quick.conf"
    diff <(jq -c '.cells[] | [.number, .name, .key]' plan.json) <(jq -c '.cells[] | [.number, .name, .key]' "$BATS_TEST_DIRNAME/fixtures/campaign-0.1.0/campaign.json")
}

@test "limits and --set of limits leave the key as it is, other settings do not" {
    printf '[target "a"]\n command = true\n' >c.conf
    expand "$PWD/c.conf"
    jq -r '.cells[0].key' plan.json >key
    expand "$PWD/c.conf" --set max-runs=3 --set error=1% --set max-time=1m --set strict=true
    jq -r '.cells[0].key' plan.json | cmp key
    holds '.cells[0].settings == {"max-runs": "3", error: "0.01", "max-time": "60.000000", strict: "1"}' <plan.json
    expand "$PWD/c.conf" --set nice=3
    run ! cmp <(jq -r '.cells[0].key' plan.json) key
}

@test "keys are of settings as they were called when records were made that are still there" {
    local setting before
    for setting in 'ignore-failure = true|"ignore-failure":"1"' 'conclude = x|"cleanup":"x"' 'cleanup = x|"cleanup-all":"x"' 'prepare = x|"prepare":"x"'; do
        printf '[target "a"]\n command = true\n %s\n' "${setting%|*}" >c.conf
        expand "$PWD/c.conf"
        before=$(printf '["a",{},["true"],{%s}]\n' "${setting#*|}" | sha256sum)
        jq -e --arg before "${before:0:32}" '.cells[0].key | startswith($before)' plan.json
    done
}

@test "a metric that every record has is a limit, any other makes another experiment" {
    local key value
    printf '[target "a"]\n command = true\n' >c.conf
    expand "$PWD/c.conf"
    key=$(jq -r '.cells[0].key' plan.json)
    for value in user_s,max_rss_bytes all; do
        expand "$PWD/c.conf" --set metric="$value"
        [[ $(jq -r '.cells[0].key' plan.json) == "$key" ]]
    done
    # Runs that did not look for it have none.
    for value in instructions wall_s,instructions 'x=stdout:/(.)/' @hpl; do
        JOSTLE_HARNESS=$ROOT/harness expand "$PWD/c.conf" --set metric="$value"
        [[ $(jq -r '.cells[0].key' plan.json) != "$key" ]]
    done
    # Several lines add up.
    expand "$PWD/c.conf" --set metric=wall_s --set 'metric=x=stdout:/(.)/' --set decide=x
    holds '.cells[0].settings == {metric: "wall_s\nx=stdout:/(.)/", decide: "x"}' <plan.json
}

@test "a service has its program's path, as a command has" {
    cp "$(type -P true)" server
    printf '[campaign]\n ready = port:1\n[target "a"]\n command = true\n service = ./server {n} --x \\"a b\\"\n n = 1 2\n' >c.conf
    expand "$PWD/c.conf"
    holds '[.cells[].settings.service] == ["\($here)/server 1 --x '"'a b'"'", "\($here)/server 2 --x '"'a b'"'"] and .cells[1].settings.ready == "port:1"' --arg here "$PWD" <plan.json
    expand "$PWD/c.conf" --set 'service=x=1 exec server | cat'
    holds '.cells[0].settings.service == "x=1 exec server | cat"' <plan.json
    rm server
    run -2 --separate-stderr expand "$PWD/c.conf"
    [[ $stderr == *'service: ./server: no such program'* ]]
}

@test "a command line for a shell is one word, of a command as of variants" {
    printf '[campaign]\n shell = bash\n[target "a"]\n command = printf {w} | sort\n w = \\"x y\\"\n[target "b"]\n variant = one=true | true\n variant = two=true\n' >c.conf
    expand "$PWD/c.conf"
    holds '.cells[0].command == ["printf '"'x y'"' | sort"] and .cells[1].settings.variant == "one=true | true\ntwo=true"' <plan.json
    run -2 --separate-stderr expand "$PWD/c.conf" --set shell=none
    [[ $stderr == *'no shell reads this'*'set shell = sh'* ]]
}

@test "a target of variants: each has its program's path, the first is what plans show" {
    cp "$(type -P true)" mine
    printf '[target "a"]\n variant = old=./mine {n} "x y"\n variant = sort -n\n n = 1 2\n' | sed 's/"x y"/\\"x y\\"/' >c.conf
    expand "$PWD/c.conf"
    jq -r '.cells[1].settings.variant' plan.json | diff - <(printf "old=%s/mine 2 'x y'\n%s -n\n" "$PWD" "$(type -P sort)")
    holds '.cells | length == 2 and .[1].command[1:] == ["2", "x y"] and .[0].key != .[1].key' <plan.json
    # Where the file is, is not part of what is measured.
    jq -r '.cells[].key' plan.json >keys
    mkdir elsewhere && mv mine c.conf elsewhere/
    expand "$PWD/elsewhere/c.conf"
    jq -r '.cells[].key' plan.json | diff keys -
}

@test "a target of variants: wrong ones are refused by file, section and key" {
    local line
    for line in 'command = true|there is a command, too' 'variant = b=|no command' 'variant = true | true|no shell reads this' \
        'variant = b=no-such-program|no such program'; do
        printf '[target "a"]\n variant = a=true\n %s\n' "${line%|*}" >c.conf
        run -2 --separate-stderr expand "$PWD/c.conf"
        [[ $stderr == *"${line##*|}"* ]]
    done
}

@test "placeholders of a setting are filled in for each cell" {
    printf '[target "a"]\n command = true\n max-runs = {n}\n prepare = echo {w} {{}}\n case = n=3 w="a\\ b"\n case = n=4 w=c\n' >c.conf
    sed -i 's/w="a\\ b"/w=\\"a b\\"/' c.conf
    expand "$PWD/c.conf"
    holds '[.cells[].settings] == [{"max-runs": "3", prepare: "echo '"'a b'"' {}"}, {"max-runs": "4", prepare: "echo c {}"}]' <plan.json
}

# commands: the command lines of all cells, without the folders of their programs.
commands() {
    jq -r '.cells[] | .command | map(sub(".*/"; "")) | join(" ")' plan.json
}

@test "expressions between braces, let and skip say what cells there are" {
    printf '%s\n' '[target "a"]' 'command = true {n*2} {half} {n-1} {kind}' 'n = 1 2 3' 'kind = read write' \
        'let = half = max(1, floor(n / 2))' "skip = n > 2 && kind == 'write'" 'skip = n == 1' >c.conf
    expand "$PWD/c.conf"
    diff <(commands | sort) <(printf '%s\n' 'true 4 1 1 read' 'true 4 1 1 write' 'true 6 1 2 read')
    # Only parameters name a cell.
    holds '[.cells[].name] | sort == ["a.n=2.kind=read", "a.n=2.kind=write", "a.n=3.kind=read"]' <plan.json
}

@test "expressions are filled into loads and settings, too" {
    printf '%s\n' '[target "a"]' 'command = true' 'max-runs = {20+n}' 'case = n=3' '[load "b"]' 'spec = cpu --threads {t*2} --percent {p}' \
        't = 1 2' 'let = p = 100 / t' >c.conf
    expand "$PWD/c.conf"
    holds '[.cells[] | [.spec, .settings["max-runs"]]] == [["cpu --threads 2 --percent 100", "23"], ["cpu --threads 4 --percent 50", "23"]]' <plan.json
}

@test "braces of shells, awk and JSON stay as they are, though there are parameters of these names" {
    # shellcheck disable=SC2016 # as the file has it
    printf '%s\n' '[target "a"]' 'shell = sh' "command = echo {n} \${n%x} \${y/n} | awk '{print \$n}' | sed -E 's/x{2}/{3,4}/' | jq '{n: .n}' | cat {n,m}.txt" 'n = 5' >c.conf
    expand "$PWD/c.conf"
    # shellcheck disable=SC2016
    [[ $(jq -r '.cells[0].command[0]' plan.json) == 'echo 5 ${n%x} ${y/n} | awk '\''{print $n}'\'' | sed -E '\''s/x{2}/{3,4}/'\'' | jq '\''{n: .n}'\'' | cat {n,m}.txt' ]]
}

@test "a parameter whose name has a minus sign is itself, and no difference" {
    printf '%s\n' '[target "a"]' "command = true {n-m} '{n-m + 0}' {n}" 'n = 5' 'n-m = 7' >c.conf
    expand "$PWD/c.conf"
    [[ $(commands) == 'true 7 7 5' ]]
}

@test "a wrong expression is refused with the file and the line" {
    local line
    for line in 'let = 2x = 3|4|NAME = EXPRESSION' 'let = x == 3|4|NAME = EXPRESSION' 'let = x = 3 +|4|not an expression' 'let = x = (((3|4|not an expression' \
        'let = x = m * 2|4|m is not known' 'let = n = 3|4|has values already' 'let = x = n / 0|4|not a finite number' "let = x = 'a' + 1|4|a is not a number" \
        'skip = n >|4|not an expression' 'skip = kind|4|kind is not known' 'skip = n == 1 || n == 2|4|leaves out every choice' \
        'let = x = 3|4|x is used nowhere' 'prepare = echo {m*2}|4|m is not known' 'prepare = echo {m-n}|4|unknown placeholder' 'prepare = echo {n *}|4|this is not an expression' 'prepare = echo {n = 2}|4|this is not an expression'; do
        printf '[target "a"]\n command = true {n}\n n = 1 2\n %s\n' "${line%%|[0-9]*}" >c.conf
        run -2 --separate-stderr expand "$PWD/c.conf"
        echo "$line: $stderr"
        [[ $stderr == *"c.conf:4: target.a."*"${line##*|}"* ]]
    done
}

@test "calibrate takes a time, true or false" {
    local value
    for value in 500ms:0.5 true:10 false:null '':10; do
        printf '[campaign]\n calibrate%s\n[target "a"]\n command = true\n' "${value%%:*}" >c.conf
        [[ -z ${value%%:*} ]] || sed -i "s/calibrate/calibrate = /" c.conf
        expand "$PWD/c.conf"
        holds ".calibrate_s == ${value#*:}" <plan.json
    done
}

# tasks_of OPTION...: the lines of the tasks, with commas between.
tasks_of() {
    "$BIN/campaign" tasks plan.json out --output tasks "$@" >counts
    paste -sd' ' tasks
}

# bats test_tags=slow
@test "cells are grouped into tasks by their time and the nodes, or by their number" {
    local n
    printf '[target "a"]\n command = true {n}\n n = %s\n' "$(seq -s ' ' 1 40)" >c.conf
    expand "$PWD/c.conf"
    # Nothing is known: 60 s each. 2400 s are 4 tasks of 600 s on one node, 8 of 300 s on
    # two; one of 30 s cannot be, and no task is longer than 10 minutes.
    [[ $(tasks_of --nodes 1) == '1-10 11-20 21-30 31-40' && $(<counts) == $'40\t4' ]]
    [[ $(tasks_of --nodes 2) == '1-5 6-10 11-15 16-20 21-25 26-30 31-35 36-40' && $(<counts) == $'40\t8' ]]
    [[ $(tasks_of --nodes 20 | wc -w) -eq 40 ]]
    [[ $(tasks_of --cells-per-task 15) == '1-15 16-30 31-40' && $(<counts) == $'40\t3' ]]
    # Cells that are done leave gaps, and say how long the others take: 0.5 s, and so all
    # 37 are less than the 20 s that a task takes at least; 2.5 s, and a task has 8.
    for n in 2 5 6; do
        jq -r --argjson n "$n" '.cells[] | select(.number == $n) | "out/cells/" + .name' plan.json >folder
        mkdir -p "$(<folder)"
        jq -c --argjson n "$n" '.cells[] | select(.number == $n) | { schema: "jostle.status/1", state: "done", key, limits: {}, spent_s: 0.5, runs: 4 }' plan.json >"$(<folder)/status.json"
    done
    [[ $(tasks_of --nodes 1) == '1,3-4,7-40' && $(<counts) == $'37\t1' ]]
    [[ $(tasks_of --cells-per-task 3) == '1,3-4 7-9 '* ]]
    sed -i 's/"spent_s":0.5/"spent_s":2.5/' out/cells/*/status.json
    # 37 cells of 2.5 s are 92.5 s: 23.125 s for each of four tasks.
    [[ $(tasks_of --nodes 1) == '1,3-4,7-12 13-21 22-30 31-39 40' && $(<counts) == $'37\t5' ]]
    run -2 "$BIN/campaign" tasks plan.json out --output tasks
    run -2 "$BIN/campaign" tasks plan.json out --output tasks --nodes 1 --cells-per-task 1
    run -1 "$BIN/campaign" tasks plan.json out --output /dev/full --nodes 1
    [[ -c /dev/full ]]
}

@test "what a shortened limit is a percentage of is calibrated, of a load with settings without them" {
    printf '[campaign]\n calibrate = 1s\n[target "a"]\n command = true\n[load "s"]\n spec = fork --lim {level}\n level = 50%%\n[load "set"]\n spec = [nice=19] fork --threads 1 --lim {level}\n level = 20%%\n[load "all"]\n spec = cpu --percent 5\n' >c.conf
    expand "$PWD/c.conf"
    "$BIN/campaign" calibrations plan.json out | xargs -0 -n 2 printf '%s=%s\n' >said
    [[ $(sed -n 's/^word=//p' said | paste -sd ' ') == 'fork --lim 50% fork --threads 1 --lim 20%' ]]
}

@test "what a program of the user's calls --limit is no load's, and is not calibrated" {
    local spec
    printf '[target "a"]\n command = true\n' >c.conf
    for spec in 'exec: stress --limit 5%' 'exec -- stress --limit 5%' 'mem --limit 5% + exec: stress --limit 6%' 'mem --limit 1G' '@2 mem --limit 5%'; do
        printf '[load "l%s"]\n spec = %s\n' "${#spec}" "$spec" >>c.conf
    done
    expand "$PWD/c.conf"
    "$BIN/campaign" calibrations plan.json out | xargs -0 -n 2 printf '%s=%s\n' >said
    [[ $(grep '^step=' said) == 'step=mem --limit 5%' && $(grep -c '^end=' said) -eq 1 ]]
}

# talk LINE...: sends LINEs to `campaign run`, as the shell does; its answers are in answers, a line NAME=VALUE each.
talk() {
    printf '%s\n' "$@" | "$BIN/campaign" run plan.json out --conf conf --file c.conf --scratch "$PWD/scratch" --stderr stderr 2>log |
        xargs -0 -n 2 printf '%s=%s\n' >answers
}

@test "the reason of a cell whose --setup failed is what that command said" {
    printf '[target "a"]\n command = true\n' >c.conf
    cp c.conf conf
    expand "$PWD/c.conf"
    mkdir scratch
    printf 'jostle: %s\n' 'the file does not fit: give a smaller one' '--setup failed with status 2: loadgen io --keep: fix the command' >stderr
    talk next 'ended 1' next
    holds '.reason == "--setup: the file does not fit: give a smaller one"' <out/cells/a/status.json
    # A cell that wrote its own status does not know what the command said.
    jq -c '.reason = "--setup failed with status 2"' out/cells/a/status.json >status && cp status out/cells/a/status.json
    talk next 'ended 1' next
    holds '.reason == "--setup: the file does not fit: give a smaller one" and .state == "interrupted"' <out/cells/a/status.json
}

@test "the dialogue: each cell once, with a folder to work in, and what became of it" {
    printf '[campaign]\n max-runs = 7\n[target "a"]\n command = true {n}\n n = 1 2 3 4\n[load "l"]\n spec = cpu --percent 1\n' >c.conf
    cp c.conf conf
    expand "$PWD/c.conf"
    mkdir scratch
    printf 'jostle: the target failed: fix it\n' >stderr
    talk next 'ended 0' next 'ended 5' next 'ended 1' next 'ended 143' next
    [[ $(grep -vE '^(folder|session|word)=' answers | cut -d = -f 1 | paste -sd ' ') == 'ready over'*' failed broken held over' ]]
    [[ $(grep -c '^step=' answers) -eq 4 && $(grep -c '^end=' answers) -eq 4 && $(grep -c '^over=' answers) -eq 10 ]]
    [[ $(tail -n 4 answers | paste -sd ' ') == 'failed=1 broken=2 held=0 over=' && -z $(ls scratch) ]]
    [[ $(grep -m 1 -A 2 '^step=' answers | paste -sd ' ') == "step=a.n=1@l folder=$PWD/scratch/jostle."*' session=' ]]
    [[ $(grep -m 7 '^word=' answers | cut -d = -f 2- | paste -sd ' ') == 'slowdown --quiet --resume --cell out/cells/a.n=1@l/cell.json --output out/cells/a.n=1@l' ]]
    is_valid cell out/cells/a.n=1@l/cell.json
    holds '.loads == [{name: "l", spec: "cpu --percent 1"}] and .settings == {"max-runs": "7"} and .number == 1' <out/cells/a.n=1@l/cell.json
    # Those that could not say so themselves.
    is_valid status out/cells/a.n=2@l/status.json
    holds -s 'map(.state) == ["failed", "interrupted", "interrupted"] and all(.[]; .reason == "the target failed: fix it" and .max_runs == 14)' < <(cat out/cells/a.n={2,3,4}@l/status.json)
    grep -qE '^2/4 a.n=2@l: failed: the target failed: fix it \([0-9.]+ s\)$' log
    # The failed one is left, the others are to be measured.
    talk next
    [[ $(head -n 3 answers) == $'ready=3\nover=\nstep=a.n=1@l' ]]
    # The shell went away in the middle of it: nothing uses the folder.
    [[ -z $(ls scratch) ]]
}

@test "what another definition has measured makes room" {
    printf '[target "a"]\n command = true\n' >c.conf
    cp c.conf conf
    expand "$PWD/c.conf"
    mkdir -p scratch out/cells/a
    : >out/lock
    jq -nc '{schema: "jostle.status/1", cell: "a", key: "other", limits: {}, state: "done"}' >out/cells/a/status.json
    talk next
    [[ $(ls out/replaced) == a.1 && -s out/replaced/a.1/status.json && $(ls out/cells/a) == cell.json ]]
}

@test "wrong use of the program is refused" {
    run -2 "$BIN/campaign"
    run -2 "$BIN/campaign" plna
    [[ $output == *'did you mean plan?'* ]]
    run -2 "$BIN/campaign" plan
    run -1 "$BIN/campaign" plan none.json out
    [[ $output == *'none.json cannot be read'* ]]
}

# repeated [LINE...]: the plan of a campaign of two cells in three sessions, in plan.json.
repeated() {
    printf '%s\n' '[campaign]' 'repeat = 3' "$@" '[target "a"]' 'command = true {n}' 'n = 1 2' >c.conf
    expand "$PWD/c.conf"
}

@test "repeat: the whole campaign once, then again; session 1 is what it is without" {
    repeated
    holds '[.cells[] | [.number, .name, .session, .of]] == [[1, "a.n=1", 1, null], [2, "a.n=2", 1, null],
        [3, "a.n=1.session2", 2, "a.n=1"], [4, "a.n=2.session2", 2, "a.n=2"],
        [5, "a.n=1.session3", 3, "a.n=1"], [6, "a.n=2.session3", 3, "a.n=2"]]' <plan.json
    # Each is the same experiment: its key does not say which session it is.
    holds '[.cells[].key] | unique | length == 2' <plan.json
    jq -c '.cells[:2] | map(del(.session))' plan.json >first
    expand "$PWD/c.conf" --set campaign.repeat=1
    jq -c .cells plan.json | cmp first
    sed -i '/repeat/d' c.conf
    expand "$PWD/c.conf"
    jq -c .cells plan.json | cmp first
    expand "$PWD/c.conf" --set repeat=2
    holds '[.cells[].session] == [1, 1, 2, 2]' <plan.json
}

@test "repeat: a seed of the file is that of session 1, the others have their own" {
    repeated 'seed = 7'
    holds '[.cells[].settings.seed] == ["7", "7", "8", "8", "9", "9"]' <plan.json
}

@test "repeat: what is no number of sessions is refused" {
    local value
    for value in 0 -1 2.5 many 1001; do
        printf '[campaign]\nrepeat = %s\n[target "a"]\ncommand = true\n' "$value" >c.conf
        run -2 expand "$PWD/c.conf"
        [[ $output == *"campaign.repeat: $value: give the number of sessions, 1 to 1000"* ]]
        printf '[target "a"]\ncommand = true\n' >c.conf
        run -2 expand "$PWD/c.conf" --set "repeat=$value"
        [[ $output == *"--set repeat=$value: give the number of sessions"* ]]
    done
    printf '[target "a"]\ncommand = true {repeat}\nrepeat = 1 2\n' >c.conf
    expand "$PWD/c.conf" # of a target it is a parameter as any other
    holds '[.cells[].name] == ["a.repeat=1", "a.repeat=2"]' <plan.json
}

@test "repeat: a session can be chosen, a name means all of its sessions, tasks keep them apart" {
    repeated
    "$BIN/campaign" plan plan.json out --session 2 | holds '[.cells[] | [.number, .session]] == [[3, 2], [4, 2]]'
    "$BIN/campaign" plan plan.json out --only 'a.n=1' | holds '[.cells[].number] == [1, 3, 5]'
    "$BIN/campaign" plan plan.json out --only '*.session3' | holds '[.cells[].number] == [5, 6]'
    run -2 "$BIN/campaign" plan plan.json out --session 4
    [[ $output == *'--session 4: no cell of it is chosen'* ]]
    [[ $(tasks_of --cells-per-task 5) == '1-2 3-4 5-6' && $(<counts) == $'6\t3' ]]
    [[ $(tasks_of --cells-per-task 5 --session 3) == 5-6 ]]
}

@test "repeat: the status counts each session, and one that is not repeated has none" {
    repeated
    mkdir -p out/cells/a.n=1 out/cells/a.n=2.session2
    cp plan.json out/campaign.json
    local number
    for number in 1 4; do
        jq -c --argjson n "$number" '.cells[] | select(.number == $n) | { schema: "jostle.status/1", state: "done", key, limits: {}, spent_s: 0.5, runs: 4 }' plan.json \
            >"out/cells/$(jq -r --argjson n "$number" '.cells[] | select(.number == $n) | .name' plan.json)/status.json"
    done
    "$BIN/campaign" status out | holds '.sessions == [{ cells: 2, done: 1 }, { cells: 2, done: 1 }, { cells: 2, done: 0 }] and .counts.done == 2'
    expand "$PWD/c.conf" --set repeat=1
    cp plan.json out/campaign.json
    "$BIN/campaign" status out | holds '.sessions == null'
}

@test "a file that is not UTF-8 is refused, and no word of a command is left out" {
    local line
    for line in 'command = tr\xfee a' 'command = true a \xff b' 'command = true {n}\n n = \xc3'; do
        printf '[target "a"]\n %b\n' "$line" >c.conf
        run -2 --separate-stderr expand "$PWD/c.conf"
        [[ ${#stderr_lines[@]} -eq 1 && $stderr == *'c.conf'*': target.a.'*'not valid UTF-8: save the file as UTF-8' ]]
    done
    printf '[target "a"]\n command = true\n' >c.conf
    run -2 --separate-stderr expand "$PWD/c.conf" --set prepare=$'\xff'
    [[ $stderr == *'--set prepare='*'not valid UTF-8'* ]]
}

@test "the folder's own campaign file has all that the campaign file has and includes, as git reads it" {
    printf '\xef\xbb\xbf; a comment\r\n[Target "a\\"b;c"]command = true {n-2} \\\n   "# in  quotes ;" '"'"'x  "\\\\ y'"'"'\t z\\t" ; out of them\n\r\nN-2=1\t\t2 3\nshell=sh\n' >c.conf
    printf '[load.Half] ; a name in lower case\n  spec = "cpu --percent " 50 # and a comment\n\n[include]\npath = inner.conf\n[campaign]#\n\tName = \\"\\n\\\\\r\n  cold\r\n  scratch=\n' >>c.conf
    printf '[target "in\tner"]\n  command = true\n  description = "\\ta\001b\r"\n' >inner.conf
    expand "$PWD/c.conf"
    diff <(git config -f c.conf --includes --list -z | grep -zv ^include | tr '\0' '\n' | sed 's/^campaign.cold$/&\ntrue/') <(git config -f conf --list -z | tr '\0' '\n')
    [[ $(git config -f conf --list -z | tr -dc '\0' | wc -c) -ge 9 ]]
}
