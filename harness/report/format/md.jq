# Markdown: the tables, and slowdown by level.
# files: .md .markdown
# reads: rows
include "report/rows";
include "report/markdown";
include "lib/visible";
include "lib/jq15";

def summary_table($head):
  findings("problems") as $findings
  | any(.[]; .texts.of_alone != "-") as $plain
  | ([$head.columns.cells[] | select($plain or .key != "of_alone")] + [{ key: "problems", title: "problems" }]) as $columns
  | heading([$columns[].title]; 2),
    (.[] | . as $row | .texts
     | [(.program | md), (.load | md), .runs, (.alone | figure_md), (.loaded | figure_md), (.slowdown | bold($row.distinguishable)),
        (if $plain then .of_alone else empty end), .user, .system, .memory, (.achieved | md), ($row | marks($findings))] | line),
    "",
    (range(0; $findings | length) as $i | "\($i + 1). `\($findings[$i].flag)`\($findings[$i] | marked_where + ": " + .text | md)"), "",
    (([.[].floor // empty] | unique[]), .[].lines[] | "- " + md), "";

def metric_table($head):
  [.[].metrics[]] | select(. != [])
  | any(.[]; .texts.of_alone != "-") as $plain
  | heading([$head.columns.cell_metrics[] | select($plain or .key != "of_alone") | .title]; 3),
    (.[] | . as $row | .texts
     | [(.program | md), (.load | md), (.metric | md), (.alone | figure_md), (.loaded | figure_md), (.ratio | bold($row.distinguishable)), (if $plain then .of_alone else empty end)] | line), "";

def mean_table($head):
  heading(["program", "load", "runs"] + [$head.metrics[] | "\(.title) mean (\(.table_unit))", "variance (\(.table_unit)²)"] + ["outliers", caution_title($head)]; 2),
  (mean_lines(.texts) | [(.program | md), (.load // "-" | md)] + .numbers | line), "";

def level_table:
  .load as $load | .levels as $levels | .rows as $rows
  | [range(0; $levels | length)] | in_parts(8)
  | . as $at
  | heading(["program"] + [$at[] | "\($load | md) \($levels[.] | md)"]; 1),
    ($rows[] | . as $row | [($row.program | md)] + [$at[] | $row.slowdowns[.] | if . == null then "" else .sure as $sure | .text | bold($sure) end] | line), "";

def section($title; lines): [lines] | if . == [] then empty else "## \($title)", "", .[], "" end;

. as $head
| ($head.texts | "# \(.name | md)", "", .totals + ".", "", (.hosts[] | "- " + md), ""),
(foreach (by_target, null) as $rows ({ levels: [], notes: [] };
   if $rows == null then .rows = null
   else .rows = $rows | .levels += [$rows[] | levelled] | .notes += ($rows | findings("notes")) end;
   if .rows != null then .rows | "## \(.[0].target | md)", "", summary_table($head), metric_table($head), (.[] | variant_tables, capacity_table), "### Mean and variance of \(.[0].target | md)", "", mean_table($head)
   else (.levels | [by_level] | select(. != []) | "## Slowdown by level", "", (.[] | level_table)),
     ($head.texts | section("Between nodes"; .between[] | "- " + md), section("Not done"; .waiting[] | "- " + md), section("Warnings"; .warnings[] | "- " + md)),
     section("Notes"; .notes[] | "- `\(.flag)`\(places | md): \(.text | md)") end)),
((family_text($head), unseen_text($head)) | md + ".", ""),
"\(key_text($head)). Bold slowdowns are distinguishable from noise. Runs are those alone + under load; a → b is alone → under load. \(memory_text($head) | (.[:1] | ascii_upcase) + .[1:])."
