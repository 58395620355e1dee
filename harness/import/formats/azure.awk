# title: Azure's public data set, VM CPU readings
# match: ^[0-9]+,[A-Za-z0-9+/=]{20,},[0-9.]+,[0-9.]+,[0-9.]+
# step: 300
BEGIN { FS = "," }
$1 == "timestamp" { next }
NF < 5 { cut++; next }
of == "" { of = $2 }
$2 != of { if (!($2 in others)) { others[$2] = 1; left++ } next }
{ print $1 "\t" $5 + 0 }
END {
    print "!how many CPUs\tthe file has a share of the machine's: it is one CPU here, for --map share"
    if (left) print "!other machines\t" of " is taken, and " left " more left out: choose one with --of"
    if (cut) print "!some lines\tthey are cut (" cut ")"
}
