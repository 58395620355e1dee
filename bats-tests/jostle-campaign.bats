#!/usr/bin/env bats
# jostle campaign: a file becomes cells, and cells become records.

load helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return
}

# file TEXT...: writes the lines to c.conf, below a [campaign] that is short.
file() {
    printf '[campaign]\n    name = test\n    min-runs = 2\n    max-runs = 2\n' >c.conf
    printf '%s\n' "$@" >>c.conf
}

# cells: the plan's cells as JSON, one a line.
cells() {
    "$JOSTLE" plan c.conf --json | jq -c '.cells[]'
}

# refused TEXT PATTERN: a file of TEXT is refused with a message like PATTERN.
refused() {
    printf '%s\n' "$1" >c.conf
    run -2 "$JOSTLE" plan c.conf
    [[ $output =~ ^jostle:\ [^\ ]*c\.conf(:[1-9][0-9]*)?$2 ]] || {
        printf 'for: %s\nwanted: %s\ngot: %s\n' "$1" "$2" "$output" >&2
        return 1
    }
}

@test "every target, with each parameter, meets every load at each level" {
    file '[target "a"]' '    command = sleep {n} {m}' '    n = 1 2' '    m = 5 6' \
        '[target "b"]' '    command = true' \
        '[load "cpu"]' '    spec = cpu --percent {level}' '    level = 10 20' \
        '[load "w"]' '    spec = cpu --profile desktop'
    cells >cells.json
    holds -s 'length == 15 and map(.number) == [range(1; 16)]' <cells.json
    holds -s '.[0] | .name == "a.n=1.m=5@cpu.10" and .label == "a n=1 m=5" and .load == "cpu" and .level == "10" and .spec == "cpu --percent 10"' <cells.json
    holds -s '.[-1] | .name == "b@w" and .level == null and .spec == "cpu --profile desktop"' <cells.json
    holds -s 'map(.name) | unique | length == 15' <cells.json
}

@test "values of several lines add up, and case gives values that belong together" {
    file '[target "a"]' '    command = sleep {n}' "    n = 1 2 \\" '      3' '    n = 4' \
        '[target "f"]' '    command = true {dirs} {files} {size}' '    case = dirs=1 files=1000' '    case = dirs=1000 files=1' '    size = 7'
    cells >cells.json
    holds -s 'map(select(.target == "a").command[1]) == ["1", "2", "3", "4"]' <cells.json
    holds -s 'map(select(.target == "f").command[1:]) == [["1", "1000", "7"], ["1000", "1", "7"]]' <cells.json
}

@test "words are split as a shell does, and braces are doubled" {
    file '[target "a"]' "    command = printf '%s %s' \"\\\"{x} y\\\"\" {{x}} {x}" "    x = 'a b' c"
    cells >cells.json
    holds -s '.[0].command[1:] == ["%s %s", "a b y", "{x}", "a b"]' <cells.json
    holds -s '.[0].name == "a.x=a_b"' <cells.json
}

@test "programs are those of the workloads, else those in PATH, else below the file" {
    printf '#!/bin/sh\n' >mine && chmod +x mine
    file '[target "a"]' '    command = delannoy 3' '[target "b"]' '    command = sleep 0' \
        '[target "c"]' '    command = ./mine' '[target "d"]' '    command = cat {campaign-dir}/mine'
    (mkdir elsewhere && cd elsewhere && "$JOSTLE" plan ../c.conf --json) >plan.json
    holds --arg w "$WORKLOADS/delannoy" --arg d "$PWD" '.cells | map(.command[0]) == [$w, "'"$(type -P sleep)"'", $d + "/mine", "'"$(type -P cat)"'"] and .[3].command[1] == $d + "/mine"' <plan.json
}

