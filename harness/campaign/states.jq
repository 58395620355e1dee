# How the cells of a plan stand. Input: the text of all status.json, one a line
# (broken ones are passed over). $plan: a jostle.campaign/1, slurped.
# $retry: empty, or cells whose target failed are to be measured again.
# Output: for each cell {number, name, target, state, todo, ...}: todo, is it to be
# measured now? state is as in jostle.status/1, or waiting (nothing yet), changed (measured by another
# definition), limits (the same experiment, but with other limits).
def limits: with_entries(select(.key | IN("error", "confidence", "min-runs", "max-runs", "max-time", "metric", "at-most")));

([split("\n")[] | fromjson? | objects | { (.cell): . }] | add // {}) as $status
| [$plan[0].cells[]
  | . as $cell | $status[.name] as $s
  | { number, name, target, label: .label, condition, key,
      state: (if $s == null then "waiting" elif $s.key != .key then "changed"
        elif $s.state == "done" and $s.limits != ($cell.settings | limits) then "limits" else $s.state end),
      status: $s }
  | .todo = (.state != "done" and (.state != "failed" or $retry != ""))]
