#!/usr/bin/env bats
# What the time of a run was made of, and what other programs cost it.

load helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return
}

teardown() {
    [[ -z ${busy:-} ]] || kill "$busy" 2>/dev/null || true
    [[ -z ${GROUP:-} || ! -d $GROUP ]] || eventually 10 rmdir "$GROUP"
}

# made COUNT RUN: an experiment of that many runs of a lone condition; RUN is a jq object over a run
# of one thread that computes for a second, $i its number from 0.
made() {
    mkdir -p made
    jq -n --argjson n "$1" '{ schema: "jostle.experiment/1", command: ["x"], loads: [{ name: "baseline", spec: null }],
        settings: { error: 0.02, confidence: 0.95, min_runs: $n, max_runs: $n, metric: ["wall_s"], seed: 1 }, environment: { cpus_online: 2 } }' >made/experiment.json
    jq -nc '{ wall_s: 1, user_s: 0.9, system_s: 0.1, steal_s: 0, voluntary_switches: 1, involuntary_switches: 5, major_faults: 0, cpus: "0-1",
          stalls: { source: "cgroup", cpu_s: 0, memory_s: 0, io_s: 0, run_delay_s: 0, run_s: 1, throttled_s: null },
          exit_code: 0, signal: null, timed_out: false, load: [], condition: "baseline" } as $plain
        | range('"$1"') as $i | $plain * ('"$2"') + { block: ($i + 1) }' >made/runs.jsonl
    "$BIN/stats" --derive made
    is_valid result made/result.json
    jq '.conditions[0].time' made/result.json >parts
}

@test "what others cost a program is said first, as a factor with its range" {
    made 8 '{ wall_s: (1.24 + 0.02 * ($i % 2)), user_s: 0.5, system_s: 0.05, stalls: { cpu_s: (0.69 + 0.02 * ($i % 2)), run_delay_s: (0.69 + 0.02 * ($i % 2)), run_s: 0.55 } }'
    holds '(.cpu_wait_s - 0.7 | fabs) < 1e-9 and (.computing_s - 0.55 | fabs) < 1e-9 and .rest_s < 1e-9 and .at_least == false
        and (.others.factor - 1.25 / 0.55 | fabs) < 1e-6 and .others.ci[0] < .others.factor and .others.factor < .others.ci[1]
        and (.others.text | test("^700 ms of 1\\.25 s it waited for a CPU: 2\\.27 times slower \\(2\\.2[0-9] to 2\\.[23][0-9]\\) because of other programs; 550 ms without them$"))
        and (.text | test("^44 %? ?(± 1 % )?computing, 56 (± 1 )?% waiting for a CPU$"))' <parts
    run -0 "$JOSTLE" report made
    [[ $output == *'It takes 1.25 s '*': 44'*' computing, 56'*' waiting for a CPU.'*'700 ms of 1.25 s it waited for a CPU'*'condition '* ]]
}

@test "parts of a run's time are its own waits, and what nobody counts is the rest" {
    made 5 '{ wall_s: 2, user_s: 0.5, system_s: 0.1, stalls: { cpu_s: 0.3, run_delay_s: 0.3, run_s: 0.6, io_s: 0.5, memory_s: 0.2, throttled_s: 0.1 } }'
    holds '[.computing_s, .cpu_wait_s, .throttled_s, .disk_wait_s, .memory_wait_s, .stolen_s, .rest_s] as $parts
        | ($parts | add - 2 | fabs) < 1e-9 and ([$parts, [0.6, 0.2, 0.1, 0.3, 0.2, 0, 0.6]] | transpose | all(.[0] - .[1] | fabs < 1e-9))
        and .text == "30 % computing, 10 % waiting for a CPU, 5 % throttled by its own CPU quota, 15 % waiting for the disk, 10 % waiting for memory, 30 % asleep or waiting for something else"' <parts
}

# bats test_tags=slow
@test "without a group's pressure the disk is not counted, and the line says so" {
    made 5 '{ wall_s: 2, stalls: { source: "schedstat", cpu_s: 0.2, run_delay_s: 0.2, memory_s: null, io_s: null } }'
    holds '.disk_wait_s == null and .memory_wait_s == null and (.rest_s - 0.8 | fabs) < 1e-9
        and (.text | endswith("40 % asleep or waiting for something else (waiting for the disk and for memory is not counted here)"))' <parts
    made 5 '{ stalls: null }'
    holds '. == null' <parts
}

