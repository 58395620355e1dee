# What people see of a pack: what `pack --show` and, of a page, `pack --page` print.
# formats: csv html json md terminal
# drawn: svg
include "report/document";
include "lib/text";

def program_text: (if .name == null then "" else "\(.name): " end) + (.words | join(" "));
def place_text:
  .settings | if .place == "none" then "not pinned" else "placed \(.place)" end
  + if .cpus_per_copy > 1 then ", \(.cpus_per_copy) CPUs a copy" else "" end;
def finding_text: .text + (if .advice == null then "" else ": " + .advice end);
def key_text:
  ("± and [ ] are \(.texts.confidence_each) confidence intervals over n runs; slowdown and throughput are by blocks against "
    + ("\(if (.programs | length) > 1 then "each program alone" else "one copy" end). Throughput: copies / time of the last. "
      + "Efficiency: throughput / (copies x throughput of one)."));

# ---- what is said of a row, and the answers

def copies_text: "\(.) \(if . == 1 then "copy" else "copies" end)";

def verdict_text($pack):
  (if .reference then "" elif .verdict == "undecided" then .verdict else "\(.verdict) \($pack.settings.texts.at_most)" end)
  + (if .shares_cpus then ", shares CPUs" else "" end)
  + (if $pack.knee.copies != .copies then "" elif .reference then "knee" else ", knee" end);

