# The result.json of the cells of peers.conf, in the order of the file, as a
# Markdown table; below it where jostle is behind. A ratio above 1 says that the peer is worse.
include "numbers";

def value_text($unit):
  if . == null then "-"
  elif $unit == "s" then time_text
  elif $unit == "B" then size_text
  elif $unit == "ns" then . / 1e9 | time_text
  elif $unit == "B/s" then scaled(rate_scale($unit))
  else figure_text + " " + $unit end;

# of a condition: its figure by name; those that are built in are members themselves
def figure($metric): .metrics[$metric] // .[$metric];
def unit_of($metric): .metrics[$metric].unit // (if $metric | endswith("_bytes") then "B" else "s" end);
def center_text($metric):
  unit_of($metric) as $unit | figure($metric)
  | if .center == null then "-"
    else (.center | value_text($unit)) + (if .error == null then "" else " ± " + (.error | percent_text) end) end;

def standing: if .ci == null then "-" elif .ci[0] > 1 then "ahead" elif .ci[1] < 1 then "**behind**" else "level" end;
def ratio_text: if .ratio == null then "-" else (.ratio | fixed(3)) + (if .ci == null then "" else " [\(.ci[0] | fixed(3)), \(.ci[1] | fixed(3))]" end) end;

def rows:
  . as $result
  | (.settings.metric | map(select(. != "wall_s" or ($result.settings.metric == ["wall_s"])))) as $metrics
  | $metrics[] as $metric
  | (.conditions[0] | center_text($metric)) as $ours
  | .cell.name as $cell
  | ([.comparisons[] | select(.metric == $metric)] | if . == [] then [null] else . end)[]
  | . as $comparison
  | [ $cell + (if ($metrics | length) > 1 then ", " + $metric else "" end),
      $ours,
      (if . == null then "-" else .variant end),
      (if . == null then "-" else ($result.conditions[] | select(.name == $comparison.condition) | center_text($metric)) end),
      (if . == null then "-" else ratio_text end),
      (if . == null then "-" else standing end),
      ($result.conditions[0].runs | tostring) ];

[sort_by(.cell.number)[] | rows] as $rows
| "| what | jostle | peer | the peer's | peer / jostle, above 1: the peer is worse | jostle is | pairs |",
  "| --- | --- | --- | --- | --- | --- | --- |",
  ($rows[] | "| " + join(" | ") + " |"),
  "",
  ([$rows[] | select(.[5] == "**behind**")] as $behind
   | if $behind == [] then "jostle is nowhere behind."
     else "jostle is behind in \($behind | length) of \([$rows[] | select(.[5] != "-")] | length) rows: "
       + ([$behind[] | "\(.[0]) (\(.[2]))"] | join(", ")) + "." end)
