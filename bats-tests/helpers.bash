# shellcheck shell=bash
# Shared by every test file: where things are, and small checks.

bats_require_minimum_version 1.5.0

ROOT=$(cd "${BASH_SOURCE[0]%/*}/.." && pwd)
BUILD=${JOSTLE_BUILD:-$ROOT/build}
BIN=$BUILD/bin
WORKLOADS=$BUILD/workloads
JOSTLE=$ROOT/harness/jostle
export JOSTLE_BUILD=$BUILD
export ROOT BUILD BIN WORKLOADS JOSTLE
# What is measured once and kept (calibrations, where the caches end) is kept for one run
# of the tests, not among the user's.
export XDG_CACHE_HOME=$BATS_RUN_TMPDIR/cache
# And what grows elsewhere while it is measured (common/away.h).
export XDG_STATE_HOME=$BATS_RUN_TMPDIR/state
# The probe before each block takes a tenth of the time: block-probe.bats tests it.
export JOSTLE_NO_PROBE=1

# Before each command bats notes where it is, which takes longer than most commands; here it does once one has failed.
# (Where a test ends by `exit` or an unset variable, no line of it is named.)
if declare -F bats_check_status_from_trap bats_capture_stack_trace >/dev/null; then
    set +T
    bats_error_trap() {
        bats_check_status_from_trap
        [[ -n ${BATS_DEBUG_LAST_STACK_TRACE_IS_VALID:-} ]] || bats_capture_stack_trace
        BATS_DEBUG_LAST_STACK_TRACE_IS_VALID=1
    }
fi

# shellcheck source-path=SCRIPTDIR source=random.bash
source "${BASH_SOURCE[0]%/*}/random.bash"

# skip_file REASON: for setup_file, which then returns 0: each test of the file is skipped, whose setup calls skip_as_file. A
# skip in setup_file is a failure to bats 1.8. Returns 1.
skip_file() {
    export FILE_SKIPPED=$1
    return 1
}

# skip_as_file: skips the test where setup_file has called skip_file.
skip_as_file() {
    [[ -z ${FILE_SKIPPED:-} ]] || skip "$FILE_SKIPPED"
}

# jq ARG...: of the tests' own. gojq starts in 4 ms, jq 1.6 in 40; it has no order of the members of an object, nor the number of an input line (`command jq` has).
jq() {
    if type -P gojq >/dev/null; then gojq "$@"; else command jq "$@"; fi
}

# holds EXPRESSION [jq options]: the JSON on stdin makes the jq EXPRESSION true.
holds() {
    local json
    json=$(cat)
    # jq 1.6 finds nothing wrong with no input at all.
    [[ $json == *[![:space:]]* ]] || {
        printf 'does not hold: %s\nthere is nothing to look at\n' "$1" >&2
        return 1
    }
    # What does not hold by gojq has jq's own word.
    jq -e "$@" >/dev/null 2>&1 <<<"$json" || command jq -e "$@" >/dev/null <<<"$json" || {
        printf 'does not hold: %s\nin: %s\n' "$1" "$json" >&2
        return 1
    }
}

