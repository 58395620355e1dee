# What the two ends of a connection to another host share here: how long one may be silent, and how what is sent is waited for.
# Sourced, never run; needs messages and processes, with its FIFOs open.

# silence_read: sets SILENCE_S, after how many seconds without a sign of life the other end is given up, and BEAT_S,
# the time between two of ours.
silence_read() {
    env_whole JOSTLE_SILENCE_S 60
    # shellcheck disable=SC2034 # for those who source this
    readonly SILENCE_S=$((REPLY < 2 ? 2 : REPLY))
    # shellcheck disable=SC2034
    readonly BEAT_S=$((SILENCE_S > 10 ? 5 : (SILENCE_S + 1) / 2))
}

# file_moves PID FD SECONDS: waits for the end of our child PID, which reads or writes a file at its descriptor FD; returns
# its status. 124: it has been killed, as nothing has moved there for so long.
file_moves() {
    local place last='' still_cs=0
    while pid_runs "$1"; do
        pause_ms 10
        { read -r _ place <"/proc/$1/fdinfo/$2"; } 2>/dev/null || continue
        # Counted, not measured: while we ourselves are stopped nothing is late.
        still_cs=$((place == ${last:-$place} ? still_cs + 1 : 0)) last=$place
        ((still_cs < $3 * 100)) || {
            kill -s KILL "$1" 2>/dev/null || true
            return 124
        }
    done
    wait "$1"
}
