#!/usr/bin/env bats
# jostle compare: two experiments side by side.

load helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return
}

# made FOLDER FACTOR [JQ]: an experiment of known figures: the baseline takes
# FACTOR times 1 s, give or take 1 %, the load half twice that; JQ changes
# experiment.json.
made() {
    mkdir "$1"
    command jq -n '{ schema: "jostle.experiment/1", command: ["./solver", "input file"],
        loads: [{ name: "baseline", spec: null }, { name: "half", spec: "cpu --percent 50" }],
        settings: { error: 0.05, confidence: 0.95, min_runs: 10, max_runs: 10, metric: ["wall_s"], seed: 1, engine: "meter", nice: null, ignore_failure: false, discard_warmup: 0 },
        program: { path: "/home/me/solver", sha256: ("ab" * 32), size_bytes: 4096, mtime: "2026-01-01T00:00:00Z", reason: null },
        inputs: [], variables: { OMP_NUM_THREADS: "2" },
        environment: { host: "one", kernel: "Linux 6", cpus_online: 2, load_average: [0.1, 0.2, 0.3], versions: { jostle: "0.1.0" },
            governor: "performance", turbo: "off", smt: "off", isolated_cpus: "none", clocksource: "tsc", thp: "never", aslr: 2, swappiness: 60, autogroup: 1,
            numa_nodes: 1, numa_balancing: 0, perf_event_paranoid: 2, microcode: "0x1", mitigations: { l1tf: "Not affected" } } }
        | '"${3:-.}" >"$1/experiment.json"
    jq -nc --argjson factor "$2" 'range(1; 11) as $block | ["baseline", 1], ["half", 2]
        | { schema: "jostle.run/1", condition: .[0], block: $block, order: $block,
            wall_s: ($factor * .[1] * (1 + 0.01 * ([-1, 0, 1][$block % 3]))), user_s: 1, system_s: 0.1,
            max_rss_bytes: (1000000 * $factor), exit_code: 0, signal: null, timed_out: false, load: [], flags: [] }' >"$1/runs.jsonl"
}

# bats test_tags=slow
@test "the ratio is B / A, for each condition, with its interval" {
    made A 1
    made B 1.25
    "$JOSTLE" compare --json - A B >comparison.json
    holds '[.comparisons[].condition] == ["baseline", "half"] and all(.comparisons[]; .metric == "wall_s" and (.ratio - 1.25 | fabs) < 0.001
        and .ci[0] > 1.23 and .ci[0] < 1.25 and .ci[1] > 1.25 and .ci[1] < 1.27 and .distinguishable)' <comparison.json
    is_valid comparison comparison.json
    run -0 "$JOSTLE" compare A B
    [[ $output =~ baseline\ +wall_s\ +10\ +1.00\ s\ .*\ 10\ +1.25\ s\ .*1.250\ \[1.2[0-9]+,\ 1.2[0-9]+\]\ †\ +B\ takes\ 25.0\ %\ longer ]]
    [[ $output == *'The same: command, loads, settings, program, variables, environment (aslr, autogroup, clocksource, cpus_online, governor, host, '* ]]
    # Two sessions are no verdict on the program, and what was not looked at is not the same.
    [[ $output == *'No word of the command is a file'*'2 ratios: † marks the 2 that hold'*"what differs may be the machine's"* && $output != *offered* ]]
}

@test "the other way round the ratio is the inverse" {
    made A 1
    made B 1.25
    "$JOSTLE" compare --json - B A | holds 'all(.comparisons[]; (.ratio - 0.8 | fabs) < 0.001 and .ci[1] < 1)'
}

