# Tables over the time in Markdown. Reads what `probe --show` prints.
# files: .md .markdown
include "probe/format/history";
include "report/markdown";
include "report/numbers";
include "lib/visible";
include "lib/jq15";

(.hosts[] | . as $host
 | "# \(.host | md)", "", (head_text | md), "",
   ([titles, units] | transpose | map(.[0] + (if .[1] == "" then "" else ", \(.[1])" end)) | line),
   ([titles[] | "--:"] | line),
   (.rows[] | texts($host) | map(md) | line), "",
   (kind_lines | "- " + md), ""),
(select(.cut) | "- note: a record was cut off: a watch was killed, or the disk was full", ""),
(key_text | md)
