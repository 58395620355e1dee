#!/usr/bin/env bats
# Other hosts without a scheduler: a load at one (NAME@HOST=SPEC), and the whole experiment (--on HOST). The host is an
# sshd of our own on loopback, or in a network namespace.

load helpers
bats_require_minimum_version 1.5.0

setup() {
    PATH=$PATH:/usr/sbin
    command -v sshd >/dev/null || skip 'sshd is not installed'
    cd "$BATS_TEST_TMPDIR" || exit
    ssh-keygen -q -t ed25519 -N '' -f host
    ssh-keygen -q -t ed25519 -N '' -f user
    sshd_pids=()
}

teardown() {
    local pid
    # What started it, such as unshare, may be its parent.
    # shellcheck disable=SC2046 # none, or several
    for pid in "${sshd_pids[@]}"; do kill $(pgrep -P "$pid") "$pid" 2>/dev/null || true; done
    [[ -z ${SPACE:-} ]] || ip link del "jostle$$" || true
    [[ -z ${SPACE:-} ]] || ip netns del "$SPACE"
}

# sshd_at ADDRESS PORT [WORD...]: an sshd, started by WORD..., that ssh knows as web1 and web2.
sshd_at() {
    local address=$1 port=$2
    shift 2
    [[ $EUID -ne 0 ]] || mkdir -p /run/sshd
    printf '%s\n' "Port $port" "ListenAddress $address" "HostKey $PWD/host" "AuthorizedKeysFile $PWD/user.pub" \
        'StrictModes no' 'UsePAM no' 'PidFile none' "SetEnv TMPDIR=$PWD/there" >sshd_config
    mkdir -p there
    printf '%s\n' 'Host web1 web2' "HostName $address" "Port $port" "User $(id -un)" "IdentityFile $PWD/user" \
        "UserKnownHostsFile $PWD/known" 'GlobalKnownHostsFile /dev/null' >ssh_config
    printf '[%s]:%s %s\n' "$address" "$port" "$(<host.pub)" >known
    mkdir -p bin
    printf '#!/bin/sh\nexec /usr/bin/ssh -F %q "$@"\n' "$PWD/ssh_config" >bin/ssh
    chmod +x bin/ssh
    PATH=$PWD/bin:$PATH
    "$@" "$(command -v sshd)" -D -f "$PWD/sshd_config" -E "$PWD/sshd.log" 3>&- &
    sshd_pids+=("$!")
    eventually 20 grep -qs 'listening on' sshd.log
}

here() {
    free_ports TEN
    sshd_at 127.0.0.1 "$REPLY" "$@"
}

# nothing_there: 0 when nothing that was started there lives, and no folder is left.
nothing_there() {
    [[ -z $(ls -A there) ]] && ! pgrep -f "percent 7.$BATS_TEST_NUMBER" >/dev/null
}

# bats test_tags=slow
@test "a load at another host takes part in the experiment, and nothing stays there" {
    here
    run -0 "$JOSTLE" slowdown --min-runs 2 --max-runs 2 --load "far@web1=cpu --percent 7.$BATS_TEST_NUMBER" --load 'both=cpu --percent 5 + @web2 cpu --percent 6' \
        --output out -- sleep 0.2
    holds '.loads[1].parts[0] | .name == "far@web1" and .node == "web1"' <out/experiment.json
    jq -s . out/runs.jsonl | holds '[.[] | select(.condition == "far") | .load[0] | .achieved > 0.01 and .node == "web1"] | length == 2 and all'
    eventually 20 nothing_there
}

# bats test_tags=slow
@test "--on HOST measures there, and the records, the table and the JSON are here" {
    here
    run -0 --separate-stderr "$JOSTLE" slowdown --on web1 --min-runs 3 --max-runs 3 --load 'half=cpu --percent 20' --output out --json out.json -- sh -c 'env >seen; sleep 0.02'
    # shellcheck disable=SC2154 # run sets it
    [[ $stderr == 'jostle: measures at web1' && $output == *"Records: $PWD/out"* ]]
    cmp out.json out/result.json
    [[ $(wc -l <out/runs.jsonl) -eq 6 ]]
    grep -q SSH_CONNECTION seen
    run -0 "$JOSTLE" report out
    [[ $output == *half* ]]
    eventually 20 nothing_there
}

