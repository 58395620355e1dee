# Shared by the formats of a bench. No format itself: it has no "# files:".

# The columns of a part: its labels and figures, and the numbers of its findings.
def columns: .texts as $texts | $texts.columns + (if $texts.findings == [] then [] else [{ key: "problems", title: "see", left: true, rank: 0 }] end);
def cell_text($key): if $key == "problems" then .numbers | map(tostring) | join(",") else .texts[$key] // "" end;

# Rows that were not begun are in a line below the table.
def begun: map(select(.state != "waiting"));

def head_text:
  "bench of \(.machine.host // "this machine"): \(.machine.cpu // "unknown CPU"), CPUs \(.machine.cpus_allowed // "?"), \(.made)";
def in_rows: .cells | if length > 3 then "\(.[:2] | join(", ")) and \(length - 2) more" else join(", ") end;
# "1 above-peak (cpu.int8.t1): TEXT: ADVICE", a line for each kind of problem; marks have no kind.
def finding_texts:
  .texts.findings | range(0; length) as $i
  | .[$i]
  | "\($i + 1) \(if .flag == "mark" then "" else .flag + " " end)(\(in_rows)): \(.text)\(if .advice == null then "" else ": " + .advice end)";
def reason_texts: .texts.reasons[] | "\(in_rows): \(.text)";
def key_text: "± and [ ] are confidence intervals of the mean over n runs (of the mean over time for a series); ratios are of runs in the same blocks.";

# Where there are many sources of peaks: two of them, and where the others are.
def few_lines: .texts.lines | if length <= 3 then .[] else .[:2][], "\(length - 2) more sources of peaks: jostle report --format md shows them" end;
