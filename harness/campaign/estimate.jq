# The states of cells (input, see states.jq) -> a jostle.plan/1, with what
# each cell will still take. $plan: a jostle.campaign/1 with the same
# cells, slurped; $probes: lines "label TAB seconds" of single runs.
#
# From the best that is known: what an earlier session needed for a part of this very
# cell; the mean of cells of the same target with the same parameters, of the same
# target; a single run (--probe); else nothing. From a single run of t seconds: at
# least --min-runs pairs of 2 t, at most --max-runs pairs of 3 t (a load that doubles
# the time), 0.2 s for each pair and 1 s for the start.

def number($name; $default): .settings[$name] // $default | tonumber;
def from_probe($t): number("max-runs"; "30") as $max | number("min-runs"; ([12, $max] | min | tostring)) as $min
  | (if .load == null then [1, 1] else [2, 3] end) as $factor
  | { low: (1 + $min * ($factor[0] * $t + 0.2)), high: (1 + $max * ($factor[1] * $t + 0.2)), from: "probe" };
def exactly($s; $from): { low: $s, high: $s, from: $from };
def means(key): group_by(key) | map({ (.[0] | key): (map(.status.spent_s) | add / length) }) | add // {};

. as $states
| $plan[0] as $plan
| ([$states[] | select(.state == "done")]) as $done
| ($done | means(.label)) as $by_label | ($done | means(.target)) as $by_target
| ($probes | split("\n") | map(select(. != "") | split("\t") | { (.[0]): (.[1] | tonumber) }) | add // {}) as $probe
| [range(0; $states | length) as $index | $states[$index] | . as $state | $plan.cells[$index] as $cell
    | (if .todo | not then exactly(0; "done")
       elif .state != "changed" and (.status.expected_runs // 0) > 0 and .status.runs > 0 and .status.spent_s > 0 then exactly(.status.spent_s * ([.status.expected_runs - .status.runs, 0] | max) / .status.runs; "cell")
       elif $by_label[.label] then exactly($by_label[.label]; "label")
       elif $by_target[.target] then exactly($by_target[.target]; "target")
       elif $probe[.label] then $probe[.label] as $t | ($cell | from_probe($t))
       else null end) as $estimate
    | { number, name, target, label: .label, load: $cell.load, level: $cell.level, state, todo, command: $cell.command, spec: $cell.spec, spent_s: .status.spent_s, estimate_s: $estimate }]
| . as $cells
| { schema: "jostle.plan/1", name: $plan.name, file: $plan.file, cells: $cells,
    total: { cells: ($cells | length), todo: ([$cells[] | select(.todo)] | length),
      unknown: ([$cells[] | select(.estimate_s == null)] | length),
      low_s: ([$cells[].estimate_s | objects | .low] | add // 0), high_s: ([$cells[].estimate_s | objects | .high] | add // 0) } }
