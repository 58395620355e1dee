/* loadgen mem: moves data through memory or a cache at a rate, or chases pointers.
 * As pure as can be: between two chunks a worker sleeps, and touches nothing. */

#include "mem/mem.h"
#include "room.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Without a limit a worker does several chunks before it takes the time again; but
 * not of chase, whose time is the result: short pieces are seldom interrupted. */
#define UNLIMITED_CHUNKS 4
/* Lines between the arrays beside whole pages: at the same place in a page, loads
 * seem to depend on stores to another array (4 KiB aliasing). */
#define STAGGER_BYTES 1344
#define PAGE_BYTES    4096

enum counter { BUSY_NS, UNITS };

static const char details[] =
    "Bytes are counted as STREAM does: what the program reads and writes (copy and scale 16, add "
    "and triad 24, read and write 8 for each element of 8), not what caches fetch before a "
    "write. The rate of --limit is in bytes a second, for chase in loads a second; 50% is of "
    "what `loadgen mem --calib` measured with the same kernel, threads, cache, and stores. A "
    "worker's memory is touched first by itself. See docs/memory.md.";

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
    room_volunteer();
    filling_begin(&state->filling, run->threads);
    return 0;
}

void mem_cleanup(struct run *run)
{
    struct mem_state *state = mem_state_of(run);
    if (state == NULL)
        return;
    mem_machine_close(state);
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
        return worker_fail(worker, "%llu bytes of memory: %s: give a smaller --footprint",
                           (unsigned long long)plan->worker_bytes, strerror(errno));
    if (plan->node >= 0 && mem_machine_bind(state, own->area.memory, stride * arrays) != 0)
        return worker_fail(worker, "--node %d: %s: leave it out", plan->node, strerror(errno));
    own->a = own->area.memory;
    own->b = arrays < 2 ? NULL : (double *)((char *)own->a + stride);
    own->c = arrays < 3 ? NULL : (double *)((char *)own->b + stride);
    return 0;
}

