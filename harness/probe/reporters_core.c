/* What a core does by itself: dependent additions, and dependent loads in L2 and L3. */

#include "harness/probe/reporter_kernel.h"

#include "common/adds.h"
#include "common/caches.h"
#include "common/chase.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Chunks long enough that reading the clock (0.3 us) costs less than 1 percent of each. */
#define ADDS_CHUNK  131072
#define LOADS_CHUNK 16384
#define MOST_BYTES                                                                                 \
    ((size_t)16 << 20) /* of a ring: larger ones take longer to fill than a window                 \
                        */

static void *open_adds(const struct kernel_setting *setting, char *reason, size_t size)
{
    static const char nothing = 0;
    (void)setting, (void)reason, (void)size;
    return (void *)&nothing;
}

static void close_adds(void *state)
{
    (void)state;
}

static void adds_chunk(void *state)
{
    (void)state;
    adds_run(ADDS_CHUNK);
}

static double window_adds(void *state, int64_t window_ns)
{
    return kernel_cpu_time_each(adds_chunk, state, ADDS_CHUNK, window_ns);
}

struct ring {
    struct area area;
    void **at;
};

static void *open_ring(uint64_t cache_bytes, const char *name, uint64_t seed, char *reason,
                       size_t size)
{
    size_t bytes = (size_t)cache_bytes / 2;
    struct ring *ring = calloc(1, sizeof *ring);
    if (cache_bytes == 0) {
        snprintf(reason, size, "this machine states no %s cache", name);
        free(ring);
        return NULL;
    }
    if (bytes > MOST_BYTES)
        bytes = MOST_BYTES;
    if (ring == NULL || !area_map(&ring->area, bytes)) {
        snprintf(reason, size, "no memory for %zu KiB", bytes / 1024);
        free(ring);
        return NULL;
    }
    chase_link(ring->area.memory, bytes / CHASE_LINE_BYTES, (unsigned)seed);
    ring->at = ring->area.memory;
    return ring;
}

static void *open_l2(const struct kernel_setting *setting, char *reason, size_t size)
{
    struct caches caches;
    caches_read(-1, &caches);
    return open_ring(caches.l2_bytes, "L2", setting->seed, reason, size);
}

static void *open_l3(const struct kernel_setting *setting, char *reason, size_t size)
{
    struct caches caches;
    caches_read(-1, &caches);
    return open_ring(caches.l3_bytes, "L3", setting->seed, reason, size);
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

const struct reporter_kernel kernel_adds = {open_adds, window_adds, close_adds};
const struct reporter_kernel kernel_l2 = {open_l2, window_ring, close_ring};
const struct reporter_kernel kernel_l3 = {open_l3, window_ring, close_ring};
