# What people see of a bench: what `bench --show` and, of a page, `bench --page` print.
# formats: csv html json md terminal
# drawn: svg
include "report/document";
include "lib/text";

# ---- what is said of a part besides its figures

# What is wrong with a row that was begun, and its marks; each kind is said once, with the rows.
def seen:
  select(.state | IN("waiting", "skipped") | not)
  | (.problems // [] | .[] | { kind: .flag, flag, text, advice }),
    (.marks // [] | .[] | { kind: "mark \(.)", flag: "mark", text: ., advice: null });
def together_by($key): reduce .[] as $one ([];
  ([.[][$key]] | index($one[$key])) as $at
  | if $at == null then . + [$one + { cells: [$one.cell] }] elif .[$at].cells[-1] == $one.cell then . else .[$at].cells += [$one.cell] end);
def distinct: reduce .[] as $one ([]; if index($one) then . else . + [$one] end);

# Why there is no figure, of the row or of a peer of it.
def reasons:
  [.rows[] | { cell, text: .reason }, { cell, peer: (.peers // [] | .[] | select(.reason != null)) } | select(.peer or .text != null)
   | { cell, text: (if .peer then "\(.peer.name): \(.peer.reason)" else .text end) }]
  | together_by("text");
# Of what the peaks are made, or why there are none.
def peak_lines:
  [.rows[] | select(.value != null)
   | ((if .peak != null then .peak.source else .peak_reason end) // empty | "peak: \(.)"),
     (.more[] | select(.peak != null) | "\(.name) peak: \(.peak.source)")] | distinct;

# The row with the highest figure of which more is better, of those that nothing is to be said against: it is not
# of a cache, and no problem makes it something else than what it says.
def is_misread: IN("above-peak", "above-device", "cache-sized", "sparse-file", "cached-as-direct", "beyond-cpus", "invalid");
def is_answer:
  .state == "done" and .better == "higher" and .value != null and (.marks // [] | length) == 0
  and ([.labels[] | strings | select(test("^(page cache|cached|L[0-9])$"))] == [])
    and ([.problems // [] | .[].flag | select(is_misread)] == []);
def best: [.rows | to_entries[] | select(.value | is_answer)] | max_by(.value.value) | .key;

# In the order of the table, without those in which no row has anything; rank: which of them a narrow terminal leaves
# out first, 0: none.
def columns_of_rows:
  .rows as $rows | (.columns // []) as $labels | [.rows[].peers // [] | .[].name | ., "\(.)/peak", "ours/\(.)"] as $peers
  | $labels + [.rows[].texts | keys_unsorted[]] | distinct
  | map({ key: ., title: ., left: IN($labels[]) }
        | . + (if .left then [0, 0] elif .title == "jostle" then [1, 0] elif .title == "n" then [2, 3] elif .title == "peak" then [3, 4]
           elif .title == "ours/peak" then [4, 1] elif .title | IN($peers[]) then [5, 2] else [6, 5] end | { group: .[0], rank: .[1] }))
  | map(select(.key as $key | any($rows[].texts[$key]; . != null and . != "-"))) | [range(0; 7) as $group | .[] | select(.group == $group)];

def with_texts:
  .counts = ([.parts[].rows[].state]
    | { rows: length, done: map(select(. == "done")) | length, skipped: map(select(. == "skipped"))
    | length, failed: map(select(. == "failed")) | length })
  | .parts |= map(
      ([.rows[] | { cell } + seen] | together_by("kind")) as $findings | [$findings[].kind] as $kinds
      | .texts = { columns: columns_of_rows, $findings, lines: peak_lines, reasons: reasons, best: best }
      | .rows |= map(.numbers = ([seen | .kind as $kind | $kinds | index($kind) + 1] | distinct)));

# The columns of a part: its labels and figures, and the numbers of its findings.
def columns:
  .texts as $texts | $texts.columns + (if $texts.findings == [] then [] else [{ key: "problems", title: "see", left: true, rank: 0 }] end);
def cell_text($key): if $key == "problems" then .numbers | map(tostring) | join(",") else .texts[$key] // "" end;

def in_rows: .cells | if length > 3 then "\(.[:2] | join(", ")) and \(length - 2) more" else join(", ") end;
# "1 above-peak (cpu.int8.t1): TEXT: ADVICE", a line for each kind of problem; marks have no kind.
def finding_texts:
  .texts.findings | range(0; length) as $i
  | .[$i]
  | ("\($i + 1) \(if .flag == "mark" then "" else .flag + " " end)(\(in_rows)): "
    + "\(.text)\(if .advice == null then "" else ": " + .advice end)");
def reason_texts: .texts.reasons[] | "\(in_rows): \(.text)";
# What was wrong with the machine in at least half of the rows: of all of them together.
def machine_texts:
  [.parts[].rows[] | select(.state == "done") | [.problems // [] | .[].flag]] as $rows
  | { "foreign-load": ["other programs used the CPUs", "end whatever else runs (jostle doctor names it), then measure again"],
      "steal": ["the host used the CPUs for others", "measure at another time, or on a machine of your own"] }
  | to_entries[]
  | .key as $flag | ([$rows[] | select(index($flag))] | length) as $count
  | select($count > 0 and 2 * $count >= ($rows | length))
  | ("\($flag): while \($count) of \(plural($rows | length; "row"; "rows")) ran, \(.value[0]), and the figures may be less than this "
    + "machine can do: \(.value[1])");

def key_text:
  "± and [ ] are confidence intervals of the mean over n runs (of the mean over time for a series); ratios are of runs "
    + "in the same blocks.";
# For a terminal, where there are many sources of peaks: two of them, and where the others are.
def line_texts:
  .texts.lines | if $format == "md" or length <= 3 then .[]
    else .[:2][], "\(length - 2) more sources of peaks: jostle report --format md shows them" end;

def blocks:
  ($format == "md") as $is_md
  | { h: 1, text: "Bench" },
    { p: "bench of \(.machine.host // "this machine"): \(.machine.cpu // "unknown CPU"), CPUs \(.machine.cpus_allowed // "?"), \(.made)" },
    (machine_texts | { p: . }),
    (.parts[] | select(.rows != [])
     | columns as $columns
     | { h: 2, text: .title },
       # Rows that were not begun are in a line below the table.
       ({ $columns, rows: [.rows[] | select(.state != "waiting") | [cell_text($columns[].key)]], figures: true, style: "4", says: true,
         tight: true }
        | select($is_md or .rows != [])),
       ({ list: [finding_texts, reason_texts, line_texts], indent: "  " } | select(.list != [] or ($is_md | not)))),
    { p: key_text, tight: true };

# ---- the long form: a line for each figure of each row, ours and those of peers

def csv_line($part; $row; $program; $metric; $figure; $of_peak; $ratio):
  [$part, $row.cell, ($row.labels | to_entries | map("\(.key)=\(.value)") | join(" ")), $row.state, ($program.reason // $row.reason),
    $program.name, $program.version,
   $metric.name, $metric.unit, $metric.better, $figure.value, $figure.ci[0], $figure.ci[1], $program.n,
   $row.peak.value, $row.peak.ci[0], $row.peak.ci[1], $row.peak.source, $of_peak.ratio, $of_peak.ci[0], $of_peak.ci[1], $ratio.ratio,
     $ratio.ci[0], $ratio.ci[1],
   ($row.marks | join("; ")), ([$row.problems[].flag] | unique | join(" "))];
def csv_rows:
  ["part", "cell", "labels", "state", "reason", "program", "version", "metric", "unit", "better", "value", "ci_low", "ci_high", "n",
   "peak", "peak_ci_low", "peak_ci_high", "peak_source", "of_peak", "of_peak_ci_low", "of_peak_ci_high", "ours_of_peer",
     "ours_of_peer_ci_low", "ours_of_peer_ci_high", "marks", "problems"],
  (.parts[] | .part as $part | .rows[] | . as $row
   | { name: "jostle", n: .n } as $ours | { name: .metric, unit, better } as $main
   | csv_line($part; $row; $ours; $main; $row; .of_peak; null),
     (.more[] | csv_line($part; $row; $ours; .; .; null; null)),
     (.peers[] | . as $peer
      | csv_line($part; $row; $peer; $main; $peer; .of_peak; .ours_of_peer),
        (.more[] | csv_line($part; $row; $peer; .; .; null; null))));

# ---- one page with tables and plots

def part_id: "part-\(.part)";
def flag_words: split("-") | join(" ");
def is_problem: .flag != "mark";

# "double avx512, 4 threads"
def row_words:
  [.labels | to_entries[] | if .value | test("^[0-9]+$") then "\(.value) \(if .value == "1" then .key | rtrimstr("s") else .key end)"
    else .value end] | join(", ");

# The most that a part can do.
def best:
  .rows[.texts.best // empty]
  | "<b>\(.texts.jostle | together | esc)</b>"
    + (if .of_peak != null then ", \(.texts["ours/peak"] | together | esc) of the theoretical peak" else "" end) + " (\(row_words | esc))";

def counted: .counts
  | "\(.done) of \(plural(.rows; "row"; "rows")) measured"
    + (if .skipped > 0 then ", \(.skipped) skipped" else "" end) + (if .failed > 0 then ", \(.failed) failed" else "" end);

def header:
  "<p class=\"kind\">jostle bench: what this machine can do, and how close that is to its limit</p>",
  "<h1>\(.machine.host // "This machine" | esc)</h1>",
  "<p class=\"lede\">\(.machine.cpu // "unknown CPU" | esc), CPUs \(.machine.cpus_allowed // "unknown" | esc).</p>",
  ([.parts[] | . as $part | best | "<li>\($part.title | esc): \(.)</li>"] | if . == [] then empty
    else "<ul class=\"best\">\(join(""))</ul>" end),
  (machine_texts | "<p>\(esc)</p>"),
  "<p class=\"facts\">\(counted)\(if .duration_s == null then "" else ", in \(.texts.duration_s)" end). \(.made | esc).</p>";

# One kind of problem of one part: in which rows, what it means, what to do.
def finding($part):
  { li: ["\($part.title), ", { b: (.flag | flag_words) },
    "\(.cells | length | if . > 1 then " in \(.) rows, such as" else "" end): \(.text)",
    (if .advice == null then "" else ": ", { b: .advice } end), ". ",
      { span: ([.cells[:6][] | ", ", { a: ., href: "#\(.)" }][1:] + [.cells | if length > 6 then " and \(length - 6) more" else "" end]),
        class: "rows" }],
    "data-f": "\($part.title) \(.flag)" };

def problems:
  [.parts[] | . as $part | .texts.findings[] | select(is_problem) | finding($part)]
  | if . == [] then { p: "None: no figure is above its limit, and every error is as small as was wanted." }
    else { p: "A problem is a reason not to trust a figure, or to read it as something else." }, { ul: ., class: "findings" } end;

# What sorts a column: the number behind its text.
def value_of($key):
  if $key == "jostle" then .value elif $key == "n" then .n elif $key == "peak" then .peak.value elif $key == "ours/peak" then .of_peak.ratio
  else (.texts[$key] // "" | tonumber? // null) end;
def cell($key):
  if $key == "problems" and .problems != [] then { t: cell_text($key), c: "flagged" } else [cell_text($key), value_of($key)] end;

# What there is to see of a figure comes right behind it.
def seen_first:
  [.[] | select(.key == "problems")] as $see | [.[] | select(.key != "problems") | if .key == "jostle" then ., $see[] else . end];

def table:
  .title as $title | ([columns] | flatten | seen_first) as $columns
  | { table: "\(part_id)-table", kind: "counted",
    caption: "\(.title): each row with its interval, beside the theoretical peak and the peers",
      columns: [$columns[] | if .left then column_of(.title | titled; "l") else column_of(.title; "n") end],
      rows: [.rows[] | { id: .cell, class: (if .state == "done" then null else "off" end),
        f: "\($title) \([.labels[]] | join(" ")) \([.peers[].name] | join(" "))", cells: [cell($columns[].key)] }] };

def notes:
  ([.texts.findings[] | [(if is_problem then { b: (.flag | flag_words) }, ": " else empty end), .text]]) as $seen
  | (if $seen == [] then empty else { p: "See:", class: "small" }, { ol: $seen, class: "small" } end),
    ([.texts.lines[], reason_texts] | if . == [] then empty
      else { details: "Where the peaks come from, and what was not measured", open: (length <= 6), blocks: [{ ul: . }] } end);

def part: .title as $title | section(part_id; $title; { charts: [.charts[] | .f = $title] }, table, notes);

# Figures as texts.
def with_texts_of_facts: .texts as $texts | del(.texts) | . + ($texts // {});
def facts($id; $caption; $facts):
  { facts: $id, caption: $caption, titles: ["Here"], of: [$facts | with_texts_of_facts | with_entries(select(.value != null))] };

def how:
  section("how"; "How it was measured";
    { p: ("\(key_text | titled) Whiskers in the plots are the same intervals. jostle and its peers alternate in blocks, so that what "
      + "else the machine does falls on both alike.") },
    { wide: [facts("machine"; "The machine"; .machine), facts("settings"; "The settings"; .settings + { jostle })] },
    { p: ["This page is made from the records alone: ", { code: "jostle report DIR --format html" }, " writes it again."] });

def page:
  page({ $style, $script }; "Bench of \(.machine.host // "this machine")"; "jostle bench --format html"; header;
    { filter: "Filter rows", what: "rows",
      sections: [section("problems"; "Problems"; problems), (.parts[] | select(.rows != []) | part), how] });

with_texts | lay_out({ $format, $width, $colour }; del(.counts, .parts[].texts, .parts[].rows[].texts, .parts[].rows[].numbers);
  csv_rows; page; blocks)
