# jostle.comparison/1 -> the table for people.
include "report/numbers";

def amount: if . == null then "-" else tostring end;
def mean_text($metric): if $metric == "max_rss_bytes" then size_text else time_text end;
def floor_text: "± \(.noise_floor | percent_text)\(if .noise_floor_from == "aa" then " (A/A)" else "" end)";

def verdict:
  if .ci == null then "not known: too few runs"
  elif .distinguishable | not then "not distinguishable from noise"
  else (.ratio - 1 | fabs | percent_text) as $change
  | if .metric == "max_rss_bytes" then "B needs \($change) \(if .ratio > 1 then "more" else "less" end)"
    else "B takes \($change) \(if .ratio > 1 then "longer" else "less" end)" end
  end;

def row:
  .metric as $metric
  | [ .condition, $metric, (.a.mean | mean_text($metric)), (.a | floor_text), (.b.mean | mean_text($metric)), (.b | floor_text),
      (.ratio | fixed(3)) + (if .ci == null then "" else " [\(.ci[0] | fixed(3)), \(.ci[1] | fixed(3))]" end), verdict ];

def difference($kind): "\($kind) differs: \(.what): A \(.a | amount), B \(.b | amount)";

(.confidence * 100 | fixed(0) + " %") as $level
| "A = \(.a)",
  "B = \(.b)",
  "",
  ([["condition", "metric", "A", "noise floor", "B", "noise floor", "B / A [\($level)]", "verdict"]] + [.comparisons[] | row] | aligned),
  "",
  (.comparisons[] | . as $c | ({ A: .a, B: .b } | to_entries[]) | select((.value.flags // []) != [])
   | "\($c.condition), \($c.metric), \(.key): warnings of \(.value.flags | join(", ")): see its own table"),
  (.differences
   | (.command_or_load[] | "\(.what) differs: A \(.a | amount), B \(.b | amount)"),
     (.settings[] | difference("setting")),
     (.environment[] | difference("environment")),
     (.only_a | if . == [] then empty else "only in A: \(join(", "))" end),
     (.only_b | if . == [] then empty else "only in B: \(join(", "))" end),
     (if [.command_or_load, .settings, .environment] | flatten == [] then "Command, loads, settings and environment are the same." else empty end)),
  "[ ] is a \($level) confidence interval; the noise floor is that of A/A runs (slowdown --aa) where there are some,",
  "else the error of the mean, which does not know how far two days lie apart."
