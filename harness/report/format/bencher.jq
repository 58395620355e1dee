# Bencher's JSON (BMF), for `bencher run --adapter json`.
# reads: lists
include "report/rows";
include "lib/text";

def bounded(scale): { value: (.center * scale) } + (if .ci == null then {} else { lower_value: (.ci[0] * scale), upper_value: (.ci[1] * scale) } end);

reduce named_results as $one ({}; .[$one.name] = (
    { latency: ($one.summary.wall_s | bounded(1e9)) }
    + (if $one.slowdown.ratio == null then {} else { slowdown: ($one.slowdown | { center: .ratio, ci } | bounded(1)) } end)))
| tojson | json_text
