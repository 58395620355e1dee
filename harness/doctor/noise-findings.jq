# The noise floor as findings: check, status, text and advice, with tabs between.
include "report/numbers";

# A coefficient of variation above this is worth a warning. Judgement, not
# measurement: a tenth of the usual asked error would be too strict for shared hosts.
def limit: { cpu: 0.03, memory: 0.05, disk: 0.30 };

(["cpu", "memory", "disk"] - map(.kind) | .[] | ["noise-\(.)", "unknown", "the fixed work for \(.) could not be done here", ""]),
(.[]
 | (pow(2 * .cv / 0.01; 2) | ceil | [., 2] | max) as $needed
 | [ "noise-\(.kind)",
     (if .cv > limit[.kind] then "warn" else "ok" end),
     "the same work of \(.mean_s | time_text) differs by \(.cv | percent_text) (coefficient of variation of \(.runs) runs, slowest \(.slowest | fixed(2)) of the median)"
     + (if .signs == [] then "" else ", " + (.signs | join(", ")) end),
     "for an error of 1 % expect about \($needed) runs" ])
| @tsv
