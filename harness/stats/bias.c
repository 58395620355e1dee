#include "bias.h"

const char *const verdict_names[VERDICTS] = {"undecided", "below", "above"};

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
