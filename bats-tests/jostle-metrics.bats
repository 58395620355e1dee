#!/usr/bin/env bats
# Figures that the target prints, from the command line to the records.
# shellcheck disable=SC2154 # bats sets stderr

load helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return
}

# measured ARGUMENT...: jostle run, with two runs at most, into out.
measured() {
    "$JOSTLE" run --quiet --min-runs 2 --max-runs 2 --output out "$@"
}

@test "metrics of the output and counters are in each run's record, and the last output is kept" {
    measured --metric 'x=stdout:/x: ([0-9]+)/,unit=ms,better=higher' --metric y=file:y.json:jq:.y --metric context_switches -- \
        sh -c 'echo "x: 7"; echo "{\"y\":8}" >y.json'
    holds '.metrics == {x: {value: 7, unit: "ms", better: "higher"}, y: {value: 8, unit: "", better: "lower"}}
        and .counters.context_switches != null and .metric_failure == null and .output == null' <out/runs.jsonl
    [[ $(<out/target.stdout) == 'x: 7' && ! -e out/failed && ! -e out/target.stderr ]]
    tail -n 1 out/runs.jsonl >record
    command -v jsonschema >/dev/null || return 0
    is_valid run record
}

@test "a run without its metric is a failed run, and what it wrote can be read" {
    run -5 --separate-stderr measured --metric 'x=stdout:/x: ([0-9]+)/' -- sh -c 'echo "x = 7"; echo why >&2'
    [[ $stderr == *'no figure x: not found in stdout'* ]]
    holds '.metric_failure == {metric: "x", reason: "not found in stdout"} and .metrics.x.value == null' <out/runs.jsonl
    [[ $(cat "out/$(jq -r .output.stdout out/runs.jsonl)" "out/$(jq -r .output.stderr out/runs.jsonl)") == $'x = 7\nwhy' ]]
}

