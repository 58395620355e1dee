# What `bench --forecast` prints -> how many cells there are and how long they take; $each: a line for each.
def cell: "  \(.cell)  " + (if .skip != null then "skipped: \(.skip)" elif .of != null then "of the runs of \(.of)" else .texts.time end);

[.parts[] | select(.cells != [])] as $parts
| (if $each then $parts[] | .title, (.cells[] | cell) else empty end),
  (if .cells == 0 then "nothing to measure"
   else "\(.cells) cell\(if .cells == 1 then "" else "s" end) of \([$parts[].title] | join(", ")), \(.texts.time)" end)
