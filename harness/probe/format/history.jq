# What the formats of a history share.
include "report/numbers";
include "lib/jq15";

def percent_of: if . == null then "-" else . * 100 | fixed(0) end;
def share_of: if . == null then "-" else . * 100 | fixed(if . < 10 then 1 else 0 end) end;
def titles: ["from", "probes"] + [.kinds[].name] + ["CPU", "memory", "disk", "steal", "throttled", "others", "blame"]
  + (if .program then ["expect"] else [] end);
def units: ["", ""] + [.kinds[] | "%"] + ["%", "%", "%", "%", "%", "CPUs", ""] + (if .program then [""] else [] end);
def level_of: if .level == null then "-" elif .seen > 0 then .level | percent_of else "·" end;
def texts($host):
  [(.from[0:19] | sub("T"; " ")), (.probes | tostring)] + [.kinds[] | level_of]
  + [(.cpu_some, .memory_some, .io_some, .steal, .throttled | share_of), (.foreign_cpus | fixed(2)), (.verdicts | split(" ")[0] // "")]
  + (if $host.program then [.slowdown | fixed(2)] else [] end);
def head_text: "\(.host), place \(.place): \(.probes) probes from \(.from) to \(.to)"
  + (if .reference_made then "; reference of \(.reference_made)" else "; no reference, so no levels" end)
  + (if .program then "; expect: \(.program)" else "" end);
def kind_text: "\(.resource): seen in \(.seen | percent_of) % of the probes, as if at \(.level | percent_of) % on average, \(.most | percent_of) % at most";
def kind_lines: .kinds[] | select(.seen != null and .seen > 0) | kind_text;
def key_text: "Columns of kinds: as if that load ran at so many percent, the mean of the probes of a row (· not seen, - not known); CPU, memory, disk: some task waited for it; others: CPUs that other programs used; blame: the first verdict of the row's last probe.";
