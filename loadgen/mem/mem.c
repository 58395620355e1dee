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

// ---- single accesses ----

// What is measured, in words.
static const char *const mem_access_names[] = {
    NULL,
    "dependent loads of random lines",
    "dependent loads of the next word, which a prefetcher can foresee",
    "stores into random lines, each visible to all before the next",
    "stores into the next word, each visible to all before the next",
    "loads from random lines and stores of what they read into others, each visible to all before "
    "the next",
    "loads of the next word and stores of it into another array, each visible to all before the "
    "next",
};

#if defined(__x86_64__)
static size_t least_line_bytes(void)
{
    return MEM_LINE_BYTES;
}

static inline void flush_line(const char *line)
{
    __builtin_ia32_clflush(line);
}

// The compiler's fence is a locked instruction, which some CPUs run ahead of (measured on Zen 4:
// 17 ns for a store into memory whose loads take 200); MFENCE waits.
static inline void wait_for_all(void)
{
    __asm__ volatile("mfence" ::: "memory");
}

#elif defined(__aarch64__)
// DminLine of CTR_EL0: log2 of the words of the smallest data line of any cache here.
static size_t least_line_bytes(void)
{
    uint64_t type;
    __asm__("mrs %0, ctr_el0" : "=r"(type));
    return (size_t)4 << (type >> 16 & 0xf);
}

static inline void flush_line(const char *line)
{
    __asm__ volatile("dc civac, %0" : : "r"(line) : "memory");
}

// The compiler's fence, DMB, only orders; DSB waits until the store is complete.
static inline void wait_for_all(void)
{
    __asm__ volatile("dsb ish" ::: "memory");
}

#else
static size_t least_line_bytes(void)
{
    return MEM_LINE_BYTES;
}

static inline void flush_line(const char *line)
{
    (void)line;
}

static inline void wait_for_all(void)
{
    atomic_thread_fence(memory_order_seq_cst);
}
#endif

// Puts memory out of all caches, where a program can (x86-64, aarch64). What filling it has left
// there, a quarter of a footprint of four L3s, would be found by the loads of the first tenths of a
// second, and never again.
static void flush(const char *memory, size_t bytes)
{
    const size_t line_bytes = least_line_bytes();
    for (size_t i = 0; i < bytes; i += line_bytes)
        flush_line(memory + i);
    wait_for_all();
}

// A word of 1 or 8 bytes.
static inline size_t load(const char *place, size_t word)
{
    return word == 1 ? *(const volatile unsigned char *)place
                     : *(const volatile uint64_t *)(const volatile void *)place;
}

static inline void store(char *place, size_t value, size_t word)
{
    if (word == 1)
        *(volatile char *)place = (char)value;
    else
        *(volatile uint64_t *)(volatile void *)place = value;
    wait_for_all();
}

// `count` dependent loads of one word each from *at on through memory of `bytes` zeros, round
// and round.
static void load_next(const char *memory, size_t bytes, size_t word, size_t *at, size_t count)
{
    size_t place = *at;
    while (count > 0) {
        const size_t left = (bytes - place) / word, some = count < left ? count : left;
        const size_t end = place + some * word;
        // The word is 0, but only the load knows.
        while (place < end)
            place += word + load(memory + place, word);
        place = place >= bytes ? 0 : place;
        count -= some;
    }
    *at = place;
}

// `count` stores of one word, each followed by a full fence: it is complete when its line
// is in this CPU's cache, exclusively, and the store buffer is empty. From: each stores what it has
// loaded from the same place of that array; NULL: it only stores.
static void store_next(char *memory, const char *from, size_t bytes, size_t word, size_t *at,
                       size_t count)
{
    size_t place = *at;
    for (size_t i = 0; i < count; i++) {
        store(memory + place, from ? load(from + place, word) : i, word);
        place = place + word == bytes ? 0 : place + word;
    }
    *at = place;
}

static inline size_t random_line(uint64_t *random, size_t bytes)
{
    return random_below(random, bytes / MEM_LINE_BYTES) * MEM_LINE_BYTES;
}

