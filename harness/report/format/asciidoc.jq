# AsciiDoc: the main tables.
# files: .adoc .asciidoc
# reads: rows
include "report/rows";
include "lib/text";

def adoc: visible | put("|"; "\\|");

. as $head
| plain_tables($head)
| ".\(.title | adoc)", "[cols=\"\([.columns[] | if .left then "<" else ">" end] | join(","))\", options=\"header\"]", "|===",
  ([.columns[] | "| " + (.title | adoc)] | join(" ")), "", (.rows[] | [.[] | "| " + adoc] | join(" ")), "|===", ""
