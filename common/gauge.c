#include "common/gauge.h"

#include "common/adds.h"
#include "common/chase.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* Each slice takes some 10 to 150 us on a CPU of today: an interrupt spoils one, and the median
 * does not see it. */
enum { SLICES = 40, SEED = 7 };

static const size_t steps[GAUGE_FIGURES] = {
    [GAUGE_ADDS] = 40000, [GAUGE_L1] = 24000, [GAUGE_L2] = 16384};

const char *const gauge_names[GAUGE_FIGURES] = {
    [GAUGE_ADDS] = "adds_ns", [GAUGE_L1] = "l1_ns", [GAUGE_L2] = "l2_ns"};

const char *const gauge_mode_names[] = {
    [GAUGE_OFF] = "off", [GAUGE_AUTO] = "auto", [GAUGE_ON] = "on", NULL};

/* Half of that cache; of one that the machine does not state, half of a usual one. At most
 * 1 MiB, so that the figure stays one of a few milliseconds. */
static size_t half_of(int name, size_t usual)
{
    const size_t most = (size_t)2 << 20;
    const long stated = sysconf(name);
    const size_t size = stated > 0 ? (size_t)stated : usual;
    return (size < most ? size : most) / 2 / CHASE_LINE_BYTES * CHASE_LINE_BYTES;
}

static bool open_chase(struct gauge *gauge, enum gauge_figure figure, size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return false;
    gauge->memory[figure] = memory;
    gauge->size[figure] = size;
    if (madvise(memory, size, MADV_DONTFORK) != 0)
        return false;
    chase_link(memory, size / CHASE_LINE_BYTES, SEED);
    gauge->at[figure] = memory;
    return true;
}

bool gauge_open(struct gauge *gauge)
{
    *gauge = (struct gauge){0};
    if (open_chase(gauge, GAUGE_L1, half_of(_SC_LEVEL1_DCACHE_SIZE, 32768)) &&
        open_chase(gauge, GAUGE_L2, half_of(_SC_LEVEL2_CACHE_SIZE, 524288)))
        return true;
    const int error = errno;
    gauge_close(gauge);
    errno = error;
    return false;
}

static bool cpu_ns(int64_t *now_ns)
{
    struct timespec now;
    const bool good = clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) == 0;
    *now_ns = good ? (int64_t)now.tv_sec * 1000000000 + now.tv_nsec : 0;
    return good;
}

static void work(struct gauge *gauge, enum gauge_figure figure)
{
    if (figure == GAUGE_ADDS)
        adds_run(steps[figure]);
    else
        gauge->at[figure] = chase_run(gauge->at[figure], steps[figure]);
}

/* Brings back what others have taken of the cache. */
static void warm(struct gauge *gauge, enum gauge_figure figure)
{
    if (figure != GAUGE_ADDS)
        gauge->at[figure] = chase_run(gauge->at[figure], gauge->size[figure] / CHASE_LINE_BYTES);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double values[SLICES])
{
    qsort(values, SLICES, sizeof values[0], ascending);
    return (values[(SLICES - 1) / 2] + values[SLICES / 2]) / 2;
}

bool gauge_take(struct gauge *gauge, struct gauge_reading *reading)
{
    double ns[GAUGE_FIGURES][SLICES];
    int64_t begin_ns, end_ns;
    for (enum gauge_figure figure = 0; figure < GAUGE_FIGURES; figure++)
        warm(gauge, figure);
    if (!cpu_ns(&begin_ns))
        return false;
    /* In turns, so that all are of the same moments. */
    for (size_t slice = 0; slice < SLICES; slice++)
        for (enum gauge_figure figure = 0; figure < GAUGE_FIGURES; figure++) {
            work(gauge, figure);
            if (!cpu_ns(&end_ns))
                return false;
            ns[figure][slice] = (double)(end_ns - begin_ns) / (double)steps[figure];
            begin_ns = end_ns;
        }
    for (enum gauge_figure figure = 0; figure < GAUGE_FIGURES; figure++)
        reading->ns[figure] = median(ns[figure]);
    return true;
}

void gauge_close(struct gauge *gauge)
{
    for (enum gauge_figure figure = 0; figure < GAUGE_FIGURES; figure++)
        if (gauge->memory[figure] != NULL)
            (void)munmap(gauge->memory[figure], gauge->size[figure]);
    *gauge = (struct gauge){0};
}
