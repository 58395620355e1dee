#include "predict.h"

#include "common/memory.h"
#include "common/messages.h"
#include "common/record_json.h"

#include <gsl/gsl_linalg.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <string.h>

enum { DIMENSIONS = BESIDE_REPORTERS, ROWS = PROFILE_BESIDE };

// Of log ratios, of which one is e-fold: the eight programs of results/reference/pairs that choices
// are made by cannot tell it from 0.2 to 0.7.
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
struct rows {
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

static void take_rows(const struct program_profile *a, struct rows *rows)
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
static void fit(const struct rows *rows, size_t left_out, double beta[DIMENSIONS])
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
static void add_interval(const struct rows *rows, const double *x, double log_slowdown,
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
    struct rows rows;
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

// ---- the table ----

static const json_t *find_measured(const struct table *table, const struct table_row *row)
{
    const struct program_entry *a = &table->programs->entry[row->victim],
                               *b = &table->programs->entry[row->aggressor];
    JSON_EACH (pair, row->together ? NULL : table->pairs) {
        if (json_text_is(pair, "a", a->name) && json_text_is(pair, "b", b->name) &&
            json_text_is(pair, "place", a->profile.place) &&
            (!json_has(pair, "host") || json_text_is(pair, "host", a->profile.host)))
            return pair;
    }
    return NULL;
}

static enum verdict judge(const struct table_row *row, double at_most)
{
    if (!row->shown || !row->gate.passed)
        return VERDICT_UNDECIDED;
    return verdict_by_bounds(row->prediction.low, row->prediction.high, at_most);
}

// The neighbours of a row: the one, or all others of the place. How many.
static size_t neighbours(const struct table *table, const struct table_row *row, size_t *index)
{
    size_t count = 0;
    for (size_t i = 0; row->together && i < table->programs->count; i++)
        if (programs_meet(table->programs, row->victim, i, false))
            index[count++] = i;
    if (!row->together)
        index[count++] = row->aggressor;
    return count;
}

static void add_row(struct table *table, size_t victim, size_t aggressor)
{
    const struct program_entry *entry = table->programs->entry;
    const struct program_profile *a = &entry[victim].profile;
    struct table_row *row = &table->row[table->count];
    OWNED size_t *index = must(calloc(table->programs->count, sizeof *index));
    *row = (struct table_row){
        .victim = victim, .aggressor = aggressor, .together = table->request->together};
    const size_t count = neighbours(table, row, index);
    OWNED const struct program_profile **other = must(calloc(count + 1, sizeof *other));
    for (size_t i = 0; i < count; i++)
        other[i] = &entry[index[i]].profile;
    if (count == 0)
        return;
    if (count >= PREDICT_PROGRAMS)
        usage_error("--together: more than %d programs: give fewer", PREDICT_PROGRAMS);
    const bool known = predict_beside(a, other, count, &row->prediction);
    row->gate =
        profile_gate_judge(a->noise_sd, a->noise_n, known ? row->prediction.slowdown - 1 : 0);
    row->shown = known && (row->gate.passed || table->request->force);
    row->verdict = judge(row, table->request->at_most);
    row->measured = find_measured(table, row);
    table->count++;
}

static void refuse_single(const struct program_list *list, bool together)
{
    if (list->count == 0)
        usage_error("no profile is of this place: give profiles of it, or another --place");
    if (list->count == 1)
        usage_error("%s: one program alone: give another profile, or %s", list->entry[0].path,
                    together ? "this one again" : "--with-itself");
    usage_error("%s is of the place %s, %s of %s: profile both at one place", list->entry[0].path,
                list->entry[0].profile.place, list->entry[1].path, list->entry[1].profile.place);
}

void table_make(struct table *table, const struct program_list *programs, const json_t *measured,
                const struct predict_request *request)
{
    const size_t count = programs->count;
    *table = (struct table){.programs = programs,
                            .request = request,
                            .pairs = measured,
                            .row = must(calloc(count * (count + 1) + 1, sizeof *table->row))};
    for (size_t a = 0; a < count; a++) {
        bool first = true; // of its place: with --together the place's rows follow each other
        for (size_t b = 0; b < a; b++)
            first = first && !programs_meet(programs, a, b, false);
        for (size_t b = 0; b < count; b++)
            if (request->together && first && programs_meet(programs, a, b, true))
                add_row(table, b, b);
            else if (!request->together && programs_meet(programs, a, b, request->with_itself))
                add_row(table, a, b);
    }
    if (table->count == 0)
        refuse_single(programs, request->together);
}

int table_status(const struct table *table)
{
    enum { ABOVE = 3, UNDECIDED = 4 };
    enum verdict all = VERDICT_BELOW;
    bool any = false;
    for (size_t i = 0; i < table->count; i++) {
        if (table->request->at_most > 0)
            all = verdict_joined(all, table->row[i].verdict);
        any = any || table->row[i].shown;
    }
    if (all == VERDICT_ABOVE)
        return ABOVE;
    return all == VERDICT_UNDECIDED || !any ? UNDECIDED : 0;
}

void table_free(struct table *table)
{
    free(table->row);
}

// [low, high]; null for an upper bound that there is none of, and null alone without bounds.
static json_t *bounds_to_record(double low, double high)
{
    return isnan(low) ? json_null()
                      : must(json_pack("[o,o]", number_to_json(low), number_to_json(high)));
}

static json_t *carriers_to_json(const struct prediction *prediction)
{
    json_t *carriers = must(json_array());
    for (size_t i = 0; i < prediction->carriers; i++)
        json_add(carriers,
                 must(json_pack("{s:s, s:o}", "name", prediction->carrier[i].words, "slowdown",
                                number_to_json(prediction->carrier[i].slowdown))));
    return carriers;
}

static json_t *gate_to_json(const struct gate *gate)
{
    return must(json_pack("{s:b, s:o, s:o, s:o, s:o, s:s}", "passed", gate->passed, "alone_sd",
                          number_to_json(gate->sd), "half_width", number_to_json(gate->half_width),
                          "wanted", number_to_json(gate->wanted), "runs_needed",
                          number_to_json(gate->runs_needed), "text", gate->text));
}

static double measured_runs(const json_t *measured)
{
    const double n = json_number_at(measured, "n");
    return n >= 1 ? floor(n) : 0;
}

static json_t *measured_to_json(const json_t *measured)
{
    if (!measured)
        return json_null();
    return must(json_pack("{s:o, s:o, s:I}", "slowdown",
                          number_to_json(json_number_at(measured, "slowdown")), "ci",
                          bounds_to_record(json_bound_at(measured, 0), json_bound_at(measured, 1)),
                          "n", (json_int_t)measured_runs(measured)));
}

// Why there is no number, or why one should not be trusted; null: neither.
static json_t *reason_of(const struct table_row *row)
{
    if (!row->prediction.known)
        return json_text(row->prediction.why);
    return row->gate.passed
               ? json_null()
               : json_owned_text(text_of("cannot be told on this machine: %s", row->gate.text));
}

static json_t *neighbours_json(const struct table *table, const struct table_row *row)
{
    OWNED size_t *index = must(calloc(table->programs->count, sizeof *index));
    const size_t count = neighbours(table, row, index);
    json_t *names = must(json_array());
    for (size_t i = 0; i < count; i++)
        json_add(names, json_text(table->programs->entry[index[i]].name));
    return names;
}

static json_t *row_to_json(const struct table *table, const struct table_row *row)
{
    const struct program_entry *entry = table->programs->entry;
    const struct prediction *one = &row->prediction;
    const bool shown = row->shown;
    return must(
        json_pack("{s:s, s:s?, s:o, s:s, s:o, s:o, s:o, s:o, s:s?, s:o, s:o, s:o, s:s?, s:o}", "a",
                  entry[row->victim].name, "b", row->together ? NULL : entry[row->aggressor].name,
                  "beside", neighbours_json(table, row), "place", entry[row->victim].profile.place,
                  "slowdown", number_to_json(shown ? one->slowdown : NAN), "ci",
                  shown ? bounds_to_record(one->low, one->high) : json_null(), "confidence",
                  number_to_json(shown ? one->confidence : NAN), "distinguishable",
                  shown ? json_boolean(one->low > 1 || one->high < 1) : json_null(), "carrier",
                  shown && one->carriers > 0 ? one->carrier[0].words : NULL, "carriers",
                  shown ? carriers_to_json(one) : must(json_array()), "gate",
                  gate_to_json(&row->gate), "reason", reason_of(row), "verdict",
                  table->request->at_most > 0 ? verdict_names[row->verdict] : NULL, "measured",
                  measured_to_json(row->measured)));
}

json_t *table_to_json(const struct table *table)
{
    json_t *rows = must(json_array());
    for (size_t i = 0; i < table->count; i++)
        json_add(rows, row_to_json(table, &table->row[i]));
    return rows;
}

json_t *table_worst_to_json(const struct table *table)
{
    const struct table_row *worst = NULL;
    for (size_t i = 0; i < table->count; i++) {
        const struct table_row *row = &table->row[i];
        if (row->shown && row->prediction.low > 1 &&
            (!worst || row->prediction.slowdown > worst->prediction.slowdown))
            worst = row;
    }
    return !worst ? json_null() : json_integer(worst - table->row);
}

// What a prediction that knew each truth would be off by all the same, of single rows added up.
// Pairs that were measured twice say it: the mean difference of two by sqrt(2). Where there are too
// few of them, the spread within a measurement does, which is too little where measurements of
// different hours differ: sqrt(2 / pi) of the standard error, were errors normal.
struct noise {
    double repeats, within;
    size_t repeated, known;
};

enum { LEAST_REPEATS = 10 };

static void add_noise(struct noise *noise, const struct table_row *row)
{
    const double slowdown = json_number_at(row->measured, "slowdown"),
                 again = json_number_at(json_object_get(row->measured, "repeat"), "slowdown"),
                 sd = json_number_at(row->measured, "sd"), n = measured_runs(row->measured);
    if (isfinite(again)) {
        noise->repeats += fabs(slowdown - again) / sqrt(2);
        noise->repeated++;
    }
    if (isfinite(sd) && n > 0) {
        noise->within += sqrt(2 / acos(-1) / n) * sd * slowdown;
        noise->known++;
    }
}

static bool by_repeats(const struct noise *noise)
{
    return noise->repeated >= LEAST_REPEATS;
}

// NAN: not known.
static double noise_mean(const struct noise *noise)
{
    return by_repeats(noise)  ? noise->repeats / (double)noise->repeated
           : noise->known > 0 ? noise->within / (double)noise->known
                              : NAN;
}

json_t *table_check_to_json(const struct table *table)
{
    struct noise noise = {0};
    double sum = 0, none = 0;
    json_int_t pairs = 0, held = 0;
    for (size_t i = 0; i < table->count; i++) {
        const struct table_row *row = &table->row[i];
        const struct prediction *one = &row->prediction;
        const double truth = json_number_at(row->measured, "slowdown");
        if (!row->shown || !isfinite(truth))
            continue;
        sum += fabs(one->slowdown - truth);
        none += fabs(1 - truth);
        add_noise(&noise, row);
        held += one->low <= truth && truth <= one->high;
        pairs++;
    }
    if (pairs == 0)
        return json_null();
    const double count = (double)pairs, off = noise_mean(&noise);
    return must(json_pack(
        "{s:I, s:f, s:o, s:I, s:I, s:o, s:o}", "pairs", pairs, "error", sum / count, "noise",
        number_to_json(off), "repeats", by_repeats(&noise) ? (json_int_t)noise.repeated : 0, "held",
        held, "skill", number_to_json(none > 0 ? 1 - sum / none : NAN), "skill_most",
        number_to_json(none > 0 && isfinite(off) ? fmax(1 - off * count / none, 0) : NAN)));
}
