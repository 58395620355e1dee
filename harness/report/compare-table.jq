# jostle.comparison/1 -> the table for people.
include "lib/visible";
include "report/numbers";
include "lib/jq15";

def amount: if . == null then "-" else tostring end;
def mean_text($unit):
  if $unit == "s" then time_text
  elif $unit == "B" then size_text
  else figure_text + (if . == null or $unit == "" then "" else " " + $unit end) end;
def floor_text: "± \(.noise_floor | percent_text)\(if .noise_floor_from == "aa" then " (A/A)" else "" end)";

def verdict:
  if .verdict == "timed-out" then "not known: runs timed out"
  elif .verdict == "too-few-runs" then "not known: fewer than two runs"
  elif .verdict == "other-statistic" then "not known: \(.a.statistic) and \(.b.statistic) are not the same"
  elif .verdict == "no-interval" then "not known: a side has no interval"
  elif .verdict == "noise" then "not distinguishable from noise"
  else (.ratio - 1 | fabs | percent_text) as $change
  | if (.metric | IN("wall_s", "user_s", "system_s", "max_rss_bytes") | not) then
      "\(.metric) of B is \(.of_reference - 1 | fabs | percent_text) \(if .of_reference > 1 then "higher" else "lower" end), \(.verdict)"
    elif .metric == "max_rss_bytes" then "B needs \($change) \(if .verdict == "worse" then "more" else "less" end)"
    else "B takes \($change) \(if .verdict == "worse" then "longer" else "less" end)" end
  end;

def side($unit): [(.runs | tostring), (if .censored > 0 then "at least " else "" end) + (.center | mean_text($unit)), floor_text];

def row:
  .unit as $unit
  | [.condition, .metric] + (.a | side($unit)) + (.b | side($unit))
    + [(.of_reference | fixed(3)) + (.of_reference_ci | if . == null then "" else " [\(.[0] | fixed(3)), \(.[1] | fixed(3))]" end), verdict];

# What the probes before the blocks show: of what differs how much, and what follows from it.
def machine_change: . as $r
  | (if $r.ratio > 1 then "slower" else "faster" end) as $way
  | [($r.ci[] | . - 1 | if $r.ratio > 1 then . else - . end)] | sort as $bounds
  | "\($r.ratio - 1 | fabs | percent_text) [\($bounds | map(. * 100 | fixed(1)) | join(", "))] \($way) in \($r.name)";
def machine_expected: "\(.expected.ratio - 1 | fabs | percent_text) [\(.expected.ci | map(. - 1) | map(. * 100 | fixed(1)) | join(", "))]";
def machine_lines:
  select(. != null)
  | if .reason != null then "machine: \(.reason), so what of a difference is the machine's is not known"
    else
      ([.reporters[] | select(.distinguishable)]) as $apart
      | (if $apart == [] then "machine: by the probe before each block the two cannot be told apart (\(.reporters | map(.name) | join(", "))): figures are not corrected"
         else "machine: by the probe before each block B's is \($apart | map(machine_change) | join("; ")): figures are not corrected" end),
        (.metric as $metric | $apart[] | select(.expected != null)
         | "  \($metric) follows \(.name) (\(.expected.slope | fixed(2)) [\(.expected.slope_ci | map(fixed(2)) | join(", "))] times as much): of the difference of the baseline \(machine_expected) would follow from the machine"),
        (if $apart != [] and all($apart[]; .expected == null) then "  how much of the difference that explains is not known: \($apart[0].reason)" else empty end)
    end;

def difference($kind): "\($kind) differs: \(.what): A \(.a | amount), B \(.b | amount)";

def missed: {a: "A", b: "B", both: "A and B"}[.[0].side];

# That all is the same is only said where all was compared.
def verdict_on_all:
  (.compared | map(split(".")[0]) | unique | join(", ")) as $facts
  | if [.command_or_load, .settings, .program, .variables, .environment] | flatten != [] then empty
    elif .not_recorded != [] then "All else that both record is the same: command, loads, settings, environment (\($facts))."
    else "Command, loads, settings, program, variables and environment are the same (of the environment: \($facts))." end;

visible_all
| (.interval_level | confidence_text) as $level
| "A = \(.a)",
  "B = \(.b)",
  "",
  ([["condition", "metric", "runs", "A", "noise floor", "runs", "B", "noise floor", "B / A [\($level)]", "verdict"]] + [.comparisons[] | row] | aligned),
  "",
  (.failed_runs | to_entries[] | select(.value != null) | "\(.key | ascii_upcase): \(.value)"),
  (.comparisons[] | . as $c | ({ A: .a, B: .b } | to_entries[]) | select((.value.flags // []) != [])
   | "\($c.condition), \($c.metric), \(.key): warnings of \(.value.flags | join(", ")): see its own table"),
  (.machine_factor | machine_lines),
  (.differences
   | (.command_or_load[] | "\(.what) differs: A \(.a | amount), B \(.b | amount)"),
     (.settings[] | difference("setting")),
     (.program[] | "\(.what) differs: A \(.a | amount), B \(.b | amount)"),
     (.variables[] | difference("variable")),
     (.environment[] | difference("environment")),
     (.not_recorded | group_by(.side)[] | "not recorded in \(missed), so it may differ: \(map(.what) | join(", "))"),
     (.only_a | if . == [] then empty else "only in A: \(join(", "))" end),
     (.only_b | if . == [] then empty else "only in B: \(join(", "))" end),
     verdict_on_all),
  "[ ] is a \($level) confidence interval\(if .family > 1 then " (\(.confidence | confidence_text) for the \(.family) metrics of a condition together)" else "" end); the noise floor is that of A/A runs (slowdown --aa) where there are some,",
  "else the error of the mean, which does not know how far two days lie apart."
