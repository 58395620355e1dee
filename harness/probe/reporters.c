#include "harness/probe/reporters.h"

#include "harness/probe/reporter_kernel.h"
#include "harness/probe/series.h"

#include "common/messages.h"
#include "common/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MS 1000000

const struct reporter_row reporters[REPORTERS] = {
    [REPORTER_WAKE] = {.name = "wake",
                       .unit = "ns",
                       .what = "how late a sleep of 50 us ends",
                       .witness = KINDS,
                       .window_ns = 3 * MS},
    [REPORTER_GAP] = {.name = "gap",
                      .unit = "s/s",
                      .what = "wall time of a spin for each second of its CPU time",
                      .witness = KIND_CPU,
                      .window_ns = 5 * MS},
    [REPORTER_ADDS] = {.name = "adds",
                       .unit = "ns",
                       .what = "a dependent addition: the clock",
                       .witness = KINDS,
                       .window_ns = 1 * MS},
    [REPORTER_L2] = {.name = "l2",
                     .unit = "ns",
                     .what = "a dependent load in half of the L2",
                     .witness = KINDS,
                     .window_ns = 2 * MS},
    [REPORTER_L3] = {.name = "l3",
                     .unit = "ns",
                     .what = "a dependent load in half of the L3, 16 MiB at most",
                     .witness = KIND_CACHE,
                     .window_ns = 3 * MS},
    [REPORTER_MEMORY] = {.name = "memory",
                         .unit = "ns",
                         .what = "a dependent load in memory",
                         .witness = KINDS,
                         .window_ns = 3 * MS},
    [REPORTER_READ] = {.name = "read",
                       .unit = "GB/s",
                       .what = "bandwidth of reading memory",
                       .higher_is_better = true,
                       .witness = KIND_MEM,
                       .window_ns = 3 * MS},
    [REPORTER_FAULTS] = {.name = "faults",
                         .unit = "ns",
                         .what = "the first touch of a page, mapped and unmapped",
                         .witness = KIND_ALLOC,
                         .window_ns = 2 * MS},
    [REPORTER_DISK_READ] = {.name = "disk_read",
                            .unit = "ns",
                            .what = "a read of 4 KiB past the page cache",
                            .witness = KINDS,
                            .window_ns = 3 * MS},
    [REPORTER_DISK_WRITE] = {.name = "disk_write",
                             .unit = "ns",
                             .what = "a durable write of 4 KiB",
                             .witness = KIND_IO,
                             .window_ns = 3 * MS},
    [REPORTER_LOOPBACK] = {.name = "loopback",
                           .unit = "ns",
                           .what = "a round trip of a byte over TCP at 127.0.0.1, in one thread",
                           .witness = KIND_NET,
                           .window_ns = 2 * MS},
};

static const struct reporter_kernel *const kernels[REPORTERS] = {
    [REPORTER_WAKE] = &kernel_wake,
    [REPORTER_GAP] = &kernel_gap,
    [REPORTER_ADDS] = &kernel_adds,
    [REPORTER_L2] = &kernel_l2,
    [REPORTER_L3] = &kernel_l3,
    [REPORTER_MEMORY] = &kernel_memory,
    [REPORTER_READ] = &kernel_read,
    [REPORTER_FAULTS] = &kernel_faults,
    [REPORTER_DISK_READ] = &kernel_disk_read,
    [REPORTER_DISK_WRITE] = &kernel_disk_write,
    [REPORTER_LOOPBACK] = &kernel_loopback,
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

/* ---- what reporters there are ---- */

enum reporter reporter_find(const char *name)
{
    enum reporter reporter = 0;
    while (reporter < REPORTERS && strcmp(reporters[reporter].name, name) != 0)
        reporter++;
    return reporter;
}

static bool unknown(const char *name)
{
    const char *names[REPORTERS + 1] = {NULL};
    for (enum reporter reporter = 0; reporter < REPORTERS; reporter++)
        names[reporter] = reporters[reporter].name;
    const char *near = nearest_name(name, names);
    return complain("%s: there is no such reporter%s%s%s: see jostle probe --help", name,
                    near == NULL ? "" : " (did you mean ", near == NULL ? "" : near,
                    near == NULL ? "" : "?)");
}

bool reporters_choose(const char *list, bool wanted[REPORTERS])
{
    char text[512], *rest = text;
    for (enum reporter reporter = 0; reporter < REPORTERS; reporter++)
        wanted[reporter] = list == NULL;
    if (list == NULL)
        return true;
    if (snprintf(text, sizeof text, "%s", list) >= (int)sizeof text)
        return complain("--reporters: too long: name each reporter once");
    for (const char *name; (name = strsep(&rest, ",")) != NULL;) {
        const enum reporter reporter = reporter_find(name);
        if (reporter == REPORTERS)
            return unknown(name);
        wanted[reporter] = true;
    }
    return true;
}

double reporter_log_ratio(enum reporter reporter, double value, double reference)
{
    const double ratio = log(value / reference);
    return reporters[reporter].higher_is_better ? -ratio : ratio;
}

/* ---- a set of them ---- */

static void open_member(struct reporter_set *set, struct member *member, const char *directory)
{
    const struct kernel_setting setting = {
        .directory = directory, .seed = random_next(&set->random), .shared = set->shared};
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
        open_member(set, &set->member[set->count++], choice->directory);
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
            sum_ns += reporters[set->member[i].reporter].window_ns;
    return sum_ns;
}

static struct member *member_of(const struct reporter_set *set, enum reporter reporter)
{
    for (size_t i = 0; i < set->count; i++)
        if (set->member[i].reporter == reporter)
            return (struct member *)&set->member[i];
    return NULL;
}

static double window_of(struct member *member)
{
    if (member->state == NULL)
        return NAN;
    const double value =
        kernels[member->reporter]->window(member->state, reporters[member->reporter].window_ns);
    if (isfinite(value) && value > 0)
        (void)series_add(&member->logarithms, log(value));
    return value;
}

double reporters_window(struct reporter_set *set, enum reporter reporter)
{
    struct member *member = member_of(set, reporter);
    return member == NULL ? NAN : window_of(member);
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
    size_t order[REPORTERS];
    if (reporters_round_ns(set) == 0)
        return 0;
    for (bool first = true; first || kernel_wall_ns() < end_ns; first = false) {
        shuffle(set, order);
        for (size_t i = 0; i < set->count && (first || kernel_wall_ns() < end_ns); i++)
            (void)window_of(&set->member[order[i]]);
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
