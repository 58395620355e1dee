# title: sysstat's pidstat -h (with -u, -d, -r, -w), all processes together
# match: ^# *Time +UID +PID
# step: 0
/^# *Time/ {
    sub(/^# */, "")
    fields = split($0, name, " ")
    for (i in place) delete place[i]
    for (i = 1; i <= fields; i++) place[name[i]] = i
    next
}
# A time such as 10:00:01 PM is two words.
!/^ *[0-9]/ { next }
{
    shift = ($2 == "AM" || $2 == "PM")
    if (NF < fields + shift) { cut++; next }
    at = $1
    if (split($1, clock, ":") == 3) {
        hour = clock[1]
        if (shift) hour = hour % 12 + ($2 == "PM" ? 12 : 0)
        at = hour * 3600 + clock[2] * 60 + clock[3] + day
        if (at < last) { day += 86400; at += 86400 }
    }
    last = at
    row = at "\t-"
    add("%CPU", "cpu", 0.01)
    add("%wait", "cpu_wait", 0.01)
    add("kB_rd/s", "read_bytes_per_s", 1024)
    add("kB_wr/s", "write_bytes_per_s", 1024)
    add("minflt/s", "minor_faults_per_s", 1)
    add("majflt/s", "major_faults_per_s", 1)
    add("cswch/s", "voluntary_switches_per_s", 1)
    add("nvcswch/s", "involuntary_switches_per_s", 1)
    add("RSS", "resident_bytes", 1024)
    print row
}
function add(title, column, unit) {
    if (title in place && $(place[title] + shift) > 0) row = row "\t" column "=" sprintf("%.6f", $(place[title] + shift) * unit)
    else if (title in place) row = row "\t" column "=0"
}
END { if (cut) print "!some lines\tthey are cut (" cut ")" }
