# A matrix for each place, in Markdown.
include "predict/format/predict";
include "report/markdown";
include "report/numbers";
include "lib/visible";
include "lib/jq15";

def cell:
  if . == null then ""
  elif .slowdown == null then "no number"
  else "**\(.slowdown | times)** \(.ci | interval_text)\(if is_forced then " ?" else "" end)"
  end
  + (if .measured == null then "" else "<br>measured \(.measured.slowdown | times) \(.measured.ci | interval_text)" end);
def escaped: put("|"; "\\|");

visible_all
| . as $all
| "## Predicted slowdown beside a neighbour", "",
  (places[] as $place
   | ($all | columns_of($place)) as $columns
   | "Victims by rows, aggressors by columns, \($place | place_words) (`\($place)`):", "",
     "| | \($columns | map(md) | join(" | ")) |",
     "| --- |\($columns | map(" ---: |") | join(""))",
     ($all | names_in_order($place)[] as $row | "| **\($row | md)** | \([$columns[] as $column | $all | cell_of($place; $row; $column) | cell | escaped] | join(" | ")) |"),
     ""),
  (interval_words, check_words | select(. != "") | ., ""),
  (without_number | if . == [] then empty else "Without a number:", "", (reason_lines | "- " + md), "" end),
  ([.predictions[] | select(is_forced)] | if . == [] then empty else "Marked ?, shown by `--force`:", "", (reason_lines | "- " + md), "" end)
