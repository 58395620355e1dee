# Text of users and of records, as people see it: what would move the cursor, ring a bell, hide or turn text
# around becomes visible, such as \n, \e or \u{202e} (the same as harness/report/view.h).
include "lib/jq15";

def hidden: . < 32 or (. >= 127 and . < 160) or (. >= 8203 and . <= 8207) or (. >= 8232 and . <= 8238) or (. >= 8288 and . <= 8303) or . == 65279;
def code_text: if . == 10 then "\\n" elif . == 9 then "\\t" elif . == 13 then "\\r" elif . == 27 then "\\e"
  else . as $code | "\\u{" + ([12, 8, 4, 0] | map($code / pow(2; .) | floor % 16 | "0123456789abcdef"[. : . + 1]) | join("")) + "}" end;
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
