# What filters of all rooms use: what jq 1.5 has not, and texts as people see them. Figures come as texts (report --figures).

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

# ---- text

# Text of users and of records, as people see it: what would move the cursor, ring a bell, hide or turn text
# around becomes visible, such as \n, \e or \u{202e} (the same as common/text.h).

def hidden:
  . < 32 or (. >= 127 and . < 160) or . == 173 or . == 1564 or . == 6158 or (. >= 8203 and . <= 8207) or (. >= 8232 and . <= 8238)
  or (. >= 8288 and . <= 8303) or . == 65279 or (. >= 65529 and . <= 65531) or (. >= 917504 and . <= 917631);
def code_text: if . == 10 then "\\n" elif . == 9 then "\\t" elif . == 13 then "\\r" elif . == 27 then "\\e"
  else . as $code | "\\u{"
    + ([(if $code > 65535 then 16 else empty end), 12, 8, 4, 0 | $code / pow(2; .) | floor % 16 | "0123456789abcdef"[. : . + 1]]
    | join("")) + "}" end;
# A regular expression for each text would take longer than all else.
def is_plain: explode | (min // 32) >= 32 and (max // 32) < 127;
def visible_but(kept):
  if is_plain then . else explode | map(if hidden and (kept | not) then code_text else [.] | implode end) | join("") end;
def visible: visible_but(false);
# In pages, where lines stay lines.
def visible_lines: visible_but(. == 10 or . == 9);
# The same in all texts of a record. (map_values() of a long array takes time by the square of its length.)
def visible_each:
  if type == "string" then visible elif type == "array" then map(visible_each) elif type == "object" then map_values(visible_each)
    else . end;
def visible_all: if tojson | test("[^ -~]|\\\\") then visible_each else . end;
# What a spreadsheet would take for a formula that calls something, or refers to something, begins with a quote.
def is_formula:
  (.[:1] | IN("=", "+", "-", "@", " ", "\t", "\r", "\n")) and (test("^[ \t\r\n]*=") or (test("^[ \t\r\n]*[-+@]") and test("[(|!#&'\"]")));
def no_formula: if type == "string" and is_formula then "'" + . else . end;
# JSON that no terminal obeys, and that is the same: of the control characters jq escapes those below 128 only.
def json_text:
  if test("[\u0080-\u009f]") | not then .
  else explode | map(if . < 128 or . > 159 then [.] | implode
    else "\\u00" + (. / 16 | floor | tostring) + ("0123456789abcdef"[. % 16 : . % 16 + 1]) end) | join("") end;
# From 1.7 on jq prints a number that was not computed as it was written.
def computed: if type == "number" then . + 0 else . end;
def csv_text: if type == "string" then visible | no_formula else computed end;

# ---- tables of texts

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