# bats test_tags=slow
@test "of several threads the wait is a lower bound, and not called the others' doing" {
    made 5 '{ wall_s: 1, user_s: 1.4, system_s: 0, stalls: { cpu_s: 0.3, run_delay_s: 0.2, run_s: 0.7 } }'
    holds '.at_least and .threads > 1 and .others == null and (.text | contains("at least 30 % waiting for a CPU behind other programs, or behind its own threads or processes"))' <parts
    # So it is of a pipeline that never has more than a CPU's work in all.
    made 5 '{ wall_s: 1, user_s: 0.5, system_s: 0, stalls: { cpu_s: 0.4, run_delay_s: 0.1, run_s: 0.1 } }'
    holds '.at_least and .threads == 1 and .others == null' <parts
}

@test "where the kernel tells a program's own threads from other programs, the wait behind others is said, without a factor" {
    made 5 '{ wall_s: (1 + 0.001 * $i), user_s: 0.5, system_s: 0, stalls: { cpu_s: 0.5, cpu_full_s: 0.4, run_delay_s: 0.1, run_s: 0.1 } }'
    holds '.at_least and (.cpu_wait_s - 0.4 | fabs) < 1e-9 and .others.factor == null and .others.ci == null and .others.without_s == null
        and .others.steadier == null and .others.why == "several"
        and (.others.text | startswith("at least 400 ms of 1.00 s it waited for a CPU behind other programs; what that cost it is not known"))' <parts
    # Four processes on one CPU, nobody else: each waits for the others, and the program for nobody.
    made 5 '{ wall_s: (1 + 0.001 * $i), user_s: 1, system_s: 0, cpus: "0", stalls: { cpu_s: 0.99, cpu_full_s: 0, run_delay_s: 0, run_s: 0.01 } }'
    holds '.cpu_wait_s == 0 and .computing_s > 0.99 and .others == null and (.text | test("computing \\(for at least 990 ms some of its threads or processes waited for a CPU behind its own\\)$"))' <parts
}

@test "of threads that share one CPU it is said whom they waited behind, as far as that is known" {
    local many='wall_s: (1 + 0.001 * $i), system_s: 0, cpus: "0"'
    # Beside other programs, where the kernel tells: what they took is all that they can have cost.
    made 5 "{ $many"', user_s: 0.5, stalls: { cpu_s: 0.99, cpu_full_s: 0.5, run_delay_s: 0, run_s: 0.01 } }'
    holds '(.at_least | not) and .cpu_wait_s == 0.5 and .others.factor == null and .others.why == "several"
        and (.text | test("computing \\(for at least 490 ms .* behind its own\\), 50 .*% waiting for a CPU behind other programs") and (contains("at least 50") | not))
        and (.others.text | startswith("500 ms of 1.00 s it waited for a CPU behind other programs; that made it at most 2.00 times slower"))' <parts
    # Where it does not: what they ran and waited is more than the time that there was.
    made 5 "{ $many"', user_s: 1, stalls: { cpu_s: 0.99, run_delay_s: 0, run_s: 0.01 } }'
    holds '.computing_s > 0.99 and .others == null and (.text | test("^100 % computing \\(for at least 9[0-9]+ ms some of its threads or processes waited for a CPU behind its own\\)$"))' <parts
    made 5 "{ $many"', user_s: 0.6, stalls: { cpu_s: 0.3, run_delay_s: 0, run_s: 0.01 } }'
    holds '.at_least and .others == null and (.text | (contains("behind its own)") | not) and contains("at least 30 % waiting for a CPU behind other programs, or behind its own threads")
        and test("at least 10 .*% asleep"))' <parts
    # On two CPUs they may as well have run at once.
    made 5 '{ user_s: 1, system_s: 0, stalls: { cpu_s: 0.99, run_delay_s: 0, run_s: 0.01 } }'
    holds '.text | contains("behind its own)") | not' <parts
}

@test "a shell whose programs run one after the other on a CPU has the factor of a single program" {
    made 5 '{ wall_s: (1 + 0.001 * $i), user_s: 0.5, system_s: 0, cpus: "1", stalls: { cpu_s: (0.502 + 0.001 * $i), cpu_full_s: (0.5 + 0.001 * $i), run_delay_s: 0.001, run_s: 0.01 } }'
    holds '(.at_least | not) and (.others.factor - 2 | fabs) < 0.01 and .others.why == null' <parts
    # On two CPUs it might as well be two programs at once.
    made 5 '{ wall_s: (1 + 0.001 * $i), user_s: 0.5, system_s: 0, stalls: { cpu_s: (0.502 + 0.001 * $i), cpu_full_s: (0.5 + 0.001 * $i), run_delay_s: 0.001, run_s: 0.01 } }'
    holds '.at_least and .others.factor == null' <parts
}

