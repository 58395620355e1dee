# The page of html.jq with gnuplot's drawings put in, each made small: only what
# is drawn stays, points become one path for each series, and colours become
# classes, so that page.css decides them, for light and for dark.
# Variables: plots, the folder of the drawings; notes, what html-runs.awk has
# thinned out. Lines that are not tagged pass.
function attribute(text, name,    from, rest, quote) {
    from = index(text, name "=")
    if (!from) return ""
    rest = substr(text, from + length(name) + 1)
    quote = substr(rest, 1, 1)
    rest = substr(rest, 2)
    return substr(rest, 1, index(rest, quote) - 1)
}
# rgb(  0,   0,   3) -> s3; anything else is of the frame
function class(colour) {
    return colour ~ /^rgb\( *0, *0, *[0-9]+\)$/ && colour !~ /, *0\)$/ ? "s" (substr(colour, 15) + 0) : "f"
}
function add(name, d) {
    if (!(name in drawn)) { drawn[name] = ""; names[++count] = name }
    drawn[name] = drawn[name] d
}
function short(value) {
    value = sprintf("%.1f", value)
    sub(/\.0$/, "", value)
    return value
}
# M74.17,167.20 L82.42,167.20 -> M74.2 167.2L82.4 167.2
function path(d,    n, i, part, xy, out) {
    n = split(d, part, /[ \t]+/)
    for (i = 1; i <= n; i++) {
        if (part[i] !~ /^[ML]/) { if (part[i] ~ /^[zZ]$/) out = out "z"; continue }
        split(substr(part[i], 2), xy, ",")
        # A move that is followed by a move draws nothing.
        if (part[i] ~ /^M/ && (i == n || part[i + 1] !~ /^L/)) continue
        out = out substr(part[i], 1, 1) short(xy[1]) " " short(xy[2])
    }
    return out
}
# pt 1 a cross, pt 6 a ring, pt 7 a disc (gnuplot counts from 0 in SVG).
function mark(text,    kind, xy, colour) {
    colour = attribute(text, "color")
    if (colour == "white") return
    kind = attribute(text, "xlink:href")
    text = attribute(text, "transform")
    split(substr(text, index(text, "(") + 1), xy, /[,)]/)
    xy[1] = short(xy[1]); xy[2] = short(xy[2])
    if (kind == "#gpPt6") add("p " class(colour), "M" xy[1] " " xy[2] "h0")
    else if (kind == "#gpPt5") add("r " class(colour), "M" short(xy[1] - 4) " " xy[2] "a4 4 0 1 0 8 0a4 4 0 1 0-8 0")
    else add("x " class(colour), "M" short(xy[1] - 2.5) " " xy[2] "h5m-2.5-2.5v5")
}
function text_of(frame, text,    xy, turn, anchor) {
    split(substr(frame, index(frame, "translate(") + 10), xy, /[,)]/)
    turn = index(frame, "rotate(") ? " transform=\"rotate(270 " short(xy[1]) " " short(xy[2]) ")\"" : ""
    anchor = attribute(frame, "text-anchor")
    sub(/^[ \t]*<text>(<!\[CDATA\[)? */, "", text)
    sub(/<\/text>.*/, "", text)
    words = words "<text x=\"" short(xy[1]) "\" y=\"" short(xy[2]) "\"" (anchor == "middle" ? "" : " class=\"" anchor "\"") turn ">" labelled(text) "</text>"
}
# ~x~, ~y~, ~1~... by their labels; tick labels are numbers.
function labelled(text,    name) {
    if (text !~ /^~[xy0-9]+~$/) return text
    name = substr(text, 2, length(text) - 2)
    return field[name == "x" ? 2 : name == "y" ? 3 : name + 3]
}
function drawing(file,    line, inside, colour, d, at, i) {
    split("", drawn); split("", names); count = 0; words = ""; inside = 0
    while ((getline line < file) > 0) {
        if (!inside) { inside = line ~ /gnuplot_canvas/; if (line !~ /<\/defs>/) { if (line ~ /^<defs>/) inside = 0 } continue }
        if (line ~ /<defs>/) { while ((getline line < file) > 0 && line !~ /<\/defs>/); continue }
        if (line ~ /<use /) { mark(line); continue }
        if (line ~ /<text>/) { text_of(frame, line); continue }
        if (line ~ /<path /) {
            at = index(line, "<path ")
            d = substr(line, at)
            while (d !~ /\/>/ && (getline line < file) > 0) d = d " " line
            # Another path or the frame of a text may begin on the same line.
            colour = attribute(d, "stroke")
            add(index(d, "class=\"gridline\"") && index(d, "class=") < index(d, " d=") ? "g" : class(colour), path(attribute(d, " d")))
            sub(/^[^>]*\/>/, "", d)
            while ((at = index(d, "<path ")) > 0) {
                d = substr(d, at)
                while (d !~ /\/>/ && (getline line < file) > 0) d = d " " line
                add(class(attribute(d, "stroke")), path(attribute(d, " d")))
                sub(/^[^>]*\/>/, "", d)
            }
            line = d
        }
        if (line ~ /<g transform=/) frame = substr(line, index(line, "<g transform="))
    }
    close(file)
    for (i = 1; i <= count; i++) if (drawn[names[i]] != "") printf "<path class=\"%s\" d=\"%s\"/>", names[i], drawn[names[i]]
    print words
}
BEGIN { FS = "\t"; while ((getline line < notes) > 0) { split(line, note, "\t"); thinned[note[1]] = note[2] } }
substr($0, 1, 1) == "\001" {
    $1 = substr($1, 2)
    for (i = 1; i <= NF; i++) field[i] = $i
    drawing(plots "/" $1 ".svg")
    id = $1
    next
}
index($0, "\001\001") { sub(/\001\001/, id in thinned ? ", too many to draw: of neighbours the fastest, the slowest and the first stand for all" : "") }
{ print }
