#include "common/caches.h"

#include "common/machine.h"
#include "common/units.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>

#define MOST_INDICES 8

/* The sizes of sysfs are "32K"; all units there are powers of 1024. */
static uint64_t size_of(const char *folder)
{
    char path[160], text[32];
    uint64_t size_bytes;
    snprintf(path, sizeof path, "%s/size", folder);
    return machine_line(path, text, sizeof text) && units_size(text, &size_bytes) == 0 ? size_bytes
                                                                                       : 0;
}

void caches_read(int cpu, struct caches *caches)
{
    uint64_t *const by_level[] = {NULL, &caches->l1_bytes, &caches->l2_bytes, &caches->l3_bytes};
    char folder[128], path[160], type[32];
    *caches = (struct caches){0};
    if (cpu < 0)
        cpu = sched_getcpu();
    for (int index = 0; index < MOST_INDICES; index++) {
        snprintf(folder, sizeof folder, "/sys/devices/system/cpu/cpu%d/cache/index%d",
                 cpu < 0 ? 0 : cpu, index);
        snprintf(path, sizeof path, "%s/level", folder);
        const int64_t level = machine_number(path);
        snprintf(path, sizeof path, "%s/type", folder);
        if (level >= 1 && level <= 3 && machine_line(path, type, sizeof type) &&
            strcmp(type, "Instruction") != 0)
            *by_level[level] = size_of(folder);
    }
}
