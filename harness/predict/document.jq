# What people see of a prediction (jostle.prediction/1).
# formats: csv html json md svg terminal
include "report/document";
include "lib/text";

def times: .texts.slowdown;
# The upper bound may not be known.
def interval_text: .texts.ci // "";
def with_interval: "\(times) \(interval_text)";
def neighbours: .beside | join(" + ");
def places: [.predictions[].place] | reduce .[] as $place ([]; if index([$place]) then . else . + [$place] end);
def place_words:
  { core: "on one core", smt: "on sibling threads of a core", l3: "on cores that share the L3", node: "on one NUMA node",
    machine: "anywhere on the machine" }[.] // .;

# What the slowdown is made of: "CPU time 2.00×, mem 1.09×".
def parts:
  if .slowdown == null then "" else
  .carriers | if . == [] then "nothing" else map("\(.name) \(times)") | join(", ") end end;

# Shown although it cannot be told, as --force does.
def is_forced: .slowdown != null and .gate.passed == false;
# Those of which something is to be said: a line for each program and reason, "a beside b, c (core): why".
def without_number: [.predictions[] | select(.slowdown == null)];
def forced: [.predictions[] | select(is_forced)];
def reason_lines: group_by([.place, .a, .reason]) | map("\(.[0].a) beside \(map(neighbours) | join(", ")) (\(.[0].place)): \(.[0].reason)");

def interval_words:
  [.predictions[] | select(.slowdown != null)] as $shown
  | if $shown == [] then ""
    else "Intervals: \($shown[0].texts.confidence // "95 %"), by leaving out each load of the victim's profile in turn." end;

# What a perfect prediction would be off by.
def noise_words:
  if .noise == null then ""
  else ("the noise of what was measured is \(if .repeats > 0 then "" else "at least " end)\(.texts.noise) (by "
    + "\(if .repeats > 0 then "\(.repeats) that were measured twice" else "the spread within each" end)); ") end;
def check_words:
  .check
  | if . == null then ""
    else ("Measured, too: \(.pairs) pair\(if .pairs == 1 then "" else "s" end); mean absolute error \(.texts.error) points; "
      + "\(noise_words)\(.held) of \(.pairs) in the interval of the prediction.")
      + (if .skill == null then ""
        else (" Skill \(.texts.skill) over saying 1 of each; "
          + (if .skill_most == null then "the most that noise allows is not known" else "at most \(.texts.skill_most) by that noise" end)
          + ".") end) end;

# Victims and aggressors in the order of the profiles: a matrix for each place.
def names_in_order($place):
  [.programs[] | select(.place == $place) | .name] | reduce .[] as $name ([]; if index([$name]) then . else . + [$name] end);
def columns_of($place): if .together then ["all others"] else names_in_order($place) end;
def cell_of($place; $row; $column): [.predictions[] | select(.place == $place and .a == $row and (.b == null or .b == $column))][0];

def terminal_blocks:
  def cells:
    [.a, neighbours, .place, times + (if is_forced then " ?" else "" end), interval_text,
      (.measured | if . == null then "" else with_interval end), parts];
  # Without the columns that nothing is in.
  def trimmed:
    .rows as $rows | [range(0; .columns | length) | select(any($rows[][.]; . != ""))] as $kept | .columns |= [.[$kept[]]]
      | .rows |= map([.[$kept[]]]);
  def lines($title): select(. != []) | { list: [$title, (reason_lines[] | "  " + .)] };
  ({ columns: (["program", "beside", "place", "slowdown", "interval", "measured", "carried by"] | map({ title: . })),
     rows: [.predictions[] | select(.slowdown != null or .measured != null) | cells] } | select(.rows != []) | trimmed),
  (without_number | lines("No number:")),
  (forced | lines("?  shown by --force:")),
  (interval_words, check_words | select(. != "") | { p: . }),
  (.programs[] | .name as $name | .reasons[] | { p: "\($name): \(.)" });

def md_blocks:
  def cell:
    if . == null then ""
    elif .slowdown == null then "no number"
    else "**\(times)** \(interval_text)\(if is_forced then " ?" else "" end)"
    end
    + (if .measured == null then "" else "<br>measured \(.measured | with_interval)" end);
  def lines($title): select(. != []) | { p: $title, raw: true }, { list: reason_lines };
  . as $all
  | { h: 2, text: "Predicted slowdown beside a neighbour" },
    (places[] as $place
     | ($all | columns_of($place)) as $columns
     | { raw: true, p: "Victims by rows, aggressors by columns, \($place | place_words | md) (\($place | code_md)):" },
       { raw: true, p: ([
           "| | \($columns | map(md) | join(" | ")) |",
           "| --- |\($columns | map(" ---: |") | join(""))",
           ($all | names_in_order($place)[] as $row
             | ("| **\($row | md)** | "
               + ([$columns[] as $column | $all | cell_of($place; $row; $column) | cell | put("|"; "\\|")] | join(" | ")) + " |"))]
             | join("\n")) }),
    (interval_words, check_words | select(. != "") | { raw: true, p: . }),
    (without_number | lines("Without a number:")),
    (forced | lines("Marked ?, shown by `--force`:"));

