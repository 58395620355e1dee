// What is said of a ratio: one judgement, made here, off which every sentence, table, mark, colour
// and export is read.
#ifndef STATS_JUDGEMENT_H
#define STATS_JUDGEMENT_H

#include "effect.h"
#include "session.h"

#include <jansson.h>

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
