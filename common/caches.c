// Reads what the kernel states of a CPU's caches.
#include "common/caches.h"

#include "common/machine.h"
#include "common/units.h"

#include <sched.h>
#include <string.h>

#define MOST_INDICES 8
#define INDEX        "/sys/devices/system/cpu/cpu%d/cache/index%d"

void caches_read(int cpu, struct caches *caches)
{
    uint64_t *const by_level[] = {NULL, &caches->l1_bytes, &caches->l2_bytes, &caches->l3_bytes};
    char type[32], size[32];
    *caches = (struct caches){0};
    if (cpu < 0)
        cpu = sched_getcpu();
    if (cpu < 0)
        cpu = 0;
    for (int index = 0; index < MOST_INDICES; index++) {
        const int64_t level = machine_number(INDEX "/level", cpu, index);
        if (level < 1 || level > 3 || !machine_line(type, sizeof type, INDEX "/type", cpu, index) ||
            strcmp(type, "Instruction") == 0)
            continue;
        // "32K"; all units there are powers of 1024.
        *by_level[level] = 0;
        if (machine_line(size, sizeof size, INDEX "/size", cpu, index))
            (void)units_size(size, by_level[level]);
    }
}
