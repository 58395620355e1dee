// Where the caches of this machine end, whatever they are said to be: the L3 that a virtual machine
// reports need not be the one below it. Latency of dependent loads at random places rises with the
// size of the memory they go to as long as some of them still find a cache; from the edge on it
// stays what it is.
//
// The place of each load follows from a generator and from what was loaded before, so that nothing
// can guess it, and no ring of pointers has to be laid out first: that takes longer than all of
// this.

#include "mem/mem.h"

#include "common/cgroup.h"
#include "common/file.h"
#include "common/random.h"
#include "common/record_json.h"
#include "common/save.h"
#include "common/schemas.h"
#include "common/text.h"
#include "common/trust.h"

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

bool edge_kept(const struct mem_caches *caches, uint64_t *bytes)
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

uint64_t edge_find(const struct mem_caches *caches, int cpu, bool quiet)
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

#define STILL_RISING 0.95 // of the latency at the largest size

uint64_t edge_of(const struct edge_point *point, size_t count)
{
    size_t first = count;
    if (count < 2)
        return 0;
    while (first > 0 && point[first - 1].ns_per_load >= STILL_RISING * point[count - 1].ns_per_load)
        first--;
    return first + 1 < count ? point[first].bytes : 0;
}
