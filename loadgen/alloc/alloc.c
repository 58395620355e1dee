// loadgen alloc: allocation churn. Each worker holds a number of allocations, and
// replaces one of them, chosen at random, by one of another size, again and again;
// each page of a new one is touched, as its user would.

#define OPTIONS_OF struct alloc_settings // see common/options.h

#include "load.h"

#include "common/random.h"

#include <malloc.h>
#include <sys/resource.h>

#ifndef WITHOUT_jemalloc
#include <jemalloc/jemalloc.h>
#endif

// What one allocator knows of one worker's memory.
struct alloc_heap {
    unsigned arena; // jemalloc: the worker's own
    int get_flags;
    int put_flags;
    unsigned cache; // jemalloc: its thread cache
    bool arena_open, cache_open;
};

// What the allocator reports of the whole process, in bytes; NAN: it does not.
enum statistic {
    ALLOCATED, // handed out
    ACTIVE,    // in pages with something handed out
    RESIDENT,  // in memory, as far as the allocator knows
    RETAINED,  // addresses kept without memory behind them
    STATISTICS
};
static const char *const statistic_names[] = {"allocated", "active", "resident", "retained"};

// Memory that an allocator holds for each allocation, beyond its bytes, at most: measured
// by VmHWM under churn with sizes of 16 bytes to 4 MiB, one or log-uniform.
struct alloc_spare {
    double factor;         // for rounding, and for what is free and not yet given back
    double pages_of_large; // more for each one of a page or more
};

struct allocator {
    const char *name;
    struct alloc_spare usual, purging; // without and with --purge
    // In the worker's thread. 0, or -1 with errno. NULL: this build is without it. close() also
    // after a failure; NULL: there is nothing to close.
    int (*open)(struct alloc_heap *heap, bool purge);
    void (*close)(struct alloc_heap *heap);
    void *(*get)(struct alloc_heap *heap, size_t bytes); // NULL: no memory
    void (*put)(struct alloc_heap *heap, void *memory, size_t bytes);
    void (*statistics)(double bytes[STATISTICS]);
};

// ---- jemalloc ----

// Each worker has an arena of its own, and a thread cache that is filled from it;
// with --purge none, and no decay: a freed page goes back to the system at once.
// jemalloc(3): mallocx, arenas.create, arena.<i>.dirty_decay_ms, tcache.create.

#ifndef WITHOUT_jemalloc

// 0, or -1 with errno, of a mallctl() that writes only.
static int jemalloc_set(const char *name, void *value, size_t size)
{
    const int error = mallctl(name, NULL, NULL, value, size);
    errno = error;
    return error == 0 ? 0 : -1;
}

static int jemalloc_create(const char *name, unsigned *index)
{
    size_t size = sizeof *index;
    const int error = mallctl(name, index, &size, NULL, 0);
    errno = error;
    return error == 0 ? 0 : -1;
}

static int jemalloc_open(struct alloc_heap *heap, bool purge)
{
    static const char *const kinds[] = {"dirty", "muzzy"};
    char name[64];
    if (jemalloc_create("arenas.create", &heap->arena) != 0)
        return -1;
    heap->arena_open = true;
    heap->put_flags = MALLOCX_TCACHE_NONE;
    for (size_t i = 0; purge && i < sizeof kinds / sizeof kinds[0]; i++) {
        ssize_t decay_ms = 0;
        snprintf(name, sizeof name, "arena.%u.%s_decay_ms", heap->arena, kinds[i]);
        if (jemalloc_set(name, &decay_ms, sizeof decay_ms) != 0)
            return -1;
    }
    if (!purge) {
        if (jemalloc_create("tcache.create", &heap->cache) != 0)
            return -1;
        heap->cache_open = true;
        heap->put_flags = MALLOCX_TCACHE(heap->cache);
    }
    heap->get_flags = MALLOCX_ARENA(heap->arena) | heap->put_flags;
    return 0;
}

static void jemalloc_close(struct alloc_heap *heap)
{
    char name[64];
    if (heap->cache_open)
        jemalloc_set("tcache.destroy", &heap->cache, sizeof heap->cache);
    heap->cache_open = false;
    if (!heap->arena_open)
        return;
    heap->arena_open = false;
    snprintf(name, sizeof name, "arena.%u.destroy", heap->arena);
    mallctl(name, NULL, NULL, NULL, 0);
}

