# The text of runs.jsonl -> the numbers of the lines that cannot be gone on with
# on the host $host; $experiment is experiment.json, slurped.
def failed: (.exit_code // 0) != 0 or .signal != null or .start_error != null or .timed_out == true;

$experiment[0] as $experiment
| ($experiment.loads | length) as $conditions
| [split("\n")[] | (fromjson? // null)] | [to_entries[] | select(.value | type == "object" and .block != 0)]
| group_by(.value.block)[]
| (map(.value.condition) | unique | length < $conditions) as $open
| .[]
| select((.value | failed and ($experiment.settings.ignore_failure | not))
    or ($open and (.value.host // $experiment.environment.host) != $host))
| .key + 1
