# The figures of the page: for each its place in the page, and what gnuplot or
# html-runs.awk needs to draw it. Lines are tagged by their first character:
#   \u0001 ID, labels  where the drawing goes (html-svg.awk)
#   \u0002             a line of gnuplot's script
#   \u0003             a line of html-runs.awk's plan
include "report/numbers";
include "report/html-view";

# Of a figure: id, title, text (what a listener is told), labels (x, y, rows),
# height, caption, filter (words that the filter box finds it by).
def figure(drawing):
  "<figure data-f=\"\(.filter | esc)\"><svg class=\"plot\" viewBox=\"0 0 360 \(.height // 220)\" role=\"img\" aria-labelledby=\"\(.id)-t \(.id)-d\">"
  + "<title id=\"\(.id)-t\">\(.title | esc)</title><desc id=\"\(.id)-d\">\(.text | esc)</desc>",
  "\u0001\(.id)\t\(.labels | join("\t"))",
  "</svg><figcaption>\(.caption)</figcaption></figure>",
  drawing;

def script: "\u0002" + .;
def data(rows): "$d << END", (rows | map(if type == "number" then tostring else "NaN" end) | join(" ")), "END";

# The smallest and the largest of some numbers, with some air.
def range: [min, max] as [$low, $high] | (($high - $low) * 0.08 | if . == 0 then ([$high * 0.1, 1e-9] | max) else . end) as $air | [$low - $air, $high + $air];
# The step between at most seven ticks: 1, 2 or 5 times a power of ten.
def tick_step: ((.[1] - .[0]) / 6) as $least | ($least | log10 | floor | pow(10; .)) as $unit | first((1, 2, 5, 10) | . * $unit | select(. >= $least * 0.999));
def range_text: "[\(.[0]):\(.[1])]";

def slowdown_words: "\(.condition): \(.slowdown | ratio_text) times, \(.slowdown | interval_text)\(if .slowdown.distinguishable == false then ", not distinguishable from noise" else "" end)";
def sure: if .slowdown.distinguishable == false then 0 else 1 end;
def low: .slowdown.ci[0]? // .slowdown.ratio;
def high: .slowdown.ci[1]? // .slowdown.ratio;

# One load over its levels.
def curve_figure($id):
  . as $curve
  | { id: $id, title: "Slowdown of \(.label) over the levels of \(.load)", text: (.cells | map(slowdown_words) | join("; ")),
      labels: [(.axis | plot_label(40)), "slowdown [×]"], filter: "\(.label) \(.load)",
      caption: "<b>\(.load | esc)</b> \(.cells | map(select(.achieved.offered?) | "\(.level // .condition | esc): \(.achieved.offered as $o | .achieved.unit as $u | $o | rate_text($u) | together | esc)") | if . == [] then "" else "offered: " + join("; ") end)" }
  | figure(
      ( "set output \"\($id).svg\"",
        ([0, ($curve.cells[].x)] | range | "set xrange \(range_text)", "set xtics \(tick_step)"),
        ([1, ($curve.cells[] | low, high)] | range | "set yrange \(range_text)", "set ytics \(tick_step)"),
        data($curve.cells[] | [.x, .slowdown.ratio, low, high, sure]),
        "@curve" ) | script);

# Slowdowns without a scale of levels, a row each. Of the figure: cells, names
# of the rows, title, caption, filter.
def points_figure($id):
  .cells as $cells
  | ($cells | length) as $n
  | . + { id: $id, text: ([$cells, .names] | transpose | map("\(.[1]): \(.[0] | slowdown_words)") | join("; ")), height: (66 + 22 * $n),
      labels: (["slowdown [×]", ""] + (.names | map(plot_label(18)))) }
  | figure(
      ( "@open_rows", "eval rows(\($n))", "set output \"\($id).svg\"",
        "set ytics (\([range(0; $n) | "\"~\(. + 1)~\" \($n - .)"] | join(", ")))",
        ([1, ($cells[] | low, high)] | range | "set xrange \(range_text)", "set xtics \(tick_step)"),
        data($cells | to_entries[] | .key as $at | .value | [.slowdown.ratio, $n - $at, low, high, sure]),
        "@points", "@close_rows" ) | script);

def in_pieces($most): range(0; length; $most) as $from | .[$from:$from + $most];

# The loads of one target that have a single level.
def single_figures($first):
  .label as $target
  | [.single | in_pieces(30)] | to_entries[] | .key as $at
  | { cells: .value, names: (.value | map(.condition)), title: "Slowdown of \($target) by load", filter: "\($target) \(.value | map(.condition) | join(" "))", caption: "<b>one level each</b>" }
  | points_figure("\($first)p\($at + 1)");

# Targets that have one load with one level: a row for each target.
def lone_figures:
  [.[] | .single[]] | grouped(.condition) | to_entries[] | .key as $load | .value.key as $condition
  | [.value.items | in_pieces(30)] | to_entries[] | .key as $at
  | { cells: .value, names: (.value | map(.label)), title: "Slowdown under \($condition) by target", filter: "\(.value | map(.label) | join(" ")) \($condition)", caption: "<b>\($condition | esc)</b>" }
  | points_figure("l\($load + 1)p\($at + 1)");

