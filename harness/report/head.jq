# Cells in order, a line each -> everything of the model but the cells.
# $folders: names and runs of all experiments; $hosts: environments; $waiting: cells that are not done; $problems: what is
# wrong with records; $campaigns: campaign.json files; $name: of the report.
include "report/numbers";
include "report/words";

def distinct: unique_by(del(.device, .file_system, .cpus_allowed, .governor));

# Folders with one device, and so on: what is seen on one node in several cells.
def merged_hosts:
  group_by(del(.device, .file_system, .cpus_allowed, .governor))
  | map(.[0] + ([["device", "devices"], ["file_system", "file_systems"], ["cpus_allowed", "cpus_allowed"], ["governor", "governors"]] as $lists
      | . as $seen | reduce $lists[] as [$from, $to] ({}; .[$to] = ([$seen[][$from] | select(. != null and . != "")] | unique)))
      | del(.device, .file_system, .governor))
  | sort_by(.host, .kind);

def sum: if length == 0 then 0 else add end;

# Rows of one label -> the baseline by host, where there are several hosts.
# Experiments with several loads have one baseline: it counts once.
def between_hosts:
  .[0] as $first
  | [unique_by(.experiment)[] | select(.wall_s != null)]
  | group_by(.host)
  | map({ host: .[0].host, kind: .[0].kind, cells: length, runs: (map(.runs) | sum), mean_s: (map(.wall_s) | sum / length) })
  | select(length > 1)
  | (map(.mean_s) | sum / length) as $mean
  | (map(.mean_s - $mean | . * .) | sum / (length - 1)) as $variance
  | { target: $first.target, label: $first.label, metric: "wall_s", mean_s: $mean, variance: $variance, stddev: ($variance | sqrt),
      cv: (if $mean > 0 then ($variance | sqrt) / $mean else null end), hosts: . };

def kinds_warning:
  .[0] as $first
  | (group_by(.kind) | map({ kind: .[0].kind, hosts: ([.[].host] | unique) }))
  | select(length > 1)
  | { kind: "different-nodes", cell: null,
      message: "\($first.label): its cells come from different kinds of node (\(map("\(.hosts | join(", ")): \(.kind)") | join("; "))): slowdowns compare, times do not" };

# What makes two cells of one label comparable from node to node.
def same: { target, "label", settings: (.settings | { cold, cold_path, prepare, cleanup, target_cpus, nice, engine }) };

# The cells pass one by one; a row (cells that are the same but for their load)
# is judged at its end.
def rows:
  foreach (inputs, null) as $cell ({ row: [], done: null, counts: null };
    (if $cell == null then null else ($cell | same) end) as $same
    | (if $cell != null and (.row == [] or .row[0].same == $same) then .done = null else .done = .row | .row = [] end)
    | if $cell == null then .
      else .row += [$cell | { same: $same, target, "label", experiment, host, kind, wall_s: .baseline.wall_s.mean, runs: .baseline.runs }] end;
    select(.done != null and .done != []) | .done);

def campaign_waiting:
  (reduce $folders[] as $folder ({}; . + { ($folder.name): true })) as $seen
  | [$campaigns[] | .cells[]? | select((.name? | type) == "string") | select(($seen[.name] | not) and ($only == "" or (.name | test($only)))) | { name, state: "waiting", reason: "not started", host: null, runs: 0 }];

# Of a campaign, what does not depend on where it is.
def campaign:
  if length == 0 then null
  else { name: (.[0].name | strings // null), file: (.[0].file // "" | tostring | sub("^.*/"; "")), settings: (.[0].settings | objects // null), cells: (map(.cells // [] | length) | sum) } + (.[0] | if .text then { text } else {} end) end;

[rows | { cells: length, between: [between_hosts], warnings: [kinds_warning] }] as $judged
| ($waiting + campaign_waiting) as $waiting
| { schema: "jostle.report/1", name: $name, campaign: ($campaigns | campaign),
    totals: { cells: ([$judged[].cells] | sum), experiments: ($folders | length), runs: ([$folders[].runs] | sum), not_done: ($waiting | length) },
    hosts: ($hosts | merged_hosts), between_hosts: [$judged[].between[]],
    waiting: $waiting, warnings: ($problems + [$judged[].warnings[]]) }
