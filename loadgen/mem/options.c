// The options of loadgen mem: what they mean together, and which are refused.

#include "mem/mem.h"

// Blocks of one word; reads of random ones are a chase.
static enum mem_access access_of(const struct mem_settings *set, enum mem_kernel *kernel)
{
    if (*kernel == MEM_READ && set->random)
        *kernel = MEM_CHASE;
    switch (*kernel) {
    case MEM_CHASE:
        return ACCESS_LOAD_RANDOM;
    case MEM_READ:
        return ACCESS_LOAD_NEXT;
    case MEM_WRITE:
        return set->random ? ACCESS_STORE_RANDOM : ACCESS_STORE_NEXT;
    case MEM_COPY:
        return set->random ? ACCESS_COPY_RANDOM : ACCESS_COPY_NEXT;
    default:
        usage_error("--block-size %llu: single accesses are read, written or copied: give --read, "
                    "--write or --kernel copy",
                    (unsigned long long)set->block_bytes);
    }
}

static bool is_word(uint64_t block_bytes)
{
    return block_bytes == 1 || block_bytes == MEM_LARGEST_WORD;
}

// What --kernel, --read, --write, --block-size, --sequential and --random mean together. Ends the
// program with exit status 2 where they exclude each other.
static void choose_kernel(struct run *run)
{
    const struct mem_settings *set = settings_of(run);
    struct mem_plan *plan = &mem_state_of(run)->plan;
    // --read and --write are other words for two kernels.
    if (set->read && set->write)
        usage_error("--read and --write exclude each other: give one, or --kernel copy");
    if ((set->read || set->write) && options_given(run->options, "kernel"))
        usage_error("--%s is a --kernel: give one of the two", set->read ? "read" : "write");
    plan->kernel = (enum mem_kernel)set->kernel;
    if (set->read || set->write)
        plan->kernel = set->read ? MEM_READ : MEM_WRITE;
    if (set->random && set->sequential)
        usage_error("--random and --sequential exclude each other: give one");
    if (set->random && set->block_bytes == 0)
        usage_error("--random: of blocks: give their --block-size");
    if (!is_word(set->block_bytes) && set->block_bytes % (MEM_BLOCK * sizeof(double)) != 0)
        usage_error("--block-size %llu: neither 1 nor 8, nor a multiple of %zu bytes: give such a "
                    "size",
                    (unsigned long long)set->block_bytes, MEM_BLOCK * sizeof(double));
    if (set->block_bytes != 0 && (plan->kernel == MEM_CHASE || plan->kernel == MEM_STREAM))
        usage_error("--block-size: %s has no blocks: give another --kernel",
                    mem_kernel_names[plan->kernel]);
    if (set->sequential && plan->kernel == MEM_CHASE)
        usage_error("--sequential: a chase is random: give --read --block-size 1");
    plan->word_bytes = set->block_bytes == 1 ? 1 : MEM_LARGEST_WORD;
    if (is_word(set->block_bytes))
        plan->access = access_of(set, &plan->kernel);
    else if (plan->kernel == MEM_CHASE)
        plan->access = ACCESS_LOAD_RANDOM;
}

const char *const mem_class_names[] = {"l1", "l2", "l3", "memory"};
const char *const mem_simd_choices[] = {"auto", "avx512", "avx2",     "sse2",
                                        "sve",  "neon",   "portable", NULL};

