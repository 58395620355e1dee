# result.json -> the table that ends every measurement.
include "format";

def half_width: if .ci == null then null else (.ci[1] - .ci[0]) / 2 end;

# The figure that the interval is of: the mean, or what stands in for it where
# outliers are set aside; that is marked, and explained below the table.
def centre: .center // .mean;
def stands_in: (.statistic // "mean") != "mean";

def load_text:
  if length == 0 then "-"
  else map(if .offered == null then .name + ": " + (.cpu_s // 0 | time_text) + " CPU"
           else .unit as $unit
           | ([.offered, .achieved] | max | rate_scale($unit)) as $s
           | "\(.achieved * $s.factor | fixed(2)) of \(.offered * $s.factor | fixed(2)) \($s.unit)" + (if .short then " (short)" else "" end) end)
  | join(" + ")
  end;

# One condition's slowdown: 1.37 [1.35, 1.39]
def slowdown_text($slowdowns; $reference):
  .name as $name
  | ($slowdowns | map(select(.condition == $name and .metric == "wall_s")) | first) as $s
  | if $s == null then (if $name == $reference then "1" else "-" end)
    else "\($s.ratio | fixed(3)) [\($s.ci[0] | fixed(3)), \($s.ci[1] | fixed(3))]"
      + (if $s.distinguishable == false then " (noise)" else "" end)
    end;

def row($slowdowns; $reference):
  [ .name, (.runs | tostring),
    (.wall_s | half_width as $h | (centre | with_error($h; time_scale)) + (if stands_in then " *" else "" end)),
    (.wall_s.variance | scientific) + " s²",
    (.user_s.mean | time_text), (.system_s.mean | time_text), (.max_rss_bytes.mean | size_text) ]
  + (if ($slowdowns | length) > 0 then [slowdown_text($slowdowns; $reference)] else [] end)
  + [.load // [] | load_text];

def header($slowdowns; $level):
  ["condition", "runs", "wall time (mean ± \($level))", "variance", "user", "system", "memory"]
  + (if ($slowdowns | length) > 0 then ["slowdown [\($level)]"] else [] end)
  + ["load achieved of offered"];

# One line for each kind of warning: the first in full, then where else it was seen.
def warning_lines:
  reduce (.warnings // [])[] as $w ([];
    (map(.flag) | index($w.flag)) as $known
    | if $known then .[$known].also += [$w.condition] else . + [$w + { also: [] }] end)
  | .[]
  | "\(.flag) (\(.condition)\(if .also == [] then "" else "; also " + (.also | unique | join(", ")) end)): \(.message): \(.advice)";

(.settings.confidence * 100 | fixed(0) + " %") as $level
| .slowdowns as $slowdowns
| .conditions[0].name as $reference
| .settings as $settings
| "\(.command | words)",
  "on \(.environment.host): \(.environment.cpu), CPUs \(.environment.cpus_allowed), \(.environment.kernel)",
  (.placement | select(.place) | "placed \(.place): target on CPU \(.target_cpus), loads on CPU \(.load_cpus)"),
  "",
  ([header($slowdowns; $level)] + [.conditions[] | row($slowdowns; $reference)] | aligned),
  "",
  (.loads[] | select(.spec != null) | "\(.name) = \(.spec)"),
  (.conditions[] | select(.wall_s | stands_in)
   | "* \(.name): \(.wall_s.statistic), \(.wall_s.set_aside | if type == "array" then length else . end) run(s) set aside; the mean of all runs is \(.wall_s.mean | time_text)"),
  (.slowdowns[] | .attribution // empty | .text),
  (.noise_floor[]? | "noise floor, \(.metric): \(.floor | percent_text) (what the baseline against itself still allows)"),
  (select(.verdict) | "at most \(.settings.at_most): \(.verdict)"),
  warning_lines,
  "± and [ ] are \($level) confidence intervals; memory is the peak of the largest process."
