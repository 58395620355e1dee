# The findings (check, status, text, advice in turn) as jostle.doctor/1.
($ARGS.positional | [range(0; length; 4) as $i | { check: .[$i], status: .[$i + 1], message: .[$i + 2],
   advice: (if .[$i + 3] == "" then null else .[$i + 3] end) }]) as $findings
| { schema: "jostle.doctor/1", environment: $environment, facts: $facts, findings: $findings,
    warnings: ([$findings[] | select(.status == "warn")] | length),
    unknown: ([$findings[] | select(.status == "unknown")] | length),
    noise_floor: $noise }
