#!/usr/bin/env bats
# What all C programs share (common/), compiled with a small driver that checks
# it against known values.

load helpers

# shellcheck disable=SC2154 # bats sets stderr and stderr_lines

setup_file() {
    local source=$BATS_TEST_DIRNAME/..
    "${CC:-cc}" -std=gnu17 -D_GNU_SOURCE -DJOSTLE_VERSION='"1.2"' -I"$source" -O0 \
        -fsanitize=address,undefined -fno-sanitize-recover=all \
        -o "$BATS_FILE_TMPDIR/parts" "$BATS_TEST_DIRNAME/fixtures/common-parts.c" "$source"/common/*.c "$source"/harness/record/*.c -ljansson -lgcrypt -lm
}

setup() {
    bats_require_minimum_version 1.5.0
}

parts() {
    "$BATS_FILE_TMPDIR/parts" "$@"
}

# options ARGUMENT...: the program's own options, read and written again. What a
# refused command line has allocated ends with it.
options() {
    (asan_option detect_leaks=0 && parts options "$@")
}

# refused TEXT ARGUMENT...: exit 2, one line that has TEXT, nothing on stdout.
# shellcheck disable=SC2154 # run sets stderr and stderr_lines
refused() {
    local text=$1
    shift
    run --separate-stderr options "$@"
    [ "$status" -eq 2 ]
    [ -z "$output" ]
    [ "${#stderr_lines[@]}" -eq 1 ]
    [[ $stderr == 'jostle: '*"$text"* ]]
}

@test "times, sizes and rates are read with all their units, and nothing else is" {
    parts units
    parts fractions
}

@test "a figure is in the unit that fits it as it is rounded: 999.6 µs are 1.00 ms, 512 B are no KiB" {
    parts figures
}

@test "a duration is the same text in C and in the live line of bash" {
    # shellcheck source=../harness/lib/messages.bash
    source "$BATS_TEST_DIRNAME/../harness/lib/messages.bash"
    local seconds
    for seconds in 10 59 60 99 100 119 5969 5970 5999 6000 7199 7200 11249 400000; do
        duration_text "$seconds"
        [[ $REPLY == "$(parts duration "$seconds")" ]]
    done
}

@test "lists of CPUs are read and written" {
    parts cpus
}

@test "JSON is escaped, numbers come back as they were, what is not UTF-8 is \xNN" {
    run -0 parts json
    [ "$(jq -c . <<<"$output")" = "$(jq -c . <<<'{"text":"a\"b\\c\n\u007f","utf8":"é 😀","wrong":"a\\xff\\xc0\\xaf\\xed\\xa0\\x80z\\xe2\\x82","none":null,"list":[{},[],18446744073709551615,-9223372036854775808],"real":0.1,"third":0.3333333333333333,"nan":null,"fixed":0.333,"infinite":null,"seconds":1.999,"minus":-1.500000000,"yes":true,"raw":{"a":1},"open":{}}')" ]
}

@test "expressions have the values that C gives them, and what is none is told from what is wrong" {
    parts expressions
}

@test "what stands between braces is filled in once, and other braces stay" {
    parts templates
}

@test "control characters become visible, also behind a character that is cut off" {
    parts visible
}

@test "command lines are split as a shell would, and quoted so that one reads them back" {
    parts words
    parts joints
    parts operators
}

@test "the nearest name is found, and none where none is near" {
    parts nearest
}

@test "a value is checked by its row, and a refusal says what to give" {
    parts values
}

@test "two sets of values that are equal have the same canonical text" {
    parts canonical
}

@test "options are read up to the first operand; help and version are answered" {
    run -0 options -f --count=5 --load 'a b' --load c -- x --count 3
    [ "$output" = "--flag --count 5 --load 'a b' --load c|count|x|--count|3" ]
    run -0 options x -f
    [ "$output" = '||x|-f' ]
    run -0 options
    [ "$output" = '|' ]
    run -0 options --help
    [[ $output == 'Usage: parts [OPTION...] -- COMMAND...'*'Checks options.'*'Options:'*'--size=SIZE'*'(default: 64k)'*'-h, --help'*'That is all.' ]]
    [[ $output != *--text* ]]
    run -0 options --version
    [ "$output" = 'parts 1.2' ]
}

# bats test_tags=slow
@test "wrong options are refused in one line with what to do" {
    refused '--cout: no such option of parts: did you mean --count?' --cout 3
    refused 'see parts --help' --zzzzzzzzz
    refused '--count needs a value: --count N' --count
    refused '--count needs a value' -c
    refused '--flag takes no value' --flag=1
    refused '--count 99: out of range: give 1 to 10' --count 99
    refused '--size 5q: not a size: give' --size 5q
    refused '-q: no such option' -q
    # Within a word of several short options, whatever the word in front of it is.
    local before
    for before in -c3 '-c 3' --count=3 --coun=3 -f --flag '-f -c3'; do
        # shellcheck disable=SC2086 # words
        refused '-jq: no such option' $before -jq
    done
    refused '-fj: no such option' -c3 -fj
    refused '-jq: no such option' -jq -c3
    refused '--flag takes no value' --flag=1 -c3
    refused '--zzzzzzzzz: no such option' --zzzzzzzzz -c3
    refused '--count needs a value: --count N' -fc
}

# bats test_tags=slow
@test "the descendants among a hundred thousand processes are found at once" {
    "${CC:-cc}" -std=gnu17 -D_GNU_SOURCE -I"$BATS_TEST_DIRNAME/.." -O1 -g -o "$BATS_TEST_TMPDIR/tree" \
        "$BATS_TEST_DIRNAME/fixtures/common-tree.c" "$BUILD/libcommon.a" -lm
    timeout 100 "$BATS_TEST_TMPDIR/tree"
}

@test "the mount of a path is found by its id, or without one by device, place and statfs" {
    MOUNTS=$BATS_TEST_DIRNAME/fixtures/mounts parts mounts
    parts mounts-here
}

# metric TEXT DEFINITION: it is read as TEXT: name, source, path, kind, expression, options.
metric() {
    run -0 parts metric "$2"
    [ "$output" = "$1" ] || { echo "$2: $output" && return 1; }
}

# no_metric TEXT DEFINITION: it is refused with one line that has TEXT.
no_metric() {
    run -1 parts metric "$2"
    [[ $output == *"$1"* && ${#lines[@]} -eq 1 ]] || { echo "$2: $output" && return 1; }
}

@test "a metric's definition is read from both ends, and comes back from what is written of it" {
    metric 'p99 0 - regex p99: ([0-9.]+) take=last,better=lower' 'p99=stdout:/p99: ([0-9.]+)/'
    metric 'r 1 - regex a,b=/,x=([0-9]+) take=sum,unit=req/s,better=higher' \
        'r=stderr:/a,b=/,x=([0-9]+)/,unit=req/s,better=higher,take=sum'
    metric 'u 0 - regex rate,unit=([0-9]+) take=last,better=lower' 'u=stdout:/rate,unit=([0-9]+)/'
    metric '_q 0 - jq [.a,.b]|max take=last,unit=ms,better=lower,quantile=0.999' \
        '_q=jq:[.a,.b]|max,unit=ms,quantile=0.999'
    metric 'f 2 out put/x.log regex ^([0-9]+) take=mean,better=lower' 'f=file:out put/x.log:/^([0-9]+)/,take=mean'
    metric 'j 2 /tmp/x jq .a/.b take=last,better=lower,role=errors,loop=open' 'j=file:/tmp/x:jq:.a/.b,loop=open,role=errors'
    metric 'c 0 - regex (.+) take=last,comma=decimal,better=lower' 'c=stdout:/(.+)/,comma=decimal'
    metric 'l 2 log.* regex (.+) take=p99.9,better=lower' 'l=file:log.*:/(.+)/,take=p99.9'
}

# bats test_tags=slow
@test "a metric's definition that is wrong is refused with what to do" {
    no_metric 'metric 9x: a name is of letters' '9x=stdout:/(1)/'
    no_metric 'metric : a name is' '=stdout:/(1)/'
    no_metric 'metric wall_s: is measured by jostle itself' 'wall_s=stdout:/(1)/'
    no_metric 'metric all: is measured' 'all=stdout:/(1)/'
    no_metric '/a/ has 0 groups: put ( )' 'x=stdout:/a/'
    no_metric '/(a|b) (c)/ has 2 groups' 'x=stdout:/(a|b) (c)/'
    no_metric '/(/ is no POSIX extended regular expression: Unmatched (' 'x=stdout:/(/'
    no_metric 'between two slashes' 'x=stdout:/(1)'
    no_metric 'option untis is not known: did you mean unit?' 'x=stdout:/(1)/,untis=s'
    no_metric 'option colour is not known: there are take' 'x=stdout:/(1)/,unit=req/s,colour=1'
    no_metric 'unit= is empty' 'x=stdout:/(1)/,unit='
    no_metric 'take=least: it is last, first, sum, mean, max, halves, only, or a percentile such as p99' 'x=stdout:/(1)/,take=least'
    no_metric 'better=up: it is one of lower, higher' 'x=jq:.a,better=up'
    no_metric 'quantile=99: it is a number between 0 and 1' 'x=jq:.a,quantile=99'
    no_metric 'loop=half: it is one of unknown, open, closed' 'x=jq:.a,loop=half'
    no_metric 'unit= is given twice' 'x=jq:.a,unit=s,unit=ms'
    no_metric 'jq: has no expression' 'x=jq: '
    no_metric 'it is file:PATH:/REGEX/' 'x=file:/(1)/'
    no_metric 'a source is stdout:/REGEX/' 'x=sdtout:/(1)/'
}

@test "a record's value of a metric has the metric's unit, and what is null is no zero" {
    local record='{"wall_s":2,"user_s":1,"system_s":0.5,"tree_peak_bytes":null,
        "counters":{"task_clock_ns":1500000000,"cycles":null},"metrics":{"tps":{"value":12},"p99":{"value":null}}}'
    run -0 parts metric-values wall_s cpu_s tree_peak_bytes task_clock_s cycles page_faults tps p99 other <<<"$record"
    [ "${lines[*]}" = 'wall_s 2 cpu_s 1.5 tree_peak_bytes nan task_clock_s 1.5 cycles nan page_faults nan tps 12 p99 nan other nan' ]
}
