// What bounds say of a limit, and what remains of that beside a problem.
#ifndef STATS_VERDICT_H
#define STATS_VERDICT_H

#include <stdbool.h>

// What a problem does to a ratio, and what remains of a verdict on that ratio beside it.

enum verdict { VERDICT_UNDECIDED, VERDICT_BELOW, VERDICT_ABOVE, VERDICTS };

extern const char *const verdict_names[VERDICTS];

// What bounds say of a limit: all of them below it, or above; NAN: nothing is known.
enum verdict verdict_by_bounds(double low, double high, double at_most);
// Of several: above if one is, below if all are.
enum verdict verdict_joined(enum verdict one, enum verdict other);

// Of ratios of the problem's condition and metric. LOW: they are lower than the truth, so what is
// above a limit is so all the more. ALL: of each condition, as what they are compared with is
// concerned.
enum bias { BIAS_ANY, BIAS_LOW, BIAS_ALL, BIAS_ALL_LOW, BIAS_NONE, BIASES };

// As results name them; NULL: none.
extern const char *const bias_names[BIASES];

bool bias_is_of_all(enum bias bias);

// What remains of a verdict on a ratio to the same alone, or of two variants.
enum verdict bias_beside(enum bias bias, enum verdict verdict, bool variants);

#endif
