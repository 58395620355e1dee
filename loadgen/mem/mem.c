// loadgen mem: moves data through memory or a cache at a rate, or chases pointers.
// Between two chunks a worker sleeps, and touches nothing.

#include "mem/mem.h"

#include "common/random.h"

// Without a limit a worker does several chunks before it takes the time again; but
// not of chase, whose time is the result: short pieces are seldom interrupted.
#define UNLIMITED_CHUNKS 4
// Between the arrays in addition to whole pages. Where the arrays are at different places in
// their pages, a prefetcher that stops at page boundaries stops at different times for each,
// which costs triad 7 % in base pages from 1 KiB on (results/reference/bench).
#define STAGGER_BYTES 256

static const char details[] =
    "Bytes are counted as STREAM does: what the program reads and writes (copy and scale 16, add "
    "and triad 24, read and write 8 for each element of 8), not what caches fetch before a write. "
    "The rate of --limit is in bytes a second, for chase and blocks of 1 or 8 bytes in accesses a "
    "second; 50% is of what `loadgen mem --calib` measured with the same kernel, threads, cache, "
    "and stores. Each worker touches its memory first. See docs/bench.md#memory.";

int mem_prepare(struct run *run)
{
    struct mem_state *state = mem_state_of(run);
    char size[32];
    if (!options_given(run->options, "footprint"))
        report_print(&run->report, "%s: takes %s of memory\n", run->load->name,
                     units_format_size((double)(state->plan.worker_bytes * run->threads), size,
                                       sizeof size));
    return 0;
}

void mem_cleanup(struct run *run)
{
    mem_machine_close(&mem_state_of(run)->machine);
}

// Takes the pages of an array from the kernel, as long as it has some to give.
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

// False: memory is short, and the run has failed.
static bool fill(struct run *run, struct mem_worker *own, unsigned seed)
{
    const struct mem_plan *plan = &mem_state_of(run)->plan;
    double value[MEM_ARRAYS];
    own->sweep.random = own->random = seed;
    if (plan->access != ACCESS_NONE) {
        for (unsigned array = 0; array < MEM_ARRAYS && own->array[array]; array++)
            if (!fill_array(run, own->array[array], plan->array_bytes / sizeof(double), 0))
                return false;
        if (plan->access == ACCESS_LOAD_RANDOM) {
            chase_link(own->area.memory, plan->array_bytes / MEM_LINE_BYTES, seed);
            own->next = own->area.memory;
        }
        for (unsigned array = 0; array < MEM_ARRAYS && own->array[array]; array++)
            mem_access_flush((const char *)own->array[array], plan->array_bytes);
        return true;
    }
    mem_course_begin(&plan->course, value);
    for (unsigned array = 0; array < MEM_ARRAYS && own->array[array]; array++)
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
    if (mem_pages_map(&own->area, stride * arrays,
                      settings_of(worker->run)->huge ? MEM_PAGES_HUGE : MEM_PAGES_USUAL) != 0)
        return worker_fail(worker, "cannot map %llu bytes: %s: give a smaller --footprint",
                           (unsigned long long)plan->worker_bytes, strerror(errno));
    if (plan->node >= 0 && mem_machine_bind(&state->machine, (unsigned)plan->node, own->area.memory,
                                            stride * arrays) != 0)
        return worker_fail(worker, "--node %d: %s: leave it out", plan->node, strerror(errno));
    for (unsigned i = 0; i < arrays; i++)
        own->array[i] = (double *)(void *)((char *)own->area.memory + i * stride);
    return 0;
}

int mem_begin(struct worker *worker)
{
    struct mem_state *state = mem_state_of(worker->run);
    struct mem_worker *own = worker->state;
    if (state->plan.worker_bytes == 0)
        return 0;
    if (map_arrays(worker, own) != 0 || !fill(worker->run, own, worker->index))
        return -1;
    const int node = mem_machine_node_of(&state->machine, own->area.memory);
    mem_pages_count(&state->pages, own->area.memory);
    if (node >= 0 && node < 64)
        atomic_fetch_or(&state->pages.nodes, 1ull << node);
    return 0;
}

void mem_end(struct worker *worker)
{
    mem_pages_unmap(&mem_own_of(worker)->area);
}

// The passes that an operation of `done` bytes has finished, which began and ended at these times,
// pauses left out. Where the last pass ended follows from what the operation did after it.
static void passes_take(struct mem_worker *own, const struct mem_course *course, int64_t from_ns,
                        int64_t to_ns, uint64_t done)
{
    struct mem_passes *passes = &own->passes;
    const uint64_t finished = own->sweep.pass - passes->pass;
    const double after = (double)(own->sweep.at * course->step[0].element_bytes),
                 share = own->sweep.step == 0 ? fmin(1, after / (double)done) : 0,
                 end_ns = (double)to_ns - share * (double)(to_ns - from_ns);
    if (passes->begin_ns <= 0)
        passes->begin_ns = (double)from_ns;
    if (finished == 0)
        return;
    const double each_ns = (end_ns - passes->begin_ns) / (double)finished;
    passes->least_ns = passes->count == 0 ? each_ns : fmin(passes->least_ns, each_ns);
    passes->most_ns = fmax(passes->most_ns, each_ns);
    passes->sum_ns += each_ns * (double)finished;
    passes->count += finished;
    passes->pass = own->sweep.pass;
    passes->begin_ns = end_ns;
}

static double move(struct worker *worker, const struct mem_course *course, uint64_t bytes)
{
    struct mem_worker *own = worker->state;
    const int64_t paused_ns = worker->orders.paused_ns, from_ns = clock_ns() - paused_ns;
    const uint64_t done = mem_sweep_run(course, &own->sweep, own->array, bytes);
    if (!course->random)
        passes_take(own, course, from_ns, clock_ns() - paused_ns, done);
    return (double)done;
}

double mem_operate(struct worker *worker)
{
    const struct mem_plan *plan = &mem_state_of(worker->run)->plan;
    struct mem_worker *own = worker->state;
    const unsigned chunks = isinf(worker->orders.rate) ? UNLIMITED_CHUNKS : 1;
    const uint64_t chunk = (uint64_t)worker->orders.quantum;
    if (plan->access == ACCESS_NONE)
        return move(worker, &plan->course, chunk * chunks);
    mem_access_run(plan, own, chunk);
    return (double)chunk;
}

static const struct load mem_load = {
    MEM_LOAD(mem_options),
    .name = "mem",
    .summary = "moves data through memory or a cache, or chases pointers in it",
    .details = details,
    .calibrations = (const char *const[]){"--kernel read --threads 1", "--kernel read",
                                          "--kernel write --threads 1", "--kernel write",
                                          "--kernel copy --threads 1", "--kernel copy",
                                          "--kernel triad --threads 1", "--kernel triad",
                                          "--kernel chase --threads 1", NULL},
    .check = mem_check,
    .describe = mem_describe,
    .fields = mem_fields,
    .summary_fields = mem_summary,
};
LOADGEN_REGISTER(mem_load);
