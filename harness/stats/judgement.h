// What is said of a ratio: one judgement, made here, off which every sentence, table, mark, colour
// and export is read.
#ifndef STATS_JUDGEMENT_H
#define STATS_JUDGEMENT_H

#include "interval.h"
#include "session.h"

#include <jansson.h>

// Whether what is compared makes a difference. NONE: it is so small that nobody asks for more.
enum effect { EFFECT_UNKNOWN, EFFECT_NONE, EFFECT_SEEN, EFFECTS };

// Their names in records: "unknown", "no", "yes".
extern const char *const effect_names[EFFECTS];

// A ratio that is surely within this of 1 has no effect.
#define EFFECT_NEGLIGIBLE 0.05

// What a ratio says. `is_seen`: its test says so, in the family of all that are looked at together.
// An interval that has 1 in it is never an effect, whatever the test says, nor is one beside 1 that
// the test does not confirm.
enum effect effect_of(const struct interval *ratio, bool is_seen);

// About how many pairs of runs would tell, by how intervals narrow (with the root of their number),
// where `pairs` have that interval: then it is beside 1, or within EFFECT_NEGLIGIBLE of it. NAN:
// nobody knows, or more than anybody would measure.
double effect_pairs_needed(const struct interval *ratio, double pairs);

// The largest difference from 1 that the interval allows.
double effect_at_most(const struct interval *ratio);

// Looks at all ratios of the session, once, as a family: how surely each is no chance (a false
// discovery rate, Y. Benjamini and Y. Hochberg, J. R. Statist. Soc. B 57 (1995) 289-300) among
// those that decide, or, of any other metric, among its own.
void judgements_make(struct session *session);

// The effect of one of them.
enum effect judgement_effect(struct session *session, struct ratio of);

// Adds to the record of a ratio the members `distinguishable` (null: it cannot be known) and
// `judgement`: {effect, at_most: of "no", pairs_needed: of "unknown", q, family: how many ratios}.
void judgement_add(struct session *session, struct ratio of, json_t *record);

#endif