# bats test_tags=slow
@test "a baseline and a load that were measured apart: --condition X:Y" {
    made A 1
    made B 1
    # Apart: each has one condition.
    for side in A:baseline B:half; do
        jq --arg name "${side#*:}" '.loads |= map(select(.name == $name))' "${side%:*}/experiment.json" >changed
        mv changed "${side%:*}/experiment.json"
        jq -c --arg name "${side#*:}" 'select(.condition == $name)' "${side%:*}/runs.jsonl" >changed
        mv changed "${side%:*}/runs.jsonl"
    done
    run -1 "$JOSTLE" compare A B
    "$JOSTLE" compare --condition baseline:half --json - A B >comparison.json
    holds '.comparisons | length == 1 and (.[0] | .condition == "baseline:half" and (.ratio - 2 | fabs) < 0.01 and .a.mean < 1.1 and .b.mean > 1.9)' <comparison.json
    is_valid comparison comparison.json
    run -2 "$JOSTLE" compare --condition half:baseline A B
    [[ $output == *'A has no such condition'* ]]
}

# bats test_tags=slow
@test "what the loads offered and the files that the command names are compared, and only what was looked at is the same" {
    local inputs='.inputs = [{ word: "input file", path: "/home/me/input file", sha256: ("ab" * 32), size_bytes: 4, mtime: "2026-01-01T00:00:00Z", mtime_ns: 1767225600000000000, reason: null }]'
    made A 1 "$inputs"
    made B 1 "$inputs | .inputs[0] += { path: \"/tmp/input file\", mtime: \"2026-02-02T00:00:00Z\" }"
    offers() { jq -c --argjson rate "$2" 'select(.condition == "half").load = [{ name: "half", unit: "ops/s", offered: ($rate + .block), achieved: $rate, cpu_s: 1, elapsed_s: 1, late: 0, dropped: 0, load: "fork" }]' "$1/runs.jsonl" >runs && mv runs "$1/runs.jsonl"; }
    offers A 1000
    offers B 1001
    "$JOSTLE" compare A B --json comparison.json >table
    is_valid comparison comparison.json
    grep -q '^The same: command, loads, what the loads offered, settings, program, files (input file), ' table
    # Another calibration, and another input by the same name; one that the target writes itself is not compared.
    offers B 250
    jq '.inputs[0].sha256 = ("cd" * 32)' B/experiment.json >changed && mv changed B/experiment.json
    run -0 "$JOSTLE" compare A B
    [[ $output == *'offered rate differs: load half: A 1005.5 ops/s, B 255.5 ops/s'*'input input file differs: A sha256 abababababab (4 bytes, '*', B sha256 cdcdcdcdcdcd '* ]]
    [[ $output == *'The same: command, loads, settings, program, variables,'* ]]
    jq '.inputs[0].end = .inputs[0] + { sha256: ("ef" * 32) }' B/experiment.json >changed && mv changed B/experiment.json
    run -0 "$JOSTLE" compare A B
    [[ $output != *'input file differs'* && $output == *'not compared, as they were written while it was measured: input file'* ]]
}

# bats test_tags=slow
@test "of many ratios those that chance explains are no difference" {
    # One of twelve looks like one by its own interval, and is not among all; one of two is.
    local names='.loads = [range(12) | { name: "c\(.)", spec: null }]' side
    for side in A B; do
        made "$side" 1 "$names"
        jq -nc --arg side "$side" 'range(1; 11) as $block | range(12) as $c | { schema: "jostle.run/1", condition: "c\($c)", block: $block, order: ($block * 12 + $c - 11),
            wall_s: (1 + 0.01 * ([-1, 0, 1, 0.5][($block + $c) % 4]) + (if $side == "B" and $c == 3 then 0.0095 else 0 end)), user_s: 1, system_s: 0.1, max_rss_bytes: 1000000,
            exit_code: 0, signal: null, timed_out: false, load: [], flags: [] }' >"$side/runs.jsonl"
    done
    "$JOSTLE" compare A B --json comparison.json >table
    is_valid comparison comparison.json
    holds '.comparisons[3] | .distinguishable and .p < 0.05 and .q > 0.05 and (.survives | not) and .verdict == "chance"' <comparison.json
    grep -q '^c3 .* is not beyond chance here$' table
    grep -q '^12 ratios: none holds at a false discovery rate of 5 %$' table
    "$JOSTLE" compare --condition c3 --json - A B | holds '.comparisons[0] | .q == .p and .survives and .verdict == "worse"'
}