static void *jemalloc_get(struct alloc_heap *heap, size_t bytes)
{
    return mallocx(bytes, heap->get_flags);
}

static void jemalloc_put(struct alloc_heap *heap, void *memory, size_t bytes)
{
    sdallocx(memory, bytes, heap->put_flags);
}

static void jemalloc_statistics(double bytes[STATISTICS])
{
    uint64_t epoch = 1; // any value: the figures are brought up to date
    size_t value, size = sizeof epoch;
    char name[32];
    mallctl("epoch", &epoch, &size, &epoch, sizeof epoch);
    for (size_t i = 0; i < STATISTICS; i++) {
        size = sizeof value;
        snprintf(name, sizeof name, "stats.%s", statistic_names[i]);
        bytes[i] = mallctl(name, &value, &size, NULL, 0) == 0 ? (double)value : NAN;
    }
}

static const struct allocator alloc_jemalloc = {
    .name = "jemalloc",
    .usual = {.factor = 1.5},
    .purging = {.factor = 1.35},
    .open = jemalloc_open,
    .close = jemalloc_close,
    .get = jemalloc_get,
    .put = jemalloc_put,
    .statistics = jemalloc_statistics,
};

#else
// A build with a sanitizer, which has an allocator of its own, or on a machine without it.
static const struct allocator alloc_jemalloc = {.name = "jemalloc"};
#endif

// ---- glibc ----

// The C library's own allocator, by the names that no other allocator takes over.
// With --purge, what is a page or more has a mapping of its own, and the top of the
// heap is given back at once: mallopt(3).

extern void *__libc_malloc(size_t bytes);
extern void __libc_free(void *memory);
extern int __libc_mallopt(int parameter, int value);
// Other C libraries lack them.
#pragma weak __libc_malloc
#pragma weak __libc_free
#pragma weak __libc_mallopt
#pragma weak mallinfo2

#if !__GLIBC_PREREQ(2, 33)
// Where it is run there may be a newer one that has it.
struct mallinfo2 {
    size_t arena, ordblks, smblks, hblks, hblkhd, usmblks, fsmblks, uordblks, fordblks, keepcost;
};
extern struct mallinfo2 mallinfo2(void);
#endif

static int glibc_open(struct alloc_heap *heap, bool purge)
{
    (void)heap;
    if (!purge || (__libc_mallopt(M_MMAP_THRESHOLD, (int)page_bytes()) == 1 &&
                   __libc_mallopt(M_TRIM_THRESHOLD, 0) == 1 && __libc_mallopt(M_TOP_PAD, 0) == 1))
        return 0;
    errno = EINVAL;
    return -1;
}

static void *glibc_get(struct alloc_heap *heap, size_t bytes)
{
    (void)heap;
    return __libc_malloc(bytes);
}

static void glibc_put(struct alloc_heap *heap, void *memory, size_t bytes)
{
    (void)heap;
    (void)bytes;
    __libc_free(memory);
}

static void glibc_statistics(double bytes[STATISTICS])
{
    for (size_t i = 0; i < STATISTICS; i++)
        bytes[i] = NAN;
    if (!mallinfo2)
        return;
    const struct mallinfo2 info = mallinfo2();
    bytes[ALLOCATED] = (double)info.uordblks + (double)info.hblkhd;
    bytes[ACTIVE] = (double)info.arena + (double)info.hblkhd;
}

static const struct allocator alloc_glibc = {
    .name = "glibc",
    .usual = {.factor = 1.4},
    .purging = {.factor = 1.2, .pages_of_large = 1}, // each a mapping of its own
    .open = glibc_open,
    .get = glibc_get,
    .put = glibc_put,
    .statistics = glibc_statistics,
};

// ---- the load ----

// The options as given.
struct alloc_settings {
    const char *size; // MIN-MAX
    uint64_t live_bytes;
    int allocator; // 0: jemalloc if it is there, else 1 + index
    bool purge;
};

struct alloc_plan {
    const struct allocator *allocator;
    uint64_t minimum_bytes, maximum_bytes; // of one allocation
    uint64_t slots;                        // of one worker
    double room_bytes;                     // that all of it takes at most
    char sizes[48];                        // of --size, in bytes
};

