# title: a control group's io.stat again and again, a line with the time in seconds before each
# match: ^[0-9]+:[0-9]+ rbytes=
# step: 0
function put(i, seconds) {
    if (snapshots++ > 0 && (seconds = at - before_s) > 0) {
        row = at "\t0"
        for (i = 1; i <= 4; i++) {
            step = sum[i] - before[i]
            row = row "\t" column[i] "=" sprintf("%.3f", (step < 0 ? 0 : step) / seconds)
        }
        print row
    }
    for (i = 1; i <= 4; i++) { before[i] = sum[i]; sum[i] = 0 }
    before_s = at
}
BEGIN { split("disk_read_bytes_per_s disk_write_bytes_per_s disk_reads_per_s disk_writes_per_s", column, " ") }
/^[0-9]+(\.[0-9]+)?$/ { if (timed) put(); at = $1; timed = 1; next }
/^[0-9]+:[0-9]+ / {
    if (!timed) { print "!a snapshot\tno time stands before it"; next }
    for (i = 2; i <= NF; i++) {
        split($i, pair, "=")
        if (pair[1] == "rbytes") sum[1] += pair[2]
        if (pair[1] == "wbytes") sum[2] += pair[2]
        if (pair[1] == "rios") sum[3] += pair[2]
        if (pair[1] == "wios") sum[4] += pair[2]
    }
}
END { if (timed) put(); print "!cpu\tio.stat has disks only" }
