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

def header:
  "<p class=\"kind\">jostle bench: what this machine can do, and how close that is to its limit</p>",
  "<h1>\(.machine.host // "This machine" | esc)</h1>",
  "<p class=\"lede\">\(.machine.cpu // "unknown CPU" | esc), CPUs \(.machine.cpus_allowed // "unknown" | esc).</p>",
  ([.parts[] | . as $part | best | "<li>\($part.title | esc): \(.)</li>"] | if . == [] then empty else "<ul class=\"best\">\(join(""))</ul>" end),
  "<p class=\"facts\">\(counted)\(.duration_s | duration_text). \(.made | esc).</p>";

# ---- problems

# One kind of problem of one part: in which rows, what it means, what to do.
def finding($part):
  { li: ["\($part.title), ", { b: (.flag | flag_words) }, "\(.cells | length | if . > 1 then " in \(.) rows, such as" else "" end): \(.text)", (if .advice == null then "" else ": ", { b: .advice } end), ". ",
      { span: ([.cells[:6][] | ", ", { a: ., href: "#\(.)" }][1:] + [.cells | if length > 6 then " and \(length - 6) more" else "" end]), class: "rows" }],
    "data-f": "\($part.title) \(.flag)" };

def problems:
  [.parts[] | . as $part | .texts.findings[] | select(is_problem) | finding($part)]
  | if . == [] then { p: "None: no figure is above its limit, and every error is as small as was wanted." }
    else { p: "A problem is a reason not to trust a figure, or to read it as something else." }, { ul: ., class: "findings" } end;

# ---- a part

# What sorts a column: the number behind its text.
def value_of($key):
  if $key == "jostle" then .value elif $key == "n" then .n elif $key == "peak" then .peak.value elif $key == "ours/peak" then .of_peak.ratio
  else (.texts[$key] // "" | tonumber? // null) end;
def cell($key): if $key == "problems" and .problems != [] then { t: cell_text($key), c: "flagged" } else [cell_text($key), value_of($key)] end;

# What there is to see of a figure comes right behind it.
def seen_first: [.[] | select(.key == "problems")] as $see | [.[] | select(.key != "problems") | if .key == "jostle" then ., $see[] else . end];

def table:
  .title as $title | ([columns] | flatten | seen_first) as $columns
  | { table: "\(part_id)-table", kind: "counted", caption: "\(.title): each row with its interval, beside the theoretical peak and the peers",
      columns: [$columns[] | if .left then column_of(.title | titled; "l") else column_of(.title; "n") end],
      rows: [.rows[] | { id: .cell, class: (if .state == "done" then null else "off" end), f: "\($title) \([.labels[]] | join(" ")) \([.peers[].name] | join(" "))", cells: [cell($columns[].key)] }] };

def notes:
  ([.texts.findings[] | [(if is_problem then { b: (.flag | flag_words) }, ": " else empty end), .text]]) as $seen
  | (if $seen == [] then empty else { p: "See:", class: "small" }, { ol: $seen, class: "small" } end),
    ([.texts.lines[], reason_texts] | if . == [] then empty else { details: "Where the peaks come from, and what was not measured", open: (length <= 6), blocks: [{ ul: . }] } end);

def part: .title as $title | section(part_id; $title; { charts: [.charts[] | .f = $title] }, table, notes);

# ---- how it was measured

def facts($id; $caption; $facts): { facts: $id, caption: $caption, titles: ["Here"], of: [$facts | with_entries(select(.value != null))] };

def how:
  section("how"; "How it was measured";
    { p: "\(key_text | titled) Whiskers in the plots are the same intervals. jostle and its peers alternate in blocks, so that what else the machine does falls on both alike." },
    { wide: [facts("machine"; "The machine"; .machine), facts("settings"; "The settings"; .settings + { jostle })] },
    { p: ["This page is made from the records alone: ", { code: "jostle report DIR --format html" }, " writes it again."] });

page({ $style, $script }; "Bench of \(.machine.host // "this machine")"; "jostle bench --format html"; header;
  { filter: "Filter rows", what: "rows", sections: [section("problems"; "Problems"; problems), (.parts[] | select(.rows != []) | part), how] })
