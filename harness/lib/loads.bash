# The loads of an experiment: started paused, resumed, marked, paused and ended.
# Sourced, never run; needs messages, processes, loop.
#
# A load is an index into the arrays below, as the plan numbers them. What a load
# answers, conduct reads, which also tells it what to do.
# shellcheck disable=SC2034,SC2154 # shared with measure.bash and processes.bash

declare -a load_name=() load_condition=() load_node=() load_listens=() load_percent=() load_settings=() # of each load
declare -a load_words=() load_first=() load_count=()                                                    # its command line: COUNT words from FIRST on
declare -a load_calib_words=() load_calib_first=() load_calib_count=()                                  # the same by which it is calibrated, where that is another
declare -a load_pid=() load_errors=()                                                                   # of those that have been started
declare -A condition_loads=()                                                                           # indices, with spaces between
declare -A loads_undone=()                                                                              # what was warned of: a load's index, and what start said
loads_memory_kills=''                                                                                   # when they were started, as of memory_kills_read

# A load may need this long to get ready (io fills its work file) or to be steady;
# silence for longer is a failure, which conduct finds.
env_whole JOSTLE_LOAD_READY_S 600
readonly LOAD_READY_S=$REPLY
env_whole JOSTLE_LOAD_STEADY_S 60
readonly LOAD_STEADY_S=$REPLY

# loads_calibrate FOLDER: measures what the percentages of the loads are of, where that is not known
# yet; one after the other, and before anything runs that would disturb it.
loads_calibrate() {
    local i code
    local -a command
    for i in "${!load_name[@]}"; do
        [[ -n ${load_percent[i]} ]] || continue
        command=("${load_words[@]:load_first[i]:load_count[i]}")
        ((load_calib_count[i] == 0)) || command=("${load_calib_words[@]:load_calib_first[i]:load_calib_count[i]}")
        node_start_words "${load_node[i]}" command
        load_errors[i]=$1/load.${load_name[i]}.stderr
        errors_open "${load_errors[i]}"
        command+=(--calib --if-missing)
        code=0
        if [[ -n ${plan[quiet]:-} ]]; then
            foreground "${command[@]}" >/dev/null 2>&"$ERRORS_FD" || code=$?
        else
            foreground "${command[@]}" >/dev/null || code=$?
        fi
        fd_close "$ERRORS_FD"
        ((code == 0)) || load_calibration_failed "$i" "$code"
    done
}

