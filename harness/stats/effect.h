// Whether a ratio shows an effect: what every sentence, table, mark, colour and export says of it.
#ifndef STATS_EFFECT_H
#define STATS_EFFECT_H

#include "interval.h"

// Whether what is compared makes a difference. NONE: it is so small that nobody asks for more.
enum effect { EFFECT_UNKNOWN, EFFECT_NONE, EFFECT_SEEN, EFFECTS };

// Their names in records: "unknown", "no", "yes".
extern const char *const effect_names[EFFECTS];

// The effect of that name; EFFECTS: none has it, or NULL.
enum effect effect_named(const char *name);

// What stands behind a ratio in a table: " (unclear)", " (no effect)", "".
extern const char *const effect_remarks[EFFECTS];

// A ratio that is surely within this of 1 has no effect.
#define EFFECT_NEGLIGIBLE 0.05

// More pairs of runs than this are no advice: their number is a guess, and the input is too short.
#define EFFECT_MOST_PAIRS 3000

// What a ratio says. `is_seen`: its test says so, in the family of all that are looked at together.
// An interval that has 1 in it is never an effect, whatever the test says, nor is one beside 1 that
// the test does not confirm.
enum effect effect_of(const struct interval *ratio, bool is_seen);

// About how many pairs of runs would settle it, by how intervals narrow (with the root of their
// number), where `pairs` have that interval: then it is beside 1, or within EFFECT_NEGLIGIBLE of
// it. NAN: nobody knows, or more than anybody would measure.
double effect_pairs_needed(const struct interval *ratio, double pairs);

// The largest difference from 1 that the interval allows.
double effect_at_most(const struct interval *ratio);

#endif
