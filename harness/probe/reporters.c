#include "reporters.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/memory.h"
#include "common/messages.h"
#include "common/random.h"
#include "kernels.h"

#define LEAST_CORRELATED 8 // values that show a correlation
#define LEAST_ERROR      3
#define MOST_CORRELATION 0.95

// Values in the order in which they were measured, and what they are worth when neighbours
// resemble each other.

struct series {
    double *value;
    size_t count, size;
};

// NAN for what so few values do not show.
struct series_summary {
    double mean, median;
    double spread;      // robust standard deviation (Q_n), from 3 values on
    double correlation; // of neighbours (lag 1), kept to 0 ... 0.95; from 8 values on
    double error;       // standard error of the mean, from 3 values on: with the variance of n
                        // values of a first-order autoregression, s^2 / n (1 + r) / (1 - r)
};

static void series_add(struct series *series, double value)
{
    series->value = grown(series->value, series->count, &series->size, sizeof *series->value);
    series->value[series->count++] = value;
}

static double correlation_of(const struct series *series)
{
    if (series->count < LEAST_CORRELATED)
        return NAN;
    const double found = gsl_stats_lag1_autocorrelation(series->value, 1, series->count);
    return isfinite(found) ? fmin(fmax(found, 0), MOST_CORRELATION) : 0;
}

// Q_n of Rousseeuw and Croux (1993): of all pairs' distances, the quarter; 82 % as efficient as the
// standard deviation, where the median absolute deviation has 37 %, and it has no centre.
static bool spread_of(const double *sorted, size_t count, double *spread)
{
    OWNED double *work = calloc(3 * count, sizeof *work);
    OWNED int *index = calloc(5 * count, sizeof *index);
    const bool good = work && index;
    if (good)
        *spread = gsl_stats_Qn_from_sorted_data(sorted, 1, count, work, index);
    return good;
}

// False: out of memory.
static bool series_summarise(const struct series *series, struct series_summary *summary)
{
    const size_t count = series->count;
    *summary = (struct series_summary){NAN, NAN, NAN, NAN, NAN};
    if (count == 0)
        return true;
    double *sorted = malloc(count * sizeof *sorted);
    if (!sorted)
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

// One of the chosen reporters.
struct member {
    enum reporter reporter;
    void *state; // NULL: it cannot work here
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
        reporter_kernels[member->reporter]->open(&setting, member->reason, sizeof member->reason);
    if (!member->state && *member->reason == '\0')
        snprintf(member->reason, sizeof member->reason, "out of memory");
}

struct reporter_set *reporters_open(const struct reporter_choice *choice)
{
    const int64_t begin_ns = kernel_wall_ns();
    struct reporter_set *set = calloc(1, sizeof *set);
    if (!set || (set->shared = shared_area_new()) == NULL) {
        reporters_close(set);
        complain("out of memory: free some");
        return NULL;
    }
    set->random = choice->seed;
    for (enum reporter reporter = 0; reporter < REPORTERS; reporter++) {
        if (choice->wanted && !choice->wanted[reporter])
            continue;
        set->member[set->count].reporter = reporter;
        open_member(set, &set->member[set->count++]);
    }
    set->open_ns = kernel_wall_ns() - begin_ns;
    return set;
}

void reporters_close(struct reporter_set *set)
{
    if (!set)
        return;
    for (size_t i = 0; i < set->count; i++) {
        struct member *member = &set->member[i];
        if (member->state)
            reporter_kernels[member->reporter]->close(member->state);
        free(member->logarithms.value);
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
        if (set->member[i].state)
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
    if (!member->state)
        return NAN;
    const double value = reporter_kernels[member->reporter]->window(member->state, window_ns);
    if (isfinite(value) && value > 0)
        series_add(&member->logarithms, log(value));
    return value;
}

double reporters_window(struct reporter_set *set, enum reporter reporter)
{
    struct member *member = member_of(set, reporter);
    return !member ? NAN : window_of(member, reporter_rows[reporter].window_ns);
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
    if (!member)
        return;
    reading->reason = !member->state ? member->reason : NULL;
    if (!member->state || !series_summarise(&member->logarithms, &summary))
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
        set->member[i].logarithms.count = 0;
}
