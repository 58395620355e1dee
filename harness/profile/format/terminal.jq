# A profile as tables for a terminal.
# files: .txt
#
# $colour: escape codes or not
include "lib/visible";
include "profile/texts";
include "report/numbers";
include "lib/jq15";

def bold: if $colour then "\u001b[1m\(.)\u001b[0m" else . end;

# rows -> lines, all columns to the left
def left:
  (transpose | map(map(length) | max)) as $widths
  | .[] | to_entries | map(.value + (" " * ($widths[.key] - (.value | length)) // "")) | join("  ") | stripped;

visible_all
| (.program.words | words | bold),
"on \(.machine.host), neighbours at the place \(.place): program on CPUs \(.cpus.target), neighbours on \(.cpus.loads); \(.made)",
alone_text,
"",
([sensitivity_rows] | left),
"",
neighbour_text,
(if .pressure.reporters != [] then "", ([reporter_titles, reporter_rows] | left) else empty end),
(if .reasons != [] then "", "What could not be told, or may be off:", (.reasons[] | "- " + .) else empty end),
"",
legend
