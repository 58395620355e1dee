# bats file_tags=harness
# What people read fits a terminal of 80 columns: nothing is broken within a word, and nothing goes beyond.

load helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return
}

# too_wide: lines of stdin of more than 80 characters; but a word that nothing can break, such as an address.
too_wide() {
    sed 's/\x1b\[[0-9;?]*[A-Za-z]//g' | PYTHONIOENCODING=utf-8 python3 -c '
import sys
for line in sys.stdin.buffer.read().decode().splitlines():
    if len(line) > 80 and " " in line.strip():
        print(line)'
}

# at_80 COMMAND: what it prints at a terminal of 80 columns. What a live line was has gone.
at_80() {
    python3 "$BATS_TEST_DIRNAME/at-terminal.py" "stty cols 80; $1" | tr -d '\r'
}

# commands: the names of all commands of jostle.
commands() {
    local file
    for file in "$ROOT"/harness/commands/* "$ROOT"/jobs/commands/*; do printf '%s\n' "${file##*/}"; done
}

# bats test_tags=slow
@test "every --help fits 80 columns, in a pipe too, and nothing but titles and words begins at the margin" {
    local name words
    local -a wrong=()
    for name in '' $(commands); do
        words=$("$JOSTLE" ${name:+"$name"} --help)
        [[ -z $(too_wide <<<"$words") ]] || wrong+=("$name")
        # What follows an example is indented.
        ! awk '/^Examples?:/{on = 1; next} /^$/{on = 0} on && /^[^ ]/{found = 1} END {exit !found}' <<<"$words" || wrong+=("$name: examples")
    done
    for name in '' $("$BIN/loadgen" --help | awk '/^  [a-z]+ /{print $1}'); do
        [[ -z $("$BIN/loadgen" ${name:+"$name"} --help | too_wide) ]] || wrong+=("loadgen $name")
    done
    [[ ${#wrong[@]} -eq 0 ]] || {
        printf 'too wide: %s\n' "${wrong[@]}"
        return 1
    }
}

@test "--help-all fits a terminal of 80 columns" {
    local name
    for name in slowdown run protect report; do
        [[ -z $(at_80 "'$JOSTLE' $name --help-all" | too_wide) ]] || {
            echo "$name"
            return 1
        }
    done
}

@test "reports of the reference results fit a terminal of 80 columns, and break no word" {
    local name
    for name in mmul quick services/redis disk/filegen; do
        at_80 "'$JOSTLE' report '$ROOT/results/reference/$name'" >shown
        [[ $(wc -l <shown) -gt 3 ]]
        [[ -z $(too_wide <shown) ]] || {
            echo "$name"
            too_wide <shown
            return 1
        }
        run ! grep -E '(not conve|distinguisha|interv)$' shown
    done
}

@test "a message at a terminal takes the place of the live line" {
    local away=$'\r\e[K'
    export TERM=xterm
    shown=$(python3 "$BATS_TEST_DIRNAME/at-terminal.py" "printf 'a live line' >&2; '$BIN/loadgen' nosuch; JOSTLE_BIN='$BIN' JOSTLE_LIB='$ROOT/harness/lib' bash -c 'source \"\$JOSTLE_LIB/messages.bash\"; printf live >&2; warn text'" || true)
    [[ $shown == *"a live line${away}jostle: "*"live${away}jostle: text"* ]]
    # Elsewhere it is a line as it always was.
    "$BIN/loadgen" nosuch 2>said || true
    [[ $(cat said) == 'jostle: '* ]]
}

# bats test_tags=slow
@test "calib says how far it is" {
    local text
    export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache TERM=xterm
    text=$(python3 "$BATS_TEST_DIRNAME/at-terminal.py" "'$JOSTLE' calib syscall fork --seconds 0.5")
    [[ $text == *'calibrating 1 of '[0-9]*', about '[0-9]*' s left'*'calibrating 2 of '* ]]
}

# bats test_tags=slow
@test "a panorama's live line shows the time that ends it, and no error that does not" {
    local text
    export TERM=xterm
    text=$(python3 "$BATS_TEST_DIRNAME/at-terminal.py" "'$JOSTLE' slowdown --for 2s --output out -- true" 2>/dev/null)
    [[ $text == *': run '[0-9]*' s left'* ]]
    [[ $text != *'% wanted)'* ]]
}
