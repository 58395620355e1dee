#include "model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// What costs less is not worth a name.
static const double least_cost = 0.005;

void predict_model_preset(struct predict_model *model)
{
    *model = (struct predict_model){.variant = &predict_variants[0],
                                    .quantile_low = NAN,
                                    .quantile_high = NAN,
                                    .scale_floor = NAN,
                                    .confidence = NAN};
    for (size_t i = 0; i < PREDICT_TERMS; i++)
        model->weight[i] = 1;
}

static void add_carrier(struct prediction *prediction, const char *name, double slowdown,
                        bool saturated)
{
    struct predict_carrier *carrier = prediction->carrier;
    size_t at = prediction->carriers;
    if (!(slowdown - 1 >= least_cost)) // nor what is not known
        return;
    prediction->carriers++;
    for (; at > 0 && carrier[at - 1].slowdown < slowdown; at--)
        carrier[at] = carrier[at - 1];
    carrier[at] = (struct predict_carrier){.slowdown = slowdown, .saturated = saturated};
    (void)snprintf(carrier[at].name, sizeof carrier[at].name, "%s", name);
}

static void find_carriers(struct prediction *prediction)
{
    const struct pair_features *features = &prediction->features;
    add_carrier(prediction, "CPU time", features->analytic, false);
    for (size_t i = 0; i < features->kinds; i++) {
        const struct predict_kind *kind = &features->kind[i];
        add_carrier(prediction, kind->name, 1 + kind->effect, kind->saturated);
    }
}

// What the errors of the profiles come to, kind by kind in quadrature.
static void bound_by_profiles(struct prediction *prediction, double confidence)
{
    const struct pair_features *features = &prediction->features;
    double down = 0, up = 0;
    for (size_t i = 0; i < features->kinds; i++) {
        const struct predict_kind *kind = &features->kind[i];
        // A kind whose level is not known counts for nothing, and may cost all up to its bound.
        const double cost = isfinite(kind->effect) ? log1p(kind->effect) : 0;
        down = hypot(down, cost - log1p(kind->low));
        up = hypot(up, log1p(kind->high) - cost);
    }
    prediction->low = fmax(prediction->slowdown * exp(-down), fmin(prediction->slowdown, 1));
    prediction->high = prediction->slowdown * exp(up);
    prediction->source = PREDICT_FROM_PROFILES;
    prediction->confidence = confidence;
}

static void bound_by_pairs(struct prediction *prediction, const struct predict_model *model)
{
    const double scale = model->scale_floor + fabs(prediction->slowdown - 1);
    prediction->low = fmax(prediction->slowdown + model->quantile_low * scale, 0);
    prediction->high = prediction->slowdown + model->quantile_high * scale;
    prediction->source = PREDICT_FROM_PAIRS;
    prediction->confidence = model->confidence;
}

bool predict_apply(const struct predict_model *model, const struct pair_features *features,
                   double confidence, struct prediction *prediction)
{
    double term[PREDICT_TERMS], sum = 0;
    *prediction = (struct prediction){.known = features->known,
                                      .slowdown = NAN,
                                      .low = NAN,
                                      .high = NAN,
                                      .confidence = NAN,
                                      .features = *features};
    if (!features->known) {
        memcpy(prediction->why, features->why, sizeof prediction->why);
        return false;
    }
    const size_t terms = model->variant->terms(features, term);
    for (size_t i = 0; i < terms; i++)
        sum += model->weight[i] * term[i];
    prediction->slowdown = features->analytic * (1 + sum);
    find_carriers(prediction);
    if (isfinite(model->quantile_low) && isfinite(model->quantile_high) &&
        isfinite(model->scale_floor))
        bound_by_pairs(prediction, model);
    else
        bound_by_profiles(prediction, confidence);
    return true;
}

bool predict_pair(const struct predict_model *model, const struct program_profile *a,
                  const struct program_profile *b, struct prediction *prediction)
{
    struct pair_features features;
    (void)predict_features(a, b, &features);
    return predict_apply(model, &features, a->confidence, prediction);
}
