# Files that the user named, or that are made of records: whole or not at all. Sourced, never run.

# save_output FILE COMMAND...: what COMMAND prints, to FILE, which stays as it was until all of it is
# on the disk (common/save.h). Where FILE cannot be written, which is said, or COMMAND fails, which it
# says itself, the status is not 0.
save_output() {
    local -a status=(0 0)
    { "${@:2}" && printf '\0'; } | "$JOSTLE_BIN/arguments" save "$1" || status=("${PIPESTATUS[@]}")
    ((status[0] == 0)) || return "${status[0]}"
    return "${status[1]}"
}