def csv_rows:
  ["a", "beside", "place", "slowdown", "ci_low", "ci_high", "confidence", "carrier", "reason", "alone_sd", "runs_needed", "measured",
    "measured_low", "measured_high", "measured_n"],
  (.predictions[] | [.a, neighbours, .place, .slowdown, .ci[0], .ci[1], .confidence, .carrier, .reason, .gate.alone_sd,
    .gate.runs_needed, .measured.slowdown, .measured.ci[0], .measured.ci[1], .measured.n]);

# ---- the heat map as a page

def measured_entry:
  if .measured == null then null else { small: "measured \(.measured | times) \(.measured | interval_text | together)" } end;
# The steps of the colours are those of page.js.
def heat_cell:
  if . == null then { c: "none", t: { small: "not predicted" } }
  elif .slowdown == null then { c: "none", t: [{ small: "no number", title: .reason }, measured_entry] }
  else { heat: .slowdown, sure: .distinguishable, hatch: is_forced,
    t: [{ b: times }, " ", { span: (interval_text | together) }, measured_entry,
      { small: (if .carrier == null then "nothing carries 0.5 %" else "mostly \(.carrier)" end) }] } end;

def heat_map($place; $number):
  . as $all | columns_of($place) as $columns
  | { table: "heat\($number)", kind: "heat",
    caption: "Predicted slowdown \($place | place_words): of each program (rows) beside each neighbour (columns)",
    columns: (["Program"] + $columns),
      rows: [names_in_order($place)[] as $row
        | { f: $row, cells: [$row, ($columns[] as $column | $all | cell_of($place; $row; $column) | heat_cell)] }] };

def figures:
  { table: "pairs", kind: "counted", caption: "What each prediction is made of",
    columns: (["Program", "Beside", "Place"] + (["Slowdown", "Interval", "Measured"] | numbers) + ["Carried by"]
      + (["Alone-sd"] | numbers)),
    rows: [.predictions[]
      | { f: "\(.a) \(neighbours) \(.place)", cells: [.a, neighbours, .place, [times, .slowdown], interval_text,
          [(.measured | if . == null then "-" else with_interval end), .measured.slowdown],
            (if .slowdown == null then .reason else parts end), [.gate.texts.alone_sd, .gate.alone_sd]] }] };

def programs:
  { table: "profiles", caption: "What was known of each program, alone",
    columns: (["Program", "Place"] + (["Alone", "CPUs used", "Alone-sd", "Runs"] | numbers) + ["Profile", "Made"]),
    rows: [.programs[] | [.name, .place, [.texts.alone_s, .alone_s], [.texts.cpus_used, .cpus_used], [.texts.alone_sd, .alone_sd],
      [(.runs | tostring), .runs], .file, .made]] },
  ([.programs[] | . as $program | .reasons[] | [{ b: $program.name }, ": \(.)"]] | if . == [] then empty else { ul: . } end);

def lede:
  (if .worst == null then null else .predictions[.worst] end)
  | if . == null then "No slowdown can be predicted to be more than none."
    else ("The largest slowdown: <b>\(.a | esc)</b> takes <b>\(times)</b> as long beside <b>\(neighbours | esc)</b>, interval "
      + "\(interval_text | together).") end;

def page:
  . as $all
  | page({ $style, $script }; "Predicted slowdowns on \(.machine.host)"; "jostle predict --format html";
      ("<p class=\"kind\">jostle predict: each program beside each other, from the profiles of both alone</p>",
        "<h1>Predicted slowdowns on \(.machine.host | esc)</h1>",
       "<p class=\"lede\">\(lede)</p>",
       ("<p class=\"facts\">\(plural(.programs | length; "profile"; "profiles")), "
         + ("\(plural(.predictions | length; "prediction"; "predictions")), \(without_number | length) without a number. "
           + "\(interval_words) \(check_words)</p>")));
      { filter: "Filter programs", what: "pairs", sections: [
          section("answer"; "Predicted and measured";
            { legend: [["noise", "the interval includes no slowdown"], ["h1 hatch", "hatched edge: shown by --force"]] },
            (places | to_entries[] | .key as $number | .value as $place | $all | heat_map($place; $number))),
          section("figures"; "Each pair"; figures), section("programs"; "The programs"; programs)] });

