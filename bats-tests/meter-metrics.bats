#!/usr/bin/env bats
# meter --metric: figures that are found in what the target writes.
# shellcheck disable=SC2016 # inner shells expand these
# shellcheck disable=SC2034,SC2154 # bats sets stderr, meter.bash line and meter

load helpers
load meter

setup() {
    METER=$BIN/meter
    cd "$BATS_TEST_TMPDIR" || return
}

# values METRIC... -- COMMAND...: what meter finds in the output of COMMAND: a line NAME VALUE
# for each metric, by name, and a line with the failure, if there is one.
values() {
    local -a words=()
    while [[ $1 != -- ]]; do
        words+=(--metric "$1")
        shift
    done
    "$METER" "${words[@]}" "$@" >record
    jq -r '(.metrics | to_entries | sort_by(.key)[] | "\(.key) \(.value.value)"), (.metric_failure // empty | "\(.metric): \(.reason)")' record
}

# fails REASON SOURCE COMMAND: the metric x=SOURCE of `sh -c COMMAND` has no value, for REASON.
fails() {
    run -0 values "x=$2" -- sh -c "$3"
    [[ $output == $'x null\nx: '"$1" ]] || {
        printf '%s: %s\n' "$2" "$output"
        return 1
    }
}

# whole TEXT VALUE [PATTERN [OPTIONS]]: of a line with TEXT the pattern finds VALUE, or is refused where that is none.
whole() {
    local text=$1 value=$2 pattern=${3:-'([0-9.]+)'} options=${4:-}
    run -0 values "x=stdout:/$pattern/$options" -- printf 'rate: %s req\n' "$text"
    if [[ $value == none ]]; then
        [[ ${lines[0]} == 'x null' && ${lines[1]} == "x: "*"$text"* ]]
    else
        [[ $output == "x $value" ]]
    fi || {
        printf '%s by %s: %s, not %s\n' "$text" "$pattern" "$output" "$value"
        return 1
    }
}

# found [N]: one more run of a meter with metrics, of the command N; its record is in line.
found() {
    printf 'run %s\n' "${1:-0}" >&7
    read -r -t 60 -u 8 line
    [[ $line == '{"event":"ended"}' ]]
    read -r -t 60 -u 8 line
}

@test "a metric is found in stdout, stderr and files, by regex and by jq, with its unit and direction" {
    run -0 values 'out=stdout:/^tps=([0-9.]+)$/,unit=1/s,better=higher' 'err=stderr:/p99: ([^ ]+) ms/,unit=ms' \
        'file=file:log/x:/([0-9]+)/' 'jq=jq:.a[1].b' 'second=jq:.a[0]' 'json=file:y.json:jq:.z' -- \
        sh -c 'mkdir log; echo 17 >log/x; echo "{\"z\":1e-3}" >y.json; echo "p99: -2.5e3 ms" >&2; echo "{\"a\":[7,{\"b\":8}]}"'
    [ "${lines[*]}" = 'err -2500 file 17 jq 8 json 0.001 out null second 7 out: not found in stdout' ]
    holds '.metrics.out == {value: null, unit: "1/s", better: "higher"} and .metrics.err == {value: -2500, unit: "ms", better: "lower"}' <record
    "$METER" -- true | holds '.metrics == {} and .metric_failure == null and .output == null'
}

# bats test_tags=slow
@test "take= says which of several matches counts, of a regex as of jq" {
    local take of
    printf 'x=3 x=1\nno\nx=7\nx=5' >regex # the last line has no end
    printf '{"x":[3,1]}\n{"x":[]}\n{"x":[7,5]}' >jq
    for of in 'stdout:/x=([0-9]+)/ regex' 'jq:.x[] jq'; do
        for take in last=5 first=3 sum=16 mean=4 max=7; do
            run -0 values "x=${of% *},take=${take%=*}" -- cat "${of##* }"
            [ "$output" = "x ${take#*=}" ]
        done
    done
    run -0 values 'x=stdout:/x=([0-9]+)/' -- cat regex
    [ "$output" = 'x 5' ]
}