# bats test_tags=slow
@test "several hosts each have their figures, in one table" {
    here
    run -0 "$JOSTLE" run --on web1,web2 --min-runs 3 --max-runs 3 --output out -- sleep 0.02
    [[ -s out/web1/result.json && -s out/web2/result.json && $output == *web1*web2* ]]
    # One that cannot be reached keeps none of the others from being measured.
    run -1 "$JOSTLE" run --on nobody.invalid,web2 --min-runs 2 --max-runs 2 --output part -- sleep 0.02
    [[ ! -e part/nobody.invalid && -s part/web2/result.json && $output == *'nobody.invalid cannot be reached'*web2* ]]
    run -2 "$JOSTLE" run --on web1,web2 --json - --output other -- sleep 0.02
    [[ $output == *'--json, --export-... and --show-output are for one host'* && ! -e other ]]
}

# bats test_tags=slow
@test "what goes wrong there is said here, with the status that it has there" {
    here
    run -5 "$JOSTLE" run --on web1 --output out -- false
    [[ $output == *'exit code 1'* && $output != *jostle-ssh* ]]
    run -2 "$JOSTLE" run --on web1 --output none -- no-such-program-here
    [[ $output == *'no-such-program-here'* && ! -e none/runs.jsonl ]]
    rm -rf none
    run -2 "$JOSTLE" run --on web1 --output none --max-runs -- true
    run -2 "$JOSTLE" run --on , --output none -- true
    [[ $output == 'jostle: --on ,: not the name of a host'* ]]
    run -2 "$JOSTLE" run --on -oProxyCommand=x --output none -- true
    [[ $output == *'not the name of a host'* && ! -e none ]]
    run -3 "$JOSTLE" slowdown --on web1 --at-most 0.001 --min-runs 6 --max-runs 6 --load 'cpu --percent 5' --output gate -- sleep 0.02
    # hyperfine's --output says where the target writes, not where the records go.
    (cd "$PWD" && "$JOSTLE" run --on web1 --quiet --output pipe --max-runs 2 -- echo hello)
    holds '.settings.stdout == "pipe"' <"$(ls -d jostle-results/echo.*)/experiment.json"
    # An option of the target's own.
    run -0 "$JOSTLE" run --max-runs 2 --output target -- echo --on web1
}

