/* What memory and caches deliver: bandwidth, latency, and latency under load. */
#include "part.h"

void part_memory(struct matrix *matrix, const struct choice *choice)
{
    struct chart *scaling =
        matrix_chart(matrix, "scaling", "Bandwidth over threads",
                     (struct axis){"threads", "", false}, (struct axis){"bandwidth", "B/s", false});
    for (size_t i = 0; i < choice->thread_count; i++) {
        const unsigned threads = choice->threads[i];
        struct cell *cell = matrix_cell(matrix, "memory.triad.t%u", threads);
        cell_label(cell, "test", "triad");
        cell_label(cell, "threads", "%u", threads);
        cell_figure(cell, "rate", "B/s", HIGHER, SUMMARY("achieved"));
        cell_command(cell, "loadgen mem --kernel triad --threads %u --json --duration %s", threads,
                     choice->duration);
        cell_cpus(cell, threads);
        chart_point(scaling, "triad", cell, threads);
    }
}
