#!/usr/bin/env bats
# What a plain virtual machine lacks: every controller of cgroup v2, SMT, two sockets, two nodes of memory, a
# disk with BFQ. A machine that QEMU emulates has them (see `machine`); it is slow, so only directions are
# asserted, with intervals apart.

load ../helpers

setup_file() {
    export KIT=$BATS_FILE_TMPDIR/kit
    "$ROOT/bats-tests/systems/machine" "$KIT" true || skip_file 'no machine can be emulated here: see bats-tests/systems/machine' || return 0
}

setup() {
    skip_as_file
    # The machine reads what is here, and writes to files of its own.
    cd "$BATS_TEST_TMPDIR" || return
}

# inside: runs the commands on stdin in the machine, in an empty folder, with helpers of their own.
inside() {
    {
        printf 'set -euo pipefail\nROOT=%q BIN=%q\n' "$ROOT" "$BIN"
        cat <<'HELPERS'
work=$(mktemp -d) && cd "$work"
PATH=$ROOT/harness:$PATH
export JOSTLE_NO_PROBE=1
printf 'i=0\nwhile [ "$i" -lt 8000 ]; do i=$((i + 1)); done\n' >work
# holds EXPRESSION FILE: the JSON in the file makes the jq EXPRESSION true.
holds() { jq -e "$1" "$2" >/dev/null || { printf 'does not hold: %s\n' "$1"; jq -c .protection "$2"; return 1; }; }
# groups: prints the groups of settings that are there.
groups() { find /sys/fs/cgroup -name 'jostle-set.*'; }
HELPERS
        cat
    } >inside
    # The emulation itself may hang: once more.
    JOSTLE_MACHINE_S=240 run "$ROOT/bats-tests/systems/machine" "$KIT" bash "$PWD/inside"
    [[ $status -ne 125 ]] || run "$ROOT/bats-tests/systems/machine" "$KIT" bash "$PWD/inside"
    printf '%s\n' "$output"
    [[ $status -eq 0 ]]
}

@test "each setting of cgroup v2 takes effect, is read back, and leaves no group" {
    inside <<'EOF_INSIDE'
for setting in nice=5 sched=idle sched=fifo:1 ionice=idle group=cgroup cpu.weight=10 cpu.max=50% cpu.idle=1 cpuset.cpus=1 memory.min=8M memory.low=8M memory.high=64M memory.max=64M io.weight=10 io.max=254:16,wbps=1000000; do
    "$BIN/start" --set "$setting" -- sleep 60 &
    sleep 0.3
    "$BIN/start" --check $! --set "$setting"
    ! "$BIN/start" --check $$ --set "$setting" 2>/dev/null
    kill $!
    wait $! || true
done
[ "$("$BIN/start" --set cpuset.cpus=2-3 --set cpuset.cpus.partition=root -- nproc)" = 2 ]
"$BIN/start" --sweep
# Who was bound to a CPU stays there in a group.
[ "$(taskset -c 2 "$BIN/start" --set cpu.weight=50 -- nproc)" = 1 ]
"$BIN/start" --sweep
[ -z "$(groups)" ]
EOF_INSIDE
}

@test "a weight, a quota, a set of CPUs and priorities move the slowdown in the right direction" {
    inside <<'EOF_INSIDE'
taskset -c 0-1 jostle protect --quiet --output out --runs 14 --load 'full=cpu --threads 4' --try cpu.weight=10 --try cpu.max=20% \
    --try cpuset.cpus=1 --try nice=19 --try 'target:cpu.weight=1000' -- taskset -c 0 sh work
holds '[.protection.rows[] | select(.condition != "full.target-cpu.weight-1000")] | all(.slowdown.ci[1] < .slowdown_unprotected.ci[0] and .removed.ci[0] > 0)' out/result.json
holds '[.protection.rows[] | select(.condition | test("cpu.weight-10$|cpu.max|nice"))] | all(.kept.ci[1] < 1)' out/result.json
holds '.protection.best != null' out/result.json
[ -z "$(groups)" ]
EOF_INSIDE
}

