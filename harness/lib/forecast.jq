# How long the measurement was expected to take after its first blocks, and how
# long it took: estimate counts the runs, the records' times give the seconds.
include "format";

# RFC 3339 with nanoseconds -> seconds since 1970
def start_s: capture("^(?<date>[^.]+)(?<fraction>\\.[0-9]+)?Z$") | (.date + "Z" | fromdateiso8601) + (("0" + (.fraction // "")) | tonumber);

# Seconds from the first to the end of the last of these runs. A pause (an
# experiment that was interrupted and taken up again) does not count.
def elapsed_s:
  [.[] | { start: (.start | start_s), wall_s }] as $runs
  | reduce range(1; $runs | length) as $i ($runs[-1].wall_s // 0;
      ($runs[$i].start - $runs[$i - 1].start) as $gap
      | . + (if $gap < 0 or $gap > 60 + 10 * $runs[$i - 1].wall_s then $runs[$i - 1].wall_s else $gap end));

# result.json (the input) with seconds in its forecast; $text is the content of runs.jsonl.
def with_forecast($text):
  [$text | split("\n")[] | fromjson? | select(.block != 0)] as $runs
  | if .forecast == null or ($runs | all(.[]; .start and .wall_s) | not) then .
    else ($runs[:.forecast.after_runs] | elapsed_s) as $so_far
      | .forecast += { after_s: $so_far, expected_s: ($so_far * .forecast.expected_runs / .forecast.after_runs), took_s: ($runs | elapsed_s) }
    end;

# The line under the table.
def forecast_line:
  .forecast // empty
  | "forecast after \(.after_runs) runs\(if .after_s then " (\(.after_s | time_text))" else "" end): \(.expected_runs) in all"
    + (if .expected_s then ", \(.expected_s | time_text)" else "" end)
    + "; made: \(.made_runs)" + (if .took_s then ", \(.took_s | time_text)" else "" end);
