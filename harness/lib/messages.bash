# What every command says when something is wrong, and its exit statuses. Sourced,
# never run.

# shellcheck disable=SC2034 # read by those who source this
readonly JOSTLE_VERSION=0.1.0

# Exit statuses, as every --help lists them.
# shellcheck disable=SC2034
readonly EXIT_FAILURE=1 EXIT_USAGE=2 EXIT_ABOVE=3 EXIT_UNDECIDED=4 EXIT_TARGET=5

LAST_WARNING='' # what warn said last

# warn MESSAGE: one line on stderr.
warn() {
    LAST_WARNING=$1
    printf 'jostle: %s\n' "$1" >&2
}

# die MESSAGE [STATUS]: one line on stderr, then exit with STATUS (default 1).
die() {
    warn "$1"
    exit "${2:-$EXIT_FAILURE}"
}

# usage_error MESSAGE: die with the status of wrong use.
usage_error() {
    die "$1" "$EXIT_USAGE"
}

# is_terminal FD: 0 when escape sequences may be written to FD.
is_terminal() {
    [[ -t $1 && ${TERM:-dumb} != dumb ]]
}

# now_us: sets REPLY to the time of day in microseconds, without a fork.
now_us() {
    REPLY=${EPOCHREALTIME/[.,]/}
}

# duration_text SECONDS: sets REPLY to "3 h 5 min", "12 min" or "40 s".
duration_text() {
    if (($1 >= 3600)); then
        REPLY="$(($1 / 3600)) h $(($1 % 3600 / 60)) min"
    elif (($1 >= 120)); then
        REPLY="$(($1 / 60)) min"
    else
        REPLY="$1 s"
    fi
}

# next_command LABEL WORD...: a line on stderr with a command of jostle that a shell can
# run as it is.
next_command() {
    local text called=${JOSTLE_CALLED:-jostle}
    [[ $(type -P jostle) != "$called" ]] || called=jostle
    text=$("$JOSTLE_BIN/arguments" quote "$called" "${@:2}") || return 0
    printf '  %s: %s\n' "$1" "$text" >&2
}

# answer_read ARRAY COMMAND...: reads what COMMAND prints, strings ended by NUL, into ARRAY
# (a text without any NUL is one string); returns COMMAND's exit status. It comes with the
# output, as bash's `wait` for a process substitution says 255 once in a while.
answer_read() {
    local -n answer_read_result=$1
    local status
    mapfile -d '' -t answer_read_result < <(
        status=0
        "${@:2}" || status=$?
        printf '\0%d' "$status"
    )
    status=${answer_read_result[-1]}
    unset 'answer_read_result[-1]'
    # The NUL above ended a text; behind strings it has made an empty one.
    if ((${#answer_read_result[@]} > 1)) || [[ -z ${answer_read_result[0]} ]]; then
        unset 'answer_read_result[-1]'
    fi
    return "$status"
}
