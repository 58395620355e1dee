# The report model, prepared for the page: cells in groups, a number for each,
# and the words and scales that page and plots share.
include "report/numbers";

# User text in a page: no control characters, no markup.
def esc: tostring | (if test("[[:cntrl:]]") then gsub("[\\x00-\\x08\\x0b-\\x1f\\x7f]"; "\ufffd") else . end) | @html;
# the same on one line, at most $n characters (a label in a plot)
def plot_label($n): tostring | gsub("\\s+"; " ") | (if length > $n then .[:$n - 1] + "…" else . end) | esc;

def shell_words: map(if test("^[A-Za-z0-9_./:=,@%+-]+$") then . else "'" + gsub("'"; "'\\''") + "'" end) | join(" ");

# ["a","b","a"] -> {"a":0,"b":1}: names in the order in which they come first
def numbered: reduce .[] as $name ({}; if has($name) then . else .[$name] = length end);

# Groups in the order in which their keys come first: [{key, items}].
def grouped(key):
  [to_entries[] | { at: .key, item: .value, key: (.value | key) }]
  | group_by(.key) | sort_by(.[0].at) | map({ key: .[0].key, items: map(.item) });

def centre: .center // .mean;
def half_width: if .ci == null then null else (.ci[1] - .ci[0]) / 2 end;
# A number and its unit stay on one line.
def together: split(" ") | join("\u00a0");
def plural($n; $one; $many): "\($n) \(if $n == 1 then $one else $many end)";

# A ratio with as many decimals as its interval deserves.
def ratio_digits: (if .ci then (.ci[1] - .ci[0]) / 2 else .ratio end) as $h | if $h < 0.001 then 4 elif $h < 0.1 then 3 elif $h < 1 then 2 else 1 end;
def ratio_text: ratio_digits as $n | .ratio | fixed($n);
def interval_text: if .ci == null then "no interval" else ratio_digits as $n | "[\(.ci[0] | fixed($n)), \(.ci[1] | fixed($n))]" end;

def rate_text($unit): if . == null then "-" else scaled(rate_scale($unit)) end;

# The step of the colour scale, s0 to s7; "less" for faster, "noise" for a
# slowdown that cannot be told from none.
def steps: [1.02, 1.05, 1.1, 1.2, 1.5, 2, 3];
def colour: if .distinguishable == false or .ratio == null then "noise" elif .ratio < 1 then "less"
  else .ratio as $r | "h\([steps[] | select($r >= .)] | length)" end;

# The level as a number and its unit; null where there is none.
def level_parts: if . == null then null else capture("^\\s*(?<n>[0-9]+(\\.[0-9]+)?)\\s*(?<unit>.*)$") // null | if . == null then null else .n |= tonumber end end;

# What stands on the x axis of a load's curve: its level, else its rate, else
# only its place in the row. Input: the cells of one target and one load.
def with_x:
  (map(.level | level_parts? // null)) as $levels
  | if ($levels | index(null) | not) and ($levels | map(.unit) | unique | length) == 1 then
      ($levels[0].unit) as $unit
      | [., $levels] | transpose | map(.[0] + { x: .[1].n }) | { cells: ., axis: (if $unit == "" then "level" else "level [\($unit)]" end) }
    elif (map(.achieved.offered?) | index(null) | not) and (map(.achieved.unit) | unique | length) == 1 then
      (.[0].achieved.unit) as $unit
      | (map(.achieved.offered) | max | rate_scale($unit)) as $s
      | map(. + { x: (.achieved.offered * $s.factor) }) | { cells: ., axis: "offered [\($s.unit)]" }
    else { cells: ., axis: null } end
  | .cells |= (if .[0].x? != null then sort_by(.x) else . end);

# {curves: [{label, load, cells, axis}], single: [{label, cells}]}: what is drawn
# over its levels, and what has only one.
def sensitivity:
  [.cells[] | select(.slowdown.ratio? != null)] | grouped(.label)
  | map(.key as $target
    | (.items | grouped(.load // .condition)
       | map({ label: $target, load: .key } + (.items | with_x))) as $loads
    | { label: $target,
        curves: [$loads[] | select(.axis != null and ([.cells[].x] | unique | length) > 1)],
        single: [$loads[] | select(.axis == null or ([.cells[].x] | unique | length) < 2) | .cells[]] });

# Of the whole model: each cell gets "id", and what the page needs is computed once.
def view:
  .cells |= (to_entries | map(.value + { id: "c\(.key + 1)", label: (.value.row // .value.label) }))
  | .level_text = (([.cells[].settings.confidence // empty] | unique) | if length == 1 then "\(.[0] * 100 | fixed(0)) %" else "confidence" end)
  | .sensitivity = sensitivity
  | .labels = ([.cells[].label] | numbered | keys_unsorted);
