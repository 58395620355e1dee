# Cells, a line each -> LaTeX. $heads: the model without cells. The file
# compiles as it is, and by \input in a document that loads longtable.
include "format";
include "report/words";
include "report/rows";

# What LaTeX says for one character; letters that need a font encoding which a
# document may not have are named by their number, so that it compiles anywhere.
def tex_code:
  if . >= 97 and . <= 122 or . >= 65 and . <= 90 or . >= 48 and . <= 57 then [.] | implode
  elif . == 92 then "\\textbackslash{}" elif . == 123 then "\\{" elif . == 125 then "\\}"
  elif . == 36 then "{\\char36}" elif . == 38 then "\\&" elif . == 35 then "\\#" elif . == 95 then "{\\ttfamily\\char95}\\allowbreak{}" elif . == 37 then "\\%"
  elif . == 126 then "{\\ttfamily\\char126}" elif . == 94 then "{\\ttfamily\\char94}"
  elif . == 60 then "\\textless{}" elif . == 62 then "\\textgreater{}" elif . == 124 then "\\textbar{}"
  elif . == 34 then "{\\ttfamily\\char34}" elif . == 39 then "{\\char39}" elif . == 96 then "{\\char96}" elif . == 45 then "{-}" elif . == 44 then "{,}" elif . == 33 then "{!}" elif . == 63 then "{?}"
  elif . == 91 then "{[}" elif . == 93 then "{]}" elif . == 47 then "/\\allowbreak{}"
  elif . < 127 then [.] | implode
  elif . == 177 then "$\\pm$" elif . == 215 then "$\\times$" elif . == 181 or . == 956 then "$\\mu$" elif . == 178 then "$^2$" elif . == 8594 then "$\\rightarrow$" elif . == 8230 then "\\ldots{}"
  elif . >= 192 and . <= 255 and . != 208 and . != 222 and . != 240 and . != 247 and . != 254 then [.] | implode
  else "{\\ttfamily U+\(. as $code | [16, 12, 8, 4, 0] | map($code / pow(2; .) | floor % 16 | "0123456789ABCDEF"[. : . + 1]) | join("") | sub("^0"; ""))}"
  end;
# Ligatures are broken, so that the text can be found and copied.
def tex: visible | (if test("^[A-Za-z0-9 .:=+()]*$") then . else explode | map(tex_code) | join("") end) | gsub("f(?=[fil])"; "f{}");

# 1.23e-05 -> $1.23 \cdot 10^{-5}$
def tex_number: significant | if . == "-" then "--" elif contains("e") then capture("^(?<m>.*)e(?<e>.*)$") | "$\(.m) \\cdot 10^{\(.e)}$" else . end;
# Text in a narrow column, not stretched to its width.
def ragged: "\\raggedright " + .;
def tex_line: join(" & ") + " \\\\";
def tex_slowdown: if . == null or .ratio == null then "--" else (slowdown_text | tex) as $text | if .distinguishable then "\\textbf{\($text)}" else $text end end;

# Repeated on every page of a longtable.
def table($columns; $caption; $titles; rows):
  "\\begin{longtable}{\($columns)}", "\\caption{\($caption)}\\\\", "\\hline", ($titles[] | tex_line), "\\hline", "\\endfirsthead",
  "\\hline", ($titles[] | tex_line), "\\hline", "\\endhead", "\\hline", "\\endfoot", rows, "\\end{longtable}", "";

def figure_table:
  "\\begingroup\\scriptsize\\setlength{\\tabcolsep}{2.5pt}\\renewcommand{\\arraystretch}{1.25}",
  table("p{3cm}p{1.7cm}r" + "rr" * 4;
    "\(.[0].target | tex): mean and variance, without load (--) and with it";
    [["", "", ""] + [table_metrics[] | "\\multicolumn{2}{c}{\(.[1])}"],
     ["program", "load", "runs"] + [table_metrics[] | "mean [\(.[2])]", "variance [\(.[2])$^2$]"]];
    figure_lines | [(.cell.row | tex | ragged), (load_of_line | if . == "-" then "--" else tex | ragged end), (.summary.runs | tostring)] + (.summary | means_and_variances | map(tex_number)) | tex_line),
  "\\endgroup";

def slowdown_table:
  (.[0] | confidence_text | tex) as $level
  | "\\begingroup\\footnotesize\\setlength{\\tabcolsep}{4pt}\\renewcommand{\\arraystretch}{1.2}",
  table("p{4.2cm}p{2.6cm}rrrr"; "\(.[0].target | tex): slowdown, and load achieved of offered";
    [["program", "load", "alone", "under load", "slowdown [\($level)]", "load achieved"]];
    .[] | select(.loaded != null) | [(.row | tex | ragged), (load_name | tex | ragged), (.baseline.wall_s | figure_text(time_scale) | tex), (.loaded.wall_s | figure_text(time_scale) | tex), (.slowdown | tex_slowdown), (.achieved | achieved_text | tex)] | tex_line),
  (legend | if . == [] then empty else "Notes: " + (map("\(.flag): \(.words)" | tex) | join("; ")) + ".\\par" end),
  (stars[], noise_floors[], other_slowdowns[], attributions[] | "\\noindent \(tex)\\par"),
  "\\endgroup";

def level_table:
  .load as $load | .levels as $levels | .rows as $rows
  | [range(0; $levels | length)] | in_parts(4)
  | . as $at
  | "\\begingroup\\footnotesize\\setlength{\\tabcolsep}{4pt}\\renewcommand{\\arraystretch}{1.2}",
    table("p{4.2cm}" + "r" * length; "Slowdown by level of \($load | tex)"; [["program"] + [$at[] | $levels[.] | tex]];
      $rows[] | . as $row | [($row.row | tex | ragged)] + [$at[] | $row.slowdowns[.] | if . == null then "" else tex_slowdown end] | tex_line),
    "\\endgroup";

def section($title; lines): [lines] | if . == [] then empty else "\\paragraph{\($title)}\\begin{itemize}", (.[] | "\\item \(tex)"), "\\end{itemize}" end;

def preamble:
  "% Made by jostle report. Compiles as it is; in a document of your own, \\usepackage{longtable} and \\input it,",
  "% on a narrow page within \\begin{landscape} of pdflscape. Run LaTeX twice for even columns.",
  "\\makeatletter",
  "\\ifx\\@nodocument\\relax\\let\\jostleend\\relax\\else",
  "\\documentclass[a4paper]{article}\\usepackage[utf8]{inputenc}\\usepackage{longtable}\\usepackage[landscape,margin=1.2cm]{geometry}",
  "\\makeatletter\\begin{document}\\def\\jostleend{\\end{document}}\\fi",
  "\\makeatother";

$heads[0] as $head
| preamble,
($head | "\\paragraph{\(.name | tex)} \(totals_text | tex).", "\\begin{itemize}", (.hosts[] | "\\item \(host_line | tex)"), "\\end{itemize}"),
(foreach (by_target(slim), null) as $cells ([]; if $cells == null then . else . + [$cells[] | levelled] end;
  if $cells != null then $cells | figure_table, (if any(.[]; .loaded != null) then slowdown_table else empty end)
  else by_level | level_table end)),
($head
 | section("Between nodes"; .between_hosts[] | between_line),
   section("Not done"; .waiting[] | waiting_line),
   section("Warnings"; .warnings[].message)),
"\\jostleend"
