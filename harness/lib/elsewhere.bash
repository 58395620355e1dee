# --on HOST: an experiment that other hosts make, each by its own jostle, whose records come here as they are made.
# Sourced, never run; needs messages, common, loop. What a host sends is a stranger's: it is looked at before it is taken.
# shellcheck disable=SC2034,SC2154 # shared with measure.bash

# shellcheck source-path=SCRIPTDIR source=silence.bash
source "$JOSTLE_LIB/silence.bash"

readonly TAKE_LINE_MOST=$((16 << 20)) TAKE_BYTES_MOST=$((4 << 30)) # of a record, and of all files of a host
readonly TAKE_BEGIN_S=600                                          # before the first line: the host may be sent a jostle
readonly TAKE_LAST_S=20                                            # after a signal: what runs there ends within 15 s (there_end)
readonly FAR_END_S=60                                              # for what reaches the host: its own deadlines are shorter
readonly SAME_SIGNAL_US=250000
# What elsewhere_take returns but for 0 and 1, see there.
readonly TAKE_CUT_OFF=2 TAKE_SILENT=3

elsewhere_pid='' elsewhere_to=''          # of what runs there: its process here, and what keeps it running
elsewhere_taker='' elsewhere_words_pid='' # our own two that read what it says
declare -a elsewhere_ends=()              # our ends of its streams, which are for one process each
elsewhere_result=''                       # not empty: the host has measured to the end, and its result is here
elsewhere_signal=''                       # the status of the signal that has ended us; empty: none
elsewhere_signal_us=''                    # and when it came
incoming=''                               # where what comes is looked at, in the folder of the records
elsewhere_missing=''                      # not empty: a host has no result, and may yet have one
declare -a elsewhere_part=()              # folders whose measurement was cut off

