#!/usr/bin/env bats
# jostle slowdown: baseline and loads, interleaved.

load helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return
}

# shared_fairly: 0 when the target and a full load on its CPU had the same part of it, by the median of the
# runs, and the target took longer for it. Half, where nobody else is on that CPU.
shared_fairly() {
    rm -rf out && "$JOSTLE" slowdown --quiet --output out --max-runs 10 --target-cpus 0 --load-cpus 0 \
        --load 'full=cpu --percent 100' -- "$WORKLOADS/delannoy" 11 &&
        holds -s '[.[] | select(.condition == "full") | (.user_s + .system_s) / .wall_s / .load[0].achieved] | sort | .[length / 2 | floor]
            | . > 0.6 and . < 1.7' <out/runs.jsonl &&
        holds '.slowdowns[] | select(.condition == "full" and .metric == "wall_s") | .ratio > 1.15 and .ci[0] < .ratio and .ratio < .ci[1]' <out/result.json
}

# bats test_tags=measures
@test "a CPU-bound target on a CPU with a full load shares it with the load, and takes longer by that" {
    in_tries 4 shared_fairly
}

# bats test_tags=slow
@test "blocks hold every condition once, in an order that varies" {
    "$JOSTLE" slowdown --quiet --output out --min-runs 12 --max-runs 12 --seed 4 --washout 0 \
        --load 'a=cpu --percent 5' --load 'b=cpu --percent 10' -- true
    holds -s 'group_by(.block) | length == 12 and all(.[]; map(.condition) | sort == ["a", "b", "baseline"])' <out/runs.jsonl
    holds -s 'group_by(.block) | map(sort_by(.order) | map(.condition)) | unique | length > 2' <out/runs.jsonl
    holds -s 'map(.order) == [range(1; length + 1)]' <out/runs.jsonl
}

# bats test_tags=slow
@test "the same seed gives the same order" {
    local i
    for i in 1 2; do
        "$JOSTLE" slowdown --quiet --output "out$i" --min-runs 6 --max-runs 6 --seed 99 --washout 0 --load 'a=cpu --percent 5' -- true
    done
    diff <(jq -r .condition out1/runs.jsonl) <(jq -r .condition out2/runs.jsonl)
    holds '.settings.seed == 99' <out1/result.json
}

# runs_when_loaded SHARE: the load had CPU time in each loaded run; the other runs in which it had are added to `beyond`.
runs_when_loaded() {
    rm -rf out ticks
    "$JOSTLE" slowdown --quiet --output out --min-runs 3 --max-runs 3 --load "full=cpu --percent $1 --threads 1" -- ./target &&
        paste -d' ' <(jq -r .condition out/runs.jsonl) ticks >joined &&
        # 0.5 s of over 90 % are 45 ticks; busy neighbours may take most of them.
        [[ $(wc -l <joined) -eq 6 ]] &&
        awk '$1 == "baseline" && $2 > 1' joined >>beyond &&
        awk '$1 == "full" && $2 < 5 { print; wrong = 1 } END { exit wrong }' joined
}

# bats test_tags=slow
@test "the load runs during loaded runs, and only then" {
    # The target notes how much CPU time the load's process spends meanwhile,
    # in ticks of 10 ms. The share is this test's own, so that it can be found.
    local share=9$((RANDOM % 10)).$RANDOM
    cat >target <<END
#!/bin/bash
used() { awk '{ sub(/.*\\) /, ""); print \$12 + \$13 }' "/proc/\$(pgrep -f -- '^$BIN/loadgen cpu .*--percent $share')/stat"; }
before=\$(used)
sleep 0.5
echo "\$((\$(used) - before))" >>ticks
END
    chmod +x target
    in_tries 3 runs_when_loaded "$share"
    # No busy machine gives a paused load CPU time: not once.
    diff /dev/null beyond
}

