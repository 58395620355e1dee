// The conditions and metrics of two experiments, each with the ratio B / A.
#ifndef COMPARE_ROWS_H
#define COMPARE_ROWS_H

#include "side.h"

struct comparison {
    struct side *a, *b;
    // Which metrics: the index that each has on either side.
    struct {
        size_t a, b;
    } metric[MAX_METRICS];
    size_t metric_count;
    double confidence; // of the ratios; those of a condition's metrics hold at once
};

// How many intervals share the error rate 1 - confidence: those of the metrics of one
// condition; and the level of each (Bonferroni).
size_t comparison_family(const struct comparison *comparison);
double comparison_level(const struct comparison *comparison);

// A new `comparisons` of a jostle.comparison/1, for conditions (their names) that both
// have. Ends the program where none of them has two good runs on both sides.
json_t *comparison_rows(const struct comparison *comparison, const json_t *conditions);

// Of many ratios some look like a difference by chance: adds `q` and `survives` to rows with a p,
// and makes the verdict of those that do not hold among all, at that false discovery rate,
// "chance".
void comparison_settle(json_t *rows, double rate);

#endif
