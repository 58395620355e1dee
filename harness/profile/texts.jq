# A profile as texts: what every format lays out.
include "report/numbers";
include "lib/jq15";

def legend:
  "[ ] are \(.confidence | confidence_text) confidence intervals of this session; a slowdown is time under the load / time alone"
  + (if any(.sensitivity[].points[]; .achieved != null and .achieved < 0.9) then "; (70 %): what of that load could be delivered beside the program" else "" end);

def percent: . * 100 | fixed(0) + " %";
def bounds($digits): if . == null then "(no interval)" else "[\(.[0] | fixed($digits)), \(.[1] | fixed($digits))]" end;

# seconds with an interval -> "402 ± 8 ms", "402 [400, 416] ms"
def seconds_text($ci):
  (. | time_scale) as $scale
  | (. * $scale.factor) as $value
  | ($value | decimals) as $digits
  | ($value | fixed($digits))
    + (if $ci == null then ""
       elif ($ci[0] + $ci[1] - 2 * . | fabs) * $scale.factor > pow(10; - $digits) then " " + ($ci | map(. * $scale.factor) | bounds($digits))
       else " ± \(($ci[1] - $ci[0]) / 2 * $scale.factor | fixed($digits))" end)
    + " " + $scale.unit;

def slowdown_text: "\(.slowdown | fixed(2)) \(.ci | bounds(2))"
  + (if .achieved != null and .achieved < 0.9 then " (\(.achieved | percent))" else "" end);

# every level that any kind was measured at, ascending
def levels: [.sensitivity[].points[].level] | unique;

def alone_text:
  .alone.wall_s as $wall
  | "alone: \($wall.mean | seconds_text($wall.ci)) (\($wall.n) runs), \(.alone.cpus_used | if . == null then "CPU time not known" else "\(fixed(2)) CPUs" end); from run to run \(if .noise.sd == null then "not known" else .noise.sd * 100 | fixed(1) + " %" end)"
    + (if .noise.correlation == null then "" else ", neighbouring runs correlate by \(.noise.correlation | fixed(2))" end);

# rows of cells: the slowdown by kind and level
def sensitivity_rows:
  levels as $levels
  | ["slowdown by", ($levels[] | percent)],
    (.sensitivity[] | .points as $points
     | [.kind, ($levels[] as $level | [$points[] | select(.level == $level) | slowdown_text][0] // "-")]);

def reporter_titles: ["reporter", "worse by", "interval"];

def reporter_rows:
  .pressure.reporters[]
  | [.name,
     (if .log_ratio == null then "-" else "× " + (.log_ratio | exp | fixed(2)) end),
     (if .ci == null then "(no interval)" else .ci | map(exp) | bounds(2) end)];

def neighbour_text:
  if (.pressure.reporters | length) == 0 then "as a neighbour: not measured"
  else "as a neighbour, run again and again: \(.pressure.cpus_used | if . == null then "CPU time not known" else "\(fixed(2)) CPUs" end)"
    + (if .pressure.lap_s == null then "" else ", \(.pressure.lap_s | time_text) a run" end) end;
