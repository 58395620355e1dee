# hyperfine's --export-json, for the scripts that read it.
# reads: lists
include "report/hyperfine";
include "report/rows";
include "report/decimals";
include "lib/text";

[hyperfine_results] as $results
| "{\n  \"results\": [",
  (range(0; $results | length) as $i
   | "    " + ($results[$i] | tojson | json_text) + (if $i + 1 < ($results | length) then "," else "" end)),
  "  ]\n}"
