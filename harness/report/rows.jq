# Shared by the formats: what lays out rows (reads: rows), and each condition once (reads: lists).
include "lib/text";

# Consecutive rows of one target as an array, so that only one target is held.
# The array is all of the state of its loop: jq then grows it in place.
def by_target:
  foreach
    (foreach (inputs, null) as $row ({};
       { $row, before: .row };
       (if .before != null and (.row == null or .row.target != .before.target) then { end: true } else empty end),
       (if .row == null then empty else { start: (.before == null or .row.target != .before.target), row } end))) as $step
    ([]; if $step.end then . elif $step.start then [$step.row] else . + [$step.row] end; if $step.end then . else empty end);

def who: .who // (if .texts then "\(.texts.program), \(.texts.load)" else null end);

# Rows -> one entry for each flag among their problems or notes ($kind): the
# first in full, and where else it was seen.
def findings($kind):
  reduce (.[] | who as $who | .[$kind][] | . + { $who }) as $one ([];
    (map(.flag) | index($one.flag)) as $known
    | if $known == null then . + [$one + { also: [] }]
      elif .[$known].who == $one.who or .[$known].also[-1] == $one.who then .
      else .[$known].also += [$one.who] end);
def places:
  if .who == null then ""
  else " (\(.who)" + (.also | if . == [] then "" elif length > 3 then "; also \(.[:2] | join("; ")) and \(length - 2) more"
      else "; also \(join("; "))" end) + ")" end;
def finding_text: "\(.flag)\(places): \(.text)";
# Where marks in the rows say which ones: whose figures the text has, and how many more there are.
def marked_where: if .also == [] then "" else " (\(.who), and \(.also | length) more)" end;
def marked_text: "\(.flag)\(marked_where): \(.text)";

# The numbers by which a row's problems are found below its table.
def marks($findings):
  if .problems == [] then ""
    else [.problems[].flag] as $mine | [range(0; $findings | length) | select($findings[.].flag as $flag | $mine | index($flag)) + 1]
    | map(tostring) | join(",") end;

