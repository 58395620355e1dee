# A profile in Markdown.
# files: .md
include "report/markdown";
include "profile/texts";
include "lib/visible";
include "report/numbers";
include "lib/jq15";

def table: .[0] as $head | ($head, ($head | map("---")), .[1:][]) | "| " + (map(md) | join(" | ")) + " |";

visible_all
| "# Profile of \(.program.name | md)",
"",
"`\(.program.words | words | put("`"; "'"))` on \(.machine.host), neighbours at the place \(.place) (program on CPUs \(.cpus.target), neighbours on \(.cpus.loads)), measured until \(.made) with jostle \(.jostle).",
"",
"- \(alone_text | md)",
"- \(neighbour_text | md)",
"",
"## Slowdown by kind and level of load",
"",
([sensitivity_rows] | table),
"",
"## Pressure on neighbours",
"",
(if .pressure.reporters != [] then ([reporter_titles, reporter_rows] | table), "" else empty end),
(if .reasons != [] then "What could not be told, or may be off:", "", (.reasons[] | "- " + md), "" else empty end),
legend
