# What filters of all rooms use: what jq 1.5 has not, texts as people see them, numbers with their units.

# ---- jq 1.5

# What jq 1.6 has and 1.5 has not. A newer jq then
# takes these as well, so that all do the same.
#
# jq 1.5 counts a character of three bytes (→, †) as more than one where it looks for a regular expression:
# what `match`, `sub` and `gsub` find behind one is elsewhere. `test` and `capture` are right. Of text that may
# have such characters nothing is replaced but by `put` and `stripped`.

def IN(values): . as $one | any(values; . == $one);
def fabs: if . < 0 then -. else . end;
def round: if . < 0 then -(-. + 0.5 | floor) else . + 0.5 | floor end;
# Every $what becomes $by.
def put($what; $by): if contains($what) then split($what) | join($by) else . end;
# Without the blanks at its end.
def stripped: if endswith(" ") then .[:-1] | stripped else . end;
def ceil: -(-. | floor);

# ---- text

# Text of users and of records, as people see it: what would move the cursor, ring a bell, hide or turn text
# around becomes visible, such as \n, \e or \u{202e} (the same as common/text.h).

def hidden:
  . < 32 or (. >= 127 and . < 160) or . == 173 or . == 1564 or . == 6158 or (. >= 8203 and . <= 8207) or (. >= 8232 and . <= 8238)
  or (. >= 8288 and . <= 8303) or . == 65279 or (. >= 65529 and . <= 65531) or (. >= 917504 and . <= 917631);
def code_text: if . == 10 then "\\n" elif . == 9 then "\\t" elif . == 13 then "\\r" elif . == 27 then "\\e"
  else . as $code | "\\u{" + ([(if $code > 65535 then 16 else empty end), 12, 8, 4, 0 | $code / pow(2; .) | floor % 16 | "0123456789abcdef"[. : . + 1]] | join("")) + "}" end;
# A regular expression for each text would take longer than all else.
def is_plain: explode | (min // 32) >= 32 and (max // 32) < 127;
def visible_but(kept): if is_plain then . else explode | map(if hidden and (kept | not) then code_text else [.] | implode end) | join("") end;
def visible: visible_but(false);
# In pages, where lines stay lines.
def visible_lines: visible_but(. == 10 or . == 9);
# The same in all texts of a record. (map_values() of a long array takes time by the square of its length.)
def visible_each:
  if type == "string" then visible elif type == "array" then map(visible_each) elif type == "object" then map_values(visible_each) else . end;
def visible_all: if tojson | test("[^ -~]|\\\\") then visible_each else . end;
# What a spreadsheet would take for a formula that calls something, or refers to something, begins with a quote.
def is_formula: (.[:1] | IN("=", "+", "-", "@", " ", "\t", "\r", "\n")) and (test("^[ \t\r\n]*=") or (test("^[ \t\r\n]*[-+@]") and test("[(|!#&'\"]")));
def no_formula: if type == "string" and is_formula then "'" + . else . end;
# JSON that no terminal obeys, and that is the same: of the control characters jq escapes those below 128 only.
def json_text:
  if test("[\u0080-\u009f]") | not then .
  else explode | map(if . < 128 or . > 159 then [.] | implode else "\\u00" + (. / 16 | floor | tostring) + ("0123456789abcdef"[. % 16 : . % 16 + 1]) end) | join("") end;
# From 1.7 on jq prints a number that was not computed as it was written.
def computed: if type == "number" then . + 0 else . end;
def csv_text: if type == "string" then visible | no_formula else computed end;

# ---- numbers, each with its unit

# round to N decimals, as text with exactly N decimals; below 0 to tens, hundreds, and so on.
def fixed($n):
  if . == null then "-"
  else (. * pow(10; $n) | if . < 0 then -(-. + 0.5 | floor) else (. + 0.5 | floor) end) as $scaled
  | (if $scaled < 0 then "-" else "" end) as $sign
  | ($scaled | if . < 0 then -. else . end | tostring) as $digits
  | if $n == 0 then $sign + $digits
    elif $n < 0 then $sign + ($scaled | fabs * pow(10; -$n) | tostring)
    else (("0" * ([$n + 1 - ($digits | length), 0] | max)) // "") + $digits
    | $sign + .[:-$n] + "." + .[-$n:]
    end
  end;

# a ratio with its interval, null: not known, as number_ratio in common/units.c: 1.37 [1.35, 1.39],
# 1.0004 [1.0002, 1.0006], 97800 [95700, 100200]. It is seen to leave 1 out where it does.
def fewer_decimals($half; $low):
  if . <= 1 and $half >= pow(10; 2 - .) and $low >= pow(10; 1 - .) then . - 1 | fewer_decimals($half; $low) else . end;
def ratio_decimals:
  ((.[1] - .[0]) / 2) as $half
  | ([.[0] - 1, 1 - .[1]] | max) as $gap
  | (if $half > 0 and $half < 0.0005 then ([6, 4 + ([0.00005, 0.000005] | map(select($half < .)) | length)] | min)
     elif $half < 0.1 then 3 elif $half < 1 then 2 else 1 end) as $most
  | .[0] as $low | ($most | fewer_decimals($half; $low)) as $least
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
# Seconds for people.
def duration:
  if . < 100 then "\(round) s" elif . < 6000 then "\(. / 60 | round) min"
  else "\(. / 3600 | floor) h \("0\(. % 3600 / 60 | floor)"[-2:]) min" end;
def percent_text: if . == null then "-" else . * 100 | fixed(decimals) + " %" end;

# Rows of texts -> lines with aligned columns; $left: of each column, whether its texts begin at the left.
def aligned_by($left):
  (transpose | map(map(length) | max)) as $widths
  | .[]
  | to_entries
  | map((" " * ($widths[.key] - (.value | length)) // "") as $pad
        | if $left[.key] then .value + $pad else $pad + .value end)
  | join("  ")
  | stripped;
# The first $count columns to the left.
def aligned($count): aligned_by([range(0; .[0] | length) | . < $count]);
def aligned: aligned(1);

# a command as a shell would read it
def words: map(if test("^[A-Za-z0-9_./:=,@%+-]+$") then . else "'" + put("'"; "'\\''") + "'" end) | join(" ");
