# title: Google's cluster data of 2011, task_usage, all tasks of a machine
# match: ^[0-9]+,[0-9]+,[0-9]+,[0-9]+,[0-9]+,[0-9.eE-]+,
# step: 300
BEGIN { FS = "," }
NF < 6 { cut++; next }
of == "" { of = $5 }
$5 != of { if (!($5 in others)) { others[$5] = 1; left++ } next }
{ tasks[$2] += $6; if (!($2 in seen)) { seen[$2] = 1; time[++times] = $2 } }
END {
    # Tasks of one window end together; the file is sorted by their beginning.
    for (i = 2; i <= times; i++) for (k = i; k > 1 && time[k - 1] + 0 > time[k] + 0; k--) { swap = time[k]; time[k] = time[k - 1]; time[k - 1] = swap }
    for (i = 1; i <= times; i++) printf "%.6f\t%.6f\n", time[i] / 1e6, tasks[time[i]] * 100
    print "!how many CPUs\tusage is a share of the largest machine there: it is one CPU here, for --map share"
    if (left) print "!other machines\t" of " is taken, and " left " more left out: choose one with --of"
    if (cut) print "!some lines\tthey are cut (" cut ")"
}
