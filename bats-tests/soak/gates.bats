#!/usr/bin/env bats
# Gates of two seconds beside four busy loops, which leave bash, stats and the loads no CPU when they would have it:
# they decide or do not, and never fail. More of them: JOSTLE_GATES=300.

load ../helpers
bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
    busy=()
}

teardown() {
    ((${#busy[@]} == 0)) || kill "${busy[@]}" 2>/dev/null || true
}

@test "forty gates beside busy loops end with an answer, and none with words of bash" {
    local i code
    for i in 1 2 3 4; do
        timeout 1h sh -c 'while :; do :; done' 3>&- &
        busy+=("$!")
    done
    for ((i = 0; i < ${JOSTLE_GATES:-40}; i++)); do
        code=0
        "$JOSTLE" slowdown --quiet --output "gate$i" --max-time 2s --at-most 1.05 --variant 'old=sleep 0.002' --variant 'new=sleep 0.0020' \
            --load 'c=cpu --percent 10' </dev/null >said 2>errors || code=$?
        [[ $code == [034] ]] || { cat errors && return 1; }
        if grep -E 'unbound variable|line [0-9]+:' errors; then return 1; fi
        rm -r "gate$i"
    done
}
