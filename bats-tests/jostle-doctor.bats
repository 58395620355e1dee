#!/usr/bin/env bats
# jostle doctor, the kernel's counters of an experiment, and --strict.

load helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    # shellcheck disable=SC2030,SC2031 # each test has its own machine
    unset JOSTLE_KERNEL_ROOT
}

# put FILE TEXT: a file of the made-up machine.
put() {
    mkdir -p "machine/${1%/*}"
    printf '%s\n' "$2" >"machine/$1"
}

# machine: makes a quiet two-core machine in ./machine, on which nothing warns
# that does not come from the current folder, and uses it.
machine() {
    local i cpu=sys/devices/system/cpu
    put proc/stat $'cpu  1000 0 500 90000 10 0 0 0 0 0\ncpu0 500 0 250 45000 5 0 0 0 0 0\ncpu1 500 0 250 45000 5 0 0 0 0 0\nprocs_running 1'
    put proc/meminfo $'MemTotal: 8000000 kB\nSwapTotal: 1000000 kB\nSwapFree: 1000000 kB'
    put proc/vmstat $'pgpgin 5\npswpin 70\npswpout 80'
    put proc/loadavg '0.01 0.02 0.03 1/100 4242'
    for i in cpu memory io; do put "proc/pressure/$i" $'some avg10=0.00 avg60=0.00 avg300=0.00 total=1000\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=500'; done
    put proc/cpuinfo $'model name : Made up\nflags : fpu sse2'
    put proc/self/cgroup '0::/jobs/one'
    put proc/self/mountinfo '30 23 0:28 / /sys/fs/cgroup rw,relatime - cgroup2 cgroup2 rw'
    put proc/sys/kernel/randomize_va_space 2
    put proc/sys/kernel/numa_balancing 0
    put proc/sys/kernel/sched_autogroup_enabled 1
    put proc/timer_list '  .resolution: 1 nsecs'
    for i in 0 1; do
        put "$cpu/cpu$i/cpufreq/scaling_governor" performance
        put "$cpu/cpu$i/thermal_throttle/core_throttle_count" 3
        put "$cpu/cpu$i/topology/thread_siblings_list" "$i"
        # A little more clock makes no kind of its own.
        put "$cpu/cpu$i/cpufreq/cpuinfo_max_freq" $((2000000 + 100000 * i))
        put "$cpu/cpu$i/cache/index0/level" 1
        put "$cpu/cpu$i/cache/index0/type" Data
        put "$cpu/cpu$i/cache/index0/size" 32K
        put "sys/devices/system/node/node$i/cpulist" "$i"
    done
    put $cpu/intel_pstate/no_turbo 1
    put $cpu/smt/active 0
    put $cpu/online 0-1
    put sys/kernel/mm/transparent_hugepage/enabled 'always [madvise] never'
    put sys/devices/system/clocksource/clocksource0/current_clocksource tsc
    put sys/bus/event_source/devices/cpu/type 4
    put sys/fs/cgroup/jobs/one/cpu.max 'max 100000'
    put sys/fs/cgroup/jobs/cpu.max 'max 100000'
    # shellcheck disable=SC2031
    export JOSTLE_KERNEL_ROOT=$PWD/machine
}

# finds CHECK STATUS [TEXT]: the doctor's JSON in ./doctor.json has that finding.
finds() {
    holds '[.findings[] | select(.check == $check)] | length == 1 and .[0].status == $status and (.[0] | tostring | contains($text))' \
        --arg check "$1" --arg status "$2" --arg text "${3:-}" <doctor.json
}

# bats test_tags=slow
@test "a quiet machine has nothing to warn of" {
    machine
    "$JOSTLE" doctor --quick --json >doctor.json
    # The folder, its free space, the schedulers and the caches are those of this machine.
    holds '[.findings[] | select(.check | test("^(folder|disk-space|scheduler|caches)$") | not) | select(.status != "ok")] == []' <doctor.json
}