# ---- the heat map as a drawing, for light and dark

def colour: if .slowdown == null then "none" elif .distinguishable | not then "noise"
  else .slowdown as $s | "h\([1.02, 1.05, 1.1, 1.2, 1.5, 2, 3] | map(select($s >= .)) | length)" end;
def width: 104;
def height: 52;
def left: 130;

def cell_lines: if .slowdown == null then ["no number"] else [times, interval_text] end
  + (if .measured == null then [] else ["measured \(.measured | times)"] end);
def drawn($x; $y):
  if . == null then "" else
  ("<g><title>\("\(.a) beside \(neighbours): \(.reason // parts)" | @html)</title><rect class=\"\(colour)\" x=\"\($x)\" y=\"\($y)\" "
    + "width=\"\(width - 2)\" height=\"\(height - 2)\" rx=\"2\"/>")
  + (colour as $colour | cell_lines | to_entries
    | map(("<text class=\"\($colour)\(if .key == 0 then " b" else "" end)\" x=\"\($x + (width - 2) / 2)\" "
      + "y=\"\($y + 16 + 14 * .key)\">\(.value | @html)</text>")) | join("")) + "</g>" end;

def matrix($place; $top):
  . as $all | names_in_order($place) as $rows | columns_of($place) as $columns
  | "<text class=\"t\" x=\"8\" y=\"\($top + 14)\">Predicted slowdown \($place | place_words): rows beside columns</text>",
    ($columns | to_entries[]
      | "<text class=\"c\" x=\"\(left + .key * width + (width - 2) / 2)\" y=\"\($top + 36)\">\(.value | @html)</text>"),
    ($rows | to_entries[] | .key as $i | .value as $row
     | "<text class=\"r\" x=\"\(left - 8)\" y=\"\($top + 44 + $i * height + 29)\">\($row | @html)</text>",
       ($columns | to_entries[] | .key as $k | .value as $column | $all | cell_of($place; $row; $column)
         | drawn(left + $k * width; $top + 44 + $i * height)));

def svg:
  . as $all
  | places as $places
  | [$places[] as $place | $all | names_in_order($place) | length * height + 60] as $heights
  | ([$places[] as $place | $all | columns_of($place) | length] | max) as $columns
  | ([left + $columns * width + 8, 420] | max) as $all_width
  | ("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \($all_width) \(($heights | add) + 8)\" width=\"\($all_width)\" "
    + "role=\"img\" aria-label=\"Predicted slowdowns on \(.machine.host | @html)\">"),
    ("<style>.p{fill:#fff}text{font:11px "
      + "system-ui,sans-serif;text-anchor:middle;fill:#1b1206}.b{font-weight:bold;font-size:13px}"
      + ".t{text-anchor:start;font-size:13px;fill:#1b1f24}.c,.r{fill:#1b1f24;font-weight:600}.r{text-anchor:end}"),
    ("rect.h0{fill:#fff8e8}rect.h1{fill:#feebc0}rect.h2{fill:#fed98f}rect.h3{fill:#fdbf5e}rect.h4{fill:#f79a3e}"
      + "rect.h5{fill:#dd7420}rect.h6{fill:#9c420b}rect.h7{fill:#662907}text.h6,text.h7{fill:#fff}"
      + "rect.noise{fill:#e4e6e9}rect.none{fill:none;stroke:#b9bfc7}text.none{fill:#4c5661}"),
    ("@media (prefers-color-scheme:dark){.p{fill:#14171b}text{fill:#fff6e5}.t,.c,.r{fill:#e8eaed}rect.h0{fill:#2a241b}"
      + "rect.h1{fill:#3f301a}rect.h2{fill:#573f16}rect.h3{fill:#704d10}rect.h4{fill:#8a5a0a}rect.h5{fill:#d98d1f}"
      + "rect.h6{fill:#f3b352}rect.h7{fill:#ffe0a3}text.h5,text.h6,text.h7{fill:#1b1206}rect.noise{fill:#343a42}"
      + "text.noise{fill:#dde1e6}rect.none{stroke:#5a636e}text.none{fill:#b4bcc6}}</style>"),
    "<rect class=\"p\" width=\"100%\" height=\"100%\"/>",
    ($places | to_entries[] | .key as $i | .value as $place | $all | matrix($place; 4 + ([$heights[:$i][]] | add // 0))),
    "</svg>";

if $format == "svg" then visible_all | svg
else lay_out({ $format, width: 0, $colour }; .; csv_rows; page; if $format == "md" then md_blocks
  else terminal_blocks | .tight = true end) end
