// The proof that touches miss: their time against that of one whose footprint fits, which each
// worker measures on its own CPU before it begins. One touch is one unit of the load's rate.

#include "core/touches.h"

#define FITTING_NS      6000000 // of measuring what fits
#define FITTING_TOUCHES 4096    // a few us: most are not interrupted

void touches_measure_fitting(struct worker *worker, touch_walk *walk, void *way)
{
    double least_ns = INFINITY;
    int64_t from_ns = clock_ns();
    for (const int64_t end_ns = from_ns + FITTING_NS; from_ns < end_ns;) {
        walk(way, FITTING_TOUCHES);
        const int64_t to_ns = clock_ns();
        least_ns = fmin(least_ns, (double)(to_ns - from_ns) / FITTING_TOUCHES);
        from_ns = to_ns;
    }
    ((struct touch_state *)worker->run->state)->fitting_fs += (uint64_t)(least_ns * 1e6);
}

static double ns_fitting(const struct run *run)
{
    const double sum_fs = (double)((struct touch_state *)run->state)->fitting_fs;
    return sum_fs > 0 ? sum_fs / 1e6 / run->threads : NAN;
}

double touches_times_fitting(const struct run *run, const struct snapshot *window)
{
    return ns_per_unit(window) / ns_fitting(run);
}

void touches_fields(struct run *run, const struct snapshot *window, struct line *line)
{
    line_fixed(line, "busy_s", (double)window->busy_ns / 1e9, 6);
    line_fixed(line, "ns_per_touch", ns_per_unit(window), 4);
    line_fixed(line, "ns_per_touch_fitting", ns_fitting(run), 4);
    line_fixed(line, "times_fitting", touches_times_fitting(run, window), 4);
}

void touches_print(struct run *run, const struct snapshot *window, const char *what,
                   const char *where)
{
    const double each_ns = ns_per_unit(window);
    if (isnan(each_ns))
        return;
    report_print(&run->report,
                 "  %.2f ns for each %s (median of operations), %.1f times that of %s\n", each_ns,
                 what, touches_times_fitting(run, window), where);
}
