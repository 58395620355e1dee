/* loadgen mem: moves data through memory or a cache at a rate, or chases pointers.
 * Between two chunks a worker sleeps, and touches nothing. */

#include "mem/mem.h"

#include "common/chase.h"
#include "common/headroom.h"
#include "mem/mem-options.h"
#include "mem/mem-report.h"
#include "mem/valid.h"
#include "room.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Without a limit a worker does several chunks before it takes the time again; but
 * not of chase, whose time is the result: short pieces are seldom interrupted. */
#define UNLIMITED_CHUNKS 4
/* Between the arrays in addition to whole pages. Where the arrays are at different places in
 * their pages, a prefetcher that stops at page boundaries stops at different times for each,
 * which costs triad 7 % in base pages from 1 KiB on (docs/performance.md). */
#define STAGGER_BYTES 256

static const char details[] =
    "Bytes are counted as STREAM does: what the program reads and writes (copy and scale 16, add "
    "and triad 24, read and write 8 for each element of 8), not what caches fetch before a "
    "write. The rate of --limit is in bytes a second, for chase and blocks of 1 byte in accesses "
    "a second; 50% is of "
    "what `loadgen mem --calib` measured with the same kernel, threads, cache, and stores. Each "
    "worker touches its memory first. See docs/memory.md.";

struct mem_worker {
    struct mem_area area;
    double *array[MEM_ARRAYS];
    struct mem_sweep sweep;
    void **next;     /* chase: where it is */
    size_t byte;     /* single accesses to the next byte: the same */
    uint64_t random; /* to random ones: the generator's state */
};

