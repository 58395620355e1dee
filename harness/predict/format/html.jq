# The heat map as a page that works offline.
#
# $style and $script: what the page carries with it.
include "predict/format/predict";
include "report/page";
include "report/numbers";
include "lib/visible";
include "lib/jq15";

# The step of the colour scale; "noise" where the interval has no slowdown in it.
def steps: [1.02, 1.05, 1.1, 1.2, 1.5, 2, 3];
def colour: if .distinguishable | not then "noise" elif .slowdown < 1 then "less"
  else .slowdown as $s | "h\([steps[] | select($s >= .)] | length)" end;

def measured_entry: if .measured == null then "" else "<small>measured \(.measured.slowdown | times) \(.measured.ci | interval_text | together)</small>" end;
def heat_cell:
  if . == null then "<td class=\"none\"><small>not predicted</small></td>"
  elif .slowdown == null then "<td class=\"none\" title=\"\(.reason | esc)\"><small>no number</small>\(measured_entry)</td>"
  else "<td class=\"\(colour)\(if is_forced then " hatch" else "" end)\" data-v=\"\(.slowdown + 0)\"><b>\(.slowdown | times)</b> <span>\(.ci | interval_text | together)</span>\(measured_entry)<small>\(if .carrier == null then "nothing carries 0.5 %" else "mostly \(.carrier | esc)" end)</small></td>" end;

def legend:
  (["below 1.02×", "1.02× to 1.05×", "1.05× to 1.1×", "1.1× to 1.2×", "1.2× to 1.5×", "1.5× to 2×", "2× to 3×", "3× and more"]) as $texts
  | "<ul class=\"legend\" aria-label=\"Colours of the table\">"
    + ([range(0; 8) as $i | "<li><i class=\"h\($i)\"></i>\($texts[$i])</li>"] | join(""))
    + "<li><i class=\"noise\"></i>the interval includes no slowdown</li><li><i class=\"h1 hatch\"></i>hatched edge: shown by --force</li></ul>";

def matrix($place; $number):
  . as $all | columns_of($place) as $columns
  | table_start("heat\($number)"; "Predicted slowdown \($place | place_words): of each program (rows) beside each neighbour (columns)"; "heat sortable"),
    "<thead><tr><th scope=\"col\" data-sort>Program</th>\($columns | map("<th scope=\"col\" data-sort>\(esc)</th>") | join(""))</tr></thead><tbody>",
    (names_in_order($place)[] as $row | "<tr data-f=\"\($row | esc)\"><th scope=\"row\">\($row | esc)</th>\([$columns[] as $column | $all | cell_of($place; $row; $column) | heat_cell] | join(""))</tr>"),
    table_end;

def figures:
  section("figures"; "Each pair"),
  table_start("pairs"; "What each prediction is made of"; "sortable counted"; .predictions | length),
  header(["Program", "Beside", "Place", "Slowdown", "Interval", "Measured", "Carried by", "Alone-sd"]),
  (.predictions[]
   | "<tr data-f=\"\("\(.a) \(neighbours) \(.place)" | esc)\"><th scope=\"row\">\(.a | esc)</th><td>\(neighbours | esc)</td><td>\(.place)</td>\(n_cell(.slowdown; .slowdown | times))<td class=\"n\">\(.ci | interval_text | together)</td>"
     + "\(n_cell(.measured.slowdown; .measured | if . == null then "-" else "\(.slowdown | times) \(.ci | interval_text)" | together end))<td>\(if .slowdown == null then .reason | esc else parts | esc end)</td>\(n_cell(.gate.alone_sd; .gate.alone_sd | percent_text))</tr>"),
  table_end, "</section>";

def programs:
  section("programs"; "The programs"),
  table_start("profiles"; "What was known of each program, alone"; "sortable"),
  header(["Program", "Place", "Alone", "CPUs used", "Alone-sd", "Runs", "Profile", "Made"]),
  (.programs[] | "<tr><th scope=\"row\">\(.name | esc)</th><td>\(.place)</td>\(n_cell(.alone_s; .alone_s | time_text))\(n_cell(.cpus_used; .cpus_used | number_text))\(n_cell(.alone_sd; .alone_sd | percent_text))\(n_cell(.runs; .runs | tostring))<td>\(.file | esc)</td><td>\(.made | esc)</td></tr>"),
  table_end,
  ([.programs[] | . as $program | .reasons[] | "<li><b>\($program.name | esc)</b>: \(esc)</li>"] | if . == [] then empty else "<ul>\(join(""))</ul>" end),
  "</section>";

def lede:
  (if .worst == null then null else .predictions[.worst] end)
  | if . == null then "No slowdown can be predicted to be more than none."
    else "The largest slowdown: <b>\(.a | esc)</b> takes <b>\(.slowdown | times)</b> as long beside <b>\(neighbours | esc)</b>, interval \(.ci | interval_text | together)." end;

page_head($style; "Predicted slowdowns on \(.machine.host | esc)"; "jostle predict --format html"),
"<a class=\"skip\" href=\"#answer\">Skip to the answer</a>",
"<header>", "<p class=\"kind\">jostle predict: each program beside each other, from the profiles of both alone</p>", "<h1>Predicted slowdowns on \(.machine.host | esc)</h1>",
"<p class=\"lede\">\(lede)</p>",
"<p class=\"facts\">\(plural(.programs | length; "profile"; "profiles")), \(plural(.predictions | length; "prediction"; "predictions")), \(without_number | length) without a number. \(interval_words) \(check_words)</p>",
"</header>", contents([["answer", "Heat map"], ["figures", "Each pair"], ["programs", "The programs"]]), "<main>",
"<form id=\"find\" role=\"search\" data-what=\"pairs\" hidden><label for=\"filter\">Filter programs</label> <input id=\"filter\" type=\"search\" autocomplete=\"off\"> <span id=\"found\" role=\"status\"></span></form>",
section("answer"; "Predicted and measured"), legend,
(. as $all | places | to_entries[] | .key as $number | .value as $place | $all | matrix($place; $number)),
"</section>", figures, programs,
"</main>", "<footer><p>Made by jostle from profiles\(if .check == null then "" else " and measured pairs" end).</p></footer>", "<script>", ($script | rtrimstr("\n")), "</script>", "</body>", "</html>"
