# One experiment, from the command line to the table: starts conduct, meter and the loads, and does what conduct
# asks for while it makes the runs. Sourced, never run.

# shellcheck source-path=SCRIPTDIR source=common.bash
source "$JOSTLE_LIB/common.bash"
# shellcheck source-path=SCRIPTDIR source=processes.bash
source "$JOSTLE_LIB/processes.bash"
# shellcheck source-path=SCRIPTDIR source=revisions.bash
source "$JOSTLE_LIB/revisions.bash"
within=${JOSTLE_WITHIN:-} # the command of which this experiment is a part; no target has the variable
unset JOSTLE_WITHIN
# shellcheck source-path=SCRIPTDIR source=conduct.bash
source "$JOSTLE_LIB/conduct.bash"
# shellcheck source-path=SCRIPTDIR source=setting.bash
source "$JOSTLE_LIB/setting.bash"
# shellcheck source-path=SCRIPTDIR source=loads.bash
source "$JOSTLE_LIB/loads.bash"
# shellcheck source-path=SCRIPTDIR source=service.bash
source "$JOSTLE_LIB/service.bash"
# shellcheck source-path=SCRIPTDIR/../../jobs source=../../jobs/scheduler.bash
source "$JOSTLE_ROOT/jobs/scheduler.bash"
# shellcheck source-path=SCRIPTDIR/../report source=../report/layout.bash
source "$JOSTLE_HARNESS/report/layout.bash"

