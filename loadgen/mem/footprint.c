// How much memory loadgen mem and loadgen cache move through, and what one paced operation of it
// is.

#include "mem/mem.h"

#include "common/cgroup.h"

#define USUAL_L3S   4.0               // for each array: STREAM's rule
#define USUAL_BYTES (256.0 * 1048576) // where no L3 is known
// What a load takes without being told to: where that is less than STREAM's rule wants, it is
// still MOST_L3S of the caches.
#define MOST_USUAL   (1024.0 * 1048576)
#define MOST_L3S     2.0
#define CHUNK_BYTES  (1u << 20) // counted bytes of one operation
#define CHUNK_INSIDE (4u << 20) // in L1 and L2, which are faster
#define CHASE_GRAIN  16.0 // accesses of the least operation: chase_run() does so many at a time
#define LEAST_BLOCKS 2.0  // of each worker, by default: else all are the same one

double mem_footprint(const char *text, const struct mem_named *caches, const char *examples)
{
    uint64_t bytes;
    double percent;
    const bool part =
        strchr(text, '%') && units_percent(text, &percent) == 0 && percent > 0 && percent < 1e9;
    for (; caches->name && !part && strcmp(text, caches->name) != 0; caches++)
        continue;
    if (caches->name && caches->bytes <= 0)
        usage_error(
            "--footprint %.64s: this machine does not report the size of that cache: give a size",
            text);
    if (caches->name)
        return part ? caches->bytes * percent / 100 : caches->bytes / 2;
    if (units_size(text, &bytes) != 0 || bytes == 0)
        usage_error("--footprint %.64s: not a footprint: give a size such as %s", text, examples);
    return (double)bytes;
}

// In memory, whatever the machine says of its caches: several of the L3s that it reports
// for each array, and no less than where latency was found to stop rising for each of them, as far
// as that is no more than a load may take unasked; and some blocks for each worker.
static double usual_footprint(const struct run *run)
{
    const struct mem_state *state = mem_state_of(run);
    const struct mem_caches *caches = &state->machine.caches;
    const double arrays = mem_kernel_arrays(state->plan.kernel);
    const double least =
        caches->l3_all_bytes > 0 ? USUAL_L3S * (double)caches->l3_all_bytes : USUAL_BYTES;
    const double l3s =
        caches->l3_bytes > 0 ? (double)caches->l3_all_bytes / (double)caches->l3_bytes : 1;
    const double blocks =
        LEAST_BLOCKS * (double)settings_of(run)->block_bytes * arrays * run->threads;
    const double wanted = fmax(least * arrays, l3s * (double)state->edge_bytes);
    const double bound = fmax(MOST_USUAL, MOST_L3S * (double)caches->l3_all_bytes);
    const double most = (double)headroom_left(state->plan.node).bytes / 2;
    return fmax(fmin(least, bound), fmin(fmax(fmin(wanted, bound), blocks), most));
}

double mem_footprint_of(const struct run *run)
{
    const struct mem_caches *caches = &mem_state_of(run)->machine.caches;
    const struct mem_named named[] = {{"l3", (double)caches->l3_bytes},
                                      {"l1", (double)caches->l1_bytes * run->threads},
                                      {"l2", (double)caches->l2_bytes * run->threads},
                                      {NULL, 0}};
    return settings_of(run)->footprint ? mem_footprint(settings_of(run)->footprint, named,
                                                       "64MiB, 150% of L3, or l1, l2, l3")
                                       : usual_footprint(run);
}

// At most about 100 us of work on a machine of our day, so that a limit means an
// even flow; and long enough that taking the time does not matter.
static uint64_t chunk_of(const struct mem_plan *plan)
{
    // Each row is for l1, l2, l3 and memory.
    static const uint64_t accesses[][4] = {[ACCESS_LOAD_RANDOM] = {65536, 16384, 1024, 1024},
                                           [ACCESS_LOAD_NEXT] = {65536, 65536, 65536, 65536},
                                           [ACCESS_STORE_RANDOM] = {16384, 16384, 1024, 1024},
                                           [ACCESS_STORE_NEXT] = {16384, 16384, 16384, 16384},
                                           [ACCESS_COPY_RANDOM] = {16384, 16384, 1024, 1024},
                                           [ACCESS_COPY_NEXT] = {16384, 16384, 16384, 16384}};
    if (plan->access != ACCESS_NONE)
        return accesses[plan->access][plan->class];
    const uint64_t bytes = plan->class <= MEM_L2 ? CHUNK_INSIDE : CHUNK_BYTES;
    const uint64_t block = plan->course.step[0].element_bytes * MEM_BLOCK;
    return bytes / block * block;
}

