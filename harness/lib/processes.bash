# The programs that live as long as an experiment does: conduct, meter and the loads.
# Sourced, never run; needs messages, common.
#
# Such a program ends when its stdin does, so nothing else may hold the write end of
# that pipe: bash does not mark its descriptors close-on-exec, hence `spawn`.

# shellcheck disable=SC2154 # temporary_folder is common.bash's
declare -a private_fds=() # descriptors that a started program must not get
fifo_folder=''            # where the FIFOs are
idle_fd=''                # nothing ever comes from here: to wait without a fork, see rest
verbose_fd=''             # with --verbose: our own stderr, where each command is shown
null_fd=''                # /dev/null: to open it anew costs more than what goes there
PIPE_IN='' PIPE_OUT=''    # see pipe_open and source_open
ERRORS_FD=''              # see errors_open
foreground_pid=''         # the command that `foreground` runs

# processes_open NAME...: makes a FIFO of each name in fifo_folder.
processes_open() {
    local said
    descriptors_check $((32 + 4 * $#))
    if [[ -n $temporary_wanted ]]; then temporary_folder=$temporary_wanted; else temporary_open; fi
    fifo_folder=$temporary_folder
    said=$("$JOSTLE_BIN/arguments" fifos "$fifo_folder" "$@" idle) || die "cannot make FIFOs in $fifo_folder ($said): set TMPDIR to another folder"
    [[ -n $idle_fd ]] || {
        { exec {idle_fd}<>"$fifo_folder/idle"; } 2>/dev/null || fifo_lost idle
        private_fds+=("$idle_fd")
    }
    exec {null_fd}>/dev/null
    private_fds+=("$null_fd")
}

# descriptors_check N: ends us where fewer than N files may be open at a time.
descriptors_check() {
    local word='' limit=unlimited
    while [[ $word != open ]] && read -r _ word _ limit _; do :; done </proc/self/limits # ulimit -n, without a fork
    [[ $limit == unlimited ]] || ((limit >= $1)) || die "only $limit files may be open at a time: raise it to $1 with ulimit -n"
}

# pipe_open NAME: opens a FIFO of processes_open at both of its ends, without waiting for
# anybody: sets PIPE_IN, where a program reads what is written to PIPE_OUT. Both are private.
pipe_open() {
    local both
    { exec {both}<>"$fifo_folder/$1"; } 2>/dev/null || fifo_lost "$1"
    # shellcheck disable=SC2094 # the two ends of a FIFO
    { exec {PIPE_IN}<"$fifo_folder/$1" {PIPE_OUT}>"$fifo_folder/$1"; } 2>/dev/null || fifo_lost "$1"
    exec {both}>&-
    private_fds+=("$PIPE_IN" "$PIPE_OUT")
}

# fifo_lost NAME: ends us, as a FIFO of processes_open cannot be opened; with the reason of the system.
fifo_lost() {
    local said
    said=$({ : <>"$fifo_folder/$1"; } 2>&1) || true
    die "$fifo_folder/$1 cannot be opened (${said##*: }): leave that folder alone while jostle runs, or set TMPDIR to another"
}

# errors_open FILE: makes the file anew for what a program says on stderr, and opens it at ERRORS_FD, which is
# private: the caller closes it by fd_close. A program that was started with a file that cannot be made would never
# run, and its answer would be waited for. The folder may be somebody else's: a link, or a file that has another name,
# too, is replaced.
errors_open() {
    local said
    [[ ! -L $1 && ! -e $1 ]] || said=$(rm -f -- "$1" 2>&1) || errors_refuse "$1" "$said"
    set -C # what is made meanwhile under that name is not opened
    { exec {ERRORS_FD}>"$1"; } 2>&"$null_fd" || {
        said=$({ : >"$1"; } 2>&1) || true
        errors_refuse "$1" "$said"
    }
    set +C
    private_fds+=("$ERRORS_FD")
}

# errors_refuse FILE REASON
errors_refuse() {
    local advice='make room, or choose another folder with --output'
    [[ $2 != *'No space left'* || $(stat -f -c '%d %a' -- "${1%/*}" 2>&1) != '0 '[1-9]* ]] ||
        advice='the disk has room, but no inodes left for a further file (df -i): remove files'
    die "$1 cannot be made (${2##*: }): $advice"
}

# show COMMAND...: with --verbose, prints the command so that a shell can run it.
show() {
    [[ -n $verbose_fd ]] || return 0
    local text
    printf -v text ' %q' "$@"
    printf '+%s\n' "$text" >&"$verbose_fd"
}

# spawn COMMAND...: runs COMMAND in place of this (sub)shell, without any of our own
# descriptors. Call it in a subshell.
spawn() {
    local fd
    show "$@"
    [[ -z $verbose_fd ]] || exec {verbose_fd}>&-
    for fd in "${private_fds[@]}"; do
        exec {fd}>&-
    done
    exec "$@"
}

# spawn_meter FIFO WORD...: runs meter so that its records go to FIFO. That is opened here, when its
# reader is there: of a meter that ends before it would open it nobody would hear.
spawn_meter() {
    local out
    exec {out}>"$1"
    spawn "$JOSTLE_BIN/meter" --with-parent --output "/dev/fd/$out" "${@:2}"
}

# send FD LINE: writes a line to a program. That it is gone is found out by the answer
# that does not come, hence no error here.
send() {
    # shellcheck disable=SC2261 # the two are of different descriptors
    printf '%s\n' "$2" 2>&"$null_fd" >&"$1" || true
}

# fd_close FD: closes one of private_fds, and forgets it.
fd_close() {
    local fd=$1 other
    local -a kept=()
    for other in "${private_fds[@]}"; do
        [[ $other == "$fd" ]] || kept+=("$other")
    done
    private_fds=("${kept[@]}")
    exec {fd}>&-
}

# read_within SECONDS FD NAME: reads a line of FD, or what has come of it after SECONDS, into the variable NAME. Returns what
# read does: above 128 when the time is over. bash waits by select, which knows no descriptor above 1023 (and aborts): such a
# number is ours where a parent has left us a thousand of its files. So the descriptor is number 9 while we wait.
read_within() {
    local IFS='' # of the function: were it the command's, a trap that `read` runs could have no other
    read -r -t "$1" -u 9 "$3" 9<&"$2"
}

# rest SECONDS: waits so long; a signal that has a trap ends it. Without a fork from bash 5.2 on. Before, a
# time-out that is over before `read` has begun to wait is lost, and it waits for ever: 2 ms are, on a busy
# machine.
rest() {
    local _
    if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 502)); then
        read_within "$1" "$idle_fd" _ || true
        return 0
    fi
    {
        verbose_fd='' # not worth a line
        spawn sleep "$1"
    } &
    wait "$!" || kill -s TERM "$!" 2>/dev/null || true
}

