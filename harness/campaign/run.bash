# Runs the cells of a campaign, one after the other. Sourced, never run; needs
# common, campaign, campaign-folder, progress.

# shellcheck disable=SC2154 # options and so on are the command's
cell_name=''        # the current cell
campaign_stderr=''  # our own stderr, for --verbose
cell_pid=''         # the jostle that measures the current cell
cell_scratch=''     # its working folder
campaign_scratch='' # where working folders are made
campaign_kinds=''   # {option: kind}
campaign_ended=''   # the signal that ends us
cells_done=0 cells_failed=0 cells_broken=0

# run_cells FILE: runs the cells of which FILE has a line each: number, state,
# target, name and the cell, with \x01 between.
run_cells() {
    local number state name target cell_json
    exec {campaign_stderr}>&2
    while IFS=$'\x01' read -r number state target name cell_json <&3; do
        [[ -z $campaign_ended ]] || return 0
        if cell_is_held "$campaign_folder" "$name"; then
            warn "$name is being measured by another jostle: passed over"
            continue
        fi
        cell_put_away "$state" "$name"
        progress_cell "$number" "$name" "$target"
        run_cell "$name"
        progress_cell_end "$name" "$target" "$CELL_STATE" "$CELL_REASON"
        [[ $CELL_STATE != interrupted || -n $campaign_ended ]] || campaign_can_write
    done 3<"$1"
}

# cell_put_away STATE NAME: what another definition has measured makes room.
cell_put_away() {
    local kept=1
    [[ $1 == changed ]] || return 0
    while [[ -e $campaign_folder/replaced/$2.$kept ]]; do kept=$((kept + 1)); done
    { mkdir -p "$campaign_folder/replaced" && mv "$campaign_folder/cells/$2" "$campaign_folder/replaced/$2.$kept"; } ||
        die "cannot write to $campaign_folder: is the disk full?"
}

# campaign_can_write: ends when the disk is full: no further cell would do better.
campaign_can_write() {
    local full=''
    { head -c 65536 /dev/zero >"$campaign_folder/.space"; } 2>/dev/null || full=1
    rm -f "$campaign_folder/.space"
    [[ -z $full ]] ||
        die "$campaign_folder cannot be written to, the disk may be full: make room and run the same command again, it goes on from here"
}

# cell_words: sets the array words to what the cell in cell_json is measured with.
cell_words() {
    words=()
    while IFS= read -r -d ''; do words+=("$REPLY"); done < <(jq -j --argjson options "$campaign_kinds" \
        "$(<"$JOSTLE_HARNESS/campaign/arguments.jq") | ., \"\\u0000\"" <<<"$cell_json")
}

# run_cell NAME: measures the cell in cell_json in a fresh working folder. Whatever ends
# us ends the cell, too, and so its target and its load.
run_cell() {
    local folder=$campaign_folder/cells/$1 status=0
    local -a words command=()
    cell_words
    cell_name=$1
    scratch_make "$folder"
    ! command -v setpriv >/dev/null || command+=(setpriv --pdeathsig TERM)
    # bash starts what runs in the background with Ctrl-C switched off.
    command+=(env --default-signal=INT --default-signal=QUIT "$JOSTLE_HARNESS/jostle" "${words[0]}" --quiet --resume --output "$folder" --cell "$cell_json")
    [[ -z ${options[verbose]} ]] || command+=(--verbose)
    (
        [[ -z ${options[verbose]} ]] || exec 2>&"$campaign_stderr"
        cd "$cell_scratch" || exit 1
        exec {campaign_lock_fd}>&- {campaign_stderr}>&- 3<&-
        exec "${command[@]}" "${words[@]:1}"
    ) 2>"$campaign_tmp/stderr" </dev/null &
    cell_pid=$!
    cell_wait || status=$?
    cell_pid=''
    scratch_remove "$folder"
    cell_ended "$1" "$status"
}

