#include "core/proof.h"

#include <math.h>

#define FITTING_NS      6000000 /* of measuring what fits */
#define FITTING_TOUCHES 4096    /* a few us: most are not interrupted */

void touches_measure_fitting(struct worker *worker, touch_walk *walk, void *way)
{
    double least_ns = INFINITY;
    int64_t from_ns = now_ns();
    for (const int64_t end_ns = from_ns + FITTING_NS; from_ns < end_ns;) {
        walk(way, FITTING_TOUCHES);
        const int64_t to_ns = now_ns();
        least_ns = fmin(least_ns, (double)(to_ns - from_ns) / FITTING_TOUCHES);
        from_ns = to_ns;
    }
    ((struct touch_state *)worker->run->state)->fitting_fs += (uint64_t)(least_ns * 1e6);
}

static double ns_fitting(const struct run *run)
{
    const double sum_fs = (double)((const struct touch_state *)run->state)->fitting_fs;
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

/* ---- the clock ---- */

#define TURNS     256
#define UNROLL    64
#define TRIES     3
#define PERIOD_NS 5000000 /* of samples */

/* TURNS * UNROLL additions, and what the loop itself needs. */
static void chain(void)
{
    uint64_t sum = 0, more = 1;
    __asm__ volatile("" : "+r"(more)); /* not a constant */
    for (unsigned turn = 0; turn < TURNS; turn++) {
        _Pragma("GCC unroll 64") for (unsigned i = 0; i < UNROLL; i++)
        {
            sum += more;
            __asm__ volatile("" : "+r"(sum));
        }
    }
}

enum counter { SUM_HZ, COUNT };

static double shorter(double a_ns, int64_t b_ns)
{
    return fmin(a_ns, (double)b_ns);
}

/* The clock of the CPU that the caller runs on, in Hz, as the speed of additions that each need
 * the one before: one takes one cycle (uops.info and Agner Fog's tables: ADD r64, r64, latency 1,
 * from Haswell and Zen on; LLVM's models of Neoverse: ADD, latency 1). Not of ADD
 * with a constant, which Golden Cove does while it renames registers. An interrupt or another
 * task only makes it slower, so the fastest of three counts. It takes some 15 us. NAN: not
 * known of this kind of machine. */
static double clock_measure(void)
{
    double chain_ns = INFINITY, empty_ns = INFINITY;
    for (unsigned i = 0; i < TRIES; i++) {
        const int64_t start_ns = now_ns();
        const int64_t between_ns = now_ns();
        chain();
        const int64_t end_ns = now_ns();
        empty_ns = shorter(empty_ns, between_ns - start_ns);
        chain_ns = shorter(chain_ns, end_ns - between_ns);
    }
#if defined(__x86_64__) || defined(__aarch64__)
    return TURNS * UNROLL / (chain_ns - empty_ns) * 1e9;
#else
    return NAN;
#endif
}

void clock_sample(struct worker *worker, int64_t *next_ns)
{
    const int64_t at_ns = now_ns();
    if (at_ns < *next_ns)
        return;
    const double hz = clock_measure();
    if (isfinite(hz)) {
        worker_add(worker, SUM_HZ, (uint64_t)hz);
        worker_add(worker, COUNT, 1);
    }
    *next_ns = at_ns + PERIOD_NS;
}

double clock_mean(const struct snapshot *window)
{
    return window->counters[COUNT] > 0 ? window->counters[SUM_HZ] / window->counters[COUNT] : NAN;
}
