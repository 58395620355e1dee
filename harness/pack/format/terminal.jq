# A table, and the answers below it. Reads what `pack --show` prints.
# files: .txt
#
# $width: columns, 0 for any; $colour: escape codes or not.
include "lib/visible";
include "pack/format/pack";
include "lib/jq15";

def styled($style): if $colour then "\u001b[\($style)m\(.)\u001b[0m" else . end;
def blanks: if . < 1 then "" else " " * . end;
def padded($column):
  ($column.width - length | blanks) as $blanks
  | if $column.left then . + $blanks else $blanks + . end;

# Columns as wide as their texts. Where it is narrow those with the highest rank are left out.
def fitted($rows):
  def total: (map(.width + 2) | add) - 2;
  map(.key as $key | .width = ([(.title | length), ($rows[] | .texts[$key] | length)] | max))
  | until($width == 0 or total <= $width or all(.[]; .rank == 0); (map(.rank) | max) as $last | map(select(.rank != $last)));

visible_all
| .rows as $rows
| (.columns | fitted($rows)) as $columns
| head_text, "",
  (select($rows != [])
   | ([$columns[] | . as $column | .title | padded($column)] | join("  ") | stripped | styled("4")),
     ($rows[] | . as $row | [$columns[] | . as $column | $row.texts[$column.key] | padded($column)] | join("  ") | stripped), ""),
  .lines[], "",
  (.findings[] | select(.severity == "problem") | "problem: \(finding_text)"),
  (note_flags | if . == [] then empty else "notes: \(join(", ")) (--format md or json shows them)" end),
  key_text
