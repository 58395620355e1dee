/* Memory: the latency of dependent loads. */

#include "harness/probe/reporter_kernel.h"

#include "common/chase.h"

#include <stdlib.h>

#define LOADS_CHUNK 2048 /* some 0.2 ms: reading the clock is nothing */
#define PART_LOADS  (SHARED_PART_BYTES / CHASE_LINE_BYTES)

struct memory_state {
    struct shared_area *shared;
    void **at;   /* of the chase */
    size_t left; /* loads in its part */
};

static void *open_memory(const struct kernel_setting *setting, char *reason, size_t size)
{
    struct memory_state *state;
    if (!shared_area_open(setting->shared, reason, size) ||
        (state = calloc(1, sizeof *state)) == NULL)
        return NULL;
    state->shared = setting->shared;
    return state;
}

/* Each line of a part is loaded once. */
static void memory_chunk(void *untyped)
{
    struct memory_state *state = untyped;
    if (state->left < LOADS_CHUNK) {
        state->at = shared_area_next(state->shared);
        state->left = PART_LOADS;
    }
    state->at = chase_run(state->at, LOADS_CHUNK);
    state->left -= LOADS_CHUNK;
}

/* Each window begins a part of its own: what is left of the last one may be in a cache. */
static double window_memory(void *untyped, int64_t window_ns)
{
    struct memory_state *state = untyped;
    state->left = 0;
    return kernel_cpu_time_each(memory_chunk, state, LOADS_CHUNK, window_ns);
}

const struct reporter_kernel kernel_memory = {open_memory, window_memory, free};
