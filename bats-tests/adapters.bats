#!/usr/bin/env bats
# Adapters (--metric @NAME): each against the real program where Debian has it, else
# against the output that the program's own documentation shows.

load helpers
bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || return
}

teardown() {
    [[ -v server ]] || return 0
    kill -CONT "$server" 2>/dev/null || true
    # SIGINT is ignored by what a script puts into the background.
    kill -TERM "$server" 2>/dev/null || true
    wait "$server" || true
}

# needs PROGRAM PACKAGE: skips the test without it.
needs() {
    [[ -n $(type -P "$1") ]] || skip "$1 is not installed: apt-get install $2"
}

# figures ADAPTER[:METRIC,...] COMMAND...: runs COMMAND once; its metrics are in `run`.
figures() {
    "$JOSTLE" run --quiet --min-runs 1 --max-runs 1 --metric "@$1" --output out -- "${@:2}" || {
        cat out/target.std* out/failed/* 2>/dev/null
        return 1
    }
    jq -c .metrics out/runs.jsonl >run
    cat run
    rm -r out
}

# names ADAPTER: its metrics, with commas between.
names() {
    sed -nE 's/^([A-Za-z_0-9]+)=.*/\1/p' "$ROOT/harness/adapters/$1" | paste -sd,
}

# listening: 0 once something listens on `port`. By the kernel's table, not by a connection: iperf3 takes
# that for a client, and begins to listen anew when it has gone.
listening() {
    grep -qE "^ *[0-9]+: [0-9A-F]+:$(printf %04X "$port") 00000000:0000 0A " /proc/net/tcp
}

# redis_answers: 0 once the server at redis.sock does. (Its socket is there before it listens.)
redis_answers() {
    [[ $(redis-cli -s redis.sock ping 2>/dev/null) == PONG ]]
}

# serve COMMAND...: starts a server in the background, and waits until it listens.
serve() {
    "$@" >server.log 2>&1 3>&- &
    server=$!
    eventually 30 listening
}

# bats test_tags=slow
@test "every adapter is listed, says how to call its program, and all its metrics are accepted" {
    local file name
    run -0 "$JOSTLE" adapters
    for file in "$ROOT"/harness/adapters/*; do
        name=${file##*/}
        [[ $output == *"$name "* ]]
        grep -q '^command: .' "$file"
        grep -q '^# Tested against ' "$file"
        printf '[target "a"]\n command = true\n' >c.conf
        git config -f c.conf --list -z --show-origin >entries
        JOSTLE_HARNESS=$ROOT/harness "$BIN/campaign" expand --file "$PWD/c.conf" --instances . --workloads . --plan plan.json --conf conf \
            --set "metric=@$name:$(names "$name")" <entries
    done
    run -0 "$JOSTLE" adapters redis-benchmark
    [[ $output == "$(<"$ROOT/harness/adapters/redis-benchmark")" ]]
}

@test "what is no adapter, or none of its metrics, is refused with the nearest name" {
    run -2 --separate-stderr "$JOSTLE" run --metric @redis-benchmrk -- true
    # shellcheck disable=SC2154 # bats sets stderr
    [[ $stderr == *'did you mean redis-benchmark?'* ]]
    run -2 --separate-stderr "$JOSTLE" run --metric @redis-benchmark:p99_mss -- true
    [[ $stderr == *'did you mean p99_ms?'*'rps, '* ]]
    run -2 --separate-stderr "$JOSTLE" adapters pgbnch
    [[ $stderr == *'did you mean pgbench?'* ]]
    printf 'nonsense\n' >mine
    run -2 --separate-stderr "$JOSTLE" run --metric @./mine -- true
    [[ $stderr == *'nonsense: not a line of an adapter'* ]]
}

