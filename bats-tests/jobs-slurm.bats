#!/usr/bin/env bats
# The Slurm adapter with made-up commands in place of Slurm's: how it reads what they
# print. (With a real Slurm: slurm-campaign.bats, slurm-loads.bats.)

load helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    mkdir bin
    PATH=$PWD/bin:$PATH
    export SLURM_JOB_ID=77 SLURM_ARRAY_JOB_ID=70 SLURM_ARRAY_TASK_ID=3 SLURM_JOB_NAME=test SLURMD_NODENAME=n2 \
        SLURM_JOB_NODELIST='n[1-3]' SLURM_CPUS_ON_NODE=2 SLURM_JOB_NUM_NODES=3
}

# fake NAME LINE...: a command NAME of these lines of bash.
fake() {
    printf '#!/bin/bash\n' >"bin/$1"
    printf '%s\n' "${@:2}" >>"bin/$1"
    chmod +x "bin/$1"
}

# in_adapter COMMAND...: runs a function of the adapter in a shell of its own.
in_adapter() {
    # shellcheck disable=SC2016 # for the other shell
    JOSTLE_ROOT=$ROOT bash -euo pipefail -c 'source "$JOSTLE_ROOT/harness/lib/messages.bash"; source "$JOSTLE_ROOT/jobs/scheduler.bash"
        scheduler_use ""; eval "$1"' adapter "$1"
}

@test "in a job: its id, its nodes with our own first, and its facts" {
    # shellcheck disable=SC2016 # for the fake
    fake scontrol 'case "$*" in
        "show hostnames n[1-3]") printf "n1\nn2\nn3\n" ;;
        "-o show job 70_3") echo "JobId=77 JobState=RUNNING OverSubscribe=NO Partition=main" ;;
        *) exit 1 ;; esac'
    # shellcheck disable=SC2016 # for the fake
    fake squeue '[[ "$*" == "-h -j 70_3 -o %L" ]] && echo 1-02:03:04'
    [[ $(in_adapter 'printf "%s %s %s" "$scheduler_job" "$scheduler_task" "$scheduler_name"') == '70_3 3 test' ]]
    in_adapter scheduler_hosts | diff - <(printf 'n2\nn1\nn3\n')
    in_adapter scheduler_facts >facts
    grep -qx $'scheduler\tslurm' facts
    grep -qx $'queue_id\t70_3' facts
    grep -qx $'exclusive\ttrue' facts
    grep -qx $'partition\t' facts
    grep -qx $'time_left_s\t93784' facts
}

@test "the time left is in seconds, or unknown" {
    local text
    for text in '5:09 309' '1:00:00 3600' '2-00:00:08 172808' 'UNLIMITED ' 'INVALID '; do
        fake squeue "echo ${text% *}"
        [[ $(in_adapter scheduler_time_left) == "${text#* }" ]]
    done
    fake squeue 'exit 1'
    [[ -z $(in_adapter scheduler_time_left) ]]
}

@test "other jobs on the node are neighbours, our own is none" {
    # shellcheck disable=SC2016 # for the fake
    fake squeue '[[ "$*" == *"-w n2"* ]] && printf "77\n81\n82\n"'
    fake scontrol 'echo "NodeName=n2 CPUAlloc=5 CPUTot=8"'
    in_adapter scheduler_neighbours | diff - <(printf 'job\t81\njob\t82\ncpus_allocated\t5\ncpus_ours\t2\n')
    fake squeue 'exit 1'
    [[ -z $(in_adapter scheduler_neighbours) ]]
}

@test "steps of a launcher come from the accounts; of another target there are none" {
    fake sacct "printf '%s\n' '70_3|test||5||' '70_3.batch|batch|1|5|00:00.100|900K|RUNNING' '70_3.0|jostle-load|1|5|00:04.000|900K|RUNNING' \
        '70_3.1|hostname|2|1|01:00.250|1.5M|COMPLETED' '70_3.2|solver|2|90061|1-01:01:01||FAILED'"
    in_adapter 'scheduler_steps /usr/bin/srun' |
        diff - <(printf 'step\t70_3.1\thostname\t2\t1\t60.250\t1572864\tCOMPLETED\nstep\t70_3.2\tsolver\t2\t90061\t90061.000\t\tFAILED\n')
    [[ -z $(in_adapter 'scheduler_steps ./solver') ]]
    fake sacct 'echo "Slurm accounting storage is disabled"; exit 1'
    [[ $(in_adapter 'scheduler_steps mpirun') == $'reason\tsacct: Slurm accounting storage is disabled' ]]
    fake sacct 'echo "70_3.batch|batch|1|5|00:00.100|900K|RUNNING"'
    [[ $(in_adapter 'scheduler_steps mpirun') == $'reason\tsacct knows no step of the target' ]]
}

@test "the queue and how jobs ended" {
    # shellcheck disable=SC2016 # for the fake
    fake squeue 'printf "70 3 RUNNING\n70 4 PENDING\n71 N/A PENDING\n"'
    in_adapter 'scheduler_queue .' | diff - <(printf '70_3\t70\trunning\n70_4\t70\tpending\n71\t71\tpending\n')
    fake squeue 'exit 1'
    run -1 in_adapter 'scheduler_queue .'
    fake sacct 'exit 1'
    fake scontrol 'echo "JobId=9 JobState=NODE_FAIL Reason=x"'
    [[ $(in_adapter 'scheduler_fate 9') == node_fail ]]
    fake scontrol 'exit 1'
    [[ $(in_adapter 'scheduler_fate 9') == gone ]]
}

@test "the report runs where the cells may, and takes none of their other options" {
    # shellcheck disable=SC2016 # for the other shell
    in_adapter 'scheduler_options=(-p main --time=5 --account hpc --qos=low --cpus-per-task 4)
        declare -A job=([name]=r [script]=/s [log]=/l/%j.log [words]="a b" [tasks]="" [at_once]="" [after]="1 2" [nodes]=1 [exclusive]="" [light]=1)
        scheduler_submit_words job words; printf "%s\n" "${words[*]}"' >said
    diff said <(echo 'sbatch --parsable --job-name=r --nodes=1 --open-mode=append --dependency=afterany:1:2 --output=/l/%j.log --ntasks=1 -p main --account hpc --qos=low /s a b')
}
