# What all pages are made of: texts as HTML, the head with all that the page carries with it (it
# loads nothing), sections, tables, drawings in their frames.
include "lib/visible";
include "report/numbers";
include "lib/jq15";

def esc: if . == null then "" else tostring | visible_lines | @html end;
# A number and its unit stay on one line.
def together: split(" ") | join("\u00a0");
def plural($n; $one; $many): "\($n) \(if $n == 1 then $one else $many end)";
# ["a","b","a"] -> {"a":0,"b":1}: names in the order in which they come first
def numbered: reduce .[] as $name ({}; if has($name) then . else .[$name] = length end);
# Groups in the order in which their keys come first: [{key, items}].
def grouped(key):
  [to_entries[] | { at: .key, item: .value, key: (.value | key) }]
  | group_by(.key) | sort_by(.[0].at) | map({ key: .[0].key, items: map(.item) });

def n_cell($value; $text): "<td class=\"n\"\(if ($value | type) != "number" then "" else " data-v=\"\($value + 0)\"" end)>\($text)</td>";
def section($id; $title): "<section id=\"\($id)\" aria-labelledby=\"\($id)-h\"><h2 id=\"\($id)-h\">\($title)</h2>";
# A table may be wider than a small screen: it scrolls in a box of its own.
# One with many rows scrolls in its box, too, under its headers.
def tall($rows): if $rows > 40 then " tall" else "" end;
def table_start($id; $caption; $class; $rows): "<div class=\"scroll\(tall($rows))\" role=\"region\" tabindex=\"0\" aria-labelledby=\"\($id)-c\"><table id=\"\($id)\" class=\"\($class)\"><caption id=\"\($id)-c\">\($caption)</caption>";
def table_start($id; $caption; $class): table_start($id; $caption; $class; 0);
def table_end: "</tbody></table></div>";
def header($titles): "<thead><tr>\($titles | map("<th scope=\"col\" data-sort>\(.)</th>") | join(""))</tr></thead><tbody>";
def folded($count; $most; $summary): if $count > $most then "<details class=\"fold\"><summary>\($summary)</summary>" else "" end;
def folded_end($count; $most): if $count > $most then "</details>" else "" end;

def page_head($style; $title; $generator):
  "<!DOCTYPE html>", "<html lang=\"en\">", "<head>", "<meta charset=\"utf-8\">",
  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">",
  "<meta name=\"color-scheme\" content=\"light dark\">", "<meta name=\"generator\" content=\"\($generator)\">",
  "<title>\($title)</title>", "<style>",
  ($style | split("\n") | map(ltrimstr("  ") | ltrimstr("  ") | select(. != "" and (startswith("/*") | not))) | join("\n")), "</style>", "</head>", "<body>";
def contents($ids): "<nav aria-label=\"Sections\"><ul>\($ids | map("<li><a href=\"#\(.[0])\">\(.[1])</a></li>") | join(""))</ul></nav>";

# The inside of an SVG element in its frame.
def framed($id; $filter; $bold; $caption):
  "<figure data-f=\"\($filter | esc)\"><svg class=\"plot\" viewBox=\"0 0 360 \((.height // 220) + 0)\" role=\"img\" aria-labelledby=\"\($id)-t \($id)-d\">"
  + "<title id=\"\($id)-t\">\(.title | esc)</title><desc id=\"\($id)-d\">\(.text | esc)</desc>\(.svg)"
  + "</svg><figcaption>\($bold | if . == "" then "" else "<b>\(esc)</b> " end)\($caption | esc)</figcaption></figure>";

def fact_words: { host: "Host", os: "System", kernel: "Kernel", architecture: "Architecture", cpu: "CPU", cpus_online: "CPUs", cpus_allowed: "CPUs allowed", governors: "Governor", virtual_machine: "Virtual machine",
  memory_bytes: "Memory", clocksource: "Clock", file_systems: "File system", devices: "Device", versions: "Versions" };
def fact_text($key):
  if . == null then "unknown" elif type == "boolean" then (if . then "yes" else "no" end)
  elif type == "array" then if length == 0 then "-" else map(tostring) | join(", ") end
  elif type == "object" then to_entries | map("\(.key) \(.value)") | join(", ")
  elif $key | endswith("_bytes") then size_text else computed | tostring end;
