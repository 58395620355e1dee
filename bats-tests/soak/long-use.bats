#!/usr/bin/env bats
# Hours of use. Shorter or longer: LONG_CYCLES, LONG_DRIFT_S, LONG_MARKS, LONG_CELLS and LONG_RUNS.

load ../helpers
load ../loadgen
load ../long-use

@test "two hours of resumes and pauses of each load: memory, descriptors, threads and processes stay" {
    long_keeps_sizes "${LONG_CYCLES:-2000}"
}

@test "ten thousand marks on one load" {
    long_answers_marks "${LONG_MARKS:-10000}"
}

@test "ten minutes of each rate, and of a replay, against the clock" {
    long_keeps_rates "${LONG_DRIFT_S:-600}"
}

@test "a campaign of two thousand cells: the last takes what the first does, and so do status and report by the cell" {
    local cells=${LONG_CELLS:-2000} first n
    cd "$BATS_TEST_TMPDIR"
    long_campaign "$cells" many.conf
    "$JOSTLE" campaign --quiet --output out many.conf
    [[ $(find out/cells -name result.json | wc -l) -eq $cells ]]
    # CPU time, as others use the machine, too: of the last 20 again, less that of none, and of 20 alone.
    cpu_ms "$JOSTLE" campaign --quiet --output out many.conf
    first=$REPLY
    # There is nothing left to do, which is found out at once.
    ((first < 5 * cells))
    for ((n = cells - 19; n <= cells; n++)); do rm -r "out/cells/t.n=$n@none"; done
    cpu_ms "$JOSTLE" campaign --quiet --output out many.conf
    n=$((REPLY - first))
    long_campaign 20 few.conf
    cpu_ms "$JOSTLE" campaign --quiet --output alone few.conf
    printf '20 cells take %d ms of CPU time, and %d ms as the last of %d\n' "$REPLY" "$n" "$cells"
    ((n < 2 * REPLY))
    "$JOSTLE" status out | grep -q "$cells cells: $cells done"
    mkdir -p few/cells
    cp -r out/cells/t.n=1?@none few/cells
    cp out/campaign.* few
    cpu_ms "$JOSTLE" report few
    first=$REPLY
    cpu_ms "$JOSTLE" report out
    printf 'the report of 10 cells takes %d ms of CPU time, that of %d cells %d ms\n' "$first" "$cells" "$REPLY"
    ((REPLY < first * cells / 10))
}

@test "ten thousand runs in one experiment: the last take what the first do, and it is resumed" {
    local runs=${LONG_RUNS:-10000} first resumed
    local -a measure=("$JOSTLE" run --quiet --error 0.0001% --min-runs 2 --output "$BATS_TEST_TMPDIR/out")
    # CPU time, as others use the machine, too.
    cpu_ms "${measure[@]}" --max-runs $((runs / 10)) -- true
    first=$REPLY
    "${measure[@]}" --resume --max-runs "$runs" -- true
    [[ $(wc -l <"$BATS_TEST_TMPDIR/out/runs.jsonl") -eq $runs ]]
    cpu_ms "${measure[@]}" --resume --max-runs $((runs + 10)) -- true
    resumed=$REPLY
    cpu_ms "${measure[@]}" --resume --max-runs $((runs + 10 + runs / 10)) -- true
    [[ $(wc -l <"$BATS_TEST_TMPDIR/out/runs.jsonl") -eq $((runs + 10 + runs / 10)) ]]
    printf '%d runs take %d ms of CPU time, and %d ms after %d, which are resumed in %d ms\n' \
        $((runs / 10)) "$first" $((REPLY - resumed)) "$runs" "$resumed"
    ((REPLY - resumed < 2 * first))
    ((resumed < 1000 + runs))
}

@test "minutes of allocations of very different sizes stay within the memory that was checked for" {
    local allocator size i most room
    local -a pid=()
    for allocator in jemalloc glibc; do
        for size in 16-4M 64-64K; do
            "$BIN/loadgen" alloc --allocator "$allocator" --threads 1 --live 64M --size "$size" --sched idle --json --duration "${LONG_ALLOC_S:-300}" \
                >"$BATS_TEST_TMPDIR/$allocator.$size" 3>&- &
            pid+=("$!")
        done
    done
    while [[ -e /proc/${pid[0]}/exe ]]; do
        for i in "${pid[@]}"; do
            most=$(awk '/^VmHWM/ { print $2 * 1024 }' "/proc/$i/status" 2>/dev/null) || true
            [[ -z $most ]] || printf '%s' "$most" >"$BATS_TEST_TMPDIR/peak.$i"
        done
        sleep 1
    done
    wait
    i=0
    for allocator in jemalloc glibc; do
        for size in 16-4M 64-64K; do
            room=$(jq -s '.[0].room_bytes' "$BATS_TEST_TMPDIR/$allocator.$size")
            most=$(cat "$BATS_TEST_TMPDIR/peak.${pid[i]}")
            i=$((i + 1))
            printf '%s, %s: %d MiB of %d MiB\n' "$allocator" "$size" $((most >> 20)) $((room >> 20))
            ((most <= room))
        done
    done
}
