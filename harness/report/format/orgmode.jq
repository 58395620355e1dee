# Org mode: the main tables.
# files: .org
# reads: rows
include "report/rows";
include "lib/text";

def org: visible | put("|"; "\\vert{}");
def line: "| " + join(" | ") + " |";

. as $head
| plain_tables($head)
| "#+CAPTION: \(.title | visible)", ([.columns[].title | org] | line), ("|" + ([.columns[] | "--"] | join("+")) + "|"),
  (.rows[] | map(org) | line), ""
