# A meter that serves, for the tests of several of its runs. Loaded by bats; needs helpers,
# METER (the program), and a folder of the test's own as the current one.
# shellcheck disable=SC2034 # line and meter are the tests'

# serve [OPTION...] -- COMMAND...: starts meter --serve; its commands go to descriptor
# 7, its lines come from 8, its id is in meter.
serve() {
    rm -f commands lines
    mkfifo commands lines
    "$METER" --serve --output lines "$@" <commands 3>&- &
    meter=$!
    exec 7>commands 8<lines
    read -r -t 120 -u 8 line
    [[ $line == '{"event":"ready"}' ]]
}

# again: one more run; its record is in line.
again() {
    printf 'run\n' >&7
    read -r -t 120 -u 8 line
}

# served STATUS: ends meter by the end of its commands; it exits with STATUS.
served() {
    local status=0
    exec 7>&-
    wait "$meter" || status=$?
    exec 8<&-
    [[ $status -eq $1 ]]
}
