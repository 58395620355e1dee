# Runs the cells of a campaign, one after the other: `campaign run` says which, and reads
# what became of them; this starts and ends the processes. Sourced, never run; needs
# common, campaign.

# shellcheck disable=SC2154 # options is the command's, campaign_* are campaign.bash's
campaign_folder='' # absolute
campaign_ended=''  # the signal that ends us
campaign_until=''  # when no further cell begins, by now_us; empty: never
campaign_late=''   # not empty: that has come, and cells are left
driver_pid=''      # campaign run
driver_in='' driver_out=''

# driver_start SCRATCH [OPTION...]: starts `campaign run` on the plan and the folder. It
# holds the folder as long as it lives, and ends with us.
driver_start() {
    local scratch=$1 from to
    local -a CHOICE answer
    campaign_choice
    coproc DRIVER {
        exec "$JOSTLE_BIN/campaign" run "$campaign_tmp/plan" "$campaign_folder" "${CHOICE[@]}" ${options[quiet]:+--quiet} \
            --scratch "$scratch" --stderr "$campaign_tmp/stderr" "${@:2}"
    }
    driver_pid=$DRIVER_PID
    from=${DRIVER[0]} to=${DRIVER[1]}
    exec {driver_out}<&"$from" {driver_in}>&"$to"
    exec {from}<&- {to}>&-
    driver_answer
}

# driver_answer: reads what the driver says into the array answer. It ends only after a message.
driver_answer() {
    local status=0 name value
    answer=()
    while IFS= read -r -d '' name && IFS= read -r -d '' value; do
        [[ $name != over ]] || return 0
        answer+=("$name" "$value")
    done <&"$driver_out"
    wait "$driver_pid" || status=$?
    ((status <= 128)) || die 'campaign run was killed: the same command continues from here'
    exit "$((status > 0 ? status : EXIT_FAILURE))"
}

# driver_ask COMMAND: sends the driver a command, and reads its answer. That it is gone is
# found out there, hence no error here.
driver_ask() {
    { printf '%s\n' "$1" >&"$driver_in"; } 2>/dev/null || true
    driver_answer
}

# run_cells: measures all cells that are left, until something ends us.
run_cells() {
    local -a answer
    while [[ -z $campaign_ended ]]; do
        driver_ask next
        now_us
        if [[ -n $campaign_until && ${answer[0]} == step ]] && ((REPLY >= campaign_until)); then
            # shellcheck disable=SC2034 # read by the command
            campaign_late=1
            return
        fi
        study_obey run_step "${answer[@]}" || break
    done
    [[ -z ${plan[stuck]:-} ]] || exit "$EXIT_FAILURE"
}

# run_step WORD...: measures a cell, or runs the command that prepares a session. Whatever ends us ends it, too, and so
# its target and its load.
run_step() {
    local status=0
    [[ -z $campaign_ended ]] || return 0
    if [[ -n ${plan[session]} ]]; then
        child_run step_become bash -c "$1" >&2 || status=$?
        [[ -z $campaign_ended ]] || return 0
        ((status == 0)) || die "session-prepare ended with status $status, so $study_step is not measured: fix it, then run the same command again ($1)"
        driver_ask prepared
    else
        temporary_note folder "${plan[folder]}"
        child_run step_become "$JOSTLE_HARNESS/jostle" "$@" ${options[verbose]:+--verbose} || status=$?
        driver_ask "ended $status"
    fi
}

# step_become COMMAND...: becomes it, in the folder of the step. What a cell says on stderr the driver reads.
step_become() {
    [[ -n ${plan[session]} ]] || : >"$campaign_tmp/stderr" || exit
    [[ -n ${plan[session]}${options[verbose]} ]] || exec 2>"$campaign_tmp/stderr"
    # A signal that came just before we were started was passed on to nobody.
    [[ -z $campaign_ended ]] || die "interrupted by SIG$campaign_ended" "${ENDED_BY[$campaign_ended]}"
    cd "${plan[folder]}" || exit 1
    exec {driver_in}>&- {driver_out}<&-
    # bash starts what runs in the background with Ctrl-C switched off.
    exec "$JOSTLE_BIN/start" --with-parent TERM --default-signals -- "$@"
}

# campaign_interrupted SIGNAL: ends the current cell, which notes how far it came.
campaign_interrupted() {
    campaign_ended=$1
    [[ -z $child ]] || kill -s TERM "$child" 2>/dev/null || true
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
    child_end
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
    local cells_broken=${plan[broken]:-0} cells_held=${plan[held]:-0} cells_failed=${plan[failed]:-0}
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

# calibrate_all: measures what the limits in percent of all loads refer to, where
# that is not known yet. The cells of a load that cannot be calibrated will say so, too.
calibrate_all() {
    local -a answer CHOICE
    campaign_choice
    answer_read answer "$JOSTLE_BIN/campaign" calibrations "$campaign_tmp/plan" "$campaign_folder" "${CHOICE[@]}" || exit
    study_obey calibrate_load "${answer[@]}" || true
}

# calibrate_load WORD...: calibrates one load, unless that was done.
calibrate_load() {
    local -a command=("$JOSTLE_BIN/loadgen" "$@" --calib --if-missing ${plan[calibrate]:+"${plan[calibrate]}"})
    [[ -z ${plan[cpus]} ]] || command=("$JOSTLE_BIN/start" --cpus "${plan[cpus]}" -- "${command[@]}")
    if [[ -n ${options[quiet]} ]]; then
        "${command[@]}" >/dev/null 2>"$campaign_tmp/calibration" || tail -n 1 "$campaign_tmp/calibration" >&2
    else
        "${command[@]}" >/dev/null || warn "load '$study_step' cannot be calibrated, see above: its cells will fail"
    fi
}
