# Samples of purity-core -> a table. Fields: load, probe, time without the load, time with it; a line
# for each pair in each round. The least counts, without a load that of all rows. Rows and
# columns are in the order in which they come first.
!($1 in row) {
    row[$1] = 1
    load[++loads] = $1
}
!($2 in column) {
    column[$2] = 1
    probe[++probes] = $2
}
{
    pair = $1 SUBSEP $2
    if (!($2 in without) || $3 < without[$2])
        without[$2] = $3
    if (!(pair in with) || $4 < with[pair])
        with[pair] = $4
}

END {
    printf "load"
    for (p = 1; p <= probes; p++)
        printf "\t%s", probe[p]
    printf "\n"
    for (l = 1; l <= loads; l++) {
        printf "%s", load[l]
        for (p = 1; p <= probes; p++)
            printf "\t%+.0f %%", 100 * (with[load[l], probe[p]] / without[probe[p]] - 1)
        printf "\n"
    }
}
