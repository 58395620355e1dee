# What is beside the target in an experiment: its service, the probe of the machine, an empty page cache.
# Sourced, never run; needs messages, processes, conduct, loop.

# ---- the service: a server that a meter of its own keeps up for the runs, whose target is the client

# shellcheck disable=SC2034,SC2154 # shared with measure.bash and processes.bash

service_pid=''                  # of its meter
declare -A condition_service=() # of a condition with settings of it: which command of its meter

# An end takes 10 s for each of two tries, and then SIGKILL.
readonly SERVICE_END_S=25

# service_begin: starts its meter, and not yet the server.
service_begin() {
    errors_open "$folder/service.meter.stderr"
    source_open service service
    spawn_meter "$fifo_folder/service" "${plan_service[@]}" \
        <&"$PIPE_IN" >&"$null_fd" 2>&"$ERRORS_FD" &
    service_pid=$!
    fd_close "$PIPE_IN"
    fd_close "$ERRORS_FD"
}

# service_failed TEXT: ends the experiment because the service cannot be had.
service_failed() {
    local text=$1
    [[ -n $text ]] || text=$(tail -n 1 "$folder/service.meter.stderr" 2>/dev/null) || true
    text=${text#jostle: }
    die "the service ${plan[service]:0:120}: ${text:-its meter ended}"
}

# service_end: ends the server, by the end of its meter's stdin. Safe to call twice.
service_end() {
    [[ -n $service_pid ]] || return 0
    conduct_say close service
    pid_end "$service_pid" "$SERVICE_END_S"
    service_pid=''
}

# ---- the probe of the machine before each block: a program that lives as long as the experiment, waits for a line, and
# measures what the machine reaches

probe_pid=''

# probe_start: begins it, before its first sample.
probe_start() {
    errors_open "$folder/probe.stderr"
    source_open probe probe
    spawn "$JOSTLE_BIN/probe" "${plan_probe[@]}" <&"$PIPE_IN" >"$fifo_folder/probe" 2>&"$ERRORS_FD" &
    probe_pid=$!
    fd_close "$PIPE_IN"
    fd_close "$ERRORS_FD"
}

# probe_end: ends it, by the end of its stdin. Safe to call twice.
probe_end() {
    [[ -n $probe_pid ]] || return 0
    conduct_say close probe
    pid_end "$probe_pid" 2
    probe_pid=''
}

# ---- --cold: the page cache before a run. What cannot be done here was refused by experiment.

# cold_empty_cache: writes back what is dirty, then empties the page cache, or puts the
# files under --cold-path out of it (posix_fadvise, by dd's nocache).
cold_empty_cache() {
    local path
    foreground sync
    if [[ -w /proc/sys/vm/drop_caches ]]; then
        printf '3\n' >/proc/sys/vm/drop_caches
        return
    fi
    for path in "${plan_cold_paths[@]}"; do
        # shellcheck disable=SC2016 # expanded there
        foreground "$BASH" -p -c 'shopt -s globstar dotglob nullglob
            for file in "$1" "$1"/**/*; do
                [[ ! -d $file || -L $file || (-r $file && -x $file) ]] || exit
                [[ -f $file && ! -L $file ]] || continue
                dd if="$file" iflag=nocache count=0 status=none || [[ ! -e $file ]] || exit
            done' bash "$path" ||
            die "--cold-path $path: some files cannot be read: name others"
    done
}
