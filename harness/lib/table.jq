# result.json -> the table that ends every measurement.
include "format";

def words: map(if test("^[A-Za-z0-9_./:=,@%+-]+$") then . else "'" + gsub("'"; "'\\''") + "'" end) | join(" ");

def half_width: if .ci == null then null else (.ci[1] - .ci[0]) / 2 end;

def load_text:
  if length == 0 then "-"
  else map(if .offered == null then .name + ": " + (.cpu_s // 0 | time_text) + " CPU"
           else ([.offered, .achieved] | max | rate_scale(.unit)) as $ignored
           | .unit as $unit
           | ([.offered, .achieved] | max | rate_scale($unit)) as $s
           | "\(.achieved * $s.factor | fixed(2)) of \(.offered * $s.factor | fixed(2)) \($s.unit)" end)
  | join(" + ")
  end;

# One condition's slowdown: 1.37 [1.35, 1.39]
def slowdown_text($slowdowns; $first):
  .name as $name
  | ($slowdowns | map(select(.condition == $name and .metric == "wall_s")) | first) as $s
  | if $s == null then (if $name == $first then "1" else "-" end)
    else "\($s.ratio | fixed(3)) [\($s.ci[0] | fixed(3)), \($s.ci[1] | fixed(3))]"
    end;

def row($slowdowns; $first):
  [ .name, (.runs | tostring),
    (.wall_s | .mean as $m | half_width as $h | $m | with_error($h; time_scale)),
    (.wall_s.variance | scientific) + " s²",
    (.user_s.mean | time_text), (.system_s.mean | time_text), (.max_rss_bytes.mean | size_text) ]
  + (if ($slowdowns | length) > 0 then [slowdown_text($slowdowns; $first)] else [] end)
  + [(.load // []) | load_text];

def header($slowdowns; $level):
  ["condition", "runs", "wall time (mean ± \($level))", "variance", "user", "system", "memory"]
  + (if ($slowdowns | length) > 0 then ["slowdown [\($level)]"] else [] end)
  + ["load achieved of offered"];

def not_converged($settings):
  .conditions[] | select(.converged | not)
  | .name as $name | .runs as $runs
  | ([$settings.metric[] as $m | .[$m].error // 0] | max) as $error
  | "\($name): not converged: \($error | percent_text) after \($runs) runs (asked: \($settings.error | percent_text), ended by \(.stop_reason))";

(.settings.confidence * 100 | fixed(0) + " %") as $level
| .slowdowns as $slowdowns
| .conditions[0].name as $first
| .settings as $settings
| "\(.command | words)",
  "on \(.environment.host): \(.environment.cpu), CPUs \(.environment.cpus_allowed), \(.environment.kernel)",
  "",
  ([header($slowdowns; $level)] + [.conditions[] | row($slowdowns; $first)] | aligned),
  "",
  (.loads[] | select(.spec != null) | "\(.name) = \(.spec)"),
  not_converged($settings),
  (.warnings[]? | "\(.flag): \(.message)"),
  "± and [ ] are \($level) confidence intervals; memory is the peak of the largest process."
