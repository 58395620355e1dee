# A table for each part. Reads what `bench --show` prints.
# files: .txt
#
# $width: columns, 0 for any; $colour: escape codes or not.
include "lib/visible";
include "bench/format/bench";
include "lib/jq15";

def styled($style): if $colour then "\u001b[\($style)m\(.)\u001b[0m" else . end;
def blanks: if . < 1 then "" else " " * . end;
def padded($column):
  ($column.width - length | blanks) as $blanks
  | if $column.left then . + $blanks else $blanks + . end;

# Columns as wide as their texts. Where it is narrow those with the highest rank are left out.
def fitted($rows):
  def total: (map(.width + 2) | add) - 2;
  map(.key as $key | .width = ([(.title | length), ($rows[] | cell_text($key) | length)] | max))
  | until($width == 0 or total <= $width or all(.[]; .rank == 0); (map(.rank) | max) as $last | map(select(.rank != $last)));

def table:
  (.rows | begun) as $rows
  | columns as $all
  | ($all | fitted($rows)) as $columns
  | ($all | map(.title) - ($columns | map(.title))) as $left_out
  | select($rows != [])
  | ([$columns[] | . as $column | .title | padded($column)] | join("  ") | stripped | styled("4")),
    ($rows[] | . as $row | [$columns[] | . as $column | $row | cell_text($column.key) | padded($column)] | join("  ") | stripped),
    (if $left_out == [] then empty else "  not shown on so narrow a terminal: \($left_out | join(", "))" end);

visible_all
| head_text, "",
(.parts[] | select(.rows != [])
 | (.title | styled("1")), table, ([finding_texts, reason_texts, few_lines] | .[] | "  " + .), ""),
key_text
