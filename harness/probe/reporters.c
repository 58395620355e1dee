// The reporters: small kernels that show what caches, memory and cores give at the moment.

#include "reporters.h"

#include "common/caches.h"
#include "common/cgroup.h"
#include "common/clock.h"
#include "common/memory.h"
#include "common/messages.h"
#include "common/processor.h"
#include "common/random.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// The small kernels that reporters are made of.

#define HUGE_BYTES ((size_t)2 << 20)
// However large the L3 is: an experiment must not take more memory, nor seconds to touch it, on a
// machine with a larger one. With the rings of L2 and L3, and all else, less than 150 MiB.
#define AREA_BYTES ((size_t)56 << 20)

// The next part of the shared memory: a ring for chase_run(), from its beginning on.
#define SHARED_PART_BYTES ((size_t)4 << 20)

// Memory at a multiple of 2 MiB, in huge pages where the system gives them on request.
struct area {
    void *memory;
    size_t bytes;
    void *base; // of the mapping
    size_t base_bytes;
};

// False, with errno: there is none. Untouched.
static bool area_map(struct area *area, size_t bytes)
{
    const size_t whole = (bytes + HUGE_BYTES - 1) & ~(HUGE_BYTES - 1);
    *area = (struct area){.bytes = bytes, .base_bytes = whole + HUGE_BYTES};
    area->base =
        mmap(NULL, area->base_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (area->base == MAP_FAILED)
        return false;
    area->memory = (char *)area->base + (HUGE_BYTES - (uintptr_t)area->base % HUGE_BYTES);
    (void)madvise(area->memory, whole, MADV_HUGEPAGE); // else the usual pages
    return true;
}

static void area_unmap(struct area *area)
{
    if (area->base && area->base != MAP_FAILED)
        munmap(area->base, area->base_bytes);
    *area = (struct area){0};
}

// Reads one word of each cache line, in order.
static void area_read(const void *memory, size_t bytes)
{
    const char *at = memory;
    uint64_t sum = 0;
    for (size_t i = 0; i < bytes; i += CHASE_LINE_BYTES)
        sum += *(const uint64_t *)(const void *)(at + i);
    __asm__ volatile("" : "+r"(sum)); // it is needed
}

// Memory that is far larger than the L3, which several reporters use: touched once. They take
// the next part for each window, so that no part is used again before all others were: no cache
// can have it.
struct shared_area {
    struct area area;
    size_t next; // offset of the next part
    const char *pages;
};

struct kernel_setting {
    uint64_t seed;              // its own
    struct shared_area *shared; // memory beyond all caches, of the reporter of memory
};

struct reporter_kernel {
    // What it holds, for the others; NULL: it cannot work here, and reason says why.
    void *(*open)(const struct kernel_setting *setting, char *reason, size_t size);
    // One window; its value in the reporter's unit. NAN: the system refused (errno).
    double (*window)(void *state, int64_t window_ns);
    void (*close)(void *state);
};

// Whether what begins at memory is in huge pages, by the kernel's own list.
static const char *pages_of(const void *memory)
{
    char line[512];
    bool inside = false;
    unsigned long long kib = 0;
    FILE *file = fopen("/proc/self/smaps", "re");
    if (!file)
        return "unknown";
    while (fgets(line, sizeof line, file)) {
        unsigned long from, to;
        if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
            inside = (uintptr_t)memory >= from && (uintptr_t)memory < to;
        else if (inside && sscanf(line, "AnonHugePages: %llu", &kib) == 1)
            break;
    }
    fclose(file);
    return kib > 0 ? "thp" : "base";
}

// Touches it, if nobody has. False: there is no memory for it; reason says how much.
static bool shared_area_open(struct shared_area *shared, char *reason, size_t size)
{
    if (shared->pages)
        return true;
    // A quarter of what may be taken at most: the cgroup's limit counts as well.
    if (AREA_BYTES > headroom_left(-1).bytes / 4 || !area_map(&shared->area, AREA_BYTES)) {
        snprintf(reason, size, "no memory for %zu MiB", AREA_BYTES >> 20);
        shared->area = (struct area){0};
        return false;
    }
    // Rings of one part each: linking one ring through all would wait for memory all the time.
    for (size_t at = 0; at < AREA_BYTES; at += SHARED_PART_BYTES)
        chase_link((char *)shared->area.memory + at, SHARED_PART_BYTES / CHASE_LINE_BYTES,
                   (unsigned)(at / SHARED_PART_BYTES));
    shared->pages = pages_of(shared->area.memory);
    return true;
}

static void *shared_area_next(struct shared_area *shared)
{
    void *part = (char *)shared->area.memory + shared->next;
    shared->next = (shared->next + SHARED_PART_BYTES) % shared->area.bytes;
    return part;
}

#define MOST_STRETCH 4

// Calls chunk(state) until window_ns of the thread's CPU time are used, or four times as much of
// the wall time has passed; at least once. Returns the nanoseconds of CPU time for each of the
// operations, of which a chunk has so many.
static double kernel_cpu_time_each(void (*chunk)(void *state), void *state, size_t operations,
                                   int64_t window_ns)
{
    const int64_t wall_end_ns = clock_ns() + MOST_STRETCH * window_ns;
    const int64_t begin_ns = clock_of(CLOCK_THREAD_CPUTIME_ID);
    int64_t used_ns;
    double done = 0;
    do {
        chunk(state);
        done += (double)operations;
        used_ns = clock_of(CLOCK_THREAD_CPUTIME_ID) - begin_ns;
    } while (used_ns < window_ns && clock_ns() < wall_end_ns);
    return (double)used_ns / done;
}

// What a core does by itself: dependent loads in L2.

// Long enough that reading the clock (0.3 us) costs less than 1 percent of a chunk.
#define L2_LOADS 16384
// The most of a ring: larger ones take longer to fill than a window.
#define MOST_RING_BYTES ((size_t)16 << 20)

struct ring {
    struct area area;
    void **at;
};

static void *open_l2(const struct kernel_setting *setting, char *reason, size_t size)
{
    struct caches caches;
    struct ring *ring = must(calloc(1, sizeof *ring));
    caches_read(-1, &caches);
    size_t bytes = (size_t)caches.l2_bytes / 2;
    if (bytes > MOST_RING_BYTES)
        bytes = MOST_RING_BYTES;
    if (bytes == 0)
        snprintf(reason, size, "this machine states no L2 cache");
    else if (!area_map(&ring->area, bytes))
        snprintf(reason, size, "no memory for %zu KiB", bytes / 1024);
    if (*reason != '\0') {
        free(ring);
        return NULL;
    }
    chase_link(ring->area.memory, bytes / CHASE_LINE_BYTES, (unsigned)setting->seed);
    ring->at = ring->area.memory;
    return ring;
}

static void close_ring(void *state)
{
    struct ring *ring = state;
    area_unmap(&ring->area);
    free(ring);
}

static void ring_chunk(void *state)
{
    struct ring *ring = state;
    ring->at = chase_run(ring->at, L2_LOADS);
}

// Others have had the cache meanwhile: reading all of it once, in order, brings it back in a
// fraction of the time that the chase would need.
static double window_ring(void *state, int64_t window_ns)
{
    struct ring *ring = state;
    area_read(ring->area.memory, ring->area.bytes);
    return kernel_cpu_time_each(ring_chunk, ring, L2_LOADS, window_ns);
}

static const struct reporter_kernel kernel_l2 = {open_l2, window_ring, close_ring};

// Memory: the latency of dependent loads.

#define MEMORY_LOADS 2048 // some 0.2 ms: reading the clock is nothing
#define PART_LOADS   (SHARED_PART_BYTES / CHASE_LINE_BYTES)

struct memory_state {
    struct shared_area *shared;
    void **at;   // of the chase
    size_t left; // loads in its part
};

static void *open_memory(const struct kernel_setting *setting, char *reason, size_t size)
{
    if (!shared_area_open(setting->shared, reason, size))
        return NULL;
    struct memory_state *state = must(calloc(1, sizeof *state));
    state->shared = setting->shared;
    return state;
}

// Each line of a part is loaded once.
static void memory_chunk(void *untyped)
{
    struct memory_state *state = untyped;
    if (state->left < MEMORY_LOADS) {
        state->at = shared_area_next(state->shared);
        state->left = PART_LOADS;
    }
    state->at = chase_run(state->at, MEMORY_LOADS);
    state->left -= MEMORY_LOADS;
}

// Each window begins a part of its own: what is left of the last one may be in a cache.
static double window_memory(void *untyped, int64_t window_ns)
{
    struct memory_state *state = untyped;
    state->left = 0;
    return kernel_cpu_time_each(memory_chunk, state, MEMORY_LOADS, window_ns);
}

static const struct reporter_kernel kernel_memory = {open_memory, window_memory, free};

// Waiting for a CPU: what a spin loses to others.

static void *open_nothing(const struct kernel_setting *setting, char *reason, size_t size)
{
    static const char nothing = 0;
    (void)setting, (void)reason, (void)size;
    return (void *)&nothing;
}

static void close_nothing(void *state)
{
    (void)state;
}

// Wall time for each second of CPU time: 1 where nobody else wants the CPU, 2 where half of it
// is taken.
static double window_gap(void *state, int64_t window_ns)
{
    const int64_t begin_ns = clock_ns(), cpu_begin_ns = clock_of(CLOCK_THREAD_CPUTIME_ID);
    int64_t now_ns;
    (void)state;
    do {
        now_ns = clock_ns();
    } while (now_ns - begin_ns < window_ns);
    const int64_t cpu_ns = clock_of(CLOCK_THREAD_CPUTIME_ID) - cpu_begin_ns;
    return cpu_ns <= 0 ? NAN : (double)(clock_ns() - begin_ns) / (double)cpu_ns;
}

static const struct reporter_kernel kernel_gap = {open_nothing, window_gap, close_nothing};

// Page faults: the first touch of a page of new memory, with mapping and unmapping.

#define PAGES 64

struct faults_state {
    size_t page_bytes;
    bool failed;
};

static void *open_faults(const struct kernel_setting *setting, char *reason, size_t size)
{
    struct faults_state *state = must(calloc(1, sizeof *state));
    (void)setting, (void)reason, (void)size;
    state->page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    return state;
}

static void faults_chunk(void *untyped)
{
    struct faults_state *state = untyped;
    const size_t bytes = PAGES * state->page_bytes;
    volatile char *memory =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        state->failed = true;
        return;
    }
    (void)madvise((void *)memory, bytes, MADV_NOHUGEPAGE);
    for (size_t page = 0; page < PAGES; page++)
        memory[page * state->page_bytes] = 1;
    munmap((void *)memory, bytes);
}

