# What the kernel counts that makes results wrong: stolen time, swapping,
# throttling, pressure, other CPU use; in a Slurm job also who shares the node. Read
# without a fork, before and after an experiment and around each run. Sourced,
# never run; needs common, slurm.
#
# An empty value means that this kernel does not tell: it is null in JSON.

declare -A FACTS=()
# Tests read a made-up machine.
readonly kernel_root=${JOSTLE_KERNEL_ROOT:-}
# Ticks of /proc/stat last 10 ms on every architecture that matters (USER_HZ).
readonly TICK_US=10000
# A run was hit when more of the machine's CPU time than these shares went
# elsewhere. Ticks are coarse, hence the least amounts: two ticks of steal, and
# for foreign load, a difference of sampled figures, a tenth of a second.
readonly HIT_STEAL_PERCENT=1 HIT_STEAL_LEAST_US=20000
readonly HIT_FOREIGN_PERCENT=5 HIT_FOREIGN_LEAST_US=100000

# facts_read: fills FACTS. CPU times are sums over the CPUs, since boot.
facts_read() {
    FACTS=()
    facts_read_cpus
    facts_read_memory
    facts_read_throttling
    facts_read_pressure cpu
    facts_read_pressure memory
    facts_read_pressure io
    { read -r 'FACTS[load_1]' 'FACTS[load_5]' 'FACTS[load_15]' _ <"$kernel_root/proc/loadavg"; } 2>/dev/null || true
}

# facts_read_cpus: busy_us, steal_us, and cpus, the number of CPUs.
facts_read_cpus() {
    local name
    facts_read_busy
    FACTS[cpus]=0
    while read -r name _; do
        [[ $name == cpu* ]] || break
        [[ $name == cpu ]] || FACTS[cpus]=$((FACTS[cpus] + 1))
    done 2>/dev/null <"$kernel_root/proc/stat" || true
}

# busy_file: sets REPLY to the file that counts the CPU time of all tasks to the
# nanosecond, or to nothing: cgroup v1 has it, in its root (and release_agent
# nowhere else). cgroup v2 has ticks there, too.
busy_file() {
    local controller
    for controller in cpuacct cpu,cpuacct; do
        REPLY=$kernel_root/sys/fs/cgroup/$controller
        [[ ! -r $REPLY/cpuacct.usage || ! -e $REPLY/release_agent ]] || {
            REPLY+=/cpuacct.usage
            return 0
        }
    done
    REPLY=''
}

busy_file
readonly facts_busy_file=$REPLY

# facts_read_busy: busy_us and steal_us alone. Ticks are samples: a task that
# works in short periods, as loads do, may be seen always or never.
facts_read_busy() {
    local -a ticks=()
    local busy_ns=''
    { read -r -a ticks <"$kernel_root/proc/stat"; } 2>/dev/null || true
    [[ ${ticks[0]:-} == cpu ]] || return 0
    # user nice system idle iowait irq softirq steal; guests are part of user.
    # Interrupts are nobody's load: they are left out.
    FACTS[busy_us]=$(((ticks[1] + ticks[2] + ticks[3]) * TICK_US))
    FACTS[steal_us]=$((${ticks[8]:-0} * TICK_US))
    [[ -z $facts_busy_file ]] || { read -r busy_ns <"$facts_busy_file"; } 2>/dev/null || true
    [[ -z $busy_ns ]] || FACTS[busy_us]=$((busy_ns / 1000))
}

# facts_read_memory: swap_total_kib, swap_used_kib, swap_in_pages, swap_out_pages.
facts_read_memory() {
    local name value
    while read -r name value _; do
        case $name in
            SwapTotal:) FACTS[swap_total_kib]=$value ;;
            SwapFree:)
                FACTS[swap_used_kib]=$((FACTS[swap_total_kib] - value))
                break
                ;;
        esac
    done 2>/dev/null <"$kernel_root/proc/meminfo" || true
    facts_read_swapping
}

# facts_read_swapping: swap_in_pages and swap_out_pages, since boot.
facts_read_swapping() {
    local -a lines=()
    { mapfile -t lines <"$kernel_root/proc/vmstat"; } 2>/dev/null || true
    local text=" ${lines[*]} "
    [[ ! $text =~ ' pswpin '([0-9]+)' ' ]] || FACTS[swap_in_pages]=${BASH_REMATCH[1]}
    [[ ! $text =~ ' pswpout '([0-9]+)' ' ]] || FACTS[swap_out_pages]=${BASH_REMATCH[1]}
}

# facts_read_throttling: throttle_count, of all cores, since boot. Only Intel's
# CPUs tell it.
facts_read_throttling() {
    local file count
    for file in "$kernel_root"/sys/devices/system/cpu/cpu[0-9]*/thermal_throttle/core_throttle_count; do
        { read -r count <"$file"; } 2>/dev/null || continue
        FACTS[throttle_count]=$((${FACTS[throttle_count]:-0} + count))
    done
}

