# Cells, a line each -> Markdown. $heads: the model without cells.
include "format";
include "report/words";
include "report/rows";

# Text of users as it stands: no mark-up, no HTML, no end of a table cell.
def md: visible | gsub("&"; "&amp;") | gsub("<"; "&lt;") | gsub(">"; "&gt;") | gsub("(?<c>[\\\\`*_{}\\[\\]#|~$!])"; "\\\(.c)");

def line: "| " + join(" | ") + " |";
def heading($titles; $left): ($titles | line), ([range(0; $titles | length) | if . < $left then ":--" else "--:" end] | line);

def summary_table:
  . as $cells
  | legend as $legend
  | (.[0] | confidence_text) as $level
  | heading(["program", "load", "runs", "alone (mean ± \($level))", "under load", "slowdown [\($level)]", "user", "system", "memory", "load achieved", "notes"]; 2),
    ($cells[] | . as $cell | texts
     | [(.program | md), (.load | md), .runs, (.alone | sub(" \\*$"; " \\*")), (.loaded | sub(" \\*$"; " \\*")),
        (if $cell.slowdown.distinguishable then "**\(.slowdown)**" else .slowdown end), .user, .system, .memory, (.achieved | md), ($cell | marks($legend))] | line),
    "",
    ($legend[] | "\(.number). `\(.flag)`: \(.words)"), "",
    ($cells | stars[], noise_floors[], other_slowdowns[], attributions[] | "- " + md), "";

def figure_table:
  heading(["program", "load", "runs"] + [table_metrics[] | "\(.[1]) mean (\(.[2]))", "variance (\(.[2])²)"]; 2),
  (figure_lines | [(.cell.row | md), (load_of_line | md), (.summary.runs | tostring)] + (.summary | means_and_variances | map(significant)) | line), "";

def level_table:
  .load as $load | .levels as $levels | .rows as $rows
  | [range(0; $levels | length)] | in_parts(8)
  | . as $at
  | heading(["program"] + [$at[] | "\($load | md) \($levels[.] | md)"]; 1),
    ($rows[] | . as $row | [($row.row | md)] + [$at[] | $row.slowdowns[.] | if . == null then "" elif .distinguishable then "**\(slowdown_text)**" else slowdown_text end] | line), "";

def section($title; lines): [lines] | if . == [] then empty else "## \($title)", "", .[], "" end;

$heads[0] as $head
| ($head | "# \(.name | md)", "", totals_text + ".", "", (.hosts[] | "- " + (host_line | md)), ""),
(foreach (by_target(slim), null) as $cells ([]; if $cells == null then . else . + [$cells[] | levelled] end;
  if $cells != null then $cells | "## \(.[0].target | md)", "", summary_table, "### Mean and variance of \(.[0].target | md)", "", figure_table
  else [by_level] | select(. != []) | "## Slowdown by level", "", (.[] | level_table) end)),
($head
 | section("Between nodes"; .between_hosts[] | "- " + (between_line | md)),
   section("Not done"; .waiting[] | "- " + (waiting_line | md)),
   section("Warnings"; .warnings[].message | "- " + md)),
"± and [ ] are confidence intervals. Bold slowdowns are distinguishable from noise. Runs are those alone + under load; a → b is alone → under load. Memory is the peak of the largest process."
