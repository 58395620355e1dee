#include "mem/mem-options.h"

#include "headroom.h"
#include "mem/edge.h"
#include "mem/mem-state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELD(name)  offsetof(struct mem_settings, name)
#define USUAL_L3S    4.0               /* of all L3s that the load reaches */
#define USUAL_BYTES  (256.0 * 1048576) /* where no L3 is known */
#define CHUNK_BYTES  (1u << 20)        /* counted bytes of one operation */
#define CHUNK_INSIDE (4u << 20)        /* in L1 and L2, which are faster */

const char *const mem_class_names[] = {"l1", "l2", "l3", "memory"};
const char *const mem_simd_choices[] = {"auto", "avx512", "avx2", "sse2", "portable", NULL};

const struct option_row mem_options[] = {
    {.name = "kernel",
     .measured = true,
     .argument = "NAME",
     .type = OPTION_CHOICE,
     .offset = FIELD(kernel),
     .preset = "triad",
     .choices = mem_kernel_names,
     .help = "copy, scale, add, triad, read, write, or chase (dependent loads in random order)"},
    {.name = "footprint",
     .measured = true,
     .argument = "SIZE",
     .type = OPTION_TEXT,
     .offset = FIELD(footprint),
     .help =
         "total size of all arrays of all workers: a size, 150% of an L3, or l1, l2, l3: half of "
         "that cache, for l1 and l2 of each worker (default: 4 times all L3s that the load "
         "reaches, and where the caches are found to reach further, beyond that)"},
    {.name = "non-temporal",
     .measured = true,
     .type = OPTION_FLAG,
     .offset = FIELD(non_temporal),
     .help = "use stores that bypass the caches"},
    MEM_SHARED_OPTIONS,
    {0},
};

/* ---- what the machine has ---- */

static void check_simd(struct run *run)
{
    const struct mem_settings *set = mem_settings_of(run);
    struct mem_plan *plan = &mem_state_of(run)->plan;
    if (set->simd == 0) {
        plan->simd = mem_simd_best();
        if (set->non_temporal && mem_simd_table(plan->simd)->non_temporal[MEM_COPY] == NULL)
            usage_error("--non-temporal: this kind of machine has no such stores: leave it out");
        return;
    }
    plan->simd = (enum mem_simd)(set->simd - 1);
    if (!mem_simd_works(plan->simd))
        usage_error("--simd %s: this CPU lacks it: give %s, or leave it out",
                    mem_simd_names[plan->simd], mem_simd_names[mem_simd_best()]);
    if (set->non_temporal && mem_simd_table(plan->simd)->non_temporal[MEM_COPY] == NULL)
        usage_error("--simd %s --non-temporal: it has no such stores: give %s",
                    mem_simd_names[plan->simd], mem_simd_names[mem_simd_best()]);
}

static void check_node(struct run *run)
{
    struct mem_state *state = mem_state_of(run);
    char nodes[256];
    state->plan.node = -1;
    if (mem_settings_of(run)->node < 0)
        return;
    state->plan.node = (int)mem_settings_of(run)->node;
    if (!mem_machine_has_node(&state->machine, (unsigned)state->plan.node, nodes, sizeof nodes))
        usage_error("--node %d: there is no such NUMA node here: choose from %s", state->plan.node,
                    nodes);
}

static void check_exclusive(const struct run *run, const struct mem_plan *plan)
{
    const struct mem_settings *set = mem_settings_of(run);
    if (set->non_temporal && !mem_kernel_stores(plan->kernel))
        usage_error("--non-temporal is for stores, and %s has none: leave it out",
                    mem_kernel_names[plan->kernel]);
    if (plan->kernel == MEM_CHASE && options_given(run->options, "simd"))
        usage_error("--simd: chase loads one pointer at a time: leave it out");
    if (set->huge && mem_pages_no_huge() != NULL)
        usage_error("--huge: %s: allow some, or leave it out", mem_pages_no_huge());
}