@test "a unit of time behind a figure is converted to the metric's own, and halves are compared" {
    run -0 values 'a=stdout:/a ([0-9.]+[a-z]+)/,unit=ms' 'b=stdout:/b (.*)/,unit=us' 'c=stdout:/c (.*)/,unit=s' 'd=stdout:/d (.*)/,unit=ms' \
        -- printf 'a 7.43ms\na 1.5s\nb 727.00us\nc 1.5m\nd 5MB\n'
    [ "${lines[*]}" = 'a 1500 b 727 c 90 d null d: no number: "5MB"' ]
    run -0 values 'h=stdout:/(.*)/,take=halves' 'j=jq:.,take=halves' -- printf '1\n3\n100\n3\n5\n'
    [ "${lines[*]}" = 'h 2 j 2' ]
    fails '3 values in stdout: halves need 4' 'stdout:/(.*)/,take=halves' 'seq 3'
}

@test "take=pN is the percentile of all matches, by nearest rank" {
    seq 200 -1 1 >down
    run -0 values 'a=stdout:/(.+)/,take=p50' 'b=stdout:/(.+)/,take=p99' 'c=stdout:/(.+)/,take=p99.5' 'd=stdout:/(.+)/,take=p0.1' 'j=jq:.,take=p90' -- cat down
    [ "${lines[*]}" = 'a 100 b 198 c 199 d 1 j 180' ]
    fails '99 values in stdout: p99 needs 100' 'stdout:/(.+)/,take=p99' 'seq 99'
}

@test "a pattern is all files that match it and that the run wrote, in the order of their names" {
    mkdir sub
    echo 100 >sub/log.0
    echo 'x 9' >log.1
    run -0 values 'l=file:log.*:/x (.)/' 'f=file:log.?:/x (.)/,take=first' 's=file:[lm]og.*:/x (.)/,take=sum' 'o=file:sub/*:/(.)/' -- \
        sh -c 'echo "x 1" >log.2; echo "x 2" >log.3; echo y >log.4'
    [ "${lines[*]}" = 'f 1 l 2 o null s 3 o: sub/*: no such file was written by this run' ]
    fails 'not found in log.*' 'file:log.*:/z (.)/' 'echo "x 1" >log.2'
}

# bats test_tags=slow
@test "a figure that is not there, is no number or not finite is a failure with its reason, never a zero" {
    fails 'not found in stdout' 'stdout:/x=(.)/' 'echo y=1'
    fails 'not found in stderr' 'stderr:/(1)/' :
    fails 'not found in stdout' 'jq:.a.b' 'echo {}'
    fails 'not found in stdout' 'jq:.a' :
    fails 'no number: "1,234"' 'stdout:/x=(.*)/' 'echo x=1,234'
    fails 'no number: "12ms"' 'stdout:/x=(.*)/' 'echo x=12ms'
    fails 'no number: "?[31m?"' 'stdout:/x=(.*)/' 'printf "x=\033[31m\t\n"'
    fails 'no number: "0x10"' 'stdout:/x=(.*)/' 'echo x=0x10'
    fails 'no number: " 1"' 'stdout:/x=(.*)/' 'echo "x= 1"'
    fails 'no number: ""' 'stdout:/x=(.*)/' 'echo x='
    fails 'no number: ""' 'stdout:/x(=1)?/' 'echo x'
    fails 'not finite: nan' 'stdout:/x=(.*)/' 'echo x=nan'
    fails 'not finite: -inf' 'stdout:/x=(.*)/' 'echo x=-inf'
    fails 'not finite: 1e400' 'stdout:/x=(.*)/' 'echo x=1e400'
    fails 'not finite: the sum of 2 values' 'stdout:/x=(.*)/,take=sum' 'echo x=1e308; echo x=1e308'
    fails 'not finite: inf' 'jq:.x' 'echo "{\"x\":1e400}"'
    fails 'no number: "12" (a string: add | tonumber)' 'jq:.x' 'echo "{\"x\":\"12\"}"'
    fails 'no number: [1]' 'jq:.x' 'echo "{\"x\":[1]}"'
    fails 'jq: "Cannot iterate over number (1)"' 'jq:.x[]' 'echo "{\"x\":1}"'
    fails 'no JSON: Invalid literal at line 1, column 4' jq:.x 'echo "tps = 5"'
    fails 'none: No such file or directory' 'file:none:/(.)/' :
    fails '.: is no regular file' 'file:.:/(.)/' :
    # One that is no number only counts where its value would.
    run -0 values 'l=stdout:/x=(.*)/' 'f=stdout:/x=(.*)/,take=first' 'm=stdout:/x=(.*)/,take=max' -- printf 'x=-\nx=2\n'
    [ "${lines[*]}" = 'f null l 2 m null f: no number: "-"' ]
    # What is no result may be missing.
    run -0 values 'e=stdout:/errors: (.*)/,role=errors' 'x=stdout:/(1)/' -- echo 1
    [ "${lines[*]}" = 'e null x 1' ]
    # One expression that fails does not take the others with it.
    run -0 values 'a=jq:error("no")' 'b=jq:.b' -- echo '{"b":3}'
    [ "${lines[*]}" = 'a null b 3 a: jq: "no"' ]
}

