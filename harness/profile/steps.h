#ifndef PROFILE_STEPS_H
#define PROFILE_STEPS_H

#include "profile.h"

#include "harness/study/study.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

// The experiments of a profile, as they were measured, and how runs alone vary.

// Whether the experiment has ended by itself.
bool step_is_done(const char *folder, const char *name);

// Whether it was begun.
bool step_is_begun(const char *folder, const char *name);

// FOLDER/NAME/result.json, a new reference; NULL after a message on stderr.
json_t *step_result(const char *folder, const char *name);

// Reads FOLDER/NAME. False after a message on stderr. To be freed in either case.
bool step_read(struct measured *measured, const char *folder, const char *name);

// A metric of the used runs of a condition, in the order of measurement; to be freed.
double *measured_values(const struct measured *measured, size_t condition, size_t metric,
                        size_t *count);

// By block (0 to measured->session.blocks - 1), NAN where the condition has no usable run
// there; to be freed.
double *measured_by_block(const struct measured *measured, size_t condition, size_t metric);

// Seconds from a run's end to the next one's start, on average: what is spent around a run; 0:
// fewer than two runs.
double measured_overhead_s(const struct measured *measured);

enum { NOISE_LEAST = 8 }; // runs that a correlation is taken of, at least

// Runs alone in the order of measurement.
struct noise_series {
    const double *wall_s;
    size_t n;
};

// The ratio of two halves of the same runs, which is 1 but for noise.
struct noise_halves {
    double ratio, low, high; // NAN: too few runs
};

struct noise {
    size_t n;
    double mean_s, sd;               // sd of log(wall time)
    double low, high;                // interval of sd (chi-square: too narrow where runs correlate)
    double correlation;              // of neighbouring runs (lag 1); NAN: fewer than NOISE_LEAST
    struct noise_halves interleaved; // every second run / those between: what A beside A shows
    struct noise_halves in_time;     // the second half / the first: drift
};

// Of one series, at that confidence. Values that are not above 0 are left out.
struct noise noise_of(const struct noise_series *series, double confidence);

// Of several series, each about its own mean (they may be of different hours): sd and n of all
// runs, correlation of the series that are long enough, by their runs.
struct profile_noise noise_pooled(const struct noise_series *series, size_t count);

// What a profile still needs, by its plan and by what is in its folder: one experiment after the
// other. The shell runs each, and asks again.

// Names of the experiments, each in a folder of that name.
#define STEP_ALONE       "alone"
#define STEP_SENSITIVITY "sensitivity"
#define STEP_ADDED       "added"
#define STEP_PRESSURE    "pressure"

// Prints the next step for the shell, as pairs of name and value, each ended by NUL:
//
//     say TEXT          something for people, such as how long it takes
//     problem TEXT      it cannot be done, with exit status 2
//     step NAME         the experiment; `done`: none is left
//     word WORD...      the words of `jostle`, with the folder
//
// False after a message on stderr.
bool steps_print(const char *folder);

// The file in the folder that says what is wanted: a jostle.profile-plan/1.
#define STEPS_PLAN "profile-plan.json"
// It, a new reference; NULL after a message on stderr.
json_t *steps_plan(const char *folder);

// The profile of the records in FOLDER, a jostle.program/1 with what could not be told as
// `reasons`; paths in it are relative to the folder of `file`. A new reference; NULL after a
// message on stderr.
json_t *derive_profile(const char *folder, const char *file);

// What runs alone show, a jostle.noise/1, a new reference; NULL after a message on stderr.
json_t *derive_noise(const char *folder);

#endif
