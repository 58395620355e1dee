# What git config says of a campaign file (a line an origin, a line a key with its
# value) -> [{file, line, section, sub, key, value}], in the order of the files.
# $lines is what lines.awk says.
# Every key with a count of its own kind: the n-th of a name in a section, here as in git.
def counted(id): [foreach .[] as $one ({ seen: {} };
    ($one | id | join("\u0001")) as $id | ((.seen[$id] // 0) + 1) as $n | { seen: (.seen + { ($id): $n }), one: $one, id: "\($id)\u0001\($n)" };
    { id, one })];

($lines | split("\n") | map(select(. != "") | split("\t"))) as $places
| ([$places[] | select(.[1] == "key")] | counted([.[0], .[2], .[3], .[4]]) | map({ (.id): (.one[5] | tonumber) }) | add // {}) as $numbers
| ($text | split("\n")) as $rows
| [range(0; ($rows | length) - 1; 2) as $i
    | ($rows[$i] | ltrimstr("file:")) as $file
    | ($rows[$i + 1] | split("\u0001")) as $words
    | ($words[0] | split(".")) as $path
    | { file: $file, section: $path[0], sub: ($path[1:-1] | join(".")), key: $path[-1],
        # A key without = is true.
        value: (if ($words | length) == 1 then "true" else $words[1:] | join("\n") end) }]
| { entries: (counted([.file, .section, .sub, .key]) | map(.id as $id | .one + { line: $numbers[$id] })),
    sections: [$places[] | select(.[1] == "section") | { file: .[0], section: .[2], sub: .[3], line: (.[5] | tonumber) }] }
