# hyperfine's --export-markdown: one table, with a column for each other metric.
# reads: lists
include "report/hyperfine";
include "report/rows";
include "report/decimals";
include "lib/text";

# A quotation is longer than any row of its marks in what it quotes.
def fence: . as $text | "`" | until(. as $fence | $text | contains($fence) | not; . + "`");
def code: put("|"; "\\|") | fence as $fence | (if test("^`|`$") then " " else "" end) as $gap | $fence + $gap + . + $gap + $fence;
def line: "| \(join(" | ")) |";

hyperfine_table
| (.titles | map(put("|"; "\\|")) | line), "|:---|\("---:|" * (.titles | length - 1))", (.rows[] | [(.[0] | code), .[1:][]] | line)
