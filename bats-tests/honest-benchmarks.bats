#!/usr/bin/env bats
# Each mistake of docs/honest-benchmarks.md, made on purpose: the warning comes. Small and short:
# the figures are in the page.
# shellcheck disable=SC2154 # bats sets stderr

load helpers.bash

setup() {
    cd "$BATS_TEST_TMPDIR" || return
}

@test "mistakes 1 and 2: what reached no disk is named, by the device's own counters" {
    run -0 --separate-stderr "$BIN/loadgen" io --random --read --sparse --block-size 64K --file-size 16M --dir . --threads 1 --duration 50ms
    [[ $stderr == *'the work file is sparse, with data for 0.0 % of its size, and holes are read from no disk'* ]]
    run -0 --separate-stderr "$BIN/loadgen" io --sequential --write --sync none --file-size 16M --dir . --threads 1 --duration 50ms
    [[ $stderr == *'--sync none: writes counted when the page cache had them'* ]]
}

@test "mistake 3: a first run that warms a cache is named, and a disk in memory is refused" {
    "$JOSTLE" run --quiet --min-runs 8 --max-runs 8 --output out -- sh -c 'test -e warm || sleep 2; : >warm'
    holds 'any(.warnings[]; .flag == "warm-up") and any(.warnings[]; .flag == ("not-converged", "foreign-load") and .severity == "problem")' <out/result.json
    [[ $(stat -f -c %T /dev/shm) == tmpfs ]] || skip '/dev/shm is not in memory'
    run -2 --separate-stderr "$BIN/loadgen" io --dir /dev/shm --file-size 16M --duration 50ms
    [[ $stderr == *'/dev/shm is in memory (tmpfs): a load there reaches no disk'* ]]
}

@test "mistakes 4 and 5: a cache, and what a prefetcher foresees, are not sold as memory" {
    "$BIN/loadgen" mem --kernel triad --footprint 256K --threads 1 --duration 50ms --json | tail -n 1 >summary
    holds '.problems == ["cache-sized"] and .cache_margin < 1' <summary
    run -0 "$BIN/loadgen" mem --read --sequential --block-size 1 --footprint 16M --threads 1 --duration 50ms
    [[ $output == *'dependent loads of the next word, which a prefetcher can foresee'* ]]
    run -0 "$BIN/loadgen" mem --read --random --block-size 1 --footprint 16M --threads 1 --duration 50ms
    [[ $output == *'dependent loads of random lines'* && $output != *foresee* ]]
}

@test "mistake 6: more threads than CPUs are no scaling" {
    mkdir bench
    bench_plan cpu --threads 1,1000 --expand bench
    "$BIN/bench" --show bench | holds '[.parts[0].rows[] | select(any(.problems[]; .flag == "beyond-cpus")) | .labels.threads] | unique == ["1000"]'
}

@test "mistake 7: a loop that the compiler has removed takes as long for ten thousand times the work" {
    printf '%s\n' '#include <stdlib.h>' 'int main(int argc, char **argv) {' 'double sum = 0;' \
        'for (long i = argc > 1 ? atol(argv[1]) : 0; i > 0; i--) sum += 1.0 / (double)i;' 'return 0; }' >loop.c
    "${CC:-cc}" -O2 -o removed loop.c
    "$JOSTLE" run --quiet --min-runs 3 --max-runs 3 --timeout 10s --output out -L n 100000000,1000000000000 './removed {n}'
    holds '[.comparisons[] | select(.metric == "wall_s")] | length == 1' <out/result.json
    # The quickest of each three: a run that was held up is no work either.
    holds -s 'group_by(.condition) | map(map(.wall_s) | min) | length == 2 and max / min < 100' <out/runs.jsonl
}

@test "mistake 8: one run has no error, and says so" {
    "$JOSTLE" run --quiet --max-runs 1 --output out -- true
    holds '.conditions[0].wall_s.ci == null and any(.warnings[]; .flag == "not-converged" and (.message | startswith("not known after 1 run")))' <out/result.json
}
