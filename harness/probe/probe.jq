# What the tables of jostle probe share.
include "report/numbers";

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

def expect_text:
  if .reason then "\(.of): no number: \(.reason)"
  else "\(.of): expect \(.slowdown | fixed(2)) [\(.ci[0] | fixed(2)), \(.ci[1] | fixed(2))] here and now"
    + (if .resource then ", mostly \(.resource)" else "" end) end;

def verdict_text: .text + (if .advice == "" then "" else ": " + .advice end);

def share_text: if . == null then "-" else . * 100 | "\(fixed(if . < 10 then 1 else 0 end)) %" end;
def kernel_text:
  "kernel: waited for CPU \(.cpu_some | share_text), memory \(.memory_some | share_text), disk \(.io_some | share_text)"
  + "; steal \(.steal | share_text); throttled \(.throttled | share_text)"
  + "; run queue \(.run_queue | fixed(1)); others \(.foreign_cpus | fixed(2)) CPUs"
  + (if (.swap_in_per_s // 0) > 0 then "; \(.swap_in_per_s | fixed(0)) pages/s from swap" else "" end)
  + (if .clock_mhz then "; \(.clock_mhz | fixed(0)) MHz" else "" end)
  + (if .resctrl_gb_s then "; \(.resctrl_gb_s | figure_text) GB/s of memory" else "" end);
