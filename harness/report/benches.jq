# What both formats for github-action-benchmark share: that has one direction for all of a file (tool
# customSmallerIsBetter or customBiggerIsBetter).
include "lib/text";

# Named results -> the entries. $better: "lower" or "higher"; $elsewhere: the format that has the others.
def benches($better; $elsewhere):
  . as $results
  | ([$results[].metrics[] | select(.better != $better) | .metric] | unique) as $others
  | [$results[] | .name as $name | (.runs.times | length) as $runs | .metrics[]
     | select(.better == $better)
     # A series of wall times goes on where another metric is added.
     | { name: ($name + if .metric == "wall_s" then "" else ": \(.metric)" end | visible), unit, value: .figure.center }
       + (.figure.ci | if . == null then {} else { range: "\(.[0]) to \(.[1])" } end)
       + { extra: ("\($runs) runs, \(if $better == "lower" then "smaller" else "bigger" end) is better"
           + if $others == [] then "" else "; \($others | join(", ") | visible): see --format \($elsewhere)" end) }];