# scratch_make FOLDER: makes cell_scratch for the cell in FOLDER, where it is noted: a
# session that was killed has left its own behind, which is removed now.
scratch_make() {
    local left=''
    mkdir -p "$1"
    { read -r left <"$1/scratch.$HOSTNAME"; } 2>/dev/null || true
    [[ $left != /*/jostle.?????? ]] || rm -rf -- "$left"
    cell_scratch=$(mktemp -d "$campaign_scratch/jostle.XXXXXX") || die "cannot make a working folder in $campaign_scratch: give another --scratch"
    { printf '%s\n' "$cell_scratch" >"$1/scratch.$HOSTNAME"; } 2>/dev/null || die "cannot write to $1: is the disk full?"
}

# scratch_remove FOLDER: takes cell_scratch away again.
scratch_remove() {
    [[ -n $cell_scratch ]] || return 0
    rm -rf -- "$cell_scratch"
    rm -f -- "$1/scratch.$HOSTNAME"
    cell_scratch=''
}

# cell_wait: waits for the cell, whatever signals come; returns its exit status.
cell_wait() {
    local status
    while true; do
        status=0
        wait "$cell_pid" || status=$?
        kill -0 "$cell_pid" 2>/dev/null || return "$status"
        progress_tick
    done
}

# cell_ended NAME STATUS: counts the cell; one that could not even begin
# gets its status from us.
cell_ended() {
    local file=$campaign_folder/cells/$1/status.json reason
    CELL_STATE='done'
    case $2 in
        0 | "$EXIT_ABOVE" | "$EXIT_UNDECIDED") cells_done=$((cells_done + 1)) ;;
        129 | 130 | 143) CELL_STATE=interrupted cells_broken=$((cells_broken + 1)) ;;
        "$EXIT_TARGET") CELL_STATE=failed cells_failed=$((cells_failed + 1)) ;;
        "$EXIT_USAGE") CELL_STATE=failed cells_broken=$((cells_broken + 1)) ;;
        *) CELL_STATE=interrupted cells_broken=$((cells_broken + 1)) ;;
    esac
    if [[ $CELL_STATE == 'done' ]]; then
        # What it warned of is said, too.
        CELL_REASON=''
        cat "$campaign_tmp/stderr" >&2
        return
    fi
    CELL_REASON=$(tail -n 1 "$campaign_tmp/stderr") || true
    [[ -n $CELL_REASON ]] || CELL_REASON=$(jq -r '.reason // empty' "$file" 2>/dev/null) || true
    CELL_REASON=${CELL_REASON#jostle: }
    if [[ ! -s $file || $2 == 137 ]]; then
        mkdir -p "${file%/*}"
        reason=${CELL_REASON:-it ended with status $2}
        jq -c --arg reason "$reason" --arg state "$CELL_STATE" --arg host "$(uname -n)" --arg now "$(TZ=UTC0 printf '%(%Y-%m-%dT%H:%M:%SZ)T' -1)" \
            -f "$JOSTLE_HARNESS/campaign/broken.jq" <<<"$cell_json" >"$file.part" &&
            mv "$file.part" "$file"
    fi
}

# campaign_interrupted SIGNAL: ends the current cell, which notes how far it came.
campaign_interrupted() {
    campaign_ended=$1
    [[ -z $cell_pid ]] || kill -s TERM "$cell_pid" 2>/dev/null || true
}

# campaign_exit: nothing of ours stays behind.
campaign_exit() {
    local status=$?
    trap '' INT TERM HUP
    set +e
    progress_stop
    if [[ -n $cell_pid ]]; then
        kill -s TERM "$cell_pid" 2>/dev/null
        wait "$cell_pid" 2>/dev/null
    fi
    scratch_remove "$campaign_folder/cells/$cell_name"
    [[ -z $campaign_tmp ]] || rm -rf -- "$campaign_tmp"
    exit "$status"
}
