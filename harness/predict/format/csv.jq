# A line for each prediction.
include "lib/visible";
include "predict/format/predict";
include "report/numbers";
include "lib/jq15";

(["a", "beside", "place", "slowdown", "ci_low", "ci_high", "confidence", "carrier", "reason", "alone_sd", "runs_needed", "measured", "measured_low", "measured_high", "measured_n"] | map(csv_text) | @csv),
(.predictions[] | [.a, neighbours, .place, .slowdown, .ci[0], .ci[1], .confidence, .carrier, .reason, .gate.alone_sd, .gate.runs_needed, .measured.slowdown, .measured.ci[0], .measured.ci[1], .measured.n] | map(csv_text) | @csv)
