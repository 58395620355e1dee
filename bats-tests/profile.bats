#!/usr/bin/env bats
# jostle profile: what loads cost a program, and what it does to others. Most of it on records
# that are made up, whose truth is known.

load helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return
}

# plan [JQ]: a profile-plan.json; JQ changes it.
plan() {
    jq -n '{ schema: "jostle.profile-plan/1", name: "solver", words: ["./solver", "input file"], place: "machine",
        kinds: ["cpu", "mem"], levels: [0.5, 1], adds: true, pressure: true, check_noise: false, options: ["--seed=7"],
        input: null, prepare: null, ignore_failure: null, confidence: 0.95, max_time_s: null, max_runs: null, reasons: [] }
        | '"${1:-.}"
}

# experiment LOADS [METRICS]: an experiment.json; LOADS and METRICS are JSON arrays.
experiment() {
    jq -n --argjson metrics "${2:-[]}" '{ schema: "jostle.experiment/1", command: ["./solver", "input file"], program: { path: "/solver", sha256: "ab" },
        loads: ([{ name: "baseline", spec: null, parts: [] }] + ('"$1"' | map({ name: .[0], spec: .[1], parts: [{ name: .[0], node: null, words: (.[1] / " ") }] }))),
        settings: { error: 0.05, confidence: 0.95, min_runs: 12, max_runs: 12, seed: 1, metric: (["wall_s"] + ($metrics | map(.name))), metrics: $metrics },
        placement: { place: null, target_cpus: "0-1", load_cpus: "0-1" },
        environment: { host: "made-up", kernel: "6.1.0", architecture: "x86_64", cpu: "AMD", cpus_online: 2, smt: "off", numa_nodes: 1, memory_bytes: 8589934592 },
        after: { time: "2026-03-01T10:00:00Z" } }'
}

# runs SEED BLOCKS CV NAME RATIO...: records of conditions NAME, each RATIO times as slow as 0.4 s, half
# of it on a CPU; a load delivers 0.9 of 1 and keeps half a CPU busy.
runs() {
    awk -v seed="$1" -v blocks="$2" -v cv="$3" 'BEGIN {
        srand(seed)
        for (b = 1; b <= blocks; b++)
            for (i = 4; i < ARGC; i += 2) {
                z = sqrt(-2 * log(1 - rand())) * cos(6.283185307 * rand())
                wall = 0.4 * ARGV[i + 1] * (1 + cv * z)
                load = "\"load\":[]"
                if (ARGV[i] != "baseline")
                    load = sprintf("\"load\":[{\"name\":\"%s\",\"unit\":\"CPUs\",\"offered\":1,\"achieved\":0.9,\"late\":0,\"dropped\":0,\"cpu_s\":%.6f,\"elapsed_s\":%.6f,\"laps\":2}]", ARGV[i], wall / 2, wall)
                printf "{\"schema\":\"jostle.run/1\",\"condition\":\"%s\",\"block\":%d,\"order\":%d,\"start\":\"2026-03-01T09:%02d:%02d.000Z\",\"wall_s\":%.9f,\"user_s\":%.9f,\"system_s\":0,\"max_rss_bytes\":4096,\"exit_code\":0,\"metrics\":{},%s}\n",
                    ARGV[i], b, ++order, order / 60, order % 60, wall, wall / 2, load
            }
    }' "$@"
}

# alone_and_loads DIR: the runs alone, and those under cpu (1.2, 1.5) and mem (1, 1).
alone_and_loads() {
    mkdir -p "$1"/{alone,sensitivity}
    experiment '[]' >"$1/alone/experiment.json"
    runs 1 10 0.01 baseline 1 >"$1/alone/runs.jsonl"
    experiment '[["cpu-50", "cpu --percent 50%"], ["cpu-100", "cpu --percent 100%"], ["mem-50", "mem --limit 50%"], ["mem-100", "mem --limit 100%"]]' >"$1/sensitivity/experiment.json"
    runs 2 12 0.01 baseline 1 cpu-50 1.2 cpu-100 1.5 mem-50 1 mem-100 1 >"$1/sensitivity/runs.jsonl"
    "$BIN/stats" --derive "$1/alone" "$1/sensitivity"
}

