#include "gate.h"

#include "metrics.h"

#include <math.h>

// Where runs timed out, the ratio of the wall times is at most the true one: it may be above
// the limit, and is never known to be below. Where those of the reference did, it bounds
// nothing. Neither do other figures: of those one does not know what they were at the time-out.
static enum verdict bound(struct session *session, size_t condition, size_t metric)
{
    const struct settings *settings = session->settings;
    const enum against against = settings_decides_by(settings);
    const size_t reference = settings_reference(settings, condition, against);
    if (session->conditions[reference].censored > 0 || metric != WALL_S)
        return VERDICT_UNDECIDED;
    const struct interval ratio = metric_ratio_of_records(session, condition, against, metric);
    return ratio.low > settings->at_most ? VERDICT_ABOVE : VERDICT_UNDECIDED;
}

enum verdict gate_ratio(struct session *session, size_t condition, size_t metric)
{
    const struct settings *settings = session->settings;
    const enum against against = settings_decides_by(settings);
    if (session_censored(session, condition, against) > 0)
        return bound(session, condition, metric);
    const struct interval ratio = metric_ratio(session, condition, against, metric);
    if (ratio.low > settings->at_most)
        return VERDICT_ABOVE;
    return ratio.high <= settings->at_most ? VERDICT_BELOW : VERDICT_UNDECIDED;
}

bool gate_judges(const struct session *session, size_t condition, size_t metric)
{
    return session->settings->metrics.item[metric].decides &&
           !metric_is_negligible(session, condition, metric);
}

void gate_add(struct gate_sum *sum, enum verdict verdict)
{
    sum->any = true;
    sum->above = sum->above || verdict == VERDICT_ABOVE;
    sum->undecided = sum->undecided || verdict == VERDICT_UNDECIDED;
}

enum verdict gate_of_all(const struct gate_sum *sum)
{
    if (sum->above)
        return VERDICT_ABOVE;
    return sum->any && !sum->undecided ? VERDICT_BELOW : VERDICT_UNDECIDED;
}

bool gate_decides(const struct settings *settings, size_t condition)
{
    return settings_compares(settings, condition, settings_decides_by(settings)) &&
           !(settings->aa && condition == settings_aa(settings));
}

enum verdict gate_verdict(struct session *session)
{
    const struct settings *settings = session->settings;
    struct gate_sum sum = {0};
    for (size_t i = 0; i < settings->condition_count; i++)
        for (size_t m = 0; m < settings->metrics.count; m++)
            if (gate_decides(settings, i) && gate_judges(session, i, m))
                gate_add(&sum, gate_ratio(session, i, m));
    return gate_of_all(&sum);
}

enum relation gate_relation(struct session *session, size_t condition, enum against against,
                            size_t metric)
{
    const struct interval ratio = metric_ratio(session, condition, against, metric);
    return relation_of(&ratio, session->settings->same_within);
}

static bool knows_relations(struct session *session)
{
    const struct settings *settings = session->settings;
    const enum against against = settings_decides_by(settings);
    for (size_t i = 0; i < settings->condition_count; i++)
        for (size_t m = 0; m < settings->metrics.count; m++)
            if (gate_decides(settings, i) && gate_judges(session, i, m) &&
                gate_relation(session, i, against, m) == RELATION_UNDECIDED)
                return false;
    return true;
}

bool gate_is_decided(struct session *session)
{
    const struct settings *settings = session->settings;
    const enum verdict verdict = settings->at_most > 0 ? gate_verdict(session) : VERDICT_BELOW;
    return verdict == VERDICT_ABOVE ||
           (verdict == VERDICT_BELOW && (!(settings->same_within > 0) || knows_relations(session)));
}
