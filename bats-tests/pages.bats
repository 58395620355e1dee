#!/usr/bin/env bats
# bats file_tags=slow
# Each command that a page prints is run as it is printed, by a user with an empty home.
#
# The commands are taken from the pages. Unless `how` says otherwise, one has to end with exit status 0. Those
# that measure are interrupted (Ctrl-C) when they have made their first two runs.

load helpers

setup() {
    quick_machine
    KEPT=$XDG_CACHE_HOME
    unset XDG_CACHE_HOME
    export HOME=$BATS_TEST_TMPDIR/home WORKFILE_SIZE=64M TMPDIR=$BATS_TEST_TMPDIR/tmp GITHUB_STEP_SUMMARY=summary
    mkdir "$TMPDIR"
    new_home
}

# program NAME TEXT: makes a program of the home.
program() {
    printf '#!/usr/bin/env bash\n%s\n' "$2" >"$1"
    chmod +x "$1"
}

# home: what the pages take to be there: jostle's folders, in PATH or not; a program with its input, in a
# repository; a server and its client; others' results.
home() {
    local name
    ln -s "$ROOT"/{harness,jobs,results} . && ln -s "$BUILD" build
    mkdir bin && ln -s "$JOSTLE" bin/jostle && ln -s "$WORKLOADS/mmul" bin/mmul
    export PATH=$HOME/bin:$PATH
    program solver.sh '[[ $# -eq 0 || -r $1 ]] || exit 1; "'"$WORKLOADS"'/nbody" 200 60 >/dev/null; echo rate: 12.5'
    printf 'solver: solver.sh\n\tcp solver.sh solver\n' >Makefile
    for name in solver solver.main old new; do cp solver.sh "$name"; done
    touch input.dat in.dat && seq 1000 >big.txt
    program server 'exec python3 -m http.server --bind 127.0.0.1 8080'
    program client 'sleep 0.01; printf "rate: 9\np99: 1.5 ms\n9 requests\n0 failed\n12.5 requests per second\n"'
    git init -q -b main . && git add solver.sh Makefile input.dat
    git -c user.name=a -c user.email=a@b commit -q -m one && git update-ref refs/remotes/origin/main HEAD
    ln -s results/reference/quick/cells/mmul.size=400@cpu.50 DIR1 && ln -s DIR1 DIR2
    cp results/reference/pairs/profiles/core/xz.profile.json .
    # What would install, or needs a cluster, another host or a database. Only jostle's own Makefile is not followed.
    program bin/make '[[ $PWD != "$HOME" ]] || exec "'"$(type -P make)"'" -n -C "'"$ROOT"'" "$@" >/dev/null; exec "'"$(type -P make)"'" "$@"'
    program bin/sbatch 'JOSTLE_LOCAL_JOB=1 SLURM_SUBMIT_DIR=$PWD exec bash "$@"'
    program bin/ssh 'while [[ $1 != -- ]]; do shift; done; exec "${@:3}"'
    program bin/pgbench 'for ((i = 0; i < 200; i++)); do echo "0 $i 2500 0"; done >"pgbench_log.$$"'
}

# new_home: an empty home, and we are there. Only what is measured once and kept outlives the one before: where
# the caches end, what a percentage is of.
new_home() {
    rm -rf "${HOME:?}" && mkdir "$HOME" && cd "$HOME" && ln -s "$KEPT" .cache || return
}

# block FIRST: what a block needs that begins with the command FIRST, and does not make itself.
block() {
    [[ $1 != 'jostle report --open' ]] || jostle run --quiet -r 2 -- true 2>/dev/null
    [[ $1 == *jostle\ submit* || $1 == *'--session'* ]] || return 0
    jostle init -- ./solver input.dat >/dev/null
    sed -i 's/name = solver/&\n    repeat = 2/' solver.conf
    jostle campaign solver.conf --quiet --only 'solver@cpu.25' --set max-runs=1 --set min-runs=1
    jostle campaign small-samples --quiet --output made --only 'nbody*@workstation' --set max-runs=1 --set min-runs=1
}

# how COMMAND: sets HOW to how it is run: whole, or until it `measures`, `calibrates` or has `begun`; ALLOWED
# to the exit statuses that are no fault, and SHOWN to what it is run as.
how() {
    HOW=whole ALLOWED=' 0 ' SHOWN=$1
    case $1 in
        *--help* | *' help '* | make\ * | make) ;;
        # A scheduler is in other tests: jobs-local, slurm-campaign.
        *'jostle submit '*) SHOWN=${1/submit /submit --dry-run } ;;
        *'jostle doctor'*) ALLOWED=' 0 1 ' ;;
        *'jostle blame --watch'*) HOW=begun ;;
        *'jostle blame --at-most'*) ALLOWED=' 0 3 4 ' ;;
        # No process of that number, no such group or job.
        *'jostle blame --pid'* | *'jostle blame --cgroup'* | *'jostle blame --job'*) ALLOWED=' 0 2 ' ;;
        *'jostle calib'*) HOW=calibrates ;;
        *'jostle watch '* | *bin/loadgen\ *) HOW=begun ;;
        *'jostle run '* | *'jostle slowdown '* | *'jostle capacity '* | *'jostle campaign '*) HOW=measures ;;
        *'jostle bench '* | *'jostle profile '* | *'jostle pack '* | sbatch\ *) HOW=measures ;;
    esac
    # A gate, which may be decided before it is interrupted.
    [[ $1 != *--at-most* || $HOW != measures ]] || ALLOWED=' 0 3 4 '
}

