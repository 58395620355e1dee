# One answer from several experiments, of which a program says which comes next (harness/study/study.h): what campaign, pack,
# profile and predict --check share. Sourced, never run; needs common.bash, and for study_pass of the command: study_failed
# STATUS, which is called when an experiment fails.

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

# study_obey FUNCTION NAME VALUE...: obeys what a program says: calls FUNCTION with the words of each step, and puts what else
# it says into plan; 1 where there is no step.
study_obey() {
    local run=$1 name value left=1
    local -a words=()
    shift
    while (($# > 1)); do
        name=$1 value=$2
        shift 2
        case $name in
            say) [[ -n ${plan[quiet]:-} ]] || warn "$value" ;;
            problem)
                study_discard=1
                die "$value" "$EXIT_USAGE"
                ;;
            step) study_step=$value words=() left=0 ;;
            word) words+=("$value") ;;
            end) "$run" "${words[@]}" ;;
            *) plan[$name]=$value ;;
        esac
    done
    return "$left"
}

# study_pass PROGRAM ARG...: measures what PROGRAM says is next; 1 where nothing is left.
study_pass() {
    local -a answer=()
    answer_read answer "$JOSTLE_BIN/$1" "${@:2}" || exit
    local -x JOSTLE_WITHIN=$1
    study_obey study_run "${answer[@]}"
}

# study_run WORD...: an experiment, by a command line of jostle.
study_run() {
    local code=0
    child_run "$BASH" "$JOSTLE_HARNESS/jostle" "$@" >&2 || code=$?
    ((code <= 128)) || warn "the experiment $study_step was ended by a signal (status $code): continue as after an interruption"
    ((code == 0)) || study_failed "$code"
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
