# title: Alibaba's cluster trace of 2018, container_usage
# match: ^c_[0-9]+,m_[0-9]+,[0-9]+,
# step: 0
BEGIN { FS = "," }
NF < 4 || $4 == "" { cut++; next }
of == "" { of = $1 }
$1 != of { if (!($1 in others)) { others[$1] = 1; left++ } next }
$4 < 0 || $4 > 100 { wrong++; next } # the trace marks invalid readings by -1 and 101
{ print $3 "\t" $4 }
END {
    print "!how many CPUs\tthe file has a share of the container's: it is one CPU here, for --map share"
    if (left) print "!other containers\t" of " is taken, and " left " more left out: choose one with --of"
    if (cut) print "!some lines\tthey are cut, or have no level (" cut ")"
    if (wrong) print "!some levels\tthey are marked as invalid (" wrong ")"
}
