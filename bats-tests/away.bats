#!/usr/bin/env bats
# Where records grow while a target runs that walks the folder that it runs in.

load helpers

setup() {
    mkdir "$BATS_TEST_TMPDIR/project" && cd "$BATS_TEST_TMPDIR/project" || return
    printf 'some text\n' >file
    export XDG_STATE_HOME=$BATS_TEST_TMPDIR/state
    export TMPDIR=$BATS_TEST_TMPDIR # of what is killed as a whole it stays
    jostle_pid=''
}

teardown() {
    [[ -z $jostle_pid ]] || kill -TERM "$jostle_pid" 2>/dev/null || true
}

# records: sets REPLY to the one folder of records.
records() {
    local -a folders=(jostle-results/*)
    [[ ${#folders[@]} -eq 1 ]] && REPLY=${folders[0]}
}

# reads_the_same: 0 when each of 20 runs of a target that reads all files here has read as much, and they are then
# here as a folder.
reads_the_same() {
    rm -rf jostle-results
    # shellcheck disable=SC2016 # for the target
    "$JOSTLE" run --quiet -r 20 --metric 'read=stdout:/([0-9]+)/' 'cat $(find . -type f) | wc -c' || return
    records
    [[ -d $REPLY && ! -L $REPLY ]] && holds -s 'length == 20 and ([.[].metrics.read.value] | unique) == [10]' <"$REPLY/runs.jsonl"
}

# killed: starts an experiment, and kills all of it (jostle, its keeper, and all that they started) when it has measured.
killed() {
    "$JOSTLE" run -r 200 -- sleep 0.05 >/dev/null 2>&1 </dev/null 3>&- &
    jostle_pid=$!
    eventually 60 some_runs
    # shellcheck disable=SC2046 # words
    kill -STOP "$jostle_pid" $(below "$jostle_pid")
    # shellcheck disable=SC2046 # words
    kill -KILL "$jostle_pid" $(below "$jostle_pid")
    wait "$jostle_pid" || true
    jostle_pid=''
}

some_runs() {
    records && [[ -s $REPLY/runs.jsonl && $(wc -l <"$REPLY/runs.jsonl") -ge 3 ]]
}

# bats test_tags=slow
@test "a target that reads all files of its folder reads as much in each run" {
    reads_the_same
    # Nothing is left where they grew.
    [[ -z $(ls -A "$XDG_STATE_HOME/jostle") ]]
}

# bats test_tags=slow
@test "it does where there is no home, or one that cannot be written, or one that is walked" {
    unset XDG_STATE_HOME
    HOME='' reads_the_same
    HOME=/proc/nowhere reads_the_same
    HOME=$PWD reads_the_same
    HOME=$PWD/new reads_the_same
    [[ ! -e .local && ! -e new && -z $(find "$BATS_TEST_TMPDIR" -name '.jostle.*') ]]
    XDG_STATE_HOME=/dev/shm/jostle-test.$$ reads_the_same # another file system, or none
    rm -rf "/dev/shm/jostle-test.$$"
}

@test "grep -r finds nothing of jostle's while it is measured" {
    run -5 "$JOSTLE" run -r 3 -w 2 'grep -r foo .'
    [[ $output == *'failed with exit code 1: grep -r foo .'* ]]
    # It does where the user has named the folder, which is then nowhere else.
    "$JOSTLE" run --quiet -r 3 --output records 'grep -r foo .'
    [[ -d records && ! -L records ]]
}

# bats test_tags=slow
@test "while it is measured, the folder's name leads to the records, and report and a second jostle find them" {
    "$JOSTLE" run -r 200 -- sleep 0.05 >/dev/null 2>&1 </dev/null 3>&- &
    jostle_pid=$!
    eventually 60 some_runs
    [[ -L $REPLY && $(readlink "$REPLY") == "$XDG_STATE_HOME/jostle/"* ]]
    run -0 --separate-stderr "$JOSTLE" report
    # shellcheck disable=SC2154 # bats sets it
    [[ $stderr == *"the latest in jostle-results is $REPLY" && $output == *'sleep 0.05'* ]]
    run -1 "$JOSTLE" run -r 2 --output "$REPLY" --resume -- sleep 0.05
    [[ $output == *'another jostle is measuring into'* ]]
    kill -TERM "$jostle_pid"
    wait "$jostle_pid" || true
    jostle_pid=''
    [[ -d $REPLY && ! -L $REPLY && -s $REPLY/runs.jsonl && -z $(ls -A "$XDG_STATE_HOME/jostle") ]]
}

# bats test_tags=slow
@test "after kill -9 of jostle alone its keeper puts the records back" {
    "$JOSTLE" run -r 200 -- sleep 0.05 >/dev/null 2>&1 </dev/null 3>&- &
    jostle_pid=$!
    eventually 60 some_runs
    [[ -L $REPLY ]]
    # shellcheck disable=SC2046 # words
    kill -KILL $(below "$jostle_pid" bash)
    wait "$jostle_pid" || true
    jostle_pid=''
    eventually 30 test ! -L "$REPLY"
    [[ -d $REPLY && -s $REPLY/runs.jsonl && -z $(ls -A "$XDG_STATE_HOME/jostle") ]]
}

# bats test_tags=slow
@test "after kill -9 of everything report reads the records, and --resume continues and puts them back" {
    local runs
    killed
    [[ -L $REPLY ]]
    runs=$(wc -l <"$REPLY/runs.jsonl")
    ((runs >= 3))
    run -0 "$JOSTLE" report "$REPLY"
    [[ $output == *'sleep 0.05'* ]]
    "$JOSTLE" run --quiet -r 200 --output "$REPLY" --resume --max-time 0.1 -- sleep 0.05 || true
    [[ -d $REPLY && ! -L $REPLY && $(wc -l <"$REPLY/runs.jsonl") -gt $runs && -z $(ls -A "$XDG_STATE_HOME/jostle") ]]
}

# bats test_tags=slow
@test "records that are continued do not grow in the folder either" {
    killed
    "$BIN/arguments" return "$PWD/$REPLY"
    "$JOSTLE" run --quiet -r 300 --output "$REPLY" --resume -- sleep 0.05 >/dev/null 2>&1 </dev/null 3>&- &
    jostle_pid=$!
    eventually 60 test -L "$REPLY"
    kill -TERM "$jostle_pid"
    wait "$jostle_pid" || true
    jostle_pid=''
    [[ -d $REPLY && ! -L $REPLY && -s $REPLY/runs.jsonl ]]
}

@test "a link of somebody else is not replaced, and what it leads to is not moved" {
    mkdir ../elsewhere jostle-results
    "$JOSTLE" run --quiet -r 2 --output ../elsewhere/jostle/mine -- true
    ln -s "$(readlink -f ../elsewhere)/jostle/mine" jostle-results/other
    "$JOSTLE" run --quiet -r 4 --output jostle-results/other --resume -- true
    [[ -L jostle-results/other && $(wc -l <../elsewhere/jostle/mine/runs.jsonl) -eq 4 ]]
}

@test "where a move was cut off, it is finished" {
    mkdir -p jostle-results/a.back "$XDG_STATE_HOME/jostle/b"
    : >jostle-results/a.back/record
    : >"$XDG_STATE_HOME/jostle/b/record"
    ln -s "$XDG_STATE_HOME/jostle/a" jostle-results/a # its folder is a.back already
    ln -s "$XDG_STATE_HOME/jostle/b" jostle-results/b
    "$BIN/arguments" return jostle-results/a jostle-results/b
    [[ -f jostle-results/a/record && -f jostle-results/b/record && ! -L jostle-results/a && ! -L jostle-results/b && ! -e jostle-results/a.back ]]
    # There is nothing to do for a folder, or where nothing is.
    "$BIN/arguments" return jostle-results/a jostle-results/none
    [[ -f jostle-results/a/record && ! -e jostle-results/none ]]
}

@test "a file system that cannot exchange two names is moved on all the same" {
    command -v strace >/dev/null || skip 'strace is not installed'
    ! sanitized || skip 'strace and LeakSanitizer exclude each other'
    local -a without=(strace -qq -o /dev/null -e trace=renameat2 -e inject=renameat2:error=EINVAL)
    "${without[@]}" true || skip 'strace cannot trace here'
    "${without[@]}" "$BIN/experiment" run -- true >plan
    records
    [[ -L $REPLY && -f $REPLY/experiment.json && -d $XDG_STATE_HOME/jostle/${REPLY##*/} ]]
    "${without[@]}" "$BIN/arguments" return "$REPLY"
    [[ -d $REPLY && ! -L $REPLY && -f $REPLY/experiment.json && $(ls jostle-results) == "${REPLY##*/}" && -z $(ls -A "$XDG_STATE_HOME/jostle") ]]
}

