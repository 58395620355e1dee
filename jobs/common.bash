# What the job scripts share: settings, scratch, the end of a job. Sourced.
#
# A batch script may run as a copy in a spool folder of the node, so it cannot find
# what is next to it: it is told where jostle is.
# shellcheck shell=bash

JOSTLE_ROOT=$(CDPATH='' cd -- "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source-path=SCRIPTDIR source=../harness/lib/messages.bash
source "$JOSTLE_ROOT/harness/lib/messages.bash"
# shellcheck source-path=SCRIPTDIR source=scheduler.bash
source "$JOSTLE_ROOT/jobs/scheduler.bash"
# shellcheck source-path=SCRIPTDIR source=settings.bash
source "$JOSTLE_ROOT/jobs/settings.bash"
scheduler_use ''

job_ending='' # the signal that asked us to end
job_child=''  # what runs in the foreground of this job
job_scratch='' job_scratch_fd=''

# job_modules: loads the modules of the settings.
job_modules() {
    [[ ${#modules[@]} -gt 0 ]] || return 0
    if ! declare -F module >/dev/null; then
        local file
        for file in /etc/profile.d/{modules,lmod}.sh; do
            # shellcheck source=/dev/null
            [[ ! -r $file ]] || source "$file"
        done
    fi
    module load "${modules[@]}" || die "module load ${modules[*]} failed: fix modules in $settings_file"
}

# job_scratch_lock FOLDER: locks the folder, as long as we live; 1 where it is not ours, or another job's, or
# cannot be locked.
job_scratch_lock() {
    local code=0
    [[ -d $1 && ! -L $1 && -O $1 ]] && { exec {job_scratch_fd}<"$1"; } 2>/dev/null || return 1
    "${JOSTLE_BUILD:-$JOSTLE_ROOT/build}/bin/arguments" lock exclusive "$job_scratch_fd" 2>/dev/null || code=$?
    ((code != 0)) || return 0
    exec {job_scratch_fd}<&-
    return "$code"
}

# job_scratch_sweep BASE: a job that was put back into the queue removes what its first try has left in BASE.
# Numbers of jobs come again, in the queues of others and in other queues of the user.
job_scratch_sweep() {
    local folder
    for folder in "$1/jostle.$EUID.${scheduler_job:?}."*; do
        job_scratch_lock "$folder" || continue
        rm -rf -- "$folder"
        exec {job_scratch_fd}<&-
    done
}

# job_scratch_take BASE: makes a folder in BASE, and locks it. Before it is locked another may have taken it for
# one that was left.
job_scratch_take() {
    local code
    while job_scratch=$(mktemp -d "$1/jostle.$EUID.$scheduler_job.XXXXXXXXXX"); do
        code=0
        job_scratch_lock "$job_scratch" || code=$?
        [[ $code == 3 || ! -d $job_scratch ]] || return 0
    done
    return 1
}

# job_scratch_make: sets job_scratch to a new folder on the node's own disk, which
# is removed at the end of the job. Nobody's home is ever taken by accident.
job_scratch_make() {
    local base home chosen
    local -a bases
    home=$(readlink -f -- "${HOME:-/nonexistent}")
    chosen=$(readlink -f -- "$scratch") || true
    mapfile -t bases < <(scheduler_scratch)
    for base in "$scratch" "${bases[@]}"; do
        [[ -n $base && -d $base && -w $base ]] || continue
        base=$(readlink -f -- "$base")
        # The settings may say so; a variable that the login set may not.
        [[ $base != "$home" && $base != "$home"/* && $base != /home/* || $base == "$chosen" ]] || continue
        job_scratch_sweep "$base"
        job_scratch_take "$base" || continue
        # What the loads and the target write of their own is there, too.
        export TMPDIR=$job_scratch
        return 0
    done
    die "no scratch folder can be written on $(uname -n): set scratch in $settings_file"
}

# job_begin: settings, modules, scratch, and what happens at the end.
job_begin() {
    [[ -x $JOSTLE_ROOT/harness/jostle ]] || die "$JOSTLE_ROOT/harness/jostle is missing: set JOSTLE_ROOT to the folder of jostle"
    [[ -n $scheduler_job ]] || usage_error 'this is a script for a job: submit it'
    settings_read
    [[ $restarts =~ ^[0-9]+$ ]] || die "$settings_file: restarts=$restarts: give a whole number"
    job_modules
    trap job_end EXIT
    trap 'job_signal TERM' TERM
    trap 'job_signal INT' INT
    [[ ${#scheduler_signals[@]} -eq 0 ]] || trap 'job_signal TERM' "${scheduler_signals[@]}"
    job_scratch_make
}

# job_end: nothing stays on the node.
job_end() {
    [[ -z $job_scratch ]] || rm -rf -- "$job_scratch"
}

# job_signal NAME: the time is nearly up, or somebody else needs the node.
job_signal() {
    job_ending=$1
    [[ -z $job_child ]] || kill -s TERM "$job_child" 2>/dev/null || true
}

# job_run COMMAND...: runs COMMAND and returns its status; a signal is passed on to
# it, and waited for until it has tidied up. bash runs a trap only between two
# commands, hence the background.
job_run() {
    local status=0
    [[ -z $job_ending ]] || return 143
    job_child_run "$@" &
    job_child=$!
    [[ -z $job_ending ]] || kill -s TERM "$job_child" 2>/dev/null || true # the trap came before it was known
    wait "$job_child" || status=$?
    while [[ -n $job_ending && -d /proc/$job_child ]]; do
        status=0
        wait "$job_child" || status=$?
    done
    job_child=''
    return "$status"
}

# job_child_run COMMAND...: becomes COMMAND. The scheduler's signals reach it, too: it ends when
# we pass them on.
job_child_run() {
    [[ ${#scheduler_signals[@]} -eq 0 ]] || trap '' "${scheduler_signals[@]}"
    ! declare -F "$1" >/dev/null || {
        "$@"
        return
    }
    exec "$@"
}

# job_finish STATUS: ends the job. One that was told to end by its time limit or a
# preemption goes back into the queue; one that was cancelled does not.
job_finish() {
    local tried='' name value
    if [[ -n $job_ending && $1 -ne 0 ]]; then
        while IFS=$'\t' read -r name value; do
            [[ $name != restarts ]] || tried=$value
        done < <(scheduler_facts)
        if ((${tried:-0} >= restarts)); then
            warn "interrupted $((restarts + 1)) times, so not put back into the queue: continue with jostle submit --resume"
        elif scheduler_can_requeue; then
            warn 'interrupted: put back into the queue, to continue with the rest'
            job_end
            job_scratch=''
            scheduler_requeue || true
            warn 'it could not be put back into the queue: continue with jostle submit --resume'
        fi
    fi
    exit "$1"
}

# workload NAME: prints the path of one of jostle's own targets.
workload() {
    printf '%s/workloads/%s' "${JOSTLE_BUILD:-$JOSTLE_ROOT/build}" "$1"
}

# job_defaults OPTION...: sets the array defaults to the options of measure_options that are not
# among OPTIONs: an option is given once, and the job's own counts.
job_defaults() {
    local word given=' '
    local skip=''
    for word; do
        [[ $word != -- ]] || break
        given+="${word%%=*} "
    done
    defaults=()
    for word in "${measure_options[@]}"; do
        [[ $word != --* ]] || {
            skip=''
            [[ $given != *" ${word%%=*} "* ]] || skip=1
        }
        [[ -n $skip ]] || defaults+=("$word")
    done
}

# measure OPTION... -- TARGET...: the whole of a job that is one experiment. The
# target runs in the scratch folder; the records go to JOSTLE_RESULTS, or to
# jostle-results in the folder that the job was submitted from.
measure() {
    local status=0 records=${JOSTLE_RESULTS:-$PWD/jostle-results}/$scheduler_name.$scheduler_job
    local -a defaults=()
    job_begin # reads the settings
    job_defaults "$@"
    mkdir -p "$records"
    records=$(cd "$records" && pwd)
    cd "$job_scratch" || return
    job_run "$JOSTLE_ROOT/harness/jostle" slowdown --resume --output "$records" "${defaults[@]}" "$@" || status=$?
    cd /
    job_finish "$status"
}
