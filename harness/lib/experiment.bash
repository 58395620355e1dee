# One experiment: conditions in, runs.jsonl and result.json out.
# Sourced, never run; needs common, options, pipes, loads.
#
# Uses the associative array `options` (see experiment_options), the array
# `conditions`, and `target`, the command to measure.

# shellcheck disable=SC2154 # options, conditions and target come from measuring.bash
experiment_folder='' # where the records are
experiment_phase=''  # '' before the first run, running, ended
estimate_in='' estimate_out='' estimate_pid=''
target_pid=''
runs_total=0
started_us=0
experiment_host='' # the name of this machine, as a JSON string
live=''            # not empty when a line on a terminal shows where we are
terminal_out=''    # a descriptor of our own stdout, for --show-output
readonly DEFAULT_MIN_RUNS=12

# Options that every measuring command shares (see options.bash for the form).
# shellcheck disable=SC2034 # read through a nameref
declare -a experiment_options=(
    'error|E|fraction|0.05|stop when the relative error (half-width of the confidence interval / mean) is at most E'
    'confidence|C|fraction|0.95|confidence of every interval'
    'min-runs|N|count||runs of each condition at least (default: 12, or --max-runs where that is less)'
    'max-runs|N|count|30|runs of each condition at most'
    'max-time|TIME|time||start no further run after TIME'
    'warmup|N|count0|0|runs of each condition before the measurement; recorded as block 0, not used'
    'metric|LIST|metric|wall_s|what must converge: wall_s, user_s, system_s, max_rss_bytes or all'
    'discard-warmup|N|count0|0|leave the first N runs of each condition out of the result; they stay recorded'
    'prepare|CMD|text||run CMD with bash before each run, unmeasured'
    'cleanup|CMD|text||run CMD with bash after each run, unmeasured'
    'cold||flag||empty the page cache before each run: as root all of it, else only what --cold-path names'
    'cold-path|PATH|list||files or folders to put out of the page cache where there is no root'
    'timeout|TIME|time||end a run, and its whole process tree, after TIME'
    'ignore-failure||flag||go on when the target fails'
    'target-cpus|LIST|cpus||pin the target to these CPUs'
    'load-cpus|LIST|cpus||pin the loads to these CPUs'
    'place|PLACE|place||where the loads are, seen from the target: core, smt, l3, node, other-node or machine; pins both'
    'place-cpus|N[:M]|cores||with --place: cores for the target, and for the loads (default: 1, and as many)'
    'nice|N|int||priority of the target, in every condition alike'
    'load-nice|N|int||priority of the loads'
    'settle|TIME|time|1|how long an exec: load runs before a run starts'
    'seed|N|count0||seed of the random order (default: taken from the clock, and recorded)'
    'engine|NAME|engine|meter|who measures a run: meter or hyperfine'
    'strict||flag||refuse to measure on a machine with other load, swapping, throttling or memory pressure'
    'show-output||flag||let the target write to the terminal'
    'output|DIR|text||folder for the records (default: jostle-results/TARGET.TIME)'
    'resume||flag||go on with the experiment in --output DIR, if it holds one: same command, loads and settings'
    'cell|JSON|cell||the cell of a campaign that this is: recorded as it is, and DIR/status.json tells how it stands'
    'json|FILE|text||write the result to FILE too, - for stdout'
    'quiet||flag||print nothing but errors'
    'verbose||flag||show each command on stderr as it is run'
    'help||flag||this text'
)

# experiment_main: the whole of it, from checked options to the table.
experiment_main() {
    [[ -z ${options[resume]} ]] || resume_prepare
    experiment_check
    [[ -z ${options[strict]} ]] || doctor_strict
    trap experiment_exit EXIT
    # A load that died must not end us by SIGPIPE; ignored, it would be inherited
    # by the target, a handler is not.
    trap : PIPE
    trap 'experiment_interrupted INT 130' INT
    trap 'experiment_interrupted TERM 143' TERM
    trap 'experiment_interrupted HUP 129' HUP
    exec {terminal_out}>&1
    # shellcheck disable=SC2034 # read by pipes.bash
    [[ -z ${options[verbose]} ]] || exec {verbose_fd}>&2
    [[ -z ${options[cold]} ]] || cache_check
    [[ ! -t 2 || -n ${options[quiet]} ]] || live=1
    experiment_open
    hits_start
    status_begin
    resume_begin
    loads_start "$experiment_folder"
    loads_check_device
    if [[ -z $resumed ]]; then
        experiment_describe >"$experiment_folder/experiment.json" || die "cannot write to $experiment_folder: choose another folder with --output"
        sync "$experiment_folder/experiment.json"
        estimate_start
    fi
    experiment_warmup
    experiment_loop
    experiment_stop
    experiment_report
    experiment_verdict
}

