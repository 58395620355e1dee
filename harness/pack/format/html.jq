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

def titled: (.[:1] | ascii_upcase) + .[1:];
def legend: "<ul class=\"key lines\">\(map("<li><svg class=\"plot swatch\" viewBox=\"0 0 26 10\" aria-hidden=\"true\">\(.swatch)</svg>\(.name | esc)</li>") | join(""))</ul>";
def chart($id):
  . as $chart | .panels[]
  | (.legend | legend) as $legend
  | { title: $chart.title, text, svg, height }
  | framed($id; ""; $chart.title; "")
  | rtrimstr("</figure>") + "\($legend)</figure>";
def cell($column): .texts[$column.key] as $text | if $column.left then "<td class=\"l\">\($text | esc)</td>" else n_cell(.[$column.key] | if type == "object" then .value else . end; $text | esc) end;
def row($columns): . as $row | "<tr>\($columns | map(. as $column | $row | cell($column)) | join(""))</tr>";
def finding: "<li><b>\(.flag | split("-") | join(" ") | titled | esc)</b>: \(finding_text | esc).</li>";

. as $pack
| .columns as $columns
| page_head($style; "Pack of \([.programs[] | .name // .words[0]] | join(", ") | esc)"; "jostle pack"),
  "<header>", "<p class=\"kind\">jostle pack: how many copies fit</p>",
  "<h1>\([.programs[] | program_text | esc] | join("<br>"))</h1>",
  "<p class=\"lede\">\(.lines | map(esc | titled + ".") | join(" "))</p>",
  "<p class=\"facts\">\(.machine.host // "this machine" | esc), \(.machine.cpu // "unknown CPU" | esc), CPUs \(.cpus.allowed | esc), \(place_text | esc). Measured for \(.duration_s | round) s. \(.made | esc).</p>",
  "</header>",
  "<main>",
  section("table"; "Figures"),
  ([.charts | to_entries[] | .key as $i | .value | chart("f\($i)")] | if . == [] then empty else "<div class=\"figures wide\">", .[], "</div>" end),
  (if .rows == [] then "<p>Nothing was measured.</p>" else
     table_start("rows"; "Each number of copies"; "sortable"), header([$columns[] | .title | titled | esc]),
     (.rows[] | row($columns)), table_end end),
  "<p class=\"small\">\(key_text | esc)</p>", "</section>",
  section("findings"; "Problems and notes"),
  (.findings | if . == [] then "<p>None.</p>" else "<ul class=\"findings\">", (.[] | finding), "</ul>" end), "</section>",
  "</main>", "<footer><p>Made by jostle from records.</p></footer>", "<script>", ($script | rtrimstr("\n")), "</script>", "</body>", "</html>"
