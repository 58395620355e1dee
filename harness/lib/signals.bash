# The signals that end a command. Sourced, never run.

# What a closed terminal, Ctrl-C, Ctrl-\ and a batch system send.
ENDING_SIGNALS=(INT TERM HUP QUIT)
# What a shell says of a command that was ended so.
declare -gA ENDED_BY=([HUP]=129 [INT]=130 [QUIT]=131 [TERM]=143)

# signals_trap FUNCTION: has each of them call `FUNCTION SIGNAL STATUS`, with the exit status that
# says so.
signals_trap() {
    local signal
    # shellcheck disable=SC2064 # these names
    for signal in "${ENDING_SIGNALS[@]}"; do trap "$1 $signal ${ENDED_BY[$signal]}" "$signal"; done
}

# signals_ignore: none of them disturbs what is left to be tidied up, nor what is started for that; nor
# does a failure: of a terminal that was closed each message is one. Call it first.
signals_ignore() {
    set +e
    trap '' "${ENDING_SIGNALS[@]}"
}
