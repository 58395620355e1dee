# Settings of the user's own (--setting): two commands, which turn something on before a run and off after it.
# Sourced, never run; needs common, processes.
#
# While a setting is on there is a note, in the user's cache: a script that turns it off, and then removes itself. Whoever turns
# it off runs that: we, lib/killed when we were killed, the next jostle with that setting, the user. Beside it is a lock,
# which we hold as long as we live: nobody else switches the setting, and a note without a living owner is of one that
# was left on. common/left_on.h has the format.
# shellcheck disable=SC2154 # plan is measure.bash's, the others are common.bash's

declare -a setting_name=() setting_on=() setting_off=() setting_note=() setting_locks=()
declare -A condition_settings=() # of a condition: the numbers of its settings, in order
declare -a settings_active=()    # those that are on, in order
setting_left=''                  # one could not be turned off

# setting_take KEY VALUE: a pair of the plan.
setting_take() {
    local i
    case $1 in
        setting) setting_name+=("$2") ;;
        setting_on | setting_off | setting_note) printf -v "$1[$((${#setting_name[@]} - 1))]" '%s' "$2" ;;
        setting_lock) setting_locks+=("$2") ;;
        condition_setting)
            for i in "${!setting_name[@]}"; do
                [[ ${setting_name[i]} == "$2" ]] || continue
                condition_settings[${conditions[-1]}]+=" $i"
                break
            done
            ;;
    esac
}

