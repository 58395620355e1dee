#!/usr/bin/env bats
# jostle probe: from readings and the kernel's facts to levels, expectations and verdicts.

load helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    reference=$BATS_TEST_DIRNAME/fixtures/probe/reference.json
}

# sample KIND LEVEL FILE: what the made-up machine's reporters read beside a load at a calibrated
# level; LEVEL 0: on the quiet machine.
sample() {
    jq --arg kind "$1" --argjson level "$2" '
        ([.curves[] | select(.kind == $kind) | .points[] | select(.level == $level) | .reporters] | .[0] // {}) as $beside
        | {schema: "jostle.probe-sample/1", reporters: [.quiet | to_entries[] | .key as $name
            | ($beside[$name].fitted // 0) as $log
            | {name: $name, unit: "ns", n: 100, spread: 0.08, correlation: 0.1, error: 0.01,
               value: (.value.value * (if $name == "read" then -$log else $log end | exp))}]}' "$reference" >"$3"
}

# quiet_kernel [MEMBERS]: the facts of a quiet kernel, with other MEMBERS of the object.
quiet_kernel() {
    jq -n "{duration_s: 5, cpus: 4, cpu_some: 0, memory_some: 0, memory_full: 0, io_some: 0, steal: 0, throttled: 0,
        throttled_s: 0, run_queue: 0, load_average: 0, busy_cpus: 1, own_cpus: 0.9, session_cpus: 0, foreign_cpus: 0.02,
        swap_in_per_s: 0, swap_out_per_s: 0, users: []} + {${1:-}}"
}

# profile KIND: a program that a load of KIND at 100 % makes 1.5 times slower.
profile() {
    jq -n --arg kind "$1" '{schema: "jostle.program/1", confidence: 0.95, place: "machine", sensitivity: [{kind: $kind, points: [
        (0.25, 0.5, 0.75, 1) | {level: ., achieved: 1, slowdown: (. * (1.5 | log) | exp), ci: [(. * (1.45 | log) | exp), (. * (1.55 | log) | exp)], n: 20}]}]}'
}

judge() {
    "$BIN/probe" now --reference-file "$reference" --json - "$@"
}

@test "readings beside a load become its level, and those of no other kind" {
    sample mem 0.5 readings
    quiet_kernel >facts
    judge --sample readings --facts facts >record
    jsonschema -i record "$ROOT/results/schema/jostle.probe.schema.json" 2>&1
    holds '.resources[] | select(.name == "mem") | .seen and .ci[0] < 0.5 and .ci[1] > 0.5 and (.level - 0.5 | fabs) < 0.05 and .as_if == "mem --limit 50%"' <record
    holds '[.resources[] | select(.name != "mem" and (.seen or .level > 0.05))] == []' <record
    # The bandwidth has fallen, which is worse.
    holds '.reporters[] | select(.name == "read") | .ratio > 1.1 and .value < .quiet' <record
    sample io 1 readings
    judge --sample readings | holds '.resources[] | select(.name == "io") | .seen and .open and .level > 0.9'
}

