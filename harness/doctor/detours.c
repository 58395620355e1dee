// Measures how often CPUs are taken from a program that only looks at the clock, and what that
// costs.

#include "doctor.h"

#include "common/cgroup.h"
#include "common/clock.h"
#include "common/cpus.h"
#include "common/memory.h"
#include "common/messages.h"
#include "common/record_json.h"
#include "common/schemas.h"
#include "common/units.h"

#include <errno.h>
#include <gsl/gsl_fft_real.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define THRESHOLD_NS 1000
#define MOST_DETOURS (1u << 20) // of a CPU; beyond that the measurement of it ends, as beyond
#define MOST_PER_MS  20         // that many of each millisecond: a large machine has many CPUs
#define BIN_NS       100000     // in which a period is looked for
#define PHASE_NS     1000000    // of work between two barriers of a bulk-synchronous program

static const double period_least = 0.2; // correlation from which on there is one
static const double period_first = 0.8; // of the largest: the first lag that has so much is it

struct detour {
    int64_t start_ns, length_ns; // from the begin of the measurement
};

struct worker {
    pthread_t thread;
    int cpu, error;
    int64_t asked_ns, made_ns;
    struct detour *detour;
    size_t count, room;
};

static void *watch_cpu(void *argument)
{
    struct worker *worker = argument;
    if (cpus_pin(worker->cpu) != 0) {
        worker->error = errno;
        return NULL;
    }
    // Its pages are there before it measures.
    memset(worker->detour, 0, worker->room * sizeof *worker->detour);
    const int64_t begin = clock_ns();
    int64_t last = begin;
    while (last - begin < worker->asked_ns && worker->count < worker->room) {
        const int64_t now = clock_ns();
        if (now - last > THRESHOLD_NS)
            worker->detour[worker->count++] = (struct detour){last - begin, now - last};
        last = now;
    }
    worker->made_ns = last - begin;
    return NULL;
}

static bool watch_all(struct worker *workers, unsigned count)
{
    bool good = true;
    unsigned started = 0;
    for (; started < count && good; started++) {
        const int error =
            pthread_create(&workers[started].thread, NULL, watch_cpu, &workers[started]);
        good = error == 0 || complain("a thread cannot be started (%s): raise that limit",
                                      limits_why(error, (char[LIMITS_WHY]){0}, LIMITS_WHY));
    }
    for (unsigned i = 0; i < started - !good; i++)
        pthread_join(workers[i].thread, NULL);
    for (unsigned i = 0; i < count && good; i++)
        good =
            workers[i].error == 0 || complain("CPU %d cannot be used (%s): allow it with taskset",
                                              workers[i].cpu, strerror(workers[i].error));
    return good;
}

// ---- a period ----

// Adds to `sums` the autocorrelation of the time that is lost in each bin; both of `size` values,
// the second half of which are 0.
static void correlate(const struct worker *worker, double *sums, size_t size)
{
    double *lost = must(calloc(size, sizeof *lost)), mean = 0;
    const size_t bins = size / 2;
    for (size_t i = 0; i < worker->count; i++) {
        const size_t bin = (size_t)(worker->detour[i].start_ns / BIN_NS);
        if (bin < bins)
            lost[bin] += (double)worker->detour[i].length_ns;
    }
    for (size_t i = 0; i < bins; i++)
        mean += lost[i] / (double)bins;
    for (size_t i = 0; i < bins; i++)
        lost[i] -= mean;
    gsl_fft_real_radix2_transform(lost, 1, size);
    // Half-complex: real parts ascend, imaginary ones descend.
    for (size_t i = 1; i < size / 2; i++)
        sums[i] += lost[i] * lost[i] + lost[size - i] * lost[size - i];
    free(lost);
}

// The correlation at a lag of so many bins, by a power spectrum.
static void from_power(double *power, size_t size)
{
    for (size_t i = 1; i < size / 2; i++)
        power[size - i] = power[i]; // it is even
    gsl_fft_real_radix2_transform(power, 1, size);
}

// The first peak that is nearly as high as the highest; NAN: there is no period.
static double find_period_s(const struct worker *workers, unsigned count, int64_t time_ns)
{
    size_t bins = 64;
    while (2 * bins * BIN_NS <= (size_t)time_ns)
        bins *= 2;
    double *sums = must(calloc(2 * bins, sizeof *sums)), best = 0, period_s = NAN;
    for (unsigned i = 0; i < count; i++)
        correlate(&workers[i], sums, 2 * bins);
    from_power(sums, 2 * bins);
    // Fewer and fewer pairs are that far apart.
    for (size_t lag = 1; lag < bins / 4; lag++)
        sums[lag] *= (double)bins / (double)(bins - lag);
    for (size_t lag = 5; lag < bins / 4; lag++)
        best = fmax(best, sums[lag]);
    for (size_t lag = 5; lag < bins / 4 && isnan(period_s) && best > period_least * sums[0];
         lag++) {
        const double before = sums[lag - 1], here = sums[lag], after = sums[lag + 1];
        if (here >= period_first * best && here >= before && here >= after) {
            const double curve = before - 2 * here + after;
            const double shift = curve < 0 ? (before - after) / (2 * curve) : 0;
            period_s = ((double)lag + shift) * BIN_NS / 1e9;
        }
    }
    free(sums);
    return period_s;
}

