# Long use: what would grow, drift or slow down within hours. Functions with the length as an
# argument: short in bats-tests/long-use.bats, long in bats-tests/soak/long-use.bats. Needs
# helpers and loadgen.

# A sanitizer keeps what was freed, to find who uses it: that is no growth of ours.
asan_option quarantine_size_mb=0:thread_local_quarantine_size_kb=0

# long_loads FOLDER: command lines, one of each kind of load, small.
long_loads() {
    printf '%s\n' 'cpu --percent 5' 'mem --footprint 4M --threads 1 --limit 10M' 'mem --kernel chase --footprint 4M --threads 1 --limit 100000' \
        'cache --size 10 --limit 10M' 'alloc --live 4M --threads 1 --limit 1000' 'fork --threads 1 --limit 50' \
        "io --dir $1 --file-size 4M --limit 4M" "io --dir $1 --file-size 4M --random --depth 8 --limit 200" "pagecache --dir $1 --file-size 4M --limit 4M" \
        'net --limit 4M' 'net --udp --limit 1M' 'net --ping --limit 200' 'net --ping --udp --limit 200' \
        'lock --contended --limit 20000' 'switch --threads 1 --limit 500' 'syscall --threads 1 --limit 10000' 'tlb --limit 500000' 'icache --limit 500000' \
        'ports --limit 1000000' 'ops --threads 1 --limit 1000000' "cpu --profile $1/profile" 'exec --settle 0 -- sleep 100000' 'exec --settle 0 --loop -- sleep 0.005'
    printf 'cores: 2\nlength: 3\ntime: 70 ms\nload: 0.02 0.1\ntime: 100 ms\nload: 0.1 0\ntime: 170 ms\nload: 0 0.07\n' >"$1/profile"
}

# long_start FOLDER [PATTERN]: starts them, or those that match, and waits until all are ready;
# fills pid, in, out, words and ready.
long_start() {
    local line
    pid=() in=() out=() words=()
    while IFS= read -r line; do
        [[ $line =~ ${2:-.} ]] || continue
        # shellcheck disable=SC2086 # words
        load_start $line
        pid+=("$LOAD_PID") in+=("$LOAD_IN") out+=("$LOAD_OUT") words+=("$line")
    done < <(long_loads "$1")
    long_say '' ready
    ready=("${replies[@]}")
}

# long_say LINES EVENT: sends LINES to each, and reads until each has sent EVENT: replies.
long_say() {
    local i
    replies=()
    for i in "${!pid[@]}"; do printf '%b' "$1" >&"${in[i]}"; done
    for i in "${!pid[@]}"; do
        LOAD_OUT=${out[i]} load_expect "$2" || {
            printf '%s\n' "${words[i]}"
            return 1
        }
        replies+=("$LOAD_REPLY")
    done
}

# long_size PID: size: what it holds: descriptors, threads, children, KiB of memory. Threads that the kernel
# makes for io_uring, and takes away, are none of ours.
long_size() {
    size="$(find "/proc/$1/fd" -mindepth 1 | wc -l) $(grep -Lx 'iou-.*' "/proc/$1/task/"*/comm | wc -l) $(
        cat "/proc/$1/task/"*/children 2>/dev/null | wc -w
    ) $(awk '/^VmRSS/ { print $2 }' "/proc/$1/status")"
}

# long_sizes: sizes: those of all, each read until it is the same twice but for the memory: a load may just have
# a file open, in which it looks how much memory is left.
long_sizes() {
    local i size before
    sizes=()
    for i in "${pid[@]}"; do
        long_size "$i"
        until
            before=$size
            long_size "$i"
            [[ ${size% *} == "${before% *}" ]]
        do :; done
        sizes+=("$size")
    done
}

# long_unchanged: 0 when all hold what they held before, and not much more memory.
long_unchanged() {
    local i
    local -a now was
    long_sizes
    for i in "${!pid[@]}"; do
        read -ra was <<<"${before[i]}"
        read -ra now <<<"${sizes[i]}"
        ((now[0] == was[0] && now[1] == was[1] && now[2] == was[2] && now[3] <= was[3] + was[3] / 10 + 1024)) || {
            printf '%s: %s descriptors, threads, children, KiB, and then %s\n' "${words[i]}" "${before[i]}" "${sizes[i]}"
            return 1
        }
    done
}

# long_end: ends them by the end of their stdin; each has to end well.
long_end() {
    local i
    for i in "${in[@]}"; do exec {i}>&-; done
    for i in "${!pid[@]}"; do
        LOAD_OUT=${out[i]} load_expect summary
        wait "${pid[i]}"
    done
}

