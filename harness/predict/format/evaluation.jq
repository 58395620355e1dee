# How far off predictions are (jostle.prediction-evaluation/1), for a terminal.
include "lib/visible";
include "predict/format/predict";
include "report/numbers";
include "lib/jq15";

def points: if . == null then "-" else fixed(2) end;
def share: if . == null then "-" else (. * 100 | fixed(1)) + " %" end;
def left_out_words: { pair: "the pair", victim: "the victim", aggressor: "the aggressor", program: "a program *", both: "both programs" }[.] // .;
def skill_text: if .value == null then "-" else "\(.value | fixed(2)) ± \(.sd | points) over `\(.best_trivial)`" end;
def unsafe($limit): . as $s | ($s.safety[] | select(.limit == $limit)) as $one
  | "\($one.wrong_surely)/\($one.said_surely)" ;

def score_titles: ["left out", "tests", "error", "p90", "worst", "rank", "skill", "held", "width", "ceiling", "unsafe ≤ 1.05", "1.10", "1.20"];
def score_row($name; $ceiling):
  [$name, (.tests | tostring), (.error | points), (.p90 | points), (.worst | points), (.rank | points), (.skill | skill_text),
   (.intervals.coverage | share), (.intervals.width | points), ($ceiling.error | points), unsafe(1.05), unsafe(1.1), unsafe(1.2)];
def score_rows: . as $one
  | (.all // empty | score_row($one.left_out | left_out_words; $one.ceiling)),
    (.gated // empty | select(.tests < $one.all.tests) | score_row("  past the gate"; null));

def predictor_lines:
  ([.trivial | to_entries[] | "\(.key) \(.value | points)"] | "Predictors that know no profile: " + join(", ")),
  ([.models[] | "\(.variant)\(if .learned then " (learned)" else "" end) \(.error | points)\(if .chosen > 0 then " [chosen \(.chosen)×]" else "" end)"] | "Models: " + join(", "));

def finding_line: "\(.severity): \(.text): \(.advice)";

def place_text:
  . as $place
  | "\(.pairs) pairs of \(.programs | length) programs, \(.place | place_words); \(.pairs_gated) pass the gate"
    + (if .set_aside == [] then "" else "; set aside: \(.set_aside | join(", "))" end),
    ([score_titles] + [.schemes[] | score_rows] + [(.holdout // empty) | { left_out: "opened", all, gated, ceiling } | score_rows] | aligned),
    (.schemes[] | select(.published) | .all // empty | predictor_lines),
    (.findings[] | finding_line),
    "";

visible_all
| (.places[] | place_text),
"Errors and widths in points (1 point: a slowdown of 1.01 called 1.02). * the figure to publish: the program is unseen in both roles.",
"held: of the \(.confidence | confidence_text) intervals, how many hold what was measured. ceiling: what another measurement is off. unsafe: of those that the interval says are safe, how many are above.",
(if .holdout_opened == [] then empty else "The programs set aside were opened: \(.holdout_opened | join(", "))." end)
