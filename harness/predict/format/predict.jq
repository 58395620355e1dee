# What the formats of a prediction (jostle.prediction/1) share.
include "report/numbers";
include "lib/jq15";

def number_text: if . == null then "-" else fixed(2) end;
def times: if . == null then "-" else "\(fixed(2))×" end;
# The upper bound may not be known.
def interval_text: if . == null then "" elif .[1] == null then "at least \(.[0] | fixed(2))" else "[\(.[0] | fixed(2)), \(.[1] | fixed(2))]" end;
def neighbours: .beside | join(" + ");
def places: [.predictions[].place] | reduce .[] as $place ([]; if index([$place]) then . else . + [$place] end);
def of_place($place): .predictions | map(select(.place == $place));
def place_words: { core: "on one core", smt: "on sibling threads of a core", l3: "on cores that share the L3", node: "on one NUMA node", machine: "anywhere on the machine" }[.] // .;

# What the slowdown is made of: "CPU time 2.00×, mem 1.09×".
def parts:
  if .slowdown == null then "" else
  .carriers | if . == [] then "nothing" else map("\(.name) \(.slowdown | times)") | join(", ") end end;

# Shown although it cannot be told, as --force does.
def is_forced: .slowdown != null and .gate.passed == false;
def without_number: [.predictions[] | select(.slowdown == null)];
# One line for each program and reason: "a beside b, c (core): why".
def reason_lines: group_by([.place, .a, .reason])[] | "\(.[0].a) beside \(map(neighbours) | join(", ")) (\(.[0].place)): \(.[0].reason)";

def percent: . * 100 | fixed(if . == (. | floor) then 0 else 1 end) + " %";
def interval_words:
  [.predictions[] | select(.slowdown != null)] as $shown
  | if $shown == [] then ""
    else "Intervals: \($shown[0].confidence // 0.95 | percent), by leaving out each load of the victim's profile in turn." end;

def points: . * 100 | fixed(1);
# What a perfect prediction would be off by.
def noise_words:
  if .noise == null then ""
  else "the noise of what was measured is \(if .repeats > 0 then "" else "at least " end)\(.noise | points) (by \(if .repeats > 0 then "\(.repeats) that were measured twice" else "the spread within each" end)); " end;
def check_words:
  .check
  | if . == null then ""
    else "Measured, too: \(.pairs) pair\(if .pairs == 1 then "" else "s" end); mean absolute error \(.error | points) points; \(noise_words)\(.held) of \(.pairs) in the interval of the prediction."
      + (if .skill == null then "" else " Skill \(.skill | fixed(2)) over saying 1 of each; \(if .skill_most == null then "the most that noise allows is not known" else "at most \(.skill_most | fixed(2)) by that noise" end)." end) end;

# Victims and aggressors in the order of the profiles: {rows, columns} of a place.
def names_of($place): [.programs[] | select(.place == $place) | .name];
def names_in_order($place): names_of($place) | reduce .[] as $name ([]; if index([$name]) then . else . + [$name] end);
def columns_of($place): if .together then ["all others"] else names_in_order($place) end;
def cell_of($place; $row; $column): [.predictions[] | select(.place == $place and .a == $row and (.b == null or .b == $column))][0];
