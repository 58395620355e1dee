# What people see of a profile (jostle.program/1), which `profile --show` and `profile --page` print.
# formats: html json md terminal
include "report/document";
include "lib/text";

def legend:
  "[ ] are \(.confidence | confidence_text) confidence intervals of this session; a slowdown is time under the load / time alone"
  + (if any(.sensitivity[].points[]; .achieved != null and .achieved < 0.9) then "; (70 %): what of that load could be delivered beside the program" else "" end);

def percent: . * 100 | fixed(0) + " %";
def bounds($digits): if . == null then "(no interval)" else "[\(.[0] | fixed($digits)), \(.[1] | fixed($digits))]" end;

# seconds with an interval -> "402 ± 8 ms", "402 [400, 416] ms"
def seconds_text($ci):
  (. | time_scale) as $scale
  | (. * $scale.factor) as $value
  | ($value | decimals) as $digits
  | ($value | fixed($digits))
    + (if $ci == null then ""
       elif ($ci[0] + $ci[1] - 2 * . | fabs) * $scale.factor > pow(10; - $digits) then " " + ($ci | map(. * $scale.factor) | bounds($digits))
       else " ± \(($ci[1] - $ci[0]) / 2 * $scale.factor | fixed($digits))" end)
    + " " + $scale.unit;

def slowdown_text: "\(.slowdown | fixed(2)) \(.ci | bounds(2))"
  + (if .achieved != null and .achieved < 0.9 then " (\(.achieved | percent))" else "" end);

def alone_text:
  .alone.wall_s as $wall
  | "alone: \($wall.mean | seconds_text($wall.ci)) (\($wall.n) runs), \(.alone.cpus_used | if . == null then "CPU time not known" else "\(fixed(2)) CPUs" end); from run to run \(if .noise.sd == null then "not known" else .noise.sd * 100 | fixed(1) + " %" end)"
    + (if .noise.correlation == null then "" else ", neighbouring runs correlate by \(.noise.correlation | fixed(2))" end);
def neighbour_text:
  if (.pressure.reporters | length) == 0 then "as a neighbour: not measured"
  else "as a neighbour, run again and again: \(.pressure.cpus_used | if . == null then "CPU time not known" else "\(fixed(2)) CPUs" end)"
    + (if .pressure.lap_s == null then "" else ", \(.pressure.lap_s | time_text) a run" end) end;

# The slowdown by kind and by every level that any kind was measured at.
def sensitivity:
  ([.sensitivity[].points[].level] | unique) as $levels
  | { columns: (["slowdown by", ($levels[] | percent)] | map({ title: . })),
      rows: [.sensitivity[] | .points as $points | [.kind, ($levels[] as $level | [$points[] | select(.level == $level) | slowdown_text][0] // "-")]] };
# Nothing where there are none.
def reporters:
  .pressure.reporters | select(. != [])
  | { columns: (["reporter", "worse by", "interval"] | map({ title: . })),
      rows: map([.name, (if .log_ratio == null then "-" else "× " + (.log_ratio | exp | fixed(2)) end), (if .ci == null then "(no interval)" else .ci | map(exp) | bounds(2) end)]) };

def blocks:
  ("What could not be told, or may be off:" | { p: ., tight: ($format != "md") }) as $reasons
  | "neighbours at the place \(.place)" as $where | "program on CPUs \(.cpus.target), neighbours on \(.cpus.loads)" as $cpus
  | (if $format == "md" then
       { h: 1, text: "Profile of \(.program.name)" },
       { raw: true, p: "`\(.program.words | words | put("`"; "'"))` on \(.machine.host | md), \($where | md) (\($cpus | md)), measured until \(.made | md) with jostle \(.jostle | md)." },
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
     "<p class=\"facts\">\(.machine.host | esc), neighbours at the place \(.place | esc): program on CPUs \(.cpus.target | esc), neighbours on \(.cpus.loads | esc). \(.made | esc).</p>");
    { sections: [
        section("sensitivity"; "Slowdown by kind and level of load"; sensitivity | whole("slowdowns"; "Time under the load / time alone")),
        section("pressure"; "Pressure on neighbours"; [reporters | whole("reporters"; "What reporters read beside the program, over what they read alone")][0] // { p: "Not measured." }),
        section("reasons"; "What could not be told, or may be off"; (if .reasons == [] then { p: "Nothing." } else { ul: [.reasons[] | "\(.)."], class: "findings" } end), { p: legend, class: "small" })] });

lay_out({ $format, width: 0, $colour }; .; empty; page; blocks)
