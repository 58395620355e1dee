# Seconds for people.
include "lib/jq15";
def duration:
  if . < 100 then "\(round) s" elif . < 6000 then "\(. / 60 | round) min"
  else "\(. / 3600 | floor) h \("0\(. % 3600 / 60 | floor)"[-2:]) min" end;