def sensitivity_figures($first):
  (.curves | to_entries[] | .key as $at | .value | curve_figure("\($first)v\($at + 1)")),
  single_figures($first);

# Rates on an axis have few digits, whatever their unit.
def axis_scale($unit):
  rate_scale($unit) as $s
  | (. * $s.factor) as $most
  | if $most >= 1e7 then { factor: ($s.factor * 1e-6), unit: "million \($s.unit)" }
    elif $most >= 1e4 then { factor: ($s.factor * 1e-3), unit: "thousand \($s.unit)" } else $s end;

# Offered against achieved: all cells of one load.
def achieved_figure($id):
  .key as $load
  | .items as $cells
  | $cells[0].achieved.unit as $unit
  | ([$cells[].achieved | .offered, .achieved] | max | axis_scale($unit)) as $s
  | [$cells[].achieved | [.offered * $s.factor, .achieved * $s.factor]] as $rates
  | { id: $id, title: "Offered and achieved rate of \($load)", filter: ([$load] + ([$cells[].label] | unique) | join(" ")),
      text: (if ($cells | length) > 12 then "\($cells | length) points, one for each cell; the figures are in the table of every cell"
             else [$cells[] | "\(.label), \(.condition): \(.achieved.achieved | rate_text($unit)) of \(.achieved.offered | rate_text($unit))"] | join("; ") end),
      labels: ["offered [\($s.unit)]", "achieved [\($s.unit)]" | plot_label(40)],
      caption: "<b>\($load | esc)</b> \([$cells[] | select(.achieved.short)] | length | if . == 0 then "achieved what was offered" else "\(.) of \($cells | length) cells fell short by more than 5\u00a0%" end)" }
  | figure(
      ( "set output \"\($id).svg\"",
        ([0, $rates[][]] | range | .[0] = 0 | "set xrange \(range_text)", "set yrange \(range_text)", "set xtics \(tick_step)", "set ytics \(tick_step)"),
        data($rates[]), "@achieved" ) | script);

# The runs of one cell in order. html-runs.awk writes the script.
def order_figure:
  . as $cell
  | ((.loaded // .baseline).wall_s.max // 1 | time_scale) as $s
  | ([.baseline.runs, .loaded.runs] | map(numbers) | add) as $runs
  | { id: "\(.id)o", title: "Runs of \(.label) in order\(if .loaded then ", alone and under \(.condition)" else "" end)", filter: "\(.label) \(.load // "") \(.condition // "")",
      text: "Wall time over the number of the run. Alone: \(.baseline.wall_s | "\(.min | time_text) to \(.max | time_text), median \(.median | time_text)")\(if .loaded then "; under load: \(.loaded.wall_s | "\(.min | time_text) to \(.max | time_text), median \(.median | time_text)")" else "" end).",
      labels: ["run", "wall time [\($s.unit)]"],
      caption: "<b>\(.condition // "alone" | esc)</b> \($runs) runs\u0001\u0001" }
  | figure("\u0003" + (["O", .id, $cell.experiment, $cell.reference, $cell.condition // "", $s.factor] | @tsv));

# The spread of one target's runs, a row for each condition. The baselines of
# all its experiments share a row, each run as a multiple of its own baseline's median.
def spread_figure($id):
  .key as $target
  | (.items | length - 40) as $left
  | (.items[:40]) as $cells
  | ([$cells[] | select(.loaded.wall_s.median?)]) as $loaded
  | ($loaded | length + 1) as $n
  | { id: $id, title: "Spread of the runs of \($target)", height: (66 + 22 * $n), filter: ([$target] + ([$loaded[].condition] | unique) | join(" ")),
      text: ("Wall time of each run as a multiple of the baseline's median. " + ([$loaded[] | .baseline.wall_s.median as $m | select($m != null and $m > 0 and .loaded.wall_s.median != null) | "\(.condition): median \(.loaded.wall_s | .median / $m | fixed(2)) times, from \(.loaded.wall_s.min / $m | fixed(2)) to \(.loaded.wall_s.max / $m | fixed(2)) times"] | join("; "))),
      labels: (["wall time / median alone", "", "alone"] + [$loaded[] | .condition | plot_label(18)]),
      caption: "median alone: \([$cells[].baseline.wall_s.median | numbers] | if length == 0 then "-" elif max - min < max / 1000 then max | time_text else "\(min | time_text) to \(max | time_text)" end)\(if $left > 0 then "; \($left) more loads are in the table of every cell" else "" end)" }
  | figure(
      ( "\u0003" + (["D", $id, "\($n)"] | join("\t")),
        ($cells | unique_by(.experiment)[] | select(.baseline.wall_s.median? > 0) | "\u0003" + (["B", $id, .experiment, .reference, $n, 0, 1 / .baseline.wall_s.median] | @tsv)),
        ($loaded | to_entries[] | .key as $at | .value | select(.baseline.wall_s.median? > 0)
         | "\u0003" + (["B", $id, .experiment, .condition, $n - 1 - $at, 1, 1 / .baseline.wall_s.median] | @tsv)) ));
