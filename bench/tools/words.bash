# The command line, the places and the arithmetic of the benches, and of bats-tests/evidence. Sourced, never run.

# shellcheck disable=SC2034 # of the benches
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export JOSTLE_BUILD=${JOSTLE_BUILD:-$root/build}
# shellcheck disable=SC2034 # of the benches
bin=$JOSTLE_BUILD/bin
folder='' # for what the bench writes; see scratch

# bench_words KNOWN ARG...: ends the script with what its comment says for --help, and with wrong use
# where an ARG does not match KNOWN, patterns with | between them; '': there are none.
bench_words() {
    local known=$1 word
    for word in "${@:2}"; do
        case $word in
            -h | --help)
                sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"
                exit 0
                ;;
        esac
        # shellcheck disable=SC2053 # patterns
        [[ -n $known && $word == @($known) ]] || {
            printf 'jostle: %s: %s: no such argument: see --help\n' "$(realpath --relative-to="$root" "$0")" "${word//[[:cntrl:]]/?}" >&2
            exit 2
        }
    done
}

# bench_numbers NAME...: wrong use where a variable of the environment is set and no number: bash's
# arithmetic would evaluate it.
bench_numbers() {
    local name
    for name; do
        [[ -z ${!name:-} || ${!name} =~ ^[0-9]{1,9}(\.[0-9]{1,9})?$ ]] || {
            printf 'jostle: %s=%s: not a number: set one, or unset it\n' "$name" "${!name//[[:cntrl:]]/?}" >&2
            exit 2
        }
    done
}

# scratch PARENT: makes `folder` there, which goes at the end: after `tidy`, where the bench has one.
scratch() {
    trap 'if declare -F tidy >/dev/null; then tidy || true; fi; rm -rf -- "$folder"' EXIT
    folder=$(mktemp -d "$1/jostle-bench.XXXXXX")
}

# median: prints the median of the numbers on stdin.
median() {
    sort -g | awk '{ v[NR] = $1 } END { print (NR % 2) ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

# two_cpus PLACE...: sets probe_cpu and load_cpu to two CPUs that are so to each other (jostle topology), at the
# first place that there is, and REPLY to which that is. 1: there is none.
two_cpus() {
    for REPLY; do
        read -r probe_cpu load_cpu < <("$bin/placement" --json --place "$REPLY" 2>/dev/null | jq -r '"\(.target_cpus) \(.load_cpus)"') || true
        [[ ! ${load_cpu:-} =~ ^[0-9]+$ || ! ${probe_cpu:-} =~ ^[0-9]+$ ]] || return 0
    done
    return 1
}

# aligned: prints lines of fields with tabs between them as a table.
aligned() {
    jq -R -s -r -L "$root/harness/lib" -L "$root/harness" 'include "lib/text"; split("\n") | map(select(. != "") | split("\t")) | aligned'
}

# took_ms COMMAND...: prints the wall time of COMMAND in ms; what it prints is dropped.
took_ms() {
    local started=${EPOCHREALTIME/[.,]/}
    "$@" >/dev/null 2>&1
    awk -v us="$((${EPOCHREALTIME/[.,]/} - started))" 'BEGIN { print us / 1000 }'
}
