# The states of all cells (input; `held`: measured by a living process) -> lines of
# values with \u0001 between: what watch.bash draws.
# $now: seconds since the epoch.
def seconds: fromdateiso8601;
def live: .state == "running" and .held;
def stale: .state == "running" and (.held | not);
def mean: if length == 0 then null else add / length end;

. as $cells
| ([.[] | select(.state == "done") | { target, spent: .status.spent_s }]) as $done
| ($done | group_by(.target) | map({ (.[0].target): (map(.spent) | mean) }) | add // {}) as $by_target
| ($done | map(.spent) | mean) as $all
# What a cell still takes, if anything is known.
| def left: if live and (.status.expected_runs // 0) > 0 and .status.runs > 0
      then .status.spent_s * ([.status.expected_runs - .status.runs, 0] | max) / .status.runs
    elif .state == "done" or .state == "failed" then 0
    else $by_target[.target] // $all end;
  { total: length, done: (map(select(.state == "done")) | length), failed: (map(select(.state == "failed")) | length),
    running: (map(select(live)) | length), stale: (map(select(stale)) | length),
    waiting: (map(select(.state != "done" and .state != "failed" and .state != "running")) | length) } as $n
| [.[] | left] as $left
| ([.[] | select(live)] | length) as $at_once
| ["total", $n.done + $n.failed, $n.total, $n.done, $n.failed, $n.running, $n.waiting, $n.stale,
    (if any($left[]; . == null) or $at_once == 0 then "" else ($left | add) / $at_once | round end)],
  (.[] | select(live) | ["running", .name, .status.host, .status.runs, .status.error // "", .status.asked_error, (.status.expected_runs // ""), ($now - (.status.updated | seconds))]),
  (.[] | select(stale) | ["stale", .name, .status.host, .status.updated]),
  (.[] | select(.state == "failed" or (.state == "interrupted" and .status.reason)) | [.state, .name, .status.reason])
| map(tostring) | join("\u0001")