void mem_open(struct run *run, enum mem_kernel kernel)
{
    const struct mem_settings *set = mem_settings_of(run);
    struct mem_state *state = aligned_alloc(64, (sizeof *state + 63) / 64 * 64);
    if (state == NULL)
        usage_error("out of memory: free some");
    memset(state, 0, sizeof *state);
    run->state = state;
    state->plan.kernel = kernel;
    state->plan.non_temporal = set->non_temporal;
    state->plan.huge = set->huge;
    check_exclusive(run, &state->plan);
    mem_machine_open(&state->machine, &run->cpus);
    state->edge_bytes = edge_kept(&state->machine.caches);
    check_simd(run);
    check_node(run);
}

/* ---- footprints ---- */

static double half_of(const struct run *run, uint64_t cache_bytes, const char *name)
{
    if (cache_bytes == 0)
        usage_error("--footprint %s: this machine does not report its size: give a size", name);
    return (double)cache_bytes / 2 * (strcmp(name, "l3") == 0 ? 1 : run->threads);
}

/* In memory, whatever the machine says of its caches: several of the L3s that it reports,
 * and no less than where latency was found to stop rising, for each of them. */
static double usual_footprint(const struct run *run)
{
    const struct mem_state *state = mem_state_of(run);
    const struct mem_caches *caches = &state->machine.caches;
    const double usual =
        caches->l3_all_bytes > 0 ? USUAL_L3S * (double)caches->l3_all_bytes : USUAL_BYTES;
    const double l3s =
        caches->l3_bytes > 0 ? (double)caches->l3_all_bytes / (double)caches->l3_bytes : 1;
    const double most = (double)headroom_left(state->plan.node).bytes / 2;
    return fmax(usual, fmin(l3s * (double)state->edge_bytes, most));
}

static double footprint_of(const struct run *run)
{
    const struct mem_caches *caches = &mem_state_of(run)->machine.caches;
    const char *text = mem_settings_of(run)->footprint;
    uint64_t bytes;
    double percent;
    if (text == NULL)
        return usual_footprint(run);
    if (strcmp(text, "l1") == 0)
        return half_of(run, caches->l1_bytes, text);
    if (strcmp(text, "l2") == 0)
        return half_of(run, caches->l2_bytes, text);
    if (strcmp(text, "l3") == 0)
        return half_of(run, caches->l3_bytes, text);
    if (strchr(text, '%') != NULL && units_percent(text, &percent) == 0 && percent > 0 &&
        percent < 1e9)
        return 2 * half_of(run, caches->l3_bytes, "l3") * percent / 100;
    if (units_size(text, &bytes) != 0 || bytes == 0)
        usage_error("--footprint %.64s: not a footprint: give a size such as 64MiB, 150%% of L3, "
                    "or l1, l2, l3",
                    text);
    return (double)bytes;
}

static enum mem_class class_of(const struct run *run)
{
    const struct mem_state *state = mem_state_of(run);
    const uint64_t own = state->plan.worker_bytes;
    if (own <= state->machine.caches.l1_bytes)
        return MEM_L1;
    if (own <= state->machine.caches.l2_bytes)
        return MEM_L2;
    return own * run->threads <= state->machine.caches.l3_all_bytes ? MEM_L3 : MEM_MEMORY;
}

/* At most about 100 us of work on a machine of our day, so that a limit means an
 * even flow; and long enough that taking the time does not matter. */
static uint64_t chunk_of(const struct mem_plan *plan)
{
    static const uint64_t loads[] = {
        [MEM_L1] = 65536, [MEM_L2] = 16384, [MEM_L3] = 1024, [MEM_MEMORY] = 1024};
    if (plan->run == NULL)
        return loads[plan->class];
    const uint64_t bytes = plan->class <= MEM_L2 ? CHUNK_INSIDE : CHUNK_BYTES;
    return bytes / plan->element_bytes / MEM_BLOCK * MEM_BLOCK;
}

