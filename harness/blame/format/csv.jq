# A line for each row of the table.
# files: .csv
include "lib/visible";
include "lib/jq15";
(["host", "victim", "from", "records", "factor", "factor_most", "others_cpus", "cpu_some", "io_some", "steal", "throttled", "culprit"] | map(csv_text) | @csv),
(.hosts[] | . as $host | .rows[]
 | [$host.host, $host.victim, .from, .records, .factor, .most, .others_cpus, .cpu_some, .io_some, .steal, .throttled, (.culprits[0].text // "")]
 | map(csv_text) | @csv)
