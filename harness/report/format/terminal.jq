# A table for each target, in colour unless NO_COLOR=1.
# files: .txt
# reads: rows
#
# $width: columns, 0 for any; $colour: escape codes or not; $verbose: notes, too.
include "report/rows";
include "lib/jq15";

def styled($style): if $colour and $style != null then "\u001b[\($style)m\(.)\u001b[0m" else . end;
def blanks: if . < 1 then "" else " " * . end;

def style_of($row):
  if . == "slowdown" and ($row | has("slower")) then (if $row.slower == null then null elif $row.slower then "1" else "2" end)
  elif . == "verdict" then (if ["slower", "worse"] | index($row.texts.verdict) then "31" elif ["faster", "better"] | index($row.texts.verdict) then "32" else null end)
  elif . == "slowdown" or . == "ratio" or . == "change" then (if $row.distinguishable == null then null elif $row.distinguishable then "1" else "2" end)
  elif . == "achieved" and ($row.texts.achieved | endswith(" (short)")) then "33"
  elif . == "problems" then "33" else null end;

# Columns as wide as their texts. Where it is narrow those with the highest rank
# are left out, and the first is cut.
def fitted($rows):
  def total: (map(.width + 2) | add) - 2;
  map(.key as $key | . + { width: ([.title, $rows[].texts[$key] | length] | max) })
  | until($width == 0 or total <= $width or all(.[]; .rank == 0); (map(.rank) | max) as $last | map(select(.rank != $last)))
  | (total - $width) as $over
  | if $width > 0 and $over > 0 then .[0].width = ([.[0].width - $over, 8] | max) else . end
  | map(.blanks = (.width | blanks));

# Text as wide as its column; a style is no part of the width.
def padded($column; style):
  length as $length
  | if $length > $column.width then .[:$column.width - 1] + "…" | styled(style)
    else $column.blanks[$length:] as $blanks
    | styled(style)
    | if $column.left then . + $blanks else $blanks + . end end;


# Rows -> their table. What only some tables have is left out where no row has it.
def table($columns; $findings):
  map(.texts.problems = marks($findings)) as $rows
  | ($columns + [{ key: "problems", title: "problems", left: true, rank: 0 }]
     | map(.key as $key | select(($key != "problems" or $findings != []) and ((["slowdown", "ratio", "loaded", "of_alone", "mean"] | index($key) | not) or any($rows[]; .texts[$key] != "-" and .texts[$key] != "1"))))
     | fitted($rows)) as $fitted
  | ([$fitted[] | . as $column | .title | padded($column; "4")] | join("  ") | stripped),
    ($rows[] | . as $row | [$fitted[] | . as $column | $row.texts[.key] | padded($column; $column.key | style_of($row))] | join("  ") | stripped);

# Rows of metrics other than the wall time -> their table.
def metric_table($columns): if . == [] then empty else "", (map(.problems = []) | table($columns; [])) end;

# The tables of an experiment's variants, and what they say in words.
def variant_tables($findings):
  .variants // empty
  | (.tables[] | .rows as $rows | [.columns[] | select(.key != "achieved" or any($rows[]; .texts.achieved != "-"))] as $columns | $rows | table($columns; $findings), ""),
    (.changes | select(.rows != []) | .columns as $columns | .rows | table($columns; []), ""),
    .lines[], "";
def protection_table: .protection // empty | (.columns as $columns | (([.rows[].texts.load] | unique | length) == 1) as $one | ($columns | if $one then map(select(.key != "load")) else . end) as $shown | .rows | table($shown; [])), "", .lines[], "";
def capacity_table: .capacity // empty | (.columns as $columns | .rows | table($columns; [])), "", .lines[], "";

def numbered($findings): range(0; $findings | length) as $i | "\($i + 1) \($findings[$i] | marked_text)";
def note_lines: findings("notes") | if $verbose then .[] | finding_text else empty end;
def notes: [.[].notes[]] | length;

def target_table($columns):
  findings("problems") as $findings
  | (.[0].target | styled("1")), table($columns.cells; $findings), ([.[].metrics[]] | metric_table($columns.cell_metrics)),
    (.[] | select(.variants != null) | "", .variants.title, ([variant_tables($findings)][:-1][])),
    (.[] | select(.capacity != null) | "", .capacity.title, ([capacity_table][:-1][])),
    (.[] | select(.protection != null) | "", .protection.title, ([protection_table][:-1][])),
    (numbered($findings), ([.[].floor // empty] | unique[]), .[].lines[], note_lines | "  " + .),
    "";

def section($title; lines): [lines] | if . == [] then empty else ($title | styled("1")), (.[] | "  " + .), "" end;

def rest($head):
  $head.texts
  | section("between nodes"; .between[]), section("not done"; .waiting[]), section("warnings"; .warnings[]);

# A command line to be pasted: where it is wider than the terminal it continues behind a backslash.
def pasted: if $width > 0 and length + 8 > $width then sub(" --load "; " \\\n    --load ") | sub(" -- "; " \\\n    -- ") else . end;

# One experiment: as jostle slowdown ends. The answer first, then the table that it is from; what
# statistics have to say besides is for those who ask (--verbose).
def experiment($head):
  def when_verbose(lines): if $verbose then lines else empty end;
  $head.experiment
  | .rows as $rows
  | ([$rows[] | select(.texts != null)]) as $conditions
  | ($rows | findings("problems")) as $findings
  | ($head.columns.conditions | if $verbose then . else map(select(.key | IN("mean", "variance") | not)) end) as $columns
  | (.answers + (.variants.lines? // []) + .first) as $answers
  | (.command | styled("1")), when_verbose(.where), (.placed // empty), "", $answers[], (if $answers == [] then empty else "" end),
    if .variants != null then (.variants.lines = [] | variant_tables($findings))
    elif .capacity != null then capacity_table
    elif .protection != null and ($verbose | not) then protection_table
    else protection_table, ($conditions | table($columns; $findings)), (.metrics | metric_table($head.columns.condition_metrics)), "" end,
    (if .protection != null and ($verbose | not) then empty else .lines[] end), (if $verbose then .details[] elif .protection != null then empty else .outliers[] end),
    ($rows | numbered($findings), note_lines),
    ($rows | if $verbose then empty else notes | notes_count end),
    when_verbose(family_text($head), unseen_text($head), "\(key_text($head)); \(memory_text($head))."),
    ([(.next // empty | "closer: " + pasted), (.protect // empty | "protect: " + pasted)] | if . == [] then empty else "", .[] end);

def campaign($head):
  ($head.texts | "\(.name | styled("1")): \(.totals)", (.answer // empty), (.hosts[] | "on " + .), ""),
  (foreach (by_target, null) as $rows ({ notes: 0 };
     if $rows == null then .rows = null else .rows = $rows | .notes += ($rows | notes) end;
     if .rows != null then .rows | target_table($head.columns)
     else rest($head), (if $verbose then empty else .notes | notes_count end), family_text($head), unseen_text($head) end)),
  "\(key_text($head)); runs are those alone + under load; a → b is alone → under load; \(memory_text($head)).";

. as $head
| if $head.experiment != null then experiment($head), ([rest($head)] | if . == [] then empty else "", .[:-1][] end), (inputs | empty) else campaign($head) end
