/* loadgen cache: occupies a part of the L3, by reading and writing so much memory again
 * and again; after the bubble of J. Mars et al., "Bubble-Up: increasing utilization
 * in modern warehouse scale computers via sensible co-locations" (MICRO 2011). It is
 * loadgen mem's triad, with a footprint that grows from nothing to the whole L3. */

#include "mem/mem-options.h"
#include "mem/mem-report.h"
#include "mem/mem-state.h"
#include "mem/mem.h"
#include "rate.h"

#include <math.h>
#include <stdio.h>

#define FIELD(name) offsetof(struct mem_settings, name)

static const char details[] =
    "The footprint is of all workers together, one by default. With --size 0 nothing is touched. "
    "Without --limit the bubble is refreshed as fast as possible; 50% is of what `loadgen cache "
    "--calib` measured with the same size and threads. Bytes are counted as in loadgen mem. See "
    "docs/memory.md.";

static const struct option_row options[] = {
    {.name = "size",
     .measured = true,
     .argument = "PERCENT",
     .type = OPTION_PERCENT,
     .offset = FIELD(size_percent),
     .minimum = 0,
     .maximum = 100,
     .preset = "50",
     .help = "footprint, in percent of an L3: 0 to 100"},
    MEM_SHARED_OPTIONS,
    {0},
};

static void check(struct run *run)
{
    const double percent = mem_settings_of(run)->size_percent;
    if (!options_given(run->options, "threads"))
        run->threads = 1;
    mem_open(run, MEM_TRIAD, ACCESS_NONE);
    const double l3_bytes = (double)mem_state_of(run)->machine.caches.l3_bytes;
    if (l3_bytes <= 0)
        usage_error("this machine does not report the size of its L3: use loadgen mem --footprint");
    mem_set_footprint(run, l3_bytes * percent / 100);
    if (percent <= 0)
        run->rate = 0;
}

/* With --size 0 no operation is ever due, at any rate. */
static int rate(struct run *run, const char *text, double *value, char *error, size_t size)
{
    if (mem_settings_of(run)->size_percent <= 0) {
        *value = 0;
        return 0;
    }
    return rate_usual(run, text, value, error, size);
}

static void describe(struct run *run, struct line *line)
{
    line_fixed(line, "size_percent", mem_settings_of(run)->size_percent, 6);
    mem_describe(run, line);
}

static const struct load_report reports = {
    .describe = describe, .fields = mem_fields, .notes = mem_notes};
static const struct load_special special = {.rate = rate};
static const char *const calibrations[] = {"", NULL};

static const struct load cache_load = {
    .name = "cache",
    .summary = "occupies a part of the L3 cache",
    .details = details,
    .options = options,
    .options_size = sizeof(struct mem_settings),
    .calibrations = calibrations,
    .pinned = true,
    .timed = true,
    .settle_ns = 20000000,
    .check = check,
    .prepare = mem_prepare,
    .begin = mem_begin,
    .operate = mem_operate,
    .verify = mem_verify,
    .end = mem_end,
    .cleanup = mem_cleanup,
    .report = &reports,
    .accounting = &mem_accounting,
    .special = &special,
};
LOADGEN_REGISTER(cache_load);
