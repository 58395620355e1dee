#!/usr/bin/env bats
# What others can do to somebody who uses jostle: by shared folders, names, campaign files, records.
# shellcheck disable=SC2016 # text that nothing may expand

load helpers
load report

setup() {
    cd "$BATS_TEST_TMPDIR" || return
}

# as_another COMMAND...: runs it as a user who is not us.
as_another() {
    [[ $(id -u) -eq 0 ]] || skip "needs root"
    setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
}

@test "what a killed jostle left is removed where it is ours, not through another's symbolic link" {
    mkdir -m 1777 tmp
    chmod 755 "$BATS_TEST_TMPDIR"
    mkdir -p mine/01 tmp/jostle-revisions.left
    touch mine/file tmp/jostle-revisions.left/repository
    printf '%s\n' "$PWD/mine" >mine/repository
    ln -s "$PWD/mine" tmp/jostle-revisions.link
    run -0 bash -c 'export JOSTLE_LIB=$0/harness/lib JOSTLE_BIN=$1 TMPDIR=$PWD/tmp; . "$JOSTLE_LIB/messages.bash"; . "$JOSTLE_LIB/processes.bash"; . "$JOSTLE_LIB/revisions.bash"; revisions_sweep' "$ROOT" "$BIN"
    [[ -e mine/file && ! -e mine/lock && -L tmp/jostle-revisions.link && ! -e tmp/jostle-revisions.left ]]
}

@test "a work file that a killed jostle noted stays where somebody has its lock" {
    local held file
    touch free locked
    exec {held}<locked
    flock "$held"
    for file in free locked; do
        mkdir noted
        printf 'file\0%s\0' "$PWD/$file" >noted/noted
        JOSTLE_BIN=$BIN "$ROOT/harness/lib/killed" "$PWD/noted"
        [[ ! -e noted ]]
    done
    [[ -e locked && ! -e free ]]
}

# completed ID: 0 once the job of the queue has ended.
completed() {
    [[ $("$ROOT/jobs/local/queue" fate "$1") == completed ]]
}

@test "the local queue takes no name in its folder for a number, and no folder that others can write to" {
    printf '#!/bin/sh\n' >job
    export JOSTLE_QUEUE=$PWD/queue HERE=$PWD
    mkdir -p 'queue/PATH[$(cd "$HERE"; touch pwned)]'
    [[ $("$ROOT/jobs/local/queue" submit name '' 1 "$PWD/log" job) == 1 ]]
    [[ ! -e pwned ]]
    eventually 30 completed 1
    chmod o+w queue
    run -1 "$ROOT/jobs/local/queue" list
    [[ $output == *'others than you'* ]]
    chmod 770 queue
    run -0 "$ROOT/jobs/local/queue" list
    if [[ $(id -u) -eq 0 ]]; then
        chgrp 65534 queue
        run -1 "$ROOT/jobs/local/queue" list
    fi
    run -2 env JOSTLE_QUEUE="$PWD/other" "$ROOT/jobs/local/queue" fate '../../x'
    run -1 env -u JOSTLE_QUEUE -u XDG_STATE_HOME -u HOME "$ROOT/jobs/local/queue" list
    [[ $output == *'set HOME'* ]]
}

