#!/usr/bin/env bats
# Settings of the kernel as a part of a condition, and jostle protect: which of them protects a target.
#
# The CPUs are contended on purpose: the target and the load are bound to one CPU, so that shares of it are
# the same on any machine.

load helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    [[ $(nice) -eq 0 ]] || skip 'these tests set priorities from 0 on'
    # Some 30 ms of CPU time on any machine, none of it waiting for anything else.
    printf 'i=0\nwhile [ "$i" -lt 20000 ]; do i=$((i + 1)); done\n' >work
}

# measured KIND ARG...: an experiment on one CPU into the folder out.
measured() {
    taskset -c "$(first_cpu)" "$JOSTLE" "$1" --quiet --seed 3 --output out "${@:2}" -- sh work
}

# first_cpu: prints the first CPU that we may use.
first_cpu() {
    local -a cpus
    read -r -a cpus < <(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
    printf '%s\n' "${cpus[0]}"
}

# other_cpu: prints another one; CPUS is how many there are.
CPUS=$(nproc)
other_cpu() {
    taskset -cp $$ | sed 's/.*: //; s/[0-9]*//; s/^[-,]*//; s/[-,].*//'
}

# can SETTING: this machine lets us set it.
can() {
    "$BIN/start" --set "$1" -- true 2>/dev/null
}

# groups: the control groups of settings that are there.
groups() {
    find /sys/fs/cgroup -maxdepth 6 -name 'jostle-set.*' 2>/dev/null
}

# no_groups: none is there.
no_groups() {
    [[ -z $(groups) ]]
}

# group_or_skip: skips where no control group with a share of the CPUs can be made.
group_or_skip() {
    can cpu.weight=10 || skip "no group with a share of the CPUs can be made here: $("$BIN/start" --set cpu.weight=10 -- true 2>&1)"
}

@test "start sets what it is told, and what it becomes has it" {
    local cpu
    cpu=$(first_cpu)
    [[ $("$BIN/start" --set nice=5 -- nice) == 5 ]]
    [[ $("$BIN/start" --set sched=idle -- sh -c 'chrt -p $$') == *SCHED_IDLE* ]]
    [[ $("$BIN/start" --set sched=batch -- sh -c 'chrt -p $$') == *SCHED_BATCH* ]]
    [[ $("$BIN/start" --set ionice=best-effort:7 -- ionice) == 'best-effort: prio 7' ]]
    [[ $("$BIN/start" --set "cpus=$cpu" -- taskset -cp $$) == *": "* ]]
    [[ $("$BIN/start" --set "cpus=$cpu" -- nproc) == 1 ]]
    # shellcheck disable=SC2016 # the shell's own
    [[ $("$BIN/start" --set group=session -- sh -c 'read -r a b c d e session rest </proc/self/stat; [ "$session" = $$ ] || [ "$(ps -o sid= $$ | tr -d " ")" = $$ ] && echo own' 2>/dev/null || echo own) == own ]]
}

@test "start refuses what is no setting, no value of one, or not allowed, and starts nothing" {
    run -2 "$BIN/start" --set nice=20 -- touch started
    [[ $output == 'jostle: --set nice=20: nice=20: not a value of nice: give nice=N'* ]]
    run -2 "$BIN/start" --set colour=green -- touch started
    [[ $output == *'no such setting: give one of nice sched'* ]]
    run -2 "$BIN/start" --set cpu.weight=10001 -- touch started
    run -2 "$BIN/start" --set sched=fifo:100 -- touch started
    run -126 "$BIN/start" --set cpus=8191 -- touch started
    [[ ! -e started ]]
}

@test "a setting that is a file of a control group is in the group of the process, and read back" {
    group_or_skip
    # shellcheck disable=SC2016 # the shell's own
    run -0 "$BIN/start" --set cpu.weight=10 --set cpu.max=50% -- sh -c 'grep -c "jostle-set.$$\$" /proc/self/cgroup'
    [[ $output == 1 ]]
    "$BIN/start" --sweep
    [[ -z $(groups) ]]
    # The kernel's word counts, not ours: without the group it is not so.
    sleep 80 3>&- &
    run -126 "$BIN/start" --check "$!" --set cpu.weight=10
    [[ $output == *"cpu.weight=10: process $! is not in the group that was made for it" ]]
    run -126 "$BIN/start" --check "$!" --set nice=7
    [[ $output == *'nice=7: it has taken no effect, or was changed since' ]]
    "$BIN/start" --check "$!" --set nice=0
    kill "$!"
}

# bats test_tags=slow
@test "settings in brackets are those of the load, of the target, or of both" {
    local cpu
    cpu=$(first_cpu)
    # shellcheck disable=SC2016 # the shells' own
    printf 'nice >>target.nice\n' >>work
    measured slowdown --runs 2 --load 'l=[nice=7] exec: sh -c "nice >load.nice; exec sleep 1000"' --load 't=[target:nice=3] cpu --percent 10' \
        --load 'b=[both:nice=4] exec: sh -c "nice >both.nice; exec sleep 1000"'
    [[ $(<load.nice) == 7 && $(<both.nice) == 4 ]]
    [[ $(sort -n target.nice | uniq -c | tr -s ' ' | tr '\n' ';') == ' 4 0; 2 3; 2 4;' ]]
    holds '.loads[1].settings == {load: ["nice=7"], target: [], service: [], own: [], on: null, off: null} and .loads[2].settings.target == ["nice=3"]' <out/experiment.json
    is_valid experiment out/experiment.json
    is_valid result out/result.json
}

# bats test_tags=slow
@test "a setting that cannot be set, or of a load that is not ours to start, is refused before anything runs" {
    local spec
    for spec in '[nice=30] cpu' '[colour=1] cpu' '[nice=3 cpu' '[nice=3]' '[target:group=session] cpu' '[nice=3] pid:1'; do
        run -2 "$JOSTLE" slowdown --pause --output out --load "l=$spec" -- touch ran
        [[ $output == 'jostle: --load l'* ]]
    done
    run -2 "$JOSTLE" slowdown --output out --load 'l=[memory.max=1] cpu' --engine hyperfine -- touch ran
    run -2 "$JOSTLE" slowdown --output out --setting 'x=on: true' --load 'l=[x] cpu' -- touch ran
    [[ $output == *"NAME='on: COMMAND; off: COMMAND'"* ]]
    [[ ! -e ran && ! -e out ]]
}

# bats test_tags=slow
@test "a setting of one's own is turned on before and off after each run of its condition, also when jostle is killed" {
    local pid command
    measured slowdown --runs 3 --load 'own=[mine] cpu --percent 10' --setting 'mine=on: echo on >>said; off: echo off >>said'
    [[ $(tr '\n' ' ' <said) == 'on off on off on off ' ]]
    rm -r out said
    setsid "$JOSTLE" slowdown --quiet --output out --runs 2 --load 'own=[mine] cpu --percent 10' --setting 'mine=on: echo on >>said; off: echo off >>said' -- sleep 0.5 3>&- &
    pid=$!
    eventually 60 grep -qs on said
    read -r command _ <"/proc/$pid/task/$pid/children" || true
    kill -KILL "$command"
    eventually 60 grep -qs off said
    wait "$pid" || true
    [[ $(head -2 said | tr '\n' ' ') == 'on off ' ]]
}

# switched_by SIGNAL VICTIM: 0 when a setting is off, and no note says that it is on, after that signal came while it was being
# turned off. VICTIM: jostle, its process group, its keeper, or the command itself.
switched_by() {
    local pid keeper victim
    rm -rf out going sent
    env --default-signal=INT,QUIT setsid "$JOSTLE" slowdown --quiet --output out --load 'own=[mine] cpu --percent 10' \
        --setting 'mine=on: echo on >state; off: echo >going; until [ -e sent ]; do sleep 0.1; done; sleep 0.3; echo off >state' -- sleep 0.02 2>errors 3>&- &
    pid=$!
    eventually 60 test -e going
    keeper=$(below "$pid" jostle-keeper)
    case $2 in
        jostle) victim=$pid ;;
        group) victim=-$pid ;;
        keeper) victim=$keeper ;;
        command) victim=$(below "$keeper" bash | head -n 1) ;;
    esac
    kill -s "$1" -- "$victim"
    touch sent
    wait "$pid" || true
    eventually 60 grep -qx off state && eventually 60 no_notes
}

