# Prometheus' text format, for the node exporter.
# files: .prom
# reads: lists
include "report/rows";
include "lib/text";

def quoted: visible | put("\\"; "\\\\") | put("\""; "\\\"") | put("\n"; "\\n") | "\"\(.)\"";
# {name: text} -> {name="text",..}
def label_text: "{" + (to_entries | map("\(.key)=\(.value // "" | quoted)") | join(",")) + "}";
# What tells a result from all others.
def identity: { name, load, level, parameters: ([.parameters // {} | to_entries[] | "\(.key)=\(.value)"] | join(",")) };
# The figure and the ends of its interval.
def samples($sample; $labels; figure):
  figure as $figure
  | "\($sample)\($labels + { bound: "value" } | label_text) \($figure.center)",
    (select($figure.ci != null) | (["low", 0], ["high", 1]) as [$bound, $at]
      | "\($sample)\($labels + { $bound } | label_text) \($figure.ci[$at])");
def family($name; $help; lines): [lines] | select(. != []) | "# HELP \($name) \($help)", "# TYPE \($name) gauge", .[];
def metric_labels: { metric, unit, better };

[named_results] as $results
| family("jostle_wall_seconds"; "Wall time of a run, and its confidence interval.";
    $results[] | identity as $labels | .metrics[] | select(.metric == "wall_s") | samples("jostle_wall_seconds"; $labels; .figure)),
  family("jostle_metric"; "Each metric of --metric in its unit, and its confidence interval.";
    $results[] | identity as $labels | .metrics[] | samples("jostle_metric"; $labels + metric_labels; .figure)),
  family("jostle_slowdown_ratio"; "How many times worse a metric is under a load than alone, and its confidence interval.";
    $results[] | identity as $labels | .metrics[] | select(.slowdown.ratio != null)
    | samples("jostle_slowdown_ratio"; $labels + { metric }; .slowdown | { center: .ratio, ci }))
