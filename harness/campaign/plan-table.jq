# jostle.plan/1 -> the table for people. $probed: each target was run once.
include "report/document";
include "lib/text";

def state: if .state == "done" then "done" elif .todo then (if .state == "waiting" then "" else .state end) else .state end;
def time: if .todo then .texts.estimate_s elif .spent_s then "took \(.texts.spent_s)" else "" end;
def probe_hint($hint): if $probed then "" else $hint end;
def forecast:
  if .todo == 0 then ""
  elif .todo == .unknown then ": nothing is known of their time" + probe_hint(": --probe runs each target once")
  else ": " + .texts.time
    + (if .unknown > 0 then ", and \(.unknown) of which nothing is known" + probe_hint(" (see --probe)") else "" end) end;

visible_all
| { columns: [["cell", true], ["number", false], ["state", false], ["time", false] | { title: .[0], left: .[1], rank: 0 }],
    rows: [.cells[] | [.name, "\(.number)", state, time]], folds: true },
  ({ tight: true,
     p: (([.cells[].session // 1] | unique | length) as $sessions
       | .total | "\(.cells) cells\(if $sessions > 1 then " in \($sessions) sessions" else "" end), \(.todo) to be measured" + forecast) })
| block_text({ $width, $colour })
