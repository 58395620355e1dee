/* What the network delivers: bandwidth, loss and round trips. */
#include "part.h"

void part_network(struct matrix *matrix, const struct choice *choice)
{
    struct cell *cell = matrix_cell(matrix, "network.tcp.32KiB.t1");
    cell_label(cell, "protocol", "TCP");
    cell_label(cell, "message", "32 KiB");
    cell_label(cell, "streams", "1");
    cell_figure(cell, "rate", "B/s", HIGHER, SUMMARY("achieved"));
    cell_command(cell, "loadgen net --tcp --block-size 32K --json --duration %s", choice->duration);
}
