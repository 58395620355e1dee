# title: collectl -P
# match: ^#Date[ ,]Time[ ,]\[
# step: 0
function epoch(date, time, y, m, d, part) {
    y = substr(date, 1, 4); m = substr(date, 5, 2) + 0; d = substr(date, 7, 2) + 0
    if (m <= 2) { y--; m += 12 }
    split(time, part, ":")
    return (365 * y + int(y / 4) - int(y / 100) + int(y / 400) + int((153 * (m - 3) + 2) / 5) + d - 719469) * 86400 + part[1] * 3600 + part[2] * 60 + part[3]
}
/^#Date/ {
    fields = split($0, name, " ")
    cpus = 0
    for (i = 1; i <= fields; i++) {
        place[name[i]] = i
        if (name[i] ~ /^\[CPU:[0-9]+\]Totl%$/) { match(name[i], /[0-9]+/); cpu[++cpus] = i }
    }
    next
}
/^#/ || NF == 0 { next }
{
    if (NF < fields) { cut++; next }
    loads = ""
    for (i = 1; i <= cpus; i++) loads = loads (i > 1 ? " " : "") $(cpu[i])
    if (cpus == 0) { loads = ("[CPU]Totl%" in place) ? $(place["[CPU]Totl%"]) : 0; whole = 1 }
    row = sprintf("%.3f", epoch($1, $2)) "\t" loads
    add("[NET]RxKBTot", "received_bytes_per_s", 1024)
    add("[NET]TxKBTot", "sent_bytes_per_s", 1024)
    add("[NET]RxPktTot", "received_packets_per_s", 1)
    add("[NET]TxPktTot", "sent_packets_per_s", 1)
    add("[DSK]ReadKBTot", "disk_read_bytes_per_s", 1024)
    add("[DSK]WriteKBTot", "disk_write_bytes_per_s", 1024)
    add("[DSK]ReadTot", "disk_reads_per_s", 1)
    add("[DSK]WriteTot", "disk_writes_per_s", 1)
    print row
}
function add(title, column, unit) { if (title in place) row = row "\t" column "=" $(place[title]) * unit }
END {
    if (cut) print "!some lines\tthey are cut (" cut ")"
    if (whole) print "!how many CPUs\tthe file has the load of the whole machine: it is one CPU here, for --map share"
}
