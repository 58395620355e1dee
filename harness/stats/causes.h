// The sentence that says how much of a slowdown each cause has.
#ifndef STATS_CAUSES_H
#define STATS_CAUSES_H

#include "times.h"

#include <stdbool.h>

// As results name them.
extern const char *const cause_names[CAUSES];

// CPU time is instructions x cycles per instruction / clock, so the first three
// explain it between them; cache misses are one cause of the second among others,
// and get no share of the time. Ratios, loaded over alone; NAN: not known.
struct hardware {
    double instructions, cycles_per_instruction, cycles_per_s, misses_per_instruction;
    double cpu_time; // of what the counters count
};

// Whether anything is known of it.
bool causes_has_hardware(const struct hardware *hardware);

struct shares;

// What the growth of CPU time is: "slower", "instructions" (more of them), "both",
// or "slower-or-spinning": several threads, of which one may spin while it waits
// for another, and no counters that show it.
const char *causes_execution(const struct shares *shares, const struct hardware *hardware);

// "half: +37 %: 31 ± 2 points waiting for the CPU, 6 ± 2 unexplained", to be freed.
// `statistic`: that of the slowdown, where it is not the
// mean, which is what is shared out; else NULL.
char *causes_text(const char *condition, const char *statistic, const struct shares *shares,
                  const struct hardware *hardware);

#endif
