#!/usr/bin/env bats
# Each command that writes, on a disk with one more KiB of room each time, until it has enough: so that each
# of its writes is the one that fails. And experiments that a power cut ends at random moments.

# shellcheck disable=SC2317 # the functions are called by another bash
load ../helpers
load ../small-disk

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    small_disk disk
    # What a power cut leaves is not for the user's /tmp.
    mkdir temporary
    export XDG_CACHE_HOME=$PWD/cache TMPDIR=$PWD/temporary
}

teardown() {
    small_disk_end
}

# said FILE: what is no progress of a campaign's cells.
said() {
    grep -vE '^ *[0-9]+/[0-9]+ |no steady state|pairs, but no profiles' "$1"
}

# WALK_STEP: KiB more each time, where time is short.
# walk MOST COMMAND...: COMMAND with 0, 1, 2 ... MOST KiB of room, then once more with enough of it. It is told
# with AGAIN=1 that it is to continue.
walk() {
    local kib status ended=0 file most=$1
    for ((kib = 0; kib <= most && ended < 3; kib += ${WALK_STEP:-1})); do
        small_disk_room
        rm -rf disk/* before
        small_disk_leave "$kib"
        status=0
        AGAIN='' timeout 120 "${@:2}" >out 2>err </dev/null || status=$?
        [[ $status -lt 124 || $status -eq 125 ]]
        small_disk_clean || return
        mkdir before
        while IFS= read -r file; do
            whole_lines "$file" || return
            cp "$file" "before/${file//\//_}"
        done < <(find disk -name '*.jsonl')
        small_disk_room
        if [[ $status -eq 0 ]]; then
            ended=$((ended + 1))
            continue
        fi
        ended=0
        said err >words || true
        one_line words || {
            printf 'with %d KiB: status %d\n' "$kib" "$status" >&2
            return 1
        }
        grep -qE 'No space left|disk may be full|disk is full' words || {
            printf 'with %d KiB: %s\n' "$kib" "$(<words)" >&2
            return 1
        }
        AGAIN=1 timeout 120 "${@:2}" >out 2>err </dev/null || {
            printf 'with %d KiB, again: %s\n' "$kib" "$(<err)" >&2
            return 1
        }
        while IFS= read -r file; do
            [[ ! -e before/${file//\//_} || $file != *runs.jsonl ]] ||
                cmp "before/${file//\//_}" <(head -c "$(stat -c %s "before/${file//\//_}")" "$file") || return
        done < <(find disk -name '*.jsonl')
    done
    [[ $ended -eq 3 ]]
}

export low='low=cpu --percent 5 --threads 1'

@test "slowdown" {
    measure() { "$JOSTLE" slowdown --output disk/out --json disk/json --quiet --seed 1 --washout 0 --min-runs 3 --max-runs 3 --load "$low" ${AGAIN:+--resume} -- true; }
    export -f measure
    walk 80 bash -c measure
}

@test "run, with the output of a target that fails" {
    measure() { "$JOSTLE" run --output disk/out --quiet --ignore-failure --min-runs 4 --max-runs 4 ${AGAIN:+--resume} -- sh -c 'seq 300; seq 300 >&2; exit 1'; }
    export -f measure
    walk 80 bash -c measure
}

@test "capacity" {
    measure() { "$JOSTLE" capacity --quiet --output disk/out --seed 1 --vary d=0.001..0.1 --slo 'wall_s<0.05' --max-runs 6 --max-time 5s ${AGAIN:+--resume} -- sleep '{d}'; }
    export -f measure
    walk 80 bash -c measure
}

@test "campaign, and reports of it" {
    printf '[campaign]\nname = x\nmin-runs = 2\nmax-runs = 2\nwashout = 0\n[target "t"]\ncommand = true\n[target "u"]\ncommand = true\n[load "low"]\nspec = cpu --percent 5 --threads 1\n' >c.conf
    walk 120 "$JOSTLE" campaign c.conf --quiet --output disk/c
    "$JOSTLE" campaign c.conf --quiet --output c
    walk 60 "$JOSTLE" report c --output disk/page.html
    walk 40 "$JOSTLE" report c --output disk/page.csv --runs
    merge() { rm -rf disk/merged && "$JOSTLE" merge c --output disk/merged --quiet; }
    export -f merge
    walk 120 bash -c merge
    walk 40 "$JOSTLE" compare 'c/cells/t@low' 'c/cells/u@low' --json disk/compared
}

@test "profile and predict" {
    profile() { "$JOSTLE" profile --quiet --output disk/p.profile.json --kinds cpu --levels 100% --no-pressure --max-runs 2 --max-time 30s ${AGAIN:+--resume} -- sleep 0.02; }
    export -f profile
    walk 90 bash -c profile
    cp -r "$ROOT/results/reference/pairs" pairs
    walk 30 "$JOSTLE" predict --force --json disk/prediction.json pairs/profiles/core/{xz,sort}.profile.json
}

@test "pack" {
    pack() { "$JOSTLE" pack --quiet --output disk/out --json disk/json --oversubscribe --min-runs 2 --max-runs 2 --max-copies 2 ${AGAIN:+--resume} -- sleep 0.01; }
    export -f pack
    walk 180 bash -c pack
}

@test "blame, and a watch" {
    walk 40 "$JOSTLE" blame --duration 1s --quiet --json disk/p.json
    watch() {
        local status=0
        timeout -s INT 4 "$JOSTLE" blame --watch --interval 1s --quiet --json disk/w.jsonl || status=$?
        [[ $status -eq 124 ]] || return "$status"
    }
    export -f watch
    walk 40 bash -c watch
}

@test "calibrations and recordings" {
    calibrate() { XDG_CACHE_HOME=$PWD/disk/cache "$BIN/loadgen" fork --calib 0.5 --threads 1; }
    export -f calibrate
    walk 40 bash -c calibrate
    walk 40 "$BIN/loadgen" fork --calib 0.5 --threads 1 --calibration disk/c.json
    walk 40 "$BIN/loadgen" record --interval 20ms --duration 200ms disk/r.jsonl
    walk 40 "$BIN/meter" --output disk/m.json -- true
}

# cut KIND PID: what a power cut leaves of a measurement that runs: nothing of its processes, and of the disk
# what had got there, or what a copy of the device has that is made at this moment.
cut() {
    if [[ $1 == copy ]]; then
        cp disk.image copy.image
    else
        python3 "$ROOT/bats-tests/power-cut.py" disk
    fi
    kill -KILL -- "-$2" 2>/dev/null || true
    wait "$2" 2>/dev/null || true
    eventually 20 umount disk 2>/dev/null
    [[ $1 != copy ]] || mv copy.image disk.image
    mount -o loop disk.image disk
}

# safe FILE: the starts of the runs in there that ended more than a second before the last one did.
safe() {
    jq -rs 'map({start, end: ((.start[0:19] + "Z" | fromdateiso8601) + ("0" + .start[19:-1] | tonumber) + .wall_s)})
        | (map(.end) | max) as $last | .[] | select(.end < $last - 1.001) | .start' "$1"
}

# nothing_lost FOLDER: its copies of runs.jsonl, made right before the cut, against what is there now.
nothing_lost() {
    local file start
    while IFS= read -r file; do
        [[ -s $file && -z $(tail -c 1 "$file") ]] || continue
        while IFS= read -r start; do
            grep -qF "$start" "${file#"$1/"}" || {
                printf '%s: the run of %s is lost\n' "$file" "$start" >&2
                return 1
            }
        done < <(safe "$file")
    done < <(find "$1" -name runs.jsonl)
}

@test "thirty power cuts at random moments of a campaign: no run is lost but those of the last second" {
    # Not i: that is a variable of bats itself.
    local number pid file seed=${CUT_SEED:-$RANDOM}
    local -a kinds=(now copy)
    printf 'CUT_SEED=%s\n' "$seed"
    RANDOM=$seed
    python3 "$ROOT/bats-tests/power-cut.py" --can disk || skip 'this file system cannot be cut off'
    printf '[campaign]\nname = x\nmin-runs = 12\nmax-runs = 12\nwashout = 0\n[target "t"]\ncommand = sleep 0.25\n[target "u"]\ncommand = sleep 0.05\n[load "low"]\nspec = cpu --percent 5 --threads 1\n' >c.conf
    for ((number = 0; number < ${CUTS:-30}; number++)); do
        setsid "$JOSTLE" campaign c.conf --quiet --output disk/c >/dev/null 2>&1 </dev/null 3>&- &
        pid=$!
        sleep "$((1 + RANDOM % 4)).$((RANDOM % 10))"
        rm -rf seen && mkdir seen
        cp --parents disk/c/cells/*/runs.jsonl seen/ 2>/dev/null || true
        printf "cut %d (%s)\n" "$number" "${kinds[number % 2]}"
        cut "${kinds[number % 2]}" "$pid"
        while IFS= read -r file; do
            whole_lines "$file"
        done < <(find disk -name runs.jsonl)
        nothing_lost seen
        [[ ! -e disk/c/campaign.json ]] || run -0 "$JOSTLE" report disk/c
        [[ $((number % 3)) -eq 2 ]] || continue
        "$JOSTLE" campaign c.conf --quiet --output disk/c
        holds -s 'length == 2 and all(.[]; .state == "done")' < <(cat disk/c/cells/*/status.json)
        rm -rf disk/c
    done
}
