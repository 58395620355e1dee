# A table over the time for each host. Reads what `blame --show` prints.
# files: .txt
#
# $width: columns; $colour: escape codes or not.
include "lib/visible";
include "blame/format/history";
include "report/numbers";
include "lib/jq15";

def styled($style): if $colour then "\u001b[\($style)m\(.)\u001b[0m" else . end;
visible_all
| (.hosts[]
 | head_text, "",
   ([titles, units] + [.rows[] | texts] | [aligned] | (.[0] | styled("1")), .[1:][]), "",
   culprit_lines),
(select(.cut) | "note: a record was cut off: a watch was killed, or the disk was full"),
key_text
