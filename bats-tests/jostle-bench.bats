#!/usr/bin/env bats
# jostle bench: what the machine can do, and how close that is to its limit.

load helpers

setup() {
    PATH=$ROOT/harness:$BIN:$PATH
    cd "$BATS_TEST_TMPDIR" || exit
    DIR=$BATS_TEST_TMPDIR/out
}

# program NAME TEXT: a program that prints TEXT, in which N is 1 in its first run, 2 in its
# second, and so on.
program() {
    cat >"$1" <<END
#!/bin/sh
n=\$((\$(cat $PWD/$1.n 2>/dev/null || echo 0) + 1))
echo \$n >$PWD/$1.n
echo "$2" | sed "s/N/\$n/g"
END
    chmod +x "$1"
}

# measure NAME OPTION...: a cell of the bench in DIR, of four blocks.
measure() {
    jostle run --quiet --runs 4 --statistic mean --ignore-failure --output "$DIR/cells/$1" "${@:2}"
}

# plan CELL...: the plan of a bench of CPUs with these cells, JSON each.
plan() {
    local IFS=,
    local cells="$*"
    cat >"$DIR/bench-plan.json" <<END
{"schema": "jostle.bench-plan/1", "made": "2026-01-02T03:04:05Z", "jostle": "0.1.0", "machine": {"host": "here", "cpu": "made up", "cpus_allowed": "0-1"},
 "settings": {"parts": ["cpu"], "quick": false, "threads": [1], "peers": true, "samples": null, "every_s": null, "peer": null,
  "dir": "/var/tmp", "duration": "1s", "error": null, "confidence": null, "max_time": null, "min_runs": 4, "max_runs": 4},
 "parts": [{"part": "cpu", "title": "CPU", "cells": [$cells], "charts": [{"kind": "scaling", "title": "rate", "x": {"label": "threads", "unit": "", "log": false},
  "y": {"label": "rate", "unit": "op/s", "log": false}, "series": [{"name": "one", "points": [{"cell": "cpu.one", "x": 1, "figure": null, "peer": null}]}]}]}]}
END
}

# cell NAME MORE: a cell of the figure `rate`, with MORE members.
cell() {
    printf '{"cell": "%s", "labels": [["type", "made up"]], "figure": {"name": "rate", "unit": "op/s", "better": "higher"},
 "more": [], "marks": [], "problems": [], "rules": [], "skip": null, "load": null, "series": null, "peak": null, "peers": [] %s}' "$1" "$2"
}

