# Where a command keeps what it makes for itself. Sourced, never run; needs messages.bash.
#
# It is one folder, which the keeper knows (see harness/jostle): when the command is killed, lib/killed
# removes it, and what temporary_note has named.
# shellcheck disable=SC2034 # read by those who source this

temporary_folder='' # empty: not made yet
temporary_wanted=${JOSTLE_TEMPORARY:-}
unset JOSTLE_TEMPORARY # it is not for a target

# temporary_open: makes the folder, unless that was done.
temporary_open() {
    [[ -z $temporary_folder ]] || return 0
    if [[ -n $temporary_wanted ]]; then
        # Named first: a signal may come right after it was made.
        temporary_folder=$temporary_wanted
        mkdir -m 700 -- "$temporary_folder" 2>/dev/null || ! temporary_folder=''
    else
        temporary_folder=$(mktemp -d 2>/dev/null)
    fi || die 'cannot make a temporary folder: set TMPDIR to one that can be written'
}

# temporary_make NAME: sets REPLY to a new folder of that name in there.
temporary_make() {
    temporary_open
    REPLY=$temporary_folder/$1
    mkdir -- "$REPLY" 2>/dev/null || die "cannot make the folder $REPLY: set TMPDIR to one that can be written"
}

# temporary_file NAME: sets REPLY to a new, empty file of that name in there.
temporary_file() {
    temporary_open
    REPLY=$temporary_folder/$1
    { : >"$REPLY"; } 2>/dev/null || die "cannot write $REPLY: set TMPDIR to a folder that can be written"
}

# temporary_note KIND PATH...: has lib/killed see to each PATH, which is somewhere else, if we are killed, in
# this order. KIND is file, folder (with all that is in it), empty (a folder, if it is), record (see
# records_drop), revisions, off (commands, run by bash) or groups (control groups of settings; PATH is any
# folder that is there).
temporary_note() {
    local kind=$1 path
    temporary_open
    for path in "${@:2}"; do
        [[ $path == /* ]] || path=$PWD/$path
        printf '%s\0%s\0' "$kind" "$path"
    done 2>/dev/null >>"$temporary_folder/noted" ||
        die "cannot write to $temporary_folder: is the disk full? Make room, or set TMPDIR to another folder"
}

# temporary_close: removes the folder. What was noted has been seen to. Safe to call twice.
temporary_close() {
    [[ -z $temporary_folder ]] || rm -rf -- "$temporary_folder"
    temporary_folder=''
}
