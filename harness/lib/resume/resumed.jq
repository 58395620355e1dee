# Warnings of a result that was measured in several sessions.

# result.json (the input) with a warning where runs come from several hosts;
# $text is the content of runs.jsonl.
def with_sessions($text):
  if ((.resumed // []) | length) == 0 then .
  else ([$text | split("\n")[] | fromjson? | select(.block != 0) | .host // empty] | unique) as $hosts
  | if ($hosts | length) > 1 then
      .warnings += [{ flag: "several-hosts", condition: null, metric: null, runs: [],
        message: "its runs were made on several hosts (\($hosts | join(", "))): a slowdown pairs runs of one host, but mean and variance mix them: where that matters, measure again on one host" }]
    else . end
  end;
