# Decimals in the tables that have the form of another program (hyperfine) or of their own (results/reference). What jostle
# itself shows comes from common/units.c.

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
