# Long form: a line for each figure of each row, ours and those of peers.
# files: .csv
include "lib/visible";
include "lib/jq15";
def columns: ["part", "cell", "labels", "state", "reason", "program", "version", "metric", "unit", "better", "value", "ci_low", "ci_high", "n",
  "peak", "peak_ci_low", "peak_ci_high", "peak_source", "of_peak", "of_peak_ci_low", "of_peak_ci_high", "ours_of_peer", "ours_of_peer_ci_low", "ours_of_peer_ci_high", "marks", "problems"];

def line($part; $row; $program; $metric; $figure; $of_peak; $ratio):
  [$part, $row.cell, ($row.labels | to_entries | map("\(.key)=\(.value)") | join(" ")), $row.state, ($program.reason // $row.reason), $program.name, $program.version,
   $metric.name, $metric.unit, $metric.better, $figure.value, $figure.ci[0], $figure.ci[1], $program.n,
   $row.peak.value, $row.peak.ci[0], $row.peak.ci[1], $row.peak.source, $of_peak.ratio, $of_peak.ci[0], $of_peak.ci[1], $ratio.ratio, $ratio.ci[0], $ratio.ci[1],
   ($row.marks | join("; ")), ([$row.problems[].flag] | unique | join(" "))];

def lines($part; $row):
  ({ name: $row.metric, unit: $row.unit, better: $row.better }) as $main
  | (line($part; $row; { name: "jostle", n: $row.n }; $main; $row; $row.of_peak; null)),
    ($row.more[] | line($part; $row; { name: "jostle", n: $row.n }; .; .; null; null)),
    ($row.peers[] | . as $peer
     | line($part; $row; $peer; $main; $peer; $peer.of_peak; $peer.ours_of_peer),
       ($peer.more[] | line($part; $row; $peer; .; .; null; null)));

(columns | map(csv_text) | @csv), (.parts[] | .part as $part | .rows[] | . as $row | lines($part; $row) | map(csv_text) | @csv)