static inline struct alloc_plan *state_of(const struct run *run)
{
    return run->state;
}

// The options of loadgen alloc, and what follows from them.

#define LARGEST_BYTES  (1ull << 40)
#define OVERHEAD_BYTES 32.0   // of one allocation: its slot, and the least rounding
#define PROGRAM_BYTES  16e6   // what the program takes without any
#define MOST_IN_A_ROW  16.0   // allocations of one paced operation
#define PAGES_IN_A_ROW 64.0   // and pages: about 100 us at most
#define STEPS_PER_S    1000.0 // enough of them for an even flow

static const char *const allocator_choices[] = {"auto", "jemalloc", "glibc", NULL};
static const struct allocator *const allocators[] = {&alloc_jemalloc, &alloc_glibc};

static const struct option_row alloc_options[] = {
    {ROW("size", "MIN-MAX", OPTION_TEXT, size), .measured = true, .preset = "64-64KiB",
     .wrong = "64-x",
     .help =
         "size of each allocation, log-uniform: as many between 1 and 2 KiB as between 2 and 4"},
    {ROW("live", "SIZE", OPTION_SIZE, live_bytes), .measured = true, .minimum = 1, .maximum = 1e18,
     .preset = "64MiB", .help = "total size of live allocations, of all workers together"},
    {ROW("allocator", "NAME", OPTION_CHOICE, allocator), .measured = true, .preset = "auto",
     .choices = allocator_choices,
     .help = "jemalloc or glibc; auto: jemalloc where this build has it"},
    {ROW("purge", NULL, OPTION_FLAG, purge), .measured = true,
     .help = "give freed pages back to the system at once: many more page faults and system calls"},
    {0},
};

// "64-64KiB", or one size for all.
static void parse_sizes(const char *text, struct alloc_plan *plan)
{
    char first[64];
    const char *dash = strchr(text, '-');
    const size_t length = dash ? (size_t)(dash - text) : strlen(text);
    snprintf(first, sizeof first, "%.*s", (int)(length < 63 ? length : 63), text);
    if (length == 0 || length > 63 || units_size(first, &plan->minimum_bytes) != 0 ||
        units_size(dash ? dash + 1 : first, &plan->maximum_bytes) != 0)
        usage_error("--size %.64s: not sizes: give two such as 64-64KiB, or one", text);
    if (plan->minimum_bytes < 1 || plan->maximum_bytes < plan->minimum_bytes ||
        plan->maximum_bytes > LARGEST_BYTES)
        usage_error("--size %.64s: out of range: give 1 to 1TiB, the smaller one first", text);
}

// The mean of a log-uniform distribution.
static double mean_bytes(const struct alloc_plan *plan)
{
    const double low = (double)plan->minimum_bytes, high = (double)plan->maximum_bytes;
    return plan->maximum_bytes == plan->minimum_bytes ? low : (high - low) / log(high / low);
}

// How many bytes the allocations of one worker exceed their mean by at some time within
// hours: of 10^6 sums that do not depend on each other one is 5 standard deviations above.
static double excess_bytes(const struct alloc_plan *plan)
{
    const double low = (double)plan->minimum_bytes, high = (double)plan->maximum_bytes;
    if (high <= low)
        return 0;
    const double mean = mean_bytes(plan), slots = (double)plan->slots;
    const double squares = (high * high - low * low) / (2 * log(high / low));
    return fmin(5 * sqrt(slots * (squares - mean * mean)), slots * (high - mean));
}

