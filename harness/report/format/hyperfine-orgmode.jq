# hyperfine's --export-orgmode: one table.
# reads: lists
include "report/hyperfine";
include "report/rows";
include "report/decimals";
include "lib/text";

# \vert is how Org mode writes what would end a cell; where it is quoted there is none.
def line: "| \(.[0])  |  \(.[1:] | join(" |  ")) |";

hyperfine_table
| (.titles | map(put("|"; "\\vert{}")) | line), "|\("--+" * (.titles | length - 1))--|",
  (.rows[] | map(put("|"; "\\vert{}")) | .[0] |= "=\(.)=" | line)
