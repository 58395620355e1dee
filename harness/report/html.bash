# The report as one page that needs nothing else. Sourced, never run; needs common.

# html_style FILE: prints a style sheet without what only its reader wants.
html_style() {
    sed -e 's|/\*[^*]*\*/||g' -e 's/^ *//' -e '/^$/d' "$1"
}

# report_html MODEL_JSON RUNS_TSV: prints the page.
#
# Works in a folder beside MODEL_JSON, which is removed with it.
# html.jq writes the page with tagged lines where drawings go, and what is to be
# drawn; html-runs.awk adds what is drawn run by run; gnuplot draws everything in
# one process; html-svg.awk puts the drawings in.
report_html() {
    local folder
    command -v gnuplot >/dev/null ||
        die 'gnuplot is missing, which draws the plots of --format html: install gnuplot-nox, or take --format md'
    folder=$(mktemp -d "${1%/*}/html.XXXXXX") || die 'cannot make a temporary folder: set TMPDIR to one that can be written'
    html_build "$folder" "$1" "$2" || die 'the page could not be made: see above'
    cat "$folder/report.html"
    rm -rf -- "$folder"
}

# html_build WORK MODEL RUNS: leaves the page in WORK/report.html.
html_build() {
    local work=$1 model=$2 runs=$3 lib=$JOSTLE_HARNESS/report
    local -x LC_ALL=C
    html_style "$lib/page.css" >"$work/page.css" &&
        mkdir "$work/plots" && : >"$work/plan" && : >"$work/script" && : >"$work/thinned" || return 1
    jq -r -L "$JOSTLE_LIB" -L "$JOSTLE_HARNESS" --rawfile css "$work/page.css" --rawfile js "$lib/page.js" -f "$lib/html.jq" "$model" |
        awk -v work="$work" '
            substr($0, 1, 1) == "\002" { print substr($0, 2) >> (work "/script"); next }
            substr($0, 1, 1) == "\003" { print substr($0, 2) >> (work "/plan"); next }
            { print }' >"$work/page" || return 1
    awk -v notes="$work/thinned" -f "$lib/html-runs.awk" "$work/plan" "$runs" >>"$work/script" || return 1
    (cd "$work/plots" && gnuplot "$lib/plots.gnuplot" ../script) || return 1
    awk -v plots="$work/plots" -v notes="$work/thinned" -f "$lib/html-svg.awk" "$work/page" >"$work/report.html"
}
