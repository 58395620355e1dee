// What the processor packages have taken, by the kernel's powercap (RAPL): all that runs on them,
// of everybody, and without the machine's memory, disks and fans.
#ifndef COMMON_ENERGY_H
#define COMMON_ENERGY_H

#include <stddef.h>
#include <stdint.h>

enum { ENERGY_PACKAGES = 16 };

struct energy {
    size_t count; // 0: none can be read
    int64_t at_ns;
    struct {
        uint64_t uj, range_uj; // the counter wraps around at its range
        double most_w;         // that the package may take; 1000 where that is not known
    } package[ENERGY_PACKAGES];
};

// The counters as they are now (below JOSTLE_KERNEL_ROOT where that is set); errno says why there
// are none.
void energy_read(struct energy *energy);

// Returns the energy between two readings, in J. NAN: it is not known, or so much time passed that
// a counter may have wrapped around more than once.
double energy_between(const struct energy *before, const struct energy *after);

// The power in W while nothing of ours runs, over a second. NAN where it cannot be read.
double energy_idle_w(void);

#endif
