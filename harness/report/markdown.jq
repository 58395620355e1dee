# Shared by the formats that are Markdown.
include "lib/visible";
include "lib/jq15";

# Text of users as it is: no mark-up, no HTML, no end of a table cell.
def md:
  visible
  | if test("[&<>\\\\`*_{}\\[\\]#|~$!]") then put("&"; "&amp;") | put("<"; "&lt;") | put(">"; "&gt;")
    | reduce ("\\`*_{}[]#|~$!" | split("")[]) as $mark (.; put($mark; "\\" + $mark)) else . end;
# A figure, whose unit may be a user's: brackets are those of its interval.
def figure_md: md | put("\\["; "[") | put("\\]"; "]");

def line: "| " + join(" | ") + " |";
def heading($titles; $left): ($titles | line), ([range(0; $titles | length) | if . < $left then ":--" else "--:" end] | line);
def bold($sure): if $sure then "**\(.)**" else . end;

# {columns, rows}: titles and figures come from one list, by their keys. Columns say what is text;
# $bold: keys of what is bold where it is distinguishable.
def any_table($bold):
  .columns as $columns
  | [$columns[] | select(.left).key] as $left
  | ($columns | sort_by(.left | not)) as $sorted
  | heading([$sorted[].title | figure_md]; $left | length),
    (.rows[] | . as $row | [$sorted[] | .key as $key | $row.texts[$key] | if $bold | index($key) then bold($row.distinguishable) elif $left | index($key) then md else figure_md end] | line), "";
def any_table: any_table(["ratio", "change"]);
def variant_tables: .variants // empty | "### \(.title | md)", "", (.tables[] | any_table), (.changes | select(.rows != []) | any_table), (.lines[] | "- " + md), "";
def capacity_table: (.capacity, .protection) // empty | "### \(.title | md)", "", any_table, (.lines[] | "- " + md), "";
