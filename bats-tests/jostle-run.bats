#!/usr/bin/env bats
# jostle run: one target, no load or one.

load helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return
}

@test "run prints a table, and says where the records are" {
    run -0 "$JOSTLE" run --output out --max-runs 5 -- sleep 0.05
    [[ $output == *'condition  runs'*'baseline      5'*' ms '* ]]
    [[ $output == *"Records: $PWD/out"$'\n'"Page: jostle report --open $PWD/out" ]]
    [[ $output == *'It takes '*' ms'* ]]
    # What is measured is nothing for a repository.
    "$JOSTLE" run --quiet -r 1 -- true
    [[ $(<jostle-results/.gitignore) == '*' ]]
}

@test "as many runs are made as are recorded and reported" {
    printf '#!/bin/sh\necho x >>count\n' >target && chmod +x target
    run -0 "$JOSTLE" run --output out --min-runs 7 --max-runs 7 -- ./target
    [[ $(wc -l <count) -eq 7 ]]
    [[ $(wc -l <out/runs.jsonl) -eq 7 ]]
    holds '.conditions[0].runs == 7' <out/result.json
}

@test "it stops early when the error is small enough, and not before the minimum" {
    # One run that the machine holds up for 2 s takes a hundred others to be outweighed.
    run -0 "$JOSTLE" run --output out --error 0.5 --min-runs 4 --max-runs 600 -- sleep 0.05
    holds '.conditions[0] | .converged and .runs >= 4 and .runs < 600 and .wall_s.error <= 0.5 and .stop_reason == "error"' <out/result.json
}

@test "not converging is said plainly" {
    # A target whose duration really varies by a factor of ten.
    printf '#!/bin/bash\necho >>n; if (($(wc -l <n) %% 2)); then sleep 0.2; else sleep 0.02; fi\n' >target && chmod +x target
    # Of a busy machine it is a note.
    run -0 "$JOSTLE" run --verbose --output out --error 0.01 --max-runs 6 -- ./target
    [[ $output =~ not-converged.*': known to ± '[0-9.]+' % after 6 runs, ± 1 % was asked: ' ]]
    holds '.conditions[0] | (.converged | not) and .stop_reason == "max-runs"' <out/result.json
}

@test "mean and variance are those of the raw records" {
    "$JOSTLE" run --quiet --output out --max-runs 6 -- sleep 0.03
    local mean variance
    read -r mean variance < <(jq -rs '(map(.wall_s) | add / length) as $m | "\($m) \(map((.wall_s - $m) | . * .) | add / (length - 1))"' out/runs.jsonl)
    holds '.conditions[0].wall_s | (.mean / $m - 1 | fabs) < 1e-9 and (.variance / $v - 1 | fabs) < 1e-6' --argjson m "$mean" --argjson v "$variance" <out/result.json
}

# delivers: 0 when in each of four runs the load gave what it offered, but for what it dropped.
delivers() {
    rm -rf out
    "$JOSTLE" run --quiet --output out --max-runs 4 --load 'half=cpu --percent 50 --threads 1' -- sleep 0.3 &&
        holds -s 'all(.[].load[0]; ((.achieved * .elapsed_s + .dropped_s) / .elapsed_s - 0.5 | fabs) * .elapsed_s < 0.065)' <out/runs.jsonl
}

# bats test_tags=slow
@test "a run under one load has the load's own figures" {
    # What it owes on a busy machine before it drops is 100 ms of its half, and is in these 65 ms of 150. A worker
    # that gets no CPU at all at the end of a run may owe more.
    in_tries 5 delivers
    holds -s 'all(.[]; .condition == "half" and (.load | length) == 1 and .load[0].name == "half" and .load[0].offered == 0.5
        and .load[0].cpu_s > 0)' <out/runs.jsonl
}

@test "run takes one load only" {
    run -2 "$JOSTLE" run --load a=cpu --load b=cpu -- true
}

@test "setup, then prepare, target and conclude in every run, then cleanup" {
    printf '#!/bin/sh\necho target >>log\n' >target && chmod +x target
    "$JOSTLE" run --quiet --output out --max-runs 3 --setup 'echo setup >>log' --prepare 'echo prepare >>log' --conclude 'echo conclude >>log' --cleanup 'echo cleanup >>log' -- ./target
    diff log <(
        echo setup
        for _ in 1 2 3; do printf '%s\n' prepare target conclude; done
        echo cleanup
    )
}