# own_cache: what is kept of settings is this test's own.
own_cache() {
    export XDG_CACHE_HOME=$PWD/cache
}

# no_notes: 0 when no setting is noted as being on.
no_notes() {
    [[ -z $(compgen -G "$XDG_CACHE_HOME/jostle/settings/*.on") ]]
}

# bats test_tags=slow
@test "whatever signal comes while a setting is turned off, it is turned off" {
    local kind
    own_cache
    for kind in 'TERM jostle' 'HUP jostle' 'QUIT jostle' 'INT group' 'TERM group' 'HUP group' 'QUIT group' \
        'KILL jostle' 'KILL keeper' 'KILL command' 'KILL group' 'TERM command'; do
        # shellcheck disable=SC2086 # two words
        switched_by $kind || {
            echo "left on by $kind: $(<state) $(<errors)" >&2
            return 1
        }
    done
}

# bats test_tags=slow
@test "another signal while a setting is turned off says what is waited for, and how long; after JOSTLE_UNDO_S it is given up" {
    local pid note status=0
    own_cache
    JOSTLE_UNDO_S=3 env --default-signal=INT setsid "$JOSTLE" slowdown --output out --load 'own=[mine] cpu --percent 10' \
        --setting 'mine=on: true; off: echo $$ >going; sleep 300; true' -- sleep 0.02 2>errors >/dev/null 3>&- &
    pid=$!
    eventually 60 test -s going
    kill -INT -- "-$pid"
    kill -INT -- "-$pid"
    eventually 60 grep -Eq 'waits for the setting mine to be turned off \(.*sleep 300; true\), for another [0-3] s at most' errors
    wait "$pid" || status=$?
    [[ $status -eq 130 ]]
    eventually 30 gone "$(<going)"
    note=$(compgen -G "$XDG_CACHE_HOME/jostle/settings/*.on")
    grep -q "the setting mine is still on, as this failed (killed after 3 s): .*: to turn it off: bash $note" errors
    grep -q 'interrupted by SIGINT' errors
}

