# Where the extra time of a slowdown went, from the runs' own records.
#
# Between the target alone and the target under a load, wall time grows by two
# things: the target's own CPU time may grow (slower execution: caches, memory
# bandwidth, clock, a shared core), and the time in which it is off the CPU. The
# records tell the two apart exactly for a target with one thread; for several,
# CPU time is divided by the number of CPUs that the target keeps busy alone.
#
# The time off the CPU is shared out by what the kernel counted (steal, pressure
# stalls). Those figures are the whole machine's, so a load's own stalls are among
# them: they bound what the target can have waited, and where they allow more
# than there is, the shares are proportional and marked as ambiguous.
include "format";

# mean over the runs that know the figure; null when none does
def mean(figure): [.[] | figure | numbers] | if length == 0 then null else add / length end;
def clamp($low; $high): if . < $low then $low elif . > $high then $high else . end;

def figures:
  { wall_s: mean(.wall_s), user_s: mean(.user_s), system_s: mean(.system_s), steal_s: mean(.steal_s),
    cpu_some_s: mean(.pressure.cpu_some_s?), memory_some_s: mean(.pressure.memory_some_s?),
    memory_full_s: mean(.pressure.memory_full_s?), io_some_s: mean(.pressure.io_some_s?), io_full_s: mean(.pressure.io_full_s?),
    involuntary_switches: mean(.involuntary_switches), voluntary_switches: mean(.voluntary_switches),
    major_faults: mean(.major_faults),
    instructions: mean(.counters.instructions?), cycles: mean(.counters.cycles?),
    cache_references: mean(.counters.cache_references?), cache_misses: mean(.counters.cache_misses?) };

def hardware: ["instructions", "cycles", "cache_references", "cache_misses"];

# What the hardware's counters say of slower execution, as ratios loaded over
# alone: {instructions, cycles_per_instruction, cycles_per_s, misses_per_instruction},
# null where there are none. CPU time is instructions x cycles per instruction /
# clock, so the first three explain it between them; cache misses are one cause of
# the second among others, and get no share of the time.
def ratio($a; $b): if $a == null or $b == null or $a <= 0 then null else $b / $a end;
def counted($before; $after; $user_only):
  def cpu_s: .user_s + (if $user_only then 0 else .system_s end);
  ratio($before.instructions; $after.instructions) as $instructions
  | ratio($before.cycles; $after.cycles) as $cycles
  | if $instructions == null and $cycles == null then null
    else { $instructions, cycles_per_instruction: ratio($instructions; $cycles),
           cycles_per_s: ratio(ratio($before | cpu_s; $after | cpu_s); $cycles),
           misses_per_instruction: ratio($instructions; ratio($before.cache_misses; $after.cache_misses)) }
    end;

# " (cycles per instruction x 1.31, cache misses per instruction x 4.20)": what
# moved by 2 % or more.
def counted_text:
  def times: . * 100 | round | "\(. / 100 | floor).\(. % 100 + 100 | tostring[1:])";
  if . == null then "" else
    [ ["instructions", .instructions], ["cycles per instruction", .cycles_per_instruction], ["clock", .cycles_per_s],
      ["cache misses per instruction", .misses_per_instruction]
      | select(.[1] != null and (.[1] - 1 | fabs) >= 0.02) | "\(.[0]) x \(.[1] | times)" ]
    | if length == 0 then "" else " (\(join(", ")))" end
  end;