@test "a condition may have several loads at once" {
    local length=100.$RANDOM
    "$JOSTLE" slowdown --quiet --output out --min-runs 2 --max-runs 2 --settle 200ms \
        --load "both=cpu --percent 20 --threads 1 + exec: sleep $length" -- sleep 0.1
    holds -s 'map(select(.condition == "both")) | length == 2 and all(.[]; .load | map(.name) == ["both.cpu", "both.exec"])' <out/runs.jsonl
    run ! pgrep -f "^sleep $length$"
}

@test "a priority holds in every condition alike" {
    printf '#!/bin/sh\nnice >>nices\n' >target && chmod +x target
    "$JOSTLE" slowdown --quiet --output out --min-runs 2 --max-runs 2 --nice 5 --load 'a=cpu --percent 5' -- ./target
    [[ $(sort -u nices) == 5 ]]
}

@test "the table has a row a condition, with slowdown and load" {
    run -0 "$JOSTLE" slowdown --output out --max-runs 6 --load 'low=cpu --percent 10 --threads 1' -- sleep 0.05
    [[ $output =~ baseline\ +6\ .*\ 1\ +- ]]
    [[ $output =~ low\ +6\ .*\[[0-9.]+,\ [0-9.]+\]\ .*of\ 0\.10\ CPUs ]]
    [[ $output == *'Beside low (cpu --percent 10 --threads 1) '*' % sure)'* ]]
}

# How many cores this machine has.
cores() {
    lscpu -p=core,cpu | grep -v '^#' | cut -d, -f1 | sort -u | wc -l
}

# bats test_tags=slow
@test "without a load it shows what sharing its CPU and each resource cost, and what looks closer" {
    quick_machine
    run -0 --separate-stderr "$JOSTLE" slowdown --output out --max-runs 6 -- sleep 0.02
    # shellcheck disable=SC2154 # bats sets it
    [[ $stderr == *'alone and beside each of these: sharing, memory, cache'*', for about '*' of each: where single runs vary by 10 %'* ]]
    holds '.loads | map(.name) - ["network"] == ["baseline", "sharing", "memory", "cache", "disk"]' <out/result.json
    holds '.settings | .min_runs == 6 and .max_time_s == 60' <out/result.json
    holds '.slowdowns | map(select(.metric == "wall_s")) | length >= 4 and all(.ci != null)' <out/result.json
    [[ $output == *'Sharing its CPU with one busy program: '*'condition '*'closer: jostle slowdown '*'--load '*' -- sleep 0.02'* ]]
    # Of a service the network, too, wherever the kernel puts them.
    "$JOSTLE" slowdown --quiet --for 1s --max-runs 1 --service 'sh -c "echo up; exec sleep 100"' --ready 'match:/up/' --output served -- true
    holds '.loads | map(.name) | index("sharing") == null and last == "network"' <served/result.json
    run -2 "$JOSTLE" slowdown --quick --load 'a=cpu --percent 5' -- true
    [[ $output == *'--quick is for a slowdown without --load'* ]]
    run -2 "$JOSTLE" slowdown --quick --for 5s -- true
}

