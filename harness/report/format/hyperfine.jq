# hyperfine's --export-json, for the scripts that read it.
# reads: lists
#
# The baseline of an experiment comes before its loads. `parameters` are those
# that differ between the results, so that plot_parametrized.py finds its one
# parameter where there is one.
include "report/rows";
include "lib/text";
def number_of_level: if . == null then "0" else rtrimstr("%") end;

. as $head
| [results | .parameters |= map_values(tostring)] as $results
| ($results | length) as $all
| (reduce $results[].parameters as $one ({}; reduce ($one | to_entries[]) as $p (.; .[$p.key].values[$p.value] = true | .[$p.key].count += 1))
   | to_entries | map(select((.value.values | length) > 1 or .value.count < $all) | .key)) as $varying
| all($results[]; .role == "alone") as $alone
| ([$results[] | select(.role != "alone") | .load] | unique | length > 1) as $loads
| ([$results[] | select(.role != "alone") | .level] | unique | length) as $count
# Alone is level 0, where nothing else tells the results apart.
| ($count > 1 or ($varying == [] and ($loads | not) and any($results[]; .level != null))) as $levels
| "{\n  \"results\": [",
  (range(0; $results | length) as $i
   | $results[$i]
   | . as $result
   | { command: result_name($alone), mean: .summary.wall_s.mean, stddev: .summary.wall_s.stddev, median: .summary.wall_s.median,
       user: .summary.user_s.mean, system: .summary.system_s.mean, min: .summary.wall_s.min, max: .summary.wall_s.max,
       times: .runs.times, memory_usage_byte: .runs.memory_usage_byte, exit_codes: .runs.exit_codes,
       parameters: ((reduce $varying[] as $name ({}; . + { ($name): $result.parameters[$name] }))
         + (if $loads then { load: ($result.load // "alone") } else {} end)
         + (if $levels then { level: ($result.level | number_of_level) } else {} end)) }
   | "    " + (tojson | json_text) + (if $i + 1 < ($results | length) then "," else "" end)),
  "  ]\n}"
