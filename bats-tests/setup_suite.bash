# shellcheck shell=bash
# What all files of a run share (serve.py): the validator of is_valid, and a Chromium. Who asks before one is ready starts his own.

setup_suite() {
    "$BATS_TEST_DIRNAME/schemas.py" "$BATS_RUN_TMPDIR/schemas" </dev/null >/dev/null 2>&1 3>&- 4>&- &
    SERVERS=("$!")
    TMPDIR=$BATS_RUN_TMPDIR "$BATS_TEST_DIRNAME/chromium-page.py" --serve "$BATS_RUN_TMPDIR/chromium" </dev/null >/dev/null 2>&1 3>&- 4>&- &
    SERVERS+=("$!")
}

teardown_suite() {
    kill "${SERVERS[@]}" 2>/dev/null || true
    wait
}