# bats test_tags=slow
@test "a file can include others" {
    printf '[load "cpu"]\n    spec = cpu --percent {level}\n    level = 10\n' >loads.conf
    file '[include]' '    path = loads.conf' '[target "a"]' '    command = true' '    conclude = "rm -f x; true"'
    "$JOSTLE" campaign --quiet c.conf --output out
    [[ $(ls out/cells) == 'a@cpu.10' ]]
    # The folder's own file has everything in one.
    run -1 grep include out/campaign.conf
    mkdir other && cp out/campaign.conf other/c.conf
    diff <("$JOSTLE" plan c.conf --json | jq '[.cells[] | {name, command, spec}]') <("$JOSTLE" plan other/c.conf --json | jq '[.cells[] | {name, command, spec}]')
}

# bats test_tags=slow
@test "errors name file, section and key, and the nearest word" {
    local target=$'[target "x"]\n    command = sleep {n}\n    n = 1'
    refused $'[campaign]\n    max-run = 3' ': campaign.max-run: unknown setting \(did you mean max-runs\?\)'
    refused "$target"$'\n[campaign]\n    max-runs = many' ': campaign.max-runs: many: .*give a whole number'
    refused "$target"$'\n[campaign]\n    max-runs = 0' ': campaign.max-runs: 0: '
    refused "$target"$'\n[campaign]\n    error = 200%' ': campaign.error: 200%: '
    refused "$target"$'\n[campaign]\n    cold = maybe' ': campaign.cold: maybe: give true or false'
    refused "$target"$'\n[campaign]\n    calibrate = soon' ': campaign.calibrate: soon: give a time such as 10s, or true'
    refused "$target"$'\n[campaign]\n    place = sideways' ': campaign.place: sideways: not known: give one of core'
    refused "$target"$'\n    place = {where}\n    where = core sideways' ': target.x.place: sideways: '
    refused $'[campagne]\n    name = x' ': campagne.name: unknown section \(did you mean campaign\?\)'
    refused $'[target]\n    command = true' ': target: it has no name'
    refused $'[target "x"]\n    n = 1' ': target.x: there is no command'
    refused $'[target "x"]\n    command = slep 1' ': target.x.command: slep: no such program'
    refused $'[target "x"]\n    command = sleep {m}\n    n = 1' ': target.x.command: \{m\}: unknown placeholder'
    refused $'[target "x"]\n    command = sleep {lenght}\n    length = 1' ': target.x.command: \{lenght\}: unknown placeholder \(did you mean length\?\)'
    refused "$target"$'\n    max-rnus = 4' ': target.x.max-rnus: max-rnus is used nowhere, and is no setting \(did you mean max-runs\?\)'
    refused $'[target "x"]\n    command = sleep {n}\n    n =' ': target.x.n: no values'
    refused $'[target "x"]\n    command = sleep {n}\n    n = 1 2 1' ': target.x.n: 1 is given twice'
    refused $'[target "x"]\n    command = sleep {n}\n    case = n=1\n    case = n=1' ': target.x.case: this case is given twice'
    refused $'[target "x"]\n    command = true {n}{m}\n    case = n=1 m=2\n    case = n=1' ': target.x.case: this case names n, the first one n, m'
    refused $'[target "x"]\n    command = true {n}\n    case = n=1\n    n = 2' ': target.x.case: n has a list of values, too'
    refused $'[target "x"]\n    command = true \'a' ': target.x.command: .*not closed'
    refused "$target"$'\n    loads = dsk\n[load "disk"]\n    spec = cpu' ': target.x.loads: no load is named dsk \(did you mean disk\?\)'
    refused "$target"$'\n[load "cpu"]\n    level = 1' ': load.cpu: there is no spec'
    refused "$target"$'\n[load "cpu"]\n    spec = cpu --percent {level}' ': load.cpu.spec: \{level\}: unknown placeholder'
    refused "$target"$'\n[load "cpu"]\n    spec = cpu\n    node = 0' ': load.cpu.node: 0 is not a node'
    refused "$target"$'\n[include]\n    path = nowhere.conf' ': include.path: .*nowhere.conf cannot be read'
    # Neither git nor we read a file as often as a circle or a tree of includes says.
    refused "$target"$'\n[include]'"$(printf '\n    path = c.conf%.0s' 1 2 3 4)" ' cannot be read \(.*exceeded maximum include depth.*circular includes\.\): take an include out'
    for i in {1..8}; do printf '[include]\n%s' "$(printf "    path = i$((i + 1)).conf\n%.0s" {1..9})" >"i$i.conf"; done
    printf '[campaign]\n' >i9.conf
    run -2 timeout 20 "$JOSTLE" plan i1.conf
    [[ $output == *'.conf includes 1000 files or more: include each once' ]]
    refused $'max-runs = 3\n[target "x"]\n    command = true' ': max-runs is in no section: write \[section "NAME"\] above it'
    refused $'[target "x"\n    command = true' ' cannot be read \(.*line [12].*\): write \[section "NAME"\]'
    refused $'[campaign]\n    name = x' ': there is no target'
    refused "$target"$'\n[campaign]\n    min-runs = 3\n    max-runs = 2' ': target x: max-runs 2 is below min-runs 3: .*--set min-runs=2'
    # The line, of the entry that is wrong: not of a comment, of what is continued, or of the same key before.
    refused $'# error = x\n[Target "a\\"b"]\n  command = echo \\\n    error = 1\n[target "x"] command = true\n  Error = 5%\n\n  error= soon' ':8: target.x.error: soon: '
    refused "$target"$'\n[campaign]\n    metric = wall_s\n    metric = no-such-metric' ':6: campaign.metric: no-such-metric: '
    refused "$target"$'\n[campaign]\n    prepare =' ':5: campaign.prepare: the value is empty'
    run -2 "$JOSTLE" campaign quick --set max-runs=2 --output out
    [[ $output == *'max-runs 2 is below min-runs '* && ! -e out ]]
    printf '[target "x"]\n    commnd = true\n' >inner.conf
    printf '[include]\n    path = inner.conf\n' >c.conf
    run -2 "$JOSTLE" plan c.conf
    [[ $output == *'inner.conf:2: target.x: there is no command'* ]]
    run -2 "$JOSTLE" campaign quik
    [[ $output == *'(did you mean quick?)'* ]]
}