# settings_open: makes those of this experiment ours, which waits for another jostle that has one of them; turns off
# those that were left on, and names all others that were.
settings_open() {
    local lock i note
    local -a locks=()
    if ((${#setting_name[@]} > 0)); then
        # All take them in one order: nobody waits for who waits for him.
        mapfile -t locks < <(printf '%s\n' "${setting_locks[@]}" | LC_ALL=C sort -u)
        (umask 077 && mkdir -p -- "${plan[settings_kept]%/*}" 2>/dev/null) || true
        for lock in "${locks[@]}"; do setting_lock "$lock"; done
        for i in "${!setting_name[@]}"; do
            temporary_note off "${setting_note[i]}"
            [[ ! -e ${setting_note[i]} ]] || setting_recover "$i"
        done
    fi
    [[ -n ${plan[settings_kept]:-} ]] || return 0
    for note in "${plan[settings_kept]}"*.on; do
        [[ ! -f $note ]] || setting_name_left "$note"
    done
}

# setting_lock FILE: takes the lock, which ends with us; waits for another jostle that has it, and says so.
setting_lock() {
    local fd code=0 who='' said
    { exec {fd}<>"$1"; } 2>/dev/null || {
        said=$({ : <>"$1"; } 2>&1) || true
        die "cannot write $1 (${said##*: }), which keeps two jostles from switching one setting: set XDG_CACHE_HOME to a folder that can be written"
    }
    "$JOSTLE_BIN/arguments" lock exclusive "$fd" || code=$?
    if ((code == 3)); then
        read -r who <"$1" || true
        [[ $who =~ ^[0-9]+$ ]] || who='not known'
        warn "another jostle (process $who) uses the same setting (--setting, by its name or by its off command): waits until that has ended"
        code=0
        foreground "$JOSTLE_BIN/arguments" lock wait-exclusive "$fd" || code=$?
    fi
    ((code == 0)) || die "the lock $1 cannot be had: set XDG_CACHE_HOME to a folder on a disk of this machine"
    private_fds+=("$fd")
    send "$fd" "$$" # for people
}

# setting_recover I: turns off what another jostle has left on.
setting_recover() {
    setting_note_is_whole "${setting_note[$1]}" || {
        rm -f -- "${setting_note[$1]}"
        return 0
    }
    warn "the setting ${setting_name[$1]} was left on: turns it off first"
    settings_active=("$1")
    settings_off start
    [[ -z $setting_left ]] || exit "$EXIT_FAILURE"
}

# setting_name_left NOTE: says that a setting was left on, unless a living jostle has it.
setting_name_left() {
    local name='' off=''
    [[ " ${setting_note[*]} " != *" $1 "* ]] || return 0
    "$JOSTLE_BIN/arguments" lock exclusive "${1%.on}.lock" 2>/dev/null || [[ $? != 3 ]] || return 0
    setting_note_is_whole "$1" || return 0
    setting_note_read "$1"
    shell_quote "$1"
    warn "the setting $name was left on by another jostle, and may change what is measured here: to turn it off ($off): bash $REPLY"
    conduct_say warn "$LAST_WARNING"
}

# setting_note_is_whole NOTE: 0 where it can turn its setting off. One that was cut off, by a full disk for example, is
# of a setting that was then not turned on.
setting_note_is_whole() {
    # shellcheck disable=SC2016 # as setting_note_write writes it
    [[ $(<"$1") == *'rm -f -- "$0"' ]]
}

# setting_note_read NOTE: sets the caller's name and off to what is turned off by what.
setting_note_read() {
    local line
    while IFS= read -r line && [[ $line == '# '* ]]; do
        [[ $line != '# setting: '* ]] || name=${line#'# setting: '}
        [[ $line != '# off: '* ]] || off=${line#'# off: '}
    done <"$1"
}

# settings_on CONDITION: turns the condition's own settings on; each is noted first.
settings_on() {
    local i
    for i in ${condition_settings[$1]}; do
        setting_note_write "$i"
        settings_active+=("$i")
        foreground bash -e -c "${setting_on[i]}" >/dev/null ||
            die "the setting ${setting_name[i]} of condition $1 cannot be turned on (status $?): ${setting_on[i]}: fix the command"
    done
}

# setting_note_write I: the note that it is on.
setting_note_write() {
    local name=${setting_name[$1]//[[:cntrl:]]/?} off=${setting_off[$1]//[[:cntrl:]]/?}
    printf '# setting: %s\n# off: %s\n# since %(%F %T)T, process %d\ncd -- %q &&\n    bash -c %q &&\n    rm -f -- "$0"\n' \
        "$name" "$off" -1 "$$" "$PWD" "${setting_off[$1]}" 2>/dev/null >"${setting_note[$1]}" || {
        rm -f -- "${setting_note[$1]}"
        die "cannot write ${setting_note[$1]}, which shows that a setting is on: make room on its disk"
    }
}

# settings_off start|signalled: turns off what settings_on has turned on, the last one first; for how long, see undo_run.
# One that cannot be turned off stays noted, is named, and makes setting_left. Safe to call twice.
settings_off() {
    local i code note
    while ((${#settings_active[@]} > 0)); do
        i=${settings_active[-1]}
        note=${setting_note[i]}
        unset 'settings_active[-1]'
        code=0
        undo_run "the setting ${setting_name[i]} to be turned off (${setting_off[i]//[[:cntrl:]]/?})" "$1" bash "$note" </dev/null || code=$?
        if [[ -e $note ]]; then
            setting_left=1
            setting_still_on "${setting_name[i]}" "${setting_off[i]}" "$code" "$note"
            left_undone "$REPLY"
        fi
        started
    done
}

# setting_end NOTE: turns off what a jostle that was killed has left on, unless the next one that uses it has done so.
setting_end() {
    local fd name='' off='' code=0
    { exec {fd}<>"${1%.on}.lock"; } 2>/dev/null || return 0
    "$JOSTLE_BIN/arguments" lock exclusive "$fd" || code=$?
    ((code != 3)) && [[ -e $1 ]] || return 0
    private_fds+=("$fd")
    setting_note_is_whole "$1" || {
        rm -f -- "$1"
        return 0
    }
    setting_note_read "$1"
    code=0
    undo_run "the setting $name to be turned off ($off)" start bash "$1" </dev/null || code=$?
    [[ -e $1 ]] || return 0
    setting_still_on "$name" "$off" "$code" "$1"
    warn "$REPLY"
}

# setting_still_on NAME OFF STATUS NOTE: sets REPLY to what is said of a setting that could not be turned off.
setting_still_on() {
    local why="status $3"
    [[ $3 != 124 ]] || why="killed after ${JOSTLE_UNDO_S:-60} s"
    shell_quote "$4"
    REPLY="the setting $1 is still on, as this failed ($why): $2: to turn it off: bash $REPLY"
}
