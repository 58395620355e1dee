# The model of a report (jostle.report/1) -> the page, with tagged lines for its
# figures (see html-figures.jq). $css and $js are what the page carries with it.
include "report/numbers";
include "report/words";
include "report/html-view";
include "report/html-figures";

def n_cell($value; $text): "<td class=\"n\"\(if ($value | type) != "number" then "" else " data-v=\"\($value)\"" end)>\($text)</td>";
def section($id; $title): "<section id=\"\($id)\" aria-labelledby=\"\($id)-h\"><h2 id=\"\($id)-h\">\($title)</h2>";
# A table may be wider than a small screen: it scrolls in a box of its own.
# One with many rows scrolls in its box, too, under its headers.
def tall($rows): if $rows > 40 then " tall" else "" end;
def table_start($id; $caption; $class; $rows): "<div class=\"scroll\(tall($rows))\" role=\"region\" tabindex=\"0\" aria-labelledby=\"\($id)-c\"><table id=\"\($id)\" class=\"\($class)\"><caption id=\"\($id)-c\">\($caption)</caption>";
def table_start($id; $caption; $class): table_start($id; $caption; $class; 0);
def table_end: "</tbody></table></div>";
def folded($count; $most; $summary): if $count > $most then "<details class=\"fold\"><summary>\($summary)</summary>" else "" end;
def folded_end($count; $most): if $count > $most then "</details>" else "" end;

