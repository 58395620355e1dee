# For github-action-benchmark (customSmallerIsBetter; where bigger is better for all metrics: customBiggerIsBetter).
# reads: lists
include "report/rows";
include "report/benches";
include "lib/text";

[named_results]
| (if any(.[].metrics[]; .better != "higher") then "lower" else "higher" end) as $better
| benches($better; if $better == "lower" then "benchmark-action-bigger" else "benchmark-action" end)
| tojson | json_text