@test "a wait that a program's time does not grow with has not made it slower" {
    # It always takes a second.
    made 8 '{ wall_s: (1 + 0.0001 * ($i % 2)), user_s: (0.6 - 0.02 * $i), system_s: 0, stalls: { cpu_s: (0.4 + 0.02 * $i), run_delay_s: (0.4 + 0.02 * $i), run_s: (0.6 - 0.02 * $i) } }'
    holds '.others.factor == null and .others.why == "fixed-time" and (.others.text | endswith("its time does not grow with that wait"))' <parts
    # It sleeps, and nobody knows until when: from a constant wait no run shows it.
    made 8 '{ wall_s: (1 + 0.001 * ($i % 2)), user_s: 0.3, system_s: 0, stalls: { cpu_s: 0.3, run_delay_s: 0.3, run_s: 0.3 } }'
    holds '.others.factor == null and .others.why == "sleeps" and .others.steadier == null' <parts
    # What it waits comes on top of what it sleeps.
    made 8 '{ wall_s: (0.7 + 0.1 * $i), user_s: 0.3, system_s: 0, stalls: { cpu_s: (0.1 * $i), run_delay_s: (0.1 * $i), run_s: 0.3 } }'
    holds '.others.factor > 1.3 and .others.why == null' <parts
}

@test "the parts of the time are all of it, and so are their ranges, whatever several threads waited" {
    local run
    for run in '{ user_s: 0.9, cpus: "0", stalls: { cpu_s: 0.99, run_delay_s: 0.3, run_s: 0.2 } }' \
        '{ wall_s: (0.1 + 0.4 * ($i % 2)), user_s: 0.09, stalls: { cpu_s: (0.02 + 0.45 * (($i + 1) % 2)), run_delay_s: 0, run_s: 0.01, io_s: 0.3, memory_s: 0.1 } }' \
        '{ wall_s: (1 + $i), user_s: (0.3 + 3 * ($i % 2)), steal_s: 0.4, machine: { busy_s: 2, cpus: 2 }, stalls: { cpu_s: 0.6, run_delay_s: 0.6, run_s: 0.3 } }'; do
        made 2 "$run"
        holds '([.computing_s, .cpu_wait_s, .throttled_s, .disk_wait_s, .memory_wait_s, .stolen_s, .rest_s] | map(. // 0) | add) as $all
            | ($all / .wall_s - 1 | fabs) < 1e-9 and ([.intervals[] | values | .[] | values] | all(. >= 0 and . <= 1))
            and ([.text | scan("[0-9.]+(?= %)") | tonumber] | length > 0 and max <= 100)' <parts
    done
}

# shellcheck disable=SC2030 # output is of this test
@test "a gate by the time without waiting is refused where it is not known, and says why" {
    run ! "$JOSTLE" slowdown --quiet --output out --min-runs 2 --max-runs 2 --at-most 2 --metric wall_without_wait_s --load 'none=exec: sleep 60' -- \
        sh -c "'$WORKLOADS/delannoy' 8 & '$WORKLOADS/delannoy' 8; wait"
    [[ $output == *'made no figure wall_without_wait_s: several of its threads or processes may have waited at once'*'leave it out of --metric'* ]]
}

# alone_on_a_cpu COMMAND...: runs it without anybody else on its CPU, in real time; the CPU is the first that is allowed.
alone_on_a_cpu() {
    local first
    read -r first _ < <(taskset -cp $$ | sed 's/.*: //; s/[-,]/ /g')
    chrt -f 10 true 2>/dev/null || skip "no real-time priority may be taken here"
    rm -rf out
    run -0 "$JOSTLE" run --output out --min-runs 4 --max-runs 4 --target-cpus "$first" -- chrt -f 10 "$@"
    # shellcheck disable=SC2031 # of this test
    [[ $output != *'because of other programs'* ]]
    holds '.conditions[0].time.others | .factor == null' <out/result.json
}

# bats test_tags=slow
@test "processes that wait for each other are not slowed down by other programs" {
    alone_on_a_cpu sh -c "for i in 1 2 3 4; do '$WORKLOADS/delannoy' 9 & done; wait"
    alone_on_a_cpu sh -c 'head -c 5M /dev/zero | sha1sum | cat'
}

