# shellcheck shell=bash
# Shared by the tests of jostle report: records to try it on.

# nasty_name: prints what a user may call a target, with mark-up of every
# format, quotes, line end, tab, an escape sequence and letters of other scripts.
nasty_name() {
    printf '%b' '<script>alert(1)</script> & \\input{x} | "a,b"\n\t=1+1 \x1b[31mred é 漢 `x` $HOME %d #_~^ [z]'
}

# synthetic CELLS RUNS DIR [HOSTS]: a campaign that never ran.
synthetic() {
    "$ROOT/bats-tests/synthetic-campaign" "$@"
}

# edited FILE JQ [ARG...]: changes a JSON document in place.
edited() {
    local file=$1
    shift
    jq -c "$@" "$file" >"$file.new"
    mv "$file.new" "$file"
}

# nasty DIR [TEXT]: a campaign of two cells whose target has an ugly name.
nasty() {
    local cell file
    synthetic 2 3 "$1"
    for cell in "$1"/cells/*; do
        for file in experiment result; do
            edited "$cell/$file.json" --arg name "${2:-$(nasty_name)}" '.cell.target = $name | .cell.label = $name + " n=5" | .command[0] = $name'
        done
    done
}

# report ARG...: jostle report, whose errors fail the test.
report() {
    "$JOSTLE" report "$@"
}

# compiles FILE: pdflatex takes it without an error; its text is in FILE.txt.
compiles() {
    command -v pdflatex >/dev/null || skip 'pdflatex is not installed'
    pdflatex -interaction=nonstopmode -halt-on-error "$1" >"$1.out" 2>&1 || {
        grep -A 5 '^!' "$1.out" >&2
        return 1
    }
    ! grep '^!' "$1.out" || return 1
    command -v pdftotext >/dev/null || skip 'pdftotext is not installed'
    pdftotext -layout "${1%.tex}.pdf" "$1.txt"
}
