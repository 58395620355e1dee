# experiment.json and estimate's summary -> result.json; $runs is the text of
# runs.jsonl.
include "attribution";
include "hits";
include "forecast";
include "resume/resumed";

(.[0] + .[1])
| .schema = "jostle.result/1"
| del(.stopped)
| with_attribution($runs)
| with_hits($runs)
| with_forecast($runs)
| with_sessions($runs)
