#!/usr/bin/env bats
# jostle pack: how many copies fit. What a pack says is tested on records that are made up
# (evidence/tools/made-pack), as their truth is known.
# shellcheck disable=SC2154 # bats sets stderr

load helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || exit
}

# planned DIR OPTION...: the plan of a pack of a node of 64 CPUs.
planned() {
    "$BIN/pack" --output "$1" --synthetic 'pu:64' "${@:2}" -- sleep 1 >said
}

# derived DIR: pack.json of it.
derived() {
    "$BIN/pack" --derive "$1" >verdict
    cat "$1/pack.json"
}

@test "copies: all begin together, each with its number, its CPU and a folder that is removed" {
    run -0 "$BIN/copies" --copies 2 --pin 0 --own-folder -- sh -c \
        'touch mine-{copy}; [ "$(ls)" = mine-{copy} ] && [ "$PWD" = "{scratch}" ] && pwd >>'"$PWD"'/folders && taskset -cp $$ | grep -q ": 0$" && [ "$JOSTLE_COPY $JOSTLE_COPIES" = "{copy} 2" ]'
    local name value
    local -A figure=()
    while read -r name value; do figure[$name]=$value; done <<<"$output"
    [[ ${figure[copies]} == 2 && ${figure[peak_bytes]} -gt 100000 ]]
    awk -v mean="${figure[copy_s]}" -v worst="${figure[worst_s]}" -v all="${figure[makespan_s]}" -v rate="${figure[throughput]}" \
        'BEGIN { exit !(mean > 0 && mean <= worst && worst <= all && rate * all > 1.999 && rate * all < 2.001) }'
    while read -r name; do [[ ! -e $name ]]; done <folders
}

@test "copies: one that fails fails all with its status and last words, and ends the others" {
    run -7 --separate-stderr "$BIN/copies" --copies 3 -- sh -c \
        'echo $$ >pid-{copy}; [ {copy} != 2 ] || { until [ -s child-1 ] && [ -s child-3 ]; do sleep 0.05; done; echo port 80{copy} is taken >&2; exit 7; }; sleep 60 & echo $! >child-{copy}; wait'
    [[ -z $output && $stderr == 'jostle: copy 2 of 3 (sh) ended with exit status 7: port 802 is taken' ]]
    [[ -s pid-1 && -s pid-3 ]]
    gone "$(<pid-1)" && gone "$(<child-1)" && gone "$(<pid-3)" && gone "$(<child-3)"
}

@test "copies: what keeps one from beginning is named, and CPUs that are not allowed are wrong use" {
    run -127 --separate-stderr "$BIN/copies" --input nowhere -- true
    [[ $stderr == 'jostle: copy 1 of 1 (true) ended with exit status 127: nowhere: No such file or directory' ]]
    run -2 --separate-stderr taskset -c 0 "$BIN/copies" --pin 0:1 -- true
    [[ $stderr == 'jostle: --pin 0:1: CPU 1 is not allowed here: choose from 0' ]]
}

@test "copies: where not all can be started, none begins" {
    ((EUID == 0)) || skip 'needs root, to be another user with a limit of processes'
    chmod 777 . && mkdir -m 777 begun
    run -1 --separate-stderr setpriv --reuid 64999 --clear-groups bash -c \
        'ulimit -u 20; exec "$0" --copies 100 -- touch begun/{copy}' "$BIN/copies"
    [[ $stderr == *'cannot be started: Resource temporarily unavailable: the user may have 20 (ulimit -u): raise that limit, or run fewer' ]]
    [[ -z $(ls begun) ]]
}

