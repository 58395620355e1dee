#!/usr/bin/env bats
# --on HOST where something breaks, or the host is not a friend: a false ssh stands for the host, in a session of its own.

load helpers
bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || exit
    mkdir bin there tmp
    export PATH=$PWD/bin:$PATH TMPDIR=$PWD/tmp
    # shellcheck disable=SC2016 # for the other shell
    host 'exec bash -s'
}

teardown() {
    local pid
    for pid in $(tree "${jostle:-}") $(tree "$(cat host.pid 2>/dev/null)"); do
        kill -s CONT "$pid"
        kill -s KILL "$pid"
    done 2>/dev/null || true
}

# host TEXT: what ssh starts there, in bash. The host is not below ssh, and lives on when that is killed.
host() {
    printf '%s\n' "export TMPDIR=${PWD@Q}/there" "$1" >bin/host
    cat >bin/ssh <<END
#!/bin/bash
cd ${PWD@Q}
if [[ \${1:-} == there ]]; then
    echo \$\$ >host.pid
    bash bin/host
    echo \$? >host.status
    exit
fi
rm -f host.pid host.status
exec 3<&0
(setsid "\$0" there <&3 3<&- &)
exec 3<&- </dev/null >/dev/null
until [[ -s host.pid ]]; do sleep 0.02; done
pid=\$(<host.pid)
while kill -0 "\$pid" 2>/dev/null; do sleep 0.05; done
exit "\$(<host.status)"
END
    chmod +x bin/ssh
}

# says WORD...: what a host answers that has no jostle: it is ready, and then a line each.
says() {
    printf 'cat >/dev/null &\nprintf "jostle-there\\t%%s\\t\\n" ready started\n'
    printf 'printf %q\n' "${@/%/\\n}"
}

# tree PID: it and what descends from it, a line each.
tree() {
    [[ -n $1 ]] || return 0
    ps -e -o pid=,ppid= | awk -v top="$1" '{ parent[$1] = $2 }
        END { for (pid in parent) { for (up = pid; up > 1 && up != top; up = parent[up]); if (up == top) print pid } }'
}

# here: the processes of jostle that are not there.
here() {
    comm -23 <(tree "$jostle" | tr -d ' ' | sort) <(tree "$(<host.pid)" | tr -d ' ' | sort)
}

# there: those of the host.
there() {
    tree "$(<host.pid)"
}

# signal_all SIGNAL here|there
signal_all() {
    local pid
    for pid in $("$2"); do kill -s "$1" "$pid" 2>/dev/null || true; done
}

# begun KIND WORD...: starts jostle, as `jostle`, and returns once it has a record here.
begun() {
    env --default-signal=INT setsid "$JOSTLE" "$1" --on web1 --min-runs 100 --max-runs 100 --output out "${@:2}" -- sleep 0.05 >printed 2>said 3>&- &
    jostle=$!
    eventually 60 test -s out/runs.jsonl
}

# ended SECONDS: waits so long for jostle; sets STATUS.
ended() {
    eventually "$1" eval "! kill -0 $jostle 2>/dev/null"
    STATUS=0
    wait "$jostle" || STATUS=$?
    printf 'status %s\n' "$STATUS"
    cat said
}

# nothing_left: 0 where no process and no file is left, here or there.
nothing_left() {
    [[ -z $(ls -A tmp) && -z $(ls -A there) && -z $(ls -d out/.[!.]* 2>/dev/null) && -z $(there) ]] && ! pgrep -f "$BATS_TEST_TMPDIR/" >/dev/null
}

# resumes: 0 where how to continue was said.
resumes() {
    grep -q '^  resume: .* --resume .*--on web1' said
}

# bats test_tags=slow
@test "a measurement that was cut off by silence fails, says so and how to continue; its gate does not pass" {
    export JOSTLE_SILENCE_S=3
    begun slowdown --at-most 0.5 --load 'c=cpu --percent 20'
    signal_all STOP here
    eventually 60 nothing_there_lives
    signal_all CONT here
    ended 30
    [[ $STATUS -eq 1 && ! -e out/result.json ]]
    grep -q 'web1 has heard nothing from here for 3 s' said
    resumes
    eventually 20 nothing_left
    export JOSTLE_SILENCE_S=60
    cp out/runs.jsonl before
    run -0 "$JOSTLE" slowdown --quiet --on web1 --min-runs 6 --max-runs 6 --output out --load 'c=cpu --percent 20' --resume -- sleep 0.05
    cmp -n "$(stat -c %s before)" before out/runs.jsonl
    [[ -s out/result.json ]]
}