static void alloc_check(struct run *run)
{
    struct alloc_settings *set = run->settings;
    struct alloc_plan *plan = run->state;
    plan->allocator = set->allocator > 0 ? allocators[set->allocator - 1]
                                         : (alloc_jemalloc.open ? &alloc_jemalloc : &alloc_glibc);
    if (plan->allocator == &alloc_jemalloc ? !alloc_jemalloc.open
                                           : !__libc_malloc || !__libc_free || !__libc_mallopt)
        usage_error("--allocator %s: not in this build: %s", plan->allocator->name,
                    plan->allocator == &alloc_jemalloc
                        ? "give glibc, or install jemalloc 5 and build again without sanitizers"
                        : "give jemalloc");
    parse_sizes(set->size, plan);
    plan->slots = (uint64_t)((double)set->live_bytes / run->threads / mean_bytes(plan));
    if (plan->slots < 1)
        usage_error("--live %llu: less than one allocation of each of %u workers: give more, or a "
                    "smaller --size",
                    (unsigned long long)set->live_bytes, run->threads);
    // What all of it takes of memory at most.
    const struct alloc_spare *spare =
        set->purge ? &plan->allocator->purging : &plan->allocator->usual;
    const double large =
        plan->maximum_bytes >= page_bytes() ? spare->pages_of_large * (double)page_bytes() : 0;
    const double each = mean_bytes(plan) * spare->factor + large + OVERHEAD_BYTES;
    plan->room_bytes = ((double)plan->slots * each + excess_bytes(plan) * spare->factor +
                        (double)plan->maximum_bytes) *
                           run->threads +
                       PROGRAM_BYTES;
    room_claim(run, plan->room_bytes, -1, "allocated at a time, with what the allocator needs,",
               "give less --live or --size");
    // Allocations of one paced operation without a limit.
    const double pages = mean_bytes(plan) / (double)page_bytes();
    run->quantum = floor(fmax(fmin(MOST_IN_A_ROW, PAGES_IN_A_ROW / pages), 1));
    // Writes what was chosen into the options, which a calibration is known by.
    char low[24], high[24];
    snprintf(plan->sizes, sizeof plan->sizes, "%s-%s",
             units_exact_size(plan->minimum_bytes, low, sizeof low),
             units_exact_size(plan->maximum_bytes, high, sizeof high));
    set->size = plan->sizes;
    set->allocator = plan->allocator == &alloc_jemalloc ? 1 : 2;
}

enum counter { FAULTS };

static const char details[] =
    "One operation frees one allocation and makes another; the rate of --limit is in operations a "
    "second, 50% is of what `loadgen alloc --calib` measured with the same options. With jemalloc "
    "each worker has an arena of its own; --purge sets its decay to 0. The allocator's statistics "
    "are in the report. See docs/bench.md#memory.";

struct slot {
    unsigned char *memory;
    size_t bytes;
};

struct alloc_worker {
    struct alloc_heap heap;
    struct slot *slots;
    uint64_t random;
    size_t page_bytes;
    double logarithm; // of maximum / minimum
};

// ---- workers ----

// A new allocation in the slot, each page of it touched. 0, or -1: no memory.
static int fill_slot(struct alloc_worker *own, const struct alloc_plan *plan, struct slot *slot)
{
    const double unit = (double)(random_next(&own->random) >> 11) * 0x1p-53; // 0 <= unit < 1
    slot->bytes = (size_t)((double)plan->minimum_bytes * exp(own->logarithm * unit));
    slot->memory = plan->allocator->get(&own->heap, slot->bytes);
    if (!slot->memory)
        return -1;
    for (size_t at = 0; at < slot->bytes; at += own->page_bytes)
        slot->memory[at] = 1;
    slot->memory[slot->bytes - 1] = 1;
    return 0;
}

static void empty_slot(struct alloc_worker *own, const struct alloc_plan *plan, struct slot *slot)
{
    if (slot->memory)
        plan->allocator->put(&own->heap, slot->memory, slot->bytes);
    slot->memory = NULL;
}

static int no_memory(struct worker *worker)
{
    return worker_fail(worker, "the allocator has no more memory: %s: give less --live",
                       strerror(errno == 0 ? ENOMEM : errno));
}

// All slots, as long as the kernel has memory to give. 0, or -1 after worker_fail().
static int fill_slots(struct worker *worker, struct alloc_worker *own)
{
    const struct alloc_plan *plan = state_of(worker->run);
    const size_t step = room_step(worker->run);
    size_t since_look = 0;
    for (uint64_t i = 0; i < plan->slots; i++) {
        if (fill_slot(own, plan, &own->slots[i]) != 0)
            return no_memory(worker);
        since_look += own->slots[i].bytes;
        if (since_look < step)
            continue;
        since_look = 0;
        if (!room_for_more(worker->run))
            return -1;
    }
    return 0;
}

