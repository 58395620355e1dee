# The page cache before a cold run. Sourced, never run; needs common, pipes.

# cache_check: says once how far --cold reaches here, or that it cannot.
cache_check() {
    [[ ! -w /proc/sys/vm/drop_caches ]] || return 0
    [[ -n ${options[cold_path]} ]] ||
        usage_error "--cold without root reaches only named files: add --cold-path, or run as root"
    warn "--cold without root: only the files under --cold-path leave the page cache, not metadata, which is less"
}

# cache_empty: writes back what is dirty, then empties the page cache, or puts
# the files under --cold-path out of it (posix_fadvise, by dd's nocache).
cache_empty() {
    local path
    sync
    if [[ -w /proc/sys/vm/drop_caches ]]; then
        printf '3\n' >/proc/sys/vm/drop_caches
        return
    fi
    while IFS= read -r path; do
        (spawn find "$path" -type f -exec dd if={} iflag=nocache count=0 status=none \;) ||
            die "--cold-path $path: some files cannot be read: name others"
    done <<<"${options[cold_path]%$'\n'}"
}
