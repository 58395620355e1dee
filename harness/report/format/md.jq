# Markdown: the tables, and slowdown by level.
# files: .md .markdown
# reads: rows
include "report/rows";
include "report/document";
include "lib/text";

# Columns of a list, without that of plain quotients where no row has one.
def columns_for($rows): map(select(.key != "of_alone" or any($rows[]; .texts.of_alone != "-")));

def summary_table($head):
  findings("problems") as $findings
  | split_names($head) as $names
  | . as $rows
  | { columns: ($head.columns.cells | columns_for($rows) | split_columns($names)
    + [{ key: "problems", title: "problems", left: false }]), rows: map(.texts.problems = marks($findings) | split_row($names)) }
  | any_table(["slowdown"]),
    (range(0; $findings | length) as $i
      | "\($i + 1). \($findings[$i].flag | code_md)\($findings[$i] | marked_where + ": " + .text | md)"), "",
    (($rows | [.[].floor // empty] | unique[]), $rows[].lines[] | "- " + md), "";

def metric_table($head):
  split_names($head) as $names
  | [.[] | { target, variant, parameters } as $of | .metrics[] | . + $of | split_row($names)] | select(. != []) | . as $rows
  | { columns: ($head.columns.cell_metrics | columns_for($rows) | split_columns($names)), $rows } | any_table(["ratio"]);

def mean_table($head):
  split_names($head) as $names
  | heading(["program", ($names[] | md), "load", "runs"]
    + [$head.metrics[] | "\(.title) mean (\(.table_unit))", "variance (\(.table_unit)²)"] + ["outliers", caution_title($head)];
    2 + ($names | length)),
  (mean_lines({ program: program_cells($names), load: .texts.load })
    | [(.program[] | md), (.load // "-" | md)] + (.numbers | means($head) + [.outliers, .robust]) | line), "";

def level_table($head):
  (.rows | split_names($head)) as $names
  | .load as $load | .levels as $levels | .rows as $rows
  | [range(0; $levels | length)] | in_parts(8)
  | . as $at
  | heading(["program", ($names[] | md)] + [$at[] | "\($load | md) \($levels[.] | md)"]; 1 + ($names | length)),
    ($rows[] | . as $row | [program_cells($names)[] | md]
      + [$at[] | $row.slowdowns[.] | if . == null then "" else .sure as $sure | .text | bold($sure) end] | line), "";

def section($title; lines): [lines] | if . == [] then empty else "## \($title)", "", .[], "" end;

. as $head
| ($head.texts | "# \(($head.experiment.command // .name) | md)", "",
  ($head.experiment.answers // [.answer // empty] | if . == [] then empty else (.[] | "- " + md), "" end), .totals + ".", "",
  (.hosts[] | "- " + md), ""),
(foreach (by_target, null) as $rows ({ levels: [], notes: [] };
   if $rows == null then .rows = null
   else .rows = $rows | .levels += [$rows[] | levelled] | .notes += ($rows | findings("notes")) end;
   if .rows != null then
     .rows | "## \(.[0].target | md)", "", summary_table($head), metric_table($head), (.[] | variant_tables, capacity_table),
     "### Mean and variance of \(.[0].target | md)", "", mean_table($head)
   else (.levels | [by_level] | select(. != []) | "## Slowdown by level", "", (.[] | level_table($head))),
     ($head.texts | section("Between nodes"; .between[] | "- " + md), section("Not done"; .waiting[] | "- " + md),
       section("Warnings"; .warnings[] | "- " + md)),
     section("Notes"; .notes[] | "- \(.flag | code_md)\(places | md): \(.text | md)") end)),
((family_text($head), unseen_text($head)) | md + ".", ""),
("\(key_text($head)). Bold slowdowns are clear effects. Runs are those alone + under load; a → b is alone → under load. "
  + "\(memory_text($head) | (.[:1] | ascii_upcase) + .[1:]).")
