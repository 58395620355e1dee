# A file in git config's syntax -> where its sections and keys stand, as git does
# not tell: FILE, "section" or "key", section, subsection, key, line; with tabs.
# Comments and values that go on in the next line are left out.

function tell(kind, key) {
    printf "%s\t%s\t%s\t%s\t%s\t%d\n", FILENAME, kind, section, sub_section, key, FNR
}

# the header at the start of `text`: sets section and sub_section, returns the rest
function header(text,    inside, end) {
    match(text, /^\[[ \t]*[A-Za-z0-9.-]+/)
    inside = substr(text, 2, RLENGTH - 1)
    text = substr(text, RLENGTH + 1)
    gsub(/[ \t]/, "", inside)
    section = tolower(inside)
    sub_section = ""
    sub(/^[ \t]+/, "", text)
    if (match(text, /^"([^"\\]|\\.)*"/)) {
        sub_section = substr(text, 2, RLENGTH - 2)
        gsub(/\\/, "", sub_section)
        text = substr(text, RLENGTH + 1)
    }
    end = index(text, "]")
    tell("section", "")
    return substr(text, end + 1)
}

# does `text` end with a backslash that is not escaped?
function goes_on(text,    count) {
    for (count = 0; substr(text, length(text) - count, 1) == "\\"; count++) {}
    return count % 2
}

FNR == 1 { going_on = 0; section = sub_section = "" }
going_on { going_on = goes_on($0); next }
{
    line = $0
    sub(/^[ \t]+/, "", line)
    if (line ~ /^\[/) {
        line = header(line)
        sub(/^[ \t]+/, "", line)
    }
    if (match(line, /^[A-Za-z][A-Za-z0-9-]*/)) {
        tell("key", tolower(substr(line, 1, RLENGTH)))
        going_on = goes_on(line)
    }
}