@test "an adapter of one's own is a file with a path" {
    printf 'about: mine\ndefault: x\n# a comment\nx=stdout:/x ([0-9]+)/,unit=B\ny=stdout:/y ([0-9]+)/\nn=stdout:/n ([0-9]+)/,role=requests\n' >mine
    figures ./mine printf 'x 7\ny 8\nn 9\n'
    # Helpers come with every choice.
    holds '.x == {value: 7, unit: "B", better: "lower"} and .n.value == 9 and (has("y") | not)' <run
    figures ./mine:y printf 'y 8\n'
    holds '.y.value == 8 and .n.value == null and (has("x") | not)' <run
}

@test "an adapter may have a source for each of as many variants as there may be" {
    local -a variants=()
    local i
    for i in {1..32}; do
        printf 'rate@v%s=stdout:/(x{%s})/\n' "$i" "$i" >>mine
        variants+=(--variant "v$i=true $i")
    done
    "$BIN/experiment" run --output out --metric @./mine "${variants[@]}" >plan
    holds '(.settings.metrics | length) == 32 and .settings.decide == ["rate"]' <out/experiment.json
}

# bats test_tags=slow
@test "wrk2, vegeta and schbench: what their documentation shows" {
    local rate
    figures "wrk2:$(names wrk2)" cat "$BATS_TEST_DIRNAME/fixtures/adapters/wrk2.txt"
    holds '[.rps, .p50_ms, .p90_ms, .p99_ms, .p999_ms, .requests, .achieved, .errors | .value] == [2000.28, 6.67, 9.14, 11.18, 12.3, 39500, 2000.28, null]' <run
    figures "vegeta:$(names vegeta)" cat "$BATS_TEST_DIRNAME/fixtures/adapters/vegeta.txt"
    holds '[.mean_ms, .p50_ms, .p95_ms, .p99_ms, .requests, .errors, .offered | .value] == [2.371194, 2.854306, 3.478629, 3.53, 100, 0, null] and .achieved.value > 101' <run
    # The rate that it was told to make is that of the command.
    for rate in '-rate=50/1s' '-rate 50' '--rate=50/s'; do
        figures vegeta sh -c 'cat "$0" # vegeta attack '"$rate"' | vegeta report' "$BATS_TEST_DIRNAME/fixtures/adapters/vegeta.txt"
        holds '.offered.value == 50' <run
    done
    figures wrk2 sh -c 'cat "$0" # wrk -R2000 -t2' "$BATS_TEST_DIRNAME/fixtures/adapters/wrk2.txt"
    holds '.offered.value == 2000' <run
    figures "schbench:$(names schbench)" cat "$BATS_TEST_DIRNAME/fixtures/adapters/schbench.txt"
    holds '[.rps, .wakeup_p99_us, .request_p99_us, .requests | .value] == [3009.1, 272, 19616, 255755]' <run
}

# bats test_tags=slow
@test "the threads of a client are those that it says, or its command line" {
    # of ADAPTER WORDS TEXT: the threads of a client with such words that writes this.
    of() {
        # shellcheck disable=SC2016 # for the shell
        figures "$1:threads" sh -c 'printf "%s\n" "$1" # '"$2 " sh "$3" >said
        jq .threads.value run
    }
    [[ $(of wrk 'wrk -t9' '  2 threads and 16 connections') == 2 && $(of wrk2 'wrk -t9' '  3 threads and 100 connections') == 3 ]]
    [[ $(of pgbench 'pgbench --client=9' 'number of threads: 4') == 4 ]]
    [[ $(of redis-benchmark 'redis-benchmark -c 9' '  threads: 5') == 5 && $(of redis-benchmark 'redis-benchmark -c 9' '  multi-thread: no') == null ]]
    [[ $(of redis-benchmark-csv 'redis-benchmark --csv --threads 4 -n 9' x) == 4 ]]
    [[ $(of hey 'hey -cpus 2 -n 9 -c 9 x' x) == 2 && $(of hey 'hey -n 9 -c 9 x' x) == null ]]
    [[ $(of vegeta 'vegeta -cpus=3 attack -workers=9 | vegeta report' '{}') == 3 ]]
    [[ $(of vegeta 'vegeta attack -workers=9 | vegeta -cpus=3 report' '{}') == null ]]
}

