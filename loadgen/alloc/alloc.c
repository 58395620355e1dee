/* loadgen alloc: allocation churn. Each worker holds a number of allocations, and
 * replaces one of them, chosen at random, by one of another size, again and again;
 * each page of a new one is touched, as its user would. */

#include "alloc/alloc-options.h"
#include "alloc/alloc-state.h"
#include "common/headroom.h"
#include "common/random.h"
#include "page.h"
#include "room.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum counter { FAULTS };

static const char details[] =
    "One operation frees one allocation and makes another; the rate of --limit is in operations "
    "a second, 50% is of what `loadgen alloc --calib` measured with the same options. With "
    "jemalloc each worker has an arena of its own; --purge sets its decay to 0. The allocator's "
    "statistics are in the report. See docs/memory.md.";

struct slot {
    unsigned char *memory;
    size_t bytes;
};

struct alloc_worker {
    struct alloc_heap heap;
    struct slot *slots;
    uint64_t random;
    size_t page_bytes;
    double logarithm; /* of maximum / minimum */
};

static int prepare(struct run *run)
{
    headroom_volunteer();
    prefault_begin(&alloc_state_of(run)->prefault, run->threads);
    return 0;
}

static void cleanup(struct run *run)
{
    free(run->state);
    run->state = NULL;
}

/* ---- workers ---- */

static size_t next_size(struct alloc_worker *own, const struct alloc_plan *plan)
{
    const double unit = (double)(random_next(&own->random) >> 11) * 0x1p-53; /* 0 <= unit < 1 */
    return (size_t)((double)plan->minimum_bytes * exp(own->logarithm * unit));
}

/* A new allocation in the slot, each page of it touched. 0, or -1: no memory. */
static int fill_slot(struct alloc_worker *own, const struct alloc_plan *plan, struct slot *slot)
{
    slot->bytes = next_size(own, plan);
    slot->memory = plan->allocator->get(&own->heap, slot->bytes);
    if (slot->memory == NULL)
        return -1;
    for (size_t at = 0; at < slot->bytes; at += own->page_bytes)
        slot->memory[at] = 1;
    slot->memory[slot->bytes - 1] = 1;
    return 0;
}

static void empty_slot(struct alloc_worker *own, const struct alloc_plan *plan, struct slot *slot)
{
    if (slot->memory != NULL)
        plan->allocator->put(&own->heap, slot->memory, slot->bytes);
    slot->memory = NULL;
}

static int no_memory(struct worker *worker)
{
    return worker_fail(worker, "the allocator has no more memory: %s: give less --live",
                       strerror(errno == 0 ? ENOMEM : errno));
}

/* All slots, as long as the kernel has memory to give. 0, or -1 after worker_fail(). */
static int fill_slots(struct worker *worker, struct alloc_worker *own)
{
    const struct alloc_plan *plan = &alloc_state_of(worker->run)->plan;
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
    struct alloc_state *state = alloc_state_of(worker->run);
    const struct alloc_plan *plan = &state->plan;
    struct alloc_worker *own = calloc(1, sizeof *own);
    worker->state = own;
    if (own == NULL)
        return no_memory(worker);
    own->page_bytes = page_bytes();
    own->random = 0x9E3779B97F4A7C15ull + worker->index;
    own->logarithm = log((double)plan->maximum_bytes / (double)plan->minimum_bytes);
    if (plan->allocator->open(&own->heap, plan->purge) != 0)
        return worker_fail(worker, "%s failed: %s: try another --allocator", plan->allocator->name,
                           strerror(errno));
    own->slots = calloc(plan->slots, sizeof *own->slots);
    if (own->slots == NULL)
        return no_memory(worker);
    if (fill_slots(worker, own) != 0)
        return -1;
    prefault_done(&state->prefault);
    return 0;
}

static void end(struct worker *worker)
{
    const struct alloc_plan *plan = &alloc_state_of(worker->run)->plan;
    struct alloc_worker *own = worker->state;
    if (own == NULL)
        return;
    for (uint64_t i = 0; own->slots != NULL && i < plan->slots; i++)
        empty_slot(own, plan, &own->slots[i]);
    plan->allocator->close(&own->heap);
    free(own->slots);
    free(own);
    worker->state = NULL;
}

