# Writes a jostle.profile/2 of the rows that a format's program prints (see formats/README).
#
# A row: END_S <tab> LOADS <tab> NAME=VALUE ...: the end of a span in seconds, the percentages of each CPU with blanks
# between them (-: see cpu=CPUS), and columns. Rows of one time are added. "!WHAT <tab> WHY" is what the file does not have.
# Variables: header (the first line, without its end), step (seconds of the first span; 0: that of the second), cpus (of
# this machine). Exit status 3 after a message on stderr.
BEGIN { FS = "\t"; rows = 0; cores = 1; most = 0 }

function give_up(why) { print why >"/dev/stderr"; failed = 1; exit 3 }

# Escapes in a replacement differ between programs called awk.
function quoted(text) { gsub(/\\/, "/", text); gsub(/"/, "\047", text); gsub(/[\001-\037]/, " ", text); return "\"" text "\"" }

function number(value) { value = sprintf("%.6f", value); sub(/0+$/, "", value); sub(/\.$/, "", value); return value }

/^!/ { what[++unseen] = substr($1, 2); why[unseen] = $2; next }

{
    if ($1 !~ /^-?[0-9.]+([eE][-+]?[0-9]+)?$/) give_up("a row without a time: " $0)
    if (rows == 0 || $1 + 0 != at[rows]) {
        if (rows > 0 && $1 + 0 < at[rows]) give_up("its times step back after row " rows ": sort it by time")
        at[++rows] = $1 + 0
    }
    if ($2 != "-") {
        count = split($2, load, " ")
        if (count > cores) cores = count
        for (i = 1; i <= count; i++) level[rows, i] += load[i]
        laid[rows] = 1
    }
    for (i = 3; i <= NF; i++) {
        split($i, pair, "=")
        if (!(pair[1] in known)) { known[pair[1]] = 1; column[++columns] = pair[1] }
        value[rows, pair[1]] += pair[2]
        has[rows, pair[1]] = 1
    }
}

# What has no CPU of its own is laid on one CPU after another.
function lay_out(row, cpu, i) {
    cpu = value[row, "cpu"] * 100
    for (i = 1; cpu > 0; i++) {
        level[row, i] = cpu < 100 ? cpu : 100
        cpu -= level[row, i]
        if (i > cores && level[row, i] > 0.0001) cores = i
    }
}

function usual_step(i, step_s, counts, best) {
    for (i = 2; i <= rows; i++) {
        step_s = sprintf("%.3f", at[i] - at[i - 1])
        if (++counts[step_s] > counts[best]) best = step_s
    }
    return best + 0
}

END {
    if (failed) exit 3
    if (rows == 0) give_up("no measurement in it")
    usual = usual_step()
    if (step <= 0) step = usual
    if (step <= 0) give_up("one measurement alone has no length: give a file with two or more")
    for (i = 1; i <= rows; i++) if (!laid[i] && has[i, "cpu"]) lay_out(i)
    start = at[1] - step
    for (i = 2; i <= rows; i++) if (usual > 0 && at[i] - at[i - 1] > 1.5 * usual) { holes++; hole_s += at[i] - at[i - 1] - usual }
    if (holes) { what[++unseen] = "some times"; why[unseen] = "the file has holes (" holes ", " number(hole_s) " s in all); what follows each is played instead" }
    unseen_text = ""
    for (i = 1; i <= unseen; i++) unseen_text = unseen_text (i > 1 ? "," : "") "{\"what\":" quoted(what[i]) ",\"why\":" quoted(why[i]) "}"
    printf "{\"schema\":\"jostle.profile/2\",\"cores\":%d,\"unit\":\"percent\",\"interval_ms\":%s,\"of\":%s,\"unseen\":[%s]}\n", cores, number(1000 * (usual > 0 ? usual : step)), header, unseen_text
    before = start
    for (i = 1; i <= rows; i++) {
        line = "{\"time_ms\":" number(1000 * (at[i] - start)) ",\"load\":["
        sum = 0
        for (k = 1; k <= cores; k++) {
            share = level[i, k] + 0
            share = share < 0 ? 0 : share
            if (share > 100.5) above++
            share = share > 100 ? 100 : share
            line = line (k > 1 ? "," : "") number(share)
            mean[k] += share * (at[i] - before)
            sum += share
        }
        if (sum / 100 > most) most = sum / 100
        total += sum / 100 * (at[i] - before)
        line = line "]"
        for (k = 1; k <= columns; k++) {
            if (!has[i, column[k]]) continue
            line = line ",\"" column[k] "\":" number(value[i, column[k]])
            all[column[k]] += value[i, column[k]] * (at[i] - before)
        }
        print line "}"
        before = at[i]
    }
    length_s = at[rows] - start
    printf "{\"event\":\"summary\",\"spans\":%d,\"length_s\":%s,\"cpu_s\":%s,\"mean_load\":[", rows, number(length_s), number(total)
    for (k = 1; k <= cores; k++) printf "%s%s", (k > 1 ? "," : ""), number(mean[k] / length_s)
    printf "],\"mean\":{"
    for (k = 1; k <= columns; k++) printf "%s\"%s\":%s", (k > 1 ? "," : ""), column[k], number(all[column[k]] / length_s)
    printf "},\"unseen\":[%s]}\n", unseen_text
    if (above) print above " levels are above 100 % of a CPU, and cut" >"/dev/stderr"
    if (cores > cpus && most > cpus) printf "it has up to %s CPUs, this machine has %d: what does not fit is dropped when it is played\n", number(most), cpus >"/dev/stderr"
}
