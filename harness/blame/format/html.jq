# One page with the course over time, which works offline.
# files: .html .htm
# reads: page
#
# $style and $script: what the page carries with it.
include "blame/format/history";
include "report/page";
include "report/numbers";
include "lib/visible";
include "lib/jq15";

def lede: [culprit_lines] | if . == [] then "Nobody was slowed down." else map(titled + ".") | join(" ") end;
# A point for each row that has the figure.
def course($figure; $name; $scale): { name: $name, points: [.rows[] | select(.[$figure] != null) | { x: .hours, y: (.[$figure] * $scale) }] };
def chart($title; $what; $unit; series):
  { kind: "series", title: "\(.victim): \($title)", x: { label: "time", unit: "h", log: false }, y: { label: $what, unit: $unit, log: false }, series: [series] };
def charts:
  chart("how many times slower"; "slower"; "times"; course("factor"; "mean"; 1), course("most"; "most"; 1)),
  chart("what the kernel shows"; "of the time"; "%"; course("cpu_some"; "waited for a CPU"; 100), course("io_some"; "waited for a disk"; 100),
    course("steal"; "stolen by the hypervisor"; 100), course("throttled"; "held back by its quota"; 100));
def head_titles: [[titles, units] | transpose[] | .[0] + (if .[1] == "" then "" else ", \(.[1])" end) | titled];

([.hosts[].victim] | unique) as $victims
| page({ $style, $script }; "Who slowed down \($victims | join(", "))"; "jostle blame --watch";
    ("<p class=\"kind\">jostle blame: who slowed it down</p>", "<h1>\($victims | map(esc) | join(", "))</h1>",
     (.hosts[] | "<p class=\"lede\">\(lede | esc)</p>", "<p class=\"facts\">\(head_text | esc)</p>"));
    { sections: [
        section("course"; "Over the time"; { charts: [.hosts[] | charts] }, { p: key_text, class: "small" }),
        (.hosts | to_entries[] | .key as $i | .value
         | section("rows\($i)"; "\(.victim): figures";
             { table: "table\($i)", caption: "Each stretch of time", columns: (head_titles | numbers), rows: [.rows[] | texts] }))] })
