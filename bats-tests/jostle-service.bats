#!/usr/bin/env bats
# A server that is kept up for the runs of its client: --service.

load helpers

setup_file() {
    cc -std=gnu17 -D_GNU_SOURCE -O2 -o "$BATS_FILE_TMPDIR/service" "$BATS_TEST_DIRNAME/fixtures/service.c"
}

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    ln -s "$BATS_FILE_TMPDIR/service" .
    free_ports TEN
    port=$REPLY
    server=(--service "./service serve $port" --ready "port:$port")
}

# left: 0 when no process of this test's server is left.
left() {
    [[ -z $(pgrep -f -- "serve $port" | while read -r pid; do gone "$pid" || echo "$pid"; done) ]]
}

teardown() {
    local pid
    for pid in $(pgrep -f -- "serve $port"); do gone "$pid" || kill -KILL "$pid"; done
}

# quick: two runs of each condition, and none after a start of the service.
quick=(--service-warmup 0 --min-runs 2 --max-runs 2 --quiet --output out)

# bats test_tags=slow
@test "a new service for each block, for all conditions of it; or one that is kept" {
    "$JOSTLE" slowdown "${server[@]}" --variant "a=./service ask $port 3" --variant "b=./service ask $port 3" --load 'cpu --percent 5' --warmup 1 "${quick[@]}"
    left
    jq -c '[.block, .service.starts]' out/runs.jsonl | sort -u >starts
    printf '%s\n' '[0,1]' '[1,2]' '[2,3]' >expected
    diff expected starts
    jq -sc 'sort_by(.order) | map(select(.block == 2).service.age_s) | . == sort' out/runs.jsonl | grep -q true
    holds '.conditions | length == 4 and all(.service | .starts == 2 and .died == 0 and .memory_bytes > 1e5)' <out/result.json
    "$JOSTLE" run "${server[@]}" --keep-service --quiet --min-runs 3 --max-runs 3 --output kept -- ./service ask "$port" 3
    holds -s 'length == 4 and all(.service.starts == 1)' <kept/runs.jsonl
    holds '.settings | .keep_service and .ready == $ready and .stop_signal == "TERM"' --arg ready "port:$port" <kept/result.json
    is_valid result kept/result.json
    is_valid experiment kept/experiment.json
    head -n 1 kept/runs.jsonl >run
    is_valid run run
}

# bats test_tags=slow
@test "after each start the client runs once unmeasured, without a load" {
    local more=(--quiet --runs 2 -- ./service ask "$port" 3)
    "$JOSTLE" slowdown "${server[@]}" --load 'cpu --percent 5' --output each "${more[@]}"
    # Of each start the first run, and none of those of the result.
    holds -s 'group_by(.service.starts) | length == 2 and all(sort_by(.service.age_s) | length == 3
        and (.[0] | .service_start and .block == 0 and .load == [] and .condition == "baseline")
        and (.[1:] | all((has("service_start") | not) and .block > 0)))' <each/runs.jsonl
    holds '.settings.service_warmup == 1 and .conditions[0].runs == 2' <each/result.json
    # In one of two blocks the baseline is first.
    holds -s '[.[] | select(.condition == "baseline" and .block > 0) | .order % 2] | sort == [0, 1]' <each/runs.jsonl
    "$JOSTLE" run "${server[@]}" --keep-service --service-warmup 2 --output kept "${more[@]}"
    holds -s 'map(.service_start) == [true, true, null, null] and all(.service.starts == 1)' <kept/runs.jsonl
    head -n 1 kept/runs.jsonl >run
    is_valid run run
    is_valid experiment kept/experiment.json
    # One that ends the service is a failure, and is made again.
    run -5 "$JOSTLE" run --service "./service serve $port after 2" --ready "port:$port" --output dies "${more[@]}"
    holds '.service_start and .service.died != null' <dies/runs.jsonl
    run -2 "$JOSTLE" run --service-warmup 1 --output none -- true
}

