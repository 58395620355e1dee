# shellcheck shell=bash
# Shared by every test file: where things are, and small checks.

bats_require_minimum_version 1.5.0

ROOT=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
BUILD=${JOSTLE_BUILD:-$ROOT/build}
BIN=$BUILD/bin
WORKLOADS=$BUILD/workloads
JOSTLE=$ROOT/harness/jostle
export JOSTLE_BUILD=$BUILD
export ROOT BUILD BIN WORKLOADS JOSTLE
# What is measured once and kept (calibrations, where the caches end) is kept for one run
# of the tests, not among the user's.
export XDG_CACHE_HOME=$BATS_RUN_TMPDIR/cache
# The probe before each block takes a tenth of the time: block-probe.bats tests it.
export JOSTLE_NO_PROBE=1

# holds EXPRESSION [jq options]: the JSON on stdin makes the jq EXPRESSION true.
holds() {
    local json
    json=$(cat)
    # jq 1.6 finds nothing wrong with no input at all.
    [[ $json == *[![:space:]]* ]] || {
        printf 'does not hold: %s\nthere is nothing to look at\n' "$1" >&2
        return 1
    }
    jq -e "$@" >/dev/null <<<"$json" || {
        printf 'does not hold: %s\nin: %s\n' "$1" "$json" >&2
        return 1
    }
}

# accountings: the kinds of meter's --accounting that can be had here, a line each.
accountings() {
    local kind
    for kind in cgroup2 cgroup1 rusage; do
        "$BIN/meter" --accounting "$kind" --output /dev/null -- true 2>/dev/null && printf '%s\n' "$kind"
    done
    true
}

# compile FOLDER NAME...: makes static programs NAME of the fixtures meter-NAME.c there.
compile() {
    local name
    for name in "${@:2}"; do
        cc -std=gnu17 -D_GNU_SOURCE -O2 -static -o "$1/$name" "$BATS_TEST_DIRNAME/fixtures/meter-$name.c"
    done
}

# gone PID: 0 once the process has ended (a zombie counts as ended).
gone() {
    local state
    state=$(awk '/^State:/ { print $2 }' "/proc/$1/status" 2>/dev/null) || return 0
    [[ -z $state || $state == Z || $state == X ]]
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
