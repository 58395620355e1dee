# One page with tables and plots that works offline.
# files: .html .htm
# reads: page
#
# $style and $script: what the page carries with it.
include "bench/format/bench";
include "report/page";
include "lib/visible";
include "report/numbers";
include "lib/jq15";

def titled: (.[:1] | ascii_upcase) + .[1:];
def part_id: "part-\(.part)";
def flag_words: split("-") | join(" ");
def is_problem: .flag != "mark";

# ---- the head

# "double avx512, 4 threads"
def row_words: [.labels | to_entries[] | if .value | test("^[0-9]+$") then "\(.value) \(if .value == "1" then .key | rtrimstr("s") else .key end)" else .value end] | join(", ");

# The most that a part can do.
def best:
  .rows[.texts.best // empty]
  | "<b>\(.texts.jostle | together | esc)</b>"
    + (if .of_peak != null then ", \(.texts["ours/peak"] | together | esc) of the theoretical peak" else "" end) + " (\(row_words | esc))";

def counted: .counts
  | "\(.done) of \(plural(.rows; "row"; "rows")) measured"
    + (if .skipped > 0 then ", \(.skipped) skipped" else "" end) + (if .failed > 0 then ", \(.failed) failed" else "" end);

def duration_text: if . == null then "" elif . < 90 then ", in \(round) s" elif . < 5400 then ", in \(. / 60 | round) min" else ", in \(. / 3600 * 10 | round / 10) h" end;

def page_start:
  page_head($style; "Bench of \(.machine.host // "this machine" | esc)"; "jostle bench --format html"),
  "<a class=\"skip\" href=\"#problems\">Skip to the problems</a>",
  "<header>", "<p class=\"kind\">jostle bench: what this machine can do, and how close that is to its limit</p>",
  "<h1>\(.machine.host // "This machine" | esc)</h1>",
  "<p class=\"lede\">\(.machine.cpu // "unknown CPU" | esc), CPUs \(.machine.cpus_allowed // "unknown" | esc).</p>",
  ([.parts[] | . as $part | best | "<li>\($part.title | esc): \(.)</li>"] | if . == [] then empty else "<ul class=\"best\">\(join(""))</ul>" end),
  "<p class=\"facts\">\(counted)\(.duration_s | duration_text). \(.made | esc).</p>",
  "</header>";

# ---- problems

# One kind of problem of one part: in which rows, what it means, what to do.
def finding($part):
  "<li data-f=\"\($part.title | esc) \(.flag | esc)\">\($part.title | esc), <b>\(.flag | flag_words | esc)</b>\(.cells | length | if . > 1 then " in \(.) rows, such as" else "" end): \(.text | esc)\(if .advice == null then "" else ": <b>\(.advice | esc)</b>" end). "
  + "<span class=\"rows\">\([.cells[:6][] | "<a href=\"#\(esc)\">\(esc)</a>"] | join(", "))\(.cells | if length > 6 then " and \(length - 6) more" else "" end)</span></li>";

def problems:
  section("problems"; "Problems"),
  ([.parts[] | . as $part | .texts.findings[] | select(is_problem) | finding($part)]
   | if . == [] then "<p>None: no figure is above its limit, and every error is as small as was wanted.</p>"
     else "<p>A problem is a reason not to trust a figure, or to read it as something else.</p>", "<ul class=\"findings\">", .[], "</ul>" end),
  "</section>";

# ---- a part

# What sorts a column: the number behind its text.
def value_of($key):
  if $key == "jostle" then .value elif $key == "n" then .n elif $key == "peak" then .peak.value elif $key == "ours/peak" then .of_peak.ratio
  else (.texts[$key] // "" | tonumber? // null) end;

def cell_html($column):
  . as $row | $column.key as $key
  | cell_text($key) | esc
  | if $key == "problems" then "<td\(if $row.problems == [] then "" else " class=\"flagged\"" end)>\(.)</td>" elif $column.left then n_cell($row | value_of($key); .) | sub("class=\"n\""; "class=\"l\"") else n_cell($row | value_of($key); .) end;

# What there is to see of a figure comes right behind it.
def seen_first: [.[] | select(.key == "problems")] as $see | [.[] | select(.key != "problems") | if .key == "jostle" then ., $see[] else . end];

