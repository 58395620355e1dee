# longtables for \input, or a document of their own.
# files: .tex
# reads: rows
#
# Compiles as it is, and by \input in a document that loads longtable.
include "report/rows";
include "lib/text";

# What LaTeX says for one character; letters that need a font encoding which a
# document may not have are named by their number, so that it compiles anywhere.
def tex_code:
  if . >= 97 and . <= 122 or . >= 65 and . <= 90 or . >= 48 and . <= 57 then [.] | implode
  elif . == 92 then "\\textbackslash{}" elif . == 123 then "\\{" elif . == 125 then "\\}"
  elif . == 36 then "{\\char36}" elif . == 38 then "\\&" elif . == 35 then "\\#" elif . == 95 then "{\\ttfamily\\char95}\\allowbreak{}"
    elif . == 37 then "\\%"
  elif . == 126 then "{\\ttfamily\\char126}" elif . == 94 then "{\\ttfamily\\char94}"
  elif . == 60 then "\\textless{}" elif . == 62 then "\\textgreater{}" elif . == 124 then "\\textbar{}"
  elif . == 34 then "{\\ttfamily\\char34}" elif . == 39 then "{\\char39}" elif . == 96 then "{\\char96}" elif . == 45 then "{-}"
    elif . == 44 then "{,}" elif . == 33 then "{!}" elif . == 63 then "{?}"
  elif . == 91 then "{[}" elif . == 93 then "{]}" elif . == 47 then "/\\allowbreak{}"
  elif . < 127 then [.] | implode
  elif . == 177 then "$\\pm$" elif . == 215 then "$\\times$" elif . == 181 or . == 956 then "$\\mu$" elif . == 178 then "$^2$"
    elif . == 8594 then "$\\rightarrow$" elif . == 8224 then "$\\dagger$" elif . == 8230 then "\\ldots{}"
  elif . >= 192 and . <= 255 and . != 208 and . != 222 and . != 240 and . != 247 and . != 254 then [.] | implode
  else . as $code
  | "{\\ttfamily U+"
    + ([16, 12, 8, 4, 0] | map($code / pow(2; .) | floor % 16 | "0123456789ABCDEF"[. : . + 1]) | join("") | sub("^0"; "")) + "}"
  end;
