# A table for each part, in Markdown. Reads what `bench --show` prints.
# files: .md .markdown
include "bench/format/bench";
include "report/markdown";
include "lib/visible";
include "lib/jq15";

"# Bench", "", (head_text | md), "",
(.parts[] | select(.rows != [])
 | . as $part | columns as $columns
 | "## \(.title | md)", "",
   ($columns | [.[].title | md] | line), ([$columns[] | if .left then ":--" else "--:" end] | line),
   ($part.rows | begun[] | . as $row | [$columns[] | .key as $key | $row | cell_text($key) | figure_md] | line), "",
   (([finding_texts, reason_texts, .texts.lines[]] | select(. != []) | (.[] | "- " + md), "")),
   empty),
(key_text | md)
