#include "mem/pattern.h"

#include "mem/mem-state.h"

/* --read and --write are other words for two kernels. */
static enum mem_kernel kernel_of(const struct run *run)
{
    const struct mem_settings *set = mem_settings_of(run);
    if (set->read && set->write)
        usage_error("--read and --write exclude each other: give one, or --kernel copy");
    if ((set->read || set->write) && options_given(run->options, "kernel"))
        usage_error("--%s is a --kernel: give one of the two", set->read ? "read" : "write");
    if (set->read)
        return MEM_READ;
    return set->write ? MEM_WRITE : (enum mem_kernel)set->kernel;
}

/* Blocks of one byte; reads of random ones are a chase. */
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
    default:
        usage_error("--block-size 1: single accesses are read or written: give --read or --write");
    }
}

static void check_pattern(const struct mem_settings *set, enum mem_kernel kernel)
{
    if (set->random && set->sequential)
        usage_error("--random and --sequential exclude each other: give one");
    if (set->random && set->block_bytes == 0)
        usage_error("--random: of blocks: give their --block-size");
    if (set->block_bytes > 1 && set->block_bytes % (MEM_BLOCK * sizeof(double)) != 0)
        usage_error("--block-size %llu: neither 1 nor a multiple of %zu bytes: give such a size",
                    (unsigned long long)set->block_bytes, MEM_BLOCK * sizeof(double));
    if (set->block_bytes != 0 && (kernel == MEM_CHASE || kernel == MEM_STREAM))
        usage_error("--block-size: %s has no blocks: give another --kernel",
                    mem_kernel_names[kernel]);
    if (set->sequential && kernel == MEM_CHASE)
        usage_error("--sequential: a chase is random: give --read --block-size 1");
}

struct mem_pattern mem_pattern_of(const struct run *run)
{
    const struct mem_settings *set = mem_settings_of(run);
    struct mem_pattern pattern = {.kernel = kernel_of(run)};
    check_pattern(set, pattern.kernel);
    if (set->block_bytes == 1)
        pattern.access = access_of(set, &pattern.kernel);
    else if (pattern.kernel == MEM_CHASE)
        pattern.access = ACCESS_LOAD_RANDOM;
    return pattern;
}