static int begin(struct worker *worker)
{
    const struct alloc_plan *plan = state_of(worker->run);
    struct alloc_worker *own = worker->state;
    own->page_bytes = page_bytes();
    own->random = 0x9E3779B97F4A7C15ull + worker->index;
    own->logarithm = log((double)plan->maximum_bytes / (double)plan->minimum_bytes);
    if (plan->allocator->open(&own->heap, settings_of(worker->run)->purge) != 0)
        return worker_fail(worker, "%s failed: %s: try another --allocator", plan->allocator->name,
                           strerror(errno));
    own->slots = calloc(plan->slots, sizeof *own->slots);
    if (!own->slots)
        return no_memory(worker);
    return fill_slots(worker, own);
}

static void end(struct worker *worker)
{
    const struct alloc_plan *plan = state_of(worker->run);
    struct alloc_worker *own = worker->state;
    for (uint64_t i = 0; own->slots && i < plan->slots; i++)
        empty_slot(own, plan, &own->slots[i]);
    if (plan->allocator->close)
        plan->allocator->close(&own->heap);
    free(own->slots);
}

static double operate(struct worker *worker)
{
    const struct alloc_plan *plan = state_of(worker->run);
    struct alloc_worker *own = worker->state;
    const double count = worker->orders.quantum;
    for (double i = 0; i < count; i++) {
        const uint64_t chosen = random_below(&own->random, plan->slots);
        empty_slot(own, plan, &own->slots[chosen]);
        if (fill_slot(own, plan, &own->slots[chosen]) != 0)
            return no_memory(worker);
    }
    return count;
}

// ---- reporting ----

static void count(struct run *run, double counters[LOAD_COUNTERS])
{
    struct rusage usage;
    (void)run;
    if (getrusage(RUSAGE_SELF, &usage) == 0)
        counters[FAULTS] = (double)usage.ru_minflt;
}

static void fields(struct run *run, const struct snapshot *window, struct line *line)
{
    double bytes[STATISTICS];
    char name[32];
    state_of(run)->allocator->statistics(bytes);
    line_fixed(line, "page_faults_per_s", per_second(window->counters[FAULTS], window), 6);
    for (size_t i = 0; i < STATISTICS; i++) {
        snprintf(name, sizeof name, "%s_bytes", statistic_names[i]);
        line_fixed(line, name, bytes[i], 6);
    }
}

static void notes(struct run *run, const char *event, const struct snapshot *window)
{
    const struct alloc_plan *plan = state_of(run);
    double bytes[STATISTICS];
    char size[32];
    (void)event;
    plan->allocator->statistics(bytes);
    report_print(&run->report, "  %s%s: %.0f page faults a second", plan->allocator->name,
                 settings_of(run)->purge ? ", purging" : "",
                 per_second(window->counters[FAULTS], window));
    for (size_t i = 0; i < STATISTICS; i++)
        if (!isnan(bytes[i]))
            report_print(&run->report, ", %s %s", statistic_names[i],
                         units_format_size(bytes[i], size, sizeof size));
    report_print(&run->report, "\n");
}

static void describe(struct run *run, struct line *line)
{
    const struct alloc_plan *plan = state_of(run);
    line_text(line, "allocator", plan->allocator->name);
    line_count(line, "minimum_bytes", plan->minimum_bytes);
    line_count(line, "maximum_bytes", plan->maximum_bytes);
    line_count(line, "live_bytes", settings_of(run)->live_bytes);
    line_count(line, "room_bytes", (uint64_t)plan->room_bytes);
    line_count(line, "slots", plan->slots * run->threads);
    line_bool(line, "purge", settings_of(run)->purge);
    line_count(line, "chunk_operations", (uint64_t)engine_quantum(run));
}

static const struct load alloc_load = {
    .name = "alloc",
    .summary = "allocates and frees memory: allocator, page faults, mappings",
    .details = details,
    LOAD_OPTIONS(alloc_options),
    .state_size = sizeof(struct alloc_plan),
    .worker_size = sizeof(struct alloc_worker),
    .grain = 1,
    .steps_per_s = STEPS_PER_S,
    .unit = UNIT_OPS,
    .calibrations = (const char *const[]){"--threads 1", "", NULL},
    .pinned = true,
    .check = alloc_check,
    .fills = true,
    .begin = begin,
    .operate = operate,
    .end = end,
    .describe = describe,
    .fields = fields,
    .notes = notes,
    .count = count,
};
LOADGEN_REGISTER(alloc_load);
