#!/usr/bin/env bats
# Whatever ends an experiment, at whatever moment: nothing is left, and the records so far are whole.
# bats-tests/soak/chaos.bats does this twenty times as often.

load helpers

# bats test_tags=slow
@test "ten experiments ended at random leave no process, file, control group or broken record" {
    run "$BATS_TEST_DIRNAME/chaos" 10
    printf '%s\n' "$output"
    [[ $status -eq 0 ]]
}