# pressure DIR: reporters beside the program, and beside mem at 50 %: made of known log ratios.
pressure() {
    mkdir -p "$1/pressure"
    experiment '[["program", "exec --loop -- ./solver"], ["mem-50", "mem --limit 50%"]]' "$(jq -n '["gap", "l2", "memory", "faults"] | map({ name: ., source: "stdout:/x ([0-9]+)/", take: "last", unit: "ns", better: "lower", adapter: null })')" >"$1/pressure/experiment.json"
    runs 3 12 0.005 baseline 1 program 1 mem-50 1 | command jq -c '{ gap: 0.4, l2: 0.02, memory: 0.2176, faults: 0.05 } as $log
        | (if .condition == "program" then 1 elif .condition == "mem-50" then 2 else 0 end) as $beside
        | .metrics = ($log | to_entries | to_entries | map({ key: .value.key, value: { unit: "ns", better: "lower", value: (100 * (($beside * .value.value) + 0.01 * ((input_line_number * (7 + .key)) % 5 - 2) | exp)) } }) | from_entries)' >"$1/pressure/runs.jsonl"
    "$BIN/stats" --derive "$1/pressure"
}

# values NAME: the values of that name among what the program prints for the shell, a line each.
values() {
    tr '\0' '\n' | awk -v name="$1" 'NR % 2 { take = ($0 == name); next } take'
}

# bats test_tags=slow
@test "what was measured becomes sensitivity, noise and pressure, as a valid record" {
    mkdir p
    plan '.kinds += ["io"]' >p/profile-plan.json
    alone_and_loads p
    # 50 bytes of cache are no level.
    jq '.loads += [{ name: "bytes", spec: "cache --size 50", parts: [{ name: "bytes", node: null, words: ["cache", "--size", "50"] }] }]' p/sensitivity/experiment.json >new && mv new p/sensitivity/experiment.json
    runs 2 12 0.01 baseline 1 cpu-50 1.2 cpu-100 1.5 mem-50 1 mem-100 1 bytes 1 >p/sensitivity/runs.jsonl
    "$BIN/stats" --derive p/sensitivity
    pressure p
    "$BIN/profile" --derive p --output solver.profile.json
    is_valid program solver.profile.json
    holds '.program.name == "solver" and .program.words[1] == "input file" and .machine.host == "made-up" and .place == "machine"
        and .made == "2026-03-01T10:00:00Z" and .experiments == ["p/alone", "p/sensitivity", "p/pressure"]' <solver.profile.json
    # Noise of 1 % in each run, so about 0.4 % in a ratio of 12 pairs.
    holds 'def near($x; $d): . - $x | fabs < $d; (.sensitivity | map({ (.kind): .points }) | add) as $s
        | ($s | keys == ["cpu", "mem"]) and ($s.cpu | map(.level)) == [0.5, 1] and ($s.cpu[0].slowdown | near(1.2; 0.03)) and ($s.cpu[1].slowdown | near(1.5; 0.03))
        and all($s[][]; .ci[0] < .slowdown and .slowdown < .ci[1] and .n == 12 and (.achieved | near(0.9; 1e-9)) and (.load_cpus | near(0.5; 0.01)) and .fit >= 1)
        and ($s.cpu[1].cpu_ratio | near(1.5; 0.03))' <solver.profile.json
    holds '.alone.wall_s.n == 12 and (.alone.cpus_used - 0.5 | fabs) < 1e-6 and .noise.n == 22 and .noise.sd > 0.004 and .noise.sd < 0.02' <solver.profile.json
    # Reporters as they were made, and no others.
    holds '(.pressure.reporters | map({ (.name): . }) | add) | (.memory.log_ratio - 0.2176 | fabs) < 0.02 and (keys == ["faults", "gap", "l2", "memory"])
        and .memory.n == 12 and .memory.ci[0] < .memory.ci[1]' <solver.profile.json
    # What is not known has a reason, and is no number.
    holds 'any(.reasons[]; startswith("io: its slowdown is not known"))' <solver.profile.json
    # And what the loads do to the reporters, of the same blocks.
    holds '.pressure.beside_loads | length == 1 and (.[0] | .kind == "mem" and .level == 0.5 and (.log_ratios.memory - 0.4352 | fabs) < 0.02 and (.log_ratios.gap - 0.8 | fabs) < 0.02)' <solver.profile.json
    "$JOSTLE" report solver.profile.json >table
    grep -q '^memory  *× 1\.2' table
    "$JOSTLE" report solver.profile.json --format md | grep -q '^| cpu | 1\.'
    "$JOSTLE" report solver.profile.json --output page.html
    page_model page.html | holds '.sections[0].blocks[0].rows[0] | .[0] == "cpu" and (.[1] | startswith("1."))'
    grep -q '<td>cpu</td><td>1\.' page.html
    # Waiting for a CPU that others have is no idleness of the program's own.
    cp p/sensitivity/runs.jsonl quiet.jsonl
    jq -c '.stalls = { source: "schedstat", run_s: .user_s, run_delay_s: .wall_s } | .wall_s *= 2' quiet.jsonl >p/sensitivity/runs.jsonl
    "$BIN/stats" --derive p/sensitivity
    "$BIN/profile" --derive p --output crowded.json
    holds '.alone.cpus_used - 0.5 | fabs < 1e-6' <crowded.json
    cp quiet.jsonl p/sensitivity/runs.jsonl
    "$BIN/stats" --derive p/sensitivity
    # The same records, the same profile.
    cp solver.profile.json first.json
    "$BIN/profile" --derive p --output solver.profile.json
    cmp first.json solver.profile.json
}

