# What the commands that measure (run, slowdown) share: their options, their
# help, and the libraries. Sourced, never run.

for measuring_part in common options pipes ../../jobs/slurm/slurm ../../jobs/slurm/remote placement loads cache environment facts ../doctor/doctor \
    result status resume/resume experiment; do
    # shellcheck source=/dev/null
    source "$JOSTLE_LIB/$measuring_part.bash"
done
unset measuring_part

declare -A options=([aa]='' [at_most]='')
declare -a target=() loads_given=()
# shellcheck disable=SC2034 # read through a nameref
declare -a measuring_options=(
    "load|NAME=SPEC|list||a load: a loadgen command line, joined by ' + ', or exec: COMMAND"
    "${experiment_options[@]}"
)

# measuring_parse ARG...: fills options, loads_given, conditions and target.
measuring_parse() {
    local spec
    options_defaults measuring_options options
    options_parse measuring_options options target "$@"
    if [[ -n ${options[help]} ]]; then
        usage
        exit 0
    fi
    [[ ${#target[@]} -gt 0 ]] || usage_error "no target: write the command to measure after --"
    [[ -z ${options[load]} ]] || mapfile -t loads_given <<<"${options[load]%$'\n'}"
    for spec in "${loads_given[@]}"; do loads_parse "$spec"; done
    slurm_pin
    placement_find
}

# measuring_help: what is the same in the help of run and slowdown.
measuring_help() {
    cat <<'END'
SPEC is what follows `loadgen` on its command line (see `loadgen --help`), such
as `cpu --percent 50`; several are joined by ` + `. `exec: COMMAND` takes any
program as the load. Without NAME= the load is named by its first word.
In a Slurm job NAME@2=SPEC puts the load on the allocation's second node (1 is
the target's), NAME@all-others=SPEC on each of the others; `@2 ` before one of
several joined loads that one alone. {node2} in a SPEC is that node's name.

Options:
END
    options_help measuring_options
    cat <<'END'

Exit status:
  0  measured (--at-most: below)    1  failure of jostle or of a load    2  wrong use
  3  --at-most: above    4  --at-most: not decided    5  the target failed    129, 130, 143  interrupted by a signal
END
}