# bats test_tags=slow
@test "where waiting makes the time unsteady, the time without it is offered, with the runs that it saves" {
    made 10 '{ wall_s: (0.55 + 0.1 * $i + 0.001 * ($i % 2)), user_s: 0.55, system_s: 0, stalls: { cpu_s: (0.1 * $i), run_delay_s: (0.1 * $i), run_s: 0.55 } }'
    holds '.others.steadier | .metric == "wall_without_wait_s" and .runs == 2 and .wall_runs > 1000
        and (.text | startswith("--metric wall_without_wait_s (its time without that wait) would be known within 2 % after about 2 runs"))' <parts
    made 10 '{ wall_s: (1 + 0.01 * ($i % 2)), user_s: 0.5, system_s: 0, stalls: { cpu_s: 0.5, run_delay_s: 0.5, run_s: 0.5 } }'
    holds '.others.factor > 1.9 and .others.steadier == null' <parts
}

# beside MS: of a program of about so long beside a busy one on its CPU, the factor is wall by CPU time.
beside() {
    rm -rf out
    run -0 "$JOSTLE" run --output out --min-runs 8 --max-runs 8 --target-cpus "$first" --metric wall_s,wall_without_wait_s -- "$BATS_TEST_TMPDIR/spin" "$1" || return
    jq -s '(map(.wall_s) | add) / (map(.user_s + .system_s) | add)' out/runs.jsonl >truth
    holds '.conditions[0] | .time.others.factor as $said | $said > 1.3 and ($said / $truth - 1 | fabs) < 0.15
        and (.metrics.wall_without_wait_s.mean / (.wall_s.mean - .time.cpu_wait_s) - 1 | fabs) < 0.05' --argjson truth "$(<truth)" <out/result.json
}

# bats test_tags=measures
@test "beside a busy program on its CPU the factor is what it is by construction, also of runs of 10 ms" {
    read -r first _ < <(taskset -cp $$ | sed 's/.*: //; s/[-,]/ /g')
    printf '#include <stdlib.h>\n#include <time.h>\nint main(int c, char **v) { clock_t end = clock() + atol(v[c - 1]) * (CLOCKS_PER_SEC / 1000); while (clock() < end) ; return 0; }\n' >spin.c
    "${CC:-cc}" -O1 -o spin spin.c
    taskset -c "$first" sh -c 'while :; do :; done' 3>&- &
    busy=$!
    in_tries 3 beside 10
    in_tries 3 beside 100
    [[ $output == *' it waited for a CPU: '*' times slower ('*') because of other programs; '*' without them'* ]]
}

# quota_ns: how long the kernel has kept the group from running so far.
quota_ns() {
    awk '/^throttled_time/ { print $2 } /^throttled_usec/ { print $2 * 1000 }' "$GROUP/cpu.stat"
}

# bats test_tags=slow
@test "what a program's own quota takes is no neighbour's doing" {
    quota_group || skip "no cgroup with a CPU quota can be made here"
    local before after
    before=$(quota_ns)
    (
        echo $BASHPID >"$GROUP/cgroup.procs"
        "$JOSTLE" run --quiet --output out --min-runs 4 --max-runs 4 -- sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done'
    )
    after=$(quota_ns)
    # The runs have what the kernel counted of the group, but for what jostle itself took before, between and after them.
    # How much that is depends on who else is busy: of a CPU that others have, no quota is used up.
    jq -s 'map(.stalls.throttled_s) | add' out/runs.jsonl >counted
    holds '. > 0 and . <= $all / 1e9 + 1e-3' --argjson all "$((after - before))" <counted
    holds '.conditions[0] | .time as $time | .wall_s.mean as $wall | $time.throttled_s > 0
        and ($time.throttled_s <= $counted / 4 + 1e-6) and ($time.cpu_wait_s + $time.throttled_s <= $wall * 1.01)
        and ($time.text | contains("throttled by its own CPU quota"))' --argjson counted "$(<counted)" <out/result.json
}

# bats test_tags=slow
@test "compare says what the time of both was made of" {
    made 5 '{ wall_s: 2, stalls: { cpu_s: 1, run_delay_s: 1 } }'
    mv made crowded
    made 5 '{}'
    run -0 "$JOSTLE" compare made crowded
    [[ $output == *'time: baseline: A 100 % computing; B 50 % computing, 50 % waiting for a CPU'* ]]
    "$JOSTLE" compare --json - made crowded >comparison
    is_valid comparison comparison
}
