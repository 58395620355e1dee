# Bencher's JSON (BMF), for `bencher run --adapter json`.
# reads: lists
#
# {name: {measure: {value, lower_value, upper_value, unit, better}}}: a measure for each metric of --metric, and for each
# slowdown. Bencher reads the first three. Its own measure "latency" is in ns: the wall time is that, unless a metric has
# this name.
include "report/rows";
include "lib/text";

# Bencher's longest names, in characters.
def longest_name: 1024;
def longest_measure: 64;
def at_most($most): if length <= $most then . else .[:$most / 2 - 1 | floor] + "…" + .[-($most / 2 | floor):] end;

def nanoseconds: { s: 1e9, ms: 1e6, "µs": 1e3, us: 1e3, ns: 1 }[.];
# To the last digit that a clock has.
def scaled($scale): if $scale == 1 then . else . * $scale * 1000 | round / 1000 end;
def bounded($scale):
  { value: (.center | scaled($scale)) }
    + (if .ci == null then {} else { lower_value: (.ci[0] | scaled($scale)), upper_value: (.ci[1] | scaled($scale)) } end);

# Metrics -> the measures of one result.
def measures:
  any(.[]; .metric == "latency") as $taken
  | map((if .metric == "wall_s" and ($taken | not) then "latency" else .metric end) as $name
    | (if $name == "latency" then .unit | nanoseconds else null end) as $scale
    | { key: ($name | at_most(longest_measure)),
      value: ((.figure | bounded($scale // 1)) + { unit: (if $scale == null then .unit else "ns" end), better }) },
      (select(.slowdown.ratio != null)
       | { key: (if .metric == "wall_s" then "slowdown" else "slowdown of \(.metric)" | at_most(longest_measure) end),
           value: ((.slowdown | { center: .ratio, ci } | bounded(1)) + { unit: "times", better: "lower" }) }))
  | from_entries;

reduce named_results as $one ({}; .[$one.name | visible | at_most(longest_name)] = ($one.metrics | measures))
| tojson | json_text
