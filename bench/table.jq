# A part of a Markdown table of the result.json of cells of peers.conf, which are the input: the machine and the titles ($part
# is "head"), the rows of these cells ("rows"), or when all that was and where jostle is behind ("end"). A ratio above 1 says
# that the peer is worse. $peers: the versions of the peers, as they were found; $names: what a target's rows are
# called, with {PARAMETER}s.
include "lib/text";

# of a condition: its figure by name; those that are built in are members themselves
def figure($metric): .metrics[$metric] // .[$metric];
def center_text($metric): figure($metric) | if .center == null then "-" else .texts.center end;

def standing: if .ci == null then "-" elif .ci[0] > 1 then "ahead" elif .ci[1] < 1 then "**behind**" else "level" end;
def row_name:
  .cell as $cell
  | reduce ($cell.parameters | to_entries[]) as $one ($names[$cell.target] // $cell.name; gsub("[{]" + $one.key + "[}]"; $one.value));

def rows:
  . as $result
  | (.settings.metric | map(select(. != "wall_s" or ($result.settings.metric == ["wall_s"])))) as $metrics
  | $metrics[] as $metric
  | (.conditions[0] | center_text($metric)) as $ours
  | row_name as $cell
  | ([.comparisons[] | select(.metric == $metric)] | if . == [] then [null] else . end)[]
  | . as $comparison
  | [ $cell + (if ($metrics | length) > 1 then ", " + $metric else "" end),
      $ours,
      (if . == null then "-" else .variant end),
      (if . == null then "-" else ($result.conditions[] | select(.name == $comparison.condition) | center_text($metric)) end),
      (.texts.ratio // "-"),
      (if . == null then "-" else standing end),
      ($result.conditions[0].runs | tostring) ];

def machine:
  .environment
  | "\(.cpu), \(.cpus_online) CPUs (allowed: \(.cpus_allowed))\(if .virtual_machine then ", a virtual machine" else "" end), \(.texts.memory_bytes) of memory, \(.file_system) on \(.device), \(.os), \(.kernel). jostle \(.versions.jostle); \($peers).";

def times:
  (map(.before.time) | sort) as $times
  | "Measured from \($times[0]) to \($times[-1]), load average at most \(map(.environment.load_average[0]) | max) when a row began.";

def summary($with):
  [$with[] | select(.[5] == "**behind**") | "\(.[0]) (\(.[2]))"] as $behind
  | [$with[] | select(.[5] == "-") | "\(.[0]) (\(.[2]))"] as $unknown
  | "jostle is behind in \($behind | length) of \($with | length) comparisons"
    + (if $behind == [] then "." else ": \($behind | join(", "))." end)
    + (if $unknown == [] then "" else " No interval yet, for want of pairs: \($unknown | join(", "))." end);

if $part == "head" then
  (.[0] | machine),
  "",
  "| what | jostle | peer | the peer's | times worse the peer is [95 %] | jostle is | pairs |",
  "| --- | --- | --- | --- | --- | --- | --- |"
elif $part == "rows" then
  .[] | rows | "| " + join(" | ") + " |"
else
  "", summary([.[] | rows | select(.[2] != "-")]), "", times
end