# experiment_check: what can be refused before anything is started.
experiment_check() {
    local program
    if [[ -z ${options[min_runs]} ]]; then
        options[min_runs]=$((options[max_runs] < DEFAULT_MIN_RUNS ? options[max_runs] : DEFAULT_MIN_RUNS))
    fi
    ((options[max_runs] >= options[min_runs])) ||
        usage_error "--max-runs ${options[max_runs]} is below --min-runs ${options[min_runs]}: swap them"
    for program in loadgen meter stats; do
        [[ -x $JOSTLE_BIN/$program ]] || die "$JOSTLE_BIN/$program is missing: run make"
    done
    [[ ${options[engine]} != hyperfine ]] || command -v hyperfine >/dev/null ||
        die "hyperfine is not installed: run make deps, or use --engine meter"
    json_string "$(uname -n)"
    experiment_host=$REPLY
    if [[ -z ${options[seed]} ]]; then
        now_us
        options[seed]=$((REPLY % 1000000007))
    fi
}

# experiment_open: makes the folder of the records.
experiment_open() {
    local stamp name=${target[0]##*/} folder
    printf -v stamp '%(%Y%m%d-%H%M%S)T' -1
    folder=${options[output]:-jostle-results/${name//[^A-Za-z0-9._-]/_}.$stamp.$$}
    mkdir -p "$folder" 2>/dev/null || die "cannot make the folder $folder: choose another with --output"
    [[ -n ${options[resume]} || ! -e $folder/runs.jsonl ]] ||
        usage_error "$folder already holds an experiment: choose another folder with --output, or go on with --resume"
    : 2>/dev/null >>"$folder/runs.jsonl" || die "cannot write to $folder: choose another folder with --output"
    # Not ours, and not to be tidied, before the lock is.
    folder=$(cd "$folder" && pwd)
    records_lock "$folder"
    experiment_folder=$folder
}

# estimate_start: starts the program that decides what runs next.
estimate_start() {
    estimate_command
    pipe_start "$experiment_folder/estimate.stderr" "${ESTIMATE[@]}"
    estimate_pid=$PIPE_PID estimate_in=$PIPE_IN estimate_out=$PIPE_OUT
    estimate_ask
}

# estimate_command: sets ESTIMATE to the command that judges these conditions.
estimate_command() {
    local names
    names=$(
        IFS=,
        printf '%s' "${conditions[*]}"
    )
    ESTIMATE=("$JOSTLE_BIN/stats" --conditions "$names" --error "${options[error]}"
        --confidence "${options[confidence]}" --min-runs "${options[min_runs]}" --max-runs "${options[max_runs]}"
        --metric "${options[metric]}" --seed "${options[seed]}")
    [[ -z ${options[ignore_failure]} ]] || ESTIMATE+=(--ignore-failure)
    [[ ${options[discard_warmup]} == 0 ]] || ESTIMATE+=(--discard-warmup "${options[discard_warmup]}")
    [[ -z ${options[aa]:-} ]] || ESTIMATE+=(--aa)
    [[ -z ${options[at_most]:-} ]] || ESTIMATE+=(--at-most "${options[at_most]}")
}

# estimate_ask: reads the next decision into NEXT, NEXT_CONDITION, NEXT_BLOCK,
# NEXT_ORDER, NEXT_ERROR, NEXT_RUNS (see estimate --help).
estimate_ask() {
    IFS=$'\t' read -r NEXT NEXT_CONDITION NEXT_BLOCK NEXT_ORDER NEXT_ERROR NEXT_RUNS _ <&"$estimate_out" ||
        die "estimate ended: $(tail -n 1 "$experiment_folder/estimate.stderr")"
}

# estimate_tell LINE: hands estimate a record or a stop, and asks.
estimate_tell() {
    printf '%s\n' "$1" >&"$estimate_in"
    estimate_ask
}

# experiment_warmup: the unmeasured first runs.
experiment_warmup() {
    local i condition
    for ((i = 0; i < options[warmup]; i++)); do
        for condition in "${conditions[@]}"; do
            experiment_run "$condition" 0 0
        done
    done
}

# experiment_loop: runs what estimate asks for until it says stop.
experiment_loop() {
    local deadline_us=0 limit=${options[max_time]}
    now_us
    started_us=$REPLY
    [[ -z $limit ]] || deadline_us=$((REPLY + 10#${limit/./}))
    experiment_phase=running
    while [[ $NEXT == run ]]; do
        now_us
        if ((deadline_us > 0 && REPLY >= deadline_us)); then
            estimate_tell 'stop max-time'
            continue
        fi
        experiment_live
        experiment_run "$NEXT_CONDITION" "$NEXT_BLOCK" "$NEXT_ORDER"
        estimate_tell "$RECORD"
        status_running
    done
    experiment_live_end
    [[ $NEXT_CONDITION != failure ]] || experiment_target_failed
}

# experiment_run CONDITION BLOCK ORDER: one run, its record appended to
# runs.jsonl and left in RECORD.
experiment_run() {
    local condition=$1 meter_line flags=''
    local -a loads
    condition_loads "$condition" loads
    experiment_shell prepare
    [[ -z ${options[cold]} ]] || cache_empty
    LOADS_JSON='' LOADS_FLAGS='' LOADS_HERE=''
    [[ ${#loads[@]} -eq 0 ]] || loads_resume "${loads[@]}"
    hits_before
    measure_once
    hits_after
    meter_line=$RECORD
    [[ ${#loads[@]} -eq 0 ]] || loads_finish "${loads[@]}"
    hits_flags "$meter_line" "$LOADS_HERE"
    flags=$LOADS_FLAGS${LOADS_FLAGS:+${HITS:+,}}$HITS
    [[ $2 != 0 ]] || flags+=${flags:+,}'"warmup"'
    RECORD='{"schema":"jostle.run/1","condition":"'$condition'","block":'$2',"order":'$3',"host":'$experiment_host,
    RECORD+="${meter_line#'{"schema":"jostle.meter/1",'}"
    RECORD="${RECORD%\}},\"load\":[$LOADS_JSON],\"flags\":[$flags]}"
    { printf '%s\n' "$RECORD" >>"$experiment_folder/runs.jsonl"; } 2>/dev/null ||
        die "cannot append to $experiment_folder/runs.jsonl after $runs_total runs: is the disk full?"
    [[ $2 == 0 ]] || runs_total=$((runs_total + 1))
    experiment_shell cleanup
}

# experiment_shell prepare|cleanup: runs the user's command, if any.
experiment_shell() {
    [[ -n ${options[$1]} ]] || return 0
    (spawn bash -c "${options[$1]}" >/dev/null) || die "--$1 failed with status $?: ${options[$1]}"
}

# measure_once: runs the target once under meter; RECORD is meter's line.
measure_once() {
    local record_fd
    local -a command=("$JOSTLE_BIN/meter" --with-parent)
    [[ -z ${options[timeout]} ]] || command+=(--timeout "${options[timeout]}")
    [[ -z $placement_target ]] || command+=(--cpus "$placement_target")
    [[ -z ${options[nice]} ]] || command+=(--nice "${options[nice]}")
    if [[ ${options[engine]} == hyperfine ]]; then
        measure_with_hyperfine
        return
    fi
    if [[ -n ${options[show_output]} ]]; then
        exec {record_fd}< <(spawn "${command[@]}" --output /dev/fd/3 -- "${target[@]}" 3>&1 1>&"$terminal_out")
    else
        exec {record_fd}< <(spawn "${command[@]}" --stdout /dev/null --stderr "$experiment_folder/target.stderr" -- "${target[@]}" 2>"$experiment_folder/meter.stderr")
    fi
    target_pid=$!
    IFS= read -r -u "$record_fd" RECORD || measure_failed
    exec {record_fd}<&-
    target_pid=''
}

# measure_failed: meter left no record.
measure_failed() {
    local text
    text=$(tail -n 1 "$experiment_folder/meter.stderr" 2>/dev/null) || true
    die "the run could not be measured: ${text:-meter left no record}"
}

# measure_with_hyperfine: hyperfine does the run, inside meter for its time-out
# and its care for descendants; hyperfine's figures replace meter's.
measure_with_hyperfine() {
    local record_fd export=$experiment_folder/hyperfine.json
    shell_quote "${target[@]}"
    exec {record_fd}< <(spawn "${command[@]}" --stdout /dev/null --stderr "$experiment_folder/target.stderr" -- \
        hyperfine -N --runs 1 --ignore-failure --style none --export-json "$export" -- "$REPLY")
    target_pid=$!
    IFS= read -r -u "$record_fd" RECORD || measure_failed
    exec {record_fd}<&-
    target_pid=''
    [[ -s $export ]] || die "hyperfine could not run the target: $(tail -n 1 "$experiment_folder/target.stderr")"
    RECORD=$(jq -c --slurpfile h "$export" -f "$JOSTLE_LIB/hyperfine.jq" <<<"$RECORD")
    rm -f "$export"
}

# experiment_target_failed: says how the target failed, and ends.
experiment_target_failed() {
    local how last
    how=$(jq -rs -f "$JOSTLE_LIB/failure.jq" "$experiment_folder/runs.jsonl")
    last=$(tail -n 1 "$experiment_folder/target.stderr" 2>/dev/null) || true
    shell_quote "${target[@]}"
    warn "the target $how: ${REPLY:0:120}${last:+: ${last:0:200}}: mend it, or go on with --ignore-failure (records: $experiment_folder)"
    exit "$EXIT_TARGET"
}

# experiment_live: the line on a terminal that says where we are.
experiment_live() {
    local error='-' left='' elapsed
    [[ -n $live ]] || return 0
    [[ $NEXT_ERROR == - ]] || LC_ALL=C printf -v error '%.1f %%' "${NEXT_ERROR}e2"
    if [[ $NEXT_RUNS != - && $runs_total -gt $resume_known ]]; then
        now_us
        elapsed=$((REPLY - started_us))
        left=", about $((elapsed * ${NEXT_RUNS%.*} / (runs_total - resume_known) / 1000000)) s left"
    fi
    LC_ALL=C printf -v asked '%.1f %%' "${options[error]}e2"
    printf '\r\033[K%s: run %d, error %s (asked %s)%s' "$NEXT_CONDITION" "$NEXT_ORDER" "$error" "$asked" "$left" >&2
}

# experiment_verdict: the exit status of --at-most.
experiment_verdict() {
    [[ -n ${options[at_most]:-} ]] || return 0
    case $(jq -r '.verdict' "$experiment_folder/result.json") in
        below) exit 0 ;;
        above) exit "$EXIT_ABOVE" ;;
        *) exit "$EXIT_UNDECIDED" ;;
    esac
}

# experiment_live_end: takes the live line away.
experiment_live_end() {
    [[ -n $live ]] || return 0
    printf '\r\033[K' >&2
}

# experiment_stop: ends the loads and estimate.
experiment_stop() {
    experiment_phase='ended'
    if [[ -n $estimate_in ]]; then
        pipe_close "$estimate_in"
        pid_end "$estimate_pid" 2
        pipe_close "$estimate_out"
        estimate_in=''
    fi
    loads_stop
}

# experiment_report: derives result.json, and prints it.
experiment_report() {
    facts_json
    result_ended "$experiment_folder" "$NEXT_CONDITION" "$REPLY"
    result_derive "$experiment_folder"
    experiment_print
}

# experiment_print: prints result.json as it was asked for.
experiment_print() {
    if [[ -n ${options[json]} && ${options[json]} != - ]]; then
        cp "$experiment_folder/result.json" "${options[json]}" 2>/dev/null ||
            die "cannot write ${options[json]}: the result is in $experiment_folder/result.json"
    fi
    [[ ${options[json]} != - ]] || cat "$experiment_folder/result.json"
    [[ -z ${options[quiet]} ]] || return 0
    if [[ ${options[json]} == - ]]; then
        result_table "$experiment_folder" >&2
    else
        result_table "$experiment_folder"
    fi
}

# experiment_interrupted SIGNAL STATUS: nothing is left running, what was
# measured stays.
experiment_interrupted() {
    trap '' INT TERM HUP
    [[ -z $live ]] || printf '\r\033[K' >&2
    if [[ $experiment_phase == running ]]; then
        warn "interrupted by SIG$1 after $runs_total run(s): they are kept in $experiment_folder"
    else
        warn "interrupted by SIG$1"
    fi
    exit "$2"
}

# experiment_tidy: takes away what is of no use to anybody: empty error files,
# and the folder itself when nothing was measured.
experiment_tidy() {
    [[ -d $experiment_folder ]] || return 0
    find "$experiment_folder" -maxdepth 1 -name '*.stderr' -empty -delete
    [[ -s $experiment_folder/runs.jsonl ]] ||
        rm -f "$experiment_folder"/{runs.jsonl,experiment.json} "$experiment_folder"/*.stderr
    rmdir "$experiment_folder" 2>/dev/null && [[ -z ${options[output]} ]] && rmdir jostle-results 2>/dev/null
}

# experiment_exit: whatever the reason, no target and no load stays behind.
experiment_exit() {
    local status=$?
    trap '' INT TERM HUP
    set +e
    [[ -z $live ]] || printf '\r\033[K' >&2
    if [[ -n $target_pid ]]; then
        kill -s TERM "$target_pid" 2>/dev/null
        pid_end "$target_pid" 5
    fi
    experiment_stop
    [[ -z $experiment_folder ]] || {
        status_end "$status"
        experiment_tidy
    }
    exit "$status"
}

# experiment_describe: prints experiment.json.
experiment_describe() {
    local key condition settings='' loads=''
    for key in "${!options[@]}"; do settings+=$'\x01'$key$'\x01'${options[$key]}; done
    for condition in "${conditions[@]}"; do
        loads+=$'\x01'$condition$'\x01'${condition_spec[$condition]:-}
    done
    jq -n --arg loads "$loads" --arg settings "$settings" \
        --argjson environment "$(environment_json "$PWD")" --argjson before "$facts_before" \
        --argjson cell "${options[cell]:-null}" --argjson placement "$placement_json" \
        -f "$JOSTLE_LIB/experiment.jq" --args -- "${target[@]}"
}
