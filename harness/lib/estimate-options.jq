# The settings of an experiment as estimate's options, a word a line.
[ "--conditions", ([.loads[].name] | join(",")),
  "--error", .settings.error, "--confidence", .settings.confidence,
  "--min-runs", .settings.min_runs, "--max-runs", .settings.max_runs,
  "--metric", (.settings.metric | join(",")), "--seed", .settings.seed ]
+ (if .settings.ignore_failure then ["--ignore-failure"] else [] end)
+ (if (.settings.discard_warmup // 0) > 0 then ["--discard-warmup", .settings.discard_warmup] else [] end)
+ (if .settings.aa then ["--aa"] else [] end)
+ (if .settings.at_most then ["--at-most", .settings.at_most] else [] end)
| .[]
