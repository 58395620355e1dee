#ifndef REPORT_CONDITIONS_H
#define REPORT_CONDITIONS_H

#include "experiment.h"

/* Which conditions an experiment has, and which of them are compared. */

/* The entry of a condition, and of its slowdown of a metric; NULL: there is none. */
const struct value *condition_named(const struct experiment *experiment, const char *name);
const struct value *slowdown_of(const struct experiment *experiment, const char *condition,
                                const char *metric);
/* Whether an entry of "comparisons", or "interactions", is of that variant and load; load NULL or
 * null: alone. */
bool comparison_is_of(const struct value *comparison, const struct value *variant,
                      const struct value *load);
/* The entry of such a list of the result; NULL: there is none. */
const struct value *comparison_of(const struct experiment *experiment, const char *list,
                                  const struct value *variant, const struct value *load,
                                  const char *metric);
/* Which conditions the cell of this number is of, from 0 on. False: there is no such cell. */
bool experiment_pairing(const struct experiment *experiment, size_t number,
                        struct pairing *pairing);
/* What the experiment says of a condition: {name, variant, load}; NULL: it has no variants. */
const struct value *experiment_condition(const struct experiment *experiment, const char *name);
/* {name, command, ...}; NULL: there is no such variant. */
const struct value *experiment_variant(const struct experiment *experiment,
                                       const struct value *name);
/* Whether it compares variants. */
bool experiment_has_variants(const struct experiment *experiment);
/* The name of a condition's load; NULL: it has none. To be freed. */
char *conditions_load(const struct experiment *experiment, const char *condition);

#endif
