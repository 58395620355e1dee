# hyperfine's --export-asciidoc: one table.
# reads: lists
include "report/hyperfine";
include "report/rows";
include "report/decimals";
include "lib/text";

def cells: "", (.[] | "| \(put("|"; "\\|")) ");

hyperfine_table
| "[cols=\"<\(",>" * (.titles | length - 1))\"]", "|===", (.titles | cells), (.rows[] | .[0] |= "`\(.)`" | cells), "|==="
