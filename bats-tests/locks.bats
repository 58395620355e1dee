#!/usr/bin/env bats
# Locks on records: what happens on file systems that have none, or those of NFS, and when
# two programs want one folder at the same moment.

load helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    printf '[campaign]\n    name = locks\n    min-runs = 2\n    max-runs = 2\n[target "a"]\n    n = 1 2\n    command = true {n}\n' >c.conf
}

# with KIND COMMAND...: runs it where flock is of that kind.
with() {
    cc -shared -fPIC -o flock.so "$BATS_TEST_DIRNAME/fixtures/flock.c"
    asan_option verify_asan_link_order=0
    FLOCK=$1 LD_PRELOAD=$PWD/flock.so "${@:2}"
}

@test "a campaign is measured on a file system without locks, which is said" {
    run -0 with none "$JOSTLE" campaign c.conf --output out
    [[ $output == *'files cannot be locked there'* && $output != *'being measured by another'* ]]
    holds -s 'length == 2 and all(.[]; .state == "done")' < <(cat out/cells/*/status.json)
}

@test "a bench does not empty the folder of another one where that cannot be locked" {
    mkdir -m 700 "jostle-bench.$EUID"
    touch "jostle-bench.$EUID/of-another"
    run -1 with none "$JOSTLE" bench disk --quick --dir . --output out
    [[ $output == *"jostle: $PWD/jostle-bench.$EUID is there, and cannot be locked: "* ]]
    [[ -e jostle-bench.$EUID/of-another ]]
}

# bats test_tags=slow
@test "tasks share a campaign where a lock must be of the kind that the file was opened for" {
    run -0 with nfs "$JOSTLE" campaign c.conf --output out
    run -0 with nfs "$JOSTLE" campaign c.conf --output out --cells 1
    [[ $output != *'cannot be locked'* ]]
    run -0 with nfs "$JOSTLE" run --quiet --min-runs 2 --max-runs 2 --output one -- true
    [[ -z $output ]]
}

@test "of two that begin to measure into one folder at the same moment, one is refused" {
    local stamp
    "$BIN/experiment" run --output out --resume -- true >plan
    stamp=$(tr '\0' '\n' <plan | sed -n '/^written$/{n;p}')
    [[ -n $stamp ]]
    "$BIN/experiment" run --output out --resume -- false >/dev/null # before the first one's conduct has the lock
    run -1 "$BIN/conduct" --written "$stamp" out </dev/null
    [[ $output == *$'failed\t-\tanother jostle has begun to measure into '* ]]
    "$BIN/experiment" run --output out --resume -- true >plan
    stamp=$(tr '\0' '\n' <plan | sed -n '/^written$/{n;p}')
    run -0 "$BIN/conduct" --written "$stamp" out </dev/null
}
