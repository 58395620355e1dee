# A line for each row of the table.
# files: .csv
include "lib/visible";
include "lib/jq15";
(["host", "place", "from", "probes"] + [.hosts[0].kinds[] | "\(.name)_level", "\(.name)_low", "\(.name)_high", "\(.name)_seen"]
 + ["cpu_some", "memory_some", "io_some", "steal", "throttled", "foreign_cpus", "slowdown", "verdicts"] | map(csv_text) | @csv),
(.hosts[] | . as $host | .rows[]
 | [$host.host, $host.place, .from, .probes] + [.kinds[] | .level, .lo, .hi, .seen]
   + [.cpu_some, .memory_some, .io_some, .steal, .throttled, .foreign_cpus, .slowdown, .verdicts] | map(csv_text) | @csv)
