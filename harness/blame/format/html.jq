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

def titled: (.[:1] | ascii_upcase) + .[1:];
def legend: "<ul class=\"key lines\">\(map("<li><svg class=\"plot swatch\" viewBox=\"0 0 26 10\" aria-hidden=\"true\">\(.swatch)</svg>\(.name | esc)</li>") | join(""))</ul>";
def chart($id):
  . as $chart | .panels[]
  | (.legend | legend) as $legend
  | { title: $chart.title, text, svg, height }
  | framed($id; ""; $chart.title; "")
  | rtrimstr("</figure>") + "\($legend)</figure>";
def lede: [culprit_lines] | if . == [] then "Nobody was slowed down." else map(titled + ".") | join(" ") end;

. as $history
| page_head($style; "Who slowed down \([.hosts[].victim] | unique | join(", ") | esc)"; "jostle blame --watch"),
  "<header>", "<p class=\"kind\">jostle blame: who slowed it down</p>",
  "<h1>\([.hosts[].victim] | unique | map(esc) | join(", "))</h1>",
  (.hosts[] | "<p class=\"lede\">\(lede | esc)</p>", "<p class=\"facts\">\(head_text | esc)</p>"),
  "</header>", "<main>",
  section("course"; "Over the time"),
  ([.charts | to_entries[] | .key as $i | .value | chart("f\($i)")] | if . == [] then empty else "<div class=\"figures wide\">", .[], "</div>" end),
  "</section>",
  (.hosts | to_entries[] | .key as $i | .value
   | section("rows\($i)"; "\(.victim | esc): figures"),
     table_start("table\($i)"; "Each stretch of time"; ""; .rows | length),
     header([[titles, units] | transpose[] | .[0] + (if .[1] == "" then "" else ", \(.[1])" end) | titled | esc]),
     (.rows[] | "<tr>\(texts | map("<td class=\"n\">\(esc)</td>") | join(""))</tr>"),
     table_end, "</section>"),
  "<p class=\"small\">\(key_text | esc)</p>",
  "</main>", "<footer><p>Made by jostle from records.</p></footer>", "<script>", ($script | rtrimstr("\n")), "</script>", "</body>", "</html>"
