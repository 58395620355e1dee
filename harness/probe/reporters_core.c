/* What a core does by itself: dependent loads in L2. */

#include "harness/probe/reporter_kernel.h"

#include "common/chase.h"
#include "common/machine.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Long enough that reading the clock (0.3 us) costs less than 1 percent of a chunk. */
#define LOADS_CHUNK 16384
/* Of a ring: larger ones take longer to fill than a window. */
#define MOST_BYTES ((size_t)16 << 20)

struct ring {
    struct area area;
    void **at;
};

static void *open_l2(const struct kernel_setting *setting, char *reason, size_t size)
{
    struct caches caches;
    struct ring *ring = calloc(1, sizeof *ring);
    caches_read(-1, &caches);
    size_t bytes = (size_t)caches.l2_bytes / 2;
    if (bytes > MOST_BYTES)
        bytes = MOST_BYTES;
    if (bytes == 0)
        snprintf(reason, size, "this machine states no L2 cache");
    else if (ring == NULL || !area_map(&ring->area, bytes))
        snprintf(reason, size, "no memory for %zu KiB", bytes / 1024);
    if (*reason != '\0') {
        free(ring);
        return NULL;
    }
    chase_link(ring->area.memory, bytes / CHASE_LINE_BYTES, (unsigned)setting->seed);
    ring->at = ring->area.memory;
    return ring;
}

static void close_ring(void *state)
{
    struct ring *ring = state;
    area_unmap(&ring->area);
    free(ring);
}

static void ring_chunk(void *state)
{
    struct ring *ring = state;
    ring->at = chase_run(ring->at, LOADS_CHUNK);
}

/* Others have had the cache meanwhile: reading all of it once, in order, brings it back in a
 * fraction of the time that the chase would need. */
static double window_ring(void *state, int64_t window_ns)
{
    struct ring *ring = state;
    area_read(ring->area.memory, ring->area.bytes);
    return kernel_cpu_time_each(ring_chunk, ring, LOADS_CHUNK, window_ns);
}

const struct reporter_kernel kernel_l2 = {open_l2, window_ring, close_ring};