# bats test_tags=slow
@test "figures, peaks and peers come from the same blocks: ours/peer, ours/peak and peer/peak, with a problem above the peak" {
    program ours 'rate 10N peak 50'
    program theirs 'rate 5N'
    measure cpu.one --variant "jostle=$PWD/ours" --variant "half=$PWD/theirs" --variant broken=false --decide rate \
        --metric 'rate@jostle=stdout:/rate ([0-9]+)/,unit=op/s,better=higher' --metric 'rate@half=stdout:/rate ([0-9]+)/,scale=2,unit=op/s,better=higher' \
        --metric 'rate@broken=stdout:/rate ([0-9]+)/,unit=op/s,better=higher' --metric 'bench_peak@jostle=stdout:/peak ([0-9]+)/,unit=op/s,better=higher'
    plan "$(cell cpu.one ', "peak": {"metric": "x", "source": "made up"}, "peers": [{"name": "half", "version": "1"}, {"name": "broken"}, {"name": "absent", "reason": "absent is not installed"}]')" \
        "$(cell cpu.two ', "skip": "too large"')" "$(cell cpu.three)" "$(cell cpu.four)" "$(cell cpu.five)"
    mkdir -p "$DIR"/cells/cpu.{four,five}
    echo '{"state": "interrupted", "reason": "--setup: no space"}' >"$DIR/cells/cpu.four/status.json"
    echo '{"state": "interrupted", "reason": "interrupted by SIGINT after 2 runs"}' >"$DIR/cells/cpu.five/status.json"
    run -0 bench --derive "$DIR"
    is_valid bench "$DIR/bench.json"
    # Of runs 101 to 104: the mean is 102.5, half of it 2 x 52.5.
    holds '.parts[0].rows[0] | .state == "done" and .n == 4 and .value == 102.5 and .peak.value == 50 and (.of_peak.ratio - 2.05 | fabs) < 1e-9
        and .of_peak.ci[0] < 2.05 and .of_peak.ci[1] > 2.05 and (.of_peak.ci[1] - .of_peak.ci[0]) < 0.5' <"$DIR/bench.json"
    holds '.parts[0].rows[0].peers[0] | .n == 4 and .value == 105 and (.of_peak.ratio - 2.1 | fabs) < 1e-9 and (.ours_of_peer.ratio - 102.5 / 105 | fabs) < 1e-9' <"$DIR/bench.json"
    holds '[.parts[0].rows[0].problems[].flag] as $flags | ["above-peak", "peer-failed"] | all(. as $flag | $flags | index($flag))' <"$DIR/bench.json"
    holds '.parts[0].rows[0].peers[1:] | map(.value) == [null, null] and map(.reason) == ["it failed with exit code 1", "absent is not installed"]' <"$DIR/bench.json"
    holds '.parts[0].rows[1:] | map([.state, .reason[:12], .value]) == [["skipped", "too large", null], ["waiting", "not measured", null], ["waiting", "--setup: no ", null], ["waiting", "not measured", null]]' <"$DIR/bench.json"
    holds '.parts[0].charts[0].series[0].points == [{x: 1, y: 102.5, lo: .parts[0].rows[0].ci[0], hi: .parts[0].rows[0].ci[1]}]' <"$DIR/bench.json"

    run -0 jostle report "$DIR"
    [[ $output == *'ours/half'*'102.5 ± '*' op/s'*'50.0 op/s'*'205 ['*' %'*'above-peak (cpu.one): jostle reaches 205 %'*'cpu.two: too large'* && $output != *failed-runs* ]]
    run -0 jostle report --format csv --only cpu.one "$DIR"
    [[ ${lines[1]} == '"cpu","cpu.one","type=made up","done",,"jostle"'* && ${#lines[@]} -eq 5 ]]
    run -0 jostle report --format md "$DIR"
    [[ $output == *'| type | jostle | n | peak | ours/peak |'* ]]
    run -2 jostle report --format junit "$DIR"
}

@test "a peak that our own operations exceed in their CPU time is not known here, for peers neither" {
    program ours 'rate 10N peak 50 share 2N'
    program theirs 'rate 5N'
    program below 'rate 1N peak 50'
    measure cpu.one --variant "jostle=$PWD/ours" --variant "half=$PWD/theirs" --decide rate --metric 'rate@jostle=stdout:/rate ([0-9]+)/,better=higher' \
        --metric 'rate@half=stdout:/rate ([0-9]+)/,better=higher' --metric 'bench_peak@jostle=stdout:/peak ([0-9]+)/,better=higher' \
        --metric 'peak_share@jostle=stdout:/share ([0-9]+)/,better=higher'
    measure cpu.two --decide rate --metric 'rate=stdout:/rate ([0-9]+)/,better=higher' --metric 'bench_peak=stdout:/peak ([0-9]+)/,better=higher' -- "$PWD/below"
    plan "$(cell cpu.one ', "peak": {"metric": "x", "source": "made up"}, "peers": [{"name": "half", "version": "1"}]')" \
        "$(cell cpu.two ', "peak": {"metric": "x", "source": "made up"}')"
    run -0 bench --derive "$DIR"
    # Then the CPU is another one than it is taken for, and its other peaks are not known either.
    holds '.parts[0].rows[1] | .value == 12.5 and .peak == null and .of_peak == null
        and .peak_reason == "not known here: this CPU exceeds what would be the peak of cpu.one"' <"$DIR/bench.json"
    holds '.parts[0].rows[0] | .peak == null and .of_peak == null and .peers[0].of_peak == null and all(.problems[]; .flag != "above-peak")
        and .peak_reason == "not known here: jostle reached 2250 % of what would be the peak in its CPU time: made up"' <"$DIR/bench.json"
}

@test "the forecast is a range where its ends differ, and one time where they do not" {
    local most
    for most in '2.1=2.1 s' '3.9=2.1 s to 3.9 s'; do
        printf '{"schema": "jostle.bench-plan/1", "parts": [{"title": "CPU", "cells": [{"cell": "a"}]}], "cells": 1, "least_s": 2.1, "most_s": %s}' \
            "${most%=*}" >forecast
        run -0 jq -L "$ROOT/harness" -r -f "$ROOT/harness/bench/forecast.jq" --argjson each false < <("$BIN/report" --figures <forecast)
        [[ $output == "1 cell of CPU, ${most#*=}" ]]
    done
}

@test "--only passes over what has no name in a plan that somebody has changed" {
    mkdir changed
    echo '{"schema": "jostle.bench-plan/1", "parts": [{"title": "CPU", "cells": [{"least_s": 1, "most_s": 2}, {"cell": "a", "least_s": 3, "most_s": 4}]}]}' >changed/bench-plan.json
    run -0 bench --forecast changed --only '*'
    holds '.cells == 1 and .least_s == 3 and .most_s == 4' <<<"$output"
}

@test "a rule of a part flags a figure whose interval is wholly beyond the limit, and no other" {
    program ours 'rate 10N other 20N'
    measure cpu.one --metric 'rate=stdout:/rate ([0-9]+)/,unit=op/s,better=higher' --metric 'other=stdout:/other ([0-9]+)/,better=lower' -- "$PWD/ours"
    plan "$(cell cpu.one ', "more": [{"name": "other", "unit": "", "better": "lower", "shown": true}], "rules": [{"figure": "other", "below": 190, "flag": "short"},
        {"figure": "other", "below": 300, "flag": "invalid"}, {"figure": "rate", "above": 102, "flag": "sparse-file"}], "problems": [{"flag": "cache-sized", "text": "mine"}]')"
    run -0 bench --derive "$DIR"
    holds '.parts[0].rows[0] | .more[0].value == 202.5 and ([.problems[].flag] - ["not-converged", "foreign-load", "invalid", "cache-sized"]) == []
        and ([.problems[].flag] | index("invalid")) != null and any(.problems[]; .text == "mine")' <"$DIR/bench.json"
    # Of one run, such as a series, nothing but the figure itself is known.
    jostle run --quiet --max-runs 1 --output "$DIR/cells/cpu.two" --metric 'rate=stdout:/rate ([0-9]+)/,unit=op/s,better=higher' -- echo rate 7
    plan "$(cell cpu.two ', "rules": [{"figure": "rate", "below": 8, "flag": "invalid"}, {"figure": "rate", "below": 7, "flag": "short"}, {"figure": "rate", "above": 7, "flag": "sparse-file"}]')"
    run -0 bench --derive "$DIR"
    holds '.parts[0].rows[0] | .n == 1 and ([.problems[].flag | select(. == ("invalid", "short", "sparse-file"))] == ["invalid"])' <"$DIR/bench.json"
}

# in_series: a series of four figures, or three: 0 when they came. One that a busy machine holds up for longer
# than between two of them has fewer.
in_series() {
    rm -rf "$DIR" && jostle bench cpu --only 'cpu.double.series' --samples 4 --every 60ms --output "$DIR" >said &&
        holds '[.parts[].rows[] | select(.state == "done")] | length == 1 and .[0].n >= 3' <"$DIR/bench.json"
}

# bats test_tags=slow
@test "a series has as many figures as --samples says, and its row says how much they vary" {
    in_tries 5 in_series
    output=$(<said)
    holds '[.parts[].rows[] | select(.state == "done")] | length == 1 and .[0].n <= 4
        and ([.[0].more[] | select(.name == "min").value] < [.[0].value]) and (.[0].value < (.[0].more[] | select(.name == "max").value)) and any(.[0].more[]; .name == "variation")' <"$DIR/bench.json"
    holds '[.parts[].charts[] | select(.kind == "series").series[0].points[].x] | length >= 3 and length <= 4 and .[0] > 0 and . == sort' <"$DIR/bench.json"
    [[ $output == *' series'* && $output != *'not measured yet'* ]]
    # It has the peak of its part, and what its part watches.
    HWLOC_SYNTHETIC='numa:1 l3:1 core:2 pu:1' bench_plan memory network --samples 4 --expand plan
    holds '[.parts[].cells[]] | map({key: .cell, value: .}) | from_entries | .["network.tcp.series"].peak == .["network.tcp.32KiB.s1"].peak
        and (to_entries | map(select(.key | test("^memory.*series$")).value) | length == 1 and all(.[]; .peak != null and .rules[0].flag == "cache-sized"))' <plan/bench-plan.json
}

# bats test_tags=slow
@test "the same command continues, an interrupted one ends with 130, and a finished folder is only shown" {
    # Long enough that it cannot have ended before the signal comes.
    local -a bench=(jostle bench cpu --threads 1 --only 'cpu.int[13]*.scalar.t1' --min-runs 2 --max-runs 2 --duration 600ms)
    env --default-signal=INT "${bench[@]}" --output "$DIR" >/dev/null 2>err 3>&- &
    eventually 60 grep -q '^1/' err
    kill -INT $!
    local code=0
    wait $! || code=$?
    [[ $code -eq 130 ]]
    run -0 "${bench[@]}" --output "$DIR"
    [[ $output == *scalar* ]]
    cat "$DIR"/cells/*/runs.jsonl >before
    run -0 jostle bench --output "$DIR" --only 'cpu.int[13]*.scalar.t1'
    [[ $output == *scalar* && ! $output =~ [0-9]/[0-9]+\ cpu ]]
    cat "$DIR"/cells/*/runs.jsonl | cmp - before
    holds '[.parts[].rows[] | select(.state == "done") | .n == 2 and .value > 0] | length == 2 and all' <"$DIR/bench.json"
}

# bats test_tags=slow
@test "--quick ends within 5 minutes by its own limits, whatever is asked" {
    bench_plan --quick --peers --threads 1,2,4,8,16,32 --samples 10 --expand "$DIR"
    is_valid bench-plan "$DIR/bench-plan.json"
    holds '.most_s <= 280 and .cells >= 20 and ([.parts[].part] == ["cpu", "memory", "disk", "network"])' <"$DIR/bench-plan.json"
    # Parts take turns: whenever the time is over, each part that can be measured has some of its rows.
    [[ $(grep -o '^\[target "[a-z]*' "$DIR/bench.conf" | head -n 4 | sort -u) == "$(grep -o '^\[target "[a-z]*' "$DIR/bench.conf" | sort -u)" ]]
    JOSTLE_BENCH_QUICK_S=0 run -0 jostle bench cpu --quick --output "$DIR"
    [[ $output == *'and '[1-9]*' more: not measured yet: the same command continues'*'the 5 minutes of --quick are over'* ]]
    holds 'all(.parts[].cells[]; .skip != null or .of != null or .max_time_s > 0)' <"$DIR/bench-plan.json"
}

@test "a mistake in a file of the matrix is refused with the file and the line" {
    local line
    for line in 'let = x = 3 +|not an expression' 'let = x 3|write let = NAME = EXPRESSION' 'use = nothing|no section [body "nothing"]' \
        'name = {nothing}|no such variable' 'nothing = 1|no such setting' 'when = [(] 1|not an expression'; do
        printf '[part "cpu"]\n rows = a\n[cell "a"]\n %s\n' "${line%|*}" >m.conf
        run -2 "$BIN/bench" cpu --expand "$DIR" < <(git config -f m.conf --list -z --show-origin)
        [[ $output == *"m.conf:4: cell.a."*"${line##*|}"* ]]
    done
}

# bats test_tags=slow
@test "whatever is asked, of whatever machine, each line of the matrix makes sense" {
    local quick words topology there=$'loadgen\t/x/loadgen\niperf3\t1\nqperf\t1\naddress\t198.18.78.2\n'
    for topology in 'numa:1 core:1 pu:2' 'numa:2 l3:1 core:2 pu:2'; do
        for quick in '' --quick; do
            for words in '--peers --samples 3 --every 100ms' '--blocks 1,1000,4K,100M --threads 2,3 --peers' '--file-size 1000T' \
                '--peak memory=1GB/s:x --peak disk=1GB/s:x --peak network=1GB/s:x --threads 1000'; do
                # shellcheck disable=SC2086 # words
                HWLOC_SYNTHETIC=$topology bench_plan $quick $words --expand "$DIR"
                HWLOC_SYNTHETIC=$topology bench_plan $quick --expand "$DIR" --peers --samples 3 --peer node2 --peer-facts "$there" network
            done
        done
    done
    is_valid bench-plan "$DIR/bench-plan.json"
    holds '[.parts[].cells[] | select(.peers | any(.[]; .reason == "not installed at node2"))] | length > 0' <"$DIR/bench-plan.json"
}

# bats test_tags=slow
@test "a table has its rows and no others, with the threads and blocks that are given" {
    local table
    while read -r table; do
        bench_plan --table "$table" --expand "$DIR/$table"
        holds '.cells > 0 and (.parts | length == 1)' <"$DIR/$table/bench-plan.json"
    done < <("$BIN/bench" --list-options | awk -F '\t' '$2 == "table" { gsub(",", "\n", $NF); print $NF }')
    [[ -s $DIR/samples/bench-plan.json ]]
    holds '[.parts[0].cells[] | .cell] == ["cpu.int32.series", "cpu.double.series"]' <"$DIR/samples/bench-plan.json"
    holds '[.parts[0].cells[] | .cell] | length == 45 and index("disk.mixed.random.direct.10MiB.t4") != null' <"$DIR/mydiskbench/bench-plan.json"
    holds '[.parts[0].cells[] | .cell] | length == 24 + 24 and index("network.ping.udp.1B.s8") != null' <"$DIR/mynetbench/bench-plan.json"
    holds '[.parts[0].cells[] | .cell] | length == 3 * 2 * 4 * 3 and all(test("^memory[.](read|write|copy)[.](sequential|random)[.]"))' <"$DIR/myrambench/bench-plan.json"
    bench_plan --table mydiskbench --threads 1 --blocks 1K,3K --expand "$DIR/own"
    holds '[.parts[0].cells[].labels | map({key: .[0], value: .[1]}) | from_entries | .block + " " + .threads] | unique == ["1 KiB 1", "3 KiB 1"]' <"$DIR/own/bench-plan.json"
}

@test "LINPACK has a row for each of 13 sizes, and those that take too much memory or time say so" {
    bench_plan --table linpack --threads 1 --expand "$DIR/sizes"
    is_valid bench-plan "$DIR/sizes/bench-plan.json"
    holds '[.parts[0].cells[] | {skip, command} + (.labels | map({key: .[0], value: .[1]}) | from_entries)] | length == 13
        and (map(.N | tonumber) | . == (unique) and .[0] == 1000 and .[-1] == 35000)
        and all(.[]; (.N | tonumber) as $n | (.LDA | tonumber) as $lda | $lda >= $n and $lda < $n + 16 and $lda % 8 == 0 and $lda % 512 != 0
            and (.skip == null) == (.command != null) and (.skip == null or (.skip | test("libopenblas|of memory: more than|--max-time")))
            and (.command == null or (.command | test("--lda \($lda) --threads 1 \($n)$"))))' <"$DIR/sizes/bench-plan.json"
    # More time allows larger ones.
    bench_plan --table linpack --threads 1 --sizes 20000 --max-time 1s --expand "$DIR/brief"
    bench_plan --table linpack --threads 1 --sizes 20000 --max-time 2h --expand "$DIR/long"
    holds '.parts[0].cells[0].skip | test("--max-time|libopenblas")' <"$DIR/brief/bench-plan.json"
    holds '.parts[0].cells[0].skip | . == null or test("--max-time") == false' <"$DIR/long/bench-plan.json"
}

# bats test_tags=slow
@test "a row of LINPACK has time, residuals, the greatest rate, and how many runs passed" {
    "$WORKLOADS/linpack" --version >/dev/null 2>&1 || skip 'no BLAS library: apt install libopenblas0'
    jostle bench --table linpack --sizes 300 --threads 1 --min-runs 3 --max-runs 3 --quiet --output "$DIR"
    is_valid bench "$DIR/bench.json"
    holds '.parts[0].rows[0] | (.more | map({key: .name, value}) | from_entries) as $more | .state == "done" and .labels.N == "300" and .labels.LDA == "304"
        and $more.max >= .value and $more.pass == 100 and $more.normalised < 16 and $more.residual > 0 and $more.residual < 1e-9
        and (2 / 3 * pow(300; 3) + 2 * pow(300; 2)) / $more.time / 1e9 <= $more.max' <"$DIR/bench.json"
}

# bats test_tags=slow
@test "averages over blocks and threads are those of their rows, and stated peaks of latency and IOPS give a share" {
    local work
    work=$(mktemp -d /var/tmp/jostle-test.XXXXXX)
    jostle bench --table mydiskbench --blocks 4K,64K --threads 1,2 --dir "$work" --file-size 4M --min-runs 2 --max-runs 2 --duration 20ms --quiet \
        --peak disk-iops=1Miops:made-up --peak disk-latency=1us:made-up --only 'disk.read.random.direct*' --output "$DIR" || [[ $? -eq 5 ]]
    rmdir "$work"
    is_valid bench "$DIR/bench.json"
    jq '.parts[0].rows' "$DIR/bench.json" >rows
    jq -e 'any(.[]; .cell == "disk.read.random.direct.4KiB.t1" and .state == "done")' rows || skip 'no disk here that bypasses its cache'
    holds '[.[] | select(.cell | startswith("disk.read.random"))] as $rows | (.[] | select(.cell == "average.read.random.direct")) as $average
        | ($rows | map(.value) | add / length) as $mean | ($average.value / $mean - 1 | fabs) < 1e-9
        and $average.labels == {test: "random read", through: "direct", block: "all", threads: "all"} and $average.n == 0
        and ([.[] | select(.cell | startswith("average."))] | length) == 1
        and all($rows[]; (.more | map({key: .name, value: .}) | from_entries)
            | (.p50.of_peak.ratio * .p50.value / 1000 - 1 | fabs) < 1e-9 and (.iops.of_peak.ratio * .iops.peak.value / .iops.value - 1 | fabs) < 1e-9
              and .p50.peak.source == "stated: made-up" and .p90.peak == null)' <rows
}

# bats test_tags=slow
@test "a peak that the user states is in the table, with its source" {
    run -0 jostle bench network --blocks 1K --threads 1 --peak network=1GB/s:'the switch' --only network.tcp.1KiB.s1 --min-runs 2 --max-runs 2 \
        --duration 100ms --output "$DIR/peak"
    [[ $output == *'8.00 Gbit/s'*'stated: the switch'* ]]
    holds '.parts[0].rows[] | select(.cell == "network.tcp.1KiB.s1") | .peak.value == 8e9 and .of_peak.ratio > 0' <"$DIR/peak/bench.json"
}

# bats test_tags=slow
@test "what cannot be measured is said in one line: wrong use is refused, too many threads are left out" {
    local peak
    run -2 jostle bench cpus
    [[ $output == 'jostle: bench cpus: no such part (did you mean cpu?)'* ]]
    run -2 jostle bench --table mycpubenc
    [[ $output == *'did you mean mycpubench?'* ]]
    run -2 jostle bench disk --table stream
    [[ $output == *'it is of the part memory: leave out disk' ]]
    run -2 jostle bench --blocks 4K,x
    [[ $output == *'--blocks 4K,x: x is no size of a block'* ]]
    run -2 jostle bench --peak cpu=1GB/s:x
    [[ $output == *'such as memory=68.3GB/s:data-sheet'* ]]
    # A latency is a time, and operations are no bytes.
    for peak in memory-latency=1GB/s:x disk-iops=1GB/s:x disk=90us:x network-latency=0s:x cpu-latency=1ns:x; do
        run -2 jostle bench --peak "$peak"
        [[ $output == *"not a peak: give one such as "* ]]
    done
    run -2 jostle bench --sizes 1000,0
    [[ $output == *'--sizes 1000,0: 0 is not a number of equations'* ]]
    run -2 jostle bench --threads 1,0
    [[ $output == *'--threads 1,0: 0 is no number of threads'* ]]
    run -2 jostle bench --every 1s
    [[ $output == *'add --samples N' ]]
    run -2 jostle bench --quick --samples 600
    [[ $output == *'leave out --quick' ]]
    run -2 jostle bench --dir "$DIR/none"
    run -2 jostle bench network --peer -oProxyCommand=false
    [[ $output == 'jostle: --peer -oProxyCommand=false: '*' such as '* ]]
    run -0 jostle bench cpu --threads 1,5000 --dry-run --only 'cpu.*.t*'
    [[ $output == *'--threads 5000: beyond the limit of 1024: left out'*'cpu.int8.scalar.t1'* && $output != *t5000* ]]
    run -1 jostle bench cpu --quick --output /proc/none
    [[ $output == *'cannot make the folder /proc/none (No such file or directory): choose another with --output' ]]
}

@test "each problem of a bench is in the table of docs/bench.md" {
    local flag
    local -a flags
    mapfile -t flags < <(sed -nE 's/^    \{\.flag = "([a-z-]+)",.*/\1/p' "$ROOT/harness/bench/problems.c")
    ((${#flags[@]} >= 10))
    for flag in "${flags[@]}"; do grep -q "^| \`$flag\` |" "$ROOT/docs/bench.md" || {
        echo "$flag"
        false
    }; done
}

# value_texts N RUN...: what the table has for figures of so many runs, each of which prints what follows.
value_texts() {
    rm -rf "$DIR" && mkdir -p "$DIR/cells"
    printf '%s\n' "${@:2}" >values
    cat >one <<END
#!/bin/sh
echo "rate \$(head -n 1 $PWD/values)"
sed -i 1d $PWD/values
END
    chmod +x one
    jostle run --quiet --runs "$1" --statistic mean --output "$DIR/cells/cpu.one" --metric 'rate=stdout:/rate ([0-9.]+)/,unit=op/s,better=higher' -- "$PWD/one"
    plan "$(cell cpu.one)"
    bench --derive "$DIR" >/dev/null
    jostle report --format md "$DIR" | awk -F ' *[|] *' '$2 == "made up" { print $3 }'
}

# bats test_tags=slow
@test "a figure of too few runs has no error, and says so" {
    run -0 value_texts 1 12.5
    [[ $output == '12.5 ± ? op/s' ]]
    run -0 value_texts 2 1 5
    [[ $output == '3.00 ± ? op/s' ]]
    run -0 value_texts 2 100 101
    [[ $output == '100.5 ± '[0-9]*' op/s' ]]
}

# bats test_tags=slow
@test "rows that were disturbed by the machine are named once, above all tables" {
    program ours 'rate 10N'
    local name
    for name in one two; do
        measure "cpu.$name" --metric 'rate=stdout:/rate ([0-9]+)/,unit=op/s,better=higher' -- "$PWD/ours"
    done
    plan "$(cell cpu.one ', "problems": [{"flag": "steal", "text": "made up"}]')" "$(cell cpu.two)"
    run -0 bench --derive "$DIR"
    run -0 jostle report "$DIR"
    # The other row may be disturbed indeed.
    [[ ${output%%$'\nCPU'*} == *$'\nsteal: while '[12]' of 2 rows ran, the host used the CPUs for others'* ]]
    run -0 jostle report --format html "$DIR"
    [[ $output == *'<p>steal: while '[12]' of 2 rows ran'* ]]
}

@test "a row that took too long says for how long it may run, and does not send anybody to its output" {
    measure cpu.one --timeout 0.2s --metric 'rate=stdout:/rate ([0-9]+)/,unit=op/s,better=higher' -- sleep 20 || true
    plan "$(cell cpu.one)"
    run -0 bench --derive "$DIR"
    holds '.parts[0].rows[0] | (.reason | test("ran into the time-out after 0\\.2[0-9]* s .*--set timeout=")) and ([.problems[].advice] | tostring | test("output") | not)' <"$DIR/bench.json"
}
