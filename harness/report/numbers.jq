# Numbers for people, each with its unit.
include "lib/jq15";

# round to N decimals, as text with exactly N decimals.
def fixed($n):
  if . == null then "-"
  else (. * pow(10; $n) | if . < 0 then -(-. + 0.5 | floor) else (. + 0.5 | floor) end) as $scaled
  | (if $scaled < 0 then "-" else "" end) as $sign
  | ($scaled | if . < 0 then -. else . end | tostring) as $digits
  | if $n == 0 then $sign + $digits
    else (("0" * ([$n + 1 - ($digits | length), 0] | max)) // "") + $digits
    | $sign + .[:-$n] + "." + .[-$n:]
    end
  end;

# a ratio with its interval, null: not known, as number_ratio in numbers.c: 1.37 [1.35, 1.39],
# 1.0004 [1.0002, 1.0006]. It is seen to leave 1 out where it does.
def ratio_decimals:
  ((.[1] - .[0]) / 2) as $half
  | ([.[0] - 1, 1 - .[1]] | max) as $gap
  | (if $half > 0 and $half < 0.0005 then ([6, 4 + ([0.00005, 0.000005] | map(select($half < .)) | length)] | min)
     elif $half < 0.1 then 3 elif $half < 1 then 2 else 1 end) as $least
  | first(range($least; 7) | select(. == 6 or $gap <= 0 or $gap * pow(10; .) >= 0.5));
def ratio_with($ci):
  if $ci == null then fixed(3)
  else ($ci | ratio_decimals) as $n | "\(fixed($n)) [\($ci | map(fixed($n)) | join(", "))]" end;

# a level of confidence: 95 %, 99.99999 %
def confidence_text: (if . < 0.9999 then 100 else 1e8 end) as $steps | . * 100 * $steps | round / $steps | "\(.) %";

# decimals that show 3 significant digits of a number between 1 and 1000
def decimals: if . == null then 0 elif . >= 100 then 0 elif . >= 10 then 1 else 2 end;

# three significant digits of any number, without an exponent
def figure_text:
  if . == null then "-"
  elif . == 0 then "0"
  else (fabs | log10 | floor) as $power
  | fixed([2 - $power, 0] | max) end;

# {factor, unit} that bring a time, a size or a rate between 1 and 1000
def time_scale:
  if . >= 1 or . == 0 then { factor: 1, unit: "s" }
  elif . >= 1e-3 then { factor: 1e3, unit: "ms" }
  elif . >= 1e-6 then { factor: 1e6, unit: "µs" }
  else { factor: 1e9, unit: "ns" } end;
def size_scale:
  if . >= 1073741824 then { factor: (1 / 1073741824), unit: "GiB" }
  elif . >= 1048576 then { factor: (1 / 1048576), unit: "MiB" }
  else { factor: (1 / 1024), unit: "KiB" } end;
def rate_scale($unit):
  if $unit != "B/s" then { factor: 1, unit: $unit }
  elif . >= 1e9 then { factor: 1e-9, unit: "GB/s" }
  elif . >= 1e6 then { factor: 1e-6, unit: "MB/s" }
  else { factor: 1e-3, unit: "kB/s" } end;

def scaled($scale): . * $scale.factor | fixed(decimals) + " " + $scale.unit;
def time_text: if . == null then "-" else scaled(time_scale) end;
def size_text: if . == null then "-" else scaled(size_scale) end;
def percent_text: if . == null then "-" else . * 100 | fixed(decimals) + " %" end;

# rows of cells -> lines with aligned columns; the first column to the left
def aligned:
  (transpose | map(map(length) | max)) as $widths
  | .[]
  | to_entries
  | map((" " * ($widths[.key] - (.value | length)) // "") as $pad
        | if .key == 0 then .value + $pad else $pad + .value end)
  | join("  ")
  | stripped;

# a command as a shell would read it
def words: map(if test("^[A-Za-z0-9_./:=,@%+-]+$") then . else "'" + put("'"; "'\\''") + "'" end) | join(" ");
