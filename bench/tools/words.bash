# The command line, the places and the arithmetic of the benches. Sourced, never run.

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
            printf 'jostle: %s: %s: no such argument: see --help\n' "bench/${0##*/}" "${word//[[:cntrl:]]/?}" >&2
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