# bats test_tags=slow
@test "a verdict needs repeated sessions: one is undecided, as is a problem that biases" {
    local i
    for i in 1 2 3; do
        made "A$i" "1.0$i"
        made "B$i" "1.2$i"
    done
    run -4 "$JOSTLE" compare --at-most 5 A1 B1
    [[ $output == *'at most 5: undecided, as A and B are one session each'* ]]
    run -0 "$JOSTLE" compare --at-most 1.3 --json comparison.json A1 B1 A2 B2 A3 B3
    [[ $output == *'B / A of each session'*'half '*'1.198, 1.196, 1.194  1.196 [1.1'*'] †  B takes 19.6 % longer'*'at most 1.3: below'* ]]
    is_valid comparison comparison.json
    holds '.over_sessions | length == 2 and all(.ci[0] > 1.19 and .ci[1] < 1.21)' <comparison.json
    run -3 "$JOSTLE" compare --at-most 1.1 A1 B1 A2 B2 A3 B3
    run -4 "$JOSTLE" compare --at-most 1.196 A1 B1 A2 B2 A3 B3
    [[ $output == *'at most 1.196: undecided'* ]]
    # Sessions that lie further apart than their own intervals say.
    run -4 "$JOSTLE" compare --at-most 1.5 A1 B1 B2 A2
    run -2 "$JOSTLE" compare A1 B1 A1 B2
    [[ $output == *'A1 is given twice'* ]]
    run -2 "$JOSTLE" compare A1 B1 A2
}

@test "two equal experiments cannot be distinguished" {
    made A 1
    made B 1.001
    run -0 "$JOSTLE" compare A B
    [[ $(grep -c 'not distinguishable from noise' <<<"$output") -eq 2 ]]
}

@test "another command is refused without --anyway" {
    made A 1
    made B 1.25 '.command[0] = "./solver2"'
    run -1 "$JOSTLE" compare A B
    [[ $output == *"command: A ./solver 'input file', B ./solver2 'input file'"*'--anyway'* ]]
    run -0 "$JOSTLE" compare A B --anyway
    [[ $output == *"command differs: A ./solver 'input file', B ./solver2 'input file'"* ]]
}

@test "another load by the same name is refused without --anyway" {
    made A 1
    made B 1.25 '.loads[1].spec = "cpu --percent 60"'
    run -1 "$JOSTLE" compare A B
    [[ $output == *'load half: A cpu --percent 50, B cpu --percent 60'* ]]
    run -0 "$JOSTLE" compare --anyway A B
}

@test "what differs in settings and environment is named, and nothing else" {
    made A 1
    made B 1.25 '.environment.host = "two" | .environment.versions.jostle = "0.2.0" | .environment.load_average = [9, 9, 9] | .settings.nice = "5" | .settings.seed = 8'
    "$JOSTLE" compare A B --json comparison.json >table
    grep -q '^environment differs: host: A one, B two$' table
    grep -q '^environment differs: versions.jostle: A 0.1.0, B 0.2.0$' table
    grep -q '^setting differs: nice: A -, B 5$' table
    holds '.differences | (.environment | length) == 2 and (.settings | length) == 1' <comparison.json
}

