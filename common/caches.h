// What the kernel states of a CPU's caches (/sys/devices/system/cpu/cpuN/cache). Inside a
// virtual machine it may be more, or less, than what is there.
#ifndef COMMON_CACHES_H
#define COMMON_CACHES_H

#include <stdint.h>

struct caches {
    uint64_t l1_bytes, l2_bytes, l3_bytes; // of data or unified; 0: not stated
};

// Of that CPU; -1: of the one that the caller runs on.
void caches_read(int cpu, struct caches *caches);

#endif
