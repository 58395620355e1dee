#include "energy.h"

#include "machine.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define POWERCAP "/sys/class/powercap"
#define MOST_W   1000.0 // no package is known that takes more

static int64_t now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000 + now.tv_nsec;
}

static int64_t read_file(size_t package, const char *name)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, POWERCAP "/intel-rapl:%zu/%s", package, name);
    return machine_number(path);
}

// Of AMD, too: the driver is the same. Zones of a second level (intel-rapl:0:0) are parts of a
// package.
void energy_read(struct energy *energy)
{
    *energy = (struct energy){.at_ns = now_ns()};
    for (size_t i = 0; i < ENERGY_PACKAGES; i++) {
        char path[PATH_MAX], name[64];
        snprintf(path, sizeof path, POWERCAP "/intel-rapl:%zu/name", i);
        // A zone of the whole platform (psys) has the packages in it.
        if (!machine_line(path, name, sizeof name) || name[0] != 'p' || name[1] != 'a')
            continue;
        const int64_t uj = read_file(i, "energy_uj"), range = read_file(i, "max_energy_range_uj");
        const int64_t most_uw = read_file(i, "constraint_0_max_power_uw");
        if (uj < 0 || range <= 0) {
            energy->count = 0;
            return;
        }
        energy->package[energy->count].uj = (uint64_t)uj;
        energy->package[energy->count].range_uj = (uint64_t)range;
        energy->package[energy->count++].most_w = most_uw > 0 ? 2 * (double)most_uw / 1e6 : MOST_W;
    }
}

double energy_between(const struct energy *before, const struct energy *after)
{
    const double seconds = (double)(after->at_ns - before->at_ns) / 1e9;
    double joules = 0;
    if (before->count == 0 || after->count != before->count)
        return NAN;
    for (size_t i = 0; i < before->count; i++) {
        const uint64_t from = before->package[i].uj, to = after->package[i].uj;
        const uint64_t range = before->package[i].range_uj;
        if (seconds * before->package[i].most_w > (double)range / 1e6)
            return NAN;
        joules += (double)(to >= from ? to - from : range - from + to) / 1e6;
    }
    return joules;
}

double energy_idle_w(void)
{
    struct energy before, after;
    energy_read(&before);
    if (before.count == 0)
        return NAN;
    (void)sleep(1);
    energy_read(&after);
    return energy_between(&before, &after) / ((double)(after.at_ns - before.at_ns) / 1e9);
}
