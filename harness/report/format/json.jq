# The model that all formats are made of (jostle.report/1).
# files: .json
# reads: model

# One document; each cell is on a line of its own, so that diff can compare two.
include "lib/text";

. as $head
| ($head | tojson | json_text | rtrimstr("}")) + ",\"cells\":[",
  foreach (inputs, null) as $cell (null;
    { last: .cell, $cell };
    if .last == null then empty elif .cell == null then .last | tojson | json_text else (.last | tojson | json_text) + "," end),
  "]}"
