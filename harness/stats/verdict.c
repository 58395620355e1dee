// Tells on which side of a limit bounds are, and what remains of that beside a problem.
#include "verdict.h"

const char *const verdict_names[VERDICTS] = {"undecided", "below", "above"};

enum verdict verdict_by_bounds(double low, double high, double at_most)
{
    if (low > at_most)
        return VERDICT_ABOVE;
    return high <= at_most ? VERDICT_BELOW : VERDICT_UNDECIDED;
}

enum verdict verdict_joined(enum verdict one, enum verdict other)
{
    if (one == VERDICT_ABOVE || other == VERDICT_ABOVE)
        return VERDICT_ABOVE;
    return one == other ? one : VERDICT_UNDECIDED;
}

const char *const bias_names[BIASES] = {
    [BIAS_ANY] = "any", [BIAS_LOW] = "low", [BIAS_ALL] = "all", [BIAS_ALL_LOW] = "all-low"};

bool bias_is_of_all(enum bias bias)
{
    return bias == BIAS_ALL || bias == BIAS_ALL_LOW;
}

// Less load than intended, or a baseline with a load's after-effects, makes a slowdown too low. The
// ratio of two variants it may move either way.
enum verdict bias_beside(enum bias bias, enum verdict verdict, bool variants)
{
    const bool low = !variants && (bias == BIAS_LOW || bias == BIAS_ALL_LOW);
    return bias == BIAS_NONE || (low && verdict == VERDICT_ABOVE) ? verdict : VERDICT_UNDECIDED;
}