// The same at random lines: what is loaded is from another one than where it is stored.
static void store_random(char *memory, const char *from, size_t bytes, size_t word,
                         uint64_t *random, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const size_t value = from ? load(from + random_line(random, bytes), word) : i;
        store(memory + random_line(random, bytes), value, word);
    }
}

static const char details[] =
    "Bytes are counted as STREAM does: what the program reads and writes (copy and scale 16, add "
    "and triad 24, read and write 8 for each element of 8), not what caches fetch before a write. "
    "The rate of --limit is in bytes a second, for chase and blocks of 1 or 8 bytes in accesses a "
    "second; 50% is of what `loadgen mem --calib` measured with the same kernel, threads, cache, "
    "and stores. Each worker touches its memory first. See docs/bench.md#memory.";

// ---- what it counts and reports ----

// load.h's fields, notes and describe.
static void mem_fields(struct run *run, const struct snapshot *window, struct line *line)
{
    line_fixed(line, "busy_s", (double)window->busy_ns / 1e9, 6);
    if (state_of(run)->plan.access == ACCESS_NONE)
        return;
    line_fixed(line, "ns_per_load", ns_per_unit(window), 6); // the median of operations
    line_fixed(line, "ns_per_load_mean", per_unit((double)window->busy_ns, window), 6);
}

// How many times as large as it has to be for memory to be measured, and not a cache; below
// 1 it is too small. By STREAM's rule each array is at least four times all the last-level
// caches that are used; and what was found of this machine's caches counts as well as what it
// reports. INFINITY: nothing is known of them.
static double cache_margin(const struct run *run)
{
    const struct mem_state *state = state_of(run);
    const struct mem_plan *plan = &state->plan;
    const double array = (double)(plan->array_bytes * run->threads);
    const double all = (double)(plan->worker_bytes * run->threads);
    // Arrays are whole blocks, and so may be a little less than was wanted.
    return fmin(array / (0.99 * 4 * (double)state->machine.caches.l3_all_bytes),
                all / (0.99 * (double)state->edge_bytes));
}

// Of all workers: how long a pass through the arrays of one takes.
static void passes_put(const struct run *run, struct line *line)
{
    struct mem_passes all = {.least_ns = INFINITY};
    for (unsigned i = 0; i < run->threads; i++) {
        const struct mem_passes *own = &((const struct mem_worker *)run->workers[i].state)->passes;
        if (own->count == 0)
            continue;
        all.count += own->count;
        all.sum_ns += own->sum_ns;
        all.least_ns = fmin(all.least_ns, own->least_ns);
        all.most_ns = fmax(all.most_ns, own->most_ns);
    }
    const bool known = all.count > 0;
    line_count(line, "passes", all.count);
    line_fixed(line, "pass_mean_ns", known ? all.sum_ns / (double)all.count : NAN, 0);
    line_fixed(line, "pass_min_ns", known ? all.least_ns : NAN, 0);
    line_fixed(line, "pass_max_ns", known ? all.most_ns : NAN, 0);
}

// How long one worker takes for a block, in the mean; NAN: there are no blocks.
static double block_ns(const struct run *run, const struct snapshot *window)
{
    const struct mem_plan *plan = &state_of(run)->plan;
    const struct mem_course *course = &plan->course;
    if (plan->access != ACCESS_NONE || settings_of(run)->block_bytes == 0)
        return NAN;
    return per_unit((double)window->busy_ns, window) *
           (double)(course->block * course->step[0].element_bytes);
}