@test "wrk and wrk2: requests whose connections broke are errors, of all kinds together" {
    local name
    printf '%s\n' '  15328 requests in 1.00s, 2.00MB read' '  Socket errors: connect 1, read 15412, write 20, timeout 300' '  Non-2xx or 3xx responses: 4000' >said
    for name in wrk wrk2; do
        "$JOSTLE" run --quiet --min-runs 1 --max-runs 1 --metric "@$name" --metric wall_s --ignore-failure --output "$name" -- cat said
        holds '[.warnings[] | select(.flag == "client-errors")] | length == 1 and (.[0].message | contains("19733 errors"))' <"$name/result.json"
    done
    holds '[.warnings[] | select(.flag == "client-errors")][0].message | contains("19733 errors, 129 for each 100 requests, in")' <wrk/result.json
}

@test "ab and hey: answers with an error status, and connections that broke, are errors" {
    printf '%s\n' 'Complete requests:      200' 'Failed requests:        0' 'Non-2xx responses:      200' >said
    "$JOSTLE" run --quiet --runs 1 --metric @ab --metric wall_s --ignore-failure --output ab -- cat said
    holds '[.warnings[] | select(.flag == "client-errors").message] | length == 1 and (.[0] | contains("200 errors, 100 for each 100 requests, in"))' <ab/result.json
    printf 'Status code distribution:\n  [200]\t169 responses\n\nError distribution:\n  [30]\tGet "http://127.0.0.1:80/": EOF\n  [1]\tPost "http://127.0.0.1:80/": EOF\n' >said
    "$JOSTLE" run --quiet --runs 1 --metric @hey --metric wall_s --ignore-failure --output hey -- cat said
    holds '[.warnings[] | select(.flag == "client-errors").message] | length == 1 and (.[0] | contains("31 errors"))' <hey/result.json
}

@test "several clients in one command have no common quantile: no figure" {
    printf '    99%%    1.00ms\nRequests/sec:  100.0\n' >said
    run -5 "$JOSTLE" run --quiet --runs 1 --metric @wrk --output out -- sh -c 'cat said; cat said'
    [[ $output == *'2 values in stdout, each of another client: run one client, or define a metric with take=sum'* ]]
    "$JOSTLE" run --quiet --runs 1 --metric 'rps=stdout:/^Requests.sec: +([0-9.]+)/,take=sum' --output sum -- sh -c 'cat said; cat said'
    holds '.metrics.rps.value == 200' <sum/runs.jsonl
}

@test "pgbench --rate is an open loop whose rate is known, and pgbench without it a closed one" {
    local words
    printf 'tps = 4959.0 (without initial connection time)\nlatency average = 1.0 ms\n' >said
    for words in '' '--rate=500000' '-R 5000'; do
        # shellcheck disable=SC2016 # for the shell
        "$JOSTLE" run --quiet --runs 2 --metric @pgbench --output "out$words" -- sh -c 'cat said # pgbench '"$words "
        jq -c '[.warnings[].flag] | [index("closed-loop") != null, index("rate-missed") != null]' "out$words/result.json"
    done >flags
    printf '%s\n' '[true,false]' '[false,true]' '[false,false]' | diff - flags
}

# bats test_tags=slow
@test "linpack and gemm: Gflop/s, and the residual" {
    "$WORKLOADS/gemm" --version >/dev/null 2>&1 || skip 'no BLAS library: apt install libopenblas0'
    figures "linpack:$(names linpack)" "$WORKLOADS/linpack" 300
    holds '.gflops.value > 0 and .gflops.better == "higher" and .seconds.value > 0 and .residual.value > 0 and .residual.value < 16' <run
    figures "gemm:$(names gemm)" "$WORKLOADS/gemm" 300
    holds '.gflops.value > 0 and .seconds.value > 0' <run
}

