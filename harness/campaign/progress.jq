# result.json -> one line: what came out of a cell.
include "format";
.conditions as $conditions
| ([.slowdowns[] | select(.metric == "wall_s" and .condition != "aa")] | first) as $s
| (if $s == null then ($conditions[0].wall_s | "\(.mean | time_text), error \(.error | percent_text)")
   elif $s.ci == null then "slowdown \($s.ratio | fixed(3))"
   else "slowdown \($s.ratio | fixed(3)) [\($s.ci[0] | fixed(3)), \($s.ci[1] | fixed(3))]" + (if $s.distinguishable then "" else " (noise)" end) end)
  + ", \([$conditions[].runs] | add) runs"
  + (if $conditions | all(.converged) then "" else ", not converged" end)
