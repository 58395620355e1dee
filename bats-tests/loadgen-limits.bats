#!/usr/bin/env bats
# shellcheck disable=SC2030,SC2031 # each test has a shell of its own
# What keeps loadgen from hurting the machine by mistake: memory, disk, time, priority.

load helpers
load loadgen

# refused PATTERN LOAD ARGUMENTS...: exit 2, one line that matches.
refused() {
    local pattern=$1
    run "$BIN/loadgen" "${@:2}"
    [[ $status -eq 2 && ${#lines[@]} -eq 1 && $output =~ ^jostle:.*$pattern ]] || {
        printf '%s\n' "status $status, not $pattern:" "$output"
        return 1
    }
}

# memory_group NAME BYTES: a cgroup with that limit; its folder in GROUP. Skips where none can be made.
memory_group() {
    if [[ -w /sys/fs/cgroup/memory/tasks ]]; then
        GROUP=/sys/fs/cgroup/memory/jostle-test-$1.$$
        mkdir "$GROUP" 2>/dev/null || skip 'no cgroup can be made here'
        printf '%s' "$2" >"$GROUP/memory.limit_in_bytes"
    elif grep -qw memory /sys/fs/cgroup/cgroup.subtree_control 2>/dev/null; then
        GROUP=/sys/fs/cgroup/jostle-test-$1.$$
        mkdir "$GROUP" 2>/dev/null || skip 'no cgroup can be made here'
        printf '%s' "$2" >"$GROUP/memory.max"
    else
        skip 'no memory cgroup can be made here'
    fi
}

setup() {
    LOADS=()
}

teardown() {
    local status=0
    [[ ${#LOADS[@]} -eq 0 ]] || kill -KILL "${LOADS[@]}" 2>/dev/null || true
    [[ -z ${GROUP-} ]] || eventually 30 rmdir "$GROUP" || status=1
    # When nobody in the group can write it any more.
    rm -f -- ${HOG:+"$HOG"}
    return "$status"
}

@test "memory that is not free is refused with the numbers, before any is taken, and forced" {
    local most
    most=$(awk '/^MemTotal/ { print $2 }' /proc/meminfo)K
    refused "footprint of .*: .* has .* left: give a smaller --footprint, or --force" mem --footprint "$most"
    refused "memory to be touched of .* left: give a smaller --touch" fork --threads 1024 --touch 1G
    refused "allocated at a time.* left: give less --live" alloc --live "$most" --size 1M
    run -2 "$BIN/loadgen" io --dir /dev/shm --allow-memory --file-size "$most" # a line warns of the memory
    [[ ${lines[1]} =~ 'a work file in memory of '.*' left: give a smaller --file-size' ]]
    "$BIN/loadgen" mem --footprint "$most" --force --dry-run
    ! sanitized || return 0 # what sanitizers need of addresses has no limit
    ulimit -v 1000000
    refused "footprint of 2.00 GiB: the limit of address space \(ulimit -v\) has .* left" mem --footprint 2G --threads 1
}

@test "the tightest of all groups above counts, in a hierarchy of version 2, and page cache there is free" {
    local root=$BATS_TEST_TMPDIR/root
    mkdir -p "$root"/proc/self "$root"/sys/fs/cgroup/job/step
    echo '0::/job/step' >"$root/proc/self/cgroup"
    echo '30 20 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw' >"$root/proc/self/mountinfo"
    # 300 MiB less 200 that are used, of which 80 are files; below it no limit but where it gets slow.
    printf '%d\n' $((300 << 20)) >"$root/sys/fs/cgroup/job/memory.max"
    printf '%d\n' $((200 << 20)) >"$root/sys/fs/cgroup/job/memory.current"
    printf 'anon 1\nactive_file %d\ninactive_file %d\n' $((50 << 20)) $((30 << 20)) >"$root/sys/fs/cgroup/job/memory.stat"
    echo max >"$root/sys/fs/cgroup/job/step/memory.max"
    printf '%d\n' $((400 << 20)) >"$root/sys/fs/cgroup/job/step/memory.high"
    echo 0 >"$root/sys/fs/cgroup/job/step/memory.current"
    export JOSTLE_KERNEL_ROOT=$root
    # 180 MiB are left of the tighter one; 4 % of 300 MiB stay.
    refused 'a footprint of 172 MiB: the cgroup has 168 MiB left' mem --threads 1 --kernel write --footprint 172M --dry-run
    "$BIN/loadgen" mem --threads 1 --kernel write --footprint 164M --dry-run
    printf '%d\n' $((100 << 20)) >"$root/sys/fs/cgroup/job/step/memory.high"
    refused 'the cgroup has 95.0 MiB left' mem --threads 1 --kernel write --footprint 164M --dry-run
}

@test "workers and blocks that do not fit are refused, before any is started" {
    made_up_group $((256 << 20))
    refused '2000 workers with all that they hold, .*: the cgroup has .* left: give fewer --threads' switch --threads 2000
    refused '4000 workers with all that they hold, .*: the cgroup has .* left: give fewer --threads' syscall --threads 4000
    refused 'blocks of 512 MiB: the cgroup has .* left: give a smaller --block-size or fewer --streams' net --ping --block-size 16M --streams 16
    "$BIN/loadgen" switch --threads 500 --dry-run
}

# bats test_tags=slow
@test "a calibration of the default footprint holds at another moment, with less memory left" {
    local bytes
    made_up_group $((4 << 30))
    made_up_l3 $((16 << 20))
    export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
    "$BIN/loadgen" mem --kernel copy --threads 1 --limit 50% --calib --if-missing 0.5
    bytes=$(jq .ready.footprint_bytes "$XDG_CACHE_HOME"/jostle/calibration/*)
    # Room for it, but by default a load takes no more than half of what is left.
    made_up_group $((bytes * 16 / 10))
    "$BIN/loadgen" mem --kernel copy --threads 1 --limit 50% --duration 50ms
}

# bats test_tags=slow
@test "a load whose memory gets short ends with the reason, and its neighbours stay" {
    local reply count taken
    ! sanitized || skip 'a build with sanitizers needs memory of its own'
    memory_group short 512M
    mkdir "$BATS_TEST_TMPDIR/bin"
    printf '#!/bin/sh\necho $$ >%q/cgroup.procs && exec %q "$@"\n' "$GROUP" "$BIN/loadgen" >"$BATS_TEST_TMPDIR/bin/loadgen"
    chmod +x "$BATS_TEST_TMPDIR/bin/loadgen"
    BIN=$BATS_TEST_TMPDIR/bin load_start mem --footprint 256M --threads 1 --kernel write --limit 1M
    LOADS+=("$LOAD_PID")
    load_resume
    # A file in memory is the group's, too: another program that grows, until less than half of what is
    # short is left, and then waits for the load to notice.
    HOG=/dev/shm/jostle-test.$$
    (
        printf '%s' "$BASHPID" >"$GROUP/cgroup.procs"
        head -c 230M /dev/zero >"$HOG"
        while kill -0 "$LOAD_PID"; do
            taken=$(cat "$GROUP/memory.usage_in_bytes" "$GROUP/memory.current" "$GROUP/memory.stat" |
                awk 'NR == 1 { bytes = $1 } $1 ~ /^(in)?active_file$/ { bytes -= $2 } END { printf "%.0f", bytes / 1048576 }')
            ((taken > 512 - 5)) || head -c 1M /dev/zero >>"$HOG"
            sleep 0.08
        done
    ) 2>/dev/null 3>&- {LOAD_IN}>&- & # held open, it would keep the load alive after a test that fails
    LOADS+=("$!")
    load_expect error
    reply=$LOAD_REPLY
    load_expect summary
    wait "$LOAD_PID" || [[ $? -eq 1 ]]
    holds '.message | test("^memory is short: the cgroup has .* left: .*--force")' <<<"$reply"
    count=$(cat "$GROUP/memory.oom_control" "$GROUP/memory.events" 2>/dev/null | awk '/^oom_kill / { print $2 }')
    [[ $count -eq 0 ]]
}

# bats test_tags=slow
@test "two loads that fit one by one, started together: neither is killed, and one says why it ends" {
    local i count
    ! sanitized || skip 'a build with sanitizers needs memory of its own'
    memory_group both 256M
    enter() {
        printf '%s' "$BASHPID" >"$GROUP/cgroup.procs" && exec "$@"
    }
    # Whichever is left stays until the other has ended.
    for i in 1 2; do
        enter "$BIN/loadgen" mem --threads 1 --footprint 160M --duration 60s >"$BATS_TEST_TMPDIR/$i" 2>&1 3>&- &
        LOADS+=("$!")
    done
    wait -n || true
    kill -TERM "${LOADS[@]}" 2>/dev/null || true
    wait
    grep -q 'memory is short: the cgroup has\|the cgroup has .* left: give a smaller' "$BATS_TEST_TMPDIR"/[12]
    count=$(cat "$GROUP/memory.oom_control" "$GROUP/memory.events" 2>/dev/null | awk '/^oom_kill / { print $2 }')
    [[ $count -eq 0 ]]
}

# bats test_tags=slow
@test "beside a full load with --sched idle a program has the CPU for itself, and half of it without" {
    local cpu plain share
    # beside OPTION...: sets share to what a busy program gets of the CPU time that both get, of 0.3 s from when
    # it runs: both are asked by itself, on that CPU.
    beside() {
        load_start cpu --threads 1 --cpus "$cpu" "$@"
        load_resume
        share=$(taskset -c "$cpu" bash -c 'used() { read -r REPLY _ <"$1/schedstat"; }
            worker=$(dirname "$(grep -lx "cpu/0" "/proc/$1/task/"*/comm)")
            used /proc/self && own=-$REPLY
            used "$worker" && its=-$REPLY
            while used /proc/self && mine=$((own + REPLY)) && used "$worker" && ((mine + its + REPLY < 300000000)); do :; done
            printf "%d/%d" "$mine" $((mine + its + REPLY))' _ "$LOAD_PID")
        load_end
    }
    cpu=$("$BIN/loadgen" cpu --threads 1 --dry-run --json | jq -r .cpus)
    beside
    plain=$share
    beside --sched idle
    # Both are in one session: nothing else that runs here has a part in it.
    jq -n "$share > 0.85 and $share > $plain + 0.15" | grep -q true || {
        printf 'share %s with it, %s without\n' "$share" "$plain"
        return 1
    }
}

@test "a nice value holds beside other sessions where the session is the load's own, and otherwise it says that it does not" {
    [[ $(cat /proc/sys/kernel/sched_autogroup_enabled 2>/dev/null) == 1 ]] || skip 'this kernel makes no groups of sessions'
    local option
    for option in '--nice 7' '--sched idle'; do
        # shellcheck disable=SC2086 # an option and its value
        run -0 "$BIN/loadgen" cpu --percent 1 --threads 1 --duration 50ms $option
        [[ $output == *"cpu: ${option% 7} counts within this session only"*'start it with setsid'* ]]
        # shellcheck disable=SC2086 # an option and its value
        run -1 setsid --wait "$BIN/loadgen" exec --duration 60s $option -- cat /proc/self/autogroup # it ends with its command
        [[ $output != *'counts within'* ]]
        [[ $output == *"nice $([[ $option == *idle ]] && echo 19 || echo 7)"* ]]
    done
    run -0 "$BIN/loadgen" cpu --percent 1 --threads 1 --duration 50ms --nice 0
    [[ $output != *'counts within'* ]]
}

@test "no option lets a load come before others" {
    refused "not known.*as-started, other, batch, idle" cpu --sched fifo
    refused "not known" cpu --sched rr
}

@test "the command of exec is the first that the kernel ends when memory runs out" {
    # It ends with its command.
    run "$BIN/loadgen" exec --duration 60s --settle 0 -- cat /proc/self/oom_score_adj
    [[ $output == *$'1000\n'*'while it should be running'* ]]
}

@test "a part of a file system is left to others" {
    local folder=$BATS_TEST_TMPDIR/small
    mkdir "$folder"
    unshare -m true 2>/dev/null || skip 'a file system cannot be mounted here'
    run unshare -m bash -c 'mount -t tmpfs -o size=64M none "$1" && shift && exec "$@"' _ "$folder" \
        "$BIN/loadgen" io --dir "$folder" --allow-memory --file-size 62M --duration 10ms
    [[ $status -eq 2 && $output == *"does not fit"*"the file system leaves 0.06"*"are for others"*"or --force"* ]]
    run unshare -m bash -c 'mount -t tmpfs -o size=64M none "$1" && shift && exec "$@"' _ "$folder" \
        "$BIN/loadgen" io --dir "$folder" --allow-memory --file-size 62M --duration 10ms --force
    [[ $status -eq 0 ]]
}

@test "a limit of the size of files is respected" {
    ulimit -f 1024
    refused "does not fit in .*: the limit of a file's size \(ulimit -f\) leaves 0.001 GiB" io --file-size 4M --dir "$BATS_TEST_TMPDIR"
}

@test "a load started by hand says first when it ends by itself" {
    local profile=$BATS_TEST_TMPDIR/profile line
    # first ARGUMENTS...: sets line to the first that it prints, and ends it.
    first() {
        exec {LOAD_OUT}< <(exec "$BIN/loadgen" cpu "$@" 3>&-)
        IFS= read -r -t 120 -u "$LOAD_OUT" line
        kill "$!" 2>/dev/null || true # a short one has ended
        exec {LOAD_OUT}<&-
    }
    first --percent 0
    [[ $line == 'cpu: ends by itself after 1h: give --duration TIME, or --duration forever, to change that' ]]
    first --percent 0 --json
    holds '.event == "ready" and .duration_s == 3600' <<<"$line"
    first --percent 0 --json --duration forever
    holds '.duration_s == null' <<<"$line"
    printf 'cores: 1\nlength: 2\ntime: 50 ms\nload: 0\ntime: 100 ms\nload: 0\n' >"$profile"
    first --profile "$profile" --json
    holds '.duration_s == 0.1' <<<"$line"
    load_start cpu --percent 0
    load_expect ready
    load_holds '.duration_s == null'
    load_end
}

@test "what a load takes of memory, and blocks of pages, are counted in the system's pages, 64 KiB on some" {
    local -a churn=(alloc --allocator glibc --purge --size 128KiB --live 100T)
    local usual large
    cc -shared -fPIC -D_GNU_SOURCE -o "$BATS_TEST_TMPDIR/large.so" "$BATS_TEST_DIRNAME/fixtures/large-pages.c"
    asan_option verify_asan_link_order=0
    refused ' [0-9.]+ TiB: this machine has' "${churn[@]}"
    [[ $output =~ ([0-9]+)[.0-9]*' TiB: ' ]] && usual=${BASH_REMATCH[1]}
    export LD_PRELOAD=$BATS_TEST_TMPDIR/large.so
    refused ' [0-9.]+ TiB: this machine has' "${churn[@]}"
    [[ $output =~ ([0-9]+)[.0-9]*' TiB: ' ]] && large=${BASH_REMATCH[1]}
    # Each of 128 KiB has a mapping of its own, and up to a page more.
    ((large * 100 > usual * 125))
    refused 'not a multiple of 65536' pagecache --block-size 4KiB
}

@test "too few descriptors for the streams of a network load are named as that, on either side" {
    local words
    for words in '100 --streams 60' '24 --streams 64' '60 --ping --streams 60' '250 --streams 400'; do
        run -1 bash -c "ulimit -n ${words%% *}; exec timeout 60 \"$BIN/loadgen\" net ${words#* } --duration 1s"
        [[ $output == *'Too many open files'*'ulimit -n'* && $output != *'is not loadgen net'* ]]
    done
}

@test "the limit of a cgroup on processes is named where a load meets it" {
    if [[ -w /sys/fs/cgroup/pids/cgroup.procs ]]; then
        GROUP=/sys/fs/cgroup/pids/jostle-test-pids.$$
    elif grep -qw pids /sys/fs/cgroup/cgroup.subtree_control 2>/dev/null; then
        GROUP=/sys/fs/cgroup/jostle-test-pids.$$
    else
        skip 'no pids cgroup can be made here'
    fi
    mkdir "$GROUP" 2>/dev/null || skip 'no cgroup can be made here'
    echo 12 >"$GROUP/pids.max"
    run -1 bash -c "echo \$\$ >$GROUP/cgroup.procs; exec timeout 60 \"$BIN/loadgen\" cpu --threads 100 --duration 1s"
    [[ $output == *'the cgroup allows 12 processes and threads (pids.max)'* ]]
}
