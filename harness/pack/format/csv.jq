# A line for each number of copies; of a mix one more for each program.
# files: .csv
include "lib/visible";
include "lib/jq15";
def columns: ["copies", "reference", "program", "runs", "verdict", "in_knee", "shares_cpus", "peak_bytes"]
  + ([("copy_s", "worst_s", "makespan_s", "throughput", "cpu_s", "slowdown", "speedup", "efficiency") | ., "\(.)_low", "\(.)_high"]);
def figure: .value, .ci[0], .ci[1];
def nothing: null, null, null;

(columns | map(csv_text) | @csv),
(.programs | length) as $programs
| .rows[] | . as $row
| ([.copies, .reference, null, .runs, .verdict, .in_knee, .shares_cpus, .peak_bytes]
   + [(.copy_s, .worst_s, .makespan_s, .throughput, .cpu_s, .slowdown, .speedup, .efficiency) | figure] | map(csv_text) | @csv),
  (select($programs > 1) | .programs[]
   | [$row.copies, $row.reference, .name, $row.runs, null, null, $row.shares_cpus, null]
     + [(.copy_s | figure), nothing, nothing, nothing, nothing, (.slowdown | figure), nothing, nothing, nothing] | map(csv_text) | @csv)
