// Where the caches of this machine end, whatever they are said to be: the L3 that a
// virtual machine reports need not be the one below it. Latency of dependent loads at
// random places rises with the size of the memory they go to as long as some of them
// still find a cache; from the edge on it stays what it is.
//
// Latencies of dependent loads at random places of growing memory. The place follows
// from a generator and from what was loaded before, so that nothing can guess it, and no
// ring of pointers has to be laid out first: that takes longer than all of this.

#include "mem/mem.h"

#include "common/cgroup.h"
#include "common/file.h"
#include "common/random.h"
#include "common/record_json.h"
#include "common/save.h"
#include "common/schemas.h"
#include "common/text.h"

#include <sys/file.h>
#include <sys/mman.h>

#define SMALLEST_BYTES (4ull << 20)
#define LARGEST_BYTES  (1ull << 30)
#define TOUCH_BYTES    SMALLEST_BYTES
#define LINE_BYTES     64
#define BATCH_LOADS    1000       // some 100 us: few are interrupted
#define POINT_NS       60000000   // for each size
#define BUDGET_NS      1900000000 // CPU time for all: no further size is begun after that
#define PATIENCE_NS    4000000000 // the same of wall time, where others take the CPU

enum { EDGE_POINTS = 16 };

struct edge {
    uint64_t bytes; // 0: not known
    size_t count;
    struct edge_point point[EDGE_POINTS];
};

// Each load waits for the one before: what it finds (0) is added to the state.
static uint64_t run_batch(const char *memory, uint64_t lines, uint64_t state)
{
    for (int i = 0; i < BATCH_LOADS; i++) {
        const uint64_t place = random_below(&state, lines) * LINE_BYTES;
        state += *(const volatile uint64_t *)(const void *)(memory + place);
    }
    return state;
}

// The least of many batches: others on the machine can only make one slower.
static double fastest_ns(const char *memory, uint64_t bytes)
{
    const int64_t start_ns = clock_ns();
    double least = INFINITY;
    uint64_t state = bytes;
    for (int64_t from_ns = start_ns; from_ns - start_ns < POINT_NS;) {
        state = run_batch(memory, bytes / LINE_BYTES, state);
        const int64_t to_ns = clock_ns();
        least = fmin(least, (double)(to_ns - from_ns) / BATCH_LOADS);
        from_ns = to_ns;
    }
    __asm__ volatile("" : : "r"(state)); // it is needed
    return least;
}

