# Shared by the formats of a pack. No format itself: it has no "# files:".
include "lib/jq15";

def program_text: (if .name == null then "" else "\(.name): " end) + (.words | join(" "));
def place_text:
  .settings | if .place == "none" then "not pinned" else "placed \(.place)" end
  + if .cpus_per_copy > 1 then ", \(.cpus_per_copy) CPUs a copy" else "" end;
def head_text:
  "pack of \([.programs[] | program_text] | join("; ")) on \(.machine.host // "this machine"): CPUs \(.cpus.allowed), \(place_text), \(.made)";
def finding_text: .text + (if .advice == null then "" else ": " + .advice end);
def note_flags: [.findings[] | select(.severity != "problem") | .flag];
def percent: . * 1e6 | round / 1e4;
def key_text:
  "± and [ ] are \(.confidence_each | percent) % confidence intervals over n runs; slowdown and throughput are by blocks against \(if (.programs | length) > 1 then "each program alone" else "one copy" end). Throughput: copies / time of the last. Efficiency: throughput / (copies x throughput of one).";
