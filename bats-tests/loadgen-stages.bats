#!/usr/bin/env bats
# Rates that change with time, and operations at random times: what was offered is the area below
# the line, and what was done and dropped is what was offered.

load helpers
load loadgen

setup() {
    bats_require_minimum_version 1.5.0
    cd "$BATS_TEST_TMPDIR" || return
}

teardown() {
    [[ -z ${LOAD_PID:-} ]] || kill -KILL "$LOAD_PID" 2>/dev/null || true
}

# refused TEXT LOAD OPTION...: wrong use, in one line that has the text.
refused() {
    run -2 --separate-stderr "$BIN/loadgen" "${@:2}"
    # shellcheck disable=SC2154 # of bats
    [[ -z $output && ${#stderr_lines[@]} -eq 1 && $stderr == 'jostle: '*"$1"* ]]
}

# first COMMAND...: with a priority that no neighbour takes the CPU from, where that is allowed.
first() {
    if chrt -f 10 true 2>/dev/null; then chrt -f 10 "$@"; else "$@"; fi
}

# bats test_tags=slow
@test "stages that are none are refused, and what would do is named" {
    refused 'no rate' cpu --stages 10s
    refused 'no rate' cpu --stages 10s:10%,5s:
    refused 'neither a time nor a file' cpu --stages soon:10%
    refused 'neither a time nor a file' cpu --stages nowhere.csv:rate
    refused 'not a rate' cpu --stages 10s:-1%
    refused '0 all the time' cpu --stages 10s:0,20s:0%
    refused '0 all the time' cpu --stages 0s:50%,0s:0,10s:0
    refused 'takes no time' cpu --stages 0s:50%
    refused '0 to 100 percent' cpu --stages 10s:20%,10s:120%
    refused 'counts in ops/s' syscall --stages 10s:5MB/s
    refused 'name one that was kept' syscall --stages 10s:5% --calibration nowhere
    refused 'such as sine:2s:10%:90%' cpu --stages sine:2s:10%
    refused 'give one of them' syscall --stages 10s:5 --limit 5
    refused 'give one of them' cpu --stages 10s:5% --percent 5
    refused 'give one of them' cpu --stages 10s:5% --profile compile
    refused 'give --stages too' cpu --phase 1s
    refused 'give --stages too' cpu --phase random
    refused 'less than that' cpu --stages 10s:5% --phase 10s
    refused 'a time such as 2s, or random' cpu --stages 10s:5% --phase soon
    refused 'no such option' exec --stages 10s:5 -- true
    refused 'leave out' syscall --calib --stages 10s:5
    "$BIN/loadgen" cpu --stages 1s:5%,1s:0 --dry-run
}

@test "a recording that is broken is refused by its line, and by the columns that it has" {
    printf 'time,rate,other\n0,10,5\n2,20,5\n1,90,5\n' >unsorted.csv
    printf 'rate\ttime_s\n5%%\t-1\n6%%\t1\n' >negative.tsv
    printf 'time,rate\n0,10\n1,fast\n' >word.csv
    printf 'time,rate\n0,10\n' >short.csv
    printf 'time,rate\n0,0\n9,0\n' >zero.csv
    refused 'line 4: the time 1 comes after 2' cpu --stages unsorted.csv:rate
    refused 'line 2: the time -1 is negative' cpu --stages negative.tsv:rate
    refused "line 3: 'fast' is not a rate" cpu --stages word.csv:rate
    refused 'give two or more' cpu --stages short.csv:rate
    refused '0 all the time' cpu --stages zero.csv:rate
    refused 'give one of rate, other' cpu --stages unsorted.csv:load
    refused 'of rate, other' cpu --stages unsorted.csv
    refused 'has the times' cpu --stages unsorted.csv:time
    refused 'one of 0 to 1' cpu --stages "$ROOT/loadgen/profiles/compile.jsonl:2"
    : >empty.csv
    refused 'empty' cpu --stages empty.csv:rate
}

# Each runs once, and has the area below its line: in all, and in operations.
# bats test_tags=slow
@test "what is offered is the area below the line, and was done or dropped, to within one operation" {
    local i
    printf 'seconds,x,rate\n5,1,200\n5.2,1,1800\n5.2,1,400\n5.4,1,0\n' >file.csv
    printf '{"schema":"jostle.profile/1","cores":2,"unit":"percent"}\n{"time_ms":200,"load":[20,60]}\n{"time_ms":400,"load":[0,100]}\n' >file.jsonl
    # shellcheck disable=SC2054 # they are within the stages
    local -a stages=(0s:200,400ms:1800,0s:0,100ms:0 200ms:1800 square:400ms:100:1900 sine:400ms:0:2k sawtooth:400ms:200:1800
        file.csv:rate file.csv:rate sine:400ms:1800:200 0s:1k,300ms:1k)
    local -a areas=(400 180 400 400 400 240 240 400 300) lengths=(0.5 0.2 0.4 0.4 0.4 0.4 0.4 0.4 0.3) threads=(1 2 1 1 1 1 1 2 1)
    for i in "${!stages[@]}"; do
        "$BIN/loadgen" syscall --threads "${threads[i]}" --stages "${stages[i]}" --json >"out.$i" 3>&- &
    done
    wait
    for i in "${!stages[@]}"; do
        tail -1 "out.$i" | holds --argjson area "${areas[i]}" --argjson length "${lengths[i]}" '(.offered * .elapsed_s) as $due
            | ($due - $area | fabs) <= 1.01 and ($due - .operations - .dropped | fabs) < 0.01 and (.elapsed_s - $length | fabs) < 1e-6'
    done
    # A recorded load in percent; what ends some milliseconds late has begun anew by then.
    local area='.elapsed_s > 0.6 or (.offered * .elapsed_s - $area - (.elapsed_s - 0.4) * $begin | fabs) < 1e-4'
    "$BIN/loadgen" cpu --threads 1 --stages file.jsonl --json | tail -1 | holds "$area" --argjson area 0.18 --argjson begin 0.4
    "$BIN/loadgen" cpu --threads 1 --stages file.jsonl:0 --json | tail -1 | holds "$area" --argjson area 0.04 --argjson begin 0.2
}

@test "--speed plays stages and recordings in less time, at the same rates" {
    printf 'seconds,rate\n0,200\n2,1800\n' >slow.csv
    "$BIN/loadgen" syscall --threads 1 --stages 0s:200,2s:1800 --speed 5 --json | tail -1 >given
    "$BIN/loadgen" syscall --threads 1 --stages slow.csv:rate --speed 5 --json | tail -1 >recorded
    holds -s 'all(.[]; (.elapsed_s - 0.4 | fabs) < 1e-6 and (.offered * .elapsed_s - 400 | fabs) <= 1.01)' < <(cat given recorded)
    "$BIN/loadgen" syscall --stages 0s:200,2s:1800 --speed 5 --dry-run --json | holds '.speed == 5 and .stages_s == 0.4'
}

@test "half of a sine has its integral, too: each straight line has" {
    # From the middle up and back: 1000 +- 900, of 2 s.
    first "$BIN/loadgen" syscall --threads 1 --stages sine:2s:100:1900 --duration 1s --json | tail -1 |
        holds '(1000 + 900 * 2 / 3.14159265) as $area | (.offered * .elapsed_s - $area | fabs) <= 1.01 and (.offered * .elapsed_s - .operations - .dropped | fabs) < 0.01'
}

# bats test_tags=slow
@test "the kernel counts the CPU time of the stages within 0.5 %, and what was not had is dropped" {
    local -a held=()
    # 0.5 s on the way up, 0.55 s down again, 0.2 s of 20 %: 1.15 s in all.
    TIMEFORMAT='%U %S'
    { time first "$BIN/loadgen" cpu --threads 1 --stages 0s:10%,1s:90%,1s:20%,500ms:20% --json >out; } 2>used
    read -r -a held < <(tail -1 used)
    tail -1 out | holds --argjson user "${held[0]}" --argjson system "${held[1]}" '(.achieved * .elapsed_s) as $had
        | ($had + .dropped_s - 1.15 | fabs) < (if .dropped_s == 0 then 0.0058 else 0.11 end)
        and ($user + $system) >= $had * 0.98 and ($user + $system) < $had * 1.02 + 0.05'
}

@test "the kernel counts the bytes of the stages" {
    "$BIN/loadgen" io --dir . --allow-memory --file-size 4MiB --block-size 64KiB --stages square:300ms:1M:9M --duration 600ms --json >out
    tail -1 out | holds '(.claimed_bytes + .dropped * .block_bytes) as $sum
        | ($sum - 3e6 | fabs) <= .block_bytes and ($sum - .offered * .elapsed_s | fabs) < 1 and (.self_bytes == 0 or (.self_bytes - .claimed_bytes | fabs) < .claimed_bytes / 50)'
}

# By windows of which the length is known: how late they end on a busy machine does not matter.
index_of_dispersion() {
    "$BIN/loadgen" syscall --threads 2 --limit 2000 --arrivals "$1" --interval 20ms --duration 1600ms --json |
        jq -s 'map(select(.event == "interval") | (.offered * .elapsed_s) as $count | (2000 * .elapsed_s) as $mean | ($count - $mean) * ($count - $mean) / $mean) | add / length'
}

@test "poisson arrivals vary as they should, even ones do not, and none of them gets lost" {
    index_of_dispersion poisson >random 3>&- &
    index_of_dispersion even >regular
    wait
    holds '. > 0.4 and . < 2' <random
    holds '. < 0.1' <regular
    "$BIN/loadgen" syscall --threads 3 --arrivals poisson --stages square:200ms:100:3000 --duration 600ms --json | tail -1 |
        holds '(.offered * .elapsed_s - .operations - .dropped | fabs) < 0.01 and (.offered * .elapsed_s - 930 | fabs) < 200'
    refused 'give one of even, poisson' syscall --arrivals often --limit 5
    refused 'give --limit or --stages' syscall --arrivals poisson
    refused 'no such option' cpu --arrivals poisson
}

@test "stages begin anew at each resume, or at their phase, which each resume says; a rate line is refused" {
    local first second
    load_start syscall --threads 1 --stages sawtooth:10s:0:10000 --phase 9s
    load_expect ready
    holds '.stages == "sawtooth:10s:0:10000" and .stages_s == 10 and .highest_rate == 10000 and .rate == 5000' <<<"$LOAD_REPLY"
    load_resume
    holds '.phase_s == 9' <<<"$LOAD_REPLY"
    load_say 'rate 5'
    load_expect error
    [[ $LOAD_REPLY == *--stages* ]]
    sleep 0.1
    load_mark
    holds '.phase_s == 9 and .offered > 8900 and .offered < 10000' <<<"$LOAD_REPLY"
    load_say pause
    load_expect paused
    sleep 0.1
    load_mark
    load_resume
    load_mark
    holds '.offered > 8900' <<<"$LOAD_REPLY"
    load_end
    load_start cpu --threads 1 --stages 100s:50% --phase random
    load_resume
    first=$LOAD_REPLY
    load_say pause
    load_resume
    second=$LOAD_REPLY
    load_end
    holds -s '.[0].phase_s != .[1].phase_s and all(.[]; .phase_s >= 0 and .phase_s < 100)' <<<"$first$second"
}

@test "a load names its stages and arrivals, and what they are percent of" {
    "$BIN/loadgen" syscall --stages 10s:10%,10s:30% --arrivals poisson --calibration nowhere --describe |
        holds '.stages == "10s:10%,10s:30%" and .arrivals == "poisson" and .percent == 30 and .calibrated == false'
    "$BIN/loadgen" syscall --stages 10s:10 --dry-run --json | holds '.stages == "10s:10" and .arrivals == "even" and .percent == null'
    "$BIN/loadgen" cpu --stages 10s:10% --describe | holds '.stages == "10s:10%" and .percent == null'
    "$BIN/loadgen" syscall --describe | holds 'has("stages") | not'
    XDG_CACHE_HOME=$PWD "$BIN/loadgen" syscall --threads 1 --stages 200ms:0.1% --calib 0.5 --if-missing 2>said
    [[ $(<said) == *calibrating* ]]
    XDG_CACHE_HOME=$PWD "$BIN/loadgen" syscall --threads 1 --stages 200ms:0.1% --json >out
    holds -s 'map(select(.event == "ready"))[0] as $ready | ($ready.calibration | length > 0) and
        (.[-1] | ((.operations + .dropped) * ($ready.chunk_operations // 1) - .offered * .elapsed_s | fabs) < 0.01)' <out
}

# bats test_tags=slow
@test "each run of an experiment has the phase of its load, in its record, the CSV file and the page" {
    XDG_CACHE_HOME=$PWD "$JOSTLE" slowdown --quiet --load 'c=cpu --stages square:50ms:10%:60% --phase random' --load 'plain=cpu --percent 5' \
        --min-runs 4 --max-runs 4 --output out -- sleep 0.02
    holds -s '[.[] | select(.block > 0)] | (map(select(.condition == "c").load[0].phase_s) | length == 4 and (unique | length) > 1 and all(. >= 0 and . < 0.05))
        and all(.[] | select(.condition != "c"); .load[0] | has("phase_s") | not)' <out/runs.jsonl
    head -n 3 out/runs.jsonl | split -l 1 - run.
    is_valid run run.*
    "$JOSTLE" report out --quiet --format csv --runs >runs.csv
    [[ $(head -n 1 runs.csv) == *,phase_s* ]]
    "$JOSTLE" report out --quiet --format html >page.html
    page_model page.html | holds '[.drawn.phase[].figures[]] | length == 1 and (.[0].svg | capture("class=\"x s2\" d=\"(?<d>[^\"]*)\"").d | split("M") | length - 1) == 4'
}
