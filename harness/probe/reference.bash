# `jostle probe --reference`: the steps of it. Sourced, never run; needs common.
# The program probe says what is to be done, and judges what came of it.

# shellcheck source-path=SCRIPTDIR/../lib source=../lib/child.bash
source "$JOSTLE_LIB/child.bash"
# shellcheck source-path=SCRIPTDIR/../lib source=../lib/save.bash
source "$JOSTLE_LIB/save.bash"
# shellcheck source-path=SCRIPTDIR/../lib source=../lib/workfile.bash
source "$JOSTLE_LIB/workfile.bash"

# probe_reference ARG...: makes a reference, keeps it, and shows it.
probe_reference() {
    local -A plan=()
    local -a slowdown=() asked=("$@")
    reference_plan
    [[ -n ${plan[quiet]:-} || -n ${plan[again]:-} ]] || printf '%s\n' "${plan[forecast]}" >&2
    [[ -z ${plan[disk]:-} ]] || export TMPDIR=${plan[disk]}
    signals_trap reference_interrupted
    if [[ -n ${plan[again]:-} ]]; then
        reference_look
    else
        reference_begin
        reference_measure
    fi
    reference_keep
}

# reference_plan: fills plan and slowdown by the program's own reading of the
# command line; ends with its status where that is wrong or is --help.
reference_plan() {
    local i
    local -a text=()
    answer_read text "$JOSTLE_BIN/probe" reference "${asked[@]}" || exit
    if ((${#text[@]} == 1)); then # --help, --version
        print_text "${text[0]}"
        exit 0
    fi
    for ((i = 0; i + 1 < ${#text[@]}; i += 2)); do
        case ${text[i]} in
            argument) slowdown+=("${text[i + 1]}") ;;
            *) plan[${text[i]}]=${text[i + 1]} ;;
        esac
    done
}

# reference_begin: looks whether the machine is quiet, where that was not done yet. An
# earlier experiment in our own folder makes room for this one.
reference_begin() {
    local there folder=${plan[folder]}
    if [[ -n ${plan[resume]:-} ]]; then
        [[ -e $folder/experiment/experiment.json ]] || die "$folder: there is nothing to resume: leave --resume out"
        return 0
    fi
    if [[ -n ${plan[own_folder]:-} ]]; then
        rm -rf -- "$folder/experiment"
        rm -f -- "$folder"/quiet-*.json
    elif [[ -e $folder/experiment ]]; then
        usage_error "$folder: there is an experiment in it: continue it with --resume, or give another --output"
    fi
    there=$(ls -A -- "$folder" 2>/dev/null) || true
    [[ -n ${plan[own_folder]:-} || -z $there || $there == quiet.json ]] || # of a look behind which nothing was measured
        usage_error "$folder is not empty, and holds no reference's records: choose another --output, one that is empty or not there"
    mkdir -p -- "$folder" 2>/dev/null || die "$folder cannot be made: give another --output"
    reference_look
}

# reference_look [--after]: what the reporters reach without any load, before the experiment or after it.
reference_look() {
    child_run "$JOSTLE_BIN/start" --cpus "${plan[target_cpus]}" -- "$JOSTLE_BIN/probe" reference --look "${plan[folder]}" "$@" "${asked[@]}" || exit
}

# reference_interrupted SIGNAL STATUS: what is running is ended, what was measured stays.
reference_interrupted() {
    local arg
    local -a again=()
    child_end
    for arg in "${asked[@]}"; do
        [[ $arg == --resume ]] || again+=("$arg")
    done
    [[ ! -s ${plan[folder]}/experiment/runs.jsonl ]] || next_command resume probe "${again[@]}" --resume
    exit "$2"
}

# reference_measure: the experiment. Its own table is of no interest, its progress is.
reference_measure() {
    local code=0 quiet=${plan[quiet]:-}
    is_terminal 2 || quiet=1
    child_run "$BASH" "$JOSTLE_HARNESS/jostle" slowdown ${quiet:+--quiet} "${slowdown[@]}" >/dev/null || code=$?
    # It has said why.
    ((code == 0)) || exit "$code"
    reference_look --after
}

# reference_keep: derives the record, keeps it, and shows it.
reference_keep() {
    local record
    record=$("$JOSTLE_BIN/probe" reference --derive "${plan[folder]}" "${asked[@]}") || exit
    if [[ ${plan[json]:-} == - ]]; then
        print '%s\n' "$record"
        return
    fi
    if [[ -n ${plan[json]:-} ]]; then
        save_output "${plan[json]}" printf '%s\n' "$record" || exit
    fi
    [[ -n ${plan[quiet]:-} ]] || jq -r -L "$JOSTLE_HARNESS" -L "$JOSTLE_LIB" --arg file "${plan[record]}" --arg folder "${plan[folder]}" \
        -f "$JOSTLE_HARNESS/probe/reference.jq" <<<"$record"
}
