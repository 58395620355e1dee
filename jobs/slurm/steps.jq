# sacct's lines (the input, a text) -> the steps of a job, without the batch
# script's own and those of loads.
def seconds: # [DD-[HH:]]MM:SS[.mmm]
  capture("^((?<d>[0-9]+)-)?((?<h>[0-9]+):)?(?<m>[0-9]+):(?<s>[0-9.]+)$")
  | (.d // "0" | tonumber) * 86400 + (.h // "0" | tonumber) * 3600 + (.m | tonumber) * 60 + (.s | tonumber);
def bytes:
  capture("^(?<n>[0-9.]+)(?<unit>[KMGT]?)$")
  | (.n | tonumber) * ({ "": 1, K: 1024, M: 1048576, G: 1073741824, T: 1099511627776 }[.unit]) | floor;
[split("\n")[] | select(. != "") | split("|") | select(length == 7)
 | select((.[0] | test("\\.[0-9]+$")) and .[1] != "jostle-load")
 | { step: .[0], name: .[1], tasks: (.[2] | tonumber? // null), elapsed_s: (.[3] | tonumber? // null),
     cpu_s: ((.[4] | seconds)? // null), max_rss_bytes: ((.[5] | bytes)? // null), state: .[6] }]
| if length > 0 then { steps: ., reason: null } else { steps: null, reason: "sacct knows no step of the target" } end