[range(0; 256) | tex_code] as $codes
| # Text of users. Ligatures are broken, so that it can be found and copied.
def tex:
  visible
  | if test("^[A-Za-z0-9 .:;=+()*,%\\[\\]-]*$") then put("%"; "\\%") | put(","; "{,}") | put("-"; "{-}") | put("["; "{[}") | put("]"; "{]}")
  else explode | map($codes[.] // tex_code) | join("") end
  | if contains("ff") or contains("fi") or contains("fl") then gsub("f(?=[fil])"; "f{}") else . end;
# Numbers and units, which have no other special characters.
def tex_number:
  if . == "-" then "--"
    else put("%"; "\\%") | put("±"; "$\\pm$") | put("†"; "$\\dagger$") | put("→"; "$\\rightarrow$") | put("µ"; "$\\mu$") end;
# 1.23e-05 -> $1.23 \cdot 10^{-5}$
def tex_scientific: if contains("e") then split("e") | "$\(.[0]) \\cdot 10^{\(.[1])}$" elif . == "-" then "--" else . end;
# Text in a narrow column, not stretched to its width.
def ragged: "\\raggedright " + .;
def tex_line: join(" & ") + " \\\\";
def bold($sure): if $sure then "\\textbf{\(.)}" else . end;

# Repeated on every page of a longtable.
def table($columns; $caption; $titles; rows):
  "\\begin{longtable}{\($columns)}", "\\caption{\($caption)}\\\\", "\\hline", ($titles[] | tex_line), "\\hline", "\\endfirsthead",
  "\\hline", ($titles[] | tex_line), "\\hline", "\\endhead", "\\hline", "\\endfoot", rows, "\\end{longtable}", "";

# Columns of the program and of its parameters, where they have some, and their titles.
def program_columns($names; $wide): if $names == [] then "p{\($wide)}" else "l" + "l" * ($names | length) end;
def program_titles($names): ["program", ($names[] | tex)];
# What program and load of a row are called.
def tex_program($names): [program_cells($names)[] | tex | if $names == [] then ragged else . end] | join(" & ");
def with_tex($names): .tex = { program: tex_program($names), load: (.texts.load | tex | ragged) };

def mean_table($head; $names):
  "\\begingroup\\scriptsize\\setlength{\\tabcolsep}{2.5pt}\\renewcommand{\\arraystretch}{1.25}",
  table(program_columns($names; "3cm") + "p{1.7cm}r" + "rr" * ($head.metrics | length);
    "\(.[0].target | tex): mean and variance, without load (--) and with it";
    [["", ($names[] | ""), "", ""] + [$head.metrics[] | "\\multicolumn{2}{c}{\(.title)}"],
     program_titles($names) + ["load", "runs"] + [$head.metrics[] | "mean [\(.table_unit)]", "variance [\(.table_unit)$^2$]"]];
    mean_lines(.tex) | [.program, .load // "--"] + (.numbers | means($head) | map(tex_scientific)) | tex_line),
  "\\endgroup";

# It may have a metric's name.
def title($head; $key): $head.columns.cells[] | select(.key == $key) | .title | tex_number | put("_"; "\\_");
# A figure of a row of cells or of metrics, by the key of its column.
def figure($row; $key):
  $row.texts[$key]
  | if $key == "program" or $key == "load" then $row.tex[$key]
    elif $key == "slowdown" or $key == "ratio" then tex_number | bold($row.distinguishable)
    elif $key == "of_alone" then tex_number else tex end;
def slowdown_table($head; $names):
  findings("problems") as $findings
  | any(.[]; .texts.of_alone != "-") as $plain
  # What the table of means has is not here again.
  | [$head.columns.cells[].key | select((IN("runs", $head.metrics[].title) | not) and (. != "of_alone" or $plain))] as $keys
  | "\\begingroup\\footnotesize\\setlength{\\tabcolsep}{4pt}\\renewcommand{\\arraystretch}{1.2}",
    table(program_columns($names; "4.2cm") + "p{2.6cm}" + "r" * ($keys | length - 2) + "l";
      "\(.[0].target | tex): slowdown, and load achieved of offered";
      [[$keys[] | if . == "program" then program_titles($names)[] else title($head; .) end] + ["problems"]];
      .[] | select(.loaded != null) | . as $row | [figure($row; $keys[])] + [marks($findings)] | tex_line),
    (range(0; $findings | length) as $i | "\\noindent \($i + 1) \($findings[$i] | marked_text | tex)\\par"),
    (([.[].floor // empty] | unique[]), .[].lines[] | "\\noindent \(tex)\\par"),
    "\\endgroup";

def metric_table($head; $names):
  [.[] | .tex as $tex | .metrics[] | .tex = $tex] | select(. != []) | . as $rows
  | [$head.columns.cell_metrics[] | select(.key != "of_alone" or any($rows[]; .texts.of_alone != "-"))] as $columns
  | "\\begingroup\\footnotesize\\setlength{\\tabcolsep}{4pt}\\renewcommand{\\arraystretch}{1.2}",
    table([$columns[] | { program: program_columns($names; "4.2cm"), load: "p{2.6cm}" }[.key] // (if .left then "l" else "r" end)] | add;
      "Other metrics"; [[$columns[] | if .key == "program" then program_titles($names)[] else .title | tex_number end]];
      .[] | . as $row | [figure($row; $columns[].key)] | tex_line),
    "\\endgroup";

# A table of an experiment: {columns, rows}, whose columns say what is text.
def any_table($caption):
  .columns as $columns
  | "\\begingroup\\footnotesize\\setlength{\\tabcolsep}{4pt}\\renewcommand{\\arraystretch}{1.2}",
    table([$columns[] | if .left then "l" else "r" end] | add; $caption | tex; [[$columns[].title | tex]];
      .rows[] | . as $row | [$columns[] | .key as $key | $row.texts[$key]
        | if $key == "ratio" or $key == "change" then tex_number | bold($row.distinguishable) else tex end] | tex_line),
    "\\endgroup";
def said: .lines[] | "\\noindent \(tex).\\par";
def variant_tables:
  .variants // empty
  | .title as $title
  | (.tables[] | .metric as $metric | any_table("\($title): \($metric) of each variant")),
    (.changes | select(.rows != []) | any_table("\($title): whether a load changes the ratio")), said;
def capacity_table: (.capacity, .protection) // empty | any_table(.title), said;

def level_table($head):
  (.rows | split_names($head)) as $names
  | .load as $load | .levels as $levels | .rows as $rows
  | [range(0; $levels | length)] | in_parts(4)
  | . as $at
  | "\\begingroup\\footnotesize\\setlength{\\tabcolsep}{4pt}\\renewcommand{\\arraystretch}{1.2}",
    table(program_columns($names; "4.2cm") + "r" * length; "Slowdown by level of \($load | tex)";
      [program_titles($names) + [$at[] | $levels[.] | tex]];
      $rows[] | . as $row | [tex_program($names)]
        + [$at[] | $row.slowdowns[.] | if . == null then "" else .sure as $sure | .text | bold($sure) end] | tex_line),
    "\\endgroup";

def section($title; lines):
  [lines] | if . == [] then empty else "\\paragraph{\($title)}\\begin{itemize}", (.[] | "\\item \(tex)"), "\\end{itemize}" end;

# ---- the tables of --tables, for a portrait page

# The sizes of letters, from large to small: {name, pt: the width of a figure, sep: of what is between two columns}.
def sizes: [{ name: "footnotesize", pt: 4.3, sep: 4 }, { name: "scriptsize", pt: 4.0, sep: 2.5 }, { name: "tiny", pt: 3.45, sep: 1.8 }];
def text_width: 520; # pt, of the document of its own
def cell_text: if type == "object" then .text else . // "" end;
# How many figures wide each column is: of its title, its unit and its rows. Letters are up to a third wider.
def column_widths:
  . as $block
  | [range(0; .columns | length) as $i | .columns[$i] as $column
    | ([$column.title, (if $column.unit then "[\($column.unit)]" else "" end)] | map(length * 1.2))
      + [$block.rows[][$i] | cell_text | length * (if test("^[-0-9.e+]*$") then 1 else 1.2 end)]
    | max];
# Text in a column of so many figures, that can be broken anywhere.
def tex_narrow($figures):
  . as $text | ([$figures / 1.4 | floor, 1] | max) as $piece | if ($text | length) <= $piece then $text | tex
    else [range(0; $text | length; $piece) as $i | $text[$i : $i + $piece] | tex] | join("\\allowbreak{}") end;
# As wide as columns of these widths are.
def table_width($size): add * $size.pt + 2 * $size.sep * length;
# Without the columns of the highest ranks, as long as there is no room for all in letters that can be read well.
# What a group has is never left out.
def fitted_table:
  ([.columns[] | if .group then 0 else .rank end] | max) as $rank
  | if $rank == 0 or any(.columns[]; .group) or (column_widths | table_width(sizes[1])) <= text_width then .
    else [range(0; .columns | length) as $i | select(.columns[$i].rank != $rank) | $i] as $kept
    | .left_out += [.columns[] | select(.rank == $rank) | .title] | .columns |= [.[$kept[]]] | .rows |= map([.[$kept[]]])
      | fitted_table end;
# Of widths: the one that those which are wider get, where all are to have so much room.
def share($room):
  if . == [] then $room
    else ($room / length) as $each | map(select(. > $each)) as $wide | if ($wide | length) == length then $each
    else (map(select(. <= $each)) | add) as $used | $wide | share($room - $used) end end;
def chosen_table:
  fitted_table
  | . as $block
  | column_widths as $widths
  | ($widths | length) as $count
  | def total($size): $widths | table_width($size);
    (first(sizes[] | select(total(.) <= text_width)) // sizes[-1]) as $size
  # What is left for columns of text, where even the smallest letters are too large; null: there is room for all.
  | (if total($size) <= text_width then null
     else (text_width - 2 * $size.sep * $count - ([range(0; $count) | select($block.columns[.].left | not) | $widths[.] * $size.pt]
       | add // 0)) as $room
     | [range(0; $count) | select($block.columns[.].left) | $widths[.] * $size.pt] | [share($room), 18] | max end) as $narrow
  | def is_narrow($i): $narrow != null and $block.columns[$i].left and $widths[$i] * $size.pt > $narrow;
    def narrowed: "\\raggedright\\let\\\\\\tabularnewline " + tex_narrow($narrow / $size.pt);
    def laid($i): cell_text as $text | (if type == "object" then .sure else false end) as $sure
      | $text | if is_narrow($i) then narrowed elif $text == "-" then "--" elif test("^[0-9.]+e[-+]?[0-9]+$") then tex_scientific
        else tex end | bold($sure);
    [range(0; $count) as $i | (if $i > 0 and $block.columns[$i].group != $block.columns[$i - 1].group then "|" else "" end)
      + (if is_narrow($i) then "p{\($narrow | floor)pt}" elif $block.columns[$i].left then "l" else "r" end)] as $spec
  | [range(0; $count) as $i | if is_narrow($i) then $block.columns[$i].title | narrowed else $block.columns[$i].title | tex end] as $titles
  # A line with a title for each group, and one for the units, where there are some.
  | ([$block.columns | group_by(.group)[] | select(.[0].group) | .[0].group as $group
    | "\\multicolumn{\(length)}{c\(if $group == "Mean" then "|" else "" end)}{\($group)}"]) as $groups
  | [(if $groups == [] then empty else [$block.columns[] | select(.group == null) | ""] + $groups end), $titles,
     (if any($block.columns[]; .unit) then [$block.columns[] | if .unit then "{[}\(.unit | tex){]}" else "" end] else empty end)] as $heads
  | ("\\begingroup\\\($size.name)\\setlength{\\tabcolsep}{\($size.sep)pt}"
      + "\\setlength{\\LTcapwidth}{\\linewidth}\\renewcommand{\\arraystretch}{1.15}"),
    table($spec | join(""); .caption | tex; $heads; .rows[] | [range(0; $count) as $i | .[$i] | laid($i)] | tex_line),
    (.lines[], (.left_out // empty | "Without columns for which there is no room: \(join(", ")).") | "\\noindent \(tex)\\par"),
      "\\endgroup";

def preamble($page):
  "% Made by jostle report. Compiles as it is; in a document of your own, \\usepackage{longtable} and \\input it,",
  ("%\(if $page == "landscape" then " on a narrow page within \\begin{landscape} of pdflscape." else "" end) Run LaTeX twice for "
    + "even columns."),
  "\\makeatletter",
  "\\ifx\\@nodocument\\relax\\let\\jostleend\\relax\\else",
  "\\documentclass[a4paper]{article}\\usepackage[utf8]{inputenc}\\usepackage{longtable}\\usepackage[\($page),margin=1.2cm]{geometry}",
  "\\makeatletter\\begin{document}\\def\\jostleend{\\end{document}}\\fi",
  "\\makeatother";

. as $head
| if $head.tables then
  preamble("portrait"),
  ([inputs] | [chosen_tables($head; 4)] | (.[] | chosen_table), (chosen_texts($head; .) | "\\noindent\\footnotesize \(tex)\\par")),
  "\\jostleend"
else
preamble("landscape"),
($head.texts | "\\paragraph{\(.name | tex)} \(.totals | tex).", "\\begin{itemize}", (.hosts[] | "\\item \(tex)"), "\\end{itemize}"),
(foreach (by_target, null) as $rows ({ levels: [], notes: [] };
   if $rows == null then .rows = null
   else .rows = $rows | .levels += [$rows[] | levelled] | .notes += ($rows | findings("notes")) end;
   if .rows != null then
     .rows | split_names($head) as $names | map(with_tex($names))
     | mean_table($head; $names), (if any(.[]; .loaded != null) then slowdown_table($head; $names) else empty end),
     metric_table($head; $names), (.[] | variant_tables, capacity_table)
   else (.levels | by_level | level_table($head)),
     ($head.texts | section("Between nodes"; .between[]), section("Not done"; .waiting[]), section("Warnings"; .warnings[])),
     section("Notes"; .notes[] | finding_text) end)),
(family_text($head), unseen_text($head), key_text($head) | "\\noindent \(tex).\\par"),
"\\jostleend"
end