# bats test_tags=slow
@test "each thing that makes results wrong is named, with what to do" {
    local cpu=sys/devices/system/cpu
    machine
    put $cpu/cpu1/cpufreq/scaling_governor powersave
    put $cpu/intel_pstate/no_turbo 0
    put proc/meminfo $'MemTotal: 8000000 kB\nSwapTotal: 1000000 kB\nSwapFree: 897600 kB'
    put sys/kernel/mm/transparent_hugepage/enabled '[always] madvise never'
    put proc/sys/kernel/randomize_va_space 0
    put proc/sys/kernel/numa_balancing 1
    put sys/devices/system/clocksource/clocksource0/current_clocksource hpet
    put proc/timer_list '  .resolution: 4000000 nsecs'
    put sys/fs/cgroup/jobs/cpu.max '150000 100000'
    put proc/cpuinfo $'flags : fpu hypervisor'
    put proc/stat "$(sed 's/procs_running 1/procs_running 9/' machine/proc/stat)"
    "$JOSTLE" doctor --quick --json >doctor.json
    finds governor warn powersave
    finds turbo warn no_turbo
    finds swap warn '100 MiB'
    finds thp warn madvise
    finds aslr warn 'level 0'
    finds numa-balancing warn '2 memory nodes'
    finds clock warn hpet
    finds timer warn '4000 µs'
    finds cgroup-quota warn '1.50 CPUs'
    finds virtual-machine warn
    finds run-queue warn
    holds 'all(.findings[] | select(.status == "warn"); .advice != null) and .warnings >= 11' <doctor.json
}

# bats test_tags=slow
@test "it is said whether sessions or control groups share the CPUs" {
    machine
    "$JOSTLE" doctor --quick --json >doctor.json
    finds cpu-sharing ok 'among sessions first (autogroup)'
    put proc/sys/kernel/sched_autogroup_enabled 0
    "$JOSTLE" doctor --quick --json >doctor.json
    finds cpu-sharing ok 'among all threads'
    # In that of the parent, where it has none of its own.
    put sys/fs/cgroup/jobs/cpu.weight 100
    "$JOSTLE" doctor --quick --json >doctor.json
    finds cpu-sharing ok 'cgroup/jobs"'
}

@test "what a machine does not show is unknown" {
    mkdir -p machine/proc
    # shellcheck disable=SC2030,SC2031
    export JOSTLE_KERNEL_ROOT=$PWD/machine
    "$JOSTLE" doctor --quick --json >doctor.json
    # What stays known is of the folder, of this process, of the build, and of other programs.
    holds '[.findings[] | select(.check | test("^(folder|disk-space|container|scheduler|cpus|system-calls|libraries|bash|jq|settings)$") | not) | .status] | unique == ["unknown"]' <doctor.json
    holds '.counters | .busy_s == null and .steal_s == null and .swap_used_bytes == null and .throttle_count == null and .pressure.cpu_some_s == null' <doctor.json
}

# bats test_tags=slow
@test "a jq that is too old is named, and one that is missing" {
    mkdir bin
    printf '#!/bin/sh\necho jq-1.4\n' >bin/jq
    chmod +x bin/jq
    PATH=$PWD/bin:$PATH "$JOSTLE" doctor --quick --json >doctor.json
    finds jq warn 'jq 1.4 is too old'
    finds bash ok "bash ${BASH_VERSION%%(*} "
    JOSTLE_BASH_VERSION='4.3.0(1)-release' PATH=$PWD/nothing "$BIN/doctor" --quick --json >doctor.json
    finds jq warn 'not installed'
    finds bash warn 'bash 4.3.0 is too old'
}

# bats test_tags=slow
@test "cores of unlike speed are told apart, by Arm's parts, by capacity, by clock, and as P and E cores" {
    [[ $(nproc) -ge 2 ]] || skip 'needs two CPUs'
    local cpu=sys/devices/system/cpu
    machine
    put $cpu/cpu1/cpufreq/cpuinfo_max_freq 2400000
    "$BIN/placement" --json --synthetic 'core:2 pu:1' | holds '.core_kinds == [{cpus: "1", name: null, capacity: null, max_hz: 2400000000},
        {cpus: "0", name: null, capacity: null, max_hz: 2000000000}] and (.warnings | length == 2)'
    run -0 --separate-stderr "$BIN/pack" --output packed --target-cpus 0-1 -- true
    [[ ${stderr:-} == "jostle: the copies' CPUs 0-1 are of several kinds of cores"* ]]
    put sys/devices/cpu_core/cpus 0
    put sys/devices/cpu_atom/cpus 1
    run -0 "$BIN/placement" --synthetic 'core:2 pu:1' --target-cpus 0-1 --load-cpus 1
    [[ $output == *$'\nkinds of cores   CPU 1: E-core, at most 2.40 GHz\n                 CPU 0: P-core, at most 2.00 GHz\nwarning          the target'"'"'s CPUs 0-1 are of 2 kinds of cores'* ]]
    [[ $output != *"the load's CPUs"* ]]
    rm -r machine/sys/devices/cpu_* machine/$cpu/cpu[01]/{cpufreq/cpuinfo_max_freq,cache}
    put $cpu/cpu0/cpu_capacity 446
    put $cpu/cpu1/cpu_capacity 1024
    put proc/cpuinfo $'processor : 0\nCPU implementer : 0x41\nCPU part : 0xd05\n\nprocessor : 1\nCPU implementer : 0x41\nCPU part : 0xd0b'
    "$JOSTLE" doctor --quick --json >doctor.json
    finds core-kinds warn 'CPU 1: Arm Cortex-A76, capacity 1024; CPU 0: Arm Cortex-A55, capacity 446'
    finds core-kinds warn 'taskset -c 1'
    finds caches unknown --footprint
    holds '.environment | .cpu == "Arm Cortex-A76 + Arm Cortex-A55" and (.core_kinds | map(.capacity) == [1024, 446])' <doctor.json
}

