/* What the CPUs compute in a second. */
#include "part.h"

void part_cpu(struct matrix *matrix, const struct choice *choice)
{
    for (size_t i = 0; i < choice->thread_count; i++) {
        const unsigned threads = choice->threads[i];
        struct cell *cell = matrix_cell(matrix, "cpu.busy.t%u", threads);
        cell_label(cell, "threads", "%u", threads);
        cell_figure(cell, "rate", "CPUs", HIGHER, SUMMARY("achieved"));
        cell_command(cell, "loadgen cpu --threads %u --json --duration %s", threads,
                     choice->duration);
        cell_cpus(cell, threads);
    }
}
