# A table for each part. Reads what `bench --show` prints.
# files: .txt
#
# $colour: escape codes or not.
include "bench/format/bench";

def styled($style): if $colour then "\u001b[\($style)m\(.)\u001b[0m" else . end;
def blanks: if . < 1 then "" else " " * . end;
def padded($column):
  ($column.width - length | blanks) as $blanks
  | if $column.left then . + $blanks else $blanks + . end;
def trimmed: sub(" +$"; "");

def table:
  . as $part
  | [columns[] | .key as $key | .width = ([(.title | length), ($part.rows[] | cell_text($key) | length)] | max)] as $columns
  | ([$columns[] | . as $column | .title | padded($column)] | join("  ") | trimmed | styled("4")),
    (.rows[] | . as $row | [$columns[] | . as $column | $row | cell_text($column.key) | padded($column)] | join("  ") | trimmed);

head_text, "",
(.parts[] | select(.rows != [])
 | (.title | styled("1")), table, ([finding_texts, reason_texts, few_lines] | .[] | "  " + .), ""),
key_text
