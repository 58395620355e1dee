# A table and the answers in Markdown. Reads what `pack --show` prints.
# files: .md .markdown
include "pack/format/pack";
include "report/markdown";
include "lib/visible";
include "lib/jq15";

.columns as $columns
| "# Pack", "", (head_text | md), "",
  (if .rows == [] then empty else
     ($columns | [.[].title | md] | line), ([$columns[] | if .left then ":--" else "--:" end] | line),
     (.rows[] | . as $row | [$columns[] | .key as $key | $row.texts[$key] | figure_md] | line), "" end),
  (.lines[] | "- " + figure_md), "",
  (.findings | if . == [] then empty else (.[] | "- \(if .severity == "problem" then "**problem**" else "note" end) \(.flag): \(finding_text | md)"), "" end),
  (key_text | figure_md)
