# One page with the table and the plots that works offline.
# files: .html .htm
# reads: page
#
# $style and $script: what the page carries with it.
include "pack/format/pack";
include "report/page";
include "lib/visible";
include "report/numbers";
include "lib/jq15";

# Of a mix the reference is no number of copies that run at once.
def shown: (.programs | length) as $programs | .rows | map(select($programs == 1 or .reference != true));
def measured($figure): { name: $figure.name, points: [shown[] | .copies as $x | .[$figure.key] // empty | select(.value != null) | { x: $x, y: .value, lo: .ci[0]?, hi: .ci[1]? }] };
# What the figure would be without any disturbance: the reference's, or so many times it.
def undisturbed($figure):
  .rows[0][$figure.key].value as $one
  | { name: $figure.alone, peer: true, points: [shown[] | select($one != null) | { x: .copies, y: (if $figure.grows then $one * .copies else $one end) }] };
def chart($figure):
  { kind: "scaling", title: $figure.title, x: { label: "copies", unit: "", log: false }, y: { label: $figure.label, unit: $figure.unit, log: false }, series: [measured($figure), undisturbed($figure)] };
def charts:
  [chart({ key: "copy_s", title: "Time of a copy", label: "time of a copy", unit: "s", name: "time", alone: "time of one alone", grows: false }),
   chart({ key: "throughput", title: "Throughput of the node", label: "throughput", unit: "1/s", name: "throughput", alone: "throughput of one, times their number", grows: true })];

def number_of($column): .[$column.key] | if type == "object" then .value else . end;
def finding: [{ b: (.flag | split("-") | join(" ") | titled) }, ": \(finding_text)."];
def figures:
  .columns as $columns
  | if .rows == [] then { p: "Nothing was measured." } else
    { table: "rows", caption: "Each number of copies", columns: [$columns[] | column_of(.title | titled; if .left then "l" else "n" end)],
      rows: [.rows[] | [. as $row | $columns[] as $column | [$row.texts[$column.key], ($row | number_of($column))]]] } end;

. as $pack
| page({ $style, $script }; "Pack of \([.programs[] | .name // .words[0]] | join(", "))"; "jostle pack";
    ("<p class=\"kind\">jostle pack: how many copies fit</p>",
     "<h1>\([.programs[] | program_text | esc] | join("<br>"))</h1>",
     "<p class=\"lede\">\(.lines | map(esc | titled + ".") | join(" "))</p>",
     "<p class=\"facts\">\(.machine.host // "this machine" | esc), \(.machine.cpu // "unknown CPU" | esc), CPUs \(.cpus.allowed | esc), \(place_text | esc). Measured for \(.duration_s | round) s. \(.made | esc).</p>");
    { sections: [
        section("table"; "Figures"; { charts: charts }, figures, { p: key_text, class: "small" }),
        section("findings"; "Problems and notes"; if .findings == [] then { p: "None." } else { ul: [.findings[] | finding], class: "findings" } end)] })