# bats test_tags=slow
@test "another program, another variable and another machine setting are never the same" {
    made A 1
    made B 1.25 '.program.sha256 = ("cd" * 32) | .program.size_bytes = 5000'
    run -0 "$JOSTLE" compare A B
    [[ $output == *'program differs: A sha256 abababababab (4096 bytes, 2026-01-01T00:00:00Z), B sha256 cdcdcdcdcdcd (5000 bytes, '* && $output != *', program,'* ]]
    made C 1.25 '.variables = { OMP_NUM_THREADS: "4", LD_PRELOAD: "x.so" }'
    run -0 "$JOSTLE" compare A C
    [[ $output == *'variable differs: OMP_NUM_THREADS: A 2, B 4'*'variable differs: LD_PRELOAD: A -, B x.so'* && $output != *', variables,'* ]]
    made D 1.25 '.environment.thp = "always" | .environment.mitigations.l1tf = "Mitigation: PTE Inversion"'
    run -0 "$JOSTLE" compare A D
    [[ $output == *'environment differs: thp: A never, B always'*'environment differs: mitigations.l1tf: A Not affected, B Mitigation: PTE Inversion'* ]]
    # Copied elsewhere, it is the same one; the copy is named.
    made E 1.25 '.program.path = "/tmp/solver" | .program.mtime = "2026-02-02T00:00:00Z"'
    run -0 "$JOSTLE" compare A E
    [[ $output == *'path of the program differs: A /home/me/solver, B /tmp/solver'* && $output != *'sha256'* ]]
}

# bats test_tags=slow
@test "what an older record does not have is not recorded, and never the same" {
    made A 1
    made old 1.25 'del(.program, .variables, .settings.discard_warmup, .environment.thp, .environment.mitigations)'
    "$JOSTLE" compare A old --json comparison.json >table
    is_valid comparison comparison.json
    grep -qx 'not recorded in B, so it may differ: program, variables, thp, mitigations' table
    run ! grep 'The same.*\(program\|variables\)' table
    holds '.differences | .environment == [] and .program == [] and .variables == []' <comparison.json
    run -0 "$JOSTLE" compare old old
    [[ $output == *'not recorded in A and B, so it may differ: program, variables, thp, mitigations'* && $output == *'The same, as far as both record it: command, loads, settings, environment ('* ]]
}

# bats test_tags=slow
@test "each side is judged by its own settings, and its figures are those of its own table" {
    # Two slow runs first, which B leaves out; one that fails at once, which B counts.
    made A 1
    made B 1 '.settings.discard_warmup = 2 | .settings.ignore_failure = true'
    jq -c 'if .block <= 2 then .wall_s *= 3 elif .block == 5 then .exit_code = 1 else . end' B/runs.jsonl >runs
    mv runs B/runs.jsonl
    "$BIN/stats" --derive A B
    "$JOSTLE" compare A B --json comparison.json >table
    is_valid comparison comparison.json
    holds --slurpfile a A/result.json --slurpfile b B/result.json 'all(.comparisons[]; . as $row
        | all([.a, $a[0]], [.b, $b[0]]; .[0] as $side | .[1].conditions[] | select(.name == $row.condition)
            | .runs == $side.runs and .failed == $side.failed and (.wall_s | [.mean, .center, .ci, .error, .stddev]) == ($side | [.mean, .center, .ci, .error, .stddev])))' <comparison.json
    holds 'all(.comparisons[]; .a.runs == 10 and .b.runs == 8 and (.distinguishable | not) and .ratio > 0.98 and .ratio < 1.02)' <comparison.json
    grep -qx 'setting differs: ignore_failure: A false, B true' table
    grep -qx 'setting differs: discard_warmup: A 0, B 2' table
    grep -q '^B: 2 of 20 runs failed (baseline: 1 by exit code; half: 1 by exit code): they count like the others because of --ignore-failure' table
    # Without --ignore-failure the failed run is left out, and named.
    jq '.settings.ignore_failure = false' B/experiment.json >json && mv json B/experiment.json
    "$JOSTLE" compare A B --json comparison.json >table
    holds 'all(.comparisons[]; .b.runs == 7 and .b.failures.exit == 1)' <comparison.json
    grep -q '^B: 2 of 20 runs failed .*: the figures are of those that succeeded$' table
}