const struct option_row mem_options[] = {
    {MEM_ROW("kernel", "NAME", OPTION_CHOICE, kernel), .preset = "triad",
     .choices = mem_kernel_names,
     .help = "copy, scale, add, triad, read, write, chase (dependent loads in random order), or "
             "stream (copy, scale, add and triad in turn)"},
    {MEM_ROW("read", NULL, OPTION_FLAG, read), .help = "the same as --kernel read"},
    {MEM_ROW("write", NULL, OPTION_FLAG, write), .help = "the same as --kernel write"},
    {MEM_ROW("block-size", "SIZE", OPTION_SIZE, block_bytes), .minimum = 1, .maximum = 1e15,
     .help = "bytes in one place of each array: a multiple of 512; or 1 or 8 for single accesses, "
             "each of which waits for the one before: a latency (default: the whole array)"},
    {MEM_ROW("sequential", NULL, OPTION_FLAG, sequential),
     .help = "one block after the other (the default)"},
    {MEM_ROW("random", NULL, OPTION_FLAG, random),
     .help = "blocks anywhere in the worker's arrays, evenly distributed"},
    {MEM_ROW("footprint", "SIZE", OPTION_TEXT, footprint), .wrong = "much",
     .help =
         "total size of all arrays of all workers: a size, 150% of an L3, or l1, l2, l3: half of "
         "that cache, for l1 and l2 of each worker (default: for each array 4 times all L3s that "
         "the load reaches, and where the caches are found to reach further, beyond that)"},
    {MEM_ROW("non-temporal", NULL, OPTION_FLAG, non_temporal),
     .help = "use stores that bypass the caches"},
    MEM_SHARED_OPTIONS,
    {0},
};

static void check_simd(struct run *run)
{
    const struct mem_settings *set = settings_of(run);
    struct mem_plan *plan = &mem_state_of(run)->plan;
    if (set->simd == 0) {
        plan->simd = mem_simd_best();
        if (set->non_temporal && !mem_simd_table(plan->simd)->non_temporal[MEM_COPY])
            usage_error("--non-temporal: this kind of machine has no such stores: leave it out");
        return;
    }
    plan->simd = (enum simd)(set->simd - 1);
    if (!mem_simd_works(plan->simd))
        usage_error("--simd %s: this CPU lacks it: give %s, or leave it out",
                    simd_names[plan->simd], simd_names[mem_simd_best()]);
    if (set->non_temporal && !mem_simd_table(plan->simd)->non_temporal[MEM_COPY])
        usage_error("--simd %s --non-temporal: it has no such stores: give %s",
                    simd_names[plan->simd], simd_names[mem_simd_best()]);
}

void mem_open(struct run *run)
{
    const struct mem_settings *set = settings_of(run);
    struct mem_state *state = mem_state_of(run);
    if (set->non_temporal && (state->plan.kernel == MEM_READ || state->plan.kernel == MEM_CHASE))
        usage_error("--non-temporal is for stores, and %s has none: leave it out",
                    mem_kernel_names[state->plan.kernel]);
    if (set->non_temporal && state->plan.access != ACCESS_NONE)
        usage_error("--non-temporal: single accesses have no such stores: leave it out");
    if (state->plan.access != ACCESS_NONE && options_given(run->options, "simd"))
        usage_error("--simd: %s: leave it out", state->plan.kernel == MEM_CHASE
                                                    ? "chase loads one pointer at a time"
                                                    : "single accesses need no vectors");
    if (set->huge)
        mem_pages_check_huge();
    mem_machine_open(&state->machine, &run->cpus);
    (void)edge_kept(&state->machine.caches, &state->edge_bytes);
    check_simd(run);
    char nodes[256];
    state->plan.node = (int)set->node;
    if (set->node >= 0 &&
        !mem_machine_has_node(&state->machine, (unsigned)set->node, nodes, sizeof nodes))
        usage_error("--node %d: there is no such NUMA node here: choose from %s", state->plan.node,
                    nodes);
}

void mem_check(struct run *run)
{
    const struct common *common = &run->common;
    struct mem_state *state = mem_state_of(run);
    choose_kernel(run);
    mem_open(run);
    // Whether the frame is about to refuse the options: then nothing is worth measuring.
    const bool refused = common->limit && common->calib && !common->if_missing;
    // Only who relies on it waits for it, and only once on a machine.
    if (!settings_of(run)->footprint && !common->dry_run && !refused)
        state->edge_bytes = edge_find(&state->machine.caches, run->cpus.cpu[0], run->report.json);
    mem_set_footprint(run, mem_footprint_of(run));
}