@test "a curve that falls by noise is level, and levels are worth adding only where it rises" {
    mkdir p
    plan '.pressure = false' >p/profile-plan.json
    alone_and_loads p
    runs 5 12 0.01 baseline 1 cpu-50 1.5 cpu-100 1.45 mem-50 0.98 mem-100 0.97 >p/sensitivity/runs.jsonl
    "$BIN/stats" --derive p/sensitivity
    # cpu may bend between 0 and 50 %; mem is flat, as is cpu above 50 %.
    "$BIN/profile" --next p >next
    [[ $(values step <next) == added ]]
    [[ $(values word <next | grep -A1 -x -e --load | grep '=') == 'cpu-25=cpu --percent 25%' ]]
    mkdir p/added
    experiment '[["cpu-25", "cpu --percent 25%"]]' >p/added/experiment.json
    runs 6 12 0.01 baseline 1 cpu-25 1.3 >p/added/runs.jsonl
    "$BIN/stats" --derive p/added
    [[ -z $("$BIN/profile" --next p | values step) ]]
    "$BIN/profile" --derive p --output solver.profile.json
    holds '(.sensitivity | map({ (.kind): .points }) | add) | (.cpu | map(.level)) == [0.25, 0.5, 1] and .cpu[1].fit == .cpu[2].fit
        and .cpu[2].slowdown < .cpu[1].slowdown and .cpu[0].fit < .cpu[1].fit and all(.mem[]; .fit == 1 and .fit_ci[0] <= 1)' <solver.profile.json
    holds 'any(.reasons[]; startswith("pressure: not measured"))' <solver.profile.json
}