# bats test_tags=slow
@test "sysbench: cpu, memory and fileio" {
    needs sysbench sysbench
    figures "sysbench-cpu:$(names sysbench-cpu)" sysbench cpu --events=200 --time=0 run
    holds '.events_per_s.value > 0 and .events_per_s.better == "higher" and .lat_avg_ms.value > 0 and .lat_p95_ms.value > 0 and .requests.value == 200' <run
    figures "sysbench-memory:$(names sysbench-memory)" sysbench memory --memory-block-size=1M --memory-total-size=64M run
    holds '.mib_per_s.value > 0 and .ops_per_s.value > 0' <run
    sysbench fileio --file-total-size=1M --file-num=2 prepare >/dev/null
    figures "sysbench-fileio:$(names sysbench-fileio)" sysbench fileio --file-total-size=1M --file-num=2 --file-test-mode=rndrw --events=300 --time=0 run
    holds '.reads_per_s.value > 0 and .writes_per_s.value > 0 and .fsyncs_per_s.value > 0 and .read_mib_per_s.value > 0 and .written_mib_per_s.value > 0 and .requests.value >= 300' <run
}

# bats test_tags=slow
@test "redis-benchmark: one test, and several as CSV" {
    local metric
    needs redis-server redis-server
    needs redis-benchmark redis-tools
    redis-server --port 0 --unixsocket "$PWD/redis.sock" --save '' --dir "$PWD" >server.log 2>&1 3>&- &
    server=$!
    eventually 30 redis_answers
    figures "redis-benchmark:$(names redis-benchmark)" redis-benchmark -s redis.sock --threads 2 -t get -n 5000
    holds '.rps.value > 0 and .p50_ms.value > 0 and .p99_ms.value >= .p95_ms.value and .p95_ms.value >= .p50_ms.value and .avg_ms.value > 0 and .requests.value == 5000 and .threads.value == 2' <run
    figures "redis-benchmark-csv:$(names redis-benchmark-csv)" redis-benchmark --csv -s redis.sock -t get,set,incr,lpush -n 2000
    for metric in get set incr lpush; do
        holds ".${metric}_rps.value > 0 and .${metric}_p99_ms.value > 0" <run
    done
    # A server that is not there is no figure.
    run -5 "$JOSTLE" run --quiet --max-runs 1 --metric @redis-benchmark --output gone -- redis-benchmark -s no.sock -t get -n 10
}

# The server of the campaign postgresql, which leaves root, and makes its databases.
# bats test_tags=slow
@test "pgbench: a closed loop, and what it says of each second" {
    [[ -n $(compgen -G '/usr/lib/postgresql/*/bin/initdb') ]] || skip 'PostgreSQL is not installed: apt-get install postgresql'
    needs pgbench postgresql
    free_ports TEN
    port=$REPLY
    "$ROOT/harness/campaign/ready/postgresql-server" "$port" 1 >server.log 2>&1 3>&- &
    server=$!
    # It listens once before, while it fills the databases.
    eventually 120 grep -q 'ready to accept connections' server.log
    export PGHOST=127.0.0.1 PGPORT=$port PGUSER=bench PGDATABASE=postgres
    figures "pgbench:$(names pgbench)" pgbench --no-vacuum --select-only --client=2 --jobs=2 --transactions=200 --progress=1 --log
    holds '.tps.value > 0 and .lat_avg_ms.value > 0 and .lat_stddev_ms.value > 0 and .p99_us.value >= .p50_us.value and .requests.value == 400 and .errors.value == 0 and .threads.value == 2' <run
    sort -n -k 3,3 pgbench_log.* | sed -n 396p | cut -d ' ' -f 3 | jq -e --slurpfile run run '. == $run[0].p99_us.value'
}

