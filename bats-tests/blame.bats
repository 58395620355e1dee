#!/usr/bin/env bats
# jostle blame: who slows a program down, by how much. Neighbours that are put there, on a machine that
# others may use, too: factors are compared with what the kernel has counted meanwhile.
# shellcheck disable=SC2030,SC2031 # each test has its own

load helpers
load odd-machines

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    cpu=$(taskset -cp $$ | sed 's/.*[ ,-]//')
    started=()
}

teardown() {
    local pid
    for pid in "${started[@]}"; do kill_tree "$pid"; done
}

# kill_tree PID: ends it and its descendants.
kill_tree() {
    local -a pids
    mapfile -t pids < <(below "$1")
    kill -KILL "$1" "${pids[@]}" 2>/dev/null || true
}

# launch WORD...: runs that on one CPU, the last; $! is its pid.
launch() {
    taskset -c "$cpu" "$@" >/dev/null 2>&1 3>&- &
    started+=("$!")
}

# start WORD...: launches it, and gives it the time to begin with its work.
start() {
    launch "$@"
    sleep 0.3
}

# spin: a program that computes; PID is its number.
spin() {
    launch sh -c 'while :; do :; done'
    PID=$!
    eventually 5 spins "$PID"
}

# spins PID: it is the program that computes, and has done so.
spins() {
    local used
    [[ $(<"/proc/$1/comm") == sh ]] && read -r used _ <"/proc/$1/schedstat" && ((used > 20000000))
}

# victim: compiles the program that can be made to wait in many ways.
victim() {
    type -P cc >/dev/null || skip 'cc is not installed'
    cc -std=gnu17 -D_GNU_SOURCE -O2 -pthread -o victim "$ROOT/bats-tests/evidence/tools/victim.c"
}

# group QUOTA_MS: makes a control group that may have so much in 100 ms; FOLDER is its folder.
group() {
    [[ $EUID -eq 0 ]] || skip 'only root may make control groups'
    if [[ -e /sys/fs/cgroup/cgroup.controllers ]]; then
        FOLDER=/sys/fs/cgroup/jostle-blame.$$
        { mkdir "$FOLDER" && printf '%d 100000' "${1}000" >"$FOLDER/cpu.max"; } || skip 'no control group with a quota can be made'
    else
        FOLDER=/sys/fs/cgroup/cpu/jostle-blame.$$
        { mkdir "$FOLDER" && printf '%d' "${1}000" >"$FOLDER/cpu.cfs_quota_us"; } || skip 'no control group with a quota can be made'
    fi
}

# is_record FILE: it is as its schema says, and its CPUs add up.
is_record() {
    is_valid blame "$1" 2>&1
    holds '.kernel as $k | (([.culprits[].cpus] | add // 0) + .victim.cpus + $k.own_cpus) as $sum
        | $sum <= $k.cpus + 0.05 + 0.02 / .duration_s and ($sum - $k.busy_cpus | fabs) < 0.1 + 0.04 / .duration_s' <"$1"
}

# bats test_tags=measures
@test "beside another on its CPU: the factor is that of the waiting that the kernel counted, and that one is to blame" {
    local victim before after
    spin
    victim=$PID
    spin
    read -r _ before _ <"/proc/$victim/schedstat"
    "$BIN/blame" --pid "$victim" --duration 2s --json record --quiet
    read -r _ after _ <"/proc/$victim/schedstat"
    is_record record
    holds --argjson pid "$PID" --argjson waited "$((after - before))" '
        any(.culprits[:3][]; .pid == $pid and .blame > 0.2 and .beside > 0.4) and .verdict.resource == "cpu"
        and .verdict.factor > 1.5 and (.verdict.factor / (.duration_s / (.duration_s - $waited / 1e9)) - 1 | fabs) < 0.1
        and (.verdict.without_s * .verdict.factor / .duration_s - 1 | fabs) < 0.001 and .verdict.range[0] == .verdict.range[1]' <record
    # The command line of the experiment can be pasted.
    holds '"pid:\(.culprits[0].pid)" as $load | .experiment | startswith("jostle slowdown --pause --load neighbour=\($load) -- ") and endswith("-c '"'while :; do :; done'"'")' <record
}

