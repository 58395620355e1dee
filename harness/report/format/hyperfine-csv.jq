# hyperfine's --export-csv, with columns for each other metric.
# reads: lists
include "report/hyperfine";
include "report/rows";
include "report/decimals";
include "lib/text";

# hyperfine writes 0 where there is no deviation.
def figures: .mean, .stddev // 0, .median, .user, .system, .min, .max;
# Quoted where it has to be, as hyperfine's are.
def field: csv_text | if . == null then "" elif type == "string" and (test("[,\"\n\r]") | not) then . else [.] | @csv end;

[hyperfine_results] as $results
| ([$results[].parameters | keys[]] | unique) as $parameters
| ($results | metric_names | map(.key)) as $metrics
| (["command", "mean", "stddev", "median", "user", "system", "min", "max", "parameter_\($parameters[])"]
  + [$metrics[] | "metric_\(.)", "metric_\(.)_unit", "metric_\(.)_better"]),
  ($results[] | . as $one | [.command, figures, $one.parameters[$parameters[]], ($metrics[] | $one.metrics[.] | .mean, .unit, .better)])
| map(field) | join(",")
