# shellcheck shell=bash
# Odd machines, and what has to work in each of them. Sourced by tests, after helpers.bash;
# $ODD is a folder of the test's own that everybody may enter.

# odd_words NAME: adds the words that run a command on the odd machine NAME to the array IN.
# Machines can be put one around the other.
odd_words() {
    # What a shell sets up for the command: by sh, which most of this does not concern.
    local -a mounts=(unshare --mount --propagation private sh -c) shell=(sh -c)
    local stranger=(setpriv --reuid 54321 --regid 54321 --clear-groups env -u USER -u LOGNAME)
    case $1 in
        usual) ;;
        one-cpu) IN+=(taskset -c "$(taskset -cp $$ | sed 's/.*[ ,-]//')") ;;
        no-sys) IN+=("${mounts[@]}" 'mount -t tmpfs none /sys && exec "$@"' sh) ;;
        no-psi) IN+=("${mounts[@]}" 'mount -t tmpfs none /proc/pressure && exec "$@"' sh) ;;
        no-cgroups) IN+=("${mounts[@]}" 'umount -R /sys/fs/cgroup && exec "$@"' sh) ;;
        no-io-uring) IN+=("$ODD/without" ENOSYS io_uring_setup --) ;;
        no-perf) IN+=("$ODD/without" EPERM perf_event_open --) ;;
        old-kernel) IN+=("$ODD/without" ENOSYS newer statx --) ;; # Linux 4.18, and statx, as some sandboxes do
        cgroup1) IN+=("${mounts[@]}" 'if [ -d /sys/fs/cgroup/unified ]; then umount /sys/fs/cgroup/unified; else umount -R /sys/fs/cgroup; fi && exec "$@"' sh) ;;
        unknown-user) IN+=("${stranger[@]}") ;;
        hidden-processes) IN+=(unshare --mount --pid --fork --mount-proc sh -c 'mount -o remount,hidepid=2 /proc && exec "$@"' sh "${stranger[@]}") ;;
        noexec-tmp) IN+=("${mounts[@]}" 'mount -t tmpfs -o noexec none /tmp && exec "$@"' sh env -u TMPDIR) ;;
        full-tmp) IN+=("${mounts[@]}" 'mount -t tmpfs -o size=4k none /tmp && { head -c 8k /dev/zero >/tmp/full; } 2>/dev/null; exec "$@"' sh env -u TMPDIR) ;;
        read-only-tmp) IN+=("${mounts[@]}" 'mount -t tmpfs -o ro none /tmp && exec "$@"' sh env -u TMPDIR) ;;
        blanks-in-tmpdir) IN+=("${shell[@]}" 'mkdir -p "$TMPDIR" && exec "$@"' sh) && export TMPDIR="$ODD/a  b" ;;
        no-home) IN+=(env -u HOME -u XDG_CACHE_HOME -u XDG_CONFIG_HOME -u XDG_STATE_HOME) ;;
        read-only-home) IN+=(env -u XDG_CACHE_HOME HOME=/proc) ;;
        decimal-comma) IN+=(env "LOCPATH=$ODD/locale" LC_ALL=de_DE.UTF-8) ;;
        turkish) IN+=(env "LOCPATH=$ODD/locale" LC_ALL=tr_TR.UTF-8) ;;
        c-locale) IN+=(env LC_ALL=C) ;;
        time-zone) IN+=(env 'TZ=:/nonexistent<+99:99>') ;;
        ifs) IN+=(env 'IFS= ,.0123456789/-_') ;;
        posixly-correct) IN+=(env POSIXLY_CORRECT=1) ;;
        bash-env) IN+=(env "BASH_ENV=$ODD/bashrc" "ENV=$ODD/bashrc") ;;
        cdpath) IN+=(env CDPATH=/tmp:/usr:/) ;;
        grep-options) IN+=(env 'GREP_OPTIONS=--color=always -v' GREP_COLORS=mt=1) ;;
        git) IN+=(env GIT_DIR=/nonexistent GIT_WORK_TREE=/nonexistent "GIT_CONFIG_PARAMETERS='a.b=c'") ;;
        jq-home) IN+=(env "HOME=$ODD" 'JQ_COLORS=4;31:x') ;;
        shell-options) IN+=(env SHELLOPTS=xtrace:noglob:noclobber BASHOPTS=nullglob:failglob:nocasematch:extdebug) ;;
        shell-functions)
            IN+=(env 'BASH_FUNC_printf%%=() { echo evil; }' 'BASH_FUNC_cd%%=() { false; }' 'BASH_FUNC_read%%=() { false; }'
                'BASH_FUNC_exec%%=() { false; }' 'BASH_FUNC_kill%%=() { :; }' 'BASH_FUNC_sed%%=() { echo evil; }')
            ;;
        other-topology) IN+=(env 'HWLOC_SYNTHETIC=package:2 numa:4 l3:1 core:16 pu:2') ;;
        private-files) IN+=("${shell[@]}" 'umask 077 && exec "$@"' sh) ;;
        useless-files) IN+=("${shell[@]}" 'umask 777 && exec "$@"' sh "${stranger[@]}") ;;
        small-stack) IN+=("${shell[@]}" 'ulimit -s 256 && exec "$@"' sh) ;;
        few-descriptors) IN+=("${shell[@]}" 'ulimit -n 20 && exec "$@"' sh) ;;
        no-stdin) IN+=("${shell[@]}" 'exec "$@" <&-' sh) ;;
        no-proc) IN+=("${mounts[@]}" 'mount -t tmpfs none /proc && exec "$@"' sh) ;;
        empty-environment) IN+=(env -i "PATH=$PATH" "JOSTLE_BUILD=$BUILD") ;;
        ignored-signals) IN+=("${shell[@]}" 'trap "" INT TERM HUP PIPE CHLD && exec "$@"' sh) ;;
        idle) IN+=(chrt --idle 0) ;;
        *) return 1 ;;
    esac
}

