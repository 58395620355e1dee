# A profile in Markdown.
# files: .md
include "report/numbers";
include "profile/texts";

def cell: gsub("\\|"; "\\|");
def table: .[0] as $head | ($head, ($head | map("---")), .[1:][]) | "| " + (map(cell) | join(" | ")) + " |";

"# Profile of \(.program.name)",
"",
"`\(.program.words | words)` on \(.machine.host), neighbours at the place \(.place) (program on CPUs \(.cpus.target), neighbours on \(.cpus.loads)), measured until \(.made) with jostle \(.jostle).",
"",
"- \(alone_text)",
"- \(neighbour_text)",
"",
"## Slowdown by kind and level of load",
"",
([sensitivity_rows] | table),
"",
"## Pressure on neighbours",
"",
(if .pressure.levels != [] then ([level_titles, pressure_rows] | table), "" else empty end),
(if .pressure.reporters != [] then ([reporter_titles, reporter_rows] | table), "" else empty end),
(if .reasons != [] then "What could not be told, or may be off:", "", (.reasons[] | "- " + .), "" else empty end),
legend
