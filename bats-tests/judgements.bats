#!/usr/bin/env bats
# bats file_tags=slow
# One judgement of each ratio: sentences, tables, marks, bold, exports and JSON say the same.

load helpers
load report

@test "all formats say of each ratio of a hundred records what its judgement says" {
    local record number=0
    cd "$BATS_TEST_TMPDIR"
    while IFS= read -r record; do
        mkdir -p "all/e$((number += 1))"
        cp "${record%/*}/"{experiment.json,runs.jsonl} "all/e$number/"
    done < <(find "$ROOT/results/reference" -name experiment.json | sort)
    ((number > 80))
    "$BIN/stats" --derive all/*
    "$ROOT/bats-tests/judgements.py" all "$JOSTLE" report --quiet
}

# A load that hardly arrived, runs that timed out, constants: what has no ordinary interval has a sentence all the same.
@test "the first line is what the record says where there is no ordinary interval" {
    cd "$BATS_TEST_TMPDIR"
    local XDG_CACHE_HOME=$PWD/cache
    export XDG_CACHE_HOME
    first() { "$JOSTLE" report --quiet "$1" | sed -n 3p; }
    "$JOSTLE" run --quiet --runs 6 --ignore-failure --timeout 100ms --output late -- sleep 20
    [[ $(first late) =~ ^'It takes at least '[0-9.]+' ms: 6 of 6 runs ran into the time-out.'$ ]]
    "$JOSTLE" run --quiet --runs 15 --output pages --metric 'pages=stdout:/pages ([0-9]+)/' -- echo pages 100
    [[ $(first pages) == 'pages is 100 in all 15 runs.' ]]
    # The target waits only where the load runs.
    "$JOSTLE" slowdown --quiet --runs 6 --ignore-failure --timeout 500ms --output hung --load 'held=exec: flock held sleep 1000' -- \
        sh -c 'flock held true; sleep 0.05'
    [[ $(first hung) =~ ^'Beside held '.*' it takes at least '[0-9.]+' times as long: 6 of 6 runs ran into the time-out.'$ ]]
    "$JOSTLE" slowdown --quiet --runs 6 --output more --metric 'pages=stdout:/pages ([0-9]+)/' --load 'held=exec: flock held sleep 1000' -- \
        sh -c 'flock --nonblock held echo pages 100 || echo pages 120'
    [[ $(first more) == 'Beside held '*' pages is 120 in all runs, and 100 alone.' ]]
    # Two groups of pairs: in 12 of 30 blocks the load makes it slower than in the others.
    cat >grouped <<'EOF'
flock --nonblock held echo pages $((100 + RANDOM % 3)) && exit
echo x >>slow
echo pages $((($(wc -l <slow) % 5 < 2 ? 40 : 80) + RANDOM % 2))
EOF
    "$JOSTLE" slowdown --quiet --runs 30 --output groups --metric 'pages=stdout:/pages ([0-9]+)/,better=higher' --load 'held=exec: flock held sleep 1000' -- \
        bash grouped
    [[ $(first groups) =~ ' pages is 0.'[78][0-9]' times as high in 18 of 30 runs, 0.'[34][0-9]' times in 12; typically about 0.'|' pages is 0.'[78][0-9]' times as high in 18 of 30 runs, 0.'[34][0-9]' times in 12; typically 0.' ]]
}