# bats test_tags=slow
@test "a number of which the pattern takes a part is read whole where that is clear" {
    local text
    for text in 3.5e+06=3500000 1E6=1000000 1.5D+03=1500 2e-3=0.002 .5=0.5 "7'654.2=7654.2" "1'234'567=1234567" 1_000_000=1000000 \
        $'12\u202f345\u202f678=12345678' $'4\u00a0393,19=4393.19' -5=-5 -0.5=-0.5 $'\u22125=-5'; do
        whole "${text%=*}" "${text#*=}"
        # Greedy on the left, and cut there.
        whole "${text%=*}" "${text#*=}" 'rate: .*([0-9]).*'
        whole "${text%=*}" "${text#*=}" '([0-9]+)' ,take=first
        # Once, though the pattern finds several parts of it.
        whole "${text%=*}" "${text#*=}" '([0-9]+)' ,take=sum
    done
    whole 123 123 '.*([0-9.]+)'
    whole '45.5 +/-0.3' 0.3 '([0-9.]+) req'
    whole 4393.195 4393.195 '([0-9]+[.][0-9]{2})'
    whole 1.234e5ms 123400000 '([0-9.]+)' ,scale=1000
}

# bats test_tags=slow
@test "a time of several parts is read whole, in the unit of the metric" {
    local text
    for text in 1:25:56=5156 0:01.23=1.23 01:02:03.5=3723.5 1-02:03:04=93784 0m1.234s=1.234 0m1,234s=1.234 1h2m3s=3723 '1h 2m=3720' \
        '1 min 32.5 s=92.5' '2 hours, 5 minutes=7500'; do
        whole "${text%=*}" "${text#*=}"
        whole "${text%=*}" "${text#*=}" 'rate: (.*[0-9a-z]) req'
        whole "${text%=*}" "$(jq -n "${text#*=} * 1000")" '([0-9.]+)' ,unit=ms
        whole "${text%=*}" none '([0-9.]+)' ,unit=MB/s
    done
    # The rest of a duration is a part of it, too.
    whole 2m3.5s 123.5 'm([0-9.]+)s'
    whole 1:00.05elapsed 60.05 ':([0-9.]+)elapsed'
    whole 1:00:05 3605 '.*:([0-9.]+)'
    # What a list has two of are two times.
    whole '5 s, 3 ms' 5 ': ([0-9]+) s'
    whole '1m0s, 500ms' 60 ': ([0-9a-z]+)'
    whole '1m0s, 500ms' 0.5 ', ([0-9]+)ms' ,scale=0.001
    whole '12 s and 3 ms' 3 'and ([0-9]+)'
    whole '2 hours, 5 ms' 2 ': ([0-9]+)'
    for text in 1:25 1:75:30 1:2:3 1:02:03:04 1h2 5m3; do whole "$text" none; done
}

# bats test_tags=slow
@test "digits that commas group are read where the pattern takes the commas; what may be something else is refused" {
    local text
    for text in 12,345,678=12345678 1,234.56=1234.56 28,134,667=28134667 -1,234,567=-1234567; do
        whole "${text%=*}" "${text#*=}" '([0-9.,-]+)'
        whole "${text%=*}" none
        whole "${text%=*}" none 'rate: .*[^0-9]([0-9.]+)'
        whole "${text%=*}" "${text#*=}" '([0-9.]+)' ,comma=thousands
    done
    for text in 4393,19 0,85 4,393 12,34,567 1,2,3 0,123,456 1234,567,890 1.234,5; do
        whole "$text" none
        whole "$text" none '([0-9.,]+)'
    done
    for text in 1,5e3 0x1f 0X10 1.2.3 1.234.567 1920x1080 10^6 $'1.5\u00d7106' '4 393.19' '12 345 678' 12_34 "7'65"; do whole "$text" none '([0-9]+)'; done
    whole '4 393.19' none '.* ([0-9.]+) req'
}

@test "of a list of any length a pattern with its commas takes each figure" {
    local count
    for count in 3 40 2000; do
        run -0 values 'a=stdout:/,([0-9]+)/,take=sum' 'b=stdout:/([0-9]+),/,take=sum' 'c=stdout:/([0-9]+)/,take=sum' -- \
            bash -c "printf '%s,' {1..$count}; echo 0"
        [[ ${lines[*]} == "a $((count * (count + 1) / 2 - 1)) b $((count * (count + 1) / 2)) c null c: the group takes "* ]]
    done
}

@test "comma= says what a comma is, and so what a point is" {
    whole 4,393 4393 '([0-9,]+)' ,comma=thousands
    whole 4,393.5ms 4393.5 '([0-9.,]+[a-z]*)' ,comma=thousands,unit=ms
    whole 4393,19 none '([0-9.,]+)' ,comma=thousands
    whole 4393,19 4393.19 '([0-9.]+)' ,comma=decimal
    whole 1,5e3 1500 'rate: ([0-9.,e]+)' ,comma=decimal
    whole 1.234.567,89 1234567.89 '([0-9.,]+)' ,comma=decimal
    whole 1.234 1234 '([0-9.]+)' ,comma=decimal
    whole 12.5 none '([0-9.]+)' ,comma=decimal
    run -2 --separate-stderr "$METER" --metric 'x=stdout:/(.)/,comma=point' -- touch ran
    [[ $stderr == *'comma=point: it is one of unknown, thousands, decimal'* && ! -e ran ]]
}

# bats test_tags=slow
@test "a part that the pattern itself bounds is what it asks for; columns, lists and units are no numbers that go on" {
    whole 1:25:56 25 ':([0-9]+):'
    whole 12.34 12 '([0-9]+)[.][0-9]+'
    whole -5 5 '-([0-9]+)'
    whole 10,20,30 20 ',([0-9]+),'
    whole 10,20,30,,x 10 'rate: ([0-9]+),'
    whole '120 345 678' 345 '[0-9]+ ([0-9]+) [0-9]+'
    whole '1 2 345 6' 345 ' ([0-9]+) 6'
    whole '0 120 345 17' 120 'rate: [0-9]+ ([0-9]+) '
    whole '120 345' 120 'rate: ([0-9]+) [0-9]+'
    whole '12  345' 12 'rate: ([0-9.]+)'
    whole 10-20 20 '([0-9]+) req'
    whole '12.' 12
    whole '4 256-bit' 4 'rate: ([0-9.]+)'
    whole p-99 99 '([0-9]+)'
    for text in 12ms 3GB/s 5% 10k 1.5k '675 k' '12, 5' "9'" 7:x 8e 6_a 5x; do
        [[ $text =~ ^[0-9.]+ ]]
        whole "$text" "${BASH_REMATCH[0]}" '([0-9.]+)' ,take=first
    done
}

# bats test_tags=slow
@test "a number is not cut where a long line is searched in pieces" {
    local i
    for i in {65530..65540}; do
        { head -c "$i" /dev/zero | tr '\0' ';' && printf 'v=123456;' && head -c 100000 /dev/zero | tr '\0' ';'; } >long
        for take in last first sum; do
            run -0 values "x=stdout:/([0-9]+)/,take=$take" -- cat long
            [[ $output == 'x 123456' ]]
        done
    done
}

# bats test_tags=slow
@test "a file that the run did not write is not its own" {
    local meter line
    echo 5 >old
    fails 'old: was not written by this run' 'file:old:/(.)/' :
    fails "$PWD/old: was not written by this run" "file:$PWD/old:jq:." :
    # Nor is one that was written just before: the kernel's stamps are as coarse as its ticks.
    for _ in {1..40}; do
        echo 5 >old
        fails 'old: was not written by this run' 'file:old:/(.)/' :
    done
    # The same text again, at once, is written; also from a folder of the target's own.
    mkdir sub
    echo 5 >sub/old
    serve --commands --metric 'x=file:old:/(.)/' -- . 3 sh -c 'echo 5 >old' sub 1 true
    for want in '0 5' '1 null' '0 5'; do
        found "${want% *}"
        holds ".metrics.x.value == ${want#* }" <<<"$line"
    done
    served 0
}

@test "output of any size, with any bytes, is searched from the end that counts" {
    # 50 MB; the first and the last line have the only matches, and a NUL in front.
    { printf '\0first=1;\n' && yes 'nothing of interest in this line, nor in any other' | head -c 50000000 && printf '\nA\0last=9;\r\nend'; } >big
    run -0 values 'l=stdout:/last=([0-9]);$/' 'f=stdout:/first=([0-9])/,take=first' 's=stdout:/(first|last)/,take=sum' -- cat big
    [ "${lines[*]}" = 'f 1 l 9 s null s: no number: "first"' ]
    # A display that overwrites itself has lines, too; a line without end comes in pieces.
    printf 'now 1\rnow 2\rnow 3 \r\n\n' >display
    head -c 300000 /dev/zero | tr '\0' 'x' >long
    { cat long && printf 'v=4\n'; } >behind
    { printf 'v=4' && cat long; } >ahead
    run -0 values 'd=stdout:/^now ([0-9])$/,take=max' -- cat display
    [ "$output" = 'd 2' ]
    run -0 values 'd=stdout:/^(.*)$/' -- printf '1\r\n2\r\n'
    [ "$output" = 'd 2' ]
    for file in ahead behind; do
        run -0 values 'x=stdout:/v=(.)/' 'y=stdout:/v=(.)/,take=mean' -- cat "$file"
        [ "${lines[*]}" = 'x 4 y 4' ]
    done
}

@test "lines are found whole wherever the parts of the file end" {
    local i
    for i in 65533 65534 65535 65536 65537 131072; do
        { head -c "$i" /dev/zero | tr '\0' '\n' && printf 'x=12\r\nx=34\r\n' && head -c "$i" /dev/zero | tr '\0' '\n'; } >file
        run -0 values 'l=stdout:/^x=([0-9]+)$/' 's=stdout:/^x=([0-9]+)$/,take=sum' -- cat file
        [ "${lines[*]}" = 'l 34 s 46' ]
    done
}

@test "the output of the last run and of each failed one is kept, the last 1 MiB of it" {
    local meter line
    cat >target <<'END'
#!/bin/sh
ls kept tmp >listed
cat out
cat err >&2
END
    chmod +x target
    mkdir kept tmp
    echo 'x=1' >out
    : >err
    TMPDIR=$PWD/tmp serve --keep kept --metric 'x=stdout:/x=(.)/' -- ./target
    found
    holds '.output == null' <<<"$line"
    # Not found, found to be 0, and too much of it.
    { seq 200000 && echo end; } >out
    found
    holds '.metric_failure.reason == "not found in stdout" and .output.stderr == null' <<<"$line"
    cmp "kept/$(jq -r .output.stdout <<<"$line")" <(tail -c 1048576 out)
    [[ $(<listed) == $'kept:\n\ntmp:' ]]
    echo x=0 >out
    echo fault >err
    found
    holds '.metric_failure == null and .metrics.x.value == 0' <<<"$line"
    [[ $(cat "kept/$(jq -r .output.stdout <<<"$line")" "kept/$(jq -r .output.stderr <<<"$line")") == $'x=0\nfault' ]]
    [[ $(<kept/target.stderr) == fault ]]
    echo x=2 >out
    : >err
    found
    served 0
    [[ $(<kept/target.stdout) == x=2 && ! -e kept/target.stderr && $(find kept/failed -type f | wc -l) == 3 ]]
    # Another session does not take the files of the first.
    "$METER" --keep kept --metric 'x=stdout:/y=(.)/' -- ./target >record
    [[ $(find kept/failed -type f | wc -l) == 4 ]]
    run -1 --separate-stderr "$METER" --keep none -- touch ran
    [[ $stderr == 'jostle: --keep none: No such file or directory: '* && ! -e ran ]]
    run -2 --separate-stderr "$METER" --keep kept --stderr-tail err -- true
    [[ $stderr == 'jostle: --keep and --stderr-tail: '* ]]
}

@test "what is searched is shown after the run, whole, and may also go to a file" {
    run -0 --separate-stderr "$METER" --output record --show-output --metric 'x=stdout:/x=(.)/' --metric 'e=stderr:/(1)/' -- sh -c 'echo x=3; echo 1 >&2'
    [[ $output == x=3 && $stderr == 1 ]]
    holds '.metrics.x.value == 3 and .metrics.e.value == 1' <record
    run -0 --separate-stderr "$METER" --output record --metric 'x=stdout:/x=(.)/' --stdout file -- echo x=4
    [[ -z $output && $(<file) == x=4 ]]
    holds '.metrics.x.value == 4' <record
    "$METER" --metric 'x=stdout:/x=(.)/' --stdout /dev/null -- true | holds '.metric_failure.reason == "stdout went where it cannot be read again"'
}

@test "stdout is a pipe that meter empties, with a metric of it or without, and of any size" {
    for option in --stdout=pipe --metric='x=stdout:/x=(.)/'; do
        run -0 --separate-stderr "$METER" --output record "$option" -- sh -c 'head -c 300000 /dev/zero; echo x=1; test -p /dev/stdout && echo a pipe >&2'
        [[ -z $output && $stderr == 'a pipe' ]]
    done
    holds '.metrics.x.value == 1' <record
    # More than is kept in memory; then less than was there before.
    printf '%s\n' '#!/bin/sh' 'echo x=1; head -c "$(cat size)" /dev/zero; echo; echo x=2' >target
    chmod +x target
    echo 70000000 >size
    serve --metric 'first=stdout:/x=(.)/,take=first' --metric 'last=stdout:/x=(.)/' -- ./target
    found
    holds '.metrics.first.value == 1 and .metrics.last.value == 2' <<<"$line"
    echo 7 >size
    found
    holds '.metrics.first.value == 1 and .metrics.last.value == 2' <<<"$line"
    served 0
}

@test "a regex is no shell, jq's leftovers are nobody's children, and wrong use runs nothing" {
    run -0 values 'x=stdout:/$`touch ran`;touch ran|^(1)/' -- echo 1
    [[ $output == 'x 1' && ! -e ran ]]
    run -0 values 'x=jq:.x # a comment, "unit' 'y=jq:.y' -- echo '{"x":1,"y":2}'
    [ "${lines[*]}" = 'x 1 y 2' ]
    run -2 --separate-stderr "$METER" --metric 'x=stdout:/(/' -- touch ran
    [[ $stderr == 'jostle: metric x: '* && ! -e ran ]]
    # Written out it would take minutes and gigabytes.
    for pattern in "(a$(printf '+%.0s' {1..60}))" '(a{200}{200}{200})' '((a?){400})' "$(printf '(%.0s' {1..20000})"; do
        run -2 --separate-stderr timeout 5 "$METER" --metric "x=stdout:/$pattern/" -- touch ran
        [[ $stderr == 'jostle: metric x: '*'more than 1000 parts'* && ${#stderr} -lt 400 && ! -e ran ]]
    done
    run -0 values 'x=stdout:/^[[:space:]a-z]{0,80}: +([0-9]{1,3}[.][0-9]{0,6}) [^]x[.].]]{1,20}$/' -- echo 'rate: 1.25 MB'
    [[ $output == 'x 1.25' ]]
    run -2 --separate-stderr "$METER" --metric 'x=jq:.a' --metric 'x=jq:.b' -- touch ran
    [[ $stderr == 'jostle: metric x: it is given twice: '* && ! -e ran ]]
    run -2 --separate-stderr "$METER" --metric 'x@0=jq:.a' -- touch ran
    [[ $stderr == 'jostle: metric x@0: it is for a command of --commands: '* && ! -e ran ]]
    run -2 --separate-stderr "$METER" --serve --commands --metric 'x@1=jq:.a' -- . 2 touch ran
    [[ $stderr == 'jostle: metric x@1: there are 1 commands: '* && ! -e ran ]]
    # A jq that is not installed is a failure of the metric.
    ln -s "$(command -v echo)" echo
    PATH=$PWD run -0 "$METER" --metric x=jq:.x -- echo '{"x":1}'
    holds '.metric_failure.reason == "jq is not installed"' <<<"$output"
}

@test "--counters all has what hardware and software have" {
    "$METER" --counters all -- true | holds '.counters | has("cycles") and has("cache_misses") and .task_clock_ns > 0 and has("context_switches")'
}

@test "records with metrics match the schema" {
    values 'x=stdout:/(1)/' y=jq:.y -- echo 1 >lines
    command -v jsonschema >/dev/null || skip 'no jsonschema'
    is_valid meter record
}

# like_perf EVENT SPREAD: meter and perf count the event alike in the same program, to that factor.
like_perf() {
    local ours theirs
    ours=$("$METER" --metric "x=perf:$1" -- sh -c 'for i in 1 2 3 4 5; do sleep 0.01; done' | jq .metrics.x.value)
    perf stat -x ' ' -o stat -e "$1" -- sh -c 'for i in 1 2 3 4 5; do sleep 0.01; done'
    theirs=$(awk 'NF > 2 && $1 ~ /^[0-9]/ { print $1 }' stat)
    jq -n "$ours / $theirs" | holds ". > 1 / $2 and . < $2" || { printf '%s: %s, perf: %s\n' "$1" "$ours" "$theirs" && return 1; }
}

# bats test_tags=slow
@test "events are counted as perf counts them, by the names that it has" {
    command -v perf >/dev/null || skip 'perf is not installed'
    perf stat -e page-faults true 2>/dev/null || skip 'nothing can be counted here'
    local event
    for event in page-faults minor-faults context-switches faults:u; do
        in_tries 5 like_perf "$event" 1.5
    done
    ! perf stat -e sched:sched_process_fork true 2>/dev/null || like_perf sched:sched_process_fork 1.01
}

@test "an event that is a time has its unit" {
    local event
    for event in task-clock cpu-clock:u task-clock:u/page-faults:u; do
        "$METER" --metric "x=perf:$event" -- true | jq -r '.metrics.x.unit'
    done >units
    [[ $(paste -sd, units) == ns,ns, ]]
    "$METER" --metric perf:task-clock,unit=s,scale=1e-9 -- true | holds '.metrics.perf_task_clock.unit == "s"'
}

@test "a ratio is of one group; its name is made of its events, and hardware that is not there is a reason" {
    run -0 values perf:context-switches/page-faults 'faults_s=perf:page-faults/task-clock,scale=1e9' -- sleep 0.02
    [[ ${lines[1]} =~ ^perf_context_switches_page_faults\ 0\.[0-9]+$ && ${lines[0]} =~ ^faults_s\ [1-9] ]]
    jq .metrics.faults_s record | holds '.running == 1 and (.scope == "all" or .scope == "user")'
    is_valid meter record
    # Which machines have, in which case there is a figure.
    values ipc=perf:IPC -- true >said
    grep -Eqx 'ipc [0-9.]+|ipc null' said
    ! grep -qx 'ipc null' said || grep -q '^ipc: the kernel does not count it here' said
    jq .metrics.ipc record | holds '.better == "higher"'
    run -1 "$METER" --metric perf:cache-mises -- true
    [[ $output == "jostle: metric perf_cache_mises: 'cache-mises' is no event here (did you mean cache-misses?)"* ]]
    run -2 "$METER" --metric perf: -- true
    run -2 "$METER" --metric energy:cores -- true
}

@test "PMUs and their events are read as the kernel describes them: a made-up one that counts context switches" {
    local pmu=$PWD/root/sys/bus/event_source/devices/fake
    mkdir -p "$pmu"/{events,format}
    echo 1 >"$pmu/type" # PERF_TYPE_SOFTWARE
    echo 'config:0,2-3' >"$pmu/format/low"
    echo 'config:1' >"$pmu/format/high"
    echo 'low=0x1,high=0x1' >"$pmu/events/switches" # 3: PERF_COUNT_SW_CONTEXT_SWITCHES
    echo 'config1:0-63' >"$pmu/format/other"
    export JOSTLE_KERNEL_ROOT=$PWD/root
    values fake=perf:fake/switches/ terms=perf:fake/low=1,high/ raw=perf:fake/config=0x3/ real=perf:context-switches ratio=perf:fake/switches//context-switches -- \
        sh -c 'for i in 1 2 3 4; do sleep 0.01; done' >said
    [[ $(sort -u -k 2 said | wc -l) -eq 2 ]]
    grep -qx 'ratio 1' said
    for wrong in fake/low=9/ fake/nothing/ fake/low=x/ other/low=1/ fake/../fake/; do
        run -1 "$METER" --metric "x=perf:$wrong" -- true
        [[ ${#lines[@]} -eq 1 && $output == *'is no event here'* ]]
    done
}

# packages: a made-up powercap of two packages, in root; the target says what they take.
packages() {
    local i
    export JOSTLE_KERNEL_ROOT=$PWD/root
    for i in 0 1 2; do
        CAP[i]=$PWD/root/sys/class/powercap/intel-rapl:$i
        mkdir -p "${CAP[i]}"
        echo "package-$i" >"${CAP[i]}/name"
        echo 262143328850 >"${CAP[i]}/max_energy_range_uj"
        echo 262143000000 >"${CAP[i]}/energy_uj"
    done
    echo psys >"${CAP[2]}/name" # all of them once more
}

@test "energy is that of all packages, also where a counter begins anew, with the share that idling takes" {
    local -a CAP
    packages
    values energy:package energy:idle-share,idle=10 -- sh -c "echo 262145000000 >'${CAP[0]}/energy_uj'; echo 671150 >'${CAP[1]}/energy_uj'; echo 1 >'${CAP[2]}/energy_uj'; sleep 0.3" >said
    grep -qx 'energy_package 3' said
    awk '$1 == "energy_idle_share" { exit !($2 >= 1 && $2 < 3) } ' said
    values energy:idle-share -- sh -c "echo 262146000000 >'${CAP[0]}/energy_uj'" >said
    grep -q 'energy_idle_share: it is not known what the packages take when nothing runs' said
    # A counter that may have begun anew more often than once.
    echo 1000000 >"${CAP[0]}/max_energy_range_uj"
    values energy:package -- sleep 0.1 >said
    grep -q 'energy_package: the run was longer than the counter can hold' said
    rm -r root/sys/class
    values energy:package -- true >said
    grep -q "energy_package: the packages' energy cannot be read" said
}
