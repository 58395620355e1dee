#!/usr/bin/env bats
# A folder of results that somebody else has made is continued: nothing outside of it is written to, whatever has the
# names that jostle chooses in it.

load helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    printf 'precious\n' >precious
}

# untouched: what is outside of the folder has kept what it held.
untouched() {
    [[ $(<precious) == precious && -z $(find . -maxdepth 1 -name 'precious?*') ]]
}

# begun: an experiment in `out` that can be continued.
begun() {
    "$JOSTLE" slowdown --quiet --output out --seed 1 --washout 0 --min-runs 2 --max-runs 2 --load 'c=cpu --percent 5 --threads 1' -- true >/dev/null
}

# continue_it: two more runs of each condition.
continue_it() {
    timeout 100 "$JOSTLE" slowdown --quiet --resume --output out --seed 1 --washout 0 --min-runs 4 --max-runs 4 \
        --load 'c=cpu --percent 5 --threads 1' -- true </dev/null >said 2>&1
}

# bats test_tags=slow
@test "an experiment that is continued writes through no link, and into no file that has a second name" {
    local name kind
    for kind in '-s' '-P'; do
        rm -rf out
        begun
        for name in meter.stderr probe.stderr load.c.stderr target.stdout target.stderr status.json; do
            ln -f "$kind" "$PWD/precious" "out/$name"
        done
        continue_it
        untouched
        [[ $(wc -l <out/runs.jsonl) -eq 8 ]]
    done
}

@test "records that are a link, a pipe, or have a second name are refused, and nothing is written there" {
    local kind
    begun
    cp -a out kept
    for kind in '-s' '-P'; do
        cp kept/runs.jsonl precious.jsonl
        ln -f "$kind" "$PWD/precious.jsonl" out/runs.jsonl
        run ! continue_it
        [[ $(grep -c . said) -eq 1 && $(<said) == 'jostle: '*out/runs.jsonl* ]]
        cmp kept/runs.jsonl precious.jsonl
    done
    rm precious.jsonl out/runs.jsonl
    mkfifo out/runs.jsonl
    run ! continue_it
    [[ $(grep -c . said) -eq 1 && $(<said) == 'jostle: '*out/runs.jsonl*'regular file'* ]]
}

# bats test_tags=slow
@test "what is torn off the records goes nowhere else" {
    local kind
    begun
    printf 'touch pwned #' >>out/runs.jsonl
    for kind in '-s' '-P'; do
        ln -f "$kind" "$PWD/precious" out/runs.jsonl.torn
        run ! continue_it
        [[ $(<said) == 'jostle: '*'runs.jsonl.torn'* ]]
        untouched
    done
    rm out/runs.jsonl.torn
    continue_it
    [[ $(<out/runs.jsonl.torn) == 'touch pwned #' ]]
}

@test "what a pipe has the name of is made anew, and nobody waits for it" {
    local name
    begun
    for name in meter.stderr load.c.stderr target.stderr; do
        rm -f "out/$name"
        mkfifo "out/$name"
    done
    continue_it
    [[ ! -p out/meter.stderr && ! -p out/load.c.stderr ]]
}

@test "the output of a failed run is put into no folder that a link leads to" {
    mkdir elsewhere
    fails() { # OPTION...
        run ! timeout 100 "$JOSTLE" run --quiet --output out "$@" --min-runs 2 --max-runs 2 --metric 'x=stdout:/x ([0-9]+)/' -- echo y
    }
    fails
    [[ -n $(ls out/failed) ]]
    rm -r out/failed
    ln -s "$PWD/elsewhere" out/failed
    fails --resume
    [[ -z $(ls elsewhere) && $(wc -l <out/runs.jsonl) -eq 2 ]]
}

@test "a cell of a campaign that is a link, or in a folder that is one, is not measured into" {
    local link
    mkdir elsewhere
    printf '[campaign]\n min-runs = 2\n max-runs = 2\n washout = 0\n[target "a"]\n command = true\n[load "l"]\n spec = cpu --percent 5\n' >c.conf
    for link in cells cells/a@l; do
        rm -rf out
        mkdir -p "out/$(dirname "$link")"
        : >out/lock # a campaign that was begun
        ln -s "$PWD/elsewhere" "out/$link"
        run ! timeout 100 "$JOSTLE" campaign c.conf --output out --quiet
        [[ $output == *'jostle: '*link* ]]
        [[ -z $(ls -A elsewhere) ]]
    done
}

@test "the page of pack, and what is noted of jobs, is written through no link" {
    printf 'text\n\0' >text
    ln -s "$PWD/precious" page.html
    "$BIN/arguments" save --record page.html <text
    untouched
    [[ ! -L page.html && $(<page.html) == text ]]
    # Each file that bash makes in a folder of records is made so; save_output is for what the user named.
    run ! grep -rnE 'save_output "\$(folder|campaign_folder|submit_folder)' "$ROOT/harness" "$ROOT/jobs"
}
