# jostle.probe/1 -> the table of jostle probe.
include "lib/visible";
include "probe/probe";
include "report/numbers";
include "lib/jq15";

def left($width): . + (" " * ([$width - length, 0] | max));
def aligned_left:
  (transpose | map(map(length) | max)) as $widths
  | .[] | to_entries | map($widths[.key] as $width | .value | left($width)) | join("  ") | stripped;

def row($reporter; $what; $as_if; $ratio; $ci):
  [$what, $reporter.name, ($reporter.value | value_text($reporter.unit)), ($reporter.quiet | value_text($reporter.unit)),
   ($ratio | ratio_text($ci)), $as_if];

visible_all
| . as $probe
| (.confidence | confidence_text) as $level
| ([.resources[].reporter] | unique) as $witnesses
| "\(.host), \(.made), \(.duration_s | if . == null then "-" else time_text end), place \(.place)"
  + (if .reference then "; reference of \(.reference.made)" else "" end),
  "",
  ([["resource", "reporter", "now", "quiet", "worse by [\($level)]", "as if this ran here [\($level)]"]]
   + [.resources[] | . as $resource
      | [$probe.reporters[] | select(.name == $resource.reporter)][0] as $reporter
      | if $reporter == null then [.resource, "-", "-", "-", "-", as_if_text]
        else row($reporter; .resource; as_if_text; $reporter.ratio; $reporter.ci) end]
   + [.reporters[] | select(.name | IN($witnesses[]) | not) | row(.; "-"; "-"; .ratio; .ci)]
   | aligned_left),
  "",
  (.reporters[] | select(.reason != null) | "\(.name): \(.reason)"),
  any_text,
  (.kernel | kernel_text),
  activity_text,
  (.verdicts[] | verdict_text),
  (.expect | values | expect_text),
  (.at_most | values | "--at-most \(.limit): \(.state)" + (if .left_out == [] then "" else " (not judged: \(.left_out | join(", ")))" end)),
  (.reasons[] | "note: \(.)")
