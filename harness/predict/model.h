#ifndef PREDICT_MODEL_H
#define PREDICT_MODEL_H

#include "harness/profile/profile.h"
#include "programs.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What a program suffers beside others, from what each profile holds. Pure: no clock, no files.
//
//     log slowdown of A beside B  =  sum over reporters of  beta_A,r x log ratio_B,r
//
// ratio_B,r is what B does to a reporter: to a spin's wall time for its CPU time (gap, which has
// the share of the CPUs that both want), to loads from the L2 cache and from memory, to page
// faults. beta_A comes from A's own profile: its slowdowns beside the loads, on what the same loads
// do to the reporters, by ridge regression without an intercept (A. E. Hoerl and R. W. Kennard,
// Technometrics 12 (1970) 55-67). Several neighbours add their log ratios.

enum { PREDICT_WHY = 256, PREDICT_LEAST = 5 }; // loads that a profile needs
enum { PREDICT_PROGRAMS = 32 };                // together, the victim among them

// What part of a slowdown goes by one reporter.
struct predict_carrier {
    const char *words; // "CPU time"
    double slowdown;   // by this alone
};

struct prediction {
    bool known; // false: no number, and `why` says why not
    char why[PREDICT_WHY];
    double slowdown, low, high;
    double confidence;
    size_t carriers; // what costs 0.5 % or more, the most first
    struct predict_carrier carrier[BESIDE_REPORTERS];
};

// a beside `count` others. False, as prediction->known, where there is no number. The interval is
// that of the jackknife+ at a's confidence: each load of the profile is left out once, and how far
// the rest is off for it counts (R. F. Barber et al., Ann. Statist. 49 (2021) 486-507).
bool predict_beside(const struct program_profile *a, const struct program_profile *const *other,
                    size_t count, struct prediction *prediction);

// What --check measures: each program of a pair beside the other, which runs again and again.

struct check_settings {
    bool with_itself;
    uint64_t min_runs, max_runs;
    int64_t max_time_ns; // of each pair
    const char *records; // folder of what was measured before
};

// Prints for the shell, after what the caller has, how many pairs there are and how long each takes
// at most ("2m"); then for each "A@B.PLACE", how many words follow, and these words, the options
// and the program of a `jostle slowdown`. Each is ended by NUL. False after a message, also where a
// profile does not say how its program is run, or the records are of other programs.
bool check_print(const struct program_list *list, const struct check_settings *settings);

#endif
