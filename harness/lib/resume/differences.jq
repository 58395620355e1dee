# Two experiment.json, $old and $new (each slurped): in what are they different
# experiments? One line, empty where the one can go on as the other.
def text: if . == null then "none" elif type == "string" then . else tojson end;
def specs: [.loads[] | { key: .name, value: .spec }] | from_entries;
# How long to measure, and how sure to be, may change: runs are added in the same
# order, so an experiment with other limits begins with the same runs.
def fixed_settings: .settings
  | del(.error, .confidence, .min_runs, .max_runs, .max_time_s, .metric, .at_most, .strict) | map_values(select(. != null and . != false));
def differing($x; $y): ($x + $y | keys_unsorted)[] | select($x[.] != $y[.]) | "\(.): \($x[.] | text) there, \($y[.] | text) asked for";

$old[0] as $old | $new[0] as $new
| [ if $old.command != $new.command then "command: \($old.command | join(" ")) there, \($new.command | join(" ")) asked for" else empty end,
    if [$old.loads[].name] != [$new.loads[].name] then "conditions: \([$old.loads[].name] | join(", ")) there, \([$new.loads[].name] | join(", ")) asked for"
    else differing($old | specs; $new | specs) | "load " + . end,
    differing($old | fixed_settings; $new | fixed_settings) ]
| join("; ")
