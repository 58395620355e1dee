# Cells, a line each, and $groups (from hyperfine-runs.awk) -> the JSON that
# hyperfine --export-json writes. The baseline of an experiment stands before
# its loads. `parameters` are those that differ between the results, so that
# plot_parametrized.py finds its one parameter where there is one.
include "format";

def load_words: [.load, .level] | map(select(. != null)) | join(" ");
def number_of_level: if . == null then "0" else rtrimstr("%") end;

def key: "\(.experiment)\u0000\(.condition)";
(reduce $groups[] as $group ({}; . + { ($group | key): $group })) as $groups
| [inputs
   | . as $cell
   | ({ experiment, condition: .reference, role: "alone", summary: .baseline, load: null, level: null },
      (select(.loaded != null) | { experiment, condition, role: load_words, summary: .loaded, load, level }))
   | . + { command: ($cell.command | words), parameters: ($cell.parameters | map_values(tostring)) }] as $all
| [range(0; $all | length) as $i | $all[$i] | select($i == 0 or (.role != "alone") or $all[$i - 1].experiment != .experiment)] as $results
| ([$results[].parameters | keys[]] | unique | map(. as $name | select([$results[].parameters[$name]] | unique | length > 1))) as $varying
| ([$results[] | select(.role != "alone") | .load] | unique | length > 1) as $loads
| ([$results[] | select(.role != "alone") | .level] | unique | length) as $count
# Alone is level 0, where nothing else tells the results apart.
| ($count > 1 or ($varying == [] and ($loads | not) and any($results[]; .level != null))) as $levels
| "{\n  \"results\": [",
  (range(0; $results | length) as $i
   | $results[$i]
   | . as $result
   | $groups[key] as $runs
   | { command: "\(.command) (\(.role))", mean: .summary.wall_s.mean, stddev: .summary.wall_s.stddev, median: .summary.wall_s.median,
       user: .summary.user_s.mean, system: .summary.system_s.mean, min: .summary.wall_s.min, max: .summary.wall_s.max,
       times: ($runs.times // []), memory_usage_byte: ($runs.memory_usage_byte // []), exit_codes: ($runs.exit_codes // []),
       parameters: ((reduce $varying[] as $name ({}; . + { ($name): $result.parameters[$name] }))
         + (if $loads then { load: ($result.load // "alone") } else {} end)
         + (if $levels then { level: ($result.level | number_of_level) } else {} end)) }
   | "    " + tojson + (if $i + 1 < ($results | length) then "," else "" end)),
  "  ]\n}"