@test "an experiment with a service writes nothing but its folder" {
    mkdir here
    ln -s ../service here
    (cd here && "$JOSTLE" run "${server[@]}" "${quick[@]}" -- ./service ask "$port" 3)
    [[ $(ls -A here) == $'out\nservice' ]]
}

# bats test_tags=slow
@test "its CPU time is the service's, and --prepare finds it up" {
    "$JOSTLE" run --service "./service serve $port busy 60" --ready "port:$port" --metric service_cpu_s \
        --setup "./service ask $port 1 2>/dev/null || echo setup >>prepared" --prepare "./service ask $port 5 >>prepared" \
        --cleanup "./service ask $port 1 2>/dev/null || echo cleanup >>prepared" "${quick[@]}" -- ./service ask "$port" 5
    holds -s 'length == 2 and all(.service.cpu_s > 0.299 and .service.cpu_s < 0.6 and .service.elapsed_s >= .wall_s
        and .user_s + .system_s < 0.29)' <out/runs.jsonl
    holds '.conditions[0].metrics.service_cpu_s.mean > 0.299' <out/result.json
    # What it needs is made before it is up, and removed when it is down.
    [[ $(grep -v longest prepared | tr '\n' ,) == 'setup,requests 5,requests 5,cleanup,' ]]
    grep -qx "listens on $port" out/service.stdout
}

# bats test_tags=slow
@test "a service that ends during a run fails it, even where the client would wait for ever" {
    run -5 --separate-stderr "$JOSTLE" run --service "./service serve $port after 3" --ready "port:$port" --metric 'requests=stdout:/^requests ([0-9]+)/' "${quick[@]}" -- ./service ask "$port" 1000
    # shellcheck disable=SC2154 # set by run
    [[ $stderr == *"during a run the service (./service serve $port after 3) exited with status 7: that is enough: "*'--resume (records: '* ]]
    left
    holds '.service.died == "exited with status 7: that is enough"' <out/runs.jsonl
    holds '.conditions[0] | .failures.service == 1 and .failures.signal == 0' < <("$BIN/stats" --derive out && cat out/result.json)
    grep -qx something out/service.stderr
    # It is made again with a service that does.
    server+=(--metric 'requests=stdout:/^requests ([0-9]+)/')
    run -2 "$JOSTLE" run "${server[@]}" --resume "${quick[@]}" -- ./service ask "$port" 1000
    sed -i 's/ after 3"/"/' out/experiment.json
    "$JOSTLE" run "${server[@]}" --resume "${quick[@]}" -- ./service ask "$port" 1000
    holds '.conditions[0] | .runs == 2 and .failures.service == 1' <out/result.json
}

# bats test_tags=slow
@test "a service that is never ready, or ends before, is refused with its last words" {
    run -1 --separate-stderr "$JOSTLE" run --service "sh -c 'echo no such key >&2; sleep 100'" --ready "port:$port" --ready-timeout 3s --output out -- true
    [[ $stderr == *"it was not ready after 3 s (port:$port): no such key: correct --ready, or raise --ready-timeout" ]]
    [[ ! -e out ]]
    run -1 --separate-stderr "$JOSTLE" run --service "sh -c 'echo cannot read it; exit 3'" --ready "port:$port" --output out -- true
    [[ $stderr == *'it exited with status 3 before it was ready: cannot read it' ]]
    [[ ! -e out ]]
    run -1 --separate-stderr "$JOSTLE" run --service "./no-such-program" --ready "port:$port" --output out -- true
    [[ $stderr == *'it cannot be started: ./no-such-program: not found' ]]
    [[ ! -e out ]]
}

# bats test_tags=slow
@test "why a command of --ready cannot be run is said" {
    printf '#!/bin/sh\r\ntrue\r\n' >dos
    chmod +x dos
    run -1 "$JOSTLE" run --quiet --service 'sleep 100' --ready ./nowhere --ready-timeout 0.3s --output out -- true
    [[ $output == *'it was not ready after 0.3 s (./nowhere): its command cannot be run: not found: correct --ready, '* ]]
    run -1 "$JOSTLE" run --quiet --service 'sleep 100' --ready ./dos --ready-timeout 0.3s --output out -- true
    [[ $output == *'its command cannot be run: its lines end with CR LF'* ]]
}