@test "a target that also wants no load has one such cell, and every cell a folder of its own" {
    file '[target "t"]' '    command = true' '    loads = a b none' \
        '[target "long"]' "    command = true {v}" "    v = $(printf 'x%.0s' {1..150})1 $(printf 'x%.0s' {1..150})2" \
        '[load "a"]' '    spec = cpu --percent 1' '[load "b"]' '    spec = cpu --profile {p}' '    p = x/y x_y'
    cells >cells.json
    holds -s '[.[] | select(.target == "t").load] == ["a", "b", "b", null]' <cells.json
    # Names that are cut, or that differ in characters which a folder cannot have.
    holds -s 'length == 10 and (map(.name) | unique | length == 10) and all(.name | length < 150)' <cells.json
}

@test "a flag that is false in a section goes before one that is true in [campaign]" {
    file '    cold = true' '[target "a"]' '    command = true' '    cold = false' '[target "b"]' '    command = true'
    "$JOSTLE" campaign c.conf --quiet --output out --only a
    holds '.cells | map(.settings.cold) == [null, "1"]' <out/campaign.json
}

# bats test_tags=slow
@test "a campaign makes a folder a cell, each a slowdown with its cell, and lines in a log" {
    file '[target "a"]' '    command = sleep {n}' '    n = 0.01 0.02' '[load "cpu"]' '    spec = cpu --percent {level}' '    level = 10'
    run -0 "$JOSTLE" campaign c.conf --output out
    [[ $output == *'1/2 a.n=0.01@cpu.10: slowdown '*'4 runs'*'2/2 a.n=0.02@cpu.10: slowdown '* ]]
    [[ $output == *'jostle report '* ]]
    is_valid campaign out/campaign.json
    is_valid cell out/cells/a.n=0.01@cpu.10/cell.json
    holds '.cell.name == "a.n=0.02@cpu.10" and .cell.parameters == {n: "0.02"} and .cell.number == 2 and (.conditions | map(.name) == ["baseline", "cpu-10"])' <out/cells/a.n=0.02@cpu.10/result.json
    holds '.state == "done" and .runs == 4' <out/cells/a.n=0.02@cpu.10/status.json
    cmp c.conf out/campaign.conf
    # Nothing is left to do:
    stat -c %Y.%i out/cells/*/* >before
    run -0 "$JOSTLE" campaign c.conf --output out
    diff before <(stat -c %Y.%i out/cells/*/*)
}