# bats test_tags=slow
@test "a host key that is not known, a host that is not there and a key that is refused end with one line and ssh's reason" {
    local spoil
    here
    for spoil in ': >known' 'sed -i "s/^Port .*/Port 1/" ssh_config' 'ssh-keygen -q -t ed25519 -N "" -f other; sed -i "s,/user$,/other," ssh_config; printf "[127.0.0.1]:%s %s\n" "$REPLY" "$(<host.pub)" >known'; do
        cp ssh_config kept
        eval "$spoil"
        run -1 "$JOSTLE" run --on web1 --quiet --output out -- true
        [[ ${#lines[@]} -eq 1 && $output =~ ^'jostle: web1 cannot be reached (ssh: '.*('verification failed'|refused|denied) && ! -e out ]]
        run -1 "$JOSTLE" slowdown --quiet --load far@web1=cpu --output out -- true
        [[ ${lines[-1]} == 'jostle: load far@web1 ended: web1 cannot be reached (ssh: '* && ! -e out ]]
        cp kept ssh_config
    done
}

@test "a host that takes the connection and says nothing is given up" {
    JOSTLE_SILENCE_S=4 run -1 timeout 30 "$ROOT/jobs/ssh/far" --rsh 'sh -c "exec sleep 1000"' web1 true
    [[ $output == 'jostle: web1 has not answered within 2 s: '* ]]
    run -1 pgrep -s 0 -f '^sleep 1000'
}

# bats test_tags=slow
@test "a shell that ends at once is said to have ended, also where that is seen late" {
    # shellcheck disable=SC2016 # for the other shell
    run -1 bash -p -c 'set -T
        trap "[[ \$BASH_COMMAND != out=* ]] || sleep 0.1" DEBUG
        source "$0" "$@"' "$ROOT/jobs/ssh/far" --rsh false nobody true </dev/null
    [[ $output == 'jostle: nobody cannot be reached (false ended with status 1): '* ]]
}

# bats test_tags=slow
@test "where no jostle is, a bundle is brought to a private folder, and removed" {
    local home
    home=$PWD/jostle-0-linux-$(uname -m)
    ((EUID == 0)) && unshare -m true 2>/dev/null || skip 'needs root, and mount namespaces'
    install_small "$home"
    # What is here is not there.
    here unshare -m bash -c 'mount -t tmpfs none "$0" && mount -t tmpfs none "$1" && exec "${@:2}"' "$home" "$ROOT"
    PATH=${PATH//"$home"/} JOSTLE_BUILD='' run -0 "$home/bin/jostle" run --on web1 --min-runs 2 --max-runs 2 --output out -- sh -c 'sleep 0.02'
    [[ $(wc -l <out/runs.jsonl) -eq 2 ]]
    eventually 20 nothing_there
    # And the sources alone have none to bring.
    mkdir built
    ln -s "$BUILD/bin" built/bin
    JOSTLE_BUILD=$PWD/built run -1 "$JOSTLE" run --on web1 --quiet --output none -- true
    [[ $output == *'there is no jostle '*' at web1: install it there, or run make bundle here'* && ! -e none ]]
}

# bats test_tags=slow
@test "Ctrl-C ends it there, too; the runs that were made are here, and --resume continues there" {
    local status=0 pid
    here
    env --default-signal=INT setsid "$JOSTLE" slowdown --on web1 --min-runs 200 --max-runs 200 --load "half=cpu --percent 7.$BATS_TEST_NUMBER" --output out -- sleep 0.05 2>said 3>&- &
    pid=$!
    eventually 60 eval '[[ $(wc -l <out/runs.jsonl) -ge 3 ]]' 2>/dev/null
    kill -INT -- "-$pid"
    wait "$pid" || status=$?
    [[ $status -eq 130 ]]
    grep -q 'interrupted by SIGTERM after' said
    grep -q 'resume: .* slowdown --resume --on web1' said
    eventually 30 nothing_there
    cp out/runs.jsonl before
    run -0 "$JOSTLE" slowdown --on web1 --min-runs 4 --max-runs 4 --load "half=cpu --percent 7.$BATS_TEST_NUMBER" --output out --resume -- sleep 0.05
    cmp -n "$(stat -c %s before)" before out/runs.jsonl
    [[ -s out/result.json ]]
}

# taken_by GROUP: 0 when what takes in bytes runs in that process group.
taken_by() {
    [[ -n $(ps -e -o pgid=,comm= | awk -v group="$1" '$1 == group && $2 == "head"') ]]
}

@test "Ctrl-C while records are brought here loses none of them" {
    local pid to
    mkdir from folder incoming
    head -c 100K /dev/urandom >from/records
    echo '{"schema": "jostle.result/1"}' >from/result.json
    tar -c -C from -f all records result.json
    mkfifo pipe
    # shellcheck disable=SC2016 # for the other shell
    setsid "$BIN/start" --default-signals -- bash -c 'set -euo pipefail
        JOSTLE_LIB=$1/harness/lib JOSTLE_BIN=$2
        for part in common processes elsewhere; do source "$JOSTLE_LIB/$part.bash"; done
        live_end() { :; }
        silence_read
        processes_open
        folder=folder incoming=incoming
        elsewhere_alone elsewhere_take web1' - "$ROOT" "$BIN" <pipe 3>&- &
    pid=$!
    exec {to}>pipe
    printf 'tar %s\n' "$(stat -c %s all)" >&"$to"
    head -c 20K all >&"$to"
    eventually 10 taken_by "$pid"
    kill -INT -- "-$pid"
    tail -c +20481 all >&"$to"
    exec {to}>&-
    wait "$pid"
    cmp from/records folder/records
}

# bats test_tags=slow
@test "whoever is killed here, nothing lives on there" {
    local pid
    here
    mkdir tmp
    export TMPDIR=$PWD/tmp
    setsid "$JOSTLE" slowdown --min-runs 200 --max-runs 200 --load "far@web1=cpu --percent 7.$BATS_TEST_NUMBER" --output out -- sleep 0.05 2>said 3>&- &
    pid=$!
    eventually 60 test -s out/runs.jsonl
    kill -KILL -- "-$pid"
    eventually 30 nothing_there
    "$JOSTLE" slowdown --on web1 --min-runs 200 --max-runs 200 --load "half=cpu --percent 7.$BATS_TEST_NUMBER" --output on -- sleep 0.05 2>said 3>&- &
    eventually 60 test -s on/runs.jsonl
    pkill -KILL -f "jobs/ssh/[f]ar web1 $ROOT"
    eventually 30 nothing_there
    wait "$!" || status=$?
    [[ $status -eq 1 ]]
    grep -q 'what measures at web1 was killed here' said
    eventually 20 eval '[[ -z $(ls -A tmp) ]]'
}

# bats test_tags=slow
@test "a connection that breaks in the middle ends the load there and the experiment here, whose runs can be resumed" {
    local status=0
    ((EUID == 0)) || skip 'needs root'
    SPACE=jostle-ssh-$$
    NET=198.18.$((80 + RANDOM % 100))
    ip netns add "$SPACE" 2>/dev/null || { SPACE='' && skip 'no network namespaces here'; }
    ip link add "jostle$$" type veth peer name cable netns "$SPACE" || skip 'no veth here'
    ip addr add "$NET.1/30" dev "jostle$$"
    ip link set "jostle$$" up
    ip -n "$SPACE" addr add "$NET.2/30" dev cable
    ip -n "$SPACE" link set cable up
    sshd_at "$NET.2" 2222 ip netns exec "$SPACE"
    # The cable needs a moment.
    eventually 30 ssh web1 true 2>/dev/null
    JOSTLE_SILENCE_S=6 "$JOSTLE" slowdown --min-runs 200 --max-runs 200 --load "far@web1=cpu --percent 7.$BATS_TEST_NUMBER" --output out -- sleep 0.05 2>said 3>&- &
    eventually 60 test -s out/runs.jsonl
    ip link set "jostle$$" down
    eventually 30 nothing_there
    wait "$!" || status=$?
    [[ $status -eq 1 ]]
    grep -q 'load far@web1 ended: web1 is gone' said
    ip link set "jostle$$" up
    eventually 30 ssh web1 true 2>/dev/null
    cp out/runs.jsonl before
    run -0 "$JOSTLE" slowdown --min-runs 4 --max-runs 4 --load "far@web1=cpu --percent 7.$BATS_TEST_NUMBER" --output out --resume -- sleep 0.05
    cmp -n "$(stat -c %s before)" before out/runs.jsonl
}

# bats test_tags=slow
@test "a clock that differs there changes nothing" {
    ((EUID == 0)) && unshare --time --monotonic 90000 --fork true 2>/dev/null || skip 'needs root, and time namespaces'
    here unshare --time --monotonic 90000 --boottime 90000 --fork
    run -0 "$JOSTLE" slowdown --min-runs 2 --max-runs 2 --load 'far@web1=cpu --percent 20' --output out -- sleep 0.3
    jq -s . out/runs.jsonl | holds --argjson cpus "$(nproc)" '[.[] | select(.condition == "far") | .load[0].achieved / $cpus] | all(. > 0.1 and . < 0.3)'
}
