# What jq 1.6 has and 1.5 has not: a filter that uses one of these includes this file. A newer jq then
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