@test "two loads that a third one resembles, neither of which explains the readings alone" {
    sample mem 0 readings
    jq '.curves |= (map(select(.kind == "cpu" or .kind == "mem" or .kind == "cache")) | map(.kind as $kind | .points[] |= (.level as $level
        | .reporters |= with_entries(.value += { fitted_error: 0.001, fitted: ($level * ({ cpu: { wake: 1, loopback: 0.1 }, mem: { disk_read: 1, loopback: 0.1 },
            cache: { wake: 1, disk_read: 1 } }[$kind][.key] // 0)) }))))' "$reference" >alike.json
    reference=alike.json
    jq '(.reporters[] | select(.name == "wake" or .name == "disk_read").value) *= (1 | exp) | (.reporters[] | select(.name == "loopback").value) *= (0.2 | exp)' readings >both
    judge --sample both >record
    # What is surely there has a level.
    holds '(.resources | map({ (.name): . }) | add) | all(.cpu, .mem; .seen and .level > 0.6) and .cache.level < 0.4' <record
}

@test "a load that is one of two: surely there, and both are named" {
    local each='fitted_error: 0.001, fitted: ($level * ({ wake: 1, loopback: ($kind | if . == "cpu" then 0.1 else 0.11 end) }[$name] // 0))'
    sample mem 0 readings
    jq '.curves |= (map(select(.kind == "cpu" or .kind == "mem")) | map(.kind as $kind | .points[] |= (.level as $level
        | .reporters |= with_entries(.key as $name | .value += {'"$each"'}))))' "$reference" >alike.json
    reference=alike.json
    judge --sample readings | holds '.any | (.seen | not) and .one_of == []'
    jq '(.reporters[] | select(.name == "wake").value) *= (0.6 | exp)' readings >either
    judge --sample either >record
    jsonschema -i record "$ROOT/results/schema/jostle.probe.schema.json" 2>&1
    holds '([.resources[] | select(.seen)] == []) and .any.seen and [.any.one_of[].name] == ["cpu", "mem"]
        and all(.any.one_of[]; .level > 0.5 and .level < 0.7) and (.any.one_of[1].as_if | startswith("mem --limit "))' <record
    holds 'all(.verdicts[]; .name != "quiet")' <record
    "$ROOT/harness/jostle" probe --reference-file alike.json --sample either >table
    grep -qx 'a load is surely there; which cannot be told: alone it would be cpu --percent [0-9]*%, or mem --limit [0-9]*%' table
}

# with_activity: makes a reference in which loads add to what others do: cpu and mem 2 CPUs, alloc a million
# faults/s and 2 CPUs, io 200 MB/s, net 100 000 packets/s, each in proportion to its level.
with_activity() {
    jq '{cpu: {others_cpu: 2}, mem: {others_cpu: 2}, cache: {others_cpu: 2}, alloc: {others_cpu: 2, others_faults: 1e6},
         io: {others_disk: 2e8}, net: {others_cpu: 1.5, others_packets: 1e5}} as $added
        | ["others_cpu", "others_faults", "others_disk", "others_packets"] as $names
        | .activity = ($names | map({key: ., value: {unit: "", value: 0.01, between: 0, n: 9}}) | from_entries)
        | .curves |= map(.kind as $kind | .points |= map(.level as $level
            | .activity = ($names | map({key: ., value: ({excess: ($level * ($added[$kind][.] // 0)), n: 9, fitted_error: 0} | .fitted = .excess)}) | from_entries)))' \
        "$reference" >active.json
    reference=$PWD/active.json
}

# others FILE CPUS FAULTS DISK PACKETS: adds to a sample what others did.
others() {
    jq --args '.activity = [["others_cpu", "others_faults", "others_disk", "others_packets"], ($ARGS.positional | map(tonumber))]
        | .activity |= (transpose | map({name: .[0], unit: "", value: .[1]}))' "${@:2}" <"$1" >"$1.others"
}

@test "what others do fixes the level, and tells kinds apart that look alike to the reporters" {
    with_activity
    sample mem 0.5 readings
    # Reporters as vague as on a shared machine.
    jq '.reporters |= map(.error = 0.15)' readings >vague
    others vague 1 1 1 1
    judge --sample vague.others >record
    jsonschema -i record "$ROOT/results/schema/jostle.probe.schema.json" 2>&1
    holds '.activity | all(.[]; .used) and (.[0].share - 0.5 | fabs) < 0.01' <record
    holds '[.resources[] | select(.name | IN("io", "net", "alloc")) | .ci[1]] | max < 0.1' <record
    holds '.any.seen and ([.resources[] | select(.name == "cpu" or .name == "mem" or .name == "cache").ci[1]] | max < 0.65)' <record
    # The least that a sample can state is none.
    "$ROOT/harness/jostle" probe --reference-file "$reference" --sample vague.others >table
    grep -qx 'others: 1.00 CPUs, 0 faults/s, 0 MB/s of disk, 0 packets/s' table
    others vague 1 500000 1 1
    judge --sample vague.others | holds '.resources[] | select(.name == "alloc") | .seen and (.level - 0.5 | fabs) < 0.05'
    sample io 0.5 readings
    jq '.reporters |= map(.error = 0.15)' readings >vague
    others vague 0.01 1 1e8 1
    judge --sample vague.others | holds '.resources[] | select(.name == "io") | .seen and (.level - 0.5 | fabs) < 0.05'
}

@test "where reporters contradict what the kernel counts, they decide: a neighbour in another guest" {
    sample mem 0.75 readings
    judge --sample readings >without
    with_activity
    others readings 0.01 1 1 1
    quiet_kernel >facts
    judge --sample readings.others --facts facts >record
    holds '.activity | map(.used) == [false, true, true, true]' <record
    holds --slurpfile without without '[.resources[] | select(.name == "mem").level][0] as $level
        | $level - ($without[0].resources[] | select(.name == "mem").level) | fabs < 0.02' <record
    holds '[.verdicts[].name] == ["hidden-neighbour"]' <record
    # A shift that chance may make is no load, where nobody here does anything.
    sample mem 0.25 readings
    judge --sample readings >without
    others readings 0.01 1 1 1
    judge --sample readings.others >record
    holds '.any.seen' <without
    holds '(.any.seen | not) and all(.activity[]; .used)' <record
    # Yet no level is excluded that was possible without.
    jq '.resources[].ci[1]' without | paste - <(jq '.resources[].ci[1]' record) | awk '$1 > $2 { exit 1 }'
}

@test "a reference without activities gives what it always gave; at a place on some CPUs, the CPUs of others say nothing" {
    sample mem 0.5 readings
    others readings 1 1 1 1
    judge --sample readings >record
    holds '.agreement_p == null and all(.activity[]; .used | not)' <record
    jq -S .resources record >older
    judge --sample readings.others | jq -S .resources | diff older -
    with_activity
    jq '.place = "core"' active.json >core.json
    reference=core.json
    judge --place core --sample readings.others | holds '.activity | map(.share == null) == [true, true, false, false]'
}

@test "a quiet machine has no level above 0 for sure, and no culprit" {
    sample mem 0 readings
    quiet_kernel >facts
    judge --sample readings --facts facts >record
    holds '([.resources[] | select(.seen)] == []) and ([.resources[].ci[0]] | max == 0) and [.verdicts[].name] == ["quiet"]' <record
    # One of eleven reporters is better than ever, by three standard errors: that may be chance.
    jq '(.reporters[] | select(.name == "disk_read").value) *= 0.8' readings >better
    judge --sample better | holds '.misfit_p > 0.2 and .misfit_p < 0.6'
}

@test "without a reference there are readings, and never a level" {
    sample mem 1 readings
    XDG_CACHE_HOME=$PWD/none "$BIN/probe" now --sample readings --json - >record
    holds '([.resources[] | select(.level != null or .seen)] == []) and .reference == null and (.reporters | length) == 11' <record
    holds '.reasons[0] | contains("jostle probe --reference")' <record
}

@test "a reference of another machine gives no level" {
    "$BIN/probe" now --reference-file "$reference" --duration 50ms --reporters adds,gap --json - >record
    holds '([.resources[] | select(.level != null)] == []) and .reference == null and (.reporters | length) == 2 and (.reasons | length) == 1' <record
    holds '.reporters[] | select(.name == "adds") | .value > 0 and .ratio == null' <record
}

@test "--at-most: 0 below, 3 above, 4 where it cannot be told, 2 for what is no level" {
    sample mem 0.5 readings
    judge --sample readings --at-most 90% | holds '.at_most == {of: "level", limit: 0.9, state: "below", left_out: []}'
    run -3 judge --sample readings --at-most 0.2
    run -4 judge --sample readings --at-most 50%
    run -2 judge --sample readings --at-most 1.2
    run -2 judge --sample readings --at-most 5% --for readings
    XDG_CACHE_HOME=$PWD/none run -4 "$BIN/probe" now --sample readings --at-most 90% --quiet
}

@test "--for: what a program has to expect, and no number where it was not measured" {
    sample mem 0.5 readings
    profile mem >a.profile.json
    judge --sample readings --for a.profile.json >record
    # The square root of 1.5, at half of the level.
    holds '.expect | .ci[0] < 1.2247 and .ci[1] > 1.2247 and .mostly == "mem" and .resource == "memory bandwidth"' <record
    run -3 judge --sample readings --for a.profile.json --at-most 1.05
    run -0 judge --sample readings --for a.profile.json --at-most 1.5
    # By the name of the program, also where that itself is there.
    : >a
    judge --sample readings --for a | holds '.expect | .slowdown > 1.1 and .of == "a"'
    profile io >b.profile.json
    judge --sample readings --for b.profile.json | holds '.expect | .slowdown == null and (.reason | contains("not measured beside"))'
    jq '.place = "core"' a.profile.json >c.profile.json
    judge --sample readings --for c.profile.json | holds '.expect | .slowdown == null and (.reason | contains("--place core"))'
    jq '.machine = {hash: "1"}' a.profile.json >d.profile.json
    "$BIN/probe" now --reference-file "$reference" --duration 10ms --reporters adds --for d.profile.json --json - |
        holds '.expect | .slowdown == null and (.reason | contains("another machine"))'
}

@test "who is to blame: quota, hypervisor, neighbour, one that nobody sees" {
    sample mem 0 quiet
    sample mem 0.75 loaded
    while IFS="|" read -r readings members names; do
        quiet_kernel "$members" >facts
        judge --sample "$readings" --facts facts >record
        holds --arg names "$names" '[.verdicts[].name] | join(" ") == $names' <record
    done <<'END'
quiet|throttled: 0.4, throttled_s: 0.3, cpu_some: 0.5|quota
quiet|steal: 0.2, cpu_some: 0.5|hypervisor
quiet|cpu_some: 0.5|cpu-neighbour
quiet|cpu_some: 0.5, session_cpus: 3|own
loaded|foreign_cpus: 2, users: [{user: "eve", cpus: 2, command: "solver", command_cpus: 1.5}]|cpu-neighbour
loaded||hidden-neighbour
quiet|swap_in_per_s: 10, memory_some: 0.2|swap memory
quiet|cpu_some: null|blind quiet
quiet|io_some: 0.12, own_io: 0.1|quiet
quiet|io_some: 0.2, own_io: 0.1|disk
loaded|cpu_some: null, io_some: null|blind
END
    quiet_kernel 'foreign_cpus: 2, users: [{user: "eve", cpus: 2, command: "solver", command_cpus: 1.5}]' >facts
    judge --sample loaded --facts facts | holds '.verdicts[0].text | contains("eve") and contains("solver")'
    quiet_kernel 'cpu_some: null, foreign_cpus: null' >facts
    judge --sample quiet --facts facts | holds '.verdicts[0].text == "this kernel does not show pressure stalls, the processes of others"'
}

@test "intervals of levels hold what they promise, on made-up machines" {
    "$BIN/probe" coverage --reference-file "$reference" --trials 15 >scores
    # 15 trials of each kind with a fixed seed; 95 % are promised.
    holds '[.[] | .all_levels_covered] | min > 0.93' <scores
    holds '([.[].other_kinds_seen] | add / length) < 0.05 and .io.found_within_10_points > 0.8 and .cpu.seen > 0.7' <scores
    with_activity
    "$BIN/probe" coverage --reference-file "$reference" --trials 15 >scores
    holds '([.[] | .all_levels_covered] | min > 0.93) and .alloc.found_within_10_points > 0.9' <scores
}

@test "--watch: a line each interval, appended, until a signal" {
    local pid
    local -a readers=()
    printf 'kept\n' >lines
    "$BIN/probe" now --watch --interval 1s --reporters gap,adds --json lines &
    pid=$!
    # One whose reader has had enough ends, and says nothing.
    timeout 100 "$BIN/probe" now --watch --interval 1s --reporters gap --json - 2>said > >(head -n 1 >/dev/null) &
    readers+=("$!")
    timeout 100 "$BIN/probe" now --watch --interval 1s --reporters gap --table /dev/fd/9 2>said-too 9> >(head -n 1 >/dev/null) &
    readers+=("$!")
    eventually 30 eval '(($(wc -l <lines) >= 2))'
    kill -TERM "$pid"
    wait "$pid"
    [[ $(head -n 1 lines) == kept ]]
    sed -n 2p lines | holds '.schema == "jostle.probe/1" and .kernel.own_cpus < 0.5'
    sed -n 2p lines >line
    jsonschema -i line "$ROOT/results/schema/jostle.probe.schema.json" 2>&1
    wait "${readers[0]}"
    wait "${readers[1]}"
    [[ ! -s said && ! -s said-too ]]
}

# counted FAULTS PACKETS CPUS: what a made-up kernel in the folder root has counted so far.
counted() {
    local cpu
    mkdir -p root/proc/net
    printf 'pgfault %d\n' "$1" >next && mv next root/proc/vmstat
    printf 'Inter-| Receive\n face |bytes\n    lo: 9 %d 0 0 0 0 0 0 9 %d 0 0 0 0 0 0\n  eth0:9 %d 0 0 0 0 0 0 9 %d 0 0 0 0 0 0\n' \
        "$2" "$2" "$2" "$2" >next && mv next root/proc/net/dev
    {
        printf 'cpu  0 0 0 0 0 0 0 0 0 0\n'
        for ((cpu = 0; cpu < $3; cpu++)); do printf 'cpu%d 0 0 0 0 0 0 0 0 0 0\n' "$cpu"; done
    } >next && mv next root/proc/stat
}

# counts_others: 0 once the lines have all that was counted: 100 000 packets over lo, and as many each way over eth0;
# and 1 CPU, then 2, which are never idle.
counts_others() {
    jq -s . lines | holds 'def sum($name): [.[] | .duration_s * (.activity[] | select(.name == $name) | .value)] | add // 0;
        (sum("others_faults") / 1e8 - 1 | fabs) < 0.25 and (sum("others_packets") / 3e5 - 1 | fabs) < 0.25
        and (map(.activity[0].value) | first > 0.5 and last > 1.5 and (map(values) | max) < 2.1 and any(.[]; . == null))
        and all(.[]; .activity[2].value == null)' 2>/dev/null
}

@test "what others do is what the kernel counts, each packet once, whenever it is looked at" {
    local pid
    counted 0 0 1
    : >lines
    JOSTLE_KERNEL_ROOT=$PWD/root "$BIN/probe" now --watch --interval 1s --reporters adds --json lines &
    pid=$!
    eventually 60 test -s lines
    counted 100000000 100000 2
    eventually 60 counts_others
    # Nothing more is counted: none is 0, not the least that a metric may be.
    eventually 60 eval 'tail -n 1 lines | holds "[.activity[1, 3].value] == [0, 0]" 2>/dev/null'
    kill -TERM "$pid"
    wait "$pid"
}

# probing PID: 0 once a program below it measures; sets child.
probing() {
    child=$(below "$1" probe)
    [[ -n $child ]]
}

@test "a signal to jostle probe ends what measures, and leaves no file" {
    local pid child code=0
    mkdir temporary
    TMPDIR=$PWD/temporary "$JOSTLE" probe --duration 60s --reporters gap &
    pid=$!
    eventually 30 probing "$pid"
    kill -TERM "$pid"
    wait "$pid" || code=$?
    ((code == 143))
    gone "$child"
    [[ -z $(ls temporary) ]]
}

@test "the examples for Slurm, CI and a health check act on a limit that is surely exceeded, and on nothing else" {
    local code row
    cat >stub <<'END'
#!/bin/bash
printf '%s\n' "$HOME" >home
while (($# > 0)); do
    [[ $1 != --json ]] || printf '{"verdicts":[{"text":"a neighbour"}]}' >"$2"
    shift
done
exit "$CODE"
END
    chmod +x stub
    export JOSTLE=$PWD/stub CODE JOSTLE_PROBE_RECORDS=$PWD/records JOSTLE_PROBE_TRIES=2 JOSTLE_PROBE_PAUSE_S=0
    # Exit status of the prolog, the health check and that for CI; what the health check prints.
    for CODE in 0 1 3 4; do
        row=''
        for code in probe-prolog probe-health probe-ci; do
            run "$ROOT/jobs/examples/$code"
            row+="$status "
            [[ $code != probe-health ]] || printf '%s\n' "$output" >health
        done
        printf '%s%s\n' "$row" "$(<health)"
    done >found
    diff found - <<'END'
0 0 0 OK: a neighbour
0 0 1 UNKNOWN: jostle probe failed with exit status 1
1 1 3 ERROR: a neighbour
0 0 0 OK: a neighbour
END
    # A daemon's environment has no HOME, where the reference is.
    CODE=0 env -u HOME "$ROOT/jobs/examples/probe-prolog"
    [[ $(<home) == /root ]]
}

@test "jostle probe lays out a table, and passes the status on" {
    sample mem 0.5 readings
    quiet_kernel >facts
    run -3 "$JOSTLE" probe --reference-file "$reference" --sample readings --facts facts --at-most 20%
    [[ $output == *'mem --limit 50%'* && $output == *'--at-most 0.2: above'* ]]
    run -0 "$JOSTLE" probe --reference-file "$reference" --sample readings --quiet
    [[ -z $output ]]
    run -2 "$JOSTLE" probe --watch --at-most 5%
    run -2 "$JOSTLE" probe --watch --quiet
}

@test "jostle report shows what a watch has written over the time, also when its last line was cut off" {
    local i
    mkdir node
    quiet_kernel >facts
    for i in 0 1 2 3; do
        sample mem "$((i % 2))" readings
        judge --sample readings --facts facts | jq -c --arg made "2026-03-01T1$i:00:00Z" '.made = $made | .host = "vm"' >>node/lines.jsonl
    done
    cp node/lines.jsonl history-of
    "$BIN/probe" --show node/lines.jsonl >history
    jsonschema -i history "$ROOT/results/schema/jostle.probe-history.schema.json" 2>&1
    holds '.cut == false and (.hosts | length) == 1 and (.hosts[0].rows | length) == 4 and (.hosts[0].kinds[] | select(.name == "mem") | .seen == 0.5 and .level > 0.4 and .most > 0.9)' <history
    head -c 700 node/lines.jsonl >part
    cat part >>node/lines.jsonl
    "$JOSTLE" report node >table
    [[ $(<table) == *'memory bandwidth: seen in 50 % of the probes'* && $(<table) == *'cut off'* ]]
    # What the next watch appends is read, but for the line that it begins behind the cut one.
    head -n 2 history-of >>node/lines.jsonl
    "$BIN/probe" --show node/lines.jsonl | holds '.cut and .hosts[0].probes == 5'
    "$BIN/probe" --page node | holds '[.charts[] | select(.panels[0].svg != null) | .title] == ["vm: memory bandwidth", "vm: what the kernel shows"]'
    run -1 "$BIN/probe" --show facts
}