// Counted bytes of the least operation: a block; of stream, whose steps count 16 or 24 bytes for
// each element, what is whole blocks of both.
static double grain_of(const struct mem_course *course)
{
    const double step = course->steps > 1 ? 48 : (double)course->step[0].element_bytes;
    return step * MEM_BLOCK;
}

// Divides so many bytes among the arrays of all workers, in whole blocks.
static void divide(const struct run *run, double bytes, struct mem_plan *plan)
{
    const unsigned arrays = mem_kernel_arrays(plan->kernel);
    const uint64_t given = settings_of(run)->block_bytes;
    const uint64_t block = given > MEM_LARGEST_WORD ? given : MEM_BLOCK * sizeof(double);
    const double least = (double)(block * arrays * run->threads);
    char wanted[32], size[32], all[32];
    plan->array_bytes = (uint64_t)(bytes / run->threads / arrays) / block * block;
    plan->worker_bytes = plan->array_bytes * arrays;
    if (plan->array_bytes > 0 || bytes <= 0)
        return;
    if (given > MEM_LARGEST_WORD)
        usage_error("--block-size %s: larger than the %s of a footprint of %s that each array of "
                    "each worker has: give a --footprint of %s or more",
                    units_format_size((double)given, wanted, sizeof wanted),
                    units_format_size(bytes / run->threads / arrays, size, sizeof size),
                    units_format_size(bytes, all, sizeof all),
                    units_format_size(least, (char[32]){0}, 32));
    usage_error(
        "a footprint of %.0f bytes: too little for %u array%s of %u worker%s: give %s or more",
        bytes, arrays, arrays == 1 ? "" : "s", run->threads, run->threads == 1 ? "" : "s",
        units_format_size(least, wanted, sizeof wanted));
}

// In memory the widest vectors win nothing, and some CPUs clock lower for them:
// that would be a load of another kind on the neighbours.
static void choose_run(const struct run *run, struct mem_plan *plan)
{
    if (settings_of(run)->simd == 0 && plan->simd == SIMD_AVX512 && plan->class == MEM_MEMORY &&
        mem_simd_works(SIMD_AVX2))
        plan->simd = SIMD_AVX2;
    const struct mem_table *table = mem_simd_table(plan->simd);
    struct mem_course *course = &plan->course;
    const uint64_t block_bytes = settings_of(run)->block_bytes;
    mem_course_steps(course, plan->kernel,
                     settings_of(run)->non_temporal ? table->non_temporal : table->cached);
    course->elements = plan->array_bytes / sizeof(double);
    course->block = block_bytes > 0 ? block_bytes / sizeof(double) : course->elements;
    course->random = settings_of(run)->random;
}

void mem_set_footprint(struct run *run, double footprint_bytes)
{
    struct mem_settings *set = settings_of(run);
    struct mem_state *state = mem_state_of(run);
    struct mem_plan *plan = &state->plan;
    const struct mem_caches *caches = &state->machine.caches;
    const bool moves = plan->access == ACCESS_NONE;
    // Reserved huge pages are taken from everybody already.
    if (!set->huge || footprint_bytes > (double)mem_pages_reserved_bytes())
        room_claim(run, footprint_bytes, plan->node, "a footprint of",
                   "give a smaller --footprint");
    divide(run, footprint_bytes, plan);
    const uint64_t own = plan->worker_bytes, all = own * run->threads;
    plan->class = own <= caches->l1_bytes       ? MEM_L1
                  : own <= caches->l2_bytes     ? MEM_L2
                  : all <= caches->l3_all_bytes ? MEM_L3
                                                : MEM_MEMORY;
    if (moves)
        choose_run(run, plan);
    run->unit = moves ? UNIT_BYTES : UNIT_OPS;
    run->quantum = (double)chunk_of(plan);
    run->grain = moves ? grain_of(&plan->course) : CHASE_GRAIN;
    // Writes what was chosen into the options, which a calibration is known by.
    // The default follows from the machine; where memory is short it is less for the moment, and
    // the same load all the same.
    units_exact_size(all, state->footprint, sizeof state->footprint);
    if (set->footprint)
        set->footprint = state->footprint;
    set->simd = moves ? 1 + (int)plan->simd : 0;
    set->kernel = (int)plan->kernel;
    set->read = set->write = set->sequential = false;
    if (plan->kernel == MEM_CHASE) { // however it was named
        set->random = false;
        set->block_bytes = 0;
    }
}