env_whole JOSTLE_UNDO_S 60
((10#$REPLY > 0)) || usage_error "JOSTLE_UNDO_S=$REPLY: nothing can be undone in 0 s: set more, or unset it"

# What `experiment` makes of the command line: which programs are to be started, and how.
declare -A plan=()                          # the settings that the loop acts on, by name
declare -a plan_meter=() plan_cold_paths=() # meter's command line; files for --cold
declare -a plan_service=()                  # the arguments of the meter that keeps the service
declare -a plan_probe=()                    # the arguments of the probe before each block; none: there is none
declare -a look_words=()                    # the arguments of the `jostle run` that has to be looked at first
declare -a plan_resume=()                   # the words that make the command line one that resumes
declare -a conditions=()                    # in order
declare -A condition_variant=()             # of a condition: the number of its command
declare -A condition_load=()                # and the name that its loads go by
declare -A condition_sweep=()               # 1: its target has settings, whose groups go after each run
# Of each of meter's commands: as a shell has it, and what comes around it, where there is any.
declare -a command_text=() command_folder=() command_setup=() command_prepare=() command_conclude=() command_cleanup=()

folder=''      # where the records are
phase=starting # then running, finished
meter_pid=''
runs_made=0            # in this session, warm-up runs not counted; known when they have ended
terminal_out=''        # our own stdout, for --show-output
declare -a exports=()  # formats and files, of --export-json and the like
declare -a asked=()    # the words that jostle was called with
live=''                # not empty when a line on a terminal shows where we are
stop_reason=''         # why no more runs are made
verdict=''             # of the gate, where there is one
declare -a records=()  # files that we make in the folder
declare -a cleanups=() # variants whose --cleanup is still to be run
undone=''              # what could not be undone, in words
concludes=''           # the variant whose --prepare was begun, and whose --conclude is still to be run

# measure KIND ARG...: the whole of it. KIND is run, slowdown or capacity.
measure() {
    local began_us
    asked=("$@")
    [[ " $* " != *' --on'[=\ ]* ]] || {
        # shellcheck source-path=SCRIPTDIR source=elsewhere.bash
        source "$JOSTLE_LIB/elsewhere.bash"
        measure_elsewhere "$@"
    }
    descriptors_check 32 # before bash says it in words of its own
    scheduler_use_job
    scheduler_pin
    scheduler_environment
    measure_traps
    revisions_open "$@"
    # A signal is kept until we know of the folder that has been made, which may have to be taken away again.
    starting=1
    plan_read "$@"
    ((${#look_words[@]} == 0)) || look "$@"
    unset JOSTLE_REVISIONS # it is not for the target
    measure_open
    [[ -n ${plan[complete]:-} ]] || settings_open
    day_us
    began_us=$REPLY
    now_us
    conduct_ask begin "$began_us" "$REPLY" ${plan_probe:+probe}
    if [[ ${ANSWER[0]} != stop ]]; then
        measure_setup
        measure_start
        measure_runs
    fi
    measure_stopped
    measure_stop
    measure_cleanup
    measure_finish
    phase=finished
    measure_print
    measure_verdict
}

# look KIND ARG...: makes the run that shows how the target uses this machine, and reads the plan that is made of it.
# Where it fails, so will the first run of the experiment, which then says why.
look() {
    [[ -z ${plan[look_text]:-} ]] || warn "${plan[look_text]:0:60}: a first run, for its time and its CPUs"
    temporary_make look
    local folder=$REPLY/run # of that run
    print '%s\n' "${plan[look_busy]}" >"$REPLY/busy.json"
    foreground "$BASH" "$JOSTLE_HARNESS/jostle" run --quiet --no-probe --runs 1 --output "$folder" \
        "${look_words[@]}" >"$SINK" 2>&1 </dev/null || true
    look_words=() plan=()
    local -x JOSTLE_LOOK=$folder
    plan_read "$@"
}

# measure_traps: whatever ends us, no target and no load stays behind.
measure_traps() {
    trap measure_exit EXIT
    # A load that died must not end us by SIGPIPE; ignored, it would be inherited by the
    # target, a handler is not.
    trap : PIPE
    # A load that was killed is reported by us: bash says "Killed" as well, but of a signal
    # that has a trap. (No handler ever runs for this one.)
    # shellcheck disable=SC2173 # that is known
    trap : KILL
    signals_trap measure_interrupted
}

# measure_open: the FIFOs, and conduct, which locks the records.
measure_open() {
    local i
    local -a fifos=(meter meter.in)
    folder=${plan[folder]}
    measure_records
    started
    for i in "${!load_name[@]}"; do fifos+=("load.$i" "load.$i.in"); done
    exec {terminal_out}>&1
    private_fds+=("$terminal_out")
    [[ -z ${plan[verbose]:-} ]] || exec {verbose_fd}>&2
    [[ -n ${plan[quiet]:-}${plan[still]:-} ]] || ! is_terminal 2 || live=1
    [[ -z ${plan[service]:-} ]] || fifos+=(service service.in)
    ((${#plan_probe[@]} == 0)) || fifos+=(probe probe.in)
    processes_open "${fifos[@]}"
    measure_note
    conduct_start "$folder"
}

# measure_records: sets records to the files that we make in the folder, and may remove; whether its
# runs were recorded says the last.
measure_records() {
    records=("${load_name[@]/#/"$folder/load."}")
    records=("${records[@]/%/.stderr}" "$folder"/{meter.stderr,probe.stderr,target.stderr,target.stdout}
        "$folder"/service{,.meter}.stderr "$folder"/{service.stdout,experiment.json,runs.jsonl})
}

# measure_note: notes what we make, in case we are killed.
measure_note() {
    temporary_note record "${records[@]}"
    [[ -z ${plan[away]:-} ]] || temporary_note away "$folder"
    [[ -z ${plan[created]:-} ]] || temporary_note empty "$folder"
    [[ -z ${plan[settings]:-} ]] || temporary_note groups "$folder"
}

# measure_start: meter and the loads; returns when they are ready. The service is only begun:
# it is up before the first run.
measure_start() {
    loads_calibrate "$folder"
    meter_start
    [[ -z ${plan[service]:-} ]] || service_begin
    loads_start "$folder"
    conduct_ask await ready meter ${plan[service]:+service}
}

# meter_start: one meter for all runs. With --show-output the target has our stdout and
# stderr; else meter's complaints go to a file.
meter_start() {
    local unused out=$null_fd
    local -a words=("${plan_meter[@]}")
    source_open meter meter
    # Not a background job, in which bash has SIGINT ignored: the target would inherit that.
    if [[ -n ${plan[show_output]:-} ]]; then
        exec {unused}> >(spawn_meter "$fifo_folder/meter" "${words[@]}" <&"$PIPE_IN" 1>&"$terminal_out")
    else
        [[ -z ${plan[show_stdout]:-} ]] || out=$terminal_out
        errors_open "$folder/meter.stderr"
        exec {unused}> >(spawn_meter "$fifo_folder/meter" "${words[@]}" <&"$PIPE_IN" 1>&"$out" 2>&"$ERRORS_FD")
        fd_close "$ERRORS_FD"
    fi
    # shellcheck disable=SC2128 # $! is not an array
    meter_pid=$!
    exec {unused}>&-
    fd_close "$PIPE_IN"
}

# measure_runs: has conduct make the runs, and carries out what it orders until none follows.
measure_runs() {
    phase=running
    conditions_describe
    progress_wanted
    conduct_say go "${plan[max_time_us]:-0}" "${plan[runs_before_time]:-0}" "$REPLY" ${plan[extracts]:+ended}
    conduct_answer
    while [[ ${ANSWER[0]} != stop ]]; do
        case ${ANSWER[0]} in
            hook)
                "hook_${ANSWER[1]}" "${ANSWER[2]}"
                conduct_say ok
                ;;
            start)
                probe_start
                conduct_say ok
                ;;
            kill) kill -s RTMIN "$meter_pid" 2>/dev/null || true ;;
            run) [[ -z $live ]] || live_show "${ANSWER[@]:1:5}" ;;
            forecast) forecast_say "${ANSWER[@]:1:4}" ;;
            *) conduct_failed ;;
        esac
        conduct_answer
    done
}

# measure_stopped: keeps why no more runs are made, as the last answer says; ends us where it is a failure.
measure_stopped() {
    live_end
    stop_reason=${ANSWER[1]}
    runs_made=${ANSWER[2]}
    [[ $stop_reason != failure ]] || measure_run_failed "${ANSWER[@]:3:4}"
    verdict=${ANSWER[3]:-}
}

# progress_wanted: sets REPLY to what conduct is to say of the progress.
progress_wanted() {
    if [[ -n $live ]]; then
        REPLY=line
    elif [[ -n ${plan[quiet]:-}${plan[cell]:-} ]]; then
        REPLY=-
    else
        REPLY=forecast
    fi
}

# conditions_describe: tells conduct of each condition which commands it has, and what we have to do around its runs.
conditions_describe() {
    local name variant load
    local -a hooks loads
    for name in "${conditions[@]}"; do
        variant=${condition_variant[$name]}
        hooks=()
        # shellcheck disable=SC2206 # numbers, with spaces between
        loads=(${condition_loads[$name]:-})
        [[ -z ${plan[cold]:-}${condition_settings[$name]:-}${command_prepare[variant]:-} ]] || hooks+=(prepare)
        for load in "${loads[@]}"; do
            [[ -z ${load_settings[load]} ]] || {
                hooks+=(resumed ran)
                break
            }
        done
        [[ -z $verbose_fd ]] || hooks+=(resumed)
        [[ -z ${condition_settings[$name]:-}${condition_sweep[$name]:-} ]] || hooks+=(settled)
        [[ -z ${command_prepare[variant]:-}${command_conclude[variant]:-} ]] || hooks+=(recorded)
        conduct_say condition "$variant" "${condition_service[$name]:-0}" "${hooks[@]}"
    done
}

# ---- what we do around a run, as conduct orders it

# hook_prepare CONDITION: before the run.
hook_prepare() {
    local variant=${condition_variant[$1]}
    [[ -z ${command_prepare[variant]:-} ]] || {
        concludes=$variant
        measure_hook prepare "$variant"
    }
    [[ -z ${plan[cold]:-} ]] || cold_empty_cache
    [[ -z ${condition_settings[$1]:-} ]] || settings_on "$1"
}

# hook_resumed CONDITION: its loads are steady.
hook_resumed() {
    hook_ran "$1"
    [[ -z $verbose_fd ]] || printf '+ %s\n' "${command_text[condition_variant[$1]]//[[:cntrl:]]/?}" >&"$verbose_fd"
}

# hook_ran CONDITION: the target has ended, and its loads are not paused yet: programs that they start may undo a
# setting late.
hook_ran() {
    # shellcheck disable=SC2086 # numbers, with spaces between
    [[ -z ${load_settings[*]} ]] || loads_verify ${condition_loads[$1]:-}
}

# hook_settled CONDITION: the run is over.
hook_settled() {
    settings_off start
    [[ -z $setting_left ]] || exit "$EXIT_FAILURE"
    [[ -z ${condition_sweep[$1]:-} ]] || settings_sweep
}

# hook_recorded CONDITION: its record is kept.
hook_recorded() {
    local variant=${condition_variant[$1]}
    concludes=''
    [[ -z ${command_conclude[variant]:-} ]] || measure_undo conclude "$variant" signal || exit "$EXIT_FAILURE"
}

# settings_sweep: removes the control groups that settings were for.
settings_sweep() {
    [[ -z ${plan[settings]:-} ]] || "$JOSTLE_BIN/start" --sweep || true
}

# hook_words VARIANT COMMAND: sets words, the caller's, to what runs it where the variant runs.
hook_words() {
    words=(bash -c "$2")
    # shellcheck disable=SC2016 # expanded there
    [[ -z ${command_folder[$1]:-} ]] || words=(bash -p -c 'cd -- "$1" && exec bash -c "$2"' bash "${command_folder[$1]}" "$2")
}

# measure_hook setup|prepare VARIANT: runs the user's command.
measure_hook() {
    local -n hook_commands=command_$1
    local command=${hook_commands[$2]}
    local -a words
    hook_words "$2" "$command"
    foreground "${words[@]}" >"$SINK" || die "--$1 failed with status $?: $command: fix the command"
}

# measure_undo conclude|cleanup VARIANT start|signal|signalled: runs the user's command to its end, see undo_run. Returns 1
# where it fails, which is said and recorded.
measure_undo() {
    local -n undo_commands=command_$1
    local command=${undo_commands[$2]} code=0
    local -a words
    hook_words "$2" "$command"
    undo_run "--$1 (${command//[[:cntrl:]]/?})" "$3" "${words[@]}" || code=$?
    ((code == 0)) || left_undone "--$1 failed with status $code: $command: fix the command"
    started
    ((code == 0))
}

# left_undone TEXT: says what stays as it is though it was to be undone, and has the experiment's record say so.
left_undone() {
    local earlier=$LAST_WARNING
    warn "$1"
    undone+="${undone:+; }$LAST_WARNING"
    conduct_say left "$LAST_WARNING"
    LAST_WARNING=$earlier
}

# measure_setup: --setup of each variant, before the first run.
measure_setup() {
    local variant
    for variant in "${!command_text[@]}"; do
        cleanups+=("$variant")
        [[ -z ${command_setup[variant]:-} ]] || measure_hook setup "$variant"
    done
}

# measure_cleanup: --cleanup of each variant whose --setup has been run.
measure_cleanup() {
    local variant
    while ((${#cleanups[@]} > 0)); do
        variant=${cleanups[0]}
        cleanups=("${cleanups[@]:1}")
        [[ -z ${command_cleanup[variant]:-} ]] || measure_undo cleanup "$variant" signal || exit "$EXIT_FAILURE"
    done
}

# measure_failed TEXT: ends the experiment because meter made no record.
measure_failed() {
    local text=$1
    [[ -n $text ]] || text=$(tail -n 1 "$folder/meter.stderr" 2>/dev/null) || true
    text=${text#jostle: }
    die "the run could not be measured: ${text:-meter left no record: if it was killed, continue with --resume}"
}

# measure_run_failed HOW ADVICE target|service VARIANT: says how which of them failed, and ends.
measure_run_failed() {
    local last='' variant=${4:-0}
    if [[ $3 == service ]]; then
        service_end # its output is then in the folder
        warn "during a run the service (${plan[service]:0:120}) $1: $2 (records: $folder)"
        exit "$EXIT_TARGET"
    fi
    [[ ! -f ${plan[stderr]:=$folder/target.stderr} ]] || last=$(tail -n 1 "${plan[stderr]}" 2>/dev/null) || true
    warn "the target $1: ${command_text[variant]:0:120}${last:+: ${last:0:200}}: $2 (records: $folder)"
    exit "$EXIT_TARGET"
}

# forecast_say SECONDS_LEFT cut|- RUNS RUNS_LEFT: where nobody sees a live line (a job's log), says once how long
# the rest will take.
forecast_say() {
    duration_text "$1"
    if [[ -n ${plan[panorama]:-} ]]; then # its time ends it
        warn "about $REPLY left, after $3 runs"
    elif [[ $2 == cut ]]; then
        warn "about $REPLY left until --max-time ends the measurement: ${4/#-1/many} more runs would be needed, after $3"
    else
        warn "about $REPLY left: $4 more runs are expected, after $3"
    fi
}

# live_show CONDITION BLOCK ORDER PROGRESS SECONDS_LEFT: the line on a terminal. What is not to be known to some error, a
# panorama, has no such progress: its time ends it.
live_show() {
    local left='' progress=", $4"
    [[ -z ${plan[panorama]:-} ]] || progress=''
    [[ $5 == -1 ]] || {
        duration_text "$5"
        left=", about $REPLY left"
    }
    printf '\r\033[K%s: run %s%s%s' "$1" "$3" "$progress" "$left" >&2 || live='' # the terminal is gone
}

# live_end: takes the live line away. Safe to call twice.
live_end() {
    [[ -n $live ]] || return 0
    printf '\r\033[K' >&2 || true
    live=''
}

# measure_stop: ends meter and the loads. Safe to call twice.
measure_stop() {
    if [[ -n $meter_pid ]]; then
        conduct_say close meter
        pid_end "$meter_pid" 5
        meter_pid=''
    fi
    loads_stop
    probe_end
    service_end
}

# measure_finish: has conduct write the result. One that was complete already is left alone.
measure_finish() {
    local counters line
    if [[ -n ${plan[complete]:-} ]] && ((runs_made == 0)); then
        [[ -n ${plan[quiet]:-} ]] || warn "$folder is complete ($stop_reason): nothing to do"
        return 0
    fi
    scheduler_environment
    counters=$("$JOSTLE_BIN/experiment" --counters "$folder") || die 'the counters of the kernel cannot be read'
    if [[ $counters == *$'\n'stdin ]]; then
        counters=${counters%$'\n'*}
        [[ -n ${plan[input]:-} ]] || measure_unread
    fi
    conduct_say after "$counters"
    [[ -z $scheduler_job ]] ||
        while IFS= read -r line; do conduct_say steps "$line"; done < <(scheduler_steps "${plan[program]}")
    conduct_ask finish "${records[@]##*/}"
    [[ ${ANSWER[0]} == 'done' ]] || conduct_failed
    verdict=${ANSWER[1]:-}
    conduct_close # it ends while we print
}

# measure_unread: data came on our stdin only while we measured.
measure_unread() {
    warn 'data came on stdin during the measurement, and no run has read it: if it is for the target, measure again with --input FILE'
    conduct_say warn "$LAST_WARNING"
}

# measure_print: the result as the user wants it. That its reader has gone (`| head -1`)
# is no failure of the measurement.
measure_print() {
    local json=${plan[json]:-} code=0 i
    # shellcheck disable=SC2034 # layout_options reads it; it is not for the target
    [[ -z ${plan[plain]:-} ]] || NO_COLOR=1
    for ((i = 0; i < ${#exports[@]}; i += 2)); do measure_export "${exports[@]:i:2}"; done
    if [[ -n $json && $json != - ]]; then
        save_output "$json" cat -- "$folder/result.json" || exit
    fi
    (
        trap - PIPE
        OUTPUT_KEPT="the result is in $folder/result.json"
        [[ $json != - ]] || print_file "$folder/result.json" || exit
        [[ -n ${plan[quiet]:-} ]] || measure_table
    ) || code=$?
    ((code == 0 || code == 128 + 13)) || exit 1 # it said why
}

# measure_export FORMAT FILE: the result in a format of jostle report; - is stdout.
measure_export() {
    local -a to=(--output "$2")
    [[ $2 != - ]] || to=()
    "$BASH" -p "$JOSTLE_HARNESS/commands/report" --format "$1" "${to[@]}" "$folder" || exit
}

# measure_table: the table for people; on stderr when stdout has the JSON.
measure_table() {
    [[ ${plan[json]:-} != - ]] || exec >&2
    report_table "$folder" ${plan[verbose]:+--verbose} || return
    print '\nRecords: %s\nPage: jostle report --open %q\n' "${folder//[[:cntrl:]]/?}" "${folder//[[:cntrl:]]/?}"
}

# measure_verdict: the exit status of a gate.
measure_verdict() {
    case $verdict in
        above) exit "$EXIT_ABOVE" ;;
        undecided) exit "$EXIT_UNDECIDED" ;;
    esac
}

# measure_interrupted SIGNAL STATUS: nothing is left running, what was measured stays.
measure_interrupted() {
    local IFS=$' \t\n' when=''
    signals_ignore
    live_end
    if [[ $phase == running ]]; then
        conduct_end
        when=" after $runs_made runs"
        [[ $runs_made != 1 ]] || when=' after 1 run'
        [[ $runs_made != 0 ]] || when=' before the first run had ended'
        # A campaign says itself where its records are; a folder without any is removed.
        [[ -n ${plan[cell]:-} || ! -s $folder/runs.jsonl ]] || when+=": the records are in $folder"
    fi
    LAST_WARNING="interrupted by SIG$1$when"
    # What has several experiments says it itself.
    [[ -n $within && $within != on ]] || warn "$LAST_WARNING"
    [[ $phase != running || $runs_made == 0 || -n ${plan[cell]:-} ]] || measure_next_commands
    exit "$2"
}

# measure_next_commands: how to continue, and how to see what there is; as a part of something larger that is
# what that says.
measure_next_commands() {
    [[ -z $within ]] || return 0
    next_command resume "${asked[0]}" "${plan_resume[@]}" "${asked[@]:1}"
    next_command report report "$folder"
}

# measure_undo_late STATUS: what is still to be undone when we end with that status: everything, where something has failed
# before, or we were interrupted. Returns 1 where that fails.
measure_undo_late() {
    local variant since=signal failed=0
    (($1 <= 128)) || since=signalled
    settings_off "${since/%signal/start}"
    settings_sweep
    [[ -z $concludes || -z ${command_conclude[concludes]:-} ]] || measure_undo conclude "$concludes" "$since" || failed=1
    for variant in "${cleanups[@]}"; do
        [[ -z ${command_cleanup[variant]:-} ]] || measure_undo cleanup "$variant" "$since" || failed=1
    done
    [[ -z $setting_left ]] && ((failed == 0))
}

# measure_exit: at the end, whatever the reason.
measure_exit() {
    local code=$? IFS=$' \t\n'
    signals_ignore
    set +e
    live_end
    foreground_end
    measure_stop
    # Further signals only have it said what is waited for.
    signals_trap :
    measure_undo_late "$code" || ((code != 0)) || code=$EXIT_FAILURE
    signals_ignore
    [[ -z $undone ]] || LAST_WARNING+="${LAST_WARNING:+; }$undone"
    if [[ -n $conduct_pid && $phase != finished ]]; then
        case $code in
            # What is not the experiment's own fault may go well another time.
            "$EXIT_TARGET" | "$EXIT_USAGE") conduct_say ended failed "$LAST_WARNING" ;;
            *) conduct_say ended interrupted "${LAST_WARNING#interrupted }" ;; # the state is said in front
        esac
    fi
    conduct_stop
    revisions_close
    temporary_close
    measure_tidy
    exit "$code"
}

# measure_tidy: takes away what is of no use to anybody, with the folders that we have made for it.
measure_tidy() {
    records_drop "${records[@]}"
    [[ -z ${plan[away]:-} ]] || "$JOSTLE_BIN/arguments" return "$folder" || true
    [[ -n ${plan[created]:-} && ! -e $folder/runs.jsonl ]] || return 0
    rmdir -- "$folder/failed" 2>/dev/null # meter's, for the output of a run that we have ended
    rmdir -- "$folder" 2>/dev/null || return 0
    [[ -n ${plan[named]:-} ]] || rmdir -- "${folder%/*}" 2>/dev/null
}

# plan_read KIND ARG...: has experiment check a command line of `jostle KIND`, and reads
# its plan. Exits as experiment does where it refuses.
plan_read() {
    local -a text
    local -A of_name=()
    local i name code
    [[ -x $JOSTLE_BIN/experiment ]] || die "$JOSTLE_BIN/experiment is missing: run make"
    JOSTLE_WITHIN=$within answer_read text "$JOSTLE_BIN/experiment" "$@" || {
        code=$?
        started
        exit "$code"
    }
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
    done
    for name in "${conditions[@]}"; do
        condition_loads["$name"]=${of_name[${condition_load[$name]}]:-}
    done
}

# plan_take KEY VALUE: one pair of the plan; what begins with load_ is of the last load.
plan_take() {
    local last=$((${#load_name[@]} - 1))
    case $1 in
        load)
            load_name+=("$2") load_condition+=('') load_node+=('') load_listens+=('') load_percent+=('') load_settings+=('')
            load_first+=("${#load_words[@]}") load_count+=(0)
            load_calib_first+=("${#load_calib_words[@]}") load_calib_count+=(0)
            ;;
        load_condition | load_node | load_listens | load_percent) printf -v "$1[$last]" '%s' "$2" ;;
        load_setting) load_settings[last]+=" --set $2" ;;
        load_word) load_words+=("$2") load_count[last]=$((load_count[last] + 1)) ;;
        load_calib_word) load_calib_words+=("$2") load_calib_count[last]=$((load_calib_count[last] + 1)) ;;
        service_word) plan_service+=("$2") ;;
        probe_word) plan_probe+=("$2") ;;
        meter) plan_meter+=("$2") ;;
        look_word) look_words+=("$2") ;;
        resume_word) plan_resume+=("$2") ;;
        export_format | export_file) exports+=("$2") ;;
        cold_path) plan_cold_paths+=("$2") ;;
        command_text) command_text+=("$2") ;;
        command_*) printf -v "$1[$((${#command_text[@]} - 1))]" '%s' "$2" ;;
        condition) conditions+=("$2") condition_variant[$2]=0 condition_load[$2]=$2 ;;
        condition_variant) condition_variant[${conditions[-1]}]=$2 ;;
        condition_load) condition_load[${conditions[-1]}]=$2 ;;
        condition_service) condition_service[${conditions[-1]}]=$2 ;;
        condition_sweep) condition_sweep[${conditions[-1]}]=1 ;;
        setting | setting_* | condition_setting) setting_take "$1" "$2" ;;
        *) plan[$1]=$2 ;;
    esac
}
