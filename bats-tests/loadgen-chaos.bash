# shellcheck shell=bash
# Loads that are ended at random: for loadgen-signals.bats, and for longer in soak/loads.bats.

# marked: the processes that have inherited this test's environment from a load, but for
# shells of the test itself.
marked() {
    local file
    grep -lz "^JOSTLE_LOAD_MARK=$BATS_TEST_TMPDIR$" /proc/[0-9]*/environ 2>/dev/null | while IFS=/ read -r _ _ file _; do
        gone "$file" || printf '%s\n' "$file"
    done
}

none_marked() {
    [[ -z $(marked) ]]
}

# marked_load ARGUMENTS...: loadgen with the mark.
marked_load() {
    exec env --default-signal=INT,HUP,QUIT,PIPE TMPDIR="$BATS_TEST_TMPDIR/files" \
        JOSTLE_LOAD_MARK="$BATS_TEST_TMPDIR" "$BIN/loadgen" "$@"
}

# A command that leaves a daemon in another session without a word of it in its environment
# but the mark, a child that ignores SIGTERM, and goes on itself.
# shellcheck disable=SC2016 # for the inner shell
DAEMONS='(setsid sh -c "echo \$\$ >>$0; exec sleep 1000" &)
    (setsid sh -c "trap \"\" TERM HUP; echo \$\$ >>$0; while :; do sleep 0.05; done" &)
    echo $$ >>$0; exec sleep 1000'

started() {
    [[ -e $1 && $(wc -l <"$1") -ge $2 ]]
}

# groups_left: control groups of loads whose process is gone.
groups_left() {
    local folder
    find /sys/fs/cgroup -maxdepth 3 -type d -name 'jostle-load.*' 2>/dev/null | while read -r folder; do
        ! gone "${folder##*.}" || printf '%s\n' "$folder"
    done
}

no_groups_left() {
    [[ -z $(groups_left) ]]
}

# is_named PID NAME: it has become that program, or is gone.
is_named() {
    local name
    { read -r name <"/proc/$1/comm"; } 2>/dev/null || return 0
    [[ $name == "$2" ]] || gone "$1"
}

wait_all() {
    local pid
    for pid in "$@"; do wait "$pid"; done
}

# chaos_rounds COUNT SEED: so many loads, 16 at a time, each ended by a random signal at a random
# time; what is left of them all is a failure.
chaos_rounds() {
    local round folder=$BATS_TEST_TMPDIR/files
    local -a signals=(INT TERM HUP QUIT KILL EOF) pids=()
    local -a loads=('cpu --percent 20' 'mem --footprint 4M --threads 2' 'alloc --threads 2' 'fork --limit 300'
        'lock --contended --threads 2' 'switch --limit 500' 'syscall --threads 1' 'cache --level l2'
        'icache' 'tlb --threads 1' 'io --file-size 4M --threads 1 --sync none'
        'pagecache --file-size 4M' 'net --loopback' "exec -- sh -c '$DAEMONS' $BATS_TEST_TMPDIR/pids"
        "exec --accounting processes -- sh -c '$DAEMONS' $BATS_TEST_TMPDIR/pids"
        "exec --loop -- sh -c '(setsid sleep 0.02 &); sleep 0.01'")
    mkdir -p "$folder"
    RANDOM=$2
    for ((round = 0; round < $1; round++)); do
        chaos "${loads[round % ${#loads[@]}]}" "${signals[RANDOM % 6]}" $((RANDOM % 250)) 3>&- &
        pids+=($!)
        ((round % 16 < 15)) || {
            wait_all "${pids[@]}"
            pids=()
        }
    done
    wait_all "${pids[@]}"
    eventually 30 none_marked
    eventually 30 no_groups_left
    [[ -z $(ls -A "$folder") ]]
}

# chaos LOAD SIGNAL MS: starts the load, resumed, and ends it by the signal (or the end of its
# stdin) after MS milliseconds: 0 only if it ended as it should, with a record that is whole.
chaos() {
    local load in out=$BATS_TEST_TMPDIR/out.$BASHPID code=0
    local -a words
    ulimit -c 0
    mkfifo "$out.in"
    eval "words=($1)"
    (marked_load "${words[0]}" --control "${words[@]:1}") <"$out.in" >"$out" 2>"$out.errors" &
    load=$!
    exec {in}>"$out.in"
    printf 'resume\n' >&"$in"
    # Before that it is a shell of ours, which ignores SIGINT and SIGQUIT.
    until is_named "$load" loadgen; do sleep 0.002; done
    sleep "0.$(printf '%03d' "$3")"
    if [[ $2 == EOF ]]; then exec {in}>&-; else kill -s "$2" "$load"; fi
    wait "$load" 2>/dev/null || code=$?
    # Before it is ready it may end by the signal itself.
    if grep -q '"ready"' "$out" && [[ $2 != KILL ]]; then
        [[ $code == 0 ]] && jq -es '.[-1].event == "summary"' "$out" >/dev/null
    else
        [[ ! -s $out ]] || jq -es 'length > 0' "$out" >/dev/null
        ((code == 0 || code > 128))
    fi || {
        printf '%s: %s after %s ms: %s\n' "$1" "$2" "$3" "$code" >&2
        return 1
    }
}
