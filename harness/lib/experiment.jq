# experiment.json: what was asked, on what machine. Times are in seconds.
# $settings and $loads are flat lists of names and values, each led by \u0001.
def pairs: split("\u0001")[1:] | range(0; length; 2) as $i | { key: .[$i], value: .[$i + 1] };
def number: if . == "" then null else tonumber end;
{ schema: "jostle.experiment/1",
  command: $ARGS.positional,
  loads: [$loads | pairs | { name: .key, spec: (if .value == "" then null else .value end) }],
  settings:
    ([$settings | pairs] | from_entries
     | { error: (.error | tonumber), confidence: (.confidence | tonumber),
         min_runs: (.min_runs | tonumber), max_runs: (.max_runs | tonumber),
         max_time_s: (.max_time | number), warmup: (.warmup | tonumber),
         metric: (.metric | split(",")), prepare, cleanup,
         discard_warmup: (.discard_warmup | tonumber), aa: (.aa != ""), at_most: (.at_most | number),
         cold: (.cold != ""), cold_path: (.cold_path | split("\n") | map(select(. != ""))),
         timeout_s: (.timeout | number), ignore_failure: (.ignore_failure != ""), strict: (.strict != ""),
         target_cpus, load_cpus, place, place_cpus, nice, load_nice,
         settle_s: (.settle | number), seed: (.seed | tonumber), engine }
     | map_values(if . == "" then null else . end)),
  environment: $environment,
  # Where target and loads sit on this machine; place is null where nobody asked.
  placement: ($placement | { place, target_cpus, load_cpus, quota_cpus }),
  # The cell of a campaign that this experiment is, or null.
  cell: $cell,
  # The kernel's counters when the measurement began; `after` is added at its end.
  before: $before }
