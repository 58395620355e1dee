# What a user's environment may change in our own shells, and how it is kept from that. What
# is started for the user (the target, hooks, loads, jobs) has the environment as it came,
# but SHELLOPTS and BASHOPTS. Sourced by messages.bash, never run.
#
# harness/jostle starts bash with -p: it then takes no functions, no shell options and no
# CDPATH from the environment, and reads no $BASH_ENV. Our programs in C read no locale.

# environment_user: has UID and EUID say who we are: bash takes them from the environment where they are
# there, and in arithmetic, as anywhere, a text would be run.
environment_user() {
    [[ ${UID@a} == *r* ]] || { unset -v UID && UID=$(id -ru); }
    [[ ${EUID@a} == *r* ]] || { unset -v EUID && EUID=$(id -u); }
}

# environment_open: undoes what -p does not keep away.
environment_open() {
    # Exported they would hand our own options (errexit!) to every shell below us.
    export -n SHELLOPTS BASHOPTS
    environment_user
    [[ -z ${POSIXLY_CORRECT+set} ]] || environment_posix "$POSIXLY_CORRECT"
    # What is opened next would get the number of one that is closed. Writing to this stdout
    # fails, as to a closed one.
    [[ -e /proc/self/fd ]] || return 0
    [[ -e /proc/self/fd/0 ]] || exec </dev/null
    [[ -e /proc/self/fd/1 ]] || exec 1</dev/null
    [[ -e /proc/self/fd/2 ]] || exec 2>/dev/null
}

# environment_posix VALUE: leaves the posix mode of bash; POSIXLY_CORRECT=VALUE stays in the
# environment.
environment_posix() {
    set +o posix # takes the variable away, too
    # An assignment by this name would switch it on again; one through a reference does not.
    local -n environment_posixly=POSIXLY_CORRECT
    printf -v environment_posixly '%s' "$1"
    export environment_posixly
    [[ ! -o posix ]] || set +o posix
}

environment_open

# environment_check: ends us where nothing can work. Needs messages.bash.
environment_check() {
    local key='' mask='' pid=''
    [[ -e /proc/self/fd ]] || die '/proc is not there: mount it'
    read -r pid _ </proc/self/stat || true
    [[ $pid == "$$" ]] || die '/proc shows the processes of another PID namespace, not ours: mount ours, as with unshare --mount-proc'
    [[ ${TMPDIR:-} != *[[:cntrl:]]* ]] || die 'TMPDIR has a line end, tab or other control character in its name: set it to another folder'
    [[ -e /dev/fd ]] || die '/dev/fd is not there: make it with ln -s /proc/self/fd /dev/fd'
    { IFS= read -r && read -r key mask; } </proc/self/status || true
    [[ $key == Umask: ]] || mask=$(umask) # Linux before 4.7; a fork
    ((EUID == 0 || (8#$mask & 8#700) == 0)) || die "umask $mask: we could not read what we write: set umask 022"
}

# jq_is_here: ends us with status 1, which jq itself has only with -e, where there is none. Needs messages.bash.
jq_is_here() {
    type -P jq >/dev/null || die 'jq is not installed: install jq 1.5 or newer; what was measured is recorded without it'
}

readonly JQ_UNWRITTEN=2 # its exit status, also for a file that it cannot read: it is given our own

# jq ARG...: the program, without the user's own definitions (~/.jq) and colours. That its output
# cannot be written is said by us, as everywhere. Needs messages.bash.
jq() {
    local words code=0
    jq_is_here
    { words=$(HOME='' JQ_COLORS='' command jq "$@" 2>&1 >&3 3>&-) || code=$?; } 3>&1
    ((code != JQ_UNWRITTEN)) || output_lost
    [[ -z $words ]] || printf '%s\n' "$words" >&2 || true
    return "$code"
}
