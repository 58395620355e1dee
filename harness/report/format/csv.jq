# Long form for R, pandas, DuckDB; with --runs a line a run.
# files: .csv
# reads: model
# runs: yes
#
# RFC 4180 but for the line ends. Values are as recorded: nothing is rounded, no
# text is changed.
def columns: ["cell", "experiment", "target", "label", "parameters", "command", "load", "level", "spec", "host", "session", "sessions", "state", "condition", "role", "metric", "unit",
  "runs", "mean", "variance", "stddev", "median", "min", "max", "statistic", "center", "set_aside", "ci_low", "ci_high", "error", "ci_robust_low", "ci_robust_high", "constant", "outliers", "confidence", "interval_level", "converged", "stop_reason",
  "slowdown", "slowdown_ci_low", "slowdown_ci_high", "slowdown_error", "pairs", "distinguishable", "p", "q", "survives", "noise_floor",
  "offered", "achieved", "load_unit", "late", "dropped", "load_cpu_s", "flags",
  "better", "variant", "of_alone", "reference_variant", "ratio_to_reference", "ratio_to_reference_ci_low", "ratio_to_reference_ci_high", "ratio_to_reference_p", "verdict", "gate",
  "interaction", "interaction_ci_low", "interaction_ci_high", "interaction_p"];

def unit: if endswith("_s") then "s" elif endswith("_bytes") then "B" else "" end;

# Of the cell's variant, alone or under its load.
def entry($list; $role; $metric): [$list // [] | .[] | select(.metric == $metric and (.load != null) == ($role == "loaded"))] | first;

def figure($cell; $names; $summary; $role; $metric):
  ($summary[$metric] // $summary.metrics[$metric]) as $f
  | entry($cell.comparisons; $role; $metric) as $c
  | entry($cell.interactions; $role; $metric) as $i
  | (if $role == "loaded" then [$cell.all_slowdowns[] | select(.metric == $metric)] | first else null end) as $s
  | (if $role == "loaded" then $cell.achieved else null end) as $load
  | $names
    + [ (if $role == "loaded" then $cell.condition else $cell.reference end), $role, $metric, ($f.unit // ($metric | unit)),
      $summary.runs, $f.mean, $f.variance, $f.stddev, $f.median, $f.min, $f.max, $f.statistic, $f.center, $f.set_aside, $f.ci[0], $f.ci[1], $f.error, $f.ci_robust[0], $f.ci_robust[1], $f.constant, $f.outliers,
      $cell.settings.confidence, $cell.interval_level, $summary.converged, $summary.stop_reason,
      $s.ratio, $s.ci[0], $s.ci[1], $s.error, $s.pairs, $s.distinguishable, $s.p, $s.q, $s.survives, (if $s.metric == "wall_s" then $cell.slowdown.noise_floor else null end),
      $load.offered, $load.achieved, $load.unit, $load.late, $load.dropped, $load.cpu_s, ($cell.flags | join(" ")),
      ($f.better // "lower"), $cell.variant, (if $s.ratio != null and $f.better == "higher" then 1 / $s.ratio else $s.ratio end),
      $c.reference_variant, $c.ratio, $c.ci[0], $c.ci[1], $c.p, $c.verdict, $c.gate, $i.ratio, $i.ci[0], $i.ci[1], $i.p ];

# A capacity takes the place of figures: its runs are at different rates.
def capacity($cell; $names; $summary; $role):
  (if $role == "loaded" then $cell.condition else $cell.reference end) as $condition
  | first($cell.capacity.by_condition[] | select(.condition == $condition)) as $one
  | figure({ condition: $cell.condition, reference: $cell.reference, achieved: $cell.achieved, flags: $cell.flags, variant: $cell.variant, all_slowdowns: [],
             settings: $cell.settings, interval_level: $cell.capacity.confidence };
           $names; $summary + { metrics: { capacity: { center: $one.value, ci: $one.ci, error: $one.error, unit: $cell.capacity.unit, better: "higher" } } }; $role; "capacity")
  | .[columns | index("of_alone")] = $one.of_reference;

def figures:
  . as $cell
  | [.name, .experiment, .target, .label, (.parameters | tojson), (.command | tojson), .load, .level, .spec, .host, .session, .sessions // 1, .state] as $names
  | (["baseline", .baseline], ["loaded", .loaded]) as [$role, $summary]
  | select($summary != null)
  | if $cell.capacity != null then capacity($cell; $names; $summary; $role)
    else ($summary, $summary.metrics // {} | to_entries[] | select(.value | type == "object" and has("mean")) | .key) as $metric
    | figure($cell; $names; $summary; $role; $metric) end;

(columns | @csv), (inputs | figures | @csv)
