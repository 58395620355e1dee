# The writing part of synthetic-campaign: templates are the input, a line each;
# in them \a encloses the names of values. With names=1 only prints the names of
# the cells.
function fill(template,    parts, count, i) {
    count = split(template, parts, "\a")
    for (i = 1; i <= count; i++) printf "%s", (i % 2 ? parts[i] : value[parts[i]]) > file
    printf "\n" > file
}
# A generator of our own: rand() differs from one awk to the next.
function random() {
    state = (state * 16807) % 2147483647
    return state / 2147483647
}
function quoted(text) { return "\"" text "\"" }
function stamp(second) {
    return sprintf("\"2026-11-21T%02d:%02d:%02d.%09dZ\"", int(second / 3600) % 24, int(second / 60) % 60, second % 60, (second * 7919) % 1000000000)
}
function cell_names(cell) {
    load = int(cell / 4) % 2 ? "cpu" : "disk"
    level = percents[cell % 4 + 1]
    number = int(cell / 8)
    target = targets[number % 3 + 1]
    n = 5 + int(number / 3)
    name = target ".n=" n "@" load "." level
}
# figures NAME METRIC: mean, variance and so on of sample[1..runs].
function figures(name, metric,    i, j, gap, sum, squares, mean, x, half) {
    sum = 0
    for (i = 1; i <= runs; i++) {
        sum += sample[i]
        sorted[i] = sample[i]
    }
    for (gap = int(runs / 2); gap >= 1; gap = int(gap / 2))
        for (i = gap + 1; i <= runs; i++) {
            x = sorted[i]
            for (j = i - gap; j >= 1 && sorted[j] > x; j -= gap) sorted[j + gap] = sorted[j]
            sorted[j + gap] = x
        }
    mean = sum / runs
    squares = 0
    for (i = 1; i <= runs; i++) squares += (sample[i] - mean) ^ 2
    squares = runs > 1 ? squares / (runs - 1) : 0
    half = 2.045 * sqrt(squares / runs)
    name = name "." metric "."
    value[name "mean"] = sprintf("%.12g", mean)
    value[name "variance"] = sprintf("%.12g", squares)
    value[name "stddev"] = sprintf("%.12g", sqrt(squares))
    value[name "median"] = sprintf("%.12g", runs % 2 ? sorted[(runs + 1) / 2] : (sorted[runs / 2] + sorted[runs / 2 + 1]) / 2)
    value[name "min"] = sprintf("%.12g", sorted[1])
    value[name "max"] = sprintf("%.12g", sorted[runs])
    value[name "low"] = sprintf("%.12g", mean - half)
    value[name "high"] = sprintf("%.12g", mean + half)
    value[name "error"] = sprintf("%.12g", half / mean)
    return mean
}
function metric_of(condition, metric, values,    i) {
    for (i = 1; i <= runs; i++) sample[i] = values[condition, i]
    return figures(condition, metric)
}
# The runs of a cell, in pairs; then its documents.
function write_cell(cell,    i, c, base, slow, ratio, spread) {
    cell_names(cell)
    base = 0.05 * n * (1 + number % 3)
    slow = 1 + (load == "disk" ? 0.004 : 0.008) * level * (1 + number % 3) / 3
    file = dir "/cells/" name "/runs.jsonl"
    value["host"] = quoted("node" (cell % hosts + 1))
    for (i = 1; i <= 2 * runs; i++) {
        c = i % 2 ? "b" : "l"
        value["condition"] = quoted(c == "b" ? "baseline" : load "-" level)
        value["block"] = int((i + 1) / 2)
        value["order"] = i
        value["start"] = stamp(cell * 60 + i)
        wall[c, value["block"]] = value["wall"] = sprintf("%.9f", base * (c == "b" ? 1 : slow) * (0.98 + 0.04 * random()))
        user[c, value["block"]] = value["user"] = sprintf("%.6f", value["wall"] * 0.9)
        kernel[c, value["block"]] = value["system"] = sprintf("%.6f", value["wall"] * 0.05)
        rss[c, value["block"]] = value["rss"] = 4096 * int(400 + 20 * random())
        value["offered"] = 50000000 * level
        value["achieved"] = sprintf("%.6f", value["offered"] * (0.97 + 0.03 * random()))
        fill(template[c == "b" ? 1 : 2])
    }
    close(file)
    spread = metric_of("b", "wall", wall)
    ratio = metric_of("l", "wall", wall) / spread
    metric_of("b", "user", user); metric_of("l", "user", user)
    metric_of("b", "system", kernel); metric_of("l", "system", kernel)
    metric_of("b", "rss", rss); metric_of("l", "rss", rss)
    value["condition"] = quoted(load "-" level)
    value["runs"] = runs
    value["target"] = quoted(target)
    value["n"] = quoted(n)
    value["spec"] = quoted((load == "disk" ? "io --sequential --limit " : "cpu --percent ") level)
    value["ratio"] = sprintf("%.12g", ratio)
    value["low"] = sprintf("%.12g", ratio - 0.01)
    value["high"] = sprintf("%.12g", ratio + 0.01)
    value["error"] = sprintf("%.12g", 0.01 / ratio)
    value["attribution"] = ratio > 1.01 ? attribution_json((ratio - 1) * 100, spread * (ratio - 1)) : "null"
    value["distinguishable"] = ratio > 1.01 ? "true" : "false"
    value["cell"] = cell_json(cell)
    file = dir "/cells/" name "/experiment.json"
    fill(template[3])
    close(file)
    file = dir "/cells/" name "/result.json"
    fill(template[4])
    close(file)
    file = dir "/cells/" name "/status.json"
    printf "{\"schema\":\"jostle.status/1\",\"cell\":\"%s\",\"key\":\"%064d\",\"limits\":{},\"state\":\"done\",\"reason\":\"max-runs\",\"host\":%s,\"pid\":%d,\"started\":%s,\"updated\":%s,\"runs\":%d,\"max_runs\":%d,\"error\":%s,\"asked_error\":0.05,\"expected_runs\":%d,\"spent_s\":%.3f,\"job\":null}\n", name, cell + 1, value["host"], 1000 + cell, stamp(cell * 60), stamp(cell * 60 + 2 * runs), 2 * runs, 2 * runs, value["error"], 2 * runs, runs * base * (1 + slow) > file
    close(file)
}
# All of a slowdown of so many points is slower execution.
function attribution_json(points, seconds) {
    return sprintf("{\"points\":{\"execution\":%.12g,\"steal\":0,\"cpu\":0,\"memory\":0,\"io\":0,\"unexplained\":0},\"seconds\":{\"execution\":%.12g,\"steal\":0,\"cpu\":0,\"memory\":0,\"io\":0,\"unexplained\":0},\"ambiguous\":false,\"pressure_known\":true,\"threads\":1,\"extra\":{\"wall_s\":%.12g},\"counters\":null,\"absent\":[\"instructions\",\"cycles\",\"llc_misses\"],\"text\":\"%s-%s: +%.1f %%: %.1f points slower execution, 0.0 unexplained\"}", \
        points, seconds, seconds, load, level, points, points)
}
function cell_json(cell) {
    return sprintf("{\"name\":\"%s\",\"number\":%d,\"key\":\"%064d\",\"target\":\"%s\",\"label\":\"%s n=%d\",\"parameters\":{\"n\":\"%d\"},\"command\":[\"%s\",\"%d\"],\"load\":\"%s\",\"level\":\"%s\",\"load_parameters\":{\"level\":\"%s\"},\"condition\":\"%s-%s\",\"node\":\"\",\"spec\":%s,\"settings\":{}}", \
        name, cell + 1, cell + 1, target, target, n, n, target, n, load, level, level, load, level, \
        quoted((load == "disk" ? "io --sequential --limit " : "cpu --percent ") level))
}
BEGIN {
    split("10% 25% 50% 100%", percents, " ")
    split("delannoy nbody filegen", targets, " ")
    state = 42
}
names { exit }
{ template[FNR == 1 ? ++templates : templates] = $0 }
END {
    if (names) {
        for (i = 0; i < cells; i++) { cell_names(i); print name }
        exit
    }
    campaign = dir "/campaign.json"
    printf "{\"schema\":\"jostle.campaign/1\",\"name\":\"synthetic\",\"description\":null,\"file\":\"synthetic.conf\",\"scratch\":null,\"calibrate_s\":null,\"settings\":{},\"cells\":[" > campaign
    for (i = 0; i < cells; i++) {
        write_cell(i)
        cell_names(i)
        printf "%s%s", (i ? ",\n" : "\n"), cell_json(i) > campaign
    }
    printf "]}\n" > campaign
}
