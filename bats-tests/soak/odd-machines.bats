#!/usr/bin/env bats
# A whole measurement on each odd machine by itself: what `make test` has several at a time.

load ../helpers
load ../odd-machines

setup() {
    # Not below /tmp, which some machines lack.
    ODD=$(mktemp -d /var/tmp/jostle-odd.XXXXXX)
    chmod 755 "$ODD"
}

teardown() {
    rm -rf -- "$ODD"
}

# on_each MACHINE...: a whole experiment on each; its records fit the schemas, and doctor says
# what it finds.
on_each() {
    local name failed=''
    for name in "$@"; do
        odd_machine "$name"
        if ! odd_experiment "$ODD/$name" >"$ODD/said" 2>&1 || ! odd_records "$ODD/$name"; then
            printf '%s:\n%s\n' "$name" "$(<"$ODD/said")"
            failed+=" $name"
        fi
    done
    [[ -z $failed ]]
}

# odd_records FOLDER: doctor there, and the schemas.
odd_records() {
    "${IN[@]}" "$JOSTLE" doctor --quick >"$1/doctor" 2>>"$ODD/said" && grep -q ' findings: ' "$1/doctor" &&
        jsonschema -i "$1/records/result.json" "$ROOT/results/schema/jostle.result.schema.json" >>"$ODD/said" 2>&1 &&
        jsonschema -i "$1/json" "$ROOT/results/schema/jostle.report.schema.json" >>"$ODD/said" 2>&1
}

@test "other kernels and machines" {
    on_each usual one-cpu no-sys no-psi no-cgroups no-io-uring no-perf old-kernel other-topology small-stack idle
}

@test "other users and folders" {
    on_each unknown-user hidden-processes noexec-tmp no-home read-only-home private-files no-stdin ignored-signals
}

@test "other environments" {
    on_each decimal-comma turkish c-locale time-zone ifs posixly-correct bash-env cdpath grep-options git jq-home shell-options \
        shell-functions empty-environment
}

@test "blanks in TMPDIR" {
    on_each blanks-in-tmpdir
}
