#ifndef REPORT_ANSWER_H
#define REPORT_ANSWER_H

#include "experiment.h"

#include "common/json.h"

/* An effect below this is nothing that anybody acts on: an interval that ends below it says that
 * there is none; one that goes beyond it says that too little was measured. */
extern const double negligible_effect;

/* Decimals of a ratio within a sentence: one fewer than in the table, where the range still shows
 * on which side of 1 it is. */
int sentence_decimals(double low, double high);

/* What an experiment has found, in sentences: a list of texts named `name`, the largest effect
 * first. Of variants those of the comparisons that decide. */
void answer_put(struct line *json, const char *name, const struct experiment *experiment);

/* Members "next", the command line that looks closer at the load with the largest effect, where
 * there were several, or at the best setting, and "protect", the one that finds a setting against
 * the load which slows most; null where there is none. */
void answer_put_next(struct line *json, const struct experiment *experiment);

/* The sentence of one slowdown of the main metric, to be freed. NULL: it has no ratio. */
char *answer_sentence(const struct experiment *experiment, const struct value *slowdown);

#endif
