# A cell -> what jostle is called with, a word a line of JSON: run or slowdown, its
# options, the target. $options: {option: kind}.
def words: .settings | to_entries[] | .key as $key | .value
  | if $options[$key] == "flag" then "--\($key)"
    elif $options[$key] == "list" then split("\n")[] | select(. != "") | "--\($key)", .
    else "--\($key)", . end;
(if .load == null then "run" else "slowdown" end),
words,
(if .load == null then empty else "--load", "\(.condition)\(.node)=\(.spec)" end),
"--", .command[]