# bats test_tags=slow
@test "a panorama's neighbours are on CPUs that the target leaves, and one shares its CPU" {
    quick_machine
    (($(cores) > 1)) || skip 'this machine has one core'
    # The target is where it binds itself, and is told nothing else.
    last=$(taskset -cp $$ | sed 's/.*[ ,-]//')
    "$JOSTLE" slowdown --quiet --max-runs 1 --output itself -- taskset -c "$last" true
    # shellcheck disable=SC2016 # jq expands it
    holds --arg cpu "$last" '.settings.target_cpus == null and (.loads | map(.spec) | (.[1] | endswith(" --cpus " + $cpu)) and (.[2:] | all(endswith(" --cpus " + $cpu) | not)))' <itself/result.json
    # One placement for all conditions.
    "$JOSTLE" slowdown --quiet --max-runs 1 --output out -- "$WORKLOADS/delannoy" 9
    holds '.settings.target_cpus as $cpu | ($cpu | test("^[0-9]+$")) and (.loads[1].spec == "cpu --cpus " + $cpu) and (.settings.load_cpus == null)' <out/result.json
    holds -s '(map(.cpus) | unique | length == 1) and (map(select(.condition == "memory")) | length > 0 and all(.[]; .load[0].cpus != .cpus))' <out/runs.jsonl
    # --target-cpus is kept; and so are the CPUs that the user has for the loads.
    "$JOSTLE" slowdown --quiet --max-runs 1 --target-cpus "$last" --output bound -- true
    holds --arg cpu "$last" '.settings.target_cpus == $cpu and .loads[1].spec == "cpu --cpus " + $cpu' <bound/result.json
    "$JOSTLE" slowdown --quiet --max-runs 1 --target-cpus "$last" --load-cpus "$last" --output chosen -- true
    holds '.loads | map(.name) - ["network"] == ["baseline", "cpu", "memory", "cache", "disk"] and (map(.spec // "") | all(test("--cpus") | not))' <chosen/result.json
    # A session that continues has the same ones.
    "$JOSTLE" slowdown --quiet --max-runs 2 --output out --resume -- "$WORKLOADS/delannoy" 9
    holds '.loads[1].title == "Sharing its CPU with one busy program" and (.conditions | all(.runs == 2))' <out/result.json
}

# looked RECORD WORDS...: what slowdown plans after a first run with this record; its loads are in `loads`.
looked() {
    mkdir -p look
    jq -nc '{ wall_s: 1, user_s: 0.1, system_s: 0.1, cpus: "0", stalls: { source: "cgroup", run_s: 0.2, run_delay_s: 0 }, machine: { cpus: 2 } } * '"$1" >look/runs.jsonl
    rm -rf planned
    JOSTLE_LOOK=$PWD/look run -0 --separate-stderr "$BIN/experiment" slowdown --output planned "${@:2}" -- true
    jq -c '[.loads[1:][].name]' planned/experiment.json >loads
}

# bats test_tags=slow
@test "a target while which much goes over a network is measured beside traffic" {
    quick_machine
    looked '{ machine: { network_bytes: 0, loopback_bytes: 90000000000000 } }'
    holds 'last == "network"' <loads
    [[ $stderr == *'while it ran, 9e+07 MB/s went over the network or the loopback of this machine'* ]]
    holds '.loads[-1] | .title | contains("loopback traffic")' <planned/experiment.json
    for machine in '{ network_bytes: 5000, loopback_bytes: 5000 }' '{ network_bytes: null, loopback_bytes: null }' '{}'; do
        looked "{ machine: $machine }"
        holds 'index("network") == null' <loads
        [[ $stderr != *'went over'* ]]
    done
    # What the record has is what the kernel counts of all programs, so at least the target's own.
    "$JOSTLE" run --quiet --output sent --runs 1 -- "$BIN/loadgen" net --tcp --threads 1 --limit 20MB/s --duration 500ms
    holds '.machine.loopback_bytes > 1000000 and .machine.network_bytes >= 0' <sent/runs.jsonl
}

@test "the time of a panorama has the runs of the client after each start of its service" {
    local -a served=(--service server --ready 'match:/up/' --for 50s)
    quick_machine
    looked '{}' "${served[@]}" --service-warmup 0
    [[ $stderr != *'no time for 6 runs'* ]]
    looked '{}' "${served[@]}" --service-warmup 4
    [[ $stderr == *'in 50 s there is no time for 6 runs beside '*'network: for these: '* ]]
    looked '{}' "${served[@]}" --keep-service
    [[ $stderr != *'no time for 6 runs'* ]]
}