# bats test_tags=slow
@test "a port that answers before the service is started is refused" {
    ./service serve "$port" 3>&- >/dev/null &
    eventually 30 ./service ask "$port" 1
    run -1 --separate-stderr "$JOSTLE" run "${server[@]}" --output out -- true
    [[ $stderr == *"port $port is in use already: "* ]]
    run -1 --separate-stderr "$JOSTLE" run --service "./service serve $port" --ready "http://localhost:$port/up" --output out -- true
    [[ $stderr == *"port $port is in use already: "* ]]
    # A command that shows nothing.
    run -1 --separate-stderr "$JOSTLE" run --service "./service serve $port" --ready "./service ask $port 1" --output out -- true
    [[ $stderr == *"./service ask $port 1 succeeds already before it is started, "* ]]
}

# bats test_tags=slow
@test "ready by a port, an HTTP answer, a line of output, or a command; also of a daemon" {
    local sign
    for sign in "port:localhost:$port" "http://127.0.0.1:$port/up" "http:localhost:$port/up" 'match:/^listens on [0-9]+$/' "./service ask $port 1"; do
        "$JOSTLE" run --service "./service serve $port late 30" --ready "$sign" --min-runs 1 --max-runs 1 --quiet --output "$(mktemp -u o.XXXX)" -- ./service ask "$port" 1
    done
    run -1 --separate-stderr "$JOSTLE" run --service "./service serve $port" --ready "http://localhost:$port/down" --ready-timeout 0.5s --output out -- true
    "$JOSTLE" run --service "sh -c './service serve $port late 30 & exit 0'" --ready "port:$port" "${quick[@]}" -- ./service ask "$port" 1
    left
}

