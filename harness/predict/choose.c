#include "choose.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SWEEPS = 200 };

// A weight is held at 1 as by this share of what the pairs together say, at least.
static const double ridge = 0.01;

size_t choose_candidates(struct candidate candidate[CANDIDATES])
{
    size_t count = 0;
    for (size_t i = 0; i < DATASET_VARIANTS && predict_variants[i].name; i++) {
        const struct pair_features none = {.analytic = 1};
        double term[PREDICT_TERMS];
        const size_t terms = predict_variants[i].terms(&none, term);
        for (int fitted = terms > 1 ? 1 : 0; fitted < (terms > 0 ? 2 : 1); fitted++)
            candidate[count++] = (struct candidate){.variant = &predict_variants[i],
                                                    .number = i,
                                                    .terms = terms,
                                                    .fitted = fitted != 0};
    }
    return count;
}

double choose_predict(const struct dataset_item *item, const struct candidate *candidate,
                      const struct predict_model *model)
{
    double sum = 1;
    for (size_t i = 0; i < candidate->terms; i++)
        sum += model->weight[i] * item->term[candidate->number][i];
    return item->features.analytic * sum;
}

// Normal equations of slowdown - analytic on analytic x term.
struct normal {
    double xx[PREDICT_TERMS][PREDICT_TERMS], xy[PREDICT_TERMS];
};

static void sum_up(const struct dataset *data, const bool *train, const struct candidate *candidate,
                   struct normal *normal)
{
    *normal = (struct normal){0};
    for (size_t k = 0; k < data->count; k++) {
        const struct dataset_item *item = &data->item[k];
        const double *term = item->term[candidate->number];
        const double analytic = item->features.analytic;
        for (size_t i = 0; train[k] && i < candidate->terms; i++) {
            normal->xy[i] += analytic * term[i] * (item->y - analytic);
            for (size_t j = 0; j < candidate->terms; j++)
                normal->xx[i][j] += analytic * analytic * term[i] * term[j];
        }
    }
}

void choose_fit(const struct dataset *data, const bool *train, const struct candidate *candidate,
                struct predict_model *model)
{
    struct normal normal;
    double largest = 0;
    predict_model_preset(model);
    model->variant = candidate->variant;
    if (!candidate->fitted)
        return;
    sum_up(data, train, candidate, &normal);
    for (size_t i = 0; i < candidate->terms; i++)
        largest = fmax(largest, normal.xx[i][i]);
    const double held = ridge * largest + 1e-12;
    // Coordinate descent: each weight in turn to its best, or to 0. It converges, as the sum of
    // squares is convex and the bounds are on single weights.
    for (size_t sweep = 0; sweep < SWEEPS; sweep++)
        for (size_t i = 0; i < candidate->terms; i++) {
            double left = normal.xy[i] + held;
            for (size_t j = 0; j < candidate->terms; j++)
                left -= j != i ? normal.xx[i][j] * model->weight[j] : 0;
            model->weight[i] = fmax(0, left / (normal.xx[i][i] + held));
        }
}

// What a candidate predicts for the pairs of programs that its fit has not seen.
struct unseen {
    struct residual *residual; // truth - prediction
    double *predicted;
    size_t count;
    double error; // mean absolute
};

static bool involves(const struct dataset_item *item, size_t program)
{
    return item->a == program || item->b == program;
}

// Adds one program's pairs. rest: room for flags.
static void leave_out(const struct dataset *data, const bool *train, bool *rest, size_t program,
                      const struct candidate *candidate, struct unseen *unseen)
{
    struct predict_model model;
    bool any = false;
    for (size_t k = 0; k < data->count; k++) {
        rest[k] = train[k] && !involves(&data->item[k], program);
        any = any || (train[k] && !rest[k]);
    }
    if (!any)
        return;
    choose_fit(data, rest, candidate, &model);
    for (size_t k = 0; k < data->count; k++) {
        if (!train[k] || rest[k])
            continue;
        const double predicted = choose_predict(&data->item[k], candidate, &model);
        unseen->predicted[unseen->count] = predicted;
        unseen->residual[unseen->count++] =
            (struct residual){.program = program, .value = data->item[k].y - predicted};
    }
}

static void leave_each_out(const struct dataset *data, const bool *train, bool *rest,
                           const struct candidate *candidate, struct unseen *unseen)
{
    unseen->count = 0;
    unseen->error = 0;
    for (size_t program = 0; program < data->programs; program++)
        leave_out(data, train, rest, program, candidate, unseen);
    for (size_t i = 0; i < unseen->count; i++)
        unseen->error += fabs(unseen->residual[i].value) / (double)unseen->count;
}

// Residuals become multiples of scale_floor + |slowdown - 1|, as large slowdowns are missed by
// more than small ones.
static void make_intervals(struct unseen *unseen, double confidence, struct choice *choice)
{
    struct predict_model *model = &choice->model;
    double *size = malloc((unseen->count + 1) * sizeof *size);
    model->quantile_low = model->quantile_high = model->scale_floor = NAN;
    if (!size)
        return;
    for (size_t i = 0; i < unseen->count; i++)
        size[i] = fabs(unseen->residual[i].value);
    gsl_sort(size, 1, unseen->count);
    // Not 0, where most are predicted exactly.
    model->scale_floor = fmax(1e-3, gsl_stats_median_from_sorted_data(size, 1, unseen->count));
    for (size_t i = 0; i < unseen->count; i++)
        unseen->residual[i].value /= model->scale_floor + fabs(unseen->predicted[i] - 1);
    if (conformal_fit(unseen->residual, unseen->count, confidence, &choice->conformal)) {
        model->quantile_low = choice->conformal.low;
        model->quantile_high = choice->conformal.high;
        model->confidence = confidence;
    }
    free(size);
}

static bool choose_among(const struct dataset *data, const bool *train, bool *rest,
                         double confidence, struct unseen *unseen, struct choice *choice)
{
    struct candidate candidate[CANDIDATES];
    const size_t candidates = choose_candidates(candidate);
    choice->error = INFINITY;
    for (size_t i = 0; i < candidates; i++) {
        leave_each_out(data, train, rest, &candidate[i], unseen);
        // What comes later has to be better, not only as good.
        if (unseen->count > 0 && unseen->error < choice->error * (1 - 1e-9)) {
            choice->error = unseen->error;
            choice->candidate = candidate[i];
        }
    }
    if (!isfinite(choice->error))
        return false;
    choose_fit(data, train, &choice->candidate, &choice->model);
    leave_each_out(data, train, rest, &choice->candidate, unseen);
    make_intervals(unseen, confidence, choice);
    return true;
}

bool choose_model(const struct dataset *data, const bool *train, double confidence,
                  struct choice *choice)
{
    // A pair is left out with each of its two programs.
    struct unseen unseen = {.residual = calloc(2 * data->count + 1, sizeof *unseen.residual),
                            .predicted = calloc(2 * data->count + 1, sizeof *unseen.predicted)};
    bool *rest = calloc(data->count + 1, sizeof *rest);
    *choice = (struct choice){0};
    for (size_t k = 0; k < data->count; k++)
        choice->pairs += train[k] ? 1 : 0;
    const bool good = unseen.residual && unseen.predicted && rest &&
                      choose_among(data, train, rest, confidence, &unseen, choice);
    free(unseen.residual);
    free(unseen.predicted);
    free(rest);
    return good;
}
