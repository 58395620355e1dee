# Runs the cells of a campaign, one after the other: `campaign run` says which, and reads
# what became of them; this starts and ends the processes. Sourced, never run; needs
# common, campaign.

# shellcheck disable=SC2154 # options is the command's, campaign_* are campaign.bash's
campaign_folder='' # absolute
campaign_ended=''  # the signal that ends us
campaign_until=''  # when no further cell begins, by now_us; empty: never
campaign_late=''   # not empty: that has come, and cells are left
campaign_stderr='' # our own stderr, for --verbose
cell_pid=''        # the jostle that measures the current cell
driver_pid=''      # campaign run
driver_in='' driver_out=''
cells_failed=0 cells_broken=0 cells_held=0

# driver_start SCRATCH [OPTION...]: starts `campaign run` on the plan and the folder. It
# holds the folder as long as it lives, and ends with us.
driver_start() {
    local scratch=$1 from to
    local -a CHOICE
    campaign_choice
    exec {campaign_stderr}>&2
    coproc DRIVER {
        exec {campaign_stderr}>&-
        exec "$JOSTLE_BIN/campaign" run "$campaign_tmp/plan" "$campaign_folder" "${CHOICE[@]}" ${options[quiet]:+--quiet} \
            --scratch "$scratch" --stderr "$campaign_tmp/stderr" "${@:2}"
    }
    driver_pid=$DRIVER_PID
    from=${DRIVER[0]} to=${DRIVER[1]}
    exec {driver_out}<&"$from" {driver_in}>&"$to"
    exec {from}<&- {to}>&-
    driver_answer
}

# driver_answer: reads a line from the driver into ANSWER. It ends only after a message.
driver_answer() {
    local status=0
    IFS=$'\t' read -r -a ANSWER <&"$driver_out" || {
        wait "$driver_pid" || status=$?
        ((status <= 128)) || die 'campaign run was killed: the same command continues from here'
        exit "$((status > 0 ? status : EXIT_FAILURE))"
    }
}

# driver_ask COMMAND: sends the driver a command, and reads its answer. That it is gone is
# found out there, hence no error here.
driver_ask() {
    { printf '%s\n' "$1" >&"$driver_in"; } 2>/dev/null || true
    driver_answer
}

# run_cells: measures all cells that are left, until something ends us.
run_cells() {
    while [[ -z $campaign_ended ]]; do
        driver_ask next
        now_us
        if [[ -n $campaign_until && ${ANSWER[0]} != end ]] && ((REPLY >= campaign_until)); then
            # shellcheck disable=SC2034 # read by the command
            campaign_late=1
            return
        fi
        case ${ANSWER[0]} in
            cell) run_cell "${ANSWER[1]}" "${ANSWER[2]}" ;;
            session) prepare_session "${ANSWER[@]:1}" ;;
            end)
                # shellcheck disable=SC2034 # read by the command
                cells_failed=${ANSWER[1]} cells_broken=${ANSWER[2]} cells_held=${ANSWER[3]}
                return
                ;;
            *) exit "$EXIT_FAILURE" ;;
        esac
    done
}

# prepare_session NUMBER FILE COMMAND: runs the command that prepares a session, in the
# folder of the campaign's FILE. It ends with us, as a cell does.
prepare_session() {
    local status=0
    [[ -z $campaign_ended ]] || return 0
    (
        cd "${2%/*}" || exit 1
        exec {driver_in}>&- {driver_out}<&-
        exec "$JOSTLE_BIN/start" --default-signals -- bash -c "$3"
    ) >&2 </dev/null &
    cell_pid=$!
    cell_wait || status=$?
    cell_pid=''
    [[ -z $campaign_ended ]] || return 0
    ((status == 0)) || die "session-prepare ended with status $status, so session $1 is not measured: fix it, then run the same command again ($3)"
    driver_ask prepared
}

# run_cell NAME SCRATCH: measures a cell in the folder SCRATCH. Whatever ends us ends the
# cell, too, and so its target and its load.
run_cell() {
    local folder=$campaign_folder/cells/$1 status=0
    # bash starts what runs in the background with Ctrl-C switched off.
    local -a command=("$JOSTLE_BIN/start" --with-parent TERM --default-signals -- "$JOSTLE_HARNESS/jostle" slowdown --quiet --resume
        --cell "$folder/cell.json" --output "$folder" ${options[verbose]:+--verbose})
    [[ -z $campaign_ended ]] || return 0
    temporary_note folder "$2"
    (
        [[ -z ${options[verbose]} ]] || exec 2>&"$campaign_stderr"
        cd "$2" || exit 1
        exec {driver_in}>&- {driver_out}<&- {campaign_stderr}>&-
        exec "${command[@]}"
    ) 2>"$campaign_tmp/stderr" </dev/null &
    cell_pid=$!
    cell_wait || status=$?
    cell_pid=''
    driver_ask "ended $status"
}

