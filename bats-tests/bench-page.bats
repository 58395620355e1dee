#!/usr/bin/env bats
# The page of a bench: tables and plots of bats-tests/fixtures/bench, whose figures are made up.

load helpers.bash

readonly EVIL='<script>alert(1)</script>&"'

setup() {
    cd "$BATS_TEST_TMPDIR" || return
}

# page FILTER: the page of the fixture as changed by the jq filter, in page.html, and as its script draws it,
# in drawn.html.
page() {
    mkdir -p bench
    jq "$@" "$ROOT/bats-tests/fixtures/bench/bench.json" >bench/bench.json
    "$JOSTLE" report bench --format html --output page.html
    page_drawn page.html >drawn
    sed 's/<figure/\n&/g; s/<tr /\n&/g; s/<section/\n&/g; s/<li/\n&/g' drawn >drawn.html
}

# places CLASS: the coordinates of the path of that class in the page's first plot, rounded.
places() {
    grep -m 1 '<svg class="plot"' drawn.html | grep -oE "<path class=\"$1\" d=\"[^\"]*\"" | head -n 1 | sed 's/.* d="//; s/"//; s/[ML]/\n/g' | sed 1d
}

# bats test_tags=slow
@test "the page of a bench has every row, every curve, the problems first, and needs no network" {
    page .
    [[ $(grep -cE '^<tr [^>]*id="' drawn.html) == "$(jq '[.parts[].rows[]] | length' bench/bench.json)" ]]
    [[ $(grep -c '<figure' drawn.html) == "$(jq '[.parts[].charts[]] | length' bench/bench.json)" ]]
    grep -qE 'CPU, <b>above peak</b>: .* 124 % .*<b>one of the two is not what it is said to be.*href="#cpu.double.scalar.t1"' drawn.html
    [[ $(grep -nm 1 'above peak' drawn.html | cut -d: -f1) -lt $(grep -nm 1 '<section id="part-cpu"' drawn.html | cut -d: -f1) ]]
    # A dotted line for the peak where one is known, dashes for peers, whiskers for intervals.
    [[ $(grep '<figure' drawn.html | grep -c ' peak"') == 2 && $(grep '<figure' drawn.html | grep -c ' peer"') == 4 ]]
    grep '<figure' drawn.html | grep -F 'Bandwidth of STREAM' | grep -qF 'class="w k0"'
    grep -F '<desc' drawn.html | grep -qF 'triad: 1: 10.60 [10.40, 10.80] GB/s, 2: '
    # The name of SVG is no address.
    sed 's|"http://www.w3.org/2000/svg"||' page.html >page
    run ! grep -iE 'https?://|src=|url\(|@import' page
    # The figures on the page are those of the record.
    page_model page.html | holds --slurpfile bench bench/bench.json '[.sections[].blocks[] | select(.table and .kind == "counted") | .rows[] | { id, values: [.cells[] | select(type == "array") | .[1]] }] as $rows
        | [$bench[0].parts[].rows[]] as $known | ($known | length) > 0 and all($known[]; . as $row | any($rows[]; .id == $row.cell and ($row.value == null or (.values | index($row.value) != null))))
        and [.sections[].blocks[] | .figures[]?.title] == [$bench[0].parts[].charts[].title]'
}

# bats test_tags=slow
@test "a logarithmic axis has equal steps for equal ratios, and numbers with their units" {
    page '.parts |= .[:1] | .parts[0].charts = [{kind: "blocks", title: "t", x: {label: "block size", unit: "B", log: true}, y: {label: "rate", unit: "B/s", log: true},
        series: [{name: "a", peer: null, peak: [], points: [range(4) | {x: pow(1024; .), y: pow(1000; .), lo: null, hi: null}]}]}]'
    places k0 | jq -es '[.[range(0; 8; 2)]] as $x | [.[range(1; 8; 2)]] as $y
        | length == 8 and ([$x, ($y | reverse)] | all(.[]; . as $p | [range(3) | $p[. + 1] - $p[.]] | (max - min) < 0.3 and min > 20))'
    grep -qF '>1 KiB</text>' drawn.html
    grep -qF '>1 G</text>' drawn.html
    grep -qF '>rate [B/s]</text>' drawn.html
    page '.parts |= .[:1] | .parts[0].charts = [{kind: "blocks", title: "t", x: {label: "block size", unit: "B", log: true}, y: {label: "latency", unit: "ns", log: true},
        series: [{name: "a", peer: null, peak: [], points: [(range(1; 4) | {x: ., y: pow(1000; .), lo: -1, hi: 1e9}), {x: 9, y: 0, lo: 0, hi: 0}]}]}]'
    run ! grep -iE 'd="[^"]*(nan|inf|-[0-9]{4})' drawn.html
    grep -qF '>latency [s]</text>' drawn.html
    grep -qF '>100 µ</text>' drawn.html
}

# bats test_tags=slow
@test "names of the record are text on the page, and a bench without a figure has a page" {
    page --arg evil "$EVIL" '.machine.host = $evil | .parts[0].rows[0] |= (.labels.type = $evil | .reason = $evil) | .parts[0].charts[0] |= (.title = $evil | .series[0].name = $evil | .y.label = $evil)'
    run ! grep -F '<script>alert' page.html drawn.html
    # What a cache can do is not what the disk can do.
    page '.parts[2].rows |= map(.problems = [] | .marks = [])'
    grep -qE '<li>Disk: <b>1.100' page.html
    page '.parts |= map(.charts = [] | .rows |= map(.state = "waiting" | .value = null | .ci = null | .peak = null | .of_peak = null | .peers = [] | .more = [] | .problems = []))'
    grep -qF '0 of 107 rows measured' page.html
    grep -qF 'None: no figure is above its limit' page.html
}

# bats test_tags=slow
@test "a browser shows the page without a complaint, sorts its tables and finds its rows" {
    page .
    run -0 chromium_page page.html --report --eval 'document.querySelector("#part-cpu-table thead tr th:nth-child(4) button").click(), document.querySelector("#part-cpu-table tbody tr").id' \
        --eval '(() => { const box = document.getElementById("filter"); box.value = "fio random"; box.dispatchEvent(new Event("input")); return document.getElementById("found").textContent })()'
    holds '.console == [] and (.requests | length) == 1' <<<"${lines[0]}"
    holds '. == "cpu.int32.scalar.t1"' <<<"${lines[1]}"
    holds '. == "6 of 107 rows"' <<<"${lines[2]}"
}
