# The other end of a network bench: what is there. Sourced, never run; needs messages.bash, common.bash, and
# jobs/scheduler.bash.

# Without an answer for so long the other end is down.
readonly PEER_PROBE_S=30

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
    temporary_file peer
    said=$REPLY
    facts=$(timeout "$PEER_PROBE_S" "$JOSTLE_ROOT/jobs/ssh/far" ${2:+--rsh "$2"} "$1" \
        "$JOSTLE_HARNESS/bench/receive" --facts "$JOSTLE_BIN/loadgen" 2>"$said" </dev/null) || code=$?
    if [[ $facts != *loadgen$'\t'* ]]; then
        said=$(scheduler_own_lines <"$said" | tail -n 1)
        ((code != 124)) || said="no answer within $PEER_PROBE_S s"
        printf 'problem\t%s\n' "${said#jostle: }"
        return
    fi
    if [[ -z $1 || $1 == localhost ]]; then
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
