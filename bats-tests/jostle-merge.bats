#!/usr/bin/env bats
# jostle merge: campaign folders from several nodes become one, nothing lost,
# nothing invented.

load helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return
}

# cell DIR NUMBER NAME KEY LINE...: a cell with LINEs as its records; the
# campaign.json of DIR is made to list it.
cell() {
    local dir=$1 number=$2 name=$3 key=$4
    shift 4
    mkdir -p "$dir/cells/$name"
    jq -n --arg name "$name" --arg key "$key" '{ schema: "jostle.experiment/1", cell: { name: $name, key: $key } }' >"$dir/cells/$name/experiment.json"
    printf '%s\n' "$@" >"$dir/cells/$name/runs.jsonl"
    [[ -e $dir/campaign.json ]] || printf '{"schema":"jostle.campaign/1","name":"%s","file":"f","settings":{"error":"0.05"},"cells":[]}\n' "${dir%%[0-9]*}" >"$dir/campaign.json"
    jq -c --argjson number "$number" --arg name "$name" --arg key "$key" '.cells += [{ number: $number, name: $name, key: $key }]' \
        "$dir/campaign.json" >"$dir/new"
    mv "$dir/new" "$dir/campaign.json"
    printf '[campaign]\n' >"$dir/campaign.conf"
}

# content DIR: every file of a folder with its checksum.
content() {
    (cd "$1" && find . -type f -exec sha256sum {} + | sort)
}

# listing DIR: all that is in a folder, what it is, its mode and time.
listing() {
    (cd "$1" && find . -mindepth 1 -printf '%p %y %m %T@ %l\n' | sort)
}

# bats test_tags=slow
@test "cells of several folders come together, with their records as they are" {
    cell a1 1 'x@l' k1 one two
    cell a2 2 'y@l' k2 three
    cell a3 3 "odd name%+'q'" k3 four
    run "$JOSTLE" merge a1 a2 a3 --output all
    [[ $status -eq 0 && $output == *'3 cells'* ]]
    cmp all/cells/x@l/runs.jsonl a1/cells/x@l/runs.jsonl
    cmp all/cells/y@l/runs.jsonl a2/cells/y@l/runs.jsonl
    cmp "all/cells/odd name%+'q'/runs.jsonl" "a3/cells/odd name%+'q'/runs.jsonl"
    holds '.schema == "jostle.campaign/1" and .name == "a" and [.cells[].number] == [1, 2, 3] and [.cells[].key] == ["k1", "k2", "k3"]' <all/campaign.json
    [[ -e all/campaign.conf ]]
}

@test "the same cell twice is taken once, and the order of folders changes no byte" {
    cell a1 1 x k1 one
    cell a1 2 y k2 two
    cell a2 1 x k1 one
    cell a2 2 z k3 three
    "$JOSTLE" merge a1 a2 --output all >said
    grep -q '3 cells, 1 of them found in several folders' said
    "$JOSTLE" merge a2 a1 a2 --output again >/dev/null
    diff <(content all) <(content again)
}

@test "where one continues the other's records, the longer is taken" {
    cell a1 1 x k1 one
    cell a2 1 x k1 one two three
    cell a3 1 x k1 one two
    "$JOSTLE" merge --output all a1 a2 a3 --quiet
    cmp all/cells/x/runs.jsonl a2/cells/x/runs.jsonl
    "$JOSTLE" merge --output other a3 a2 --quiet
    cmp other/cells/x/runs.jsonl a2/cells/x/runs.jsonl
}

@test "cells that differ are named and refused, and nothing is made" {
    cell a1 1 x k1 one two
    cell a1 2 y k2 three
    cell a2 1 x k1 one other
    cell a3 2 y k9 three
    run "$JOSTLE" merge a1 a2 a3 --output all
    [[ $status -eq 1 && ! -e all ]]
    [[ $output == *'x: measured twice, with different records: a1/cells/x and a2/cells/x'* ]]
    [[ $output == *'y: not the same experiment: a1/cells/y and a3/cells/y'* ]]
    [[ $output == *'2 cells differ'*--prefer* ]]
    [[ -z $(find . -name '*.part*') ]]
}

@test "--prefer says which of two that differ is taken" {
    cell b 1 x k1 old
    cell a 1 x k1 new
    touch -d '2020-01-01' b/cells/x/runs.jsonl
    "$JOSTLE" merge b a --output first --prefer first --quiet
    [[ $(<first/cells/x/runs.jsonl) == old ]]
    "$JOSTLE" merge b a --output newest --prefer newest --quiet
    [[ $(<newest/cells/x/runs.jsonl) == new ]]
}