def flag_name: { "not-converged": "not converged", "load-short": "load short", "load-died": "load died", "two-modes": "two modes", "noise": "noise" }[.] // .;
def told_flags: (.flags // []) - ["noise"] | map(flag_name);

# The best known answer, in a sentence or a few.
def lede:
  ([.cells[] | select(.slowdown.ratio? != null)]) as $known
  | ([$known[] | select(.slowdown.distinguishable != false)] | max_by(.slowdown.ratio)) as $worst
  | ([$known[] | select(.slowdown.distinguishable == false)] | length) as $noise
  | ([.cells[] | select(told_flags | length > 0)] | length) as $flagged
  | (.labels | length) as $targets
  | if .cells == [] then "No cell is done yet."
    elif $known == [] then "No load was measured: the times are those of the target alone."
    else
      (if $worst == null then "No slowdown can be told from noise;"
       elif $worst.slowdown.ratio < 1 then "No target became slower; the largest ratio is"
       else "The largest slowdown:" end)
      + (if $worst == null then "" else " <b>\($worst.label | esc)</b> takes <b>\($worst.slowdown | ratio_text) times</b> as long under <b>\($worst.condition | esc)</b>, \(.level_text) interval \($worst.slowdown | interval_text | together)." end)
      + (if $worst == null then "" elif $noise == 0 then " Each slowdown can be told from noise;" else " \($noise) of \($known | length) cannot be told from noise;" end)
      + " \(if $flagged == 0 then "no cell is flagged" else "\(plural($flagged; "cell has"; "cells have")) a flag" end)."
    end;

def runs_of: [.cells[] | { e: .experiment, b: (.baseline.runs // 0), l: (.loaded.runs // 0) }]
  | (map(.l) | add // 0) + (unique_by(.e) | map(.b) | add // 0);

def page_start($css):
  "<!DOCTYPE html>", "<html lang=\"en\">", "<head>", "<meta charset=\"utf-8\">",
  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">",
  "<meta name=\"color-scheme\" content=\"light dark\">", "<meta name=\"generator\" content=\"jostle report --format html\">",
  "<title>\(.name | esc): slowdown under load</title>", "<style>", ($css | rtrimstr("\n")), "</style>", "</head>", "<body>",
  "<a class=\"skip\" href=\"#answer\">Skip to the answer</a>",
  "<header>", "<p class=\"kind\">jostle: slowdown under load</p>", "<h1>\(.name | esc)</h1>", "<p class=\"lede\">\(lede)</p>",
  "<p class=\"facts\">\(plural(.labels | length; "target"; "targets")), \(plural(.cells | length; "cell"; "cells")), \(plural(.totals.runs // runs_of; "run"; "runs"))\(if .hosts == [] then "" else ", on \(.hosts | map(.host // "unknown" | esc) | unique | if length > 4 then "\(length) hosts" else join(", ") end)" end).\(if .waiting == [] then "" else " <a href=\"#waiting\">\(plural(.waiting | length; "cell is"; "cells are")) not done.</a>" end)</p>",
  "</header>";

def contents($ids): "<nav aria-label=\"Sections\"><ul>\($ids | map("<li><a href=\"#\(.[0])\">\(.[1])</a></li>") | join(""))</ul></nav>";

# ---- the answer: target x load

def column: [.load // .condition, .level // (if .load != null and .load != .condition then .condition else null end)];
def columns:
  ([.cells[] | select(.slowdown != null) | column] | unique) as $all
  | ([.cells[] | select(.slowdown != null) | .load // .condition] | numbered) as $order
  | [$all[] | . + [$order[.[0]], (.[1] | level_parts.n? // 0)]] | sort_by(.[2], .[3], .[1]) | map(.[0:2]);

def marks: told_flags | if . == [] then "" elif length > 2 then "<small>\(length) flags</small>" else "<small>\(map(esc) | join(", "))</small>" end;

def heat_entry:
  if .slowdown.ratio == null then "<a href=\"#\(.id)\"><b>not known</b></a>" + marks else
  "<a href=\"#\(.id)\"><b>\(.slowdown | ratio_text)×</b> <span>\(.slowdown | interval_text)</span></a>"
  + (if .slowdown.distinguishable == false then "<small>noise</small>" elif .slowdown.ratio < 1 then "<small>faster</small>" else "" end) + marks end;

def heat_cell:
  if . == null then "<td class=\"none\"><small>not measured</small></td>"
  else (max_by(.slowdown.ratio)) as $worst
  | "<td class=\"\($worst.slowdown | colour)\(if any(.[]; told_flags != []) then " hatch" else "" end)\"\($worst.slowdown.ratio | if type == "number" then " data-v=\"\(.)\"" else "" end)>\(map(heat_entry) | join("<br>"))</td>" end;

def heat_head($columns):
  ($columns | grouped(.[0])) as $groups
  | "<thead><tr><th scope=\"col\" rowspan=\"2\" data-sort>Target</th>"
    + ($groups | map(if (.items | length) == 1 and .items[0][1] == null then "<th scope=\"col\" rowspan=\"2\" data-sort>\(.key | esc)</th>"
                     else "<th scope=\"colgroup\" colspan=\"\(.items | length)\">\(.key | esc)</th>" end) | join(""))
    + "</tr><tr>"
    + ($groups | map(if (.items | length) == 1 and .items[0][1] == null then "" else .items | map("<th scope=\"col\" data-sort>\(.[1] // "one level" | esc)</th>") | join("") end) | join(""))
    + "</tr></thead>";

def legend:
  (["below 1.02×", "1.02× to 1.05×", "1.05× to 1.1×", "1.1× to 1.2×", "1.2× to 1.5×", "1.5× to 2×", "2× to 3×", "3× and more"]) as $texts
  | "<ul class=\"legend\" aria-label=\"Colours of the table\">"
    + ([range(0; 8) as $i | "<li><i class=\"h\($i)\"></i>\($texts[$i])</li>"] | join(""))
    + "<li><i class=\"noise\"></i>not distinguishable from noise</li><li><i class=\"less\"></i>faster</li><li><i class=\"h1 hatch\"></i>hatched edge: not converged, or flagged</li></ul>";

def heat_map:
  . as $view
  | columns as $columns
  | "<p>How many times as long a target takes under a load as alone, with the \(.level_text) confidence interval. Each cell leads to its figures.</p>",
    ([.cells[].slowdown.noise_floor? | numbers] | if . == [] then empty else "<p>Noise floor: the baseline measured against itself still allows an apparent slowdown of up to \(max | percent_text | together).</p>" end),
    legend,
    table_start("heat"; "Slowdown of each target (rows) under each load and level (columns)"; "heat sortable"; .labels | length),
    heat_head($columns), "<tbody>",
    ([.cells[] | select(.slowdown != null)] | grouped(.label)[]
     | .key as $target
     | (reduce .items[] as $cell ({}; .[$cell | column | tojson] += [$cell])) as $by
     | "<tr data-f=\"\($target | esc)\"><th scope=\"row\">\($target | esc)</th>\([$columns[] | $by[tojson] | heat_cell] | join(""))</tr>"),
    table_end;

def waiting_table:
  if .waiting == [] then empty
  else (.waiting | length) as $n
  | "<div id=\"waiting\"><h3>Not done: \(plural($n; "cell"; "cells"))</h3>", folded($n; 20; "Show them"),
    table_start("waiting-table"; "Cells without a result, or with one that is not final"; "sortable"),
    "<thead><tr><th scope=\"col\" data-sort>Cell</th><th scope=\"col\" data-sort>State</th><th scope=\"col\">Why</th></tr></thead><tbody>",
    (.waiting[] | "<tr data-f=\"\(.name | esc)\"><th scope=\"row\">\(.name | esc)</th><td>\(.state | esc)</td><td>\(.reason // "" | esc)</td></tr>"),
    table_end, folded_end($n; 20), "</div>"
  end;

# Without a load the answer is a time.
def times:
  "<ul>", (.cells[:12][] | select(.baseline.wall_s) | "<li data-f=\"\(.label | esc)\"><b>\(.label | esc)</b> takes <b>\(.baseline.wall_s | half_width as $h | centre | with_error($h; time_scale) | together)</b> (\(plural(.baseline.runs; "run"; "runs"))\(told_flags | map(", " + esc) | add // ""))</li>"),
  (if (.cells | length) > 12 then "<li>the others are in the table below</li>" else empty end), "</ul>";

def answer: section("answer"; "The answer"), (if any(.cells[]; .slowdown != null) then heat_map else times end), waiting_table, "</section>";

# ---- every cell

def time_cell: if . == null then n_cell(null; "-") else n_cell(centre; (half_width as $h | centre | with_error($h; time_scale) | together)) end;
# From alone to under load, in one unit.
def pair_cell($a; $b; scale):
  ([$a, $b | numbers] | max) as $most
  | n_cell($b // $a;
      if $most == null then "-" elif $most == 0 then "0 \(0 | scale | .unit)" else
        ($most | scale) as $s | ($most * $s.factor | decimals) as $digits
        | [$a, $b | numbers | . * $s.factor | fixed($digits)] | "\(join(" → "))\u00a0\($s.unit)" end);
def cell_row($hosts):
  "<tr id=\"\(.id)\" data-f=\"\(.label + " " + (.condition // "") + " " + (.load // "") | esc)\"><th scope=\"row\">\(.label | esc)</th><td>\(.load // .condition // "none" | esc)</td>"
  + n_cell(.level | level_parts.n?; .level // "-" | esc)
  + n_cell(.loaded.runs // .baseline.runs; "\(.baseline.runs // "-")\(if .loaded then " + \(.loaded.runs)" else "" end)")
  + (if .slowdown.ratio? == null then n_cell(null; "-") else n_cell(.slowdown.ratio; "<b>\(.slowdown | ratio_text)×</b> \(.slowdown | interval_text)") end)
  + "<td class=\"w\">\((if .slowdown.distinguishable? == false then ["noise"] else [] end) + told_flags | map(esc) | join(", "))</td>"
  + (.baseline.wall_s | time_cell) + (.loaded.wall_s | time_cell)
  + pair_cell(.baseline.user_s.mean?; .loaded.user_s.mean?; time_scale)
  + pair_cell(.baseline.system_s.mean?; .loaded.system_s.mean?; time_scale)
  + pair_cell(.baseline.max_rss_bytes.mean?; .loaded.max_rss_bytes.mean?; size_scale)
  + (.achieved | if .offered? == null then n_cell(null; "-")
     else .unit as $u | n_cell(.achieved; "\(.achieved | rate_text($u) | together | esc) of \(.offered | rate_text($u) | together | esc)") end)
  + (if $hosts then "<td>\(.host // "unknown" | esc)</td>" else "" end) + "</tr>";

# What was measured beside the metric of the table, where it was asked for.
def other_metrics:
  [.cells[] | . as $cell | .all_slowdowns[]? | select(.ratio != null and .metric != $cell.slowdown.metric) | . + { label: $cell.label, condition: $cell.condition }]
  | select(. != [])
  | length as $n
  | "<h3>Slowdown of other metrics</h3>",
    table_start("metric-table"; "User time, system time or memory under load against alone"; "sortable"; $n),
    "<thead><tr>\(["Target", "Load", "Metric", "Ratio"] | map("<th scope=\"col\" data-sort>\(.)</th>") | join(""))</tr></thead><tbody>",
    (.[] | "<tr data-f=\"\(.label + " " + .condition | esc)\"><th scope=\"row\">\(.label | esc)</th><td>\(.condition | esc)</td><td>\({ wall_s: "wall time", user_s: "user time", system_s: "system time", max_rss_bytes: "memory" }[.metric] // .metric | esc)</td>"
      + n_cell(.ratio; "<b>\(ratio_text)×</b> \(interval_text)\(if .distinguishable == false then " noise" else "" end)") + "</tr>"),
    table_end;

def every_cell:
  (.hosts | length > 1) as $hosts |
  section("cells"; "Every cell"),
  "<p>Alone and under load are wall times. ± and [ ] are \(.level_text) confidence intervals; → is from alone to under load; memory is the peak of the largest process.</p>",
  table_start("cell-table"; "Figures of each target under each load"; "sortable"; .cells | length),
  "<thead><tr>\(["Target", "Load", "Level", "Runs", "Slowdown", "Flags", "Alone", "Under load", "User time", "System time", "Memory", "Load achieved", (if $hosts then "Host" else empty end)] | map("<th scope=\"col\" data-sort>\(.)</th>") | join(""))</tr></thead><tbody>",
  (.cells[] | cell_row($hosts)), table_end, other_metrics, "</section>";

# ---- figures

def by_label($most; figures):
  length as $n
  | "<div class=\"folds\(tall($n))\">",
    (.[] | .label as $target
     | (folded($n; $most; .label | esc) | if . == "" then "<h3 data-f=\"\($target | esc)\">\($target | esc)</h3>" else sub("<details"; "<details data-f=\"\($target | esc)\"") end),
       "<div class=\"figures\">", figures, "</div>", folded_end($n; $most)),
    "</div>";

def figure_each($most; figures):
  length as $n
  | folded($n; $most; "Show \($n) targets"), "<div class=\"figures\">", (.[] | figures), "</div>", folded_end($n; $most);

def numbered_items: to_entries | map(.value + { number: (.key + 1) });

def lone: .curves == [] and (.single | length) == 1;

def curves:
  select(.sensitivity != [])
  | section("sensitivity"; "Sensitivity"),
    "<p>Slowdown over the level of each load, with \(.level_text) intervals. The dashed line is no slowdown; a ring is a slowdown that cannot be told from noise.</p>",
    (.sensitivity | map(select(lone)) | select(. != []) | "<div class=\"figures\">", lone_figures, "</div>"),
    (.sensitivity | map(select(lone | not)) | numbered_items
     | if all(.[]; (.curves | length) + (if .single == [] then 0 else 1 end) == 1)
       then figure_each(24; "<div data-f=\"\(.label | esc)\"><h3>\(.label | esc)</h3>", sensitivity_figures("s\(.number)"), "</div>")
       else by_label(8; .number as $n | sensitivity_figures("s\($n)")) end), "</section>";

def offered:
  ([.cells[] | select(.achieved.offered? != null and .achieved.achieved? != null)]) as $cells
  | select($cells != [])
  | section("offered"; "Offered and achieved load"),
    "<p>A load that cannot do what it offers is a smaller load: points below the dashed line. One point for each cell.</p>",
    "<div class=\"figures\">",
    ($cells | grouped([.load // .condition, .achieved.unit]) | map(.key |= .[0]) | numbered_items[] | achieved_figure("a\(.number)")),
    "</div></section>";

def orders:
  section("order"; "Runs in order"),
  "<p class=\"key\"><i class=\"dot s1\"></i>alone <i class=\"cross s2\"></i>under load <i class=\"ring s3\"></i>a run that has a flag or that no figure is made of. A drift, a step or an outlier shows here.</p>",
  ([.cells[] | select(.baseline != null)] | grouped(.label) | map(.label = .key)
   | if all(.[]; .items | length == 1) then figure_each(24; "<div data-f=\"\(.label | esc)\"><h3>\(.label | esc)</h3>", (.items[] | order_figure), "</div>")
     else by_label(8; .items[] | order_figure) end), "</section>";

def spreads:
  section("distributions"; "Distributions"),
  "<p>Each run as a multiple of the median that its own baseline has. The box holds the middle half of the runs, the long stroke is the median, the lines end at the fastest and the slowest run. Where a row has more than 60 runs, 60 points from the fastest to the slowest stand for them; boxes are of all.</p>",
  ([.cells[] | select(.baseline != null)] | grouped(.label) | numbered_items
   | figure_each(24; "<div data-f=\"\(.key | esc)\"><h3>\(.key | esc)</h3>", spread_figure("d\(.number)"), "</div>")),
  "</section>";

# ---- where the time went

def cause_words: { execution: "slower execution", cpu: "waiting for the CPU", memory: "waiting for memory", io: "waiting for the disk", steal: "taken by the host", unexplained: "unexplained" };
def cause_names: ["execution", "cpu", "memory", "io", "steal"];
def bar($points):
  ($points | [.[] | select(. > 0)] | add // 0) as $sum
  | ([cause_names[], ($points | keys_unsorted[] | select(. as $k | cause_names + ["unexplained"] | index($k) | not)), "unexplained"] | map(select(($points[.] // 0) > 0))) as $there
  | "<svg class=\"bar\" viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"\($there | map("\($points[.] / $sum * 100 | fixed(0)) % \(cause_words[.] // .)") | join(", ") | esc)\">"
    + (reduce $there[] as $cause ({ x: 0, out: "" };
        ($points[$cause] / $sum * 100) as $w
        | (cause_names | index($cause) // (if $cause == "unexplained" then 5 else 6 end)) as $i
        | .out += "<rect class=\"a\($i)\" x=\"\(.x | fixed(2))\" y=\"0\" width=\"\($w | fixed(2))\" height=\"10\"/>" | .x += $w) | .out)
    + "</svg>";

def attributions:
  ([.cells[] | select(.attribution.points? != null)]) as $cells
  | select($cells != [])
  | ($cells | length) as $n
  | section("attribution"; "Where the extra time went"),
    "<p>For each slowdown that can be told from noise: the extra wall time by cause, as far as the kernel's own figures tell it. Points are percent of the time alone.</p>",
    "<ul class=\"legend\" aria-label=\"Colours of the bars\">\([cause_names[], "unexplained"] | to_entries | map("<li><i class=\"a\(.key)\"></i>\(cause_words[.value])</li>") | join(""))</ul>",
    table_start("attribution-table"; "Extra time of each cell by cause"; "sortable"; $n),
    "<thead><tr><th scope=\"col\" data-sort>Target</th><th scope=\"col\" data-sort>Load</th><th scope=\"col\" data-sort>Extra</th><th scope=\"col\">Shares</th><th scope=\"col\">In words</th></tr></thead><tbody>",
    ($cells[] | "<tr data-f=\"\(.label + " " + .condition | esc)\"><th scope=\"row\">\(.label | esc)</th><td>\(.condition | esc)</td>"
      + n_cell(.slowdown.ratio - 1; "+\(.slowdown.ratio - 1 | percent_text)")
      + "<td>\(.attribution.points | bar(.))</td><td class=\"w\">\(.attribution.text | sub("^.*?: \\+[0-9.]+ %: "; "") | esc)</td></tr>"),
    table_end, "</section>";

# ---- flags

def reason_words: { "max-runs": "the limit of runs was reached", "max-time": "the limit of time was reached", "interrupted": "it was interrupted", "failure": "the target failed" }[.] // "it ended: \(.)";

# A flag that no warning explains.
def unexplained:
  . as $cell
  | ((.flags // []) - [.warnings[]?.flag] - ["noise", "not-converged"])[]
  | { flag: ., condition: $cell.condition, metric: null, label: $cell.label,
      message: (flag_words + (if . == "load-short" and $cell.achieved.offered? then ": \($cell.achieved | .unit as $u | "\(.achieved | rate_text($u)) of \(.offered | rate_text($u))")" else "" end)) };

# That the error asked for was not reached is a flag, too, and needs words.
def not_converged:
  . as $cell
  | ([$cell.settings.metric[]?][0] // "wall_s") as $metric
  | ([.baseline | objects | . + { name: $cell.reference }] + [.loaded | objects | . + { name: $cell.condition }])[]
  | select(.converged | not)
  | { flag: "not-converged", condition: .name, metric: $metric, label: $cell.label,
      message: "the error is \(.[$metric].error | percent_text) after \(plural(.runs; "run"; "runs")), \($cell.settings.error | percent_text) was asked for: \(.stop_reason // "unknown" | reason_words)" };

def flags_section:
  ([(.cells[] | .label as $target | .warnings[]? | . + { label: $target }), (.cells[] | not_converged, unexplained),
    (.warnings[]? | { flag: (.flag // .kind // "record"), condition: null, message: (.message // tostring), label: (.cell // null) })]
   | unique_by([.flag, .label, .condition, .metric, .message])) as $all
  | section("flags"; "Flags"),
    (if $all == [] then "<p>None: no drift, no outliers, no short load, no foreign load was seen.</p>"
     else "<p>What makes a figure less sure than its interval says, and what to do about it. The text is told once for each kind and condition.</p>",
       ($all | grouped(.flag)[]
        | .key as $flag | (.items | length) as $n
        | "<details class=\"fold\"\(if $n <= 6 then " open" else "" end)><summary>\($flag | flag_name | esc): \(plural($n; "time"; "times"))</summary><ul>",
          (.items[:30][] | "<li data-f=\"\("\(.label // "") \(.condition // "")" | esc)\"><b>\([.label, .condition, (.metric | select(. != "wall_s"))] | map(select(. != null) | esc) | join(", "))</b>: \(.message | esc)</li>"),
          (if $n > 30 then "<li>and \($n - 30) more of this kind: the table of every cell names them, and so does --format json</li>" else empty end),
          "</ul></details>")
     end), "</section>";

# ---- where, and how again

def fact_words: { host: "Host", os: "System", kernel: "Kernel", architecture: "Architecture", cpu: "CPU", cpus_online: "CPUs", cpus_allowed: "CPUs allowed", governors: "Governor", governor: "Governor", virtual_machine: "Virtual machine",
  memory_bytes: "Memory", clocksource: "Clock", file_system: "File system", file_systems: "File system", device: "Device", devices: "Device", versions: "Versions", kind: "Kind of node" };
def fact_text($key):
  if . == null then "unknown" elif type == "boolean" then (if . then "yes" else "no" end)
  elif type == "array" then if length == 0 then "-" else map(tostring) | join(", ") end
  elif type == "object" then to_entries | map("\(.key) \(.value)") | join(", ")
  elif $key | endswith("_bytes") then size_text else tostring end;
def environment:
  select(.hosts != [])
  | .hosts as $hosts
  | section("environment"; "Environment"),
    table_start("environment-table"; "Where it was measured"; "env"),
    "<thead><tr><th scope=\"col\">Fact</th>\($hosts[:50] | map("<th scope=\"col\">\(.host // "unknown" | esc)</th>") | join(""))</tr></thead><tbody>",
    ([$hosts[] | keys_unsorted[]] | numbered | keys_unsorted[] | select(. != "host" and . != "kind")
     | . as $key | "<tr><th scope=\"row\">\(fact_words[$key] // ($key | gsub("_"; " ")) | esc)</th>\($hosts[:50] | map("<td>\(.[$key] | fact_text($key) | esc)</td>") | join(""))</tr>"),
    table_end,
    (if ($hosts | length) > 50 then "<p>\(($hosts | length) - 50) more hosts are in --format json.</p>" else empty end),
    (.between_hosts // [] | if . == [] then empty else
       table_start("between"; "The same target alone, on several hosts"; "sortable"),
       "<thead><tr><th scope=\"col\" data-sort>Target</th><th scope=\"col\" data-sort>Mean of hosts</th><th scope=\"col\" data-sort>Standard deviation between hosts</th></tr></thead><tbody>",
       (.[] | "<tr data-f=\"\(.label | esc)\"><th scope=\"row\">\(.label | esc)</th>\(n_cell(.mean_s; .mean_s | time_text))\(n_cell(.cv; .cv | percent_text))</tr>"), table_end end),
    "</section>";

def setting_words: map_values(select(. != null and . != false and . != [] and . != "")) | to_entries | map("\(.key) = \(.value | if type == "array" then join(", ") else tostring end)") | join("\n");
# The command that measures one experiment again: what was not the default.
def settings_options:
  with_entries(select(.value != null and .value != false and .value != [] and .value != "" and .value != 0 and ([.key, .value] | . != ["engine", "meter"] and . != ["settle_s", 1] and . != ["metric", ["wall_s"]])))
  | to_entries
  | map("--\(.key | sub("_s$"; "") | gsub("_"; "-"))" as $option
        | .value | if . == true then [$option] elif type == "array" and $option == "--cold-path" then map([$option, .]) | add
          elif type == "array" then [$option, join(",")] else [$option, tostring] end)
  | add // [];
def again:
  .[0] as $first
  | (["jostle", if $first.loaded == null then "run" else "slowdown" end]
     + ([.[] | select(.spec != null) | ["--load", "\(.condition)=\(.spec)"]] | unique | add // [])
     + ($first.settings // {} | settings_options) + ["--"] + ($first.command // []))
  | shell_words;

def reproduce:
  ([.cells[] | .settings // empty] | (map(.seed) | unique | length > 1) as $seeds | map(if $seeds then .seed = "given with each command above" else . end) | unique) as $settings
  | ([.cells[]] | grouped(.experiment)) as $experiments
  | section("reproduce"; "How to reproduce it"),
    (if .campaign == null then empty else
      "<p>Campaign <b>\(.campaign.name // .name | esc)</b>\(if .campaign.file then ", file <code>\(.campaign.file | esc)</code>" else "" end): <code>jostle campaign \([.campaign.file // "FILE"] | shell_words | esc) --output DIR</code></p>",
      (if .campaign.text? then "<h3>Campaign file</h3><pre tabindex=\"0\">\(.campaign.text | esc)</pre>" else empty end) end),
    (if $experiments == [] then empty else
      "<h3>Commands</h3>", folded($experiments | length; 3; "\($experiments | length) experiments, a command each"),
      "<pre tabindex=\"0\">\($experiments | map(.items | again | esc) | unique | join("\n"))</pre>", folded_end($experiments | length; 3) end),
    (if $settings == [] then empty else
      "<h3>Settings</h3>", ($settings[:5][] | "<pre tabindex=\"0\">\(setting_words | esc)</pre>"),
      (if ($settings | length) > 5 then "<p>\(($settings | length) - 5) more sets of settings are in the records.</p>" else empty end) end),
    "<p>Program versions stand in the table above. This page is made from the records alone: <code>jostle report DIR --format html</code> writes the same bytes again.</p>",
    "</section>";

view
| . as $view
| page_start($css),
  contents([["answer", "Answer"], ["cells", "Every cell"],
    (if .sensitivity != [] then ["sensitivity", "Sensitivity"] else empty end),
    (if any(.cells[]; .achieved.offered? != null) then ["offered", "Offered and achieved"] else empty end),
    ["order", "Runs in order"], ["distributions", "Distributions"],
    (if any(.cells[]; .attribution.points? != null) then ["attribution", "Where the time went"] else empty end),
    ["flags", "Flags"], (if .hosts != [] then ["environment", "Environment"] else empty end), ["reproduce", "Reproduce"]]),
  "<main>", "<form id=\"find\" role=\"search\" hidden><label for=\"filter\">Filter by target or load</label> <input id=\"filter\" type=\"search\" autocomplete=\"off\"> <span id=\"found\" role=\"status\"></span></form>",
  answer, every_cell, curves, offered, orders, spreads, attributions, flags_section, environment, reproduce,
  "</main>", "<footer><p>Made by jostle from records. \(.name | esc).</p></footer>", "<script>", ($js | rtrimstr("\n")), "</script>", "</body>", "</html>"
