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

# rows, the first with the titles -> their table
def whole($id; $caption): { table: $id, caption: $caption, columns: .[0], rows: .[1:] };

page({ $style, $script }; "Profile of \(.program.name)"; "jostle profile";
  ("<p class=\"kind\">jostle profile: what loads cost a program, and what it does to others</p>",
   "<h1>\(.program.words | words | esc)</h1>",
   "<p class=\"lede\">\(alone_text | titled | esc). \(neighbour_text | titled | esc).</p>",
   "<p class=\"facts\">\(.machine.host | esc), neighbours at the place \(.place | esc): program on CPUs \(.cpus.target | esc), neighbours on \(.cpus.loads | esc). \(.made | esc).</p>");
  { sections: [
      section("sensitivity"; "Slowdown by kind and level of load"; [sensitivity_rows] | whole("slowdowns"; "Time under the load / time alone")),
      section("pressure"; "Pressure on neighbours";
        if .pressure.reporters == [] then { p: "Not measured." } else [reporter_titles, reporter_rows] | whole("reporters"; "What reporters read beside the program, over what they read alone") end),
      section("reasons"; "What could not be told, or may be off"; (if .reasons == [] then { p: "Nothing." } else { ul: [.reasons[] | "\(.)."], class: "findings" } end), { p: legend, class: "small" })] })
