# Calibration records (jostle.calibration/1) -> one table. $dated: with the day
# and host of each, for a list of what is kept.
include "report/numbers";

def threads_text: if .threads == null then "" else ", \(.threads) thread" + (if .threads == 1 then "" else "s" end) end;

def bytes_text: if . < 10240 and . % 1024 != 0 or . < 1024 then "\(.) B" else size_text end;

# What a rate was measured of, for loads that have one rate a record.
def what:
  if .load == "mem" or .load == "cache" then
    "\(.kernel)\(threads_text), \(.footprint_bytes | size_text) (\(.class))"
    + (if .non_temporal then ", non-temporal" else "" end) + (if .huge then ", huge pages" else "" end)
  elif .load == "alloc" then
    "\(.allocator)\(threads_text), \(.minimum_bytes) to \(.maximum_bytes) B, \(.live_bytes | size_text) live"
    + (if .purge then ", purged" else "" end)
  elif .load == "net" then
    "\(.protocol), \(.peer), \(.block_bytes | bytes_text) blocks, \(.streams) stream" + (if .streams == 1 then "" else "s" end) + threads_text
    + (if .cpus then ", \(.cpus) CPU" + (if .cpus == 1 then "" else "s" end) else "" end) + (if .discard then ", discarded" else "" end)
  else
    [to_entries[] | select(.key | IN("schema", "load", "created", "host", "seconds", "unit", "rate", "operations_per_s", "minimum",
       "maximum", "sd", "spread_percent", "slope_percent_per_s", "steady", "cpu_s", "p50_ns", "p99_ns", "slope_limit_percent_per_s") | not)
     | if .value == true then .key elif .value == false or .value == null then empty
       elif .value | type == "string" then .value else "\(.key) \(.value)" end] | join(", ")
  end;

# A record's rates: {load, what, ...figures}.
def rates:
  . as $record
  | if .load == "io" then
      "sequential_write", "random_write", "sequential_read", "random_read"
      | . as $name
      | $record[$name]
      | . + { load: "disk", what: "\($name | gsub("_"; " ")), \(.block_bytes | bytes_text), \($record.sync), \($record.device) \($record.file_system)" }
    else . + { what: what } end
  | . + { day: ($record.created // "" | .[:10]), host: $record.host };

def number_text:
  if . >= 1e9 then "\(. / 1e9 | fixed(2)) G" elif . >= 1e6 then "\(. / 1e6 | fixed(2)) M" elif . >= 1e4 then "\(. / 1e3 | fixed(1)) k"
  else "\(fixed(0)) " end;

def rate_text: if .unit == "B/s" then .rate | scaled(rate_scale("B/s")) else "\(.rate | number_text)\(.unit)" end;

# How long one operation takes each worker, where that tells something: not where
# it is some chunk of bytes.
def each_text:
  ((.threads // 1) * (.depth // 1)) as $at_once
  | if .ns_per_load then .ns_per_load * 1e-9 | time_text
    elif .rate <= 0 then "-"
    elif .unit == "ops/s" then $at_once / .rate | time_text
    elif .load == "disk" or .protocol == "udp" then $at_once / .operations_per_s | time_text
    else "-" end;

def cells:
  (if $dated then [.day, .host] else [] end)
  + [.load, .what, rate_text, each_text, (if .spread_percent == null then "-" else "\(.spread_percent | fixed(1)) %" end),
     "\(.slope_percent_per_s | fixed(1)) %", (if .steady then "yes" else "no" end),
     (if .device_ratio == null then "-" else .device_ratio | fixed(3) end)];

# The first columns are words, aligned to the left.
def padded($columns):
  (transpose | map(map(length) | max)) as $widths
  | map(to_entries | map(if .key < $columns then .value + " " * ($widths[.key] - (.value | length)) // .value else .value end));

[(if $dated then ["day", "host"] else [] end) + ["load", "what", "rate", "an operation", "spread", "slope/s", "steady", "device"]]
+ [[.[] | rates] | if $dated then sort_by(.load) else . end | .[] | cells]
| padded(if $dated then 4 else 2 end)
| aligned
