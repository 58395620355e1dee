#!/usr/bin/env bats
# bats file_tags=slow
# The HTML report, in a real browser where there is one.

load helpers.bash

readonly EVIL='<script>alert(1)</script> & \input{x} | "a,b"'

setup_file() {
    load helpers.bash
    export PAGES=$BATS_FILE_TMPDIR
    "$JOSTLE" report "$ROOT/results/reference/disk" --format html >"$PAGES/disk.html"
    # Real records under a name that wants to be code, wherever a name can stand.
    mkdir "$PAGES/evil"
    local file
    for file in experiment.json result.json runs.jsonl; do
        jq -c --arg evil "$EVIL" 'walk(if type == "string" then sub("^disk50$"; $evil) | sub("^filesearch$|^vm$|^B/s$|^AMD EPYC$"; $evil) else . end)
            | if .warnings then .warnings[0].message = $evil else . end
            | if .settings then .settings.cleanup = $evil else . end' "$ROOT/results/reference/disk/filesearch/$file" >"$PAGES/evil/$file"
    done
    "$JOSTLE" report "$PAGES/evil" --format html >"$PAGES/evil.html"
}

# browse PAGE ACTION...: see chromium_page.
browse() {
    chromium_page "$PAGES/$1" "${@:2}"
}

# column TABLE N: JavaScript for the data-v of column N of a table's rows.
column() {
    printf '[...document.querySelectorAll("#%s tbody tr")].map(r => Number(r.children[%d].dataset.v))' "$1" "$2"
}

@test "the page needs nothing but itself: no request, no error, no warning" {
    run -0 browse disk.html --report
    holds '.console == [] and (.requests | length) == 1 and (.requests[0] | startswith("file:"))' <<<"$output"
}

@test "the bar of where the time went has the share of each cause that cost any" {
    cp -r "$ROOT/bats-tests/fixtures/report/campaign/cells/delannoy.n=5@disk.50%" "$BATS_TEST_TMPDIR/cell"
    jq -c '(.slowdowns[] | select(.metric == "wall_s").attribution.points) = {execution: 3, cpu: 1, memory: 0, io: -1, steal: 0, unexplained: 0.5}' \
        "$BATS_TEST_TMPDIR/cell/result.json" >"$BATS_TEST_TMPDIR/changed"
    mv "$BATS_TEST_TMPDIR/changed" "$BATS_TEST_TMPDIR/cell/result.json"
    "$JOSTLE" report "$BATS_TEST_TMPDIR/cell" --format html >"$BATS_TEST_TMPDIR/page.html"
    page_drawn "$BATS_TEST_TMPDIR/page.html" >"$BATS_TEST_TMPDIR/drawn.html"
    grep -qF 'aria-label="67 % more CPU time, 22 % waiting for the CPU, 11 % unexplained"><rect class="a0" x="0" y="0" width="66.67"' "$BATS_TEST_TMPDIR/drawn.html"
}

@test "a column that the tables get is on the page" {
    local page=$BATS_TEST_TMPDIR/new.html
    sed '/^<script type="application\/json" id="model">$/q' "$PAGES/disk.html" >"$page"
    page_model "$PAGES/disk.html" | jq -c '.head.columns.cells += [{ key: "new", title: "new thing", left: false, rank: 9 }] | .cells |= map(.texts.new = "42 things")' >>"$page"
    sed '1,/^<script type="application\/json" id="model">$/d' "$PAGES/disk.html" | sed -n '/^<\/script>$/,$p' >>"$page"
    page_drawn "$page" >"$BATS_TEST_TMPDIR/drawn.html"
    grep -q '>New thing<' "$BATS_TEST_TMPDIR/drawn.html"
    grep -q '>42 things<' "$BATS_TEST_TMPDIR/drawn.html"
}

@test "the same records make the same bytes, and nothing in them leads elsewhere" {
    "$JOSTLE" report "$ROOT/results/reference/disk" --format html --output "$BATS_TEST_TMPDIR/again.html"
    cmp "$PAGES/disk.html" "$BATS_TEST_TMPDIR/again.html"
    # The name of SVG is no address.
    sed 's|"http://www.w3.org/2000/svg"||' "$PAGES/disk.html" >"$BATS_TEST_TMPDIR/page.html"
    run ! grep -iE "https?://" "$BATS_TEST_TMPDIR/page.html"
}

