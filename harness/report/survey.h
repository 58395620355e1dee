#ifndef REPORT_SURVEY_H
#define REPORT_SURVEY_H

#include "family.h"
#include "folders.h"
#include "groups.h"
#include "reading.h"

/* What is to be known of all results before the first of them is put into words: which
 * are sessions of one cell, and the family of their slowdowns, settled. */
void survey(struct groups *groups, struct family *family, const struct folders *folders,
            const struct wanted *wanted);

#endif
