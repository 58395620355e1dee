# What the machine was like, noted once for each experiment.
# Sourced, never run; needs common, slurm.

# first_line FILE: prints the first line of FILE, or nothing.
first_line() {
    local line=''
    { read -r line <"$1"; } 2>/dev/null || true
    printf '%s' "$line"
}

# field_of FILE NAME: prints what follows "NAME :" in a /proc-style file.
field_of() {
    awk -F: -v name="$2" '{ key = $1; gsub(/[ \t]+$/, "", key) } key == name { sub(/^[ \t]+/, "", $2); print $2; exit }' "$1"
}

# environment_json FOLDER: prints the facts as one JSON object; FOLDER is where
# the target runs.
environment_json() {
    local governor memory_kib hypervisor=no
    governor=$(first_line /sys/devices/system/cpu/cpu0/cpufreq/scaling_governor)
    memory_kib=$(field_of /proc/meminfo MemTotal)
    slurm_json
    ! grep -qm1 '^flags.*\<hypervisor\>' /proc/cpuinfo || hypervisor=yes
    jq -n \
        --arg host "$(uname -n)" --arg kernel "$(uname -sr)" --arg architecture "$(uname -m)" \
        --arg os "$(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' /etc/os-release 2>/dev/null)" \
        --arg cpu "$(field_of /proc/cpuinfo 'model name')" \
        --argjson cpus_online "$(getconf _NPROCESSORS_ONLN)" \
        --arg cpus_allowed "$(field_of /proc/self/status Cpus_allowed_list)" \
        --arg governor "${governor:-unknown}" --arg virtual_machine "$hypervisor" \
        --argjson memory_bytes "$((${memory_kib% kB} * 1024))" \
        --arg load_average "$(first_line /proc/loadavg)" \
        --arg clocksource "$(first_line /sys/devices/system/clocksource/clocksource0/current_clocksource)" \
        --arg folder "$1" --arg file_system "$(stat -f -c %T "$1")" \
        --arg device "$(df --output=source "$1" | tail -n 1)" \
        --arg jostle "$JOSTLE_VERSION" --arg bash "$BASH_VERSION" \
        --argjson slurm "$REPLY" \
        -f "$JOSTLE_LIB/environment.jq"
}