# bats test_tags=slow
@test "settings come from the load, else the target, else the campaign, and --set is above all" {
    file '    nice = 1' '[target "a"]' '    command = true' '    nice = 2' '    cold = false' '[target "b"]' '    command = true' \
        '[load "l"]' '    spec = cpu --percent 1' '[load "m"]' '    spec = cpu --percent 2' '    nice = 3'
    "$JOSTLE" campaign c.conf --quiet --output out --only 'a@*'
    holds '.settings.nice == 2 and .settings.cold == false' <out/cells/a@l/experiment.json
    holds '.settings.nice == 3' <out/cells/a@m/experiment.json
    "$JOSTLE" campaign c.conf --quiet --output other --only 'b@*' --set nice=4 --set max-runs=3
    holds -s 'all(.[]; .settings.nice == 4 and .settings.max_runs == 3)' <<<"$(cat other/cells/*/experiment.json)"
    run -2 "$JOSTLE" campaign c.conf --set max-rnus=3
    [[ $output == *'(did you mean max-runs?)'* ]]
}

# bats test_tags=slow
@test "a target that fails marks its cell, and the others are measured" {
    file '[target "bad"]' '    command = false' '[target "good"]' '    command = true' '[load "l"]' '    spec = cpu --percent 1'
    run -5 "$JOSTLE" campaign c.conf --output out
    [[ $output == *'bad@l: failed: the target failed with exit code 1'*'2/2 good@l: slowdown'* ]]
    # Its advice is about the campaign.
    [[ $output == *'continue with --retry-failed, or start again with ignore-failure = true'* && $output != *--resume* ]]
    holds '.state == "failed" and (.reason | contains("exit code 1"))' <out/cells/bad@l/status.json
    holds '.state == "done"' <out/cells/good@l/status.json
    # It is not tried again without --retry-failed.
    run -5 "$JOSTLE" campaign c.conf --output out
    [[ $output != *'bad@l:'* ]]
    run -5 "$JOSTLE" campaign c.conf --output out --retry-failed
    [[ $output == *'bad@l: failed'* ]]
}

# bats test_tags=slow
@test "a load that cannot be, or that fails, is a failure of its cells alone" {
    file '[target "a"]' '    command = true' '[load "bad"]' '    spec = cpu --nonsense' '[load "good"]' '    spec = cpu --percent 1' \
        '[target "f"]' '    command = false'
    run -1 "$JOSTLE" campaign c.conf --output out
    [[ $output == *'a@bad: failed: '*nonsense*'2/4 a@good: slowdown'* ]]
    [[ ${lines[-1]} == 'jostle: 3 cells are not measured (2 could not be and 0 are by another jostle, see above; 1 failed, '* ]]
    holds '.state == "failed" and (.reason | contains("nonsense"))' <out/cells/a@bad/status.json
    is_valid status out/cells/a@bad/status.json
}

# bats test_tags=slow
@test "every cell has a fresh working folder below --scratch, which is removed" {
    mkdir scratch
    printf '#!/bin/sh\npwd >>%s/folders\nls | wc -l >>%s/counts\ntouch left\n' "$PWD" "$PWD" >target && chmod +x target
    file '[target "a"]' '    command = ./target' '    conclude = echo cleaned >>{campaign-dir}/log' '[load "l"]' '    spec = cpu --percent {level}' '    level = 1 2'
    "$JOSTLE" campaign c.conf --quiet --output out --scratch scratch
    [[ $(sort -u folders | wc -l) -eq 2 && $(sort -u folders) == "$PWD/scratch/jostle."* ]]
    [[ $(sort counts | uniq -c | awk '$2 == 0 { print $1 }') -eq 2 ]] # empty for the first run of each cell
    [[ -z $(ls scratch) && $(wc -l <log) -eq 8 ]]
    run -2 "$JOSTLE" campaign c.conf --output out --scratch nowhere
}

