# The metrics of which bigger is better, for github-action-benchmark (customBiggerIsBetter).
# reads: lists
include "report/rows";
include "report/benches";
include "lib/text";

[named_results] | benches("higher"; "benchmark-action") | tojson | json_text
