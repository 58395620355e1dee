/* Latencies of dependent loads at random places of growing memory. The place follows
 * from a generator and from what was loaded before, so that nothing can guess it, and no
 * ring of pointers has to be laid out first: that takes longer than all of this. */

#include "mem/edge-run.h"

#include "common/random.h"
#include "load.h"

#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define SMALLEST_BYTES (4ull << 20)
#define LARGEST_BYTES  (1ull << 30)
#define TOUCH_BYTES    SMALLEST_BYTES
#define LINE_BYTES     64
#define BATCH_LOADS    1000       /* some 100 us: few are interrupted */
#define POINT_NS       60000000   /* for each size */
#define BUDGET_NS      1900000000 /* CPU time for all: no further size is begun after that */
#define PATIENCE_NS    4000000000 /* the same of wall time, where others take the CPU */

/* Each load waits for the one before: what it finds (0) is added to the state. */
static uint64_t run_batch(const char *memory, uint64_t lines, uint64_t state)
{
    for (int i = 0; i < BATCH_LOADS; i++) {
        const uint64_t place = random_below(&state, lines) * LINE_BYTES;
        state += *(const volatile uint64_t *)(const void *)(memory + place);
    }
    return state;
}

/* The least of many batches: others on the machine can only make one slower. */
static double fastest_ns(const char *memory, uint64_t bytes)
{
    const int64_t start_ns = now_ns();
    double least = INFINITY;
    uint64_t state = bytes;
    for (int64_t from_ns = start_ns; from_ns - start_ns < POINT_NS;) {
        state = run_batch(memory, bytes / LINE_BYTES, state);
        const int64_t to_ns = now_ns();
        least = fmin(least, (double)(to_ns - from_ns) / BATCH_LOADS);
        from_ns = to_ns;
    }
    __asm__ volatile("" : : "r"(state)); /* it is needed */
    return least;
}

static int64_t cpu_ns(void)
{
    struct timespec now;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) != 0)
        return 0;
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* When to stop. */
struct deadline {
    int64_t wall_ns, cpu_ns;
};

/* Writes memory for the first time, which takes as long as the system needs to find it.
 * False: that was too long. */
static bool touch(char *memory, uint64_t from, uint64_t to, const struct deadline *deadline)
{
    for (; from < to; from += TOUCH_BYTES) {
        if (now_ns() > deadline->wall_ns || cpu_ns() > deadline->cpu_ns)
            return false;
        memset(memory + from, 0, TOUCH_BYTES);
    }
    return true;
}

/* Doubles the size as long as memory and time last. What is new of each is written first,
 * and pushes what the caches had out, as far as they reach. */
static void run_sizes(struct edge *edge, char *memory, uint64_t most_bytes)
{
    const struct deadline deadline = {now_ns() + PATIENCE_NS, cpu_ns() + BUDGET_NS};
    uint64_t written = 0;
    for (uint64_t bytes = SMALLEST_BYTES; bytes <= most_bytes && edge->count < EDGE_POINTS;
         bytes *= 2) {
        if (!touch(memory, written, bytes, &deadline))
            return;
        written = bytes;
        edge->point[edge->count++] =
            (struct edge_point){.bytes = bytes, .ns_per_load = fastest_ns(memory, bytes)};
    }
}

void edge_run(struct edge *edge, uint64_t most_bytes)
{
    const uint64_t most = most_bytes < LARGEST_BYTES ? most_bytes : LARGEST_BYTES;
    char *memory = mmap(NULL, LARGEST_BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    edge->count = 0;
    if (memory == MAP_FAILED)
        return;
    /* Page tables that no longer fit would make latency rise far beyond the caches. */
    (void)madvise(memory, LARGEST_BYTES, MADV_HUGEPAGE);
    run_sizes(edge, memory, most);
    munmap(memory, LARGEST_BYTES);
}