# nothing_left: 0 when there are neither records nor a place where they grow.
nothing_left() {
    [[ -z $(ls jostle-results 2>/dev/null) && -z $(ls -A "$XDG_STATE_HOME/jostle" 2>/dev/null) ]]
}

@test "an experiment that has no room for its FIFOs leaves no records, and says why" {
    TMPDIR=/proc run -1 "$JOSTLE" run -- touch ran
    [[ ${#lines[@]} -eq 1 && $output == 'jostle: cannot make FIFOs in /proc/jostle.'*' (No such file or directory): set TMPDIR'* ]]
    [[ ! -e ran ]]
    nothing_left
}

# bats test_tags=slow
@test "a signal that comes before the first run leaves no records, whenever it comes" {
    local delay pid status
    for delay in 0.0{0..9}{0,5} 0.1{0,2,4}; do
        status=0
        env --default-signal=INT setsid "$JOSTLE" run --runs 1 -- sleep 5 >/dev/null 2>errors </dev/null 3>&- &
        pid=$!
        eventually 20 kill -0 -- "-$pid" 2>/dev/null
        sleep "$delay"
        kill -INT -- "-$pid"
        wait "$pid" || status=$?
        [[ $status -eq 130 ]] && nothing_left || {
            printf 'after %s s: status %s, %s, %s\n' "$delay" "$status" "$(ls jostle-results "$XDG_STATE_HOME/jostle")" "$(<errors)" >&2
            return 1
        }
    done
}
