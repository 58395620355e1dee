# shellcheck shell=bash
# A real Slurm for the tests: slurmctld, munged and several slurmd on loopback,
# each slurmd a node with a name of its own, all in one temporary folder, up in
# seconds and taken down by its own process ids. Nothing of a Slurm that the
# machine may have is read or touched.

# slurm_missing: prints what keeps this machine from it, or nothing.
slurm_missing() {
    local program
    PATH=$PATH:/usr/sbin
    for program in slurmctld slurmd sbatch srun scontrol squeue munged unshare; do
        command -v "$program" >/dev/null || {
            printf '%s is not installed (make deps)' "$program"
            return
        }
    done
    if [[ $(id -u) -ne 0 ]]; then
        printf 'it takes root to be several nodes'
    elif ! unshare -u -m true 2>/dev/null; then
        printf 'this machine allows no namespaces (unshare -u -m)'
    fi
}

# slurm_require: skip_file where there is no Slurm.
slurm_require() {
    local missing
    missing=$(slurm_missing)
    [[ -z $missing ]] || skip_file "no Slurm here: $missing"
}

# slurm_start NODES [KEY=VALUE...]: brings the cluster up with nodes n1 to
# nNODES of two CPUs each, and exports SLURM_CONF and SLURM_TEST, its folder.
# KEY=VALUE replaces a line of slurm.conf; a PartitionName=... is one more. SLURM_TEST_NODE is what
# else the nodes' line says, SLURM_TEST_GRES the text of gres.conf, SLURM_TEST_CGROUP that of
# cgroup.conf; with SLURM_TEST_ACCOUNTS there is a slurmdbd.
slurm_start() {
    local nodes=$1 try
    shift
    PATH=$PATH:/usr/sbin
    # Not below bats's folder: other users' jobs must be able to go in.
    SLURM_TEST=$(mktemp -d /tmp/jostle-slurm.XXXXXX)
    SLURM_CONF=$SLURM_TEST/slurm.conf
    export SLURM_TEST SLURM_CONF PATH
    chmod 755 "$SLURM_TEST"
    mkdir -p "$SLURM_TEST"/{munge,log,run,state,spool}
    # Another cluster, or anybody, may have the ports: then take others.
    for try in 1 2 3; do
        free_ports HUNDRED
        slurm_configure "$nodes" "$REPLY" "$@"
        ! slurm_up "$nodes" || return 0
        slurm_down
        printf 'try %d: Slurm did not come up:\n' "$try" >&2
    done
    tail -n 5 "$SLURM_TEST"/log/* >&2
    return 1
}

# slurm_configure NODES PORT [KEY=VALUE...]: writes slurm.conf and what it needs.
slurm_configure() {
    local nodes=$1 port=$2 host i line
    shift 2
    host=$(hostname -s)
    for ((i = 1; i <= nodes; i++)); do printf '127.0.0.1 n%d\n' "$i"; done >"$SLURM_TEST/hosts"
    printf '127.0.0.1 localhost %s\n' "$host" >>"$SLURM_TEST/hosts"
    # 20.11 has no such plugins, but the file has to be there.
    [[ $(slurmctld -V) == *' 20.'* ]] || printf 'CgroupPlugin=cgroup/v1\n' >"$SLURM_TEST/cgroup.conf"
    printf '%s\n' "${SLURM_TEST_CGROUP:-}" >>"$SLURM_TEST/cgroup.conf"
    [[ -z ${SLURM_TEST_GRES:-} ]] || printf '%s\n' "$SLURM_TEST_GRES" >"$SLURM_TEST/gres.conf"
    cat >"$SLURM_CONF" <<CONF
ClusterName=lab
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SrunPortRange=$((port + 30))-$((port + 99))
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$SLURM_TEST/munge/socket,cred_expire=5
SlurmUser=root
SlurmdUser=root
MpiDefault=none
MailProg=/bin/true
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/linux
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/filetxt
JobCompLoc=$SLURM_TEST/log/jobcomp.txt
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,bf_interval=1,sched_interval=2
SlurmdParameters=config_overrides
PropagateResourceLimits=NONE
ReturnToService=2
SlurmdTimeout=10
MinJobAge=3600
KillWait=10
CompleteWait=0
StateSaveLocation=$SLURM_TEST/state
SlurmdSpoolDir=$SLURM_TEST/spool/%n
SlurmctldPidFile=$SLURM_TEST/run/slurmctld.pid
SlurmdPidFile=$SLURM_TEST/run/slurmd.%n.pid
SlurmctldLogFile=$SLURM_TEST/log/slurmctld.log
SlurmdLogFile=$SLURM_TEST/log/slurmd.%n.log
NodeName=n[1-$nodes] NodeHostname=$host NodeAddr=127.0.0.1 Port=[$((port + 1))-$((port + nodes))] CPUs=2 CoresPerSocket=2 RealMemory=2000 ${SLURM_TEST_NODE:-} State=UNKNOWN
PartitionName=main  Nodes=ALL Default=YES MaxTime=INFINITE OverSubscribe=NO
PartitionName=force Nodes=ALL MaxTime=INFINITE OverSubscribe=FORCE:4
CONF
    [[ -z ${SLURM_TEST_ACCOUNTS:-} ]] || slurm_accounts $((port + 20))
    for line in "$@"; do
        [[ $line == PartitionName=* ]] || sed -i "/^${line%%=*}=/d" "$SLURM_CONF"
        printf '%s\n' "$line" >>"$SLURM_CONF"
    done
}

# slurm_accounts_missing: prints what keeps this machine from accounts, or nothing.
slurm_accounts_missing() {
    local program
    PATH=$PATH:/usr/sbin
    for program in slurmdbd mariadbd mariadb-install-db sacctmgr sacct; do
        command -v "$program" >/dev/null || {
            printf '%s is not installed (packaging/install-deps systems)' "$program"
            return
        }
    done
}

# slurm_accounts PORT: adds accounts to the configuration: a slurmdbd at PORT, with a MariaDB of its
# own that listens at a socket only.
slurm_accounts() {
    sed -i '/^AccountingStorageType=/d' "$SLURM_CONF"
    cat >>"$SLURM_CONF" <<CONF
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort=$1
AccountingStoragePass=$SLURM_TEST/munge/socket
JobAcctGatherFrequency=task=1
CONF
    (
        umask 077
        cat >"$SLURM_TEST/slurmdbd.conf" <<CONF
AuthType=auth/munge
AuthInfo=socket=$SLURM_TEST/munge/socket
DbdHost=$(hostname -s)
DbdAddr=127.0.0.1
DbdPort=$1
SlurmUser=root
LogFile=$SLURM_TEST/log/slurmdbd.log
PidFile=$SLURM_TEST/run/slurmdbd.pid
StorageType=accounting_storage/mysql
StorageHost=localhost
StorageUser=root
StorageLoc=slurm
CONF
    )
    mkdir -p "$SLURM_TEST/database"
}

# slurm_accounts_up: starts both; 0 when the cluster is in the accounts. Needs munged.
slurm_accounts_up() {
    local database=$SLURM_TEST/database
    [[ -d $database/mysql ]] ||
        mariadb-install-db --no-defaults --user=root --datadir="$database" --auth-root-authentication-method=socket --skip-test-db \
            >"$SLURM_TEST/log/install" 2>&1 || return 1
    mariadbd --no-defaults --user=root --datadir="$database" --socket="$SLURM_TEST/run/mariadb" --skip-networking \
        --pid-file="$SLURM_TEST/run/mariadb.pid" >"$SLURM_TEST/log/mariadb" 2>&1 3>&- </dev/null &
    eventually 60 test -S "$SLURM_TEST/run/mariadb" || return 1
    (cd "$SLURM_TEST" && MYSQL_UNIX_PORT=$SLURM_TEST/run/mariadb exec slurmdbd) >>"$SLURM_TEST/log/start" 2>&1 3>&- </dev/null || return 1
    eventually 60 slurm_accounts_answer
}

# slurm_accounts_answer: 0 when the cluster is in the accounts.
slurm_accounts_answer() {
    sacctmgr -i add cluster lab >/dev/null 2>&1
    [[ $(sacctmgr -n -P show cluster format=cluster 2>/dev/null) == lab ]]
}

# slurm_up NODES: starts the daemons; 0 when every node is idle.
slurm_up() {
    local i
    (
        umask 077
        head -c 128 /dev/urandom >"$SLURM_TEST/munge/key"
    )
    (
        cd "$SLURM_TEST" || exit
        munged --key-file="$SLURM_TEST/munge/key" --socket="$SLURM_TEST/munge/socket" --num-threads=2 \
            --pid-file="$SLURM_TEST/munge/pid" --log-file="$SLURM_TEST/log/munged.log" --seed-file="$SLURM_TEST/munge/seed"
        [[ ! -e $SLURM_TEST/slurmdbd.conf ]] || slurm_accounts_up || exit
        # It has to know the nodes' names, too: from 24.11 on it answers srun by them.
        # shellcheck disable=SC2016 # expanded by the inner bash
        unshare -m bash -c 'mount --bind "$SLURM_TEST/hosts" /etc/hosts; exec slurmctld -i'
    ) >"$SLURM_TEST/log/start" 2>&1 3>&- </dev/null || return 1
    for ((i = 1; i <= $1; i++)); do slurm_node_up "n$i" || return 1; done
    eventually 60 slurm_idle "$1"
}

# slurm_node_up NAME: starts the slurmd of one node, in namespaces of its own so
# that its jobs find NAME as their host's name.
slurm_node_up() {
    # shellcheck disable=SC2016 # expanded by the inner bash
    unshare -u -m bash -c 'mount --bind "$SLURM_TEST/hosts" /etc/hosts; hostname "$1"; cd "$SLURM_TEST"; exec slurmd -N "$1"' \
        node "$1" >>"$SLURM_TEST/log/start" 2>&1 3>&- </dev/null
}

# slurm_node_kill NAME: kills the node as a power cut would: its slurmd, and all
# that its jobs are. The controller is told that it is down, as it finds out itself
# after SlurmdTimeout.
slurm_node_kill() {
    local pid stepd node
    local -a pids=()
    read -r pid <"$SLURM_TEST/run/slurmd.$1.pid"
    node=$(readlink "/proc/$pid/ns/uts")
    for stepd in $(pgrep -f "^slurmstepd: \["); do
        # Only the steps of this node's jobs, which are in its namespace: other clusters have nodes of its name.
        [[ $(readlink "/proc/$stepd/ns/uts") != "$node" ]] || pids+=("$stepd")
    done
    for pid in "$pid" "${pids[@]}"; do slurm_kill_tree "$pid"; done
    scontrol update "NodeName=$1" State=DOWN Reason='power cut'
}

# slurm_kill_tree PID: kills a process and all below it, without any of them seeing
# another one end.
slurm_kill_tree() {
    local child
    kill -STOP "$1" 2>/dev/null || true
    for child in $(ps -o pid= --ppid "$1"); do slurm_kill_tree "$child"; done
    kill -KILL "$1" 2>/dev/null || true
}

# slurm_idle NODES: 0 when that many nodes are idle.
slurm_idle() {
    [[ $(sinfo -h -p main -t idle -o %D 2>/dev/null | head -n 1) == "$1" ]]
}

# slurm_down: ends every daemon of ours, by the process ids in their files.
slurm_down() {
    local -a pids=()
    local file pid
    for file in "$SLURM_TEST"/run/slurmd.*.pid "$SLURM_TEST/run/slurmctld.pid" \
        "$SLURM_TEST/run/slurmdbd.pid" "$SLURM_TEST/run/mariadb.pid" "$SLURM_TEST/munge/pid"; do
        pid=$(head -n 1 "$file" 2>/dev/null) || continue
        [[ -z $pid ]] || pids+=("$pid")
    done
    for pid in "${pids[@]}"; do kill -TERM "$pid" 2>/dev/null || true; done
    for pid in "${pids[@]}"; do
        eventually 30 gone "$pid" || kill -KILL "$pid" 2>/dev/null || true
    done
}

# slurm_stop: takes the cluster down and its folder away.
slurm_stop() {
    [[ -n ${SLURM_TEST:-} ]] || return 0
    slurm_cancel_all
    slurm_down
    rm -rf -- "$SLURM_TEST"
}

# slurm_cancel_all: ends all jobs of our own cluster, and waits until none is left.
slurm_cancel_all() {
    local -a jobs
    [[ -n ${SLURM_TEST:-} ]] || return 0
    mapfile -t jobs < <(squeue -h -o %A 2>/dev/null)
    [[ ${#jobs[@]} -eq 0 ]] || scancel --quiet "${jobs[@]}" 2>/dev/null || true
    eventually 100 slurm_no_jobs || true
}

# slurm_no_jobs: 0 when no job waits or runs.
slurm_no_jobs() {
    local jobs
    # A controller that is too busy to answer has said nothing.
    jobs=$(squeue -h -o %A 2>/dev/null) && [[ -z $jobs ]]
}

# slurm_job_is JOB STATE...: 0 when the job is in one of the states.
slurm_job_is() {
    local state
    state=$(scontrol -o show job "$1" 2>/dev/null | sed -n '1s/.* JobState=\([A-Z_]*\).*/\1/p')
    shift
    [[ -n $state && " $* " == *" $state "* ]]
}

# kill_outright TEXT: kills all that has TEXT on its command line (script, campaign and cell),
# so that none of them has a chance to note anything.
kill_outright() {
    local pids
    # Stopped first: whoever still ran would see the others gone. A process that has just ended
    # is seen, too: kill may miss it.
    pgrep -f -- "$1" | xargs kill -STOP || true
    # Children before their parents, or the kernel sends SIGHUP to groups that are stopped and
    # have lost theirs, and continues them.
    while pids=$(pgrep -d, -f -- "$1"); do
        ps -o pid=,ppid=,stat= -p "$pids" |
            awk '$3 !~ /^Z/ { parent[$1] = $2 } END { for (i in parent) has_child[parent[i]]; for (i in parent) if (!(i in has_child)) print i }' |
            xargs -r kill -KILL || true
        sleep 0.05
    done
}