@test "no character is broken where a line is longer than what jq reads at once" {
    local number
    cd "$BATS_TEST_TMPDIR" || return
    mkdir -p campaign/cells
    for number in {1..40}; do
        cp -r "$ROOT/bats-tests/fixtures/report/campaign/cells/delannoy.n=5@disk.10%" "campaign/cells/$number"
        jq -c '.cell.label = "a→😀" * 60' "campaign/cells/$number/experiment.json" >new && mv new "campaign/cells/$number/experiment.json"
    done
    "$JOSTLE" report --quiet campaign --format html >page.html
    grep -q 'a→😀a→😀' page.html
    grep -qi 'a\\u2192\\ud83d\\ude00a' page.html
    run ! grep -q $'\xef\xbf\xbd' page.html
}

@test "the figures on the page are those of the records" {
    local cell
    run -0 browse disk.html --eval \
        '(() => {
            const titles = [...document.querySelectorAll("#cell-table thead th")].map(h => h.textContent);
            const cell = (row, title) => row.children[titles.findIndex(t => t.startsWith(title))];
            const value = (row, title) => Number(cell(row, title).dataset.v);
            return [...document.querySelectorAll("#cell-table tbody tr")].map(r => ({ ratio: value(r, "Slowdown"), text: cell(r, "Slowdown").textContent, alone: value(r, "Alone"), loaded: value(r, "Under load"), achieved: value(r, "Load achieved") }));
        })()' \
        --eval '[...document.querySelectorAll("#heat td")].map(c => Number(c.dataset.v)).sort()'
    holds 'length == 9' <<<"${lines[0]}"
    for cell in filegen filegen-cold filesearch; do
        holds '($page | map(.ratio)) as $there | ($page | map(.alone)) as $alone | ($page | map(.loaded)) as $loaded | ($page | map(.achieved)) as $achieved
            | all(.slowdowns[] | select(.metric == "wall_s"); .ratio as $r | $there | index($r))
            and (.conditions[0].wall_s.center as $m | $alone | index($m))
            and all(.conditions[1:][]; (.wall_s.center as $m | $loaded | index($m)) and (.load[0].achieved as $a | $achieved | index($a)))' \
            --argjson page "${lines[0]}" <"$ROOT/results/reference/disk/$cell/result.json"
    done
    holds '(. | sort) == ($page | map(.ratio) | sort)' --argjson page "${lines[0]}" <<<"${lines[1]}"
    # The text says the same as the number behind it.
    holds 'all(.[]; .ratio as $r | .text | capture("^(?<n>[0-9.]+)×").n | tonumber - $r | fabs < 0.0051)' <<<"${lines[0]}"
}

@test "the model in the page has the figures of the JSON report, and every run of the records" {
    local folder name
    for folder in "$ROOT/results/reference/"{disk,quick,mmul} "$ROOT/bats-tests/fixtures/report/"{campaign,service,variants,capacity}; do
        "$JOSTLE" report --quiet "$folder" --format json >"$BATS_TEST_TMPDIR/report.json"
        "$JOSTLE" report --quiet "$folder" --format html >"$BATS_TEST_TMPDIR/page.html"
        page_model "$BATS_TEST_TMPDIR/page.html" >"$BATS_TEST_TMPDIR/model.json"
        holds --slurpfile report "$BATS_TEST_TMPDIR/report.json" '
            ($report[0].cells | map(select(.session == null))) as $cells
            | (.cells | length) > 0 and ([.cells, $cells] | transpose | all(.[]; .[0] as $page | .[1] as $json
                | $page.condition == $json.condition and $page.values.ratio == $json.slowdown.ratio and $page.distinguishable == $json.slowdown.distinguishable))' <"$BATS_TEST_TMPDIR/model.json"
    done
    page_model "$PAGES/disk.html" >"$BATS_TEST_TMPDIR/model.json"
    for name in filegen filegen-cold filesearch; do
        # A mark for each run, alone and under load: as high as its time is long.
        jq -s 'map(select(.block != null and .block > 0)) | group_by(.condition)
            | map({ (.[0].condition): (sort_by(.order) | map(.wall_s)) }) | add' \
            "$ROOT/results/reference/disk/$name/runs.jsonl" >"$BATS_TEST_TMPDIR/runs"
        holds --arg name "$name" --slurpfile runs "$BATS_TEST_TMPDIR/runs" '
            def heights($look): .svg | capture("class=\"" + $look + "\" d=\"(?<d>[^\"]*)\"").d
                | [match("M[-0-9.]+ ([-0-9.]+)"; "g").captures[0].string | tonumber];
            def ranks: [to_entries | sort_by(.value)[] | .key];
            [.drawn.order[] | select(.target | test("^" + $name + "( |:|$)")) | .figures[]] as $figures
            | ($figures | length) == 3 and all($figures[];
                (heights("p s1") | length) == ($runs[0].baseline | length) and (heights("x s2") | length) == ($runs[0][.bold] | length)
                and (heights("p s1") as $y | ($runs[0].baseline | ranks) as $order | all(range(1; $order | length); $y[$order[.]] <= $y[$order[. - 1]] + 0.11)))' \
            <"$BATS_TEST_TMPDIR/model.json"
    done
}

