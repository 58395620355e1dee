# Loads on other nodes of the Slurm allocation that we run in: the same control
# pipe, carried by srun. Sourced, never run; needs common.
#
# `@WHERE SPEC` puts a load on other nodes, `NAME@WHERE=SPEC` all loads of a
# condition. Nodes are counted in the allocation; 1 is where the target runs.
# WHERE is a node (2), some (2-4) or all-others; {node2} in a SPEC is the
# name of node 2.
#
# Clocks of two nodes are never compared. A load's figures are over its own
# elapsed time, on its own clock, between two marks that we ask for right before
# and right after a run; what is not known is how long such a mark was under way,
# so the longest round trip by our own clock goes into the record: mark_delay_s.

declare -a load_node=()    # the node of each load, nothing for this one
declare -a remote_hosts=() # the nodes of the allocation, the target's first
remote_sent_us=0           # when marks were sent
remote_start_us=0          # the round trip of the marks before the run

# remote_condition WHERE SPEC: sets REPLY to SPEC with @WHERE at each of its loads.
remote_condition() {
    local rest="$2 + " part text=''
    while [[ -n $rest ]]; do
        part=${rest%% + *} rest=${rest#* + }
        [[ $part =~ ^[[:space:]]*@ ]] || part="@$1 $part"
        text+=" + $part"
    done
    REPLY=${text# + }
}

# remote_place SPEC: sets REMOTE_NODES to where a load is to run ('' is here) and
# REPLY to what is to run there.
remote_place() {
    local where spec=$1
    REMOTE_NODES=('') REPLY=$spec
    if [[ $spec =~ ^[[:space:]]*@([^[:space:]]*)[[:space:]]+(.*)$ ]]; then
        where=${BASH_REMATCH[1]} spec=${BASH_REMATCH[2]}
        remote_find_hosts "$1"
        remote_select "$where" "$1"
    fi
    remote_names "$spec"
}

# remote_find_hosts SPEC: fills remote_hosts; wrong use outside of an allocation.
remote_find_hosts() {
    local host
    local -a hosts
    [[ ${#remote_hosts[@]} -eq 0 ]] || return 0
    [[ -n ${SLURM_JOB_ID:-} && -n ${SLURMD_NODENAME:-} ]] ||
        usage_error "load '$1': other nodes are those of a Slurm allocation: run it by sbatch or jostle submit"
    mapfile -t hosts < <(scontrol show hostnames "${SLURM_JOB_NODELIST:-$SLURMD_NODENAME}")
    remote_hosts=("$SLURMD_NODENAME")
    for host in "${hosts[@]}"; do
        [[ $host == "$SLURMD_NODENAME" ]] || remote_hosts+=("$host")
    done
}

# remote_select WHERE SPEC: sets REMOTE_NODES to the nodes that WHERE names.
remote_select() {
    local first last all=${#remote_hosts[@]}
    case $1 in
        all-others) first=2 last=$all ;;
        *)
            [[ $1 =~ ^([1-9][0-9]{0,4})(-([1-9][0-9]{0,4}))?$ ]] ||
                usage_error "load '$2': @$1 names no node: give @2, @2-4 or @all-others"
            first=${BASH_REMATCH[1]} last=${BASH_REMATCH[3]:-${BASH_REMATCH[1]}}
            ;;
    esac
    ((first <= last && last <= all)) ||
        usage_error "load '$2': @$1, but the allocation has $all node(s): ask Slurm for more with --nodes"
    # shellcheck disable=SC2034 # for loads.bash
    REMOTE_NODES=("${remote_hosts[@]:first-1:last-first+1}")
}

# remote_names SPEC: sets REPLY to SPEC with {nodeN} replaced by node N's name.
remote_names() {
    local spec=$1 number
    while [[ $spec =~ \{node([1-9][0-9]*)\} ]]; do
        number=${BASH_REMATCH[1]}
        remote_find_hosts "$1"
        ((number <= ${#remote_hosts[@]})) ||
            usage_error "load '$1': {node$number}, but the allocation has ${#remote_hosts[@]} node(s): ask Slurm for more with --nodes"
        spec=${spec//"{node$number}"/"${remote_hosts[number - 1]}"}
    done
    REPLY=$spec
}

# remote_command NODE ARRAY: makes the command line in ARRAY one that runs on
# NODE. It works in our folder where NODE has it, else in NODE's scratch.
remote_command() {
    local -n remote_command_words=$2
    [[ -n $1 ]] || return 0
    # shellcheck disable=SC2016 # expanded on the other node
    remote_command_words=(srun --overlap --nodes=1 --ntasks=1 --nodelist="$1" --job-name=jostle-load --mpi=none --cpu-bind=none --quiet
        --chdir=/ bash -c 'for folder in "$0" "$SLURM_TMPDIR" "$TMPDIR" /tmp; do
            [[ -d $folder && -w $folder ]] || continue
            [[ -d $TMPDIR ]] || export TMPDIR="${SLURM_TMPDIR:-/tmp}"
            cd "$folder" && exec "$@"
        done' "$PWD" "${remote_command_words[@]}")
}

# remote_sent: to be called right before marks are sent.
remote_sent() {
    now_us
    remote_sent_us=$REPLY
}

# remote_marked: to be called when all loads have answered the mark before a run.
remote_marked() {
    now_us
    remote_start_us=$((REPLY - remote_sent_us))
}

# remote_fields I: sets REPLY to what the record of load I says of another node,
# right after its answer to the mark after a run; to nothing for a load here.
remote_fields() {
    local delay_us
    REPLY=''
    [[ -n ${load_node[$1]:-} ]] || return 0
    now_us
    delay_us=$((REPLY - remote_sent_us))
    ((delay_us >= remote_start_us)) || delay_us=$remote_start_us
    printf -v REPLY '"node":"%s","mark_delay_s":%d.%06d,' "${load_node[$1]}" $((delay_us / 1000000)) $((delay_us % 1000000))
}
