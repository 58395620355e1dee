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

# shell_quote WORD...: sets REPLY to the words, quoted so that a shell reads the same
# words back.
shell_quote() {
    REPLY=$("$JOSTLE_BIN/arguments" quote "$@")
}
