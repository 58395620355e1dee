# Cells as texts for tables, shared by the formats for people. Numbers have
# their unit; text of users is made visible, but not escaped for a format.
include "format";
include "report/words";

# Consecutive cells of one target as an array, so that only one target is held.
# The array is all of the state of its loop: jq then grows it in place.
def by_target(slim):
  foreach
    (foreach (inputs, null) as $cell ({};
       { $cell, before: .cell, new: (.cell == null or $cell == null or .cell.target != $cell.target) };
       (if .new and .before != null then { end: true } else empty end),
       (if $cell == null then empty else { start: .new, cell: ($cell | slim) } end))) as $step
    ([]; if $step.end then . elif $step.start then [$step.cell] else . + [$step.cell] end; if $step.end then . else empty end);

# What tables need of a cell.
def slim:
  { name, experiment, target, row, load, level, condition, reference, host, state, baseline, loaded, slowdown, achieved, flags,
    confidence: .settings.confidence, others: [.all_slowdowns[] | select(.metric != "wall_s")], attribution: .attribution.text };

def confidence_text: (.confidence // 0.95) * 100 | if . == floor then fixed(0) else tostring end + " %";
def load_name: if .load == null then "-" else [.load, .level] | map(select(. != null) | visible) | join(" ") end;

# mean ± half-width; a star where outliers are set aside.
def figure_text(scale):
  if . == null then "-"
  else (if .ci == null then null else (.ci[1] - .ci[0]) / 2 end) as $half
  | (.center // .mean | with_error($half; scale)) + (if (.statistic // "mean") != "mean" then " *" else "" end) end;

# Without and with load in one unit: "223 -> 230 ms"
def pair_text($alone; $loaded; scale):
  if $alone == null then "-"
  elif ([$alone, $loaded // 0] | max) == 0 then "0 \(0 | scale | .unit)"
  elif $loaded == null then $alone | scaled(scale)
  else ([$alone, $loaded] | max | scale) as $s
  | ([$alone, $loaded] | max * $s.factor | decimals) as $digits
  | def one: if . == 0 then "0" else . * $s.factor | fixed($digits) end;
    "\($alone | one) → \($loaded | one) \($s.unit)" end;

def slowdown_text:
  if . == null or .ratio == null then "-"
  else (.ratio | fixed(3)) + (if .ci == null then "" else " [\(.ci[0] | fixed(3)), \(.ci[1] | fixed(3))]" end) end;

def achieved_text:
  if . == null then "-"
  elif .offered == null or .achieved == null then (if .cpu_s == null then "-" else "\(.cpu_s | time_text) CPU" end)
  else (.unit // "") as $unit
  | ([.offered, .achieved] | max | rate_scale($unit)) as $s
  | ([.offered, .achieved] | max * $s.factor | decimals) as $digits
  | "\(.achieved * $s.factor | fixed($digits)) of \(.offered * $s.factor | fixed($digits)) \($s.unit)" end;

def runs_text: if .loaded == null then "\(.baseline.runs)" else "\(.baseline.runs) + \(.loaded.runs)" end;

# A cell as named texts.
def texts:
  { program: (.row | visible), load: load_name, runs: runs_text,
    alone: (.baseline.wall_s | figure_text(time_scale)),
    loaded: (if .loaded == null then "-" else .loaded.wall_s | figure_text(time_scale) end),
    user: pair_text(.baseline.user_s.mean; .loaded.user_s.mean; time_scale),
    system: pair_text(.baseline.system_s.mean; .loaded.system_s.mean; time_scale),
    memory: pair_text(.baseline.max_rss_bytes.mean; .loaded.max_rss_bytes.mean; size_scale),
    slowdown: (.slowdown | slowdown_text), achieved: (.achieved | achieved_text) };

def who: "\(.row | visible), \(load_name)";

# What is said below a table: [number, flag, words] for each flag that occurs.
def legend: [.[].flags[]] | unique | to_entries | map({ number: (.key + 1), flag: .value, words: (.value | flag_words) });
def marks($legend): [.flags[] as $flag | $legend[] | select(.flag == $flag) | .number] | map(tostring) | join(",");

# Where outliers were set aside.
def stars:
  [.[] | . as $cell | (["alone", .baseline], ["under load", .loaded]) as [$what, $summary] | $summary.wall_s
   | select(. != null and (.statistic // "mean") != "mean")
   | "* \($cell | who), \($what): \(.statistic), \(.set_aside) run(s) set aside; the mean of all runs is \(.mean | time_text)"] | unique;

def noise_floors:
  [.[] | select(.slowdown.noise_floor != null) | "\(.row | visible): the noise floor is \(.slowdown.noise_floor | percent_text): the baseline against itself (A/A) still allows that much"] | unique;

def other_slowdowns: [.[] | . as $cell | .others[] | "\($cell | who): slowdown of \(.metric) \(slowdown_text)\(if .distinguishable then "" else " (noise)" end)"];

def attributions: [.[] | . as $cell | select(.attribution != null) | "\($cell | who): \($cell.attribution | visible | ltrimstr("\($cell.condition): "))"];

# Lines on the whole: the model without its cells is the input.
def totals_text:
  .totals as $t
  | "\($t.cells) cell\(if $t.cells == 1 then "" else "s" end) with figures, \($t.runs) runs"
    + ([.waiting | group_by(.state)[] | "\(length) \(.[0].state)"] | if . == [] then "" else "; not done: " + join(", ") end);
def host_line: "\(.host // "?" | visible): \(.cpu // "?" | visible), CPUs \(.cpus_allowed | join(" or ") | visible), \(.memory_bytes // null | size_text), \(.kernel // "?" | visible)";
def between_line: "\(.label | visible): alone it takes \(.mean_s | time_text) on average over \(.hosts | length) nodes, standard deviation between nodes \(.stddev | time_text) (\(.cv | percent_text)): \([.hosts[] | "\(.host // "?" | visible) \(.mean_s | time_text)"] | join(", "))";
def waiting_line: "\(.name | visible): \(.state): \(.reason | visible)";

# Levels of one load in order: by number, then by name.
def level_key: [(capture("^[^0-9]*(?<n>[0-9]+(\\.[0-9]+)?)")? // { n: null } | .n | if . == null then 1e300 else tonumber end), .];

# Slowdown by level, one table for each load that has levels:
# {load, levels: [..], rows: [{row, slowdowns: [..as levels, null where there is none]}]}.
# The input are cells as `levelled` makes them.
def levelled: select(.level != null and .slowdown != null) | { target, row, load, level, slowdown: (.slowdown | { ratio, ci, distinguishable }) };
def by_level:
  group_by(.load)[]
  | . as $cells
  | ([.[].level] | unique | sort_by(level_key)) as $levels
  | { load: $cells[0].load, levels: $levels,
      rows: ([range(0; length) as $i | $cells[$i] + { at: $i }]
        | group_by([.target, .row])
        | sort_by(map(.at) | min)
        | map({ row: .[0].row, slowdowns: [$levels[] as $level | map(select(.level == $level)) | first | .slowdown] })) };

# The parts of a wide list, at most $n each.
def in_parts($n): if length <= $n then . else .[:$n], (.[$n:] | in_parts($n)) end;

# The four metrics of a performance table: name, unit, factor.
def table_metrics: [["wall_s", "wall", "s", 1], ["user_s", "user", "s", 1], ["system_s", "system", "s", 1], ["max_rss_bytes", "memory", "MiB", 1 / 1048576]];

# Four significant digits, without an exponent where it can be read without.
def significant:
  if . == null then "-"
  elif . == 0 then "0"
  else fabs as $a
  | ($a | log10 | floor) as $e
  | if $e < -4 or $e > 6 then scientific else fixed([3 - $e, 0] | max) end
  end;

# The lines of a table of means and variances: {cell, what: "without" or "with",
# summary}. A baseline that several loads share stands there once.
def figure_lines:
  . as $cells
  | range(0; length) as $i
  | $cells[$i] as $cell
  | ($i > 0 and $cells[$i - 1].experiment == $cell.experiment) as $again
  | (if $again then empty else { cell: $cell, what: "without", summary: $cell.baseline } end),
    (if $cell.loaded == null then empty else { cell: $cell, what: "with", summary: $cell.loaded } end);
# Mean and variance of each metric, in the unit of the table.
def means_and_variances:
  . as $summary
  | [table_metrics[] as [$metric, $_, $_, $factor] | $summary[$metric]
     | if . == null then null, null else .mean * $factor, (if .variance == null then null else .variance * $factor * $factor end) end];
def load_of_line: if .what == "without" then "-" else .cell | load_name end;