# load_calibration_failed I STATUS: ends the experiment. Without --quiet, loadgen has said why, unless it was killed.
load_calibration_failed() {
    local text
    [[ -n ${plan[quiet]:-} || $2 -gt 128 ]] || exit "$2"
    text=$(load_last_words "$1")
    text=${text#jostle: }
    die "load ${load_name[$1]} cannot be calibrated: ${text:-it was killed}" "$2"
}

# loads_start FOLDER: starts every load; returns when all are ready, and paused. Their
# stderr goes to FOLDER. Those that others connect to come first, and run until the
# others are ready: a paused listener answers nobody.
loads_start() {
    local i
    local -a listeners=() others=()
    memory_kills_read
    loads_memory_kills=$REPLY
    for i in "${!load_name[@]}"; do
        if [[ -n ${load_listens[i]} ]]; then listeners+=("$i"); else others+=("$i"); fi
    done
    for i in "${listeners[@]}"; do load_start "$i" "$1"; done
    loads_await ready "${listeners[@]}"
    loads_tell resume steady "${listeners[@]}"
    for i in "${others[@]}"; do load_start "$i" "$1"; done
    loads_await ready "${others[@]}"
    loads_tell pause paused "${listeners[@]}"
}

# load_start I FOLDER: starts one load; conduct reads what it answers.
load_start() {
    local i=$1
    local -a command=("${load_words[@]:load_first[i]:load_count[i]}")
    load_errors[i]=$2/load.${load_name[i]}.stderr
    node_start_words "${load_node[i]}" command
    errors_open "${load_errors[i]}"
    source_open "load.$i" load "$i" "${load_name[i]}" "${load_condition[i]}" "${load_node[i]}"
    # A plain background job: `wait` for a process substitution says 255 once in a while,
    # and the status of a load that is refused must be certain. bash ignores SIGINT in it.
    spawn "${command[@]}" <&"$PIPE_IN" >"$fifo_folder/load.$i" 2>&"$ERRORS_FD" &
    load_pid[i]=$!
    fd_close "$PIPE_IN"
    fd_close "$ERRORS_FD"
}

# loads_await EVENT I...: until each has sent EVENT. An error, an end or silence ends the experiment.
loads_await() {
    [[ $# -eq 1 ]] || conduct_ask await "$@"
}

# loads_tell LINE EVENT I...: has conduct tell them a line, and waits until each has answered by EVENT.
loads_tell() {
    [[ $# -gt 2 ]] || return 0
    conduct_say tell "$1" "${@:3}"
    loads_await "${@:2}"
}

# loads_verify I...: tells conduct where a load, or a program that it has started, has not the settings of its condition:
# the run's record then says so, and nothing is said to be measured with them. The first time it is a warning, too.
loads_verify() {
    local i said
    local -a words
    for i in "$@"; do
        [[ -n ${load_settings[i]} ]] || continue
        # shellcheck disable=SC2206 # --set SETTING ..., which have no spaces
        words=(${load_settings[i]})
        said=$("$JOSTLE_BIN/start" --check "${load_pid[i]}" "${words[@]}" 2>&1) && continue
        said=${said#jostle: setting }
        conduct_say undone "$i" "$said"
        [[ -z ${loads_undone["$i $said"]:-} ]] || continue
        loads_undone["$i $said"]=1
        warn "load ${load_name[i]} did not keep a setting ($said): it is not measured with that: see its options, or leave the setting out"
        conduct_say warn "$LAST_WARNING"
    done
}

# memory_kills_read: sets REPLY to how many processes the kernel has killed for want of memory; to nothing where it
# does not count them.
memory_kills_read() {
    local name count
    REPLY=''
    while read -r name count; do
        [[ $name != oom_kill ]] || REPLY=$count
    done </proc/vmstat
}

# load_failed I TEXT: ends the experiment because of a load. TEXT: its own error, or
# nothing: then the last line that it wrote to stderr says it best, unless it was killed.
load_failed() {
    local i=$1 text=$2 code=0
    pid_end "${load_pid[i]}" 2
    wait "${load_pid[i]}" 2>/dev/null || code=$?
    [[ -n $text || $code != $((128 + 9)) || -n ${load_node[i]} ]] || {
        text='it was killed (SIGKILL): find out by whom'
        memory_kills_read
        [[ $REPLY == "$loads_memory_kills" ]] ||
            text='it was killed (SIGKILL), and the kernel killed processes of this machine for want of memory meanwhile: give it less memory, or the machine or its cgroup more'
    }
    [[ -n $text ]] || text=$(load_last_words "$i")
    text=${text#jostle: }
    [[ -n $text ]] || text="it ended with status $code: try it alone with loadgen"
    ((code != EXIT_USAGE)) || usage_error "load ${load_name[i]}: $text"
    die "load ${load_name[i]} ended: $text"
}

# load_last_words I: prints the last line that load I wrote to stderr; of another node, where it wrote none, that of
# what was to start it.
load_last_words() {
    local text=''
    [[ -z ${load_node[$1]} ]] || text=$(scheduler_own_lines <"${load_errors[$1]}" | tail -n 1) || true
    [[ -n $text ]] || text=$(tail -n 1 "${load_errors[$1]}" 2>/dev/null) || true
    printf '%s\n' "$text"
}

# loads_stop: ends every load, by the end of its stdin first. Safe to call twice.
loads_stop() {
    local i
    ((${#load_pid[@]} == 0)) || conduct_say close "${!load_pid[@]}"
    for i in "${!load_pid[@]}"; do pid_end "${load_pid[i]}" 5; done
    load_pid=()
}
