#!/usr/bin/env bats
# Charts as a picture: the drawings of the page, without a browser.

load helpers

# drawings FILE: each path of a drawing, a line each.
drawings() {
    grep -oE '<path class="[^"]*" d="[^"]*"/>' "$1" | sort
}

# bats test_tags=slow
@test "--output x.svg has every chart that the page has, drawn the same" {
    local folder
    cd "$BATS_TEST_TMPDIR" || return
    for folder in "$ROOT/results/reference/"{mmul,disk} "$ROOT/bats-tests/fixtures/report/"{service,variants}; do
        "$JOSTLE" report --quiet "$folder" --output x.svg
        "$JOSTLE" report --quiet "$folder" --output x.html
        page_model x.html | jq -r '[(.drawn[][].figures[]), .cells[].variants.figures[]?] | .[].svg' >page
        drawings page >in-page
        drawings x.svg >in-picture
        [[ -s in-page ]]
        cmp in-page in-picture
    done
}

@test "a picture is a document of its own: it loads nothing, and has a style for each class" {
    local name
    cd "$BATS_TEST_TMPDIR" || return
    "$JOSTLE" report --quiet "$ROOT/results/reference/mmul" --format svg >x.svg
    [[ $(head -n 1 x.svg) == '<?xml version="1.0" encoding="UTF-8"?>' ]]
    run ! grep -E 'var\(|url\(|@import|href' x.svg
    [[ $(grep -c 'http' x.svg) == 1 ]]
    while read -r name; do
        grep -qE "^\.plot .*\.${name}[ .{,]" x.svg
    done < <(grep -oE 'class="(g|p|r|x|s[0-9]|k[0-9])' x.svg | cut -d'"' -f2 | sort -u)
}

# bats test_tags=slow
@test "other programs can read a picture, with text of a user that is no mark-up" {
    cd "$BATS_TEST_TMPDIR" || return
    type -P rsvg-convert >/dev/null || skip 'needs rsvg-convert'
    cp -r "$ROOT/results/reference/mmul" odd
    sed -i 's/"name": *"cpu"/"name":"<b>\&\\"c\\u001b"/; s/"condition": *"cpu"/"condition":"<b>\&\\"c\\u001b"/' odd/experiment.json
    "$JOSTLE" report --quiet odd --output x.svg
    rsvg-convert x.svg -o x.png
    [[ $(head -c 4 x.png | tail -c 3) == PNG ]]
}

# bats test_tags=slow
@test "the figure of a bench's samples is a picture, too" {
    cd "$BATS_TEST_TMPDIR" || return
    mkdir bench
    cp "$ROOT/bats-tests/fixtures/bench/bench.json" bench
    "$JOSTLE" report bench --output x.svg

    [[ $(grep -c '<desc>' x.svg) == "$(jq '[.parts[].charts[]] | length' bench/bench.json)" ]]
}

@test "what has no chart is refused with what to do, and leaves no file" {
    cd "$BATS_TEST_TMPDIR" || return
    cp -r "$ROOT/bats-tests/fixtures/report/capacity" capacity
    run -1 "$JOSTLE" report --quiet capacity --output x.svg
    [[ $output == 'jostle: there is no chart in this: show it as a table (--format md)'* ]]
    [[ ! -e x.svg ]]
}

@test "a program without charts names the formats that it has" {
    cd "$BATS_TEST_TMPDIR" || return
    run -2 "$JOSTLE" report --format svgg "$ROOT/results/reference/mmul"
    [[ $output == *'did you mean svg?'* ]]
}
