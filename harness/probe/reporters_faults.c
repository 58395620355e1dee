/* Page faults: the first touch of a page of new memory, with mapping and unmapping. */

#include "harness/probe/reporter_kernel.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGES 64

struct faults_state {
    size_t page_bytes;
    bool failed;
};

static void *open_faults(const struct kernel_setting *setting, char *reason, size_t size)
{
    struct faults_state *state = calloc(1, sizeof *state);
    (void)setting, (void)reason, (void)size;
    if (state != NULL)
        state->page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    return state;
}

static void faults_chunk(void *untyped)
{
    struct faults_state *state = untyped;
    const size_t bytes = PAGES * state->page_bytes;
    volatile char *memory =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        state->failed = true;
        return;
    }
    (void)madvise((void *)memory, bytes, MADV_NOHUGEPAGE);
    for (size_t page = 0; page < PAGES; page++)
        memory[page * state->page_bytes] = 1;
    munmap((void *)memory, bytes);
}

static double window_faults(void *untyped, int64_t window_ns)
{
    struct faults_state *state = untyped;
    state->failed = false;
    const double each_ns = kernel_cpu_time_each(faults_chunk, state, PAGES, window_ns);
    return state->failed ? NAN : each_ns;
}

const struct reporter_kernel kernel_faults = {open_faults, window_faults, free};
