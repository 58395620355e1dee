# shellcheck shell=bash
# What all files of a run share: the validator of is_valid (helpers.bash). Who asks before it is ready starts one of his own.

setup_suite() {
    "$BATS_TEST_DIRNAME/schemas.py" "$BATS_RUN_TMPDIR/validator" </dev/null >/dev/null 2>&1 3>&- 4>&- &
    SCHEMAS=$!
}

teardown_suite() {
    kill "$SCHEMAS" 2>/dev/null || true
}
