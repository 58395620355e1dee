# The heat map as a page that works offline.
#
# $style and $script: what the page carries with it.
include "predict/format/predict";
include "report/page";
include "report/numbers";
include "lib/visible";
include "lib/jq15";

def measured_entry: if .measured == null then null else { small: "measured \(.measured.slowdown | times) \(.measured.ci | interval_text | together)" } end;
# The steps of the colours are those of page.js.
def heat_cell:
  if . == null then { c: "none", t: { small: "not predicted" } }
  elif .slowdown == null then { c: "none", t: [{ small: "no number", title: .reason }, measured_entry] }
  else { heat: .slowdown, sure: .distinguishable, hatch: is_forced,
    t: [{ b: (.slowdown | times) }, " ", { span: (.ci | interval_text | together) }, measured_entry, { small: (if .carrier == null then "nothing carries 0.5 %" else "mostly \(.carrier)" end) }] } end;

def matrix($place; $number):
  . as $all | columns_of($place) as $columns
  | { table: "heat\($number)", kind: "heat", caption: "Predicted slowdown \($place | place_words): of each program (rows) beside each neighbour (columns)", columns: (["Program"] + $columns),
      rows: [names_in_order($place)[] as $row | { f: $row, cells: [$row, ($columns[] as $column | $all | cell_of($place; $row; $column) | heat_cell)] }] };

def figures:
  { table: "pairs", kind: "counted", caption: "What each prediction is made of",
    columns: (["Program", "Beside", "Place"] + (["Slowdown", "Interval", "Measured"] | numbers) + ["Carried by"] + (["Alone-sd"] | numbers)),
    rows: [.predictions[]
      | { f: "\(.a) \(neighbours) \(.place)", cells: [.a, neighbours, .place, [(.slowdown | times), .slowdown], (.ci | interval_text),
          [(.measured | if . == null then "-" else "\(.slowdown | times) \(.ci | interval_text)" end), .measured.slowdown], (if .slowdown == null then .reason else parts end), [(.gate.alone_sd | percent_text), .gate.alone_sd]] }] };

def programs:
  { table: "profiles", caption: "What was known of each program, alone", columns: (["Program", "Place"] + (["Alone", "CPUs used", "Alone-sd", "Runs"] | numbers) + ["Profile", "Made"]),
    rows: [.programs[] | [.name, .place, [(.alone_s | time_text), .alone_s], [(.cpus_used | number_text), .cpus_used], [(.alone_sd | percent_text), .alone_sd], [(.runs | tostring), .runs], .file, .made]] },
  ([.programs[] | . as $program | .reasons[] | [{ b: $program.name }, ": \(.)"]] | if . == [] then empty else { ul: . } end);

def lede:
  (if .worst == null then null else .predictions[.worst] end)
  | if . == null then "No slowdown can be predicted to be more than none."
    else "The largest slowdown: <b>\(.a | esc)</b> takes <b>\(.slowdown | times)</b> as long beside <b>\(neighbours | esc)</b>, interval \(.ci | interval_text | together)." end;

. as $all
| page({ $style, $script }; "Predicted slowdowns on \(.machine.host)"; "jostle predict --format html";
    ("<p class=\"kind\">jostle predict: each program beside each other, from the profiles of both alone</p>", "<h1>Predicted slowdowns on \(.machine.host | esc)</h1>",
     "<p class=\"lede\">\(lede)</p>",
     "<p class=\"facts\">\(plural(.programs | length; "profile"; "profiles")), \(plural(.predictions | length; "prediction"; "predictions")), \(without_number | length) without a number. \(interval_words) \(check_words)</p>");
    { filter: "Filter programs", what: "pairs", sections: [
        section("answer"; "Predicted and measured"; { legend: [["noise", "the interval includes no slowdown"], ["h1 hatch", "hatched edge: shown by --force"]] },
          (places | to_entries[] | .key as $number | .value as $place | $all | matrix($place; $number))),
        section("figures"; "Each pair"; figures), section("programs"; "The programs"; programs)] })