# bats test_tags=slow
@test "a side whose runs timed out is a lower bound, and has no ratio" {
    made A 1
    made B 1.25 '.settings.ignore_failure = true'
    jq -c 'if .condition == "half" and .block == 4 then .timed_out = true | .signal = 9 else . end' B/runs.jsonl >runs
    mv runs B/runs.jsonl
    "$JOSTLE" compare A B --json comparison.json >table
    is_valid comparison comparison.json
    holds '.comparisons | .[0].ratio > 1.2 and .[1].ratio == null and .[1].ci == null and .[1].distinguishable == null and .[1].b.censored == 1
        and map(.verdict) == ["worse", "timed-out"]' <comparison.json
    grep -Eq '^half .* at least 2.50 s .* not known: runs timed out$' table
}

# bats test_tags=slow
# bats test_tags=slow
@test "where no A/A runs were made, the table says of which statistic the error is the noise floor" {
    local statistic
    for statistic in mean typical median p90; do
        rm -rf A B
        made A 1 ".settings.statistic = \"$statistic\""
        made B 1.25 ".settings.statistic = \"$statistic\""
        case $statistic in typical) set -- median ;; p90) set -- '90th percentile' ;; *) set -- "$statistic" ;; esac
        "$JOSTLE" compare --json comparison.json A B >table
        is_valid comparison comparison.json
        grep -qF "else the error of the $1, which does not know how far two days lie apart." table
    done
}

# bats test_tags=slow
@test "medians are compared with medians, by their own intervals" {
    made A 1 '.settings.statistic = "median"'
    made B 1.25 '.settings.statistic = "median"'
    # An outlier that a mean would follow.
    jq -c 'if .block == 5 then .wall_s *= 4 else . end' B/runs.jsonl >runs && mv runs B/runs.jsonl
    "$JOSTLE" compare A B --json comparison.json >table
    is_valid comparison comparison.json
    holds 'all(.comparisons[]; .method == "log-intervals" and .a.statistic == "median" and (.ratio - 1.25 | fabs) < 0.02 and .ci[0] < .ratio and .ratio < .ci[1] and .b.center < .b.mean)' <comparison.json
    "$JOSTLE" compare A A --json - | holds 'all(.comparisons[]; .ratio == 1 and .ci[0] < 1 and .ci[1] > 1 and (.distinguishable | not))'
    made C 1
    run -0 "$JOSTLE" compare A C
    [[ $output == *'not known: median and mean are not the same'*'setting differs: statistic: A median, B mean'* ]]
}

# bats test_tags=slow
@test "a condition that only one has is named, and one can be chosen" {
    made A 1
    made B 1.25 '.loads += [{ name: "disk", spec: "io" }]'
    run -0 "$JOSTLE" compare A B
    [[ $output == *'only in B: disk'* ]]
    "$JOSTLE" compare --condition half --json - A B | holds '[.comparisons[].condition] == ["half"]'
    run -2 "$JOSTLE" compare --condition haf A B
    [[ $output == *'did you mean half?'* ]]
}

# bats test_tags=slow
@test "every metric can be compared" {
    made A 1
    made B 1.25
    run -0 "$JOSTLE" compare --metric all A B
    [[ $output == *'B / A [98.75 %]'*'[ ] is a 98.75 % confidence interval (95 % for the 4 metrics of a condition together)'* ]]
    "$JOSTLE" compare --metric all --json - A B | holds '[.comparisons[] | select(.condition == "half" and .metric == "max_rss_bytes") | .ratio] == [1.25]'
}

