# The plan of html-figures.jq (first file), then the runs of a report (second):
# prints gnuplot's script for the plots that are drawn run by run.
#   O id experiment reference condition factor   runs in order
#   D id rows                                    spread: a plot of rows
#   B id experiment condition row series factor  a row of it
# A series of more than `most` runs is thinned out: `notes` gets its id and size.
# Numbers only reach the script: names are looked up, never printed.
function key(experiment, condition) { return experiment "\t" condition }

# Sorts v[1..n] (Shell).
function sort(v, n,    gap, i, j, x) {
    for (gap = 1; gap < n / 3; gap = 3 * gap + 1);
    for (; gap >= 1; gap = int(gap / 3))
        for (i = gap + 1; i <= n; i++) {
            x = v[i]
            for (j = i; j > gap && v[j - gap] > x; j -= gap) v[j] = v[j - gap]
            v[j] = x
        }
}
function quantile(v, n, p,    at, low) {
    at = 1 + (n - 1) * p
    low = int(at)
    return low >= n ? v[n] : v[low] + (at - low) * (v[low + 1] - v[low])
}
function seen(value) {
    if (value < smallest) smallest = value
    if (value > largest) largest = value
}
function range(air) {
    air = (largest - smallest) * 0.08
    if (air <= 0) air = largest > 0 ? largest * 0.1 : 1
    return sprintf("[%.9g:%.9g]", smallest - air, largest + air)
}
# The step between at most seven ticks: 1, 2 or 5 times a power of ten.
function ticks(axis, low, high,    unit, step) {
    unit = 1e-12
    while (unit * 10 <= (high - low) / 6) unit *= 10
    for (step = unit; step < (high - low) / 6 * 0.999; step = step == unit ? 2 * unit : step == 2 * unit ? 5 * unit : 10 * unit);
    return sprintf("set %stics %.6g", axis, step)
}
function number(value) { return sprintf("%.7g", value) }

# Of each `step` neighbours only the fastest, the slowest and the first are kept.
function order_series(k, series, factor,    n, i, j, step, low, high) {
    n = runs[k]
    step = n > most ? n * 3 / most : 1
    for (i = 1; i <= n; i = j) {
        low = high = i
        for (j = i + 1; j < i + step && j <= n; j++) {
            if (wall[k, j] < wall[k, low]) low = j
            if (wall[k, j] > wall[k, high]) high = j
        }
        order_point(k, i, series, factor)
        if (low != i) order_point(k, low, series, factor)
        if (high != i && high != low) order_point(k, high, series, factor)
    }
    if (n > most) thinned[id] = thinned[id] + n
}
function order_point(k, i, series, factor) {
    block[++lines] = number(at[k, i]) " " number(wall[k, i] * factor) " " series
    if (flagged[k, i]) block[++lines] = number(at[k, i]) " " number(wall[k, i] * factor) " 2"
    seen(wall[k, i] * factor)
    if (at[k, i] > last) last = at[k, i]
    if (at[k, i] < first) first = at[k, i]
}
function print_block(name,    i) {
    print "$" name " << END"
    for (i = 1; i <= lines; i++) print block[i]
    print "END"
}
function draw_order(k, factor) {
    lines = 0; smallest = first = 1e300; largest = -1e300; last = 0
    order_series(key(k[3], k[4]), 0, factor)
    if (k[5] != "") order_series(key(k[3], k[5]), 1, factor)
    print "set output \"" id ".svg\""
    if (!lines) { first = last = smallest = largest = 1; block[++lines] = "1 1 9" }
    print "set xrange [" first - 1 ":" last + 1 "]"
    print ticks("x", first - 1, last + 1)
    print "set yrange " range()
    print ticks("y", smallest, largest > smallest ? largest : smallest * 1.2)
    print_block("d")
    print "@order"
}

# One row: at most `strip` points spread over the sorted runs, and a box.
function spread_row(row, series, v, n,    i, step) {
    sort(v, n)
    step = n > strip ? (n - 1) / (strip - 1) : 1
    for (i = 0; i * step <= n - 1 + 1e-9; i++)
        block[++lines] = number(v[1 + int(i * step + 0.5)]) " " number(row + ((i * 7) % 11 - 5) / 40) " " series
    seen(v[1]); seen(v[n])
    box(row, quantile(v, n, 0.25), quantile(v, n, 0.5), quantile(v, n, 0.75), v[1], v[n])
}
function line(x1, y1, x2, y2) {
    boxes[++box_lines] = number(x1) " " number(y1)
    boxes[++box_lines] = number(x2) " " number(y2)
    boxes[++box_lines] = ""
}
function box(row, q1, q2, q3, low, high) {
    line(low, row, q1, row); line(q3, row, high, row)
    line(q1, row - 0.25, q3, row - 0.25); line(q1, row + 0.25, q3, row + 0.25)
    line(q1, row - 0.25, q1, row + 0.25); line(q3, row - 0.25, q3, row + 0.25)
    line(q2, row - 0.32, q2, row + 0.32)
}
function draw_spread(rows,    i, n, r, j, k, v, part, count) {
    lines = box_lines = 0; smallest = largest = 1
    for (r = rows; r >= 1; r--) {
        n = 0
        split("", v)
        for (i = 1; i <= parts[id, r]; i++) {
            split(row_of[id, r, i], part, "\t")
            k = key(part[3], part[4])
            for (j = 1; j <= runs[k]; j++) if (used[k, j]) v[++n] = wall[k, j] * part[7]
        }
        if (n) spread_row(r, r == rows ? 0 : 1, v, n)
    }
    print "@open_rows"
    print "eval rows(" rows ")"
    print "set output \"" id ".svg\""
    printf "set ytics ("
    for (r = rows; r >= 1; r--) printf "\"~%d~\" %d%s", rows - r + 1, r, (r > 1 ? ", " : ")\n")
    print "set xrange " range()
    print ticks("x", smallest, largest)
    if (!lines) block[++lines] = "1 1 9"
    if (!box_lines) line(1, 1, 1, 1)
    print_block("d")
    print "$box << END"
    for (i = 1; i <= box_lines; i++) print boxes[i]
    print "END"
    print "@spread"
    print "@close_rows"
}

BEGIN { FS = "\t"; if (!most) most = 1500; if (!strip) strip = 60 }
FILENAME == ARGV[1] {
    if ($1 == "B") row_of[$2, $5, ++parts[$2, $5]] = $0
    else plan[++planned] = $0
    next
}
FNR == 1 && $1 == "cell" { next }
$3 != 0 {
    k = key($1, $2)
    n = ++runs[k]
    wall[k, n] = $6 + 0
    at[k, n] = $4 + 0
    if ($13 != "" || $14 == 0) flagged[k, n] = 1
    used[k, n] = $14 != 0
}
END {
    for (p = 1; p <= planned; p++) {
        split(plan[p], part_of, "\t")
        id = part_of[2]
        if (part_of[1] == "O") draw_order(part_of, part_of[6])
        else draw_spread(part_of[3])
        if (id in thinned) print id "\t" thinned[id] > notes
    }
}
