# The other end of a network bench: how a command is started there, and what is there.
# Sourced, never run; needs messages.bash, common.bash, and jobs/scheduler.bash.

# Without an answer for so long the other end is down.
readonly PEER_PROBE_S=20
readonly -a PEER_SSH=(ssh -o BatchMode=yes -o ConnectTimeout=10 -o ServerAliveInterval=5 -o ServerAliveCountMax=3)

# peer_is_here HOST: 0 when this machine is the other end.
peer_is_here() {
    [[ -z $1 || $1 == localhost ]]
}

# peer_words HOST RSH ARRAY: sets ARRAY to what runs `bash -s` at HOST with our stdin, stdout
# and stderr: RSH HOST, else what the scheduler starts steps with where HOST is a node of our
# job, else ssh.
peer_words() {
    local host
    local -n peer_words_result=$3
    peer_words_result=(bash -s)
    ! peer_is_here "$1" || return 0
    if [[ -n $2 ]]; then
        split_words "$2" peer_words_result || usage_error "--rsh $2: a quote is not closed"
        peer_words_result+=("$1" bash -s)
        return
    fi
    while IFS= read -r host; do
        [[ $host != "$1" ]] || {
            scheduler_start_words "$1" peer_words_result
            return
        }
    done < <(scheduler_hosts)
    peer_words_result=("${PEER_SSH[@]}" "$1" bash -s)
}

# peer_default: prints the other end where none is given: the second node of our job, or
# nothing: this machine.
peer_default() {
    local host=''
    { read -r && read -r host; } < <(scheduler_hosts) || true
    [[ -z $host ]] || printf '%s\n' "$host"
}

# peer_address NAME: prints its address in numbers, or nothing. A name may mean something
# else at the other end (127.0.1.1, in Debian's /etc/hosts), so that none is handed over.
peer_address() {
    "$JOSTLE_BIN/bench" --address="$1" || true
}

# peer_probe HOST RSH ADDRESS: prints what is at HOST, a line NAME<TAB>VALUE each: address
# (the one to measure), each of loadgen, iperf3, qperf and sockperf that is there; problem,
# if nothing can be measured. Returns 0.
peer_probe() {
    local facts code=0 said address=$3 line
    local -a words
    peer_words "$1" "$2" words
    temporary_file peer
    said=$REPLY
    facts=$({
        printf '%s\n' "$(<"$JOSTLE_HARNESS/bench/receive.bash")"
        printf 'receive_facts %q\n' "$JOSTLE_BIN"
    } | timeout "$PEER_PROBE_S" "${words[@]}" 2>"$said") || code=$?
    if [[ $facts != *loadgen$'\t'* && $facts != *problem$'\t'* ]]; then
        said=$(scheduler_own_lines <"$said" | tail -n 1)
        ((code != 124)) || said="no answer within $PEER_PROBE_S s"
        printf 'problem\t%s cannot be reached (%s): %s\n' "$1" "${words[0]}" "${said:-status $code}"
        return
    fi
    if peer_is_here "$1"; then
        address=${address:-127.0.0.1}
    elif [[ -z $address && $facts =~ (^|$'\n')address$'\t'([^$'\n']+) ]]; then
        address=${BASH_REMATCH[2]}
    fi
    address=$(peer_address "${address:-${1##*@}}")
    [[ -n $address ]] || printf 'problem\t%s: its address is not known: give --peer-address\n' "$1"
    while IFS= read -r line; do
        [[ $line == $'address\t'* ]] || printf '%s\n' "$line"
    done <<<"$facts"
    printf 'address\t%s\n' "$address"
}
