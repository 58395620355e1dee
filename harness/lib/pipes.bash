# Helper processes that are spoken to line by line (loads, estimate).
# Sourced, never run; needs common.bash.
#
# A helper ends when its stdin does, so nothing else may hold the write end:
# bash does not mark such descriptors close-on-exec, hence `spawn`.

declare -a pipe_fds=() # every descriptor that a started program must not get
# shellcheck disable=SC2034 # set by experiment.bash
verbose_fd='' # with --verbose: our own stderr, where each command is shown

# spawn COMMAND...: runs COMMAND in place of this (sub)shell, without any of
# the helpers' pipes. Call it in a subshell.
spawn() {
    local fd
    if [[ -n $verbose_fd ]]; then
        shell_quote "$@"
        printf '+ %s\n' "$REPLY" >&"$verbose_fd"
        exec {verbose_fd}>&-
    fi
    for fd in "${pipe_fds[@]}"; do
        exec {fd}>&-
    done
    exec "$@"
}

# pipe_start STDERR COMMAND...: starts COMMAND with a pipe at its stdin and one
# at its stdout. Sets PIPE_IN (write here), PIPE_OUT (read here), PIPE_PID.
pipe_start() {
    local errors=$1 folder
    shift
    folder=$(mktemp -d) || die "cannot make a temporary folder: set TMPDIR to one that can be written"
    mkfifo "$folder/in"
    exec {PIPE_OUT}< <(spawn "$@" <"$folder/in" 2>"$errors")
    # shellcheck disable=SC2034 # for the caller
    PIPE_PID=$!
    exec {PIPE_IN}>"$folder/in"
    rm -r "$folder"
    pipe_fds+=("$PIPE_IN" "$PIPE_OUT")
}

# pipe_close FD: closes one end, and forgets it.
pipe_close() {
    local fd=$1 other
    local -a kept=()
    for other in "${pipe_fds[@]}"; do
        [[ $other == "$fd" ]] || kept+=("$other")
    done
    pipe_fds=("${kept[@]}")
    exec {fd}>&-
}

# pid_runs PID: 0 while the process exists and is no zombie.
pid_runs() {
    local stat=''
    { read -r stat <"/proc/$1/stat"; } 2>/dev/null || return 1
    stat=${stat##*) }
    [[ ${stat%% *} != Z && ${stat%% *} != X ]]
}

# pid_end PID SECONDS: waits SECONDS for the process to end by itself, then
# sends SIGTERM, then SIGKILL. Only ever used on our own, unreaped children.
pid_end() {
    local pid=$1 signal ticks
    for signal in '' TERM KILL; do
        [[ -z $signal ]] || kill -s "$signal" "$pid" 2>/dev/null || true
        for ((ticks = $2 * 100; ticks > 0; ticks--)); do
            pid_runs "$pid" || return 0
            sleep 0.01
        done
    done
}