# bats test_tags=slow
@test "iperf3: what the receiver counts" {
    needs iperf3 iperf3
    free_ports TEN
    port=$REPLY
    serve iperf3 -s -B 127.0.0.1 -p "$port"
    figures "iperf3:$(names iperf3)" iperf3 --json --client 127.0.0.1 --port "$port" --bytes 20M
    holds '.bits_per_s.value > 1e6 and .sent_bits_per_s.value > 1e6 and .retransmits.value >= 0' <run
}

# bats test_tags=slow
@test "fio: all jobs, reads and writes" {
    needs fio fio
    figures "fio:$(names fio)" fio --output-format=json --name=a --rw=randrw --size=1M --bs=4k --filename=file
    holds '.iops.value > 0 and .bytes_per_s.value > 0 and .p50_ms.value > 0 and .p99_ms.value >= .p50_ms.value and .p999_ms.value >= .p99_ms.value and .requests.value == 256 and .errors.value == 0' <run
}

# bats test_tags=slow
@test "wrk, hey and ab: requests of an HTTP server" {
    local metric
    needs python3 python3
    free_ports TEN
    port=$REPLY
    printf hello >index.html
    serve python3 -m http.server --bind 127.0.0.1 "$port"
    if [[ -n $(type -P wrk) ]]; then
        figures "wrk:$(names wrk)" wrk --latency --threads 2 --connections 2 --duration 1s "http://127.0.0.1:$port/"
        holds '.rps.value > 0 and .p50_ms.value > 0 and .p50_ms.value < 1000 and .p99_ms.value >= .p90_ms.value and .requests.value > 0 and .threads.value == 2' <run
    fi
    if [[ -n $(type -P hey) ]]; then
        figures "hey:$(names hey)" hey -n 200 -c 2 "http://127.0.0.1:$port/"
        holds '.rps.value > 0 and .mean_s.value > 0 and .p99_s.value >= .p50_s.value and .requests.value == 200' <run
    fi
    if [[ -n $(type -P ab) ]]; then
        figures "ab:$(names ab)" ab -q -n 200 -c 2 "http://127.0.0.1:$port/"
        holds '.rps.value > 0 and .mean_ms.value > 0 and .p99_ms.value >= .p50_ms.value and .requests.value == 200 and .errors.value == 0' <run
    fi
    for metric in wrk hey apache2-utils; do
        [[ -n $(type -P "${metric/apache2-utils/ab}") ]] || skip "$metric is not installed: apt-get install $metric"
    done
}

# bats test_tags=slow
@test "hpcc: HPL and STREAM, whose lines are those of the programs of these names" {
    needs hpcc hpcc
    needs mpirun openmpi-bin
    sed -E 's/^1000( +Ns)/100\1/; s/^80( +NBs)/32\1/; s/^2( +[PQ]s)/1\1/' /usr/share/doc/hpcc/examples/_hpccinf.txt >hpccinf.txt
    figures "hpcc:$(names hpcc)" mpirun --allow-run-as-root --mca btl self -np 1 hpcc
    holds '.hpl_gflops.value > 0 and .stream_triad_gb_per_s.value > 0 and .dgemm_gflops.value > 0 and .fft_gflops.value > 0' <run
    cp run of_file
    figures "hpl:$(names hpl)" cat hpccoutf.txt
    holds '.gflops.value == $hpcc.hpl_gflops.value and .seconds.value >= 0' --argjson hpcc "$(<of_file)" <run
    figures "stream:$(names stream)" cat hpccoutf.txt
    holds '.triad_mb_per_s.value > 0 and .copy_mb_per_s.value > 0 and .scale_mb_per_s.value > 0 and .add_mb_per_s.value > 0' <run
}