# bats test_tags=slow
@test "0 is a figure, and a failed run where a ratio of means, or of a rate, is made of it" {
    local errors='errors=stdout:/errors ([0-9]+)/'
    measured --metric "$errors" -- echo errors 0
    holds '.conditions[0].metrics.errors | .mean == 0 and .constant and .ci == null' <out/result.json
    "$JOSTLE" slowdown --quiet --output zeros --runs 7 --load 'little=cpu --percent 5' --metric "$errors" -- echo errors 0
    holds '.slowdowns[] | select(.metric == "errors") | .ratio == null and .judgement.effect == "unknown"' <zeros/result.json
    # Of counts the differences are compared, over the median alone: 4 in place of 0 to 4.
    "$JOSTLE" slowdown --quiet --output counts --runs 12 --load 'little=cpu --percent 5' --metric "$errors" -- \
        sh -c 'read -r n <n || n=0; echo $(((n + 1) % 5)) >n; echo errors $n' 2>/dev/null
    holds '.slowdowns[] | select(.metric == "errors") | .ratio > 0 and .ci[1] > 1' <counts/result.json
    run -5 "$JOSTLE" slowdown --quiet --output rates --load 'half=cpu --percent 5' --metric "$errors,better=higher" -- echo errors 0
    run -5 --separate-stderr "$JOSTLE" slowdown --quiet --output two --statistic mean --load 'half=cpu --percent 5' --metric "$errors" -- echo errors 0
    [[ $stderr == 'jostle: the target made no figure errors: is 0, and a ratio needs more than 0: '*'see '*/two/failed/*.stdout:\ fix* ]]
}

@test "the same figure decides when to stop, and --decide says which do" {
    # It alternates between 1 and 9, the other is always 5.
    local wild='wild=stdout:/wild ([0-9]+)/' calm='calm=stdout:/calm ([0-9]+)/'
    local -a target=(sh -c 'read -r n <n; echo $((10 - n)) >n; echo wild $n; echo calm 5')
    echo 1 >n
    "$JOSTLE" run --quiet --min-runs 2 --max-runs 4 --output both --metric "$wild" --metric "$calm" -- "${target[@]}"
    "$JOSTLE" run --quiet --min-runs 2 --max-runs 4 --output one --metric "$wild" --metric "$calm" --decide calm -- "${target[@]}"
    holds '.conditions[0] | .runs == 4 and .stop_reason == "max-runs" and .metrics.wild.mean == 5' <both/result.json
    holds '.conditions[0] | .runs == 2 and .stop_reason == "error" and .metrics.calm.constant' <one/result.json
}

# bats test_tags=slow
@test "each variant may print a figure in its own way, and what only some have is missing for the others" {
    echo '{"r":4,"l":7,"e":0}' >json
    printf '%s\n' '[campaign]' 'name = c' 'min-runs = 2' 'max-runs = 2' \
        'metric = "rate=stdout:/rate ([0-9]+)/,unit=/s,better=higher"' 'metric = rate@json=jq:.r,scale=1e3' 'metric = lag@json=jq:.l,unit=ms' 'metric = errors@json=jq:.e' \
        '[target "t"]' 'variant = text=echo rate 2' "variant = json=cat $PWD/json" >c.conf
    "$JOSTLE" campaign --quiet --output out c.conf
    holds -s 'map(select(.condition == "text").metrics | map_values(.value)) == [{rate: 2}, {rate: 2}]
        and (map(select(.condition == "json").metrics | map_values(.value)) == [{rate: 4000, lag: 7, errors: 0}, {rate: 4000, lag: 7, errors: 0}])
        and all(.metric_failure == null and .metrics.rate.better == "higher")' <out/cells/*/runs.jsonl
    holds '.settings | .metric == ["rate", "lag", "errors"] and .decide == ["rate"] and .metrics[1].variant == "json" and .metrics[0].variant == null' <out/cells/*/experiment.json
    holds '[.comparisons[] | select(.metric != "wall_s") | [.metric, .ratio]] == [["rate", 0.0005]]
        and .conditions[0].metrics.lag == null and .conditions[1].metrics.lag.mean == 7
        and .conditions[1].metrics.errors.mean == 0' <out/cells/*/result.json
    command -v jsonschema >/dev/null || return 0
    is_valid experiment out/cells/*/experiment.json
}

@test "a source of a variant that is not there, or says otherwise what the metric is, is refused" {
    local rate='rate=stdout:/([0-9]+)/,better=higher'
    local -a both=(--variant 'a=touch ran' --variant 'b=touch ran')
    run -2 --separate-stderr "$JOSTLE" slowdown --metric "$rate" --metric 'rate@c=jq:.r' "${both[@]}"
    [[ $stderr == *'no variant is named c: it is one of a, b' ]]
    run -2 --separate-stderr measured --metric "$rate" --metric 'rate@c=jq:.r' -- touch ran
    [[ $stderr == *'there are no variants: give two --variant, or leave @c out' ]]
    run -2 --separate-stderr "$JOSTLE" slowdown --metric 'rate@b=jq:.r,better=lower' --metric "$rate" "${both[@]}"
    [[ $stderr == *'metric rate: better= is not the same for all variants'* ]]
    run -2 --separate-stderr "$JOSTLE" slowdown --metric 'rate@b=jq:.r' --decide rate "${both[@]}"
    [[ $stderr == *"--decide rate: variant a has no rate: "*"add --metric 'rate@a=SOURCE'" ]]
    run -2 --separate-stderr measured --metric 'rate=jq:.r,scale=0' -- touch ran
    [[ $stderr == *'scale=0: it is a number above 0, as in 1048576 or 1e-3' ]]
    [[ ! -e ran ]]
}

@test "what one variant's source says of the metric holds for the other's, also where it is what is usual" {
    local -a both=(--variant 'a=echo 1' --variant 'b=echo 2')
    run -0 --separate-stderr "$JOSTLE" slowdown --quiet --min-runs 2 --max-runs 2 --output out \
        --metric 'x@a=stdout:/([0-9]+)/,role=result,loop=unknown' --metric 'x@b=stdout:/([0-9]+)/' "${both[@]}"
    jq -s 'map(.metrics.x.value) | unique' out/runs.jsonl | holds '. == [1, 2]'
}

@test "--show-output shows what is searched, after each run" {
    run -0 --separate-stderr measured --show-output --metric 'x=stdout:/x: ([0-9]+)/' -- sh -c 'echo "x: 7"; echo said >&2'
    [[ $output == $'x: 7\nx: 7' && $stderr == *said* ]]
}

@test "what would fail in each run is refused before the first" {
    run -2 --separate-stderr measured --metric 'x=jq:.a |' -- touch ran
    [[ $stderr == "jostle: metric x: jq does not understand it: syntax error, unexpected ')'" && ! -e ran ]]
    run -2 --separate-stderr measured --metric 'x=stdout:/a/' -- touch ran
    [[ $stderr == 'jostle: '*'has 0 groups'* && ! -e ran ]]
    if "$BIN/meter" -- true | jq -e '.tree_peak_bytes == null' >/dev/null; then
        run -2 --separate-stderr measured --metric tree_peak_bytes -- touch ran
        [[ $stderr == 'jostle: metric tree_peak_bytes: this machine counts none: '* && ! -e ran ]]
    fi
    "$BIN/meter" -- true | jq -e '.counters.instructions == null' >/dev/null || skip 'this machine counts instructions'
    run -2 --separate-stderr measured --metric wall_s,instructions -- touch ran
    [[ $stderr == 'jostle: metric instructions: this machine counts none: '* || $stderr == 'jostle: metric instructions: counting is not allowed here: '* ]]
    [[ ! -e ran && ! -e out ]]
}

# over_before_jq: 0 when the load's time was the run's in its best run, which jq's time would be far beyond.
over_before_jq() {
    rm -rf out && "$JOSTLE" slowdown --quiet --min-runs 3 --max-runs 3 --output out --load 'half=cpu --percent 50 --threads 1' \
        --metric 'x=jq:[range(700000)] | length' -- echo {} &&
        jq -es 'map(select(.condition == "half")) | length > 0 and any(.load[0].elapsed_s - .wall_s < 0.1)' out/runs.jsonl
}

# bats test_tags=slow
@test "a load is over before jq begins: what it gave is of the run alone" {
    in_tries 5 over_before_jq
}

# bats test_tags=slow
@test "an event and the energy of the packages are metrics like any other; what cannot be counted here is refused first" {
    local i cap
    run -0 "$JOSTLE" slowdown --metric perf:page-faults --metric wall_s --min-runs 6 --max-runs 6 --load 'cpu --percent 5' --output events -- true
    holds '[.conditions[] | .metrics.perf_page_faults.center > 10] | all' <events/result.json
    head -n 1 events/runs.jsonl >run
    is_valid run run
    run -2 "$JOSTLE" run --metric perf:no-such --output none -- true
    [[ $output == *"'no-such' is no event here"* && ! -e none ]]
    for i in 0 1; do
        cap=$PWD/root/sys/class/powercap/intel-rapl:$i
        mkdir -p "$cap"
        printf 'package-%s\n' "$i" >"$cap/name"
        echo 262143328850 >"$cap/max_energy_range_uj"
        echo 1000000 >"$cap/energy_uj"
    done
    JOSTLE_KERNEL_ROOT=$PWD/root run -0 "$JOSTLE" run --metric energy:package --min-runs 3 --max-runs 3 --output energy -- \
        bash -c 'read -r uj <"$0"; echo $((uj + 2000000)) >"$0"' "$cap/energy_uj"
    [[ $output == *energy_package*2.0* && $output == *energy_idle_share* ]]
    holds '.settings.decide == ["energy_package"]' <energy/experiment.json
    JOSTLE_KERNEL_ROOT=$PWD/nowhere run -2 "$JOSTLE" run --metric energy:package --output none -- true
    [[ $output == *'the energy of the packages cannot be read here'* && ! -e none ]]
}
