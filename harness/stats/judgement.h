// What is said of a ratio: one judgement, made here, off which every sentence, table, mark, colour
// and export is read.
#ifndef STATS_JUDGEMENT_H
#define STATS_JUDGEMENT_H

#include "effect.h"
#include "harness/record/settings.h"
#include "session.h"

#include <jansson.h>

// Looks at all ratios of the session, once, as a family: how surely each is no chance (a false
// discovery rate, Y. Benjamini and Y. Hochberg, J. R. Statist. Soc. B 57 (1995) 289-300) among
// those that decide, or, of any other metric, among its own.
void judgements_make(struct session *session);

// The effect of one of them.
enum effect judgement_effect(struct session *session, struct ratio of);

// Adds to the record of a ratio the members `distinguishable` (null: it cannot be known) and
// `judgement`: {effect, at_most: of "no", pairs_needed: of "unknown", q, family: how many ratios,
// level: how surely, load: {name, share, arrived} of the load that came least to what it was due
// (null: none has a rate), problems: the flags of judgements_name_problems()}. What the time was
// made of is `attribution` beside it.
void judgement_add(struct session *session, struct ratio of, json_t *record);

// Names in each judgement of a summary the problems, not the notes, that the summary's `warnings`
// tell of it: of its condition and metric, or of all.
void judgements_name_problems(json_t *summary);

#endif
