// How much a program slows down beside others, by their profiles.

#include "predict.h"

#include "common/record_json.h"
#include "harness/stats/json.h"

#include <gsl/gsl_linalg.h>
#include <gsl/gsl_sort.h>
#include <math.h>

enum { DIMENSIONS = BESIDE_REPORTERS, ROWS = PROFILE_BESIDE };

// The penalty is in log ratios, of which one is e-fold. The eight programs of
// results/reference/pairs that choices are made by cannot tell it from 0.2 to 0.7.
static const double ridge = 0.3;
// What costs less is not worth a name.
static const double least_cost = 0.005;

static const char *const reporter_words[BESIDE_REPORTERS] = {
    [BESIDE_GAP] = "CPU time",
    [BESIDE_L2] = "its core's caches",
    [BESIDE_MEMORY] = "memory",
    [BESIDE_FAULTS] = "page faults",
};

// The loads of a profile: what each does to the reporters, and to the program.
struct load_rows {
    size_t count;
    double x[ROWS][DIMENSIONS], y[ROWS];
};

static const struct sensitivity_point *point_of(const struct sensitivity *sensitivity,
                                                const char *kind, double level)
{
    const struct sensitivity_curve *curve = sensitivity_find(sensitivity, kind);
    for (size_t i = 0; curve && i < curve->count; i++)
        if (fabs(curve->point[i].level - level) < 1e-6)
            return &curve->point[i];
    return NULL;
}

static void take_rows(const struct program_profile *a, struct load_rows *rows)
{
    const json_t *pressure = json_object_get(a->record, "pressure");
    rows->count = 0;
    JSON_EACH (beside, json_object_get(pressure, "beside_loads")) {
        const json_t *log_ratios = json_object_get(beside, "log_ratios");
        const struct sensitivity_point *point = point_of(
            &a->sensitivity, json_text_or_empty(beside, "kind"), json_number_at(beside, "level"));
        double *x = rows->x[rows->count];
        bool whole = point && point->slowdown > 0;
        for (size_t r = 0; r < DIMENSIONS; r++) {
            x[r] = json_number_at(log_ratios, beside_reporters[r]);
            whole = whole && isfinite(x[r]);
        }
        if (whole)
            rows->y[rows->count++] = log(point->slowdown);
    }
}

static double dot(const double *a, const double *b)
{
    double sum = 0;
    for (size_t r = 0; r < DIMENSIONS; r++)
        sum += a[r] * b[r];
    return sum;
}

// beta = (X'X + ridge)^-1 X'y, without the row `left_out` (rows->count: with all).
static void fit(const struct load_rows *rows, size_t left_out, double beta[DIMENSIONS])
{
    double squares[DIMENSIONS * DIMENSIONS] = {0}, right[DIMENSIONS] = {0};
    for (size_t i = 0; i < rows->count; i++)
        for (size_t r = 0; r < DIMENSIONS && i != left_out; r++) {
            right[r] += rows->x[i][r] * rows->y[i];
            for (size_t s = 0; s < DIMENSIONS; s++)
                squares[r * DIMENSIONS + s] += rows->x[i][r] * rows->x[i][s];
        }
    for (size_t r = 0; r < DIMENSIONS; r++)
        squares[r * DIMENSIONS + r] += ridge;
    gsl_matrix_view matrix = gsl_matrix_view_array(squares, DIMENSIONS, DIMENSIONS);
    gsl_vector_view vector = gsl_vector_view_array(right, DIMENSIONS);
    gsl_vector_view solution = gsl_vector_view_array(beta, DIMENSIONS);
    // Positive definite by the ridge: it cannot fail.
    (void)gsl_linalg_cholesky_decomp1(&matrix.matrix);
    (void)gsl_linalg_cholesky_solve(&matrix.matrix, &vector.vector, &solution.vector);
}

// With n values left out in turn, the lower bound is the floor(alpha (n + 1))-th smallest, the
// upper one the same from above; the outermost where there are too few for that.
static void add_interval(const struct load_rows *rows, const double *x, double log_slowdown,
                         struct prediction *prediction)
{
    double low[ROWS], high[ROWS], beta[DIMENSIONS];
    const size_t n = rows->count;
    for (size_t i = 0; i < n; i++) {
        fit(rows, i, beta);
        const double off = fabs(rows->y[i] - dot(beta, rows->x[i])), here = dot(beta, x);
        low[i] = here - off;
        high[i] = here + off;
    }
    gsl_sort(low, 1, n);
    gsl_sort(high, 1, n);
    const double rank = floor((1 - prediction->confidence) * (double)(n + 1));
    const size_t outside = rank >= 1 ? (size_t)rank - 1 : 0;
    prediction->low = exp(fmin(low[outside], log_slowdown));
    prediction->high = exp(fmax(high[n - 1 - outside], log_slowdown));
}

static void add_carrier(struct prediction *prediction, const char *name, double slowdown)
{
    struct predict_carrier *carrier = prediction->carrier;
    size_t at = prediction->carriers;
    if (!(slowdown - 1 >= least_cost))
        return;
    prediction->carriers++;
    for (; at > 0 && carrier[at - 1].slowdown < slowdown; at--)
        carrier[at] = carrier[at - 1];
    carrier[at] = (struct predict_carrier){.words = name, .slowdown = slowdown};
}

static double reading_of(const struct program_profile *profile, const char *reporter)
{
    const json_t *pressure = json_object_get(profile->record, "pressure");
    return json_number_at(json_named(json_object_get(pressure, "reporters"), "name", reporter),
                          "log_ratio");
}

// What all others together do to the reporters. False: not known of one of them.
static bool take_others(const struct program_profile *const *other, size_t count, double *x,
                        struct prediction *prediction)
{
    for (size_t r = 0; r < DIMENSIONS; r++)
        x[r] = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t r = 0; r < DIMENSIONS; r++) {
            const double log_ratio = reading_of(other[i], beside_reporters[r]);
            if (isnan(log_ratio)) {
                (void)snprintf(prediction->why, sizeof prediction->why,
                               "what %s does to %s is not known: make its profile again, without "
                               "--no-pressure",
                               other[i]->name, reporter_words[r]);
                return false;
            }
            x[r] += log_ratio;
        }
    return true;
}

bool predict_beside(const struct program_profile *a, const struct program_profile *const *other,
                    size_t count, struct prediction *prediction)
{
    struct load_rows rows;
    double x[DIMENSIONS], beta[DIMENSIONS];
    *prediction =
        (struct prediction){.slowdown = NAN, .low = NAN, .high = NAN, .confidence = a->confidence};
    take_rows(a, &rows);
    if (rows.count < PREDICT_LEAST) {
        (void)snprintf(
            prediction->why, sizeof prediction->why,
            "the profile of %s has %zu loads with their reporters, %d are the least: make "
            "it again, with this version of jostle",
            a->name, rows.count, PREDICT_LEAST);
        return false;
    }
    if (!take_others(other, count, x, prediction))
        return false;
    fit(&rows, rows.count, beta);
    const double log_slowdown = dot(beta, x);
    prediction->known = true;
    prediction->slowdown = exp(log_slowdown);
    add_interval(&rows, x, log_slowdown, prediction);
    for (size_t r = 0; r < DIMENSIONS; r++)
        add_carrier(prediction, reporter_words[r], exp(beta[r] * x[r]));
    return true;
}
