#!/usr/bin/env bats
# bats file_tags=slow
# loadgen record --job of a real Slurm: the part of a job that is on this node. (How the cluster comes up: slurm.bash.)

load helpers
load slurm

setup_file() {
    slurm_require || return 0
    slurm_start 1
}

teardown_file() {
    slurm_stop
}

setup() {
    bats_require_minimum_version 1.5.0
    skip_as_file
    cd "$BATS_TEST_TMPDIR" || return
}

teardown() {
    slurm_cancel_all
}

@test "a job's processes are recorded, and one that is not here is an error" {
    # shellcheck disable=SC2016 # the job's
    printf '%s\n' '#!/bin/bash' 'while :; do :; done & spinner=$!' \
        "'$BIN/loadgen' record --job \"\$SLURM_JOB_ID\" --interval 250ms --duration 1s record.jsonl" 'echo "status $?"' \
        "'$BIN/loadgen' record --job 99999 none.jsonl" 'echo "status $?"' 'kill $spinner' >job
    sbatch --parsable --output=log job >id
    eventually 120 slurm_no_jobs
    cat log
    grep -q '^status 0' log
    grep -q '^jostle: job 99999 has no process on this node' log
    [[ $(tail -n 1 log) == 'status 1' && ! -e none.jsonl ]]
    split -l 1 record.jsonl line.
    is_valid profile line.*
    holds '.[0].of.job == $job and .[-1].cpu_s > 0.02 and any(.[1:-1][].busiest[]; .cpu > 0)' -s --arg job "$(<id)" <record.jsonl
}
