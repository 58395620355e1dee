#!/usr/bin/env bats
# The Makefile's promises to a user: help, deps, install.

load helpers

@test "make help lists every target with what it does" {
    run -0 make -C "$ROOT" help
    local target
    for target in all deps deps-test demo test check check-quick lint format sanitize bench simulate man install clean; do
        grep -qE "^  make $target +[a-z]" <<<"$output"
    done
}

@test "make deps has nothing to do where everything is there" {
    run -0 "$ROOT/packaging/install-deps" --check
    [[ -z $output ]]
}

@test "what building and running needs is no daemon, no browser, no TeX, no linter and no test" {
    local package
    local -a needed
    mapfile -t needed < <(awk -F'|' '$3 == "needed" { print $1 }' "$ROOT/packaging/install-deps")
    [[ ${#needed[@]} -ge 10 ]]
    for package in slurmctld slurmd munge chromium texlive-latex-base shellcheck shfmt clang-format bats gnuplot-nox; do
        [[ " ${needed[*]} " != *" $package "* ]]
    done
}

@test "make demo needs what building and running needs, and nothing else" {
    run -0 make -n -C "$ROOT" demo
    [[ $output == *packaging/install-deps* && $output != *'install-deps test'* ]]
}

@test "without root and without sudo, what is missing is named with how to get it" {
    # A PATH on which nothing but the essentials can be found.
    mkdir "$BATS_TEST_TMPDIR/bin"
    local tool
    for tool in bash env id cat dirname; do
        ln -s "$(type -P "$tool")" "$BATS_TEST_TMPDIR/bin/$tool"
    done
    run -1 env PATH="$BATS_TEST_TMPDIR/bin" "$ROOT/packaging/install-deps" --check
    [[ $output == *'jostle: jq is missing ('*'): apt-get install jq'* ]]
    [[ $output != *'fio is missing'* ]]
    run -1 env PATH="$BATS_TEST_TMPDIR/bin" "$ROOT/packaging/install-deps" --check test bench
    [[ $output == *'jostle: fio is missing ('* && $output == *'jostle: bats is missing ('* ]]
}

@test "installing a daemon's package starts no service" {
    [[ $(id -u) -eq 0 ]] || skip 'needs root'
    export JOSTLE_POLICY=$BATS_TEST_TMPDIR/policy-rc.d
    # An apt-get that looks at the policy while it installs.
    mkdir "$BATS_TEST_TMPDIR/bin"
    printf '#!/bin/sh\n[ "$1" != install ] || { "%s"; echo $? >"%s"; }\n' "$JOSTLE_POLICY" "$BATS_TEST_TMPDIR/policy" >"$BATS_TEST_TMPDIR/bin/apt-get"
    chmod +x "$BATS_TEST_TMPDIR/bin/apt-get"
    run env PATH="$BATS_TEST_TMPDIR/bin:/usr/bin:/bin" bash -c 'source <(sed "/^main /d" "$0"); install_packages munge' "$ROOT/packaging/install-deps"
    # `env` finds the made-up one first.
    [[ $(cat "$BATS_TEST_TMPDIR/policy") == 101 ]]
    [[ ! -e $JOSTLE_POLICY ]]
}

@test "make format changes nothing in sources that lint accepts" {
    run -0 make -n -C "$ROOT" format
    [[ $output == *'.ci/lint --fix'* ]]
}

@test "an installed jostle works from its prefix alone" {
    run -0 make -C "$ROOT" install BUILD="$BUILD" PREFIX="$BATS_TEST_TMPDIR/prefix"
    cd "$BATS_TEST_TMPDIR"
    unset JOSTLE_BUILD
    run -0 prefix/bin/jostle slowdown --output out --max-runs 2 --load 'low=cpu --percent 5' -- true
    [[ $output == *'Records: '* ]]
    run -0 prefix/bin/loadgen --help
    local file
    for file in share/man/man1/jostle.1 share/bash-completion/completions/jostle share/zsh/site-functions/_jostle \
        share/doc/jostle/LICENSE share/doc/jostle/README.md share/doc/jostle/docs/statistics.md \
        share/jostle/schema/jostle.run.schema.json; do
        [[ -s prefix/$file ]]
    done
    [[ -z $(find prefix -name '*.[ch]') ]]
    "$BATS_TEST_TMPDIR/prefix/bin/jostle" adapters pgbench | diff "$ROOT/harness/adapters/pgbench" -
}

@test "an install where one may not write is refused with a way out" {
    touch "$BATS_TEST_TMPDIR/file"
    run ! "$ROOT/packaging/install" "$BATS_TEST_TMPDIR/file/x" "$BUILD"
    [[ $output == *'cannot write below'*'choose another PREFIX'* ]]
}