@test "--only, --cells and --dry-run choose" {
    file '[target "a"]' '    command = true {n}' '    n = 1 2 3' '[load "l"]' '    spec = cpu --percent {level}' '    level = 1 2'
    run -0 "$JOSTLE" campaign c.conf --dry-run --only 'a.n=[12]@l.2'
    [[ $output == $'2\ta.n=1@l.2\twaiting\n4\ta.n=2@l.2\twaiting\n\n'* && $output == *$'\ncommand\t/'*'true 1'* && $output == *$'\nload\tcpu --percent 2'* && $output != *'percent 1'* ]]
    run -0 "$JOSTLE" campaign c.conf --dry-run --cells 1-2,5
    [[ $(grep waiting <<<"$output" | cut -f1 | paste -sd,) == 1,2,5 ]]
    run -2 "$JOSTLE" campaign c.conf --dry-run --only nothing
    run -2 "$JOSTLE" campaign c.conf --dry-run --cells x
    run -2 "$JOSTLE" campaign c.conf --jobs 2
    [[ $output == *disturb* && ! -e jostle-results ]]
}

# bats test_tags=slow
@test "a stdin with data that no run reads is pointed out; a campaign file may come from there" {
    file '[target "a"]' '    command = touch ran' '[load "cpu"]' '    spec = cpu --percent 10'
    seq 20000 >data
    run -0 --separate-stderr "$JOSTLE" campaign c.conf --output out --quiet <data
    # shellcheck disable=SC2154 # run sets it
    [[ $stderr == 'jostle: stdin has data'*'input = FILE'* && $(wc -l <<<"$stderr") -eq 1 ]]
    run -0 --separate-stderr "$JOSTLE" campaign /dev/stdin --output out --quiet <c.conf
    [[ -z $stderr ]]
    run -0 --separate-stderr "$JOSTLE" campaign c.conf --output out --quiet --set input="$PWD/data" <data
    [[ $stderr != *'stdin has data'* ]]
}

# bats test_tags=slow
@test "sessions of a campaign that is measured already: only the new ones are measured, each with its own runs" {
    file '[target "a"]' '    command = true' '[load "cpu"]' '    spec = cpu --percent 10'
    run -0 "$JOSTLE" campaign c.conf --output out
    cp out/cells/a@cpu/runs.jsonl first
    run -0 "$JOSTLE" campaign c.conf --output out --set repeat=3 --session 2
    [[ $output == *'2 cells are new: a@cpu.session2, a@cpu.session3'* && $output != *' a@cpu: '* ]]
    [[ ! -e out/cells/a@cpu.session3 ]]
    run -0 "$JOSTLE" campaign --output out --quiet
    cmp first out/cells/a@cpu/runs.jsonl
    jq -s -e '[.[].settings.seed] | unique | length == 3' out/cells/*/experiment.json
    jq -s -e 'sort_by(.cell.session) | [.[].cell.session] == [null, 2, 3] and [.[].cell.of] == [null, "a@cpu", "a@cpu"]' out/cells/*/experiment.json
    is_valid campaign out/campaign.json
    is_valid cell out/cells/a@cpu.session2/cell.json
    "$JOSTLE" status out --json >said.json
    is_valid campaign-status said.json
    run -0 "$JOSTLE" status out
    [[ $output == *'session 1: 1 of 1 done, session 2: 1 of 1 done, session 3: 1 of 1 done'* ]]
}

