/* loadgen mem: moves data through memory or a cache at a rate, or chases pointers.
 * Between two chunks a worker sleeps, and touches nothing. */

#include "mem/mem.h"

#include "headroom.h"
#include "mem/mem-options.h"
#include "mem/mem-report.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Without a limit a worker does several chunks before it takes the time again; but
 * not of chase, whose time is the result: short pieces are seldom interrupted. */
#define UNLIMITED_CHUNKS 4
/* Lines between the arrays in addition to whole pages: at the same place in a page, loads
 * seem to depend on stores to another array (4 KiB aliasing). */
#define STAGGER_BYTES 1344
#define PAGE_BYTES    4096

static const char details[] =
    "Bytes are counted as STREAM does: what the program reads and writes (copy and scale 16, add "
    "and triad 24, read and write 8 for each element of 8), not what caches fetch before a "
    "write. The rate of --limit is in bytes a second, for chase in loads a second; 50% is of "
    "what `loadgen mem --calib` measured with the same kernel, threads, cache, and stores. Each "
    "worker touches its memory first. See docs/memory.md.";

struct mem_worker {
    struct mem_area area;
    double *a, *b, *c;
    uint64_t at; /* element where the next chunk begins */
    void **next; /* chase: where it is */
    double sink; /* keeps results alive */
};

int mem_prepare(struct run *run)
{
    struct mem_state *state = mem_state_of(run);
    state->busy = aligned_alloc(64, run->threads * sizeof *state->busy);
    if (state->busy == NULL)
        return run_fail(run, "no memory for %u workers: give fewer --threads", run->threads);
    memset(state->busy, 0, run->threads * sizeof *state->busy);
    headroom_volunteer();
    prefault_begin(&state->prefault, run->threads);
    return 0;
}

void mem_cleanup(struct run *run)
{
    struct mem_state *state = mem_state_of(run);
    if (state == NULL)
        return;
    mem_machine_close(&state->machine);
    free(state->busy);
    free(state);
    run->state = NULL;
}

/* ---- workers ---- */

static void fill(const struct mem_plan *plan, struct mem_worker *own, unsigned seed)
{
    const size_t count = plan->array_bytes / sizeof(double);
    if (plan->kernel == MEM_CHASE) {
        mem_chase_link(own->area.memory, plan->array_bytes / MEM_LINE_BYTES, seed);
        own->next = own->area.memory;
        return;
    }
    for (size_t i = 0; i < count; i++)
        own->a[i] = 1;
    for (size_t i = 0; i < count && own->b != NULL; i++)
        own->b[i] = 2;
    for (size_t i = 0; i < count && own->c != NULL; i++)
        own->c[i] = 3;
}

static int map_arrays(struct worker *worker, struct mem_worker *own)
{
    const struct mem_state *state = mem_state_of(worker->run);
    const struct mem_plan *plan = &state->plan;
    const unsigned arrays = mem_kernel_arrays(plan->kernel);
    const size_t stride =
        (plan->array_bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES + STAGGER_BYTES;
    if (mem_pages_map(&own->area, stride * arrays, plan->huge) != 0)
        return worker_fail(worker, "cannot map %llu bytes: %s: give a smaller --footprint",
                           (unsigned long long)plan->worker_bytes, strerror(errno));
    if (plan->node >= 0 && mem_machine_bind(&state->machine, (unsigned)plan->node, own->area.memory,
                                            stride * arrays) != 0)
        return worker_fail(worker, "--node %d: %s: leave it out", plan->node, strerror(errno));
    own->a = own->area.memory;
    own->b = arrays < 2 ? NULL : (double *)((char *)own->a + stride);
    own->c = arrays < 3 ? NULL : (double *)((char *)own->b + stride);
    return 0;
}

static void count_pages(struct mem_state *state, const struct mem_worker *own)
{
    const int node = mem_machine_node_of(&state->machine, own->area.memory);
    mem_pages_count(&state->pages, own->area.memory);
    if (node >= 0 && node < 64)
        atomic_fetch_or(&state->pages.nodes, 1ull << node);
}

int mem_begin(struct worker *worker)
{
    struct mem_state *state = mem_state_of(worker->run);
    struct mem_worker *own = calloc(1, sizeof *own);
    worker->state = own;
    if (own == NULL)
        return worker_fail(worker, "out of memory: free some");
    if (state->plan.worker_bytes > 0) {
        if (map_arrays(worker, own) != 0)
            return -1;
        fill(&state->plan, own, worker->index);
        count_pages(state, own);
    }
    prefault_done(&state->prefault);
    return 0;
}

void mem_end(struct worker *worker)
{
    struct mem_worker *own = worker->state;
    if (own == NULL)
        return;
    mem_pages_unmap(&own->area);
    free(own);
    worker->state = NULL;
}

/* So many elements from where the last chunk ended, and round again. */
static void run_elements(const struct mem_plan *plan, struct mem_worker *own, uint64_t count)
{
    const uint64_t all = plan->array_bytes / sizeof(double);
    while (count > 0) {
        const uint64_t left = all - own->at;
        const uint64_t some = count < left ? count : left;
        own->sink += plan->run(own->a + own->at, own->b == NULL ? NULL : own->b + own->at,
                               own->c == NULL ? NULL : own->c + own->at, some);
        own->at = some == left ? 0 : own->at + some;
        count -= some;
    }
}

double mem_operate(struct worker *worker)
{
    const struct mem_state *state = mem_state_of(worker->run);
    const struct mem_plan *plan = &state->plan;
    struct mem_worker *own = worker->state;
    const bool chase = plan->run == NULL;
    const uint64_t count =
        plan->chunk * (!chase && isinf(worker->orders.rate) ? UNLIMITED_CHUNKS : 1);
    const uint64_t units = chase ? count : count * plan->element_bytes;
    const int64_t start_ns = now_ns();
    if (chase)
        own->next = mem_chase_run(own->next, count);
    else
        run_elements(plan, own, count);
    mem_add_busy(&state->busy[worker->index], now_ns() - start_ns, units);
    return (double)units;
}

static const struct load_report reports = {
    .describe = mem_describe, .fields = mem_fields, .notes = mem_notes};
const struct load_accounting mem_accounting = {.count = mem_count};

static const char *const calibrations[] = {"--kernel read --threads 1",  "--kernel read",
                                           "--kernel write --threads 1", "--kernel write",
                                           "--kernel copy --threads 1",  "--kernel copy",
                                           "--kernel triad --threads 1", "--kernel triad",
                                           "--kernel chase --threads 1", NULL};

static const struct load mem_load = {
    .name = "mem",
    .summary = "moves data through memory or a cache, or chases pointers in it",
    .details = details,
    .options = mem_options,
    .options_size = sizeof(struct mem_settings),
    .calibrations = calibrations,
    .pinned = true,
    .timed = true,
    .settle_ns = 20000000,
    .check = mem_check,
    .prepare = mem_prepare,
    .begin = mem_begin,
    .operate = mem_operate,
    .end = mem_end,
    .cleanup = mem_cleanup,
    .report = &reports,
    .accounting = &mem_accounting,
};
LOADGEN_REGISTER(mem_load);
