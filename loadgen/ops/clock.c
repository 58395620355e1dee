// The clock of a CPU while it works, measured by a chain of additions.

#include "ops/clock.h"

#define TURNS     256
#define UNROLL    64
#define TRIES     3
#define PERIOD_NS 5000000 // of samples

// TURNS * UNROLL additions, and what the loop itself needs.
static void chain(void)
{
    uint64_t sum = 0, more = 1;
    __asm__ volatile("" : "+r"(more)); // not a constant
    for (unsigned turn = 0; turn < TURNS; turn++) {
        _Pragma("GCC unroll 64") for (unsigned i = 0; i < UNROLL; i++)
        {
            sum += more;
            __asm__ volatile("" : "+r"(sum));
        }
    }
}

enum counter { SUM_HZ, COUNT };

// The clock of the CPU that the caller runs on, in Hz, as the speed of additions that each need
// the one before: one takes one cycle (uops.info and Agner Fog's tables: ADD r64, r64, latency 1,
// from Haswell and Zen on; LLVM's models of Neoverse: ADD, latency 1). Not of ADD
// with a constant, which Golden Cove does while it renames registers. An interrupt or another
// task only makes it slower, so the fastest of three counts. It takes some 15 us. NAN: not
// known of this kind of machine.
static double clock_measure(void)
{
    double chain_ns = INFINITY, empty_ns = INFINITY;
    for (unsigned i = 0; i < TRIES; i++) {
        const int64_t start_ns = clock_ns();
        const int64_t between_ns = clock_ns();
        chain();
        const int64_t end_ns = clock_ns();
        empty_ns = fmin(empty_ns, (double)(between_ns - start_ns));
        chain_ns = fmin(chain_ns, (double)(end_ns - between_ns));
    }
#if defined(__x86_64__) || defined(__aarch64__)
    return TURNS * UNROLL / (chain_ns - empty_ns) * 1e9;
#else
    return NAN;
#endif
}

void clock_sample(struct worker *worker, int64_t *next_ns)
{
    const int64_t at_ns = clock_ns();
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