# sign HOW: the sign that a command has come so far.
sign() {
    case $1 in
        measures) [[ -n $(find -L . "$TMPDIR" -name '*.jsonl' -newer start -size +0 -exec awk 'FNR == 2' {} +) ]] ;;
        calibrates) [[ -n $(find .cache/ -name '*.json' -path '*calibration*' -newer start 2>/dev/null) ]] ;;
        begun) sleep 0.4 ;;
    esac
}

# until_it HOW COMMAND: runs it in the background until then, and interrupts it as a terminal does. Its status.
until_it() {
    local pid code=0 ended=0
    touch start
    SECONDS=0
    setsid "$BIN/start" --default-signals -- bash -c "$2" </dev/null 3>&- &
    pid=$!
    eventually 120 eval "sign $1 || gone $pid" || code=98
    kill -INT -- "-$pid" 2>/dev/null || true
    ((code == 0)) || kill -KILL -- "-$pid"
    wait "$pid" || ended=$?
    # 130 is what we asked for.
    ((code != 0 || ended == 130)) || code=$ended
    return "$code"
}

# possible COMMAND: 1 where this machine has not what it needs: a program, a port, a CPU, room on the disk.
possible() {
    local word
    for word in stress-ng redis-server wrk python3; do
        [[ $1 != *"$word"* && ! ($word == python3 && $1 == *./server*) ]] || type -P "$word" >/dev/null || return 1
    done
    [[ $1 != *perf:IPC* ]] || "$BIN/meter" --metric perf:IPC -- true | grep -q '"metric_failure":null' || return 1
    [[ $1 != *avx2* ]] || grep -qw avx2 /proc/cpuinfo || return 1
    [[ $1 != *8G* ]] || (($(df --output=avail -k "$TMPDIR" | tail -n 1) > 12 << 20)) || return 1
    for word in 8080 16379; do
        [[ $1 != *"$word"* ]] || ! { : <>"/dev/tcp/127.0.0.1/$word"; } 2>/dev/null || return 1
    done
}

# is_command TEXT: no file, no job of a CI system, no folder's listing.
is_command() {
    [[ $1 != \[* && $1 != 'name: performance'* && $1 != perf:* && $1 != campaign.conf\ * ]]
}

# page FILE: runs the commands of a page, each block in a home of its own.
page() {
    local text line first='' tested='' seen code HOW ALLOWED SHOWN
    local -a commands
    mapfile -d '' -t commands < <(awk -f "$BATS_TEST_DIRNAME/pages.awk" "$ROOT/$1")
    ((${#commands[@]} >= 4))
    for text in "${commands[@]}"; do
        line=${text%%$'\t'*} text=${text#*$'\t'}
        if [[ ${text%%$'\t'*} != "$first" ]]; then
            first=${text%%$'\t'*}
            new_home
            tested=''
            ! is_command "${text#*$'\t'}" || tested=1
            [[ -z $tested ]] || {
                (home)
                PATH=$HOME/bin:$PATH block "${text#*$'\t'}"
            }
        fi
        text=${text#*$'\t'}
        [[ -n $tested ]] || continue
        how "$text"
        # Long, and the same wherever it is.
        if [[ $text == *'jostle blame'* || $text == *'jostle calib'* || $text == *'jostle doctor'* ]]; then
            seen=${text%%  *}
            mkdir "$BATS_FILE_TMPDIR/${seen//\//_}" 2>/dev/null || continue
        fi
        possible "$text" || {
            printf '# %s:%s: not possible here: %s\n' "$1" "$line" "$text" >&3
            continue
        }
        code=0
        if [[ $HOW == whole ]]; then
            PATH=$HOME/bin:$PATH timeout 120 bash -c "$SHOWN" >said 2>&1 </dev/null || code=$?
        else
            PATH=$HOME/bin:$PATH until_it "$HOW" "$SHOWN" >said 2>&1 || code=$?
        fi
        # What a dry run does not make.
        [[ $text != *'submit small-samples --output ~/small'* ]] || mv made small
        # Nor one that is interrupted.
        [[ $text != *'jostle profile -- ./solver'* ]] || cp xz.profile.json solver.profile.json
        [[ $ALLOWED == *" $code "* ]] || {
            printf '%s:%s: exit status %s: %s\n' "$1" "$line" "$code" "$text"
            tail -n 20 said
            return 1
        }
    done
}

@test "each command of README.md works in an empty home" {
    page README.md
}

@test "each command of docs/tutorial.md works in an empty home" {
    page docs/tutorial.md
}

@test "each command of docs/cookbook.md works in an empty home" {
    page docs/cookbook.md
}

@test "each command of docs/campaigns.md works in an empty home" {
    page docs/campaigns.md
}

@test "each command of docs/ci.md works in an empty home" {
    page docs/ci.md
}

@test "each command of docs/services.md works in an empty home" {
    page docs/services.md
}
