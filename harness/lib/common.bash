# What the commands share, with the program arguments behind it: words and names, the signals that end us, what is ours alone and
# what is kept, and how a program of ours reads a command line. Sourced, never run. Reads JOSTLE_LIB and JOSTLE_BIN.
# shellcheck disable=SC2034 # for those who source this

# shellcheck source-path=SCRIPTDIR source=messages.bash
source "$JOSTLE_LIB/messages.bash"

# Where what a user's command prints is discarded: to /dev/null grep, tar and others do less (common/file.h).
SINK=/dev/zero
[[ -c $SINK ]] || SINK=/dev/null
readonly SINK

# split_words TEXT ARRAY: splits TEXT as a shell would (quotes and backslashes, nothing
# expanded, nothing run) into ARRAY; 1 when a quote is not closed.
split_words() {
    answer_read "$2" "$JOSTLE_BIN/arguments" split "$1"
}

# in_batches ARRAY COMMAND...: runs COMMAND with the words of ARRAY behind it, some hundred at a
# time, as a command line has no room for more; not at all where there are none. 1: one failed.
in_batches() {
    local -n in_batches_words=$1
    local i status=0
    for ((i = 0; i < ${#in_batches_words[@]}; i += 200)); do
        "${@:2}" "${in_batches_words[@]:i:200}" || status=1
    done
    return "$status"
}

# shell_quote WORD...: sets REPLY to the words, quoted so that a shell reads the same
# words back.
shell_quote() {
    REPLY=$("$JOSTLE_BIN/arguments" quote "$@")
}

# request_read PROGRAM ARRAY ARG...: fills ARRAY by the program's own reading of a command line, pairs that begin with
# `folder`; several `set` are a line each. Ends with its status where that is wrong, or is --help.
request_read() {
    local -n request_values=$2
    local i
    local -a pairs=()
    [[ -x $JOSTLE_BIN/$1 ]] || die "$JOSTLE_BIN/$1 is missing: run make"
    answer_read pairs "$JOSTLE_BIN/$1" "${@:3}" || exit
    if [[ ${pairs[0]:-} != folder ]]; then # --help, --version
        print_text "${pairs[*]}"
        exit 0
    fi
    # shellcheck disable=SC2004,SC2154 # the keys of an associative array
    for ((i = 0; i + 1 < ${#pairs[@]}; i += 2)); do
        if [[ ${pairs[i]} == set ]]; then
            request_values[set]+=${pairs[i + 1]}$'\n'
        else
            request_values[${pairs[i]}]=${pairs[i + 1]}
        fi
    done
}

# ---- the signals that end a command

# What a closed terminal, Ctrl-C, Ctrl-\ and a batch system send.
ENDING_SIGNALS=(INT TERM HUP QUIT)
# What a shell says of a command that was ended so.
declare -gA ENDED_BY=([HUP]=129 [INT]=130 [QUIT]=131 [TERM]=143)

starting=''               # not empty: a process is being started, whose number is not known yet
declare -a signal_kept=() # what a signal calls that came meanwhile

# signals_trap FUNCTION: has each of them call `FUNCTION SIGNAL STATUS`, with the exit status that
# says so; where a process is being started, as soon as the function can end that, too.
signals_trap() {
    local signal
    # shellcheck disable=SC2064 # these names
    for signal in "${ENDING_SIGNALS[@]}"; do trap "signal_take $1 $signal ${ENDED_BY[$signal]}" "$signal"; done
}

# signal_take FUNCTION SIGNAL STATUS: calls it, or has `started` call it.
signal_take() {
    answer_end
    undo_ask
    if [[ -n $starting ]]; then signal_kept=("$@"); else "$@"; fi
}

# answer_end: ends the program that answer_read waits for, if it does: it may be stuck, and nobody else knows of it.
answer_end() {
    local list pid
    local -a tree=()
    [[ -n $answering ]] || return 0
    # The number of the last one, which is another's where the signal came before it was started.
    for list in "/proc/$BASHPID/task"/*/children; do
        for pid in $(<"$list"); do [[ $pid != "${!:-}" ]] || tree_read "$pid"; done
    done 2>/dev/null
    for pid in "${tree[@]}"; do kill -s TERM "$pid" 2>/dev/null || true; done
}

# tree_read PID: adds the process and all its descendants to the caller's array `tree`.
tree_read() {
    local list child
    local -a children
    tree+=("$1")
    for list in "/proc/$1/task"/*/children; do
        read -r -a children <"$list" || true
        for child in "${children[@]}"; do tree_read "$child"; done
    done 2>/dev/null
}

# started: the process that was being started has a number, which is noted.
started() {
    local -a kept=("${signal_kept[@]}")
    starting='' signal_kept=()
    ((${#kept[@]} == 0)) || "${kept[@]}"
}

# signals_ignore: none of them disturbs what is left to be tidied up, nor what is started for that; nor
# does a failure: of a terminal that was closed each message is one. Call it first.
signals_ignore() {
    set +e
    trap '' "${ENDING_SIGNALS[@]}"
}

# ---- a command that takes long, whose end a signal to us must not wait for

child='' # the process that runs; "": none

# child_run COMMAND...: runs it to its end, whatever signals come to us, unless a trap ends us; its status.
child_run() {
    local code
    starting=1
    # A job in the background has no stdin; nor have ours any use for it.
    "$@" </dev/null &
    child=$!
    started
    until
        code=0
        wait "$child" || code=$?
        ! kill -0 "$child" 2>/dev/null
    do :; done
    child=''
    return "$code"
}

# child_end: ends what runs, if anything does, and waits for it; for a trap.
child_end() {
    signals_ignore
    [[ -n $child ]] || return 0
    kill -s TERM "$child" 2>/dev/null || true
    wait "$child" || true
    child=''
}

# ---- a command that undoes something: it runs to its end, whatever signal comes

undo_pid=''   # what sees to it
undo_asked='' # a signal came meanwhile
readonly UNDO_TRIES=3

# undo_run WHAT start|signal|signalled COMMAND...: runs it to its end, and returns its status (124: it was killed, as
# JOSTLE_UNDO_S seconds were over; `arguments undo` says since when). WHAT names it in messages. A signal that came
# meanwhile is kept: call `started` when you have dealt with the status. Needs processes.bash.
undo_run() {
    local code tries
    starting=1 undo_asked=''
    for ((tries = UNDO_TRIES; tries > 0; tries--)); do
        code=0
        {
            show "${@:3}"
            # shellcheck disable=SC2154 # of processes.bash
            [[ -z $verbose_fd ]] || exec {verbose_fd}>&-
            verbose_fd=''
            spawn "$JOSTLE_BIN/arguments" undo "$1" "${JOSTLE_UNDO_S:-60}" "${@:2}"
        } <&0 >"$SINK" &
        undo_pid=$!
        [[ -z $undo_asked ]] || undo_ask
        wait_through "$undo_pid" || code=$?
        # A signal to all of us may have ended it before it had left our process group.
        [[ " ${ENDED_BY[*]} " == *" $code "* ]] || break
    done
    undo_pid=''
    return "$code"
}

# wait_through PID: the status of our child, once it has ended. A signal ends a wait, and not what is waited for. Needs
# processes.bash.
wait_through() {
    local code=0 again=0
    wait "$1" || code=$?
    while ((code > 128)) && pid_runs "$1"; do
        code=0
        wait "$1" || code=$?
    done
    # It may have ended right after the signal, whose status that is.
    ((code <= 128)) || wait "$1" 2>/dev/null || again=$?
    ((code <= 128 || again == 127)) || code=$again
    return "$code"
}

# undo_ask: has what undoes something, if anything does, take notice of a signal.
undo_ask() {
    undo_asked=1
    [[ -z $undo_pid ]] || kill -s TERM "$undo_pid" 2>/dev/null || true
}

# ---- where a command keeps what it makes for itself

# It is one folder, which the keeper knows (see harness/jostle): when the command is killed, lib/killed removes it, and what
# temporary_note has named.

temporary_folder='' # empty: not made yet
temporary_wanted=${JOSTLE_TEMPORARY:-}
unset JOSTLE_TEMPORARY # it is not for a target

# temporary_open: makes the folder, unless that was done.
temporary_open() {
    local said=''
    [[ -z $temporary_folder ]] || return 0
    if [[ -n $temporary_wanted ]]; then
        # Named first: a signal may come right after it was made.
        temporary_folder=$temporary_wanted
        said=$(mkdir -m 700 -- "$temporary_folder" 2>&1) || ! temporary_folder=''
    else
        said=$(mktemp -d 2>&1) && temporary_folder=$said
    fi || die "cannot make a temporary folder (${said##*: }): set TMPDIR to one that can be written"
}

# temporary_make NAME: sets REPLY to a new folder of that name in there.
temporary_make() {
    local said
    temporary_open
    REPLY=$temporary_folder/$1
    said=$(mkdir -- "$REPLY" 2>&1) || die "cannot make the folder $REPLY (${said##*: }): set TMPDIR to one that can be written"
}

# temporary_file NAME: sets REPLY to a new, empty file of that name in there.
temporary_file() {
    local said
    temporary_open
    REPLY=$temporary_folder/$1
    { : >"$REPLY"; } 2>/dev/null || {
        said=$({ : >"$REPLY"; } 2>&1) || true
        die "cannot write $REPLY (${said##*: }): set TMPDIR to a folder that can be written"
    }
}

# temporary_note KIND PATH...: has lib/killed see to each PATH, which is somewhere else, if we are killed, in
# this order. KIND is file, folder (with all that is in it), empty (a folder, if it is), record (see
# records_drop), away (a folder of records that grow elsewhere, see `arguments return`), revisions, off (the note of a setting, see setting.bash) or groups (control groups of settings; PATH is any
# folder that is there).
temporary_note() {
    local kind=$1 path said
    local -a pairs=()
    temporary_open
    for path in "${@:2}"; do
        [[ $path == /* ]] || path=$PWD/$path
        pairs+=("$kind" "$path")
    done
    { printf '%s\0' "${pairs[@]}" >>"$temporary_folder/noted"; } 2>/dev/null || {
        said=$({ printf '%s\0' "${pairs[@]}" >>"$temporary_folder/noted"; } 2>&1) || true
        die "cannot write to $temporary_folder (${said##*: }): make room, or set TMPDIR to another folder"
    }
}

# temporary_close: removes the folder. The keeper does that at our end, if it lives, without a fork. What was noted
# has been seen to. Safe to call twice.
temporary_close() {
    [[ -n $temporary_folder ]] || return 0
    if [[ $temporary_folder == "$temporary_wanted" ]] && kill -0 "$PPID" 2>/dev/null; then
        [[ ! -e $temporary_folder/noted ]] || : >"$temporary_folder/noted"
        return 0
    fi
    rm -rf -- "$temporary_folder"
    temporary_folder=''
}

# ---- files that the user named, or that are made of records: whole or not at all

# save_output FILE COMMAND...: what COMMAND prints, to FILE, which stays as it was until all of it is
# on the disk (common/save.h). Where FILE cannot be written, which is said, or COMMAND fails, which it
# says itself, the status is not 0.
save_output() {
    local -a save_status=(0 0)
    { "${@:2}" && printf '\0'; } | "$JOSTLE_BIN/arguments" save ${save_kind:+"$save_kind"} "$1" || save_status=("${PIPESTATUS[@]}")
    ((save_status[0] == 0)) || return "${save_status[0]}"
    return "${save_status[1]}"
}

# save_kept FILE COMMAND...: the same to a file of a folder of records, under a name that we chose: a link of that
# name, which somebody else may have made, is replaced, not followed.
save_kept() {
    local save_kind=--record
    save_output "$@"
}

# save_record WHERE FILE: the record in FILE, to where --json says: - is stdout, nothing is nowhere.
save_record() {
    case $1 in
        '') ;;
        -) print_file "$2" ;;
        *) save_output "$1" cat -- "$2" || exit ;;
    esac
}

# ---- what is removed when a command is over

# records_drop FILE...: removes files that an experiment has made in its folder, where they are of no use to
# anybody: empty ones, and any where nothing was measured. What is there and is no file is not ours.
records_drop() {
    local file runs
    local -a useless=()
    for file in "$@"; do
        runs=${file%/*}/runs.jsonl
        [[ -f $file && ! -L $file ]] || continue
        [[ -s $file && (-s $runs || (-e $runs && ! -f $runs)) ]] || useless+=("$file")
    done
    ((${#useless[@]} == 0)) || rm -f -- "${useless[@]}" 2>/dev/null || true
}

# file_drop FILE: removes a file of ours, unless somebody has its lock.
file_drop() {
    local code=0
    [[ -f $1 && ! -L $1 && -O $1 ]] || return 0
    "$JOSTLE_BIN/arguments" lock exclusive "$1" 2>/dev/null || code=$?
    ((code == 3)) || rm -f -- "$1"
}
