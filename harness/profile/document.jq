# What people see of a profile (jostle.program/1), which `profile --show` and `profile --page` print.
# formats: html json md terminal
include "report/document";
include "lib/text";

def legend:
  "[ ] are \(.texts.confidence) confidence intervals of this session; a slowdown is time under the load / time alone"
  + (if any(.sensitivity[].points[]; .achieved != null and .achieved < 0.9) then
    "; (70 %): what of that load could be delivered beside the program" else "" end);

def slowdown_text: .texts.slowdown + (if .ci == null then " (no interval)" else "" end)
  + (if .achieved != null and .achieved < 0.9 then " (\(.texts.achieved))" else "" end);

def cpus: if .cpus_used == null then "CPU time not known" else "\(.texts.cpus_used) CPUs" end;
def alone_text:
  "alone: \(.alone.wall_s.texts.mean) (\(.alone.wall_s.n) runs), \(.alone | cpus); from run to run "
    + (.noise | (if .sd == null then "not known" else .texts.sd end)
        + (if .correlation == null then "" else ", neighbouring runs correlate by \(.texts.correlation)" end));
def neighbour_text:
  .pressure
  | if (.reporters | length) == 0 then "as a neighbour: not measured"
    else "as a neighbour, run again and again: \(cpus)" + (if .lap_s == null then "" else ", \(.texts.lap_s) a run" end) end;

# The slowdown by kind and by every level that any kind was measured at.
def sensitivity:
  ([.sensitivity[].points[].level] | unique) as $levels
  | ([.sensitivity[].points[] | { key: (.level | tostring), value: .texts.level }] | from_entries) as $texts
  | { columns: (["slowdown by", $texts[$levels[] | tostring]] | map({ title: . })),
      rows: [.sensitivity[] | .points as $points
        | [.kind, ($levels[] as $level | [$points[] | select(.level == $level) | slowdown_text][0] // "-")]] };
# Nothing where there are none.
def reporters:
  .pressure.reporters | select(. != [])
  | { columns: (["reporter", "worse by", "interval"] | map({ title: . })),
      rows: map([.name, (if .log_ratio == null then "-" else "× " + .texts.growth end), .texts.growth_bounds]) };

def blocks:
  ("What could not be told, or may be off:" | { p: ., tight: ($format != "md") }) as $reasons
  | "neighbours at the place \(.place)" as $where | "program on CPUs \(.cpus.target), neighbours on \(.cpus.loads)" as $cpus
  | (if $format == "md" then
       { h: 1, text: "Profile of \(.program.name)" },
       { raw: true, p: ("`\(.program.words | words | put("`"; "'"))` on \(.machine.host | md), \($where | md) (\($cpus | md)), "
         + "measured until \(.made | md) with jostle \(.jostle | md).") },
       { list: [alone_text, neighbour_text] },
       { h: 2, text: "Slowdown by kind and level of load" }, sensitivity,
       { h: 2, text: "Pressure on neighbours" }
     else
       { h: 2, text: (.program.words | words) },
       { tight: true, p: "on \(.machine.host), \($where): \($cpus); \(.made)" },
       { p: alone_text }, sensitivity, { p: neighbour_text }
     end),
    reporters,
    (.reasons | select(. != []) | $reasons, { list: (if $format == "md" then . else map("- " + .) end) }),
    { tight: true, raw: true, p: legend };

def page:
  def whole($id; $caption): { table: $id, caption: $caption, columns: [.columns[].title], rows };
  page({ $style, $script }; "Profile of \(.program.name)"; "jostle profile";
    ("<p class=\"kind\">jostle profile: what loads cost a program, and what it does to others</p>",
     "<h1>\(.program.words | words | esc)</h1>",
     "<p class=\"lede\">\(alone_text | titled | esc). \(neighbour_text | titled | esc).</p>",
     ("<p class=\"facts\">\(.machine.host | esc), neighbours at the place \(.place | esc): program on CPUs \(.cpus.target | esc), "
       + "neighbours on \(.cpus.loads | esc). \(.made | esc).</p>"));
    { sections: [
        section("sensitivity"; "Slowdown by kind and level of load"; sensitivity | whole("slowdowns"; "Time under the load / time alone")),
        section("pressure"; "Pressure on neighbours";
          [reporters | whole("reporters";
          "What reporters read beside the program, over what they read alone")][0] // { p: "Not measured." }),
        section("reasons"; "What could not be told, or may be off";
          (if .reasons == [] then { p: "Nothing." } else { ul: [.reasons[] | "\(.)."], class: "findings" } end),
          { p: legend, class: "small" })] });

lay_out({ $format, width: 0, $colour }; .; empty; page; blocks)
