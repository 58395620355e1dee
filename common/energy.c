// Reads what the processor packages have taken, by powercap (RAPL).
#include "common/energy.h"

#include "common/clock.h"
#include "common/machine.h"

#include <math.h>
#include <unistd.h>

#define POWERCAP "/sys/class/powercap"
#define MOST_W   1000.0 // no package is known that takes more

static int64_t energy_number(size_t package, const char *name)
{
    return machine_number(POWERCAP "/intel-rapl:%zu/%s", package, name);
}

// Of AMD, too: the driver is the same. Zones of a second level (intel-rapl:0:0) are parts of a
// package.
void energy_read(struct energy *energy)
{
    *energy = (struct energy){.at_ns = clock_ns()};
    for (size_t i = 0; i < ENERGY_PACKAGES; i++) {
        char name[64];
        // A zone of the whole platform (psys) has the packages in it.
        if (!machine_line(name, sizeof name, POWERCAP "/intel-rapl:%zu/name", i) ||
            name[0] != 'p' || name[1] != 'a')
            continue;
        const int64_t uj = energy_number(i, "energy_uj"),
                      range = energy_number(i, "max_energy_range_uj");
        const int64_t most_uw = energy_number(i, "constraint_0_max_power_uw");
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