@test "copies: when they are killed, so are the copies and their daemons, and their folders go" {
    local which pid killed number
    for which in 1 2; do
        "$BIN/copies" --copies 2 --own-folder -- sh -c "pwd >>$PWD/folders"'; setsid sleep 60 & echo $! >$0/daemon-{copy}; echo $$ >$0/part-{copy}; mv $0/part-{copy} $0/pid-{copy}; exec sleep 60' "$PWD" &
        pid=$!
        eventually 30 test -e pid-1 -a -e pid-2
        # The one that was started, and the one below it that has started the copies.
        killed=$( (echo "$pid" && pgrep -P "$pid") | sed -n "${which}p")
        kill -KILL "$killed"
        for number in 1 2; do
            eventually 30 gone "$(<"pid-$number")"
            eventually 30 gone "$(<"daemon-$number")"
        done
        eventually 30 gone "$pid"
        while read -r number; do eventually 30 test ! -e "${number%/*}"; done <folders
        rm -f pid-* folders
    done
}

@test "copies: a mix deals the programs in turn, and runs each alone" {
    run -0 "$BIN/copies" --copies 3 --mix 'a=sh -c "echo a >>ran"' --mix 'b=sh -c "echo b >>ran"'
    [[ $output == *a_s* && $output == *b_s* && $(sort ran) == $'a\na\nb' ]]
    rm ran
    run -0 "$BIN/copies" --in-turn --mix 'a=sh -c "echo a >>ran"' --mix 'b=sh -c "echo b >>ran"'
    [[ $(<ran) == $'a\nb' ]]
}

