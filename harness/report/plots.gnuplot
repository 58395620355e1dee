# How every plot of a report looks. Read once by gnuplot, before the script that
# html-figures.jq and html-runs.awk write: numbers in a data block $d, then the
# name of a kind of plot below.
#
# Words never come here. Labels are marks such as ~x~ and ~1~, which html-svg.awk
# replaces with escaped text; a colour is a mark, too: #000001 becomes class s1,
# whose colour page.css gives for light and for dark.
high(pixels) = sprintf("set output; set terminal svg size 360,%d dynamic noenhanced font ',11'", pixels)
eval high(220)
unset key
set border 3
set tics nomirror out scale 0.5
set grid ytics
set bars 0.6
set xlabel "~x~" offset 0,0.3
set label 1 "~y~" at screen 0.035,0.59 rotate center
set lmargin at screen 0.17
set rmargin at screen 0.96
set tmargin at screen 0.96
set bmargin at screen 0.22

# x, slowdown, low, high, 1 where distinguishable from noise
curve = 'set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead lc rgb "#000009"; \
    plot $d using 1:2 with lines lc rgb "#000008", \
    $d using 1:($5 == 0 ? $2 : 1/0):3:4 with yerrorbars pt 6 ps 0.5 lc rgb "#000003", \
    $d using 1:($5 == 1 ? $2 : 1/0):3:4 with yerrorbars pt 7 ps 0.5 lc rgb "#000002"; \
    unset arrow 1'
# slowdown, row, low, high, 1 where distinguishable from noise
points = 'set arrow 1 from first 1, graph 0 to first 1, graph 1 nohead lc rgb "#000009"; \
    plot $d using 1:($5 == 0 ? $2 : 1/0):3:4 with xerrorbars pt 6 ps 0.5 lc rgb "#000003", \
    $d using 1:($5 == 1 ? $2 : 1/0):3:4 with xerrorbars pt 7 ps 0.5 lc rgb "#000002"; \
    unset arrow 1'
# offered, achieved
achieved = 'set arrow 1 from graph 0, graph 0 to graph 1, graph 1 nohead lc rgb "#000009"; \
    plot $d using 1:2 with points pt 7 ps 0.5 lc rgb "#000002"; \
    unset arrow 1'
# number of the run, wall time, 0 alone or 1 under load or 2 a run with a flag
order = 'plot $d using 1:($3 == 2 ? $2 : 1/0) with points pt 6 ps 0.8 lc rgb "#000003", \
    $d using 1:($3 == 0 ? $2 : 1/0) with points pt 7 ps 0.35 lc rgb "#000001", \
    $d using 1:($3 == 1 ? $2 : 1/0) with points pt 1 ps 0.5 lc rgb "#000002"'
# relative wall time, row, 0 alone or 1 under load; then boxes as lines
spread = 'set arrow 1 from first 1, graph 0 to first 1, graph 1 nohead lc rgb "#000009"; \
    plot $d using 1:($3 == 0 ? $2 : 1/0) with points pt 7 ps 0.3 lc rgb "#000004", \
    $d using 1:($3 == 1 ? $2 : 1/0) with points pt 7 ps 0.3 lc rgb "#000005", \
    $box using 1:2 with lines lc rgb "#000007"; \
    unset arrow 1'
# A plot with a row for each name, N of them: room at the left, and for the rows;
# before `set output`. close_rows goes back to the plots above.
rows(n) = sprintf("%s; set bmargin at screen %.4f; set tmargin at screen %.4f; set yrange [0.4:%d.6]", \
    high(66 + 22 * n), 50.0 / (66 + 22 * n), 1 - 6.0 / (66 + 22 * n), n)
open_rows = 'set lmargin at screen 0.36; set grid noytics xtics; unset label 1'
close_rows = 'eval high(220); set lmargin at screen 0.17; set grid ytics noxtics; set ytics autofreq; \
    set bmargin at screen 0.22; set tmargin at screen 0.96; set label 1 "~y~" at screen 0.035,0.59 rotate center'
