# Cells, a line each -> tables for a terminal. $heads: the model without cells;
# $width: columns, 0 for any; $colour: escape codes or not.
include "format";
include "report/words";
include "report/rows";

def styled($style): if $colour and $style != null then "\u001b[\($style)m\(.)\u001b[0m" else . end;

# Columns in order; those with a rank may be left out where it is narrow, the
# highest rank first.
def columns($level):
  [ { key: "program", title: "program", left: true }, { key: "load", title: "load", left: true }, { key: "runs", title: "runs", rank: 1 },
    { key: "alone", title: "alone (mean ± \($level))", rank: 3 }, { key: "loaded", title: "under load", rank: 2 },
    { key: "slowdown", title: "slowdown [\($level)]" },
    { key: "user", title: "user", rank: 5 }, { key: "system", title: "system", rank: 6 }, { key: "memory", title: "memory", rank: 7 },
    { key: "achieved", title: "load achieved", rank: 4 }, { key: "notes", title: "notes", left: true } ];

def style_of($cell):
  if .key == "slowdown" then
    (if $cell.slowdown == null then null elif $cell.slowdown.distinguishable then "1" else "2" end)
  elif .key == "achieved" and ($cell.achieved.short // false) then "33"
  elif .key == "notes" then "33" else null end;

def fitted($rows):
  . as $columns
  | map(.key as $key | . + { width: ([.title | length] + [$rows[].texts[$key] | length] | max) })
  | until($width == 0 or (map(.width + 2) | add) - 2 <= $width or all(.[]; .rank == null);
      (map(.rank // 0) | max) as $last | map(select((.rank // 0) != $last)))
  | ((map(.width + 2) | add) - 2 - $width) as $over
  | if $width > 0 and $over > 0 then map(if .key == "program" then .width = ([.width - $over, 8] | max) else . end) else . end;

def padded($column; $style):
  (if length > $column.width then .[:$column.width - 1] + "…" else . end) as $text
  | (" " * ($column.width - ($text | length)) // "") as $pad
  | ($text | styled($style)) as $text
  | if $column.left then $text + $pad else $pad + $text end;

def table:
  . as $cells
  | legend as $legend
  | [.[] | { cell: ., texts: (texts + { notes: marks($legend) }) }] as $rows
  | (columns($cells[0] | confidence_text) | map(select(.key != "notes" or $legend != [])) | fitted($rows)) as $columns
  | ($cells[0].target | visible | styled("1")),
    ([$columns[] as $column | $column.title | padded($column; "4")] | join("  ") | sub(" +$"; "")),
    ($rows[] | . as $row | [$columns[] as $column | $row.texts[$column.key] | padded($column; $column | style_of($row.cell))] | join("  ") | sub(" +$"; "")),
    ($legend[] | "  \(.number) \(.flag): \(.words)"),
    ($cells | stars[], noise_floors[], other_slowdowns[], attributions[] | "  " + .),
    "";

def section($title; lines): [lines] | if . == [] then empty else ($title | styled("1")), (.[] | "  " + .), "" end;

$heads[0] as $head
| ($head | "\(.name | visible | styled("1")): \(totals_text)", (.hosts[] | "on " + host_line), ""),
(by_target(slim) | table),
($head
 | section("between nodes"; .between_hosts[] | between_line),
   section("not done"; .waiting[] | waiting_line),
   section("warnings"; .warnings[].message | visible)),
"± and [ ] are confidence intervals; runs are those alone + under load; a → b is alone → under load; memory is the peak of the largest process."
