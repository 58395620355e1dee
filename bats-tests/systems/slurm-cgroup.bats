#!/usr/bin/env bats
# Jobs whose processes Slurm keeps in cgroups (proctrack/cgroup, task/cgroup), with the version that
# this machine's controllers are mounted as.

load ../helpers
load ../slurm

setup_file() {
    local plugin=cgroup/v1
    slurm_require || return 0
    if grep -qs memory /sys/fs/cgroup/cgroup.controllers; then
        plugin=cgroup/v2
    elif [[ ! -d /sys/fs/cgroup/freezer || ! -d /sys/fs/cgroup/memory ]]; then
        skip_file 'this machine has neither the controllers of cgroup v1 nor those of v2' || return 0
    fi
    export SLURM_TEST_CGROUP=$'ConstrainRAMSpace=yes\nConstrainCores=yes'
    [[ $plugin != cgroup/v2 ]] || SLURM_TEST_CGROUP+=$'\nCgroupPlugin=cgroup/v2\nIgnoreSystemd=yes'
    slurm_start 1 ProctrackType=proctrack/cgroup TaskPlugin=task/cgroup JobAcctGatherType=jobacct_gather/cgroup
}

teardown_file() {
    slurm_stop
    # slurmd leaves its empty groups.
    find /sys/fs/cgroup -depth -type d -path '*/slurm_n1*' -exec rmdir {} + 2>/dev/null || true
}

setup() {
    skip_as_file
    cd "$BATS_TEST_TMPDIR" || return
    short=("$JOSTLE" slowdown --min-runs 2 --max-runs 2 --quiet --output out)
}

teardown() {
    slurm_cancel_all
}

# job OPTION... : submits the batch script on stdin; prints its id.
job() {
    { printf '#!/bin/bash\n' && cat; } >job.$$
    sbatch --parsable --output=log "$@" job.$$
}

@test "target and load are in the job's cgroup, on its CPUs and below its limit of memory" {
    # shellcheck disable=SC2016 # for the target
    printf '%q ' exec "${short[@]}" --load 'low=cpu --percent 5' -- sh -c 'cat /proc/self/cgroup >cgroup; nproc >cpus' |
        job -N1 -n1 -c1 --mem=300M >/dev/null
    eventually 60 slurm_no_jobs
    cat log
    grep -q 'slurm.*/job_[0-9]*/step_batch' cgroup
    [[ $(<cpus) -eq 1 ]]
    holds 'length == 4 and all(.exit_code == 0)' -s <out/runs.jsonl
    # Slurm pins: jostle has not to.
    holds '.environment.job.pinned == null and (.environment.cpus_allowed | test("^[0-9]+$"))' <out/experiment.json
}

@test "whatever a cancelled job had started is gone" {
    local id tag=6.$RANDOM
    id=$(printf '%q ' exec "${short[@]}" --load "low=cpu --percent $tag" -- sh -c "setsid -f sleep 300.$$; sleep 300" | job -N1 -n1)
    eventually 30 pgrep -f -- "sleep 300.$$" >/dev/null
    scancel --signal=KILL --full "$id"
    scancel "$id"
    eventually 30 slurm_no_jobs
    for pid in $(pgrep -f -- "sleep 300.$$|percent $tag"); do eventually 10 gone "$pid"; done
}