# bats test_tags=slow
@test "how runs alone vary: what it would take, and whether it can be told" {
    mkdir -p p/alone
    plan '.check_noise = true' >p/profile-plan.json
    experiment '[]' | jq '.settings.max_runs = 40' >p/alone/experiment.json
    # Every second run 30 % slower than its neighbours.
    runs 4 40 0.002 baseline 1 | jq -c '(if .block % 2 == 0 then 1.3 else 1 end) as $slow | .wall_s *= $slow' >p/alone/runs.jsonl
    "$BIN/stats" --derive p/alone
    run -3 "$BIN/profile" --noise p
    printf '%s\n' "$output" >noise.json
    is_valid noise noise.json
    holds '.n == 40 and (.can_be_told | not) and .correlation < -0.9 and .sd.value > 0.12 and .sd.value < 0.15
        and (.interleaved_halves | .ratio > 1.28 and .ratio < 1.32 and .ci[0] > 1.25) and (.halves_in_time.ratio - 1 | fabs) < 0.01
        and (.runs_needed | map(.half_width) == [0.02, 0.04] and .[0].runs > 250 and .[0].runs < 450)' <noise.json
    run -1 "$JOSTLE" report p
    [[ $output == 'jostle: p holds runs of --check-noise, and no profile: see jostle report p/alone' ]]
    holds '(.verdict | test("alone-sd 1[345] %, it would take [23][0-9][0-9] runs a side"))' <noise.json
}