// ---- what it costs ----

// How long each phase of work takes on that CPU beyond the work, in ns. Returns how many.
static size_t add_phases(const struct worker *worker, double *delay, size_t room)
{
    size_t phases = 0;
    int64_t work_ns = 0, at_ns = 0;
    double lost_ns = 0;
    for (size_t i = 0; i <= worker->count; i++) {
        const bool last = i == worker->count;
        int64_t free_ns = (last ? worker->made_ns : worker->detour[i].start_ns) - at_ns;
        for (; work_ns + free_ns >= PHASE_NS && phases < room; phases++) {
            delay[phases] = lost_ns;
            free_ns -= PHASE_NS - work_ns;
            work_ns = 0;
            lost_ns = 0;
        }
        work_ns += free_ns;
        lost_ns += last ? 0 : (double)worker->detour[i].length_ns;
        at_ns = last ? at_ns : worker->detour[i].start_ns + worker->detour[i].length_ns;
    }
    return phases;
}

// The mean of the longest of so many independent phases, over the work: the empirical distribution
// to that power.
static double slowdown_of(const double *sorted, size_t count, double ranks)
{
    double sum = 0, below = 0;
    for (size_t i = 0; i < count; i++) {
        const double up_to = pow((double)(i + 1) / (double)count, ranks);
        sum += sorted[i] * (up_to - below);
        below = up_to;
    }
    return 1 + sum / PHASE_NS;
}

static json_t *cost_json(const struct worker *workers, unsigned count, int64_t time_ns)
{
    static const int ranks[] = {1, 16, 256, 4096};
    const size_t room = (size_t)(time_ns / PHASE_NS + 2);
    double *delay = must(calloc(room * count, sizeof *delay));
    size_t phases = 0;
    json_t *list = must(json_array());
    for (unsigned i = 0; i < count; i++)
        phases += add_phases(&workers[i], delay + phases, room);
    gsl_sort(delay, 1, phases);
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks && phases > 0; i++)
        json_add(list, must(json_pack("{s:i, s:o}", "ranks", ranks[i], "slowdown",
                                      json_number(slowdown_of(delay, phases, ranks[i])))));
    free(delay);
    return must(json_pack("{s:f, s:I, s:o}", "phase_s", PHASE_NS / 1e9, "phases",
                          (json_int_t)phases, "ranks", list));
}

// ---- the record ----

enum { LENGTHS = 16 }; // of the histogram: 1, 2, 4, ... microseconds and more

struct totals {
    double lost_ns, time_ns, longest_ns, per_s;
    size_t length[LENGTHS];
};

static void add_lengths(const struct worker *worker, struct totals *totals)
{
    for (size_t i = 0; i < worker->count; i++) {
        const double length = (double)worker->detour[i].length_ns;
        const int bin = ilogb(length / THRESHOLD_NS);
        totals->lost_ns += length;
        totals->longest_ns = fmax(totals->longest_ns, length);
        totals->length[bin < LENGTHS ? bin : LENGTHS - 1]++;
    }
    totals->time_ns += (double)worker->made_ns;
    totals->per_s += (double)worker->count * 1e9 / (double)worker->made_ns;
}

static double median_ns(const struct worker *worker)
{
    double *length = must(calloc(worker->count + 1, sizeof *length));
    for (size_t i = 0; i < worker->count; i++)
        length[i] = (double)worker->detour[i].length_ns;
    gsl_sort(length, 1, worker->count);
    const double median = worker->count > 0 ? length[worker->count / 2] : NAN;
    free(length);
    return median;
}

static json_t *cpu_json(const struct worker *worker)
{
    struct totals totals = {0};
    add_lengths(worker, &totals);
    return must(json_pack("{s:i, s:f, s:o, s:o, s:o, s:o}", "cpu", worker->cpu, "seconds",
                          totals.time_ns / 1e9, "percent",
                          json_number(100 * totals.lost_ns / totals.time_ns), "per_s",
                          json_number(totals.per_s), "median", json_number(median_ns(worker) / 1e9),
                          "longest", json_number(totals.longest_ns / 1e9)));
}