// Measures edge->point at doubling sizes from 4 MiB on, on this thread's CPU: as many as
// `most_bytes` of memory (1 GiB at most) and about 2 s of CPU time allow. What is new of each is
// written first, which takes as long as the system needs to find it, and pushes what the caches had
// out, as far as they reach.
static void edge_run(struct edge *edge, uint64_t most_bytes)
{
    const uint64_t most = most_bytes < LARGEST_BYTES ? most_bytes : LARGEST_BYTES;
    const int64_t wall_ns = clock_ns() + PATIENCE_NS;
    const int64_t cpu_ns = clock_of(CLOCK_THREAD_CPUTIME_ID) + BUDGET_NS;
    char *memory = mmap(NULL, LARGEST_BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    uint64_t bytes = SMALLEST_BYTES;
    edge->count = 0;
    if (memory == MAP_FAILED)
        return;
    // Page tables that no longer fit would make latency rise far beyond the caches.
    (void)madvise(memory, LARGEST_BYTES, MADV_HUGEPAGE);
    for (uint64_t written = 0; bytes <= most && edge->count < EDGE_POINTS &&
                               clock_ns() <= wall_ns &&
                               clock_of(CLOCK_THREAD_CPUTIME_ID) <= cpu_ns;) {
        memset(memory + written, 0, TOUCH_BYTES);
        written += TOUCH_BYTES;
        if (written < bytes)
            continue;
        edge->point[edge->count++] =
            (struct edge_point){.bytes = bytes, .ns_per_load = fastest_ns(memory, bytes)};
        bytes *= 2;
    }
    munmap(memory, LARGEST_BYTES);
}

// ---- keeping it ----

// "AMD EPYC, 2 CPUs, L3 32 MiB": the machine, as far as it can be known.
static void describe(const struct mem_caches *caches, char *text, size_t size)
{
    char machine[192];
    snprintf(text, size, "%s, L3 %llu bytes", kept_machine(machine, sizeof machine),
             (unsigned long long)caches->l3_bytes);
}

static int path_of(const char *ending, char path[PATH_MAX])
{
    char host[256] = "", name[300];
    gethostname(host, sizeof host - 1);
    snprintf(name, sizeof name, "machine/%s.cache-edge.%s", host, ending);
    return kept_path(name, path);
}

// Whether a measurement is kept for this machine; sets bytes: 0: nothing is, or latency rose up to
// the largest size.
static bool edge_kept(const struct mem_caches *caches, uint64_t *bytes)
{
    char path[PATH_MAX], machine[256];
    *bytes = 0;
    if (path_of("json", path) != 0 || !trust_path(path))
        return false;
    describe(caches, machine, sizeof machine);
    json_t *record = json_read_record(path, 0, NULL);
    const json_t *edge = json_object_get(record, "cache_edge_bytes");
    const json_int_t found = json_integer_value(edge);
    const bool fits = json_text_is(record, "schema", SCHEMA_CACHE_EDGE) &&
                      json_text_is(record, "machine", machine) && (json_is_null(edge) || found > 0);
    if (fits)
        *bytes = (uint64_t)found;
    json_decref(record);
    return fits;
}

static bool keep(const struct edge *edge, const struct mem_caches *caches, const char *path)
{
    char created[DATE_SIZE], machine[256];
    struct line line = {0};
    describe(caches, machine, sizeof machine);
    line_object(&line, NULL);
    line_text(&line, "schema", SCHEMA_CACHE_EDGE);
    line_text(&line, "machine", machine);
    line_text(&line, "created", date_utc(time(NULL), created));
    line_fixed(&line, "cache_edge_bytes", edge->bytes > 0 ? (double)edge->bytes : NAN, 0);
    line_array(&line, "latencies");
    for (size_t i = 0; i < edge->count; i++) {
        line_object(&line, NULL);
        line_count(&line, "bytes", edge->point[i].bytes);
        line_fixed(&line, "ns_per_load", edge->point[i].ns_per_load, 2);
        line_close(&line);
    }
    line_close(&line);
    const char *text = line_end(&line);
    const bool kept = text && kept_write(path, text) == 0;
    line_free(&line);
    return kept;
}

// ---- finding it ----

// What is kept; else measures it on the CPU, within about 2 s of CPU time and a
// quarter of the free memory, and keeps it. Whoever comes meanwhile waits for that. 0: it could
// not be measured, or not kept, or latency rises up to the largest size.
static uint64_t edge_find(const struct mem_caches *caches, int cpu, bool quiet)
{
    struct edge edge = {0};
    char path[PATH_MAX], lock[PATH_MAX];
    uint64_t bytes;
    if (edge_kept(caches, &bytes) || path_of("json", path) != 0 || path_of("lock", lock) != 0 ||
        kept_make_folder(lock) != 0)
        return bytes;
    const int fd = open(lock, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return 0;
    // Where the file system has no locks, two that measure disturb each other: no more.
    (void)flock(fd, LOCK_EX);
    if (!edge_kept(caches, &bytes)) {
        struct cpu_list before;
        const bool pinned = cpus_allowed(&before) == 0 && cpus_pin(cpu) == 0;
        if (!quiet)
            fprintf(stderr, "measuring where the caches end: once on this machine, about 2 s\n");
        edge_run(&edge, headroom_left(-1).bytes / 4);
        if (pinned)
            (void)cpus_pin_list(&before);
        edge.bytes = edge_of(edge.point, edge.count);
        bytes = edge.count > 1 && keep(&edge, caches, path) ? edge.bytes : 0;
    }
    close(fd);
    return bytes;
}

// Blocks of one word; reads of random ones are a chase.
static enum mem_access access_of(const struct mem_settings *set, enum mem_kernel *kernel)
{
    if (*kernel == MEM_READ && set->random)
        *kernel = MEM_CHASE;
    switch (*kernel) {
    case MEM_CHASE:
        return ACCESS_LOAD_RANDOM;
    case MEM_READ:
        return ACCESS_LOAD_NEXT;
    case MEM_WRITE:
        return set->random ? ACCESS_STORE_RANDOM : ACCESS_STORE_NEXT;
    case MEM_COPY:
        return set->random ? ACCESS_COPY_RANDOM : ACCESS_COPY_NEXT;
    default:
        usage_error("--block-size %llu: single accesses are read, written or copied: give --read, "
                    "--write or --kernel copy",
                    (unsigned long long)set->block_bytes);
    }
}

static bool is_word(uint64_t block_bytes)
{
    return block_bytes == 1 || block_bytes == MEM_LARGEST_WORD;
}

// What --kernel, --read, --write, --block-size, --sequential and --random mean together. Ends the
// program with exit status 2 where they exclude each other.
static void choose_kernel(struct run *run)
{
    const struct mem_settings *set = settings_of(run);
    struct mem_plan *plan = &state_of(run)->plan;
    // --read and --write are other words for two kernels.
    if (set->read && set->write)
        usage_error("--read and --write exclude each other: give one, or --kernel copy");
    if ((set->read || set->write) && options_given(run->options, "kernel"))
        usage_error("--%s is a --kernel: give one of the two", set->read ? "read" : "write");
    plan->kernel = (enum mem_kernel)set->kernel;
    if (set->read || set->write)
        plan->kernel = set->read ? MEM_READ : MEM_WRITE;
    if (set->random && set->sequential)
        usage_error("--random and --sequential exclude each other: give one");
    if (set->random && set->block_bytes == 0)
        usage_error("--random: of blocks: give their --block-size");
    if (!is_word(set->block_bytes) && set->block_bytes % (MEM_BLOCK * sizeof(double)) != 0)
        usage_error("--block-size %llu: neither 1 nor 8, nor a multiple of %zu bytes: give such a "
                    "size",
                    (unsigned long long)set->block_bytes, MEM_BLOCK * sizeof(double));
    if (set->block_bytes != 0 && (plan->kernel == MEM_CHASE || plan->kernel == MEM_STREAM))
        usage_error("--block-size: %s has no blocks: give another --kernel",
                    mem_kernel_names[plan->kernel]);
    if (set->sequential && plan->kernel == MEM_CHASE)
        usage_error("--sequential: a chase is random: give --read --block-size 1");
    plan->word_bytes = set->block_bytes == 1 ? 1 : MEM_LARGEST_WORD;
    if (is_word(set->block_bytes))
        plan->access = access_of(set, &plan->kernel);
    else if (plan->kernel == MEM_CHASE)
        plan->access = ACCESS_LOAD_RANDOM;
}

#define USUAL_L3S   4.0               // for each array: STREAM's rule
#define USUAL_BYTES (256.0 * 1048576) // where no L3 is known
// What a load takes without being told to: where that is less than STREAM's rule wants, it is
// still MOST_L3S of the caches.
#define MOST_USUAL   (1024.0 * 1048576)
#define MOST_L3S     2.0
#define CHUNK_BYTES  (1u << 20) // counted bytes of one operation
#define CHUNK_INSIDE (4u << 20) // in L1 and L2, which are faster
#define CHASE_GRAIN  16.0 // accesses of the least operation: chase_run() does so many at a time
#define LEAST_BLOCKS 2.0  // of each worker, by default: else all are the same one

const char *const mem_class_names[] = {"l1", "l2", "l3", "memory"};
const char *const mem_simd_choices[] = {"auto", "avx512", "avx2",     "sse2",
                                        "sve",  "neon",   "portable", NULL};

const struct option_row mem_options[] = {
    {MEM_ROW("kernel", "NAME", OPTION_CHOICE, kernel), .preset = "triad",
     .choices = mem_kernel_names,
     .help = "copy, scale, add, triad, read, write, chase (dependent loads in random order), or "
             "stream (copy, scale, add and triad in turn)"},
    {MEM_ROW("read", NULL, OPTION_FLAG, read), .help = "the same as --kernel read"},
    {MEM_ROW("write", NULL, OPTION_FLAG, write), .help = "the same as --kernel write"},
    {MEM_ROW("block-size", "SIZE", OPTION_SIZE, block_bytes), .minimum = 1, .maximum = 1e15,
     .help = "bytes in one place of each array: a multiple of 512; or 1 or 8 for single accesses, "
             "each of which waits for the one before: a latency (default: the whole array)"},
    {MEM_ROW("sequential", NULL, OPTION_FLAG, sequential),
     .help = "one block after the other (the default)"},
    {MEM_ROW("random", NULL, OPTION_FLAG, random),
     .help = "blocks anywhere in the worker's arrays, evenly distributed"},
    {MEM_ROW("footprint", "SIZE", OPTION_TEXT, footprint), .wrong = "much",
     .help =
         "total size of all arrays of all workers: a size, 150% of an L3, or l1, l2, l3: half of "
         "that cache, for l1 and l2 of each worker (default: for each array 4 times all L3s that "
         "the load reaches, and where the caches are found to reach further, beyond that)"},
    {MEM_ROW("non-temporal", NULL, OPTION_FLAG, non_temporal),
     .help = "use stores that bypass the caches"},
    MEM_SHARED_OPTIONS,
    {0},
};

// ---- what the machine has ----

static void check_simd(struct run *run)
{
    const struct mem_settings *set = settings_of(run);
    struct mem_plan *plan = &state_of(run)->plan;
    if (set->simd == 0) {
        plan->simd = mem_simd_best();
        if (set->non_temporal && !mem_simd_table(plan->simd)->non_temporal[MEM_COPY])
            usage_error("--non-temporal: this kind of machine has no such stores: leave it out");
        return;
    }
    plan->simd = (enum simd)(set->simd - 1);
    if (!mem_simd_works(plan->simd))
        usage_error("--simd %s: this CPU lacks it: give %s, or leave it out",
                    simd_names[plan->simd], simd_names[mem_simd_best()]);
    if (set->non_temporal && !mem_simd_table(plan->simd)->non_temporal[MEM_COPY])
        usage_error("--simd %s --non-temporal: it has no such stores: give %s",
                    simd_names[plan->simd], simd_names[mem_simd_best()]);
}

void mem_open(struct run *run)
{
    const struct mem_settings *set = settings_of(run);
    struct mem_state *state = state_of(run);
    if (set->non_temporal && (state->plan.kernel == MEM_READ || state->plan.kernel == MEM_CHASE))
        usage_error("--non-temporal is for stores, and %s has none: leave it out",
                    mem_kernel_names[state->plan.kernel]);
    if (set->non_temporal && state->plan.access != ACCESS_NONE)
        usage_error("--non-temporal: single accesses have no such stores: leave it out");
    if (state->plan.access != ACCESS_NONE && options_given(run->options, "simd"))
        usage_error("--simd: %s: leave it out", state->plan.kernel == MEM_CHASE
                                                    ? "chase loads one pointer at a time"
                                                    : "single accesses need no vectors");
    if (set->huge)
        mem_pages_check_huge();
    mem_machine_open(&state->machine, &run->cpus);
    (void)edge_kept(&state->machine.caches, &state->edge_bytes);
    check_simd(run);
    char nodes[256];
    state->plan.node = (int)set->node;
    if (set->node >= 0 &&
        !mem_machine_has_node(&state->machine, (unsigned)set->node, nodes, sizeof nodes))
        usage_error("--node %d: there is no such NUMA node here: choose from %s", state->plan.node,
                    nodes);
}

// ---- footprints ----

double mem_footprint(const char *text, const struct mem_named *caches, const char *examples)
{
    uint64_t bytes;
    double percent;
    const bool part =
        strchr(text, '%') && units_percent(text, &percent) == 0 && percent > 0 && percent < 1e9;
    for (; caches->name && !part && strcmp(text, caches->name) != 0; caches++)
        continue;
    if (caches->name && caches->bytes <= 0)
        usage_error(
            "--footprint %.64s: this machine does not report the size of that cache: give a size",
            text);
    if (caches->name)
        return part ? caches->bytes * percent / 100 : caches->bytes / 2;
    if (units_size(text, &bytes) != 0 || bytes == 0)
        usage_error("--footprint %.64s: not a footprint: give a size such as %s", text, examples);
    return (double)bytes;
}

// In memory, whatever the machine says of its caches: several of the L3s that it reports
// for each array, and no less than where latency was found to stop rising for each of them, as far
// as that is no more than a load may take unasked; and some blocks for each worker.
static double usual_footprint(const struct run *run)
{
    const struct mem_state *state = state_of(run);
    const struct mem_caches *caches = &state->machine.caches;
    const double arrays = mem_kernel_arrays(state->plan.kernel);
    const double least =
        caches->l3_all_bytes > 0 ? USUAL_L3S * (double)caches->l3_all_bytes : USUAL_BYTES;
    const double l3s =
        caches->l3_bytes > 0 ? (double)caches->l3_all_bytes / (double)caches->l3_bytes : 1;
    const double blocks =
        LEAST_BLOCKS * (double)settings_of(run)->block_bytes * arrays * run->threads;
    const double wanted = fmax(least * arrays, l3s * (double)state->edge_bytes);
    const double bound = fmax(MOST_USUAL, MOST_L3S * (double)caches->l3_all_bytes);
    const double most = (double)headroom_left(state->plan.node).bytes / 2;
    return fmax(fmin(least, bound), fmin(fmax(fmin(wanted, bound), blocks), most));
}

static double footprint_of(const struct run *run)
{
    const struct mem_caches *caches = &state_of(run)->machine.caches;
    const struct mem_named named[] = {{"l3", (double)caches->l3_bytes},
                                      {"l1", (double)caches->l1_bytes * run->threads},
                                      {"l2", (double)caches->l2_bytes * run->threads},
                                      {NULL, 0}};
    return settings_of(run)->footprint ? mem_footprint(settings_of(run)->footprint, named,
                                                       "64MiB, 150% of L3, or l1, l2, l3")
                                       : usual_footprint(run);
}

// At most about 100 us of work on a machine of our day, so that a limit means an
// even flow; and long enough that taking the time does not matter.
static uint64_t chunk_of(const struct mem_plan *plan)
{
    // Of l1, l2, l3 and memory.
    static const uint64_t accesses[][4] = {[ACCESS_LOAD_RANDOM] = {65536, 16384, 1024, 1024},
                                           [ACCESS_LOAD_NEXT] = {65536, 65536, 65536, 65536},
                                           [ACCESS_STORE_RANDOM] = {16384, 16384, 1024, 1024},
                                           [ACCESS_STORE_NEXT] = {16384, 16384, 16384, 16384},
                                           [ACCESS_COPY_RANDOM] = {16384, 16384, 1024, 1024},
                                           [ACCESS_COPY_NEXT] = {16384, 16384, 16384, 16384}};
    if (plan->access != ACCESS_NONE)
        return accesses[plan->access][plan->class];
    const uint64_t bytes = plan->class <= MEM_L2 ? CHUNK_INSIDE : CHUNK_BYTES;
    const uint64_t block = plan->course.step[0].element_bytes * MEM_BLOCK;
    return bytes / block * block;
}

// Counted bytes of the least operation: a block; of stream, whose steps count 16 or 24 bytes for
// each element, what is whole blocks of both.
static double grain_of(const struct mem_course *course)
{
    const double step = course->steps > 1 ? 48 : (double)course->step[0].element_bytes;
    return step * MEM_BLOCK;
}

// The same for each array of each worker, in whole blocks.
static void divide(const struct run *run, double bytes, struct mem_plan *plan)
{
    const unsigned arrays = mem_kernel_arrays(plan->kernel);
    const uint64_t given = settings_of(run)->block_bytes;
    const uint64_t block = given > MEM_LARGEST_WORD ? given : MEM_BLOCK * sizeof(double);
    const double least = (double)(block * arrays * run->threads);
    char wanted[32], size[32], all[32];
    plan->array_bytes = (uint64_t)(bytes / run->threads / arrays) / block * block;
    plan->worker_bytes = plan->array_bytes * arrays;
    if (plan->array_bytes > 0 || bytes <= 0)
        return;
    if (given > MEM_LARGEST_WORD)
        usage_error("--block-size %s: larger than the %s of a footprint of %s that each array of "
                    "each worker has: give a --footprint of %s or more",
                    units_format_size((double)given, wanted, sizeof wanted),
                    units_format_size(bytes / run->threads / arrays, size, sizeof size),
                    units_format_size(bytes, all, sizeof all),
                    units_format_size(least, (char[32]){0}, 32));
    usage_error(
        "a footprint of %.0f bytes: too little for %u array%s of %u worker%s: give %s or more",
        bytes, arrays, arrays == 1 ? "" : "s", run->threads, run->threads == 1 ? "" : "s",
        units_format_size(least, wanted, sizeof wanted));
}

// In memory the widest vectors win nothing, and some CPUs clock lower for them:
// that would be a load of another kind on the neighbours.
static void choose_run(const struct run *run, struct mem_plan *plan)
{
    if (settings_of(run)->simd == 0 && plan->simd == SIMD_AVX512 && plan->class == MEM_MEMORY &&
        mem_simd_works(SIMD_AVX2))
        plan->simd = SIMD_AVX2;
    const struct mem_table *table = mem_simd_table(plan->simd);
    struct mem_course *course = &plan->course;
    const uint64_t block_bytes = settings_of(run)->block_bytes;
    mem_course_steps(course, plan->kernel,
                     settings_of(run)->non_temporal ? table->non_temporal : table->cached);
    course->elements = plan->array_bytes / sizeof(double);
    course->block = block_bytes > 0 ? block_bytes / sizeof(double) : course->elements;
    course->random = settings_of(run)->random;
}

void mem_set_footprint(struct run *run, double footprint_bytes)
{
    struct mem_settings *set = settings_of(run);
    struct mem_state *state = state_of(run);
    struct mem_plan *plan = &state->plan;
    const struct mem_caches *caches = &state->machine.caches;
    const bool moves = plan->access == ACCESS_NONE;
    // Reserved huge pages are taken from everybody already.
    if (!set->huge || footprint_bytes > (double)mem_pages_reserved_bytes())
        room_claim(run, footprint_bytes, plan->node, "a footprint of",
                   "give a smaller --footprint");
    divide(run, footprint_bytes, plan);
    const uint64_t own = plan->worker_bytes, all = own * run->threads;
    plan->class = own <= caches->l1_bytes       ? MEM_L1
                  : own <= caches->l2_bytes     ? MEM_L2
                  : all <= caches->l3_all_bytes ? MEM_L3
                                                : MEM_MEMORY;
    if (moves)
        choose_run(run, plan);
    run->unit = moves ? UNIT_BYTES : UNIT_OPS;
    run->quantum = (double)chunk_of(plan);
    run->grain = moves ? grain_of(&plan->course) : CHASE_GRAIN;
    // Writes what was chosen into the options, which a calibration is known by.
    // The default follows from the machine; where memory is short it is less for the moment, and
    // the same load all the same.
    units_exact_size(all, state->footprint, sizeof state->footprint);
    if (set->footprint)
        set->footprint = state->footprint;
    set->simd = moves ? 1 + (int)plan->simd : 0;
    set->kernel = (int)plan->kernel;
    set->read = set->write = set->sequential = false;
    if (plan->kernel == MEM_CHASE) { // however it was named
        set->random = false;
        set->block_bytes = 0;
    }
}

// ---- all of it ----

void mem_check(struct run *run)
{
    const struct common *common = &run->common;
    struct mem_state *state = state_of(run);
    choose_kernel(run);
    mem_open(run);
    // Whether the frame is about to refuse the options: then nothing is worth measuring.
    const bool refused = common->limit && common->calib && !common->if_missing;
    // Only who relies on it waits for it, and only once on a machine.
    if (!settings_of(run)->footprint && !common->dry_run && !refused)
        state->edge_bytes = edge_find(&state->machine.caches, run->cpus.cpu[0], run->report.json);
    mem_set_footprint(run, footprint_of(run));
}
