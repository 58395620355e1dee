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
        "-o show job 70_3") echo "JobId=77 Account=hpc QOS=low JobState=RUNNING OverSubscribe=NO Partition=main Features=(null) Reservation=noon TresPerNode=gres/gpu:2" ;;
        *) exit 1 ;; esac'
    # shellcheck disable=SC2016 # for the fake
    fake squeue '[[ "$*" == "-h -j 70_3 -o %L" ]] && echo 1-02:03:04'
    [[ $(in_adapter 'printf "%s %s %s" "$scheduler_job" "$scheduler_task" "$scheduler_name"') == '70_3 3 test' ]]
    in_adapter scheduler_hosts | diff - <(printf 'n2\nn1\nn3\n')
    in_adapter scheduler_facts >facts
    grep -qx $'scheduler\tslurm' facts
    grep -qx $'queue_id\t70_3' facts
    grep -qx $'exclusive\ttrue' facts
    grep -qx $'sharing\tno' facts
    grep -qx $'partition\t' facts
    grep -qx $'node_count\t3' facts
    grep -qx $'account\thpc' facts
    grep -qx $'qos\tlow' facts
    grep -qx $'reservation\tnoon' facts
    grep -qx $'features\t' facts
    grep -qx $'gres\tgres/gpu:2' facts
    grep -qx $'time_left_s\t93784' facts
    # Without an answer the number of nodes is Slurm's own, and never 0.
    fake scontrol 'exit 1'
    [[ $(SLURM_JOB_NUM_NODES=5 in_adapter scheduler_facts) == *$'node_count\t5\n'* ]]
    unset SLURM_JOB_NUM_NODES
    [[ $(in_adapter scheduler_facts) == *$'node_count\t\n'* ]]
}

@test "in a heterogeneous job: the nodes of all components, each load's in a step of its own one" {
    # shellcheck disable=SC2016 # for the fake
    fake scontrol 'case "$*" in
        "show hostnames n2") echo n2 ;;
        "show hostnames n[3-4]") printf "n3\nn4\n" ;;
        "-o show job 77") printf "%s\n" "JobId=77 OverSubscribe=USER HetJobOffset=0" "JobId=78 OverSubscribe=NO HetJobOffset=1" ;;
        *) echo "NodeName=n2 CPUAlloc=2" ;; esac'
    fake squeue 'printf "77\n78\n81\n"'
    unset SLURM_ARRAY_JOB_ID SLURM_ARRAY_TASK_ID
    export SLURM_HET_SIZE=2 SLURM_JOB_NODELIST_HET_GROUP_0=n2 SLURM_JOB_NODELIST_HET_GROUP_1='n[3-4]' \
        SLURM_JOB_ID_HET_GROUP_0=77 SLURM_JOB_ID_HET_GROUP_1=78
    in_adapter scheduler_hosts | diff - <(printf 'n2\nn3\nn4\n')
    in_adapter scheduler_facts >facts
    grep -qx $'node_count\t3' facts
    grep -qx $'components\t2' facts
    grep -qx $'exclusive\tfalse' facts
    grep -qx $'sharing\tuser' facts
    # The other component is none.
    [[ $(in_adapter scheduler_neighbours | head -n 1) == $'job\t81' ]]
    # shellcheck disable=SC2016 # for the other shell
    [[ $(in_adapter 'words=(loadgen cpu); scheduler_start_words n4 words; echo "$scheduler_task ${words[*]:0:6}"') == '1 srun --overlap --het-group=1 --nodes=1 --ntasks=1 --nodelist=n4' ]]
}

@test "who may come to the node, in the words of old and new versions" {
    local line
    while read -r line; do
        fake scontrol "echo 'JobId=77 ${line%%:*} Partition=main'"
        [[ $(in_adapter scheduler_facts | grep -E '^(exclusive|sharing)' | cut -f 2 | paste -sd ' ') == "${line#*:}" ]]
    done <<'END'
OverSubscribe=NO:true no
OverSubscribe=OK:false ok
OverSubscribe=USER:false user
OverSubscribe=NO Exclusive=NODE:true no
OverSubscribe=NO Exclusive=NO:false ok
OverSubscribe=YES Exclusive=NO:false yes
OverSubscribe=NO Exclusive=USER:false user
END
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
    diff said <(echo 'sbatch --parsable --job-name=r --open-mode=append --nodes=1 --dependency=afterany:1:2 --output=/l/%j.log --ntasks=1 -p main --account hpc --qos=low /s a b')
}

# submitted TASKS EXCLUSIVE OPTION...: prints the command that submits a job of so many tasks.
submitted() {
    # shellcheck disable=SC2016 # for the other shell
    in_adapter "scheduler_options=(${3:+$(printf '%q ' "${@:3}")}); declare -a sbatch_options=(--qos=low); partition=; scheduler_settings
        declare -A job=([name]=c [script]=/s [log]=/l/%j_%i [words]=a [tasks]=$1 [at_once]='' [after]='' [nodes]=2 [exclusive]=$2 [light]='')
        scheduler_submit_words job words; "'printf "%s\n" "${words[*]}"'
}

@test "who else may be on the nodes, and what for: from submit, the settings, the environment and after --" {
    local ours='--requeue --signal=B:TERM@60'
    submitted 3 default --gres=gpu:2 | diff - <(echo "sbatch --parsable --job-name=c --open-mode=append --nodes=2 --array=1-3 --output=/l/%A_%a $ours --exclusive --qos=low --gres=gpu:2 /s a")
    [[ $(submitted 3 user) == *"$ours --exclusive=user --qos=low /s a" ]]
    [[ $(submitted 3 '') == *"$ours --qos=low /s a" ]]
    # What is said after -- counts.
    [[ $(submitted 3 default --exclusive=mcs) == *"$ours --qos=low --exclusive=mcs /s a" ]]
    [[ $(submitted 3 default -s) == *"$ours --qos=low -s /s a" ]]
    export SBATCH_ACCOUNT=hpc SBATCH_CONSTRAINT='a&b' SBATCH_GPUS_PER_NODE=2 SBATCH_TIMELIMIT=5 SBATCH_EXCLUSIVE=user SBATCH_RESERVATION=noon
    [[ $(submitted 3 default) == *"$ours --account=hpc --constraint=a&b --gpus-per-node=2 --reservation=noon --time=5 --exclusive=user --qos=low /s a" ]]
    [[ $(submitted 3 job) == *"$ours --exclusive --account"* ]]
}

@test "a heterogeneous job is no array: each task is a job, each component has its own options" {
    local ours='--requeue --signal=B:TERM@60 --exclusive'
    submitted 1 default -N1 : -N2 --gres=gpu:1 : --oversubscribe |
        diff - <(echo "sbatch --parsable --job-name=c --open-mode=append --output=/l/%j_1 $ours --qos=low -N1 : $ours -N2 --gres=gpu:1 : ${ours% *} --oversubscribe /s a")
    # shellcheck disable=SC2016 # for the other shell
    [[ $(in_adapter 'scheduler_options=(-N1 : -N2); scheduler_array_limit; echo "$REPLY"') == 1 ]]
}
