#include "reporters.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/messages.h"
#include "common/random.h"
#include "reporter_kernel.h"

#define FIRST_SIZE       64
#define LEAST_CORRELATED 8 /* values that show a correlation */
#define LEAST_ERROR      3
#define MOST_CORRELATION 0.95

/* False: out of memory; the value is left out. */
static bool series_add(struct series *series, double value)
{
    if (series->count == series->size) {
        const size_t size = series->size == 0 ? FIRST_SIZE : 2 * series->size;
        double *larger = reallocarray(series->value, size, sizeof *larger);
        if (larger == NULL)
            return false;
        series->value = larger;
        series->size = size;
    }
    series->value[series->count++] = value;
    return true;
}

static void series_clear(struct series *series)
{
    series->count = 0;
}

static void series_free(struct series *series)
{
    free(series->value);
    *series = (struct series){0};
}

static double correlation_of(const struct series *series)
{
    if (series->count < LEAST_CORRELATED)
        return NAN;
    const double found = gsl_stats_lag1_autocorrelation(series->value, 1, series->count);
    return isfinite(found) ? fmin(fmax(found, 0), MOST_CORRELATION) : 0;
}

/* Q_n of Rousseeuw and Croux (1993): of all pairs' distances, the quarter; 82 % as efficient as the
 * standard deviation, where the median absolute deviation has 37 %, and it has no centre. */
static bool spread_of(const double *sorted, size_t count, double *spread)
{
    double *work = calloc(3 * count, sizeof *work);
    int *index = calloc(5 * count, sizeof *index);
    const bool good = work != NULL && index != NULL;
    if (good)
        *spread = gsl_stats_Qn_from_sorted_data(sorted, 1, count, work, index);
    free(work);
    free(index);
    return good;
}

/* False: out of memory. */
static bool series_summarise(const struct series *series, struct series_summary *summary)
{
    const size_t count = series->count;
    *summary = (struct series_summary){NAN, NAN, NAN, NAN, NAN};
    if (count == 0)
        return true;
    double *sorted = malloc(count * sizeof *sorted);
    if (sorted == NULL)
        return false;
    memcpy(sorted, series->value, count * sizeof *sorted);
    gsl_sort(sorted, 1, count);
    summary->mean = gsl_stats_mean(series->value, 1, count);
    summary->median = gsl_stats_median_from_sorted_data(sorted, 1, count);
    const bool good = count < LEAST_ERROR || spread_of(sorted, count, &summary->spread);
    free(sorted);
    summary->correlation = correlation_of(series);
    if (count < LEAST_ERROR)
        return good;
    const double r = isnan(summary->correlation) ? 0 : summary->correlation;
    summary->error =
        sqrt(gsl_stats_variance(series->value, 1, count) / (double)count * (1 + r) / (1 - r));
    return good;
}

static const struct reporter_kernel *const kernels[REPORTERS] = {
    [REPORTER_GAP] = &kernel_gap,
    [REPORTER_L2] = &kernel_l2,
    [REPORTER_MEMORY] = &kernel_memory,
    [REPORTER_FAULTS] = &kernel_faults,
};

/* One of the chosen reporters. */
struct member {
    enum reporter reporter;
    void *state; /* NULL: it cannot work here */
    char reason[256];
    struct series logarithms;
};

struct reporter_set {
    struct member member[REPORTERS];
    size_t count;
    struct shared_area *shared;
    uint64_t random;
    int64_t open_ns;
};

static void open_member(struct reporter_set *set, struct member *member)
{
    const struct kernel_setting setting = {.seed = random_next(&set->random),
                                           .shared = set->shared};
    member->state =
        kernels[member->reporter]->open(&setting, member->reason, sizeof member->reason);
    if (member->state == NULL && *member->reason == '\0')
        snprintf(member->reason, sizeof member->reason, "out of memory");
}

struct reporter_set *reporters_open(const struct reporter_choice *choice)
{
    const int64_t begin_ns = kernel_wall_ns();
    struct reporter_set *set = calloc(1, sizeof *set);
    if (set == NULL || (set->shared = shared_area_new()) == NULL) {
        reporters_close(set);
        complain("out of memory: free some");
        return NULL;
    }
    set->random = choice->seed;
    for (enum reporter reporter = 0; reporter < REPORTERS; reporter++) {
        if (choice->wanted != NULL && !choice->wanted[reporter])
            continue;
        set->member[set->count].reporter = reporter;
        open_member(set, &set->member[set->count++]);
    }
    set->open_ns = kernel_wall_ns() - begin_ns;
    return set;
}