# bats test_tags=slow
@test "a daemon is one whenever the command that has started it ends" {
    local late
    for late in 0 0.2 0.6; do
        "$JOSTLE" run --service "sh -c './service serve $port & sleep $late'" --ready "port:$port" --min-runs 1 --max-runs 1 --quiet --output "out.$late" -- \
            sh -c "./service ask $port 1 && sleep 0.4 && ./service ask $port 1"
        left
    done
    # It shares the session, unless it has made one of its own.
    for late in '' 'setsid '; do
        "$JOSTLE" run --service "sh -c '$late./service serve $port & exit 0'" --ready "port:$port" "${quick[@]}" -- ./service ask "$port" 1
        sed -i 's/"autogroup":[^,]*/"autogroup":1/; s/"cgroup":[^}]*/"cgroup":null/' out/experiment.json
        "$BIN/stats" --derive out
        holds '([.warnings[] | select(.flag == "service-apart")] | length) == $count' --argjson count $((${#late} > 0)) <out/result.json
        is_valid result out/result.json
        tail -n 1 out/runs.jsonl >run
        is_valid run run
        rm -r out
    done
    # One that ends as a whole has ended.
    run -5 "$JOSTLE" run --service "sh -c './service serve $port after 1 & sleep 0.1'" --ready match:/listens/ "${quick[@]}" -- ./service ask "$port" 100
}

# bats test_tags=slow
@test "a kept service that ends between runs is started anew, and said to be another one" {
    local kept
    for kept in --keep-service ''; do
        # shellcheck disable=SC2086 # none or one
        "$JOSTLE" run "${server[@]}" $kept --conclude "[ -e ended ] || { touch ended; pkill -f '^./service serve $port'; while pgrep -f '^./service serve $port' >/dev/null; do sleep 0.01; done; }" "${quick[@]}" -- ./service ask "$port" 3
        jq -r '.warnings[] | select(.flag == "service-restarted") | .message' out/result.json >said$kept
        rm -r out ended
    done
    [[ $(<said--keep-service) == 'the service ended by itself and was started anew before 1 of 2 runs: '* && ! -s said ]]
}

# bats test_tags=slow
@test "a service that ignores the stop signal is named once" {
    printf '%s\n' "[ -e once ] || trap '' TERM" 'touch once' 'echo listens' 'while :; do sleep 0.01; done' >server
    run -0 --separate-stderr "$JOSTLE" run --service "bash server" --ready match:/listens/ "${quick[@]}" -- true
    # shellcheck disable=SC2154 # set by run
    [[ $stderr == 'jostle: the service did not end within 10 s of --stop-signal TERM, and was killed: '* && $stderr != *$'\n'* ]]
    holds '[.warnings[] | select(.message | contains("--stop-signal"))] | length == 1' <out/result.json
}

# bats test_tags=slow
@test "wrong use is refused before anything is started" {
    local words
    # shellcheck disable=SC2089 # a quote that is not closed
    for words in "--service true" "--ready port:1" "--keep-service" "--service 'a --ready port:1" "--service a --ready port:70000" "--service a --ready port:nowhere:1" \
        "--service a --ready https://localhost/" "--service a --ready match:/(/" "--service a --ready match:/(a{200}{200})/" "--service a --ready match:up" "--service a --ready prot:6379" "--service a --ready port:1 --stop-signal NONE" \
        "--service a --ready port:1 --service-cpus 4000" "--service a --ready port:1 --place core --service-cpus 0" \
        "--metric service_cpu_s" "--metric wall_s,service_memory_bytes"; do
        # shellcheck disable=SC2086,SC2090 # words
        run -2 "$JOSTLE" run $words --output out -- true
    done
    [[ ! -e out ]]
}

# begun: starts jostle in a session of its own, with a run that stays; returns when that runs.
begun() {
    env --default-signal=INT setsid "$JOSTLE" run --service "$1" --ready "match:/listens/" --output out -- sleep "100.$port" >/dev/null 2>errors </dev/null 3>&- &
    harness=$!
    eventually 60 pgrep -f "^sleep 100.$port" >/dev/null
}

# bats test_tags=slow
@test "no service outlives its harness, whatever ends that" {
    local signal
    # A shell in between, and a daemon, are not ended by the end of their parent.
    for signal in KILL INT TERM; do
        begun "sh -c './service serve $port; true'"
        kill -s "$signal" -- "-$harness"
        wait "$harness" || true
        eventually 30 left
        rm -rf out
    done
    begun "sh -c './service serve $port & exit 0'"
    kill -s KILL "$harness"
    wait "$harness" || true
    eventually 30 left
}

@test "--stop-signal ends the service in good order, and what it writes is bounded" {
    cat >server <<'END'
trap 'echo bye; exit 0' INT
trap '' TERM
head -c 3000000 /dev/zero | tr '\0' x
echo
echo listens
while :; do sleep 0.01; done
END
    "$JOSTLE" run --service "bash server" --ready match:/listens/ --stop-signal sigint --keep-service "${quick[@]}" -- true
    [[ $(tail -n 1 out/service.stdout) == bye ]]
    [[ $(stat -c %s out/service.stdout) -eq 1048576 ]]
}

# bats test_tags=slow
@test "the service's processes are counted by every accounting" {
    local kind
    for kind in $(accountings); do
        mkfifo "commands.$kind"
        "$BIN/meter" --service --accounting "$kind" --ready match:/up/ --output "marks.$kind" -- \
            sh -c "echo up; sh -c './service serve $port busy 50 & ./service serve $((port + 1)) busy 50; true'" <"commands.$kind" 3>&- &
        exec {commands}>"commands.$kind"
        printf 'start\n' >&"$commands"
        # They start at the same time: one that answers says nothing of the other.
        eventually 30 ./service ask "$port" 1 >/dev/null 2>&1
        eventually 30 ./service ask $((port + 1)) 1 >/dev/null 2>&1
        printf 'mark\n' >&"$commands"
        eventually 30 grep -q '"mark"' "marks.$kind"
        ./service ask "$port" 6
        ./service ask $((port + 1)) 4
        printf 'mark\n' >&"$commands"
        exec {commands}>&-
        wait $!
        [[ $(grep -c '"mark"' "marks.$kind") -eq 2 ]]
        tail -n 1 "marks.$kind" | holds '.cpu_s > 0.499 and .cpu_s < 1 and .accounting == $kind and .processes >= 4 and .stalls.cpu_s >= 0' --arg kind "$kind"
    done
    left
}

@test "the loads are placed in relation to the service, and the client where both are not" {
    [[ $(nproc) -ge 2 ]] || skip "there is one CPU"
    "$JOSTLE" slowdown "${server[@]}" --place core --load 'cpu --percent 5' "${quick[@]}" -- ./service ask "$port" 3
    holds '.placement | .service_cpus == .load_cpus and .target_cpus != .service_cpus' <out/experiment.json
    holds -s --slurpfile e out/experiment.json 'all(.[]; .cpus == $e[0].placement.target_cpus and .service.cpus == $e[0].placement.service_cpus)' <out/runs.jsonl
}

# bats test_tags=slow
@test "target, service and each kind of load share a session and its groups, so that the kernel favours none" {
    local name
    # shellcheck disable=SC2016 # for the script
    printf '#!/bin/bash\nread -r _ _ _ _ _ session _ <"/proc/$2/stat"\nread -r group <"/proc/$2/autogroup"\n%s\n%s\n' \
        'printf "%s\n" "$session ${group:-}" "$(grep -E "[:,]cpu[:,]" "/proc/$2/cgroup")" >"$1.group"' 'echo "$1 is up"; exec "${@:3}"' >see
    # shellcheck disable=SC2016 # for the shells
    "$JOSTLE" slowdown --service "bash -c 'exec bash see service \$\$ sleep 100'" --ready 'match:/is up/' \
        --load "other=exec: bash -c 'exec bash see exec \$\$ sleep 100'" --load "low=cpu --percent 3.$port" \
        --prepare "bash see builtin \$(pgrep -of 'loadgen cpu .*percent 3.$port') true" "${quick[@]}" -- bash -c 'bash see target $$ true'
    for name in service exec builtin; do diff target.group "$name.group"; done
    holds '.arrangement | .group == "same" and has("cgroup")' <out/experiment.json
    is_valid experiment out/experiment.json
}

# bats test_tags=slow
@test "a real server and its own benchmark" {
    command -v redis-server redis-benchmark >/dev/null || skip "no redis-server"
    "$JOSTLE" run --service "redis-server --port $port --save ''" --ready "port:$port" --metric 'rps=stdout:/"GET","([0-9.]+)"/,better=higher' \
        "${quick[@]}" -- redis-benchmark -p "$port" -t get -n 5000 --csv
    holds -s 'all(.metrics.rps.value > 0 and .service.cpu_s > 0.001 and .service.memory_bytes > 1e6 and .service.died == null)' <out/runs.jsonl
}

# of_run: prints "CONDITION NICENESS" of each run, in order: what the server of each start wrote.
of_run() {
    paste -d ' ' <(jq -sr 'sort_by(.order)[].condition' "$1/runs.jsonl") niceness
}

# bats test_tags=slow
@test "settings of the server are there from its start on, and each run has a new one" {
    [[ $(nice) -eq 0 ]] || skip 'this test sets priorities from 0 on'
    server[1]="nice >>niceness; exec ./service serve $port"
    "$JOSTLE" slowdown "${server[@]}" --load 'a=cpu --percent 1' --load 'b=[service:nice=7 target:nice=3] cpu --percent 1' --load 'c=[service:nice=9]' \
        --metric 'client=stdout:/nice ([0-9]+)/' --metric wall_s "${quick[@]}" -- sh -c "echo nice \$(nice); ./service ask $port 3"
    left
    [[ $(of_run out | sort | uniq -c | sed 's/^ *//') == $'2 a 0\n2 b 7\n2 baseline 0\n2 c 9' ]]
    holds -s 'map(.service.starts) | sort == [1, 2, 3, 4, 5, 6, 7, 8]' <out/runs.jsonl
    holds -s 'all(.metrics.client.value == (if .condition == "b" then 3 else 0 end))' <out/runs.jsonl
    holds '.loads | .[2].settings | .load == [] and .target == ["nice=3"] and .service == ["nice=7"]' <out/experiment.json
    holds '[.warnings[] | select(.flag == "service-restarted")] == []' <out/result.json
    is_valid experiment out/experiment.json
    is_valid result out/result.json
    "$JOSTLE" report --verbose out >said
    grep -q '^service: .*, a new one for each run$' said
    # The client has run once, unmeasured, on each of them before it is measured.
    "$JOSTLE" slowdown --service "${server[1]}" --ready "port:$port" --service-warmup 1 --load 'c=[service:nice=9]' --output warm --quiet --runs 2 -- ./service ask "$port" 3
    holds -s '[.[] | [.condition, .service.starts]] | length == 8 and ([.[range(0; 8; 2)]] == [.[range(1; 8; 2)]])' <warm/runs.jsonl
    holds -s '[.[] | .service_start == true] == [true, false, true, false, true, false, true, false]' <warm/runs.jsonl
}

@test "settings of a server are refused where there is none, or one that is kept, and where they cannot be" {
    local words
    for words in "--load '[service:nice=7] cpu'" "${server[*]@Q} --keep-service --load '[service:nice=7] cpu'" "${server[*]@Q} --load '[service:group=session] cpu'" \
        "${server[*]@Q} --load '[service:nice=70] cpu'" "${server[*]@Q} --load '[service:] cpu'"; do
        run -2 bash -c "\"\$0\" slowdown --output out $words -- true" "$JOSTLE"
        [[ ${#lines[@]} -eq 1 && $output == 'jostle: --load cpu: '*': '* ]]
    done
    run -2 "$JOSTLE" slowdown --output out --load '[service:nice=7] cpu' -- true
    [[ $output == *': there is no service: give --service, or write target:nice=7' ]]
    [[ ! -e out ]]
}

# bats test_tags=slow
@test "protect tries settings at the server, and says which are its client's" {
    server+=(--load 'a=cpu --percent 1')
    "$BIN/experiment" protect "${server[@]}" --output tried -- ./service ask "$port" 3 >plan
    # What cannot be set here is left out, with the reason.
    holds '[.loads[].settings // empty | .target[]] == [] and ([.loads[].settings // empty | .service[]] + [.left_out[]?.setting]
        | tostring | contains("nice=-10"))' <tried/experiment.json
    # Of one that is kept nothing is set.
    "$BIN/experiment" protect "${server[@]}" --keep-service --output kept -- ./service ask "$port" 3 >plan
    holds '[.loads[].settings // empty | .target[], .service[]] == []' <kept/experiment.json
    run -0 --separate-stderr "$JOSTLE" protect "${server[@]}" --output out --runs 1 --try 'service:nice=3 nice=5' --try target:nice=4 -- ./service ask "$port" 3
    [[ $stderr == *"--try 'target:nice=4': with --service target: is the client: for the server write service:nice=4"* && $stderr != *"--try 'service:"* ]]
    [[ $(jq -c '[.conditions[].name]' out/result.json) == '["baseline","a","a.service-nice-3-nice-5","a.target-nice-4","alone.service-nice-3","alone.target-nice-4"]' ]]
    holds '.protection.rows | map([.settings.load, .settings.target, .settings.service]) == [[["nice=5"], [], ["nice=3"]], [[], ["nice=4"], []]]' <out/result.json
    "$JOSTLE" report out >said
    grep -q '^nice=5, service nice=3 *both ' said
    grep -q '^nice=4 *client ' said
}
