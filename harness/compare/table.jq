# jostle.comparison/1 -> the table for people.
include "report/document";
include "lib/text";

def amount: if . == null then "-" else tostring end;
def floor_text: "± \(.texts.noise_floor)\(if .noise_floor_from == "aa" then " (A/A)" else "" end)";

def verdict:
  if .verdict == "timed-out" then "not known: runs timed out"
  elif .verdict == "too-few-runs" then "not known: fewer than two runs"
  elif .verdict == "other-statistic" then "not known: \(.a.statistic) and \(.b.statistic) are not the same"
  elif .verdict == "no-interval" then "not known: a side has no interval"
  elif .verdict == "chance" then "a difference of \(.texts.change) is not beyond chance here"
  elif .verdict == "noise" then "not distinguishable from noise"
  elif (.metric | IN("wall_s", "user_s", "system_s", "max_rss_bytes") | not) then
    "\(.metric) of B is \(.texts.change_of_reference) \(if .of_reference > 1 then "higher" else "lower" end), \(.verdict)"
  elif .metric == "max_rss_bytes" then "B needs \(.texts.change) \(if .verdict == "worse" then "more" else "less" end)"
  else "B takes \(.texts.change) \(if .verdict == "worse" then "longer" else "less" end)" end;

def side: [(.runs | tostring), (if .censored > 0 then "at least " else "" end) + .texts.center, floor_text];
def ratio: .texts.of_reference + (if .survives then " †" else "" end);

def row: [.condition, .metric] + (.a | side) + (.b | side) + [ratio, verdict];
# Where it is narrow, the highest rank is left out first.
def columns_of($level):
  [["condition", true, 0], ["metric", true, 0], ["runs", false, 2], ["A", false, 0], ["noise floor", false, 1], ["runs", false, 2],
    ["B", false, 0],
   ["noise floor", false, 1], ["B / A [\($level)]", false, 0], ["verdict", true, 0]] | map({ title: .[0], left: .[1], rank: .[2] });

def difference($kind): "\($kind) differs: \(.what): A \(.a | amount), B \(.b | amount)";

def missed: {a: "A", b: "B", both: "A and B"}[.[0].side];

# What was compared, and is the same; never more than that.
def same:
  (.compared | map(split(".")[0]) | unique) as $facts
  | (.not_recorded | map(.what)) as $missing
  | [(if .command_or_load == [] then "command", "loads" else empty end),
     (if .offered == [] and .offered_compared != [] then "what the loads offered" else empty end),
     (if .settings == [] then "settings" else empty end),
     (if .program == [] and ($missing | index("program") | not) then "program" else empty end),
     (if .inputs == [] and .inputs_compared != [] then "files (\(.inputs_compared | join(", ")))" else empty end),
     (if .variables == [] and ($missing | index("variables") | not) then "variables" else empty end),
     (if .environment == [] and $facts != [] then "environment (\($facts | join(", ")))" else empty end)]
  | if . == [] then empty
    else "The same\(if $missing == [] then "" else ", as far as both record it" end): \(join(", "))." end;

def not_compared:
  (if .inputs_written != [] then "not compared, as they were written while it was measured: \(.inputs_written | join(", "))"
    else empty end),
  (if .not_recorded | map(.what) | index("inputs") then empty
   elif .inputs_compared == [] and .inputs_written == [] then
     "No word of the command is a file that could be compared; what the program opens by itself was not looked at."
   else "Other files, that the program opens by itself, were not looked at." end);

def family_line:
  [.comparisons[] | select(.p != null)] as $known
  | ([$known[] | select(.survives)] | length) as $holding
  | select(($known | length) >= 2)
  | "\($known | length) ratios: " + (if $holding == 0 then "none holds" elif $holding == 1 then "† marks the one that holds"
       else "† marks the \($holding) that hold" end) + " at a false discovery rate of \(.texts.false_discovery)";

