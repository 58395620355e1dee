#ifndef REPORT_MODEL_H
#define REPORT_MODEL_H

#include "experiment.h"

/* One cell of jostle.report/1, a line; to be freed. With lists of its runs
 * (member "runs", by condition) where lists is not NULL. */
char *model_cell(const struct cell *cell, const char *lists);

#endif
