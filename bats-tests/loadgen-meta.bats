#!/usr/bin/env bats
# loadgen meta: files created, looked at, renamed and removed, at a rate.

load helpers
load loadgen
bats_require_minimum_version 1.5.0

setup() {
    export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache TMPDIR=$BATS_TEST_TMPDIR
    cd "$BATS_TEST_TMPDIR" || return
}

# nothing_left: no folder of the load is there.
nothing_left() {
    [[ -z $(find "$BATS_TEST_TMPDIR" -maxdepth 1 -name 'jostle-meta.*') ]]
}

@test "files are made at the rate of --limit, four operations each, and nothing is left of them" {
    kept_for_a_second() {
        run -0 --separate-stderr "$BIN/loadgen" meta --json --threads 1 --limit 400 --duration 1s && kept 4 10 <<<"${lines[-1]}"
    }
    in_tries 3 kept_for_a_second
    # shellcheck disable=SC2016 # jq's own
    holds '.unit == "ops/s" and .offered == 400 and (4 * .operations - .achieved * .elapsed_s | fabs) < 5' <<<"${lines[-1]}"
    nothing_left
}

@test "the kernel sees each operation that is claimed, and a flush for each file where that is asked for" {
    cd "$BATS_TEST_TMPDIR"
    local files
    command -v strace >/dev/null || skip 'strace is not installed'
    ! sanitized || skip 'strace and LeakSanitizer exclude each other'
    strace -f -qq -c -U calls,name -o calls "$BIN/loadgen" meta --json --threads 1 --fsync --limit 200 --duration 1s >out
    files=$(tail -n 1 out | jq .operations)
    [[ $files -gt 0 ]]
    # calls NAME...: how often any of them was made.
    calls() { awk -v names=" $* " 'index(names, " " $2 " ") { sum += $1 } END { print sum + 0 }' calls; }
    [[ $(calls renameat renameat2) -ge $files && $(calls renameat renameat2) -le $((files + 2)) ]]
    [[ $(calls unlinkat unlink) -ge $files ]]
    [[ $(calls fsync) -ge $((2 * files)) ]]
}

@test "workers have a folder each, or one folder for all with --shared" {
    local folders
    for folders in '2:' '1:--shared'; do
        # shellcheck disable=SC2086 # an option, or none
        load_start meta --threads 2 --limit 40 ${folders#*:}
        load_expect ready
        load_resume
        [[ $(find "$BATS_TEST_TMPDIR"/jostle-meta.* -mindepth 1 -type d | wc -l) -eq ${folders%%:*} ]]
        load_end
        nothing_left
    done
}

# bats test_tags=slow
@test "its folder is removed whatever ends the load, also SIGKILL of its process group, or of all that are named like it" {
    local how pid
    for how in TERM INT KILL group name; do
        setsid env --default-signal=INT "$BIN/loadgen" meta --threads 1 --json --dir "$BATS_TEST_TMPDIR" >out 3>&- &
        pid=$!
        eventually 30 grep -q steady out
        case $how in
            group) kill -s KILL -- "-$pid" ;;
            name) pkill -KILL -f "loadgen meta .* $BATS_TEST_TMPDIR" ;;
            *) kill -s "$how" "$pid" ;;
        esac
        wait "$pid" || true
        eventually 30 nothing_left
    done
}

@test "a folder that cannot be written to, and wrong values, are refused" {
    run -2 "$BIN/loadgen" meta --dir /nowhere
    [[ $output == 'jostle: --dir /nowhere: No such file or directory: name an existing folder' ]]
    run -1 "$BIN/loadgen" meta --dir /proc --duration 1
    [[ $output == 'jostle: no folder can be made in /proc: '*': choose another --dir' ]]
    run -2 "$BIN/loadgen" meta --limit 10MB/s --duration 1
    run -2 "$BIN/loadgen" meta --dirs 3
}
