# jostle.plan/1 -> the table for people. $probed: each target was run once.
include "lib/text";

def estimate:
  if . == null then "?" elif .high - .low <= 0.1 * .high then "about \((.low + .high) / 2 | duration)"
  else "\(.low | duration) to \(.high | duration)" end;
def state: if .state == "done" then "done" elif .todo then (if .state == "waiting" then "" else .state end) else .state end;

visible_all
| ([["cell", "number", "state", "time"]] + [.cells[] | [.name, "\(.number)", state, (if .todo then .estimate_s | estimate elif .spent_s then "took \(.spent_s | duration)" else "" end)]] | aligned),
"",
([.cells[].session // 1] | unique | length) as $sessions
| (.total
  | "\(.cells) cells\(if $sessions > 1 then " in \($sessions) sessions" else "" end), \(.todo) to be measured"
  + (if .todo == 0 then "" elif .todo == .unknown then ": nothing is known of their time" + (if $probed then "" else ": --probe runs each target once" end)
     else ": " + ({ low: .low_s, high: .high_s } | estimate) + (if .unknown > 0 then ", and \(.unknown) of which nothing is known" + (if $probed then "" else " (see --probe)" end) else "" end) end))