static json_t *histogram_json(const struct totals *totals)
{
    json_t *list = must(json_array());
    for (unsigned i = 0; i < LENGTHS; i++)
        json_add(list,
                 must(json_pack("{s:f, s:o}", "from_s", ldexp(THRESHOLD_NS, (int)i) / 1e9, "per_s",
                                json_number((double)totals->length[i] * 1e9 / totals->time_ns))));
    return list;
}

static json_t *record_of(const struct worker *workers, unsigned count, int64_t time_ns)
{
    struct totals totals = {0};
    json_t *cpus = must(json_array());
    for (unsigned i = 0; i < count; i++) {
        add_lengths(&workers[i], &totals);
        json_add(cpus, cpu_json(&workers[i]));
    }
    return must(json_pack(
        "{s:s, s:f, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "schema", SCHEMA_OS_NOISE, "threshold_s",
        THRESHOLD_NS / 1e9, "lost_percent", json_number(100 * totals.lost_ns / totals.time_ns),
        "detours_per_s", json_number(totals.per_s), "longest_s",
        json_number(totals.longest_ns / 1e9), "period_s",
        json_number(find_period_s(workers, count, time_ns)), "cpus", cpus, "histogram",
        histogram_json(&totals), "bulk_synchronous", cost_json(workers, count, time_ns)));
}

json_t *detours_measure(int64_t time_ns)
{
    struct cpu_list allowed;
    json_t *record = NULL;
    if (cpus_allowed(&allowed) != 0) {
        complain("the allowed CPUs are not known (%s): check the affinity", strerror(errno));
        return NULL;
    }
    const int64_t expected = MOST_PER_MS * (time_ns / NS_PER_MS + 100);
    const size_t room = expected < MOST_DETOURS ? (size_t)expected : MOST_DETOURS;
    struct worker *workers = must(calloc(allowed.count, sizeof *workers));
    for (unsigned i = 0; i < allowed.count; i++)
        workers[i] = (struct worker){.cpu = allowed.cpu[i],
                                     .asked_ns = time_ns,
                                     .room = room,
                                     .detour = must(calloc(room, sizeof(struct detour)))};
    if (watch_all(workers, allowed.count))
        record = record_of(workers, allowed.count, time_ns);
    for (unsigned i = 0; i < allowed.count; i++)
        free(workers[i].detour);
    free(workers);
    return record;
}

// ---- in words ----

static const char *time_text(double time_s, char text[32])
{
    return isnan(time_s) ? "-" : units_format_time(time_s * 1e9, text, 32);
}

static void print_cpus(const json_t *cpus)
{
    char median[32], longest[32];
    printf("%5s  %9s  %9s  %10s  %10s\n", "CPU", "detours/s", "lost", "median", "longest");
    JSON_EACH (cpu, cpus)
        printf("%5.0f  %9.1f  %7.3f %%  %10s  %10s\n", json_number_at(cpu, "cpu"),
               json_number_at(cpu, "per_s"), json_number_at(cpu, "percent"),
               time_text(json_number_at(cpu, "median"), median),
               time_text(json_number_at(cpu, "longest"), longest));
}

static void print_lengths(const json_t *histogram)
{
    char from[32];
    printf("\nDetours a second of each CPU, by length:\n");
    JSON_EACH (bin, histogram)
        if (json_number_at(bin, "per_s") > 0)
            printf("  from %10s  %9.2f\n", time_text(json_number_at(bin, "from_s"), from),
                   json_number_at(bin, "per_s"));
}

bool detours_print(const json_t *noise)
{
    const json_t *cost = json_object_get(noise, "bulk_synchronous");
    const double period_s = json_number_at(noise, "period_s");
    char text[32];
    printf("OS noise: %.3f %% of the CPU time is lost in %.1f detours a second, the longest %s\n\n",
           json_number_at(noise, "lost_percent"), json_number_at(noise, "detours_per_s"),
           time_text(json_number_at(noise, "longest_s"), text));
    print_cpus(json_object_get(noise, "cpus"));
    print_lengths(json_object_get(noise, "histogram"));
    if (isnan(period_s))
        printf("\nThe lost time has no period.\n");
    else
        printf("\nMost of it comes every %s.\n", time_text(period_s, text));
    printf("\nA program whose ranks meet after each %s of work, with this noise on each, takes:\n",
           time_text(json_number_at(cost, "phase_s"), text));
    JSON_EACH (one, json_object_get(cost, "ranks"))
        printf("  %5.0f ranks  %.3f times as long\n", json_number_at(one, "ranks"),
               json_number_at(one, "slowdown"));
    printf("of the %.0f phases seen: rarer detours are in none of these figures.\n",
           json_number_at(cost, "phases"));
    return fflush(stdout) == 0;
}
