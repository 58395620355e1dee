# The heat map as a drawing, for light and dark.
include "lib/visible";
include "predict/format/predict";
include "report/numbers";
include "lib/jq15";

def esc: @html;
def steps: [1.02, 1.05, 1.1, 1.2, 1.5, 2, 3];
def colour: if .slowdown == null then "none" elif .distinguishable | not then "noise"
  else .slowdown as $s | "h\([steps[] | select($s >= .)] | length)" end;
def width: 104;
def height: 52;
def left: 130;

def lines: if .slowdown == null then ["no number"] else [(.slowdown | times), (.ci | interval_text)] end
  + (if .measured == null then [] else ["measured \(.measured.slowdown | times)"] end);
def drawn($x; $y):
  if . == null then "" else
  "<g><title>\("\(.a) beside \(neighbours): \(.reason // parts)" | esc)</title><rect class=\"\(colour)\" x=\"\($x)\" y=\"\($y)\" width=\"\(width - 2)\" height=\"\(height - 2)\" rx=\"2\"/>"
  + (colour as $colour | lines | to_entries | map("<text class=\"\($colour)\(if .key == 0 then " b" else "" end)\" x=\"\($x + (width - 2) / 2)\" y=\"\($y + 16 + 14 * .key)\">\(.value | esc)</text>") | join("")) + "</g>" end;

def matrix($place; $top):
  . as $all | names_in_order($place) as $rows | columns_of($place) as $columns
  | "<text class=\"t\" x=\"8\" y=\"\($top + 14)\">Predicted slowdown \($place | place_words): rows beside columns</text>",
    ($columns | to_entries[] | "<text class=\"c\" x=\"\(left + .key * width + (width - 2) / 2)\" y=\"\($top + 36)\">\(.value | esc)</text>"),
    ($rows | to_entries[] | .key as $i | .value as $row
     | "<text class=\"r\" x=\"\(left - 8)\" y=\"\($top + 44 + $i * height + 29)\">\($row | esc)</text>",
       ($columns | to_entries[] | .key as $k | .value as $column | $all | cell_of($place; $row; $column) | drawn(left + $k * width; $top + 44 + $i * height)));

visible_all
| . as $all
| places as $places
| [$places[] as $place | $all | names_in_order($place) | length * height + 60] as $heights
| ([$places[] as $place | $all | columns_of($place) | length] | max) as $columns
| ([left + $columns * width + 8, 420] | max) as $all_width
| "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \($all_width) \(($heights | add) + 8)\" width=\"\($all_width)\" role=\"img\" aria-label=\"Predicted slowdowns on \(.machine.host | esc)\">",
  "<style>.p{fill:#fff}text{font:11px system-ui,sans-serif;text-anchor:middle;fill:#1b1206}.b{font-weight:bold;font-size:13px}.t{text-anchor:start;font-size:13px;fill:#1b1f24}.c,.r{fill:#1b1f24;font-weight:600}.r{text-anchor:end}",
  "rect.h0{fill:#fff8e8}rect.h1{fill:#feebc0}rect.h2{fill:#fed98f}rect.h3{fill:#fdbf5e}rect.h4{fill:#f79a3e}rect.h5{fill:#dd7420}rect.h6{fill:#9c420b}rect.h7{fill:#662907}text.h6,text.h7{fill:#fff}rect.noise{fill:#e4e6e9}rect.none{fill:none;stroke:#b9bfc7}text.none{fill:#4c5661}",
  "@media (prefers-color-scheme:dark){.p{fill:#14171b}text{fill:#fff6e5}.t,.c,.r{fill:#e8eaed}rect.h0{fill:#2a241b}rect.h1{fill:#3f301a}rect.h2{fill:#573f16}rect.h3{fill:#704d10}rect.h4{fill:#8a5a0a}rect.h5{fill:#d98d1f}rect.h6{fill:#f3b352}rect.h7{fill:#ffe0a3}text.h5,text.h6,text.h7{fill:#1b1206}rect.noise{fill:#343a42}text.noise{fill:#dde1e6}rect.none{stroke:#5a636e}text.none{fill:#b4bcc6}}</style>",
  "<rect class=\"p\" width=\"100%\" height=\"100%\"/>",
  ($places | to_entries[] | .key as $i | .value as $place | $all | matrix($place; 4 + ([$heights[:$i][]] | add // 0))),
  "</svg>"
