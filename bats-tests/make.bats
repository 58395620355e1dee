#!/usr/bin/env bats
# The Makefile's promises to a user: help, deps, install.

load helpers

@test "make help lists every target with what it does" {
    run -0 make -C "$ROOT" help
    local target
    for target in all deps demo test sanitize bench coverage install clean; do
        grep -qE "^  make $target +[a-z]" <<<"$output"
    done
}

@test "make deps has nothing to do where everything is there" {
    run -0 "$ROOT/harness/install-deps" --check
}

@test "without root and without sudo, what is missing is named with how to get it" {
    # A PATH on which nothing but the essentials can be found.
    mkdir "$BATS_TEST_TMPDIR/bin"
    local tool
    for tool in bash env awk id cat dirname; do
        ln -s "$(type -P "$tool")" "$BATS_TEST_TMPDIR/bin/$tool"
    done
    run -1 env PATH="$BATS_TEST_TMPDIR/bin" "$ROOT/harness/install-deps" --check
    [[ $output == *'jostle: jq is missing (required, '*'): apt-get install jq'* ]]
    [[ $output == *'jostle: fio is missing (optional, '* ]]
}

@test "an installed jostle works from its prefix alone" {
    run -0 make -C "$ROOT" install BUILD="$BUILD" PREFIX="$BATS_TEST_TMPDIR/prefix"
    cd "$BATS_TEST_TMPDIR"
    unset JOSTLE_BUILD
    run -0 prefix/bin/jostle slowdown --output out --max-runs 2 --load 'low=cpu --percent 5' -- true
    [[ $output == *'Records: '* ]]
    run -0 prefix/bin/loadgen --help
}

@test "an install where one may not write is refused with a way out" {
    touch "$BATS_TEST_TMPDIR/file"
    run ! "$ROOT/harness/install" "$BATS_TEST_TMPDIR/file/x" "$BUILD"
    [[ $output == *'cannot write below'*'choose another PREFIX'* ]]
}
