# title: Alibaba's cluster trace of 2018, machine_usage
# match: ^m_[0-9]+,[0-9]+,
# step: 0
BEGIN { FS = "," }
NF < 3 || $3 == "" { cut++; next }
of == "" { of = $1 }
$1 != of { if (!($1 in others)) { others[$1] = 1; left++ } next }
$3 < 0 || $3 > 100 { wrong++; next } # the trace marks invalid readings by -1 and 101
{ print $2 "\t" $3 }
END {
    print "!how many CPUs\tthe file has a share of the machine's: it is one CPU here, for --map share"
    if (left) print "!other machines\t" of " is taken, and " left " more left out: choose one with --of"
    if (cut) print "!some lines\tthey are cut, or have no level (" cut ")"
    if (wrong) print "!some levels\tthey are marked as invalid (" wrong ")"
}
