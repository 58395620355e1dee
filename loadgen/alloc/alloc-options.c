#include "alloc/alloc-options.h"

#include "alloc/alloc-state.h"
#include "page.h"
#include "rate.h"
#include "room.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELD(name)    offsetof(struct alloc_settings, name)
#define LARGEST_BYTES  (1ull << 40)
#define OVERHEAD_BYTES 32.0   /* of one allocation: its slot, and the least rounding */
#define PROGRAM_BYTES  16e6   /* what the program takes without any */
#define MOST_IN_A_ROW  16.0   /* allocations of one paced operation */
#define PAGES_IN_A_ROW 64.0   /* and pages: about 100 us at most */
#define STEPS_PER_S    1000.0 /* enough of them for an even flow */

static const char *const allocator_choices[] = {"auto", "jemalloc", "glibc", NULL};
static const struct allocator *const allocators[] = {&alloc_jemalloc, &alloc_glibc};

const struct option_row alloc_options[] = {
    {.name = "size",
     .measured = true,
     .argument = "MIN-MAX",
     .type = OPTION_TEXT,
     .offset = FIELD(size),
     .preset = "64-64KiB",
     .wrong = "64-x",
     .help =
         "size of each allocation, log-uniform: as many between 1 and 2 KiB as between 2 and 4"},
    {.name = "live",
     .measured = true,
     .argument = "SIZE",
     .type = OPTION_SIZE,
     .offset = FIELD(live_bytes),
     .minimum = 1,
     .maximum = 1e18,
     .preset = "64MiB",
     .help = "total size of live allocations, of all workers together"},
    {.name = "allocator",
     .measured = true,
     .argument = "NAME",
     .type = OPTION_CHOICE,
     .offset = FIELD(allocator),
     .preset = "auto",
     .choices = allocator_choices,
     .help = "jemalloc or glibc; auto: jemalloc where this build has it"},
    {.name = "purge",
     .measured = true,
     .type = OPTION_FLAG,
     .offset = FIELD(purge),
     .help = "give freed pages back to the system at once: many more page faults and system calls"},
    {0},
};

/* "64-64KiB", or one size for all. */
static void parse_sizes(const char *text, struct alloc_plan *plan)
{
    char first[64];
    const char *dash = strchr(text, '-');
    const size_t length = dash == NULL ? strlen(text) : (size_t)(dash - text);
    snprintf(first, sizeof first, "%.*s", (int)(length < 63 ? length : 63), text);
    if (length == 0 || length > 63 || units_size(first, &plan->minimum_bytes) != 0 ||
        units_size(dash == NULL ? first : dash + 1, &plan->maximum_bytes) != 0)
        usage_error("--size %.64s: not sizes: give two such as 64-64KiB, or one", text);
    if (plan->minimum_bytes < 1 || plan->maximum_bytes < plan->minimum_bytes ||
        plan->maximum_bytes > LARGEST_BYTES)
        usage_error("--size %.64s: out of range: give 1 to 1TiB, the smaller one first", text);
}

static void choose_allocator(const struct alloc_settings *set, struct alloc_plan *plan)
{
    plan->allocator = set->allocator > 0
                          ? allocators[set->allocator - 1]
                          : (alloc_jemalloc.present() ? &alloc_jemalloc : &alloc_glibc);
    if (!plan->allocator->present())
        usage_error("--allocator %s: not in this build: %s", plan->allocator->name,
                    plan->allocator == &alloc_jemalloc
                        ? "give glibc, or install jemalloc 5 and build again without sanitizers"
                        : "give jemalloc");
}

/* Of a log-uniform distribution. */
static double mean_bytes(const struct alloc_plan *plan)
{
    const double low = (double)plan->minimum_bytes, high = (double)plan->maximum_bytes;
    return plan->maximum_bytes == plan->minimum_bytes ? low : (high - low) / log(high / low);
}

/* By how much the allocations of one worker together exceed their mean at some time within
 * hours: of 10^6 sums that do not depend on each other one is 5 standard deviations above. */
static double excess_bytes(const struct alloc_plan *plan)
{
    const double low = (double)plan->minimum_bytes, high = (double)plan->maximum_bytes;
    if (high <= low)
        return 0;
    const double mean = mean_bytes(plan), slots = (double)plan->slots;
    const double squares = (high * high - low * low) / (2 * log(high / low));
    return fmin(5 * sqrt(slots * (squares - mean * mean)), slots * (high - mean));
}

/* What all of it takes of memory at most. */
static double room_for(const struct run *run, const struct alloc_plan *plan)
{
    const struct alloc_spare *spare =
        plan->purge ? &plan->allocator->purging : &plan->allocator->usual;
    const double large =
        plan->maximum_bytes >= page_bytes() ? spare->pages_of_large * (double)page_bytes() : 0;
    const double each = mean_bytes(plan) * spare->factor + large + OVERHEAD_BYTES;
    return ((double)plan->slots * each + excess_bytes(plan) * spare->factor +
            (double)plan->maximum_bytes) *
               run->threads +
           PROGRAM_BYTES;
}

static void check_headroom(struct run *run, struct alloc_plan *plan)
{
    plan->room_bytes = room_for(run, plan);
    room_claim(run, plan->room_bytes, -1, "allocated at a time, with what the allocator needs,",
               "give less --live or --size");
}

/* Allocations of one paced operation without a limit. */
static double most_in_a_row(const struct alloc_plan *plan)
{
    const double pages = mean_bytes(plan) / (double)page_bytes();
    return floor(fmax(fmin(MOST_IN_A_ROW, PAGES_IN_A_ROW / pages), 1));
}

/* Writes what was chosen into the options, which a calibration is known by. */
static void settle(struct run *run)
{
    struct alloc_settings *set = alloc_settings_of(run);
    struct alloc_state *state = alloc_state_of(run);
    char low[24], high[24];
    snprintf(state->sizes, sizeof state->sizes, "%s-%s",
             units_exact_size(state->plan.minimum_bytes, low, sizeof low),
             units_exact_size(state->plan.maximum_bytes, high, sizeof high));
    set->size = state->sizes;
    set->allocator = state->plan.allocator == &alloc_jemalloc ? 1 : 2;
}

void alloc_check(struct run *run)
{
    const struct alloc_settings *set = alloc_settings_of(run);
    struct alloc_state *state = calloc(1, sizeof *state);
    if (state == NULL)
        usage_error("out of memory: free some");
    struct alloc_plan *plan = &state->plan;
    run->state = state;
    choose_allocator(set, plan);
    parse_sizes(set->size, plan);
    plan->live_bytes = set->live_bytes;
    plan->purge = set->purge;
    plan->slots = (uint64_t)((double)set->live_bytes / run->threads / mean_bytes(plan));
    if (plan->slots < 1)
        usage_error("--live %llu: less than one allocation of each of %u workers: give more, or a "
                    "smaller --size",
                    (unsigned long long)set->live_bytes, run->threads);
    check_headroom(run, plan);
    run->unit = UNIT_OPS;
    run->quantum = most_in_a_row(plan);
    settle(run);
}

int alloc_rate(struct run *run, const char *text, double *rate, char *error, size_t size)
{
    const double most = most_in_a_row(&alloc_state_of(run)->plan);
    return rate_in_steps(run, text, most, STEPS_PER_S, rate, error, size);
}