# Why no more are said to fit.
def why_not_more:
  . as $pack
  | [.rows[] | select((.reference | not) and .copies == $pack.fits.next)][0]
  | if . == null then "more were not measured"
    else "\(.copies | copies_text): \(.texts.slowdown)"
      + ({ undecided: ", which may be below or above", below: ", and between them nothing was measured" }[$pack.fits.why] // "") end;
def fits_line:
  why_not_more as $why
  | (.programs | length > 1) as $mix
  | .fits | select(. != null)
  | .texts.limit as $limit
  | if .copies <= 1 then
    ("\(if $mix then "not even one copy of each program" else "no second copy" end) is sure to fit with a slowdown below \($limit) "
      + "at \(.texts.confidence) confidence (\($why))")
    else ("up to \(.copies) copies: slowdown below \($limit) with \(.texts.confidence) confidence "
      + "(\($why)"
      + (if .assumes_smooth then "; of numbers in between it follows if more copies are never faster than fewer" else "" end) + ")") end;
def knee_line:
  .knee | select(. != null)
  | ("knee (best throughput by time of a copy): \(.copies | copies_text) "
    + "[\(.ci | map(tostring) | join(", "))]\(if .at_least then "; more were not measured, and may be better" else "" end)");
def hint_lines:
  def hints($title): .options[]? | "\(.scheduler), \($title): \(.options)";
  if .fits.copies == .knee.copies then .fits | hints("for both")
    else (.fits | hints("without a slowdown")), (.knee | hints("at the knee")) end;

# The record with all of these.
def worded:
  . as $pack
  | .columns = ([["copies", "copies", 0], ["runs", "runs", 4], ["copy_s", "time of a copy", 0], ["worst_s", "worst copy", 3],
    ["slowdown", "slowdown", 0],
      ["throughput", "throughput", 0], ["efficiency", "efficiency", 1], ["verdict", "", 0]]
        | map({ key: .[0], title: .[1], rank: .[2], left: (.[0] == "verdict") }))
  | .lines = [fits_line, knee_line, hint_lines]
  | .rows |= map(.texts += { copies: (if .reference and ($pack.programs | length) > 1 then "each alone" else "\(.copies)" end),
    runs: "\(.runs)", verdict: verdict_text($pack) });

def blocks:
  .columns as $columns
  | { h: 1, text: "Pack" },
    { p: ("pack of \([.programs[] | program_text] | join("; ")) on \(.machine.host // "this machine"): CPUs \(.cpus.allowed), "
      + "\(place_text), \(.made)") },
    (select(.rows != []) | { figures: true, style: "4", $columns, rows: [.rows[].texts | [.[$columns[].key]]] }),
    { figures: true, list: .lines },
    (if $format == "md" then
       (.findings | select(. != [])
         | { raw: true, list: map("\(if .severity == "problem" then "**problem**" else "note" end) \(.flag | md): \(finding_text | md)") })
     else
       { tight: true, list: [(.findings[] | select(.severity == "problem") | "problem: \(finding_text)"),
           ([.findings[] | select(.severity != "problem") | .flag] | select(. != [])
             | "notes: \(join(", ")) (--format md or json shows them)")] } end),
    { tight: true, figures: true, p: key_text };

# ---- a line for each number of copies; of a mix one more for each program

def csv_rows:
  def figure: .value, .ci[0], .ci[1];
  def nothing: null, null, null;
  ["copies", "reference", "program", "runs", "verdict", "in_knee", "shares_cpus", "peak_bytes"]
  + [("copy_s", "worst_s", "makespan_s", "throughput", "cpu_s", "slowdown", "speedup", "efficiency") | ., "\(.)_low", "\(.)_high"],
  ((.programs | length) as $programs
   | .rows[] | . as $row
   | [.copies, .reference, null, .runs, .verdict, .in_knee, .shares_cpus, .peak_bytes]
     + [(.copy_s, .worst_s, .makespan_s, .throughput, .cpu_s, .slowdown, .speedup, .efficiency) | figure],
     (select($programs > 1) | .programs[]
      | [$row.copies, $row.reference, .name, $row.runs, null, null, $row.shares_cpus, null]
        + [(.copy_s | figure), nothing, nothing, nothing, nothing, (.slowdown | figure), nothing, nothing, nothing]));

# ---- one page with the table and the plots

# Of a mix the reference is no number of copies that run at once.
def shown: (.programs | length) as $programs | .rows | map(select($programs == 1 or .reference != true));
def measured($figure):
  { name: $figure.name,
    points: [shown[] | .copies as $x | .[$figure.key] // empty | select(.value != null) | { x: $x, y: .value, lo: .ci[0]?, hi: .ci[1]? }] };
# What the figure would be without any disturbance: the reference's, or so many times it.
def undisturbed($figure):
  .rows[0][$figure.key].value as $one
  | { name: $figure.alone, peer: true,
    points: [shown[] | select($one != null) | { x: .copies, y: (if $figure.grows then $one * .copies else $one end) }] };
def chart($figure):
  { kind: "scaling", title: $figure.title, x: { label: "copies", unit: "", log: false },
    y: { label: $figure.label, unit: $figure.unit, log: false }, series: [measured($figure), undisturbed($figure)] };
def charts:
  [chart({ key: "copy_s", title: "Time of a copy", label: "time of a copy", unit: "s", name: "time", alone: "time of one alone",
    grows: false }),
   chart({ key: "throughput", title: "Throughput of the node", label: "throughput", unit: "1/s", name: "throughput",
     alone: "throughput of one, times their number", grows: true })];

def number_of($column): .[$column.key] | if type == "object" then .value else . end;
def finding: [{ b: (.flag | split("-") | join(" ") | titled) }, ": \(finding_text)."];
def figures:
  .columns as $columns
  | if .rows == [] then { p: "Nothing was measured." } else
    { table: "rows", caption: "Each number of copies", columns: [$columns[] | column_of(.title | titled; if .left then "l" else "n" end)],
      rows: [.rows[] | [. as $row | $columns[] as $column | [$row.texts[$column.key], ($row | number_of($column))]]] } end;

def page:
  page({ $style, $script }; "Pack of \([.programs[] | .name // .words[0]] | join(", "))"; "jostle pack";
    ("<p class=\"kind\">jostle pack: how many copies fit</p>",
     "<h1>\([.programs[] | program_text | esc] | join("<br>"))</h1>",
     "<p class=\"lede\">\(.lines | map(esc | titled + ".") | join(" "))</p>",
     ("<p class=\"facts\">\(.machine.host // "this machine" | esc), \(.machine.cpu // "unknown CPU" | esc), CPUs "
       + "\(.cpus.allowed | esc), \(place_text | esc). Measured for \(.texts.duration_s). \(.made | esc).</p>"));
    { sections: [
        section("table"; "Figures"; { charts: charts }, figures, { p: key_text, class: "small" }),
        section("findings"; "Problems and notes"; if .findings == [] then { p: "None." }
          else { ul: [.findings[] | finding], class: "findings" } end)] });

worded | lay_out({ $format, $width, $colour }; del(.columns, .lines, .charts, .rows[].texts); csv_rows; page; blocks)