static void mem_summary(struct run *run, const struct snapshot *window, struct line *line)
{
    const struct mem_state *state = state_of(run);
    const struct mem_plan *plan = &state->plan;
    const bool moves = plan->access == ACCESS_NONE;
    line_fixed(line, "bandwidth_bytes_s", moves ? per_second(window->amount, window) : NAN, 6);
    line_fixed(line, "latency_ns", moves ? NAN : ns_per_unit(window), 6);
    line_fixed(line, "block_ns", block_ns(run, window), 6);
    passes_put(run, line);
    if (state->checked) {
        line_bool(line, "valid", state->error <= MEM_VALID_ERROR);
        line_real(line, "relative_error", state->error);
    } else {
        line_null(line, "valid");
        line_null(line, "relative_error");
    }
    line_count(line, "footprint_bytes", plan->worker_bytes * run->threads);
    line_text(line, "class", mem_class_names[plan->class]);
    line_text(line, "pages", mem_pages_name(&state->pages));
    line_fixed(line, "cache_margin", cache_margin(run), 3);
    line_array(line, "problems");
    if (cache_margin(run) < 1)
        line_text(line, NULL, "cache-sized");
    line_close(line);
}

static void mem_describe(struct run *run, struct line *line)
{
    const struct mem_state *state = state_of(run);
    const struct mem_plan *plan = &state->plan;
    const struct mem_pages *pages = &state->pages;
    const bool accesses = plan->access != ACCESS_NONE;
    char nodes[256] = "";
    line_text(line, "kernel", mem_kernel_names[plan->kernel]);
    line_text(line, "simd", accesses ? "none" : simd_names[plan->simd]);
    line_bool(line, "non_temporal", settings_of(run)->non_temporal);
    line_count(line, "footprint_bytes", plan->worker_bytes * run->threads);
    line_fixed(line, "cache_edge_bytes", state->edge_bytes > 0 ? (double)state->edge_bytes : NAN,
               0);
    line_text(line, "class", mem_class_names[plan->class]);
    line_count(line, accesses ? "chunk_loads" : "chunk_bytes", (uint64_t)engine_quantum(run));
    line_text(line, "counted", accesses ? "loads" : "as STREAM, without write-allocate");
    // The pattern in the words of the options, and what of single accesses is measured.
    const struct mem_course *course = &plan->course;
    const bool random = accesses ? plan->access == ACCESS_LOAD_RANDOM ||
                                       plan->access == ACCESS_STORE_RANDOM ||
                                       plan->access == ACCESS_COPY_RANDOM
                                 : course->random;
    line_text(line, "pattern", random ? "random" : "sequential");
    const bool blocks = course->block < course->elements || random;
    line_fixed(line, "block_bytes",
               accesses ? (double)plan->word_bytes
               : blocks ? (double)(course->block * sizeof(double))
                        : NAN,
               0);
    line_text(line, "latency_of", mem_access_names[plan->access]);
    line_text(line, "pages", mem_pages_name(pages));
    line_count(line, "page_bytes", atomic_load(&pages->page_bytes));
    line_count(line, "huge_bytes",
               atomic_load(&pages->thp_bytes) + atomic_load(&pages->hugetlb_bytes));
    // "0" or "0,1": the nodes that the memory is on.
    for (unsigned i = 0; i < 64; i++) {
        const size_t used = strlen(nodes);
        if ((atomic_load(&pages->nodes) >> i & 1) != 0)
            snprintf(nodes + used, sizeof nodes - used, "%s%u", used > 0 ? "," : "", i);
    }
    line_text(line, "nodes", nodes);
}