# bats test_tags=slow
@test "a panorama that continues has the neighbours that it had, however long it goes on" {
    quick_machine
    "$JOSTLE" slowdown --quiet --output out --for 2s -- sleep 0.1
    jq -c '[.loads[].name]' out/experiment.json >before
    wc -l <out/runs.jsonl >runs
    run -0 --separate-stderr "$JOSTLE" slowdown --resume --output out --for 9s -- sleep 0.1
    [[ $stderr == *'measuring sleep alone and beside each of these: sharing'*', for about 9'*' s '* ]]
    jq -c '[.loads[].name]' out/experiment.json | diff before -
    (($(wc -l <out/runs.jsonl) > $(<runs)))
}

# bats test_tags=slow
@test "where the target leaves no CPU, what neighbours cost it is its CPU time" {
    quick_machine
    cpu=$(taskset -cp $$ | sed 's/.*[ ,-]//')
    run -0 taskset -c "$cpu" "$JOSTLE" slowdown --max-runs 6 --output out -- "$WORKLOADS/delannoy" 9
    [[ $output == *'Its CPU time beside memory traffic on its own CPUs, waiting left out: '* ]]
    [[ $output != *'other cores'* ]]
    # It waits for its CPU, and does not compute the more for that.
    holds '[.slowdowns[] | select(.condition == "memory" and .metric == "cpu_s") | .ci != null] == [true]' <out/result.json
    holds '(.slowdowns | map({key: (.condition + " " + .metric), value: .ratio}) | from_entries) as $of | $of["memory cpu_s"] < $of["sharing wall_s"]' <out/result.json
}

# bats test_tags=measures,slow
@test "a program without memory accesses is slowed down by sharing its CPU, and not by memory traffic" {
    (($(cores) > 1)) || skip 'this machine has one core'
    registers() {
        rm -rf out && "$JOSTLE" slowdown --quiet --quick --output out -- "$WORKLOADS/delannoy" 10 &&
            holds '(.slowdowns | map(select(.metric == "wall_s") | {key: .condition, value: .}) | from_entries) as $of | $of.sharing.ratio > 1.3 * $of.memory.ratio' <out/result.json
    }
    in_tries 3 registers
}

# bats test_tags=slow
@test "a panorama has six runs of each, and within --for of as many neighbours as there is time for" {
    quick_machine
    run -0 --separate-stderr timeout 100 "$JOSTLE" slowdown --output out --for 6s -- sleep 0.3
    [[ $stderr == *'in 6 s there is no time for 6 runs beside '*'disk'*': for these: jostle slowdown '*"--load 'disk="*' -- sleep 0.3'* ]]
    holds '(.conditions | length >= 2 and all(.runs >= 6)) and (.slowdowns | all(.ci != null))' <out/result.json
    # Not even one neighbour.
    run -0 --separate-stderr timeout 60 "$JOSTLE" slowdown --output short --for 1s -- sleep 0.3
    [[ $stderr == *'6 runs alone and beside one neighbour take about '*': in 1 s there is no interval'* ]]
    # What is asked for by nobody is extended.
    "$JOSTLE" slowdown --quiet --quick --output quick -- sleep 0.6
    holds '.slowdowns | map(select(.metric == "wall_s")) | length == 4 and all(.ci != null)' <quick/result.json
}

@test "a load that cannot deliver is flagged in the record" {
    # More than any machine's memory gives; that a fair share of a CPU is no shortfall is
    # tested in stats.bats.
    "$JOSTLE" slowdown --quiet --output out --min-runs 3 --max-runs 3 --load 'much=mem --limit 900GB/s --threads 1 --footprint 64M' -- sleep 0.1
    holds -s 'map(select(.condition == "much")) | any(.[]; .flags | index("load-short"))' <out/runs.jsonl
}

