# --cold: the page cache before a run. Sourced, never run; needs messages, processes,
# plan. What cannot be done here was refused by experiment.
# shellcheck disable=SC2034,SC2154 # shared with loop.bash and the others

# cold_empty_cache: writes back what is dirty, then empties the page cache, or puts the
# files under --cold-path out of it (posix_fadvise, by dd's nocache).
cold_empty_cache() {
    local path
    foreground sync
    if [[ -w /proc/sys/vm/drop_caches ]]; then
        printf '3\n' >/proc/sys/vm/drop_caches
        return
    fi
    for path in "${plan_cold_paths[@]}"; do
        # shellcheck disable=SC2016 # expanded there
        foreground "$BASH" -p -c 'shopt -s globstar dotglob nullglob
            for file in "$1" "$1"/**/*; do
                [[ ! -d $file || -L $file || (-r $file && -x $file) ]] || exit
                [[ -f $file && ! -L $file ]] || continue
                dd if="$file" iflag=nocache count=0 status=none || [[ ! -e $file ]] || exit
            done' bash "$path" ||
            die "--cold-path $path: some files cannot be read: name others"
    done
}