@test "the points of a curve are where its axes say that the figures of the JSON report are" {
    local folder=$BATS_TEST_TMPDIR/campaign
    "$BATS_TEST_DIRNAME/synthetic-campaign" 8 4 "$folder"
    "$JOSTLE" report --quiet "$folder" --format html >"$PAGES/curves.html"
    "$JOSTLE" report --quiet "$folder" --format json >"$BATS_TEST_TMPDIR/report.json"
    run -0 browse curves.html --eval '[...document.querySelectorAll("#sensitivity svg")].flatMap(svg => {
        const ticks = [...svg.querySelectorAll("text.end")].map(t => [Number(t.getAttribute("y")) - 3.6, Number(t.textContent)]);
        const [[from, low], [to, high]] = [ticks[0], ticks.at(-1)];
        const points = [...svg.querySelectorAll("path.p.s2, path.r.s3")].flatMap(p => [...p.getAttribute("d").matchAll(/M[-0-9.]+ ([-0-9.]+)/g)]);
        return points.map(m => low + (Number(m[1]) - from) / (to - from) * (high - low)); }).sort((a, b) => a - b)'
    holds --argjson drawn "$output" '[.cells[].slowdown.ratio] | sort | length == 8 and ([., $drawn] | transpose | all(.[]; .[0] - .[1] | fabs < 0.002))' <"$BATS_TEST_TMPDIR/report.json"
}

@test "every run is drawn" {
    run -0 browse disk.html --eval \
        '[...document.querySelectorAll("#order svg")].map(s => [...s.querySelectorAll("path.s1, path.s2")].reduce((n, p) => n + p.getAttribute("d").split("M").length - 1, 0)).reduce((a, b) => a + b)'
    local name drawn=0
    for name in filegen filegen-cold filesearch; do
        # Each of the three plots of an experiment has the baseline and its load.
        drawn=$((drawn + $(jq '[.conditions[0].runs * 3, .conditions[1:][].runs] | add' "$ROOT/results/reference/disk/$name/result.json")))
    done
    [[ $output -eq $drawn ]]
}

@test "a header sorts its table when clicked, and the other way at the second click" {
    run -0 browse disk.html --eval 'document.querySelectorAll("#cell-table th button")[4].click()' --eval "$(column cell-table 4)" \
        --eval 'document.querySelectorAll("#cell-table th button")[4].click()' --eval "$(column cell-table 4)" \
        --eval '[...document.querySelectorAll("#cell-table th")].map(h => h.getAttribute("aria-sort"))'
    holds 'length == 9 and . == sort' <<<"${lines[1]}"
    holds '. == (sort | reverse)' <<<"${lines[3]}"
    holds '.[4] == "descending" and (map(select(. != null)) | length) == 1' <<<"${lines[4]}"
}

