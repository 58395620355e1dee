# What runs alone show, for people. $folder: where the records are.
include "lib/text";

def percents($ci): (. * 100 | fixed(1)) + (if $ci == null then "" else " [\($ci[0] * 100 | fixed(1)), \($ci[1] * 100 | fixed(1))]" end) + " %";
def ratio: if .ratio == null then "too few runs" else "\(.ratio | fixed(3)) [\(.ci[0] | fixed(3)), \(.ci[1] | fixed(3))]" end;

visible_all
| "\(.program) alone: \(.n) runs, \(.mean_s | time_text) on average",
"from run to run            \(if .sd.value == null then "not known" else .sd.value as $sd | .sd.ci as $ci | $sd | percents($ci) end)",
"neighbouring runs          \(if .correlation == null then "too few" else "correlate by " + (.correlation | fixed(2)) end)",
"every second run / others  \(.interleaved_halves | ratio)",
"second half / first half   \(.halves_in_time | ratio)",
(.runs_needed[] | "runs a side for ± \(.half_width * 100 | fixed(0)) %     \(.runs // "not known")"),
"",
.verdict,
"",
"Records: \($folder)"
