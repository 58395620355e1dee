# What the parts of a report say in words, and in which order.
include "report/numbers";

# Flags of a run, of a condition or of a cell, for people.
def flag_words:
  { "load-short": "the load achieved less than 95 % of what was offered: the slowdown is that of a smaller load than its name says",
    "load-died": "the load ended early",
    "not-converged": "the error that was asked for was not reached",
    "noise": "the slowdown is not distinguishable from noise",
    "failed": "the target failed", "interrupted": "stopped before it was done", "running": "not done yet", "waiting": "not started",
    "outliers": "some runs lie far off the others", "two-modes": "the runs fall into two groups", "warm-up": "the first runs are slower",
    "step": "the level changed at some run", "trend": "the runs drift", "autocorrelation": "neighbouring runs are alike",
    "coarse-clock": "the runs are too short for the clock", "load-variance": "the load varied from run to run",
    "failed-runs": "some runs failed", "steal": "the host took CPU time", "foreign-load": "other programs used the CPUs",
    "swap-in": "pages came back from swap", "throttled": "the CPUs were throttled by heat",
    "shared-node": "other Slurm jobs were on the node", "several-hosts": "its runs come from several nodes" }[.] // .;

# Warnings for the flags of runs that no warning of the result tells; $flags
# and $counted are by condition.
def run_flag_warnings($flags; $conditions; $counted; $known):
  [ $conditions[] as $condition
    | $flags[$condition] // {} | to_entries[]
    | .key as $flag
    | select($flag != "warmup" and ($known | index($flag) | not))
    | { flag: $flag, condition: $condition, metric: null, runs: [],
        message: "\(.value) of \($counted[$condition]) runs: \($flag | flag_words)" } ];

# How a run failed.
def failure_words:
  if .timed_out then "ran into the time-out after \(.wall_s) s"
  elif .start_error then "could not be started (\(.start_error))"
  elif .signal then "was ended by signal \(.signal)"
  else "failed with exit code \(.exit_code)" end;

# [load, level] of a condition that no campaign names: "disk10" with
# "--limit 10%" is disk at 10 %; anything else is a load without a level.
def inferred_level($condition; $spec):
  if $condition == null then [null, null]
  else ([$condition | capture("^(?<load>.*?[^0-9._+-])[._+-]?(?<level>[0-9]+(\\.[0-9]+)?)%?$")] | first) as $parts
  | (if $parts == null or $spec == null then null
     else [$spec | split(" ")[] | select(ltrimstr("--") | sub("^[a-z-]+="; "") | rtrimstr("%") == $parts.level)] | first end) as $word
  | if $word == null then [$condition, null] else [$parts.load, ($word | sub("^--[a-z-]+="; ""))] end
  end;

# What must be alike in two nodes for their cells to be comparable. Memory is
# rounded: equal machines differ by what their firmware keeps.
def node_kind: "\(.cpu // "unknown CPU"), \(.cpus_online // "?") CPUs, \((.memory_bytes // 0) / 1073741824 | round) GiB, \(.kernel // "unknown kernel")";

# The environment without what changes from one measurement to the next.
def host_facts:
  { host, os, kernel, architecture, cpu, cpus_online, cpus_allowed, governor, virtual_machine, memory_bytes, clocksource, file_system, device, versions,
    kind: node_kind };

# Text of users for people: what would move the cursor, ring a bell, hide or
# turn text around is made visible.
def visible_code:
  if . == 10 then "\\n" elif . == 9 then "\\t" elif . == 13 then "\\r" elif . == 27 then "\\e"
  elif . < 32 or (. >= 127 and . < 160) or (. >= 8203 and . <= 8207) or (. >= 8232 and . <= 8238) or (. >= 8288 and . <= 8303) or . == 65279
  then "\\u{\(. as $code | [12, 8, 4, 0] | map($code / pow(2; .) | floor % 16 | "0123456789abcdef"[.:. + 1]) | join(""))}"
  else [.] | implode end;
def visible:
  if . == null then "" elif test("[\\x{0}-\\x{1f}\\x{7f}-\\x{9f}\\x{200b}-\\x{200f}\\x{2028}-\\x{202e}\\x{2060}-\\x{206f}\\x{feff}]") then explode | map(visible_code) | join("") else . end;