@test "a header sorts by keyboard: Enter and Space; spanned headers of the heat map, too" {
    run -0 browse disk.html --eval 'document.querySelectorAll("#cell-table th button")[6].focus()' --key Enter --eval "$(column cell-table 6)" \
        --key Space --eval "$(column cell-table 6)" \
        --eval 'document.querySelectorAll("#heat th button")[2].focus()' --key Enter --eval "$(column heat 2)" \
        --eval 'document.querySelectorAll("#heat th button")[2].textContent'
    holds '. == sort' <<<"${lines[1]}"
    holds '. == (sort | reverse)' <<<"${lines[2]}"
    holds 'length == 3 and . == sort' <<<"${lines[4]}"
    holds '. == "50%"' <<<"${lines[5]}"
}

@test "the filter shows what matches, says how much, and gives everything back" {
    local shown='[...document.querySelectorAll("#cell-table tbody tr")].filter(r => !r.hidden).length'
    run -0 browse disk.html --eval 'document.getElementById("filter").focus()' --type 'filesearch disk50' --eval "$shown" \
        --eval 'document.getElementById("found").textContent' --eval '[...document.querySelectorAll("#order figure")].filter(f => f.checkVisibility()).length' \
        --eval 'document.getElementById("filter").value = ""; document.getElementById("filter").dispatchEvent(new Event("input"))' --eval "$shown"
    holds '. == 1' <<<"${lines[1]}"
    holds '. == "1 of 9 cells"' <<<"${lines[2]}"
    holds '. == 1' <<<"${lines[3]}"
    holds '. == 9' <<<"${lines[5]}"
}

@test "at 400 pixels nothing sticks out of the page, and at 1400 neither" {
    local wide='[document.documentElement.scrollWidth - innerWidth, document.body.scrollWidth - innerWidth]'
    run -0 browse disk.html --eval "$wide" --width 400 --eval "$wide" --eval '[...document.querySelectorAll("body *")].filter(e => !e.closest(".scroll, svg, .skip") && e.getBoundingClientRect().right > innerWidth + 1).length'
    holds 'all(.[]; . <= 0)' <<<"${lines[0]}"
    holds 'all(.[]; . <= 0)' <<<"${lines[1]}"
    holds '. == 0' <<<"${lines[2]}"
}

@test "text has a contrast of 4.5 and more, in light and in dark" {
    # Relative luminance and contrast as WCAG 2 defines them; backgrounds are plain colours here.
    local contrast='(() => {
        const rgb = (text) => text.match(/[0-9.]+/g).map(Number);
        const light = ([r, g, b]) => [r, g, b].map(v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
        const behind = (e) => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor); if (c.length < 4 || c[3] > 0) return c; } return matchMedia("(prefers-color-scheme: dark)").matches ? [20, 23, 27] : [255, 255, 255]; };
        const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((m, n) => n - m); return (x + 0.05) / (y + 0.05); };
        const shades = [..."01234567"].map(i => "h" + i).concat("noise", "less").map(name => { const cell = document.createElement("td"); cell.className = name; cell.textContent = name; document.querySelector("#heat tbody tr").append(cell); return cell; });
        const all = [...document.querySelectorAll("body *")].filter(e => e.checkVisibility() && [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()));
        const worst = all.map(e => ({ what: e.className?.baseVal ?? e.className ?? "", tag: e.tagName, ratio: ratio(rgb(e.closest("svg") ? getComputedStyle(e).fill : getComputedStyle(e).color), behind(e)) })).sort((a, b) => a.ratio - b.ratio);
        shades.forEach(cell => cell.remove());
        return { checked: all.length, worst: worst[0] };
    })()'
    run -0 browse disk.html --eval "$contrast" --scheme dark --eval "$contrast" --eval 'getComputedStyle(document.body).backgroundColor'
    holds '.checked > 200 and .worst.ratio >= 4.5' <<<"${lines[0]}"
    holds '.checked > 200 and .worst.ratio >= 4.5' <<<"${lines[1]}"
    holds '. == "rgb(20, 23, 27)"' <<<"${lines[2]}"
}