@test "a prepare command that fails ends the measurement" {
    run -1 "$JOSTLE" run --output out --prepare 'exit 3' -- true
    [[ $output == *'--prepare failed with status 3: exit 3: fix the command'* ]]
    [[ ! -e out ]]
}

@test "warm-up runs are recorded as such and not used" {
    "$JOSTLE" run --quiet --output out --warmup 2 --max-runs 3 -- sleep 0.02
    [[ $(wc -l <out/runs.jsonl) -eq 5 ]]
    holds -s 'map(select(.block == 0)) | length == 2 and all(.[]; .flags | index("warmup"))' <out/runs.jsonl
    holds '.conditions[0].runs == 3' <out/result.json
}

@test "max-time ends the measurement between two runs" {
    local started=$SECONDS
    run -0 "$JOSTLE" run --output out --error 0.0001 --max-runs 1000 --max-time 1s -- sleep 0.2
    # A thousand runs would take more than three minutes.
    ((SECONDS - started < 150))
    holds '.conditions[0] | .stop_reason == "max-time" and .runs >= 1 and .runs <= 5' <out/result.json
}

@test "a target that fails stops the measurement, with its exit code and last words" {
    run -5 "$JOSTLE" run --output out -- sh -c 'echo no input file >&2; exit 7'
    [[ $output == *'failed with exit code 7'*'no input file'* ]]
    holds -s 'length == 1 and .[0].exit_code == 7' <out/runs.jsonl
}

@test "with --ignore-failure a failing target is measured all the same" {
    run -0 "$JOSTLE" run --output out --max-runs 3 --ignore-failure -- false
    holds '.conditions[0].runs == 3' <out/result.json
}

# bats test_tags=slow
@test "--ignore-failure=CODES: these exit codes count, others do not" {
    run -0 "$JOSTLE" run --quiet --output out --runs 2 --ignore-failure=3,1 -- sh -c 'exit 3'
    holds '.settings | .ignore_failure and .ignore_codes == [3, 1]' <out/experiment.json
    holds '.conditions[0] | .runs == 2 and .failures.exit == 2' <out/result.json
    [[ $("$JOSTLE" report --format csv --runs out | grep -c ',3,,,"[^"]*",1,') -eq 2 ]] # used
    run -5 "$JOSTLE" run --quiet --output other --runs 2 --ignore-failure=3,1 -- sh -c 'exit 4'
    run -5 "$JOSTLE" run --quiet --output killed --runs 2 --ignore-failure=3,1 -- sh -c 'kill -KILL $$'
    "$JOSTLE" run --quiet --output all --runs 2 -i -- sh -c 'exit 4'
    run -2 "$JOSTLE" run --output wrong --ignore-failure=x -- true
    [[ $output == *'not a list of exit codes'* ]]
}

@test "with --ignore-failure a time-out is a lower bound, and never a figure" {
    run -0 "$JOSTLE" run --output out --min-runs 3 --max-runs 3 --ignore-failure --timeout 100ms -- sleep 60
    [[ $output =~ 'at least '[0-9] && $output == *'lower bounds'* && $output != *'ms ±'* ]]
    holds '.conditions[0] | .runs == 3 and .censored == 3 and .failures.timed_out == 3 and .wall_s.ci == null and .wall_s.error == null
        and (.converged | not)' <out/result.json
    holds '.warnings | any(.flag == "timed-out" and .severity == "problem" and .condition == "baseline" and .runs == [1, 2, 3])' <out/result.json
    is_valid result out/result.json
}

# bats test_tags=slow
@test "a target that cannot be started is never measured, whatever is ignored" {
    printf '#!./absent\n' >script
    chmod +x script
    run -5 "$JOSTLE" run --output out --max-runs 3 --ignore-failure -- ./script
    [[ $output == *'could not be started ('* && $output != *'--ignore-failure'* && ! -e out/result.json ]]
    # Nor is one that vanishes meanwhile.
    printf '#!/bin/sh\n[ "$(wc -l <calls)" -lt 2 ] || mv target away\necho >>calls\n' >target
    chmod +x target
    : >calls
    run -5 "$JOSTLE" run --output gone --max-runs 9 --ignore-failure -- ./target
    ln -s /bin/true target
    run -0 "$JOSTLE" run --output gone --max-runs 9 --ignore-failure --resume -- ./target
    holds '.conditions[0].failures.not_started == 1 and .conditions[0].wall_s.min > 0' <gone/result.json
}

