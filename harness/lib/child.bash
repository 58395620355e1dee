# A command that takes long, whose end a signal to us must not wait for. Sourced, never run.

# shellcheck source-path=SCRIPTDIR source=signals.bash
source "$JOSTLE_LIB/signals.bash"

child='' # the process that runs; "": none

# child_run COMMAND...: runs it to its end; its status. A signal to us ends the wait: see child_end.
child_run() {
    local code=0
    # A job in the background has no stdin; nor have ours any use for it.
    "$@" </dev/null &
    child=$!
    wait "$child" || code=$?
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
