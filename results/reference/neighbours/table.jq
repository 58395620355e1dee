# result.json of each target at each place -> one table in Markdown: the slowdown
# of the wall time, with half of its confidence interval; and what to expect of so many.
# $report: [jostle.report/1 of the same results], which knows the family of them all.
include "report/decimals";
include "lib/text";

def place: input_filename | split("/")[-3];
# Three digits of a time, in s or ms.
def alone: if . >= 1 then [., "s"] else [. * 1000, "ms"] end | .[1] as $unit | .[0] | fixed(if . >= 100 then 0 elif . >= 10 then 1 else 2 end) + " " + $unit;
def target: input_filename | split("/")[-2];
def order($names): . as $name | ($names | index($name)) // 99;

# The q of each p: of all slowdowns in the report.
($report[0].cells | map(.all_slowdowns[] | select(.p != null) | { key: (.p | tostring), value: .survives }) | from_entries) as $survives
# 1.37 ± 0.02; in brackets what the noise explains; a dagger where it holds among all
# slowdowns, a double one where the load got less than 95 % of what it offered.
| def cell:
  if . == null then ""
  else . as $s
  | (.ratio | fixed(2)) + (if (.ci // [null]) | any(. == null) then "" else " ± \((.ci[1] - .ci[0]) / 2 | fixed(2))" end)
  | (if $s.distinguishable == false then "(\(.))" else . end) + (if $survives[$s.p | tostring] then " †" else "" end) + (if $s.short then " ‡" else "" end)
  end;

[inputs
 | . as $result
 | { place: place, target: target,
     alone: ($result.conditions[0].wall_s.mean | alone),
     loads: ($result.loads | map(select(.spec != null) | .name)),
     slowdowns:
       ([$result.slowdowns[] | select(.metric == "wall_s")
         | . as $s
         | ($result.conditions[] | select(.name == $s.condition) | .load // []) as $load
         | { key: .condition, value: { ratio, ci, p, distinguishable, short: ($load | any(.offered != null and .achieved < 0.95 * .offered)) } }]
        | from_entries) }]
| sort_by([(.place | order(["core", "smt", "l3", "node", "other-node", "machine"])),
           (.target | order(["nbody", "mmul", "qap", "malloctest-glibc", "malloctest-jemalloc", "xz", "sqlite3"]))])
| (map(.loads) | add | unique_by(. as $n | [(split("-")[0] | order(["cpu", "io", "mem", "cache", "alloc", "net"])), ($n | split("-")[1] | tonumber)])) as $loads
| "| place | target | alone | " + ($loads | map(sub("-"; " ") + " %") | join(" | ")) + " |",
  "| --- | --- | --- |" + ($loads | map(" --- |") | add),
  (.[] | . as $row
   | "| \(.place) | \(.target) | \(.alone) | " + ($loads | map($row.slowdowns[.] | cell) | join(" | ")) + " |"),
  ($report[0].family
   | select(.with_p > 0)
   | "",
     "By chance alone up to \(.expected_by_chance | fixed(1)) of these \(.slowdowns) slowdowns would look distinguishable from noise (half of",
     "them as faster), \(.distinguishable) do; \(.survive) hold at a false discovery rate of \(.false_discovery_rate * 100 | fixed(0)) % (†).")
