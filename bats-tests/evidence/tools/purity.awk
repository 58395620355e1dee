# Samples of purity -> one line of its table. Fields: load, round, off or
# on, quantity, value.
function median(list, n, sorted, i, j, t) {
    n = split(list, sorted, " ")
    for (i = 2; i <= n; i++)
        for (j = i; j > 1 && sorted[j - 1] + 0 > sorted[j] + 0; j--) {
            t = sorted[j]
            sorted[j] = sorted[j - 1]
            sorted[j - 1] = t
        }
    return n % 2 ? sorted[(n + 1) / 2] : n ? (sorted[n / 2] + sorted[n / 2 + 1]) / 2 : ""
}

# The median over the rounds of on - off, or of the change in percent.
function grown(quantity, r, list) {
    for (r = 1; r <= rounds; r++)
        list = list " " (value[r, "on", quantity] - value[r, "off", quantity])
    return median(list) / seconds
}
function changed(quantity, latency, r, list, on, off) {
    for (r = 1; r <= rounds; r++) {
        on = value[r, "on", quantity]
        off = value[r, "off", quantity]
        if (on > 0 && off > 0)
            list = list " " 100 * (latency ? off / on - 1 : on / off - 1)
    }
    return list == "" ? "-" : sprintf("%+.1f %%", median(list))
}

# CPU time, which was not there without the load, and what of it the load's own is.
function own(quantity, r, list) {
    for (r = 1; r <= rounds; r++)
        if (value[r, "on", "elapsed"] > 0)
            list = list " " value[r, "on", quantity] / value[r, "on", "elapsed"] / 1e6
    return median(list)
}
# What the load says that it did.
function own_rate(r, list, value_, unit) {
    for (r = 1; r <= rounds; r++)
        list = list " " value[r, "on", "rate"]
    value_ = median(list)
    unit = value[1, "on", "unit"]
    if (value_ == "")
        return "-"
    if (unit == "B/s")
        return sprintf("%.2f GB/s", value_ / 1e9)
    if (unit == "ops/s")
        return sprintf("%.0f kops/s", value_ / 1e3)
    return sprintf("%.3f %s", value_, unit)
}
function rate(bytes) {
    return sprintf("%.1f MB/s", bytes / 1e6)
}

$1 == name {
    value[$2, $3, $4] = $5
    if ($2 > rounds)
        rounds = $2
}

END {
    for (r = 1; r <= rounds; r++)
        achieved = achieved " " value[r, "on", "achieved"]
    achieved = median(achieved)
    cpu = own("cpu_us")
    # No > in what printf prints: that would be a file.
    asked = "-"
    if (achieved > 0)
        asked = sprintf("%.1f %%", 100 * achieved)
    printf "%s\t%s\t%s\t%s\t", name, meant, own_rate(), asked
    printf "%s\t%s\t%.3f\t", cpu == "" ? "-" : sprintf("%.3f", cpu), cpu == "" ? "-" : sprintf("%.3f", own("system_us")), grown("busy_us") / 1e6 - cpu
    printf "%.0f\t%s\t%s\t%s\t%s\t", grown("switches"), changed("probe-read", 0), changed("probe-l2", 1), changed("probe-l3", 1), changed("probe-wakeup", 0)
    printf "%s\t%s\t%s\n", rate(grown("disk_bytes")), rate(grown("cached_bytes")), rate(grown("lo_bytes"))
}