# nothing_there_lives: 0 where no process of the host is left but zombies.
nothing_there_lives() {
    local pid
    for pid in $(tree "$(<host.pid)"); do
        [[ $(ps -o stat= -p "$pid") == Z* ]] || return 1
    done
}

# bats test_tags=slow
@test "while the host hangs it is given up after the silence, and before that a second signal ends all at once" {
    local began
    export JOSTLE_SILENCE_S=4
    begun run
    signal_all STOP there
    ended 60
    [[ $STATUS -eq 1 && ! -e out/result.json ]]
    grep -q 'nothing has come from web1 for 4 s' said
    resumes
    signal_all CONT there
    eventually 30 nothing_left
    rm -r out
    export JOSTLE_SILENCE_S=60
    begun run
    signal_all STOP there
    kill -s TERM "$jostle"
    sleep 1
    kill -0 "$jostle"
    began=$SECONDS
    kill -s TERM "$jostle"
    ended 15
    [[ $STATUS -eq 143 && $((SECONDS - began)) -lt 15 ]]
    resumes
    [[ -z $(ls -A tmp) ]]
    signal_all CONT there
    eventually 30 nothing_left
}

# bats test_tags=slow
@test "one signal is enough, also where the host hangs" {
    begun run
    signal_all STOP there
    kill -s INT "$jostle"
    ended 60
    [[ $STATUS -eq 130 ]]
    resumes
    signal_all CONT there
    eventually 30 nothing_left
}

# bats test_tags=slow
@test "whichever of the processes here is killed, the measurement is no success, and nothing lives on" {
    local victim
    for victim in '^cat$' '^bash -p .*ssh/far web1' 'head' 'arguments visible' '^/bin/bash .*/ssh '; do
        rm -rf out
        begun run
        case $victim in
            head) victim=$(pgrep -P "$(pgrep -o -f 'ssh/far web1')" -f 'ssh/far web1') ;; # the one that waits for cat
            *) victim=$(here | xargs ps -o pid=,args= -p | awk -v what="$victim" '{ pid = $1; $1 = ""; sub(/^ */, "") } $0 ~ what { print pid; exit }') ;;
        esac
        ps -o args= -p "$victim"
        kill -s KILL "$victim"
        ended 60
        ((STATUS == 1)) || [[ $STATUS == 0 && -s out/result.json ]]
        [[ $STATUS == 0 ]] || resumes
        run ! grep -E 'line [0-9]+' said
        eventually 40 nothing_left
    done
}

# bats test_tags=slow
@test "a host that answers nonsense, or nothing, is a failure" {
    local text
    for text in 'hello' 'tar x' 'tar 9999999999999' 'experiment -5' 'run {"a":1}' 'tar 5\nabcde' 'tar 100\nabc' ''; do
        host "$(says alive "$text")"
        run -1 --separate-stderr "$JOSTLE" slowdown --quiet --load 'cpu --percent 1' --on web1 --at-most 0.5 --output out -- true
        # shellcheck disable=SC2154 # run sets it
        printf '%s\n' "$text:" "$stderr"
        [[ $stderr == 'jostle: '* && -z $output ]]
        rm -rf out
    done
    # It has measured one of two.
    host 'if mkdir once; then exec bash -s; fi; '"$(says alive 'run {"a":1}')"
    run -1 "$JOSTLE" run --on web1,web2 --min-runs 2 --max-runs 2 --output out -- true
    printf '%s\n' "$output"
    [[ $output == *web1* && $output == *'what measures at web2 ended before its result was here'* && $output == *'resume: '*' --resume '* ]]
    [[ -s out/web1/result.json && ! -e out/web2/result.json ]]
    eventually 20 nothing_left
}