# bats test_tags=measures
@test "without anybody on its CPU a program is not said to wait for longer than it did" {
    local before after
    spin
    read -r _ before _ <"/proc/$PID/schedstat"
    "$BIN/blame" --pid "$PID" --duration 1s --json record --quiet
    read -r _ after _ <"/proc/$PID/schedstat"
    is_record record
    holds --argjson waited "$((after - before))" '.verdict.waited_others <= $waited / 1e9 / .duration_s + 0.02
        and ((.verdict.resource == "cpu") == (.verdict.factor >= 1.05))' <record
}

# bats test_tags=measures
@test "short processes are those of the script that starts them, not its parent's, and no row of their own" {
    local script
    printf 'while :; do ls / | wc -l; expr 1 + 1; done\n' >script
    start sh script
    script=$!
    spin
    "$BIN/blame" --pid "$PID" --duration 1s --json record --quiet
    is_record record
    holds --argjson pid "$script" 'any(.culprits[:4][]; .pid == $pid and .short_processes and .cpus > 0.1 and .blame > 0.2 and (.text | contains("short processes of sh script")))' <record
}

# bats test_tags=measures
@test "the culprit is found in another session, under su, and in a namespace of its own" {
    local wrapper
    [[ $EUID -eq 0 ]] || skip 'only root may start such'
    spin
    for wrapper in 'setsid' 'su -s /bin/sh root -c' 'unshare --pid --fork --mount-proc sh -c'; do
        # shellcheck disable=SC2086 # words
        if [[ $wrapper == setsid ]]; then
            start setsid sh -c 'while :; do :; done'
        else
            start $wrapper 'while :; do :; done'
        fi
        "$BIN/blame" --pid "$PID" --duration 1s --json record --quiet
        is_record record
        below "$!" >tree
        printf '%s\n' "$!" >>tree
        holds --slurpfile tree tree 'any(.culprits[:3][]; .blame > 0.15 and .beside > 0.3 and (.pid as $pid | $tree | index($pid) != null))' <record
        kill_tree "$!"
        eventually 5 gone "$!"
    done
}

# bats test_tags=measures
@test "threads that wait for each other have nobody else to blame" {
    start "$BIN/loadgen" cpu --threads 3
    "$BIN/blame" --pid "$!" --duration 1s --json record --quiet
    is_record record
    holds '.verdict.waited_own > 0.2 and (.verdict.waited_others >= .verdict.waited_own or (.verdict.resource == "own" and (.verdict.text | contains("behind threads of its own"))))' <record
}

# bats test_tags=measures
@test "a quota of its own is no neighbour's fault" {
    group 20
    spin
    printf '%s' "$PID" >"$FOLDER/cgroup.procs"
    "$BIN/blame" --pid "$PID" --duration 1s --json record --quiet
    "$BIN/blame" --cgroup "$FOLDER" --duration 1s --json group --quiet
    kill -KILL "$PID"
    eventually 5 rmdir "$FOLDER"
    holds '.verdict.quota > 0.3 and .verdict.factor > 1.4 and (.verdict.resource == "quota" or .verdict.waited_others > .verdict.quota)
        and (.verdict.resource == "cpu" or .experiment == null)' <record
    holds '.victim.kind == "cgroup" and .verdict.quota > 0.3 and .victim.cpus > 0.02' <group
}

@test "a program is watched from its beginning to its end, its output is its own, and a short one is not missed" {
    "$BIN/blame" --json record --quiet -- sh -c 'echo out; sleep 0.3; exit 7' >out
    [[ $(<out) == out ]]
    holds '.victim.kind == "program" and .duration_s > 0.3 and .duration_s < 5 and .notes == ["it ended with exit status 7"]' <record
    "$BIN/blame" --json - -- sh -c 'echo out' 2>out >record
    [[ $(<out) == out ]]
    is_record record
    "$BIN/blame" -- true >table
    grep -q '^true ' table
    # Processes of its own are no neighbours.
    "$BIN/blame" --json record --quiet -- sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do expr 1 + 1; done'
    holds 'all(.culprits[]; .name != "expr")' <record
}

