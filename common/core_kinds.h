#ifndef COMMON_CORE_KINDS_H
#define COMMON_CORE_KINDS_H

// Cores of unlike speed in one machine: Arm's big.LITTLE, Intel's P and E cores. Two cores are of
// one kind if they have the same name, and neither what the kernel states of their capacity nor
// their highest frequency differ by more than a tenth: cores of one kind that are allowed a
// little more clock than others are no kind of their own.

#include "common/cpus.h"

#include <jansson.h>

enum { CORE_KINDS_MOST = 8, CORE_KIND_TEXT = CPUS_TEXT + 256 };

struct core_kind {
    char name[64];    // "Arm Cortex-A72", "P-core"; "": not known
    int64_t capacity; // by the kernel, 1024: the fastest; UNKNOWN
    int64_t most_khz; // the highest frequency; UNKNOWN
    struct cpu_list cpus;
};

struct core_kinds {
    unsigned count; // 0: this machine does not show its CPUs; 1: all are alike
    struct core_kind kind[CORE_KINDS_MOST]; // the fastest first
};

// Of the CPUs that are online (/proc/cpuinfo and /sys, below JOSTLE_KERNEL_ROOT), to be freed by
// free(). NULL: out of memory.
struct core_kinds *core_kinds_read(void);
// Whether there are several.
bool core_kinds_differ(void);
// Of how many kinds the CPUs are; those that are not known count as none.
unsigned core_kinds_among(const struct core_kinds *kinds, const struct cpu_list *cpus);
// "CPU 4-5: Arm Cortex-A72, capacity 1024, at most 1.80 GHz" into text of CORE_KIND_TEXT bytes;
// returns text.
const char *core_kind_describe(const struct core_kind *kind, char *text, size_t size);
// [{"cpus", "name", "capacity", "max_hz"}], null for what is not known; null: no CPUs are shown. A
// new reference.
json_t *core_kinds_to_json(const struct core_kinds *kinds);

#endif
