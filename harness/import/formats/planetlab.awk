# title: one level in percent a line, every 300 s (PlanetLab)
# match: ^[0-9]+(\.[0-9]+)?\r?$
# step: 300
{ sub(/\r$/, "") }
/^[0-9]+(\.[0-9]+)?$/ { printf "%d\t%s\n", 300 * ++row, $0; next }
NF > 0 { cut++ }
END { if (cut) print "!some lines\tthey are no level (" cut ")" }
