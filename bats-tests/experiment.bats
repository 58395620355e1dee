#!/usr/bin/env bats
# The program experiment: what it checks, the record that it writes, and the plan
# that it prints for the shell.

load helpers

EXPERIMENT=$BIN/experiment

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    unset JOSTLE_JOB_FACTS JOSTLE_JOB_NEIGHBOURS JOSTLE_JOB_HOSTS JOSTLE_KERNEL_ROOT
    ln -s "$(type -P true)" target
    ln -s "$(type -P true)" other
}

# plan_of ARG...: the plan, a line for each key and value.
plan_of() {
    "$EXPERIMENT" "$@" | xargs -0 -n 2 printf '%s=%s\n'
}

# values KEY <PLAN: the values of one key, with blanks between.
values() {
    sed -n "s/^$1=//p" | paste -sd' '
}

# bats test_tags=slow
@test "the plan names the folder, the conditions, meter's words and each load's command line" {
    plan_of slowdown --output out --timeout 1.5s --nice 3 --load-nice 5 --load-cpus 0 --target-cpus 0 --quiet \
        --load 'half=cpu --percent=50' --load 'two=cpu --percent 5 + exec: sleep "9 9"' -- echo "it's" >plan
    [[ $(values folder <plan) == "$PWD/out" ]]
    [[ $(values condition <plan) == 'baseline half two' ]]
    [[ $(values quiet <plan) == 1 && $(values verbose <plan) == '' && $(values created <plan) == 1 && $(values named <plan) == 1 ]]
    [[ $(values command_text <plan) == "echo 'it'\\''s'" ]]
    [[ $(values meter <plan) == "--serve --timeout 1.500000000 --cpus 0 --nice 3 --stdout /dev/zero --stderr-tail $PWD/out/target.stderr -- echo it's" ]]
    [[ $(values load <plan) == 'half two.cpu two.exec' ]]
    [[ $(values load_condition <plan) == 'half two two' ]]
    sed -n '/^load=two.exec/,$s/^load_word=//p' plan | diff - <(printf '%s\n' nice -n 5 "$BIN/start" --cpus 0 -- "$BIN/loadgen" exec --control --settle 1s -- sleep '9 9')
    sed -n '/^load=half/,/^load=two/s/^load_word=//p' plan | tail -n 3 | diff - <(printf '%s\n' cpu --control --percent=50)
}

@test "--on hands over all options but those that are about this machine, also where they are shortened" {
    plan_of --on slowdown --on web1 --outp out --quie -r 3 --load 'half=cpu --percent 50' -L n 1,2 --aa --prepare '--quiet' -- echo '{n}' >plan
    sed -n 's/^on_word=//p' plan | diff - <(printf '%s\n' --runs=3 '--load=half=cpu --percent 50' --parameter-list=n=1,2 --aa --prepare=--quiet -- echo '{n}')
    plan_of --on run --on web1 --output=pipe -- echo a >plan
    sed -n 's/^on_word=//p' plan | diff - <(printf '%s\n' --stdout pipe -- echo a)
}