static void mem_notes(struct run *run, const char *event, const struct snapshot *window)
{
    const struct mem_state *state = state_of(run);
    const struct mem_plan *plan = &state->plan;
    const uint64_t mapped = atomic_load(&state->pages.mapped_bytes);
    char size[32];
    if (plan->access != ACCESS_NONE && window->operations > 0)
        report_print(&run->report, "  %.2f ns for each %s (median of operations)\n",
                     ns_per_unit(window),
                     plan->kernel == MEM_WRITE  ? "store"
                     : plan->kernel == MEM_COPY ? "load and store"
                                                : "load");
    if (strcmp(event, "summary") != 0 || plan->worker_bytes == 0)
        return;
    report_print(&run->report, "  %s, %s%s, footprint %s (%s), pages %s (%.0f %% huge)\n",
                 mem_kernel_names[plan->kernel],
                 plan->access != ACCESS_NONE ? mem_access_names[plan->access]
                                             : simd_names[plan->simd],
                 settings_of(run)->non_temporal ? ", non-temporal" : "",
                 units_format_size((double)(plan->worker_bytes * run->threads), size, sizeof size),
                 mem_class_names[plan->class], mem_pages_name(&state->pages),
                 mapped == 0 ? 0
                             : 100.0 *
                                   (double)(atomic_load(&state->pages.thp_bytes) +
                                            atomic_load(&state->pages.hugetlb_bytes)) /
                                   (double)mapped);
    // Where "memory" is what the machine says, and what was measured says otherwise.
    char edge[32];
    const double all = (double)(state->plan.worker_bytes * run->threads);
    // Arrays are whole blocks, and so may be a little less than was wanted.
    if (state->plan.class == MEM_MEMORY && all < 0.99 * (double)state->edge_bytes)
        report_print(&run->report,
                     "  caches still serve a part of that: latency rises up to %s here: give "
                     "--footprint as much\n",
                     units_format_size((double)state->edge_bytes, edge, sizeof edge));
}

// ---- memory ----

static int mem_prepare(struct run *run)
{
    struct mem_state *state = state_of(run);
    char size[32];
    if (!options_given(run->options, "footprint"))
        report_print(&run->report, "%s: takes %s of memory\n", run->load->name,
                     units_format_size((double)(state->plan.worker_bytes * run->threads), size,
                                       sizeof size));
    return 0;
}

static void mem_cleanup(struct run *run)
{
    mem_machine_close(&state_of(run)->machine);
}

// ---- workers ----

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
    const struct mem_plan *plan = &state_of(run)->plan;
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
            flush((const char *)own->array[array], plan->array_bytes);
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
    const struct mem_state *state = state_of(worker->run);
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

