# The probe of the machine before each block: a program that lives as long as the experiment,
# waits for a line, and measures what the machine reaches. Sourced, never run; needs
# messages, processes, stats.
# shellcheck disable=SC2034,SC2154 # shared with plan.bash, loop.bash and processes.bash

probe_in='' probe_pid=''

# Opening its buffers, and the measurement itself, take fractions of a second.
readonly PROBE_S=10

# probe_start: begins it, where the plan has one; it is ready before the first sample.
probe_start() {
    ((${#plan_probe[@]} > 0)) || return 0
    local out
    errors_create "$folder/probe.stderr"
    stats_say probe "$fifo_folder/probe"
    # Nobody waits until it is ready: by then the FIFOs may have no names, hence they are opened
    # here; and it may write before stats reads, hence at both ends.
    exec {out}<>"$fifo_folder/probe"
    private_fds+=("$out")
    pipe_open probe.in
    spawn "$JOSTLE_BIN/probe" "${plan_probe[@]}" <&"$PIPE_IN" >&"$out" 2>"$folder/probe.stderr" &
    probe_pid=$! probe_in=$PIPE_OUT
    fd_close "$PIPE_IN"
    fd_close "$out"
}

# probe_sample SECONDS: has it measure, and stats keep it for the next run; NEXT is then what
# follows. One that fails or is silent is given up by stats.
probe_sample() {
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