# measure_elsewhere KIND ARG...: measures at the hosts of --on, prints what came out, and ends us; returns where
# there is no --on.
measure_elsewhere() {
    local i code=0 worst=0
    local -a text hosts=() folders=() measured=() words=("$1")
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
    silence_read
    for folder in "${folders[@]}"; do elsewhere_check "$folder"; done
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
        ((code <= worst)) || worst=$code
        [[ -z $elsewhere_result ]] || measured+=("$folder")
        [[ -z $elsewhere_signal ]] || break
        elsewhere_tidy
    done
    phase=finished
    elsewhere_next "${measured[@]}"
    [[ -z $elsewhere_signal ]] || exit "$elsewhere_signal"
    ((${#measured[@]} > 0)) || exit "$worst"
    if ((${#hosts[@]} == 1)); then
        measure_print
    else
        [[ -n ${plan[quiet]:-} ]] || "$BASH" -p "$JOSTLE_HARNESS/commands/report" "${measured[@]}"
    fi
    exit "$worst"
}

# elsewhere_host HOST KIND ARG...: measures at a host; the status of jostle there, and never 0 without its result.
elsewhere_host() {
    local code=0 taken=0 said
    elsewhere_result=''
    said=$(mktemp -d "$folder/.incoming.XXXXXX" 2>&1) || elsewhere_full "$said"
    incoming=$said
    temporary_note folder "$incoming"
    elsewhere_start "$@"
    wait_through "$elsewhere_taker" || taken=$?
    elsewhere_taker=''
    elsewhere_hang_up
    # Else it is not said to end, as it would not hear it.
    ((taken == 0 || taken == TAKE_CUT_OFF)) || elsewhere_abandon
    elsewhere_far_end || code=$?
    if [[ -n $elsewhere_signal ]]; then
        code=$elsewhere_signal
    elif ((taken == TAKE_SILENT)); then
        warn "nothing has come from $1 for $SILENCE_S s: see whether it still answers"
    elif ((code > 128)); then
        warn "what measures at $1 was killed here"
        code=1
    elif ((taken == TAKE_CUT_OFF && code == 0)); then
        warn "what measures at $1 ended before its result was here: see whether a program there can run to its end"
    elif ((taken == 0 && (code == 0 || code == EXIT_ABOVE || code == EXIT_UNDECIDED))); then
        elsewhere_result=1
    fi
    ((taken == 0 || code != 0)) || code=1
    # Where it is the command line or the target that has to be changed, the same one would fail again.
    [[ -n $elsewhere_result || $code == "$EXIT_USAGE" || $code == "$EXIT_TARGET" ]] || {
        elsewhere_missing=1
        [[ ! -s $folder/runs.jsonl ]] || elsewhere_part+=("$folder")
    }
    return "$code"
}

# elsewhere_check FOLDER: ends us where a name in it, which may be a stranger's, leads elsewhere.
elsewhere_check() {
    local name
    for name in "$1"/{runs.jsonl,experiment.json,result.json}; do
        [[ ! -L $name ]] || die "$name is a link: remove it, or choose another folder with --output"
        [[ ! -e $name || (-f $name && $(stat -c %h -- "$name") == 1) ]] ||
            die "$name is no file of its own: put a copy in its place, or choose another folder with --output"
    done
}

# elsewhere_start HOST KIND ARG...: begins to measure there, and to take what comes.
elsewhere_start() {
    local in out said out_here said_here
    local -a words=("$JOSTLE_ROOT/jobs/ssh/bring" "$BEAT_S" '{there}/records' "$2" --quiet --output '{there}/records')
    local -a send=()
    [[ -z ${plan[resume]:-} ]] || {
        words+=(--resume)
        elsewhere_pack
        send=(--send "$temporary_folder/records.tar")
    }
    [[ -n ${plan[quiet]:-}${plan[still]:-} ]] || ! is_terminal 2 || live=1
    pipe_open far.in
    in=$PIPE_IN elsewhere_to=$PIPE_OUT
    pipe_open far.out
    out_here=$PIPE_IN out=$PIPE_OUT
    pipe_open far.err
    said_here=$PIPE_IN said=$PIPE_OUT
    elsewhere_ends=("$in" "$elsewhere_to" "$out_here" "$out" "$said_here" "$said")
    starting=1
    elsewhere_alone elsewhere_words <&"$said_here" &
    elsewhere_words_pid=$!
    elsewhere_alone elsewhere_take "$1" <&"$out_here" &
    elsewhere_taker=$!
    JOSTLE_TEMPORARY=$fifo_folder/far.$1 spawn "$JOSTLE_ROOT/jobs/ssh/far" "${send[@]}" "$1" "${words[@]}" "${@:3}" \
        <&"$in" >&"$out" 2>&"$said" &
    elsewhere_pid=$!
    for in in "$in" "$out_here" "$out" "$said_here" "$said"; do fd_close "$in"; done
    started
}

# elsewhere_pack: makes the tar of what has been measured so far: our files, which are plain ones.
elsewhere_pack() {
    local file
    local -a names=()
    for file in "$folder"/*; do
        [[ ! -f $file || -L $file ]] || names+=("./${file##*/}")
    done
    ((${#names[@]} > 0)) || names=(--files-from=/dev/null)
    tar -C "$folder" --transform 's,^\.,./records,' -cf "$temporary_folder/records.tar" "${names[@]}" ||
        die "cannot write to $temporary_folder: make room, or set TMPDIR"
}

# elsewhere_alone FUNCTION ARG...: runs it, in a subshell, with its stdin alone. Of the streams' ends nobody else may have one; and
# Ctrl-C, which comes to all of a terminal's group, is not for what takes in what is here already.
elsewhere_alone() {
    local fd
    signals_ignore
    for fd in "${elsewhere_ends[@]}"; do exec {fd}>&-; done
    "$@"
    exit
}

# elsewhere_words: what is said there (as visible text, by far), from stdin to our stderr, with our folder's name for the one there.
elsewhere_words() {
    local line
    while IFS= read -r line; do
        [[ ! $line =~ [^\ ]*/jostle-ssh\.[A-Za-z0-9]{6}/records ]] || line=${line/"${BASH_REMATCH[0]}"/"$folder"}
        printf '%s\n' "$line" >&2
    done
}

# elsewhere_take HOST: puts what the other half sends (jobs/ssh/bring), from stdin, into the folder. 0: all of it came; 1: it cannot
# be taken, as was said; TAKE_CUT_OFF: it ended before that; TAKE_SILENT: it did not even end.
elsewhere_take() {
    local line='' part status silent_s=0 heard='' whole=''
    runs_made=0
    while :; do
        status=0
        IFS= read -r -n "$TAKE_LINE_MOST" -t 1 part || status=$?
        line+=$part # the wait may end in the middle of a line
        if ((status > 128)); then
            # Counted, not measured: while we ourselves are stopped nobody is silent.
            [[ -z $part ]] || silent_s=0
            silent_s=$((silent_s + 1))
            ! elsewhere_late "$silent_s" "$heard" || {
                live_end
                return "$TAKE_SILENT"
            }
            continue
        fi
        ((status == 0)) || break
        ((${#line} < TAKE_LINE_MOST)) || elsewhere_nonsense "$1" 'a line without an end'
        elsewhere_record "$1" "$line"
        line='' silent_s=0 heard=1
    done
    live_end
    [[ -n $whole ]] || return "$TAKE_CUT_OFF"
}

# elsewhere_late SECONDS HEARD: 0 where that is too long without a word. HEARD: not empty once there was one.
elsewhere_late() {
    local most=$SILENCE_S
    [[ -n $2 ]] || most=$((TAKE_BEGIN_S + SILENCE_S))
    [[ ! -e $fifo_folder/ending ]] || most=$TAKE_LAST_S
    (($1 > most))
}

# elsewhere_record HOST LINE: takes one of the lines that bring prints, and the bytes that it announces; sets whole where these are all.
elsewhere_record() {
    local rest=${2#* }
    case $2 in
        alive) ;;
        'run {'*'}')
            elsewhere_put "$rest"
            runs_made=$((runs_made + 1))
            [[ -z $live ]] || printf '\r\033[K%s: %s runs' "$1" "$runs_made" >&2
            ;;
        'experiment '*)
            elsewhere_bytes "$1" "$rest" "$incoming/experiment.json"
            mv -T -f -- "$incoming/experiment.json" "$folder/experiment.json" || elsewhere_full
            ;;
        'tar '*)
            elsewhere_bytes "$1" "$rest" "$incoming/tar"
            elsewhere_unpack "$1"
            ;;
        *) elsewhere_nonsense "$1" "${2:0:40}" ;;
    esac
}

# elsewhere_put LINE: adds it to the runs, without a word of bash's own.
elsewhere_put() {
    local said
    said=$({ printf '%s\n' "$1" >>"$folder/runs.jsonl"; } 2>&1) || elsewhere_full "$said"
}

# elsewhere_bytes HOST BYTES FILE: so many, from stdin to FILE. Ends us where they do not come.
elsewhere_bytes() {
    local most_s=$SILENCE_S status=0
    [[ $2 =~ ^(0|[1-9][0-9]{0,9})$ && $2 -le $TAKE_BYTES_MOST ]] || elsewhere_nonsense "$1" "${2:0:40} bytes"
    [[ ! -e $fifo_folder/ending ]] || most_s=$TAKE_LAST_S
    head -c "$2" <&0 2>/dev/null >"$3" &
    file_moves "$!" 1 "$most_s" || status=$?
    ((status != 124)) || exit "$TAKE_SILENT"
    ((status == 0)) || elsewhere_full
    [[ $(stat -c %s -- "$3") == "$2" ]] || exit "$TAKE_CUT_OFF"
}

# elsewhere_unpack HOST: takes the files of the tar that has come: plain files of ours. Sets whole where the result is among them.
elsewhere_unpack() {
    local list line file
    # By stdin none is unpacked that is compressed, and might hold more than there is room for.
    list=$(TAR_OPTIONS='' tar -tv -f - <"$incoming/tar" 2>/dev/null) || elsewhere_nonsense "$1" 'a broken tar'
    while IFS= read -r line; do
        [[ -z $line || $line == -* ]] || elsewhere_nonsense "$1" "$line"
    done <<<"$list"
    mkdir -p "$incoming/files"
    TAR_OPTIONS='' tar -x --no-same-owner --no-same-permissions -C "$incoming/files" -f - <"$incoming/tar" || elsewhere_full
    # The result last: where it is, all is.
    for file in "$incoming/files"/*; do
        [[ ${file##*/} == result.json ]] || elsewhere_move "$file"
    done
    [[ -s $incoming/files/result.json ]] || return 0
    elsewhere_is_result "$incoming/files/result.json" || elsewhere_nonsense "$1" 'a result.json that is none'
    elsewhere_move "$incoming/files/result.json"
    whole=1
}

# elsewhere_move FILE: moves it to the folder, where it replaces what has its name.
elsewhere_move() {
    [[ -f $1 && ! -L $1 ]] || return 0
    { chmod u+rw,a-xst -- "$1" && mv -T -f -- "$1" "$folder/${1##*/}"; } || elsewhere_full
}

# elsewhere_is_result FILE: 0 where it is JSON that a terminal may see, of the right kind.
elsewhere_is_result() {
    [[ -f $1 && ! -L $1 && $(LC_ALL=C tr -cd '\000-\010\013-\037\177' <"$1" | wc -c) == 0 ]] &&
        jq -e '.schema == "jostle.result/1"' <"$1" >/dev/null 2>&1
}

# elsewhere_nonsense HOST TEXT: ends what takes in what comes.
elsewhere_nonsense() {
    live_end
    die "$1 sends what is not a record ($(printf '%s' "$2" | "$JOSTLE_BIN/arguments" visible)): see whether the jostle there is a true one"
}

# elsewhere_full [TEXT]: ends us. TEXT: what a program said, which ends with the reason.
elsewhere_full() {
    local reason=${1:-}
    live_end
    [[ -z $reason ]] || reason=" (${reason##*: })"
    die "cannot write to $folder$reason: make room, then continue with --resume"
}

# elsewhere_hang_up: lets what runs there end. Safe to call twice.
elsewhere_hang_up() {
    [[ -z $elsewhere_to ]] || fd_close "$elsewhere_to"
    elsewhere_to=''
}

# elsewhere_far_end: waits for the end of what has reached the host, and of what was said; its status.
elsewhere_far_end() {
    local code=0 left
    [[ -n $elsewhere_pid ]] || return 0
    for ((left = FAR_END_S * 50; left > 0; left--)); do
        pid_runs "$elsewhere_pid" || break
        pause_ms 20
    done
    if ((left == 0)); then
        elsewhere_abandon
        return 1
    fi
    wait "$elsewhere_pid" || code=$?
    elsewhere_pid=''
    pid_end "$elsewhere_words_pid" 1
    elsewhere_words_pid=''
    return "$code"
}

# elsewhere_abandon: ends at once what belongs to us of the measurement there; without a connection it ends there, too.
elsewhere_abandon() {
    local pid
    elsewhere_hang_up
    foreground_pid=$elsewhere_pid elsewhere_pid=''
    foreground_end
    for pid in $elsewhere_taker $elsewhere_words_pid; do
        kill -s KILL "$pid" 2>/dev/null || true
    done
    elsewhere_taker='' elsewhere_words_pid=''
}

# elsewhere_interrupted SIGNAL STATUS: the first ends what runs there, whose last records still come; the second ends us at once. One
# that was sent to all of us comes to us by our keeper, too.
elsewhere_interrupted() {
    now_us
    if [[ -z $elsewhere_signal ]]; then
        elsewhere_signal=$2 elsewhere_signal_us=$REPLY
        : >"$fifo_folder/ending"
        elsewhere_hang_up
    elif ((REPLY - elsewhere_signal_us > SAME_SIGNAL_US)); then
        signals_ignore
        elsewhere_abandon
        exit "$elsewhere_signal"
    fi
}

# elsewhere_next [FOLDER...]: how to continue what was cut off, and how to see what there is of it. FOLDERs have results.
elsewhere_next() {
    [[ -z $within ]] || return 0
    if ((${#elsewhere_part[@]} > 0)) || [[ -n $elsewhere_missing && $# -gt 0 ]]; then
        next_command resume "${asked[0]}" "${plan_resume[@]}" "${asked[@]:1}"
    fi
    ((${#elsewhere_part[@]} == 0)) || next_command report report "${elsewhere_part[@]}"
}

# elsewhere_exit: at the end, whatever the reason.
elsewhere_exit() {
    local code=$?
    signals_ignore
    live_end
    elsewhere_abandon
    [[ $phase == finished || ! -s $folder/runs.jsonl ]] || {
        elsewhere_part+=("$folder")
        elsewhere_next
    }
    elsewhere_tidy
    temporary_close
    exit "$code"
}

# elsewhere_tidy: takes away what was only needed to take records in, and the folder where nothing was measured.
elsewhere_tidy() {
    [[ -z $incoming ]] || rm -rf -- "$incoming"
    records_drop "$folder"/{runs.jsonl,experiment.json}
    rmdir -- "$folder" 2>/dev/null || true
}
