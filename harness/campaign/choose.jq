# A plan -> the same with only those cells that are asked for ($only: a shell
# pattern, $cells: numbers such as 3-7,9; empty: all).
def pattern: [match("\\*|\\?|\\[[^\\]]+\\]|[^*?\\[]+|\\["; "g").string
  | if . == "*" then ".*" elif . == "?" then "." elif test("^\\[.+\\]$") then . else gsub("(?<c>[^A-Za-z0-9_@=-])"; "\\\(.c)") end] | "^" + join("") + "$";
($only | pattern) as $expression
| ([$cells | splits(",") | select(. != "") | split("-") | map(tonumber)]) as $ranges
| .cells |= map(select(($only == "" or (.name | test($expression)))
    and ($cells == "" or (.number as $n | any($ranges[]; .[0] <= $n and $n <= .[-1])))))
