# The settings of an experiment as estimate's options, a word a line.
[ "--conditions", ([.loads[].name] | join(",")),
  "--error", .settings.error, "--confidence", .settings.confidence,
  "--min-runs", .settings.min_runs, "--max-runs", .settings.max_runs,
  "--metric", (.settings.metric | join(",")), "--seed", .settings.seed ]
+ (if .settings.ignore_failure then ["--ignore-failure"] else [] end)
| .[]