static void check_headroom(const struct run *run, double bytes)
{
    const struct headroom headroom = headroom_left(mem_state_of(run)->plan.node);
    char wanted[32], left[32];
    if (mem_settings_of(run)->huge && bytes <= (double)mem_pages_reserved_bytes())
        return;
    if (bytes > (double)headroom.bytes)
        usage_error("a footprint of %s: %s has %s left: give a smaller --footprint",
                    units_format_size(bytes, wanted, sizeof wanted), headroom.whose,
                    units_format_size((double)headroom.bytes, left, sizeof left));
}

/* The same for each array of each worker, in whole blocks. */
static void divide(const struct run *run, double bytes, struct mem_plan *plan)
{
    const unsigned arrays = mem_kernel_arrays(plan->kernel);
    const uint64_t block = MEM_BLOCK * sizeof(double);
    char least[32];
    plan->array_bytes = (uint64_t)(bytes / run->threads / arrays) / block * block;
    plan->worker_bytes = plan->array_bytes * arrays;
    if (plan->array_bytes == 0 && bytes > 0)
        usage_error(
            "a footprint of %.0f bytes: too little for %u array%s of %u worker%s: give %s or more",
            bytes, arrays, arrays == 1 ? "" : "s", run->threads, run->threads == 1 ? "" : "s",
            units_format_size((double)(block * arrays * run->threads), least, sizeof least));
}

/* In memory the widest vectors win nothing, and some CPUs clock lower for them:
 * that would be a load of another kind on the neighbours. */
static void choose_run(const struct run *run, struct mem_plan *plan)
{
    if (mem_settings_of(run)->simd == 0 && plan->simd == MEM_AVX512 && plan->class == MEM_MEMORY &&
        mem_simd_works(MEM_AVX2))
        plan->simd = MEM_AVX2;
    const struct mem_table *table = mem_simd_table(plan->simd);
    plan->run = (plan->non_temporal ? table->non_temporal : table->cached)[plan->kernel];
    plan->element_bytes = mem_kernel_arrays(plan->kernel) * sizeof(double);
}

/* Writes what was chosen into the options, which a calibration is known by. */
static void settle(struct run *run)
{
    struct mem_settings *set = mem_settings_of(run);
    struct mem_state *state = mem_state_of(run);
    units_exact_size(state->plan.worker_bytes * run->threads, state->footprint,
                     sizeof state->footprint);
    set->footprint = state->footprint;
    set->simd = state->plan.run == NULL ? 0 : 1 + (int)state->plan.simd;
}

void mem_set_footprint(struct run *run, double footprint_bytes)
{
    struct mem_plan *plan = &mem_state_of(run)->plan;
    const bool chase = plan->kernel == MEM_CHASE;
    check_headroom(run, footprint_bytes);
    divide(run, footprint_bytes, plan);
    plan->class = class_of(run);
    if (!chase)
        choose_run(run, plan);
    plan->chunk = chunk_of(plan);
    run->unit = chase ? UNIT_OPS : UNIT_BYTES;
    run->quantum = (double)(plan->chunk * (chase ? 1 : plan->element_bytes));
    settle(run);
}

/* Whether the frame is about to refuse the options: then nothing is worth measuring. */
static bool is_refused(const struct common *common)
{
    struct rate limit;
    return common->limit != NULL &&
           ((common->calib && !common->if_missing) || units_rate(common->limit, &limit) != 0);
}

/* Only who relies on it waits for it, and only once on a machine. */
static bool needs_edge(const struct run *run)
{
    return mem_settings_of(run)->footprint == NULL && !run->common.dry_run &&
           !is_refused(&run->common);
}

void mem_check(struct run *run)
{
    struct mem_state *state;
    mem_open(run, (enum mem_kernel)mem_settings_of(run)->kernel);
    state = mem_state_of(run);
    if (needs_edge(run))
        state->edge_bytes = edge_find(&state->machine.caches, run->cpus.cpu[0], run->report.json);
    mem_set_footprint(run, footprint_of(run));
}
