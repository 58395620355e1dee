# bench-plan.json -> how many cells there are and how long they take; $each: a line for each;
# $only: a shell pattern of those that are chosen.
include "lib/jq15";
def duration: if . >= 7200 then "\((. / 360 | round) / 10) h" elif . >= 120 then "\(. / 60 | round) min" else "\(. | ceil) s" end;
def regex: gsub("(?<c>[.+(){}^$|\\\\])"; "\\\(.c)") | gsub("\\[!"; "[^") | gsub("\\*"; ".*") | gsub("\\?"; ".") | "^\(.)$";
def range_text: [.least, .most | duration] | if .[0] == .[1] then .[0] else join(" to ") end;

($only | regex) as $regex
| [.parts[] | .cells |= [.[] | select(.cell | test($regex))] | select(.cells != [])] as $parts
| ([$parts[].cells[] | select(.least_s != null)] | { count: length, least: (map(.least_s) | add), most: (map(.most_s) | add) }) as $sum
| (if $each then $parts[] | .title, (.cells[] | "  \(.cell)  " + (if .skip != null then "skipped: \(.skip)" elif .of != null then "of the runs of \(.of)" else { least: .least_s, most: .most_s } | range_text end)) else empty end),
  if $sum.count == 0 then "nothing to measure" else "\($sum.count) cell\(if $sum.count == 1 then "" else "s" end) of \([$parts[].title] | join(", ")), \($sum | range_text)" end
