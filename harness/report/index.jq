# The stream of read.awk -> what a report is made of, a tagged line each:
#   R<tab>one run (see model.bash)     C<tab>sort keys<tab>one cell of the model
#   H<tab>one environment              W<tab>one cell that is not done
#   P<tab>one thing that is wrong with a record      N<tab>name and runs of one folder
# Only one folder's documents are held at a time; runs pass through.
include "report/numbers";
include "report/words";

def document($known; $file):
  if . == "" then { problem: "\($file) is empty" }
  else (try fromjson catch null) as $d
  | if ($d | type) != "object" then { problem: "\($file) is broken or half-written" }
    elif $d.schema == $known then { value: $d }
    else { problem: "\($file) has the schema \($d.schema | tojson), which is not known here (\($known)): made by another version of jostle?" }
    end
  end;

def folder($name): { name: $name, status: null, experiment: null, result: null, runs: 0, counted: {}, flags: {}, broken: 0, unknown: null, started: null, last: null, hosts: [], out: [] };

def take($part; $known; $file):
  .name as $name
  | (.text | document($known; "\($name)/\($file)")) as $d
  | if $d.value then { ($part): $d.value } else { problem: $d.problem } end;

def succeeded($settings):
  $settings.ignore_failure or ((.exit_code == 0 or .exit_code == null) and (.timed_out | not) and .signal == null);

# Of several loads, the figures of the first that has a rate.
def rated: if .[0].offered != null then .[0] else [.[] | select(.offered != null)] | first end;

