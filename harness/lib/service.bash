# The service of an experiment: a server that a meter of its own keeps up for the runs, whose
# target is the client. Sourced, never run; needs messages, processes, stats, loop.
# shellcheck disable=SC2034,SC2154 # shared with plan.bash, loop.bash and processes.bash

service_in='' service_pid='' # of its meter
service_block=''             # the block that it was started for

# A mark takes as long as the kernel needs to list the server's processes; an end, 10 s for
# each of two tries, and then SIGKILL.
readonly SERVICE_MARK_S=60 SERVICE_END_S=25

# service_begin: starts its meter, and not yet the server.
service_begin() {
    errors_create "$folder/service.meter.stderr"
    stats_say service "$fifo_folder/service"
    pipe_open service.in
    spawn_meter "$fifo_folder/service" "${plan_service[@]}" \
        <&"$PIPE_IN" >&"$null_fd" 2>"$folder/service.meter.stderr" &
    service_pid=$! service_in=$PIPE_OUT
    fd_close "$PIPE_IN"
}

# service_up BLOCK: has the server up for a run: a new one for each block, unless it is to be
# kept. Runs outside of blocks (0: warm-up, washout) take the one that is there.
service_up() {
    local word=start
    if [[ $1 != 0 && $1 != "$service_block" ]]; then
        [[ -n ${plan[keep_service]:-} ]] || word=restart
        service_block=$1
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
