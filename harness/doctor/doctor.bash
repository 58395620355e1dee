# What makes results wrong on this machine, and what to do about it.
# Sourced, never run; needs common, environment and facts.
#
# A check adds findings, each ok, warn or unknown. What this machine does not
# tell is unknown, never guessed.

# shellcheck disable=SC2154 # FACTS and kernel_root come from facts.bash

declare -a finding_check=() finding_status=() finding_text=() finding_advice=()
# What a glance of doctor_watch showed, all over the same time.
watch_us=0 watch_busy_us='' watch_steal_us='' watch_throttle='' watch_swapped=''
watch_queue=0 watch_culprit=''
declare -A watch_stall=()
declare -a watch_cpu_busy=()

# finding CHECK STATUS TEXT [ADVICE]: adds one.
finding() {
    finding_check+=("$1") finding_status+=("$2") finding_text+=("$3") finding_advice+=("${4:-}")
}

# distinct FILE...: sets REPLY to the different first lines, with blanks
# between; 1 when there is no such file.
distinct() {
    local file line
    REPLY=''
    for file in "$@"; do
        line=''
        { read -r line <"$file"; } 2>/dev/null || [[ -n $line ]] || continue
        [[ " $REPLY " == *" $line "* ]] || REPLY+=" $line"
    done
    REPLY=${REPLY# }
    [[ -n $REPLY ]]
}

# tenths N D: sets REPLY to 100 * N / D with one decimal.
tenths() {
    local value=0
    (($2 == 0)) || value=$(($1 * 1000 / $2))
    REPLY=$((value / 10)).$((value % 10))
}

# hundredths N D: sets REPLY to N / D with two decimals.
hundredths() {
    local value=0
    (($2 == 0)) || value=$(($1 * 100 / $2))
    printf -v REPLY '%d.%02d' $((value / 100)) $((value % 100))
}

# watch_processes: prints "PID ticks name" of every process.
watch_processes() {
    cat "$kernel_root"/proc/[0-9]*/stat 2>/dev/null |
        awk '{ pid = $1; name = $0; sub(/^[^(]*\(/, "", name); rest = name; sub(/\)[^)]*$/, "", name)
               sub(/.*\) /, "", rest); split(rest, field, " "); print pid, field[12] + field[13], name }' || true
}

