# A whole measurement on odd machines: here several at a time, as that is harder; `make soak`
# has each by itself (soak/odd-machines.bats).

load helpers
load odd-machines.bash

setup() {
    # Not below /tmp, which some machines lack.
    ODD=$(mktemp -d /var/tmp/jostle-odd.XXXXXX)
    chmod 755 "$ODD"
}

teardown() {
    rm -rf -- "$ODD"
}

# bats test_tags=slow
@test "what a user's environment says to shells and libraries changes no measurement and no report" {
    odd_machine decimal-comma time-zone posixly-correct bash-env cdpath grep-options git jq-home other-topology \
        private-files ifs shell-options shell-functions
    odd_experiment "$ODD/hostile"
}

# bats test_tags=slow
@test "a machine without /sys, PSI, cgroups, io_uring and performance counters can be measured" {
    odd_machine one-cpu no-io-uring no-perf old-kernel no-psi no-sys
    odd_experiment "$ODD/bare"
    holds '.environment.governor == "unknown"' <"$ODD/bare/records/experiment.json"
    tail -n 1 "$ODD/bare/records/runs.jsonl" | holds '.pressure == null and .stalls.source != "cgroup" and .cpus != null'
}

# bats test_tags=slow
@test "a user without a name or a home, who sees no other processes, can measure" {
    odd_machine noexec-tmp hidden-processes no-home
    odd_experiment "$ODD/nobody"
}

