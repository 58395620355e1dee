# jostle.campaign-status/1 -> lines. $all is not empty where every cell is to be named.
include "lib/text";
def progress:
  if .runs > 0 or .state == "running"
  then ["\(.runs) of \(.expected_runs // .max_runs // "?") runs", (select(.error) | "error \(.texts.error)"),
    (select(.asked_error) | "wanted \(.texts.asked_error)")] | join(", ")
  else empty end;
def age: if .age_s != null and .state != "done" then "\(.texts.age_s) ago" else empty end;
def line:
  ("\(.state + " " * (12 - (.state | length)))\(.name)  "
    + "\([progress, .host // empty, (.job // empty | "job \(.)"), age, .reason // empty] | join(", "))");
def jobs: .jobs[] | select(.states == null or (.states | length) > 0)
  | ("job \(.id) (\(.role)): "
    + (if .states == null then "the scheduler does not answer here"
       else [.states | to_entries[] | "\(.value) \(.key | ascii_downcase)"] | join(", ") end));
visible_all
| "\(.name): \(.counts.cells) cells: \([.counts | to_entries[] | select(.key != "cells") | "\(.value) \(.key)"] | join(", "))",
(.sessions // empty | [to_entries[] | "session \(.key + 1): \(.value.done) of \(.value.cells) done"] | join(", ")),
jobs,
(.cells[] | select($all != "" or (.state | IN("running", "failed", "interrupted", "stale")) or .changed) | line)