# asked SERVER WORD...: prints what a server of this run of the tests answers (setup_suite.bash); its status, and 127 where
# there is none.
asked() {
    local port server status
    { read -r port <"$BATS_RUN_TMPDIR/$1" && exec {server}<>"/dev/tcp/127.0.0.1/$port"; } 2>/dev/null || return 127
    printf '%d\n' $(($# - 1)) >&"$server"
    printf '%s\0' "${@:2}" >&"$server"
    read -r status <&"$server"
    cat <&"$server"
    exec {server}>&-
    return "$status"
}

# is_valid KIND FILE...: each FILE is a JSON document as results/schema/jostle.KIND.schema.json says.
is_valid() {
    local schema=$ROOT/results/schema/jostle.$1.schema.json file code
    for file in "${@:2}"; do
        code=0
        asked schemas "$schema" "$(realpath -- "$file")" >&2 || code=$?
        [[ $code -ne 127 ]] || { jsonschema -i "$file" "$schema" && code=0; } || code=1
        [[ $code -eq 0 ]] || return 1
    done
}

# chromium_page FILE ACTION...: see chromium-page.py; skips where there is no Chromium (so it is not for a pipeline).
chromium_page() {
    local code=0
    command -v chromium chromium-browser google-chrome >/dev/null || skip 'Chromium is not installed'
    asked chromium "$(realpath -- "$1")" "${@:2}" || code=$?
    [[ $code -ne 127 ]] || { "$ROOT/bats-tests/chromium-page.py" "$@" && code=0; }
    [[ $code -eq 0 ]]
}

# page_model PAGE: prints the model that a page of --format html carries.
page_model() {
    sed -n '/^<script type="application\/json" id="model">$/,/^<\/script>$/p' "$1" | sed '1d;$d'
}

# page_drawn PAGE: prints the page as HTML after its script has drawn it; skips where there is no Chromium (so it is not
# for a pipeline).
page_drawn() {
    # Chromium shows a file of another name as text.
    cp "$1" "$BATS_TEST_TMPDIR/page_drawn.html"
    chromium_page "$BATS_TEST_TMPDIR/page_drawn.html" --eval 'document.querySelectorAll("script").forEach(part => part.remove()), document.documentElement.outerHTML' \
        >"$BATS_TEST_TMPDIR/page_drawn.json"
    jq -r . "$BATS_TEST_TMPDIR/page_drawn.json" | sed 's/&nbsp;/ /g'
}

# sanitized: 0 with a build of make sanitize, whose programs take more time, memory and address space.
sanitized() {
    grep -q __asan_init "$BIN/meter"
}

# build_options: sets `options` to those with which cc links objects of this build.
build_options() {
    options=()
    # shellcheck disable=SC2034,SC2054 # for the caller; one option
    ! sanitized || options=(-fsanitize=address,undefined -static-libasan -static-libubsan)
}

# asan_option OPTION: adds it to those of AddressSanitizer; a build without it looks at none.
asan_option() {
    export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}$1
}

# accountings: the kinds of meter's --accounting that can be had here, a line each.
accountings() {
    local kind
    for kind in cgroup2 cgroup1 rusage; do
        "$BIN/meter" --accounting "$kind" --output /dev/null -- true 2>/dev/null && printf '%s\n' "$kind"
    done
    true
}

# install_small FOLDER: installs this build there, without what a debugger reads: it takes most of the time to pack.
install_small() {
    "$ROOT/packaging/install" "$1" "$BUILD" >/dev/null
    find "$1/lib/jostle/build" -type f -exec strip {} + 2>/dev/null || true # some are scripts
}

# compile FOLDER NAME...: makes static programs NAME of the fixtures meter-NAME.c there.
compile() {
    local name
    for name in "${@:2}"; do
        cc -std=gnu17 -D_GNU_SOURCE -O2 -static -o "$1/$name" "$BATS_TEST_DIRNAME/fixtures/meter-$name.c"
    done
}

# scratch_settings: makes the folder scratch here, and the settings of jobs that name it.
scratch_settings() {
    mkdir scratch
    printf 'scratch=%q\n' "$PWD/scratch" >settings
    export JOSTLE_SETTINGS=$PWD/settings
}

# free_ports TEN|HUNDRED: REPLY is the first of so many ports of loopback on which nothing listens, and
# which no other test of this run is given. All are below those that the kernel gives to clients.
free_ports() {
    local first=30000 size=10 port
    [[ $1 == TEN ]] || first=20000 size=100
    mkdir -p "$BATS_RUN_TMPDIR/ports"
    while :; do
        REPLY=$((first + RANDOM % (size == 10 ? 200 : 90) * size))
        mkdir "$BATS_RUN_TMPDIR/ports/$REPLY" 2>/dev/null || continue
        for ((port = REPLY; port < REPLY + size; port++)); do
            ! { : <>"/dev/tcp/127.0.0.1/$port"; } 2>/dev/null || continue 2
        done
        return
    done
}

# gone PID: 0 once the process has ended (a zombie counts as ended).
gone() {
    local state
    state=$(awk '/^State:/ { print $2 }' "/proc/$1/status" 2>/dev/null) || return 0
    [[ -z $state || $state == Z || $state == X ]]
}

# ends_with STATUS PID: waits for our child PID; 0 when that is its exit status. (`run wait` asks a
# subshell, which knows only those that have ended already.)
ends_with() {
    local status=0
    wait "$2" || status=$?
    [[ $status -eq $1 ]]
}

# below PID [NAME]: prints the ids of those descendants of the process whose name that is, or of all.
# jostle and meter have a keeper between the process that was started and the one that works.
below() {
    local child
    for child in $(pgrep -P "$1"); do
        [[ -n ${2:-} && $(cat "/proc/$child/comm" 2>/dev/null) != "$2" ]] || printf '%s\n' "$child"
        below "$child" "${2:-}"
    done
}

# in_tries COUNT COMMAND...: 0 as soon as COMMAND succeeds, in so many tries. For what a busy machine
# spoils now and then and a fault spoils every time: how much is delivered, how long it takes. Not
# for what always holds. errexit is off in COMMAND: its parts are joined by &&.
in_tries() {
    local left=$1
    shift
    until "$@"; do
        ((--left > 0)) || return 1
    done
}

# made_up_l3 BYTES: from now on this machine has one L3 of that size, as hwloc tells it, above usual caches of each CPU.
# A load that goes beyond a small one is soon there.
made_up_l3() {
    local cpus
    cpus=$(nproc --all)
    export HWLOC_SYNTHETIC="numa:1 l3:1(size=$1) l2:$cpus(size=1048576) l1d:1(size=32768) core:1 pu:1" HWLOC_THISSYSTEM=1
}

# quick_machine: made_up_l3 of 16 MiB; what is measured once of this machine is kept for all tests of this run that take it so.
quick_machine() {
    made_up_l3 $((16 << 20))
    export XDG_CACHE_HOME=$BATS_RUN_TMPDIR/quick_machine
    mkdir -p "$XDG_CACHE_HOME"
}

# made_up_group BYTES: from now on we are in a cgroup (version 2) with that limit, of which nothing is used. All else is
# as the kernel has it, but for counters of processes.
made_up_group() {
    local file
    export JOSTLE_KERNEL_ROOT=$BATS_TEST_TMPDIR/root
    mkdir -p "$JOSTLE_KERNEL_ROOT"/{proc/self,sys/fs/cgroup/job}
    for file in /sys/{block,bus,class,dev,devices,kernel} /proc/{cpuinfo,diskstats,meminfo,net,stat,sys,vmstat}; do
        ln -sfn "$file" "$JOSTLE_KERNEL_ROOT$file"
    done
    echo '0::/job' >"$JOSTLE_KERNEL_ROOT/proc/self/cgroup"
    { grep -v ' - cgroup' /proc/self/mountinfo && echo '30 20 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw'; } >"$JOSTLE_KERNEL_ROOT/proc/self/mountinfo"
    printf '%d\n' "$1" >"$JOSTLE_KERNEL_ROOT/sys/fs/cgroup/job/memory.max"
    echo 0 >"$JOSTLE_KERNEL_ROOT/sys/fs/cgroup/job/memory.current"
}

# eventually SECONDS COMMAND...: 0 as soon as COMMAND succeeds, 1 after SECONDS.
eventually() {
    local deadline=$((SECONDS + $1))
    shift
    until "$@"; do
        [[ $SECONDS -lt $deadline ]] || return 1
        sleep 0.05
    done
}

# quota_group: makes a cgroup with half a CPU and sets GROUP; 1 if it cannot. The caller removes it. Its quota is all
# that it lacks: it goes before others, however busy the machine is.
quota_group() {
    local name=jostle-test-$$-$RANDOM
    if [[ -w /sys/fs/cgroup/cpu && -e /sys/fs/cgroup/cpu/cpu.shares ]]; then
        mkdir "/sys/fs/cgroup/cpu/$name" 2>/dev/null || return 1
        GROUP=/sys/fs/cgroup/cpu/$name
        echo 100000 >"$GROUP/cpu.cfs_period_us" && echo 50000 >"$GROUP/cpu.cfs_quota_us" && echo 262144 >"$GROUP/cpu.shares"
    elif grep -qw cpu /sys/fs/cgroup/cgroup.subtree_control 2>/dev/null; then
        mkdir "/sys/fs/cgroup/$name" 2>/dev/null || return 1
        GROUP=/sys/fs/cgroup/$name
        echo '50000 100000' >"$GROUP/cpu.max" && echo 10000 >"$GROUP/cpu.weight"
    else
        return 1
    fi 2>/dev/null
}

# bench_plan OPTION...: the program bench with the files of its matrix, as `jostle bench` has git read them: --expand DIR
# writes the plan.
bench_plan() {
    local file
    for file in "$ROOT"/harness/bench/matrix/*.conf; do
        git config -f "$file" --list -z --show-origin
    done | "$BIN/bench" "$@"
}
