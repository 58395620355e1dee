# The loads of an experiment: parsed from --load, started paused, resumed,
# marked, paused and ended. Sourced, never run; needs common, pipes
# and placement.
#
# A condition may have several loads (`cpu --percent 50 + io --random`). Every
# load is an index into the arrays below; its condition is load_condition[i].

declare -a load_condition=() load_name=() load_spec=() load_pid=() load_in=() load_out=() load_errors=() load_ready=()
declare -a conditions=()     # in the user's order; baseline first in slowdown
declare -A condition_spec=() # condition -> the SPEC as it was given
declare -a load_warnings=()
load_reply=''

# A load may need this long to get ready (io fills its work file) or to be
# steady; silence for longer is a failure.
readonly LOAD_READY_S=${JOSTLE_LOAD_READY_S:-600} LOAD_STEADY_S=60

# loads_parse TEXT: adds the condition that NAME=SPEC (or SPEC alone, named by
# its first word) describes.
loads_parse() {
    local name spec=$1
    if [[ $spec =~ ^([A-Za-z0-9._%-]+)(@([A-Za-z0-9-]+))?=(.*)$ ]]; then
        name=${BASH_REMATCH[1]} spec=${BASH_REMATCH[4]}
        if [[ -n ${BASH_REMATCH[3]} ]]; then
            remote_condition "${BASH_REMATCH[3]}" "$spec"
            spec=$REPLY
        fi
    else
        name=${spec#@* }
        name=${name%%[: ]*}
    fi
    [[ $name =~ ^[A-Za-z0-9._%-]+$ ]] || usage_error "--load $1: give NAME=SPEC, such as half='cpu --percent 50'"
    [[ $name != baseline && ! -v "condition_spec[$name]" ]] ||
        usage_error "--load $1: the name $name is taken: give each load a NAME= of its own"
    conditions+=("$name")
    condition_spec[$name]=$spec
    loads_parse_spec "$name" "$spec"
}

# loads_parse_spec CONDITION SPEC: adds the loads that ` + ` joins, each as often
# as there are nodes for it.
loads_parse_spec() {
    local condition=$1 rest="$2 + " part kind name node
    while [[ -n $rest ]]; do
        part=${rest%% + *} rest=${rest#* + }
        [[ $part =~ [^[:space:]] ]] || usage_error "--load $condition=$2: a load is missing: give a load such as cpu --percent 50"
        remote_place "$part"
        part=$REPLY
        read -r kind _ <<<"${part/:/ }"
        for node in "${REMOTE_NODES[@]}"; do
            name=$condition
            [[ $2 != *' + '* ]] || name+=.$kind
            name+=${node:+@$node}
            while [[ " ${load_name[*]} " == *" $name "* ]]; do name+=+; done
            load_condition+=("$condition") load_name+=("$name") load_spec+=("$part") load_node+=("$node")
        done
    done
}

# load_command SPEC ARRAY NODE: sets ARRAY to the command line for one load that
# is to run on NODE, nothing for this one.
load_command() {
    local spec=$1 cpus
    local -n load_command_result=$2
    local -a words
    if [[ $spec =~ ^[[:space:]]*exec:(.*)$ ]]; then
        split_words "${BASH_REMATCH[1]}" words || usage_error "load '$spec': a quote is not closed"
        [[ ${#words[@]} -gt 0 ]] || usage_error "load '$spec': no command: write exec: COMMAND"
        words=(exec --control --settle "${options[settle]}s" -- "${words[@]}")
    else
        split_words "$spec" words || usage_error "load '$spec': a quote is not closed"
        words=("${words[0]}" --control "${words[@]:1}")
    fi
    load_command_result=()
    [[ -z ${options[load_nice]} ]] || load_command_result+=(nice -n "${options[load_nice]}")
    placement_load_cpus "$3"
    cpus=$REPLY
    [[ -z $cpus ]] || load_command_result+=(taskset -c "$cpus")
    load_command_result+=("$JOSTLE_BIN/loadgen" "${words[@]}")
}

# loads_start FOLDER: starts every load, paused; their stderr goes to FOLDER. Those
# that others connect to come first, and run until the others are ready: a
# paused listener answers nobody.
loads_start() {
    local i
    local -a listeners=() others=()
    for i in "${!load_spec[@]}"; do
        if load_listens "${load_spec[i]}"; then listeners+=("$i"); else others+=("$i"); fi
    done
    for i in "${listeners[@]}"; do load_start "$i" "$1"; done
    for i in "${listeners[@]}"; do load_get_ready "$i"; done
    for i in "${listeners[@]}"; do load_say "$i" resume; done
    for i in "${listeners[@]}"; do load_expect "$i" steady "$LOAD_STEADY_S"; done
    for i in "${others[@]}"; do load_start "$i" "$1"; done
    for i in "${others[@]}"; do load_get_ready "$i"; done
    for i in "${listeners[@]}"; do load_say "$i" pause; done
    for i in "${listeners[@]}"; do load_expect "$i" paused "$LOAD_STEADY_S"; done
}

# load_listens SPEC: 0 for a load that waits for others to connect.
load_listens() {
    [[ $1 =~ ^[[:space:]]*net[[:space:]](.*[[:space:]])?--listen ]]
}

# load_start I FOLDER: starts one load.
load_start() {
    local i=$1
    local -a command
    load_errors[i]=$2/load.${load_name[i]}.stderr
    load_command "${load_spec[i]}" command "${load_node[i]}"
    remote_command "${load_node[i]}" command
    pipe_start "${load_errors[i]}" "${command[@]}"
    load_pid[i]=$PIPE_PID load_in[i]=$PIPE_IN load_out[i]=$PIPE_OUT
}

# load_get_ready I: waits until one load is prepared, and keeps what it says.
load_get_ready() {
    load_expect "$1" ready "$LOAD_READY_S"
    load_ready[$1]=$load_reply
}

# device_of LINE: sets REPLY to the device that a `ready` or a jostle.device/1
# names, or to the file system where it has none (tmpfs); 1 when it says neither.
device_of() {
    [[ $1 =~ \"device\":\"([^\"]+)\" || $1 =~ \"file_system\":\"([^\"]+)\" ]] || return 1
    REPLY=${BASH_REMATCH[1]}
}

# loads_check_device: a disk load on another device than the target's folder
# disturbs nothing; says so. The device is the load's own finding.
loads_check_device() {
    local i here='' device
    for i in "${!load_ready[@]}"; do
        [[ -z ${load_node[i]} ]] || continue
        device_of "${load_ready[i]}" || continue
        device=$REPLY
        [[ -n $here ]] || here=$("$JOSTLE_BIN/loadgen" io --show-device --dir .) || return 0
        device_of "$here" || return 0
        [[ $REPLY == "$device" ]] ||
            load_warn "$i" "{\"message\":\"it is on $device, the target's folder on $REPLY, so it may disturb nothing: give the load --dir\"}"
    done
}

# load_say I LINE: sends a control line. A load that is gone is found out by
# the reply that does not come, hence no error here.
load_say() {
    { printf '%s\n' "$2" >&"${load_in[$1]}"; } 2>/dev/null || true
}

# load_expect I EVENT SECONDS: reads replies until EVENT; sets load_reply to
# that line. Warnings are kept; an error, an end or silence ends the experiment.
load_expect() {
    local i=$1 event=$2 status
    while true; do
        status=0
        IFS= read -r -t "$3" -u "${load_out[i]}" load_reply || status=$?
        ((status == 0)) || load_failed "$i" "$status" "$3"
        case $load_reply in
            '{"event":"'"$event"'"'*) return 0 ;;
            '{"event":"warning"'*) load_warn "$i" "$load_reply" ;;
            '{"event":"error"'*) load_failed "$i" 1 "$3" ;;
        esac
    done
}

# load_warn I LINE: keeps a warning for the result, once.
load_warn() {
    local text='no text'
    [[ ! $2 =~ \"message\":\"([^\"]*)\" ]] || text=${BASH_REMATCH[1]}
    text="load ${load_name[$1]}: $text"
    local known
    for known in "${load_warnings[@]}"; do
        [[ $known != "$text" ]] || return 0
    done
    load_warnings+=("$text")
    warn "$text"
}

# load_failed I STATUS SECONDS: ends the experiment because of a load.
load_failed() {
    local i=$1 text='' code=0
    # An error event says it best; else the last line that it wrote to stderr.
    if [[ $load_reply =~ ^\{\"event\":\"error\".*\"message\":\"([^\"]*)\" ]]; then
        text=${BASH_REMATCH[1]}
    elif (($2 > 128)); then
        die "load ${load_name[i]} (${load_spec[i]}) has been silent for $3 s: try it alone with loadgen"
    fi
    pid_end "${load_pid[i]}" 2
    wait "${load_pid[i]}" 2>/dev/null || code=$?
    [[ -n $text ]] || text=$(grep -v '^srun: \|^slurmstepd: ' "${load_errors[i]}" 2>/dev/null | tail -n 1) || true
    text=${text#jostle: }
    [[ -n $text ]] || text="it ended with status $code: try it alone with loadgen"
    if ((code == EXIT_USAGE)); then
        usage_error "load ${load_name[i]}: $text"
    fi
    die "load ${load_name[i]} ended: $text"
}

# condition_loads CONDITION ARRAY: sets ARRAY to the indices of its loads.
condition_loads() {
    local -n condition_loads_result=$2
    local i
    condition_loads_result=()
    for i in "${!load_condition[@]}"; do
        [[ ${load_condition[i]} != "$1" ]] || condition_loads_result+=("$i")
    done
}

# loads_resume I...: resumes the loads together, and returns when all are
# steady and marked.
loads_resume() {
    local i
    for i in "$@"; do load_say "$i" resume; done
    for i in "$@"; do load_expect "$i" steady "$LOAD_STEADY_S"; done
    remote_sent
    for i in "$@"; do load_say "$i" 'mark start'; done
    for i in "$@"; do load_expect "$i" mark "$LOAD_STEADY_S"; done
    remote_marked
}

# loads_finish I...: marks, pauses, and sets LOADS_JSON to the records of what
# was delivered between the marks, LOADS_HERE to those of loads on this node,
# LOADS_FLAGS to what is to be said of it.
loads_finish() {
    local i record
    LOADS_JSON='' LOADS_FLAGS='' LOADS_HERE=''
    remote_sent
    for i in "$@"; do load_say "$i" 'mark end'; done
    for i in "$@"; do
        load_expect "$i" mark "$LOAD_STEADY_S"
        remote_fields "$i"
        record=",{\"name\":\"${load_name[i]}\",$REPLY${load_reply#'{"event":"mark","mark":"end",'}"
        LOADS_JSON+=$record
        [[ -n ${load_node[i]} ]] || LOADS_HERE+=$record
        ! load_short "$load_reply" || LOADS_FLAGS=',"load-short"'
        load_say "$i" pause
    done
    for i in "$@"; do load_expect "$i" paused "$LOAD_STEADY_S"; done
    LOADS_JSON=${LOADS_JSON#,} LOADS_FLAGS=${LOADS_FLAGS#,}
}

# load_short MARK: 0 when less than 95 % of the offered load was achieved. Over
# less than 0.1 s one operation more or less decides, which tells nothing.
load_short() {
    local offered achieved elapsed
    [[ $1 =~ \"elapsed_s\":([0-9.]+) ]] || return 1
    LC_ALL=C printf -v elapsed '%.1f' "${BASH_REMATCH[1]}"
    ((10#${elapsed/./} >= 1)) || return 1
    [[ $1 =~ \"offered\":([0-9.eE+-]+) ]] || return 1
    LC_ALL=C printf -v offered '%.6f' "${BASH_REMATCH[1]}"
    [[ $1 =~ \"achieved\":([0-9.eE+-]+) ]] || return 1
    LC_ALL=C printf -v achieved '%.6f' "${BASH_REMATCH[1]}"
    ((10#${achieved/./} * 100 < 10#${offered/./} * 95))
}

# loads_stop: ends every load, by end of file first. Safe to call twice.
loads_stop() {
    local i
    for i in "${!load_in[@]}"; do pipe_close "${load_in[i]}"; done
    for i in "${!load_pid[@]}"; do pid_end "${load_pid[i]}" 5; done
    for i in "${!load_out[@]}"; do pipe_close "${load_out[i]}"; done
    load_in=() load_out=() load_pid=()
}
