# One answer from several experiments, of which a program says which comes next (harness/study/study.h): what pack,
# profile and predict --check share. Sourced, never run; needs common.bash, and of the command: study_failed STATUS,
# which is called when an experiment fails.

# shellcheck disable=SC2034 # study_step is read by study_failed
declare -A plan=()              # what the program made of the command line, and says besides
study_command='' study_first='' # the command, and the name of its first experiment
study_step=''                   # the experiment that is measured, or was last
study_discard=''                # not empty: the first experiment is of no use
declare -a study_asked=()       # the command line

# study_begin COMMAND FIRST [ARG...]: what happens at the end, and on a signal, to a study that begins with the
# experiment FIRST.
study_begin() {
    study_command=$1 study_first=$2 study_asked=("${@:3}")
    trap study_tidy EXIT
    signals_trap study_interrupted
}

# study_pass PROGRAM ARG...: measures what PROGRAM says is next, and puts what else it says into plan; 1 where nothing
# is left.
study_pass() {
    local i code left=1
    local -a answer=() words=()
    answer_read answer "$JOSTLE_BIN/$1" "${@:2}" || exit
    for ((i = 0; i + 1 < ${#answer[@]}; i += 2)); do
        case ${answer[i]} in
            say) [[ -n ${plan[quiet]:-} ]] || warn "${answer[i + 1]}" ;;
            problem)
                study_discard=1
                die "${answer[i + 1]}" "$EXIT_USAGE"
                ;;
            step) study_step=${answer[i + 1]} words=() left=0 ;;
            word) words+=("${answer[i + 1]}") ;;
            end)
                code=0
                JOSTLE_WITHIN=$1 child_run "$BASH" "$JOSTLE_HARNESS/jostle" "${words[@]}" >&2 || code=$?
                ((code == 0)) || study_failed "$code"
                ;;
            *) plan[${answer[i]}]=${answer[i + 1]} ;;
        esac
    done
    return "$left"
}

# study_interrupted SIGNAL STATUS: what is running is ended, what was measured stays.
study_interrupted() {
    local -a more=()
    child_end
    if [[ ! -s ${plan[folder]}/$study_first/runs.jsonl || -n ${plan[check_noise]:-} ]]; then
        warn "interrupted by SIG$1"
    else
        warn "interrupted by SIG$1: what was measured is in ${plan[folder]}"
        [[ -n ${plan[resume]:-} ]] || more+=(--resume)
        [[ -n ${plan[named]:-} ]] || more+=(--output "${plan[folder]}")
        next_command resume "$study_command" "${more[@]}" "${study_asked[@]}"
    fi
    exit "$2"
}

# study_tidy: at the end, whatever the reason: a folder in which nothing of use was measured is removed.
study_tidy() {
    local code=$? folder=${plan[folder]}
    signals_ignore
    temporary_close
    [[ -z ${plan[begun]:-} ]] || exit "$code"
    [[ -z $study_discard ]] || rm -rf -- "${folder:?}/$study_first"
    if [[ ! -e $folder/$study_first/runs.jsonl ]]; then
        rm -f -- "$folder/$study_command-plan.json"
        [[ -z ${plan[made]:-} ]] || rmdir -- "$folder/$study_first" "$folder" 2>/dev/null
        [[ -n ${plan[named]:-} ]] || rmdir -- "${folder%/*}" 2>/dev/null
    fi
    exit "$code"
}