# bats test_tags=slow
@test "session-prepare runs once before each session, in the folder of the file, and not again on resuming" {
    mkdir f
    file 'repeat = 2' 'session-prepare = echo {campaign-dir} $PWD >>built' '[target "a"]' '    command = true {n}' '    n = 1 2'
    mv c.conf f/
    run -0 "$JOSTLE" campaign f/c.conf --output out --cells 1 --dry-run # describes only
    run -0 "$JOSTLE" campaign f/c.conf --output out --only 'a.n=1'
    [[ $(<f/built) == "$PWD/f $PWD/f"$'\n'"$PWD/f $PWD/f" ]]
    # The other cells of both sessions are measured with what there is.
    run -0 "$JOSTLE" campaign --output out --quiet
    [[ $(wc -l <f/built) -eq 2 && -e out/cells/a.n=2.session2/result.json ]]
    is_valid campaign out/campaign.json
    run -1 "$JOSTLE" campaign --output out --cells 1
    [[ $output == *'session-prepare cannot run while others measure cells'* ]]
    run -2 "$JOSTLE" submit --scheduler local f/c.conf --output other
    [[ $output == *'session-prepare cannot run between the tasks of a job array'* && ! -e other ]]
    sed -i 's/session-prepare.*/session-prepare = echo oh \&\& exit 3/' f/c.conf
    run -1 "$JOSTLE" campaign f/c.conf --output new
    [[ $output == *'oh'*'session-prepare ended with status 3, so session 1 is not measured'* && -z $(ls new/cells) ]]
}

@test "targets without loads are measured alone" {
    file '[target "a"]' '    command = true'
    "$JOSTLE" campaign c.conf --quiet --output out
    holds '.cell.load == null and (.conditions | length == 1) and .slowdowns == []' <out/cells/a/result.json
    is_valid campaign out/campaign.json
}

# bats test_tags=slow
@test "percentages are calibrated first, for as long as the campaign says" {
    export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
    file '    calibrate = 500ms' '[target "a"]' '    command = true' '[load "mem"]' '    spec = mem --kernel read --threads 1 --footprint 8M --limit {level}' '    level = 10% 20%'
    run -0 "$JOSTLE" campaign c.conf --output out
    # Before the first cell. What was measured while others ran may be measured again before the next.
    [[ ${lines[0]} == 'jostle: calibrating for 0.5 s what its percentage is of: mem --kernel read '* ]]
    [[ $(grep -c '^jostle: calibrating ' <<<"$output") -le 2 ]]
    [[ -n $(ls cache/jostle/calibration) ]]
}

# bats test_tags=slow
@test "variants and metrics of the output in a campaign: each cell has their conditions and figures" {
    file '    min-runs = 2' '    max-runs = 2' '    metric = x=stdout:/x ([0-9]+)/,unit=B' '    metric = wall_s' '    decide = x' \
        '[target "pair"]' '    variant = one=echo x 10' '    variant = two=echo x 2{n}' '    n = 0' \
        '[target "alone"]' '    command = cat words' '    prepare = echo x 7 >words' '    loads = none' \
        '[load "cpu"]' '    spec = cpu --percent 5'
    run -0 "$JOSTLE" campaign c.conf --output out
    [[ $output == *'pair.n=0@cpu: '*'two: x 2.0'*' times'*', 8 runs'* && $output == *'alone: '* ]]
    jq -c '[.conditions[].name]' out/cells/pair.n=0@cpu/experiment.json | grep -qxF '["one","two","one@cpu","two@cpu"]'
    holds '[.comparisons[] | select(.metric == "x") | [.load, .ratio]] == [[null, 2], ["cpu", 2]]' <out/cells/pair.n=0@cpu/result.json
    holds '.conditions[0].metrics.x | .mean == 7 and .unit == "B"' <out/cells/alone/result.json
    # It is done: nothing is measured again.
    run -0 "$JOSTLE" campaign c.conf --output out
    [[ $output != *'pair.n=0@cpu: '* ]]
}