int mem_prepare(struct run *run)
{
    struct mem_state *state = mem_state_of(run);
    char size[32];
    state->busy = aligned_alloc(64, run->threads * sizeof *state->busy);
    if (state->busy == NULL)
        return run_fail(run, "no memory for %u workers: give fewer --threads", run->threads);
    memset(state->busy, 0, run->threads * sizeof *state->busy);
    headroom_volunteer();
    if (!options_given(run->options, "footprint"))
        report_print(&run->report, "%s: takes %s of memory\n", run->load->name,
                     units_format_size((double)(state->plan.worker_bytes * run->threads), size,
                                       sizeof size));
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

/* Takes the pages of an array from the kernel, as long as it has some to give. */
static bool fill_array(struct run *run, double *array, size_t elements, double value)
{
    const size_t step = room_step(run) / sizeof *array;
    for (size_t from = 0; from < elements; from += step) {
        const size_t end = elements - from < step ? elements : from + step;
        if (!room_for_more(run))
            return false;
        for (size_t i = from; i < end; i++)
            array[i] = value;
    }
    return true;
}

/* False: memory is short, and the run has failed. */
static bool fill(struct run *run, struct mem_worker *own, unsigned seed)
{
    const struct mem_plan *plan = &mem_state_of(run)->plan;
    double value[MEM_ARRAYS];
    own->sweep.random = own->random = seed;
    if (plan->access != ACCESS_NONE) {
        if (!fill_array(run, own->array[0], plan->array_bytes / sizeof(double), 0))
            return false;
        if (plan->access == ACCESS_LOAD_RANDOM) {
            chase_link(own->area.memory, plan->array_bytes / MEM_LINE_BYTES, seed);
            own->next = own->area.memory;
        }
        mem_access_flush(own->area.memory, plan->array_bytes);
        return true;
    }
    mem_course_begin(&plan->course, value);
    for (unsigned array = 0; array < MEM_ARRAYS && own->array[array] != NULL; array++)
        if (!fill_array(run, own->array[array], plan->course.elements, value[array]))
            return false;
    return true;
}

static int map_arrays(struct worker *worker, struct mem_worker *own)
{
    const struct mem_state *state = mem_state_of(worker->run);
    const struct mem_plan *plan = &state->plan;
    const unsigned arrays = mem_kernel_arrays(plan->kernel);
    const size_t page = page_bytes();
    const size_t stride = (plan->array_bytes + page - 1) / page * page + STAGGER_BYTES;
    if (mem_pages_map(&own->area, stride * arrays, plan->huge) != 0)
        return worker_fail(worker, "cannot map %llu bytes: %s: give a smaller --footprint",
                           (unsigned long long)plan->worker_bytes, strerror(errno));
    if (plan->node >= 0 && mem_machine_bind(&state->machine, (unsigned)plan->node, own->area.memory,
                                            stride * arrays) != 0)
        return worker_fail(worker, "--node %d: %s: leave it out", plan->node, strerror(errno));
    for (unsigned i = 0; i < arrays; i++)
        own->array[i] = (double *)(void *)((char *)own->area.memory + i * stride);
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
        if (!fill(worker->run, own, worker->index))
            return -1;
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

static void run_accesses(const struct mem_plan *plan, struct mem_worker *own)
{
    char *memory = own->area.memory;
    switch (plan->access) {
    case ACCESS_LOAD_RANDOM:
        own->next = chase_run(own->next, plan->chunk);
        break;
    case ACCESS_LOAD_NEXT:
        mem_access_load_next(memory, plan->array_bytes, &own->byte, plan->chunk);
        break;
    case ACCESS_STORE_NEXT:
        mem_access_store_next(memory, plan->array_bytes, &own->byte, plan->chunk);
        break;
    case ACCESS_STORE_RANDOM:
        mem_access_store_random(memory, plan->array_bytes, &own->random, plan->chunk);
        break;
    case ACCESS_NONE:
        break;
    }
}

double mem_operate(struct worker *worker)
{
    const struct mem_state *state = mem_state_of(worker->run);
    const struct mem_plan *plan = &state->plan;
    struct mem_worker *own = worker->state;
    const unsigned chunks = isinf(worker->orders.rate) ? UNLIMITED_CHUNKS : 1;
    uint64_t units = plan->chunk;
    const int64_t start_ns = now_ns();
    if (plan->access != ACCESS_NONE)
        run_accesses(plan, own);
    else
        units = mem_sweep_run(&plan->course, &own->sweep, own->array, plan->chunk * chunks);
    mem_add_busy(&state->busy[worker->index], now_ns() - start_ns, units);
    return (double)units;
}

/* ---- whether the work was done ---- */

struct check {
    const struct mem_course *course;
    const struct mem_worker *own;
    pthread_t thread;
    bool started;
    double error;
};

static void *check_worker(void *argument)
{
    struct check *check = argument;
    check->error = mem_valid_error(check->course, &check->own->sweep, check->own->array);
    return NULL;
}

/* Each worker's arrays by a thread, as there may be much of it. */
int mem_verify(struct run *run)
{
    struct mem_state *state = mem_state_of(run);
    struct check *checks = calloc(run->threads, sizeof *checks);
    /* Under a harness the end has to be quick, and nobody reads the figures as a result. */
    if (checks == NULL || run->common.control || state->plan.access != ACCESS_NONE ||
        state->plan.worker_bytes == 0) {
        free(checks);
        return 0;
    }
    for (unsigned i = 0; i < run->threads; i++) {
        checks[i] = (struct check){.course = &state->plan.course, .own = run->workers[i].state};
        checks[i].started = pthread_create(&checks[i].thread, NULL, check_worker, &checks[i]) == 0;
        if (!checks[i].started)
            (void)check_worker(&checks[i]);
    }
    for (unsigned i = 0; i < run->threads; i++) {
        if (checks[i].started)
            (void)pthread_join(checks[i].thread, NULL);
        state->error = fmax(state->error, checks[i].error);
    }
    free(checks);
    state->checked = true;
    if (state->error <= MEM_VALID_ERROR)
        return 0;
    return run_fail(run,
                    "%s: wrong results: an average relative error of %.3g, where %.0g is allowed: "
                    "test this machine's memory and CPU",
                    mem_kernel_names[state->plan.kernel], state->error, MEM_VALID_ERROR);
}

static const struct load_report reports = {
    .describe = mem_describe, .fields = mem_fields, .summary = mem_summary, .notes = mem_notes};
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
    .verify = mem_verify,
    .end = mem_end,
    .cleanup = mem_cleanup,
    .report = &reports,
    .accounting = &mem_accounting,
};
LOADGEN_REGISTER(mem_load);
