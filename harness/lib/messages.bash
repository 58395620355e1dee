# What every command says when something is wrong, and its exit statuses. Sourced,
# never run.

# shellcheck source-path=SCRIPTDIR source=environment.bash
source "${BASH_SOURCE[0]%/*}/environment.bash"

# Exit statuses, as every --help lists them.
# shellcheck disable=SC2034
readonly EXIT_FAILURE=1 EXIT_USAGE=2 EXIT_ABOVE=3 EXIT_UNDECIDED=4 EXIT_TARGET=5

# shellcheck disable=SC2034 # for those who source this
LAST_WARNING='' # what warn said last

# warn MESSAGE: one line on stderr, whatever the names in it hold, in the place of the line on a terminal that shows
# how far we are.
warn() {
    # shellcheck disable=SC2034 # for those who source this
    LAST_WARNING=$1
    ! is_terminal 2 || printf '\r\033[K' >&2 || true
    if can_fold 2; then
        printf 'jostle: %s\n' "${1//[[:cntrl:]]/?}" | "$JOSTLE_BIN/arguments" fold >&2 || true
    else
        printf 'jostle: %s\n' "${1//[[:cntrl:]]/?}" >&2 || true # nobody may be there to read it
    fi
}

# can_fold FD: 0 where FD is a terminal, for whose width `arguments fold` breaks lines between words.
can_fold() {
    [[ -t $1 && -x ${JOSTLE_BIN:-}/arguments ]]
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

# shellcheck disable=SC2034 # for those who source this
OUTPUT_KEPT='' # where that is that we print: what could not be printed can be read there

# output_lost: ends us with the one line of every program whose stdout cannot be written; without a
# word, as by SIGPIPE, where that is a pipe: its reader has had enough (`| head -3`).
output_lost() {
    [[ ! -p /dev/stdout ]] || exit $((128 + 13))
    die "cannot write to stdout: is the disk full?: ${OUTPUT_KEPT:-the output is incomplete}"
}

# print FORMAT [ARG...]: printf, to stdout.
print() {
    # shellcheck disable=SC2059 # it is the caller's
    printf "$@" 2>/dev/null || output_lost
}

# print_file FILE: what is in it, to stdout. 141, without a word: its reader has had enough.
print_file() {
    local code=0
    cat -- "$1" 2>/dev/null || code=$?
    ((code == 0 || code == 128 + 13)) || output_lost
    return "$code"
}

# print_text TEXT: a text for people, to stdout, as wide as the terminal where that is one.
print_text() {
    if can_fold 1; then
        printf '%s' "$1" | "$JOSTLE_BIN/arguments" fold || output_lost
    else
        print '%s' "$1"
    fi
}

readonly HELP_COLUMNS=80 # at most, whatever the terminal

# print_help: what the function usage of a command prints.
print_help() {
    local text
    text=$(usage)
    if [[ -x ${JOSTLE_BIN:-}/arguments ]]; then
        printf '%s\n' "$text" | "$JOSTLE_BIN/arguments" fold "$HELP_COLUMNS" || output_lost
    else
        print '%s\n' "$text"
    fi
}

# nearest WORD CANDIDATE...: prints " (did you mean X?)" for the candidate that is
# nearest to WORD, or nothing when none is near.
nearest() {
    "$JOSTLE_BIN/arguments" nearest "$@" 2>/dev/null || true
}

# env_whole NAME DEFAULT: sets REPLY to the variable NAME of the environment, a whole number up
# to 999999, or to DEFAULT where it is not set. Ends with wrong use where it is anything else:
# in bash's arithmetic a text would be evaluated.
env_whole() {
    REPLY=${!1:-$2}
    [[ $REPLY =~ ^(0|[1-9][0-9]{0,5})$ ]] || usage_error "$1=$REPLY: not a whole number from 0 to 999999: set one, or unset it"
}

# is_terminal FD: 0 when escape sequences may be written to FD.
is_terminal() {
    [[ -t $1 && ${TERM:-dumb} != dumb ]]
}

started_us='' # when the machine was started, by its clock as it is set now

# NOW_COARSE_US: how much later than now_us says it may be. bash shows parts of a second from 5.0 on.
# shellcheck disable=SC2034 # for those who source this
if ((BASH_VERSINFO[0] < 5)); then readonly NOW_COARSE_US=10000; else readonly NOW_COARSE_US=0; fi

# now_us: sets REPLY to the microseconds since the machine was started, without a fork. bash has
# only the time of day, which may be set while we measure; /proc/uptime has hundredths of a
# second, and shows that it was: the two then differ by more than these and a moment.
now_us() {
    local uptime_us off_us day_us=${EPOCHREALTIME:-}
    day_us=${day_us/[!0-9]/}
    read -r uptime_us </proc/uptime
    uptime_us=${uptime_us%% *} # not by IFS, which a caller may have changed
    uptime_us=$((10#${uptime_us/./} * 10000))
    REPLY=$uptime_us
    ((NOW_COARSE_US == 0)) || return 0
    off_us=$((day_us - ${started_us:-0} - uptime_us))
    [[ -n $started_us ]] && ((off_us >= -30000 && off_us <= 30000)) || started_us=$((day_us - uptime_us))
    REPLY=$((day_us - started_us))
}

# day_us: sets REPLY to the time of day, in microseconds since 1970; before bash 5.0 by a fork.
day_us() {
    if ((NOW_COARSE_US == 0)); then REPLY=${EPOCHREALTIME/[!0-9]/}; else REPLY=$(date +%s%6N); fi
}

# duration_text SECONDS: sets REPLY to what number_duration (common/units.h) says of whole seconds: "40 s", "12 min",
# "3 h 05 min". The live line is written between runs, where nothing is forked.
duration_text() {
    local -i minutes=$((($1 + 30) / 60))
    if (($1 < 100)); then
        REPLY="$1 s"
    elif ((minutes < 100)); then
        REPLY="$minutes min"
    else
        printf -v REPLY '%d h %02d min' $((minutes / 60)) $((minutes % 60))
    fi
}

# next_command LABEL WORD...: a line on stderr with a command of jostle that a shell can
# run as it is.
next_command() {
    local text called=${JOSTLE_CALLED:-jostle}
    [[ $(type -P jostle) != "$called" ]] || called=jostle
    text=$("$JOSTLE_BIN/arguments" quote "$called" "${@:2}") || return 0
    printf '  %s: %s\n' "$1" "$text" >&2 || true
}

# ended_unexpectedly STATUS PROGRAM: says so where a program of ours was ended by a signal that nobody sends to end a command. It
# has said nothing itself.
ended_unexpectedly() {
    local signal
    # HUP, INT, QUIT and TERM: who handles them says so.
    (($1 > 128 && $1 != 129 && $1 != 130 && $1 != 131 && $1 != 143)) && signal=$(kill -l "$(($1 - 128))" 2>/dev/null) || return 0
    case $signal in
        SEGV | BUS) warn "${2##*/} was ended by SIG$signal: raise the size of a stack with ulimit -s, or report this" ;;
        KILL) warn "${2##*/} was ended by SIGKILL: look for who did it, such as the kernel for want of memory (dmesg)" ;;
        *) warn "${2##*/} was ended by SIG$signal: report this" ;;
    esac
}