# bats test_tags=slow
@test "what happens during the look is seen: throttling, steal, stalls, swapping, busy siblings" {
    machine
    put sys/devices/system/cpu/smt/active 1
    put sys/devices/system/cpu/cpu0/topology/thread_siblings_list 0-1
    put sys/devices/system/cpu/cpu1/topology/thread_siblings_list 0-1
    # What it reads last of its first look is a FIFO: while it waits there, the machine changes. One that
    # never comes there is not waited for.
    local io=machine/proc/pressure/io first
    mv "$io" io
    mkfifo "$io"
    {
        code=0
        "$BIN/doctor" --quick --json >doctor.json || code=$?
        : <>"$io"
        exit "$code"
    } 3>&- &
    local doctor=$!
    exec {first}>"$io"
    # CPU 0 was busy for 7 s, and 1 s was stolen: much, however long the look takes.
    put proc/stat $'cpu  1700 0 500 90000 10 0 0 100 0 0\ncpu0 1200 0 250 45000 5 0 0 100 0 0\ncpu1 500 0 250 45000 5 0 0 0 0 0\nprocs_running 1'
    put proc/vmstat $'pswpin 75\npswpout 80'
    put proc/pressure/memory $'some avg10=0.00 avg60=0.00 avg300=0.00 total=301000\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=500'
    put sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count 5
    cp io io.new
    mv io.new "$io"
    cat io >&"$first"
    exec {first}>&-
    wait "$doctor"
    finds throttling warn 'throttled 2 times'
    finds cpu-use warn ' of 2 CPUs were busy'
    finds steal warn
    finds memory-pressure warn
    finds cpu-pressure ok
    finds swap warn '5 pages came back'
    finds smt warn 'CPU 0'
}

@test "a folder in memory is named" {
    [[ $(stat -f -c %T /dev/shm) == tmpfs ]] || skip "/dev/shm is not in memory"
    cd /dev/shm
    "$JOSTLE" doctor --quick --json >"$BATS_TEST_TMPDIR/doctor.json"
    cd "$BATS_TEST_TMPDIR"
    finds folder warn tmpfs
}

# spins PID: its child has used 50 ms of CPU time.
spins() {
    local child used
    read -r child _ <"/proc/$1/task/$1/children" || true # there is no newline
    [[ -n $child ]] && read -r used _ <"/proc/$child/schedstat" && [[ $used -gt 50000000 ]]
}

@test "a busy machine is seen, with who it is" {
    # shellcheck disable=SC2016
    timeout 120 bash -c 'while :; do :; done' 3>&- &
    local busy=$!
    eventually 30 spins "$busy"
    "$JOSTLE" doctor --quick --json >doctor.json
    kill "$busy"
    finds cpu-use warn '(most: '
}

@test "a line a finding for people, each with its status" {
    run -0 "$JOSTLE" doctor --quick
    [[ $(grep -cE '^(ok|warn|unknown) +[a-z-]+ +.' <<<"$output") -ge 20 ]]
    [[ $output =~ ([0-9]+)\ findings:\ [0-9]+\ warn,\ [0-9]+\ unknown ]]
    [[ ${BASH_REMATCH[1]} -eq $(grep -cE '^(ok|warn|unknown) ' <<<"$output") ]]
}

# bats test_tags=slow
@test "with --strict a warning is exit 3, and without it 0" {
    machine
    put sys/kernel/mm/transparent_hugepage/enabled '[always] madvise never'
    run -0 "$JOSTLE" doctor --quick
    run -3 "$JOSTLE" doctor --quick --strict
}

