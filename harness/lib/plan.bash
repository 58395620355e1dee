# What `experiment` makes of the command line: which programs are to be started, and
# how. Sourced, never run; needs messages, loads.
# shellcheck disable=SC2034,SC2154 # shared with loop.bash and the others

declare -A plan=()                          # the settings that the loop acts on, by name
declare -a plan_meter=() plan_cold_paths=() # meter's command line; files for --cold
declare -a plan_service=()                  # the arguments of the meter that keeps the service
declare -a plan_probe=()                    # the arguments of the probe before each block; none: there is none
declare -a plan_resume=()                   # the words that make the command line one that resumes
declare -a conditions=()                    # in order
declare -A condition_variant=()             # of a condition: the number of its command
declare -A condition_load=()                # and the name that its loads go by
declare -A condition_on=() condition_off=() # commands around each of its runs, of --setting
declare -A condition_sweep=()               # 1: its target has settings, whose groups go after each run
# Of each of meter's commands: as a shell has it, and what comes around it, where there is any.
declare -a command_text=() command_folder=() command_setup=() command_prepare=() command_conclude=() command_cleanup=()

# plan_read KIND ARG...: has experiment check a command line of `jostle KIND`, and reads
# its plan. Exits as experiment does where it refuses.
plan_read() {
    local -a text
    local -A of_name=() away=()
    local i name
    [[ -x $JOSTLE_BIN/experiment ]] || die "$JOSTLE_BIN/experiment is missing: run make"
    answer_read text "$JOSTLE_BIN/experiment" "$@" || exit
    # --help and --version are one text.
    ((${#text[@]} > 1)) || {
        print_text "${text[*]}"
        exit 0
    }
    for ((i = 0; i + 1 < ${#text[@]}; i += 2)); do
        plan_take "${text[i]}" "${text[i + 1]}"
    done
    for i in "${!load_name[@]}"; do
        of_name["${load_condition[i]}"]+=" $i"
        [[ -z ${load_node[i]} ]] || away["${load_condition[i]}"]=1
    done
    for name in "${conditions[@]}"; do
        condition_loads["$name"]=${of_name[${condition_load[$name]}]:-}
        condition_remote["$name"]=${away[${condition_load[$name]}]:-}
    done
}

# plan_take KEY VALUE: one pair of the plan; what begins with load_ is of the last load.
plan_take() {
    local last=$((${#load_name[@]} - 1))
    case $1 in
        load)
            load_name+=("$2") load_condition+=('') load_node+=('') load_listens+=('') load_percent+=('') load_settings+=('')
            load_first+=("${#load_words[@]}") load_count+=(0)
            ;;
        load_condition) load_condition[last]=$2 ;;
        load_node) load_node[last]=$2 ;;
        load_listens) load_listens[last]=$2 ;;
        load_percent) load_percent[last]=$2 ;;
        load_setting) load_settings[last]+=" --set $2" ;;
        load_word) load_words+=("$2") load_count[last]=$((load_count[last] + 1)) ;;
        service_word) plan_service+=("$2") ;;
        probe_word) plan_probe+=("$2") ;;
        meter) plan_meter+=("$2") ;;
        resume_word) plan_resume+=("$2") ;;
        cold_path) plan_cold_paths+=("$2") ;;
        command_text) command_text+=("$2") ;;
        command_folder) command_folder[${#command_text[@]} - 1]=$2 ;;
        command_setup) command_setup[${#command_text[@]} - 1]=$2 ;;
        command_prepare) command_prepare[${#command_text[@]} - 1]=$2 ;;
        command_conclude) command_conclude[${#command_text[@]} - 1]=$2 ;;
        command_cleanup) command_cleanup[${#command_text[@]} - 1]=$2 ;;
        condition) conditions+=("$2") condition_variant[$2]=0 condition_load[$2]=$2 ;;
        condition_variant) condition_variant[${conditions[-1]}]=$2 ;;
        condition_load) condition_load[${conditions[-1]}]=$2 ;;
        condition_sweep) condition_sweep[${conditions[-1]}]=1 ;;
        condition_on) condition_on[${conditions[-1]}]=$2 ;;
        condition_off) condition_off[${conditions[-1]}]=$2 ;;
        *) plan[$1]=$2 ;;
    esac
}