# odd_machine NAME...: sets the array IN to what runs a command there. Skips the test where
# that cannot be had.
odd_machine() {
    local name
    IN=()
    for name in "$@"; do
        case $name in
            no-io-uring | no-perf | old-kernel) [[ -e $ODD/without ]] || cc -std=gnu17 -O1 -o "$ODD/without" "$ROOT/bats-tests/fixtures/odd-without.c" ;;
            decimal-comma) odd_locale de_DE.UTF-8 ;;
            turkish) odd_locale tr_TR.UTF-8 ;;
            bash-env) odd_bashrc ;;
            jq-home) printf 'def map(f): error("hostile"); def tostring: "hostile";\n' >"$ODD/.jq" ;;
        esac
        odd_words "$name"
    done
    "${IN[@]}" test -x "$JOSTLE" 2>/dev/null || skip "cannot be had here: $*"
}

# odd_locale NAME: makes it, or skips the test.
odd_locale() {
    mkdir -p "$ODD/locale"
    [[ -e $ODD/locale/$1 ]] || localedef -i "${1%.*}" -f "${1##*.}" --no-archive "$ODD/locale/$1" 2>/dev/null ||
        skip "no locale $1 can be made: install locales"
}

# odd_bashrc: start-up of a shell whose owner means no harm, or does.
odd_bashrc() {
    cat >"$ODD/bashrc" <<'END'
printf 'hello from BASH_ENV\n'
set -u
shopt -s nullglob failglob
cd() { return 1; }
trap 'echo bye' EXIT
END
}

# odd_experiment FOLDER: a whole `jostle slowdown` on the machine in IN, and the reports of
# it: there is not a word on stderr, and the reports are the same as elsewhere.
odd_experiment() {
    local folder=$1 format
    mkdir "$folder"
    chmod 777 "$folder"
    "${IN[@]}" "$JOSTLE" slowdown --quiet --min-runs 2 --max-runs 2 --load 'half=cpu --percent 50' --output "$folder/records" \
        -- "$WORKLOADS/delannoy" 6 2>"$folder/err" || {
        cat "$folder/err"
        return 1
    }
    holds '.slowdowns | length == 1 and all(.[]; .ratio > 0)' <"$folder/records/result.json"
    for format in terminal json; do
        "${IN[@]}" "$JOSTLE" report "$folder/records" --format "$format" >"$folder/$format" 2>>"$folder/err"
        "$JOSTLE" report --format "$format" "$folder/records" | diff - "$folder/$format"
    done
    diff /dev/null "$folder/err"
}
