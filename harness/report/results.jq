# Each condition of a report once, for formats that programs read (reads: lists). They include this file.
include "lib/text";

# From `inputs`: {role: "alone" or the load with its level, summary, runs, load, level, variant, command as a shell
# reads it, parameters, slowdown: of a load, or null}. The baseline of an experiment comes before its loads.
def results:
  def load_words: [.load, .level] | map(select(. != null)) | join(" ");
  foreach inputs as $cell ({}; { again: (.name == [$cell.experiment, $cell.reference]), name: [$cell.experiment, $cell.reference] };
    .again as $again | $cell
    | ({ role: "alone", summary: .baseline, runs: .runs[.reference], load: null, level: null, slowdown: null } | select($again | not)),
      (select(.loaded != null) | { role: load_words, summary: .loaded, runs: .runs[.condition], load, level, slowdown })
    | . + ($cell | { experiment, variant, command: (.command | words), parameters }));

# What it is called; $alone: no result has a load.
def result_name($alone):
  if .variant != null then .variant + (if .role == "alone" then "" else " (\(.role))" end)
  elif $alone then .command else "\(.command) (\(.role))" end;

# Every result with a name of its own: {name, summary, slowdown, load, ...}.
def named_results:
  [results]
  | all(.[]; .role == "alone") as $alone | (map(.experiment) | unique | length > 1) as $several
  | .[] | . + { name: ((if $several then .experiment + ": " else "" end) + result_name($alone)) };
