#include "model.h"

#include <gsl/gsl_linalg.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/messages.h"
#include "common/record_json.h"
#include "common/units.h"
#include "harness/profile/profile.h"

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

static bool is_whole(const double *log_ratio)
{
    for (size_t r = 0; r < DIMENSIONS; r++)
        if (!isfinite(log_ratio[r]))
            return false;
    return true;
}

static void take_rows(const struct program_profile *a, struct rows *rows)
{
    rows->count = 0;
    for (size_t i = 0; i < a->besides; i++) {
        const struct profile_beside *beside = &a->beside[i];
        const struct sensitivity_point *point =
            point_of(&a->sensitivity, beside->kind, beside->level);
        if (!point || !(point->slowdown > 0) || !is_whole(beside->log_ratio))
            continue;
        memcpy(rows->x[rows->count], beside->log_ratio, sizeof rows->x[0]);
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
static void bound(const struct rows *rows, const double *x, double log_slowdown,
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
    for (size_t i = 0; i < profile->reporters; i++)
        if (strcmp(profile->reporter[i].name, reporter) == 0)
            return profile->reporter[i].log_ratio;
    return NAN;
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
    bound(&rows, x, log_slowdown, prediction);
    for (size_t r = 0; r < DIMENSIONS; r++)
        add_carrier(prediction, reporter_words[r], exp(beta[r] * x[r]));
    return true;
}

static void add(json_t *words, const char *word)
{
    json_add(words, json_text(word));
}

static void add_pair(json_t *words, const char *option, const char *value)
{
    if (value) {
        add(words, option);
        add(words, value);
    }
}

static void add_count(json_t *words, const char *option, uint64_t count)
{
    char *text = text_of("%llu", (unsigned long long)count);
    add_pair(words, option, text);
    free(text);
}

static const json_t *program_of(const struct program_entry *entry)
{
    return json_object_get(entry->profile.record, "program");
}

// How its profile has it run.
static void add_program(json_t *words, const json_t *program)
{
    const char *ignored = json_text_at(program, "ignore_failure");
    const json_t *word;
    size_t i;
    add_pair(words, "--input", json_text_at(program, "input"));
    add_pair(words, "--prepare", json_text_at(program, "prepare"));
    add_pair(words, "--conclude", json_text_at(program, "conclude"));
    if (ignored) {
        char *option = strcmp(ignored, "any") == 0 ? text_of("--ignore-failure")
                                                   : text_of("--ignore-failure=%s", ignored);
        add(words, option);
        free(option);
    }
    add(words, "--");
    json_array_foreach(json_object_get(program, "words"), i, word)
    {
        add(words, json_string_value(word));
    }
}

// What both need before all runs, or leave behind: --setup, --cleanup.
static void add_both(json_t *words, const char *option, const struct program_entry *a,
                     const struct program_entry *b)
{
    const char *of_a = json_text_at(program_of(a), option + 2);
    const char *of_b = json_text_at(program_of(b), option + 2);
    if (!of_a || !of_b || strcmp(of_a, of_b) == 0) {
        add_pair(words, option, of_a ? of_a : of_b);
        return;
    }
    char *both = text_of("%s\n%s", of_a, of_b);
    add_pair(words, option, both);
    free(both);
}

static json_t *words_of(const struct program_entry *a, const struct program_entry *b,
                        const struct check_settings *settings)
{
    char time[32], *load = loop_text(b->name, program_of(b));
    json_t *words = must(json_array());
    add_pair(words, "--place", a->profile.place);
    add_pair(words, "--load", load);
    add_count(words, "--min-runs", settings->min_runs);
    add_count(words, "--max-runs", settings->max_runs);
    add_pair(words, "--max-time", units_exact_time(settings->max_time_ns, time, sizeof time));
    add_both(words, "--setup", a, b);
    add_both(words, "--cleanup", a, b);
    add_program(words, program_of(a));
    free(load);
    return words;
}

static bool print_pair(const struct program_entry *a, const struct program_entry *b,
                       const struct check_settings *settings)
{
    json_t *words = words_of(a, b, settings);
    const json_t *word;
    size_t i;
    bool good = printf("%s@%s.%s%c%zu%c", a->name, b->name, a->profile.place, 0,
                       json_array_size(words), 0) > 0;
    json_array_foreach(words, i, word)
    {
        good = good && printf("%s%c", json_string_value(word), 0) > 0;
    }
    json_decref(words);
    return good;
}

static bool check_entry(const struct program_entry *entry)
{
    const json_t *words = json_object_get(program_of(entry), "words"), *word;
    size_t i;
    bool good = json_array_size(words) > 0;
    json_array_foreach(words, i, word)
    {
        good = good && json_is_string(word);
    }
    return good ||
           complain("%s: does not say how its program is run: make the profile again", entry->path);
}

// Whether the recorded command is the profile's. Its first word may have become a path; a single
// one may have been split, or run by a shell: of that nothing is known.
static bool is_command(const json_t *recorded, const json_t *words)
{
    const size_t count = json_array_size(words);
    bool same = count == 1 || json_array_size(recorded) == count;
    for (size_t i = 1; same && i < count; i++)
        same = json_equal(json_array_get(recorded, i), json_array_get(words, i)) != 0;
    return same;
}

// Whether a pair's records, where there are any, are of these programs, not of others of the same
// names.
static bool is_of_both(const char *path, const struct program_entry *a,
                       const struct program_entry *b)
{
    json_t *experiment = json_read_record(path, 0, NULL);
    const json_t *load = json_array_get(json_object_get(experiment, "loads"), 1);
    const char *digits = json_text_at(json_object_get(experiment, "program"), "sha256");
    const char *spec = json_text_at(load, "spec");
    char *text = loop_text(b->name, program_of(b));
    const bool same =
        !experiment ||
        ((!spec || strcmp(text + strlen(b->name) + 1, spec) == 0) &&
         (!digits || a->profile.sha256[0] == '\0' || strcmp(digits, a->profile.sha256) == 0) &&
         is_command(json_object_get(experiment, "command"),
                    json_object_get(program_of(a), "words")));
    free(text);
    json_decref(experiment);
    return same;
}

static bool check_records(const struct program_entry *a, const struct program_entry *b,
                          const char *records)
{
    char *cell = text_of("%s/cells/%s@%s.%s", records, a->name, b->name, a->profile.place);
    char *path = text_of("%s/experiment.json", cell);
    const bool good = is_of_both(path, a, b) ||
                      complain("%s is of other programs of these names: give another --records, "
                               "or remove it",
                               cell);
    free(path);
    free(cell);
    return good;
}

static bool is_pair(const struct program_list *list, size_t a, size_t b, bool with_itself)
{
    return strcmp(list->entry[a].profile.place, list->entry[b].profile.place) == 0 &&
           (a != b || with_itself);
}

static bool print_head(const struct program_list *list, const struct check_settings *settings)
{
    char time[32];
    size_t count = 0;
    for (size_t a = 0; a < list->count; a++)
        for (size_t b = 0; b < list->count; b++)
            count += is_pair(list, a, b, settings->with_itself);
    units_exact_time(settings->max_time_ns, time, sizeof time);
    return printf("%zu%c%s%c", count, 0, time, 0) > 0;
}

bool check_print(const struct program_list *list, const struct check_settings *settings)
{
    bool good = true;
    for (size_t i = 0; good && i < list->count; i++)
        good = check_entry(&list->entry[i]);
    good = good && print_head(list, settings);
    for (size_t a = 0; good && a < list->count; a++)
        for (size_t b = 0; good && b < list->count; b++)
            if (is_pair(list, a, b, settings->with_itself))
                good = check_records(&list->entry[a], &list->entry[b], settings->records) &&
                       print_pair(&list->entry[a], &list->entry[b], settings);
    return good;
}