@test "different campaigns are joined by name, and without a file to resume from" {
    cell a1 1 x k1 one
    cell b1 1 y k2 two
    printf '# other\n' >>b1/campaign.conf
    "$JOSTLE" merge b1 a1 --output all --quiet
    [[ ! -e all/campaign.conf ]]
    holds '.name == "a+b" and [.cells[] | [.number, .name]] == [[1, "x"], [2, "y"]]' <all/campaign.json
}

@test "what is copied keeps its mode and time; links, pipes and devices are left out, and said to be" {
    cell a1 1 x k1 one
    mkdir a1/cells/x/more
    printf 'inner\n' >a1/cells/x/more/file
    head -c 300000 /dev/urandom >a1/cells/x/more/large
    ln a1/cells/x/more/file a1/cells/x/second
    chmod 640 a1/cells/x/runs.jsonl
    chmod 555 a1/cells/x/more
    touch -d '2020-01-01' a1/cells/x/more/file a1/cells/x/more a1/cells/x
    listing a1/cells >before
    cp -a a1 a2
    ln -s more/file a1/cells/x/link
    ln -s "$PWD/before" a1/cells/x/out
    mkfifo a1/cells/x/pipe
    [[ $EUID -ne 0 ]] || mknod a1/cells/x/device c 1 3 || :
    touch -d '2020-01-01' a1/cells/x
    timeout 20 "$JOSTLE" merge a1 --output all --quiet 2>said
    # The time of the folder that something was taken out of is a later one.
    diff <(grep -v '^./x d' before) <(listing all/cells | grep -v '^./x d')
    diff <(content a2/cells) <(content all/cells)
    [[ $(grep -c . said) -eq 1 && $(<said) == 'jostle: '[34]' links, pipes or devices are left out, such as x/'* ]]
    # No file of the copy is one with another.
    [[ -z $(find all/cells -type f -links +1) ]]
    chmod -R u+w .
}

@test "what runs as its owner, or has further rights, is a plain file in the copy" {
    cell a1 1 x k1 one
    cp "$(type -P true)" a1/cells/x/program
    chmod 6755 a1/cells/x/program
    mkdir -m 1777 a1/cells/x/more
    "$JOSTLE" merge a1 --output all --quiet
    [[ $(stat -c %a all/cells/x/program) == 755 && $(stat -c %a all/cells/x/more) == 777 ]]
}

@test "what was merged is a copy: a run that is added to it is not in the folder that it is from" {
    cell a1 1 x k1 one
    "$JOSTLE" merge a1 --output all --quiet
    printf 'two\n' >>all/cells/x/runs.jsonl
    [[ $(<a1/cells/x/runs.jsonl) == one ]]
}

@test "records that cannot be copied are named, and nothing is left" {
    cell a1 1 x k1 one
    cell a1 2 y k2 two
    mkdir full all.part.mine
    [[ -w /proc/self/uid_map && $EUID -eq 0 ]] || skip 'needs root, to have a full disk'
    # shellcheck disable=SC2016 # expanded by the shell in the name space
    unshare -m sh -c 'mount -t tmpfs -o size=64k none full && head -c 60k /dev/zero >full/much; "$0" merge a1 --output full/all; echo "$?" >status; ls full >left' \
        "$JOSTLE" 2>said || skip 'nothing can be mounted'
    [[ $(<status) == 1 && $(<left) == much ]]
    grep -q 'jostle: .*No space left on device.*: make room' said
}

# bats test_tags=slow
@test "whatever ends it while it copies, nothing is left" {
    local signal status
    cell a1 1 x k1 one
    mkdir bin tmp all.part.mine
    # It writes as long as it lives: cp -a --reflink=auto -t FOLDER.
    printf '#!/bin/sh\ntouch "%s/began"\nwhile :; do mkdir -p "$4"; sleep 0.01; done\n' "$PWD" >bin/cp
    chmod +x bin/cp
    for signal in HUP TERM KILL; do
        TMPDIR=$PWD/tmp PATH=$PWD/bin:$PATH "$JOSTLE" merge a1 --output all 3>&- &
        eventually 30 test -e began
        # shellcheck disable=SC2046 # words
        kill -s "$signal" $(below "$!" bash)
        wait "$!" || status=$?
        [[ $status -eq $((128 + $(kill -l "$signal"))) && $(echo all*) == all.part.mine && -z $(ls tmp) ]]
        rm began
    done
}

@test "wrong use is refused" {
    cell a1 1 x k1 one
    mkdir nothing
    run -2 "$JOSTLE" merge --output all
    run -2 "$JOSTLE" merge a1
    run -2 "$JOSTLE" merge a1 nothing --output all
    run -2 "$JOSTLE" merge a1 none --output all
    run -2 "$JOSTLE" merge a1 --output all --prefer oldest
    run -2 "$JOSTLE" merge a1 --output a1
    [[ $output == *'not empty'* ]]
}
