// What jostle would measure on the machine made of equations: references, profiles and pairs, with
// noise. The figures are derived from simulated runs by the functions that derive them from real
// ones (pressure/sensitivity.h, profile/pressure.h, pressure/invert.h).
#ifndef SIMULATE_MACHINE_PROFILE_H
#define SIMULATE_MACHINE_PROFILE_H

#include "machine_programs.h"

#include "harness/pressure/invert.h"
#include "harness/profile/profile.h"

#include <gsl/gsl_rng.h>

enum { MACHINE_LEVELS = 4, MACHINE_BLOCKS = 10, MACHINE_PAIR_BLOCKS = 5 };
extern const double machine_levels[MACHINE_LEVELS]; // of a profile, and of the reference

// Runs vary log-normally, in spells: neighbours in time resemble each other.
struct machine_noise {
    gsl_rng *rng;
    double sd;    // of the log of a run
    double state; // of the spell, in standard deviations
};

// The factor of the next run; its mean is 1.
double machine_noise_next(struct machine_noise *noise);

// What is known exactly, so that it is computed once for all noise: times of each load with the
// program, and what reporters read beside it.
struct machine_known {
    struct demand demand;
    struct lap alone;
    double slowdown[MACHINE_KINDS][MACHINE_LEVELS];
    double load_cpus[MACHINE_KINDS][MACHINE_LEVELS], cpu_ratio[MACHINE_KINDS][MACHINE_LEVELS];
    double reading[MACHINE_REPORTERS]; // beside the program
};

void machine_know(const struct machine *machine, const struct demand *demand, bool same_core,
                  struct machine_known *known);

// What reporters read beside each load at each level, exactly.
struct machine_curves {
    double reading[MACHINE_KINDS][MACHINE_LEVELS][MACHINE_REPORTERS];
};

void machine_curves_make(const struct machine *machine, bool same_core,
                         struct machine_curves *curves);

// A reference as measured.
void machine_reference(const struct machine_curves *curves, struct machine_noise *noise,
                       struct invert_curves *reference);

// A profile as measured, of that name. place: "core", or "l3": each on a CPU of its own.
void machine_profile(const struct machine_known *known, const char *name, const char *place,
                     const struct invert_curves *reference, struct machine_noise *noise,
                     struct program_profile *profile);

// A slowdown as measured, in blocks of a run alone and one beside the other.
double machine_measure(double slowdown, struct machine_noise *noise);

#endif
