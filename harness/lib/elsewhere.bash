# --on HOST: an experiment that other hosts make, each by its own jostle, whose records come here as they are made.
# Sourced, never run; needs messages, common, loop.
# shellcheck disable=SC2034,SC2154 # shared with loop.bash

elsewhere_pid='' elsewhere_to='' # of what runs there: its process here, and what keeps it running
elsewhere_signal=''              # the status of the signal that has ended us; empty: none

# measure_elsewhere KIND ARG...: measures at the hosts of --on, prints what came out, and ends us; returns where
# there is no --on.
measure_elsewhere() {
    local i code=0 worst=0
    local -a text hosts=() folders=() words=("$1")
    answer_read text "$JOSTLE_BIN/experiment" --on "$@" || exit
    # None of ours: it is behind the target; or --help, which is one text.
    ((${#text[@]} > 1)) || return 0
    for ((i = 0; i + 1 < ${#text[@]}; i += 2)); do
        case ${text[i]} in
            on_host) hosts+=("${text[i + 1]}") ;;
            on_folder) folders+=("${text[i + 1]}") ;;
            on_word) words+=("${text[i + 1]}") ;;
            *) plan_take "${text[i]}" "${text[i + 1]}" ;;
        esac
    done
    trap elsewhere_exit EXIT
    # shellcheck disable=SC2173 # bash then does not say "Killed" itself
    trap : KILL
    signals_trap elsewhere_interrupted
    phase=running
    processes_open far.in far.out far.err
    for i in "${!hosts[@]}"; do
        folder=${folders[i]}
        [[ -n ${plan[quiet]:-} ]] || warn "measures at ${hosts[i]}"
        code=0
        elsewhere_host "${hosts[i]}" "${words[@]}" || code=$?
        [[ -z $elsewhere_signal ]] || elsewhere_end
        ((code <= worst)) || worst=$code
        [[ -s $folder/result.json ]] || unset "folders[i]"
        elsewhere_tidy
    done
    phase=finished
    ((${#folders[@]} > 0)) || exit "$worst"
    if ((${#hosts[@]} == 1)); then
        measure_print
    else
        [[ -n ${plan[quiet]:-} ]] || "$BASH" -p "$JOSTLE_HARNESS/commands/report" "${folders[@]}"
    fi
    exit "$worst"
}

# elsewhere_host HOST KIND ARG...: measures at a host; the status of jostle there.
elsewhere_host() {
    local code=0 from words_pid
    local -a words=("$JOSTLE_ROOT/jobs/ssh/bring" '{there}/records' "$2" --quiet --output '{there}/records')
    local -a send=()
    [[ -z ${plan[resume]:-} ]] || {
        words+=(--resume)
        tar -C "$folder" --transform 's,^\.,./records,' -cf "$temporary_folder/records.tar" . ||
            die "cannot write to $temporary_folder: make room, or set TMPDIR"
        send=(--send "$temporary_folder/records.tar")
    }
    runs_made=0
    elsewhere_words <"$fifo_folder/far.err" &
    words_pid=$!
    JOSTLE_TEMPORARY=$fifo_folder/far.$1 spawn "$JOSTLE_ROOT/jobs/ssh/far" "${send[@]}" "$1" "${words[@]}" "${@:3}" \
        <"$fifo_folder/far.in" >"$fifo_folder/far.out" 2>"$fifo_folder/far.err" &
    elsewhere_pid=$!
    exec {elsewhere_to}>"$fifo_folder/far.in" {from}<"$fifo_folder/far.out"
    elsewhere_take "$1" <&"$from"
    elsewhere_hang_up
    exec {from}<&-
    live_end
    # A signal ends a wait, and not what is waited for.
    until
        code=0
        wait "$elsewhere_pid" || code=$?
        ! pid_runs "$elsewhere_pid"
    do :; done
    elsewhere_pid=''
    wait "$words_pid" || true
    ((code <= 128)) || [[ -n $elsewhere_signal ]] || die "what measures at $1 was killed here: continue with --resume"
    return "$code"
}

# elsewhere_words: what is said there, from stdin to our stderr, with our folder's name for the one there.
elsewhere_words() {
    local line
    signals_ignore
    while IFS= read -r line; do
        [[ ! $line =~ [^\ ]*/jostle-ssh\.[A-Za-z0-9]{6}/records ]] || line=${line/"${BASH_REMATCH[0]}"/"$folder"}
        printf '%s\n' "$line" >&2
    done
}

# elsewhere_take HOST: puts what the other half sends (jobs/ssh/bring), from stdin, into the folder.
elsewhere_take() {
    local line='' part kind rest status
    [[ -n ${plan[quiet]:-}${plan[still]:-} ]] || ! is_terminal 2 || live=1
    while :; do
        status=0
        IFS= read -r part || status=$?
        line+=$part # a signal may end the wait in the middle of a line
        ((status <= 128)) || continue
        ((status == 0)) || break
        read -r kind rest <<<"$line"
        case $kind in
            run)
                printf '%s\n' "${line#run }" >>"$folder/runs.jsonl" || elsewhere_full
                runs_made=$((runs_made + 1))
                [[ -z $live ]] || printf '\r\033[K%s: %s runs' "$1" "$runs_made" >&2
                ;;
            experiment)
                { elsewhere_unbroken head -c "$rest" >"$folder/experiment.new" &&
                    mv -f -- "$folder/experiment.new" "$folder/experiment.json"; } || elsewhere_full
                ;;
            tar) elsewhere_unbroken head -c "$rest" | elsewhere_unbroken tar -x -C "$folder" -f - || elsewhere_full ;;
        esac
        line=''
    done
}

# elsewhere_unbroken COMMAND...: runs it to its end. A terminal's Ctrl-C comes to all of its group, and is not for what takes in
# what is here already.
elsewhere_unbroken() {
    (trap '' INT && exec "$@")
}

elsewhere_full() {
    die "cannot write to $folder: make room, then continue with --resume"
}

# elsewhere_hang_up: lets what runs there end. Safe to call twice.
elsewhere_hang_up() {
    [[ -z $elsewhere_to ]] || exec {elsewhere_to}>&-
    elsewhere_to=''
}

# elsewhere_interrupted SIGNAL STATUS: ends what runs there, whose last records still come. A terminal sends the
# signal to our keeper, too, which hands it on: the second one says nothing.
elsewhere_interrupted() {
    trap : "${ENDING_SIGNALS[@]}"
    elsewhere_signal=$2
    live_end
    elsewhere_hang_up
}

# elsewhere_end: after a signal: what was measured stays. That it was interrupted was said there.
elsewhere_end() {
    [[ ! -s $folder/runs.jsonl ]] || measure_next_commands
    exit "$elsewhere_signal"
}

# elsewhere_exit: at the end, whatever the reason.
elsewhere_exit() {
    local code=$?
    signals_ignore
    live_end
    elsewhere_hang_up
    [[ -z $elsewhere_pid ]] || pid_end "$elsewhere_pid" 20
    temporary_close
    elsewhere_tidy
    exit "$code"
}

# elsewhere_tidy: takes away the folder where nothing was measured.
elsewhere_tidy() {
    records_drop "$folder"/{runs.jsonl,experiment.json}
    rmdir -- "$folder" 2>/dev/null || true
}