# bats test_tags=slow
@test "who is no victim is refused in one line that says why" {
    local words zombie
    sh -c 'sleep 0.1 & exec sleep 30' 3>&- &
    started+=("$!")
    eventually 5 eval 'zombie=$(ps -o pid=,stat= --ppid "$!" | awk "\$2 ~ /Z/ { print \$1 }") && [[ -n $zombie ]]'
    while IFS='|' read -r words message; do
        # shellcheck disable=SC2086 # words
        run -2 --separate-stderr "$JOSTLE" blame $words
        # shellcheck disable=SC2154 # run sets it
        [[ ${#stderr_lines[@]} -eq 1 && $stderr == *"$message"* ]]
    done <<END
--pid 4194304|no such process
--pid 4194305|give 1 to 4194304
--pid $zombie|zombie
--pid 2|thread of the kernel
--pid 1 --cgroup /x|one of
--cgroup /no/such/group|no process is in it
--cgroup /sys/fs/cgroup/no-such|no such folder
--cgroup nonsense|not a control group
--job 4711|no control group on this node
--job x|not the number of a job
--watch --at-most 5%|leave one of them out
--watch --quiet|nobody would see it
-- /no/such/program|cannot be run
END
}

@test "a victim that ends meanwhile: what was seen until then, and no more time than that" {
    start sleep 1
    "$BIN/blame" --pid "$!" --duration 20s --json record --quiet
    is_record record
    holds '.victim.ended and .duration_s < 5 and (.notes | any(contains("it ended")))' <record
}

# bats test_tags=measures
@test "where the kernel does not count waiting, samples tell, and that is said" {
    [[ $EUID -eq 0 ]] || skip 'only root may hide a file'
    spin
    spin
    unshare --mount --propagation private sh -c 'mount --bind /dev/null "/proc/$$/schedstat" && exec "$@"' sh \
        "$BIN/blame" --pid "$PID" --duration 2s --json record --quiet
    is_record record
    holds '.verdict.sampled and .verdict.factor > 1.4 and .verdict.range[0] < .verdict.factor and .verdict.range[1] > .verdict.factor and (.notes | any(contains("schedstat")))' <record
}

# bats test_tags=measures
@test "a container, or a user whom /proc hides others from, is told what it cannot see" {
    local -a IN=()
    odd_machine hidden-processes
    spin
    run -2 "${IN[@]}" "$BIN/blame" --pid 4194303
    [[ $output == *'/proc hides it'* ]]
    "${IN[@]}" "$BIN/blame" --duration 1s --json - >record
    is_record record
    holds '.culprits[0] | (has("pid") | not) and .cpus > 0.3 and (.text | test("outside this container|/proc hides"))' <record
}

@test "a program that goes on after the look gets what would end blame, and is not waited for longer" {
    local pid
    "$BIN/blame" --duration 50ms --json record --quiet -- sleep 30 3>&- &
    pid=$!
    eventually 10 test -s record
    kill -TERM "$pid"
    eventually 5 gone "$pid"
    ends_with 0 "$pid"
}

@test "who sleeps, such as for a lock that another one has, is not said to be slowed down by nobody" {
    flock lock sleep 20 3>&- &
    started+=("$!")
    eventually 5 eval '! flock --nonblock lock true'
    "$BIN/blame" --duration 500ms --json record --quiet -- flock --timeout 1 lock true
    holds '.verdict.resource != "none" or (.verdict.text | test("^flock is not slowed down by others on CPUs and disks: .*, and slept [0-9]+ %: for a timer, a lock or the network"))' <record
}

@test "a file for the record that cannot be written is refused before the program begins" {
    run -1 "$BIN/blame" --json no/such/folder -- touch began
    [[ $output == 'jostle: no/such/folder cannot be written ('*')'* && ! -e began ]]
    mkdir folder
    run -1 "$BIN/blame" --json folder -- touch began
    [[ ! -e began ]]
}

@test "a kernel without pressure is not said to have had any" {
    mkdir -p made/proc
    printf 'cpu  0 0 0 0 0 0 0 0 0 0\ncpu0 0 0 0 0 0 0 0 0 0 0\n' >made/proc/stat
    JOSTLE_KERNEL_ROOT="$PWD/made" "$BIN/blame" --duration 100ms >table
    grep -q '^this node: no program was seen to wait long for a CPU: ' table
    grep -q '^note: this kernel shows no pressure' table
    run ! grep -qw nan table
}

# agrees FILE STATUS: the status of a gate is what its facts say.
agrees() {
    holds --argjson status "$2" '.at_most as $gate | ($gate.facts | map(.share - .error > $gate.limit) | any) as $above
        | ($gate.facts | map(.share + .error <= $gate.limit) | all) as $below
        | $status == (if $above then 3 elif $below then 0 else 4 end)' <"$1"
}

# bats test_tags=measures
@test "--at-most: 3 beside a program on every CPU, 0 where nobody is, and always what its facts say" {
    # (A second has one slice of half a second, whose error nobody knows.)
    local code=0
    "$BIN/blame" --at-most 5% --duration 2s --json record --quiet || code=$?
    is_record record
    agrees record "$code"
    # A kernel that counts nobody: but for the spin, which is real.
    mkdir -p made/proc
    printf 'cpu  0 0 0 0 0 0 0 0 0 0\ncpu0 0 0 0 0 0 0 0 0 0 0\n' >made/proc/stat
    in_tries 5 env JOSTLE_KERNEL_ROOT="$PWD/made" "$BIN/blame" --at-most 20% --duration 2s --quiet
    for _ in $(seq "$(nproc)"); do
        sh -c 'while :; do :; done' 3>&- &
        started+=("$!")
        eventually 5 spins "$!"
    done
    run -3 "$BIN/blame" --at-most 5% --duration 2s --json record
    [[ $output == *'--at-most 5 %: above: '* ]]
    agrees record 3
    holds '.verdict.text | startswith("this node: ")' <record
    run -3 "$BIN/blame" --at-most 5% --quiet -- taskset -c "$cpu" sh -c 'i=0; while [ "$i" -lt 300000 ]; do i=$((i + 1)); done'
}

# bats test_tags=slow
@test "--at-most: what is too short for an answer says so, and how long it has to be" {
    local time
    for time in 300ms 1s; do
        run -4 "$BIN/blame" --at-most 5% --duration "$time"
        [[ $output == *'--at-most: too short to tell: it takes two slices of half a second at least: give --duration 2s or more'* ]]
        run -4 --separate-stderr "$BIN/blame" --at-most 5% --duration "$time" --json record --quiet
        # shellcheck disable=SC2154 # bats sets it
        [[ -z $output && $stderr == 'jostle: --at-most: too short to tell: '*': give --duration 2s or more' ]]
        is_record record
        holds '.notes | any(startswith("--at-most: too short to tell: "))' <record
    done
    run "$BIN/blame" --at-most 5% --duration 2s
    [[ $output != *'too short'* ]]
    run "$BIN/blame" --at-most 5% -- sleep 0.7
    [[ $status -ne 4 || $output == *'--at-most: too short to tell: '*': give it more to do'* ]]
}

# bats test_tags=slow
@test "the examples for Slurm, CI and a health check act on a limit that is surely exceeded, and on nothing else" {
    local code row
    cat >stub <<'END'
#!/bin/bash
printf '%s\n' "$HOME" >home
while (($# > 0)); do
    [[ $1 != --json ]] || printf '{"verdict":{"text":"a neighbour"},"culprits":[]}' >"$2"
    shift
done
exit "$CODE"
END
    chmod +x stub
    export JOSTLE=$PWD/stub CODE JOSTLE_BLAME_RECORDS=$PWD/records JOSTLE_BLAME_TRIES=2 JOSTLE_BLAME_PAUSE_S=0
    # Exit status of the prolog, the health check and that for CI; what the health check prints.
    for CODE in 0 1 3 4; do
        row=''
        for code in blame-prolog blame-health blame-ci; do
            run "$ROOT/jobs/examples/$code"
            row+="$status "
            [[ $code != blame-health ]] || printf '%s\n' "$output" >health
        done
        printf '%s%s\n' "$row" "$(<health)"
    done >found
    diff found - <<'END'
0 0 0 OK: a neighbour
0 0 1 UNKNOWN: jostle blame failed with exit status 1
1 1 3 ERROR: a neighbour
0 0 0 OK: a neighbour
END
    # A daemon's environment has no HOME.
    CODE=0 env -u HOME "$ROOT/jobs/examples/blame-prolog"
    [[ $(<home) == /root ]]
}

# bats test_tags=measures
@test "the examples close under load, and say who it is" {
    local JOSTLE_BLAME_TIME=2s JOSTLE_BLAME_TRIES=1 JOSTLE_BLAME_RECORDS=$PWD/records
    export JOSTLE JOSTLE_BLAME_TIME JOSTLE_BLAME_TRIES JOSTLE_BLAME_RECORDS
    for _ in $(seq "$(nproc)"); do
        sh -c 'while :; do :; done' 3>&- &
        started+=("$!")
        eventually 5 spins "$!"
    done
    run -1 "$ROOT/jobs/examples/blame-prolog"
    run -1 "$ROOT/jobs/examples/blame-health"
    [[ $output == 'ERROR: this node: '*'; most: '* ]]
    run -3 "$ROOT/jobs/examples/blame-ci"
}

# bats test_tags=measures
@test "--watch: a line each interval, appended, at most 1 % of a CPU and 20 MiB, until a signal" {
    local pid
    "$BIN/blame" --watch --interval 2s --json node.jsonl >lines 3>&- &
    pid=$!
    eventually 20 eval '[[ -s node.jsonl && $(wc -l <node.jsonl) -ge 2 ]]'
    [[ $(awk '/^VmHWM/ { print $2 }' "/proc/$pid/status") -lt 20480 ]] || sanitized
    kill -INT "$pid"
    ends_with 0 "$pid"
    [[ $(wc -l <lines) -eq $(wc -l <node.jsonl) ]]
    while read -r line; do
        printf '%s\n' "$line" >record
        is_record record
    done <node.jsonl
    # 1 % of a usual CPU; a slow or shared one takes up to twice as long for the same.
    sanitized || jq -s . node.jsonl | holds '(map(.kernel.own_cpus * .duration_s) | add) / (map(.duration_s) | add) <= 0.025'
}

# bats test_tags=slow
@test "jostle report shows what a watch has written over the time, also when its last line was cut off" {
    mkdir node
    spin
    "$BIN/blame" --pid "$PID" --duration 0.3s --json one --quiet
    for i in 0 1 2 3; do
        jq -c --argjson i "$i" '.made = "2026-03-01T1\($i):00:00Z" | .verdict.factor = 1 + $i | .verdict.resource = (if $i == 0 then "none" else "cpu" end)
            | .culprits = [.culprits[0] // {} | .blame = 0.5 | .text = (if $i == 3 then "make" else "xz" end)]' one >>node/lines.jsonl
    done
    "$BIN/blame" --show node/lines.jsonl >history
    is_valid blame-history history 2>&1
    holds '.cut == false and (.hosts[0] | .records == 4 and .factor == 2.5 and .most == 4 and (.rows | length) == 4 and (.culprits | map([.text, .times, .blame])) == [["xz", 2, 0.5], ["make", 1, 0.5]])' <history
    head -c 700 node/lines.jsonl >part
    cat part >>node/lines.jsonl
    "$JOSTLE" report node >table
    [[ $(<table) == *'xz: named first in 2 of 4 (50 % of the waiting for a CPU then)'* && $(<table) == *'cut off'* ]]
    # What the next watch appends is read, but for the line that it begins behind the cut one.
    cat one one >>node/lines.jsonl
    "$BIN/blame" --show node/lines.jsonl | holds '.cut and .hosts[0].records == 5'
    for format in md csv html json; do "$JOSTLE" report node --format "$format" --output "page.$format" && grep -q xz "page.$format"; done
    # A point for each stretch of time that has the figure, as the record says.
    page_model page.html | holds --argjson rows "$("$BIN/blame" --page node | jq '.hosts[0].rows')" '[.sections[].blocks[].figures // empty | .[]] | length == 2
        and ([.[0].svg | match("class=\"[pm] k[01]\" d=\"([^\"]*)\""; "g").captures[0].string | split("M") | length - 1]
            == [($rows | map(.factor // empty) | length), ($rows | map(.most // empty) | length)])'
    printf '{}\n' >facts
    run -1 "$BIN/blame" --show facts
    # Who cannot be seen has a part, also where another one has more of it.
    jq -c '.verdict.resource = "cpu" | .culprits = [{ text: "xz", pid: 9, blame: 0.6 }, { text: "hidden", blame: 0.4 }]' one >two
    jq -c '.culprits = [.culprits[1] | .blame = 1]' two >last
    cat last >>two
    "$BIN/blame" --show two >history
    is_valid blame-history history
    holds '.hosts[0].culprits | map([.text, .times, .blame]) == [["xz", 1, 0.6], ["hidden", 1, 0.7]]' <history
    jq -c '.verdict.resource = "disk"' two >disk
    "$BIN/blame" --show disk | holds '.hosts[0].culprits | map([.text, .times, .blame]) == [["xz", 1, null], ["hidden", 1, null]]'
    # What its own quota held back is not the others' doing.
    jq -c '.verdict += {factor: 4, resource: "quota", waited_others: 0.2, quota: 0.75}' one >quota
    "$BIN/blame" --show quota | holds '.hosts[0] | .factor == 1.25 and .rows[0].throttled == 0.75'
}

# bats test_tags=measures
@test "in a container nobody inside is to blame for more than its CPU time, and the rest is the row of what cannot be seen" {
    [[ $EUID -eq 0 ]] || skip 'only root may make a namespace of processes'
    spin
    # Exact, from each switch of tasks, and from samples.
    for how in exec 'exec setpriv --bounding-set -all --inh-caps -all --reuid 65534 --clear-groups'; do
        # shellcheck disable=SC2016 # of the inner shells
        unshare --pid --fork --mount-proc sh -c 'taskset -c "$2" sh -c "while :; do for i in 1 2 3 4 5 6; do :; done; sleep 0.02; done" &
            taskset -c "$2" sh -c "while :; do :; done" & sleep 0.3; '"$how"' "$1" --pid "$!" --duration 2s --json -' sh "$BIN/blame" "$cpu" >record
        is_record record
        holds '.verdict.resource == "cpu" and (.duration_s as $s | .verdict.waited_others as $waited | all(.culprits[] | select(has("pid")); .blame * $waited <= 1.3 * .cpus + 0.05))
            and (.culprits[0] | (has("pid") | not) and .blame > 0.4 and (.text | contains("outside this container"))) and .experiment == null' <record
        # It is named in the history, too.
        "$BIN/blame" --show record | holds '.hosts[0].culprits[0].text | contains("outside this container")'
    done
}

# bats test_tags=measures
@test "a quota of several threads: no more times slower than all of them at once would be faster" {
    local threads
    victim
    for threads in 2 4; do
        group 50
        ./victim steps cpu "$threads" 3>&- &
        started+=("$!")
        printf '%s' "$!" >"$FOLDER/cgroup.procs"
        sleep 0.3
        "$BIN/blame" --pid "$!" --duration 2s --json record --quiet
        kill -KILL "$!"
        eventually 5 rmdir "$FOLDER"
        is_record record
        # (Beside many others the CPUs that it has are the limit.)
        holds --argjson threads "$threads" '([$threads, .kernel.cpus] | min) as $width | .verdict
            | .factor <= 1.15 * $width / .ran and .range[1] <= 1.15 * $width / .ran and .resource != "own"
            and (.resource == "cpu" or (.resource == "quota" and .range[1] >= 0.75 * $width / .ran))' <record
    done
}

# bats test_tags=measures
@test "who waits for a child of vfork waits for no disk, also where others use one" {
    victim
    ./victim steps vfork 3>&- &
    started+=("$!")
    sleep 0.3
    "$BIN/blame" --pid "$!" --duration 1s --json record --quiet
    is_record record
    holds '(.verdict.at_disk <= .kernel.io_some * .kernel.cpus + 0.02) and (.verdict.blocked + .verdict.at_disk > 0.9)
        and (.verdict.resource == "disk" or (.verdict.text | contains("in the kernel for something other than a disk")))' <record
}

# bats test_tags=measures
@test "the parts of a thread's time are all of it, and nothing makes it slower than its CPU time says" {
    victim
    head -c 16M /dev/zero >work && sync work
    launch sh -c 'while :; do dd if=/dev/zero of=written bs=1M count=16 oflag=direct status=none; done'
    for how in 'disk work' cpu; do
        # shellcheck disable=SC2086 # words
        start ./victim steps $how
        "$BIN/blame" --pid "$!" --duration 1s --json record --quiet
        is_record record
        holds '.verdict | ([.ran, .waited_others, .waited_own, .at_disk, .quota, .stopped, .blocked, .asleep] | add - 1 | fabs) < 0.05
            and .range[1] <= 1.1 / (.ran + 1e-4) and .range[0] <= .factor and .factor <= .range[1]' <record
    done
}

# bats test_tags=measures
@test "of several threads the factor has a range: up to what their CPU time takes where all run at once" {
    local two how
    [[ $(nproc) -ge 2 ]] || skip 'one CPU'
    victim
    two=$(taskset -cp $$ | sed 's/.*: //' | tr ',' '\n' | awk -F - '{ for (i = $1; i <= $NF; i++) print i }' | tail -n 2 | paste -s -d ,)
    for cpu in ${two//,/ }; do spin; done
    for how in barrier lock; do
        taskset -c "$two" ./victim steps "$how" 2 3>&- &
        started+=("$!")
        sleep 0.3
        "$BIN/blame" --pid "$!" --duration 2s --json record --quiet
        is_record record
        # Up to that, less what it slept.
        holds '.verdict | .resource == "cpu" and .range[0] <= .factor and .factor <= .range[1]
            and (.range[1] / (1 / (.ran / 2 + .asleep + .at_disk + .blocked + .waited_own)) - 1 | fabs) < 0.3' <record
        kill_tree "$!"
    done
}

@test "a thread is no process, and a stopped program is said to be stopped" {
    local thread
    "$BIN/loadgen" cpu --threads 2 3>&- &
    started+=("$!")
    # shellcheck disable=SC2012 # numbers
    eventually 5 eval 'thread=$(ls "/proc/$!/task" | tail -n 1) && [[ $thread != "$!" ]]'
    run -2 "$BIN/blame" --pid "$thread"
    [[ $output == "jostle: --pid $thread: that is a thread of process $!: give --pid $!" ]]
    kill -STOP "$!"
    "$BIN/blame" --pid "$!" --duration 500ms --json record --quiet
    is_record record
    holds '.verdict.stopped > 0.8 and (.verdict.text | contains(" was stopped for ")) and .experiment == null' <record
}

# bats test_tags=measures
@test "who waits for nobody is told that nobody counts caches and memory, and whom to pause" {
    chrt -f 10 true 2>/dev/null || skip "no real-time priority may be taken here"
    start chrt -f 10 "$BIN/loadgen" cpu --threads 1 --percent 85
    local victim=$!
    sh -c 'while :; do :; done' 3>&- &
    started+=("$!")
    eventually 5 spins "$!"
    "$BIN/blame" --pid "$victim" --duration 1s --json record >table
    is_record record
    holds '.verdict.resource == "none" and (.verdict.text | contains(" waits for nobody") and (contains("not slowed down") | not) and contains("whether others slow its caches or memory nobody counts"))
        and (.culprits | map(select(.cpus > 0.05) | "neighbour=pid:\(.pid) ")) as $busy | .experiment as $line | any($busy[]; . as $words | $line | contains($words))' <record
    grep -q 'try$' table
}

# bats test_tags=measures
@test "beside thousands of switches a second the culprits are still known exactly" {
    [[ $EUID -eq 0 ]] || skip 'only root is told of each switch'
    spin
    start "$BIN/loadgen" switch --threads 1 --limit 20000
    "$BIN/blame" --pid "$PID" --duration 1s --json record --quiet
    is_record record
    holds '.exact or .verdict.waited_others < 0.05' <record
}