@test "GROMACS: ns a day of a small box of water" {
    needs gmx 'gromacs (400 MB)'
    printf '#include "oplsaa.ff/forcefield.itp"\n#include "oplsaa.ff/spce.itp"\n[ system ]\nwater\n[ molecules ]\n' >topol.top
    printf '%s\n' 'nsteps = 20' 'coulombtype = PME' 'rcoulomb = 0.8' 'rvdw = 0.8' 'constraints = h-bonds' >md.mdp
    gmx -quiet solvate -cs spc216.gro -box 1.9 1.9 1.9 -o conf.gro -p topol.top >log 2>&1
    gmx -quiet grompp -f md.mdp -c conf.gro -p topol.top -o topol.tpr -maxwarn 5 >>log 2>&1
    figures "gromacs:$(names gromacs)" gmx -quiet mdrun -s topol.tpr -noconfout -nt 1
    holds '.ns_per_day.value > 0 and .core_s.value > 0' <run
}

@test "the ready campaigns of services: each load beside the client, whose figures are the metrics" {
    needs redis-server redis-server
    needs redis-benchmark redis-tools
    "$JOSTLE" plan redis --json | holds '[.cells[].load] == ["cpu", "mem", "cache", "disk", "net"]'
    [[ -n $(compgen -G '/usr/lib/postgresql/*/bin/initdb') ]] || skip 'PostgreSQL is not installed: apt-get install postgresql'
    "$JOSTLE" plan postgresql --json | holds '[.cells[].load] == ["cpu", "mem", "cache", "disk", "net"]'
}

# while_stopped: 0 when more than half of the `whole` requests waited for a server that is stopped
# when they are due; a closed loop would have sent only a few.
while_stopped() {
    # The client begins some time in these 0.6 s; it waits for its answers for a second after its last request.
    figures "openloop:p50_ms,p99_ms" sh -c 'kill -STOP "$2"; "$0" "$1" 2000 400 8 PING 1 & sleep 0.6; kill -CONT "$2"; wait' \
        "$WORKLOADS/openloop" "$port" "$server" &&
        holds ".requests.value == $whole and .p50_ms.value > 5 and .p99_ms.value > 150" <run
}

# bats test_tags=slow
@test "openloop: requests are due at their times, and count from then, also while the server does not answer" {
    local whole
    needs redis-server redis-server
    free_ports TEN
    port=$REPLY
    serve redis-server --port "$port" --save '' --dir "$PWD"
    figures "openloop:p50_ms,p99_ms,max_ms,rps" "$WORKLOADS/openloop" "$port" 2000 400 8 PING 1
    holds '.requests.value > 700 and .requests.value < 900 and .offered.value > 1750 and .errors.value == 0 and
        .rps.value == .achieved.value and .p50_ms.value <= .p99_ms.value and .p99_ms.value <= .max_ms.value' <run
    whole=$(jq .requests.value run)
    # Again where a busy machine began the client only after the pause.
    in_tries 6 while_stopped
    # Without a seed each run has arrivals of its own; together they are as many as were asked for.
    for _ in {1..20}; do "$WORKLOADS/openloop" "$port" 10000 20; done | awk '/^requests:/ { seen[$2]; sum += $2 } END { exit !(length(seen) > 4 && sum > 3600 && sum < 4400) }'
}

@test "a variable of a scheduler without the others of a job is no job, or is named" {
    cd "$BATS_TEST_TMPDIR"
    SGE_JOB_SPOOL_DIR=/spool run -2 "$JOSTLE" run --quiet --max-runs 2 --output out -- true
    [[ $output == 'jostle: SGE_JOB_SPOOL_DIR is set and JOB_ID is not'* && ${#lines[@]} -eq 1 ]]
    SLURM_JOB_ID=3 SLURM_ARRAY_TASK_ID=3 run -0 "$JOSTLE" run --quiet --max-runs 2 --output slurm -- true
    [[ -z $output ]]
    JOSTLE_LOCAL_TASK=3 run -0 "$JOSTLE" run --quiet --max-runs 2 --output local -- true
    [[ -z $output ]]
}
