// What is wrong with an evaluation, or good to know of it: each case with its words once.
#ifndef PREDICT_FINDINGS_H
#define PREDICT_FINDINGS_H

#include <jansson.h>

enum finding {
    FINDING_SHARED_RUNS,  // profile and truth have runs in common
    FINDING_BELOW_NOISE,  // an error below the noise ceiling
    FINDING_DRAWN,        // nearer to the first measurement than to the second
    FINDING_NOT_TOLD,     // the truth does not reproduce
    FINDING_FEW_PROGRAMS, // for a figure on unseen programs
    FINDING_NO_SKILL,     // no better than the best trivial predictor
    FINDING_COVERAGE,     // the intervals hold less than they promise
    FINDING_NEAR_NOISE,   // an error below the noise ceiling, which chance explains
    FINDING_NO_REPEATS,   // no noise ceiling
    FINDING_UNCHECKED,    // runs in common cannot be looked for
    FINDING_NO_NUMBER,    // pairs without a number
    FINDINGS
};

// {flag, severity, text, advice}, a new reference: text is the finding's with `details` in front.
json_t *finding_json(enum finding finding, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
