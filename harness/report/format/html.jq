# One page with tables and plots that works offline.
# files: .html .htm
# reads: page
#
# $style and $script: what the page carries with it.
include "report/rows";
include "report/page";
include "lib/visible";
include "report/numbers";
include "lib/jq15";

# What only this page says of a cell.
def flag_name: split("-") | join(" ");
def problem_names: [.problems[].flag] | unique | map(flag_name);
def name: .e.load // .e.condition;

# ---- the page's head

# The best known answer, in a sentence or a few.
def lede($head):
  $head.answer as {$known, $noise, $marked}
  | (if $head.answer.worst == null then null else .cells[$head.answer.worst] end) as $worst
  | ([.cells[].variants // empty | .lines[0] // empty]) as $verdicts
  | if .cells == [] then "No cell is done yet."
    elif $verdicts != [] then "\($verdicts[:3] | map(esc | split(" ") | .[0] |= "<b>\(.)</b>" | join(" ")) | join(". ")). \(if $marked == 0 then "No cell has a problem" else "\(plural($marked; "cell has"; "cells have")) a problem" end)."
    elif $known == 0 and any(.cells[]; .capacity != null) then "\([.cells[].capacity // empty | .lines[0] | esc] | .[:3] | join(". "))."
    elif $known == 0 then "No load was measured: the times are those of the target alone."
    else
      (if $worst == null then "No slowdown can be distinguished from noise;"
       elif $worst.values.ratio < 1 then "No target became slower; the largest ratio is"
       elif $worst.main == "wall time" then "The largest slowdown:" else "The largest ratio:" end)
      + (if $worst == null then "" else (if $worst.main == "wall time" then " <b>\($worst.e.program)</b> takes <b>\($worst.ratio) times</b> as long" else " <b>\($worst.main | esc)</b> of <b>\($worst.e.program)</b> is <b>\($worst.ratio) times</b> worse" end) + "\(statistic_text($head)) under <b>\($worst.e.condition)</b>\(if $worst.interval == "no interval" then "" else ", \($head.level) interval \($worst.interval | together)" end)." end)
      + (if $worst == null then "" elif $noise == 0 then " Each slowdown can be distinguished from noise;" else " \($noise) of \($known) cannot be distinguished from noise;" end)
      + " \(if $marked == 0 then "no cell has a problem" else "\(plural($marked; "cell has"; "cells have")) a problem" end)."
    end;

def page_start($head):
  page_head($style; "\($head.texts.name | esc): slowdown under load"; "jostle report --format html"),
  "<a class=\"skip\" href=\"#answer\">Skip to the answer</a>",
  "<header>", "<p class=\"kind\">jostle: slowdown under load</p>", "<h1>\($head.texts.name | esc)</h1>", "<p class=\"lede\">\(lede($head))</p>",
  "<p class=\"facts\">\(plural(.labels | length; "target"; "targets")), \(plural(.cells | length; "cell"; "cells")), \(plural($head.totals.runs; "run"; "runs"))\(if $head.hosts == [] then "" else ", on \($head.hosts | map(.host // "unknown" | esc) | unique | if length > 4 then "\(length) hosts" else join(", ") end)" end).\(if $head.waiting == [] then "" else " <a href=\"#waiting\">\(plural($head.waiting | length; "cell is"; "cells are")) not done.</a>" end)</p>",
  "</header>";

# ---- the answer: target x load

# The step of the colour scale, h0 to h7; "less" for faster, "noise" for a
# slowdown that cannot be distinguished from none.
def steps: [1.02, 1.05, 1.1, 1.2, 1.5, 2, 3];
def colour: if .distinguishable == false or .ratio == null then "noise" elif .values.ratio < 1 then "less"
  else .values.ratio as $r | "h\([steps[] | select($r >= .)] | length)" end;

def column: [name, .e.level // (if .load != null and .load != .condition then .e.condition else null end)];
def columns:
  ([.cells[] | select(.slowed) | column] | unique) as $all
  | ([.cells[] | select(.slowed) | name] | numbered) as $order
  | [$all[] | . + [$order[.[0]], (.[1] // "" | level_key)]] | sort_by(.[2], .[3]) | map(.[0:2]);

def heat_entry:
  (problem_names | if . == [] then "" elif length > 2 then "<small>\(length) problems</small>" else "<small>\(map(esc) | join(", "))</small>" end) as $marks
  | if .ratio == null then "<a href=\"#\(.id)\"><b>not known</b></a>" + $marks else
  "<a href=\"#\(.id)\"><b>\(.ratio)×</b> <span>\(.interval)</span>\(.mark)</a>"
  + (if .distinguishable == false then "<small>noise</small>" elif .values.ratio < 1 then "<small>\(if .main == "wall time" then "faster" else "better" end)</small>" else "" end) + $marks end;

def heat_cell:
  if . == null then "<td class=\"none\"><small>not measured</small></td>"
  else max_by(.values.ratio) as $worst
  | "<td class=\"\($worst | colour)\(if any(.[]; .problems != []) then " hatch" else "" end)\"\($worst.values.ratio | if type == "number" then " data-v=\"\(. + 0)\"" else "" end)>\(map(heat_entry) | join("<br>"))</td>" end;

def heat_head($columns):
  ($columns | grouped(.[0])) as $groups
  | "<thead><tr><th scope=\"col\" rowspan=\"2\" data-sort>Target</th>"
    + ($groups | map(if (.items | length) == 1 and .items[0][1] == null then "<th scope=\"col\" rowspan=\"2\" data-sort>\(.key)</th>"
                     else "<th scope=\"colgroup\" colspan=\"\(.items | length)\">\(.key)</th>" end) | join(""))
    + "</tr><tr>"
    + ($groups | map(if (.items | length) == 1 and .items[0][1] == null then "" else .items | map("<th scope=\"col\" data-sort>\(.[1] // "one level")</th>") | join("") end) | join(""))
    + "</tr></thead>";

def legend:
  (["below 1.02×", "1.02× to 1.05×", "1.05× to 1.1×", "1.1× to 1.2×", "1.2× to 1.5×", "1.5× to 2×", "2× to 3×", "3× and more"]) as $texts
  | "<ul class=\"legend\" aria-label=\"Colours of the table\">"
    + ([range(0; 8) as $i | "<li><i class=\"h\($i)\"></i>\($texts[$i])</li>"] | join(""))
    + "<li><i class=\"noise\"></i>not distinguishable from noise</li><li><i class=\"less\"></i>faster</li><li><i class=\"h1 hatch\"></i>hatched edge: it has a problem</li></ul>";

# A cell as that of another of its metrics.
def as_metric($metric): . as $cell | .metrics[] | select(.texts.metric == $metric and .ratio != null)
  | . as $m | $cell | .ratio = $m.ratio | .interval = $m.interval | .values.ratio = $m.ratio_value | .distinguishable = $m.distinguishable | .main = $metric
  | .mark = (if $m.survives and $cell.family then " †" else "" end);
# The metrics of the cells, the main ones of each first: [{metric, main, cells}].
def by_metric:
  [.cells[] | select(.slowed)] as $cells
  | [$cells[].main] as $main
  | [$cells[].metrics[] | select(.ratio != null).texts.metric] as $others
  | [$main + $others | numbered | keys_unsorted[] | . as $metric
     | { $metric, cells: [$cells[] | if .main == $metric then . else as_metric($metric) end] }];

def heat_table($number; $caption):
  .metric as $metric | .cells as $cells
  | { cells: $cells } | columns as $columns
  | table_start("heat\(if $number == 0 then "" else $number end)"; $caption; "heat sortable"; $cells | map(.e.program) | unique | length),
    heat_head($columns), "<tbody>",
    ([.cells[]] | grouped(.e.program)[]
     | .key as $target
     | (reduce .items[] as $cell ({}; .[$cell | column | tojson] += [$cell])) as $by
     | "<tr data-f=\"\($target)\"><th scope=\"row\">\($target)</th>\([$columns[] | $by[tojson] | heat_cell] | join(""))</tr>"),
    table_end;

def heat_intro($head): if . == ["wall time"]
  then "How many times as long a target takes under a load as alone\(statistic_text($head)), with the \($head.level) confidence interval \($head.legend.scope)."
  else "How many times worse each metric of a target is under a load than alone\(statistic_text($head)): above 1 is worse also where higher is better. With the \($head.level) confidence interval \($head.legend.scope)." end;

def heat_map($head):
  by_metric as $metrics
  | "<p>\([$metrics[].metric] | heat_intro($head)) Each cell leads to its figures.</p>",
    ([.cells[].floor // empty] | unique | select(. != []) | .[:5][] | "<p>\(esc)</p>"),
    (family_text($head), unseen_text($head) | "<p>\(esc).</p>"),
    legend,
    ($metrics | to_entries[]
     | .key as $number | .value
     | heat_table($number; (if .metric == "wall time" then "Slowdown" else "Ratio of \(.metric | esc)" end) + " of each target (rows) under each load and level (columns)"));

def waiting_table($head):
  $head.waiting
  | if . == [] then empty
  else length as $n
  | "<div id=\"waiting\"><h3>Not done: \(plural($n; "cell"; "cells"))</h3>", folded($n; 20; "Show them"),
    table_start("waiting-table"; "Cells without a result, or with one that is not final"; "sortable"), header(["Cell", "State", "Why"]),
    (.[] | "<tr data-f=\"\(.name | esc)\"><th scope=\"row\">\(.name | esc)</th><td>\(.state | esc)</td><td>\(.reason // "" | esc)</td></tr>"),
    table_end, folded_end($n; 20), "</div>"
  end;

# Without a load the answer is a time.
def times($head):
  "<ul>", (.cells[:12][] | "<li data-f=\"\(.e.program)\"><b>\(.e.program)</b>\(if .main == "wall time" then " takes" else ": \(.main | esc)" end) <b>\(.texts.alone | together | esc)</b>\(statistic_text($head)) (\(plural(.values.runs; "run"; "runs"))\(problem_names | map(", " + esc) | add // ""))</li>"),
  (if (.cells | length) > 12 then "<li>the others are in the table below</li>" else empty end), "</ul>";

# A table of an experiment: {columns, rows}, whose columns say what is text.
def any_table($id; $caption):
  .columns as $columns
  | table_start($id; $caption; "sortable"; .rows | length), header([$columns[].title | (.[:1] | ascii_upcase) + .[1:] | esc]),
    (.rows[] | . as $row
     | "<tr data-f=\"\($row.texts.variant // $row.texts.condition | esc) \($row.texts.load // "" | esc)\">"
       + ([$columns[] | .left as $left | $row.texts[.key] | esc | if $left then "<td>\(.)</td>" else n_cell(null; together) end] | join("")) + "</tr>"),
    table_end;

# What each condition can bear.
def capacities:
  [.cells[] | select(.capacity != null)]
  | to_entries[] | .key as $n | .value | .capacity
  | "<h3>\(.title | esc)</h3>", (.lines[] | "<p>\(esc)</p>"), any_table("capacity-\($n)"; "Capacity in each condition");

def answer($head): section("answer"; "The answer"), (if any(.cells[]; .slowed) then heat_map($head) elif any(.cells[]; .capacity != null) then capacities else times($head) end), waiting_table($head), "</section>";

# ---- every cell

# The columns after the target's: their titles and figures go by these keys.
def cell_columns($head):
  ["load", "level", "runs", "ratio", "problems", "alone", "loaded", "user", "system", "memory", "achieved"] + (if $head.hosts | length > 1 then ["host"] else [] end);
def cell_title($head):
  { load: "Load", level: "Level", runs: "Runs", ratio: (if $head.legend.main == "wall time" then "Slowdown" else "Ratio" end), problems: "Problems", alone: "Alone",
    loaded: "Under load", user: "User time", system: "System time", memory: "Memory", achieved: "Load achieved", host: "Host" }[.];
def cell_figure($key):
  if $key == "load" then "<td>\(name // "none")</td>"
  elif $key == "level" then n_cell(.e.level_number; .e.level // "-")
  elif $key == "ratio" then n_cell(.values.ratio; if .ratio == null then "-" else "<b>\(.ratio)×</b> \(.interval)\(.mark)" end)
  elif $key == "problems" then "<td class=\"w\">\((if .distinguishable == false then ["noise"] else [] end) + problem_names | map(esc) | join(", "))</td>"
  elif $key == "host" then "<td>\(.host // "unknown" | esc)</td>"
  elif $key == "alone" or $key == "loaded" then n_cell(.values[$key]; .texts[$key] | together | esc)
  else n_cell(.values[$key]; .texts[$key] | esc) end;
def cell_row($head):
  "<tr id=\"\(.id)\" data-f=\"\(.e.filter)\"><th scope=\"row\">\(.e.program)</th>" + ([cell_figure(cell_columns($head)[])] | join("")) + "</tr>";

# The metrics of --metric other than the main one.
def metric_figure($key):
  .[$key]
  | if $key == "program" then "<th scope=\"row\">\(esc)</th>" elif $key == "load" or $key == "metric" then "<td>\(esc)</td>"
    elif $key == "alone" or $key == "loaded" then n_cell(null; together | esc) else n_cell(null; .) end;
def metric_table($head):
  [.cells[].metrics[]] | select(. != []) | . as $rows
  | [$head.columns.cell_metrics[] | select(.key != "of_alone" or any($rows[]; .texts.of_alone != "-"))] as $columns
  | "<h3>Other metrics</h3>", table_start("metric-table"; "Each metric of --metric other than the main one"; "sortable"; length),
    header([$columns[].title | (.[:1] | ascii_upcase) + .[1:] | sub("^Program"; "Target") | esc]),
    (.[].texts | "<tr data-f=\"\(.program | esc) \(.load | esc)\">" + ([metric_figure($columns[].key)] | join("")) + "</tr>"),
    table_end;

# Programs against each other.
def variants:
  [.cells[] | select(.variants != null)] | select(. != [])
  | section("variants"; "Variants"),
    "<p>Each variant against the first one, measured in the same blocks, alone and under each load. A ratio above 1 is worse. Dashed lines: no difference, and the limit of --at-most where there is one; a ring cannot be distinguished from noise.</p>",
    (to_entries[] | .key as $n | .value | .variants
     | "<h3>\(.title | esc)</h3>", "<ul>", (.lines[] | "<li>\(esc)</li>"), "</ul>",
       "<div class=\"figures\">", (.charts | to_entries[] | .key as $k | .value | framed("v\($n)-\($k)"; .metric; .metric; "ratio to the reference")), "</div>",
       (.tables | to_entries[] | .key as $k | .value | any_table("variants-\($n)-\($k)"; "Variants: \(.metric | esc)")),
       (.changes | select(.rows != []) | any_table("changes-\($n)"; "Whether a load changes the ratio of a variant to the reference"))),
    "</section>";
# What else is known of each condition's wall time.
def caution_table($head):
  (.cells | [mean_lines(.texts)]) as $lines
  | "<details class=\"fold\"><summary>Mean, variance and outliers of each condition, and the interval that also holds where runs depend on each other</summary>",
    table_start("caution-table"; "Wall time of each condition"; "sortable"; $lines | length),
    header(["Target", "Load", "Runs", "Mean (s)", "Variance (s²)", "Outliers", (caution_title($head) | (.[:1] | ascii_upcase) + .[1:])]),
    ($lines[] | "<tr data-f=\"\(.program | esc) \(.load // "" | esc)\"><th scope=\"row\">\(.program | esc)</th><td>\(.load // "alone" | esc)</td>"
      + ([.numbers[0], .numbers[1], .numbers[2], .numbers[-2], .numbers[-1]] | map(n_cell(null; .)) | join("")) + "</tr>"),
    table_end, "</details>";

def every_cell($head):
  section("cells"; "Every cell"),
  "<p>\(if $head.legend.main == null then "Alone, under load and ratio are of each cell's main metric." else "Alone, under load and \(if $head.legend.main == "wall time" then "slowdown are of the wall time" else "ratio are of \($head.legend.main | esc)" end)." end) \($head.legend.key | esc); → is from alone to under load; \(memory_text($head)).</p>",
  table_start("cell-table"; "Figures of each target under each load"; "sortable counted"; .cells | length),
  header(["Target"] + [cell_columns($head)[] | cell_title($head)]),
  (.cells[] | cell_row($head)), table_end, metric_table($head), caution_table($head),
  ([.cells[].lines[] | select(startswith("* ") or test(": [0-9]+ sessions: |: service[:,] |: Besides, |: [0-9.]+ .*it waited for a CPU: |: --metric wall_without_wait_s | % computing"))]
   | if . == [] then empty else "<ul>", (.[] | "<li>\(esc)</li>"), "</ul>" end),
  "</section>";

# ---- charts

def chart: framed(.id; .filter; .bold; .caption);

# The runs of one cell in order: a chart for each of its metrics.
def order_chart:
  . as $row
  | .charts | to_entries[] | .value as $f | "\($row.id)o\(if .key == 0 then "" else .key end)" as $id | ($f.metric | esc) as $metric
  | $row
  | "<figure data-f=\"\(.e.filter)\"><svg class=\"plot\" viewBox=\"0 0 360 220\" role=\"img\" aria-labelledby=\"\($id)-t \($id)-d\">"
  + "<title id=\"\($id)-t\">Runs of \(.e.program) in order\(if .loaded == null then "" else ", alone and under \(.e.condition)" end)\(if $f.main then "" else ": " + $metric end)</title>"
  + "<desc id=\"\($id)-d\">\($metric | (.[:1] | ascii_upcase) + .[1:]) over the number of the run. Alone: \($f.alone | esc)\(if $f.loaded then "; under load: \($f.loaded | esc)" else "" end).</desc>\($f.svg)"
  + "</svg><figcaption><b>\(.e.condition // "alone")</b> \(if $f.main then "" else $metric + ", " end)\($f.runs) runs\(if $f.thinned then ", too many to draw: of neighbours the fastest, the slowest and the first are shown" else "" end)</figcaption></figure>";

# Groups [{key, items}] of charts, each under its key.
def by_label($most; draw):
  length as $n
  | "<div class=\"folds\(tall($n))\">",
    (.[] | .key as $target
     | (folded($n; $most; $target) | if . == "" then "<h3 data-f=\"\($target)\">\($target)</h3>" else sub("<details"; "<details data-f=\"\($target)\"") end),
       "<div class=\"figures\">", (.items[] | draw), "</div>", folded_end($n; $most)),
    "</div>";
def chart_each($most; draw):
  length as $n
  | folded($n; $most; "Show \($n) targets"), "<div class=\"figures\">",
    (.[] | "<div data-f=\"\(.key)\"><h3>\(.key)</h3>", (.items[] | draw), "</div>"), "</div>", folded_end($n; $most);
def by_target_or_each(draw): if . == [] then empty elif all(.[]; .items | length == 1) then chart_each(24; draw) else by_label(8; draw) end;

def curves($head):
  .charts.sensitivity // [] | select(. != [])
  | section("sensitivity"; "Sensitivity"),
    "<p>Slowdown over the level of each load, with \($head.level) intervals. The dashed line is no slowdown; a ring is a slowdown that cannot be distinguished from noise.</p>",
    (map(select(.group == null)) | select(. != []) | "<div class=\"figures\">", (.[] | chart), "</div>"),
    (map(select(.group != null)) | grouped(.group | esc) | by_target_or_each(chart)), "</section>";

def offered:
  .charts.offered // [] | select(. != [])
  | section("offered"; "Offered and achieved load"),
    "<p>A load that cannot do what it offers is a smaller load: points below the dashed line. One point for each cell.</p>",
    "<div class=\"figures\">", (.[] | chart), "</div></section>";

def orders:
  select(any(.cells[]; .charts != []))
  | section("order"; "Runs in order"),
  "<p class=\"key\"><i class=\"dot s1\"></i>alone <i class=\"cross s2\"></i>under load <i class=\"ring s3\"></i>a run that has a flag or that no figure is made of. A drift, a step or an outlier shows here.</p>",
  (.cells | grouped(.e.program) | by_target_or_each(order_chart)), "</section>";

def spreads:
  select(.charts.spread // [] | . != [])
  | section("distributions"; "Distributions"),
  "<p>Each run as a multiple of the median that its own baseline has. The box holds the middle half of the runs, the long stroke is the median, the lines end at the fastest and the slowest run. Where a row has more than 60 runs, 60 points from the fastest to the slowest represent them; boxes are of all.</p>",
  (.charts.spread // [] | grouped(.group | esc) | if . == [] then empty else chart_each(24; chart) end),
  "</section>";

# ---- where the time went

def cause_words: { execution: "more CPU time", cpu: "waiting for the CPU", memory: "waiting for memory", io: "waiting for the disk", steal: "taken by the host", unexplained: "unexplained" };
def cause_names: ["execution", "cpu", "memory", "io", "steal"];
def bar:
  "<svg class=\"bar\" viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"\(map("\(.share * 100 | fixed(0)) % \(cause_words[.cause])") | join(", "))\">"
    + (reduce .[] as $one ({ x: 0, out: "" };
        ($one.share * 100) as $w
        | .out += "<rect class=\"a\(cause_names | index($one.cause) // 5)\" x=\"\(.x * 100 | round / 100)\" y=\"0\" width=\"\($w * 100 | round / 100)\" height=\"10\"/>" | .x += $w) | .out)
    + "</svg>";

def attributions:
  ([.cells[] | select(.shares != null)]) as $cells
  | select($cells != [])
  | section("attribution"; "Where the extra time went"),
    "<p>For each slowdown that can be distinguished from noise: the extra wall time by cause, as far as the kernel's own figures show it. Points are percent of the time alone.</p>",
    "<ul class=\"legend\" aria-label=\"Colours of the bars\">\([cause_names[], "unexplained"] | to_entries | map("<li><i class=\"a\(.key)\"></i>\(cause_words[.value])</li>") | join(""))</ul>",
    table_start("attribution-table"; "Extra time of each cell by cause"; "sortable"; $cells | length),
    "<thead><tr><th scope=\"col\" data-sort>Target</th><th scope=\"col\" data-sort>Load</th><th scope=\"col\" data-sort>Extra</th><th scope=\"col\">Shares</th><th scope=\"col\">In words</th></tr></thead><tbody>",
    ($cells[] | "<tr data-f=\"\(.e.filter)\"><th scope=\"row\">\(.e.program)</th><td>\(.e.condition)</td>"
      + n_cell(.values.ratio - 1; "+\(.values.ratio - 1 | percent_text)")
      + "<td>\(.shares | bar)</td><td class=\"w\">\(.attribution | esc)</td></tr>"),
    table_end, "</section>";

# ---- problems and notes

def finding_list($title; $all):
  "<h3>\($title)</h3>",
  ($all | grouped(.flag)[]
   | .key as $flag | (.items | length) as $n
   | "<details class=\"fold\"\(if $n <= 6 then " open" else "" end)><summary>\($flag | flag_name | esc): \(plural($n; "time"; "times"))</summary><ul>",
     (.items[:30][] | "<li data-f=\"\(.who // "") \(.condition // "" | esc)\"><b>\([.who, (.condition // empty | esc)] | map(select(. != null)) | join(", "))</b>: \(.text | esc)</li>"),
     (if $n > 30 then "<li>and \($n - 30) more of this kind, which --format json lists</li>" else empty end),
     "</ul></details>");

def findings_section($head):
  ([.cells[] | .e.program as $who | (.problems[] | . + { $who, problem: true }), (.notes[] | . + { $who })]
   + [$head.warnings[] | { flag: .kind, condition: null, text: .message, who: (.cell | if . == null then null else esc end), problem: true }]
   | unique_by([.flag, .who, .condition, .text])) as $all
  | section("flags"; "Problems and notes"),
    (if $all == [] then "<p>None: no drift, no outliers, no short load, no foreign load was seen.</p>"
     else "<p>A problem is a reason not to trust a figure, a note is good to know. The text is given once for each kind and condition.</p>",
       ([$all[] | select(.problem)] | select(. != []) | finding_list("Problems"; .)),
       ([$all[] | select(.problem | not)] | select(. != []) | finding_list("Notes"; .))
     end), "</section>";

# ---- where, and how again

def environment($head):
  $head.hosts | select(. != [])
  | section("environment"; "Environment"),
    table_start("environment-table"; "Where it was measured"; "env"),
    "<thead><tr><th scope=\"col\">Fact</th>\(.[:50] | map("<th scope=\"col\">\(.host // "unknown" | esc)</th>") | join(""))</tr></thead><tbody>",
    (.[:50] as $hosts
     | [.[] | keys_unsorted[]] | numbered | keys_unsorted[] | select(. != "host" and . != "kind")
     | . as $key | "<tr><th scope=\"row\">\(fact_words[$key] // ($key | gsub("_"; " ")) | esc)</th>\($hosts | map("<td>\(.[$key] | fact_text($key) | esc)</td>") | join(""))</tr>"),
    table_end,
    (if length > 50 then "<p>\(length - 50) more hosts are in --format json.</p>" else empty end),
    ($head.texts.between | if . == [] then empty else "<h3>The same target alone, on several hosts</h3>", "<ul>", (.[] | "<li>\(esc)</li>"), "</ul>" end),
    "</section>";

def setting_words: to_entries | map(select(.value | . != null and . != false and . != [] and . != "")) | map("\(.key) = \(.value | if type == "array" then map(tostring) | join(", ") else tostring end)") | join("\n");
def reproduce($head):
  ([.cells[].again] | unique) as $commands
  | $head.campaign as $campaign
  | section("reproduce"; "How to reproduce it"),
    (if $campaign == null then empty else
      "<p>Campaign <b>\($campaign.name // $head.name | esc)</b>\(if $campaign.file != "" then ", file <code>\($campaign.file | esc)</code>: <code>jostle campaign \([$campaign.file] | words | esc) --output DIR</code>" else "" end)</p>",
      (if $campaign.text then "<h3>Campaign file</h3><pre tabindex=\"0\">\($campaign.text | explode | map(if . == 9 or . == 10 or (. >= 32 and . != 127) then . else 65533 end) | implode | esc)</pre>" else empty end) end),
    (if $commands == [] then empty else
      "<h3>Commands</h3>", folded($commands | length; 3; "\($commands | length) experiments, a command each"),
      "<pre tabindex=\"0\">\($commands | map(esc) | join("\n"))</pre>", folded_end($commands | length; 3) end),
    ($head.settings | if . == [] then empty else
      "<h3>Settings</h3>", (.[:5][] | "<pre tabindex=\"0\">\(setting_words | esc)</pre>"),
      (if length > 5 then "<p>\(length - 5) more sets of settings are in the records.</p>" else empty end) end),
    "<p>Program versions are in the table above. This page is made from the records alone: <code>jostle report DIR --format html</code> writes the same bytes again.</p>",
    "</section>";

# ---- all of it

# Rows and charts -> what the sections read: what is written often is escaped once (e).
def view($head):
  ([.[] | select(.texts)]) as $rows
  | { cells: [range(0; $rows | length) as $i | $rows[$i]
        | .e = { program: (.texts.program | esc), load: (.load | if . == null then . else esc end), condition: (.condition | if . == null then . else esc end),
                 level: (.level | if . == null then . else esc end), level_number: (.level // "" | level_key[0] | if . >= 1e300 then null else . end) }
        | .e.filter = "\(.e.program) \(.e.condition // "") \(.e.load // "")"
        | .family = ($head.texts.family != null)
        | .mark = (if .survives and $head.texts.family != null then " †" else "" end)
        | .id = "c\($i + 1)" | .slowed = (.texts.slowdown != "-")],
      charts: ([.[] | .chart | select(.section?)] | group_by(.section) | map({ (.[0].section): . }) | add // {}) }
  | .labels = ([.cells[].e.program] | numbered | keys_unsorted);

. as $head
| [inputs]
| view($head)
| page_start($head),
  contents([["answer", "Answer"], (if any(.cells[]; .variants != null) then ["variants", "Variants"] else empty end), ["cells", "Every cell"],
    (if .charts.sensitivity then ["sensitivity", "Sensitivity"] else empty end),
    (if .charts.offered then ["offered", "Offered and achieved"] else empty end),
    (if any(.cells[]; .charts != []) then ["order", "Runs in order"] else empty end), (if .charts.spread then ["distributions", "Distributions"] else empty end),
    (if any(.cells[]; .shares != null) then ["attribution", "Where the time went"] else empty end),
    ["flags", "Problems and notes"], (if $head.hosts != [] then ["environment", "Environment"] else empty end), ["reproduce", "Reproduce"]]),
  "<main>", "<form id=\"find\" role=\"search\" hidden><label for=\"filter\">Filter by target or load</label> <input id=\"filter\" type=\"search\" autocomplete=\"off\"> <span id=\"found\" role=\"status\"></span></form>",
  answer($head), variants, every_cell($head), curves($head), offered, orders, spreads, attributions, findings_section($head), environment($head), reproduce($head),
  "</main>", "<footer><p>Made by jostle from records. \($head.texts.name | esc).</p></footer>", "<script>", ($script | rtrimstr("\n")), "</script>", "</body>", "</html>"