static void count_pages(struct mem_state *state, const struct mem_worker *own)
{
    const int node = mem_machine_node_of(state, own->area.memory);
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
    filling_done(&state->filling);
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

static void add_busy(struct mem_busy *busy, int64_t ns, uint64_t units)
{
    /* One writer: no read-modify-write is needed. */
    atomic_store_explicit(&busy->busy_ns,
                          atomic_load_explicit(&busy->busy_ns, memory_order_relaxed) + ns,
                          memory_order_relaxed);
    atomic_store_explicit(&busy->units,
                          atomic_load_explicit(&busy->units, memory_order_relaxed) + units,
                          memory_order_relaxed);
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
    add_busy(&state->busy[worker->index], now_ns() - start_ns, units);
    return (double)units;
}

/* ---- what it says of itself ---- */

void mem_count(struct run *run, double counters[LOAD_COUNTERS])
{
    const struct mem_busy *busy = mem_state_of(run)->busy;
    for (unsigned i = 0; busy != NULL && i < run->threads; i++) {
        counters[BUSY_NS] += (double)atomic_load_explicit(&busy[i].busy_ns, memory_order_relaxed);
        counters[UNITS] += (double)atomic_load_explicit(&busy[i].units, memory_order_relaxed);
    }
}

/* The median is of operations: who was interrupted in one of them does not matter. */
static double median_ns_per_load(const struct snapshot *window)
{
    const int64_t operation_ns = histogram_quantile(&window->service, 0.5);
    const double loads = window->counters[UNITS];
    return operation_ns < 0 || loads <= 0
               ? NAN
               : (double)operation_ns * (double)window->operations / loads;
}

void mem_load_fields(const struct snapshot *window, struct line *line)
{
    const double loads = window->counters[UNITS];
    line_real(line, "ns_per_load", median_ns_per_load(window));
    line_real(line, "ns_per_load_mean", loads > 0 ? window->counters[BUSY_NS] / loads : NAN);
}

void mem_fields(struct run *run, const struct snapshot *window, struct line *line)
{
    line_real(line, "busy_s", window->counters[BUSY_NS] / 1e9);
    if (mem_state_of(run)->plan.kernel == MEM_CHASE)
        mem_load_fields(window, line);
}

const char *mem_pages_name(const struct mem_pages *pages)
{
    const double mapped = (double)atomic_load(&pages->mapped_bytes);
    const double thp = (double)atomic_load(&pages->thp_bytes);
    if (atomic_load(&pages->hugetlb_bytes) > 0)
        return "hugetlb";
    return thp <= 0 ? "base" : thp >= 0.95 * mapped ? "thp" : "mixed";
}

/* "0" or "0,1": the nodes that the memory is on. */
static const char *node_list(const struct mem_pages *pages, char *text, size_t size)
{
    const uint64_t nodes = atomic_load(&pages->nodes);
    text[0] = '\0';
    for (unsigned i = 0; i < 64; i++) {
        const size_t used = strlen(text);
        if ((nodes >> i & 1) != 0)
            snprintf(text + used, size - used, "%s%u", used > 0 ? "," : "", i);
    }
    return text;
}

void mem_describe(struct run *run, struct line *line)
{
    const struct mem_state *state = mem_state_of(run);
    const struct mem_plan *plan = &state->plan;
    const struct mem_pages *pages = &state->pages;
    char nodes[256];
    line_text(line, "kernel", mem_kernel_names[plan->kernel]);
    line_text(line, "simd", plan->run == NULL ? "none" : mem_simd_names[plan->simd]);
    line_flag(line, "non_temporal", plan->non_temporal);
    line_count(line, "footprint_bytes", plan->worker_bytes * run->threads);
    line_text(line, "class", mem_class_names[plan->class]);
    line_count(line, plan->run == NULL ? "chunk_loads" : "chunk_bytes", (uint64_t)run->quantum);
    line_text(line, "counted", plan->run == NULL ? "loads" : "as STREAM, without write-allocate");
    line_text(line, "pages", mem_pages_name(pages));
    line_count(line, "page_bytes", atomic_load(&pages->page_bytes));
    line_count(line, "huge_bytes",
               atomic_load(&pages->thp_bytes) + atomic_load(&pages->hugetlb_bytes));
    line_text(line, "nodes", node_list(pages, nodes, sizeof nodes));
    calibration_describe(line, &state->calibration);
}

void mem_notes(struct run *run, const char *event, const struct snapshot *window)
{
    const struct mem_state *state = mem_state_of(run);
    const struct mem_plan *plan = &state->plan;
    const uint64_t mapped = atomic_load(&state->pages.mapped_bytes);
    char size[32];
    if (plan->kernel == MEM_CHASE && window->operations > 0)
        report_print(&run->report, "  %.2f ns for each load (median of operations)\n",
                     median_ns_per_load(window));
    if (strcmp(event, "summary") != 0 || plan->worker_bytes == 0)
        return;
    report_print(&run->report, "  %s, %s%s, footprint %s (%s), pages %s (%.0f %% huge)\n",
                 mem_kernel_names[plan->kernel],
                 plan->run == NULL ? "dependent loads" : mem_simd_names[plan->simd],
                 plan->non_temporal ? ", non-temporal" : "",
                 units_format_size((double)(plan->worker_bytes * run->threads), size, sizeof size),
                 mem_class_names[plan->class], mem_pages_name(&state->pages),
                 mapped == 0 ? 0
                             : 100.0 *
                                   (double)(atomic_load(&state->pages.thp_bytes) +
                                            atomic_load(&state->pages.hugetlb_bytes)) /
                                   (double)mapped);
}

int mem_instead(struct run *run)
{
    int status;
    if (!mem_settings_of(run)->calib)
        return -1;
    status = mem_calibrate(run);
    mem_cleanup(run);
    return status;
}

const struct load mem_load = {
    .name = "mem",
    .summary = "moves data through memory or a cache, or chases pointers in it",
    .details = details,
    .arguments = "[SECONDS]",
    .settings = mem_options,
    .settings_size = sizeof(struct mem_settings),
    .pinned = true,
    .timed = true,
    .settle_ns = 20000000,
    .check = mem_check,
    .instead = mem_instead,
    .prepare = mem_prepare,
    .rate = mem_rate,
    .begin = mem_begin,
    .operate = mem_operate,
    .end = mem_end,
    .cleanup = mem_cleanup,
    .count = mem_count,
    .fields = mem_fields,
    .notes = mem_notes,
    .describe = mem_describe,
};
