# The runs that the machine spoiled, as warnings of the result.

def hit_words:
  { "steal": "the host took more than 1 % of the CPU time during \(.): their times may be too long: measure at another time, or on a machine of your own",
    "foreign-load": "other programs used more than 5 % of the CPUs during \(.): their times may be too long: end what else runs (jostle doctor names it)",
    "swap-in": "pages came back from swap during \(.): their times may be too long: free memory, or swapoff -a",
    "shared-node": "other Slurm jobs were on the node when \(.) began: their times may be too long: ask for the node alone with --exclusive",
    "throttled": "the CPUs were throttled by heat during \(.): their times may be too long: let the machine cool down" };

def hits($condition; $flag; $all):
  [.[] | select(.flags | index($flag))] as $hit
  | select($hit | length > 0)
  | { flag: $flag, condition: $condition, metric: null,
      message: ("\($hit | length) of \($all) runs" | hit_words[$flag]), runs: [$hit[].order] };

# result.json (the input) with a warning for each condition and kind of hit;
# $text is the content of runs.jsonl.
def with_hits($text):
  [$text | split("\n")[] | fromjson? | select(.block != 0)] as $runs
  | .warnings += [ .conditions[].name as $name
      | ($runs | map(select(.condition == $name)))
      | length as $all
      | hits($name; "steal", "foreign-load", "swap-in", "throttled", "shared-node"; $all) ]
  # Who came later has no run's flag: who is there at the end is found so.
  | (.after.neighbours.jobs? // []) as $late
  | if ($late | length) > 0 and ((.before.neighbours.jobs? // []) | length) == 0
    then .warnings += [{ flag: "shared-node", condition: null, metric: null, runs: [],
        message: "other Slurm jobs (\($late | join(", "))) came to the node while it was measured: times may be too long: ask for the node alone with --exclusive" }]
    else . end;