# bats test_tags=slow
@test "the ready campaigns are valid, and have the cells that they promise" {
    cd "$BATS_FILE_TMPDIR"
    "$JOSTLE" plan small-samples --json >plan.json
    holds '[.cells[] | select(.target == "delannoy")] | length == 13 and all(.load == "workstation")' <plan.json
    holds '([.cells[] | select(.target == "qap")] | length == 7) and ([.cells[] | select(.target == "filesearch").level] == ["10%", "50%", "100%"])' <plan.json
    holds '[.cells[] | select(.target == "qap").command[1]] | all(test("/tree1"))' <plan.json
    jq -r '.cells[] | select(.target == "qap").command[1]' plan.json | xargs wc -l >lengths
    [[ $(wc -l <lengths) -eq 8 ]] # seven files, and the total
    "$JOSTLE" plan course --json >plan.json
    holds '([.cells[] | select(.load == "workstation").target] | unique == ["delannoy", "mmul", "nbody", "qap"])
        and ([.cells[] | select(.label == "filegen dirs=1 files=3000 size=1024").level] == ["10%", "50%", "100%"])' <plan.json
    "$JOSTLE" plan quick --json >plan.json
    holds '[.cells[].load] | unique == ["alloc", "cache", "cpu", "disk", "mem", "net"]' <plan.json
    "$JOSTLE" plan sensitivity --json >plan.json
    holds '[.cells[] | select(.load == "mem" and .target == "mmul").level] | length == 5' <plan.json
}

# plan_cost: 0 when the plan of five times the cells took less than twelve times the CPU time: in their square that
# would be 25 times.
plan_cost() {
    local most
    for most in 2 10; do
        file '[target "t"]' '    command = sleep {a} {b} {c}' "    a = $(seq -s' ' "$most")" "    b = $(seq -s' ' 10)" "    c = $(seq -s' ' 10)" \
            '[load "l"]' '    spec = cpu --percent {level}' '    level = 1 2 3 4 5'
        "$BIN/meter" --output "cost.$most" -- "$JOSTLE" plan c.conf --json >plan.json || return
    done
    holds -s 'map(.user_s + .system_s) | .[1] < 12 * .[0]' <<<"$(cat cost.2 cost.10)"
}

# bats test_tags=slow
@test "the cost of a plan grows with its cells, not with their square" {
    in_tries 3 plan_cost
    holds '.cells | length == 5000 and (map(.name) | unique | length == 5000)' <plan.json
}

# overhead: 0 when ten cells of no length took no more CPU time than a thousand starts of a program, each
# of which has forked from a shell, and did not take much longer by the clock than these would.
overhead() {
    rm -rf out
    "$BIN/meter" --output cells.json -- "$JOSTLE" campaign c.conf --quiet --output out &&
        "$BIN/meter" --output starts.json -- bash -c 'for _ in {1..200}; do /bin/true; done' &&
        holds -s 'map(.user_s + .system_s) as [$cells, $starts] | $cells < 5 * $starts and .[0].wall_s < 20 * .[1].wall_s' <<<"$(cat cells.json starts.json)"
}

# bats test_tags=measures
@test "a cell of no length costs no more than a hundred starts of a program" {
    ! sanitized || skip "the sanitizers take their time"
    file '    min-runs = 1' '    max-runs = 1' '[target "a"]' '    command = true {n}' "    n = $(seq -s' ' 10)"
    in_tries 5 overhead
}

# bats test_tags=slow
@test "input is the stdin of every run, and of a probe" {
    seq 100 >data
    printf '#!/bin/sh\nwc -c >>%s\n' "$PWD/seen" >target && chmod +x target
    file '[target "a"]' '    command = ./target' '    input = {campaign-dir}/data' '[target "b"]' '    command = ./target b'
    "$JOSTLE" plan c.conf --probe --json >plan.json </dev/zero
    [[ $(sort -n seen | xargs) == '0 292' ]]
    rm seen
    "$JOSTLE" campaign --quiet --output out c.conf </dev/zero
    [[ $(sort -n seen | xargs) == '0 0 292 292' ]]
    holds '.settings.input == $data' --arg data "$PWD/data" <out/cells/a/experiment.json
}