# facts_read_pressure RESOURCE: RESOURCE_some_us and RESOURCE_full_us, since boot.
facts_read_pressure() {
    local kind total
    while read -r kind _ _ _ total; do
        FACTS[$1_${kind}_us]=${total#total=}
    done 2>/dev/null <"$kernel_root/proc/pressure/$1" || true
}

# seconds_json MICROSECONDS: sets REPLY to seconds, or null for nothing.
seconds_json() {
    REPLY=null
    [[ -z $1 ]] || printf -v REPLY '%d.%06d' $(($1 / 1000000)) $(($1 % 1000000))
}

# facts_json: sets REPLY to the facts of this moment, a JSON object.
facts_json() {
    local name json time
    facts_read
    TZ=UTC0 printf -v time '%(%Y-%m-%dT%H:%M:%SZ)T' -1
    json="{\"time\":\"$time\",\"cpus\":${FACTS[cpus]},\"load_average\":[${FACTS[load_1]:-null},${FACTS[load_5]:-null},${FACTS[load_15]:-null}]"
    for name in busy steal; do
        seconds_json "${FACTS[${name}_us]:-}"
        json+=",\"${name}_s\":$REPLY"
    done
    json+=",\"swap_used_bytes\":"
    json+=${FACTS[swap_used_kib]:+$((${FACTS[swap_used_kib]:-0} * 1024))}
    [[ -n ${FACTS[swap_used_kib]:-} ]] || json+=null
    for name in swap_in_pages swap_out_pages throttle_count; do
        json+=",\"$name\":${FACTS[$name]:-null}"
    done
    json+=',"pressure":{'
    for name in cpu_some memory_some memory_full io_some io_full; do
        seconds_json "${FACTS[${name}_us]:-}"
        json+="\"${name}_s\":$REPLY,"
    done
    json=${json%,}'}'
    slurm_neighbours
    REPLY="$json,\"neighbours\":$REPLY}"
}

# number_us TEXT: sets REPLY to whole microseconds for a decimal number of seconds.
number_us() {
    local number
    LC_ALL=C printf -v number '%.6f' "$1"
    REPLY=$((10#${number/./}))
}

# The counters before a run; empty ones are not known.
hits_busy_us='' hits_swap_in='' hits_throttle=''
hits_cpus=1
hits_swaps=''  # not empty on a machine that has swap space
hits_shared='' # not empty where other jobs were on the node when we began

facts_before='' # the facts when the measurement began, for experiment.json

# hits_start: once, before the loads are there.
hits_start() {
    facts_json
    # shellcheck disable=SC2034 # for experiment.bash
    facts_before=$REPLY
    hits_cpus=${FACTS[cpus]} hits_swaps='' hits_shared=''
    [[ ! $facts_before =~ \"neighbours\":\{\"jobs\":\[\" ]] || hits_shared=1
    ((${FACTS[swap_total_kib]:-0} == 0)) || hits_swaps=1
}

# hits_before: notes the counters; to be called right before a run.
hits_before() {
    hits_read
    hits_busy_us=${FACTS[busy_us]:-} hits_swap_in=${FACTS[swap_in_pages]:-} hits_throttle=${FACTS[throttle_count]:-}
}

# hits_read: the facts that hits need: as few files as can be.
hits_read() {
    FACTS=()
    facts_read_busy
    [[ -z $hits_swaps ]] || facts_read_swapping
    facts_read_throttling
}

# hits_after: notes what has happened since hits_before; right after a run.
hits_after() {
    hits_read
    hits_busy_us=${hits_busy_us:+$((${FACTS[busy_us]:-0} - hits_busy_us))}
    hits_swap_in=${hits_swap_in:+$((${FACTS[swap_in_pages]:-0} - hits_swap_in))}
    hits_throttle=${hits_throttle:+$((${FACTS[throttle_count]:-0} - hits_throttle))}
}

# hits_flags METER LOADS: sets HITS to the flags of the run, as JSON strings
# with commas between: steal, foreign-load, swap-in, throttled, shared-node. METER is meter's
# record, LOADS the records of the loads of that run.
hits_flags() {
    local machine_us
    HITS=''
    [[ $1 =~ \"wall_s\":([0-9.eE+-]+) ]] || return 0
    number_us "${BASH_REMATCH[1]}"
    machine_us=$((REPLY * hits_cpus))
    if [[ $1 =~ \"steal_s\":([0-9.eE+-]+) ]]; then
        number_us "${BASH_REMATCH[1]}"
        ((REPLY < HIT_STEAL_LEAST_US || REPLY * 100 <= machine_us * HIT_STEAL_PERCENT)) || HITS+=',"steal"'
    fi
    ! hits_foreign "$1" "$2" "$machine_us" || HITS+=',"foreign-load"'
    ((${hits_swap_in:-0} == 0)) || HITS+=',"swap-in"'
    ((${hits_throttle:-0} == 0)) || HITS+=',"throttled"'
    [[ -z $hits_shared ]] || HITS+=',"shared-node"'
    HITS=${HITS#,}
}

# hits_foreign METER LOADS MACHINE_US: 0 when the CPUs were busy for others than
# the target and the loads. Where all we have is ticks, the loads' own time may
# be counted twice over.
hits_foreign() {
    local foreign_us=$hits_busy_us rest=$2 name doubt=2
    [[ -z $facts_busy_file ]] || doubt=1
    [[ -n $foreign_us ]] || return 1
    for name in user_s system_s; do
        [[ $1 =~ \"$name\":([0-9.eE+-]+) ]] || return 1
        number_us "${BASH_REMATCH[1]}"
        foreign_us=$((foreign_us - REPLY))
    done
    while [[ $rest =~ \"cpu_s\":([0-9.eE+-]+) ]]; do
        rest=${rest#*"${BASH_REMATCH[0]}"}
        number_us "${BASH_REMATCH[1]}"
        foreign_us=$((foreign_us - doubt * REPLY))
    done
    ((foreign_us > HIT_FOREIGN_LEAST_US && foreign_us * 100 > $3 * HIT_FOREIGN_PERCENT))
}
