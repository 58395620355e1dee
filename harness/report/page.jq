# What all pages are made of: the head with all that the page carries with it (it loads nothing), what can be read
# without its script, and the model that the script draws (page.js says what it may consist of).
include "lib/visible";
include "report/numbers";
include "lib/jq15";

def esc: if . == null then "" else tostring | visible_lines | @html end;
# A number and its unit stay on one line.
def together: split(" ") | join("\u00a0");
def titled: (.[:1] | ascii_upcase) + .[1:];
def plural($n; $one; $many): "\($n) \(if $n == 1 then $one else $many end)";
# ["a","b","a"] -> {"a":0,"b":1}: names in the order in which they come first
def numbered: reduce .[] as $name ({}; if has($name) then . else .[$name] = length end);

# ---- blocks of a model

def column_of($title; $kind): { title: $title, kind: $kind };
def numbers: map(column_of(.; "n"));
def section($id; $title; blocks): { id: $id, title: $title, blocks: [blocks] };

# ---- the page

# JSON that cannot end the element that it is in.
def embedded: tojson | put("<"; "\\u003c");
# Rows of texts as a table for those who have no script.
def plain_table($titles; rows):
  "<div class=\"scroll\"><table><thead><tr>\($titles | map("<th scope=\"col\">\(@html)</th>") | join(""))</tr></thead><tbody>",
  (rows | "<tr>\(map("<td>\(@html)</td>") | join(""))</tr>"), "</tbody></table></div>";
# The first table of a model.
def plain_text: if type == "array" then .[0] else .t? // . end | if type == "string" then visible elif type == "array" then [.. | strings | visible] | join(" ") else tostring end;
def plain_model:
  first(.sections[].blocks[] | select(.table)) // empty
  | plain_table([.columns[] | .title? // . | plain_text]; .rows[] | (.cells? // .) | map(plain_text));

# $with: {style, script}; header: lines of HTML; plain: what is there without the script; model: lines of JSON
def page($with; $title; $generator; header; plain; model):
  "<!DOCTYPE html>", "<html lang=\"en\">", "<head>", "<meta charset=\"utf-8\">",
  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">",
  "<meta name=\"color-scheme\" content=\"light dark\">", "<meta name=\"generator\" content=\"\($generator | @html)\">",
  "<title>\($title | esc)</title>", "<style>",
  ($with.style | split("\n") | map(ltrimstr("  ") | ltrimstr("  ") | select(. != "" and (startswith("/*") | not))) | join("\n")), "</style>", "</head>", "<body>",
  "<a class=\"skip\" href=\"#main\">Skip to the answer</a>",
  "<header>", header, "</header>", "<main id=\"main\">",
  "<noscript><p>The rest of this page is drawn by its own script: allow JavaScript for this file to see its charts and all tables, or see <code>--format md</code>.</p></noscript>",
  plain, "</main>", "<footer><p>Made by jostle from records.</p></footer>",
  "<script type=\"application/json\" id=\"model\">", model, "</script>", "<script>", ($with.script | rtrimstr("\n")), "</script>", "</body>", "</html>";
def page($with; $title; $generator; header; $model): page($with; $title; $generator; header; $model | plain_model; $model | embedded);