# bats test_tags=slow
@test "the program as a neighbour keeps its words, stdin and preparation; the time has to do" {
    mkdir p
    plan '.kinds = ["cpu"] | .levels = [1] | .adds = false | .words = ["./a b", "+", "x"] | .input = "in put" | .prepare = "make clean" | .conclude = "make gone"
        | .options += ["--place=core", "--nice=5", "--setup=make data", "--cleanup=make none"] | .place = "core"' >p/profile-plan.json
    alone_and_loads p
    "$BIN/profile" --next p >next
    [[ $(values step <next) == pressure ]]
    values word <next >words
    grep -qx -e '--load-nice' words
    grep -qx -e '--place=core' words
    grep -qx -e '--setup=make data' words
    grep -qx -e '--cleanup=make none' words
    ! grep -qx -e '--nice=5' words || false
    # What loadgen is told, as a shell would read it.
    mkdir 'in' && printf 'stdin\n' >'in put'
    printf '#!/bin/sh\nprintf "<%%s>" "$@"; cat\n' >'a b'
    chmod +x 'a b'
    load=$(grep '^program=exec --loop ' words)
    [[ $load == *" '+' "* && $load == *'make clean'* ]]
    load=${load#*-- }
    load=${load/make clean/true}
    [[ $(eval "${load/make gone/printf gone >gone}") == '<+><x>stdin' && $(cat gone) == gone ]]
    # 14 runs of 0.4 s and their loads do not fit into 8 s.
    jq '.max_time_s = 8' p/profile-plan.json >plan && mv plan p/profile-plan.json
    [[ $("$BIN/profile" --next p | values problem) == 'a run takes 0.'*' s, and a profile of it '*' at least, more than the 8 s of --max-time: give more, or fewer --kinds or --levels' ]]
}

# bats test_tags=slow
@test "a program is profiled for real: alone, under a load, and once more with --resume" {
    # shellcheck disable=SC2016 # the program's
    local -a words=(--kinds alloc --levels 20 --no-pressure --max-runs 2 -- sh -c 'echo "$WORKFILE_SIZE" >size; sleep 0.02')
    unset WORKFILE_SIZE
    # What 20 % is of; the profile finds it known.
    "$BIN/loadgen" alloc --limit 20% --calib --if-missing 0.5
    run -0 "$JOSTLE" profile "${words[@]}"
    [[ $output == *'Profile: sh.profile.json'* ]]
    is_valid profile-plan sh.profile/profile-plan.json
    holds '.sensitivity[0] | .kind == "alloc" and .points[0].level == 0.2 and .points[0].n >= 2' <sh.profile.json
    run -2 "$JOSTLE" profile "${words[@]}"
    [[ $output == 'jostle: sh.profile already holds a profile: choose another folder with --output, or continue it with --resume' ]]
    cp sh.profile.json first.json
    "$JOSTLE" profile --quiet --resume "${words[@]}"
    cmp first.json sh.profile.json
    # Its loads on the disk are those of the reference.
    [[ $(<size) == 256M ]]
    run -2 "$JOSTLE" profile --resume "${words[@]:2}"
    [[ $output == 'jostle: sh.profile holds a profile of another command, of other options'* ]]
    # What was measured before a dry run stays.
    rm -r sh.profile/sensitivity
    run -0 "$JOSTLE" profile --resume --dry-run "${words[@]}"
    [[ $output == *'a run alone takes'* && -s sh.profile/alone/runs.jsonl ]]
    [[ $("$BIN/profile" --next sh.profile | values step) == sensitivity ]]
}

# has_run: 0 once a run of the profile alone has been measured, and another begun.
has_run() {
    [[ -e p/alone/runs.jsonl && $(wc -l <p/alone/runs.jsonl) -ge 3 ]]
}

@test "a profile that is interrupted says once that it was, and how to continue" {
    local pid status=0
    "$JOSTLE" profile --output p.json --kinds cpu -- sleep 0.1 2>err >out 3>&- &
    pid=$!
    eventually 60 has_run
    kill -TERM "$pid"
    wait "$pid" || status=$?
    [[ $status -eq 143 ]]
    [[ $(grep -c '^  resume: ' err) -eq 1 && $(<err) == *'resume: '*' profile '* ]]
    [[ $(grep -c interrupted err) -eq 1 && $(<err) == *'interrupted by SIGTERM: what was measured is in '* ]]
}

@test "an experiment of a profile that is ended by somebody else is named" {
    local pid status=0 name=p$RANDOM$RANDOM
    "$JOSTLE" profile --output "$name.json" --kinds cpu -- sleep 0.1 2>err >out 3>&- &
    pid=$!
    eventually 60 test -s "$name/alone/runs.jsonl"
    kill -TERM "$(pgrep -of "^[^ ]*bash -p .*/harness/commands/[a-z]+ .*--output [^ ]*$name/alone")"
    wait "$pid" || status=$?
    [[ $status -eq 143 && $(<err) == *'the experiment alone was ended by a signal (status 143): '* ]]
}

# bats test_tags=slow
@test "wrong use and what is no profile are refused by one line" {
    run -2 "$JOSTLE" profile
    [[ $output == 'jostle: no program: give one: jostle profile -- PROGRAM' ]]
    run -2 "$JOSTLE" profile --kinds cpu,mm -- true
    [[ $output == 'jostle: --kinds mm: no kind of load (did you mean mem?)'* ]]
    run -2 "$JOSTLE" profile --levels 50,120 -- true
    run -2 "$JOSTLE" profile --place nearby -- true
    run -2 "$JOSTLE" profile --output solver -- true
    run -2 "$JOSTLE" profile -- echo $'\xff'
    [[ ${#lines[@]} == 1 && $output == *': it is not UTF-8: '* ]]
    run -1 "$JOSTLE" profile --json no/such/folder -- true
    [[ ${#lines[@]} == 1 && $output == 'jostle: no/such/folder cannot be written ('*')'* ]]
    # On a busy machine it may be too long for so little time instead.
    run -2 "$JOSTLE" profile --kinds cpu --max-time 2s -- true
    [[ $output == 'jostle: the program ends after '*' ms, most of which is its start: '* || $output == 'jostle: a run takes '* ]]
    # Nothing of all that is left.
    [[ -z $(ls) ]]
    mkdir bare
    run -1 "$BIN/profile" --show bare
    [[ ${#lines[@]} == 1 && $output == 'jostle: bare/profile-plan.json cannot be read ('*'): give a folder that jostle profile has made' ]]
    printf '{"schema":"jostle.program/2"}' >new.json
    run -1 "$JOSTLE" report new.json
    [[ $output == 'jostle: new.json is of another version of jostle: make it again with jostle profile' ]]
    printf '{"schema":"jostle.noise/1"}' >noise.json
    run -2 "$JOSTLE" report noise.json
    printf '{"schema":"jostle.program/1"}' >empty.json
    run -1 "$JOSTLE" report empty.json
    [[ $output == 'jostle: empty.json is an incomplete profile: make it again with jostle profile' ]]
}