# pause_ms N: waits N ms.
pause_ms() {
    local seconds
    printf -v seconds '0.%03d' "$1"
    rest "$seconds"
}

# pid_runs PID: 0 while the process exists and is no zombie.
pid_runs() {
    local stat=''
    { read -r stat <"/proc/$1/stat"; } 2>/dev/null || return 1
    stat=${stat##*) }
    [[ ${stat%% *} != Z && ${stat%% *} != X ]]
}

# pid_end PID SECONDS: waits SECONDS for the process to end by itself, then sends
# SIGTERM, then SIGKILL. Only ever used on our own, unreaped children.
pid_end() {
    local pid=$1 signal ticks
    for signal in '' TERM KILL; do
        [[ -z $signal ]] || kill -s "$signal" "$pid" 2>/dev/null || true
        pid_runs "$pid" || return 0
        rest 0.0002 # most often it is ending
        for ((ticks = $2 * 500; ticks > 0; ticks--)); do
            pid_runs "$pid" || return 0
            pause_ms 2
        done
    done
}

# foreground COMMAND...: runs COMMAND with our stdin, and returns its exit status. A signal
# to us does not wait for it to end, as it does for a command in bash's own foreground; who
# handles the signal ends the command by foreground_end.
foreground() {
    local code=0
    # shellcheck disable=SC2034 # of common.bash
    starting=1
    spawn "$@" <&0 &
    foreground_pid=$!
    started
    wait "$foreground_pid" || code=$?
    foreground_pid=''
    return "$code"
}

# foreground_end: ends what `foreground` runs, with all that it has started.
foreground_end() {
    local pid
    local -a tree=()
    [[ -n $foreground_pid ]] || return 0
    tree_read "$foreground_pid"
    for pid in "${tree[@]}"; do kill -s TERM "$pid" 2>/dev/null || true; done
    for pid in "${tree[@]}"; do pid_end "$pid" 1; done
    foreground_pid=''
}
