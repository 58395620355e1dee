/* What the disk delivers: bandwidth, operations a second and latency. */
#include "part.h"

void part_disk(struct matrix *matrix, const struct choice *choice)
{
    struct cell *cell = matrix_cell(matrix, "disk.write.sequential.1MiB.t1");
    cell_label(cell, "test", "sequential write");
    cell_label(cell, "block", "1 MiB");
    cell_label(cell, "threads", "1");
    cell_figure(cell, "rate", "B/s", HIGHER, SUMMARY("achieved"));
    cell_more(cell, "p99", "ns", LOWER, SUMMARY("p99_ns"));
    cell_command(cell,
                 "loadgen io --sequential --block-size 1M --file-size 64M --dir %s --json "
                 "--duration %s",
                 choice->dir, choice->duration);
    cell_no_peak(cell, "not known here: a virtual disk does not say its rated speed");
}
