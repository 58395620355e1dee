#include "gate.h"

#include "metrics.h"

#include <math.h>

const char *const verdict_names[VERDICTS] = {"undecided", "below", "above"};

// Where loaded runs timed out, the ratio of what was recorded is at most the true one:
// it may be above the limit, and is never known to be below. Where the baseline's did,
// it bounds nothing.
static enum verdict gate_bound(struct session *session, size_t condition)
{
    const struct settings *settings = session->settings;
    for (size_t m = 0; m < settings->metric_count && session->conditions[0].censored == 0; m++)
        if (settings->metrics[m].decides && !metric_is_negligible(session, condition, m) &&
            metric_ratio_of_records(session, condition, m).low > settings->at_most)
            return VERDICT_ABOVE;
    return VERDICT_UNDECIDED;
}

enum verdict gate_condition(struct session *session, size_t condition)
{
    const struct settings *settings = session->settings;
    if (session_censored(session, condition) > 0)
        return gate_bound(session, condition);
    enum verdict verdict = VERDICT_BELOW;
    bool any = false;
    for (size_t m = 0; m < settings->metric_count; m++) {
        if (!settings->metrics[m].decides || metric_is_negligible(session, condition, m))
            continue;
        struct interval ratio = metric_ratio(session, condition, m);
        any = true;
        if (ratio.low > settings->at_most)
            return VERDICT_ABOVE;
        if (!(ratio.high <= settings->at_most))
            verdict = VERDICT_UNDECIDED;
    }
    return any ? verdict : VERDICT_UNDECIDED;
}

enum verdict gate_verdict(struct session *session)
{
    enum verdict verdict = VERDICT_BELOW;
    bool any = false;
    for (size_t i = 1; i < session->settings->condition_count; i++) {
        if (i == settings_aa(session->settings))
            continue;
        enum verdict one = gate_condition(session, i);
        any = true;
        if (one == VERDICT_ABOVE)
            return one;
        if (one == VERDICT_UNDECIDED)
            verdict = one;
    }
    return any ? verdict : VERDICT_UNDECIDED;
}
