// The rules as rows: a condition on what was recorded, and the part of a spec that follows from it.
#ifndef IMITATE_RULES_H
#define IMITATE_RULES_H

#include "imitate.h"

// The candidates, the best first. A rule says in which of them it counts.
enum shape { IN_TURN = 1, SIMPLE = 2, APART = 4, BOUND = 8 };

struct condition_on {
    enum trait trait;
    bool below; // else at least
    double bound;
};

enum { CONDITIONS_MOST = 5 };

struct rule {
    unsigned shapes;  // of enum shape
    const char *kind; // of the rules of a kind the first that fits counts, for each shape
    struct condition_on when[CONDITIONS_MOST];
    size_t when_count;
    const char *spec;  // {TRAIT} is filled in
    const char *means; // likewise
    bool joins;        // its words belong to the part in front of it
};

extern const struct rule imitation_rules[];
extern const size_t imitation_rule_count;

// How a trait is written in {}.
enum trait_format { AS_COUNT, AS_PERCENT, AS_RATE, AS_BYTES, AS_SIZE };
struct trait_name {
    const char *name;
    enum trait_format format;
};
extern const struct trait_name trait_names[TRAITS];

#endif
