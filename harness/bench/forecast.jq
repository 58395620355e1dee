# bench-plan.json -> how many cells there are and how long they take; $each: a line for each.
def duration: if . >= 7200 then "\((. / 360 | round) / 10) h" elif . >= 120 then "\(. / 60 | round) min" else "\(. | ceil) s" end;

(if $each then .parts[] | "\(.title)", (.cells[] | "  \(.cell)  " + (if .skip != null then "skipped: \(.skip)" else "\(.least_s | duration) to \(.most_s | duration)" end)) else empty end),
"\(.cells) cells of \([.parts[].title] | join(", ")), \(.least_s | duration) to \(.most_s | duration)"
