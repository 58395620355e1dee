# shellcheck shell=bash
# What the job scripts share: settings, scratch, the end of a job. Sourced.
#
# A batch script runs as a copy in the spool folder of the node, so it cannot find
# what stands beside it: it is told where jostle is.

jostle_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
modules=() sbatch_options=() measure_options=()
scratch='' restarts=20 partition=''
job_ending='' # the signal that asked us to end
job_child=''  # what runs in the foreground of this job
job_scratch=''

# job_warn MESSAGE: one line into the job's log.
job_warn() {
    printf 'jostle: %s\n' "$1" >&2
}

# job_settings: reads the settings file, and checks that it says nothing else.
job_settings() {
    local file=${JOSTLE_SETTINGS:-$jostle_root/jobs/settings}
    if [[ -r $file ]]; then
        # shellcheck source=settings.example
        source "$file"
    elif [[ -n ${JOSTLE_SETTINGS:-} ]]; then
        job_warn "$file cannot be read: mend JOSTLE_SETTINGS"
        return 1
    fi
    : "${sbatch_options[@]}" "$partition"
    [[ $restarts =~ ^[0-9]+$ ]] || {
        job_warn "$file: restarts=$restarts: give a whole number"
        return 1
    }
}

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
    module load "${modules[@]}" || {
        job_warn "module load ${modules[*]} failed: mend modules in jobs/settings"
        return 1
    }
}

# job_scratch_make: sets job_scratch to a new folder on the node's own disk, which
# is removed at the end of the job. Nobody's home is ever taken by accident.
job_scratch_make() {
    local base home
    home=$(readlink -f -- "${HOME:-/nonexistent}")
    for base in "$scratch" "${SLURM_TMPDIR:-}" "${TMPDIR:-}" /tmp; do
        [[ -n $base && -d $base && -w $base ]] || continue
        base=$(readlink -f -- "$base")
        # The settings may say so; a variable that the login set may not.
        [[ $base != "$home" && $base != "$home"/* && $base != /home/* || $base == "$(readlink -f -- "$scratch")" ]] || continue
        # A job that was put back into the queue finds what its first try left.
        rm -rf -- "$base/jostle.${SLURM_JOB_ID:?}."*
        job_scratch=$(mktemp -d "$base/jostle.$SLURM_JOB_ID.XXXXXX") || continue
        # What the loads and the target write of their own is there, too.
        export TMPDIR=$job_scratch
        return 0
    done
    job_warn "no scratch folder can be written on $(uname -n): set scratch in jobs/settings"
    return 1
}

# job_begin: settings, modules, scratch, and what happens at the end.
job_begin() {
    [[ -x $jostle_root/harness/jostle ]] || {
        job_warn "$jostle_root/harness/jostle is missing: set JOSTLE_ROOT to the folder of jostle"
        return 1
    }
    job_settings
    job_modules
    trap job_end EXIT
    trap 'job_signal TERM' TERM
    trap 'job_signal INT' INT
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
    "$@" &
    job_child=$!
    wait "$job_child" || status=$?
    while [[ -n $job_ending && -d /proc/$job_child ]]; do
        status=0
        wait "$job_child" || status=$?
    done
    job_child=''
    return "$status"
}

# job_finish STATUS: ends the job. One that was told to end by its time limit or a
# preemption goes back into the queue; one that was cancelled does not.
job_finish() {
    # An array's last task has the number of the whole array as its own job id.
    local id=$SLURM_JOB_ID
    [[ -z ${SLURM_ARRAY_TASK_ID:-} ]] || id=${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID
    if [[ -n $job_ending && $1 -ne 0 ]]; then
        if ((${SLURM_RESTART_COUNT:-0} >= restarts)); then
            job_warn "interrupted for the $((restarts + 1))th time: not put back into the queue; go on by jostle submit --resume"
        elif [[ $(scontrol -o show job "$id" 2>/dev/null) =~ \ JobState=RUNNING\  ]]; then
            job_warn 'interrupted: put back into the queue, to go on with the rest'
            job_end
            job_scratch=''
            # This kills us.
            scontrol requeue "$id" && sleep 60
            job_warn 'it could not be put back into the queue: go on by jostle submit --resume'
        fi
    fi
    exit "$1"
}

# workload NAME: prints the path of one of jostle's own targets.
workload() {
    printf '%s/workloads/%s' "${JOSTLE_BUILD:-$jostle_root/build}" "$1"
}

# calibrate_disk: what this node's disk can do, which percentages refer to, unless it
# is known already. It is kept by host, in a home that nodes may share.
calibrate_disk() {
    ! "$jostle_root/harness/jostle" calib --list | awk -v host="$(uname -n)" '$2 == host && $3 == "disk" { found = 1 } END { exit !found }' || return 0
    job_run "$jostle_root/harness/jostle" calib disk --dir "$job_scratch"
}

# measure OPTION... -- TARGET...: the whole of a job that is one experiment. The
# target runs in the scratch folder; the records go to JOSTLE_RESULTS, or to
# jostle-results in the folder that the job was submitted from.
measure() {
    local status=0 records=${JOSTLE_RESULTS:-$SLURM_SUBMIT_DIR/jostle-results}/$SLURM_JOB_NAME.$SLURM_JOB_ID
    job_begin
    mkdir -p "$records"
    records=$(cd "$records" && pwd)
    cd "$job_scratch" || return
    [[ " $* " != *'--limit '*%* ]] || calibrate_disk || job_finish "$?"
    job_run "$jostle_root/harness/jostle" slowdown --resume --output "$records" "${measure_options[@]}" "$@" || status=$?
    cd /
    job_finish "$status"
}