def row_html($columns; $part):
  . as $row
  | ([.labels[]] | join(" ")) as $name
  | "<tr id=\"\(.cell | esc)\"\(if .state == "done" then "" else " class=\"off\"" end) data-f=\"\($part | esc) \($name | esc) \([.peers[].name] | join(" ") | esc)\">"
    + ([$columns | to_entries[] | .key as $i | .value as $column | $row | cell_html($column)
        | if $i == 0 then sub("^<td class=\"[ln]\""; "<th scope=\"row\"") | rtrimstr("</td>") + "</th>" else . end] | join("")) + "</tr>";

def table:
  . as $part | ([columns] | flatten | seen_first) as $columns
  | table_start("\(part_id)-table"; "\(.title | esc): each row with its interval, beside the theoretical peak and the peers"; "sortable counted"; .rows | length),
    header([$columns[] | if .left then .title | titled else .title end | esc]),
    (.rows[] | row_html($columns; $part.title)), table_end;

def legend: "<ul class=\"key lines\">\(map("<li><svg class=\"plot swatch\" viewBox=\"0 0 26 10\" aria-hidden=\"true\">\(.swatch)</svg>\(.name | esc)</li>") | join(""))</ul>";

def panel($chart; $id; $filter; $of):
  { title: $chart.title, text, svg, height } as $drawn
  | (.legend | legend) as $legend
  | $drawn | framed($id; $filter; $chart.title; $of)
  | rtrimstr("</figure>") + "\($legend)</figure>";

def charts:
  . as $part
  | [.charts | to_entries[] | .key as $i | .value as $chart | ($chart.panels | length) as $n
     | $chart.panels | to_entries[]
     | .key as $k | .value | panel($chart; "\($part | part_id)-f\($i)-\($k)"; $part.title; [if $n > 1 then "\($k + 1) of \($n)" else empty end, if $chart.kind == "series" then "the vertical axis does not begin at 0" else empty end] | join("; "))]
  | if . == [] then empty else "<div class=\"figures wide\">", .[], "</div>" end;

def notes:
  ([.texts.findings | to_entries[] | "<li value=\"\(.key + 1)\">\(if .value | is_problem then "<b>\(.value.flag | flag_words | esc)</b>: " else "" end)\(.value.text | esc)</li>"]) as $seen
  | (if $seen == [] then empty else "<p class=\"small\">See:</p><ol class=\"small\">\($seen | join(""))</ol>" end),
    ([.texts.lines[], reason_texts] | if . == [] then empty else "<details class=\"fold\"\(if length <= 6 then " open" else "" end)><summary>Where the peaks come from, and what was not measured</summary><ul>\(map("<li>\(esc)</li>") | join(""))</ul></details>" end);

def part: section(part_id; .title | esc), charts, table, notes, "</section>";

# ---- how it was measured

def fact_table($id; $caption; $facts):
  table_start($id; $caption; "env"), "<thead><tr><th scope=\"col\">Fact</th><th scope=\"col\">Here</th></tr></thead><tbody>",
  ($facts | to_entries[] | .key as $key | select(.value != null) | "<tr><th scope=\"row\">\(fact_words[$key] // ($key | gsub("_"; " ") | titled) | esc)</th><td>\(.value | fact_text($key) | esc)</td></tr>"),
  table_end;

def how:
  section("how"; "How it was measured"),
  "<p>\(key_text | titled | esc) Whiskers in the plots are the same intervals. jostle and its peers alternate in blocks, so that what else the machine does falls on both alike.</p>",
  "<div class=\"figures wide\">", fact_table("machine"; "The machine"; .machine), fact_table("settings"; "The settings"; .settings + { jostle }), "</div>",
  "<p>This page is made from the records alone: <code>jostle report DIR --format html</code> writes it again.</p>",
  "</section>";

. as $bench
| ([.parts[] | select(.rows != [])]) as $parts
| page_start,
  contents([["problems", "Problems"], ($parts[] | [part_id, (.title | esc)]), ["how", "How it was measured"]]),
  "<main>", "<form id=\"find\" role=\"search\" data-what=\"rows\" hidden><label for=\"filter\">Filter rows</label> <input id=\"filter\" type=\"search\" autocomplete=\"off\"> <span id=\"found\" role=\"status\"></span></form>",
  problems, ($parts[] | part), how,
  "</main>", "<footer><p>Made by jostle from records.</p></footer>", "<script>", ($script | rtrimstr("\n")), "</script>", "</body>", "</html>"
