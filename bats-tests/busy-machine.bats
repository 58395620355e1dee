# bats file_tags=harness
# Who uses the machine is said before anything is measured on it, and waited for where that is asked.

load helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    unset JOSTLE_NO_PROBE
    export XDG_CACHE_HOME=$PWD/cache
    BUSY=
}

teardown() {
    [[ -z $BUSY ]] || kill "$BUSY" 2>/dev/null || true
    wait
}

# keep_busy: a program that takes a whole CPU, if it can have one.
keep_busy() {
    "$BIN/loadgen" cpu --threads 1 --percent 100 --duration 60s >/dev/null 2>&1 3>&- &
    BUSY=$!
}

# keep_quiet: the machine's counters stand still, as of one on which nothing runs.
keep_quiet() {
    mkdir -p still/proc
    cp /proc/stat still/proc/
    export JOSTLE_KERNEL_ROOT=$PWD/still
}

# lines_of TEXT FILE: how many lines of the file have it.
lines_of() {
    grep -c -- "$1" "$2" || true
}

# bats test_tags=slow
@test "who uses a busy machine is said in the first line, recorded, and named by the result, once each" {
    keep_busy
    "$JOSTLE" run --max-runs 12 --min-runs 12 --output out -- sleep 0.02 >shown 2>said
    head -n 1 said | grep -qE '^jostle: the machine is busy: other programs use [0-9.]+ of [0-9]+ CPUs, the largest is .+ \([0-9.]+ CPUs?\): .*--wait'
    [[ $(lines_of 'the machine is busy' said) == 1 ]]
    is_valid experiment out/experiment.json
    holds '.busy | .cpus > 0.05 * .of or .cpus > 1 and .largest_cpus <= .cpus + 0.01' <out/experiment.json
    holds 'has("busy") | not' <out/result.json
    largest=$(jq -r .busy.largest out/experiment.json)
    if jq -e '.warnings | any(.flag == "foreign-load" and .severity == "problem")' out/result.json >/dev/null; then
        [[ $(lines_of '^busy machine: ' shown) == 1 && $(lines_of 'foreign-load' shown) == 0 ]]
        grep -F -- "when it began the largest was $largest, with" shown
        # Before the table.
        awk '/^busy machine: /{busy = NR} /^condition /{table = NR} END {exit !(busy && busy < table)}' shown
    fi
}

@test "on a quiet machine nothing is said or recorded, and --wait does not wait" {
    keep_quiet
    "$JOSTLE" run --wait=60s --max-runs 12 --min-runs 12 --output out -- true >shown 2>said
    run ! grep -E 'busy|quiet' said
    holds 'has("busy") | not' <out/experiment.json
    run ! grep '^busy machine' shown
}

@test "--wait is bounded, says for how long, and then goes on" {
    keep_busy
    SECONDS=0
    "$JOSTLE" run --wait=2s --max-runs 3 --output out -- true >/dev/null 2>said
    ((SECONDS >= 2))
    head -n 1 said | grep -E 'waiting until they use less than [0-9.]+, for up to 2 s'
    grep 'the machine is busy' said
    [[ $(wc -l <out/runs.jsonl) == 3 ]]
}

@test "a signal ends --wait, and nothing is left" {
    keep_busy
    run timeout -s INT 3 "$JOSTLE" run --wait --output out -- true
    [[ $output == *'waiting until'*'for up to 600 s'*'interrupted by SIGINT'* ]]
    [[ ! -e out ]]
}

# bats test_tags=slow
@test "no look where it is not worth its time: a short limit, few runs, a gate, --quiet, --no-probe, --pause" {
    keep_busy
    {
        "$JOSTLE" run --max-time 1s --output a -- true >/dev/null
        "$JOSTLE" run --runs 3 --output b -- true >/dev/null
        "$JOSTLE" slowdown --at-most 9 --load 'a=cpu --percent 1' --max-runs 8 --output c -- true >/dev/null || true
        "$JOSTLE" run --quiet --max-runs 8 --output d -- true
        "$JOSTLE" run --no-probe --max-runs 8 --output e -- true >/dev/null
        JOSTLE_NO_PROBE=1 "$JOSTLE" run --max-runs 8 --output f -- true >/dev/null
        "$JOSTLE" slowdown --pause --load "n=pid:$BUSY" --max-runs 8 --output g -- true >/dev/null
    } 2>said
    run ! grep 'machine is busy' said
    for name in a b c d e f g; do holds 'has("busy") | not' <"$name/experiment.json"; done
}

# bats test_tags=slow
@test "a campaign looks once, not in each cell" {
    keep_busy
    printf '%s\n' '[campaign]' 'name = c' 'max-runs = 8' '[target "a"]' 'command = true' '[target "b"]' 'command = true' \
        '[load "cpu"]' 'spec = cpu --percent 1' >c.conf
    "$JOSTLE" campaign --output out c.conf >/dev/null 2>said
    [[ $(lines_of 'the machine is busy' said) == 1 ]]
}

# calibrated_busy: a calibration whose record says that others used 90 % of the CPUs; sets kept to its file.
calibrated_busy() {
    local record
    rm -rf cache
    "$BIN/loadgen" mem --threads 1 --calib 0.5 >/dev/null 2>&1
    kept=$(echo cache/jostle/calibration/*.json)
    record=$(jq -c '.foreign = 0.9' "$kept")
    printf '%s\n' "$record" >"$kept"
}

# bats test_tags=slow
@test "a calibration of a busy machine warns once in a command: in the result" {
    calibrated_busy
    keep_busy
    "$JOSTLE" run --max-runs 3 --load 'm=mem --threads 1 --limit 10%' -- true >shown 2>said
    [[ $(cat shown said | grep -c 'was calibrated while other programs used 90 %') == 1 ]]
    grep 'was calibrated' shown
}

# bats test_tags=slow
@test "a calibration of a busy machine is made again when it is quiet, once, in one line" {
    keep_quiet
    calibrated_busy
    "$BIN/loadgen" mem --threads 1 --limit 10% --calib --if-missing 0.5 >/dev/null 2>said
    [[ $(lines_of 'calibrating again for 0.5 s' said) == 1 && $(wc -l <said) == 1 ]]
    holds '.foreign <= 0.05' <"$kept"
    "$BIN/loadgen" mem --threads 1 --limit 10% --calib --if-missing 0.5 >/dev/null 2>said
    [[ ! -s said ]]
}
