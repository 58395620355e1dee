# The tables of --tables, in Markdown and at a terminal.
include "report/rows";
include "report/document";
include "lib/text";

{ $width, $colour, style: "1" } as $with
| . as $head
| def figure($cell): if ($cell | type) == "object" then $cell else { text: $cell, sure: false } end;
  def titled: (if .group then "\(.group | ascii_downcase) " else "" end) + .title + (if .unit then " (\(.unit))" else "" end);
  def block_of($is_md):
    { h: 2, text: (.caption | if $is_md then md else . end) },
    ({ says: true, style: "1", raw: true, columns: [.columns[] | .title = (titled | if $is_md then figure_md else . end)],
       rows: [.rows[] | [figure(.[]) | .sure as $sure | .text | if $is_md then figure_md | bold($sure) else . end]] }),
    (select(.lines != []) | { list: [.lines[] | if $is_md then md else . end], raw: true });
[inputs]
| [chosen_tables($head; 8)] as $blocks
| ($blocks[] | block_of($format == "md")), ([chosen_texts($head; $blocks)] | select(. != []) | { list: ., raw: true })
| if $format == "md" then block_md else block_text($with) end
