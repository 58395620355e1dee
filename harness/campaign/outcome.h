#ifndef CAMPAIGN_OUTCOME_H
#define CAMPAIGN_OUTCOME_H

#include <stddef.h>

/* What came out of a cell, in a line: "slowdown 1.370 [1.350, 1.390], 24 runs", or what is
 * said of the metrics that were requested, or of the variants, from its result.json; "done"
 * where that cannot be read. Returns text. */
const char *outcome_text(const char *result_path, char *text, size_t size);

/* "12 s", "5 min", "3 h 07 min"; returns text. */
const char *duration_text(double seconds, char *text, size_t size);

#endif
