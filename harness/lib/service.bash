# What is beside the target in an experiment: its service, the probe of the machine, an empty page cache.
# The service of an experiment: a server that a meter of its own keeps up for the runs, whose
# target is the client. Sourced, never run; needs messages, processes, stats, loop.
# shellcheck disable=SC2034,SC2154 # shared with plan.bash, loop.bash and processes.bash

service_in='' service_pid=''    # of its meter
service_block=''                # the block that it was started for
service_warms=''                # its server is new, and has been warmed only
declare -A condition_service=() # of a condition with settings of it: which command of its meter

# A mark takes as long as the kernel needs to list the server's processes; an end, 10 s for
# each of two tries, and then SIGKILL.
readonly SERVICE_MARK_S=60 SERVICE_END_S=25

# service_begin: starts its meter, and not yet the server.
service_begin() {
    errors_open "$folder/service.meter.stderr"
    stats_say service "$fifo_folder/service"
    pipe_open service.in
    spawn_meter "$fifo_folder/service" "${plan_service[@]}" \
        <&"$PIPE_IN" >&"$null_fd" 2>&"$ERRORS_FD" &
    service_pid=$! service_in=$PIPE_OUT
    fd_close "$PIPE_IN"
    fd_close "$ERRORS_FD"
}

# service_up CONDITION BLOCK: has the server up for a run: a new one for each block, unless it is to be
# kept. Runs outside of blocks (0: warm-up, washout) take the one that is there; those right after a
# start come with the block that it is for. Where a condition has settings of the server there is a new
# one for each run, as all are compared, which the unmeasured runs before it have started already.
service_up() {
    local word=start
    if [[ -n ${plan[service_settings]:-} ]]; then
        [[ -n $service_warms ]] || word="restart ${condition_service[$1]:-0}"
        service_warms=${NEXT[7]:-}
    elif [[ $2 != 0 && $2 != "$service_block" ]]; then
        [[ -n ${plan[keep_service]:-} ]] || word=restart
        service_block=$2
    fi
    send "$service_in" "$word"
    stats_await 0 up service
}

# service_mark: has its meter note what it has used so far.
service_mark() {
    send "$service_in" mark
    stats_await "$SERVICE_MARK_S" mark service || die "the service's meter has been silent for $SERVICE_MARK_S s"
}

# service_await_run EVENT: waits for the event of meter that ends the run; a client whose
# server has died is ended. Again each second: meter takes no notice of a signal that comes
# before it has read that it is to run the client.
service_await_run() {
    local seconds=0
    until stats_await "$seconds" "$1" meter; do
        kill -s RTMIN "$meter_pid" 2>/dev/null || true
        seconds=1
    done
}

# service_failed TEXT: ends the experiment because the service cannot be had.
service_failed() {
    local text=$1
    # A signal to all of us may have reached its meter first: see measure_run_failed.
    sleep 0.3
    [[ -n $text ]] || text=$(tail -n 1 "$folder/service.meter.stderr" 2>/dev/null) || true
    text=${text#jostle: }
    die "the service ${plan[service]:0:120}: ${text:-its meter ended}"
}

# service_end: ends the server, by the end of its meter's stdin. Safe to call twice.
service_end() {
    [[ -n $service_pid ]] || return 0
    fd_close "$service_in"
    pid_end "$service_pid" "$SERVICE_END_S"
    service_pid=''
}

# ---- the probe of the machine before each block: a program that lives as long as the experiment, waits for a line, and
# measures what the machine reaches

probe_in='' probe_pid=''

# Opening its buffers, and the measurement itself, take fractions of a second.
readonly PROBE_S=10

# probe_start: begins it.
probe_start() {
    local out
    errors_open "$folder/probe.stderr"
    stats_say probe "$fifo_folder/probe"
    # Nobody waits until it is ready: by then the FIFOs may have no names, hence they are opened
    # here; and it may write before stats reads, hence at both ends.
    { exec {out}<>"$fifo_folder/probe"; } 2>/dev/null || fifo_lost probe
    private_fds+=("$out")
    pipe_open probe.in
    spawn "$JOSTLE_BIN/probe" "${plan_probe[@]}" <&"$PIPE_IN" >&"$out" 2>&"$ERRORS_FD" &
    probe_pid=$! probe_in=$PIPE_OUT
    fd_close "$PIPE_IN"
    fd_close "$ERRORS_FD"
    fd_close "$out"
}

# probe_sample SECONDS: has it measure, and stats keep it for the next run; NEXT is then what
# follows. It is begun before the first sample. One that fails or is silent is given up by stats.
probe_sample() {
    [[ -n $probe_pid ]] || probe_start
    send "$probe_in" "sample $1"
    stats_await "$PROBE_S" sample probe || true
    stats_decide probed
}

# probe_end: ends it, by the end of its stdin. Safe to call twice.
probe_end() {
    [[ -n $probe_pid ]] || return 0
    fd_close "$probe_in"
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