@test "loads in a record and the target stay on their own CPUs" {
    [[ $(nproc) -ge 2 ]] || skip "needs two CPUs"
    "$JOSTLE" slowdown --quiet --output out --min-runs 2 --max-runs 2 --target-cpus 0 --load-cpus 1 --load full=cpu -- "$WORKLOADS/delannoy" 10
    holds -s 'all(.[]; .cpus == "0") and (map(select(.condition == "full")) | all(.[]; .load[0].offered == 1))' <out/runs.jsonl
}

# bats test_tags=slow
@test "--aa measures the baseline against itself, and says when a slowdown is noise" {
    run -0 "$JOSTLE" slowdown --output out --max-runs 12 --aa --load 'none=cpu --percent 0' -- sleep 0.02
    holds -s 'map(select(.condition == "aa")) | length > 0 and all(.[]; .load == [])' <out/runs.jsonl
    holds '.noise_floor[0].metric == "wall_s" and .noise_floor[0].floor > 0' <out/result.json
    [[ $output == *'noise floor, wall time: '*' %'* ]]
    run -2 "$JOSTLE" slowdown --aa --load aa=cpu -- true
}

# bats test_tags=slow
@test "time-outs are not divided by each other, nor are they below a limit" {
    run -4 "$JOSTLE" slowdown --output out --min-runs 4 --max-runs 4 --ignore-failure --timeout 80ms --at-most 3 --load 'none=cpu --percent 0' -- sleep 60
    [[ $output =~ 'at least '[0-9]+.*'not known (time-out)' && $output == *'at most 3: undecided'* ]]
    holds -s 'all(.[]; .timed_out and .wall_s >= 0.08)' <out/runs.jsonl
    holds '.slowdowns | all(.ratio == null and .ci == null and .error == null and .distinguishable == null and .censored == 8)' <out/result.json
    "$JOSTLE" report --format md out >report.md
    run ! grep '^| .*noise' report.md
    holds '.conditions | all(.censored == 4)' <out/result.json
    is_valid result out/result.json
}

# bats test_tags=measures
@test "--at-most is a gate: 0 below, 3 above, 4 not decided" {
    run -0 "$JOSTLE" slowdown --quiet --output below --max-runs 30 --at-most 3 --load 'none=cpu --percent 0' -- sleep 0.05
    run -3 "$JOSTLE" slowdown --quiet --output above --max-runs 30 --at-most 1.05 --target-cpus 0 --load-cpus 0 --load full=cpu -- "$WORKLOADS/delannoy" 11
    # The truth is the bound: at 95 % one of twenty such gates would decide all the same, so one of ten millions.
    run -4 "$JOSTLE" slowdown --quiet --output undecided --statistic mean --max-runs 3 --confidence 99.99999% --at-most 1.0001 --load 'none=cpu --percent 0' -- sleep 0.02
    # The verdict counts, not the error.
    for format in terminal md; do
        run -0 "$JOSTLE" report --format "$format" undecided
        [[ $output != *not-converged* && $output == *99.99999\ %* ]] # which is not 100
    done
}

@test "a disk load on another device than the target's folder is warned of" {
    mountpoint -q /dev/shm || skip "no second file system here"
    run -0 "$JOSTLE" slowdown --output out --max-runs 2 --load 'disk=io --file-size 16M --limit 1M --allow-memory --dir /dev/shm' -- true
    [[ $output == *"the target's folder on"*'give the load --dir'* ]]
}

# bats test_tags=measures
@test "--cold reads from the device again" {
    [[ -w /proc/sys/vm/drop_caches ]] || skip "needs root"
    [[ $(stat -f -c %T .) != tmpfs ]] || skip "the folder is in memory"
    head -c 20000000 /dev/urandom >data
    "$JOSTLE" run --quiet --output warm --max-runs 3 -- sha1sum data
    "$JOSTLE" run --quiet --output cold --max-runs 3 --cold -- sha1sum data
    holds -s 'all(.[1:][]; .blocks_in < 1000)' <warm/runs.jsonl
    holds -s 'all(.[]; .blocks_in > 30000)' <cold/runs.jsonl
}
