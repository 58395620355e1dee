# What is removed when a command is over. Sourced, never run.

# records_drop FILE: removes a file that an experiment has made in its folder, where it is of no use to
# anybody: an empty one, and any where nothing was measured. What is there and is no file is not ours.
records_drop() {
    local runs=${1%/*}/runs.jsonl
    [[ -f $1 && ! -L $1 ]] || return 0
    [[ -s $1 && (-s $runs || (-e $runs && ! -f $runs)) ]] || rm -f -- "$1" 2>/dev/null || true
}

# file_drop FILE: removes a file of ours, unless somebody has its lock.
file_drop() {
    local code=0
    [[ -f $1 && ! -L $1 && -O $1 ]] || return 0
    "$JOSTLE_BIN/arguments" lock exclusive "$1" 2>/dev/null || code=$?
    ((code == 3)) || rm -f -- "$1"
}