static int mem_begin(struct worker *worker)
{
    struct mem_state *state = state_of(worker->run);
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

static void mem_end(struct worker *worker)
{
    mem_pages_unmap(&own_of(worker)->area);
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

static double mem_operate(struct worker *worker)
{
    const struct mem_plan *plan = &state_of(worker->run)->plan;
    struct mem_worker *own = worker->state;
    const unsigned chunks = isinf(worker->orders.rate) ? UNLIMITED_CHUNKS : 1;
    const uint64_t chunk = (uint64_t)worker->orders.quantum;
    if (plan->access == ACCESS_NONE)
        return move(worker, &plan->course, chunk * chunks);
    char *memory = (char *)own->array[0];
    const char *from = (const char *)own->array[1]; // NULL: nothing is copied
    switch (plan->access) {
    case ACCESS_LOAD_RANDOM:
        own->next = chase_run(own->next, chunk);
        break;
    case ACCESS_LOAD_NEXT:
        load_next(memory, plan->array_bytes, plan->word_bytes, &own->byte, chunk);
        break;
    case ACCESS_STORE_NEXT:
    case ACCESS_COPY_NEXT:
        store_next(memory, from, plan->array_bytes, plan->word_bytes, &own->byte, chunk);
        break;
    case ACCESS_STORE_RANDOM:
    case ACCESS_COPY_RANDOM:
        store_random(memory, from, plan->array_bytes, plan->word_bytes, &own->random, chunk);
        break;
    case ACCESS_NONE:
        break;
    }
    return (double)chunk;
}

// ---- whether the work was done ----

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

// Each worker's arrays by a thread, as there may be much of it.
static int mem_verify(struct run *run)
{
    struct mem_state *state = state_of(run);
    struct check *checks = calloc(run->threads, sizeof *checks);
    // Under a harness the end has to be quick, and nobody reads the figures as a result.
    if (!checks || run->common.control || state->plan.access != ACCESS_NONE ||
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

// What loadgen mem and loadgen cache have alike.
#define MEM_LOAD(rows)                                                                             \
    LOAD_OPTIONS(rows), .fills = true, .pinned = true, .prepare = mem_prepare, .begin = mem_begin, \
                        .operate = mem_operate, .verify = mem_verify, .end = mem_end,              \
                        .cleanup = mem_cleanup, .notes = mem_notes

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

// loadgen cache: occupies a part of a cache, by reading and writing so much memory again
// and again; after the bubble of J. Mars et al., "Bubble-Up: increasing utilization
// in modern warehouse scale computers via sensible co-locations" (MICRO 2011), and, for
// L1d and L2, the memory Rulers of Y. Zhang et al., "SMiTe: precise QoS prediction on
// real-system SMT processors" (MICRO 2014). It is loadgen mem's triad, with a footprint
// that grows from nothing to the whole cache.

static const char cache_details[] =
    "Disturbs that level and those above it: l3 its neighbours under the same L3; l1d and l2, "
    "which are private to a core, only what shares the core: a sibling thread (SMT), or what runs "
    "on the same CPU in turns. Leaves the levels below alone: l1d and l2 take no L3, no memory "
    "bandwidth.\n\n"
    "The footprint is of one worker by default; of all workers together with l3, of each with l1d "
    "and l2. With --size 0 nothing is touched. Without --limit the bubble is refreshed as fast as "
    "possible; 50% is of what `loadgen cache --calib` measured with the same size and threads. "
    "Bytes are counted as in loadgen mem. See docs/bench.md#memory.";

static const char *const levels[] = {[MEM_L1] = "l1d", [MEM_L2] = "l2", [MEM_L3] = "l3", NULL};

static const struct option_row options[] = {
    {MEM_ROW("size", "PERCENT", OPTION_PERCENT, size_percent), .minimum = 0, .maximum = 100,
     .preset = "50", .help = "footprint, in percent of that cache: 0 to 100"},
    {MEM_ROW("level", "NAME", OPTION_CHOICE, level), .preset = "l3", .choices = levels,
     .help = "the cache to occupy: l1d, l2 or l3"},
    MEM_SHARED_OPTIONS,
    {0},
};

static void check(struct run *run)
{
    const struct mem_caches *caches = &state_of(run)->machine.caches;
    const double percent = settings_of(run)->size_percent;
    const int level = settings_of(run)->level;
    state_of(run)->plan.kernel = MEM_TRIAD;
    mem_open(run);
    // Of all workers: an L3 is theirs together, the others each worker's own.
    const uint64_t bytes =
        level == MEM_L3 ? caches->l3_bytes
                        : (level == MEM_L1 ? caches->l1_bytes : caches->l2_bytes) * run->threads;
    if (bytes == 0)
        usage_error("--level %s: this machine does not report the size of that cache: use loadgen "
                    "mem --footprint",
                    levels[level]);
    mem_set_footprint(run, (double)bytes * percent / 100);
    if (percent <= 0)
        run->rate = 0;
}

// With --size 0 no operation is ever due, at any rate.
static int rate(struct run *run, const char *text, double *value, char *error, size_t size)
{
    if (settings_of(run)->size_percent <= 0) {
        *value = 0;
        return 0;
    }
    return rate_usual(run, text, value, error, size);
}

static void describe(struct run *run, struct line *line)
{
    line_text(line, "level", levels[settings_of(run)->level]);
    line_fixed(line, "size_percent", settings_of(run)->size_percent, 6);
    mem_describe(run, line);
}

static void fields(struct run *run, const struct snapshot *window, struct line *line)
{
    mem_fields(run, window, line);
    // The proof of the level: bytes a second while it works, which each cache has of its own.
    line_fixed(line, "busy_bytes_per_s", 1e9 / ns_per_unit(window), 0);
}

static const struct load cache_load = {
    MEM_LOAD(options),
    .name = "cache",
    .summary = "occupies a part of a cache: L1d, L2 or L3",
    .details = cache_details,
    .threads = 1,
    .calibrations = (const char *const[]){"", NULL},
    .check = check,
    .describe = describe,
    .fields = fields,
    .rate = rate,
};
LOADGEN_REGISTER(cache_load);
