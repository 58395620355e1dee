# The receiving half of a network bench, on the machine that receives: read there by
# `bash -s`, so that nothing has to be quoted or copied. What follows this text on stdin are
# empty lines, as long as somebody is there: the end of stdin, or silence, ends all that was
# started, whatever has become of who started it. Needs bash, coreutils and
# jostle at the same path or in PATH.
# shellcheck shell=bash

# Silence for so long means that nobody is there, or no network to them.
readonly RECEIVE_SILENCE_S=60

receive_log='' receive_bin=''
receive_pids=() receive_ports=() receive_names=() # of each server

# receive_fail TEXT: one line on stderr, and the end.
receive_fail() {
    printf 'jostle: %s: %s\n' "$(uname -n)" "$1" >&2
    exit 1
}

# receive_find BIN: sets receive_bin to the folder of jostle's programs: BIN, else that of the loadgen in PATH.
receive_find() {
    local program=$1/loadgen
    [[ -x $program ]] || program=$(command -v loadgen) || return 1
    program=$(readlink -f "$program")
    receive_bin=${program%/*}
    [[ -x $receive_bin/start ]]
}

# receive_bound PORT...: 0 when something is bound to one of the ports: TCP listening, or UDP.
# (Not by bash's own `read`: of these files it makes a system call for each byte.)
receive_bound() {
    local ports text
    printf -v ports '|%04X' "$@"
    text=$(cat /proc/net/{tcp,tcp6,udp,udp6} 2>/dev/null) || true
    [[ $text =~ :(${ports:1})\ [0-9A-F]+:[0-9A-F]{4}\ (0A|07)\  ]]
}

# receive_start PORT COMMAND...: starts a server, which ends with this shell even if that is
# killed; its output goes to receive_log.
receive_start() {
    command -v "$2" >/dev/null || receive_fail "$2 is not here: install it, or leave it out"
    "$receive_bin/start" --with-parent KILL -- "${@:2}" </dev/null >>"$receive_log" 2>&1 &
    receive_pids+=("$!") receive_ports+=("$1") receive_names+=("${2##*/}")
}

# receive_await I: returns when server I has bound its port.
receive_await() {
    local name=${receive_names[$1]} tries
    for ((tries = 0; tries < 500; tries++)); do
        kill -0 "${receive_pids[$1]}" 2>/dev/null || receive_fail "$name has ended: $(tail -n 1 "$receive_log")"
        ! receive_bound "${receive_ports[$1]}" || return 0
        sleep 0.01
    done
    receive_fail "$name is not up after 5 s: $(tail -n 1 "$receive_log")"
}

# receive_server NAME ADDRESS PORT: starts one, at its own place after PORT.
receive_server() {
    local at=$2 port=$3
    [[ $at != *:* ]] || at=[$at]
    case $1 in
        loadgen) receive_start "$port" "$receive_bin/loadgen" net --listen "$at:$port" --duration forever ;;
        iperf3) receive_start $((port + 1)) iperf3 -s -p $((port + 1)) -B "$2" ;;
        qperf) receive_start $((port + 2)) qperf -lp $((port + 2)) ;;
        sockperf-tcp) receive_start $((port + 4)) sockperf server --tcp -i "$2" -p $((port + 4)) ;;
        sockperf-udp) receive_start $((port + 5)) sockperf server -i "$2" -p $((port + 5)) ;;
        *) receive_fail "$1: no server of that name" ;;
    esac
}

# receive_end: ends every server. An EXIT trap.
receive_end() {
    local pid
    trap '' TERM INT HUP QUIT
    for pid in "${receive_pids[@]}"; do kill -TERM "$pid" 2>/dev/null; done
    sleep 0.02
    for pid in "${receive_pids[@]}"; do kill -KILL "$pid" 2>/dev/null; done
    wait
    rm -f -- "$receive_log"
}

# receive BIN ADDRESS PORT NAME...: starts these servers, says "ready", and ends them when
# stdin ends or is silent. BIN: folder of jostle's programs.
receive() {
    local name i
    local -a ports
    trap receive_end EXIT
    trap 'exit 143' TERM INT HUP QUIT
    receive_log=$(mktemp 2>/dev/null) || receive_fail 'no temporary file can be made: set TMPDIR'
    receive_find "$1" || receive_fail "jostle is not here: install it at $1, or with loadgen in PATH"
    mapfile -t ports < <(seq "$3" $(($3 + 5)))
    ! receive_bound "${ports[@]}" || receive_fail "of the ports ${ports[0]} to ${ports[5]} one is in use: give another --port"
    for name in "${@:4}"; do receive_server "$name" "$2" "$3"; done
    for i in "${!receive_pids[@]}"; do receive_await "$i"; done
    printf 'ready\n'
    while read -r -t "$RECEIVE_SILENCE_S" _; do :; done
    exit 0 # not on to what else may be on stdin
}

# receive_facts BIN: prints what is here, lines NAME<TAB>VALUE: loadgen, each server's program
# with a version, address (at which ssh has reached us, where it has), or a problem.
receive_facts() {
    local name address
    if ! receive_find "$1"; then
        printf 'problem\tjostle is not there: install it at %s, or with loadgen in PATH\n' "$1"
    else
        printf 'loadgen\t%s\n' "$receive_bin/loadgen"
    fi
    for name in iperf3 qperf sockperf; do
        ! command -v "$name" >/dev/null || printf '%s\t1\n' "$name"
    done
    read -r _ _ address _ <<<"${SSH_CONNECTION:-}"
    [[ -z $address ]] || printf 'address\t%s\n' "$address"
}