static double window_faults(void *untyped, int64_t window_ns)
{
    struct faults_state *state = untyped;
    state->failed = false;
    const double each_ns = kernel_cpu_time_each(faults_chunk, state, PAGES, window_ns);
    return state->failed ? NAN : each_ns;
}

static const struct reporter_kernel kernel_faults = {open_faults, window_faults, free};

#define MS 1000000

const struct reporter_row reporter_rows[] = {
    {"gap", "s/s", 5 * MS, SERVED_QUICK, &kernel_gap},
    {"l2", "ns", 2 * MS, SERVED_QUICK, &kernel_l2},
    {"memory", "ns", 3 * MS, SERVED_HEAVY, &kernel_memory},
    {"faults", "ns", 2 * MS, SERVED_NOT, &kernel_faults},
    {0},
};

bool reporters_choose(const char *list, bool wanted[REPORTERS_MOST])
{
    char text[512], *rest = text;
    const char *names[REPORTERS_MOST] = {NULL};
    for (size_t i = 0; reporter_rows[i].name; i++) {
        names[i] = reporter_rows[i].name;
        wanted[i] = !list;
    }
    if (!list)
        return true;
    if (snprintf(text, sizeof text, "%s", list) >= (int)sizeof text)
        return complain("--reporters: too long: name each reporter once");
    for (const char *name; (name = strsep(&rest, ",")) != NULL;) {
        size_t i = 0;
        while (names[i] && strcmp(names[i], name) != 0)
            i++;
        if (!names[i]) {
            OWNED char *all = text_of("%s", names[0]);
            for (size_t k = 1; names[k]; k++)
                all = text_joined(all, ", ", names[k]);
            return complain("--reporters %s: there is no such reporter%s: give some of %s", name,
                            nearest_hint(name, names).text, all);
        }
        wanted[i] = true;
    }
    return true;
}

