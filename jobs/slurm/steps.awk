# sacct -P's lines (JobID|JobName|NTasks|ElapsedRaw|TotalCPU|MaxRSS|State) -> the
# lines of scheduler_steps, without the batch script's own steps and those of loads.

# seconds TEXT: [DD-][HH:]MM:SS[.mmm] in seconds; nothing for anything else.
function seconds(text, days, part, n) {
    days = 0
    if (match(text, /^[0-9]+-/)) {
        days = substr(text, 1, RLENGTH - 1)
        text = substr(text, RLENGTH + 1)
    }
    if (text !~ /^([0-9]+:)?[0-9]+:[0-9.]+$/) return ""
    n = split(text, part, ":")
    return sprintf("%.3f", days * 86400 + (n == 3 ? part[1] * 3600 : 0) + part[n - 1] * 60 + part[n])
}

# bytes TEXT: 1.5M in bytes; nothing for anything else.
function bytes(text) {
    if (text !~ /^[0-9.]+[KMGT]?$/) return ""
    return sprintf("%.0f", text * 1024 ^ index("KMGT", substr(text, length(text))))
}

NF == 7 && $1 ~ /\.[0-9]+$/ && $2 != "jostle-load" {
    found = 1
    printf "step\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", $1, $2, $3, $4, seconds($5), bytes($6), $7
}
END {
    if (!found) print "reason\tsacct knows no step of the target"
}
