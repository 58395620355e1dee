# What the tables of jostle probe share.
include "report/numbers";
include "lib/jq15";

def percent_of: if . == null then "-" else . * 100 | fixed(0) end;
def percents: "[\(.[0] | percent_of), \(.[1] | percent_of)] %";

def value_text($unit):
  if . == null then "-"
  elif $unit == "ns" then . / 1e9 | time_text
  else figure_text + " " + $unit end;

def ratio_text($ci):
  if . == null then "-" else fixed(2) + (if $ci == null then "" else " [\($ci[0] | fixed(2)), \($ci[1] | fixed(2))]" end) end;

# "mem --limit 55%" with what is known of it
def as_if_text:
  if .level == null then "no level"
  elif .beyond then "more than 100 %"
  elif .seen and .open then "\(.as_if)  at least \(.ci[0] | percent_of) %"
  elif .seen then "\(.as_if)  \(.ci | percents)"
  elif .open and .ci[0] < 0.01 then "cannot be told  \(.ci | percents)"
  else "none seen  \(.ci | percents)" end;

# Of a load that is surely there, and may be one or another.
def any_text:
  (.any | values | select(.seen)) as $any
  | select(all(.resources[]; .seen | not))
  | "a load is surely there; which cannot be told"
    + (if $any.one_of == [] then "" else ": alone it would be \($any.one_of | map(.as_if) | join(", or "))" end);

def expect_text:
  if .reason then "\(.of): no number: \(.reason)"
  else "\(.of): expect \(.slowdown | fixed(2)) [\(.ci[0] | fixed(2)), \(.ci[1] | fixed(2))] here and now"
    + (if .resource then ", mostly \(.resource)" else "" end) end;

def verdict_text: .text + (if .advice == "" then "" else ": " + .advice end);

def activity_figure:
  if .unit == "B/s" then "\(.value / 1e6 | figure_text) MB/s of disk" else "\(.value | figure_text) \(.unit)" end;
# What others do in this machine, and what of it the reporters contradict.
def activity_text:
  ([(.activity // [])[] | select(.value != null)]) as $known
  | select($known != [])
  | "others: \($known | map(activity_figure) | join(", "))"
    + ([$known[] | select(.share != null and (.used | not)) | .what] | if . == [] then "" else "; set aside, as the reporters contradict it: \(join(", "))" end);

def share_text: if . == null then "-" else . * 100 | "\(fixed(if . < 10 then 1 else 0 end)) %" end;
def kernel_text:
  "kernel: waited for CPU \(.cpu_some | share_text), memory \(.memory_some | share_text), disk \(.io_some | share_text)\(if (.own_io // 0) < 0.001 then "" else " (the probe itself \(.own_io | share_text))" end)"
  + "; steal \(.steal | share_text); throttled \(.throttled | share_text)"
  + "; run queue \(.run_queue | fixed(1)); others \(.foreign_cpus | fixed(2)) CPUs"
  + (if (.swap_in_per_s // 0) > 0 then "; \(.swap_in_per_s | fixed(0)) pages/s from swap" else "" end)
  + (if .clock_mhz then "; \(.clock_mhz | fixed(0)) MHz" else "" end)
  + (if .resctrl_gb_s then "; \(.resctrl_gb_s | figure_text) GB/s of memory" else "" end);
