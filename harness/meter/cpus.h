#ifndef METER_CPUS_H
#define METER_CPUS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

// As many as the kernel can be built for (CONFIG_NR_CPUS); glibc's cpu_set_t
// stops at 1024.
#define CPUS_MAX         8192
#define CPUS_WORD_BITS   (sizeof(unsigned long) * CHAR_BIT)
#define CPUS_TEXT_LENGTH 4096

struct cpus {
    unsigned long bits[CPUS_MAX / CPUS_WORD_BITS];
};

// cpus_parse: reads a list as in `0-3,8`. False if text is no such list.
bool cpus_parse(struct cpus *cpus, const char *text);

// cpus_format: writes the list, shortest form, into text of
// CPUS_TEXT_LENGTH bytes; a longer one is cut at a comma.
void cpus_format(const struct cpus *cpus, char *text);

// cpus_pin: binds the calling thread. False, with errno, if no CPU of the list
// is allowed. Those that are not are left out by the kernel without a word,
// hence cpus_current.
bool cpus_pin(const struct cpus *cpus);

// cpus_current: the calling thread's affinity as it is in force.
bool cpus_current(struct cpus *cpus);

#endif