# bats test_tags=slow
@test "in a container the doctor says of which kind, and what it leaves; and which schedulers there are" {
    machine
    put proc/self/status $'Cpus_allowed_list:\t0-1\nSeccomp:\t0'
    put run/.containerenv ''
    put sys/fs/cgroup/jobs/memory.max 268435456
    put sys/fs/cgroup/jobs/memory.current 134217728
    # Schedulers are named as containers are; the one that started us alone.
    mkdir bin
    printf '#!/bin/sh\necho slurm-wlm 23.11.4\n' >bin/sbatch
    printf '#!/bin/sh\nexit 1\n' | tee bin/qconf >bin/qstat
    chmod +x bin/*
    PATH=$PWD/bin:$PATH "$JOSTLE" doctor --quick --json >doctor.json
    finds scheduler warn '"Slurm 23.11.4, Grid Engine (qstat -help gives no version)"'
    finds container ok 'Podman (/run/.containerenv)'
    finds memory-limit warn 'allows 256 MiB'
    finds system-calls ok
    PATH=$PWD/bin:$PATH SLURM_JOB_ID=9 SLURM_ARRAY_JOB_ID=7 SLURM_ARRAY_TASK_ID=2 APPTAINER_CONTAINER=/x.sif "$JOSTLE" doctor --quick --json >doctor.json
    finds scheduler ok '"this is job 7_2 of Slurm 23.11.4"'
    finds container ok 'Apptainer ($APPTAINER_CONTAINER)'
    rm machine/run/.containerenv
    mkdir -p machine/proc/1
    printf 'A=b\0container=systemd-nspawn\0' >machine/proc/1/environ
    "$JOSTLE" doctor --quick --json >doctor.json
    finds container ok systemd-nspawn
    put proc/self/cgroup '0::/kubepods/pod1'
    "$JOSTLE" doctor --quick --json >doctor.json
    finds container ok Kubernetes
}

# bats test_tags=slow
@test "a virtual machine that was made of a container's image is no container" {
    machine
    touch machine/.dockerenv
    mkdir -p machine/proc/self/ns
    ln -s 'uts:[4026531838]' machine/proc/self/ns/uts
    ln -s 'pid:[4026532000]' machine/proc/self/ns/pid
    "$JOSTLE" doctor --quick --json >doctor.json
    finds container ok Docker
    ln -sf 'pid:[4026531836]' machine/proc/self/ns/pid
    "$JOSTLE" doctor --quick --json >doctor.json
    finds container ok 'no sign'
}

# bats test_tags=slow
@test "of a scheduler that does not say its version the doctor warns, and says what to do" {
    machine
    mkdir bin
    printf '#!/bin/sh\nexit 1\n' >bin/sbatch
    chmod +x bin/sbatch
    PATH=$PWD/bin:$PATH "$JOSTLE" doctor --quick --json >doctor.json
    # There may be another scheduler here, too.
    finds scheduler warn '"Slurm (sbatch --version gives no version)'
    finds scheduler warn 'run sbatch --version to see what is wrong; jostle submit --scheduler local needs none'
    # A job of Slurm is one, whatever sbatch says on its node.
    PATH=$PWD/bin:$PATH SLURM_JOB_ID=9 "$JOSTLE" doctor --quick --json >doctor.json
    finds scheduler ok '"this is job 9 of Slurm (sbatch --version gives no version)"'
}

@test "without /sys/fs/cgroup a quota is unknown, not none" {
    machine
    put proc/self/mountinfo ''
    "$JOSTLE" doctor --quick --json >doctor.json
    finds cgroup-quota unknown 'would not be seen'
    finds memory-limit unknown 'would not be seen'
}

@test "wrong use is refused" {
    run -2 "$JOSTLE" doctor --quik
    [[ $output == *'did you mean --quick'* ]]
    run -2 "$JOSTLE" doctor here
    JOSTLE_BUILD=absent run -1 "$JOSTLE" doctor
    [[ $output == *'doctor is missing: run make' ]]
    mkdir bin
    cp "$BIN/doctor" bin
    run -1 bin/doctor
    [[ $output == *'meter is missing: run make, or use --quick' ]]
    run -0 "$JOSTLE" doctor --help
    [[ $output == *--strict* ]]
}

# bats test_tags=slow
@test "the noise floor is measured, and its files are removed" {
    "$JOSTLE" doctor --seconds 1 --json >../doctor.json
    [[ -z $(ls -A) ]]
    mv ../doctor.json .
    holds '.noise_floor | map(.kind) == ["cpu", "memory", "disk"] and all(.[]; .runs >= 5 and .mean_s > 0 and .cv > 0
        and (.cv - .stddev_s / .mean_s | fabs) < 1e-9 and .slowest >= 1)' <doctor.json
    holds '[.findings[].check | select(startswith("noise-"))] | sort == ["noise-cpu", "noise-disk", "noise-memory"]' <doctor.json
    is_valid doctor doctor.json
}

@test "where nothing can be written, the disk's noise is unknown" {
    [[ $(id -u) -ne 0 ]] || skip "root may write everywhere"
    mkdir closed && chmod a-w closed && cd closed
    "$JOSTLE" doctor --seconds 1 --json >../doctor.json
    cd ..
    finds noise-disk unknown
}

@test "an experiment records the counters before and after" {
    "$JOSTLE" run --quiet --output out --max-runs 3 -- sleep 0.02
    holds '.before.busy_s > 0 and .after.busy_s >= .before.busy_s and .after.time >= .before.time
        and (.before.load_average | length) == 3 and (.after.pressure | has("io_full_s"))' <out/experiment.json
    is_valid experiment out/experiment.json
}

@test "--strict refuses a dirty machine before anything runs, and says why" {
    machine
    put proc/meminfo $'MemTotal: 8000000 kB\nSwapTotal: 1000000 kB\nSwapFree: 897600 kB'
    run -1 "$JOSTLE" run --strict --output out -- touch ran
    [[ $output == 'jostle: --strict: '*'swap: 100 MiB are swapped out'*': see jostle doctor'* ]]
    [[ ! -e ran && ! -e out ]]
}

@test "--strict measures on a clean machine" {
    machine
    run -0 "$JOSTLE" run --strict --quiet --output out --max-runs 2 -- true
    holds '.settings.strict' <out/result.json
}

# bats test_tags=slow
@test "a run with foreign load on the machine has the flag in its record" {
    timeout 120 bash -c 'while :; do :; done' 3>&- &
    local busy=$!
    eventually 30 spins "$busy"
    "$JOSTLE" run --quiet --output out --min-runs 3 --max-runs 3 -- sleep 0.5
    kill "$busy"
    holds -s 'all(.[]; .flags | index("foreign-load"))' <out/runs.jsonl
}

# first_cpu: prints the first CPU that may be used.
first_cpu() {
    awk '/^Cpus_allowed_list/ { split($2, list, /[-,]/); print list[1] }' /proc/self/status
}

# noise_of_cpu: prints the share of its first CPU that is lost, in percent, and the period in ms.
noise_of_cpu() {
    local cpu
    cpu=$(first_cpu)
    taskset -c "$cpu" "$BIN/doctor" --noise --json --seconds 500ms | jq -r '"\(.cpus[0].percent) \((.period_s // 0) * 1000)"'
}

# middle COLUMN: the median of a column of five rows.
middle() {
    sort -g -k "$1,$1" pairs | awk -v column="$1" 'NR == 3 { print $column }'
}

# injected: 0 when a load of 1 % in a period of 10 ms is found as that, by the medians of five looks with it, each
# after one without: what others take comes and goes.
injected() {
    local cpu quiet period loaded _
    cpu=$(first_cpu)
    for _ in 1 2 3 4 5; do
        read -r quiet _ < <(noise_of_cpu)
        "$BIN/loadgen" cpu --percent 1 --period 10ms --cpus "$cpu" --duration 5s >/dev/null &
        sleep 0.2
        read -r loaded period < <(noise_of_cpu)
        kill %1
        wait
        awk -v quiet="$quiet" -v loaded="$loaded" -v period="$period" 'BEGIN { print loaded - quiet, period, quiet }'
    done >pairs
    middle 3 >>quiet
    cat pairs
    awk -v taken="$(middle 1)" -v period="$(middle 2)" 'BEGIN { exit !(taken > 0.8 && taken < 1.2 && period > 9.5 && period < 10.5) }'
}

# bats test_tags=measures
@test "--noise finds what a load of 1 % takes of a CPU, and how often" {
    in_tries 4 injected && return
    # Where as much is lost at any time, 1 % is not to be seen.
    awk '{ exit $1 < 1 }' quiet && skip "this machine loses $(sort -n quiet | head -n 1) % of a CPU by itself"
    false
}

@test "--noise says in words and as JSON what each CPU loses, and what it costs many ranks" {
    run -2 "$JOSTLE" doctor --noise --quick
    run -0 "$JOSTLE" doctor --noise --seconds 300ms
    [[ $output == 'OS noise: '*' % of the CPU time is lost in '*' detours a second'*'4096 ranks'* ]]
    "$JOSTLE" doctor --noise --seconds 300ms --json >noise.json
    is_valid os-noise noise.json
    holds '.lost_percent < 100 and (.cpus | length >= 1) and ([.bulk_synchronous.ranks[].slowdown] | . == sort and .[0] >= 1)
        and ([.cpus[].per_s] | add) / .detours_per_s > 0.9 and ([.cpus[].per_s] | add) / .detours_per_s < 1.1' <noise.json
}
