# The half of jobs/ssh/far that runs at the other host, where `bash -s` reads it: nothing has to be quoted or
# copied. What follows on stdin are lines: " TEXT" is a line for the command's stdin, "end" that it has no more of
# them, an empty line that somebody is still there. The end of our stdin, or silence, ends all that was started
# here, whatever has become of who started it. Needs bash and coreutils; tar where jostle has to be brought.
# shellcheck shell=bash

there_folder='' # ours alone, removed at the end
there_root=''   # jostle here
there_bin=''    # its programs
there_pid=''    # the command
there_silence_s=''
there_to=''              # the command's stdin
there_status_silence=254 # what we end with where far was silent
there_status_end=129     # and where it is gone, which nobody hears

# there_end: ends the command, and takes away what we have made. An EXIT trap.
there_end() {
    local signal tries
    trap '' TERM INT HUP QUIT USR1
    [[ -z $there_to ]] || exec {there_to}>&-
    for signal in '' TERM KILL; do
        [[ -z $signal || -z $there_pid ]] || kill -s "$signal" "$there_pid" 2>/dev/null
        for ((tries = 0; tries < 250; tries++)); do
            [[ -n $there_pid ]] || break 2
            kill -0 "$there_pid" 2>/dev/null || break 2
            sleep 0.02
        done
    done
    [[ -z $there_folder ]] || rm -rf -- "$there_folder"
}

# there_answer WORD TEXT: a line that far knows from what a login shell has said.
there_answer() {
    printf 'jostle-there\t%s\t%s\n' "$1" "$2"
}

# there_find VERSION ROOT BIN: sets there_root and there_bin to a jostle of that version: the one at ROOT, with its
# programs in BIN, else the one in PATH. 1: there is none.
there_find() {
    local path
    there_root=$2 there_bin=$3
    [[ $("$there_bin/meter" --version 2>/dev/null) != "$1" || ! -x $there_root/harness/jostle ]] || return 0
    path=$(readlink -f -- "$(command -v jostle)") || return 1
    there_root=${path%/harness/jostle} there_bin=$there_root/build/bin
    [[ $("$there_bin/meter" --version 2>/dev/null) == "$1" ]]
}

# there_receive: unpacks what far sends: a line "NAME BYTES", and the bytes; 1 where it sends none. Ends us where that
# fails, or where nothing comes for there_silence_s.
there_receive() {
    local name bytes pid place last='' still_ds=0
    local -a packed=()
    read -r -t "$there_silence_s" name bytes && ((bytes > 0)) || return 1
    [[ $name != bundle ]] || packed=(-J)
    head -c "$bytes" <&0 >"$there_folder/sent" &
    pid=$!
    while kill -0 "$pid" 2>/dev/null; do
        sleep 0.1
        { read -r _ place <"/proc/$pid/fdinfo/1"; } 2>/dev/null || continue
        still_ds=$((place == ${last:-$place} ? still_ds + 1 : 0)) last=$place
        ((still_ds < there_silence_s * 10)) || {
            kill -s KILL "$pid"
            exit "$there_status_silence"
        }
    done
    # Ours, whoever they belong to at the other end.
    wait "$pid" && tar -x "${packed[@]}" --no-same-owner --no-same-permissions -C "$there_folder" -f - <"$there_folder/sent" &&
        rm -- "$there_folder/sent" && return
    printf 'jostle: %s: what was sent cannot be unpacked there: make room there, install tar and xz\n' "$(uname -n)" >&2
    exit 1
}

# there_bring VERSION: has far send jostle, where it has one for this kind of machine.
there_bring() {
    there_answer needs "$(uname -m)"
    there_receive || exit 1 # far says what is missing
    there_root=$(printf '%s\n' "$there_folder"/jostle-*/lib/jostle)
    there_bin=$there_root/build/bin
    [[ $("$there_bin/meter" --version 2>/dev/null) == "$1" ]] || {
        there_answer problem 'the bundle that was brought does not run there, or is another version: run make bundle'
        exit 1
    }
}

# there_over: the command has ended by itself. A trap.
there_over() {
    local code=0
    wait "$there_pid" || code=$?
    there_pid=''
    exit "$code"
}

# there_start COMMAND...: starts it, with what there_to is written to as its stdin; its end sends us USR1.
there_start() {
    mkfifo "$there_folder/stdin"
    trap there_over USR1
    trap : PIPE
    (
        code=0
        trap 'exit 143' TERM
        "$there_bin/start" --with-parent TERM -- "$@" || code=$?
        kill -s USR1 "$$" 2>/dev/null
        exit "$code"
    ) <"$there_folder/stdin" &
    there_pid=$!
    exec {there_to}>"$there_folder/stdin"
}

# there_relay: passes on what far says, until it is silent or gone.
there_relay() {
    local line status=0
    while IFS= read -r -t "$there_silence_s" line || { status=$? && false; }; do
        case $line in
            ' '*) { printf '%s\n' "${line:1}" >&"$there_to"; } 2>/dev/null || true ;;
            end)
                exec {there_to}>&-
                there_to=''
                ;;
        esac
    done
    ((status <= 128)) || exit "$there_status_silence"
    exit "$there_status_end"
}

# there VERSION ROOT BIN SILENCE_S FOLDER WORD...: runs a command with jostle's programs, whose paths begin with BIN, or
# with its harness, at ROOT. FOLDER: where it works, if that is here.
there() {
    local -a words=("${@:6}")
    local i said
    there_silence_s=$4
    trap there_end EXIT
    trap 'exit 143' TERM INT HUP QUIT
    said=$(mktemp -d "${TMPDIR:-/tmp}/jostle-ssh.XXXXXX" 2>&1) || {
        there_answer problem "no temporary folder can be made there (${said##*: }): set TMPDIR there"
        exit 1
    }
    there_folder=$said
    there_find "$1" "$2" "$3" || there_bring "$1"
    for i in "${!words[@]}"; do
        words[i]=${words[i]/#"$3"\//"$there_bin"/} words[i]=${words[i]/#"$2"\//"$there_root"/}
        words[i]=${words[i]/#"{there}"/"$there_folder"}
    done
    there_answer ready ''
    there_receive || true
    cd -- "$5" 2>/dev/null || cd || exit 1
    there_answer started ''
    there_start "${words[@]}"
    there_relay
}
