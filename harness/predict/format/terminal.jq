# The table for a terminal.
include "lib/visible";
include "predict/format/predict";
include "report/numbers";
include "lib/jq15";

def row: [.a, neighbours, .place, (.slowdown | times) + (if is_forced then " ?" else "" end), (.ci | interval_text), (.measured | if . == null then "" else "\(.slowdown | times) \(.ci | interval_text)" end), parts];
def title: ["program", "beside", "place", "slowdown", "interval", "measured", "carried by"];
# Without the column that nothing is in.
def trimmed: . as $rows | [range(0; $rows[0] | length) as $i | select(any($rows[1:][]; .[$i] != "")) | $i] as $kept | map([.[$kept[]]]);
def padded:
  (transpose | map(map(length) | max)) as $widths
  | .[] | to_entries | map(.value + (" " * ($widths[.key] - (.value | length)) // "")) | join("  ") | stripped;

visible_all
| ([.predictions[] | select(.slowdown != null or .measured != null) | row] | if . == [] then empty else [title] + . | trimmed | padded end),
(without_number | if . == [] then empty else "No number:", (reason_lines | "  " + .) end),
([.predictions[] | select(is_forced)] | if . == [] then empty else "?  shown by --force:", (reason_lines | "  " + .) end),
(interval_words, check_words | select(. != "")),
(.programs[] | . as $program | .reasons[] | "\($program.name): \(.)")