@test "what jostle gives its loads itself is refused in a load, also shortened; settings add no --threads to one that has it" {
    local option
    for option in --duration=3s '--dur 3s' '--du 3s' --control --cont --dry --dr --help --version; do
        run -2 "$EXPERIMENT" slowdown --output out --load "n=cpu --percent 5 $option" -- true
        [[ ${#lines[@]} -eq 1 && $output == *': jostle begins and ends its loads itself: leave it out' ]]
    done
    run -2 "$EXPERIMENT" slowdown --output out --load 'n=io --sh' -- true
    [[ ${#lines[@]} -eq 1 && $output == *"'io --sh': --show-device: jostle begins"* ]]
    plan_of slowdown --output out --load 'n=[nice=19] cpu --thr 1' --load 'm=exec: sh --dur 3' -- true >plan
    [[ $(values load_word <plan) == *'cpu --control --thr 1'*' sh --dur 3' && $(values load_word <plan) != *--threads* ]]
}

# bats test_tags=slow
@test "protect has a load of another host there with each setting of the target, too" {
    local load
    for load in 'far@web1=cpu --percent 5' 'far=@web1 cpu --percent 5'; do
        plan_of protect --output out --load "$load" --try target:nice=5 -- true >plan
        [[ $(values condition <plan) == 'baseline far far.target-nice-5 alone.target-nice-5' && $(values load_node <plan) == 'web1 web1' ]]
        rm -r out
    done
}

@test "a setting that is given to --try twice is refused by its name" {
    run -2 "$EXPERIMENT" protect --output out --load 'cpu --percent 5' --try nice=19 --try nice=19 -- true
    [[ $output == "jostle: --try 'nice=19' is given twice: leave one of them out" ]]
}

@test "a + in quotes belongs to the command, as it does in a shell" {
    plan_of slowdown --output out --load 'sum=exec: sh -c "echo \"1 + 2\" + 3" + cpu --percent 5' -- true >plan
    [[ $(values load <plan) == 'sum.exec sum.cpu' ]]
    sed -n '/^load=sum.exec/,/^load=sum.cpu/s/^load_word=//p' plan | tail -n 3 | diff - <(printf '%s\n' sh -c 'echo "1 + 2" + 3')
}

@test "a pipe or a redirection of an exec: load is refused unless it is quoted" {
    local spec
    for spec in 'exec: ./noise > /dev/null' 'exec: sh -c "sleep 5" | cat' 'cpu --percent 5 + exec: a; b'; do
        run -2 "$EXPERIMENT" slowdown --output out --load "n=$spec" -- true
        [[ ${#lines[@]} -eq 1 && $output == *"or write exec: sh -c '...'" ]]
    done
    "$EXPERIMENT" slowdown --output out --load "n=exec: sh -c './noise > /dev/null'" -- true >/dev/null
}

# bats test_tags=slow
@test "one word that is no program is a command line: split, or run by sh where only a shell understands it" {
    command() { jq -c '[.settings.shell, .command]' out/experiment.json && rm -r out; }
    "$EXPERIMENT" run --output out -- 'sleep "1 2"' >/dev/null
    [[ $(command) == '[null,["sleep","1 2"]]' ]]
    run -0 --separate-stderr "$EXPERIMENT" run --output out -- 'sleep 1 | cat'
    # shellcheck disable=SC2154 # run sets it
    [[ $stderr == *"'sleep 1 | cat' is run by sh, whose start is part of the figures"* ]]
    [[ $(command) == '["sh",["sh","-c","sleep 1 | cat"]]' ]]
    "$EXPERIMENT" run --output out --shell=none -- 'echo $HOME' >/dev/null
    [[ $(command) == '[null,["echo","$HOME"]]' ]]
    "$EXPERIMENT" run --output out --shell bash 'echo 1' >/dev/null
    [[ $(command) == '["bash",["bash","-c","echo 1"]]' ]]
    "$EXPERIMENT" run --output out -S 'bash --norc' 'echo 1' >/dev/null
    [[ $(command) == '["bash --norc",["bash","--norc","-c","echo 1"]]' ]]
    printf '#!/bin/bash\n' >'odd name' && chmod +x 'odd name'
    "$EXPERIMENT" run --output out -- './odd name' >/dev/null
    [[ $(command) == '[null,["./odd name"]]' ]]
    run -2 "$EXPERIMENT" run --output out -- 'sleep 1' 'sleep 2'
    [[ ${#lines[@]} -eq 1 && $output == *'leave out -- to compare commands'* && ! -e out ]]
}

@test "the plan says which words make the command line one that resumes" {
    plan_of run -- true >plan
    [[ $(values resume_word <plan) == "--output $PWD/jostle-results/true."*' --resume' ]]
    plan_of run --output out -- true >plan
    [[ $(values resume_word <plan) == --resume ]]
    plan_of run --output out --resume -- true >plan
    [[ $(values resume_word <plan) == '' ]]
}

@test "without --output the folder is named by target and time, and is new" {
    plan_of run -- /bin/true >plan
    [[ $(values folder <plan) =~ ^"$PWD"/jostle-results/true\.[0-9]{8}-[0-9]{6}\.[0-9]+$ ]]
    [[ $(values created <plan) == 1 && $(values load <plan) == '' && $(values condition <plan) == baseline ]]
}

@test "hyperfine as the engine runs the quoted target inside meter" {
    plan_of run --engine hyperfine --output out -- echo 'a b' >plan
    [[ $(values meter <plan) == *"-- hyperfine -N --runs 1 --ignore-failure --style none --export-json $PWD/out/hyperfine.json -- echo 'a b'" ]]
}

@test "the record holds command, loads, settings, machine and placement, and is valid" {
    "$EXPERIMENT" slowdown --output out --error 2.5% --settle 0.1s --max-time 2m --max-runs 5 --seed 7 --metric all --cold --cold-path a --cold-path b \
        --load 'half=cpu --percent 50' -- ./target 1 $'bad \xff byte' >/dev/null
    is_valid experiment out/experiment.json
    holds '.command == ["./target", "1", "bad \\xff byte"]
        and .loads == [{name: "baseline", spec: null, parts: []},
            {name: "half", spec: "cpu --percent 50", parts: [{name: "half", node: null, words: ["cpu", "--percent", "50"]}]}]
        and (.settings | .error == 0.025 and .settle_s == 0.1 and .max_time_s == 120 and .min_runs == 5 and .max_runs == 5 and .seed == 7
            and .metric == ["wall_s", "user_s", "system_s", "max_rss_bytes"] and .cold_path == ["a", "b"] and .nice == null and .at_most == null)
        and .cell == null and .before.busy_s > 0 and .before.neighbours == null
        and .placement.place == null' <out/experiment.json
    holds '.environment | .host == $host and .cpus_online >= 1 and .folder == $folder and .job == null and .memory_bytes > 0' \
        --arg host "$(uname -n)" --arg folder "$PWD" <out/experiment.json
}

@test "metrics are names, definitions and adapters, in the order given; the record says which decide" {
    printf '# a test\ncommand: x\nlast=stdout:/last ([0-9.]+)/,unit=ms\nerrors=stdout:/errors ([0-9]+)/,role=errors\n' >own
    "$EXPERIMENT" run --output out --metric wall_s,cpu_s --metric 'rate=stdout:/a,b=([0-9]+)/,unit=1/s,better=higher' --metric @./own --decide rate,cpu_s -- true >/dev/null
    is_valid experiment out/experiment.json
    holds '.settings | .metric == ["wall_s", "cpu_s", "rate", "last"] and .decide == ["cpu_s", "rate"]
        and ([.metrics[] | [.name, .source, .unit, .better, .role, .adapter]] == [["rate", "stdout:/a,b=([0-9]+)/", "1/s", "higher", null, null],
            ["last", "stdout:/last ([0-9.]+)/", "ms", "lower", null, "own"], ["errors", "stdout:/errors ([0-9]+)/", "", "lower", "errors", "own"]])' <out/experiment.json
    "$EXPERIMENT" run --output plain -- true >/dev/null
    holds '.settings | .metric == ["wall_s"] and .metrics == [] and .decide == ["wall_s"]' <plain/experiment.json
}

@test "metrics that cannot be are refused before anything is made, with the nearest name" {
    refused() {
        run -2 "$EXPERIMENT" run --output refused "${@:2}" -- true
        # shellcheck disable=SC2053 # a pattern
        [[ $output == $1 ]]
        [[ ! -e refused ]]
    }
    local rate='rate=stdout:/([0-9]+)/'
    refused 'jostle: --metric wal_s:*did you mean wall_s?*' --metric wal_s
    refused 'jostle: --metric cpu_s: cpu_s is there twice:*' --metric all --metric cpu_s --metric cpu_s
    refused 'jostle: --metric *: rate is there twice: *' --metric "$rate" --metric "$rate"
    refused "jostle: --decide rat: 'rat' is none of the metrics of --metric (did you mean rate[?])*" --metric "$rate" --decide rat
    refused "jostle: --decide user_s: 'user_s' is none*" --metric wall_s --decide user_s
    refused 'jostle: --engine hyperfine does not measure rate:*' --metric "wall_s" --metric "$rate" --engine hyperfine
    refused 'jostle: --metric @nobody: *' --metric @nobody
}

@test "the record's members are those of the recorded experiments" {
    "$EXPERIMENT" slowdown --output out --load cpu -- true >/dev/null
    local recorded=$BATS_TEST_DIRNAME/fixtures/campaign-0.1.0/cells/mmul.size=400@cpu.50/experiment.json
    jq -r 'del(.after, .step_accounting, .resumed, .stopped, .environment.slurm, .environment.job) | [paths | map(select(type == "string"))
        | select(.[0] != "cell" and (.[0] != "variables" or length == 1) and .[1] != "parts" and .[1] != "gauge")] | unique[] | join(".")' "$recorded" >old
    jq -r '[paths | map(select(type == "string"))] | unique[] | join(".")' out/experiment.json >new
    [[ -z $(comm -23 <(sort old) <(sort new)) ]]
}

@test "a cell gives command, loads and settings; options win" {
    printf '%s' '{"schema":"jostle.cell/1","name":"a@b","number":3,"key":"k","command":["sleep","0.1"],"loads":[{"name":"half","spec":"cpu --percent 50"}],
        "settings":{"max-runs":"15","error":"0.02","settle":"20.000000","ignore-failure":"1","cold-path":"a\nb"}}' >cell.json
    plan_of slowdown --cell cell.json --output out --max-runs 20 >plan
    [[ $(values condition <plan) == 'baseline half' && $(values cell <plan) == 1 ]]
    [[ $(values meter <plan) == *' -- sleep 0.1' ]]
    holds '.cell.name == "a@b" and .cell.settings["cold-path"] == "a\nb" and (.cell.limits | keys) == ["error", "max-runs"] and .command == ["sleep", "0.1"]
        and (.settings | .max_runs == 20 and .error == 0.02 and .settle_s == 20 and .ignore_failure and .cold_path == ["a", "b"])' <out/experiment.json
    plan_of run --cell cell.json --output out2 --load 'x=cpu --percent 1' -- true >plan
    [[ $(values condition <plan) == x && $(values meter <plan) == *' -- true' ]]
    jq '.loads = []' cell.json >alone.json
    plan_of slowdown --cell alone.json --output out3 >plan
    [[ $(values condition <plan) == baseline ]]
    run -2 "$EXPERIMENT" slowdown --cell absent.json -- true
    jq '.settings["max-runs"] = "many"' cell.json >wrong.json
    run -2 "$EXPERIMENT" slowdown --cell wrong.json
    [[ $output == 'jostle: --cell: max-runs many: '* ]]
    jq 'del(.name)' cell.json >nameless.json
    run -2 "$EXPERIMENT" slowdown --cell nameless.json
}

@test "loads on the nodes of a job; listeners start first" {
    export JOSTLE_JOB_HOSTS=$'n1\nn2\nn3'
    plan_of slowdown --output out --load 'one@2=cpu --percent 5' --load 'rest@all-others=cpu --percent 4' \
        --load 'mix=cpu --percent 6 + @2-3 cpu --percent 3' --load 'talk=@2 net --connect {node3}:7 + @3 net --listen=127.0.0.1:7' -- true >plan
    [[ $(values load <plan) == 'talk.net@n3 one@n2 rest@n2 rest@n3 mix.cpu mix.cpu@n2 mix.cpu@n3 talk.net@n2' ]]
    [[ $(values load_node <plan) == 'n3 n2 n2 n3  n2 n3 n2' ]]
    [[ $(values load_listens <plan) == 1 ]]
    grep -qx 'load_word=n3:7' plan
    holds '[.loads[].spec] == [null, "@2 cpu --percent 5", "@all-others cpu --percent 4", "cpu --percent 6 + @2-3 cpu --percent 3",
        "@2 net --connect {node3}:7 + @3 net --listen=127.0.0.1:7"]' <out/experiment.json
    local wrong
    for wrong in 'far@4=cpu' 'far@-x=cpu' 'far=net --connect {node4}:1' 'far@3-2=cpu' 'far=@0 cpu' '@2  '; do
        run -2 "$EXPERIMENT" slowdown --load "$wrong" -- true
        [[ ${#lines[@]} -eq 1 && $output == jostle:* ]]
    done
    unset JOSTLE_JOB_HOSTS
    run -2 "$EXPERIMENT" slowdown --load 'far@2=cpu' -- true
    [[ $output == *'other nodes are those of a job'* ]]
}

# bats test_tags=slow
@test "limits in percent are marked to be calibrated: the loads' own, not those of the user's programs" {
    export JOSTLE_JOB_HOSTS=$'n1\nn2'
    "$EXPERIMENT" slowdown --output out --load 'a=io --sequential --limit=50%' --load='mix=mem --limit 10% + cpu --percent 5' \
        --load 'far@2=mem --limit 5%' --load 'x=exec: stress --limit 5%' --load 'y=exec -- stress --limit 5%' \
        --load 'q=io --dir "/a b" --limit 5%' --load 'last=mem --limit 1G' --load 's=mem --stages 9s:5%,1s:0' --load 't=mem --stages=9s:5M' \
        --load 'u=cpu --stages 9s:5%' -- true --load 'b=mem --limit 1%' |
        xargs -0 -r -n 2 printf '%s=%s\n' | sed -n 's/^load=//p; s/^load_percent=.*/%/p' | paste -sd ' ' >said
    [[ $(<said) == 'a % mix.mem % mix.cpu far@n2 % x y q % last s % t u' ]]
}

# bats test_tags=slow
@test "limits in percent and listeners are known by shortened options, too; loads without such an option have neither" {
    plan_of slowdown --output out --load 'a=fork --lim 50%' --load 'b=io --lim=5%' --load 'c=mem --st 9s:5%,1s:0' --load 'd=cpu --lim 50%' \
        --load 'e=exec: sh --limit 5%' --load 'f=exec --se 1s sh --lim 5%' --load 'g=net --liste 127.0.0.1:7' --load 'h=cpu --perc 5' \
        --load 'i=io --cached --read --lim 5%' -- true >plan
    [[ $(values load <plan) == 'g a b c d e f h i' ]]
    [[ $(sed -n 's/^load=//p; s/^load_percent=1/%/p; s/^load_listens=1/listens/p' plan | paste -sd ' ') == 'g listens a % b % c % d e f h i %' ]]
}

@test "each command line of a load is asked what it means once in an experiment, however many conditions have it" {
    mkdir -p wrapped
    ln -s "$BIN"/* wrapped/
    rm wrapped/loadgen wrapped/experiment
    cp "$BIN/experiment" wrapped/
    printf '#!/bin/sh\ncase " $* " in *" --describe "* | *" --only-words "*) echo "$*" >>%q ;; esac\nexec %q "$@"\n' "$PWD/asked" "$BIN/loadgen" >wrapped/loadgen
    chmod +x wrapped/loadgen
    wrapped/experiment slowdown --output out --load 'a=fork --lim 50%' --load 'b=fork --lim 50% + cpu --percent 5' --load 'c=[nice=19] fork --lim 50%' -- true >plan
    sort asked | diff - <(printf '%s\n' 'cpu --describe --percent 5' 'fork --describe --lim 50%')
    rm asked
    wrapped/experiment slowdown --output out2 --load 'a=fork --lim 50%' --load 'b=fork --lim 50% + cpu --percent 5' -- true >plan
    sort asked | diff - <(printf '%s\n' 'cpu --only-words --percent 5' 'fork --only-words --lim 50%')
}

@test "the facts of a job, and its neighbours, are in the record" {
    export JOSTLE_JOB_FACTS=$'scheduler\tslurm\njob_id\t12\nnode_count\t1\nexclusive\ttrue\npinned\t\ncpus\t2'
    export JOSTLE_JOB_NEIGHBOURS=$'job\t7\njob\t8\ncpus_allocated\t4\ncpus_ours\t'
    "$EXPERIMENT" run --output out -- true >/dev/null
    holds '.environment.job == {scheduler: "slurm", job_id: "12", node_count: 1, exclusive: true, pinned: null, cpus: "2"}
        and .before.neighbours == {jobs: ["7", "8"], cpus_allocated: 4, cpus_ours: null}' <out/experiment.json
    "$EXPERIMENT" --counters | holds '.neighbours.jobs == ["7", "8"] and .cpus >= 1 and .busy_s > 0'
    is_valid experiment out/experiment.json
}

@test "the counters are one line, and null where a kernel has none" {
    mkdir -p machine/proc
    JOSTLE_KERNEL_ROOT=$PWD/machine run -0 "$EXPERIMENT" --counters
    [[ ${#lines[@]} -eq 1 ]]
    holds '.busy_s == null and .steal_s == null and .swap_used_bytes == null and .throttle_count == null and .pressure.cpu_some_s == null
        and .load_average == [null, null, null] and .cpus == 0' <<<"$output"
}

# again ARG...: the experiment of these tests, resumed; --max-runs is 6.
again() {
    "$EXPERIMENT" slowdown --output out --resume --load 'low=cpu --percent 5' "$@" -- ./target
}

# begun: makes it, with one run.
begun() {
    "$EXPERIMENT" slowdown --output out --seed 5 --max-runs 6 --load 'low=cpu --percent 5' -- ./target >/dev/null
    printf '{}\n' >out/runs.jsonl
}

@test "resuming keeps the seed, takes the new limits, and notes when and where" {
    begun
    jq '.stopped = "max-time" | .after = .before' out/experiment.json >stopped && mv stopped out/experiment.json
    again --max-runs 9 --error 0.01 | xargs -0 -n 2 printf '%s=%s\n' >plan
    [[ $(values resume <plan) == 1 && $(values complete <plan) == '' ]]
    holds '.settings.seed == 5 and .settings.max_runs == 9 and .settings.error == 0.01 and (has("stopped") or has("after") | not)
        and (.resumed | length == 1 and .[0].host == $host and .[0].before.busy_s > 0 and .[0].runs == 0)' --arg host "$(uname -n)" <out/experiment.json
    again --max-runs 9 >/dev/null
    holds '.resumed | length == 2' <out/experiment.json
    is_valid experiment out/experiment.json
}

@test "what is complete is left alone" {
    begun
    jq '.after = .before' out/experiment.json >ended && mv ended out/experiment.json
    printf '{"schema": "jostle.result/1"}\n' >out/result.json
    sha256sum out/* >sums
    again --max-runs 6 | xargs -0 -n 2 printf '%s=%s\n' >plan
    [[ $(values complete <plan) == 1 ]]
    sha256sum --quiet -c sums
    again --max-runs 7 | xargs -0 -n 2 printf '%s=%s\n' >plan
    [[ $(values complete <plan) == '' ]]
}

@test "another experiment is refused, with what differs, and nothing is changed" {
    begun
    sha256sum out/* >sums
    run -2 "$EXPERIMENT" slowdown --output out --resume --load 'low=cpu --percent 6' -- ./target
    [[ $output == *'load low: recorded cpu --percent 5, now cpu --percent 6'* ]]
    run -2 "$EXPERIMENT" slowdown --output out --resume --load 'low=cpu --percent 5' -- ./other
    [[ $output == *'command: recorded ./target, now ./other'* ]]
    run -2 "$EXPERIMENT" slowdown --output out --resume --load 'low=cpu --percent 5' -- ./target 'a b'
    [[ $output == *"command: recorded ./target, now ./target 'a b'"* ]]
    run -2 "$EXPERIMENT" slowdown --output out --resume --load 'high=cpu --percent 5' -- ./target
    [[ $output == *'conditions: recorded baseline, low, now baseline, high'* ]]
    run -2 again --nice 3
    [[ $output == *'nice: recorded none, now 3'* ]]
    run -2 again --metric 'rate=stdout:/([0-9]+)/'
    [[ $output == *'metrics: recorded none, now '*'rate'* || $output == *'metrics: recorded [], now '*'rate'* ]]
    run -2 again --seed 6
    [[ $output == *'seed: recorded 5, now 6'* ]]
    sha256sum --quiet -c sums
    printf 'no json' >out/experiment.json
    run -1 again
    [[ $output == *'no experiment.json that can be read'* ]]
}

@test "variants with other words are another experiment, also where these read alike" {
    "$EXPERIMENT" run --output out --variant 'a=true x' --variant 'b=true "y z"' >/dev/null
    printf '{"schema": "jostle.run/1"}\n' >out/runs.jsonl
    run -2 "$EXPERIMENT" run --output out --resume --seed "$(jq .settings.seed out/experiment.json)" --variant 'a=true x' --variant 'b=true y z'
    [[ $output == *"(variant b: recorded true 'y z', now true y z)"* ]]
}

@test "an experiment recorded by an earlier jostle can be continued" {
    begun
    # Without the settings that came later, and with times as it wrote them.
    jq 'del(.settings.place, .settings.place_cpus, .settings.aa, .loads[].parts, .placement) | .settings.settle_s = 1.0' out/experiment.json >old
    mv old out/experiment.json
    again --max-runs 6 >/dev/null
    holds '.loads[1].parts | length == 1' <out/experiment.json
}

@test "a folder that another jostle measures into is left alone" {
    begun
    exec 8>>out/runs.jsonl
    flock 8
    run -1 again
    [[ $output == 'jostle: another jostle is measuring into '*'/out: wait for it, or choose another folder' ]]
    exec 8>&-
    run -2 "$EXPERIMENT" run --output out -- true
    [[ $output == *'already holds an experiment'*'--resume' ]]
}

# program_of COMMAND...: what experiment.json has of the program, on one line.
program_of() {
    rm -rf out
    "$EXPERIMENT" run --setup 'make what is not there yet' --output out -- "$@" >/dev/null && jq -c .program out/experiment.json
}

@test "the record names the program that the command starts, with its SHA-256" {
    local sum
    printf '#!/bin/sh\nexec true\n' >script
    chmod +x script
    ln -s script link
    read -r sum _ < <(sha256sum script)
    program_of ./link 1 2 | holds '.path == $path and .sha256 == $sum and .size_bytes == 20 and (.mtime | fromdate) > 0 and .reason == null' \
        --arg path "$PWD/script" --arg sum "$sum"
    # From PATH, as the shell would find it: what cannot be executed is passed over.
    mkdir first second
    cp "$(type -P true)" first/tool && chmod -x first/tool
    cp "$(type -P true)" second/tool
    PATH=$PWD/first:$PWD/second:$PATH program_of tool | holds '.path == $path and (.sha256 | length) == 64' --arg path "$PWD/second/tool"
    # A shell that runs a line is itself the program.
    program_of sh -c 'exit 0' | holds '.path == $path' --arg path "$(readlink -f "$(command -v sh)")"
    is_valid experiment out/experiment.json
}

@test "a program that is not known, or too large to read, says why" {
    program_of ./absent | holds '.path == null and .sha256 == null and .size_bytes == null and (.reason | contains("No such file"))'
    truncate -s 300M huge && chmod +x huge
    program_of ./huge | holds '.sha256 == null and .size_bytes == 314572800 and (.reason | contains("256 MiB"))'
    is_valid experiment out/experiment.json
}

@test "variables that move figures are recorded, others are not" {
    OMP_NUM_THREADS=3 LD_BIND_NOW=1 MALLOC_ARENA_MAX='' OMPI_MCA_btl=self PYTHONHASHSEED=0 LC_ALL=C SECRET_TOKEN=x \
        "$EXPERIMENT" run --output out -- true >/dev/null
    holds '.variables | .OMP_NUM_THREADS == "3" and .LD_BIND_NOW == "1" and .MALLOC_ARENA_MAX == "" and .OMPI_MCA_btl == "self"
        and .PYTHONHASHSEED == "0" and .LC_ALL == "C" and (has("SECRET_TOKEN") or has("PATH") or has("HOME") | not)' <out/experiment.json
}

@test "the record has what jostle doctor checks of the machine" {
    local -A facts=(['proc/sys/vm/swappiness']=10 ['proc/sys/kernel/randomize_va_space']=1 ['proc/sys/kernel/numa_balancing']=1
        ['sys/kernel/mm/transparent_hugepage/enabled']='[always] madvise never' ['sys/devices/system/cpu/intel_pstate/no_turbo']=0
        ['sys/devices/system/cpu/cpu0/cpufreq/scaling_governor']=powersave ['sys/devices/system/cpu/cpu1/cpufreq/scaling_governor']=performance
        ['sys/devices/system/cpu/smt/active']=1 ['sys/devices/system/cpu/isolated']=2-3 ['sys/devices/system/node/node0/cpulist']=0
        ['sys/devices/system/cpu/vulnerabilities/l1tf']='Mitigation: PTE Inversion')
    local file
    for file in "${!facts[@]}"; do
        mkdir -p "machine/${file%/*}"
        printf '%s\n' "${facts[$file]}" >"machine/$file"
    done
    JOSTLE_KERNEL_ROOT=$PWD/machine "$EXPERIMENT" run --output out -- true >/dev/null
    holds '.environment | .swappiness == 10 and .aslr == 1 and .numa_balancing == 1 and .thp == "always" and .turbo == "on" and .smt == "on"
        and .governor == "powersave performance" and .isolated_cpus == "2-3" and .numa_nodes == 1 and .microcode == null and .perf_event_paranoid == null
        and .mitigations == { l1tf: "Mitigation: PTE Inversion" }' <out/experiment.json
    is_valid experiment out/experiment.json
}