# bats test_tags=slow
@test "a host that never stops to answer is given up" {
    host 'exec yes'
    JOSTLE_SILENCE_S=4 run -1 timeout 60 "$JOSTLE" run --quiet --on web1 --output out -- true
    [[ $output == 'jostle: web1 has not answered '* ]]
    host 'exec cat /dev/zero'
    JOSTLE_SILENCE_S=4 run -1 timeout 60 "$JOSTLE" run --quiet --on web1 --output out -- true
    [[ $output == 'jostle: web1 has not answered '* ]]
    eventually 20 nothing_left
}

@test "what a host says moves no cursor" {
    # shellcheck disable=SC2016 # for the other shell
    host 'printf "\e]0;title\a\r\xc2\x9b31m\x9b \xe2\x80\xae\n" >&2; '"$(says alive $'\e[2J\xe2\x80\xae')"
    run -1 "$JOSTLE" run --quiet --on web1 --output out -- true
    printf '%q\n' "$output"
    [[ $output == *'\e]0;title\u{0007}'*'\e[2J\u{202e}'* && $output != *[$'\e\a\r\x9b']* && $output != *$'\xe2\x80\xae'* ]]
    host 'printf "jostle-there\tproblem\t\e[31m\xe2\x80\xae\n"'
    run -1 "$JOSTLE" run --quiet --on web1 --output out -- true
    [[ $output == 'jostle: web1: \e[31m\u{202e}' ]]
}

# sends FILE: a host that sends this tar as its records.
sends() {
    host "$(says alive "tar $(stat -c %s "$1")"); cat ${PWD@Q}/$1; exit 0"
}

# bats test_tags=slow
@test "of what a host sends only plain files are taken, as ours, into the folder" {
    local what
    mkdir from
    echo '{"schema": "jostle.result/1"}' >from/result.json
    ln -s /etc/passwd from/link
    mkfifo from/fifo
    for what in 'link' 'fifo' '../from/result.json' '--transform=s,^,../../, result.json' '-z result.json'; do
        # shellcheck disable=SC2086 # several words
        tar -C from -P -c -f all.tar $what
        sends all.tar
        run -1 "$JOSTLE" run --quiet --on web1 --output out -- true
        printf '%s\n' "$what: $output"
        [[ ! -e out && ! -e result.json && $(ls) == $'all.tar\nbin\nfrom\nhost.pid\nhost.status\nthere\ntmp' ]]
    done
    ((EUID != 0)) || chown 65534 from/result.json
    chmod 6777 from/result.json
    echo {} >from/-x
    tar -C from -c -f all.tar -- ./result.json ./-x
    sends all.tar
    run -0 "$JOSTLE" run --quiet --on web1 --output out -- true
    [[ -O out/result.json && $(stat -c %a out/result.json) == ?00 || $(stat -c %a out/result.json) == [0-7][0-7][0-7] ]]
    [[ ! -u out/result.json && ! -g out/result.json && -f out/-x ]]
    # A result that would not be one for a terminal.
    printf '{"schema": "jostle.result/1", "a": "\e]0;x\a"}' >from/result.json
    tar -C from -c -f all.tar ./result.json
    sends all.tar
    run -1 "$JOSTLE" run --quiet --on web1 --json - --output other -- true
    [[ $output != *$'\e'* && ! -e other ]]
}

@test "a folder whose names lead elsewhere is not written to" {
    run -0 "$JOSTLE" run --quiet --on web1 --min-runs 2 --max-runs 2 --output out -- true
    mv out/runs.jsonl kept
    cp kept copy
    ln -s "$PWD/kept" out/runs.jsonl
    run -2 "$JOSTLE" run --quiet --on web1 --min-runs 4 --max-runs 4 --output out --resume -- true
    [[ $output == *'out/runs.jsonl is not a regular file: '* ]]
    cmp kept copy
}

# bats test_tags=slow
@test "many open descriptors of who started it do no harm" {
    (($(ulimit -Hn) > 1300)) || skip 'so many are not allowed'
    # shellcheck disable=SC2016 # for the other shell
    JOSTLE_SILENCE_S=20 run -0 timeout 60 bash -c 'ulimit -n 1300 && for ((i = 0; i < 1100; i++)); do exec {fd}</dev/null; done
        exec "$0" web1 sh -c "read a && echo \"<\$a>\" && sleep 6" <<<hello' "$ROOT/jobs/ssh/far"
    [[ $output == '<hello>' ]]
}
