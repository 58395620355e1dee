#!/usr/bin/env bats
# Every program, started with stdin, stdout or stderr closed, or with nobody who reads.

load helpers

# with CLOSED COMMAND...: runs it without the descriptors whose numbers CLOSED has.
with() {
    local closed=$1
    shift
    (
        [[ $closed != *0* ]] || exec 0<&-
        [[ $closed != *1* ]] || exec 1>&-
        [[ $closed != *2* ]] || exec 2>&-
        exec "$@"
    )
}

@test "no program is ended by a closed stdin, stdout or stderr" {
    local program closed code
    for program in "$BIN"/*; do
        for closed in 2 012; do
            code=0
            with "$closed" "$program" --help 3>&- >"$BATS_TEST_TMPDIR/out" 2>&1 || code=$?
            [ "$code" -le 2 ] || {
                printf '%s without %s: %s\n' "$program" "$closed" "$code"
                return 1
            }
        done
    done
}

@test "a load runs without any of the three" {
    local closed
    for closed in 0 1 2 01 02 12 012; do
        run with "$closed" "$BIN/loadgen" cpu --percent 5 --duration 20ms 3>&-
        # What it reports is lost without a stdout, which is not a good end.
        if [[ $closed == *1* ]]; then [ "$status" -eq 1 ]; else [ "$status" -eq 0 ]; fi
    done
    run -1 with 0 "$BIN/loadgen" cpu --percent 5 --control
    [[ $output == *'"event":"error","message":"cannot read stdin: bad file descriptor: give it a pipe"'* ]]
    holds '.[-1].event == "summary"' -s <<<"$(grep '^{' <<<"$output")"
}

@test "what is printed without a stdout or stderr goes into no file that is opened meanwhile" {
    local record=$BATS_TEST_TMPDIR/record.jsonl
    with 12 "$BIN/meter" --output "$record" -- sh -c 'echo out; echo error >&2' 3>&-
    [ "$(wc -l <"$record")" -eq 1 ]
    holds '.schema == "jostle.meter/1"' <"$record"
    with 012 "$BIN/loadgen" record --interval 20ms --duration 50ms "$record" 3>&- || true
    holds '.[0].schema == "jostle.profile/1"' -s <"$record"
}

# full COMMAND...: runs it with a full disk as its stdout.
full() {
    "$@" 3>&- >/dev/full
}

@test "output that cannot be written is said, and is exit status 1" {
    local program
    for program in "$BIN"/*; do
        [[ $program != */arguments && $program != */experiment && $program != */probe ]] || continue # they print no help
        run -1 full "$program" --help
        [[ $output == 'jostle: cannot write to stdout: '*': the output is incomplete' ]] || {
            printf '%s: %s\n' "$program" "$output"
            return 1
        }
    done
    run -1 full "$BIN/loadgen" cpu --percent 5 --duration 20ms --json
    [ "$output" = 'jostle: cannot write to stdout: No space left on device: the report is incomplete' ]
}

@test "a reader that has had enough is no error" {
    local words nobody
    exec {nobody}> >(:)
    eventually 30 gone "$!"
    for words in 'slowdown --help' 'run --help' 'campaign --help' 'plan --help' --help; do
        # shellcheck disable=SC2086 # words
        run -141 bash -c '"$0" "$@" >&'"$nobody" "$JOSTLE" $words 3>&-
        [ -z "$output" ]
    done
    exec {nobody}>&-
}

@test "a command whose output cannot be written says so in one line" {
    local words
    # Those of bash, of cat, of jq and of a program of ours.
    for words in --version 'run --help' 'calib --list' 'completion bash' topology; do
        # shellcheck disable=SC2086 # words
        run -1 full "$JOSTLE" $words
        [ "$output" = 'jostle: cannot write to stdout: is the disk full?: the output is incomplete' ] ||
            [ "$output" = 'jostle: cannot write to stdout: No space left on device: the output is incomplete' ] || {
            printf '%s: %s\n' "$words" "$output"
            return 1
        }
    done
}
