# One page with the tables that works offline.
# files: .html .htm
# reads: page
#
# $style and $script: what the page carries with it.
include "report/page";
include "profile/texts";
include "lib/visible";
include "report/numbers";
include "lib/jq15";

def cells: "<tr>\(map("<td>\(esc)</td>") | join(""))</tr>";
# rows, the first with the titles -> their table
def whole($id; $caption): .[0] as $head | table_start($id; $caption; "sortable"), header($head | map(esc)), (.[1:][] | cells), table_end;

page_head($style; "Profile of \(.program.name | esc)"; "jostle profile"),
"<header>", "<p class=\"kind\">jostle profile: what loads cost a program, and what it does to others</p>",
"<h1>\(.program.words | words | esc)</h1>",
"<p class=\"lede\">\(alone_text | (.[:1] | ascii_upcase) + .[1:] | esc). \(neighbour_text | (.[:1] | ascii_upcase) + .[1:] | esc).</p>",
"<p class=\"facts\">\(.machine.host | esc), neighbours at the place \(.place | esc): program on CPUs \(.cpus.target | esc), neighbours on \(.cpus.loads | esc). \(.made | esc).</p>",
"</header>", "<main>",
section("sensitivity"; "Slowdown by kind and level of load"), ([sensitivity_rows] | whole("slowdowns"; "Time under the load / time alone")), "</section>",
section("pressure"; "Pressure on neighbours"),
(if .pressure.reporters != [] then ([reporter_titles, reporter_rows] | whole("reporters"; "What reporters read beside the program, over what they read alone")) else "<p>Not measured.</p>" end),
"</section>",
section("reasons"; "What could not be told, or may be off"),
(if .reasons == [] then "<p>Nothing.</p>" else "<ul class=\"findings\">", (.reasons[] | "<li>\(esc).</li>"), "</ul>" end), "</section>",
"<p class=\"small\">\(legend | esc)</p>",
"</main>", "<footer><p>Made by jostle from records.</p></footer>", "<script>", ($script | rtrimstr("\n")), "</script>", "</body>", "</html>"