# Levels of one load in order: by number, then by name.
def level_key: [(capture("^[^0-9]*(?<n>[0-9]+(\\.[0-9]+)?)")? // { n: null } | .n | if . == null then 1e300 else tonumber end), .];

# Slowdown by level, one table for each load that has levels:
# {load, levels: [..], rows: [{program, target, variant, parameters, slowdowns: [{text, sure}, ..as levels, null where there is none]}]}.
# The input are rows as `levelled` makes them.
def levelled:
  select(.level != null and .texts.slowdown != "-")
  | { target, variant, parameters, program: .texts.program, load, level,
    slowdown: { text: (.texts.slowdown | rtrimstr(" (no effect)") | rtrimstr(" (unclear)")), sure: (.distinguishable == true) } };
def by_level:
  group_by(.load)[]
  | . as $rows
  | ([.[].level] | unique | sort_by(level_key)) as $levels
  | { load: $rows[0].load, $levels,
      rows: ([range(0; length) as $i | $rows[$i] + { at: $i }]
        | group_by([.target, .program])
        | sort_by(.[0].at)
        | map(.[0] as { $program, $target, $variant, $parameters }
          | { $program, $target, $variant, $parameters,
          slowdowns: (reduce .[] as $one ({}; .[$one.level] //= $one.slowdown) | [.[$levels[]]]) })) };

# The parts of a wide list, at most $n each.
def in_parts($n): if length <= $n then . else .[:$n], (.[$n:] | in_parts($n)) end;

# The lines of a table of means and variances: {program, load, numbers}, load null
# for alone. A baseline that several loads share is there once. names: an object
# with program and load, of a row.
# numbers: {runs, METRIC: {mean, variance}, outliers, robust}, the last one the interval of the wall
# time that also holds where runs depend on each other.
def mean_lines(names):
  . as $rows
  | range(0; length) as $i
  | $rows[$i]
  | names as $names
  | (if $i > 0 and $rows[$i - 1].experiment == .experiment and $rows[$i - 1].variant == .variant then empty
    else { program: $names.program, load: null, numbers: .alone } end),
    (if .loaded == null then empty else { program: $names.program, load: $names.load, numbers: .loaded } end);

# Numbers -> the texts of runs, mean and variance of each metric.
def means($head): [.runs, (.[$head.metrics[].title] | .mean, .variance)];

# What all slowdowns of the report are together; nothing where there is but one.
def family_text($head): $head.texts.family // empty;
# What the marks in tables mean.
def key_text($head): $head.legend.key;

# ---- parameters as columns

# Of rows, each once, in the order in which they come first.
def parameter_names: reduce (.[].parameters | keys_unsorted[]) as $name ([]; if index($name) then . else . + [$name] end);
# What stands for a row's program where its parameters have columns of their own.
def program_name:
  if .parameters == {} then .program // .texts.program else .target + (if .variant == null then "" else ", " + .variant end) end;
# Columns of tables of rows, and the rows, with a column for each parameter.
def split_columns($names):
  map(if .key == "program" then ., ($names[] | { key: "parameter \(.)", title: ., left: true, rank: 0 }) else . end);
def split_row($names):
  if $names == [] then .
    else reduce $names[] as $name (.texts.program = program_name; .texts["parameter \($name)"] = (.parameters[$name] // "-")) end;
# The same of a table that is laid out by hand: what the parameters of rows are called, its titles, and a row's cells.
def split_names($head): if $head.split then parameter_names else [] end;
def program_cells($names):
  if $names == [] then [.program // .texts.program]
    else . as $row | [program_name, ($names[] as $name | $row.parameters[$name] // "-")] end;

# ---- the tables of --tables, each a block for all formats:
# {means: whether it has no slowdowns, caption, columns: [{title, left, rank, group, unit}], rows: [[text or {text, sure}]],
# lines: what is said below it}

def means_block:
  { means: true, caption: "\(.target): mean and variance without load (-, all baselines together) and beside each load",
    columns: [.columns[] | .rank = if .group == "Variance" then 1 else 0 end], rows, lines: [] };
# Lays out the rows of one target.
def slowdowns_block($head):
  map(select(.loaded != null)) | select(. != [])
  | parameter_names as $names
  | findings("problems") as $findings
  | . as $rows
  | ($head.columns.cells | map(select(.key != "of_alone" or any($rows[]; .texts.of_alone != "-"))) | split_columns($names)) as $columns
  | { caption: "\(.[0].target): slowdown beside each load",
      columns: ($columns + [{ title: "problems", left: true, rank: 0 }]),
      rows: map(marks($findings) as $marks | split_row($names) as $row
        | [($columns[].key | if . == "slowdown" then { text: $row.texts[.], sure: ($row.distinguishable == true) }
          else $row.texts[.] end), $marks]),
      lines: [range(0; $findings | length) as $i | "\($i + 1). \($findings[$i] | marked_text)"] };
# Of all rows, a block for each load that has levels, with so many levels at most.
def levels_blocks($most):
  . as $all
  | [.[] | levelled] | by_level
  | .load as $load | .levels as $levels | .rows as $rows
  | ($rows | parameter_names) as $names
  # The rate that a level was: of all cells, which differ a little where runs are short.
  | def rate: . as $level | [$all[] | select(.load == $load and .level == $level and .rate != null)] | sort_by(.offered) | map(.rate)
      | if . == [] then null elif .[0] == .[-1] then .[0]
        else (.[0] | split(" ")) as $low | (.[-1] | split(" ")) as $high
        | (if $low[1:] == $high[1:] then $low[0] else .[0] end) + " to " + .[-1] end;
  [range(0; $levels | length)] | in_parts($most)
  | . as $at
  | { caption: "Slowdown by level of \($load)",
      columns: ([{ key: "program", title: "program", left: true }]
        | split_columns($names) + [$at[] | { title: $levels[.], unit: ($levels[.] | rate), left: false, rank: 0 }]),
      rows: ($rows | map(program_cells($names) + [.slowdowns[$at[]] | . // ""])), lines: [] };
def by_targets: reduce .[] as $row ([]; if length > 0 and .[-1][0].target == $row.target then .[-1] += [$row] else . + [[$row]] end);
# The input are all rows.
def chosen_tables($head; $most):
  . as $rows
  | ($head.tables[] as $table
    | if $table == "means" then $head.means[] | select(.rows != []) | means_block
      elif $table == "slowdowns" then $rows | by_targets[] | slowdowns_block($head)
      else $rows | levels_blocks($most) end);
# What is said below the blocks of these tables: what is not in them, and what the marks of slowdowns mean.
def chosen_texts($head; $blocks):
  (if $blocks == [] then "These tables have no rows: the records have no load, or none with levels." else empty end),
  ($head.texts.waiting | length | if . == 0 then empty elif . == 1 then "1 cell is not done, and not in these tables."
    else "\(.) cells are not done, and not in these tables." end),
  (if any($blocks[] | select(.means) | .rows[][]; . == "0.000") then "0.000 stands for less than 0.0005." else empty end),
  (if all($blocks[]; .means) then empty else (key_text($head), family_text($head)) + "." end);

# The title of that interval.
def caution_title($head): "wall if runs depend on each other [\($head.level)] (\($head.metrics[0].table_unit))";
# What so few runs cannot show; nothing where it is not known.
def unseen_text($head): $head.legend.unseen // empty;
def memory_text($head): $head.metrics[-1].meaning | split(", ") | .[0] + " is " + (.[1:] | join(", "));

# Of formats that are little else than the main table of each target:
# The rows that `inputs` gives -> {title, columns: [{title, left}], rows: [[text]]}, one after the other.
def plain_tables($head):
  def one($title; $columns; $rows):
    { $title, columns: ($columns | map({ title, left: (.left // false) })),
      rows: ($rows | map(.texts as $texts | [$columns[] | $texts[.key] // "-"])) };
  by_target
  | . as $rows
  | if .[0].variants == null then one(.[0].target; $head.columns.cells; .)
    else .[] | .variants // empty | (.title as $title | .tables[] | one($title; .columns; .rows)) end;

# ---- lists

# From `inputs`: {role: "alone" or the load with its level, summary, runs, load, level, variant, title, named, command as the
# user wrote it, else as a shell reads it, parameters, metrics, slowdown: of a load, or null}. The baseline of an
# experiment comes before its loads.
# metrics: each that was asked for, as {metric, unit, better, figure, slowdown}; of a search for capacities what it found.
def results:
  def load_words: [.load, .level] | map(select(. != null)) | join(" ");
  def unit($metric): if . != null then . elif $metric | endswith("_s") then "s" elif $metric | endswith("_bytes") then "B" else "" end;
  def asked($cell; $condition):
    . as $result
    | if $cell.capacity != null then
        $cell.capacity as $found | $found.by_condition[] | select(.condition == $condition and .value != null)
        | { metric: "capacity", unit: ($found.unit // ""), better: "higher", figure: { center: .value, ci }, slowdown: null }
      else
        ($cell.settings.metric // [] | if . == [] then ["wall_s"] else . end)[] as $metric
        | ($result.summary[$metric] // $result.summary.metrics[$metric] // empty) as $figure
        | { metric: $metric, unit: ($figure.unit | unit($metric)), better: ($figure.better // "lower"),
            figure: ($figure | .center //= .mean),
            slowdown: (if $result.role == "alone" then null else first($cell.all_slowdowns[] | select(.metric == $metric)) // null end) }
        | select(.figure.center != null)
      end;
  foreach inputs as $cell ({}; { again: (.name == [$cell.experiment, $cell.reference]), name: [$cell.experiment, $cell.reference] };
    .again as $again | $cell
    | ({ role: "alone", summary: .baseline, condition: .reference, load: null, level: null, slowdown: null } | select($again | not)),
      (select(.loaded != null) | { role: load_words, summary: .loaded, condition, load, level, slowdown })
    | . + ($cell | { experiment, variant, title, named, command: (.line // (.command | words)), parameters })
    | . + { runs: $cell.runs[.condition], metrics: [asked($cell; .condition)] });

# What a result is called: the name of its variant, if it was given one, and its command. $alone: no result has a load.
def role_name($alone): if $alone or (.variant != null and .role == "alone") then "" else " (\(.role))" end;
def result_name($alone): (if .title == null then "" else "\(.title): " end) + .command + role_name($alone);

# Every result with a name of its own: {name, summary, slowdown, load, ...}. The name has the command, so that those of
# two commands are not taken for the same, and a series goes on wherever the records are.
def named_results:
  def repeated: length != (unique | length);
  [results]
  | all(.[]; .role == "alone") as $alone
  | map(.name = result_name($alone))
  | if map(.name) | repeated then map(.name = "\(.experiment): \(.name)") else . end
  | if map(.name) | repeated then map(if .variant == null then . else .name += " [\(.variant)]" end) else . end
  | .[];
