# What `bench --forecast` prints -> how many cells there are and how long they take; $each: a line for each.
include "lib/text";
def duration: if . >= 7200 then "\((. / 360 | round) / 10) h" elif . >= 120 then "\(. / 60 | round) min" else "\(. | ceil) s" end;
def range_text: [.least_s, .most_s | duration] | if .[0] == .[1] then .[0] else join(" to ") end;

[.parts[] | select(.cells != [])] as $parts
| (if $each then $parts[] | .title, (.cells[] | "  \(.cell)  " + (if .skip != null then "skipped: \(.skip)" elif .of != null then "of the runs of \(.of)" else range_text end)) else empty end),
  if .cells == 0 then "nothing to measure" else "\(.cells) cell\(if .cells == 1 then "" else "s" end) of \([$parts[].title] | join(", ")), \(range_text)" end