# bats test_tags=slow
@test "a target that does not exist, or hangs, is told apart" {
    local -a words
    for words in ./absent absent './absent 1'; do
        # shellcheck disable=SC2086 # words
        run -2 "$JOSTLE" slowdown --output out1 -- $words
        [[ ${#lines[@]} -eq 1 && $output == "jostle: there is no program '${words%% *}'"*': check the command' && ! -e out1 ]]
    done
    run -0 "$JOSTLE" run --quiet --runs 1 --output out1 --setup 'ln -s /bin/true made' -- ./made
    run -5 "$JOSTLE" run --output out2 --timeout 300ms -- sleep 60
    [[ $output == *'ran into the time-out'* ]]
}

@test "the target's CPUs and priority are those that were asked for" {
    run -0 "$JOSTLE" run --output out --max-runs 2 --target-cpus 0 --nice 7 -- \
        sh -c '[ "$(nice)" = 7 ] && grep -q "^Cpus_allowed_list:[[:space:]]*0$" /proc/self/status'
    holds -s 'all(.[]; .cpus == "0")' <out/runs.jsonl
}

# seen NUMBER LINES: each run of `wc -c >>seen` has read so many bytes.
seen() {
    [[ $(sort -u seen) == "$1" && $(wc -l <seen) -eq $2 ]]
    rm seen
}

@test "each run reads --input from its beginning, warm-up runs too" {
    seq 20000 >data
    "$JOSTLE" run --quiet --output out --warmup 2 --min-runs 3 --max-runs 3 --input data -- sh -c 'wc -c >>seen'
    seen "$(wc -c <data)" 5
    holds '.settings.input == "data"' <out/experiment.json
    "$JOSTLE" slowdown --quiet --output out2 --min-runs 2 --max-runs 2 --load 'low=cpu --percent 1' --input "$PWD/data" -- sh -c 'wc -c >>seen' </dev/zero
    seen "$(wc -c <data)" 4
}

@test "without --input the target reads nothing: not the terminal, not the caller's pipe" {
    local -a words=("$JOSTLE" run --quiet --min-runs 2 --max-runs 2)
    # It would wait for the terminal's end, or read what comes from the pipe later.
    timeout 100 script -qec "'$JOSTLE' run --quiet --output out1 --max-runs 2 -- sh -c 'wc -c >>seen'" /dev/null </dev/null
    seen 0 2
    # It comes too late to be refused: when the first run has begun. The runs wait for it, also where nobody reads it.
    "${words[@]}" --output out2 -- sh -c 'touch begun; until [ -e sent ]; do sleep 0.05; done; wc -c >>seen' \
        < <(
            { eventually 60 test -e begun && seq 1000; } || true
            touch sent
        ) 2>errors
    seen 0 2
    grep -q '^jostle: data came on stdin .*--input FILE' errors
    holds '.warnings[] | select(.flag == "harness-warning") | .message | startswith("data came on stdin")' <out2/result.json
    holds '.settings.input == null' <out2/experiment.json
}

# bats test_tags=slow
@test "a stdin with data is refused, with advice; one that nobody meant is not" {
    seq 20000 >data
    local -a words=("$JOSTLE" run --quiet --max-runs 1 --output out -- touch ran)
    run -2 --separate-stderr "${words[@]}" <data
    # shellcheck disable=SC2154 # run sets it
    [[ $stderr == 'jostle: stdin has data'*'--input FILE'* && $(wc -l <<<"$stderr") -eq 1 && ! -e ran && ! -e out ]]
    # Of a pipe only what is in it by now can be known.
    local pipe
    exec {pipe}< <(cat data)
    eventually 30 read -r -t 0 -u "$pipe"
    run -2 --separate-stderr "${words[@]}" <&"$pipe"
    exec {pipe}<&-
    [[ $stderr == *'--input FILE'* && ! -e ran ]]
    run -2 --separate-stderr "${words[@]}" </dev/zero
    [[ $stderr == *'--input FILE'* && ! -e ran ]]
    # What callers leave there: nothing, a pipe that is over or idle, a file that is read, no stdin.
    accepted() {
        rm -rf out ran
        "${words[@]}"
        [[ -e ran ]]
    }
    accepted </dev/null
    accepted < <(:)
    accepted < <(sleep 2 3>&-)
    accepted <&-
    accepted 0>written
    {
        cat >/dev/null
        accepted
    } <data
}

# bats test_tags=slow
@test "--input is a file that each run can read again, and that is there before anything starts" {
    local name
    mkfifo fifo
    for name in missing . fifo /dev/tty <(:); do
        run -2 --separate-stderr "$JOSTLE" run --quiet --max-runs 1 --output out --input "$name" -- touch ran
        [[ $stderr == "jostle: --input $name: "* && $(wc -l <<<"$stderr") -eq 1 && ! -e ran && ! -e out ]]
    done
    # --prepare may make it.
    "$JOSTLE" run --quiet --min-runs 2 --max-runs 2 --output out --prepare 'echo made >missing' --input missing -- sh -c 'wc -c >>seen'
    seen 5 2
    echo other >other
    run -2 --separate-stderr "$JOSTLE" run --quiet --min-runs 2 --max-runs 3 --output out --resume --prepare 'echo made >missing' --input other -- sh -c 'wc -c >>seen'
    [[ $stderr == *'input: recorded missing, now other'* ]]
}

@test "what the target writes to stderr is in the records' folder only where it failed" {
    "$JOSTLE" run --quiet --output out1 --min-runs 2 --max-runs 2 -- sh -c 'ls "$0" >>seen; echo words >&2' "$PWD/out1"
    run ! grep target.stderr seen
    [[ ! -e out1/target.stderr ]]
    run -5 "$JOSTLE" run --output out2 -- sh -c 'echo one >&2; echo two >&2; exit 1'
    [[ $output == *'failed with exit code 1: '*': two: '* && $(<out2/target.stderr) == $'one\ntwo' ]]
}

@test "the target's output is shown on request only" {
    run -0 "$JOSTLE" run --output out1 --max-runs 2 -- echo from-the-target
    [[ $(grep -c '^from-the-target$' <<<"$output") -eq 0 ]]
    run -0 "$JOSTLE" run --output out2 --max-runs 2 --show-output -- echo from-the-target
    [[ $(grep -c '^from-the-target$' <<<"$output") -eq 2 ]]
}

@test "--json - writes nothing but JSON to stdout, --json FILE a copy of the result" {
    "$JOSTLE" run --output out --max-runs 2 --json - -- true 2>/dev/null | holds '.schema == "jostle.result/1"'
    "$JOSTLE" run --quiet --output out2 --max-runs 2 --json copy.json -- true
    cmp copy.json out2/result.json
}

@test "--quiet prints nothing" {
    run -0 "$JOSTLE" run --quiet --output out --max-runs 2 -- true
    [[ -z $output ]]
}

@test "nothing of the live line is in a pipe, and it is there on a terminal" {
    run -0 "$JOSTLE" run --output out --max-runs 2 -- true
    [[ $output != *$'\r'* && $output != *$'\e'* ]]
    run -0 script -qec "'$JOSTLE' run --output out2 --max-runs 2 -- true" /dev/null
    [[ $output == *'baseline: run 1, error '* ]]
}

@test "a dumb terminal gets no live line and no escapes" {
    run -0 script -qec "TERM=dumb '$JOSTLE' run --output out --max-runs 2 -- true" /dev/null
    [[ $output == *'Records: '* && $output != *$'\e'* && $output != *'run 1, error'* ]]
}

@test "a reader that has gone (| head -1) does not make a finished measurement a failure" {
    local -a codes
    "$JOSTLE" run --output out --max-runs 6 -- true 2>errors | true
    codes=("${PIPESTATUS[@]}")
    [[ ${codes[0]} -eq 0 && ! -s errors && -s out/result.json ]]
    "$JOSTLE" run --output out2 --max-runs 3 --json - -- true 2>/dev/null | true
    codes=("${PIPESTATUS[@]}")
    [[ ${codes[0]} -eq 0 ]]
    [[ -w /dev/full ]] || skip "there is no /dev/full"
    run -1 --separate-stderr bash -c '"$@" >/dev/full' bash "$JOSTLE" run --output out3 --max-runs 6 -- true
    # shellcheck disable=SC2154 # run sets it
    [ "$stderr" = "jostle: cannot write to stdout: is the disk full?: the result is in $PWD/out3/result.json" ]
}

# engines_agree: 0 when both see at most 0.4 s of a sleep of 0.2 s in their best runs.
engines_agree() {
    rm -rf h m
    "$JOSTLE" run --quiet --output h --max-runs 3 --engine hyperfine -- sleep 0.2 &&
        "$JOSTLE" run --quiet --output m --max-runs 3 -- sleep 0.2 &&
        holds -s 'map(.conditions[0].wall_s.min) | max < 0.4' <<<"$(cat h/result.json m/result.json)"
}

@test "--engine hyperfine gives hyperfine's times, and agrees with meter" {
    in_tries 5 engines_agree
    holds -s 'all(.[]; .accounting == "hyperfine")' <h/runs.jsonl
    # Neither may see less.
    holds -s 'map(.conditions[0].wall_s.min) | min >= 0.2' <<<"$(cat h/result.json m/result.json)"
}

@test "--engine hyperfine is given --input, where it knows it" {
    mkdir bin
    cat >bin/hyperfine <<'END'
#!/bin/sh
# knows --input if the file `new` is there; notes what it is called with
[ -e new ] || { echo 'unknown --input' >&2; exit 2; }
printf '%s\n' "$*" >>called
while [ "$1" != --export-json ]; do [ $# -gt 0 ] || exit 0; shift; done
echo '{"results":[{"times":[0.1],"user":0,"system":0,"exit_codes":[0]}]}' >"$2"
END
    chmod +x bin/hyperfine
    echo x >data
    PATH=$PWD/bin:$PATH run -2 "$JOSTLE" run --quiet --output out --max-runs 1 --engine hyperfine --input data -- cat
    [[ $output == 'jostle: --input: this hyperfine has no such option: '* ]]
    touch new
    PATH=$PWD/bin:$PATH run -0 "$JOSTLE" run --quiet --output out --max-runs 1 --engine hyperfine --input data -- cat
    [[ $(tail -n 1 called) == *" --input $(realpath data) -- cat" ]]
}

# cheap_runs: 0 when 200 runs more cost less than five times 200 starts. A start is one that forks from a
# shell, once for each run; the target's own is one of the runs' too.
cheap_runs() {
    rm -rf few many
    "$BIN/meter" --output few.json -- "$JOSTLE" run --quiet --output few --runs 2 -- true &&
        "$BIN/meter" --output many.json -- "$JOSTLE" run --quiet --output many --runs 202 -- true &&
        "$BIN/meter" --output starts.json -- bash -c 'for _ in {1..200}; do /bin/true; done' &&
        holds -s 'map(.user_s + .system_s) as [$few, $many, $starts] | $many - $few < 5 * $starts' <<<"$(cat few.json many.json starts.json)"
}

# bats test_tags=slow
@test "the harness costs less CPU time a run than four starts of a program" {
    ! sanitized || skip "the sanitizers take their time"
    # What a start costs differs by the half on a machine that others use, too.
    in_tries 5 cheap_runs
}

@test "a result can be derived again from the records alone" {
    "$JOSTLE" run --quiet --output out --max-runs 4 -- sleep 0.02
    cp out/result.json before.json
    rm out/result.json
    "$BIN/stats" --derive out
    cmp before.json out/result.json
}

@test "programs that are given as hyperfine takes them are not measured as one without a word" {
    cp /bin/true old
    cp /bin/true new
    run -0 "$JOSTLE" run --min-runs 1 --max-runs 1 ./old ./new
    [[ $output == *"jostle: './new' is an argument of './old', which is measured alone: "*--variant* ]]
    run -0 "$JOSTLE" run --min-runs 1 --max-runs 1 -- ./old ./new
    [[ $output != *'is an argument'* ]]
    touch file
    run -0 "$JOSTLE" run --min-runs 1 --max-runs 1 ./old ./file
    [[ $output != *'is an argument'* ]]
}

@test "a line end in a command is one for the shell, and none behind or in front of it is" {
    "$JOSTLE" run --quiet --runs 1 --output out $'echo one >>ran\necho two >>ran\n'
    [[ $(<ran) == $'one\ntwo' ]]
    "$JOSTLE" run --quiet --runs 1 --output out2 --variant a=$'\nsh -c \'echo $0 >>ran2\' a\n' --variant b=$'sh -c \'echo $0 >>ran2\' \\\n b'
    [[ $(sort ran2) == $'a\nb' ]]
    holds '[.variants[].shell] == [null, null]' <out2/experiment.json
    run -2 "$JOSTLE" slowdown --output out3 --load $'x=exec: sleep 9\nsleep 8' -- true
    [[ ${#lines[@]} -eq 1 && $output == *'no shell reads this, so a line end would be a word'* ]]
}

# bats test_tags=slow
@test "what a shell would obey is not an argument where there is none" {
    local command
    for command in 'cat < big' 'true | false' 'true; false' $'true\nfalse' 'true >x' 'echo (a)'; do
        run -2 "$JOSTLE" run --runs 1 --output out -N "$command"
        [[ ${#lines[@]} -eq 1 && $output == *' would be an argument like any other: quote it '* && ! -e out ]]
    done
    run -2 "$JOSTLE" run --runs 1 --output out --shell none --variant true --variant 'b=cat < big'
    run -2 "$JOSTLE" run --runs 1 --output out --shell none --service 'cat < big' --ready match:/x/ true
    run -0 "$JOSTLE" run --runs 1 --output out -N "test '<' = \\<"
    [[ $output != *'shell'* ]]
    run -0 "$JOSTLE" run --runs 1 --output out2 -N 'echo *'
    [[ $output == *"'echo *' is run without a shell, so nothing in it is expanded"* ]]
}

@test "what is in front of a variant's = and cannot be a name is named" {
    run -2 "$JOSTLE" run --output out --variant '测试程序=true' --variant true
    [[ ${#lines[@]} -eq 1 && $output == *"'测试程序' cannot be a name: "* ]]
    run -2 "$JOSTLE" run --output out --variant 'a:b=true 1' --variant true
    [[ ${#lines[@]} -eq 1 && $output == *"'a:b' cannot be a name: "* ]]
    ln -s /bin/true a+b=c
    "$JOSTLE" run --quiet --runs 1 --output out --variant "./a+b=c" --variant true
}

@test "what may be the rest of an option's value is said to need quotes" {
    run -2 "$JOSTLE" slowdown --load cpu=cpu --percent 50 -- true
    [[ ${#lines[@]} -eq 1 && $output == *"--percent: no such option"*"quote all of that: --load 'cpu=cpu --percent ...'" ]]
    run -2 "$JOSTLE" run --prepare make -j4 true
    [[ ${#lines[@]} -eq 1 && $output == *"-j4: no such option"*"--prepare 'make -j4 ...'" ]]
    run -2 "$JOSTLE" run --output make --percent 4 true
    [[ $output != *quote* ]]
}

@test "a program in the place of a command or a load leads to how it is written" {
    run -2 "$JOSTLE" ./absent
    [[ ${#lines[@]} -eq 1 && $output == *'jostle slowdown -- ./absent' ]]
    run -2 "$JOSTLE" sleep 1
    [[ ${#lines[@]} -eq 1 && $output == *'jostle slowdown -- sleep' ]]
    run -2 "$JOSTLE" slowdwn
    [[ $output == *'did you mean slowdown?'* ]]
    run -2 "$JOSTLE" slowdown --output out --load "x=./spin 'a b'" -- true
    [[ ${#lines[@]} -eq 1 && $output == *"./spin is a program: write exec: ./spin 'a b'" && ! -e out ]]
    run -2 "$JOSTLE" slowdown --output out --load 'x=sleep 3' -- true
    [[ ${#lines[@]} -eq 1 && $output == *'write exec: sleep 3' ]]
    run -2 "$JOSTLE" slowdown --output out --load 'x=nosuch-load 3' -- true
    [[ $output == *'no such load: '*'a program is run by exec' ]]
    run -2 "$JOSTLE" calib cpu
    [[ ${#lines[@]} -eq 1 && $output == *'calib cpu: this load needs no calibration'* ]]
}

# bats test_tags=slow, measures
@test "the time of a command grows with the number of its words, not with their square" {
    local n seconds
    local -A took=()
    TIMEFORMAT=%U
    for n in 10000 60000; do
        # shellcheck disable=SC2046 # words
        seconds=$({ time "$JOSTLE" run --quiet --runs 1 --output "out$n" -- true $(seq "$n"); } 2>&1)
        took[$n]=${seconds/./}
        holds --argjson n "$n" '.command | length == $n + 1' <"out$n/experiment.json"
    done
    # By the square it is 36 times.
    ((10#${took[60000]} < 15 * 10#${took[10000]}))
}

@test "files whose names are not UTF-8 are kept apart, and found again" {
    local one=$'b\xffd' other=$'b\xfed'
    touch "$one" "$other"
    "$JOSTLE" run --quiet --runs 2 --output "$one.out" -- cat "$one" "$other" "$one"
    holds '[.inputs[] | [.word, .end]] == [["b\\xffd", null], ["b\\xfed", null]]' <"$one.out/experiment.json"
    holds '.warnings | all(.flag != "changed")' <"$one.out/result.json"
    run -2 "$JOSTLE" run --quiet --runs 4 --output "$one.out" --resume -- cat "$one" "$one" "$one"
    [[ $output == *'it is another experiment'* ]]
    "$JOSTLE" run --quiet --runs 4 --output "$one.out" --resume -- cat "$one" "$other" "$one"
    "$JOSTLE" run --quiet --runs 2 --output again -- sh -c 'echo >>"$1"' sh "$one"
    holds '.warnings | any(.flag == "changed")' <again/result.json || holds '.inputs[0].end != null' <again/experiment.json
}

@test "a command of the shell is run by sh, or named" {
    run -5 "$JOSTLE" run --min-runs 1 --max-runs 1 'exit 1'
    [[ $output == *"'exit 1' is run by sh"*'failed with exit code 1'* ]]
    run -0 "$JOSTLE" run --quiet --min-runs 1 --max-runs 1 'umask 077'
    run -2 "$JOSTLE" run -- exit 1
    [[ $output == "jostle: 'exit' is no program, but a command of the shell: "*--shell* ]]
}

@test "a target that fails because of what its first run left is advised --prepare" {
    echo x >file
    run -5 "$JOSTLE" run --min-runs 3 --max-runs 3 -- sh -c 'set -C; cat file >copy'
    [[ $output == *'runs before succeeded: '*'--prepare'* ]]
    rm -rf copy jostle-results
    run -0 "$JOSTLE" run --min-runs 3 --max-runs 3 --prepare 'rm -f copy' -- sh -c 'set -C; cat file >copy'
    run -5 "$JOSTLE" run --min-runs 3 --max-runs 3 -- false
    [[ $output != *--prepare* ]]
}

@test "what outlives the target is ended, and the result says that it is in no figure" {
    run -0 "$JOSTLE" run --runs 2 --output out -- sh -c 'sleep 60 & :'
    [[ $output == *'survivors: processes outlived the target in 2 of 2 runs, up to 1 of them: they were ended, '*'--setup or --service'* ]]
    holds '.warnings[] | select(.flag == "survivors") | .severity == "problem" and .runs == [1, 2]' <out/result.json
    is_valid result out/result.json
    # One that is waited for is counted, and no problem.
    run -0 "$JOSTLE" run --runs 2 --output waited -- sh -c 'sleep 0.1 & wait'
    [[ $output != *survivors* ]]
}

# bats test_tags=slow
@test "on a terminal a line shows how far we are, also of runs that conduct makes, and is gone before the table" {
    python3 "$BATS_TEST_DIRNAME/at-terminal.py" "'$JOSTLE' run --min-runs 40 --max-runs 40 --output out -- sleep 0.05" >shown
    grep -o 'baseline: run [0-9]*' shown | sort -u | { run -0 wc -l && [[ $output -ge 3 ]]; }
    [[ $(tail -n 1 shown) == 'Page: '* ]]
    grep -q $'\r\e\[K.*It takes\|\r\e\[K.*sleep 0.05' shown
}