@test "who listens or has no mouse finds the way: landmarks, headings, captions, names" {
    run -0 browse disk.html --eval '(() => {
        const ids = [...document.querySelectorAll("[id]")].map(e => e.id);
        const levels = [...document.querySelectorAll("h1, h2, h3, h4")].map(h => Number(h.tagName[1]));
        return {
            twice: ids.filter((id, i) => ids.indexOf(id) !== i), landmarks: ["header", "nav", "main", "footer"].map(n => document.querySelectorAll(n).length),
            jumps: levels.filter((l, i) => i && l > levels[i - 1] + 1).length, h1: levels.filter(l => l === 1).length,
            captions: [...document.querySelectorAll("table")].filter(t => !t.caption?.textContent.trim()).length,
            scopes: [...document.querySelectorAll("th")].filter(h => !h.scope).length,
            pictures: [...document.querySelectorAll("svg")].filter(s => s.getAttribute("role") !== "img" || !(s.getAttribute("aria-label") || (s.getAttribute("aria-labelledby") || "").split(" ").every(id => document.getElementById(id)?.textContent))).length,
            dead: [...document.querySelectorAll("a[href^=\"#\"]")].filter(a => !document.getElementById(a.getAttribute("href").slice(1))).length,
            boxes: [...document.querySelectorAll(".scroll")].filter(b => b.tabIndex !== 0 || !b.getAttribute("aria-labelledby")).length,
            language: document.documentElement.lang, title: document.title }; })()' \
        --key Tab --eval 'document.activeElement.className + " " + (getComputedStyle(document.activeElement).outlineStyle !== "none")'
    holds '.twice == [] and .landmarks == [1, 1, 1, 1] and .jumps == 0 and .h1 == 1 and .captions == 0 and .scopes == 0 and .pictures == 0
        and .dead == 0 and .boxes == 0 and .language == "en" and .title != ""' <<<"${lines[0]}"
    holds '. == "skip true"' <<<"${lines[1]}"
}

@test "without script the answer and the figures can be read, and what to do; in print everything is drawn and open" {
    run -0 browse disk.html --no-script --pdf "$BATS_TEST_TMPDIR/plain.pdf" --report
    holds '.console == []' <<<"$output"
    run -0 browse disk.html --pdf "$BATS_TEST_TMPDIR/page.pdf" --report
    holds '.console == []' <<<"$output"
    if command -v pdftotext >/dev/null; then
        pdftotext -layout "$BATS_TEST_TMPDIR/plain.pdf" "$BATS_TEST_TMPDIR/plain.txt"
        grep -q 'surely slower beside their load, most of all ' "$BATS_TEST_TMPDIR/plain.txt"
        grep -q '1\.409 \[' "$BATS_TEST_TMPDIR/plain.txt"
        grep -q 'allow JavaScript' "$BATS_TEST_TMPDIR/plain.txt"
        pdftotext -layout "$BATS_TEST_TMPDIR/page.pdf" "$BATS_TEST_TMPDIR/page.txt"
        grep -q '1.409×' "$BATS_TEST_TMPDIR/page.txt"
        grep -q 'outliers: 6 times' "$BATS_TEST_TMPDIR/page.txt"
        grep -q 'the runs drift by +140' "$BATS_TEST_TMPDIR/page.txt"
        run ! grep -q 'allow JavaScript' "$BATS_TEST_TMPDIR/page.txt"
    fi
}

@test "a name that wants to be code is text everywhere" {
    run -0 browse evil.html --eval 'document.scripts.length' --eval 'document.querySelector("#cell-table tbody th").textContent' \
        --eval 'document.querySelector("#heat").textContent.includes("<script>alert(1)</script> & \\input{x} | \"a,b\"")' \
        --eval '[...document.querySelectorAll("svg desc")].filter(d => d.textContent.includes("<script>alert(1)</script>")).length > 0' \
        --eval '[...document.querySelectorAll("*")].every(e => [...e.attributes].every(a => !a.name.startsWith("on")))' --report \
        --eval '(() => { const p = el("p", null, { script: "window.evil = 1" }, { a: "x", href: "javascript:1", onclick: "1" }); document.body.append(p); return [p.querySelectorAll("script, [href], [onclick]").length, window.evil ?? 0] })()'
    # The model and what draws it.
    holds '. == 2' <<<"${lines[0]}"
    [[ $(jq -r . <<<"${lines[1]}") == *"$EVIL"* ]]
    holds '. == true' <<<"${lines[2]}"
    holds '. == true' <<<"${lines[3]}"
    holds '. == true' <<<"${lines[4]}"
    holds '.console == [] and (.requests | length) == 1' <<<"${lines[5]}"
    # Nor does a record make an element that has an object where a text should be.
    holds '. == [0, 0]' <<<"${lines[6]}"
}

