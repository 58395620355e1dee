# Calibration records (jostle.calibration/1) -> one table. $dated: with the day
# and host of each, for a list of what is kept.
include "lib/text";

def number_text:
  if . >= 1e9 then "\(. / 1e9 | fixed(2)) G" elif . >= 1e6 then "\(. / 1e6 | fixed(2)) M" elif . >= 1e4 then "\(. / 1e3 | fixed(1)) k"
  else "\(fixed(0)) " end;

def rate_text: if .unit == "B/s" then .rate | scaled(rate_scale("B/s")) else "\(.rate | number_text)\(.unit)" end;

# How long one operation takes each worker, where that means something: not where
# it is some chunk of bytes.
def each_text:
  (.threads * (.ready.depth // 1)) as $at_once
  | if .summary.ns_per_load then .summary.ns_per_load * 1e-9 | time_text
    elif .rate <= 0 then "-"
    elif .unit == "ops/s" then $at_once / .rate | time_text
    elif .load == "io" or .ready.protocol == "udp" then $at_once / .operations_per_s | time_text
    else "-" end;

def what: .options + (if .subject == "" then "" else ", " + .subject end);

def cells:
  (if $dated then [.created[:10], .host] else [] end)
  + [if .load == "io" then "disk" else .load end, what, rate_text, each_text,
     if .spread_percent == null then "-" else "\(.spread_percent | fixed(1)) %" end,
     "\(.slope_percent_per_s | fixed(1)) %", if .steady then "yes" else "no" end,
     if .summary.device_ratio == null then "-" else .summary.device_ratio | fixed(3) end];

# Records of older versions said in other fields what they were of.
visible_all
| [(if $dated then ["day", "host"] else [] end) + ["load", "what", "rate", "an operation", "spread", "slope/s", "steady", "device"]]
+ [map(select(.options != null)) | if $dated then sort_by(.load) else . end | .[] | cells]
| aligned(if $dated then 4 else 2 end)
