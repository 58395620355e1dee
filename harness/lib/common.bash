# What the commands share, with the program arguments behind it: the nearest name, and
# words as a shell has them. Sourced, never run. Reads JOSTLE_LIB and JOSTLE_BIN.

# shellcheck source-path=SCRIPTDIR source=messages.bash
source "$JOSTLE_LIB/messages.bash"

# nearest WORD CANDIDATE...: prints " (did you mean X?)" for the candidate that is
# nearest to WORD, or nothing when none is near.
nearest() {
    "$JOSTLE_BIN/arguments" nearest "$@" 2>/dev/null || true
}

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