# The runs of one condition that the result is made of.
def used($condition; $settings):
  [.[] | select(.condition == $condition and .block != 0)][($settings.discard_warmup // 0):]
  | map(select($settings.ignore_failure or ((.exit_code == 0 or .exit_code == null) and (.timed_out | not) and .signal == null)));

def grown($before; $after): $before | with_entries(.value = if .value == null or $after[.key] == null then null else $after[.key] - .value end);

# A target that gives the CPU away this rarely waits for no disk: a start alone
# costs a few switches.
def may_block($after): $after.voluntary_switches == null or $after.voluntary_switches > 3 or ($after.major_faults // 0) >= 1;

# The time off the CPU, in seconds, shared out: {cpu, memory, io, ambiguous}.
def shared_out($rest; $extra; $after; $cpus):
  ([$extra.memory_some_s // 0, 0] | max) as $memory
  | (if may_block($after) then [($extra.io_some_s // 0) - $memory, 0] | max else 0 end) as $io
  | ([$extra.cpu_some_s // $rest, 0] | max) as $cpu
  # The kernel averages stalls over the busy CPUs: one queue among n counts 1/n.
  | ([$cpu * $cpus, $rest] | min) as $cpu_most
  | ($memory + $io + $cpu) as $claims
  | ([1, if $claims > 0 then $rest / $claims else 1 end] | min) as $part
  | { memory: ($memory * $part), io: ($io * $part),
      cpu: ($rest - ($memory + $io) * $part | clamp(0; $cpu_most)),
      ambiguous: ($memory + $io + $cpu_most > $rest * 1.001 and ([$memory, $io, $cpu_most] | sort | .[1]) > $rest / 10) };

# The seconds of one slowdown by cause; their sum, with unexplained, is $delta.
def causes($before; $after; $extra; $cpus; $load_cpu_s):
  $extra.wall_s as $delta
  | (($before.user_s + $before.system_s) / $before.wall_s | [., 1] | max) as $busy
  | (($extra.user_s + $extra.system_s) / $busy | clamp(0; $delta)) as $execution
  | ($delta - $execution) as $off
  # Stolen time hits whoever runs: the target by its part of the CPU time.
  | ($after.user_s + $after.system_s) as $cpu_s
  | (if $cpu_s > 0 then ([$extra.steal_s // 0, 0] | max) * $cpu_s / ($cpu_s + $load_cpu_s) / $busy else 0 end | clamp(0; $off)) as $steal
  | shared_out($off - $steal; $extra; $after; $cpus) as $waits
  | { seconds: { execution: $execution, steal: $steal, cpu: $waits.cpu, memory: $waits.memory, io: $waits.io },
      ambiguous: $waits.ambiguous, threads: $busy }
  | .seconds.unexplained = ([$delta - ([.seconds[]] | add), 0] | max);

def cause_words: { cpu: "waiting for the CPU", execution: "slower execution", memory: "waiting for memory", io: "waiting for the disk", steal: "taken by the host" };

# Points as words: rounded so that they add up to the rounded whole.
def points_text($name; $points; $total):
  (if $total >= 10 then 0 else 1 end) as $digits
  | pow(10; $digits) as $unit
  | ($total * $unit | round) as $whole
  | [cause_words | keys_unsorted[] | { cause: ., value: ($points[.] * $unit | round) }] | sort_by(-.value)
  | ($whole - (map(.value) | add)) as $left
  | (if $left < 0 then .[0].value += $left else . end)
  | [ (.[] | select(.value > 0) | "\(.value / $unit | fixed($digits)) points \(cause_words[.cause])"),
      "\([$left, 0] | max / $unit | fixed($digits)) points unexplained" ]
  | [.[0], (.[1:][] | sub(" points"; ""))]
  | "\($name): +\($total | fixed($digits)) %: \(join(", "))";

# One slowdown (the input) of the result -> its attribution, or null.
def attribution($runs; $reference; $settings; $cpus):
  . as $slowdown
  | ($runs | used($reference; $settings) | figures) as $before
  | ($runs | used($slowdown.condition; $settings)) as $loaded
  | ($loaded | figures) as $after
  | grown($before; $after) as $extra
  | if $slowdown.metric != "wall_s" or ($settings.aa and $slowdown.condition == "aa") or ($slowdown.distinguishable | not) or ($slowdown.ratio // 0) <= 1
       or ($extra.wall_s // 0) <= 0 or $extra.user_s == null or $extra.system_s == null then null
    else (($loaded | mean([.load[]? | select(.node == null) | .cpu_s | numbers] | add)) // 0) as $load_cpu_s
    | causes($before; $after; $extra; $cpus; $load_cpu_s) as $causes
    | (($slowdown.ratio - 1) * 100) as $total
    | ($causes.seconds | map_values(. / $extra.wall_s * $total)) as $points
    | counted($before; $after; any($loaded[]; .counters.scope? == "user")) as $counted
    | { points: $points, seconds: $causes.seconds, ambiguous: $causes.ambiguous,
        pressure_known: ($extra.cpu_some_s != null), threads: $causes.threads, extra: $extra,
        counters: $counted, absent: [hardware[] | select($after[.] == null or $before[.] == null)],
        text: (points_text($slowdown.condition; $points; $total)
          + ($counted | counted_text)
          + (if $causes.ambiguous then " (a load's own waiting cannot be told from the target's: these shares are a guess)" else "" end)
          + (if $extra.cpu_some_s == null then " (this kernel tells no pressure stalls)" else "" end)) }
    end;

# result.json (the input) with an attribution in each slowdown; $text is the
# content of runs.jsonl.
def with_attribution($text):
  [$text | split("\n")[] | fromjson?] as $runs
  | .conditions[0].name as $reference | .settings as $settings
  | (.environment.cpus_online // 1) as $cpus
  | .slowdowns |= map(.attribution = attribution($runs; $reference; $settings; $cpus));

# The lines under the table.
def attribution_lines: .slowdowns[] | .attribution // empty | .text;
