// The conditions and metrics of two experiments, each with the ratio B / A.
#ifndef COMPARE_ROWS_H
#define COMPARE_ROWS_H

#include "side.h"

struct comparison {
    struct side *a, *b;
    bool metric[METRICS];
    double confidence; // of the ratios; those of a condition's metrics hold at once
};

// A new `comparisons` of a jostle.comparison/1, for conditions (their names) that both
// have. Ends the program where none of them has two good runs on both sides.
json_t *comparison_rows(const struct comparison *comparison, const json_t *conditions);

#endif
