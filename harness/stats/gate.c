// Tells what the gate knows: of each ratio, and whether that is all that it was asked.
#include "gate.h"

#include "interval.h"
#include "metrics.h"
#include "relation.h"
#include "session.h"
#include "verdict.h"

#include "harness/record/objective.h"
#include "harness/record/settings.h"

#include "common/record_json.h"

#include <math.h>

enum verdict gate_ratio(struct session *session, struct ratio of)
{
    const struct settings *settings = session->settings;
    const size_t reference = settings_reference(settings, of.condition, of.against);
    const bool censored = session_censored(session, of) > 0;
    if (censored && (session->conditions[reference].censored > 0 || of.metric != WALL_S))
        return VERDICT_UNDECIDED;
    const struct interval ratio = metric_ratio_of_records(session, of);
    if (ratio.low > settings->at_most)
        return VERDICT_ABOVE;
    return !censored && ratio.high <= settings->at_most ? VERDICT_BELOW : VERDICT_UNDECIDED;
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
            if (gate_decides(settings, i) && metric_is_asked(session, i, m))
                gate_add(&sum, gate_ratio(session, settings_deciding(settings, i, m)));
    return gate_of_all(&sum);
}

enum relation gate_relation(struct session *session, struct ratio of)
{
    const struct interval ratio = metric_ratio(session, of);
    return relation_of(&ratio, session->settings->tolerance);
}

double gate_gap(const struct settings *settings, const struct interval *ratio)
{
    const double away = fabs(ratio->center - 1);
    const double of_limit =
        settings->at_most > 0 ? fabs(ratio->center - settings->at_most) : INFINITY;
    // Above the limit nothing else matters.
    if (!(settings->tolerance > 0) || (settings->at_most > 0 && ratio->center > settings->at_most))
        return of_limit;
    return fmin(of_limit, fmax(away, settings->tolerance - away));
}

bool gate_is_decided(struct session *session)
{
    const struct settings *settings = session->settings;
    const enum verdict verdict = settings->at_most > 0 ? gate_verdict(session) : VERDICT_BELOW;
    if (verdict != VERDICT_BELOW || !(settings->tolerance > 0))
        return verdict != VERDICT_UNDECIDED;
    for (size_t i = 0; i < settings->condition_count; i++)
        for (size_t m = 0; m < settings->metrics.count; m++)
            if (gate_decides(settings, i) && metric_is_asked(session, i, m) &&
                gate_relation(session, settings_deciding(settings, i, m)) == RELATION_UNDECIDED)
                return false;
    return true;
}
