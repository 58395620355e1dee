#include "gauge_json.h"

#include "json.h"
#include "metrics.h"

#include <math.h>

// Why it is not used, in the record.
static const char *const reasons[] = {
    [GAUGE_USED] = NULL,
    [GAUGE_USE_NONE] = "none",
    [GAUGE_USE_UNDECLARED] = "not declared",
    [GAUGE_USE_STATISTIC] = "only means are adjusted",
    [GAUGE_USE_FEW] = "too few pairs",
    [GAUGE_USE_MOVED] = "what is compared moves the gauge",
};

static json_t *figure(const struct interval *ratio)
{
    return json_pack("{s:o, s:o, s:o}", "ratio", json_figure(ratio->center), "ci",
                     json_interval(ratio), "error",
                     ratio->constant ? json_null() : json_figure(ratio->error));
}

// A ratio without and with the gauge.
struct both {
    struct interval plain, adjusted;
    double explained, saved;
};

// The runs that an error takes go with its square.
static double saved_by(const struct interval *plain, const struct interval *adjusted)
{
    const bool known = plain->error > 0 && isfinite(plain->error) && isfinite(adjusted->error);
    return known ? 1 - adjusted->error * adjusted->error / (plain->error * plain->error) : NAN;
}

static struct both both_of(struct session *session, size_t condition, enum against against,
                           size_t metric)
{
    const struct pairs *pairs = &session->conditions[condition].pairs[against][metric];
    const struct covariate none = covariate_none(pairs), fit = covariate_fit(pairs);
    struct both both = {.plain = metric_ratio_with(session, against, metric, &none),
                        .adjusted = metric_ratio_with(session, against, metric, &fit),
                        .explained = covariate_explained(pairs, &fit)};
    both.saved = saved_by(&both.plain, &both.adjusted);
    return both;
}

double gauge_worth(struct session *session, size_t condition, enum against against, size_t metric,
                   double *saved)
{
    const struct both both = both_of(session, condition, against, metric);
    *saved = both.saved;
    return both.explained;
}

json_t *gauge_json(struct session *session, size_t condition, enum against against, size_t metric)
{
    const struct pairs *pairs = &session->conditions[condition].pairs[against][metric];
    const enum gauge_use use = metric_gauge_use(session, condition, against, metric);
    double p;
    if (use == GAUGE_USE_NONE)
        return json_null();
    json_t *json = json_pack("{s:b, s:s?, s:i}", "used", use == GAUGE_USED, "reason", reasons[use],
                             "pairs", (int)pairs->gauged);
    (void)covariate_is_moved(pairs, &p);
    json_object_set_new(
        json, "moved",
        json_pack("{s:o, s:o}", "ratio", json_figure(exp(pairs->mean_after)), "p", json_figure(p)));
    if (use == GAUGE_USE_STATISTIC)
        return json;
    const struct both both = both_of(session, condition, against, metric);
    json_object_set_new(json, "plain", figure(&both.plain));
    json_object_set_new(json, "adjusted", figure(&both.adjusted));
    json_object_set_new(json, "variance_removed", json_figure(both.explained));
    json_object_set_new(json, "runs_saved", json_figure(both.saved));
    return json;
}
