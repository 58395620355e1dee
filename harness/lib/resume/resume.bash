# Going on with an experiment that was interrupted. Sourced, never run; needs
# common, pipes, experiment.
#
# Whatever is in runs.jsonl is told to estimate again, with the same seed: so it
# comes to the state that it was in, and asks for the next run.

# shellcheck disable=SC2154,SC2034 # options, runs_total and so on are experiment.bash's
resumed=''        # not empty once records of an earlier session have been taken over
resume_known=0    # runs that those records hold
resume_aside=0    # runs of them that had to be set aside
resume_lock_fd='' # held while we measure: it locks runs.jsonl
readonly LOCK_CONFLICT=9 LOCK_WAIT_S=2

# resume_prepare: before the options are completed: what --resume needs, and the
# seed of the earlier session.
resume_prepare() {
    local file=${options[output]}/experiment.json
    [[ -n ${options[output]} ]] || usage_error '--resume: which experiment? Give its folder with --output'
    [[ -s $file && -z ${options[seed]} ]] || return 0
    options[seed]=$(jq -r '.settings.seed // empty' "$file" 2>/dev/null) || true
}

# records_lock FOLDER: holds FOLDER/runs.jsonl for us alone; ends where another
# process has it. The lock goes with us, whatever ends us.
records_lock() {
    local status=0
    exec {resume_lock_fd}>>"$1/runs.jsonl"
    pipe_fds+=("$resume_lock_fd")
    flock -E "$LOCK_CONFLICT" -w "$LOCK_WAIT_S" "$resume_lock_fd" 2>/dev/null || status=$?
    case $status in
        0) ;;
        "$LOCK_CONFLICT") die "another jostle is measuring into $1: wait for it, or choose another folder" ;;
        *) warn "$1: files cannot be locked there: see to it that no other jostle measures into it" ;;
    esac
}

# resume_begin: takes over what is in the folder, and starts estimate on it.
resume_begin() {
    [[ -n ${options[resume]} && -s $experiment_folder/runs.jsonl ]] || return 0
    jq -e '.schema == "jostle.experiment/1"' "$experiment_folder/experiment.json" >/dev/null 2>&1 ||
        die "$experiment_folder holds runs but no experiment.json that can be read: choose another folder"
    resume_compare
    resume_torn
    resume_set_aside
    estimate_start
    resume_replay
    resumed=1
    [[ $NEXT != stop ]] || resume_complete
    [[ -n ${options[quiet]} ]] || warn "going on after $resume_known run(s) in $experiment_folder"
    resume_note
}

# resume_compare: ends when what is asked for is another experiment.
resume_compare() {
    local text
    experiment_describe >"$experiment_folder/experiment.json.new" ||
        die "cannot write to $experiment_folder: is the disk full?"
    text=$(jq -rn --slurpfile old "$experiment_folder/experiment.json" --slurpfile new "$experiment_folder/experiment.json.new" \
        -f "$JOSTLE_LIB/resume/differences.jq") || die "$experiment_folder/experiment.json cannot be read: choose another folder"
    [[ -z $text ]] || {
        rm -f "$experiment_folder/experiment.json.new"
        usage_error "cannot go on with $experiment_folder, it is another experiment ($text): ask for the same, or choose another folder"
    }
}

# resume_torn: a line that was cut off when it was written (a full disk, a power
# failure) is moved to runs.jsonl.torn.
resume_torn() {
    local file=$experiment_folder/runs.jsonl size
    while [[ -s $file ]]; do
        if tail -n 1 "$file" | jq -e 'type == "object"' >/dev/null 2>&1; then
            [[ -z $(tail -c 1 "$file") ]] || printf '\n' >>"$file"
            return 0
        fi
        size=$(tail -n 1 "$file" | wc -c)
        { tail -n 1 "$file" && printf '\n'; } >>"$file.torn" || die "cannot write to $experiment_folder: is the disk full?"
        truncate -s "-$size" "$file"
        warn "the last line of $file was not written in full: it is set aside in runs.jsonl.torn"
    done
}

# resume_set_aside: what cannot be gone on with is marked, and left out: a block
# that another host began, as pairs are made of runs on one machine, and the run
# whose failure ended the experiment.
resume_set_aside() {
    local file=$experiment_folder/runs.jsonl number
    local -a numbers script=()
    mapfile -t numbers < <(jq -Rrs --slurpfile experiment "$experiment_folder/experiment.json" \
        --arg host "$(uname -n)" -f "$JOSTLE_LIB/resume/aside.jq" "$file")
    resume_aside=${#numbers[@]}
    ((resume_aside > 0)) || return 0
    for number in "${numbers[@]}"; do
        script+=(-e "${number}s/\"block\":([0-9]+),\"order\":([0-9]+),/\"block\":0,\"order\":0,\"set_aside\":{\"block\":\\1,\"order\":\\2},/"
            -e "${number}s/\"flags\":\\[([^]]*)\\]\\}\$/\"flags\":[\\1,\"set-aside\"]}/" -e "${number}s/\\[,/[/")
    done
    sed -E "${script[@]}" "$file" >"$file.part" || die "cannot write to $experiment_folder: is the disk full?"
    sync "$file.part"
    # The lock belongs to the file, not to its name.
    pipe_close "$resume_lock_fd"
    mv "$file.part" "$file"
    records_lock "$experiment_folder"
    warn "$resume_aside run(s) in $experiment_folder are set aside: they failed, or began a block on another host; they are made again"
}

# resume_replay: tells estimate every record.
resume_replay() {
    local line
    while IFS= read -r line; do
        [[ -n $line ]] || continue
        estimate_tell "$line"
        [[ $line == *'"block":0,'* ]] || resume_known=$((resume_known + 1))
    done <"$experiment_folder/runs.jsonl"
    runs_total=$resume_known
}

# resume_complete: nothing is left to be run. Ends jostle.
resume_complete() {
    local -a same=(-n --slurpfile old "$experiment_folder/experiment.json" --slurpfile new "$experiment_folder/experiment.json.new"
        '$old[0].settings == $new[0].settings and ($old[0] | has("stopped") | not)')
    experiment_stop
    if [[ -s $experiment_folder/result.json ]] && jq -e "${same[@]}" >/dev/null; then
        rm -f "$experiment_folder/experiment.json.new"
        [[ -n ${options[quiet]} ]] || warn "$experiment_folder is complete ($NEXT_CONDITION after $resume_known runs): nothing to do"
        experiment_print
    else
        resume_note
        experiment_report
    fi
    experiment_verdict
    exit 0
}

# resume_note: keeps in experiment.json that, when and where it went on.
resume_note() {
    local file=$experiment_folder/experiment.json
    jq -n --slurpfile old "$file" --slurpfile new "$file.new" --argjson runs "$resume_known" --argjson aside "$resume_aside" \
        -f "$JOSTLE_LIB/resume/note.jq" >"$file.part" || die "cannot write to $experiment_folder: is the disk full?"
    sync "$file.part"
    mv "$file.part" "$file"
    rm -f "$file.new"
}
