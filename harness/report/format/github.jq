# GitHub's Markdown: the verdicts in short, for a pull request.
# reads: rows
#
# The line on top says what --at-most says: broken, kept, or undecided. A table has each
# ratio, what is broken first; the rest is folded.
include "report/rows";
include "report/document";
include "lib/text";

def shown: 30;
def folded($title; lines): [lines] | if . == [] then empty else "<details><summary>\($title)</summary>", "", .[], "", "</details>", "" end;
def mark: { above: "❌", undecided: "❔", below: "✅" }[.gate // ""] // "";
def rank: { above: 0, undecided: 1 }[.gate // ""] // 2;

def count_of($gate): [.[] | select(.gate == $gate)] | length;
# Checks -> the line on top.
def verdict($waiting):
  length as $n
  | [.[] | select(.gate != null)] as $judged
  | ($judged | count_of("above")) as $above
  | ($judged | count_of("undecided")) as $undecided
  | [$waiting[] | select(.state == "failed" or .state == "interrupted")] as $failed
  | if $above > 0 then "❌ \($above) of \(plural($judged | length; "ratio"; "ratios")) above the limit"
    elif $failed != [] then "❌ \(plural($failed | length; "experiment"; "experiments")) not done"
    elif $undecided > 0 then
      ("❔ \($undecided) of \(plural($judged | length; "ratio"; "ratios")) "
        + "undecided" + ([$judged[].why // empty | split(", ")[]] | unique | if . == [] then "" else " because of \(join(", "))" end)
        + ([$judged[].undecided // empty] | unique | if . == [] then "" else ": \(join("; "))" end))
    elif $judged != [] then
      "✅ \(if ($judged | length) == 1 then "the ratio is" else "all \($judged | length) ratios are" end) below the limit"
    elif any(.[]; .verdict != null) then
      [.[].verdict] as $all
      | [("slower", "worse", "faster", "better", "same", "undecided") as $word | ([$all[] | select(. == $word)] | length) as $count
        | select($count > 0) | "\($count) \($word)"] | join(", ")
    else "measured" end;

def check_line:
  [mark, (.program | md), (.what | md), (.metric | md), (.reference // "-" | figure_md), (.figure | figure_md),
    (.ratio // "-" | figure_md), (.change // "-" | figure_md),
    ([(.verdict // empty | if . == "undecided" then "difference undecided" else . end), (.why // empty | "undecided because of " + .)]
    | if . == [] then "-" else join(", ") end | md)] | line;
def check_table:
  if . == [] then empty
    else heading(["", "program", "what", "metric", "reference", "figure", "ratio", "change", "verdict"]; 4), (.[] | check_line), "" end;

. as $head
| [inputs] as $rows
| [$rows[] | (if .variants == null then .texts.program else .title // .variants.title end) as $program | .checks[]
  | . + { $program }] as $all
| ($all | sort_by(rank)) as $checks
| ("### \($checks | verdict($head.waiting)): "
  + "\(($rows | map(.title) + [$head.waiting[].title] | unique | if length == 1 then .[0] else null end) // $head.texts.name | md)"), "",
  ($head.experiment.answers // [$head.texts.answer // empty] | if . == [] then empty else (.[] | "- " + md), "" end),
  ([$rows[] | (.variants // empty | .title as $title | .lines[]
    | if ([$rows[] | select(.variants != null)] | length) > 1 then "\($title): \(.)" else . end),
    ((.capacity, .protection) // empty | .lines[])] | if . == [] then empty else (.[] | "- " + figure_md), "" end),
  ($checks[:shown] | check_table),
  folded("\(($checks | length) - shown) more"; $checks[shown:] | check_table),
  ($head.texts.waiting | if . == [] then empty else "Not done:", "", (.[] | "- " + md), "" end),
  ([$rows | findings("problems")[]] | if . == [] then empty
    else "Problems:", "", (.[] | "- \(.flag | code_md)\(places | md): \(.text | md)"), "" end),
  folded("Details";
    ($head.texts | .totals + ".", "", (.hosts[] | "- " + md), ""),
    ($rows[] | select(.variants != null) | .variants | (.tables[] | any_table), (.changes | select(.rows != []) | any_table)),
    ($rows[] | (.capacity, .protection) // empty | any_table),
    ([$rows[].lines[]] | if . == [] then empty else (.[] | "- " + md), "" end),
    ($rows | findings("notes")[] | "- \(.flag | code_md)\(places | md): \(.text | md)"), "",
    ((family_text($head), unseen_text($head), key_text($head)) | figure_md + "."))