@test "records of a target alone make a page, too" {
    "$JOSTLE" run --max-runs 3 --min-runs 3 --output "$BATS_TEST_TMPDIR/alone" -- true >/dev/null
    "$JOSTLE" report "$BATS_TEST_TMPDIR/alone" --format html >"$PAGES/alone.html"
    run -0 browse alone.html --eval 'document.querySelector(".lede").textContent' --eval 'document.querySelectorAll("#order svg .s1").length' --report
    holds 'test("^It takes ")' <<<"${lines[0]}"
    holds '. == 1' <<<"${lines[1]}"
    holds '.console == []' <<<"${lines[2]}"
}

@test "a campaign's page has the campaign file, as text, and names what is not done" {
    local folder=$BATS_TEST_TMPDIR/campaign
    "$BATS_TEST_DIRNAME/synthetic-campaign" 8 4 "$folder"
    printf '# </pre><b id="bold">bold</b>\n[campaign]\n' >"$folder/campaign.conf"
    rm -r "$folder/cells/delannoy.n=5@cpu.50%"
    "$JOSTLE" report --quiet "$folder" --format html >"$PAGES/campaign.html"
    run -0 browse campaign.html --eval 'document.querySelector("#reproduce pre").textContent' --eval 'document.getElementById("bold")' \
        --eval '[...document.querySelectorAll("#waiting-table tbody tr")].map(r => [...r.children].map(c => c.textContent).slice(0, 2))' \
        --eval 'document.querySelectorAll("#sensitivity svg").length' --eval "$(column heat 1)" --report
    holds '. == "# </pre><b id=\"bold\">bold</b>\n[campaign]\n"' <<<"${lines[0]}"
    holds '. == null' <<<"${lines[1]}"
    holds '. == [["delannoy.n=5@cpu.50%", "waiting"]]' <<<"${lines[2]}"
    holds '. == 2' <<<"${lines[3]}"
    holds '.console == []' <<<"${lines[5]}"
}

@test "many runs are thinned out for the drawing, the extremes stay, and the page says so" {
    mkdir "$BATS_TEST_TMPDIR/many"
    cp "$ROOT/results/reference/disk/filesearch/"{experiment,result}.json "$BATS_TEST_TMPDIR/many"
    awk '{ line[NR] = $0 } END { for (i = 1; i <= 8000; i++) { text = line[(i - 1) % NR + 1]; sub(/"order":[0-9]+/, "\"order\":" i, text); sub(/"block":[0-9]+/, "\"block\":" i, text); if (i == 7777) sub(/"wall_s":[0-9.]+/, "\"wall_s\":0.5", text); print text } }' \
        "$ROOT/results/reference/disk/filesearch/runs.jsonl" >"$BATS_TEST_TMPDIR/many/runs.jsonl"
    "$JOSTLE" report --quiet "$BATS_TEST_TMPDIR/many" --format html --output "$BATS_TEST_TMPDIR/many.html"
    # The page has each run once, whatever the number of its plots.
    [[ $(stat -c %s "$BATS_TEST_TMPDIR/many.html") -lt 300000 ]]
    page_drawn "$BATS_TEST_TMPDIR/many.html" >"$BATS_TEST_TMPDIR/drawn.html"
    [[ $(grep -o 'd="M[^"]*"' "$BATS_TEST_TMPDIR/drawn.html" | tr -cd M | wc -c) -lt 12000 ]]
    grep -q 'too many to draw' "$BATS_TEST_TMPDIR/drawn.html"
    # The one slow run is what the scale of its plot ends at.
    grep -q '>500</text>' "$BATS_TEST_TMPDIR/drawn.html"
}
