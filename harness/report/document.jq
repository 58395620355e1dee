# What a command shows, as blocks, and what lays them out: one emitter for a format serves all commands.
#
# A block is one of
#   {h: 1 or 2, text}                        a title; the first is not for a terminal
#   {p: text}                                a paragraph
#   {list: [text]}                           lines
#   {columns: [{title, left, rank}], rows}   a table: rows are lists of texts, in the order of the columns
# with .tight where no empty line follows it. left: null where that is left to the reader; rank: which columns are
# left out first where it is narrow, 0: never. For Markdown: .raw: the texts are marked up already; .figures: they
# have brackets of intervals. For a terminal: .indent of lines, .style of a table's titles, .says: a line says which
# columns were left out, .folds: the texts of its widest column go on in the next line before columns are left out.
include "lib/text";

# ---- Markdown

# Text of users as it is: no mark-up, no HTML, no end of a table cell.
def md:
  visible
  | if test("[&<>\\\\`*_{}\\[\\]#|~$!]") then put("&"; "&amp;") | put("<"; "&lt;") | put(">"; "&gt;")
    | reduce ("\\`*_{}[]#|~$!" | split("")[]) as $mark (.; put($mark; "\\" + $mark)) else . end;
# A figure, whose unit may be a user's: brackets are those of its interval.
def figure_md: md | put("\\["; "[") | put("\\]"; "]");

# A word of ours as code; what is none is text.
def code_md: if test("^[A-Za-z0-9._=-]+$") then "`\(.)`" else md end;

def line: "| " + join(" | ") + " |";
def heading($titles; $left): ($titles | line), ([range(0; $titles | length) | if . < $left then ":--" else "--:" end] | line);
def bold($sure): if $sure then "**\(.)**" else . end;

def block_md:
  . as $block
  | def marked: if $block.raw then . elif $block.figures then figure_md else md end;
  (if .h then "#" * .h + " " + (.text | marked)
   elif .p then .p | marked
   elif .list then .list[] | "- " + marked
   else (.columns | (map(.title | if $block.raw then figure_md else md end),
     map(if .left == null then "---" elif .left then ":--" else "--:" end)) | line), (.rows[] | map(marked) | line) end),
  (select(.p == null or (.tight | not)) | "");

# The tables of a report, {columns, rows}: titles and figures come from one list, by their keys. $bold: keys of what is
# bold where it is distinguishable.
def any_table($bold):
  (.columns | sort_by(.left | not)) as $columns
  | { $columns, raw: true,
    rows: [.rows[] | . as $row
    | [$columns[] | .key as $key | .left as $left | $row.texts[$key] | if $bold | index($key) then bold($row.distinguishable)
    elif $left then md else figure_md end]] }
  | block_md;
def any_table: any_table(["ratio", "change"]);
def variant_tables:
  .variants // empty | "### \(.title | md)", "", (.tables[] | any_table), (.changes | select(.rows != []) | any_table),
    (.lines[] | "- " + md), "";
def capacity_table: (.capacity, .protection) // empty | "### \(.title | md)", "", any_table, (.lines[] | "- " + md), "";

# ---- a terminal

