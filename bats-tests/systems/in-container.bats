#!/usr/bin/env bats
# Containers as they are: a target that is a client of one, a target and a load that run in one of their own. Podman,
# with an image of busybox. Needs root, podman, runc and busybox-static.

load ../helpers

setup() {
    local program
    ((EUID == 0)) || skip 'needs root'
    for program in podman runc busybox; do type -P "$program" >/dev/null || skip "$program is missing"; done
    cd "$BATS_TEST_TMPDIR" || return
    printf '[storage]\ndriver = "vfs"\ngraphroot = "%s/graph"\nrunroot = "%s/run"\n' "$PWD" "$PWD" >storage.conf
    printf '[engine]\nruntime = "runc"\n[containers]\ndefault_ulimits = ["nofile=1024:1024", "nproc=1000:1000"]\n' >containers.conf
    export CONTAINERS_STORAGE_CONF=$PWD/storage.conf CONTAINERS_CONF=$PWD/containers.conf
    mkdir -p root/bin && cp "$(type -P busybox)" root/bin/
    for program in sh sleep; do ln -s busybox "root/bin/$program"; done
    tar -C root -c . | podman import - localhost/box >/dev/null
    mkfifo ask answer
}

teardown() {
    [[ -z ${CONTAINERS_STORAGE_CONF:-} ]] || {
        podman rm --all --force --time 0 >/dev/null
        podman rmi --all --force >/dev/null
    }
}

# none: no container is there.
none() {
    [[ -z $(podman ps --all --quiet) ]]
}

@test "what a client costs is that of the container that does the work" {
    # shellcheck disable=SC2016 # for its shell
    podman run --detach --network none --name server --volume "$PWD:/data" localhost/box /bin/sh -c 'while :; do
        read -r n </data/ask; i=0; while [ "$i" -lt "$n" ]; do i=$((i + 1)); done; echo >/data/answer; done' >/dev/null
    printf 'echo 100000 >ask\nread -r _ <answer\n' >client
    "$JOSTLE" run --quiet --runs 2 --output out --account podman:server -- sh client
    holds -s 'all(.[]; .user_s + .system_s > 0.5 * .wall_s)' <out/runs.jsonl
}

@test "a target in a container is counted whole, and its container goes with it" {
    "$JOSTLE" run --quiet --runs 2 --output out --in podman:localhost/box -- /bin/sh -c 'i=0; while [ "$i" -lt 200000 ]; do i=$((i + 1)); done'
    holds -s 'all(.[]; .exit_code == 0 and .user_s > 0.5 * .wall_s)' <out/runs.jsonl
    run -5 "$JOSTLE" run --quiet --runs 2 --timeout 1s --output late --in podman:localhost/box -- /bin/sleep 60
    eventually 10 none
}

@test "a load in a container is counted, and its container goes with it, also after SIGKILL of jostle" {
    local pid
    "$JOSTLE" slowdown --quiet --runs 2 --settle 2s --output out --load 'busy=podman localhost/box: /bin/sh -c "while :; do :; done"' -- sleep 1
    holds -s 'map(select(.condition == "busy") | .load[0].cpu_s) | length == 2 and all(.[]; . > 0.5)' <out/runs.jsonl
    eventually 10 none
    "$JOSTLE" slowdown --quiet --runs 9 --output killed --load 'busy=podman localhost/box: /bin/sh -c "while :; do :; done"' -- sleep 1 3>&- &
    pid=$!
    eventually 30 eval '! none'
    kill -KILL "$pid"
    eventually 10 eval '! pgrep -f "while :; do :; done" >/dev/null'
}