void reporters_close(struct reporter_set *set)
{
    if (set == NULL)
        return;
    for (size_t i = 0; i < set->count; i++) {
        struct member *member = &set->member[i];
        if (member->state != NULL)
            kernels[member->reporter]->close(member->state);
        series_free(&member->logarithms);
    }
    shared_area_free(set->shared);
    free(set);
}

double reporters_open_s(const struct reporter_set *set)
{
    return (double)set->open_ns / 1e9;
}

const char *reporters_pages(const struct reporter_set *set)
{
    return shared_area_pages(set->shared);
}

int64_t reporters_round_ns(const struct reporter_set *set)
{
    int64_t sum_ns = 0;
    for (size_t i = 0; i < set->count; i++)
        if (set->member[i].state != NULL)
            sum_ns += reporter_rows[set->member[i].reporter].window_ns;
    return sum_ns;
}

static struct member *member_of(const struct reporter_set *set, enum reporter reporter)
{
    for (size_t i = 0; i < set->count; i++)
        if (set->member[i].reporter == reporter)
            return (struct member *)&set->member[i];
    return NULL;
}

static double window_of(struct member *member, int64_t window_ns)
{
    if (member->state == NULL)
        return NAN;
    const double value = kernels[member->reporter]->window(member->state, window_ns);
    if (isfinite(value) && value > 0)
        (void)series_add(&member->logarithms, log(value));
    return value;
}

double reporters_window(struct reporter_set *set, enum reporter reporter)
{
    struct member *member = member_of(set, reporter);
    return member == NULL ? NAN : window_of(member, reporter_rows[reporter].window_ns);
}

static void shuffle(struct reporter_set *set, size_t order[REPORTERS])
{
    for (size_t i = 0; i < set->count; i++) {
        const size_t j = (size_t)random_below(&set->random, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
}

int64_t reporters_sample(struct reporter_set *set, int64_t budget_ns)
{
    const int64_t begin_ns = kernel_wall_ns(), end_ns = begin_ns + budget_ns;
    const int64_t round_ns = reporters_round_ns(set);
    const double part = fmin(1, (double)budget_ns / (double)round_ns);
    size_t order[REPORTERS];
    if (round_ns == 0)
        return 0;
    for (bool first = true; first || kernel_wall_ns() < end_ns; first = false) {
        shuffle(set, order);
        for (size_t i = 0; i < set->count && (first || kernel_wall_ns() < end_ns); i++) {
            struct member *member = &set->member[order[i]];
            (void)window_of(member,
                            (int64_t)(part * (double)reporter_rows[member->reporter].window_ns));
        }
    }
    return kernel_wall_ns() - begin_ns;
}

void reporters_read(const struct reporter_set *set, enum reporter reporter, struct reading *reading)
{
    const struct member *member = member_of(set, reporter);
    struct series_summary summary;
    *reading = (struct reading){.value = NAN,
                                .median = NAN,
                                .spread = NAN,
                                .correlation = NAN,
                                .error = NAN,
                                .reason = "not chosen"};
    if (member == NULL)
        return;
    reading->reason = member->state == NULL ? member->reason : NULL;
    if (member->state == NULL || !series_summarise(&member->logarithms, &summary))
        return;
    reading->n = member->logarithms.count;
    reading->value = exp(summary.mean);
    reading->median = exp(summary.median);
    reading->spread = summary.spread;
    reading->correlation = summary.correlation;
    reading->error = summary.error;
}

void reporters_clear(struct reporter_set *set)
{
    for (size_t i = 0; i < set->count; i++)
        series_clear(&set->member[i].logarithms);
}

/* Waiting for a CPU: what a spin loses to others. */

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

/* Wall time for each second of CPU time: 1 where nobody else wants the CPU, 2 where half of it
 * is taken. */
static double window_gap(void *state, int64_t window_ns)
{
    const int64_t begin_ns = kernel_wall_ns(), cpu_begin_ns = kernel_cpu_ns();
    int64_t now_ns;
    (void)state;
    do {
        now_ns = kernel_wall_ns();
    } while (now_ns - begin_ns < window_ns);
    const int64_t cpu_ns = kernel_cpu_ns() - cpu_begin_ns;
    return cpu_ns <= 0 ? NAN : (double)(kernel_wall_ns() - begin_ns) / (double)cpu_ns;
}

const struct reporter_kernel kernel_gap = {open_nothing, window_gap, close_nothing};

/* Page faults: the first touch of a page of new memory, with mapping and unmapping. */

#define PAGES 64

struct faults_state {
    size_t page_bytes;
    bool failed;
};

static void *open_faults(const struct kernel_setting *setting, char *reason, size_t size)
{
    struct faults_state *state = calloc(1, sizeof *state);
    (void)setting, (void)reason, (void)size;
    if (state != NULL)
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

const struct reporter_kernel kernel_faults = {open_faults, window_faults, free};
