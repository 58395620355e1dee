# One page with tables and plots that works offline.
# files: .html .htm
# reads: page
#
# $style and $script: what the page carries with it. Each line is read as a text (jq -R): the model is in the page as the
# program has written it.
include "report/document";
include "report/rows";
include "lib/text";

# The best known answer, in a sentence or a few.
def lede($head):
  (map(select(.values.ratio != null)) | length) as $known
  | (map(select(.problems != [])) | length) as $marked
  | ([.[].variants // empty | .lines[0] // empty]) as $verdicts
  | if . == [] then "No cell is done yet."
    elif $verdicts != [] then
      ("\($verdicts[:3] | map(esc | split(" ") | .[0] |= "<b>\(.)</b>" | join(" ")) | join(". ")). "
        + "\(if $marked == 0 then "No cell has a problem" else "\(plural($marked; "cell has"; "cells have")) a problem" end).")
    elif $known == 0 and any(.[]; .capacity != null) then "\([.[].capacity // empty | .lines[0] | esc] | .[:3] | join(". "))."
    elif $known == 0 then "No load was measured: the times are those of the target alone."
    else ("\($head.texts.answer // "No slowdown has an interval that could say how sure it is." | esc) "
      + "\(if $marked == 0 then "No cell has a problem" else "\(plural($marked; "cell has"; "cells have")) a problem" end).")
    end;

# Of one experiment its own sentences, the largest effect first; of several what they have in common.
def sentences($head): ($head.experiment.answers // []) as $answers
  | if $answers == [] then "<p class=\"lede\">\(lede($head))</p>" else $answers[] | "<p class=\"lede\">\(esc)</p>" end;
def headline($head): ($head.experiment.command // $head.texts.name) | esc;

def title($head):
  "<p class=\"kind\">jostle: slowdown under load</p>", "<h1>\(headline($head))</h1>", sentences($head),
  ("<p class=\"facts\">\(plural(map(.texts.program) | numbered | length; "target"; "targets")), \(plural(length; "cell"; "cells")), "
    + plural($head.totals.runs; "run"; "runs")
    + (if $head.hosts == [] then "" else ", on "
         + ($head.hosts | map(.host // "unknown" | esc) | unique | if length > 4 then "\(length) hosts" else join(", ") end) end)
    + "." + (if $head.waiting == [] then ""
         else " <a href=\"#waiting\">\(plural($head.waiting | length; "cell is"; "cells are")) not done.</a>" end) + "</p>");

def plain:
  plain_table(["Target", "Load", "Runs", "Alone", "Under load", "Slowdown", "Problems"];
    .[] | [.texts.program, .texts.load, .texts.runs, .texts.alone, .texts.loaded, .texts.slowdown,
      ([.problems[].flag] | unique | join(", "))]);

fromjson as $head
| (input | fromjson) as $rows
| page({ $style, $script }; "\($head.texts.name): slowdown under load"; "jostle report --format html"; $rows | title($head); $rows
  | plain; inputs)
