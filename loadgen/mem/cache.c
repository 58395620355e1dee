// loadgen cache: occupies a part of a cache, by reading and writing so much memory again
// and again; after the bubble of J. Mars et al., "Bubble-Up: increasing utilization
// in modern warehouse scale computers via sensible co-locations" (MICRO 2011), and, for
// L1d and L2, the memory Rulers of Y. Zhang et al., "SMiTe: precise QoS prediction on
// real-system SMT processors" (MICRO 2014). It is loadgen mem's triad, with a footprint
// that grows from nothing to the whole cache.

#include "mem/mem.h"

static const char cache_details[] =
    "Disturbs that level and those above it: l3 its neighbours under the same L3; l1d and l2, "
    "which are private to a core, only what shares the core: a sibling thread (SMT), or what runs "
    "on the same CPU in turns. Leaves the levels below alone: l1d and l2 take no L3, no memory "
    "bandwidth.\n\n"
    "The footprint is of one worker by default; of all workers together with l3, of each with l1d "
    "and l2. With --size 0 nothing is touched. Without --limit the bubble is refreshed as fast as "
    "possible; 50% is of what `loadgen cache --calib` measured with the same size and threads. "
    "Bytes are counted as in loadgen mem. See docs/bench.md#memory.";

static const char *const levels[] = {[MEM_L1] = "l1d", [MEM_L2] = "l2", [MEM_L3] = "l3", NULL};

static const struct option_row options[] = {
    {MEM_ROW("size", "PERCENT", OPTION_PERCENT, size_percent), .minimum = 0, .maximum = 100,
     .preset = "50", .help = "footprint, in percent of that cache: 0 to 100"},
    {MEM_ROW("level", "NAME", OPTION_CHOICE, level), .preset = "l3", .choices = levels,
     .help = "the cache to occupy: l1d, l2 or l3"},
    MEM_SHARED_OPTIONS,
    {0},
};

static void check(struct run *run)
{
    const struct mem_caches *caches = &mem_state_of(run)->machine.caches;
    const double percent = settings_of(run)->size_percent;
    const int level = settings_of(run)->level;
    mem_state_of(run)->plan.kernel = MEM_TRIAD;
    mem_open(run);
    // The bytes of all workers: they share an L3, and each has the other caches for itself.
    const uint64_t bytes =
        level == MEM_L3 ? caches->l3_bytes
                        : (level == MEM_L1 ? caches->l1_bytes : caches->l2_bytes) * run->threads;
    if (bytes == 0)
        usage_error("--level %s: this machine does not report the size of that cache: use loadgen "
                    "mem --footprint",
                    levels[level]);
    mem_set_footprint(run, (double)bytes * percent / 100);
    if (percent <= 0)
        run->rate = 0;
}

// With --size 0 no operation is ever due, at any rate.
static int rate(struct run *run, const char *text, double *value, char *error, size_t size)
{
    if (settings_of(run)->size_percent <= 0) {
        *value = 0;
        return 0;
    }
    return rate_usual(run, text, value, error, size);
}

static void describe(struct run *run, struct line *line)
{
    line_text(line, "level", levels[settings_of(run)->level]);
    line_fixed(line, "size_percent", settings_of(run)->size_percent, 6);
    mem_describe(run, line);
}

static void fields(struct run *run, const struct snapshot *window, struct line *line)
{
    mem_fields(run, window, line);
    // The proof of the level: bytes a second while it works, which each cache has of its own.
    line_fixed(line, "busy_bytes_per_s", 1e9 / ns_per_unit(window), 0);
}

static const struct load cache_load = {
    MEM_LOAD(options),
    .name = "cache",
    .summary = "occupies a part of a cache: L1d, L2 or L3",
    .details = cache_details,
    .threads = 1,
    .calibrations = (const char *const[]){"", NULL},
    .check = check,
    .describe = describe,
    .fields = fields,
    .rate = rate,
};
LOADGEN_REGISTER(cache_load);
