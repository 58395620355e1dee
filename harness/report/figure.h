#ifndef REPORT_FIGURE_H
#define REPORT_FIGURE_H

#include "view.h"

#include "common/numbers.h"

/* A metric of one condition, as result.json has it, for people. NULL: not known. */

/* The value of its statistic: of the one that its interval is about. */
double figure_center(const struct value *figure);

/* "697 ± 5 ms" for a mean whose interval has two equal sides, "697 [691, 706] ms" for others and
 * for quantiles, and "2.00 MiB (constant)" where all runs are alike. With a star for the mean
 * without outliers of older results. text has room for NUMBER_SIZE. */
const char *figure_text(const struct value *figure, const char *unit, char *text);

/* What the star means, to be freed; NULL: there is none. */
char *figure_star(const struct value *figure, const char *unit, const char *who);

/* Lower or upper bound of a member "ci"; NAN: there is none. */
double figure_bound(const struct value *figure, bool high);

#endif