@test "a limit of memory holds back who reads more than that" {
    inside <<'EOF_INSIDE'
mkfs.ext4 -q /dev/vdb && mount /dev/vdb /mnt
head -c 48M /dev/zero >/mnt/file
sync
echo 3 >/proc/sys/vm/drop_caches
# held SIZE: prints how often the group was held back at its limit while it read the file.
held() {
    "$BIN/start" --set "memory.high=$1" -- bash -c 'cat /mnt/file /mnt/file >/dev/null; sed -n "s/^high //p" "/sys/fs/cgroup/jostle-set.$$/memory.events"'
}
small=$(held 16M)
echo 3 >/proc/sys/vm/drop_caches
large=$(held 512M)
echo "held back $small times at 16 MiB, $large at 512"
[ "$small" -gt 0 ] && [ "$large" -eq 0 ]
EOF_INSIDE
}

@test "a quota of the disk holds a neighbour back" {
    inside <<'EOF_INSIDE'
mkfs.ext4 -q /dev/vdb && mount /dev/vdb /mnt
jostle protect --quiet --output out --runs 7 --load 'disk=io --sequential --sync direct --dir /mnt --file-size 32M --block-size 64k' \
    --try io.max=254:16,wbps=500000 -- sh -c 'dd if=/dev/zero of=/mnt/mine bs=64k count=40 oflag=direct status=none'
holds '.protection.rows[0] | .kept.ci[1] < 0.5 and .slowdown.value < .slowdown_unprotected.value' out/result.json
EOF_INSIDE
}

@test "the weakest setting that keeps a limit is named" {
    inside <<'EOF_INSIDE'
jostle protect --quiet --output out --runs 14 --until 4 --load 'full=cpu --threads 4' --try cpu.max=20% --try cpu.max=40% -- taskset -c 0 sh work || true
jq -c '[.protection | .best, .weakest]' out/result.json
holds '.protection | .weakest != null' out/result.json
EOF_INSIDE
}

@test "a client is counted in the control group of version 2 that does its work" {
    inside <<'EOF_INSIDE'
mkdir /sys/fs/cgroup/server
mkfifo ask answer
printf 'while read -r n <ask; do i=0; while [ "$i" -lt "$n" ]; do i=$((i + 1)); done; echo >answer; done' >server
sh -c 'echo $$ >/sys/fs/cgroup/server/cgroup.procs; exec sh server' &
printf 'echo 40000 >ask; read -r _ <answer' >client
jostle run --quiet --output out --runs 3 --account cgroup:/sys/fs/cgroup/server -- sh client
jq -c '{wall_s, cpu_s: (.user_s + .system_s), max_rss_bytes, accounting, stalls}' out/runs.jsonl
jq -e '.user_s + .system_s > 0.5 * .wall_s and .accounting == "cgroup2" and .stalls.source == "cgroup" and .stalls.run_delay_s == null' out/runs.jsonl
EOF_INSIDE
}

@test "nothing of a setting is left when jostle is killed" {
    inside <<'EOF_INSIDE'
setsid jostle slowdown --quiet --output out --load 'w=[cpu.weight=10 target:memory.high=64M] cpu --percent 10' -- sleep 0.3 &
pid=$!
while [ ! -s out/runs.jsonl ]; do sleep 0.2; done
[ -n "$(groups)" ]
read -r command _ <"/proc/$pid/task/$pid/children" || true
kill -KILL "$command"
wait "$pid" || true
for try in $(seq 50); do [ -z "$(groups)" ] && break; sleep 0.2; done
[ -z "$(groups)" ]
EOF_INSIDE
}

@test "loads are placed on the sibling of a core and on the other node" {
    inside <<'EOF_INSIDE'
for place in core smt other-node machine; do
    jostle slowdown --quiet --output "$place" --runs 1 --place "$place" --load 'some=cpu --percent 10' -- true
done
[ "$(jq -r '.placement | .target_cpus, .load_cpus' smt/experiment.json | sort | tr '\n' ' ')" = '0 1 ' ]
[ "$(jq -r '.placement.target_cpus' other-node/experiment.json)" = 0 ]
jq -r .placement.load_cpus other-node/experiment.json | grep -q '^[23]'
EOF_INSIDE
}

@test "blame finds a neighbour that is in a group of its own" {
    inside <<'EOF_INSIDE'
taskset -c 0 "$BIN/start" --set group=cgroup -- sh -c 'while :; do :; done' &
taskset -c 0 sh -c 'while :; do :; done' &
victim=$!
sleep 1
jostle blame --duration 3s --pid "$victim" >blame.txt || true
cat blame.txt
grep -qE '^ +(100|9[0-9]) %.*while' blame.txt
EOF_INSIDE
}