# bats test_tags=slow
@test "a setting that cannot be turned off ends the experiment, is recorded, and named by the next jostle and by the doctor until it is off" {
    local note said
    local -a own=(--load 'own=[mine] cpu --percent 10' --setting 'mine=on: true; off: echo >>tried; [ -e may ]')
    own_cache
    run -1 "$JOSTLE" slowdown --output out --seed 7 --runs 4 "${own[@]}" -- true
    note=$(compgen -G "$XDG_CACHE_HOME/jostle/settings/*.on")
    said="the setting mine is still on, as this failed (status 1): echo >>tried; [ -e may ]: to turn it off: bash $note"
    [[ $output == *"$said"* && $(wc -l <tried) -eq 1 ]]
    holds --arg said "$said" 'any(.warnings[]; .text == $said)' <out/experiment.json
    # None after it was measured with the setting on.
    run ! grep -q '"condition":"own"' out/runs.jsonl
    run -0 "$JOSTLE" run --output other --runs 1 -- true
    [[ $output == *"the setting mine was left on by another jostle"*"(echo >>tried; [ -e may ]): bash $note"* ]]
    holds 'any(.warnings[]; .message | contains("the setting mine was left on"))' <other/result.json
    run -0 "$JOSTLE" doctor --quick
    [[ $output == *'warn'*'settings'*'left the setting mine on'*'[ -e may ]'*"bash '$note'"* ]]
    # With the same setting it is turned off first: nothing is measured where that fails.
    run -1 "$JOSTLE" slowdown --output again --runs 1 "${own[@]}" -- touch ran
    [[ $output == *'the setting mine was left on: turns it off first'*'is still on'* && ! -e ran && ! -e again ]]
    touch may
    (cd / && bash "$note")
    no_notes
    run -0 "$JOSTLE" doctor --quick
    [[ $output == *'no --setting was left on'* ]]
}

# bats test_tags=slow
@test "a setting that was left on is turned off before the next experiment that has it" {
    own_cache
    local -a own=(--load 'own=[mine] cpu --percent 10' --setting 'mine=on: echo on >>said; off: [ ! -e stuck ] && echo off >>said')
    touch stuck
    run -1 "$JOSTLE" slowdown --output out --runs 1 "${own[@]}" -- true
    rm -r stuck said
    run -0 "$JOSTLE" slowdown --output again --quiet --runs 1 "${own[@]}" -- true
    [[ $output == *'the setting mine was left on: turns it off first'* && $(tr '\n' ' ' <said) == 'off on off ' ]]
    no_notes
}

# bats test_tags=slow
@test "a note that was cut off, as on a full disk, stands in nobody's way" {
    local note
    own_cache
    local -a own=(--quiet --runs 1 --load 'own=[mine] cpu --percent 10' --setting 'mine=on: echo on >>said; off: rm gone && echo off >>said')
    touch gone
    # What has its lock has its name.
    "$JOSTLE" slowdown --output out "${own[@]}" -- true
    note=$(compgen -G "$XDG_CACHE_HOME/jostle/settings/*.command-*.lock")
    note=${note%.lock}.on
    printf '# setting: mine\n# off: rm go' >"$note"
    run -0 "$JOSTLE" run --quiet --output other --runs 1 -- true
    [[ -z $output ]]
    run -0 "$JOSTLE" doctor --quick
    [[ $output == *'no --setting was left on'* ]]
    touch gone
    run -0 "$JOSTLE" slowdown --output again "${own[@]}" -- true
    [[ -z $output && $(tr '\n' ' ' <said) == 'on off on off ' ]]
    no_notes
}

# both_measured NAME OFF: 0 when two jostles at once, the second with this setting, have not switched it for each other.
both_measured() {
    local pid
    rm -rf out other errors state
    "$JOSTLE" slowdown --quiet --output out --runs 4 --load 'own=[mine] cpu --percent 10' \
        --setting 'mine=on: mkdir state; off: rmdir state' -- sleep 0.1 3>&- &
    pid=$!
    eventually 60 test -s out/runs.jsonl
    "$JOSTLE" slowdown --quiet --output other --runs 2 --load "own=[$1] cpu --percent 10" \
        --setting "$1=on: mkdir state; off: $2" -- test ! -e wrong 2>errors
    ends_with 0 "$pid"
    grep -Eq "another jostle \(process [0-9]+\) uses the same setting .*: waits until that has ended" errors
    [[ $(wc -l <out/runs.jsonl) -eq 8 && $(wc -l <other/runs.jsonl) -eq 4 && ! -e state ]]
}

# bats test_tags=slow
@test "two jostles with one setting, by its name or by what turns it off, are one after the other" {
    own_cache
    both_measured mine 'rmdir state'
    both_measured mine 'rmdir  state'
    both_measured yours 'rmdir state'
}

@test "without a place to note that a setting is on nothing is measured" {
    run -1 env -u HOME -u XDG_CACHE_HOME "$JOSTLE" slowdown --output out --load 'own=[mine] cpu' --setting 'mine=on: touch ran; off: true' -- touch ran
    [[ $output == 'jostle: --setting mine: no place to keep that it is on: set HOME or XDG_CACHE_HOME' && ! -e ran && ! -e out ]]
    : >file
    run -1 env XDG_CACHE_HOME="$PWD/file" "$JOSTLE" slowdown --output out --load 'own=[mine] cpu' --setting 'mine=on: touch ran; off: true' -- touch ran
    [[ $output == *"cannot write $PWD/file/jostle/settings/"* && ! -e ran && ! -e out ]]
}

