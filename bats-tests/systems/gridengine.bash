# shellcheck shell=bash
# A real Grid Engine for the tests: sge_qmaster and one sge_execd, in a temporary folder with ports of
# their own, taken down by their own process ids. Nothing of a cell that the machine may have is
# read or touched.

# gridengine_missing: prints what keeps this machine from it, or nothing.
gridengine_missing() {
    local program
    PATH=$PATH:/usr/sbin
    for program in sge_qmaster sge_execd qsub qstat qconf qacct /usr/share/gridengine/scripts/init_cluster; do
        command -v "$program" >/dev/null || {
            printf '%s is not installed (packaging/install-deps systems)' "$program"
            return
        }
    done
    [[ $(id -u) -eq 0 ]] || printf 'it takes root'
}

# gridengine_start: brings it up with this host, and exports what its commands need.
gridengine_start() {
    local host
    host=$(hostname)
    SGE_ROOT=$(mktemp -d /tmp/jostle-gridengine.XXXXXX)
    SGE_QMASTER_PORT=$((20000 + RANDOM % 12000))
    SGE_EXECD_PORT=$((SGE_QMASTER_PORT + 1)) SGE_CELL=default PATH=$PATH:/usr/sbin
    export SGE_ROOT SGE_QMASTER_PORT SGE_EXECD_PORT SGE_CELL PATH
    chmod 755 "$SGE_ROOT"
    mkdir -p "$SGE_ROOT"/{default/common,master/job_scripts,spool,exec}
    ln -s /usr/share/gridengine/util /var/lib/gridengine/{bin,utilbin,lib} "$SGE_ROOT/"
    printf '%s\n' "$host" >"$SGE_ROOT/default/common/act_qmaster"
    # Whatever name loopback has here.
    printf '%s localhost\n' "$host" >"$SGE_ROOT/default/common/host_aliases"
    cat >"$SGE_ROOT/default/common/bootstrap" <<END
Version: 6.2
admin_user              none
default_domain          none
ignore_fqdn             true
spooling_method         berkeleydb
spooling_lib            libspoolb
spooling_params         $SGE_ROOT/spool
binary_path             /usr/sbin
qmaster_spool_dir       $SGE_ROOT/master
security_mode           none
listener_threads        2
worker_threads          2
scheduler_threads       1
END
    {
        /usr/share/gridengine/scripts/init_cluster "$SGE_ROOT" default "$SGE_ROOT/spool" root
        sge_qmaster
    } >"$SGE_ROOT/log" 2>&1 3>&- </dev/null
    eventually 30 gridengine_answers
    gridengine_configure "$host" >>"$SGE_ROOT/log" 2>&1 3>&-
    eventually 30 gridengine_ready || {
        cat "$SGE_ROOT/log" "$SGE_ROOT"/{master,exec/*}/messages >&2
        return 1
    }
}

# gridengine_answers: 0 when the master does.
gridengine_answers() {
    qconf -sh >/dev/null 2>&1
}

# gridengine_ready: 0 when the queue takes jobs.
gridengine_ready() {
    [[ $(qstat -f 2>/dev/null) =~ all\.q@[^[:space:]]+[[:space:]]+[A-Z]+[[:space:]]+0/0/2[[:space:]]+[0-9.]+[[:space:]]+lx-[a-z0-9]+[[:space:]]*($'\n'|$) ]]
}

# gridengine_configure HOST: a host of two slots and one queue, the resource `alone`, and short times.
gridengine_configure() {
    qconf -sconf | sed "s|^min_uid.*|min_uid 0|; s|^min_gid.*|min_gid 0|; s|^execd_spool_dir.*|execd_spool_dir $SGE_ROOT/exec|
        s|^load_report_time.*|load_report_time 00:00:02|; s|flush_time=[0-9:]*|flush_time=00:00:01|" >"$SGE_ROOT/global"
    qconf -Mconf "$SGE_ROOT/global"
    qconf -ssconf | sed 's|^schedule_interval.*|schedule_interval 0:0:1|; s|^flush_submit_sec.*|flush_submit_sec 1|; s|^flush_finish_sec.*|flush_finish_sec 1|' >"$SGE_ROOT/text"
    qconf -Msconf "$SGE_ROOT/text"
    { qconf -sc && printf 'alone al BOOL EXCL YES YES 0 1000\n'; } >"$SGE_ROOT/text"
    qconf -Mc "$SGE_ROOT/text"
    qconf -as "$1"
    printf '%s\n' "hostname $1" 'load_scaling NONE' 'complex_values alone=true' 'user_lists NONE' 'xuser_lists NONE' 'projects NONE' 'xprojects NONE' \
        'usage_scaling NONE' 'report_variables NONE' >"$SGE_ROOT/text"
    qconf -Ae "$SGE_ROOT/text"
    sge_execd </dev/null
    qconf -sq | sed "s|^qname.*|qname all.q|; s|^hostlist.*|hostlist $1|; s|^slots.*|slots 2|; s|^load_thresholds.*|load_thresholds NONE|; s|^pe_list.*|pe_list NONE|
        s|^shell_start_mode.*|shell_start_mode unix_behavior|; s|^notify.*|notify 00:00:20|" >"$SGE_ROOT/text"
    qconf -Aq "$SGE_ROOT/text"
}

# gridengine_is_ours: 0 when gridengine_start has begun. A user of a real cluster has SGE_ROOT, too.
gridengine_is_ours() {
    [[ ${SGE_ROOT:-} == /tmp/jostle-gridengine.* ]]
}

# gridengine_cancel_all: ends all jobs of ours, and waits until none is left.
gridengine_cancel_all() {
    gridengine_is_ours || return 0
    qdel -f -u '*' >/dev/null 2>&1 || true
    eventually 30 gridengine_no_jobs || true
}

# gridengine_no_jobs: 0 when no job waits or runs.
gridengine_no_jobs() {
    local text
    text=$(qstat -u '*' 2>/dev/null) && [[ -z $text ]]
}

# gridengine_stop: takes it down, and its folder away.
gridengine_stop() {
    local file pid
    gridengine_is_ours || return 0
    gridengine_cancel_all
    for file in "$SGE_ROOT"/exec/*/execd.pid "$SGE_ROOT/master/qmaster.pid"; do
        read -r pid <"$file" || continue
        kill -TERM "$pid" || true
        eventually 20 gone "$pid" || kill -KILL "$pid" || true
    done
    rm -rf -- "$SGE_ROOT"
}
