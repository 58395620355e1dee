# runs.tsv, without its head and sorted by experiment and condition -> a JSON
# line for each condition: its used runs in the order in which they were made.
function list(values,    i) {
    printf "["
    for (i = 1; i <= count; i++) printf "%s%s", (i > 1 ? "," : ""), (values[i] == "" ? "null" : values[i])
    printf "]"
}
function ended() {
    if (!count) return
    gsub(/\\\\/, "\\", experiment)
    gsub(/\\/, "\\\\", experiment)
    gsub(/"/, "\\\"", experiment)
    printf "{\"experiment\":\"%s\",\"condition\":\"%s\",\"times\":", experiment, condition
    list(times)
    printf ",\"memory_usage_byte\":"
    list(memory)
    printf ",\"exit_codes\":"
    list(codes)
    print "}"
}
BEGIN { FS = "\t" }
$1 != experiment || $2 != condition {
    ended()
    experiment = $1
    condition = $2
    count = 0
}
$14 == 1 {
    times[++count] = $6
    memory[count] = $9
    codes[count] = $10
}
END { ended() }