# undone_is_said SETTING COMMAND: 0 when protect measures that load, says that it has undone the setting, and nothing else of it.
undone_is_said() {
    rm -rf out
    run -0 "$JOSTLE" protect --output out --runs 2 --load "l=exec: $2" --try "$1" --try group=same -- sleep 0.2
    [[ $output == *"the load did not keep $1: "*' has undone it.'* && $output == *"load l."*" did not keep a setting ($1: "* ]] &&
        holds --arg setting "$1" '.protection | .best == null and (.rows[0] | (.undone | startswith($setting)) and .slowdown.value == null and
            .kept.value == null and .front == false) and (.rows[1] | has("undone") | not)' <out/result.json &&
        holds -s 'map(select(.condition | startswith("l."))) | all(.condition != "l.group-same" or (has("undone") | not)) and any(has("undone")) and
            all(.[] | .undone[]?; .load == "l." + (.text | sub("=.*"; "")) + "-" + (.text | capture("=(?<v>[^:]*)").v))' <out/runs.jsonl &&
        is_valid result out/result.json
}

# bats test_tags=slow
@test "a program of the load that undoes a setting is found out in each run, and nothing is reported as measured with it" {
    local -a cpus
    undone_is_said sched=idle 'chrt -b 0 sleep 1000'
    # Also below a shell, and after the run has begun.
    undone_is_said sched=idle 'sh -c "sleep 1.2; chrt -b 0 sleep 1000; true"'
    head -n 1 <(grep undone out/runs.jsonl) >run.json
    is_valid run run.json
    mapfile -t cpus < <(taskset -cp $$ | sed 's/.*: //; s/[-,]/\n/g')
    ((${#cpus[@]} > 1)) || skip 'one CPU: none to move to'
    undone_is_said "cpus=${cpus[0]}" "taskset -c ${cpus[1]} sleep 1000"
}

# bats test_tags=slow
@test "a program of the load that keeps a setting, or is nicer still, has not undone it" {
    "$JOSTLE" protect --quiet --output out --runs 1 --load 'l=exec: sh -c "nice -n 3 sleep 1000; true"' --try nice=5 --try sched=idle --try group=session -- sleep 0.1
    holds '.protection.rows | length == 3 and all(has("undone") | not)' <out/result.json
    holds -s 'all(has("undone") | not)' <out/runs.jsonl
}

# bats test_tags=slow
@test "a percentage of a load with settings is of the same rate as without, which is calibrated without them" {
    group_or_skip
    export XDG_CACHE_HOME=$PWD/cache
    "$JOSTLE" slowdown --quiet --output out --runs 1 --load 'm=[cpu.max=20%] syscall --limit 10%' -- sleep 0.1
    [[ $(compgen -G 'cache/jostle/calibration/*' | wc -l) -eq 1 ]]
    "$JOSTLE" protect --quiet --output again --runs 1 --load 'm=syscall --limit 10%' --try cpu.max=20% --try "cpus=$(first_cpu)" -- sleep 0.1
    [[ $(compgen -G 'cache/jostle/calibration/*' | wc -l) -eq 1 ]]
    jq -s 'map(.load[]?.rate)' out/runs.jsonl again/runs.jsonl >rates
    holds 'length == 4 and min > 0 and max - min < 1e-6 * max' <rates
}

# bats test_tags=slow
@test "a setting that one load cannot have is left out for it, with the reason, and ends nothing" {
    local cpu
    cpu=$(first_cpu)
    "$JOSTLE" protect --quiet --output out --runs 1 --load "bound=cpu --percent 10 --cpus $cpu --threads 1" --load 'free=exec: sleep 1000' \
        --try nice=19 --try memory.max=1M -- true
    holds '[.loads[].name] | index("bound.nice-19") and index("free.nice-19")' <out/experiment.json
    # Killed in less memory than the program itself needs, or no group can be made.
    holds '(.left_out | length > 0 and all(.setting == "memory.max=1M" and (.why | length > 20))) or
        ([.loads[].name] | index("bound.memory.max-1M"))' <out/experiment.json
    is_valid experiment out/experiment.json
    ((CPUS > 1)) || return 0
    "$JOSTLE" protect --quiet --output other --runs 1 --load "bound=cpu --percent 10 --cpus $cpu --threads 1" --load 'free=exec: sleep 1000' \
        --try nice=19 --try "cpus=$(other_cpu)" -- true
    holds '([.loads[].name] | any(startswith("free.cpus")) and (any(startswith("bound.cpus")) | not)) and
        (.left_out | length == 1 and (.[0] | .load == "bound" and (.why | contains("is not allowed here"))))' <other/experiment.json
    is_valid experiment other/experiment.json
    run -0 "$JOSTLE" report other
}

# bats test_tags=slow
@test "of a load that runs already protect tries what can be set for the target, and says why not the rest" {
    sleep 100 3>&- &
    "$JOSTLE" protect --quiet --output out --runs 1 --pause --load "n=pid:$!" -- true
    holds 'any(.left_out[]; .setting == "nice=19" and .why == "nice=19: it runs already, as it was started") and
        all(.loads[]; (.settings.load // []) == [])' <out/experiment.json
    run -2 "$JOSTLE" protect --output other --pause --load "n=pid:$!" --try nice=19 -- touch ran
    [[ $output == *"--try 'nice=19': nice=19: it runs already"* && ! -e ran ]]
    # The loads of several conditions pause it, in any order; one that is stopped by somebody else is refused.
    holds '[.loads[] | select(.name != "baseline" and (.name | endswith("baseline") | not)) | .parts[].words | index("--shared") != null] | length > 1 and all' <out/experiment.json
    kill -STOP "$!"
    run -2 "$JOSTLE" protect --output other --pause --load "n=pid:$!" -- touch ran
    [[ $output == *'is stopped already: continue it first'* && ! -e ran ]]
    kill -KILL "$!"
}

# tried SPEC: what protect has tried for a load, or has left out, one a line.
tried() {
    rm -rf out
    "$JOSTLE" protect --quiet --output out --runs 1 --load "l=$1" -- true
    jq -r '[.loads[].settings | select(. != null) | .load[], "target:" + .target[]] + [.left_out[].setting] | .[]' out/experiment.json
}

# bats test_tags=slow
@test "settings of a disk and of memory are tried for the loads that use them" {
    local said
    said=$(tried 'cpu --percent 10')
    [[ $said == *nice=19* && $said != *ionice* && $said != *io.* && $said != *memory.* ]]
    said=$(tried 'meta --limit 40 --dir .')
    [[ $said == *ionice=idle*io.weight=10* && $said != *memory.* ]]
    said=$(tried 'hog --size 8M')
    [[ $said == *memory.high=*target:memory.low=* && $said != *ionice* ]]
    said=$(tried 'exec: sleep 1000')
    [[ $said == *ionice=idle* ]]
}

# bats test_tags=slow
@test "CPUs of their own are split of those that target and load were given" {
    local first second
    ((CPUS > 1)) || skip 'one CPU: nothing to split'
    first=$(first_cpu) second=$(other_cpu)
    "$JOSTLE" protect --quiet --output one --runs 1 --load-cpus "$first" --load 'l=cpu --percent 10' -- true
    "$JOSTLE" protect --quiet --output both --runs 1 --target-cpus "$first,$second" --load-cpus "$second" --load 'l=cpu --percent 10' -- true
    "$JOSTLE" protect --quiet --output apart --runs 1 --target-cpus "$first" --load-cpus "$second" --load 'l=cpu --percent 10' -- true
    holds 'all(.loads[]; (.settings.load // []) | all(startswith("cpus=") | not))' <one/experiment.json
    holds 'all(.loads[]; (.settings.load // []) | all(startswith("cpus=") | not))' <apart/experiment.json
    holds --arg first "$first" --arg second "$second" \
        'any(.loads[]; .settings.load == ["cpus=" + $second] and .settings.target == ["cpus=" + $first])' <both/experiment.json
    # Of a service, those of the server, and not those of its client.
    local -a served=(protect --service server --ready port:7 --service-cpus "$second" --target-cpus "$first" --load 'l=cpu --percent 10')
    "$BIN/experiment" "${served[@]}" --output server --load-cpus "$first,$second" -- true >plan
    holds --arg first "$first" --arg second "$second" \
        'any(.loads[]; .settings.load == ["cpus=" + $first] and .settings.service == ["cpus=" + $second])' <server/experiment.json
}

# bats test_tags=measures
@test "protect measures each load with each setting, what is left of its slowdown and what the neighbour keeps" {
    measured protect --runs 8 --load 'full=cpu --threads 2' --try nice=19 --try 'target:nice=1'
    holds '.protection | .metric == "wall_s" and (.rows | map(.condition)) == ["full.nice-19", "full.target-nice-1"] and
        all(.rows[]; .unprotected == "full") and .rows[0].cost == null and (.rows[1].cost.value | . > 0.5 and . < 2)' <out/result.json
    # Two threads of nice 0 leave a third of the CPU; of nice 19 nearly all of it.
    holds '.protection.rows[0] | .slowdown_unprotected.value > 1.5 and .slowdown.value < .slowdown_unprotected.value and
        .removed.value > 0.3 and .removed.ci[0] <= .removed.value and .removed.value <= .removed.ci[1] and .kept.value < 1' <out/result.json
    # On a busy machine it may not be known.
    holds '.protection.best | . == null or . == "full.nice-19"' <out/result.json
    is_valid result out/result.json
    run -0 "$JOSTLE" report out
    if [[ $(jq -r .protection.best out/result.json) != null ]]; then
        [[ $output == *'Best: nice=19 for the neighbour: '*' times as long, which removes '*' of the damage; the neighbour keeps '*' of its speed.'* ]]
        [[ $output == *"closer: jostle slowdown "*"--load 'full.nice-19=[nice=19] cpu --threads 2' -- sh work"* ]]
    fi
    [[ $output == *'setting'*'slowdown left [95 %]'*'neighbour keeps [95 %]'* ]]
    for format in md latex html github; do
        "$JOSTLE" report --format "$format" out >page
        grep -q 'nice=19\|nice{=}19' page
    done
    "$JOSTLE" report --format json out >report.json
    is_valid report report.json
}

# bats test_tags=slow
@test "the same load with fewer CPUs keeps its number of workers" {
    local cpu
    cpu=$(first_cpu)
    "$JOSTLE" protect --quiet --output out --runs 2 --load 'all=cpu --percent 10' --try "cpus=$cpu" -- sleep 0.1
    holds '(.loads[2].parts[0].words | index("--threads")) != null' <out/experiment.json
    holds -s 'map(select(.condition != "baseline").load[0].offered) | max == min' <out/runs.jsonl
}

# bats test_tags=slow
@test "without --try all that can be set here is tried, and what cannot is named with the reason" {
    "$JOSTLE" protect --quiet --output out --runs 1 --load 'some=cpu --percent 10' -- true
    holds '(.loads | map(.name) | index("some.nice-19")) and (.loads | map(.name) | index("some.sched-idle"))' <out/experiment.json
    holds 'all(.left_out[]; (.setting | length > 0) and (.why | length > 0))' <out/experiment.json
    [[ -d /sys/fs/resctrl/info ]] || holds 'any(.left_out[]; .setting == "resctrl=MB:0=20" and (.why | contains("not mounted")))' <out/experiment.json
    [[ -z $(groups) ]]
}

# weakest_found: 0 when settings keep the limit, and the weakest is named, or those that are not told apart.
weakest_found() {
    rm -rf out
    measured protect --runs 6 --load 'full=cpu --threads 2' --try nice=19 --try sched=idle --until 100 &&
        holds '.protection | .verdict == "below" and (.weakest == "full.nice-19" or .weakest == "full.sched-idle" or
            (.loads[0].weakest_not_told_apart | sort) == ["full.nice-19", "full.sched-idle"])' <out/result.json
}

# none_found: 0 when none keeps the limit, which is said. Six threads take so much of the CPU that others hide nothing.
none_found() {
    rm -rf out
    run taskset -c "$(first_cpu)" "$JOSTLE" protect --seed 3 --output out --runs 8 --load 'full=cpu --threads 6' --try nice=1 --until 1.05 -- sh work
    [[ $status -eq 3 && $output == *'None of these settings keeps it below 1.05 times.'* ]]
}

# bats test_tags=slow
@test "--until finds the weakest setting that keeps a limit, and says by its exit status whether there is one" {
    in_tries 3 weakest_found
    in_tries 3 none_found
    run -2 "$JOSTLE" protect --until 0.9 --load 'cpu --percent 10' -- true
    run -2 "$JOSTLE" protect -- true
    [[ $output == *'against which neighbour? Give --load'* ]]
    run -2 "$JOSTLE" protect --try nice --load 'cpu --percent 10' -- true
}

# bats test_tags=measures
@test "a weight of a tenth protects more than one of all, whatever else is set" {
    group_or_skip
    measured protect --runs 6 --load 'full=cpu --threads 2' --try group=cgroup --try cpu.weight=10
    holds '.protection.rows | .[1].kept.value < .[0].kept.value' <out/result.json
    [[ -z $(groups) ]]
}

@test "no control group of a setting is left when jostle and all that it started are killed" {
    local pid command
    group_or_skip
    setsid "$JOSTLE" slowdown --quiet --output out --load 'w=[cpu.weight=10 target:cpu.weight=50] cpu --percent 10' -- sleep 0.3 3>&- &
    pid=$!
    eventually 60 test -s out/runs.jsonl
    [[ -n $(groups) ]]
    read -r command _ <"/proc/$pid/task/$pid/children" || true
    kill -KILL "$command"
    wait "$pid" || true
    eventually 60 no_groups
}

@test "the example campaigns with settings can be planned, and their settings reach the cells" {
    local file
    for file in weights schedulers fairness; do
        "$JOSTLE" plan --json "$ROOT/jobs/examples/$file.conf" >plan.json
        holds '(.cells | length) == 3 and ([.cells[].spec | select(startswith("["))] | length) >= 2' <plan.json
    done
}

# printed LABEL FOLDER: the command line that the report of an experiment prints, on one line; nothing where there is none.
printed() {
    "$JOSTLE" report "$2" | awk -v label="$1: " 'index($0, label) == 1 { sub(label, ""); found = 1; print; next } /^$|^[a-z]+: jostle / { found = 0 } found' |
        sed 's/^ *//' | tr '\n' ' '
}

# runs_as_printed LABEL FOLDER TEXT...: the printed command line has each TEXT in it, and, with fewer runs, it works and measures the
# same command with the same input and priority.
runs_as_printed() {
    local line text
    line=$(printed "$1" "$2")
    for text in "${@:3}"; do
        [[ $line == *"$text"* ]] || {
            echo "no $text in: $1: $line" >&2
            return 1
        }
    done
    rm -rf again
    # The same words as a shell reads them.
    bash -c "jostle() { \"\$JOSTLE\" \"\$1\" --quiet --output again \"\${@:2}\"; }; $(sed -E 's/--max-runs [0-9]+/--max-runs 1/' <<<"$line")"
    holds --slurpfile old "$2/experiment.json" '. as $new | $old[0] | .command == $new.command and .program == $new.program and
        (.settings | [.input, .nice, .prepare, .service, .ready, .place, .target_cpus, .load_cpus, .metric, .decide, .shell, .setting]) ==
        ($new.settings | [.input, .nice, .prepare, .service, .ready, .place, .target_cpus, .load_cpus, .metric, .decide, .shell, .setting])' <again/experiment.json
}

# harm FOLDER: as if each load in that folder made it twice as slow, so that there is something to say.
harm() {
    jq -c '.condition as $c | .wall_s = (if $c == "baseline" then 1 else 2 + ($c | length) / 10 end) * (1 + (.order * 7 % 11) / 1000)' "$1/runs.jsonl" >harmed
    mv harmed "$1/runs.jsonl"
    "$BIN/stats" --derive "$1"
}

# bats test_tags=slow
@test "a load with a setting has as many workers as without it where loads are put on some CPUs, and a setting of its CPUs comes instead" {
    local cpu
    cpu=$(first_cpu)
    "$JOSTLE" protect --quiet --output out --runs 2 --load-cpus "$cpu" --target-cpus "$cpu" --load 'all=cpu --percent 10' --try nice=5 \
        --try "cpus=$(taskset -cp $$ | sed 's/.*: //')" -- sleep 0.1
    holds -s 'map(select(.condition != "baseline").load[0].offered) | max == min' <out/runs.jsonl
}

# bats test_tags=slow
@test "protect with loads on one CPU tries all that can be set, and none of it ends the experiment" {
    local cpu
    cpu=$(first_cpu)
    "$JOSTLE" protect --quiet --output out --runs 1 --load-cpus "$cpu" --load 'some=cpu --percent 10' -- true
    holds '.protection.rows | length > 1' <out/result.json
}

# bats test_tags=slow
@test "the command lines that a result prints repeat all options that made it, and work" {
    local cpu
    export JOSTLE
    cpu=$(first_cpu)
    printf 'three\nwords here\n' >words
    "$JOSTLE" slowdown --quiet --runs 6 --output given --input words --nice 3 --prepare 'touch prepared' --target-cpus "$cpu" \
        --load-cpus "$cpu" --metric wall_s --metric user_s --decide wall_s --load 'a=cpu --percent 1' --load 'bb=cpu --percent 2' -- sort -r
    harm given
    runs_as_printed closer given 'jostle slowdown ' '--input words' '--nice 3' "--prepare 'touch prepared'" "--target-cpus $cpu" "--load 'bb=cpu --percent 2' -- sort -r"
    runs_as_printed protect given 'jostle protect ' '--runs 6' '--input words' '--nice 3' "--load 'bb=cpu --percent 2' -- sort -r"
    # One word that a shell runs, without --, and a load that runs already.
    sleep 100 3>&- &
    "$JOSTLE" slowdown --quiet --runs 6 --output shell --pause --load "n=pid:$!" --load 'aa=cpu --percent 1' 'sort <words | cat' 2>errors
    harm shell
    runs_as_printed closer shell "--load 'aa=cpu --percent 1' 'sort <words | cat'"
    [[ $(printed closer shell) != *--pause* ]]
    kill "$!"
    # Settings of one's own, where none is told apart.
    "$JOSTLE" protect --quiet --runs 6 --output settings --setting 'mine=on: true; off: true' --try mine --try nice=19 --nice 1 --load 'a=cpu --percent 1' -- true
    jq -c '.condition as $c | .wall_s = (if $c == "a" then 2 else 1 + ((.block + (if $c == "a.mine" then 1 else 0 end)) % 2) / 100 end)' settings/runs.jsonl >made
    mv made settings/runs.jsonl
    "$BIN/stats" --derive settings
    runs_as_printed closer settings 'jostle protect ' "--setting 'mine=on: true; off: true'" '--nice 1' "--load 'a=cpu --percent 1' " '--try mine' '--try nice=19' ' -- true'
    # And where one is.
    jq -c '.condition as $c | .wall_s = ({ a: 2, "a.mine": 1.2, "a.nice-19": 1.9 }[$c] // 1) * (1 + (.block * ($c | length) % 5) / 1000)' settings/runs.jsonl >made
    mv made settings/runs.jsonl
    "$BIN/stats" --derive settings
    runs_as_printed closer settings 'jostle slowdown ' "--setting 'mine=on: true; off: true'" "--load 'a.mine=[mine] cpu --percent 1' -- true"
}

# bats test_tags=slow
@test "no command line is printed that would not measure the same: of an experiment of a campaign, of an older one, of another machine" {
    "$JOSTLE" slowdown --quiet --runs 6 --output out --load 'a=cpu --percent 1' --load 'b=cpu --percent 2' -- true
    harm out
    [[ -n $(printed closer out) && -n $(printed protect out) ]]
    cp out/experiment.json whole
    jq 'del(.asked)' whole >out/experiment.json
    [[ -z $(printed closer out) && -z $(printed protect out) ]]
    jq '.environment.host = "elsewhere"' whole >out/experiment.json
    [[ -z $(printed closer out) && -z $(printed protect out) ]]
}

# made_up: as if the conditions of `given` had been measured: the loads cost 1 and more times the time alone, and with settings half of that.
made_up() {
    jq -c '.settings.metrics as $metrics | .conditions as $conditions | .loads as $loads | range(1; 15) as $block | range(.conditions | length) as $i | $conditions[$i].name as $name
        | ((if $i == 0 or ($name | contains("aa") or contains("alone")) then 1 elif ($name | contains(".")) then 1.5 else 1 + $i end) * (1 + ($block * ($block + 2 * $i + 3) % 11) / 200)) as $x
        | { schema: "jostle.run/1", condition: $name, block: $block, order: ($block * 9 + $i), host: "h", wall_s: $x, user_s: $x, system_s: $x, exit_code: 0, signal: null,
            timed_out: false, start_error: null, flags: [], load: [$loads[] | select(.name == $name).parts[] | { name, load: "cpu", unit: "CPUs", offered: 1, achieved: 1,
                late: 0, dropped: 0, cpu_s: 1, elapsed_s: 1 }], metrics: ([$metrics[] | { (.name): { value: $x } }] | add // {}) }' given/experiment.json >given/runs.jsonl
    "$BIN/stats" --derive given
}

# request FOLDER: what an experiment was asked for, without the limits and gates that a printed command line has of its own.
request() {
    command jq -S '["error", "min_runs", "max_runs", "runs", "max_time", "runs_before_time", "at_most", "same_within", "seed"] as $own
        | [.command, .program, .placement, (.settings | with_entries(select(.key as $key | $own | index($key) | not)))]' "$1/experiment.json"
}

# asks_alike LABEL: the command line of that name in the report of `given` asks for the same experiment; it is in `again`.
asks_alike() {
    local line
    line=$(printed "$1" given)
    rm -rf again
    echo "$1: $line"
    bash -c "jostle() { \"\$BIN/experiment\" \"\$1\" --output again \"\${@:2}\"; }; ${line:-false}" >plan
    diff <(request given) <(request again)
}

# both_ask_alike OPTION...: so do both command lines of an experiment with these options, each of which is noted in `seen`.
both_ask_alike() {
    rm -rf given
    "$BIN/experiment" slowdown --output given "$@" --load 'a=cpu --percent 1' --load 'bb=cpu --percent 2 + exec: sleep "9 9"' -- sort "it's" >plan
    printf '%s\n' "$@" | grep -oE '^--[a-z-]+' >>seen
    made_up
    asks_alike closer
    asks_alike protect
}

# bats test_tags=slow
@test "whatever option an experiment has, the command lines that its result prints ask for the same experiment" {
    local cpu option
    export BIN
    cpu=$(first_cpu)
    touch words seen
    both_ask_alike --input words --stdout pipe --stderr errors --setup 'echo "s" $x' --prepare "echo 'p'; it's" --conclude 'c *' --cleanup 'u > v' \
        --cold --cold-path words
    both_ask_alike --nice 3 --load-nice 4 --target-cpus "$cpu" --load-cpus "$cpu" --setting 'mine=on: echo "1"; off: echo 2' --settle 2s --shell none --no-probe
    both_ask_alike --place core --place-cpus 1:1 --account cgroup:/sys/fs/cgroup --timeout 5s --ignore-failure=1,137
    both_ask_alike --metric 'p99_ms=stdout:/^p99: "?([0-9.]+), $it/,unit=ms,better=lower' --metric user_s --decide user_s --statistic mean \
        --confidence 0.9 --warmup 2 --discard-warmup 1 --washout 1 --aa --engine meter
    both_ask_alike --service "server --port 7 --name 'a b'" --ready 'match:/^it is "up"$/' --ready-timeout 7s --stop-signal INT --service-cpus "$cpu" \
        --keep-service --metric @openloop
    both_ask_alike --service 'server --port 7' --ready port:7 --service-warmup 3 --metric @openloop
    both_ask_alike --ignore-failure --at-most 1.5 --error 3% --runs 14 --seed 4
    # An option that is new is to be tried here, too, or has no place in an experiment of one target.
    for option in $("$BIN/experiment" slowdown --help-all | grep -oE '^ +(-[a-zA-Z], )?--[a-z-]+' | grep -oE -- '--[a-z-]+' | sort -u); do
        case $option in
            --variant | --command-name | --build | --revision | --reference | --reference-name | --parameter-* | --same-within) ;; # several targets
            --load | --for | --quick | --min-runs | --max-runs | --max-time | --pause) ;;                                          # what the line has of its own
            --cell | --export-* | --json | --on | --output | --quiet | --resume | --show-output | --style | --verbose | --wait | --help* | --version) ;;
            --in | --strict) ;; # need an image, a quiet machine
            *) grep -qxe "$option" seen ;;
        esac
    done
    # Of protect: settings of a server that are not told apart, and one that is the best.
    for option in --try=service:nice=1 --input=words; do
        rm -rf given
        "$BIN/experiment" protect --output given --service 'server --name "a b"' --ready port:7 --load 'a=cpu --percent 1' --try 'service:nice=2 nice=3' "$option" -- sort >plan
        made_up
        asks_alike closer
        holds --arg option "$option" '[.loads[].settings // empty | [.load, .service]] as $settings | [["nice=3"], ["nice=2"]] as $one
            | if $option | contains("try") then $settings | index([$one, [[], ["nice=1"]]]) else $settings == [$one] end' <again/experiment.json
    done
}
