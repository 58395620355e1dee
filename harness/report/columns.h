#ifndef REPORT_COLUMNS_H
#define REPORT_COLUMNS_H

#include "common/json.h"

/* Member "columns": {"cells": [{key, title, left, rank}], "conditions": [..]}, the
 * columns of the tables of cells and of one experiment's conditions. rank: which
 * are left out first where it is narrow, the highest first; 0: never. level:
 * of confidence, "95 %". */
void columns_put(struct line *json, const char *level);

#endif
