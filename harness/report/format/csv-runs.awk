# cells' target and label (the first file: experiment, target, label, already
# quoted) and runs.tsv -> CSV, a line a run.
function quoted(text) {
    gsub(/\\t/, "\t", text)
    gsub(/\\n/, "\n", text)
    gsub(/\\r/, "\r", text)
    gsub(/\\\\/, "\\", text)
    gsub(/"/, "\"\"", text)
    return "\"" text "\""
}
BEGIN { FS = "\t" }
FNR == 1 { file++ }
file == 1 { who[$1] = $2 "," $3; next }
FNR == 1 {
    gsub(/\t/, ",")
    sub(/^cell,/, "experiment,target,label,")
    print
    next
}
{
    printf "%s,%s,%s,%s,%s,%s", quoted($1), ($1 in who ? who[$1] : ","), quoted($2), $3, $4, quoted($5)
    for (i = 6; i <= 12; i++) printf ",%s", $i
    printf ",%s,%s,%s,%s\n", quoted($13), $14, quoted($15), $16
}