answering='' # answer_read waits for what it has started

# answer_read ARRAY COMMAND...: reads what COMMAND prints, strings ended by NUL, into ARRAY
# (a text without any NUL is one string); returns COMMAND's exit status. It comes with the
# output, as bash's `wait` for a process substitution says 255 once in a while.
answer_read() {
    local -n answer_read_result=$1
    local status
    answering=1
    mapfile -d '' -t answer_read_result < <(
        status=0
        # A signal to all of us is for COMMAND, whose status is still said.
        trap : INT TERM HUP QUIT
        "${@:2}" || status=$?
        printf '\0%d' "$status"
    )
    # shellcheck disable=SC2034 # answer_end, where signals have traps
    answering=''
    # What was to say the status may have been killed.
    [[ ${#answer_read_result[@]} -gt 0 && ${answer_read_result[*]: -1} =~ ^[0-9]+$ ]] || {
        [[ -n ${signal_kept[*]:-} ]] || warn "${2##*/} was ended before it had answered: try again"
        return 1
    }
    status=${answer_read_result[-1]}
    unset 'answer_read_result[-1]'
    # The NUL above ended a text; behind strings it has made an empty one.
    if ((${#answer_read_result[@]} > 1)) || [[ -z ${answer_read_result[0]} ]]; then
        unset 'answer_read_result[-1]'
    fi
    ended_unexpectedly "$status" "$2"
    return "$status"
}
