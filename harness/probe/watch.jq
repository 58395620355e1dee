# A jostle.probe/1 a line -> a line each, or, with $live, the screen drawn anew.
include "lib/visible";
include "probe/probe";
include "report/numbers";
include "lib/jq15";

def level_text: "\(.name) " + (if .level == null then "-" elif .seen then "\(.level | percent_of) % \(.ci | percents)" else "- \(.ci | percents)" end);
def line: "\(.made[11:19])  " + ([.resources[] | select(.level != null) | level_text] | if . == [] then "no levels" else join("  ") end)
  + "  others \(.kernel.foreign_cpus | fixed(2)) CPUs" + (if .expect then "; " + (.expect | expect_text) else "" end);
def live:
  "\u001b[H\u001b[2J\(.host), \(.made), own CPU \(.kernel.own_cpus | share_text); Ctrl-C ends it",
  "",
  (.resources[] | "\(.resource): \(as_if_text)"),
  "",
  (.reporters[] | select(.ratio != null) | "\(.name): \(.value | value_text(.unit // "")), worse by \(.ratio | fixed(2))"),
  "",
  (.kernel | kernel_text),
  (.verdicts[] | verdict_text),
  (.expect | values | expect_text),
  (.reasons[] | "note: \(.)");
visible_all
| if $live != "" then live else line end
