# jostle.probe-reference/1 -> the table of jostle probe --reference. $file, $folder: where it is.
include "lib/visible";
include "probe/probe";
include "report/numbers";
include "lib/jq15";

# By how many percent a reporter is worse beside a load; a dot where that cannot be told from 0.
def worse:
  if . == null then "-"
  elif .ci[0] == null or (.ci[0] <= 0 and .ci[1] >= 0) then "·"
  else ((.log_ratio | exp) - 1) * 100 | (if . >= 0 then "+" else "" end) + fixed(0) + " %" end;

def at($level): . as $curve | [$curve.points[] | select(.level == $level)][0];

visible_all
| . as $reference
| [.curves[] | select(.points | length > 0)] as $curves
| "Reference of \(.host), place \(.place), \(.made); quiet: reporters on CPU \(.cpus.target), before and after \(.blocks) blocks;",
  "beside a load: worse by, 50 % | 100 % of it (·: within the 95 % interval of none)",
  "",
  ([["reporter", "quiet", "± 95 %", "run to run"] + [$curves[] | .kind]]
   + [.quiet | to_entries[] | select(.value.value != null) | .key as $name | .value
      | [$name, (.unit as $unit | .value | value_text($unit)), (.error | if . == null then "-" else . * 196 | fixed(1) + " %" end),
         (.between | percent_text)]
        + [$curves[] | [at(0.5, 1) | .reporters[$name] | worse] | join(" | ")]]
   | aligned),
  "",
  (.quiet | to_entries[] | select(.value.reason != null and .value.reason != "not measured") | "\(.key): \(.value.reason)"),
  (.curves[] | select(.reason != null and .reason != "not measured") | "\(.kind): \(.reason)"),
  (.curves[] | select(.points | length > 0) | . as $curve | at(1).achieved | values | select(. < 0.95)
   | "\($curve.kind): of \($curve.spec) 100% it reached \(. * 100 | fixed(0)) % beside the reporters"),
  (.disturbed | values | "note: taken under load: \(.)"),
  "Kept as \($file)",
  "Records: \($folder)"