# bats test_tags=slow
@test "the evidence of pack has a row for each law, in which no more copies are said to fit than do" {
    PACK_PACKS=1 run -0 "$ROOT/bats-tests/evidence/pack" --simulate
    [[ ${#lines[@]} -eq 7 && ${lines[1]} =~ ^'saturates at 11'\ +11\ +11\ +0.0\ %\ +100.0\ %\ +100.0\ % ]]
}

# bats test_tags=slow
@test "a search by halves finds how many fit, and the knee, and measures few numbers of copies" {
    planned one --at-most 1.05
    "$ROOT/bats-tests/evidence/tools/made-pack" one 'n <= 11 ? 1 : n / 11' 1 0.01 20
    derived one | holds '.fits == { copies: 11, at_most: 1.05, confidence: 0.95, next: 12, why: "above", assumes_smooth: true, options: [] }
        and .knee.copies == 11 and .knee.ci == [11, 11] and (.knee.at_least | not) and .smooth
        and (.rows | length) < 20 and .rows[-1].copies == 64 and .rows[-1].verdict == "above"
        and .confidence_each > 0.95 and (.stages | length) <= 4 and .verdict == "above"'
    [[ $(<verdict) == above ]]
    is_valid pack one/pack.json
    is_valid pack-plan one/pack-plan.json
    run -0 "$JOSTLE" report one
    [[ $output == *'up to 11 copies: slowdown below 5 % with 95 % confidence'* && $output == *'knee'*': 11 copies [11, 11]'* ]]
}

# bats test_tags=slow
@test "a limit is printed as it was given" {
    planned one --at-most 1.250049 --max-copies 3
    "$ROOT/bats-tests/evidence/tools/made-pack" one 'n <= 2 ? 1 : 2' 1 0.005
    derived one >pack
    run -0 "$JOSTLE" report one
    [[ $output == *'slowdown below 25.0049 %'* && $output == *'above 1.250049'* ]]
}

# bats test_tags=slow
@test "where more copies are slowed down less than fewer, nothing is concluded of numbers in between" {
    planned one --at-most 1.05 --max-copies 20
    "$ROOT/bats-tests/evidence/tools/made-pack" one 'n == 4 ? 1.5 : 1' 1 0.005
    derived one | holds '(.smooth | not) and .fits.copies == 3 and .fits.next == 4 and .fits.why == "above" and (.fits.assumes_smooth | not)
        and ([.rows[].copies] == [range(1; 21)]) and any(.findings[]; .flag == "not-smooth")'
}

@test "noise is undecided, never said to fit" {
    planned one --at-most 1.02 --max-copies 3
    "$ROOT/bats-tests/evidence/tools/made-pack" one 1 1 0.1 4
    derived one | holds '.fits.copies == 1 and .fits.why == "undecided" and .verdict == "undecided" and .rows[1].verdict == "undecided"
        and .knee.ci[1] == 3 and .knee.at_least and any(.findings[]; .flag == "few-blocks" and .severity == "problem")'
    [[ $(<verdict) == undecided ]]
}

@test "copies sit side by side or far apart, as --place says, with as many CPUs as each needs" {
    local case place cpus lists
    for case in 'close|1|["0","1","2","3","4","5","6","7"]' 'spread|1|["0","4","2","6","1","5","3","7"]' 'close|2|["0-1","2-3","4-5","6-7"]' 'spread|2|["0-1","4-5","2-3","6-7"]'; do
        IFS='|' read -r place cpus lists <<<"$case"
        "$BIN/pack" --output "$place$cpus" --synthetic 'pack:2 core:2 pu:2' --place "$place" --cpus-per-copy "$cpus" -- sleep 1 >said
        [[ $(jq -c .cpus.lists "$place$cpus/pack-plan.json") == "$lists" ]]
    done
}

@test "memory: it stops below what does not fit, and refuses where two do not" {
    planned one
    jq '.memory.free_bytes = 3.5e6 | .memory.whose = "the cgroup"' one/pack-plan.json >plan && mv plan one/pack-plan.json
    "$ROOT/bats-tests/evidence/tools/made-pack" one 1
    derived one | holds '[.rows[].copies] == [1, 2, 3] and .memory.room == 3
        and any(.findings[]; .flag == "memory-limit" and (.text | contains("3 copies of 1 MiB each")) and (.text | contains("the cgroup")))'
    planned two
    jq '.memory.free_bytes = 1.5e6' two/pack-plan.json >plan && mv plan two/pack-plan.json
    cp -r one/trial two
    run -1 --separate-stderr "$BIN/pack" --next two --left 60
    [[ $stderr == *'two do not fit'* && ${#stderr_lines[@]} -eq 1 ]]
}

# bats test_tags=slow
@test "wrong use is refused with exit code 2 and one line that says what to do" {
    local case
    local -a words
    for case in '' '--max-copies 1 -- true' '--max-copies 65 --synthetic pu:64 -- true' '--cpus-per-copy 2 --synthetic pu:1 -- true' '--synthetic pu:1 -- true' \
        '--mix a=true -- true' '--mix a=true' '--mix a=true --mix a=true' '--mix copy=true --mix b=true' '--mix copy_cpu=true --mix b=true' '--place far -- true' '--at-most 1 -- true' \
        '--min-runs 5 --max-runs 4 -- true' '-- no-such-program' '-- ./no-such-program' '--input no-such-file -- true'; do
        read -ra words <<<"$case"
        run -2 --separate-stderr "$BIN/pack" "${words[@]}"
        [[ -z $output && ${#stderr_lines[@]} -eq 1 ]] || {
            echo "$case: $output $stderr"
            return 1
        }
    done
    run -2 --separate-stderr "$BIN/pack" --max-copies 65 --synthetic pu:64 -- true
    [[ $stderr == *'fewer CPUs than copies'*'--oversubscribe'* ]]
    # What no record can hold: it would be measured as something else.
    run -2 --separate-stderr "$JOSTLE" pack --oversubscribe --max-copies 2 --prepare $'true \xff' -- true
    [[ $stderr == *': it is not UTF-8: '* && ${#stderr_lines[@]} -eq 1 ]]
    run -2 --separate-stderr "$JOSTLE" pack --oversubscribe --max-copies 2 -- echo $'\xff'
    [[ $stderr == *': it is not UTF-8: '* && ${#stderr_lines[@]} -eq 1 ]]
    # Before anything is measured.
    run -1 --separate-stderr "$JOSTLE" pack --oversubscribe --max-copies 2 --json no/such/folder -- true
    [[ $stderr == 'jostle: no/such/folder cannot be written ('*')'* && ! -e jostle-results ]]
}

# bats test_tags=slow
@test "a pack runs from the command line to the report, and is complete afterwards" {
    local out
    local -a hooks=(--setup 'touch made' --prepare 'touch prepared' --cleanup 'rm -f made prepared')
    # A copy alone, on trial, finds what --setup and --prepare have made, as all others do.
    run -0 --separate-stderr "$JOSTLE" pack --output out --max-copies 2 --oversubscribe --min-runs 2 --max-runs 2 --json out/copy.json "${hooks[@]}" -- sh -c '[ -e made ] && [ -e prepared ] && sleep 0.01'
    [[ ! -e made ]]
    out=$output
    [[ $out == *'copies  runs'*'slowdown'*'slurm, '*'--ntasks-per-node='* ]]
    holds '(.rows | map([.copies, .runs])) == [[1, 2], [2, 2]] and .verdict == null' <out/copy.json
    run -0 "$JOSTLE" report out
    [[ $out == "$output"$'\n\nRecords: out' ]]
    grep -q '</html>' out/pack.html
    # The figures of the page are those of the record.
    page_model out/pack.html | holds --slurpfile pack out/copy.json '[.sections[0].blocks[0].figures[] | .svg
            | capture("class=\"p k0\" d=\"(?<d>[^\"]*)\"").d | split("M") | length - 1] == [($pack[0].rows | length), ($pack[0].rows | length)]
        and ([.sections[0].blocks[0].figures[].text] | all(test("1: .*, 2: ")))'
    run -2 --separate-stderr "$JOSTLE" pack --output out --max-copies 2 --oversubscribe --min-runs 2 --max-runs 2 -- sleep 0.01
    [[ $stderr == *'already holds a pack'* ]]
}

# bats test_tags=slow
@test "a program that fails only beside a copy of itself: the message says which copy, and what to do" {
    run -5 --separate-stderr "$JOSTLE" pack --quiet --output out --max-copies 2 --oversubscribe --max-time 60s -- sh -c \
        'mkdir taken 2>/dev/null || { echo taken already >&2; touch met; exit 3; }; [ "$JOSTLE_COPIES" = 1 ] || until [ -e met ]; do sleep 0.05; done; rmdir taken'
    [[ $stderr == *'of 2 (sh) ended with exit status 3: taken already'*'a copy failed beside others'*'{copy}'* ]]
    run -5 --separate-stderr "$JOSTLE" pack --quiet --output other --max-copies 2 --oversubscribe -- false
    [[ $stderr == *'the program fails by itself'*'no copies of it were measured'* && -s other/trial/runs.jsonl && ! -e other/stages ]]
    # What was wrong is put right: the trial is made again.
    run -0 "$JOSTLE" pack --output again --max-copies 2 --oversubscribe --min-runs 2 --max-runs 2 --resume -- true
    run -5 --separate-stderr "$JOSTLE" pack --quiet --output again2 --max-copies 2 --oversubscribe --min-runs 2 --max-runs 2 -- test -e there
    touch there
    run -0 "$JOSTLE" pack --output again2 --max-copies 2 --oversubscribe --min-runs 2 --max-runs 2 --resume -- test -e there
    holds '.trial.copy_s > 0 and (.rows | map(.runs)) == [2, 2]' <again2/pack.json
}

# bats test_tags=slow
@test "a copy alone that never ends is ended, by the time, or with the pack by a signal; nothing is left" {
    local pid code=0
    run -5 --separate-stderr "$JOSTLE" pack --quiet --output out --max-copies 2 --oversubscribe --max-time 0.3s -- sleep 60
    [[ $stderr == *'did not end within 0.3 s'* && -s out/trial/runs.jsonl ]]
    rm -r out
    # shellcheck disable=SC2016 # the program's
    "$JOSTLE" pack --quiet --output out --max-copies 2 --oversubscribe --cleanup 'touch cleaned' -- sh -c 'echo $$ >pid.part; mv pid.part pid; exec sleep 60' &
    pid=$!
    eventually 30 test -e pid
    kill -TERM "$pid"
    wait "$pid" || code=$?
    ((code == 143))
    gone "$(<pid)"
    [[ ! -e out && -e cleaned ]]
}
