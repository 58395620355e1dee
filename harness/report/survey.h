#ifndef REPORT_SURVEY_H
#define REPORT_SURVEY_H

#include "collect.h"

/* What is to be known of all results before the first of them is put into words:
 * the family of their slowdowns, settled. */
void survey(struct family *family, const struct folders *folders, const struct wanted *wanted);

#endif
