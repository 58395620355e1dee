# The folder of an experiment, when it is over. Sourced, never run.

# records_drop FILE: removes a file that an experiment has made in its folder, where it is of no use to
# anybody: an empty one, and any where nothing was measured. What is there and is no file is not ours.
records_drop() {
    local runs=${1%/*}/runs.jsonl
    [[ -f $1 && ! -L $1 ]] || return 0
    [[ -s $1 && (-s $runs || (-e $runs && ! -f $runs)) ]] || rm -f -- "$1" 2>/dev/null || true
}