# cell_wait: waits for the cell, whatever signals come; returns its exit status.
cell_wait() {
    local status
    while true; do
        status=0
        wait "$cell_pid" || status=$?
        kill -0 "$cell_pid" 2>/dev/null || return "$status"
    done
}

# campaign_interrupted SIGNAL: ends the current cell, which notes how far it came.
campaign_interrupted() {
    campaign_ended=$1
    [[ -z $cell_pid ]] || kill -s TERM "$cell_pid" 2>/dev/null || true
}

# campaign_exit: nothing of ours stays behind.
campaign_exit() {
    local status=$?
    signals_ignore
    campaign_close
    exit "$status"
}

# campaign_close: ends what is running, and removes our temporary folder.
campaign_close() {
    set +e
    if [[ -n $cell_pid ]]; then
        kill -s TERM "$cell_pid" 2>/dev/null
        wait "$cell_pid" 2>/dev/null
    fi
    # The end of its input ends it, and it tidies up.
    [[ -z $driver_in ]] || exec {driver_in}>&-
    [[ -z $driver_pid ]] || wait "$driver_pid" 2>/dev/null
    temporary_close
}

# campaign_end COMMAND [ARG...]: says how it went, and exits accordingly where that is not
# well; COMMAND and ARGs are what continues.
campaign_end() {
    if [[ -n $campaign_ended ]]; then
        warn "interrupted: the same command continues from here (records: $campaign_folder)"
        next_command resume "$@"
        next_command report report "$campaign_folder"
        exit "${ENDED_BY[$campaign_ended]}"
    fi
    local broken="$cells_broken cells" held="$cells_held cells are" failed="$cells_failed cells"
    local left=$((cells_broken + cells_held + cells_failed))
    ((cells_broken != 1)) || broken='1 cell'
    ((cells_held != 1)) || held='1 cell is'
    ((cells_failed != 1)) || failed='1 cell'
    ((left == cells_broken || left == cells_held || left == cells_failed)) ||
        die "$left cells are not measured ($cells_broken could not be and $cells_held are by another jostle, see above; $cells_failed failed, jostle status $campaign_folder says why): the same command tries the others again, --retry-failed those that failed"
    ((cells_broken == 0)) || die "$broken could not be measured, see above: the same command tries them again (records: $campaign_folder)"
    ((cells_held == 0)) || die "$held being measured by another jostle, see above: wait for it (jostle watch $campaign_folder), then run the same command again"
    ((cells_failed == 0)) || die "$failed failed (jostle status $campaign_folder says why): fix that, then use --retry-failed" "$EXIT_TARGET"
}

# ---- what percentages refer to, before a campaign, for as long as `calibrate = TIME` says

# calibrate_all [SECONDS]: measures what the limits in percent of all loads refer to, where
# that is not known yet. The cells of a load that cannot be calibrated will say so, too.
calibrate_all() {
    local i load=''
    local -a text words=() CHOICE PIN=()
    campaign_choice
    answer_read text "$JOSTLE_BIN/campaign" calibrations "$campaign_tmp/plan" "$campaign_folder" "${CHOICE[@]}" || exit
    for ((i = 0; i + 1 < ${#text[@]}; i += 2)); do
        case ${text[i]} in
            load) load=${text[i + 1]} PIN=() words=() ;;
            cpus) PIN=("$JOSTLE_BIN/start" --cpus "${text[i + 1]}" --) ;;
            word) words+=("${text[i + 1]}") ;;
            end) calibrate_load "$load" "${words[@]}" --calib --if-missing "$@" ;;
        esac
    done
}

# calibrate_load SPEC WORD...: calibrates one load, unless that was done.
calibrate_load() {
    local -a command=("${PIN[@]}" "$JOSTLE_BIN/loadgen" "${@:2}")
    if [[ -n ${options[quiet]} ]]; then
        "${command[@]}" >/dev/null 2>"$campaign_tmp/calibration" || tail -n 1 "$campaign_tmp/calibration" >&2
    else
        "${command[@]}" >/dev/null || warn "load '$1' cannot be calibrated, see above: its cells will fail"
    fi
}