# The widest of the columns that begin at the left, of so many columns of these widths.
def widest($widths; $left): [range(0; $widths | length) | select($left[.])] | max_by($widths[.]);
# So much of it stays where its texts go on in the next line.
def folds_to: 28;
# The places of the columns for which there is room.
def fitted($width):
  .columns as $columns
  | ([[.columns[].title]] + .rows | transpose | map(map(length) | max)) as $all
  | (if .folds then widest($all; [$columns[].left]) else null end) as $at
  | (if $at == null then $all else $all | .[$at] |= ([., folds_to] | min) end) as $widths
  | [range(0; $columns | length)]
  | until($width == 0 or (map($widths[.] + 2) | add) - 2 <= $width or all(.[]; ($columns[.].rank // 0) == 0);
      (map($columns[.].rank // 0) | max) as $last | map(select(($columns[.].rank // 0) != $last)));
# A text in pieces of at most so many characters, at blanks where there are some.
def pieces($most):
  if length <= $most then [.]
  else . as $text
  | (first(range($most; $most / 2 | floor; -1) | select($text[. : . + 1] == " ")) // null) as $blank
  | if $blank == null then [$text[:$most]] + ($text[$most:] | pieces($most))
    else [$text[:$blank]] + ($text[$blank + 1:] | pieces($most)) end end;
# Rows in which the widest column that begins at the left has the room that the others leave it: its texts go on in the
# next line.
def folded($width; $left):
  (transpose | map(map(length) | max)) as $widths
  | (($widths | map(. + 2) | add) - 2 - $width) as $over
  | widest($widths; $left) as $widest
  | if $width == 0 or $over <= 0 or $widest == null or $widths[$widest] - $over < 16 then .
    else map(. as $row | ($row[$widest] | pieces($widths[$widest] - $over)) as $parts
      | range(0; $parts | length) as $i
      | [range(0; $row | length) | if . == $widest then $parts[$i] elif $i == 0 then $row[.] else "" end]) end;
def block_text($with):
  def styled($style): if $with.colour and $style then "\u001b[\($style)m\(.)\u001b[0m" else . end;
  def table:
    . as $block | fitted($with.width) as $shown
    | [.columns[].title] as $titles
    | [$shown[] | $block.columns[.].left != false] as $left
    | ([$titles] + .rows | map([.[$shown[]]]) | if $block.folds then folded($with.width; $left)
      else . end | [aligned_by($left)] | (.[0] | styled($block.style)), .[1:][]),
      ($titles - [$titles[$shown[]]] | select($block.says and . != []) | "  not shown on so narrow a terminal: \(join(", "))");
  (if .h == 1 then empty elif .h then .text | styled("1")
   elif .p then .p
   elif .list then (.indent // "") + .list[]
   else table end),
  (select(.h == null and (.tight | not)) | "");

# ---- a page

def esc: if . == null then "" else tostring | visible_lines | @html end;
# A number and its unit stay on one line.
def together: split(" ") | join("\u00a0");
def titled: (.[:1] | ascii_upcase) + .[1:];
def plural($n; $one; $many): "\($n) \(if $n == 1 then $one else $many end)";
# ["a","b","a"] -> {"a":0,"b":1}: names in the order in which they come first
def numbered: reduce .[] as $name ({}; if has($name) then . else .[$name] = length end);

# Parts of a model: page.js says what it may consist of.
def column_of($title; $kind): { title: $title, kind: $kind };
def numbers: map(column_of(.; "n"));
def section($id; $title; blocks): { id: $id, title: $title, blocks: [blocks] };

# JSON that cannot end the element that it is in.
def embedded: tojson | put("<"; "\\u003c");
# Rows of texts as a table for those who have no script.
def plain_table($titles; rows):
  "<div class=\"scroll\"><table><thead><tr>\($titles | map("<th scope=\"col\">\(@html)</th>") | join(""))</tr></thead><tbody>",
  (rows | "<tr>\(map("<td>\(@html)</td>") | join(""))</tr>"), "</tbody></table></div>";
# The first table of a model.
def plain_text:
  if type == "array" then .[0] else .t? // . end | if type == "string" then visible
    elif type == "array" then [.. | strings | visible] | join(" ") else tostring end;
def plain_model:
  first(.sections[].blocks[] | select(.table)) // empty
  | plain_table([.columns[] | .title? // . | plain_text]; .rows[] | (.cells? // .) | map(plain_text));

# The page carries all that it needs with it: it loads nothing. $with: {style, script}; header: lines of HTML; plain:
# what is there without the script; model: lines of JSON, which the script draws.
def page($with; $title; $generator; header; plain; model):
  "<!DOCTYPE html>", "<html lang=\"en\">", "<head>", "<meta charset=\"utf-8\">",
  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">",
  "<meta name=\"color-scheme\" content=\"light dark\">", "<meta name=\"generator\" content=\"\($generator | @html)\">",
  "<title>\($title | esc)</title>", "<style>",
  ($with.style | split("\n") | map(ltrimstr("  ") | ltrimstr("  ") | select(. != "" and (startswith("/*") | not))) | join("\n")),
    "</style>", "</head>", "<body>",
  "<a class=\"skip\" href=\"#main\">Skip to the answer</a>",
  "<header>", header, "</header>", "<main id=\"main\">",
  # A browser with the script makes no elements of it.
  ("<noscript><p>The rest of this page is drawn by its own script: allow JavaScript for this file to see its charts and all tables, "
    + "or see <code>--format md</code>.</p>"),
  plain, "</noscript>", "</main>", "<footer><p>Made by jostle from records.</p></footer>",
  "<script type=\"application/json\" id=\"model\">", model, "</script>", "<script>", ($with.script | rtrimstr("\n")), "</script>",
    "</body>", "</html>";
def page($with; $title; $generator; header; $model): page($with; $title; $generator; header; $model | plain_model; $model | embedded);

# ---- all of them

# $with: {format, width, colour, style, script}; each format's part of the input.
def lay_out($with; json; csv; page; blocks):
  if $with.format == "json" then json
  elif $with.format == "csv" then csv | map(csv_text) | @csv
  elif $with.format == "html" then page
  else visible_all | blocks | if $with.format == "md" then block_md else block_text($with) end end;
