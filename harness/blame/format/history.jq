# What the formats of a history share.
include "report/numbers";
include "lib/jq15";

def share_of: if . == null then "-" else . * 100 | fixed(if . < 10 then 1 else 0 end) end;
def factor_of: if . == null then "-" else fixed(2) end;
def titles: ["from", "records", "slower", "most", "others", "CPU", "disk", "steal", "quota", "who"];
def units: ["", "", "times", "times", "CPUs", "%", "%", "%", "%", ""];
def culprit_of: (.culprits[0].text // "") | .[0:48];
def texts:
  [(.from[0:19] | sub("T"; " ")), (.records | tostring), (.factor | factor_of), (.most | factor_of), (.others_cpus | factor_of)]
  + [(.cpu_some, .io_some, .steal, .throttled | share_of), culprit_of];
def head_text: "\(.victim) on \(.host): \(.records) records from \(.from) to \(.to): \(.factor | factor_of) times slower because of others on average, \(.most | factor_of) at most";
def culprit_lines: .records as $all | .culprits[] | "\(.text): named first in \(.times) of \($all)";
def key_text: "slower, most: how many times slower because of other programs, mean and largest of a row; others: CPUs that they used; CPU, disk: some task waited for it; who: named first most often.";
