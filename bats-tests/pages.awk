# The commands of a page: what its indented blocks hold, LINE<TAB>BLOCK<TAB>COMMAND each, ended by NUL; LINE
# is where it begins, BLOCK where its block does. Lines that end in a backslash are one with the next. Of a
# block that begins with `$ ` only that line is a command, the rest is what it prints.
function put() {
    if (text != "" && !(shown && start != block)) printf "%d\t%d\t%s%c", start, block, text, 0
    text = ""
}
/^    / && (inside || before == "") {
    line = substr($0, 5)
    if (!inside) block = FNR
    if (!inside) shown = line ~ /^\$ /
    inside = 1
    if (text == "") start = FNR
    if (line ~ /[^ ]/) text = text (text == "" ? "" : "\n") line
    sub(/^\$ /, "", text)
    if (line !~ /\\$/) put()
}
!/^    / && !/^$/ { inside = 0 }
{ before = $0 }