# long_keeps_sizes CYCLES: each load, resumed and paused CYCLES times, holds what it held after
# the first quarter.
long_keeps_sizes() {
    local c
    local -a pid in out words ready replies sizes before
    long_start "$BATS_TEST_TMPDIR"
    for ((c = 0; c < $1; c++)); do
        if ((c == ($1 + 3) / 4)); then
            long_sizes
            before=("${sizes[@]}")
        fi
        long_say "resume\nmark $c\n" mark
        long_say 'pause\n' paused
    done
    eventually 10 long_unchanged
    long_end
}

# long_answers_marks COUNT: as many marks, sent as fast as they are answered. In three tries, each of a new load:
# others use the machine, too, perhaps only while the last third is answered.
long_answers_marks() {
    in_tries 3 long_tries_marks "$1"
    [[ $(jq -r .mark "$BATS_TEST_TMPDIR/marks") == "$(seq 0 $(($1 - 1)))" ]]
    ((REPLY <= 512))
}

# long_tries_marks COUNT: answers them; 0 when the last took as long as the first. REPLY is by how many KiB the load grew.
long_tries_marks() {
    local before after
    load_start syscall --threads 2 --limit 10000
    load_resume
    load_mark first
    before=$(awk '/^VmRSS/ { print $2 }' "/proc/$LOAD_PID/status")
    (for ((i = 0; i < $1; i++)); do printf 'mark %d\n' "$i"; done >&"$LOAD_IN") 3>&- &
    head -n "$1" <&"$LOAD_OUT" >"$BATS_TEST_TMPDIR/marks"
    after=$(awk '/^VmRSS/ { print $2 }' "/proc/$LOAD_PID/status")
    load_end || return
    REPLY=$((after - before))
    # A window is as long as a mark takes. Medians, as one may be held up.
    jq -s '(length / 3 | floor) as $third | (map(.elapsed_s) | [.[:$third], .[-$third:]] | map(sort | .[length / 2 | floor]))
        | {first: .[0], last: .[1]}' "$BATS_TEST_TMPDIR/marks" | holds '.last < 3 * .first'
}

# long_keeps_rates SECONDS: what each load offered in that time is its rate by the clock, and
# what it did not do of that is counted as dropped.
long_keeps_rates() {
    local i start end
    local -a pid in out words ready replies
    long_start "$BATS_TEST_TMPDIR" '--limit|--percent|--profile'
    long_say 'resume\n' steady
    long_say 'mark begin\n' mark
    # The clock of the loads, which nobody sets, in 10 ms.
    read -r start _ </proc/uptime
    sleep "$1"
    long_say 'mark end\n' mark
    read -r end _ </proc/uptime
    for i in "${!pid[@]}"; do
        jq -c --argjson s "$((${end/./} - ${start/./}))e-2" --argjson ready "${ready[i]}" --arg words "${words[i]}" '
            (.offered * .elapsed_s) as $due | (.achieved * .elapsed_s) as $done
            | (if .operations > 0 then $due / (.operations + .dropped) else $ready.rate * 0.005 / $ready.threads end) as $chunk
            | {$words, $s, elapsed_s, rate: $ready.rate, $due, $done, $chunk, dropped, not_done: (.dropped_s // .dropped * $chunk), longest_s: ((.latency.response.max_ns // 0) / 1e9)}' <<<"${replies[i]}" |
            holds '(.elapsed_s - .s | fabs) < 0.5
                # a replay offers what the profile says for the time, which is its mean after whole rounds
                and (.due - .rate * .elapsed_s | fabs) <= (if .words | test("profile") then .rate * 0.2 else 2 * .chunk end)
                # what is owed for 100 ms and what is in progress may be missing yet
                and (.due - .done - .not_done | fabs) <= .rate * (0.2 + .longest_s) + 4 * .chunk + 0.001 * .due'
    done
    long_end
}

# long_campaign CELLS FILE: writes a campaign of so many cells.
long_campaign() {
    printf '[campaign]\n    name = many\n    min-runs = 2\n    max-runs = 2\n[target "t"]\n    command = true {n}\n    n = %s\n[load "none"]\n    spec = cpu --percent 0\n' \
        "$(seq -s ' ' 1 "$1")" >"$2"
}

# cpu_ms COMMAND...: sets REPLY to the CPU time that COMMAND and its children took.
cpu_ms() {
    REPLY=$(
        TIMEFORMAT='%U %S'
        { time "$@" >/dev/null 2>&1; } 2>&1 | awk '{ print int(($1 + $2) * 1000) }'
    )
}
