// What a program suffers beside others, from what each profile holds. Pure: no clock, no files.
//
//     slowdown = analytic x (1 + sum of weight_i x term_i)
//
// `analytic` is the fair share of the CPUs that they have in common (fair.h). The terms are made
// of what each kind of load costs the victim at the level that the others press with, the CPU
// time of that load taken out. The others are slowed, too, and press less for it: levels are
// those of the fixed point of all. A variant is a choice of terms; weights are 1 until they are
// learned from measured pairs.
#ifndef PREDICT_MODEL_H
#define PREDICT_MODEL_H

#include "harness/profile/profile.h"

#include <stdbool.h>
#include <stddef.h>

enum { PREDICT_KINDS = SENSITIVITY_KINDS, PREDICT_TERMS = PREDICT_KINDS, PREDICT_WHY = 256 };
enum { PREDICT_PROGRAMS = 32 }; // together, the victim among them

// What one kind of load costs the victim, when it presses as the others do.
struct predict_kind {
    char name[SENSITIVITY_NAME];
    double level;     // of all others, in the fixed point; NAN: not known
    double effect;    // slowdown - 1 by it, CPU time taken out; NAN: not known
    double low, high; // bounds of effect, at the confidence of the profiles; INFINITY: none
    bool saturated;   // levels of several add to more than 1, and count as 1
};

struct pair_features {
    bool known; // false: no number, and `why` says why not
    char why[PREDICT_WHY];
    double analytic; // slowdown by the fair share of CPUs; 1 where none is in common
    size_t kinds;    // those of the victim's sensitivity
    struct predict_kind kind[PREDICT_KINDS];
    double sensitivity; // of the victim: mean of its effects at the highest levels measured
    double pressure;    // of the others: mean of their levels
};

// Features of a beside b. False, as features->known: there is no number.
bool predict_features(const struct program_profile *a, const struct program_profile *b,
                      struct pair_features *features);

// Features of each program beside all others: features[i] is of program[i]. At most
// PREDICT_PROGRAMS.
void predict_features_together(const struct program_profile *const *program, size_t count,
                               struct pair_features *features);

struct predict_variant {
    const char *name, *help;
    // Writes its terms, none negative, and returns how many; always as many for one variant.
    size_t (*terms)(const struct pair_features *features, double term[PREDICT_TERMS]);
};

// Ended by a row without a name; the first is what is used before any pairs are learned from.
extern const struct predict_variant predict_variants[];
// NULL: no such variant.
const struct predict_variant *predict_variant_find(const char *name);

struct predict_model {
    const struct predict_variant *variant;
    double weight[PREDICT_TERMS];
    // The interval, where learned: from slowdown + low x scale to slowdown + high x scale, scale
    // being scale_floor + |slowdown - 1|. NAN: not calibrated on pairs.
    double quantile_low, quantile_high, scale_floor;
    double confidence; // of it
};

// Weights of 1, no interval, the first variant.
void predict_model_preset(struct predict_model *model);

enum predict_source { PREDICT_NO_INTERVAL, PREDICT_FROM_PROFILES, PREDICT_FROM_PAIRS };

// What part of a slowdown is by one of its causes.
struct predict_carrier {
    char name[SENSITIVITY_NAME]; // "CPU time" or a kind
    double slowdown;             // by this alone
    bool saturated;
};

struct prediction {
    bool known; // false: no number, and `why` says why not
    char why[PREDICT_WHY];
    double slowdown, low, high; // high may be INFINITY: no upper bound
    enum predict_source source; // of the interval
    double confidence;
    size_t carriers; // what costs 0.5 % or more, the most first
    struct predict_carrier carrier[PREDICT_KINDS + 1];
    struct pair_features features;
};

// One pair; false, as prediction->known, where there is no number.
bool predict_pair(const struct predict_model *model, const struct program_profile *a,
                  const struct program_profile *b, struct prediction *prediction);

// The prediction of given features; `confidence`: of the profiles.
bool predict_apply(const struct predict_model *model, const struct pair_features *features,
                   double confidence, struct prediction *prediction);

#endif
