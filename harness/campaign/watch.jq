# jostle.campaign-status/1 -> what jostle watch shows. $all is not empty where every cell
# that needs attention is to be named; $most: how many are, else.
include "lib/text";

def bar($done; $total): (20 * $done / ([$total, 1] | max) | floor) as $full
  | "[\("#" * $full // "")\("." * (20 - $full) // "")] \($done)/\($total)";
def counted($n; $name): if $n > 0 then ", \($n) \($name)" else "" end;

def total: .counts as $c
  | bar($c.done + $c.failed; $c.cells) + " cells: \($c.done) done" + counted($c.failed; "failed")
  + ", \($c.running) running, \($c.waiting) waiting" + counted($c.interrupted; "interrupted") + counted($c.stale; "stale")
  + (.sessions // [] | to_entries | map(select(.value.done < .value.cells)) | if . == [] then "" else "; session \(.[0].key + 1)" end)
  + (if .left_s then "; about \(.texts.left_s) left" else "" end);

def running: "  \(.name) on \(.host): \(.runs) runs" + (if .expected_runs then " of about \(.expected_runs)" else "" end)
  + (if .error then ", error \(.texts.error) of \(.texts.asked_error)" else "" end)
  # A status is written between runs.
  + (if (.age_s // 0) >= 10 then ", its last run ended \(.texts.age_s) ago" else "" end);

visible_all
| total,
(.cells[] | select(.state == "running") | running),
([.cells[] | select(.attention)]
 | (if $all != "" then . else .[:$most] end)[] | "  \(.name): \(.state): \(.reason // "-")"),
([.cells[] | select(.attention)] | length | select($all == "" and . > $most) | "  and \(. - $most) more: see --all")
