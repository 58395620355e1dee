# The main table of each target, for formats that are little else. They include this file.
include "report/rows";

# The rows that `inputs` gives -> {title, columns: [{title, left}], rows: [[text]]}, one after the other.
def plain_tables($head):
  def one($title; $columns; $rows): { $title, columns: ($columns | map({ title, left: (.left // false) })), rows: ($rows | map(.texts as $texts | [$columns[] | $texts[.key] // "-"])) };
  by_target
  | . as $rows
  | if .[0].variants == null then one(.[0].target; $head.columns.cells; .)
    else .[] | .variants // empty | (.title as $title | .tables[] | one($title; .columns; .rows)) end;