// The reporters.

#define LEAST_CORRELATED 8 // values that show a correlation
#define LEAST_ERROR      3
#define MOST_CORRELATION 0.95

// Values in the order in which they were measured, and what they are worth when neighbours
// resemble each other.

struct series {
    double *item;
    size_t count, allocated;
};

// What so few values do not show stays NAN. The spread is Q_n of Rousseeuw and Croux (1993): of all
// pairs' distances, the quarter; 82 % as efficient as the standard deviation, where the median
// absolute deviation has 37 %, and it has no centre. The standard error is that of the mean, with
// the variance of n values of a first-order autoregression, s^2 / n (1 + r) / (1 - r).
static void series_summarise(const struct series *series, struct reading *reading)
{
    const size_t count = reading->n = series->count;
    if (count == 0)
        return;
    OWNED double *sorted = must(malloc(count * sizeof *sorted));
    memcpy(sorted, series->item, count * sizeof *sorted);
    gsl_sort(sorted, 1, count);
    reading->value = exp(gsl_stats_mean(series->item, 1, count));
    reading->median = exp(gsl_stats_median_from_sorted_data(sorted, 1, count));
    if (count >= LEAST_CORRELATED) {
        const double found = gsl_stats_lag1_autocorrelation(series->item, 1, count);
        reading->correlation = isfinite(found) ? fmin(fmax(found, 0), MOST_CORRELATION) : 0;
    }
    if (count < LEAST_ERROR)
        return;
    const double r = isnan(reading->correlation) ? 0 : reading->correlation;
    OWNED double *work = must(calloc(3 * count, sizeof *work));
    OWNED int *index = must(calloc(5 * count, sizeof *index));
    reading->spread = gsl_stats_Qn_from_sorted_data(sorted, 1, count, work, index);
    reading->error =
        sqrt(gsl_stats_variance(series->item, 1, count) / (double)count * (1 + r) / (1 - r));
}

