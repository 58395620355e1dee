# Calibration records (jostle.calibration/1) -> one table. $dated: with the day and the host of each, for a list of what is kept.
include "report/document";
include "lib/text";

def what: .options + (if .subject == "" then "" else ", " + .subject end);

def cells:
  (if $dated then [.created[:10], .host] else [] end)
  + [if .load == "io" then "disk" else .load end, what, .texts.rate, .texts.operation, .texts.spread_percent // "-",
    .texts.slope_percent_per_s,
     (if .steady then "yes" else "no" end), .summary.texts.device_ratio // "-"];

# Where it is narrow, the highest rank is left out first.
def columns:
  (if $dated then ["day", true, 4], ["host", true, 5] else empty end), ["load", true, 0], ["what", true, 0], ["rate", false, 0],
  ["an operation", false, 1], ["spread", false, 2], ["slope/s", false, 6], ["steady", false, 3], ["device", false, 7]
  | { title: .[0], left: .[1], rank: .[2] };

# Records of older versions said in other fields what they were of.
visible_all
| map(select(.options != null))
| { columns: [columns], rows: [if $dated then sort_by(.load) else . end | .[] | cells], folds: true, says: true, tight: true }
| block_text({ $width, $colour })
