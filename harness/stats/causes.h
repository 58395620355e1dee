// The causes of a slowdown, and the sentence that says how much each has.
#ifndef STATS_CAUSES_H
#define STATS_CAUSES_H

#include <stdbool.h>

enum cause { EXECUTION, HOST, CPU, MEMORY, IO, UNEXPLAINED, CAUSES };

// As results name them.
extern const char *const cause_names[CAUSES];

struct shares {
    double s[CAUSES];
    bool ambiguous;
    double threads; // CPUs that the target keeps busy alone
};

// CPU time is instructions x cycles per instruction / clock, so the first three
// explain it between them; cache misses are one cause of the second among others,
// and get no share of the time. Ratios, loaded over alone; NAN: not known.
struct hardware {
    double instructions, cycles_per_instruction, cycles_per_s, misses_per_instruction;
};

// Whether anything is known of it.
bool causes_has_hardware(const struct hardware *hardware);

// "half: +37 %: 31 points waiting for the CPU, 6 unexplained", to be freed; NULL
// if memory ran out. `total` is the slowdown in percent, `points` its parts.
char *causes_text(const char *condition, double total, const double *points,
                  const struct shares *shares, const struct hardware *hardware,
                  bool pressure_known);

#endif