# bats test_tags=slow
@test "wrong use is refused, with what to give" {
    made A 1
    run -2 "$JOSTLE" compare A
    [[ $output == *'takes two folders, 1 given'* ]]
    run -2 "$JOSTLE" compare A absent
    [[ $output == *'absent is no folder'* ]]
    mkdir empty
    run -2 "$JOSTLE" compare A empty
    [[ $output == *'empty holds no experiment'* ]]
    : >file
    run -2 "$JOSTLE" compare A file
    [[ $output == *'file is no folder'* ]]
    made broken 1
    echo '{' >broken/experiment.json
    run -1 "$JOSTLE" compare A broken
    [[ ${#lines[@]} -eq 1 && $output == *'broken/experiment.json'*'give a folder'* ]]
    echo '{}' >broken/experiment.json
    run -1 "$JOSTLE" compare A broken
    [[ ${#lines[@]} -eq 1 && $output == *'it has no loads or no settings'* ]]
    made few 1
    sed -i 3q few/runs.jsonl
    run -1 "$JOSTLE" compare --condition half A few
    [[ ${#lines[@]} -eq 1 && $output == *'half: 10 in A, 1 in B'*'measure more'* ]]
    run -2 "$JOSTLE" compare --confidence 2 A A
    [[ $("$JOSTLE" compare --confidence 99.99999% A A) == *'[99.99999 %]'* ]]
    run -2 "$JOSTLE" compare --metric time A A
    run -2 "$JOSTLE" compare --conditions half A A
    run -0 "$JOSTLE" compare --help
    [[ $output == *'jostle compare'*'A B'*'each is judged by its own settings'*'Exit status'* ]]
}

# bats test_tags=slow
@test "a table that cannot be printed is a failure, and says so on one line" {
    made A 1
    run -1 --separate-stderr bash -c '"$JOSTLE" compare A A >/dev/full'
    # shellcheck disable=SC2154 # run sets it
    [[ ${#stderr_lines[@]} -eq 1 && $stderr == 'jostle: cannot write to stdout: '* ]]
    run -1 --separate-stderr env TMPDIR=/nonexistent "$JOSTLE" compare A A
    [[ ${#stderr_lines[@]} -eq 1 && $stderr == 'jostle: cannot make a temporary f'* ]]
    run -0 bash -o pipefail -c '"$JOSTLE" compare A A | head -n 1'
    [[ $output == 'A = A' ]]
}

@test "a folder that may not be read is said to be so" {
    ((EUID != 0)) || command -v setpriv >/dev/null || skip 'as root, without setpriv'
    local -a user=()
    ((EUID != 0)) || user=(setpriv --reuid 65534 --regid 65534 --clear-groups)
    made A 1
    made B 1
    # The folders above are the tests' own.
    local above=$PWD
    while [[ $above != / && $above != "${BATS_RUN_TMPDIR%/*}" ]]; do
        chmod a+rx "$above"
        above=${above%/*}
    done
    chmod 0 B/runs.jsonl
    "${user[@]}" test -x "$BIN/compare" || skip 'the build is not readable for others'
    run -1 "${user[@]}" "$BIN/compare" A B
    [[ ${#lines[@]} -eq 1 && $output == *'B/runs.jsonl cannot be read (Permission denied): check its permissions' ]]
    chmod 0 B
    run -1 "${user[@]}" "$BIN/compare" A B
    [[ ${#lines[@]} -eq 1 && $output == *'cannot be read (Permission denied)'* ]]
    chmod 700 B
}

# bats test_tags=slow
@test "real experiments can be compared, with the noise floor of their A/A runs" {
    local folder
    for folder in A B; do
        "$JOSTLE" slowdown --quiet --aa --output "$folder" --min-runs 6 --max-runs 6 --load 'low=cpu --percent 10' -- sleep 0.05
    done
    # How long such runs take is the machine's affair: the ratio is that of what each side has measured.
    "$JOSTLE" compare --json - A B | holds --slurpfile a A/result.json --slurpfile b B/result.json '[.comparisons[].condition] == ["baseline", "low"]
        and (.comparisons[0] | .a.noise_floor_from == "aa" and .a.noise_floor > 0 and .b.noise_floor_from == "aa"
            and .ratio > 0 and (.ratio * $a[0].conditions[0].wall_s.center / $b[0].conditions[0].wall_s.center - 1 | fabs) < 1e-9)
        and .differences.command_or_load == []'
}

# printed FOLDER FACTOR [SOURCE]: the same with a rate, which the target prints, of which more is better.
printed() {
    made "$1" "$2" '.settings |= (.metric = ["wall_s", "rate"] | .decide = ["rate"] | .metrics = [{ name: "rate", source: "'"${3:-stdout:/rate (.*)/}"'", take: "last", unit: "1/s", better: "higher", adapter: null }])'
    jq -c '.metrics.rate = { value: (1000 / .wall_s), unit: "1/s", better: "higher" } | .metric_failure = null' "$1/runs.jsonl" >with
    mv with "$1/runs.jsonl"
}

# bats test_tags=slow
@test "any metric is compared: of a rate a ratio above 1 is worse, and the table says B / A" {
    printed A 1
    printed B 1.25
    "$JOSTLE" compare --json comparison.json A B >table
    is_valid comparison comparison.json
    holds '[.comparisons[].metric] == ["wall_s", "rate", "wall_s", "rate"] and .family == 2' <comparison.json
    holds '.comparisons[1] | (.ratio - 1.25 | fabs) < 0.001 and .ci[0] > 1.2 and (.of_reference - 0.8 | fabs) < 0.001 and .of_reference_ci[1] < 0.83
        and .unit == "1/s" and .better == "higher" and (.text | test("^rate 0[.]80* .*of A$")) and (.a.center - 1000 | fabs) < 1' <comparison.json
    grep -qE 'baseline +rate +10 +1000 /s .* 800 /s .* 0[.]800 \[0[.]7[0-9]+, 0[.]8[0-9]+\] † +rate of B is 20[.]0 % lower, worse' table
    # What jostle measures is in every record, whatever was chosen then.
    "$JOSTLE" compare --metric cpu_s,rate --json - A B | holds '[.comparisons[:2][] | [.metric, .a.mean]] | .[0] == ["cpu_s", 1.1] and (.[1][1] - 1000 | fabs) < 1'
}

# bats test_tags=slow
@test "a metric that is another one on the other side is refused without --anyway, and one that a side lacks" {
    printed A 1
    printed B 1 'stdout:/speed (.*)/'
    run -1 "$JOSTLE" compare A B
    [[ $output == *'source of metric rate: A stdout:/rate (.*)/, B stdout:/speed (.*)/'*--anyway* ]]
    "$JOSTLE" compare --anyway A B >table
    "$JOSTLE" compare --metric wall_s A B >table
    made C 1
    run -2 "$JOSTLE" compare --metric rate A C
    [[ $output == 'jostle: --metric rate: B was not measured by that: give a metric of both' ]]
    run -2 "$JOSTLE" compare --metric rat A B
    [[ $output == *'(did you mean rate?)'* ]]
    # By default those of A that B has, too.
    "$JOSTLE" compare --json - A C | holds '[.comparisons[].metric] == ["wall_s", "wall_s"]'
}

# bats test_tags=slow
@test "variants are compared by their names, and are the same commands" {
    local variants='.variants = [{ name: "old", command: ["./solver", "input file"] }, { name: "new", command: ["./other"] }]
        | .conditions = [{ name: "old", variant: "old", load: null }, { name: "new", variant: "new", load: null }] | .loads |= .[:1]'
    made A 1 "$variants"
    made B 1.25 "$variants"
    sed -i 's/"baseline"/"old"/; s/"half"/"new"/' A/runs.jsonl B/runs.jsonl
    "$JOSTLE" compare --json - A B | holds '[.comparisons[] | [.condition, (.a.mean * 10 | round)]] == [["old", 10], ["new", 20]]'
    jq '.variants[1].command = ["./another"] | .variants[1].program = { sha256: ("cd" * 32), size_bytes: 1, mtime: "2026-01-01T00:00:00Z" }' B/experiment.json >changed
    mv changed B/experiment.json
    run -1 "$JOSTLE" compare A B
    [[ $output == *'command of variant new: A ./other, B ./another'* ]]
}
