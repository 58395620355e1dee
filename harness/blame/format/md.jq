# Tables over the time in Markdown. Reads what `blame --show` prints.
# files: .md .markdown
include "blame/format/history";
include "report/markdown";
include "report/numbers";
include "lib/visible";
include "lib/jq15";

(.hosts[]
 | "# \(.victim | md)", "", (head_text | md), "",
   ([titles, units] | transpose | map(.[0] + (if .[1] == "" then "" else ", \(.[1])" end)) | line),
   ([titles[] | "--:"] | line),
   (.rows[] | texts | map(md) | line), "",
   (culprit_lines | "- " + md), ""),
(select(.cut) | "- note: a record was cut off: a watch was killed, or the disk was full", ""),
(key_text | md)
