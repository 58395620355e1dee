# Where on the machine target and loads sit: --place, --target-cpus and
# --load-cpus against what the machine has and what is allowed here. Sourced,
# never run; needs common. The program topology knows all of it.

placement_target=''   # the CPUs that the target is pinned to, in every condition; nothing: not pinned
placement_load=''     # the same of the loads
placement_json='null' # topology's answer

# placement_arguments: sets PLACEMENT_ARGUMENTS to the options of topology.
placement_arguments() {
    local name
    PLACEMENT_ARGUMENTS=()
    for name in place place-cpus target-cpus load-cpus; do
        [[ -z ${options[${name//-/_}]:-} ]] || PLACEMENT_ARGUMENTS+=("--$name" "${options[${name//-/_}]}")
    done
}

# placement_ask ARG...: sets placement_json to topology's answer; ends as it does
# where it has none.
placement_ask() {
    [[ -x $JOSTLE_BIN/placement ]] || die "$JOSTLE_BIN/placement is missing: run make"
    placement_json=$("$JOSTLE_BIN/placement" --json "$@") || exit
}

# placement_find: reads the options; ends with wrong use where the machine, or
# what is allowed of it, does not have what they ask for.
placement_find() {
    local -a PLACEMENT_ARGUMENTS
    placement_arguments
    placement_ask "${PLACEMENT_ARGUMENTS[@]}"
    [[ $placement_json == *'"this_system":true'* || -z ${options[place]:-} ]] ||
        usage_error "--place ${options[place]}: hwloc shows another machine than this one: unset HWLOC_SYNTHETIC, HWLOC_XMLFILE"
    placement_target=${options[target_cpus]:-} placement_load=${options[load_cpus]:-}
    if [[ -n ${options[place]:-} && ${options[place]} != machine ]]; then
        placement_field target_cpus
        placement_target=$REPLY
        placement_field load_cpus
        placement_load=$REPLY
    fi
    placement_warn
}

# placement_field NAME: sets REPLY to a text in topology's answer.
placement_field() {
    [[ $placement_json =~ \"$1\":\"([^\"]*)\" ]] || die "topology told no $1"
    REPLY=${BASH_REMATCH[1]}
}

# placement_warn: topology's warning, where target and load were asked for CPUs.
placement_warn() {
    [[ -n $placement_target$placement_load ]] || return 0
    [[ ! $placement_json =~ \"warnings\":\[\"([^\"]*)\"\] ]] || warn "${BASH_REMATCH[1]}"
}

# placement_load_cpus NODE: sets REPLY to the CPUs for a load on NODE, nothing
# for this one. --place is about this machine alone.
placement_load_cpus() {
    REPLY=${options[load_cpus]}
    [[ -n $1 ]] || REPLY=$placement_load
}
