# What runs alone show, for people. $folder: where the records are.
include "lib/text";

def ratio: if .ratio == null then "too few runs" else .texts.ratio end;

visible_all
| "\(.program) alone: \(.n) runs, \(.texts.mean_s) on average",
"from run to run            \(if .sd.value == null then "not known" else .sd.texts.value end)",
"neighbouring runs          \(if .correlation == null then "too few" else "correlate by " + .texts.correlation end)",
"every second run / others  \(.interleaved_halves | ratio)",
"second half / first half   \(.halves_in_time | ratio)",
(.runs_needed[] | "runs a side for ± \(.texts.half_width)     \(.runs // "not known")"),
"",
.verdict,
"",
"Records: \($folder)"
