# Prometheus' text format, for the node exporter.
# files: .prom
# reads: lists
include "report/rows";
include "lib/text";

def quoted: visible | put("\\"; "\\\\") | put("\""; "\\\"") | put("\n"; "\\n") | "\"\(.)\"";
def labels($bound): "{name=\(.name | quoted),load=\(.load // "" | quoted),level=\(.level // "" | quoted),bound=\($bound | quoted)}";
# The figure and the ends of its interval.
def samples($metric; figure):
  figure as $figure
  | "\($metric)\(labels("value")) \($figure.center)", (select($figure.ci != null) | "\($metric)\(labels("low")) \($figure.ci[0])", "\($metric)\(labels("high")) \($figure.ci[1])");

[named_results] as $results
| "# HELP jostle_wall_seconds Wall time of a run, and its confidence interval.", "# TYPE jostle_wall_seconds gauge",
  ($results[] | samples("jostle_wall_seconds"; .summary.wall_s)),
  ([$results[] | select(.slowdown.ratio != null)] | select(. != [])
   | "# HELP jostle_slowdown_ratio Wall time under a load over that alone, and its confidence interval.", "# TYPE jostle_slowdown_ratio gauge",
     (.[] | samples("jostle_slowdown_ratio"; .slowdown | { center: .ratio, ci })))