// One of the chosen reporters.
struct member {
    const struct reporter_row *row;
    void *state; // NULL: it cannot work here
    char reason[256];
    struct series logarithms;
};

struct reporter_set {
    struct member member[REPORTERS_MOST];
    size_t count;
    struct shared_area shared;
    uint64_t random;
    int64_t open_ns;
    size_t next; // where reporters_short() begins
};

struct reporter_set *reporters_open(const struct reporter_choice *choice)
{
    const int64_t begin_ns = clock_ns();
    struct reporter_set *set = must(calloc(1, sizeof *set));
    set->random = choice->seed;
    for (size_t i = 0; reporter_rows[i].name; i++) {
        if (!choice->wanted[i])
            continue;
        struct member *member = &set->member[set->count++];
        const struct kernel_setting setting = {.seed = random_next(&set->random),
                                               .shared = &set->shared};
        member->row = &reporter_rows[i];
        member->state = member->row->kernel->open(&setting, member->reason, sizeof member->reason);
    }
    set->open_ns = clock_ns() - begin_ns;
    return set;
}

void reporters_close(struct reporter_set *set)
{
    for (size_t i = 0; i < set->count; i++) {
        struct member *member = &set->member[i];
        if (member->state)
            member->row->kernel->close(member->state);
        free(member->logarithms.item);
    }
    area_unmap(&set->shared.area);
    free(set);
}

double reporters_open_s(const struct reporter_set *set)
{
    return (double)set->open_ns / 1e9;
}

const char *reporters_pages(const struct reporter_set *set)
{
    return set->shared.pages;
}

int64_t reporters_round_ns(const struct reporter_set *set)
{
    int64_t sum_ns = 0;
    for (size_t i = 0; i < set->count; i++)
        if (set->member[i].state)
            sum_ns += set->member[i].row->window_ns;
    return sum_ns;
}

static void window_of(struct member *member, int64_t window_ns)
{
    if (!member->state)
        return;
    const double value = member->row->kernel->window(member->state, window_ns);
    if (isfinite(value) && value > 0)
        MORE(&member->logarithms) = log(value);
}

void reporters_short(struct reporter_set *set, int64_t budget_ns)
{
    const int64_t end_ns = clock_ns() + budget_ns;
    for (size_t i = 0; i < set->count; i++) {
        struct member *member = &set->member[set->next % set->count];
        if (i > 0 && clock_ns() + member->row->window_ns > end_ns)
            return;
        window_of(member, member->row->window_ns);
        set->next++;
    }
}

static void shuffle(struct reporter_set *set, size_t order[REPORTERS_MOST])
{
    for (size_t i = 0; i < set->count; i++) {
        const size_t j = (size_t)random_below(&set->random, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
}

int64_t reporters_sample(struct reporter_set *set, int64_t budget_ns)
{
    const int64_t begin_ns = clock_ns(), end_ns = begin_ns + budget_ns;
    const int64_t round_ns = reporters_round_ns(set);
    const double part = fmin(1, (double)budget_ns / (double)round_ns);
    size_t order[REPORTERS_MOST];
    if (round_ns == 0)
        return 0;
    for (bool first = true; first || clock_ns() < end_ns; first = false) {
        shuffle(set, order);
        for (size_t i = 0; i < set->count && (first || clock_ns() < end_ns); i++) {
            struct member *member = &set->member[order[i]];
            window_of(member, (int64_t)(part * (double)member->row->window_ns));
        }
    }
    return clock_ns() - begin_ns;
}

bool reporters_read(const struct reporter_set *set, size_t index, struct reading *reading)
{
    const struct member *member = &set->member[index];
    if (index >= set->count)
        return false;
    *reading = (struct reading){.row = member->row,
                                .value = NAN,
                                .median = NAN,
                                .spread = NAN,
                                .correlation = NAN,
                                .error = NAN,
                                .reason = !member->state ? member->reason : NULL};
    if (member->state)
        series_summarise(&member->logarithms, reading);
    return true;
}

void reporters_clear(struct reporter_set *set)
{
    for (size_t i = 0; i < set->count; i++)
        set->member[i].logarithms.count = 0;
}
