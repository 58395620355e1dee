#ifndef REPORT_RATIO_H
#define REPORT_RATIO_H

#include "experiment.h"

/* A ratio of result.json (of slowdowns, comparisons or interactions) as text, which has room for
 * NUMBER_SIZE. NULL, or one that is not known: "-". */

/* "1.37 [1.35, 1.39] †", "(noise)" where it is not distinguishable; the mark where it
 * survives in the family (family_survives). */
const char *ratio_remarked(const struct value *slowdown, const struct family *family, char *text);
/* The same without the remark. */
const char *ratio_text(const struct value *slowdown, const struct family *family, char *text);
/* The plain quotient, "0.74 [0.72, 0.76]", of a metric that is better when it is higher,
 * whose ratio is the other way round; "-" for others. */
const char *ratio_plain(const struct value *slowdown, const struct metric *metric, char *text);
/* "rps 0.739 [0.731, 0.744] of alone", of a metric of --metric that is better when it is higher;
 * NULL: of another, or not known. To be freed. */
char *ratio_direction(const struct experiment *experiment, const struct value *slowdown);

#endif
