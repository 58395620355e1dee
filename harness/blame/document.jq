# What people see of what a watch has written: what `blame --show` and, of a page, `blame --page` print.
# formats: csv html json md terminal
# drawn: svg
include "report/document";
include "lib/text";

def titles: ["from", "records", "slower", "most", "others", "CPU", "disk", "steal", "quota", "who"];
def units: ["", "", "times", "times", "CPUs", "%", "%", "%", "%", ""];
# "slower, times"
def full_titles: [titles, units] | transpose | map(join(", ") | rtrimstr(", "));
def texts:
  [(.from[0:19] | sub("T"; " ")), (.records | tostring)]
  + [.texts[("factor", "most", "others_cpus", "cpu_some", "io_some", "steal", "throttled")] | . // "-"]
  + [(.culprits[0].text // "") | .[0:48]];
def head_text:
  ("\(.victim) on \(.host): \(.records) records from \(.from) to \(.to): \(.texts.factor) times slower because of others on average, "
    + "\(.texts.most) at most");
# A node itself does not wait: its culprits are those who used the CPUs.
def of_what: if .victim == "this node" then "of what others used of the CPUs then" else "of the waiting for a CPU then" end;
def culprit_lines: .records as $all | of_what as $of_what | .culprits[]
  | "\(.text): named first in \(.times) of \($all)" + (if .blame == null then "" else " (\(.texts.blame) % \($of_what))" end);
def key_text:
  ("slower, most: how many times slower because of other programs, mean and largest of a row; others: CPUs that they used; CPU, "
    + "disk: some task waited for it; who: named first most often.");

def blocks:
  ($format == "md") as $is_md
  | (.hosts[]
     | { h: 1, text: .victim }, { p: head_text },
       (if $is_md then { columns: [full_titles[] | { title: ., left: false }], rows: [.rows[] | texts] }
        else { style: "1", columns: [titles[] | { title: ., left: (. == "from") }], rows: [units, (.rows[] | texts)] } end),
       { tight: true, list: [culprit_lines] }),
    (select(.cut) | { tight: ($is_md | not), list: ["note: a record was cut off: a watch was killed, or the disk was full"] }),
    { tight: true, p: key_text };

def csv_rows:
  ["host", "victim", "from", "records", "factor", "factor_most", "others_cpus", "cpu_some", "io_some", "steal", "throttled", "culprit"],
  (.hosts[] | . as $host | .rows[]
   | [$host.host, $host.victim, .from, .records, .factor, .most, .others_cpus, .cpu_some, .io_some, .steal, .throttled,
     (.culprits[0].text // "")]);

# ---- one page with the course over time

def lede: [culprit_lines] | if . == [] then "Nobody was slowed down." else map(titled + ".") | join(" ") end;
# A point for each row that has the figure.
def course($figure; $name; $scale):
  { name: $name, points: [.rows[] | select(.[$figure] != null) | { x: .hours, y: (.[$figure] * $scale) }] };
def chart($title; $what; $unit; series):
  { kind: "series", title: "\(.victim): \($title)", x: { label: "time", unit: "h", log: false },
    y: { label: $what, unit: $unit, log: false }, series: [series] };
def charts:
  chart("how many times slower"; "slower"; "times"; course("factor"; "mean"; 1), course("most"; "most"; 1)),
  chart("what the kernel shows"; "of the time"; "%"; course("cpu_some"; "waited for a CPU"; 100),
    course("io_some"; "waited for a disk"; 100),
    course("steal"; "stolen by the hypervisor"; 100), course("throttled"; "held back by its quota"; 100));

def page:
  ([.hosts[].victim] | unique) as $victims
  | page({ $style, $script }; "Who slowed down \($victims | join(", "))"; "jostle blame --watch";
      ("<p class=\"kind\">jostle blame: who slowed it down</p>", "<h1>\($victims | map(esc) | join(", "))</h1>",
       (.hosts[] | "<p class=\"lede\">\(lede | esc)</p>", "<p class=\"facts\">\(head_text | esc)</p>"));
      { sections: [
          section("course"; "Over the time"; { charts: [.hosts[] | charts] }, { p: key_text, class: "small" }),
          (.hosts | to_entries[] | .key as $i | .value
           | section("rows\($i)"; "\(.victim): figures";
               { table: "table\($i)", caption: "Each stretch of time", columns: (full_titles | map(titled) | numbers),
                 rows: [.rows[] | texts] }))] });

lay_out({ $format, $width, $colour }; del(.charts); csv_rows; page; blocks)
