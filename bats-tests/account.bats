#!/usr/bin/env bats
# A target that is only a client: what it costs is counted where the work is done. (Containers themselves:
# systems/container.bats.)

load helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    mkfifo ask answer
    # shellcheck disable=SC2016 # for the server's shell
    printf '%s\n' 'while read -r n <ask; do i=0; while [ "$i" -lt "$n" ]; do i=$((i + 1)); done; echo >answer; done' >server
    printf 'echo 40000 >ask\nread -r _ <answer\n' >client
    for GROUP in /sys/fs/cgroup/cpuacct /sys/fs/cgroup/unified /sys/fs/cgroup; do
        GROUP+=/jostle-test.$$
        ! mkdir "$GROUP" 2>/dev/null || break
        GROUP=
    done
    [[ -n $GROUP ]] || skip 'no control group can be made here'
    sh -c 'echo $$ >"$1/cgroup.procs" && exec sh server' sh "$GROUP" 3>&- &
    SERVER=$!
}

teardown() {
    [[ -z ${SERVER:-} ]] || kill -KILL "$SERVER" 2>/dev/null || true
    [[ -z ${GROUP:-} ]] || eventually 5 rmdir "$GROUP"
}

# bats test_tags=slow
@test "CPU time of a client is that of the control group that --account names" {
    "$JOSTLE" run --quiet --runs 2 --output alone -- sh client
    "$JOSTLE" run --quiet --runs 2 --output counted --account "cgroup:$GROUP" -- sh client
    jq -c '{wall_s, cpu_s: (.user_s + .system_s), accounting, stalls}' {alone,counted}/runs.jsonl
    # However long either waits on a busy machine.
    cat {alone,counted}/runs.jsonl | holds -s 'map(.user_s + .system_s) as [$c, $d, $e, $f] | ([$e, $f] | min) > 3 * ([$c, $d] | max)'
    holds -s 'all(.[]; .user_s + .system_s < 1.2 * .wall_s + 0.02 and .user_s >= 0 and .system_s >= 0)' <counted/runs.jsonl
    holds '.settings.account | startswith("cgroup:")' <counted/experiment.json
    split -l 1 counted/runs.jsonl run.
    is_valid run run.*
    is_valid experiment counted/experiment.json
}

@test "a control group that goes away ends the experiment, which says so" {
    printf 'kill -KILL %s; while ! rmdir %s; do sleep 0.01; done\n' "$SERVER" "$GROUP" >client
    run -1 --separate-stderr "$JOSTLE" run --quiet --runs 2 --output out --account "cgroup:$GROUP" -- sh client
    GROUP='' SERVER=''
    # shellcheck disable=SC2154 # bats sets it
    [[ $stderr == *'the control group of --account is gone'* ]]
}

@test "an account that is none is refused before anything is made" {
    local account
    for account in cgroup:/nowhere podman:no-such-container job group podman: cgroup:relative; do
        run -2 --separate-stderr env -u SLURM_JOB_ID "$JOSTLE" run --output out --account "$account" -- true
        # shellcheck disable=SC2154 # bats sets both
        [[ $stderr == "jostle: --account $account: "*': '* && ${stderr_lines[*]} == "$stderr" && ! -e out ]]
    done
}

@test "a target is not run in a container where there is no engine" {
    mkdir empty
    run -2 --separate-stderr env PATH="$PWD/empty" "$BIN/experiment" run --in podman:image -- true
    [[ $stderr == 'jostle: --in podman:image: there is no podman here: '* ]]
    run -2 --separate-stderr "$JOSTLE" run --output out --in podman:image --variant a=true --variant b=true
    [[ $stderr == 'jostle: --in podman:image: give TARGET: '* && ! -e out ]]
}