# bats test_tags=slow
@test "a machine on which nothing can be measured is refused in one line" {
    local name
    local -A wrong=(['read-only-tmp']=TMPDIR ['full-tmp']='(No space left on device)' ['useless-files']='umask 022' ['few-descriptors']='ulimit -n' ['no-proc']='/proc')
    for name in "${!wrong[@]}"; do
        odd_machine "$name"
        run --separate-stderr "${IN[@]}" "$JOSTLE" run --output "$ODD/refused-$name" -- true
        # shellcheck disable=SC2154 # bats sets them
        [[ $status -eq 1 && ${#stderr_lines[@]} -eq 1 && $stderr == "jostle: "*"${wrong[$name]}"* ]] || {
            printf '%s: status %d: %s\n' "$name" "$status" "$stderr"
            return 1
        }
    done
}

@test "a target has the environment as it came, and its hooks, too" {
    local -a given=(POSIXLY_CORRECT=yes BASH_ENV=/dev/null CDPATH=/usr LC_ALL=C HOME=/nonexistent JQ_COLORS=1
        'BASH_FUNC_module%%=() {  :;}')
    env SHELLOPTS=pipefail "${given[@]}" "$JOSTLE" run --quiet --runs 1 --prepare "env >'$ODD/hook'" --output "$ODD/records" \
        -- bash -c 'env >"$0"' "$ODD/target"
    for file in hook target; do
        for variable in "${given[@]:0:6}"; do grep -qxF "$variable" "$ODD/$file"; done
        grep -q '^BASH_FUNC_module%%=' "$ODD/$file"
        ! grep SHELLOPTS "$ODD/$file" || false
    done
}

@test "closed descriptors are not taken for files, and a result that cannot be printed is kept" {
    "$JOSTLE" run --quiet --runs 1 --output "$ODD/in" -- sh -c '! read -r line' <&-
    run --separate-stderr sh -c 'exec "$@" >&-' sh "$JOSTLE" run --runs 1 --output "$ODD/out" -- true
    [[ $status -eq 1 && $stderr == *"cannot write to stdout: is the disk full?: the result is in $ODD/out/result.json"* ]]
    [[ -s $ODD/out/result.json ]]
    sh -c 'exec "$@" 2>&-' sh "$JOSTLE" run --quiet --runs 1 --output "$ODD/err" -- sh -c 'echo loud >&2'
}

# stepping SECONDS: sets the array IN to what moves the time of day by SECONDS as soon as
# $ODD/stepped is there; meter is linked so that it sees that, too.
stepping() {
    local -a options
    build_options
    cc -std=gnu17 -O1 -shared -fPIC -o "$ODD/clock.so" "$ROOT/bats-tests/fixtures/odd-clock.c"
    mkdir "$ODD/build"
    cp -rs "$BUILD/bin" "$ODD/build/"
    rm "$ODD/build/bin/meter"
    cc "${options[@]}" -o "$ODD/build/bin/meter" "$BUILD"/obj/harness/meter/*.o "$BUILD/libcommon.a" -lm 2>/dev/null || skip 'no object files of meter here'
    IN=(env "JOSTLE_BUILD=$ODD/build" "LD_PRELOAD=$ODD/clock.so" "CLOCK_STEP_S=$1" "CLOCK_STEP_FILE=$ODD/stepped")
}

# stepped_s: how much later the last run began than the first, by the time of day.
stepped_s() {
    jq -s 'map(.start[:19] + "Z" | fromdate) | .[-1] - .[0]' "$ODD/records/runs.jsonl"
}

# bats test_tags=slow
@test "a clock that is set an hour forward during a run ends nothing, and no time is made of it" {
    stepping 3600
    "${IN[@]}" "$JOSTLE" slowdown --quiet --min-runs 8 --max-runs 8 --washout 0 --max-time 600s --output "$ODD/records" --load 'half=cpu --percent 50' -- touch "$ODD/stepped" 2>"$ODD/err"
    diff /dev/null "$ODD/err"
    stepped_s | holds '. > 3500'
    jq -s . "$ODD/records/runs.jsonl" | holds 'length == 16 and all(.[]; .wall_s < 60 and .uptime_s > 0 and all(.load[]; .elapsed_s < 60))'
    holds '.forecast.took_s < 600 and all(.conditions[]; .runs == 8)' <"$ODD/records/result.json"
}

# bats test_tags=slow
@test "a clock that is set an hour back during a run does not lengthen --max-time" {
    stepping -3600
    run -0 --separate-stderr timeout 200 "${IN[@]}" "$JOSTLE" slowdown --quiet --error 0.0001 --max-runs 2000 --max-time 3s --output "$ODD/records" \
        --load 'half=cpu --percent 50' -- sh -c 'sleep 0.03; touch "$0"' "$ODD/stepped"
    stepped_s | holds '. < -3500'
    # Not by --max-runs, which come to an end, too.
    holds '.stopped == "max-time"' <"$ODD/records/experiment.json"
}

# with_conduct TEXT: runs it in bash with the functions of the conversation with conduct, on the odd machine where there is one.
with_conduct() {
    "${IN[@]:-env}" JOSTLE_LIB="$ROOT/harness/lib" bash -c 'set -euo pipefail
        source "$JOSTLE_LIB/messages.bash"
        source "$JOSTLE_LIB/processes.bash"
        source "$JOSTLE_LIB/conduct.bash"
        eval "$1"' bash "$1"
}

@test "a failure of a load that there is not is taken for what it is: a wrong answer" {
    run -1 with_conduct '
        declare -a load_pid=()
        ANSWER=(ade 2 new)
        conduct_failed'
    [[ $output == 'jostle: conduct gave an answer that nobody asked for (ade 2 new): '* ]]
}

@test "a program of ours that is stuck as a signal comes is ended, too" {
    local pid signal
    # What reads the time zone waits for a writer, for ever.
    mkfifo "$ODD/zone"
    for signal in TERM KILL; do
        TZ=:$ODD/zone "$JOSTLE" run --runs 3 --output "$ODD/$signal" -- true 2>/dev/null 3>&- &
        pid=$!
        eventually 20 stuck
        kill -s "$signal" "$pid"
        wait "$pid" || true
        eventually 20 eval '! stuck'
    done
}

# stuck: something of ours waits for the time zone.
stuck() {
    grep -lszF "TZ=:$ODD/zone" /proc/[0-9]*/environ | cut -d / -f 3 | while read -r pid; do
        grep -qsx experiment "/proc/$pid/comm" || continue
        printf '%s\n' "$pid"
    done | grep -q .
}

@test "a list of processes of another namespace, a line end in TMPDIR, no room for a stack: each is refused in one line" {
    local folder=$ODD/a$'\n'b
    mkdir "$folder"
    run -1 env TMPDIR="$folder" "$JOSTLE" run --runs 3 --output "$ODD/records" -- true
    [[ $output == 'jostle: TMPDIR has a line end'* && ${#lines[@]} -eq 1 ]]
    run -1 bash -c 'ulimit -n 8; exec "$@"' bash "$JOSTLE" run --runs 3 --output "$ODD/records" -- true
    [[ $output == 'jostle: only 8 files may be open at a time: '* && ${#lines[@]} -eq 1 ]]
    run bash -c 'ulimit -s 64; exec "$@"' bash "$JOSTLE" run --runs 3 --output "$ODD/records" -- true
    [[ $status -eq 0 || ($status -eq 139 && $output == 'jostle: experiment was ended by SIGSEGV: '* && ${#lines[@]} -eq 1) ]]
    unshare -p -f true 2>/dev/null || return 0
    run -1 timeout 60 unshare -p -f "$JOSTLE" run --runs 3 --output "$ODD/others" -- true
    [[ $output == 'jostle: /proc shows the processes of another PID namespace'* && ${#lines[@]} -eq 1 ]]
    [[ ! -e $ODD/others ]]
}

@test "a temporary folder that goes away under us ends the experiment in one line" {
    mkdir "$ODD/temporary"
    run -1 --separate-stderr env TMPDIR="$ODD/temporary" "$JOSTLE" run --max-runs 30 --setup "rm -rf '$ODD'/temporary/jostle.*" \
        --output "$ODD/records" -- sleep 0.01
    printf '%s\n' "$stderr"
    [[ $stderr == "jostle: $ODD/temporary/jostle."*' cannot be opened (No such file or directory): '* && ${#stderr_lines[@]} -eq 1 ]]
}

# bats test_tags=slow
@test "a parent that leaves us a thousand open files does not end an experiment" {
    # bash waits by select, which knows no descriptor above 1023.
    run -0 --separate-stderr python3 - "$JOSTLE" slowdown --quiet --runs 6 --max-time 30s --output "$ODD/records" --load 'little=cpu --percent 5' -- true <<'EOF'
import os, resource, sys
_, most = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, most), most))
for _ in range(1100):
    os.set_inheritable(os.open("/dev/null", os.O_RDONLY), True)
os.execvp(sys.argv[1], sys.argv[1:])
EOF
    diff /dev/null <(printf '%s' "$stderr")
    holds '.conditions | length == 2 and all(.[]; .runs == 6)' <"$ODD/records/result.json"
}

@test "what a library of jq includes is included again behind it, as jq 1.8.2 needs" {
    # There a function of a library that only a library includes is not found: an assertion fails
    # (github.com/jqlang/jq/issues/3636).
    local file library inner missing='' rest
    local -A includes=()
    cd "$ROOT/harness"
    while IFS=: read -r file library; do
        includes[${file%.jq}]+="${library:9:-2} "
    done < <(grep -r --include='*.jq' '^include ".*";$' . | cut -c3-)
    ((${#includes[@]} > 20))
    for file in "${!includes[@]}"; do
        rest=" ${includes[$file]}"
        for library in ${includes[$file]}; do
            rest=" ${rest#*" $library "}"
            for inner in ${includes[$library]:-}; do
                [[ $rest == *" $inner "* ]] || missing+="$file: $inner behind $library"$'\n'
            done
        done
    done
    diff <(printf '%s' "$missing") /dev/null
}