def run_line($name; $used):
  (.load // [] | rated) as $load
  | ["R", $name, .condition, .block, .order, .start, .wall_s, .user_s, .system_s, .max_rss_bytes, .exit_code,
      $load.offered, $load.achieved, (if .flags == [] then "" else (.flags // [] | join(",")) end), (if $used then 1 else 0 end), .host // "", .signal] | @tsv;

def noted_flags($condition; $run):
  reduce ($run.flags // [])[] as $flag (.; .flags[$condition][$flag] += 1);

# A run passes through; what is kept of it are counts. One merge of objects is
# several times as fast here as assignments one by one.
def usable_run($run):
  .experiment.settings as $settings
  | $run.condition as $condition
  | ($run | succeeded($settings)) as $succeeded
  | ($run.block != 0) as $measured
  | ((.counted[$condition] // 0) + (if $measured then 1 else 0 end)) as $count
  | .name as $name
  | (if ($run.flags // []) == [] then . else noted_flags($condition; $run) end)
  | . + { counted: (.counted + { ($condition): $count }),
          runs: (if $measured then .runs + 1 else .runs end),
          started: (.started // $run.start),
          last: (if $succeeded then null else $run | { exit_code, signal, timed_out, start_error, wall_s } end),
          hosts: (if $run.host == null or (.hosts | index($run.host)) then .hosts else .hosts + [$run.host] end),
          out: [$run | run_line($name; $measured and $succeeded and $count > ($settings.discard_warmup // 0))] };

def run($text):
  (try ($text | fromjson) catch null) as $run
  | if ($run | type) == "object" and $run.schema == "jostle.run/1" and ($run.wall_s | type) == "number" and ($run.condition | type) == "string" then
      . as $before | try usable_run($run) catch ($before | .broken += 1 | .out = [])
    elif $run.schema? != null and $run.schema? != "jostle.run/1" then .unknown = $run.schema | .out = []
    else .broken += 1 | .out = [] end;

def problem($kind; $message): "P\t" + ({ kind: $kind, cell: .name, message: $message } | tojson);

# What is known of a target that no campaign names.
def alone($condition; $spec):
  (.experiment.command // []) as $command
  | inferred_level($condition; $spec) as [$load, $level]
  | { name: (if $condition == null or (.name | endswith("@" + $condition)) then .name else "\(.name)@\($condition)" end),
      target: ($command[0] // .name | sub("^.*/"; "")), label: ($command | words), parameters: {},
      command: $command, load: $load, level: $level, condition: $condition, spec: $spec };

def summary: if . == null then null else del(.name, .load) end;

def achieved:
  (.load // []) as $loads
  | ($loads | rated // $loads[0]) as $load
  | if $load == null then null
    else ($load | { unit, offered, achieved, late, dropped, cpu_s })
      + { short: ($load.offered != null and $load.achieved != null and $load.achieved < 0.95 * $load.offered), loads: $loads }
    end;

def noted_state: .status.state | if . == "done" or . == "failed" or . == "running" or . == "interrupted" then . else null end;
def noted_reason: .status.reason | if . == null or type == "string" then . else tojson end;
def state: noted_state // (if .result == null then null elif .experiment.stopped == "interrupted" or ([.result.conditions[].stop_reason] | index("interrupted")) then "interrupted"
  elif [.result.conditions[].stop_reason] | index("failure") then "failed" else "done" end);

def last_words: .last | if . == null or (.exit_code == 0 and .signal == null and (.timed_out | not)) then null else "the target \(failure_words)" end;

# The entry of one condition (null: the baseline alone).
def entry($condition):
  . as $f
  | .result as $r
  | ($r.conditions[0]) as $baseline
  | ($r.conditions | map(select(.name == $condition)) | first) as $loaded
  | ([.experiment.loads[]? | select(.name == $condition) | .spec] | first) as $spec
  | [$r.slowdowns[] | select(.condition == $condition)] as $slowdowns
  | ($slowdowns | map(select(.metric == "wall_s")) | first // ($slowdowns | first)) as $slowdown
  | ([$r.noise_floor[]? | select(.metric == ($slowdown.metric // "wall_s")) | .floor] | first) as $floor
  | ($f.experiment.cell // $r.cell) as $cell
  | (alone($condition; $spec)
     + (if $cell == null then {}
        else ($cell | { name, target, "label", parameters, command, load, level } | with_entries(select(.value != null)) | { level: null } + .)
          + (if ($f.experiment.loads | length) > 2 then { name: "\($cell.name)@\($condition)" } else {} end)
        end)) as $who
  | ($baseline.name // "baseline") as $reference
  | [$r.warnings[]? | select(.condition == $condition or .condition == $reference or .condition == null)] as $warnings
  | ($loaded | if . == null then null else achieved end) as $achieved
  | run_flag_warnings($f.flags; [$reference, $condition] | map(strings); $f.counted; [$warnings[].flag]) as $more
  | (if all(($baseline, $loaded // empty) | (.wall_s, .user_s, .system_s, .max_rss_bytes) // empty; (.mean | type) == "number" and (.variance == null or (.variance | type) == "number"))
        and ($baseline.runs | type) == "number" and ($who.target | type) == "string" and ($who.label | type) == "string"
        and all($who.load, $who.level, $spec; . == null or type == "string") then . else error("form") end)
  | { name: $who.name, experiment: $f.name, target: $who.target, label: $who.label,
      row: (if $cell != null or $f.name == $who.target then $who.label else "\($f.name): \($who.label)" end), parameters: $who.parameters, command: $f.experiment.command,
      load: $who.load, level: $who.level, condition: $condition, spec: $spec, reference: $reference,
      host: $f.experiment.environment.host, kind: ($f.experiment.environment | node_kind), state: ($f | state), reason: ($f | noted_reason // last_words),
      started: $f.started, settings: $f.experiment.settings,
      baseline: ($baseline | summary), loaded: ($loaded | summary),
      slowdown: (if $slowdown == null then null else ($slowdown | del(.attribution, .condition)) + { noise_floor: $floor } end),
      all_slowdowns: [$slowdowns[] | del(.attribution, .condition)],
      achieved: $achieved, attribution: $slowdown.attribution,
      warnings: ($warnings + $more), flags: [] }
  | .flags = ([.warnings[].flag] + (if ([.baseline, .loaded] | map(select(. != null and (.converged | not))) | length) > 0 then ["not-converged"] else [] end)
      + (if .slowdown != null and .slowdown.distinguishable == false then ["noise"] else [] end)
      + (if $achieved != null and $achieved.short then ["load-short"] else [] end)
      + (if .state != "done" then [.state] else [] end) | unique);

def entries:
  . as $f
  | ([.result.conditions[1:][].name | select(($f.experiment.settings.aa and . == "aa") | not)]) as $conditions
  | if $conditions == [] then entry(null) else entry($conditions[]) end
  | "C\t" + ([.target, .label, (if ($f.experiment.cell // $f.result.cell) != null then "" else .experiment end), .load // "", .level // "", .experiment] | map(if . == "" then "-" else . end) | @tsv) + "\t" + tojson;

def left_out($state; $reason):
  "W\t" + ({ name: (.experiment.cell.name? // .name), state: $state, reason: $reason, host: (.experiment.environment.host? // .status.host?), runs: .runs } | tojson);

# What no program of ours wrote may have any form: it is named, too.
def guarded_entries:
  . as $f
  | (try [entries] catch null) as $entries
  | if $entries == null then
      $f | problem("broken-record"; "\(.name)/result.json or experiment.json lacks what a report needs"), left_out("interrupted"; "its records cannot be used")
    else $entries[] end;

# A folder without a result, or with one that is not the last word.
def not_done:
  (state // (if .runs > 0 or .experiment != null then "interrupted" else "waiting" end)) as $state
  | select($state != "done" or .result == null or .experiment == null)
  | (if $state == "done" then "interrupted" else $state end) as $listed
  | (if $state == "done" then (if .experiment == null then "experiment.json cannot be used" else "result.json cannot be used" end)
     elif $state == "running" then "not ended when this report was made; \(.runs) runs so far, last noted \(.status.updated // "never")"
     elif noted_reason != null then noted_reason
     elif $state == "failed" then last_words // "failed after \(.runs) runs"
     elif $state == "waiting" then "not started"
     elif .result == null then "no result; \(.runs) runs are recorded"
     else "stopped after \(.runs) runs" end) as $reason
  | left_out($listed; $reason);

def ended:
  if . == null then []
  else [ "N\t" + ({ name, runs } | tojson),
         (if .broken > 0 then problem("broken-record"; "\(.name)/runs.jsonl: \(.broken) line\(if .broken > 1 then "s are" else " is" end) broken or half-written and left out") else empty end),
         (if .unknown != null then problem("unknown-schema"; "\(.name)/runs.jsonl has records of the schema \(.unknown | tojson), which is not known here (jostle.run/1): left out") else empty end),
         (if (.hosts | length) > 1 then problem("several-hosts"; "\(.name): its runs come from several nodes (\(.hosts | join(", "))): baseline and load may not be comparable") else empty end),
         (if .experiment != null then (try ("H\t" + (.experiment.environment | host_facts | tojson)) catch empty) else empty end),
         (if .experiment != null and .result != null then guarded_entries else empty end),
         not_done ]
  end;

def document_line($text):
  .out = []
  | .name as $name
  | (if .kind == "S" then take("status"; "jostle.status/1"; "status.json")
     elif .kind == "E" then take("experiment"; "jostle.experiment/1"; "experiment.json")
     else take("result"; "jostle.result/1"; "result.json") end) as $taken
  | if $taken.problem then .out = [problem(if $taken.problem | contains("schema") then "unknown-schema" else "broken-record" end; $taken.problem)] else . + $taken end;

foreach (inputs, "F0000000") as $line (null;
  ($line[0:1]) as $kind
  | ($line[8:]) as $text
  | if $kind == "F" then ended as $out | folder($text) | .out = $out
    elif $kind == "R" then run($text)
    else .kind = $kind | .text = $text | document_line($text)
    end;
  .out[])