static double operate(struct worker *worker)
{
    const struct alloc_plan *plan = &alloc_state_of(worker->run)->plan;
    struct alloc_worker *own = worker->state;
    const double count = worker->run->quantum;
    for (double i = 0; i < count; i++) {
        const uint64_t chosen = random_below(&own->random, plan->slots);
        empty_slot(own, plan, &own->slots[chosen]);
        if (fill_slot(own, plan, &own->slots[chosen]) != 0)
            return no_memory(worker);
    }
    return count;
}

/* ---- reporting ---- */

static void count(struct run *run, double counters[LOAD_COUNTERS])
{
    struct rusage usage;
    (void)run;
    if (getrusage(RUSAGE_SELF, &usage) == 0)
        counters[FAULTS] = (double)usage.ru_minflt;
}

static double faults_per_s(const struct snapshot *window)
{
    return window->active_ns > 0 ? window->counters[FAULTS] * 1e9 / (double)window->active_ns : NAN;
}

static void fields(struct run *run, const struct snapshot *window, struct line *line)
{
    struct alloc_statistics now;
    alloc_state_of(run)->plan.allocator->statistics(&now);
    line_fixed(line, "page_faults_per_s", faults_per_s(window), 6);
    line_fixed(line, "allocated_bytes", now.allocated_bytes, 6);
    line_fixed(line, "active_bytes", now.active_bytes, 6);
    line_fixed(line, "resident_bytes", now.resident_bytes, 6);
    line_fixed(line, "retained_bytes", now.retained_bytes, 6);
}

static void notes(struct run *run, const char *event, const struct snapshot *window)
{
    const struct alloc_plan *plan = &alloc_state_of(run)->plan;
    static const char *const names[] = {"allocated", "active", "resident", "retained"};
    struct alloc_statistics now;
    char size[32];
    (void)event;
    plan->allocator->statistics(&now);
    const double values[] = {now.allocated_bytes, now.active_bytes, now.resident_bytes,
                             now.retained_bytes};
    report_print(&run->report, "  %s%s: %.0f page faults a second", plan->allocator->name,
                 plan->purge ? ", purging" : "", faults_per_s(window));
    for (size_t i = 0; i < 4; i++)
        if (!isnan(values[i]))
            report_print(&run->report, ", %s %s", names[i],
                         units_format_size(values[i], size, sizeof size));
    report_print(&run->report, "\n");
}

static void describe(struct run *run, struct line *line)
{
    const struct alloc_state *state = alloc_state_of(run);
    const struct alloc_plan *plan = &state->plan;
    line_text(line, "allocator", plan->allocator->name);
    line_count(line, "minimum_bytes", plan->minimum_bytes);
    line_count(line, "maximum_bytes", plan->maximum_bytes);
    line_count(line, "live_bytes", plan->live_bytes);
    line_count(line, "room_bytes", (uint64_t)plan->room_bytes);
    line_count(line, "slots", plan->slots * run->threads);
    line_bool(line, "purge", plan->purge);
    line_count(line, "chunk_operations", (uint64_t)run->quantum);
}

static const struct load_report reports = {.describe = describe, .fields = fields, .notes = notes};
static const struct load_accounting accounting = {.count = count};
static const struct load_special special = {.rate = alloc_rate};
static const char *const calibrations[] = {"--threads 1", "", NULL};

static const struct load alloc_load = {
    .name = "alloc",
    .summary = "allocates and frees memory: allocator, page faults, mappings",
    .details = details,
    .options = alloc_options,
    .options_size = sizeof(struct alloc_settings),
    .calibrations = calibrations,
    .pinned = true,
    .timed = true,
    .settle_ns = 20000000,
    .check = alloc_check,
    .prepare = prepare,
    .begin = begin,
    .operate = operate,
    .end = end,
    .cleanup = cleanup,
    .report = &reports,
    .accounting = &accounting,
    .special = &special,
};
LOADGEN_REGISTER(alloc_load);
