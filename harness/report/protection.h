#ifndef REPORT_PROTECTION_H
#define REPORT_PROTECTION_H

#include "experiment.h"

#include "common/json.h"

/* Settings that protect a target, of `protection` in result.json: what each leaves of the slowdown,
 * and what the neighbour still achieves. */

bool protection_measured(const struct experiment *experiment);

/* The entry of the best one; NULL: there is none. */
const struct value *protection_best(const struct experiment *experiment);

/* The answer as sentences, as texts of the open array: the best setting, and what --until asks. */
void protection_put_answers(struct line *json, const struct experiment *experiment);

/* What the row of an entry has in its columns, to be freed. */
char *protection_setting(const struct value *entry);
char *protection_where(const struct value *entry);
char *protection_front(const struct experiment *experiment, const struct value *entry);
/* A share of 1 in percent with its interval; "-" where it is not known. */
char *protection_share(const struct value *figure);
/* A ratio with its interval. */
char *protection_ratio(const struct value *figure);

#endif