def differences_of_two:
  .differences
   | (.command_or_load[] | "\(.what) differs: A \(.a | amount), B \(.b | amount)"),
     (.settings[] | difference("setting")),
     (.offered[] | "offered rate differs: load \(.what): A \(.a), B \(.b)"),
     (.inputs[] | "\(.what) differs: A \(.a), B \(.b)"),
     (.program[] | "\(.what) differs: A \(.a | amount), B \(.b | amount)"),
     (.variables[] | difference("variable")),
     (.environment[] | difference("environment")),
     (.not_recorded | group_by(.side)[] | "not recorded in \(missed), so it may differ: \(map(.what) | join(", "))"),
     (.only_a | if . == [] then empty else "only in A: \(join(", "))" end),
     (.only_b | if . == [] then empty else "only in B: \(join(", "))" end),
     same, not_compared;

# Those of the first pair; of each further one what it has else.
def differences_lines:
  [differences_of_two] as $first
  | $first[],
    (.more_sessions | to_entries[] | "session \(.key + 2): \(.value | [differences_of_two] - $first | .[])");

# The ratios over several pairs of folders.
def session_row: [.condition, .metric, .texts.ratios, ratio, verdict];
def sessions_blocks($level):
  if .more_sessions == [] then
    { tight: true, p: ("A and B are one session each: what differs may be the machine's. To judge the program, measure both in one "
      + "experiment (--variant, --revision), or both again, in turn: jostle compare A B A2 B2 ...") }
  else
    { tight: true, p: "" },
    { columns: [["condition", true], ["metric", true], ["B / A of each session", false], ["B / A of all [\($level)]", false],
      ["verdict", true]
        | { title: .[0], left: .[1], rank: 0 }], rows: [.over_sessions[] | session_row], folds: true } end;

def gate_line:
  select(. != null)
  | ("at most \(.at_most): "
    + .verdict + (if .why == [] then "" elif .why == ["one-session"] then ", as A and B are one session each"
        else ", beside \(.why | map(select(. != "one-session")) | join(", "))" end));

# "median", "mean or median": whose error stands in the columns where no A/A runs were made.
def errors_of:
  { typical: "median", trimmed: "trimmed mean", p90: "90th percentile", p99: "99th percentile" } as $words
  | [.comparisons[] | .a, .b | select(.noise_floor_from != "aa") | .statistic // "mean" | $words[.] // .]
  | unique | join(" or ");

def line: { tight: true, p: . };

visible_all
| .texts.interval_level as $level
| ("A = \([., .more_sessions[]] | map(.a) | join(", "))",
   "B = \([., .more_sessions[]] | map(.b) | join(", "))",
   "",
   (if .more_sessions == [] then empty else "of the first session:" end) | line),
  { columns: columns_of($level), rows: [.comparisons[] | row], folds: true, says: true },
  ((.failed_runs | to_entries[] | select(.value != null) | "\(.key | ascii_upcase): \(.value)"),
   (.comparisons[] | . as $c | ({ A: .a, B: .b } | to_entries[]) | select((.value.flags // []) != [])
    | "\($c.condition), \($c.metric), \(.key): warnings of \(.value.flags | join(", ")): see its own table"),
   ([.comparisons[] | select(.a.time != null or .b.time != null)] | unique_by(.condition)[]
    | "time: \(.condition): A \(.a.time // "not known"); B \(.b.time // "not known")"),
   differences_lines,
   (if .more_sessions == [] then family_line else empty end) | line),
  sessions_blocks($level),
  ((.gate | gate_line),
   ("[ ] is a \($level) confidence "
     + ("interval\(if .family > 1 then " (\(.texts.confidence) for the \(.family) metrics of a condition together)" else "" end); "
       + "the noise floor is that of A/A runs (slowdown --aa) where there are some,")),
   "else the error of the \(errors_of | if . == "" then "figure" else . end), which does not know how far two days lie apart." | line)
| block_text({ $width, $colour })
