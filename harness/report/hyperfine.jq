# What hyperfine exports, for the programs that read it. Its figures are of the wall time; other metrics of --metric are
# behind them.
include "report/rows";
include "report/decimals";
include "lib/text";

def number_of_level: if . == null then "0" else rtrimstr("%") end;
# What --command-name says takes the place of the command.
def hyperfine_name($alone): if .named == "command-name" then .title + role_name($alone) else result_name($alone) end;
def is_own: .metric | IN("wall_s", "user_s", "system_s");

# Results in hyperfine's form, the baseline of an experiment before its loads. `parameters` are those of
# --parameter-list and --parameter-scan; of campaigns those that differ between the results, so that
# plot_parametrized.py finds its one parameter where there is one.
def hyperfine_results:
  [results | .parameters |= map_values(tostring)] as $results
  | ($results | length) as $all
  | (reduce ($results[] | .variant as $variant | .parameters | to_entries[] | . + { $variant }) as $p ({};
        .[$p.key].values[$p.value] = true | .[$p.key].count += 1 | .[$p.key].own = (.[$p.key].own or $p.variant != null))
     | to_entries | map(select(.value.own or (.value.values | length) > 1 or .value.count < $all) | .key)) as $varying
  | all($results[]; .role == "alone") as $alone
  | ([$results[] | select(.role != "alone") | .load] | unique | length > 1) as $loads
  | ([$results[] | select(.role != "alone") | .level] | unique | length) as $count
  # Alone is level 0, where nothing else tells the results apart.
  | ($count > 1 or ($varying == [] and ($loads | not) and any($results[]; .level != null))) as $levels
  | $results[]
  | . as $result
  | { command: hyperfine_name($alone), mean: .summary.wall_s.mean, stddev: .summary.wall_s.stddev, median: .summary.wall_s.median,
      user: .summary.user_s.mean, system: .summary.system_s.mean, min: .summary.wall_s.min, max: .summary.wall_s.max,
      times: .runs.times, memory_usage_byte: .runs.memory_usage_byte, exit_codes: .runs.exit_codes,
      parameters: ((reduce $varying[] as $name ({}; if $result.parameters[$name] == null then .
        else . + { ($name): $result.parameters[$name] } end))
        + (if $loads then { load: ($result.load // "alone") } else {} end)
        + (if $levels then { level: ($result.level | number_of_level) } else {} end)) }
    + ([.metrics[] | select(is_own | not)]
       | if . == [] then {}
         else { metrics: (map({ key: .metric, value: ({ unit, better } + (.figure | { mean, stddev, median, min, max, center, ci })) })
         | from_entries) } end);

# Names of all metrics that hyperfine has not, in the order of the first result that has each.
def metric_names:
  reduce (.[].metrics // {} | to_entries[] | { key, unit: .value.unit }) as $one ([]; if any(.[]; .key == $one.key) then .
    else . + [$one] end);

# ---- its tables

# The unit of all times of a table is that of the first.
def table_unit:
  if .[0].mean == null or .[0].mean >= 1 then { name: "s", factor: 1, decimals: 3 }
    elif .[0].mean >= 0.001 then { name: "ms", factor: 1000, decimals: 1 } else { name: "µs", factor: 1e6, decimals: 1 } end;
def squared: . * .;
# Mean against that of the fastest, each with its standard deviation.
def relative($fastest):
  if .mean == null or $fastest.mean == null or $fastest.mean == 0 then "-"
  elif . == $fastest then "1.00"
  else (.mean / $fastest.mean) as $ratio
  | ($ratio | fixed(2)) + (if .stddev == null or $fastest.stddev == null then ""
      else " ± " + ($ratio * ((.stddev / .mean | squared) + ($fastest.stddev / $fastest.mean | squared) | sqrt) | fixed(2)) end)
  end;
# The command, and parameters that are not in it.
def table_name:
  . as $one | .command
    + ([.parameters | to_entries[] | select(.value as $value | $one.command | contains($value) | not) | "\(.key) = \(.value)"]
    | if . == [] then "" else " (\(join(", ")))" end);
def deviation: if . == null then "" else " ± \(.)" end;

# Of a metric that hyperfine does not have, in its own unit and without an exponent.
def three_digits:
  if . == null then "-" elif . == 0 then "0"
  else (fabs | log10 | floor) as $power | fixed([2 - $power, 0] | max) end;

# -> {titles, rows}, texts; the first column is the command's.
def hyperfine_table:
  [hyperfine_results]
  | table_unit as $unit
  | metric_names as $metrics
  | ([.[] | select(.mean != null)] | min_by(.mean)) as $fastest
  | def time: if . == null then "-" else . * $unit.factor | fixed($unit.decimals) end;
    { titles: (["Command", ("Mean", "Min", "Max" | "\(.) [\($unit.name)]"), "Relative"]
      + [$metrics[] | .key + (if .unit == "" then "" else " [\(.unit)]" end) | visible]),
      rows: [.[] | . as $one
        | [(table_name | visible), (.mean | time) + (.stddev | if . == null then "" else time | deviation end), (.min | time),
          (.max | time), relative($fastest),
           ($metrics[] | $one.metrics[.key] | if . == null then "-"
             else (.mean | three_digits) + (.stddev | if . == null then "" else three_digits | deviation end) end)]] };
