# For github-action-benchmark (customSmallerIsBetter).
# reads: lists
include "report/rows";
include "lib/text";

[named_results
 | { name, unit: "s", value: .summary.wall_s.center }
   + (if .summary.wall_s.ci == null then {} else { range: "\(.summary.wall_s.ci[0]) to \(.summary.wall_s.ci[1])" } end)
   + { extra: "\(.runs.times | length) runs" }]
| tojson | json_text