# watch_cpus: fills the array CPU_TICKS with the busy ticks of each CPU.
watch_cpus() {
    local name rest
    local -a ticks
    CPU_TICKS=()
    while read -r name rest; do
        [[ $name == cpu[0-9]* ]] || continue
        read -r -a ticks <<<"$rest"
        CPU_TICKS[${name#cpu}]=$((ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6]))
    done 2>/dev/null <"$kernel_root/proc/stat" || true
}

# watch_run_queue: sets REPLY to how many tasks run or wait for a CPU.
watch_run_queue() {
    local name value
    REPLY=0
    while read -r name value _; do
        [[ $name != procs_running ]] || REPLY=$value
    done 2>/dev/null <"$kernel_root/proc/stat" || true
}

# doctor_watch: looks at the machine for a second.
doctor_watch() {
    local processes name i
    local -A first
    local -a CPU_TICKS cpu_first
    processes=$(watch_processes)
    watch_cpus
    cpu_first=("${CPU_TICKS[@]}")
    facts_read
    for name in "${!FACTS[@]}"; do first[$name]=${FACTS[$name]}; done
    now_us
    watch_us=$REPLY
    sleep_and_count
    facts_read
    now_us
    watch_us=$((REPLY - watch_us))
    watch_cpus
    for i in "${!CPU_TICKS[@]}"; do
        watch_cpu_busy[i]=$(((CPU_TICKS[i] - ${cpu_first[i]:-0}) * TICK_US))
    done
    watch_differences
    watch_culprit=$(watch_most "$processes")
}

# sleep_and_count: a second; watch_queue becomes the mean length of the run
# queue, times 10, without ourselves.
sleep_and_count() {
    local i
    watch_queue=0
    for ((i = 0; i < 10; i++)); do
        sleep 0.1
        watch_run_queue
        watch_queue=$((watch_queue + (REPLY > 0 ? REPLY - 1 : 0)))
    done
}

# watch_differences: what the facts have grown by since `first`.
watch_differences() {
    local name
    watch_busy_us=$(watch_grown busy_us) watch_steal_us=$(watch_grown steal_us)
    watch_throttle=$(watch_grown throttle_count)
    watch_swapped=$(watch_grown swap_in_pages)
    for name in cpu_some memory_some io_some; do watch_stall[$name]=$(watch_grown "${name}_us"); done
}

# watch_grown NAME: prints by how much; nothing when it is not known.
watch_grown() {
    [[ -z ${first[$1]:-} ]] || printf '%d' $((FACTS[$1] - first[$1]))
}

# watch_most PROCESSES: prints the process that used most CPU since then.
watch_most() {
    {
        printf '%s\n' "$1"
        printf -- '--\n'
        watch_processes
    } | awk '$1 == "--" { second = 1; next }
        !second { before[$1] = $2; next }
        ($1 in before) && $2 - before[$1] > most { most = $2 - before[$1]; pid = $1; $1 = $2 = ""; name = $0 }
        END { if (most >= 3) { sub(/^ */, "", name); printf "%s, pid %d, %d %% of a CPU", name, pid, most } }'
}

check_governor() {
    if ! distinct "$kernel_root"/sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor; then
        finding governor unknown 'the frequency governor cannot be seen here'
    elif [[ $REPLY == performance ]]; then
        finding governor ok 'performance'
    else
        finding governor warn "the frequency governor is $REPLY: the clock follows the load, and runs differ" \
            'cpupower frequency-set -g performance'
    fi
}

check_turbo() {
    local cpu=$kernel_root/sys/devices/system/cpu
    if distinct "$cpu/intel_pstate/no_turbo"; then
        REPLY=$((1 - REPLY))
    elif ! distinct "$cpu/cpufreq/boost"; then
        finding turbo unknown 'whether the clock is boosted cannot be seen here'
        return
    fi
    if [[ $REPLY == 0 ]]; then
        finding turbo ok 'off'
    else
        finding turbo warn 'turbo is on: the clock depends on heat and on how many cores work, so a load slows a target down by its mere presence' \
            "echo 1 >/sys/devices/system/cpu/intel_pstate/no_turbo, or echo 0 >/sys/devices/system/cpu/cpufreq/boost"
    fi
}

check_throttling() {
    if [[ -z $watch_throttle ]]; then
        finding throttling unknown 'thermal throttling is not counted here'
    elif ((watch_throttle > 0)); then
        finding throttling warn "the CPUs were throttled $watch_throttle times within a second" 'let the machine cool down, look at its fans'
    else
        finding throttling ok "none now (${FACTS[throttle_count]} times since boot)"
    fi
}

check_smt() {
    local cpu=$kernel_root/sys/devices/system/cpu/cpu i limit=$((watch_us / 10)) busy='' siblings
    if ! distinct "$kernel_root/sys/devices/system/cpu/smt/active"; then
        finding smt unknown 'whether CPUs share a core cannot be seen here'
        return
    elif [[ $REPLY == 0 ]]; then
        finding smt ok 'no CPU that we see shares a core with another'
        return
    fi
    for i in "${!watch_cpu_busy[@]}"; do
        siblings=''
        ((watch_cpu_busy[i] <= limit)) || siblings=$(first_line "$cpu$i/topology/thread_siblings_list")
        [[ $siblings != *[,-]* ]] || busy+=" $i"
    done
    if [[ -n $busy ]]; then
        finding smt warn "busy CPUs share their core with another: CPU$busy: what runs beside them is slowed down" \
            'end what is busy there, or use other cores with --target-cpus'
    else
        finding smt ok 'on, and idle: choose with --target-cpus and --load-cpus whether target and load share a core'
    fi
}

# A tenth of a CPU, and half a percent of a large machine, is what its own
# daemons may take.
check_cpu_use() {
    local text
    if [[ -z $watch_busy_us ]]; then
        finding cpu-use unknown 'CPU use is not told here'
        return
    fi
    hundredths "$watch_busy_us" "$watch_us"
    text="$REPLY of ${FACTS[cpus]} CPUs were busy over a second"
    if ((watch_busy_us * 1000 > watch_us * (100 + 5 * FACTS[cpus]))); then
        finding cpu-use warn "$text${watch_culprit:+ (most: $watch_culprit)}" 'end it, wait, or take a node of your own'
    else
        finding cpu-use ok "$text"
    fi
}

check_run_queue() {
    local text
    hundredths "$watch_queue" 10
    text="$REPLY tasks ran or waited for a CPU, load average ${FACTS[load_1]:-unknown}"
    if [[ -z ${FACTS[load_1]:-} ]]; then
        finding run-queue unknown 'the run queue is not told here'
    elif ((watch_queue >= 10 * FACTS[cpus])); then
        finding run-queue warn "$text: no CPU is left for the target" 'end what runs, or wait'
    else
        finding run-queue ok "$text"
    fi
}

# check_pressure RESOURCE: stalls beyond 1 % of the time.
check_pressure() {
    local stall=${watch_stall[$1_some]:-}
    if [[ -z $stall ]]; then
        finding "$1-pressure" unknown "pressure stalls for $1 are not told here" 'boot with psi=1'
        return
    fi
    tenths "$stall" "$watch_us"
    if ((stall * 100 > watch_us)); then
        finding "$1-pressure" warn "for $REPLY % of a second some task waited for $1" 'end what needs it, or wait'
    else
        finding "$1-pressure" ok "some task waited for $1 for $REPLY % of a second"
    fi
}

check_steal() {
    local text since
    if [[ -z $watch_steal_us ]]; then
        finding steal unknown 'stolen time is not told here'
        return
    fi
    tenths "${FACTS[steal_us]}" $((FACTS[busy_us] + FACTS[steal_us]))
    since=$REPLY
    tenths "$watch_steal_us" $((watch_us * FACTS[cpus]))
    text="the host took $REPLY % of the CPU time of a second, $since % of all that was asked for since boot"
    if ((watch_steal_us * 100 > watch_us * FACTS[cpus])); then
        finding steal warn "$text" 'measure at another time, or on a machine of your own'
    else
        finding steal ok "$text"
    fi
}

check_swap() {
    local used=${FACTS[swap_used_kib]:-}
    if [[ -z $used ]]; then
        finding swap unknown 'swap is not told here'
    elif ((used > 0 || ${watch_swapped:-0} > 0)); then
        finding swap warn "$((used / 1024)) MiB are swapped out, ${watch_swapped:-0} pages came back within a second" \
            'free memory, then swapoff -a'
    elif ((FACTS[swap_total_kib] == 0)); then
        finding swap ok 'there is none'
    else
        finding swap ok 'there is some, none is used'
    fi
}

check_thp() {
    local text
    if ! distinct "$kernel_root/sys/kernel/mm/transparent_hugepage/enabled"; then
        finding thp unknown 'transparent huge pages cannot be seen here'
        return
    fi
    text=${REPLY#*'['} text=${text%%']'*}
    if [[ $text == always ]]; then
        finding thp warn 'transparent huge pages are made whenever the kernel finds some: memory-bound runs differ by luck' \
            'echo madvise >/sys/kernel/mm/transparent_hugepage/enabled'
    else
        finding thp ok "transparent huge pages: $text"
    fi
}

# A fixed layout can be a lucky one, which no number of runs shows.
check_aslr() {
    if ! distinct "$kernel_root/proc/sys/kernel/randomize_va_space"; then
        finding aslr unknown 'address space randomisation cannot be seen here'
    elif [[ $REPLY == 2 ]]; then
        finding aslr ok 'addresses are random: the mean is over many layouts (setarch -R would fix one)'
    else
        finding aslr warn "addresses are not fully random (level $REPLY): the result holds for one layout, which may be a lucky one" \
            'sysctl kernel.randomize_va_space=2'
    fi
}

check_numa() {
    local node nodes=0
    for node in "$kernel_root"/sys/devices/system/node/node[0-9]*; do
        [[ ! -e $node ]] || nodes=$((nodes + 1))
    done
    if ((nodes == 0)); then
        finding numa-balancing unknown 'memory nodes cannot be seen here'
    elif ((nodes == 1)); then
        finding numa-balancing ok 'one memory node'
    elif ! distinct "$kernel_root/proc/sys/kernel/numa_balancing"; then
        finding numa-balancing unknown "$nodes memory nodes; whether the kernel moves pages between them cannot be seen"
    elif [[ $REPLY == 0 ]]; then
        finding numa-balancing ok "off, $nodes memory nodes"
    else
        finding numa-balancing warn "the kernel moves pages between $nodes memory nodes while a target runs" \
            'sysctl kernel.numa_balancing=0, and bind the target: numactl --cpunodebind=0 --membind=0'
    fi
}

check_clock() {
    if ! distinct "$kernel_root/sys/devices/system/clocksource/clocksource0/current_clocksource"; then
        finding clock unknown 'the clock source cannot be seen here'
    elif [[ $REPLY =~ ^(hpet|acpi_pm|jiffies|pit|refined-jiffies)$ ]]; then
        finding clock warn "the clock source is $REPLY: slow to read, or coarse" \
            'look in dmesg why the CPU'"'"'s own counter was refused; clocksource=tsc'
    else
        finding clock ok "$REPLY"
    fi
}

check_timer() {
    local worst
    worst=$(sed -n 's/^ *\.resolution: *\([0-9]*\) nsecs.*/\1/p' "$kernel_root/proc/timer_list" 2>/dev/null | sort -n | tail -n 1) || true
    if [[ -z $worst ]]; then
        finding timer unknown 'the resolution of timers can be seen by root only'
    elif ((worst > 1000000)); then
        finding timer warn "timers fire every $((worst / 1000)) us only: a load's level is coarse" 'boot without highres=off'
    else
        finding timer ok "resolution $worst ns"
    fi
}

# quota_of FOLDER: sets REPLY to the CPU limit of a control group's folder, in
# thousandths of a CPU; 1 when it sets none.
quota_of() {
    local quota='' period=''
    if [[ -e $1/cpu.max ]]; then
        read -r quota period <"$1/cpu.max" || true
    elif [[ -e $1/cpu.cfs_quota_us ]]; then
        quota=$(first_line "$1/cpu.cfs_quota_us") period=$(first_line "$1/cpu.cfs_period_us")
    fi
    [[ $quota =~ ^[1-9][0-9]*$ && $period =~ ^[1-9][0-9]*$ ]] || return 1
    REPLY=$((quota * 1000 / period))
}

# quota_folders: prints the folders of the groups that we are in, from our own
# up to the root, for v2 and for v1's cpu controller.
quota_folders() {
    local controllers path base
    while IFS=: read -r _ controllers path; do
        [[ -z $controllers || ,$controllers, == *,cpu,* ]] || continue
        for base in "${controllers:-unified}" ${controllers:+cpu} ''; do
            base=$kernel_root/sys/fs/cgroup${base:+/$base}
            [[ -d $base ]] && break
        done
        while true; do
            printf '%s\n' "$base$path"
            [[ -n $path && $path != / ]] || break
            path=${path%/*}
        done
    done <"$kernel_root/proc/self/cgroup" || true
}

check_quota() {
    local folder least=''
    if [[ ! -r $kernel_root/proc/self/cgroup ]]; then
        finding cgroup-quota unknown 'control groups cannot be seen here'
        return
    fi
    while IFS= read -r folder; do
        quota_of "$folder" || continue
        [[ -n $least ]] && ((least <= REPLY)) || least=$REPLY
    done < <(quota_folders)
    if [[ -z $least ]]; then
        finding cgroup-quota ok 'no limit on CPU time'
    else
        hundredths "$least" 1000
        finding cgroup-quota warn "a control group allows $REPLY CPUs: target and loads are stopped together when it is used up" \
            'ask for more CPUs, or for a job without a quota'
    fi
}

check_folder() {
    local kind
    kind=$(stat -f -c %T . 2>/dev/null) || kind=unknown
    case $kind in
        tmpfs | ramfs | hugetlbfs)
            finding folder warn "the current folder is in memory ($kind): what the target reads and writes never meets a disk" \
                'measure in a folder on a disk'
            ;;
        nfs* | lustre | cifs | smb* | gpfs | ceph | afs | beegfs | panfs | 9p | v9fs | fuse* | glusterfs)
            finding folder warn "the current folder is on a network or user-space file system ($kind): others' traffic is in the result" \
                'measure in a folder on a local disk'
            ;;
        unknown | UNKNOWN*) finding folder unknown 'the file system of the current folder has no name here' ;;
        *) finding folder ok "the current folder is on $kind" ;;
    esac
}

# A nearly full file system scatters what is written to it.
check_space() {
    local size available
    if ! read -r size available < <(df -Pk . 2>/dev/null | awk 'NR == 2 { print $2, $4 }') || ((size == 0)); then
        finding disk-space unknown 'how much is free cannot be seen here'
        return
    fi
    hundredths "$available" 1048576
    if ((available < 1048576 || available * 20 < size)); then
        finding disk-space warn "$REPLY GiB are free: writes are scattered, loads may not find room" 'free some'
    else
        finding disk-space ok "$REPLY GiB are free"
    fi
}

check_counters() {
    local unit found=''
    for unit in "$kernel_root"/sys/bus/event_source/devices/{cpu,cpu_core,cpu_atom,armv*}; do
        [[ ! -e $unit ]] || found=1
    done
    if [[ -z $found ]]; then
        finding counters unknown 'there are no hardware counters: instructions, cycles and cache misses cannot be known'
    elif distinct "$kernel_root/proc/sys/kernel/perf_event_paranoid" && ((REPLY > 2)); then
        finding counters unknown "hardware counters are kept from users (perf_event_paranoid is $REPLY)" 'sysctl kernel.perf_event_paranoid=2'
    else
        finding counters ok 'there are hardware counters: every run has instructions, cycles and cache misses'
    fi
}

check_virtual() {
    if [[ ! -r $kernel_root/proc/cpuinfo ]]; then
        finding virtual-machine unknown 'whether this is a virtual machine cannot be seen'
    elif grep -qm1 '^flags.*\<hypervisor\>' "$kernel_root/proc/cpuinfo" || [[ -s $kernel_root/sys/hypervisor/type ]]; then
        finding virtual-machine warn 'this is a virtual machine: its host may give our CPUs, caches and disks to others, unseen' \
            'trust slowdowns measured side by side, not absolute times; look at steal'
    elif grep -qm1 '^flags' "$kernel_root/proc/cpuinfo"; then
        finding virtual-machine ok 'no sign of one'
    else
        finding virtual-machine unknown 'this CPU does not say whether it is virtual'
    fi
}

# doctor_look: every check that takes no measurement of its own.
doctor_look() {
    doctor_watch
    check_governor
    check_turbo
    check_throttling
    check_smt
    check_cpu_use
    check_run_queue
    check_pressure cpu
    check_pressure memory
    check_pressure io
    check_steal
    check_swap
    check_thp
    check_aslr
    check_numa
    check_clock
    check_timer
    check_quota
    check_folder
    check_space
    check_counters
    check_virtual
}

# doctor_strict: ends with status 1 where a measurement would be worth nothing.
doctor_strict() {
    local i dirty=''
    doctor_watch
    check_throttling
    check_cpu_use
    check_run_queue
    check_pressure memory
    check_swap
    for i in "${!finding_check[@]}"; do
        [[ ${finding_status[i]} != warn ]] || dirty+="; ${finding_check[i]}: ${finding_text[i]}"
    done
    [[ -z $dirty ]] || die "--strict: this machine is not fit to measure on (${dirty#; }): see jostle doctor, or leave --strict out"
}