@test "a calibration that others could have written is not used" {
    local file
    export XDG_CACHE_HOME=$PWD/cache
    "$BIN/loadgen" syscall --threads 1 --calib 0.5 2>/dev/null || true # unsteady on a busy machine, and kept all the same
    file=$(echo cache/jostle/calibration/*)
    [[ $(stat -c %a cache cache/jostle cache/jostle/calibration | sort -u) == 700 ]]
    run -0 "$BIN/loadgen" syscall --threads 1 --limit 10% --duration 50ms
    chmod o+w "$file"
    run -2 "$BIN/loadgen" syscall --threads 1 --limit 10% --duration 50ms
    [[ $output == *'others than you can write to it'* ]]
    chmod o-w "$file"
    chmod o+w cache/jostle/calibration
    run -2 "$BIN/loadgen" syscall --threads 1 --limit 10% --duration 50ms
    chmod o-w cache/jostle/calibration
    [[ $(id -u) -eq 0 ]] || skip "the rest needs root"
    # With umask 002; a group that comes into the folder; the primary one, but not the user's alone.
    chgrp -R 65534 cache
    chmod g+w "$file"
    run -0 "$BIN/loadgen" syscall --threads 1 --limit 10% --duration 50ms
    chmod g+x cache/jostle/calibration
    run -2 setpriv --regid 65534 --clear-groups "$BIN/loadgen" syscall --threads 1 --limit 10% --duration 50ms
    chmod g+w,g-x cache/jostle/calibration
    run -2 setpriv --regid 65534 --clear-groups "$BIN/loadgen" syscall --threads 1 --limit 10% --duration 50ms
    chmod g= cache/jostle/calibration
    run -0 "$BIN/loadgen" syscall --threads 1 --limit 10% --duration 50ms
    chown 65534 "$file"
    run -2 "$BIN/loadgen" syscall --threads 1 --limit 10% --duration 50ms
}

# bats test_tags=slow
@test "no variable of the environment is run" {
    local name
    for name in UID EUID PPID SRANDOM EPOCHREALTIME COLUMNS; do
        env "$name=x[\$(touch pwned)]" "$JOSTLE" run --quiet --min-runs 2 --max-runs 2 --output "$name" -- true
        env "$name=x[\$(touch pwned)]" JOSTLE_QUEUE="$PWD/queue" "$ROOT/jobs/local/queue" list
    done
    for name in 'JOSTLE_LOCAL_JOB=1 JOSTLE_LOCAL_TASK' 'SLURM_JOB_ID=1 SLURM_HET_SIZE' 'SLURM_JOB_ID=1 SLURM_ARRAY_JOB_ID=1 SLURM_ARRAY_TASK_ID'; do
        # shellcheck disable=SC2086 # words
        run -2 env ${name% *} "${name##* }=x[\$(touch pwned)]" bash "$ROOT/jobs/cell" "$ROOT" "$PWD" /dev/null
        [[ $output == *"${name##* }="*'not a whole number'* ]]
    done
    [[ ! -e pwned ]]
}

@test "without /dev/fd there is one line that says what to do" {
    unshare -m true 2>/dev/null || skip 'no mount namespace'
    run -1 unshare -m bash -c 'mount -t tmpfs none /dev && mknod -m 666 /dev/null c 1 3 && exec "$@"' _ "$JOSTLE" run --output d -- true
    [[ $output == 'jostle: /dev/fd is not there: '* && ${#lines[@]} -eq 1 && ! -e d ]]
}

# clean FILE...: nothing that a terminal would obey.
clean() {
    LC_ALL=C run ! grep -qP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' "$@"
}

# evil_campaign: c.conf, all of whose texts would like to be run, or obeyed by a terminal.
evil_campaign() {
    cat >c.conf <<'CONF'
[campaign]
    name = c
    min-runs = 2
    max-runs = 2
    session-prepare = touch pwned-session
[target "=1+1 $(touch pwned)<script>"]
    command = "true '`touch pwned` $(touch pwned)' -x {n}"
    n = 1 a[$(touch pwned)]
    setup = touch pwned-setup
    prepare = touch pwned-prepare
    conclude = touch pwned-conclude
    cleanup = touch pwned-cleanup
[target "service"]
    command = true
    service = touch pwned-service
[load "l"]
    spec = exec: touch pwned-load
CONF
    printf '[target "esc"]\n    command = "true \033[31mx\007"\n' >>c.conf
}

# bats test_tags=slow
@test "nothing of a campaign file runs while it is read or planned, and --dry-run shows all that may" {
    evil_campaign
    # The folder may be a repository of somebody else's, too.
    git init -q .
    printf '#!/bin/sh\ntouch pwned\n' >hook
    chmod +x hook
    local key
    for key in core.fsmonitor core.pager pager.config diff.external; do git config "$key" "$PWD/hook"; done
    git config alias.config "!$PWD/hook"
    run -0 "$JOSTLE" plan c.conf
    run -0 "$JOSTLE" campaign c.conf --dry-run
    local command
    for command in session setup prepare conclude cleanup service load; do [[ $output == *"touch pwned-$command"* ]]; done
    [[ $output == *"'"'`touch pwned` $(touch pwned)'"' -x"* && $output == *'\e[31mx\u{0007}'* ]]
    printf '%s\n' "$output" >out
    clean out
    sed -i /session-prepare/d c.conf
    run -0 "$JOSTLE" submit c.conf --scheduler local --dry-run --output "$PWD/sub"
    run -2 "$JOSTLE" campaign c.conf --dry-run --set 'campaign.min-runs=a[$(touch pwned)]'
    [[ -z $(find . -name 'pwned*') ]]
}

# bats test_tags=slow
@test "a folder of results from a stranger: no path out of it, no pipe that is waited for, no number that breaks" {
    local cell
    synthetic 2 3 c
    cell=$(echo c/cells/*10%)
    printf 'the key of somebody' >secret
    ln -s "$PWD/secret" c/campaign.conf
    rm "$cell/status.json" "$cell/result.json"
    mkfifo "$cell/status.json" "$cell/result.json"
    sed -i 's/"wall_s":[0-9.e-]*/"wall_s":1e999/' c/cells/*25%/runs.jsonl
    timeout 100 "$JOSTLE" report c --format html >page
    run ! grep -q 'the key' page
    page_drawn "$PWD/page" >drawn
    grep -q '<path [^>]* d="M' drawn
    run ! grep -oE '<path [^>]* d="[^"]*[0-9]{9}' drawn
    run -0 timeout 100 "$JOSTLE" status c
    rm "$cell/runs.jsonl"
    mkfifo "$cell/runs.jsonl"
    run -1 timeout 100 "$JOSTLE" compare "$cell" c/cells/*25%
    edited c/campaign.json '.cells[0].name = "../../secret"'
    run -1 "$JOSTLE" status c
    [[ $output == *'cannot be read'* ]]
}

# bats test_tags=slow
@test "no command waits for a pipe in the place of a file of a campaign" {
    local file command
    printf '[target "t"]\n    command = true\n[include]\n    path = included\n' >c.conf
    printf '[include]\n    path = fifo\n' >included
    mkfifo fifo
    run -2 timeout -k 1 60 "$JOSTLE" plan c.conf
    [[ $output == *'fifo, which is not a regular file'* ]]
    synthetic 1 2 c
    mkdir c/jobs
    edited c/cells/*10%/status.json '.state = "running"'
    while read -r file command; do
        file=$(cd c && compgen -G "$file" || echo "$file")
        mv "c/$file" kept 2>/dev/null || true
        mkfifo "c/$file"
        # shellcheck disable=SC2086 # words
        run timeout -k 1 60 "$JOSTLE" $command </dev/null
        [[ $status -lt 124 ]] || { echo "$file: $command: $status" >&2 && false; }
        rm "c/$file"
        mv kept "c/$file" 2>/dev/null || true
    done <<'END'
jobs/jobs.tsv status c
jobs/jobs.tsv watch --once c
jobs/jobs.tsv submit --scheduler local --dry-run --resume c
cells/*10%/runs.jsonl status c
campaign.json submit --scheduler local --resume c
campaign.conf merge c --output m
END
}

# bats test_tags=slow
@test "a folder, a program and its arguments may have any name: people see no control character" {
    local name=$'e\e]0;x\a\n$(touch pwned)`touch pwned`"\'<script>=\xff'
    cp /bin/true "$name"
    "$JOSTLE" slowdown --min-runs 2 --max-runs 2 --load 'l=cpu --percent 5' --output "$name.d" -- "./$name" $'\e[31m' -x '=1+1' >out 2>err
    "$JOSTLE" report "$name.d" --format html >page 2>>err
    "$JOSTLE" compare "$name.d" "$name.d" >comparison 2>>err || true
    grep -q '"slowdown"\|baseline' comparison
    clean out page comparison
    [[ ! -e pwned ]]
    run ! grep -q '<script>=' page
}

# bats test_tags=slow
@test "CSV: what a spreadsheet would take for a formula is text" {
    nasty c '=HYPERLINK("http://x", "y")'
    report c --format csv >out.csv
    report c --format csv --runs >runs.csv
    run ! grep -qE '(^|,)"?=' out.csv runs.csv
    grep -qF "\"'=HYPERLINK(" out.csv
    local text
    for text in "='file:///etc/passwd'#\$Sheet1.A1" '=A1&B1' $'\n=1' "+'file:///x'#\$A.A1"; do
        nasty f "$text"
        report f --format csv | tr -d '\n' >out.csv
        run ! grep -qE '(^|,)"?[=+]' out.csv
        grep -qF "\"'${text#$'\n'}\"" out.csv
        rm -r f
        # The tables that jq makes have the same rule.
        jq -n -e -L "$ROOT/harness" --arg text "$text" 'include "lib/text"; $text | no_formula == "\u0027" + .'
    done
    nasty o -O2
    report o --format csv | grep -qF '"-O2"'
}

# bats test_tags=slow
@test "JSON and XML on a terminal: no control character of a record is obeyed" {
    local format
    nasty c $'a\u009b31mb\u0085'
    for format in json junit hyperfine; do
        report c --format "$format" >out
        clean out
    done
    report c --format json | jq -e '[.cells[].target] | all(. == "a\u009b31mb\u0085")'
}

# bats test_tags=slow
@test "a confidence that is none is the default, in results, comparisons and reports" {
    local none
    cp -r "$BATS_TEST_DIRNAME/fixtures/report/campaign/cells/delannoy.n=5@disk.10%" whole
    "$BIN/stats" --derive whole
    for none in 1e308 -1 '"a"'; do
        cp -r whole other
        edited other/experiment.json ".settings.confidence = $none"
        "$BIN/stats" --derive other
        diff <(jq .intervals other/result.json) <(jq .intervals whole/result.json)
        "$JOSTLE" compare --json - other whole | jq -e '.confidence == 0.95'
        [[ $("$JOSTLE" report --verbose other) == *'are 95 % confidence'* ]]
        rm -r other
    done
}

@test "a link that another user has put into a shared folder is not followed by --json" {
    [[ $EUID -eq 0 ]] || skip 'only root can make a link of another user'
    local made=0
    mkdir shared && chmod 1777 shared
    echo kept >victim
    ln -s ../victim shared/link
    chown -h 65534:65534 shared/link || skip 'there is no other user here'
    run -1 "$JOSTLE" run --quiet --runs 1 --output "out$((++made))" --json shared/link -- true
    [[ $output == 'jostle: shared/link cannot be written (Permission denied): '* && $(<victim) == kept ]]
    # One of their own, and of the folder's owner, is.
    chown -h 0:0 shared/link
    "$JOSTLE" run --quiet --runs 1 --output "out$((++made))" --json shared/link -- true
    [[ -L shared/link && $(<victim) != kept ]]
}
